//! The page `/list`, and the forms that change a story (docs/pages.md, "Web pages").

use std::time::Duration;

use axum::http::StatusCode;
use serde_json::{Value, json};
use shared::models::{Anime, AnimeFormat, AnimeStatus, Localized, Role, Score, Season, Weekday};
use tests::assertions::AssertText;
use tests::browser::{PageClient, hidden, unescaped};
use tests::made_up::titled_anime;
use tests::people::Person;
use tests::service::{Answer, Service};

use super::numbers_after;

/// Returns an anime that has ended.
pub(crate) fn anime(id: u64, title: &str, episodes_count: u32) -> Anime {
    Anime {
        episodes_count,
        score: Score::new(80.0).unwrap(),
        ..titled_anime(id, "rj", title)
    }
}

/// Returns a service with this catalogue, and a user.
pub(crate) async fn with_user(anime: &[Anime]) -> (Service, Person) {
    let service = Service::with_catalogue(anime, &[]).await;
    let person = service.person("mitsuha").await;
    (service, person)
}

/// Returns a service whose catalogue has the anime 21, and a user with a story about it.
pub(super) async fn with_entry(story: &Value) -> (Service, Person) {
    let (service, person) = with_user(&[anime(21, "Kumo", 12)]).await;
    put(&service, &person, 21, 0, story).await;
    (service, person)
}

/// Creates a story over the API.
pub(crate) async fn put(service: &Service, person: &Person, anime: u64, status: u8, more: &Value) {
    let mut body = json!({"user_id": person.id, "anime_id": anime, "status": status});
    let fields = more.as_object().unwrap().clone();
    body.as_object_mut().unwrap().extend(fields);
    let path = "/v1/user_story";
    let answer = service.put_as(&person.token, path, &body).await;
    answer.assert_status(200);
}

/// Returns status, episode and details of a story; `None` if there is none.
pub(crate) async fn story(
    service: &Service,
    person: &Person,
    anime: u64,
) -> Option<(u64, u64, Value)> {
    let id = (person.id.get() << 25) + anime;
    let path = format!("/v1/user_story/{id}?include=details");
    let answer = service.get_as(&person.token, &path).await;
    if answer.status == StatusCode::NOT_FOUND {
        return None;
    }
    let data = answer.data();
    let number = |name: &str| data[name].as_u64().unwrap();
    let details = data["details"].clone();
    Some((number("status"), number("current_episode"), details))
}

/// Returns status and episode of a story.
pub(crate) async fn progress(service: &Service, person: &Person, anime: u64) -> Option<(u64, u64)> {
    let story = story(service, person, anime).await;
    story.map(|(status, episode, _)| (status, episode))
}

/// Returns the value of the button that marks the next episode of an entry as watched.
pub(crate) fn next_key(page: &Answer, anime: u64) -> Option<String> {
    let start = format!("form=\"next\" name=\"entry\" value=\"{anime}:");
    let tag = page.find_between(&start, "\"")?;
    Some(format!("{anime}:{tag}"))
}

/// Opens the list, presses the button of an entry, and returns the page that follows.
async fn watch_next(browser: &mut PageClient<'_>, list: &str, anime: u64) -> Answer {
    let page = browser.get(list).await;
    page.assert_status(200);
    let key = next_key(&page, anime).unwrap();
    let answer = browser
        .submit(&page, "/list/next", &[("entry", &key)])
        .await;
    follow(browser, &answer).await
}

pub(crate) async fn follow(browser: &mut PageClient<'_>, answer: &Answer) -> Answer {
    answer.assert_status(303);
    let page = browser.get(answer.header("location")).await;
    page.assert_status(200);
    page
}

/// Returns the identifiers of the entries of a page, in order.
pub(crate) fn shown(page: &Answer) -> Vec<u64> {
    numbers_after(&page.text(), "id=\"entry-")
}

/// Opens the form of an entry and sends it with these values.
pub(crate) async fn save(
    browser: &mut PageClient<'_>,
    anime: u64,
    values: &[(&str, &str)],
) -> Answer {
    let page = browser.get(&format!("/list?edit={anime}")).await;
    send_form(browser, &page, values).await
}

/// Sends the form of an entry with the values that it shows, of which `values` replace some.
pub(super) async fn send_form(
    browser: &mut PageClient<'_>,
    page: &Answer,
    values: &[(&str, &str)],
) -> Answer {
    let form = page.between("action=\"/list/save\"", "</form>");
    let notes = form.between("<textarea", "</textarea>").after(">");
    // Browsers drop the first line break of a textarea.
    let notes = notes.strip_prefix('\n').unwrap_or(&notes);
    let mut sent = vec![("status", selected(&form)), ("notes", unescaped(notes))];
    for name in "current_episode score started_on finished_on repeats".split(' ') {
        if values.iter().all(|(other, _)| *other != name) {
            sent.push((name, value_of(&form, name)));
        }
    }
    if form.contains("name=\"private\" value=\"yes\" checked") {
        sent.push(("private", "yes".to_owned()));
    }
    sent.retain(|(name, _)| values.iter().all(|(other, _)| other != name));
    let mut all: Vec<(&str, &str)> = sent.iter().map(|(name, value)| (*name, &**value)).collect();
    all.extend(values);
    browser.submit(page, "/list/save", &all).await
}

fn selected(form: &str) -> String {
    let mut values = form.before(" selected").all_between("value=\"", "\"");
    values.pop().unwrap()
}

fn value_of(form: &str, name: &str) -> String {
    form.between(&format!("name=\"{name}\" value=\""), "\"")
}

#[tokio::test]
async fn next_episode_and_its_undo() {
    let (service, person) = with_user(&[anime(21, "Kumo", 12)]).await;
    put(&service, &person, 21, 1, &json!({})).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = watch_next(&mut browser, "/list", 21).await;
    page.assert_has("Episode 1");
    page.assert_has("marked as watched.");
    let (status, episode, details) = story(&service, &person, 21).await.unwrap();
    assert_eq!((status, episode), (0, 1));
    assert_eq!(details["started_on"], "2023-11-14");

    let undone = browser.submit(&page, "/list/undo", &[]).await;
    let page = follow(&mut browser, &undone).await;
    page.assert_has("The change has been undone.");
    page.assert_lacks("action=\"/list/undo\"");
    let (status, episode, details) = story(&service, &person, 21).await.unwrap();
    assert_eq!((status, episode), (1, 0));
    assert_eq!(details["started_on"], Value::Null);
    let path = format!("/v1/user_story/{}/history", (person.id.get() << 25) + 21);
    let history = service.get_as(&person.token, &path).await;
    let history = history.data();
    let changes = history.as_array().unwrap();
    // The changes are the creation, the next episode and the undo.
    let authors: Vec<&Value> = changes.iter().map(|change| &change["by"]).collect();
    assert_eq!(authors, ["owner"; 3], "{history}");
}

#[tokio::test]
async fn last_episode_completes() {
    let mut airing = anime(23, "Sora", 12);
    airing.status = AnimeStatus::Releasing;
    let (service, person) =
        with_user(&[anime(21, "Kumo", 12), anime(22, "Hoshi", 12), airing]).await;
    for (id, status) in [(21, 0), (22, 5), (23, 0)] {
        let watched = json!({"current_episode": 11});
        put(&service, &person, id, status, &watched).await;
    }
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = watch_next(&mut browser, "/list?status=all", 21).await;
    let (status, episode, details) = story(&service, &person, 21).await.unwrap();
    assert_eq!((status, episode), (2, 12));
    assert_eq!(details["finished_on"], "2023-11-14");
    assert_eq!(next_key(&page, 21), None);
    watch_next(&mut browser, "/list?status=all", 22).await;
    let (status, episode, details) = story(&service, &person, 22).await.unwrap();
    assert_eq!((status, episode, &details["repeats"]), (2, 12, &json!(1)));
    let page = watch_next(&mut browser, "/list?status=all", 23).await;
    assert_eq!(progress(&service, &person, 23).await, Some((0, 12)));
    assert_eq!(next_key(&page, 23), None);
}

#[tokio::test]
async fn anime_without_a_story_is_begun_and_the_undo_deletes_it() {
    let (service, person) = with_user(&[anime(21, "Kumo", 12), anime(22, "Film", 1)]).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let csrf = hidden(&browser.get("/profile").await, "csrf").unwrap();
    // The list opens with the begun anime. The film is completed, so the user watches nothing.
    for (id, expected, list) in [
        ("21:", (0, 1), "/list?status=0&"),
        ("22:", (2, 1), "/list?"),
    ] {
        let anime: u64 = id.trim_end_matches(':').parse().unwrap();
        let fields = [("csrf", &*csrf), ("entry", id), ("back", "/list")];
        let answer = browser.post("/list/next", &fields).await;
        let page = follow(&mut browser, &answer).await;
        assert_eq!(progress(&service, &person, anime).await, Some(expected));
        let undone = browser.submit(&page, "/list/undo", &[]).await;
        undone.assert_leads_to(&format!("{list}done=undone&of={anime}"));
        assert_eq!(progress(&service, &person, anime).await, None);
    }
}

#[tokio::test]
async fn older_of_two_tabs_is_told() {
    let (service, person) = with_entry(&json!({"current_episode": 3})).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let old = browser.get("/list?edit=21").await;
    let old_list = browser.get("/list").await;
    let old_key = next_key(&old_list, 21).unwrap();
    // Only details change, which the short form of a tag does not cover.
    save(&mut browser, 21, &[("notes", "<b>new</b>")]).await;

    let entry = [("entry", &*old_key)];
    let typed = [("score", "80"), ("notes", "<i>lost?</i>")];
    let next = browser.submit(&old_list, "/list/next", &entry).await;
    let answer = send_form(&mut browser, &old, &typed).await;
    let deletion = press_delete(&mut browser, &old, &[("confirmed", "yes")]).await;
    let undo = browser.submit(&old_list, "/list/undo", &entry).await;
    for told in [&next, &answer, &deletion, &undo] {
        told.assert_status(409);
        told.assert_has("The entry has changed since you opened the page");
        told.assert_has("&lt;b&gt;new&lt;/b&gt;");
    }
    answer.assert_has("&lt;i&gt;lost?&lt;/i&gt;");
    let (status, episode, details) = story(&service, &person, 21).await.unwrap();
    assert_eq!((status, episode), (0, 3));
    assert_eq!(details["notes"], "<b>new</b>");
    assert_eq!(details["score"], Value::Null);

    // The form of the response has the story's current state, so it can be sent.
    let saved = send_form(&mut browser, &answer, &[("score", "80")]).await;
    follow(&mut browser, &saved).await;
    let (_, _, details) = story(&service, &person, 21).await.unwrap();
    assert_eq!(details["notes"], "<b>new</b>");
    assert_eq!(details["score"], 80.0);
}

#[tokio::test]
async fn second_click_and_deleted_entry_are_told() {
    let (service, person) = with_entry(&json!({"current_episode": 3})).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/list").await;
    let key = next_key(&page, 21).unwrap();
    for status in [303, 409] {
        let clicked = browser
            .submit(&page, "/list/next", &[("entry", &key)])
            .await;
        clicked.assert_status(status);
    }
    assert_eq!(progress(&service, &person, 21).await, Some((0, 4)));

    let edited = browser.get("/list?edit=21").await;
    let asked = press_delete(&mut browser, &edited, &[]).await;
    asked.assert_status(200);
    asked.assert_has("Delete this entry?");
    // The deletion is not confirmed yet.
    assert_eq!(progress(&service, &person, 21).await, Some((0, 4)));
    let deleted = browser
        .submit(&asked, "/list/delete", &[("confirmed", "yes")])
        .await;
    let page = follow(&mut browser, &deleted).await;
    page.assert_has("The entry has been deleted.");
    assert_eq!(progress(&service, &person, 21).await, None);

    let late = send_form(&mut browser, &edited, &[("score", "80")]).await;
    assert_eq!(late.status, StatusCode::CONFLICT);
    late.assert_has("The entry has been deleted since");
    assert_eq!(progress(&service, &person, 21).await, None);
    let again = send_form(&mut browser, &late, &[("score", "80")]).await;
    again.assert_status(303);
    assert_eq!(progress(&service, &person, 21).await, Some((1, 0)));
}

/// Presses the button "Delete" in the form of an entry, which sends the form to another path.
async fn press_delete(
    browser: &mut PageClient<'_>,
    page: &Answer,
    more: &[(&str, &str)],
) -> Answer {
    page.assert_has("formaction=\"/list/delete\"");
    let form = page.after("action=\"/list/save\"");
    let hidden = ["csrf", "entry", "back"].map(|name| (name, value_of(&form, name)));
    let hidden = hidden.iter().map(|(name, value)| (*name, &**value));
    let all: Vec<(&str, &str)> = hidden.chain(more.iter().copied()).collect();
    browser.post("/list/delete", &all).await
}

#[tokio::test]
async fn form_changes_an_entry_in_place() {
    let (service, person) = with_user(&[anime(21, "Kumo", 12), anime(22, "Hoshi", 12)]).await;
    put(&service, &person, 21, 0, &json!({"current_episode": 3})).await;
    put(&service, &person, 22, 0, &json!({"current_episode": 3})).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/list?status=0&sort=title&edit=21").await;
    assert_eq!(shown(&page), [22, 21]);
    assert_eq!(page.text().matches("action=\"/list/save\"").count(), 1);
    let values = [
        ("status", "2"),
        ("score", "87,5"),
        ("started_on", "2016-08"),
        ("finished_on", ""),
        ("notes", "a\r\n<script>"),
        ("repeats", "1"),
        ("private", "yes"),
    ];
    let saved = send_form(&mut browser, &page, &values).await;
    saved.assert_leads_to("/list?status=0&sort=title&done=saved&of=21");
    let page = follow(&mut browser, &saved).await;
    page.assert_has("The entry has been saved.");
    assert_eq!(shown(&page), [22], "it is completed");
    let (status, episode, details) = story(&service, &person, 21).await.unwrap();
    assert_eq!((status, episode), (2, 12), "all episodes");
    let expected = json!({
        "score": 87.5, "started_on": "2016-08", "finished_on": "2023-11-14", "repeats": 1,
        "notes": "a\n<script>", "private": true
    });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&details[name], value, "{name}");
    }
    // An unchanged form keeps everything, and an emptied one removes everything.
    let kept = save(&mut browser, 21, &[]).await;
    kept.assert_status(303);
    assert_eq!(story(&service, &person, 21).await.unwrap().2["score"], 87.5);
    let empty = ["score", "started_on", "finished_on", "repeats", "notes"].map(|name| (name, ""));
    save(&mut browser, 21, &empty).await;
    let (_, _, details) = story(&service, &person, 21).await.unwrap();
    let kept = ["score", "finished_on", "repeats", "notes"].map(|name| details[name].clone());
    assert_eq!(json!(kept), json!([null, null, 0, ""]));
}

#[tokio::test]
async fn invalid_values_are_reported_at_their_fields() {
    let (service, person) = with_entry(&json!({"current_episode": 3})).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let values = [
        ("status", "9"),
        ("current_episode", "three"),
        ("score", "100.5"),
        ("started_on", "30.2.2016"),
        ("finished_on", "<b>\"2016\"</b>"),
        ("repeats", "-1"),
        ("notes", "\u{1}"),
    ];
    let answer = save(&mut browser, 21, &values).await;
    let text = answer.text();
    assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{text}");
    for (name, _) in values {
        text.assert_has(&format!("id=\"{name}-fault\""));
        text.assert_has(&format!("href=\"#{name}\""));
    }
    text.assert_has("Score must be a number from 0 to 100 with at most one decimal.");
    for sent in [
        "value=\"three\"",
        "value=\"100.5\"",
        "value=\"30.2.2016\"",
        "&lt;b&gt;&quot;2016&quot;",
    ] {
        text.assert_has(sent);
    }
    assert_eq!(progress(&service, &person, 21).await, Some((0, 3)));

    let values = [("current_episode", "13"), ("repeats", "x")];
    let answer = save(&mut browser, 21, &values).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    answer.assert_has("id=\"repeats-fault\"");
    let sentence = "Episodes watched must not be above the number of released episodes.";
    answer.assert_has(sentence);
    let long = "界".repeat(2001);
    let answer = save(&mut browser, 21, &[("notes", &long)]).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    answer.assert_has(&long);
    assert_eq!(progress(&service, &person, 21).await, Some((0, 3)));
}

#[tokio::test]
async fn forged_forms_change_nothing() {
    let (service, person) = with_user(&[anime(21, "Kumo", 12)]).await;
    let other = service.person("taki").await;
    put(&service, &other, 21, 0, &json!({"current_episode": 3})).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let csrf = hidden(&browser.get("/profile").await, "csrf").unwrap();
    for path in ["/list/next", "/list/undo", "/list/save", "/list/delete"] {
        for entry in ["", ":", "21", "0:0-3-0", "33554432:", "x:y"] {
            let fields = [("csrf", &*csrf), ("entry", entry), ("confirmed", "yes")];
            let answer = browser.post(path, &fields).await;
            assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{path} {entry}");
        }
        let creates = path == "/list/next" || path == "/list/save";
        // The first entry is of another user, the second of an unknown anime.
        for (entry, expected) in [("21:0-3-0", 409), ("99:", if creates { 404 } else { 409 })] {
            let fields = [
                ("csrf", &*csrf),
                ("entry", entry),
                ("status", "0"),
                ("confirmed", "yes"),
            ];
            let answer = browser.post(path, &fields).await;
            assert_eq!(answer.status, expected, "{path} {entry}");
        }
    }
    assert_eq!(progress(&service, &other, 21).await, Some((0, 3)));
    assert_eq!(progress(&service, &person, 21).await, None);
    assert_eq!(progress(&service, &person, 99).await, None);
}

#[tokio::test]
async fn forms_lead_back_to_pages_of_this_site_only() {
    let (service, person) = with_entry(&json!({})).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    for (back, expected) in [
        (
            "/list?status=0&page=7",
            "/list?status=0&page=7&done=next&of=21",
        ),
        ("/anime/21", "/anime/21?done=next&of=21"),
        ("//evil.example/list", "/list?done=next&of=21"),
        ("https://evil.example", "/list?done=next&of=21"),
        ("/list\r\nset-cookie: a=b", "/list?done=next&of=21"),
        ("", "/list?done=next&of=21"),
    ] {
        let page = browser.get("/list").await;
        let key = next_key(&page, 21).unwrap();
        let csrf = hidden(&page, "csrf").unwrap();
        let fields = [("csrf", &*csrf), ("entry", &key), ("back", back)];
        let answer = browser.post("/list/next", &fields).await;
        answer.assert_leads_to(expected);
    }
}

#[tokio::test]
async fn changes_of_others_are_not_undone() {
    let (service, person) = with_user(&[anime(21, "Kumo", 12)]).await;
    let moderator = service.person_with_role("moderator", Role::Moderator).await;
    put(&service, &person, 21, 0, &json!({"current_episode": 3})).await;
    let id = (person.id.get() << 25) + 21;
    let body = json!({
        "id": id, "user_id": person.id, "anime_id": 21, "status": 0, "current_episode": 9,
        "current_episode_ticks": 0
    });
    let answer = service
        .post_as(&moderator.token, "/v1/user_story", &body)
        .await;
    answer.assert_status(200);
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/list").await;
    let key = next_key(&page, 21).unwrap();
    let csrf = hidden(&page, "csrf").unwrap();
    let fields = [("csrf", &*csrf), ("entry", &key), ("back", "/list")];
    let answer = browser.post("/list/undo", &fields).await;
    assert_eq!(answer.status, StatusCode::CONFLICT);
    assert_eq!(progress(&service, &person, 21).await, Some((0, 9)));
}

/// Returns a service, and a user with three entries of different statuses, scores and progress.
async fn with_three() -> (Service, Person) {
    let mut all = [
        anime(21, "Cowboy Bebop", 26),
        anime(22, "Éclair no Hoshi", 12),
        anime(23, "Azumanga", 0),
    ];
    all[0].titles.insert("en".to_owned(), "Zebra".to_owned());
    all[0].genres = vec!["Action".to_owned(), "Sci-Fi".to_owned()];
    all[1].genres = vec!["Drama".to_owned()];
    let (service, person) = with_user(&all).await;
    let watched = json!({"current_episode": 13, "details": {"score": 70}});
    let stories = [
        (21, 0, watched),
        (22, 1, json!({})),
        (23, 4, json!({"details": {"score": 90.5}})),
    ];
    for (id, status, more) in stories {
        service.clock.advance(Duration::from_mins(1));
        put(&service, &person, id, status, &more).await;
    }
    (service, person)
}

#[tokio::test]
async fn entries_are_sorted() {
    let (service, person) = with_three().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    for (query, expected) in [
        ("?status=all", [23, 22, 21]),
        ("?sort=changed", [23, 22, 21]),
        ("?sort=changed&order=asc", [21, 22, 23]),
        // The account's language is English, so the order is "Azumanga", "Éclair", "Zebra".
        ("?sort=title", [23, 22, 21]),
        ("?sort=title&order=desc", [21, 22, 23]),
        ("?sort=score", [23, 21, 22]),
        // Entries without a score, or with an unknown number of episodes, stay last.
        ("?sort=score&order=asc", [21, 23, 22]),
        ("?sort=progress", [21, 22, 23]),
        ("?sort=progress&order=asc", [22, 21, 23]),
        ("?sort=x&page=0&status=9&edit=99&done=x&of=y", [23, 22, 21]),
    ] {
        let page = browser.get(&format!("/list{query}")).await;
        assert_eq!(page.status, StatusCode::OK);
        assert_eq!(shown(&page), expected, "{query}");
    }
}

#[tokio::test]
async fn entries_are_filtered() {
    let (service, person) = with_three().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    for (query, expected) in [
        ("?status=1", vec![22]),
        ("?status=2", vec![]),
        ("?search=cowby+bebop", vec![21]),
        ("?search=zebra", vec![21]),
        ("?search=zebra&status=4", vec![]),
        ("?search=%21", vec![]),
        ("?genre=Drama", vec![22]),
        ("?genre=Dram", vec![]),
        ("?genre=Action&search=bebop&status=0", vec![21]),
    ] {
        let page = browser.get(&format!("/list{query}")).await;
        assert_eq!(shown(&page), expected, "{query}");
    }
    let page = browser.get("/list?search=cowboy+bebop&status=4").await;
    page.assert_has("No entry matches.");
    page.assert_has("role=\"status\">0 entries</small>");
    page.assert_has("href=\"/list?status=0&amp;search=cowboy%20bebop\"");
    page.assert_has("Watching <span class=\"num\">1</span>");
    page.assert_has("Paused <span class=\"num\">0</span>");
    for genre in ["Action", "Drama", "Sci-Fi"] {
        page.assert_has(&format!("<option value=\"{genre}\">"));
    }
}

#[tokio::test]
async fn entries_are_filtered_by_release_and_score() {
    let released = |id, format, year, season| Anime {
        format,
        season_year: year,
        season_period: season,
        ..anime(id, &format!("Kumo {id}"), 12)
    };
    let all = [
        released(21, AnimeFormat::Tv, Some(1998), Season::Spring),
        released(22, AnimeFormat::Movie, Some(1998), Season::Unknown),
        released(23, AnimeFormat::Tv, None, Season::Fall),
    ];
    let (service, person) = with_user(&all).await;
    for (id, score) in [(21, json!(70)), (22, json!(69.9)), (23, Value::Null)] {
        put(
            &service,
            &person,
            id,
            0,
            &json!({"details": {"score": score}}),
        )
        .await;
    }
    let mut browser = PageClient::signed_in(&service, &person).await;
    for (query, expected) in [
        ("format=0", vec![21, 23]),
        ("format=2", vec![22]),
        ("format=6", vec![]),
        ("year=1998", vec![21, 22]),
        ("season=1", vec![21]),
        ("season=3&year=1998", vec![]),
        ("score=70", vec![21]),
        ("score=69,9", vec![21, 22]),
        ("score=0", vec![21, 22, 23]),
        ("score=high", vec![21, 22, 23]),
        ("format=0&score=50&status=0", vec![21]),
        ("format=0&score=50&status=1", vec![]),
    ] {
        let page = browser.get(&format!("/list?sort=title&{query}")).await;
        assert_eq!(shown(&page), expected, "{query}");
    }
    // The numbers of the rail follow the filters, and one link removes them without the search.
    let page = browser.get("/list?search=kumo&format=0&year=1998").await;
    page.assert_has("Watching <span class=\"num\">1</span>");
    page.assert_has("href=\"/list?search=kumo\">Clear the filters");
    page.assert_has("<option value=\"0\" selected>TV</option>");
    page.assert_has("<title>kumo – My list - Kiroku</title>");
}

#[tokio::test]
async fn list_opens_with_what_the_user_watches() {
    let (service, person) = with_three().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/list").await;
    assert_eq!(shown(&page), [21]);
    page.assert_has("<h1>Watching ");
    page.assert_has("<title>Watching - Kiroku</title>");
    page.assert_has("name=\"back\" value=\"/list?status=0\"");
    page.assert_has("href=\"/list?status=all\"");
    let all = browser.get("/list?status=all").await;
    assert_eq!(shown(&all), [23, 22, 21]);
    all.assert_has("name=\"back\" value=\"/list?status=all\"");
    put_status(&service, &person, 21, 2).await;
    let page = browser.get("/list").await;
    assert_eq!(shown(&page).len(), 3, "the user watches nothing");
}

/// Changes the status of a story over the API.
async fn put_status(service: &Service, person: &Person, anime: u64, status: u8) {
    let change = json!({"op": "put", "anime_id": anime, "status": status});
    service.change_stories(person, &[change]).await;
}

#[tokio::test]
async fn chosen_view_is_remembered() {
    let (service, person) = with_three().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let rows = "class=\"ledger stories\"";
    browser.get("/list").await.assert_has(rows);
    let switch = browser.get("/list?sort=title").await;
    for link in [
        "href=\"/list?sort=title&amp;view=rows\"",
        "href=\"/list?sort=title&amp;view=compact\"",
        "href=\"/list?sort=title&amp;view=covers\"",
    ] {
        switch.assert_has(link);
    }
    let chosen = browser.get("/list?view=covers").await;
    chosen
        .header("set-cookie")
        .assert_has("__Host-view=covers;");
    let covers = browser.get("/list?status=all").await;
    assert_eq!(covers.text().matches("class=\"card\"").count(), 3);
    // A card changes the status in its place.
    covers.assert_has("form=\"quick\" name=\"status\" value=\"2.21:");
    covers.assert_has("name=\"back\" value=\"/list?status=all&amp;view=covers\"");
    covers.assert_lacks(rows);
    // The view stays for the next session of the browser.
    browser.cookies.retain(|name, _| !name.contains("session"));
    let mut again = PageClient::signed_in(&service, &person).await;
    again.cookies.extend(browser.cookies);
    again.get("/list").await.assert_has("class=\"card\"");
    again.get("/list?view=rows").await.assert_has(rows);
    again.get("/list").await.assert_has(rows);
}

#[tokio::test]
async fn entry_of_another_page_is_edited_on_a_page_of_its_own() {
    let (service, person) = with_three().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    for path in ["/list?status=1&edit=21", "/list?view=covers&edit=21"] {
        let page = browser.get(path).await;
        page.assert_has("<h1>Edit the entry</h1>");
        assert_eq!(page.text().matches("action=\"/list/save\"").count(), 1);
        page.assert_has("Zebra");
        assert_eq!(shown(&page), [0; 0], "{path}");
    }
    let back = browser.get("/list?status=1&view=rows&edit=21").await;
    let saved = send_form(&mut browser, &back, &[("score", "80")]).await;
    saved.assert_leads_to("/list?status=1&done=saved&of=21");
    // An entry that does not exist is no entry to edit.
    let page = browser.get("/list?edit=99").await;
    assert_eq!(shown(&page).len(), 3);
}

#[tokio::test]
async fn rows_say_what_comes_next() {
    // The clock of the service starts on a Tuesday.
    let airing = |id, day| Anime {
        status: AnimeStatus::Releasing,
        weekly_airing_day: Some(day),
        ..anime(id, "Kumo", 6)
    };
    let all = [
        airing(21, Weekday::Tuesday),
        airing(22, Weekday::Wednesday),
        airing(23, Weekday::Monday),
        airing(24, Weekday::Monday),
        anime(25, "Hoshi", 12),
        anime(26, "Film", 1),
    ];
    let (service, person) = with_user(&all).await;
    for (id, episode) in [(21, 6), (22, 6), (23, 6), (24, 5), (25, 9), (26, 0)] {
        put(
            &service,
            &person,
            id,
            0,
            &json!({"current_episode": episode}),
        )
        .await;
    }
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/list").await;
    for (id, next) in [
        (21, "class=\"st due\">Ep. 7 today<"),
        (22, "class=\"st soft\">Ep. 7 tomorrow<"),
        (23, "class=\"st soft\">Ep. 7 on Monday<"),
        (24, "class=\"st soft\">1 episode behind<"),
        (25, "class=\"st soft\">3 left<"),
        (26, "class=\"st soft\">1 left<"),
    ] {
        let row = entry(&page, id).unwrap();
        row.assert_has(next);
        assert_eq!(row.contains("class=\"aired\""), id == 24, "{row}");
        row.assert_has(&format!("class=\"cover book\" href=\"/anime/{id}\""));
    }
    // With several statuses, the row shows its own.
    let all = browser.get("/list?status=all").await;
    entry(&all, 25)
        .unwrap()
        .assert_has("</span>Watching</span>");
}

#[tokio::test]
async fn end_of_a_long_title_is_not_cut() {
    let start = "Fullmetal Alchemist: The Sacred Star of Milos and Others, ";
    let long = format!("{start}the second part");
    let (service, person) = with_user(&[anime(21, &long, 12), anime(22, "Kumo", 12)]).await;
    for id in [21, 22] {
        put(&service, &person, id, 0, &json!({})).await;
    }
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/list").await;
    let row = entry(&page, 21).unwrap();
    let parts = row.all_between("<b>", "</b>");
    assert_eq!(parts.concat(), long);
    assert_eq!(parts[1], "Others, the second part");
    entry(&page, 22).unwrap().assert_lacks("<b>");
}

#[tokio::test]
async fn entries_are_selected_without_the_script() {
    let (service, person) = with_three().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/list?status=0").await;
    page.assert_has("href=\"/list?status=0&amp;select=1\"");
    page.assert_lacks("choosing");
    let selecting = browser.get("/list?status=0&select=1").await;
    selecting.assert_has("class=\"ledger stories choosing\"");
    selecting.assert_has("href=\"/list?status=0\"><svg");
}

#[tokio::test]
async fn pages_have_50_entries_and_are_small() {
    let all: Vec<Anime> = (1..=120)
        .map(|id| Anime {
            cover_image: format!("https://img.example/{}/{id}.jpg", "c".repeat(60)),
            has_cover_image: true,
            ..anime(id, &format!("{id:03} {}", "界".repeat(60)), 12)
        })
        .collect();
    let (service, person) = with_user(&all).await;
    for ids in [1..=60, 61..=120] {
        let changes: Vec<Value> = ids
            .map(|id| json!({"op": "put", "anime_id": id, "status": 0, "details": {"score": 80, "private": true}}))
            .collect();
        service.change_stories(&person, &changes).await;
    }
    let mut browser = PageClient::signed_in(&service, &person).await;
    for (page, expected) in [
        (1, 1..=50),
        (2, 51..=100),
        (3, 101..=120),
        (4, 101..=120),
        (99_999, 101..=120),
    ] {
        let page = browser.get(&format!("/list?sort=title&page={page}")).await;
        assert_eq!(shown(&page), expected.collect::<Vec<_>>());
        assert!(page.body.len() < 100_000, "{} bytes", page.body.len());
    }
    let first = browser.get("/list?sort=title").await;
    first.assert_has("href=\"/list?sort=title&amp;page=2\"");
    first.assert_lacks("rel=\"prev\"");
    let last = browser.get("/list?sort=title&page=3").await;
    last.assert_lacks("rel=\"next\"");
}

#[tokio::test]
async fn unusual_titles_and_anime_are_shown() {
    let (service, person) = with_user(&[
        anime(21, "<script>alert(1)</script>", 0),
        anime(22, "\u{202e}עברית", 1),
        anime(23, &"x".repeat(200), 12),
        Anime {
            titles: Localized::new(),
            ..anime(24, "", 12)
        },
        anime(25, "Gone", 12),
    ])
    .await;
    for id in 21..=25 {
        put(&service, &person, id, 0, &json!({})).await;
    }
    service.delete_row("Anime", json!({"id": 25})).await;
    service.publish().await;
    service.let_index_age();
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/list?sort=title").await;
    let mut ids = shown(&page);
    assert_eq!(ids[3..], [24, 25], "entries without a title are last");
    ids.sort_unstable();
    assert_eq!(ids, [21, 22, 23, 24, 25]);
    page.assert_lacks("<script>alert");
    page.assert_has("dir=\"auto\">\u{202e}עברית");
    page.assert_has("An anime that is no longer in the catalogue");
    assert!(next_key(&page, 21).is_some(), "their number is unknown");
    assert_eq!(next_key(&page, 25), None, "no anime");
    assert!(next_key(&page, 24).is_some());
    // The entry can still be deleted.
    let edited = browser.get("/list?edit=25").await;
    let asked = press_delete(&mut browser, &edited, &[]).await;
    let deleted = browser
        .submit(&asked, "/list/delete", &[("confirmed", "yes")])
        .await;
    deleted.assert_status(303);
    assert_eq!(progress(&service, &person, 25).await, None);
}

#[tokio::test]
async fn list_needs_a_session() {
    let (service, person) = with_entry(&json!({})).await;
    let mut anonymous = PageClient::new(&service);
    let answer = anonymous.get("/list?status=1").await;
    answer.assert_leads_to("/sign-in?next=/list");
    // The cookie names the user, but its secret is wrong.
    let forged = format!("{}.{}", person.id.get(), "A".repeat(43));
    anonymous
        .cookies
        .insert("__Host-session".to_owned(), forged);
    let answer = anonymous.get("/list").await;
    answer.assert_leads_to("/sign-in?next=/list");
    answer.assert_lacks("Kumo");
}

#[tokio::test]
async fn empty_list_says_how_to_begin() {
    let (service, person) = with_user(&[anime(21, "Kumo", 12)]).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/list").await;
    page.assert_has("Your list is empty.");
    page.assert_has("href=\"/profile/history\"");
}

#[tokio::test]
async fn list_is_read_in_one_round() {
    let (service, person) = with_entry(&json!({})).await;
    let (service, rounds) = service.with_rounds();
    let mut browser = PageClient::signed_in(&service, &person).await;
    // The request loads the index and its texts.
    browser.get("/list?search=kumo").await.assert_status(200);
    for query in ["", "?sort=title", "?search=kumo", "?edit=21"] {
        let _ = rounds.take();
        let page = browser.get(&format!("/list{query}")).await;
        assert_eq!(shown(&page), [21], "{query}");
        assert_eq!(rounds.take(), 1, "{query}");
    }
}

#[tokio::test]
async fn page_of_an_anime_has_the_same_forms() {
    let (service, person) = with_user(&[anime(21, "Kumo", 12)]).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/anime/21").await;
    page.assert_lacks("formaction=\"/list/delete\"");
    let planned = browser
        .submit(&page, "/list/save", &[("status", "1")])
        .await;
    let page = follow(&mut browser, &planned).await;
    assert_eq!(progress(&service, &person, 21).await, Some((1, 0)));
    let answer = browser.submit(&page, "/list/next", &[]).await;
    answer.assert_leads_to("/anime/21?done=next&of=21");
    let page = follow(&mut browser, &answer).await;
    assert_eq!(progress(&service, &person, 21).await, Some((0, 1)));
    let undone = browser.submit(&page, "/list/undo", &[]).await;
    let page = follow(&mut browser, &undone).await;
    assert_eq!(progress(&service, &person, 21).await, Some((1, 0)));
    let values = [("status", "1"), ("score", "0,05")];
    let answer = browser.submit(&page, "/list/save", &values).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    let saved = send_form(&mut browser, &answer, &[("score", "95")]).await;
    follow(&mut browser, &saved).await;
    assert_eq!(story(&service, &person, 21).await.unwrap().2["score"], 95.0);

    let mut anonymous = PageClient::new(&service);
    let page = anonymous.get("/anime/21?done=next&of=21").await;
    assert!(anonymous.cookies.is_empty());
    page.assert_lacks("action=\"/list/");
    let page = anonymous.get_with_notice("/anime/21?done=next&of=21").await;
    page.assert_lacks("action=\"/list/");
}

/// Returns an entry of a page or of a part without its number, which the script keeps.
fn entry(answer: &Answer, anime: u64) -> Option<String> {
    let entry = answer.find_between(&format!("id=\"entry-{anime}\">"), "</li>")?;
    let (start, rest) = entry.split_once("class=\"no\" aria-hidden=\"true\">")?;
    Some(format!("{start}{}", rest.after("</span>")))
}

/// Returns the numbers of entries of a page or of a part. The script replaces those of the page with those of the part.
fn counts(answer: &Answer) -> String {
    answer.between("data-counts=\"", "\"")
}

/// Sends the form of an entry of a page as the script does.
async fn send_as_script(
    browser: &mut PageClient<'_>,
    page: &Answer,
    to: &str,
    (back, counts): (&str, &str),
    field: (&str, &str),
) -> Answer {
    let csrf = hidden(page, "csrf").unwrap();
    let fields = [
        ("csrf", csrf.as_str()),
        ("back", back),
        ("counts", counts),
        field,
    ];
    browser.post(to, &fields).await
}

/// Presses the button of an entry for the next episode, as the script does.
async fn next_as_script(
    browser: &mut PageClient<'_>,
    page: &Answer,
    sent: (&str, &str),
    anime: u64,
) -> Answer {
    let key = next_key(page, anime).unwrap();
    send_as_script(browser, page, "/list/next", sent, ("entry", &key)).await
}

#[tokio::test]
async fn script_gets_what_has_changed() {
    let all = [anime(21, "Kumo", 12), anime(22, "Hoshi", 12)];
    let (service, person) = with_user(&all).await;
    for (anime, episode) in [(21, 11), (22, 3)] {
        let at = json!({"current_episode": episode});
        put(&service, &person, anime, 0, &at).await;
    }
    let mut browser = PageClient::signed_in(&service, &person).await;
    for list in [
        "/list?status=0",
        "/list?status=all",
        "/list?status=0&view=compact",
    ] {
        let page = browser.get(list).await;
        let before = counts(&page);
        assert_eq!(before, "2 0 0 0 0 0");
        let sent = (list, before.as_str());
        let part = next_as_script(&mut browser, &page, sent, 22).await;
        part.assert_status(200);
        assert!(part.text().contains("marked as watched."), "{list}");
        for other in ["<main", "entry-21", "list-statuses"] {
            part.assert_lacks(other);
        }
        assert_eq!(counts(&part), before);
        let now = browser.get(list).await;
        assert_eq!(entry(&part, 22), entry(&now, 22), "{list}");
        assert!(entry(&part, 22).is_some(), "{list}");

        // The last episode changes the status.
        let part = next_as_script(&mut browser, &page, sent, 21).await;
        let now = browser.get(list).await;
        assert_eq!(counts(&part), "1 0 1 0 0 0");
        assert_eq!(counts(&now), counts(&part));
        assert_eq!(entry(&part, 21), entry(&now, 21), "{list}");
        assert_eq!(entry(&part, 21).is_some(), list == "/list?status=all");
        for (start, end) in [
            ("id=\"list-statuses\"", "</nav>"),
            ("id=\"list-count\"", "</small>"),
        ] {
            assert_eq!(part.between(start, end), now.between(start, end));
        }

        // The notice offers to undo the change.
        let of_part = counts(&part);
        let sent = (list, of_part.as_str());
        let key = value_of(&part.after("action=\"/list/undo\""), "entry");
        let undo = send_as_script(&mut browser, &page, "/list/undo", sent, ("entry", &key));
        let part = undo.await;
        part.assert_has("The change has been undone.");
        assert_eq!(counts(&part), before);
        let now = browser.get(list).await;
        assert_eq!(entry(&part, 21), entry(&now, 21));
        assert!(entry(&part, 21).is_some(), "{list}");
        assert_eq!(progress(&service, &person, 21).await, Some((0, 11)));
    }
}

#[tokio::test]
async fn script_sets_a_score() {
    let (service, person) = with_entry(&json!({"current_episode": 3})).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/list?status=all").await;
    let name = format!("21:{}", page.between("name=\"21:", "\""));
    let sent = ("/list?status=all", "1 0 0 0 0 0");
    let scored = send_as_script(&mut browser, &page, "/list/score", sent, (&name, "85")).await;
    scored.assert_status(200);
    let now = browser.get("/list?status=all").await;
    assert!(entry(&now, 21).unwrap().contains("value=\"85\""));
    assert_eq!(entry(&scored, 21), entry(&now, 21));
    // If nothing has changed, the script gets nothing to show.
    let name = format!("21:{}", now.between("name=\"21:", "\""));
    let same = send_as_script(&mut browser, &now, "/list/score", sent, (&name, "85.0")).await;
    same.assert_status(204);
    assert_eq!(same.text(), "");
    let invalid = send_as_script(&mut browser, &now, "/list/score", sent, (&name, "x")).await;
    assert_eq!(invalid.status, StatusCode::BAD_REQUEST);
    invalid.assert_has("<main");
}

#[tokio::test]
async fn script_gets_a_page_if_a_part_does_not_do() {
    let (service, person) = with_entry(&json!({"current_episode": 3})).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/list").await;
    for sent in [
        ("/list", ""),
        ("/list", "1 0 0 0 0"),
        ("/list", "1 0 0 0 0 -1"),
        ("/", "1 0 0 0 0 0"),
        ("/anime/21", "1 0 0 0 0 0"),
    ] {
        let page = browser.get("/list").await;
        let next = next_as_script(&mut browser, &page, sent, 21).await;
        assert_eq!(next.status, StatusCode::SEE_OTHER, "{sent:?}");
    }
    let changed = next_as_script(&mut browser, &page, ("/list", "1 0 0 0 0 0"), 21).await;
    changed.assert_status(409);
    changed.assert_has("<main");
    assert_eq!(progress(&service, &person, 21).await, Some((0, 8)));
}

/// Returns the form of a button of a card: the status, and the story as the page showed it.
fn pressed(status: u8, key: &str) -> String {
    format!("{status}.{key}")
}

#[tokio::test]
async fn card_adds_an_anime_and_changes_its_status() {
    let (service, person) = with_user(&[anime(21, "Kumo", 12)]).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let csrf = hidden(&browser.get("/profile").await, "csrf").unwrap();
    let back = "/anime?search=kumo";
    let fields = |status: &str| {
        [
            ("csrf", csrf.clone()),
            ("back", back.to_owned()),
            ("status", status.to_owned()),
        ]
    };
    let mut press = async |status: &str| {
        let fields = fields(status);
        let fields: Vec<_> = fields
            .iter()
            .map(|(name, value)| (*name, &**value))
            .collect();
        browser.post("/list/status", &fields).await
    };
    let added = press(&pressed(1, "21:")).await;
    added.assert_leads_to("/anime?search=kumo&done=status&of=21");
    assert_eq!(progress(&service, &person, 21).await, Some((1, 0)));
    // The page with this button is out of date.
    press(&pressed(0, "21:")).await.assert_status(409);
    assert_eq!(progress(&service, &person, 21).await, Some((1, 0)));
    press(&pressed(2, "99:")).await.assert_status(404);
    for invalid in ["", "1", "1.", "7.21:", "x.21:", "1.0:"] {
        press(invalid).await.assert_status(400);
    }
    let key = press(&pressed(0, "21:")).await.text();
    let key = key.between("name=\"entry\" value=\"", "\"");
    // The status that the story has already changes nothing.
    press(&pressed(1, &key)).await.assert_leads_to(back);
    press(&pressed(2, &key)).await.assert_status(303);
    // As with the form of the entry, a completed anime has been watched to its end.
    assert_eq!(progress(&service, &person, 21).await, Some((2, 12)));
}

#[tokio::test]
async fn notice_after_a_card_offers_to_undo() {
    let (service, person) = with_user(&[anime(21, "Kumo", 12)]).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let csrf = hidden(&browser.get("/profile").await, "csrf").unwrap();
    let fields = [("csrf", &*csrf), ("back", "/list"), ("status", "1.21:")];
    let answer = browser.post("/list/status", &fields).await;
    let page = follow(&mut browser, &answer).await;
    page.assert_has("is now on your list as: Planned.");
    let undone = browser.submit(&page, "/list/undo", &[]).await;
    follow(&mut browser, &undone).await;
    assert_eq!(progress(&service, &person, 21).await, None);
}

#[tokio::test]
async fn script_gets_the_parts_of_a_card() {
    let (service, person) = with_user(&[anime(21, "Kumo", 12)]).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let csrf = hidden(&browser.get("/profile").await, "csrf").unwrap();
    let fields = [
        ("csrf", &*csrf),
        ("back", "/anime"),
        ("card", "1"),
        ("status", "0.21:"),
    ];
    let part = browser.post("/list/status", &fields).await;
    part.assert_status(200);
    part.assert_lacks("<main");
    part.assert_has("<span class=\"unseen\">Watching</span>");
    part.assert_has("class=\"add\"");
    part.assert_has("is now on your list as: Watching.");
    let key = part.text().between("value=\"0.21:", "\"");
    let same = [
        ("csrf", &*csrf),
        ("back", "/anime"),
        ("card", "1"),
        ("status", &*format!("0.21:{key}")),
    ];
    browser.post("/list/status", &same).await.assert_status(204);
    // The buttons have the story as it is now, and so has the undo of the notice.
    let undo = value_of(&part.text().after("action=\"/list/undo\""), "entry");
    assert_eq!(undo, format!("21:{key}"));
    let fields = [
        ("csrf", &*csrf),
        ("back", "/anime"),
        ("card", "1"),
        ("entry", &*undo),
    ];
    let part = browser.post("/list/undo", &fields).await;
    part.assert_status(200);
    part.assert_lacks("<span class=\"unseen\">Watching</span>");
    part.assert_has("value=\"0.21:\"");
    assert_eq!(progress(&service, &person, 21).await, None);
}
