//! The header, the list and the catalogue on a small phone, 360 px wide and 740 px high.

use anyhow::{Context, Result, ensure};
use browser::{Browser, Service, on_a_small_phone, walk};
use serde_json::{Value, json};

use super::sign_in;

/// The lowest place where the first entry of a list may begin, in CSS pixels.
const HIGHEST_TOP_PX: f64 = 420.0;

/// Returns the distance of an element from the top of the page, in CSS pixels.
async fn top_of(page: &Browser, selector: &str) -> Result<f64> {
    let script = "return document.querySelector(arguments[0]).getBoundingClientRect().top";
    let top = page.run(script, vec![json!(selector)]).await?;
    top.as_f64().context("no number")
}

/// Returns the texts of the controls in these elements that are visible and lower or narrower than 44 px.
async fn small_targets(page: &Browser, selector: &str) -> Result<Value> {
    let script = "
        const controls = 'a, button, summary, input:not([type=hidden]), select';
        const parts = [...document.querySelectorAll(arguments[0])];
        const all = parts.flatMap((part) => [...part.querySelectorAll(controls)]);
        const isSmall = ({ width, height }) => width < 44 || height < 44;
        const small = all.filter((one) => one.checkVisibility() && isSmall(one.getBoundingClientRect()));
        return small.map((one) => one.textContent)
    ";
    page.run(script, vec![json!(selector)]).await
}

/// Checks that an element with a text is within the width of the screen.
async fn ensure_in_sight(page: &Browser, selector: &str, text: &str) -> Result<()> {
    let script = "
        const { left, right } = document.querySelector(arguments[0]).getBoundingClientRect();
        return [document.querySelector(arguments[0]).innerText, left, right, innerWidth]";
    let seen = page.run(script, vec![json!(selector)]).await?;
    let number = |at: usize| seen[at].as_f64().unwrap_or(-1.0);
    let is_inside = number(1) >= 0.0 && number(2) <= number(3);
    // The seal comes before the text.
    let is_seen = is_inside
        && seen[0]
            .as_str()
            .is_some_and(|seen| joined(seen).ends_with(text));
    ensure!(is_seen, "{text} is out of sight: {seen}");
    Ok(())
}

/// Returns a text with single spaces.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Opens a page in a language, and checks the place of an element and that the header has one row.
async fn ensure_begins_high(
    page: &Browser,
    path: &str,
    selector: &str,
    language: &str,
) -> Result<()> {
    page.open(path).await?;
    let lang = page.run("return document.documentElement.lang", vec![]);
    assert_eq!(lang.await?, language);
    let name = format!("{}-{language}", path.trim_start_matches('/'));
    page.first_screen(&name).await?;
    let top = top_of(page, selector).await?;
    ensure!(top <= HIGHEST_TOP_PX, "{name}: {selector} begins at {top}");
    let main = top_of(page, "main").await?;
    ensure!(main <= 64.0, "{name}: the header ends at {main}");
    let small = small_targets(page, "header, .index, .bar").await?;
    ensure!(small == json!([]), "{name}: {small}");
    Ok(())
}

/// Fills the list of a new user, and signs in. Returns a token of the user.
async fn sign_in_with_a_list(page: &Browser, service: &Service) -> Result<String> {
    let token = service.register("mitsuha").await?;
    for anime in [2, 42] {
        service.watch(&token, anime).await?;
    }
    sign_in(page, "mitsuha").await?;
    Ok(token)
}

#[tokio::test]
async fn first_screen_shows_the_first_entry() -> Result<()> {
    on_a_small_phone("first-screen", async |page, service| {
        let token = sign_in_with_a_list(page, service).await?;
        for (code, language) in [("fr", "fr"), ("it", "it"), ("jp", "ja"), ("en", "en")] {
            service.prefer_language(&token, code).await?;
            ensure_begins_high(page, "/list", ".ledger > li", language).await?;
            ensure_begins_high(page, "/anime", ".shelf > li", language).await?;
        }
        walk! {page, "
            open /list # list
            expand Find and filter # filters
            // The row of statuses opens at the current one, and lets visitors scroll back.
            follow Dropped 0
        "}
        page.first_screen("dropped").await?;
        ensure_in_sight(page, ".index [aria-current]", "Dropped 0").await?;
        page.look("dropped").await?;
        page.run("document.querySelector('.index ul').scrollTo(0, 0)", vec![])
            .await?;
        ensure_in_sight(page, ".index a", "All 2").await
    })
    .await
}

#[tokio::test]
async fn places_are_at_the_foot_of_the_screen() -> Result<()> {
    on_a_small_phone("places", async |page, service| {
        sign_in_with_a_list(page, service).await?;
        page.open("/calendar").await?;
        ensure!(page.manifest_errors().await? == json!([[], []]));
        walk! {page, "tab through | scripts off | open /calendar"}
        page.first_screen("places").await?;
        let script = "
            const places = document.querySelector('nav.main');
            const links = [...places.querySelectorAll('a')];
            const sizes = links.map((link) => parseFloat(getComputedStyle(link).fontSize));
            return [places.getBoundingClientRect().bottom - innerHeight, sizes.length, Math.min(...sizes) >= 12]";
        let places = page.run(script, vec![]).await?;
        ensure!(places == json!([0, 5, true]), "{places}");
        let small = small_targets(page, "header").await?;
        ensure!(small == json!([]), "{small}");
        walk! {page, "
            is nav.main [aria-current] b: 暦
            follow My list > Watching
        "}
        // The menu of the account opens by keyboard and without a script.
        page.open_account_menu().await?;
        page.look("account-menu").await?;
        page.first_screen("account-menu").await?;
        walk! {page, "
            shows .me .pop | follow Settings > Settings
            follow Search > Browse anime
            scripts on
        "}
        Ok(())
    })
    .await
}

/// Covers are on other hosts, which the browser of the tests cannot reach.
#[tokio::test]
async fn broken_cover_shows_the_book_only() -> Result<()> {
    on_a_small_phone("covers", async |page, service| {
        let catalogue = service.data("/v1/anime?per_page=100").await?;
        let catalogue = catalogue.as_array().context("a list")?;
        let has_cover = |anime: &&Value| anime["has_cover_image"] == true;
        let anime = catalogue.iter().find(has_cover).context("a cover")?;
        page.open(&format!("/anime/{}", anime["id"])).await?;
        page.look("anime").await?;
        let load = "
            const image = document.querySelector('.work .cover img');
            image.loading = 'eager';
            image.src = arguments[0] ?? image.src;
            return image.decode().then(() => true, () => false)";
        let is_loaded = page.run(load, vec![]).await?;
        ensure!(is_loaded == false, "the cover is loaded");
        let broken = page.picture_of(".work .cover").await?;
        let is_loaded = page.run(load, vec![json!("/icon-192.png")]).await?;
        ensure!(is_loaded == true, "the icon is not loaded");
        let loaded = page.picture_of(".work .cover").await?;
        ensure!(loaded != broken, "the image is not above the book");
        let remove = "document.querySelector('.work .cover img').remove()";
        page.run(remove, vec![]).await?;
        let book = page.picture_of(".work .cover").await?;
        ensure!(book == broken, "the broken image is visible");
        Ok(())
    })
    .await
}
