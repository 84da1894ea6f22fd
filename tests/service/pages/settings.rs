//! The page `/settings`, the titles and scores that other pages show with its settings, and the control that sets a
//! score (docs/pages.md, "Settings").

use axum::http::StatusCode;
use serde_json::{Value, json};
use shared::models::{Anime, AnimeStatus, Score, Weekday};
use tests::assertions::AssertText;
use tests::browser::{PageClient, hidden};
use tests::calendar::feed_address;
use tests::people::Person;
use tests::service::{Answer, Service};
use tests::table::table;

use super::list::{anime, follow, put, save, shown, story, with_user};
use super::public_profile::set_public;
use super::{assert_rounds, set_language, sign_in_as};

const COOKIE: &str = "__Host-display";

/// Returns an anime with four titles, which airs.
fn comet() -> Anime {
    let titles = [
        ("rj", "Kimi no Suisei"),
        ("en", "Your Comet"),
        ("it", "La tua cometa"),
        ("jp", "君の彗星"),
    ];
    Anime {
        titles: titles
            .map(|(code, title)| (code.to_owned(), title.to_owned()))
            .into(),
        status: AnimeStatus::Releasing,
        weekly_airing_day: Some(Weekday::Friday),
        score: Score::new(86.51).unwrap(),
        ..anime(21, "", 12)
    }
}

/// Chooses titles and a scale of scores on the page.
async fn choose(browser: &mut PageClient<'_>, titles: &str, scores: &str) -> Answer {
    let page = browser.get("/settings").await;
    page.assert_status(200);
    let fields = [("titles", titles), ("scores", scores)];
    browser.submit(&page, "/settings", &fields).await
}

/// Chooses a scale of scores for an account.
async fn choose_scale(browser: &mut PageClient<'_>, scale: &str) {
    let saved = choose(browser, "page", scale).await;
    saved.assert_leads_to("/settings?done=saved");
}

/// Chooses a language and a theme on the page.
async fn choose_look(browser: &mut PageClient<'_>, language: &str, theme: &str) -> Answer {
    let page = browser.get("/settings").await;
    let kept = checked(&page);
    let fields = [
        ("language", language),
        ("theme", theme),
        ("titles", &*kept[1]),
        ("scores", &*kept[2]),
    ];
    browser.submit(&page, "/settings", &fields).await
}

/// Returns the attributes of the element `html` of a page.
async fn root(browser: &mut PageClient<'_>, path: &str) -> String {
    browser.get(path).await.between("<html ", ">")
}

/// Returns the title in the heading of the page of an anime.
async fn title(browser: &mut PageClient<'_>) -> String {
    let page = browser.get("/anime/21").await;
    page.after("<h1").between("dir=\"auto\">", "<")
}

/// Returns the cookies with settings that a response sets.
fn display_cookies(answer: &Answer) -> Vec<String> {
    let cookies = answer.headers.get_all("set-cookie").iter();
    let cookies = cookies.map(|cookie| cookie.to_str().unwrap().to_owned());
    cookies
        .filter(|cookie| cookie.starts_with(COOKIE))
        .collect()
}

/// Returns the values of the checked radio buttons.
fn checked(page: &Answer) -> Vec<String> {
    let mut inputs = page.all_between("<input type=\"radio\"", ">");
    inputs.retain(|input| input.contains(" checked"));
    let values = inputs.iter().map(|input| input.between("value=\"", "\""));
    values.collect()
}

#[tokio::test]
async fn visitor_keeps_the_choice_in_a_cookie() {
    let service = Service::with_catalogue(&[comet()], &[]).await;
    let mut browser = PageClient::new(&service);
    assert_eq!(title(&mut browser).await, "Your Comet");
    browser.languages = "it";
    assert_eq!(title(&mut browser).await, "La tua cometa");
    browser.languages = "de";
    assert_eq!(title(&mut browser).await, "Your Comet");

    let saved = choose(&mut browser, "romaji", "stars").await;
    let mut cookies = display_cookies(&saved).into_iter();
    let expected =
        format!("{COOKIE}=romaji.stars; HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=31536000");
    assert_eq!(cookies.next(), Some(expected));
    assert_eq!(cookies.next(), None);
    let page = follow(&mut browser, &saved).await;
    page.assert_has("Your settings are saved.");
    assert_eq!(checked(&page), ["device", "romaji", "stars"]);
    assert_eq!(title(&mut browser).await, "Kimi no Suisei");
    for path in ["/", "/anime"] {
        let page = browser.get(path).await;
        page.assert_has("dir=\"auto\">Kimi no Suisei");
        // The average keeps a decimal.
        page.assert_has("4.3</span>");
    }
    choose(&mut browser, "japanese", "hundred").await;
    assert_eq!(title(&mut browser).await, "君の彗星");
    // The default needs no cookie.
    let saved = choose(&mut browser, "page", "hundred").await;
    display_cookies(&saved)[0].assert_has("Max-Age=0");
    assert!(!browser.cookies.contains_key(COOKIE));
    assert_eq!(title(&mut browser).await, "Your Comet");
}

#[tokio::test]
async fn garbage_in_the_cookie_is_ignored() {
    let service = Service::with_catalogue(&[comet()], &[]).await;
    let mut browser = PageClient::new(&service);
    for garbage in [
        "romajis",
        "%00",
        "\"romaji\"",
        "hundred.romaji",
        "a.b.c",
        "page.hundred.black.klingon",
        "<script>",
        &"romaji".repeat(1_700),
    ] {
        let cookie = (COOKIE.to_owned(), garbage.to_owned());
        browser.cookies.extend([cookie]);
        assert_eq!(title(&mut browser).await, "Your Comet", "{garbage}");
        let page = browser.get("/settings").await;
        assert_eq!(checked(&page), ["device", "page", "hundred"], "{garbage}");
        assert!(!page.text().contains("<script>"), "{garbage}");
    }
    // A sibling domain can set a cookie without the prefix.
    browser.cookies.clear();
    let cookie = ("display".to_owned(), "romaji.ten".to_owned());
    browser.cookies.extend([cookie]);
    assert_eq!(title(&mut browser).await, "Your Comet");
    // Only the first half of the cookie is valid.
    let cookie = (COOKIE.to_owned(), "romaji.smileys".to_owned());
    browser.cookies.extend([cookie]);
    assert_eq!(title(&mut browser).await, "Kimi no Suisei");
}

#[tokio::test]
async fn account_counts_while_the_user_is_signed_in() {
    let (service, person) = with_user(&[comet()]).await;
    let mut elsewhere = PageClient::signed_in(&service, &person).await;
    let saved = choose(&mut elsewhere, "japanese", "ten").await;
    assert!(display_cookies(&saved).is_empty());
    let page = follow(&mut elsewhere, &saved).await;
    page.assert_has("kept in your account");
    assert_eq!(checked(&page), ["device", "japanese", "ten"]);

    let mut browser = PageClient::new(&service);
    choose(&mut browser, "romaji", "stars").await;
    let signed_in = sign_in_as(&mut browser, "/sign-in", &person.name).await;
    assert_eq!(signed_in.status, StatusCode::SEE_OTHER);
    assert_eq!(title(&mut browser).await, "君の彗星");
    let page = browser.get("/settings").await;
    assert_eq!(checked(&page), ["device", "japanese", "ten"]);
    let page = browser.get("/profile").await;
    page.assert_has("href=\"/settings\"");
    browser.submit(&page, "/sign-out", &[]).await;
    assert_eq!(title(&mut browser).await, "Kimi no Suisei");
}

#[tokio::test]
async fn visitor_chooses_language_and_theme() {
    let service = Service::with_catalogue(&[comet()], &[]).await;
    let mut browser = PageClient::new(&service);
    browser.languages = "it";
    assert_eq!(root(&mut browser, "/anime").await, "lang=\"it\"");
    let saved = choose_look(&mut browser, "fr", "dark").await;
    let cookie = &display_cookies(&saved)[0];
    cookie.assert_has("__Host-display=page.hundred.dark.fr;");
    // An error page also has the language and the theme of the visitor.
    for path in ["/", "/anime/21", "/sign-in", "/nowhere", "/anime/999"] {
        let root = root(&mut browser, path).await;
        assert_eq!(root, "lang=\"fr\" data-theme=\"dark\"", "{path}");
    }
    let page = browser.get("/settings").await;
    page.assert_has("<option value=\"fr\" selected>Français");
    // A form without these fields changes neither of them.
    choose(&mut browser, "romaji", "ten").await;
    let after = root(&mut browser, "/anime").await;
    assert_eq!(after, "lang=\"fr\" data-theme=\"dark\"");
    choose_look(&mut browser, "browser", "light").await;
    let after = root(&mut browser, "/anime").await;
    assert_eq!(after, "lang=\"it\" data-theme=\"light\"");
    for (language, theme, fault) in [("xx", "dark", "language"), ("en", "black", "theme")] {
        let answer = choose_look(&mut browser, language, theme).await;
        answer.assert_status(400);
        answer.assert_has(&format!("id=\"{fault}-fault\""));
    }
}

#[tokio::test]
async fn user_chooses_the_language_of_the_account_and_the_theme_of_the_browser() {
    let (service, person) = with_user(&[comet()]).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    browser.languages = "it";
    let saved = choose_look(&mut browser, "jp", "dark").await;
    saved.assert_leads_to("/settings?done=saved");
    let cookie = &display_cookies(&saved)[0];
    cookie.assert_has("__Host-display=page.hundred.dark;");
    let mut elsewhere = PageClient::signed_in(&service, &person).await;
    assert_eq!(root(&mut elsewhere, "/list").await, "lang=\"ja\"");
    let here = root(&mut browser, "/list").await;
    assert_eq!(here, "lang=\"ja\" data-theme=\"dark\"");
    // The theme stays after signing out, and the language is that of the browser again.
    browser.cookies.remove("__Host-session");
    let outside = root(&mut browser, "/anime").await;
    assert_eq!(outside, "lang=\"it\" data-theme=\"dark\"");
    // The API accepts other languages. Such a language stays unless another one is chosen.
    set_language(&service, &person, "pt-BR").await;
    let page = elsewhere.get("/settings").await;
    page.assert_has("<option value=\"pt-BR\" selected>");
    choose_look(&mut elsewhere, "pt-BR", "device").await;
    let profile = elsewhere.get("/profile").await;
    profile.assert_has("<option value=\"pt-BR\" selected>");
}

#[tokio::test]
async fn list_and_feed_follow_the_titles() {
    let mut other = anime(22, "Zetsubou", 12);
    other.titles.insert("en".to_owned(), "Despair".to_owned());
    let (service, person) = with_user(&[comet(), other]).await;
    for id in [21, 22] {
        put(&service, &person, id, 0, &json!({})).await;
    }
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/calendar").await;
    let made = browser.submit(&page, "/calendar/feed", &[]).await;
    let page = follow(&mut browser, &made).await;
    let feed = feed_address(&service, person.id).await;
    page.assert_has(&feed);
    service.clock.advance(std::time::Duration::from_mins(1));
    for (titles, order, summary) in [
        ("page", [22, 21], "SUMMARY:Your Comet"),
        ("romaji", [21, 22], "SUMMARY:Kimi no Suisei"),
    ] {
        choose(&mut browser, titles, "hundred").await;
        let list = browser.get("/list?sort=title").await;
        assert_eq!(shown(&list), order, "{titles}");
        let feed = service.get(&feed).await.text();
        feed.assert_has(summary);
    }
}

#[tokio::test]
async fn invalid_settings_change_nothing() {
    let (service, person) = with_user(&[comet()]).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let mut outside = PageClient::new(&service);
    for one in [&mut browser, &mut outside] {
        for (titles, scores, faults) in [
            ("klingon", "ten", &["titles"][..]),
            ("romaji", "", &["scores"]),
            ("", "<b>", &["titles", "scores"]),
        ] {
            let answer = choose(one, titles, scores).await;
            answer.assert_status(400);
            for fault in faults {
                answer.assert_has(&format!("id=\"{fault}-fault\""));
            }
            answer.assert_lacks("<b>");
        }
        let forged = [("titles", "romaji"), ("scores", "ten"), ("csrf", "forged")];
        let answer = one.post("/settings", &forged).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN);
        let page = one.get("/settings").await;
        assert_eq!(checked(&page), ["device", "page", "hundred"]);
    }
}

#[tokio::test]
async fn page_is_read_in_one_round_and_linked_everywhere() {
    let (service, person) = with_user(&[]).await;
    let (service, rounds) = service.with_rounds();
    let mut visitor = PageClient::new(&service);
    assert_rounds(&mut visitor, &rounds, "/settings", 0).await;
    assert!(visitor.get("/settings").await.body.len() < 30_000);
    let mut browser = PageClient::signed_in(&service, &person).await;
    assert_rounds(&mut browser, &rounds, "/settings", 1).await;
    for path in ["/", "/reference", "/profile", "/nowhere"] {
        let footer = browser.get(path).await.after("<footer");
        assert!(footer.contains("href=\"/settings\""), "{path}");
    }
}

/// Returns a service, and a user with an entry whose score is between two steps of the scale 1 to 10.
async fn with_score() -> (Service, Person) {
    let (service, person) = with_user(&[comet()]).await;
    let story = json!({"current_episode": 3, "details": {"score": 87, "notes": "kept"}});
    put(&service, &person, 21, 0, &story).await;
    (service, person)
}

/// Returns the details of the entry.
async fn details(service: &Service, person: &Person) -> Value {
    story(service, person, 21).await.unwrap().2
}

/// Returns the revisions of the entry, the latest first.
async fn revisions(service: &Service, person: &Person) -> Vec<Value> {
    let path = format!("/v1/user_story/{}/history", (person.id.get() << 25) + 21);
    let history = service.get_as(&person.token, &path).await;
    history.data().as_array().unwrap().clone()
}

/// Returns the name of the control of the score.
fn score_name(page: &Answer) -> String {
    page.between("form=\"rate\" name=\"", "\"")
}

/// Sets the score with the form on a page.
async fn set_score(browser: &mut PageClient<'_>, page: &Answer, score: &str) -> Answer {
    let fields = [(&*score_name(page), score)];
    browser.submit(page, "/list/score", &fields).await
}

/// Returns the value that the control of the score shows.
fn shown_score(page: &Answer) -> String {
    let control = page.between("form=\"rate\" name=\"", "</span>");
    // The text of a chosen star is its value.
    let star = control.find_between(" selected>", "<");
    star.unwrap_or_else(|| control.between("value=\"", "\""))
}

/// Returns the score in the record on the page of an anime: the text, the choice or the stars.
fn recorded_score(page: &Answer) -> String {
    let cell = page.between("for=\"score\"", "for=\"started_on\"");
    for chosen in [" selected", " checked"] {
        if cell.contains(chosen) {
            return cell
                .before(chosen)
                .all_between("value=\"", "\"")
                .pop()
                .unwrap();
        }
    }
    cell.between("value=\"", "\"")
}

#[tokio::test]
async fn pages_show_scores_on_the_scale_of_their_reader() {
    let (service, person) = with_score().await;
    set_public(&service, &person, true).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let mut reader = PageClient::new(&service);
    for (scale, own, average, mean, ranges) in [
        ("hundred", "87", "86.51", "87", ["0–10", "81–90"]),
        ("ten", "9", "8.7", "8.7", ["1", "9"]),
        ("halves", "8.5", "8.7", "8.7", ["0–1", "8.5–9"]),
        ("decimals", "8.7", "8.7", "8.7", ["0–1", "8.1–9"]),
        ("stars", "4", "4.3", "4.35", ["1", "5"]),
    ] {
        choose_scale(&mut browser, scale).await;
        choose_scale(&mut reader, scale).await;
        for path in ["/list", "/list?status=0"] {
            let page = browser.get(path).await;
            assert_eq!(shown_score(&page), own, "{scale} {path}");
        }
        let page = browser.get("/anime/21").await;
        assert_eq!(recorded_score(&page), own, "{scale}");
        page.assert_has(&format!("scored <b>{average}</b>"));
        for (one, path) in [
            (&mut browser, "/statistics"),
            (&mut reader, "/user/mitsuha"),
        ] {
            let page = one.get(path).await.text();
            let mean = format!("<dt>Average score</dt><dd>{mean}</dd>");
            assert!(page.contains(&mean), "{scale} {path}: {page}");
            for range in ranges {
                let cell = format!(">{range}</th>");
                assert!(page.contains(&cell), "{scale} {path}: {page}");
            }
        }
        let page = reader.get("/user/mitsuha").await;
        page.assert_has(&format!("Score </span><span class=\"num\">{own}</span>"));
    }
}

#[tokio::test]
async fn form_with_an_unchanged_score_keeps_it() {
    let (service, person) = with_score().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    for (scale, sent) in [("ten", "9"), ("halves", "8.5"), ("stars", "4")] {
        choose_scale(&mut browser, scale).await;
        let repeats = sent.len().to_string();
        let values = [("score", sent), ("repeats", &*repeats), ("status", "0")];
        let saved = save(&mut browser, 21, &values).await;
        follow(&mut browser, &saved).await;
        let details = details(&service, &person).await;
        assert_eq!(details["score"], 87.0, "{scale}");
        assert_eq!(details["repeats"], json!(sent.len()), "{scale}");
    }
    choose_scale(&mut browser, "ten").await;
    for (sent, stored) in [("8", json!(80.0)), ("", Value::Null), ("10", json!(100.0))] {
        let values = [("score", sent), ("status", "0")];
        let saved = save(&mut browser, 21, &values).await;
        follow(&mut browser, &saved).await;
        assert_eq!(details(&service, &person).await["score"], stored);
    }
    let values = [("score", "11"), ("status", "0")];
    let answer = save(&mut browser, 21, &values).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    let sentence = "Score must be a whole number from 0 to 10.";
    answer.assert_has(sentence);
}

#[tokio::test]
async fn score_is_set_from_the_list_and_undone() {
    let (service, person) = with_score().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    choose_scale(&mut browser, "ten").await;
    let page = browser.get("/list?status=0&sort=title").await;
    let before = revisions(&service, &person).await.len();
    // The score that the page shows changes nothing.
    let same = set_score(&mut browser, &page, "9").await;
    same.assert_leads_to("/list?status=0&sort=title");
    follow(&mut browser, &same).await.assert_lacks("/list/undo");
    assert_eq!(revisions(&service, &person).await.len(), before);

    let set = set_score(&mut browser, &page, "7").await;
    set.assert_leads_to("/list?status=0&sort=title&done=scored&of=21");
    let page = follow(&mut browser, &set).await;
    page.assert_has("The score has been saved.");
    assert_eq!(shown_score(&page), "7");
    let (status, episode, details) = story(&service, &person, 21).await.unwrap();
    assert_eq!((status, episode, &details["score"]), (0, 3, &json!(70.0)));
    assert_eq!(details["notes"], "kept");
    assert_eq!(revisions(&service, &person).await.len(), before + 1);

    let undone = browser.submit(&page, "/list/undo", &[]).await;
    let page = follow(&mut browser, &undone).await;
    assert_eq!(shown_score(&page), "9");
    let (_, _, details) = story(&service, &person, 21).await.unwrap();
    assert_eq!(details["score"], 87.0);

    for (sent, stored) in [("0", Value::Null), ("10", json!(100.0)), ("", Value::Null)] {
        let page = browser.get("/list?status=0").await;
        let set = set_score(&mut browser, &page, sent).await;
        set.assert_leads_to("/list?status=0&done=scored&of=21");
        let (_, _, details) = story(&service, &person, 21).await.unwrap();
        assert_eq!(details["score"], stored, "{sent}");
    }
}

#[tokio::test]
async fn all_changed_scores_of_a_page_are_saved() {
    let (service, person) =
        with_user(&[comet(), anime(22, "Hoshi", 12), anime(23, "Sora", 12)]).await;
    for id in 21..=23 {
        put(&service, &person, id, 0, &json!({"details": {"score": 50}})).await;
    }
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/list").await;
    let names = page.all_between("form=\"rate\" name=\"", "\"");
    assert_eq!(names.len(), 3, "{names:?}");
    let scores = [("21:", "90"), ("22:", "50"), ("23:", "10")];
    let fields = scores.map(|(entry, score)| {
        let name = names.iter().find(|name| name.starts_with(entry));
        (name.unwrap().as_str(), score)
    });
    let set = browser.submit(&page, "/list/score", &fields).await;
    follow(&mut browser, &set).await;
    for (id, score) in [(21, 90.0), (22, 50.0), (23, 10.0)] {
        let (_, _, details) = story(&service, &person, id).await.unwrap();
        assert_eq!(details["score"], score, "{id}");
    }
}

#[tokio::test]
async fn invalid_scores_lead_to_the_form_of_the_entry() {
    let (service, person) = with_score().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let cases = "
        ten | 11 | must be a whole number from 0 to 10
        ten | abc | must be a whole number from 0 to 10
        halves | 7.25 | must be a number from 0 to 10 in steps of 0.5
        decimals | -1 | must be a number from 0 to 10 with at most one decimal
        stars | 6 | must be a whole number from 0 to 5
        hundred | <b> | must be a number from 0 to 100 with at most one decimal";
    for [scale, sent, reason] in table(cases) {
        choose_scale(&mut browser, scale).await;
        let page = browser.get("/list?sort=title").await;
        let answer = set_score(&mut browser, &page, sent).await;
        answer.assert_status(400);
        answer.assert_has(&format!("Score {reason}."));
        answer.assert_has("kept</textarea>");
        answer.assert_lacks("<b>");
        assert_eq!(details(&service, &person).await["score"], 87.0);
        // The form can be corrected, with the typed score in place of the old one.
        answer.assert_has("action=\"/list/save\"");
    }
}

#[tokio::test]
async fn scores_of_other_and_changed_entries_are_not_set() {
    let (service, person) = with_score().await;
    let other = service.person("taki").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/list").await;
    let mut elsewhere = PageClient::signed_in(&service, &other).await;
    let csrf = hidden(&elsewhere.get("/settings").await, "csrf").unwrap();
    let name = score_name(&page);
    for (entry, status) in [
        // The entries are another user's story, an anime without a story, and an unknown anime.
        (&*name, StatusCode::CONFLICT),
        ("21::", StatusCode::CONFLICT),
        ("999:0-3-0:", StatusCode::CONFLICT),
        // Names that are not entries count as other fields.
        ("", StatusCode::SEE_OTHER),
        ("score", StatusCode::SEE_OTHER),
        ("33554432:0-3-0:", StatusCode::SEE_OTHER),
    ] {
        let fields = [("csrf", &*csrf), (entry, "10")];
        let answer = elsewhere.post("/list/score", &fields).await;
        assert_eq!(answer.status, status, "{entry}: {}", answer.text());
    }
    assert!(story(&service, &other, 21).await.is_none());
    let fields = [("csrf", "forged"), (&*name, "10")];
    let answer = browser.post("/list/score", &fields).await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);

    // The entry has changed in another tab.
    save(&mut browser, 21, &[("notes", "new")]).await;
    let late = set_score(&mut browser, &page, "10").await;
    assert_eq!(late.status, StatusCode::CONFLICT);
    late.assert_has("The entry has changed since you opened the page");
    assert_eq!(details(&service, &person).await["score"], 87.0);

    let mut outside = PageClient::new(&service);
    let csrf = hidden(&outside.get("/settings").await, "csrf").unwrap();
    let fields = [("csrf", &*csrf), (&*name, "10")];
    let answer = outside.post("/list/score", &fields).await;
    answer.assert_leads_to("/sign-in?next=/list");
}

#[tokio::test]
async fn list_is_small_on_every_scale() {
    let all: Vec<Anime> = (1..=50)
        .map(|id| Anime {
            cover_image: format!("https://img.example/{}/{id}.jpg", "c".repeat(60)),
            has_cover_image: true,
            ..anime(30_000_000 + id, &format!("{id:03} {}", "界".repeat(60)), 12)
        })
        .collect();
    let (service, person) = with_user(&all).await;
    for anime in &all {
        let details = json!({"details": {"score": 85.5, "private": true}});
        put(&service, &person, anime.id.get(), 0, &details).await;
    }
    let mut browser = PageClient::signed_in(&service, &person).await;
    for scale in ["ten", "halves", "decimals", "hundred", "stars"] {
        choose_scale(&mut browser, scale).await;
        let page = browser.get("/list?status=0&sort=title&page=1").await;
        assert_eq!(page.text().matches("form=\"rate\" name=").count(), 50);
        let size = page.body.len();
        assert!(size < 100_000, "{scale}: {size} bytes");
    }
}
