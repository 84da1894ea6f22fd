//! Header, style, font, manifest and icons, which all pages share, and covers.

use std::collections::BTreeSet;

use shared::models::{Anime, Season};
use tests::assertions::AssertText;
use tests::browser::{PageClient, unescaped};
use tests::event::{invoke, request};
use tests::made_up::titled_anime;
use tests::service::{Answer, Service};

use super::is_signed_in;
use super::public_profile::set_public;

/// The first bytes of every PNG, with the header of its first chunk.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

/// Returns an anime with a cover.
fn anime(id: u64, title: &str) -> Anime {
    Anime {
        cover_image: format!("https://images.example/{id}.jpg"),
        has_cover_image: true,
        ..titled_anime(id, "en", title)
    }
}

/// Returns width and height of a PNG.
fn size_of_png(file: &[u8]) -> String {
    let number = |at: usize| u32::from_be_bytes(file[at..at + 4].try_into().unwrap());
    format!("{}x{}", number(PNG.len()), number(PNG.len() + 4))
}

/// Returns the addresses of the links in a part of a page.
fn links(part: &str) -> Vec<String> {
    let links = part.all_between("<a href=\"", "\"");
    links.iter().map(|link| unescaped(link)).collect()
}

/// Returns the links of the account menu.
async fn account_links(browser: &mut PageClient<'_>) -> Vec<String> {
    let page = browser.get("/settings").await;
    links(&page.between("<details class=\"me\">", "</details>"))
}

/// The clock of the tests stands in autumn 2023.
#[tokio::test]
async fn navigation_leads_to_the_main_pages() {
    let (service, person) = Service::with_person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let mut anonymous = PageClient::new(&service);
    let season = "/anime?season=3&year=2023";
    for (page, places) in [
        (
            browser.get("/statistics").await,
            &["/", "/list", season, "/calendar", "/statistics"][..],
        ),
        (
            anonymous.get("/sign-in").await,
            &[season, "/calendar", "/song", "/sign-in"],
        ),
    ] {
        let navigation = page.between("<nav class=\"main\"", "</nav>");
        assert_eq!(links(&navigation), places);
        assert_eq!(navigation.matches("aria-current=\"page\"").count(), 1);
        let last = places.last().unwrap();
        navigation.assert_has(&format!("<a href=\"{last}\" aria-current=\"page\">"));
    }
    let visitor = anonymous.get("/settings").await;
    visitor.assert_has("href=\"/sign-up\">Create account</a>");
    visitor.assert_lacks("<details class=\"me\">");
    let japanese = service
        .get_with("/sign-in", &[("accept-language", "ja")])
        .await;
    japanese.assert_has("カレンダー</a>");
}

#[tokio::test]
async fn account_menu_leads_to_the_public_profile_if_there_is_one() {
    let (service, person) = Service::with_person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let mut expected = ["/profile", "/statistics/2023", "/profile", "/settings"];
    assert_eq!(account_links(&mut browser).await, expected);
    set_public(&service, &person, true).await;
    expected[0] = "/user/mitsuha";
    assert_eq!(account_links(&mut browser).await, expected);
}

#[tokio::test]
async fn header_signs_out_if_the_browser_vouches_for_the_form() {
    let (service, person) = Service::with_person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/anime").await;
    let form = page.between("<form method=\"post\" action=\"/sign-out\">", "</form>");
    form.assert_lacks("<input");
    for site in ["", "none", "same-site", "cross-site"] {
        browser.fetch_site = site;
        let asked = browser.post("/sign-out", &[("next", "/list")]).await;
        asked.assert_status(403);
        asked.assert_has("Do you want to sign out of Kiroku in this browser?");
        assert!(is_signed_in(&mut browser).await, "{site}");
    }
    // Browsers do not send the cookies with the form of another site, and the response does not remove them.
    let mut other = PageClient::new(&service);
    other.fetch_site = "cross-site";
    let ignored = other.post("/sign-out", &[("next", "/list")]).await;
    ignored.assert_leads_to("/");
    assert!(!ignored.headers.contains_key("set-cookie"));
    // The question has a form with a token.
    browser.fetch_site = "";
    let asked = browser.post("/sign-out", &[("next", "/list")]).await;
    let out = browser.submit(&asked, "/sign-out", &[]).await;
    out.assert_leads_to("/sign-in?next=/list");
    assert!(!is_signed_in(&mut browser).await);

    let mut browser = PageClient::signed_in(&service, &person).await;
    browser.fetch_site = "same-origin";
    browser.post("/sign-out", &[]).await.assert_leads_to("/");
    assert!(!is_signed_in(&mut browser).await);
}

/// On a phone, the search in the header is only a link.
#[tokio::test]
async fn search_is_in_the_header_of_every_page() {
    let service = Service::with_catalogue(&[anime(2, "Umi")], &[]).await;
    let mut browser = PageClient::new(&service);
    for (path, has_covers) in [
        ("/", true),
        ("/anime", true),
        ("/song", true),
        ("/sign-in", false),
        ("/nowhere", false),
    ] {
        let page = browser.get(path).await;
        let search = page.between("<div class=\"find\">", "</form>");
        search.assert_has(" action=\"/anime\"");
        search.assert_has("<a href=\"/anime#search\">");
        search.assert_lacks("required");
        assert_eq!(search.contains("data-covers"), has_covers, "{path}");
    }
    let found = browser.get("/anime?search=").await;
    assert_eq!(found.status, 200);
    found.assert_has("Umi");
    found.assert_has("id=\"search\"");
}

/// The limits are 64,000 bytes for style and script together, 18,000 after compression, and 20 KB for the font.
#[tokio::test]
async fn style_script_and_font_are_small() {
    let service = Service::empty().await;
    let (mut size, mut compressed) = (0, 0);
    for path in ["/style.css", "/site.js"] {
        size += service.get(path).await.body.len();
        let gzip = [("accept-encoding", "gzip")];
        compressed += service.get_with(path, &gzip).await.body.len();
    }
    assert!(size <= 64_000, "{size}");
    assert!(compressed <= 18_000, "{compressed}");
    let font = service.get("/display.woff2").await;
    assert_eq!(font.header("content-type"), "font/woff2");
    assert!(font.body.len() <= 20_480, "{}", font.body.len());
}

/// The style sheet names the version of the font, so that both are cached for a year.
#[tokio::test]
async fn font_is_loaded_once() {
    let service = Service::empty().await;
    let page = service.get("/sign-in").await;
    let preloaded = page.between("<link rel=\"preload\" href=\"/", "\"");
    let style = service.get("/style.css").await;
    assert_eq!(style.between("url(", ")"), preloaded);
    page.header("content-security-policy")
        .assert_has("font-src 'self'; ");
}

#[tokio::test]
async fn site_can_be_installed() {
    let service = Service::empty().await;
    let page = service.get("/sign-in").await.text();
    let address = page.between("<link rel=\"manifest\" href=\"", "\"");
    let answer = service.get(&address).await;
    assert_eq!(answer.header("content-type"), "application/manifest+json");
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    let manifest = answer.json();
    for (name, value) in [
        ("name", "Kiroku"),
        ("short_name", "Kiroku"),
        ("start_url", "/"),
        ("display", "standalone"),
    ] {
        assert_eq!(manifest[name], value);
    }
    let style = service.get("/style.css").await.text();
    let colors = page.all_between("<meta name=\"theme-color\" content=\"", "\"");
    let paper = style.between("--paper:light-dark(", ")");
    assert_eq!(colors.join(","), paper);
    for color in ["background_color", "theme_color"] {
        assert_eq!(manifest[color], colors[0]);
    }
    let mut icons = BTreeSet::new();
    for icon in manifest["icons"].as_array().unwrap() {
        let text = |name: &str| icon[name].as_str().unwrap_or_default();
        let file = service.get(text("src")).await;
        assert_eq!(file.status, 200, "{icon}");
        assert_eq!(file.header("content-type"), text("type"), "{icon}");
        assert!(file.body.len() < 10_000, "{icon}: {}", file.body.len());
        if text("type") == "image/png" {
            assert!(file.body.starts_with(PNG), "{icon}");
            assert_eq!(size_of_png(&file.body), text("sizes"));
        }
        icons.insert((text("sizes").to_owned(), text("purpose").to_owned()));
    }
    let expected = [
        ("192x192", ""),
        ("512x512", ""),
        ("512x512", "maskable"),
        ("any", ""),
    ];
    assert!(
        icons
            .iter()
            .map(|(size, purpose)| (&**size, &**purpose))
            .eq(expected)
    );
    let touch = page.between("<link rel=\"apple-touch-icon\" href=\"", "\"");
    let touch = service.get(&touch).await;
    assert_eq!(touch.header("content-type"), "image/png");
}

/// The response of a Lambda function is JSON, so a PNG or a font in it is in Base64. A compression would change its
/// type.
#[tokio::test]
async fn binary_files_pass_through_lambda() {
    let service = Service::empty().await;
    for (path, media_type) in [
        ("/icon-512.png", "image/png"),
        ("/display.woff2", "font/woff2"),
    ] {
        let file = service.get(path).await;
        let mut event = request("GET", path, "");
        for encoding in ["", "gzip, br"] {
            event["headers"]["accept-encoding"] = encoding.into();
            let answer = invoke(&service.router, &event).await;
            assert_eq!(answer.header("content-type"), media_type);
            assert_eq!(answer.header("content-encoding"), "");
            assert_eq!((answer.status, &answer.body), (file.status, &file.body));
        }
    }
}

/// An image without an alternative text shows nothing if it cannot be loaded, but its color stays.
#[tokio::test]
async fn covers_without_an_image_are_bound_books() {
    let colored = Anime {
        cover_color: Some("#fee45d".to_owned()),
        ..anime(2, "Umi")
    };
    let strange = Anime {
        cover_color: Some("red\" onload=\"alert(1)".to_owned()),
        ..anime(4, "Straße")
    };
    let mut bare = Anime {
        cover_image: String::new(),
        season_period: Season::Fall,
        ..anime(6, "Clouds")
    };
    bare.titles.insert("jp".to_owned(), "雲".to_owned());
    let service = Service::with_catalogue(&[colored, strange, bare], &[]).await;
    let cover = |page: &Answer| page.after("class=\"cover");
    let fill = |color: &str| format!("<path fill=\"{color}\" d=\"M0 0h1v1H0z\"></path>");
    let page = service.get("/anime/2").await;
    cover(&page).assert_has(&fill("#fee45d"));
    cover(&page).assert_has(
        "<img src=\"https://images.example/2.jpg\" alt=\"\" width=\"230\" height=\"325\" loading=\"lazy\" \
         decoding=\"async\" referrerpolicy=\"no-referrer\">",
    );
    let page = service.get("/anime/4").await;
    cover(&page).assert_has(&fill("#8c4a5b"));
    page.assert_lacks("onload");
    let page = service.get("/anime/6").await;
    page.assert_has("class=\"cover book aki\"");
    cover(&page).assert_has("<span class=\"slip\" lang=\"ja\">雲</span>");
    cover(&page)
        .assert_has("<span class=\"stamp\"><span lang=\"ja\">秋</span><small>TV</small></span>");
    let mut environment = service.environment.clone();
    environment.has_images = false;
    let service = service.with_environment(environment);
    let page = service.get("/anime/2").await;
    cover(&page).assert_has("<span class=\"slip lat\">Umi</span>");
    page.assert_lacks("<img");
}
