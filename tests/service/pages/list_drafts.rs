//! Forms of entries that are sent after their session has ended: the values are kept until the user has signed in.

use std::collections::BTreeMap;

use serde_json::json;
use tests::assertions::AssertText;
use tests::browser::{PageClient, hidden};
use tests::people::{PASSWORD, Person};
use tests::service::Answer;

use super::list::{anime, follow, progress, put, save, send_form, story, with_entry, with_user};

/// Ends the session of a browser, which keeps its cookie.
async fn end_session(browser: &mut PageClient<'_>) {
    let cookies = browser.cookies.clone();
    let page = browser.get("/profile").await;
    let answer = browser.submit(&page, "/sign-out", &[]).await;
    answer.assert_status(303);
    browser.cookies = cookies;
}

/// Opens the form of the entry 21, sends it after the end of the session, and returns the page that follows.
async fn save_after_the_end(browser: &mut PageClient<'_>, values: &[(&str, &str)]) -> Answer {
    let page = browser.get("/list?status=0&edit=21").await;
    end_session(browser).await;
    send_form(browser, &page, values).await
}

/// Signs in with the form of a page.
async fn sign_in(
    browser: &mut PageClient<'_>,
    page: &Answer,
    person: &Person,
    password: &str,
) -> Answer {
    let fields = [("who", person.name.as_str()), ("password", password)];
    browser.submit(page, "/sign-in", &fields).await
}

#[tokio::test]
async fn ended_session_keeps_what_was_typed() {
    let (service, person) = with_entry(&json!({"current_episode": 3})).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let values = [
        ("status", "4"),
        ("current_episode", "5"),
        ("score", "87,5"),
        ("started_on", "2016-08"),
        ("finished_on", "2016-09"),
        ("repeats", "1"),
        ("notes", "a\r\n\"<script>\" & b"),
        ("private", "yes"),
    ];
    let asked = save_after_the_end(&mut browser, &values).await;
    let wrong = sign_in(&mut browser, &asked, &person, "wrong password").await;
    for page in [&asked, &wrong] {
        page.assert_status(401);
        page.assert_has("Your session has ended.");
        page.assert_has("action=\"/sign-in\"");
        page.assert_lacks("<script>\"");
    }

    let page = sign_in(&mut browser, &wrong, &person, PASSWORD).await;
    page.assert_status(200);
    page.assert_has("The entry has not been saved yet.");
    page.assert_has("Kumo");
    assert_eq!(progress(&service, &person, 21).await, Some((0, 3)));
    let saved = send_form(&mut browser, &page, &[]).await;
    saved.assert_leads_to("/list?status=0&done=saved&of=21");
    follow(&mut browser, &saved).await;
    let (status, episode, details) = story(&service, &person, 21).await.unwrap();
    assert_eq!((status, episode), (4, 5));
    let expected = json!({
        "score": 87.5, "started_on": "2016-08", "finished_on": "2016-09", "repeats": 1,
        "notes": "a\n\"<script>\" & b", "private": true
    });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&details[name], value, "{name}");
    }
}

/// The cookie of the session has expired, or another session has begun in another tab.
#[tokio::test]
async fn form_of_another_session_keeps_what_was_typed() {
    let (service, person) = with_entry(&json!({})).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/list?status=0&edit=21").await;
    let csrf = hidden(&page, "csrf").unwrap();
    let entry = hidden(&page, "entry").unwrap();
    let other_tab = PageClient::signed_in(&service, &person).await;
    for (cookies, status, text) in [
        (&BTreeMap::new(), 401, "Your session has ended."),
        (&other_tab.cookies, 200, "The entry has not been saved yet."),
    ] {
        for (site, status) in [("same-origin", status), ("cross-site", 403), ("", 403)] {
            browser.cookies.clone_from(cookies);
            browser.fetch_site = site;
            let form = [
                ("csrf", csrf.as_str()),
                ("entry", &entry),
                ("notes", "typed"),
            ];
            let answer = browser.post("/list/save", &form).await;
            assert_eq!(answer.status, status, "{site}: {}", answer.text());
            let is_kept = answer.text().contains("typed");
            assert_eq!(is_kept, status != 403, "{site}: {}", answer.text());
            assert_eq!(answer.text().contains(text), is_kept, "{site}");
        }
    }
    let (.., details) = story(&service, &person, 21).await.unwrap();
    assert_eq!(details["notes"], "");
}

#[tokio::test]
async fn typed_entry_does_not_overwrite_another_story() {
    let (service, person) = with_user(&[anime(21, "Kumo", 12)]).await;
    let other = service.person("taki").await;
    put(&service, &person, 21, 0, &json!({"current_episode": 3})).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let typed = [("notes", "typed"), ("back", "//evil.example")];
    let asked = save_after_the_end(&mut browser, &typed).await;
    let page = sign_in(&mut browser, &asked, &other, PASSWORD).await;
    let answer = send_form(&mut browser, &page, &[]).await;
    answer.assert_status(409);
    assert_eq!(progress(&service, &other, 21).await, None);

    // The entry changes before its owner signs in.
    let mut browser = PageClient::signed_in(&service, &person).await;
    let asked = save_after_the_end(&mut browser, &typed).await;
    let mut tab = PageClient::signed_in(&service, &person).await;
    save(&mut tab, 21, &[("current_episode", "4")]).await;
    let page = sign_in(&mut browser, &asked, &person, PASSWORD).await;
    page.assert_lacks("evil");
    let answer = send_form(&mut browser, &page, &[]).await;
    answer.assert_status(409);
    answer.assert_has("typed");
    assert_eq!(progress(&service, &person, 21).await, Some((0, 4)));
}

/// Notes that are too long to be saved are kept as well, so that the user can shorten them.
#[tokio::test]
async fn long_notes_fit_into_the_form_of_the_sign_in_page() {
    let (service, person) = with_entry(&json!({})).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let long = "界".repeat(5400);
    let asked = save_after_the_end(&mut browser, &[("notes", &long)]).await;
    let page = sign_in(&mut browser, &asked, &person, PASSWORD).await;
    page.assert_status(200);
    page.assert_has(&long);
}

#[tokio::test]
async fn unreadable_entries_are_not_kept() {
    let (service, person) = with_entry(&json!({})).await;
    let long = "x".repeat(17_000);
    for (entry, notes) in [("", "a"), ("33554432:", "a"), ("21:", &*long)] {
        let mut browser = PageClient::signed_in(&service, &person).await;
        let csrf = hidden(&browser.get("/profile").await, "csrf").unwrap();
        end_session(&mut browser).await;
        let fields = [("csrf", &*csrf), ("entry", entry), ("notes", notes)];
        let answer = browser.post("/list/save", &fields).await;
        answer.assert_leads_to("/sign-in?next=/list");

        // The sign-in page sends its copy of the values, which the visitor may have changed.
        let page = browser.get("/sign-in?next=/list").await;
        let fields = [
            ("entry", entry),
            ("notes", notes),
            ("who", &person.name),
            ("password", PASSWORD),
        ];
        let answer = browser.submit(&page, "/sign-in", &fields).await;
        answer.assert_leads_to("/list");
    }
    let mut browser = PageClient::signed_in(&service, &person).await;
    end_session(&mut browser).await;
    let fields = [("csrf", "nonsense"), ("entry", "21:"), ("notes", "a")];
    let answer = browser.post("/list/save", &fields).await;
    answer.assert_status(403);
}
