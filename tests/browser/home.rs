//! The start page of a signed-in user.

use anyhow::{Result, ensure};
use browser::{Browser, at_each_width};

use super::{BEBOP, sign_in};

const DRAGON_BALL: &str = "/anime/446";
const ONE_PIECE: &str = "/anime/42";

/// Marks an anime as completed, on its page.
async fn complete(page: &Browser, path: &str) -> Result<()> {
    page.open(path).await?;
    page.expand("Add with details").await?;
    page.select("Status", "Completed").await?;
    page.press("Save").await
}

#[tokio::test]
async fn user_goes_on_from_the_home_page() -> Result<()> {
    at_each_width("home", async |page, service| {
        let token = service.register_for_token("mitsuha").await?;
        sign_in(page, "mitsuha").await?;
        page.open("/").await?;
        page.look("empty").await?;
        service.watch(&token, 2).await?;
        complete(page, DRAGON_BALL).await?;
        page.open(ONE_PIECE).await?;
        page.press("Plan to watch").await?;
        page.open("/").await?;
        page.look("home").await?;
        let next = page.text("[aria-labelledby=what-next]").await?;
        for part in [
            "Dragon Ball Z",
            "The sequel of Dragon Ball",
            "One Piece",
            "You plan to watch it, and it is airing now",
            "Because you finished Dragon Ball",
        ] {
            ensure!(next.contains(part), "{part} is not in {next}");
        }
        // The script watches the episode in place.
        page.click("Episode 2").await?;
        page.wait_for_status("Cowboy Bebop Episode 2 marked as watched.")
            .await?;
        page.look("watched-in-place").await?;
        page.click("Undo").await?;
        page.wait_for_status("Cowboy Bebop The change has been undone.")
            .await?;
        ensure!(page.text(".watched").await?.contains("1 of 26"));
        page.look("undone").await?;
        // The same without a script.
        page.let_scripts_run(false).await?;
        page.open("/").await?;
        page.press("Episode 2").await?;
        ensure!(page.text(".watched").await?.contains("2 of 26"));
        page.look("watched").await?;
        page.press("Undo").await?;
        ensure!(page.text(".watched").await?.contains("1 of 26"));
        page.let_scripts_run(true).await?;
        page.follow("Continue watching").await?;
        page.wait_for_heading("My list").await?;
        complete(page, "/anime/1626").await?;
        page.open("/").await?;
        let next = page.text("[aria-labelledby=what-next]").await?;
        ensure!(!next.contains("The sequel of Dragon Ball"), "{next}");
        page.open(BEBOP).await
    })
    .await
}
