//! The catalogue and the reference of the API.

use anyhow::{Result, ensure};
use browser::{at_each_width, walk};
use serde_json::json;

use super::ZONE_COOKIE;

#[tokio::test]
async fn visitor_browses_the_catalogue() -> Result<()> {
    at_each_width("browse", async |page, _| {
        walk! {page, "
            open /anime # anime-list
            expand More filters # filters
        "}
        // The results change with the text, without a new page.
        page.type_at("#search", "cowboy bepop").await?;
        page.wait_for_status("1 anime").await?;
        let address = page.run("return location.search", vec![]).await?;
        assert_eq!(address, "?search=cowboy+bepop");
        walk! {page, "
            # found
            follow Cowboy Bebop > Cowboy Bebop # anime
            follow Science fiction > Browse anime # genre
            // A search also finds songs and artists.
            open /anime?search=seatbelts # songs-found
            follow Tank! > Tank! # song
            follow SEATBELTS > SEATBELTS = 1 song by SEATBELTS # songs-of-artist
            follow Cowboy Bebop
            follow Tank! > Tank!
            open /anime?search=nosuchanimeatall # nothing-found
            open /anime?year=soon # wrong-filter
            open /anime/999999 # 404 no-such-anime
            open /style-guide # style-guide
            // The next steps do the same by keyboard, without the script.
            scripts off | open /anime
        "}
        page.enter_at("#search", "cowboy bepop").await?;
        walk! {page, "
            > Search: cowboy bepop = 1 anime
            scripts on
        "}
        Ok(())
    })
    .await
}

#[tokio::test]
async fn copy_button_copies_or_selects() -> Result<()> {
    at_each_width("copy", async |page, _| {
        page.let_pages_copy(true).await?;
        walk! {page, "
            open /reference
            click Copy the command
        "}
        page.named("button", "Copied the command").await?;
        page.look("copied").await?;
        assert_eq!(page.clipboard().await?, page.text("#example-0").await?);
        // Without permission for the clipboard, the button selects the text.
        page.let_pages_copy(false).await?;
        walk! {page, "
            open /reference
            click Copy the command
        "}
        page.named("button", "Selected the command").await?;
        page.look("selected").await?;
        let selected = page.run("return getSelection().toString()", vec![]).await?;
        assert_eq!(selected, page.text("#example-0").await?);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn developer_reads_the_reference() -> Result<()> {
    at_each_width("reference", async |page, _| {
        walk! {page, "
            open /reference # overview
            follow Watch histories of users > Watch histories of users # user-story
            open /reference/anime#schema-Anime # anime
            open /reference/oauth # oauth
            // Without a script, the page does not show the forms.
            scripts off | open /reference/anime # no-script
            hides .try * | hides main button | scripts on
        "}
        Ok(())
    })
    .await
}

#[tokio::test]
async fn developer_tries_operations() -> Result<()> {
    const ANIME: &str = "Returns the anime with this identifier";
    const ME: &str = "Returns the user that the access token belongs to, with all fields";
    const LIST: &str = "Lists anime, highest score first";
    at_each_width("try", async |page, service| {
        walk! {page, "
            open /reference/anime
            // The Enter key opens and sends a form, which has the values of the example.
            expand Try it: {ANIME}
        "}
        page.enter_at("#find_anime-id", "").await?;
        page.wait_for_status("Status: 200").await?;
        let part = async |name: &str, of: &str| {
            let selector = format!("[aria-label='{name}: {of}']");
            page.text(&selector).await
        };
        let body = part("Body", ANIME).await?;
        ensure!(body.contains("\"id\": 2,"), "{body}");
        let headers = part("Headers", ANIME).await?;
        ensure!(headers.contains("etag: "), "{headers}");
        walk! {page, "
            # found
            open /reference/anime#list_anime
            expand Try it: {LIST} # form
            select season: 1 SPRING | select nsfw: true
        "}
        let title = "cowboy & bebop?";
        page.enter_at("#list_anime-title", title).await?;
        page.wait_for_status("Status: 200").await?;
        let sent = part("Request", LIST).await?;
        let query = "title=cowboy+%26+bebop%3F&season=1&nsfw=true";
        assert_eq!(sent, format!("GET /v1/anime?{query}"));

        // The token is sent in the header, and stored only in the fields of the page.
        let token = service.register("mitsuha").await?;
        walk! {page, "
            open /reference/auth
            expand Try it: {ME}
        "}
        page.enter_at("#me-access-token", &token).await?;
        page.wait_for_status("Status: 200").await?;
        let body = part("Body", ME).await?;
        ensure!(body.contains("mitsuha@example.com"), "{body}");
        ensure!(!page.holds(&token).await?, "the page shows the token");
        page.look("me").await?;
        let kept = "return [localStorage.length, sessionStorage.length, document.cookie]";
        let kept = page.run(kept, vec![]).await?;
        assert_eq!(kept, json!([0, 0, ZONE_COOKIE]));
        walk! {page, "
            open /reference/auth
            expand Try it: {ME} | value Access token:
        "}
        Ok(())
    })
    .await
}
