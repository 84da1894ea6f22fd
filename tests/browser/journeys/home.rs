//! The start page of a signed-in user.

use anyhow::{Result, ensure};
use browser::{Browser, at_each_width, walk};

use super::{BEBOP, ONE_PIECE, change_record, plan, sign_in};

const DRAGON_BALL: &str = "/anime/446";

/// Marks an anime as completed, on its page.
async fn complete(page: &Browser, path: &str) -> Result<()> {
    page.open(path).await?;
    change_record(page, "choose Completed").await
}

#[tokio::test]
async fn user_goes_on_from_the_home_page() -> Result<()> {
    at_each_width("home", async |page, service| {
        let token = service.register("mitsuha").await?;
        sign_in(page, "mitsuha").await?;
        walk! {page, "open / # empty"}
        service.watch(&token, 2).await?;
        complete(page, DRAGON_BALL).await?;
        plan(page, ONE_PIECE).await?;
        walk! {page, "open / # home"}
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
        // The script marks the episode as watched, without a new page.
        walk! {page, "
            click +1: watched episode 2 of Cowboy Bebop = Cowboy Bebop Episode 2 marked as watched. # watched-in-place
            click Undo = Cowboy Bebop The change has been undone.
            has .go: 1 / 26 # undone
            // The form does the same without a script.
            scripts off | open /
            press +1: watched episode 2 of Cowboy Bebop
            has .go: 2 / 26 # watched
            press Undo
            has .go: 1 / 26 | scripts on | follow All 1 > Watching
        "}
        complete(page, "/anime/1626").await?;
        page.open("/").await?;
        let next = page.text("[aria-labelledby=what-next]").await?;
        ensure!(!next.contains("The sequel of Dragon Ball"), "{next}");
        page.open(BEBOP).await
    })
    .await
}
