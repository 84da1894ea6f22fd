//! The list of a user: entries, selections, imports and the calendar.

use anyhow::{Context, Result, ensure};
use browser::{Browser, Key, PASSWORD, Service, at_each_width, walk};
use serde_json::{Value, json};

use super::{LONG_TITLE, ONE_PIECE, plan, register_and_sign_in};

const KEEP: &str = "Keep: they stay as they are";

#[tokio::test]
async fn user_keeps_a_list() -> Result<()> {
    at_each_width("list", async |page, service| {
        let token = register_and_sign_in(page, service, "mitsuha").await?;
        walk! {page, "follow My list > My list # empty-list"}
        service.watch(&token, 2).await?;
        walk! {page, "
            open /list?status=0 > Watching # list
            // The script marks the episode as watched, without a new page.
            click +1: episode 2 = Cowboy Bebop Episode 2 marked as watched. # watched-in-place
            click +1: episode 3 = Cowboy Bebop Episode 3 marked as watched.
            click Undo = Cowboy Bebop The change has been undone.
            has .ledger .pr: 2 / 26 # undone
        "}
        // An entry leaves the list of its status, and comes back.
        let count = "#list-statuses [href*='status=0'] .num";
        ensure!(page.text(count).await? == "1", "not counted");
        complete_the_rest(page).await?;
        walk! {page, "
            is {count}: 0 | hides .ledger h2 # left
            click Undo = Cowboy Bebop The change has been undone.
            is {count}: 1 | has .ledger .pr: 25 / 26
            open /list?edit=2 > All
            fill Episodes watched: 1 | press Save
            scripts off | open /list?status=0
            press +1: episode 2
            has .ledger .pr: 2 / 26 # watched
            open /list?edit=2
            fill Score: 101 | fill Notes: {LONG_TITLE} # edited
            press Save ! Score # 400 edited-fault
            fill Score: 92.5 | select Status: Completed | press Save
            open /list?status=2 > Completed
            has .ledger .pr: 26 / 26 # saved
            // The session ends while the form is open.
            open /list?edit=2
            fill Notes: Typed before the session ended | delete cookies
            press Save > Sign in # 401 session-ended
            fill Name or e-mail address: mitsuha | fill Password: {PASSWORD}
            press Sign in
            value Notes: Typed before the session ended # kept
            press Save
            open /list?edit=2
            value Notes: Typed before the session ended
            follow Statistics > Your statistics # statistics
            expand Numbers # numbers
            open /list?edit=2
            press Delete > Delete this entry? # delete
            press Delete > My list # deleted
        "}
        Ok(())
    })
    .await
}

/// Marks the last two episodes of the only entry as watched, in the list of the status "Watching".
async fn complete_the_rest(page: &Browser) -> Result<()> {
    walk! {page, "
        open /list?edit=2
        fill Episodes watched: 24 | press Save
        open /list?status=0
    "}
    for episode in [25, 26] {
        page.click(&format!("+1: episode {episode}")).await?;
        let done = format!("Cowboy Bebop Episode {episode} marked as watched.");
        page.wait_for_status(&done).await?;
    }
    Ok(())
}

/// Puts the first four anime of the catalogue on the list, with the status Planned.
async fn plan_four(service: &Service, token: &str) -> Result<()> {
    let catalogue = service.data("/v1/anime?per_page=4").await?;
    let catalogue = catalogue.as_array().context("a list")?;
    let change = |anime: &Value| json!({"op": "put", "anime_id": anime["id"], "status": 1, "current_episode": 0});
    let changes: Vec<Value> = catalogue.iter().map(change).collect();
    service.change_stories(token, &changes).await
}

/// Checks the checkboxes of the first entries of the list.
async fn pick(page: &Browser, count: usize) -> Result<()> {
    for number in 1..=count {
        let script = "document.querySelector(`.stories > li:nth-child(${arguments[0]}) .pick input`).click()";
        page.run(script, vec![number.into()]).await?;
    }
    Ok(())
}

/// Returns the number of selected entries.
async fn picked(page: &Browser) -> Result<Value> {
    let script = "return document.querySelectorAll('.pick :checked').length";
    page.run(script, vec![]).await
}

/// Returns the number of entries with each of the statuses Planned and Paused.
async fn planned_and_paused(page: &Browser) -> Result<[usize; 2]> {
    let mut counts = [0; 2];
    for (count, status) in counts.iter_mut().zip([1, 4]) {
        page.open(&format!("/list?status={status}")).await?;
        let script = "return document.querySelectorAll('.stories > li').length";
        let entries = page.run(script, vec![]).await?;
        *count = usize::try_from(entries.as_u64().context("a number")?)?;
    }
    Ok(counts)
}

#[tokio::test]
async fn user_changes_several_entries() -> Result<()> {
    at_each_width("selection", async |page, service| {
        let token = register_and_sign_in(page, service, "mitsuha").await?;
        plan_four(service, &token).await?;
        for has_script in [true, false] {
            page.let_scripts_run(has_script).await?;
            walk! {page, "
                open /list?status=1&sort=title
                follow Select
            "}
            pick(page, 3).await?;
            ensure!(page.shows("[data-all]").await? == has_script);
            // On other screens, the bar covers a part of an entry until the user scrolls.
            let scroll = "scrollTo(0, document.body.scrollHeight)";
            page.run(scroll, vec![]).await?;
            let without = if has_script { "" } else { "-without-script" };
            page.look(&format!("selected{without}")).await?;
            walk! {page, "select Status: Paused"}
            // Without the script, the order of the list has a button with this name, too.
            page.enter_at("#selection button", "").await?;
            walk! {page, "= 3 entries have been changed. # changed"}
            let address = "return location.pathname + location.search";
            let done = page.run(address, vec![]).await?;
            ensure!(planned_and_paused(page).await? == [1, 3], "not changed");
            page.open(done.as_str().context("an address")?).await?;
            walk! {page, "press Undo = 3 entries have been restored."}
            ensure!(planned_and_paused(page).await? == [4, 0], "not undone");
        }
        walk! {page, "
            scripts on | open /list?status=1&view=compact&sort=started # compact
            follow Select
            click Select all on this page
            press Remove from list… > Delete these entries? # delete-selected
            press Delete = 4 entries have been deleted.
            press Undo = 4 entries have been restored.
            shows .tight | open /list?status=1&select=1
            press Apply > Nothing has been changed # 400 nothing-selected
        "}
        Ok(())
    })
    .await
}

/// The next episode of an entry, marked in its place, leaves the selection as it is.
#[tokio::test]
async fn selection_is_kept_after_an_episode() -> Result<()> {
    at_each_width("kept-selection", async |page, service| {
        let token = register_and_sign_in(page, service, "mitsuha").await?;
        for anime in [2, 42] {
            service.watch(&token, anime).await?;
        }
        walk! {page, "
            open /list?status=0&sort=title
            follow Select
        "}
        pick(page, 2).await?;
        walk! {page, "
            click +1: episode 2 = Cowboy Bebop Episode 2 marked as watched.
            begins .picked: selected # kept
        "}
        ensure!(picked(page).await? == 2, "the selection is lost");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn view_of_the_list_is_switched_and_remembered() -> Result<()> {
    at_each_width("views", async |page, service| {
        let token = register_and_sign_in(page, service, "mitsuha").await?;
        service.watch(&token, 2).await?;
        walk! {page, "
            open /list
            hides .tight | hides main .shelf | follow Compact
            shows .tight | open /list
            shows .tight | follow Covers
            shows main .shelf | open /list > Watching # covers
            shows main .shelf | follow Rows
            hides main .shelf | open /list
            shows .ledger | hides .tight
        "}
        Ok(())
    })
    .await
}

#[tokio::test]
async fn anime_is_put_on_the_list_from_its_card() -> Result<()> {
    at_each_width("card", async |page, service| {
        register_and_sign_in(page, service, "mitsuha").await?;
        page.open("/anime?search=cowboy+bepop").await?;
        // On desks, the actions appear with the focus; on a phone, the Enter key opens them.
        let focus = "document.querySelector('.card .add summary').focus()";
        page.run(focus, vec![]).await?;
        if !page.shows(".card .act").await? {
            page.type_keys([Key::Enter.into()]).await?;
        }
        walk! {page, "
            shows .card .act # actions
            click Planned = Cowboy Bebop is now on your list as: Planned. # planned
            shows .card>.seal.plan
            click Undo = The change has been undone. | open /anime?search=cowboy+bepop
            hides .card>.seal
        "}
        Ok(())
    })
    .await
}

#[tokio::test]
async fn list_has_keyboard_shortcuts() -> Result<()> {
    at_each_width("shortcuts", async |page, service| {
        let token = register_and_sign_in(page, service, "mitsuha").await?;
        plan_four(service, &token).await?;
        page.open("/list?status=1&sort=airing").await?;
        let focused = async || {
            let script = "const entry = document.activeElement.closest('.stories > li');
                return entry ? [...entry.parentElement.children].indexOf(entry) : -1";
            page.run(script, vec![]).await
        };
        // Outside of the entries, the keys do nothing.
        page.type_keys("jx?".chars()).await?;
        ensure!(focused().await? == -1);
        ensure!(!page.shows("dialog").await?);
        page.run("document.querySelector('.stories h2 a').focus()", vec![])
            .await?;
        page.type_keys("jj".chars()).await?;
        ensure!(focused().await? == 2, "j goes to the next entry");
        page.type_keys(['k', Key::Down.into(), Key::Up.into(), 'x'])
            .await?;
        ensure!(focused().await? == 1, "k goes to the previous entry");
        ensure!(picked(page).await? == 1, "x selects");
        page.type_keys("n".chars()).await?;
        let notice = page.text(".stories .notice").await?;
        ensure!(notice.contains("marked as watched"), "{notice}");
        ensure!(focused().await? == 1, "n stays at the entry");
        page.type_keys("?".chars()).await?;
        walk! {page, "shows dialog # help"}
        page.type_keys([Key::Escape.into()]).await?;
        ensure!(!page.shows("dialog").await?);
        // In a field, the keys are text.
        let before = picked(page).await?;
        page.run(
            "document.querySelector('.stories .sc input').focus()",
            vec![],
        )
        .await?;
        page.type_keys("jx".chars()).await?;
        let typed = "return document.activeElement.value";
        ensure!(page.run(typed, vec![]).await? == "jx");
        ensure!(
            picked(page).await? == before,
            "a field does not take the keys"
        );
        page.type_keys([Key::Backspace.into(); 2]).await?;
        walk! {page, "
            open /list
            click Keyboard shortcuts | shows dialog | click Close | hides dialog
        "}
        Ok(())
    })
    .await
}

#[tokio::test]
async fn user_imports_a_watch_history() -> Result<()> {
    at_each_width("history", async |page, service| {
        let folder = tempfile::tempdir()?;
        let list = folder.path().join("list.csv");
        let entries = format!(
            "mal_id,status,title\n1,watching,{LONG_TITLE}\n4000000,watching,\n1,asleep,Umi\n"
        );
        tokio::fs::write(&list, entries).await?;
        register_and_sign_in(page, service, "mitsuha").await?;
        walk! {page, "
            follow Data
            follow Import or export your watch history > Import and export # import
            tab through | press Import ! List file # 400 no-file
        "}

        page.attach("List file", &list).await?;
        walk! {page, "
            choose {KEEP} | press Preview > Preview of the import # preview
            // The page keeps the file.
            chosen {KEEP} | press Import > Import finished
        "}
        for (id, text) in [
            ("new", LONG_TITLE),
            ("waiting", "Entry 2"),
            ("skipped", "Umi"),
        ] {
            let section = page.text(&format!("[aria-labelledby={id}]")).await?;
            ensure!(section.contains(text), "{section}");
        }
        walk! {page, "
            # imported
            follow Back to import and export
            follow Entries that wait for their anime > Entries that wait for their anime # waiting
            follow Back to import and export
            follow Recent imports, and undo > Recent imports # imports
        "}
        page.enter_at("[href*='?undo=']", "").await?;
        walk! {page, "
            > Undo this import?
            has main: 1 entry that it added is deleted from your list. # undo
            press Undo this import
            is .notice: The import has been undone: 0 entries restored, 1 entry deleted. 1 entry no longer waits for \
                its anime or your answer. # undone
        "}
        Ok(())
    })
    .await
}

#[tokio::test]
async fn user_subscribes_to_the_calendar() -> Result<()> {
    at_each_width("calendar", async |page, service| {
        register_and_sign_in(page, service, "mitsuha").await?;
        walk! {page, "
            open /calendar # empty-calendar
        "}
        plan(page, ONE_PIECE).await?;
        walk! {page, "
            follow Calendar > Calendar
            has main: One Piece # calendar
            press Create an address
        "}
        let address = page.text("#feed-address").await?;
        ensure!(address.starts_with(service.origin()), "{address}");
        ensure!(address.contains(".ics"), "{address}");
        walk! {page, "
            # address
            press Create a new address
        "}
        let new_address = page.text("#feed-address").await?;
        ensure!(new_address != address, "the same address");
        walk! {page, "
            press Remove the address
            hides #feed-address # address-removed
        "}
        Ok(())
    })
    .await
}
