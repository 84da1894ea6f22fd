//! Header, manifest and icons, which all pages share, and covers.

use std::collections::BTreeSet;

use serde_json::json;
use shared::models::{Anime, WatchStatus};
use tests::assertions::AssertText;
use tests::browser::PageClient;
use tests::event::{invoke, request};
use tests::made_up::titled_anime;
use tests::service::{Answer, Service};

use super::list::{put, with_user};

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

#[tokio::test]
async fn menu_and_navigation_share_their_links() {
    let (service, person) = Service::with_person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let mut anonymous = PageClient::new(&service);
    for (page, links) in [
        (
            browser.get("/calendar").await,
            &["/anime", "/list", "/calendar", "/statistics", "/profile"][..],
        ),
        (anonymous.get("/sign-in").await, &["/anime", "/sign-in"]),
        (anonymous.get("/nowhere").await, &["/anime", "/profile"]),
    ] {
        let header = page.between("<header>", "</header>");
        let menu = header.find("<details class=\"menu\"><summary>").unwrap();
        // The style sheet shows the navigation that follows the open menu.
        assert!(header[menu..].contains("Menu</summary></details><nav "));
        for link in links {
            let link = format!("<a href=\"{link}\"");
            assert_eq!(header.matches(&link).count(), 1, "{link}: {header}");
        }
    }
    let calendar = browser.get("/calendar").await.text();
    calendar.assert_has("<a href=\"/calendar\" aria-current=\"page\">");
    let japanese = service
        .get_with("/sign-in", &[("accept-language", "ja")])
        .await;
    japanese.assert_has("メニュー</summary>");
}

/// On a phone, the search in the header is only a button.
#[tokio::test]
async fn search_without_a_text_leads_to_all_anime() {
    let service = Service::with_catalogue(&[anime(2, "Umi")], &[]).await;
    let page = service.get("/sign-in").await;
    let search = page.between("<form class=\"search\"", "</form>");
    search.assert_lacks("required");
    let found = service.get("/anime?search=").await;
    assert_eq!(found.status, 200);
    found.assert_has("Umi");
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
    for color in ["background_color", "theme_color"] {
        let color = manifest[color].as_str().unwrap();
        assert!(style.contains(&format!("--paper: {color};")), "{color}");
        page.assert_has(&format!("<meta name=\"theme-color\" content=\"{color}\""));
    }
    for dark in page.all_between("<meta name=\"theme-color\" content=\"", "\"") {
        assert!(style.contains(&format!("--paper: {dark};")), "{dark}");
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

/// The response of a Lambda function is JSON, so a PNG in it is in Base64. A compression would change its type.
#[tokio::test]
async fn png_passes_through_lambda() {
    let service = Service::empty().await;
    let file = service.get("/icon-512.png").await;
    let mut event = request("GET", "/icon-512.png", "");
    for encoding in ["", "gzip, br"] {
        event["headers"]["accept-encoding"] = encoding.into();
        let answer = invoke(&service.router, &event).await;
        assert_eq!(answer.header("content-type"), "image/png");
        assert_eq!(answer.header("content-encoding"), "");
        assert_eq!((answer.status, &answer.body), (file.status, &file.body));
    }
}

#[tokio::test]
async fn statuses_without_entries_are_last() {
    let (service, person) = with_user(&[anime(2, "Umi"), anime(4, "Sora")]).await;
    for (id, status) in [(2, WatchStatus::Paused), (4, WatchStatus::Completed)] {
        put(&service, &person, id, status.into(), &json!({})).await;
    }
    let mut browser = PageClient::signed_in(&service, &person).await;
    let counts = |page: &Answer| {
        let tabs = page.between("<nav class=\"tabs\"", "</nav>");
        tabs.all_between("<span class=\"count\">", "</span>")
            .join(" ")
    };
    let path = format!("/list?status={}", u8::from(WatchStatus::Dropped));
    let page = browser.get(&path).await;
    assert_eq!(counts(&page), "2 1 1 0 0 0 0");
    page.assert_has("aria-current=\"page\">Dropped <");
    let found = browser.get("/list?search=umi").await;
    assert_eq!(counts(&found), "1 1 0 0 0 0 0");
}

/// An image without an alternative text shows nothing if it cannot be loaded.
#[tokio::test]
async fn initial_is_behind_the_image_of_every_cover() {
    let colored = Anime {
        cover_color: Some("#fee45d".to_owned()),
        ..anime(2, "“umi”")
    };
    let strange = Anime {
        cover_color: Some("red\" onload=\"alert(1)".to_owned()),
        ..anime(4, "Straße")
    };
    let bare = Anime {
        cover_image: String::new(),
        ..anime(6, "!!")
    };
    let service = Service::with_catalogue(&[colored, strange, bare], &[]).await;
    let start = "<span class=\"cover\" aria-hidden=\"true\">";
    let covers = |page: &Answer| page.all_between(start, "</span>");
    let svg = |color: &str, initial: &str| {
        format!(
            "<svg color=\"{color}\" viewBox=\"0 0 230 325\"><text x=\"115\" y=\"200\">{initial}</text></svg>"
        )
    };
    let image = |id: u64| {
        format!(
            "<img src=\"https://images.example/{id}.jpg\" alt=\"\" width=\"230\" height=\"325\" loading=\"lazy\" \
             decoding=\"async\" referrerpolicy=\"no-referrer\">"
        )
    };
    let expected = [
        svg("#fee45d", "U") + &image(2),
        svg("#8c4a5b", "S") + &image(4),
        svg("#8a5a2b", ""),
    ];
    let mut browse = covers(&service.get("/anime").await);
    browse.sort_by_key(|cover| expected.iter().position(|expected| expected == cover));
    assert_eq!(browse, expected);
    assert_eq!(covers(&service.get("/anime/2").await), expected[..1]);
    let mut environment = service.environment.clone();
    environment.has_images = false;
    let service = service.with_environment(environment);
    let page = service.get("/anime/2").await;
    assert_eq!(covers(&page), [svg("#7a4b8f", "U")]);
}
