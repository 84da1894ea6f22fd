//! The parts of the profile: each is a page of its own, with a navigation between them.

use serde_json::json;
use tests::assertions::AssertText;
use tests::browser::PageClient;
use tests::service::Service;

use super::assert_rounds;

/// The parts: the path and the name of each, and the beginning of a text that only this part has.
const PARTS: [(&str, &str, &str); 6] = [
    ("/profile", "Account", "action=\"/profile/settings\""),
    (
        "/profile/security",
        "Sign-in",
        "action=\"/profile/security/sign-out-everywhere\"",
    ),
    ("/profile/privacy", "Privacy", "action=\"/profile/privacy\""),
    (
        "/profile/connections",
        "Connections",
        "href=\"/profile/players\"",
    ),
    ("/profile/data", "Data", "href=\"/profile/data/download\""),
    (
        "/profile/developer",
        "Developer",
        "action=\"/profile/developer/token\"",
    ),
];

/// Returns the path and the kind of the link that the navigation of the profile marks.
fn marked(page: &str) -> (String, String) {
    let navigation = page.between("aria-label=\"Parts of your settings\"", "</nav>");
    assert_eq!(navigation.matches("<a ").count(), PARTS.len());
    assert_eq!(navigation.matches("aria-current").count(), 1);
    let before = navigation.before("\" aria-current=\"");
    let path = before.rsplit('"').next().unwrap();
    (path.to_owned(), navigation.between("aria-current=\"", "\""))
}

#[tokio::test]
async fn each_part_has_a_page_and_is_marked() {
    let (service, person) = Service::with_person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    for (path, name, own) in PARTS {
        let page = browser.get(path).await;
        assert_eq!(page.status, 200, "{path}");
        let page = page.text();
        assert_eq!(marked(&page), (path.to_owned(), "page".to_owned()));
        assert!(page.contains(&format!(">{name}</a>")), "{path}");
        let main = page.after("</nav>");
        for (_, _, part) in PARTS {
            assert_eq!(main.contains(part), part == own, "{path}: {part}");
        }
        let mut anonymous = PageClient::new(&service);
        let sign_in = anonymous.get(path).await;
        sign_in.assert_leads_to(&format!("/sign-in?next={path}"));
    }
    for (path, part) in [
        ("/profile/delete", "/profile"),
        ("/profile/players", "/profile/connections"),
        (
            "/profile/players/series?title=Radio&season=1",
            "/profile/connections",
        ),
        ("/profile/history", "/profile/data"),
        ("/profile/history/imports", "/profile/data"),
        ("/profile/history/proposals", "/profile/data"),
        ("/profile/history/waiting", "/profile/data"),
    ] {
        let page = browser.get(path).await.text();
        assert_eq!(
            marked(&page),
            (part.to_owned(), "true".to_owned()),
            "{path}"
        );
    }
}

#[tokio::test]
async fn parts_are_read_in_one_round() {
    let (service, person) = Service::with_person("mitsuha").await;
    let (service, rounds) = service.with_rounds();
    let mut browser = PageClient::signed_in(&service, &person).await;
    assert_eq!(browser.get("/profile").await.status, 200);
    for (path, ..) in PARTS {
        assert_rounds(&mut browser, &rounds, path, 1).await;
    }
    // The names of connected applications depend on the grants of the first round.
    let application = service.web_application(&person).await;
    browser.allow(&application, &[]).await;
    let _ = rounds.take();
    let page = browser.get("/profile/connections").await.text();
    page.assert_has("Disconnect</button>");
    assert!(rounds.take() <= 2);
}

#[tokio::test]
async fn language_is_chosen_by_its_name_and_other_codes_stay() {
    let (service, person) = Service::with_person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/profile").await.text();
    for option in [
        "<option value=\"en\" selected>English</option>",
        "<option value=\"fr\">Français</option>",
        "<option value=\"it\">Italiano</option>",
        "<option value=\"jp\">日本語</option>",
        "<option value=\"de\">Deutsch</option>",
    ] {
        page.assert_has(option);
    }
    for (code, option) in [
        (
            "pt-BR",
            "<option value=\"pt-BR\" selected>Português (pt-BR)</option>",
        ),
        ("tlh", "<option selected>tlh</option>"),
    ] {
        let change = json!({"id": person.id, "gender": 2, "localization": code});
        let changed = service.post_as(&person.token, "/v1/user", &change).await;
        changed.assert_status(200);
        let page = browser.get("/profile").await;
        page.assert_has(option);
        let settings = [("gender", "2"), ("localization", code)];
        let saved = browser.submit(&page, "/profile/settings", &settings).await;
        assert_eq!(saved.status, 303);
        let me = service.get_as(&person.token, "/v1/auth/me");
        assert_eq!(me.await.data()["localization"], code);
    }
}

#[tokio::test]
async fn settings_and_visibility_do_not_change_each_other() {
    let (service, person) = Service::with_person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/profile/privacy").await;
    for refused in ["", "maybe"] {
        let sent = [("visibility", refused)];
        let refused = browser.submit(&page, "/profile/privacy", &sent).await;
        assert_eq!(refused.status, 400);
        refused.assert_has("visibility-fault");
    }
    let public = [("visibility", "public")];
    let saved = browser.submit(&page, "/profile/privacy", &public).await;
    saved.assert_leads_to("/profile/privacy?done=settings");
    let settings = [("gender", "1"), ("localization", "en")];
    let saved = browser.submit(&page, "/profile/settings", &settings).await;
    saved.assert_leads_to("/profile?done=settings");
    let page = browser
        .get_with_notice("/profile/privacy?done=settings")
        .await
        .text();
    page.assert_has("Your settings are saved.");
    page.assert_has("href=\"/user/mitsuha\"");
    assert_eq!(service.get("/user/mitsuha").await.status, 200);
}

#[tokio::test]
async fn form_whose_session_has_ended_leads_back_to_its_part() {
    let (service, person) = Service::with_person("mitsuha").await;
    for (part, form) in [
        ("/profile", "/profile/settings"),
        ("/profile/security", "/profile/security/password"),
        ("/profile/security", "/profile/security/session/end"),
        ("/profile/privacy", "/profile/privacy"),
        ("/profile/connections", "/profile/connections/a/disconnect"),
        ("/profile/connections", "/profile/connections/disconnect"),
        ("/profile/developer", "/profile/developer/token"),
        ("/profile/developer", "/profile/developer/token/revoke"),
    ] {
        let mut browser = PageClient::signed_in(&service, &person).await;
        let cookies = browser.cookies.clone();
        let page = browser.get("/profile").await;
        browser.submit(&page, "/sign-out", &[]).await;
        browser.cookies = cookies;
        let answer = browser.submit(&page, form, &[]).await;
        answer.assert_leads_to(&format!("/sign-in?next={part}"));
    }
}
