//! Checks of every page, and of the checks themselves.

use anyhow::{Context, Result, ensure};
use browser::{Browser, Key, PASSWORD, at_each_width, japanese_fonts, on_a_phone, walk};

use super::applications::own_application;
use super::players::add_player;
use super::{BEBOP, plan, sign_in};

/// The pages for everyone, with their statuses. `tests/service/pages/every_page.rs` checks that these two lists have
/// every page.
const PUBLIC_PAGES: &[(&str, u16)] = &[
    ("/", 200),
    ("/anime", 200),
    ("/anime?search=nosuchanimeatall", 200),
    ("/anime?year=soon", 200),
    ("/anime/2", 200),
    ("/anime/999999", 404),
    ("/song", 200),
    ("/song?search=tank", 200),
    ("/song/2048", 200),
    ("/song/1", 404),
    ("/sign-in", 200),
    ("/sign-up", 200),
    ("/forgot-password", 200),
    ("/verify-email?token=a", 200),
    ("/reset-password?token=a", 400),
    ("/user/mitsuha", 200),
    ("/user/taki", 404),
    ("/user/mitsuha/2026", 200),
    ("/user/mitsuha/abc", 404),
    ("/nowhere", 404),
    ("/v1/oauth?client_id=none", 400),
    ("/reference", 200),
    ("/reference/anime", 200),
    ("/style-guide", 200),
    ("/settings", 200),
    ("/calendar", 200),
];

/// The pages of a signed-in administrator. `CLIENT` stands for the application's identifier.
const OWN_PAGES: &[(&str, u16)] = &[
    ("/", 200),
    ("/anime", 200),
    ("/anime/2", 200),
    ("/anime/42", 200),
    ("/list", 200),
    ("/list?view=compact", 200),
    ("/list?view=covers", 200),
    ("/list?view=rows&select=1", 200),
    ("/list?edit=42", 200),
    ("/welcome", 200),
    ("/statistics", 200),
    ("/statistics/2026", 200),
    ("/song/SONG", 200),
    ("/calendar", 200),
    ("/user/mitsuha", 200),
    ("/profile", 200),
    ("/profile/security", 200),
    ("/prove", 200),
    ("/profile/privacy", 200),
    ("/profile/connections", 200),
    ("/profile/data", 200),
    ("/profile/developer", 200),
    ("/profile/delete", 200),
    ("/profile/security/second-factor", 200),
    ("/profile/history", 200),
    ("/profile/history/imports", 200),
    ("/profile/history/proposals", 200),
    ("/profile/history/waiting", 200),
    ("/profile/players", 200),
    ("/profile/players/0", 200),
    ("/profile/players/series?title=Bebop&season=1", 200),
    ("/developer", 200),
    ("/developer/CLIENT", 200),
    ("/developer/CLIENT/delete", 200),
    ("/administration", 200),
    ("/moderation", 200),
    ("/moderation/user/1", 200),
    ("/moderation/user/1/delete", 200),
    ("/moderation/user/1/picture", 200),
    ("/moderation/anime/2", 200),
    ("/moderation/anime/2/correct?field=status", 200),
    ("/moderation/song/SONG", 200),
    ("/moderation/song/SONG/correct?field=artist", 200),
];

#[tokio::test]
async fn pages_work_with_the_keyboard_only() -> Result<()> {
    at_each_width("keyboard", async |page, service| {
        service.register("mitsuha").await?;
        page.open("/sign-in").await?;
        assert_eq!(page.tab_through().await?[0], "Skip to main content");

        page.open("/sign-in").await?;
        page.tab().await?;
        page.look("skip-link").await?;
        page.type_keys([Key::Enter.into()]).await?;
        page.tab().await?;
        page.type_keys("mitsuha".chars()).await?;
        page.enter().await?;
        // The page opens at its list of errors, and each error links to its field.
        page.look_at_fault("no-password", 400).await?;
        page.tab().await?;
        page.type_keys([Key::Enter.into()]).await?;
        page.type_keys(PASSWORD.chars()).await?;
        page.enter().await?;
        walk! {page, "
            > Settings
            tab through
        "}
        plan(page, BEBOP).await?;
        for path in [
            "/",
            "/anime",
            BEBOP,
            "/list",
            "/list?view=compact",
            "/list?view=covers",
            "/list?view=rows&select=1",
            "/list?edit=2",
            "/statistics",
            "/calendar",
            "/developer",
        ] {
            page.open(path).await?;
            page.tab_through().await.with_context(|| path.to_owned())?;
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn error_pages_are_shown() -> Result<()> {
    at_each_width("astray", async |page, _| {
        walk! {page, "
            open /nowhere # 404 not-found
            open /v1/oauth?client_id=nobody # 400 no-such-client
            open /sign-in
            delete cookies | press Sign in # 403 no-cookies
        "}
        Ok(())
    })
    .await
}

/// Looks at a page that is in Japanese, unless it is documentation for developers.
async fn look_in_japanese(page: &Browser, path: &str, name: &str, status: u16) -> Result<()> {
    page.open(path).await?;
    page.look_at_fault(name, status).await?;
    let is_english = path.starts_with("/reference") || path == "/style-guide";
    let lang = page.run("return document.documentElement.lang", vec![]);
    assert_eq!(lang.await?, if is_english { "en" } else { "ja" }, "{path}");
    if !is_english {
        let fonts = page.fonts_of("footer p").await?;
        let japanese = japanese_fonts().await?;
        let is_japanese = fonts.iter().any(|font| japanese.contains(font));
        ensure!(is_japanese, "{path}: {fonts:?} instead of {japanese:?}");
    }
    Ok(())
}

#[tokio::test]
async fn every_page_is_in_japanese() -> Result<()> {
    on_a_phone("japanese", async |page, service| {
        service.register("taki").await?;
        let token = service.register("mitsuha").await?;
        service.set_role("mitsuha", "administrator").await?;
        sign_in(page, "mitsuha").await?;
        let application = own_application(page, service).await?;
        let client = page.text("#client-id").await?;
        add_player(page, "Radio Itomori").await?;
        let songs = service.data("/v1/song?anime_id=2").await?;
        let song = songs[0]["id"].to_string();
        service.prefer_language(&token, "jp").await?;
        page.prefer_language("ja").await?;
        for anime in [2, 42] {
            service.watch(&token, anime).await?;
        }
        for (number, (path, status)) in OWN_PAGES.iter().copied().enumerate() {
            let path = path.replace("CLIENT", &client).replace("SONG", &song);
            look_in_japanese(page, &path, &format!("own-{number}"), status).await?;
        }
        page.open(application.origin()).await?;
        walk! {page, "
            follow Log in # consent
            delete cookies
        "}
        for (number, (path, status)) in PUBLIC_PAGES.iter().copied().enumerate() {
            look_in_japanese(page, path, &format!("public-{number}"), status).await?;
        }
        Ok(())
    })
    .await
}

/// Checks that each check can fail.
#[tokio::test]
async fn checks_find_faults() -> Result<()> {
    at_each_width("wrong", async |page, _| {
        page.open("/").await?;
        let wrong = "
            console.error('wrong');
            document.documentElement.lang = '';
            document.querySelector('h1').style.width = '1300px';
            document.querySelector('.mark').style.color = '#aaa';
            document.querySelector('footer').style.color = '#555';
            document.querySelector('.three').style.minWidth = '45rem';
            document.querySelector('h2').style.maxHeight = '24px';
            document.querySelector('h2').style.overflow = 'hidden';
        ";
        page.run(wrong, vec![]).await?;
        page.look_at_fault("wrong", 404).await?;
        let faults = page.take_faults();
        for part in [
            "console: ",
            "the status is 200",
            "the title is ",
            "axe-core, light: html-has-lang",
            "axe-core, light: color-contrast",
            "axe-core, dark: color-contrast",
            "wider than 320 px: ",
            "too wide with large text: ",
            "cut off with large text: \"H2 ",
        ] {
            let found = faults.iter().any(|fault| fault.contains(part));
            ensure!(found, "{part} is not in {faults:#?}");
        }
        let secret =
            "document.querySelector('.open p').textContent = 'eyJ0eXAi.eyJpZCI6MX0.c2lnbmF0dXJl'";
        page.run(secret, vec![]).await?;
        let looked = page.look("secret").await;
        ensure!(looked.is_err(), "a picture shows a token");
        Ok(())
    })
    .await
}
