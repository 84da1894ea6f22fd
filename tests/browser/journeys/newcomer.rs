//! The first hour of a user who imports a list from another service.

use anyhow::{Context, Result, ensure};
use browser::{Browser, PASSWORD, Service, at_each_width, walk};
use serde_json::Value;

use super::{BEBOP, change_record};

/// Returns a CSV list of 300 anime: all but one of the catalogue, and others that the catalogue does not have.
fn list_of_300(catalogue: &[Value], left_out: u64) -> (String, usize) {
    let mut lines = vec!["mal_id,status,title".to_owned()];
    for anime in catalogue {
        if anime["id"] != left_out {
            let is_airing = anime["status"] == 1;
            let status = if is_airing { "watching" } else { "completed" };
            lines.push(format!("{},{status},", anime["tracker_b_id"]));
        }
    }
    let known = lines.len() - 1;
    for number in known..300 {
        lines.push(format!("{},completed,Unknown {number}", 4_000_000 + number));
    }
    (lines.join("\n"), known)
}

/// Imports [`list_of_300`], reviews what was not found, and exports the list. Returns the number of entries that were
/// found.
async fn import_list(page: &Browser, service: &Service) -> Result<usize> {
    let catalogue = service.data("/v1/anime?per_page=100").await?;
    let catalogue = catalogue.as_array().context("a list")?;
    let (list, known) = list_of_300(catalogue, 2);
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("list.csv");
    tokio::fs::write(&file, list).await?;
    walk! {page, "
        follow Settings
        follow Data
        follow Import or export your watch history
    "}
    page.attach("List file", &file).await?;
    // The page keeps the file of the preview.
    walk! {page, "
        press Preview > Preview of the import # preview
        press Import > Import finished
    "}
    let report = page.text("main").await?;
    for part in [
        "has 300 entries".to_owned(),
        format!("{known} new"),
        format!("{} not in the catalogue", 300 - known),
    ] {
        ensure!(report.contains(&part), "{part}: {report}");
    }
    walk! {page, "
        # report
        follow Back to import and export
        follow Entries that wait for their anime
        has main: Unknown 60 # waiting
        follow Back to import and export
    "}
    let exported = page.download("CSV", service).await?;
    assert_eq!(exported.lines().count(), known + 2, "{exported}");
    ensure!(exported.contains("Cowboy Bebop"), "{exported}");
    Ok(known)
}

#[tokio::test]
async fn newcomer_makes_the_service_their_own() -> Result<()> {
    at_each_width("newcomer", async |page, service| {
        walk! {page, "
            open /
            follow Start a record
            fill Name: mitsuha | fill E-mail address: mitsuha@example.com | fill Password: {PASSWORD}
            press Create account > What have you seen?
        "}

        page.enter_at("main [name=search]", "cowbow bepop").await?;
        walk! {page, "
            = 1 anime
            follow Cowboy Bebop > Cowboy Bebop
        "}
        change_record(page, "choose Planned").await?;
        walk! {page, "
            press Watched episode 1
            press Watched episode 2
            value Episodes watched: 2 | press Undo
            value Episodes watched: 1 # undone
        "}
        change_record(page, "fill Score: 87.5").await?;
        walk! {page, "
            value Score: 87.5 | value Episodes watched: 1 # scored
            open {BEBOP}
            value Score: 87.5 | open /welcome > What have you seen? # welcome
        "}

        let known = import_list(page, service).await?;
        let entries = known + 1;
        walk! {page, "
            follow My list
            is #list-statuses .num: {entries} # list
            follow Statistics > Your statistics
            has main: 87.5 # statistics
            follow Settings
            follow Privacy
            choose Everyone | press Save settings
            follow See your public profile > mitsuha # public-profile
            follow Calendar
            has main: One Piece | press Create an address
        "}
        let address = page.text("#feed-address").await?;
        let path = address.strip_prefix(service.origin());
        let feed = service.text(path.context("the origin")?, "").await?;
        ensure!(feed.starts_with("BEGIN:VCALENDAR"), "{feed}");
        ensure!(feed.contains("SUMMARY:One Piece"), "{feed}");
        walk! {page, "delete cookies | open /user/mitsuha > mitsuha"}
        ensure!(page.holds("Cowboy Bebop").await? && !page.holds("@example.com").await?);
        Ok(())
    })
    .await
}
