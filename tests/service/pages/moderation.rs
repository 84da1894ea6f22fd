//! The pages for moderators and administrators.

use catalogue::corrections::CorrectedFields;
use serde_json::json;
use shared::models::{Anime, AnimeStatus, Role, Song};
use tests::assertions::AssertText;
use tests::browser::{PageClient, hidden};
use tests::people::Person;
use tests::service::{Answer, Service};
use tests::table::table;
use tests::{made_up, units};

use super::set_language;

const PUBLIC: &str = "https://kiroku.test";

/// A catalogue of two anime and a song of the first, and a moderator.
struct Moderated {
    service: Service,
    anime: Anime,
    song: Song,
    moderator: Person,
}

impl Moderated {
    async fn new() -> Self {
        let (service, [anime, _]) = Service::with_two_anime().await;
        let mut song = made_up::songs(1, 1).remove(0);
        song.anime_id = anime.id;
        service.put(std::slice::from_ref(&song)).await;
        service.publish().await;
        let moderator = service.person_with_role("guard", Role::Moderator).await;
        Self {
            service,
            anime,
            song,
            moderator,
        }
    }

    async fn browser(&self) -> PageClient<'_> {
        PageClient::signed_in(&self.service, &self.moderator).await
    }

    fn anime_path(&self) -> String {
        format!("/moderation/anime/{}", self.anime.id.get())
    }

    fn song_path(&self) -> String {
        format!("/moderation/song/{}", self.song.id.get())
    }

    async fn row(&self) -> catalogue::rows::CatalogueRow<Anime> {
        self.service.catalogue_row(self.anime.id.get()).await
    }
}

/// Opens the form of a field and sends it.
async fn correct(
    browser: &mut PageClient<'_>,
    path: &str,
    field: &str,
    value: &str,
    note: &str,
) -> Answer {
    let form = format!("{path}/correct?field={field}");
    let page = browser.get(&form).await;
    page.assert_status(200);
    let fields = [("value", value), ("note", note)];
    browser.submit(&page, &form, &fields).await
}

#[tokio::test]
async fn pages_are_for_moderators_and_administrators() {
    let moderated = Moderated::new().await;
    let service = &moderated.service;
    let basic = service.person("basic").await;
    let administrator = service.person_with_role("chief", Role::Administrator).await;
    let user = format!("/moderation/user/{}", basic.id.get());
    let paths = [
        "/moderation".to_owned(),
        user.clone(),
        format!("{user}/delete"),
        format!("{user}/picture"),
        moderated.anime_path(),
        format!("{}/correct?field=status", moderated.anime_path()),
        moderated.song_path(),
        format!("{}/correct?field=title", moderated.song_path()),
    ];
    let mut visitor = PageClient::new(service);
    let mut others = PageClient::signed_in(service, &basic).await;
    let mut allowed = [
        moderated.browser().await,
        PageClient::signed_in(service, &administrator).await,
    ];
    for path in &paths {
        let answer = visitor.get(path).await;
        let sign_in = answer.header("location");
        let back = format!("{PUBLIC}/sign-in?next=/moderation");
        assert!(
            answer.status == 303 && sign_in.starts_with(&back),
            "{path}: {sign_in}"
        );
        let answer = others.get(path).await;
        assert_eq!(answer.status, 403, "{path}");
        let refusal = "Only moderators and administrators can do this.";
        assert!(answer.text().contains(refusal), "{path}");
        for browser in &mut allowed {
            assert_eq!(browser.get(path).await.status, 200, "{path}");
        }
    }
    // Other users get the same response for pages that do not exist.
    for path in [
        "/moderation/user/99",
        "/moderation/anime/99",
        "/moderation/song/9999",
    ] {
        assert_eq!(others.get(path).await.status, 403, "{path}");
        assert_eq!(allowed[0].get(path).await.status, 404, "{path}");
    }
    for path in [
        "/moderation/anime/x",
        "/moderation/anime/0",
        "/moderation/user/x",
    ] {
        assert_eq!(allowed[0].get(path).await.status, 404, "{path}");
    }
    for (browser, is_shown) in [(&mut others, false), (&mut allowed[0], true)] {
        let profile = browser.get("/profile").await.text();
        assert_eq!(profile.contains("href=\"/moderation\""), is_shown);
    }
    let public = format!("/anime/{}", moderated.anime.id.get());
    let link = format!("href=\"{}\"", moderated.anime_path());
    for (browser, is_shown) in [
        (&mut visitor, false),
        (&mut others, false),
        (&mut allowed[0], true),
    ] {
        let page = browser.get(&public).await.text();
        assert_eq!(page.contains(&link), is_shown);
    }
    let csrf = hidden(&others.get("/profile").await, "csrf").unwrap();
    let fields = [
        ("csrf", &*csrf),
        ("seen", ""),
        ("value", "3"),
        ("note", "A note"),
    ];
    for path in [
        format!("{user}/delete"),
        format!("{}/correct?field=status", moderated.anime_path()),
        format!("{}/take-back?field=status", moderated.song_path()),
    ] {
        assert_eq!(others.post(&path, &fields).await.status, 403, "{path}");
    }
}

/// Returns the page with the users that match a search.
async fn users_page(browser: &mut PageClient<'_>, search: &str) -> String {
    let page = browser.get(&format!("/moderation?search={search}")).await;
    page.text()
}

#[tokio::test]
async fn users_are_found_by_name_and_email_address() {
    let moderated = Moderated::new().await;
    let service = &moderated.service;
    for number in 0..30 {
        service.person(&format!("taki{number:02}")).await;
    }
    let mitsuha = service
        .person_with_role("mitsuha", Role::Administrator)
        .await;
    assert!(service.users().verify_email(mitsuha.id, 0).await.unwrap());
    let mut browser = moderated.browser().await;
    let start = browser.get("/moderation").await.text();
    start.assert_lacks("/moderation/user/");

    let link = format!("/moderation/user/{}\"", mitsuha.id.get());
    for search in ["SUHA", "%5Emit", "mitsuha%40example.com", " mitsuha "] {
        let search = search.replace(' ', "%20");
        let page = users_page(&mut browser, &search).await;
        assert_eq!(page.matches("/moderation/user/").count(), 1, "{search}");
        assert!(page.contains(&link), "{search}");
        page.assert_has("Administrator · E-mail address verified");
    }
    for search in "nobody %5Esuha mitsuha%40example suha%40example.com %3Cb%3E".split(' ') {
        let page = users_page(&mut browser, search).await;
        assert!(page.contains("No user matches."), "{search}");
        assert!(!page.contains("<b>"), "{search}");
    }
    let mut next = Some("/moderation?search=taki".to_owned());
    let mut found = Vec::new();
    while let Some(path) = next {
        let page = browser.get(&path).await.text();
        let users = page.split("/moderation/user/").skip(1);
        found.push(users.count());
        let more = page.find_between("href=\"/moderation?search=taki&amp;", "\"");
        next = more.map(|more| format!("/moderation?search=taki&{more}"));
    }
    assert_eq!(found, [25, 5]);

    let page = browser.get(link.trim_end_matches('"')).await.text();
    for fact in [
        "mitsuha",
        "Administrator",
        "E-mail address verified",
        "14 November 2023",
    ] {
        page.assert_has(fact);
    }
    page.assert_lacks("example.com");
}

#[tokio::test]
async fn users_are_deleted_after_a_confirmation() {
    let moderated = Moderated::new().await;
    let service = &moderated.service;
    let basic = service.person("basic").await;
    let other = service.person_with_role("other", Role::Moderator).await;
    let chief = service.person_with_role("chief", Role::Administrator).await;
    let path = |person: &Person| format!("/moderation/user/{}", person.id.get());
    let delete = |person: &Person| format!("{}/delete", path(person));
    let mut browser = moderated.browser().await;

    // Moderators cannot delete each other, administrators or themselves on these pages.
    let csrf = hidden(&browser.get(&delete(&basic)).await, "csrf").unwrap();
    for person in [&other, &chief, &moderated.moderator] {
        let page = browser.get(&path(person)).await;
        page.assert_status(200);
        page.assert_lacks("/delete\"");
        assert_eq!(browser.get(&delete(person)).await.status, 403);
        let forged = browser.post(&delete(person), &[("csrf", &csrf)]).await;
        assert_eq!(forged.status, 403, "{}", person.name);
        assert!(service.users().account(person.id).await.unwrap().is_some());
    }

    let page = browser.get(&path(&basic)).await.text();
    page.assert_has(&format!("href=\"{}\"", delete(&basic)));
    let page = browser.get(&delete(&basic)).await;
    page.assert_has("Delete the account of basic?");
    assert!(service.users().account(basic.id).await.unwrap().is_some());
    let deleted = browser.submit(&page, &delete(&basic), &[]).await;
    assert_eq!(deleted.status, 303);
    let page = browser.get(deleted.header("location")).await.text();
    page.assert_has("The account has been deleted.");
    service
        .get_as(&basic.token, "/v1/auth/me")
        .await
        .assert_status(401);
    let page = browser.get(&path(&basic)).await;
    assert!(page.status == 200 && page.text().contains("Deleted user"));
    assert_eq!(browser.get(&delete(&basic)).await.status, 404);
    let again = browser.post(&delete(&basic), &[("csrf", &csrf)]).await;
    assert_eq!(again.status, 404);

    let mut browser = PageClient::signed_in(service, &chief).await;
    let page = browser.get(&delete(&other)).await;
    browser
        .submit(&page, &delete(&other), &[])
        .await
        .assert_status(303);
    assert!(service.users().account(other.id).await.unwrap().is_none());
}

/// A GIF file: one pixel.
const PICTURE: &[u8] = b"GIF89a\x01\0\x01\0\0\0\0\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0;";

#[tokio::test]
async fn pictures_are_removed_after_a_confirmation() {
    let moderated = Moderated::new().await;
    let service = &moderated.service;
    let basic = service.person("basic").await;
    let chief = service.person_with_role("chief", Role::Administrator).await;
    let path = |person: &Person| format!("/moderation/user/{}", person.id.get());
    let remove = |person: &Person| format!("{}/picture", path(person));
    let users = service.users();
    let mut browser = moderated.browser().await;
    let page = browser.get(&path(&basic)).await;
    page.assert_lacks("Remove picture");
    for person in [&basic, &chief, &moderated.moderator] {
        let mut own = PageClient::signed_in(service, person).await;
        let csrf = hidden(&own.get("/profile").await, "csrf").unwrap();
        let fields = [("csrf", csrf.as_str())];
        let saved = own.upload("/profile/picture", &fields, "me.gif", PICTURE);
        saved.await.assert_status(303);
        assert!(users.find_picture(person.id).await.unwrap().is_some());
    }

    // Moderators cannot remove the pictures of administrators, and others none.
    let page = browser.get(&path(&chief)).await;
    page.assert_status(200);
    page.assert_lacks("Remove picture");
    assert_eq!(browser.get(&remove(&chief)).await.status, 403);
    let csrf = hidden(&browser.get(&remove(&basic)).await, "csrf").unwrap();
    let forged = browser.post(&remove(&chief), &[("csrf", &csrf)]).await;
    assert_eq!(forged.status, 403);
    assert!(users.find_picture(chief.id).await.unwrap().is_some());
    let mut others = PageClient::signed_in(service, &basic).await;
    let csrf = hidden(&others.get("/profile").await, "csrf").unwrap();
    let forged = others.post(&remove(&basic), &[("csrf", &csrf)]).await;
    assert_eq!(forged.status, 403);

    for person in [&basic, &moderated.moderator] {
        let page = browser.get(&path(person)).await;
        page.assert_has(&format!("href=\"{}\"", remove(person)));
        let page = browser.get(&remove(person)).await;
        page.assert_has(&format!("Remove the picture of {}?", person.name));
        assert!(users.find_picture(person.id).await.unwrap().is_some());
        let removed = browser.submit(&page, &remove(person), &[]).await;
        removed.assert_status(303);
        let page = browser.get(removed.header("location")).await;
        page.assert_has("The picture has been removed.");
        page.assert_lacks("Remove picture");
        assert!(users.find_picture(person.id).await.unwrap().is_none());
        let account = users.account(person.id).await.unwrap().unwrap();
        assert_eq!(account.picture, None);
    }
}

#[tokio::test]
async fn fields_are_corrected_and_taken_back() {
    let moderated = Moderated::new().await;
    let (service, path) = (&moderated.service, moderated.anime_path());
    let mut browser = moderated.browser().await;
    let saved = correct(&mut browser, &path, "status", "CANCELLED", "A <b>note</b>").await;
    saved.assert_status(303);
    let page = browser.get(saved.header("location")).await;
    for part in [
        "The correction has been saved.",
        "by guard, 14 November 2023, 22:13 UTC",
        "A &lt;b&gt;note&lt;/b&gt;",
    ] {
        page.assert_has(part);
    }
    let row = moderated.row().await;
    assert_eq!(row.document.status, AnimeStatus::Cancelled);

    // The anime has no title in this language.
    let form = format!("{path}/correct?field=titles&language=IT");
    let page = browser.get(&form).await;
    let post = format!("{path}/correct?field=titles.it");
    let fields = [("value", "Un <i>titolo</i>"), ("note", "Copertina")];
    assert_eq!(browser.submit(&page, &post, &fields).await.status, 303);
    service.let_index_age();
    let anime = service
        .get(&format!("/v1/anime/{}", moderated.anime.id.get()))
        .await;
    assert_eq!(anime.data()["titles"]["it"], "Un <i>titolo</i>");
    assert_eq!(anime.data()["status"], 3);

    let page = browser.get(&path).await;
    page.assert_has("Un &lt;i&gt;titolo&lt;/i&gt;");
    let page = browser.get(&format!("{path}/correct?field=status")).await;
    let take_back = format!("{path}/take-back?field=status");
    let taken = browser.submit(&page, &take_back, &[]).await;
    taken.assert_status(303);
    let page = browser.get(taken.header("location")).await.text();
    page.assert_has("The correction has been taken back.");
    let row = moderated.row().await;
    assert_eq!(row.document.status, moderated.anime.status);
    assert_eq!(row.notes.corrections().len(), 1);

    // The corrections of a deleted moderator stay.
    let access = service.access_to_correct(&moderated.moderator);
    let path_of_user = format!("/v1/user/{}", access.credential.user_id.get());
    let token = &moderated.moderator.token;
    assert_eq!(service.delete_as(token, &path_of_user).await.status, 200);
    let chief = service.person_with_role("chief", Role::Administrator).await;
    let mut browser = PageClient::signed_in(service, &chief).await;
    let page = browser.get(&path).await.text();
    page.assert_has("by deleted user 1, ");
    service.assert_declared_attributes().await;
}

#[tokio::test]
async fn songs_are_corrected() {
    let moderated = Moderated::new().await;
    let mut browser = moderated.browser().await;
    let page = browser.get(&moderated.anime_path()).await.text();
    let path = moderated.song_path();
    page.assert_has(&format!("href=\"{path}\""));
    let corrections = [
        ("title", "Uta"),
        ("type", "ENDING"),
        ("duration", "3:30"),
        ("open_player_url", "https://example.com/1"),
        ("local_player_url", ""),
    ];
    for (field, value) in corrections {
        let saved = correct(&mut browser, &path, field, value, "CD").await;
        assert_eq!(saved.status, 303, "{field}: {}", saved.text());
    }
    moderated.service.let_index_age();
    let song = moderated
        .service
        .get(&format!("/v1/song/{}", moderated.song.id.get()))
        .await;
    let mut expected = json!(moderated.song);
    for (field, value) in [
        ("title", json!("Uta")),
        ("type", json!(1)),
        ("duration", json!(210_000)),
        ("open_player_url", json!("https://example.com/1")),
        ("local_player_url", json!("")),
    ] {
        expected[field] = value;
    }
    assert_eq!(song.data(), expected);
    let page = browser
        .get(&format!("{path}/correct?field=duration"))
        .await
        .text();
    page.assert_has("value=\"3:30\"");
}

#[tokio::test]
async fn wrong_values_stay_in_the_form_with_the_reason() {
    let moderated = Moderated::new().await;
    let path = moderated.anime_path();
    let before = moderated.row().await;
    let mut browser = moderated.browser().await;
    let cases = "
        cover_image | http://a.example | A | Enter an address that begins with https://.
        trailer_url | javascript:alert(1) | A | Enter an address that begins with https://.
        episodes_count | -1 | A | Enter a whole number from 0 to 10000.
        season_year | 19999 | A | Enter a whole number from 1900 to 2100.
        start_date | 2024-02-30 | A | Enter a day such as 1998-04-03.
        cover_color | <b> | A | Enter a color such as #f1785d.
        genres | Action, <b> | A | The catalogue has no genre “&lt;b&gt;”.
        format | WEB | A | Choose one of the values.
        sequel | 33554431 | A | The catalogue has no anime 33554431.
        titles.en | \u{202e}\u{200b} | A | The text has control characters, or nothing visible.
        status | CANCELLED | | Enter a value.";
    for [field, value, note, reason] in table(cases) {
        let answer = correct(&mut browser, &path, field, value, note).await;
        let text = answer.text();
        assert_eq!(answer.status, 400, "{field}");
        assert!(text.contains("<title>Error: Correct: "), "{field}: {text}");
        // The reason is in the summary and beside the field.
        assert_eq!(text.matches(reason).count(), 2, "{field}: {text}");
        assert!(!text.contains("<b>"), "{field}");
        if !value.contains('<') && field != "format" {
            assert!(text.contains(value), "{field}: {text}");
        }
    }
    // Both fields are checked at once.
    let both = correct(&mut browser, &path, "episodes_count", "-1", "").await;
    for name in ["value", "note"] {
        both.assert_has(&format!("<a href=\"#{name}\">"));
        both.assert_has(&format!("id=\"{name}-fault\""));
    }
    assert_eq!(moderated.row().await, before);
    for field in [
        "",
        "id",
        "score",
        "titles",
        "titles.x",
        "tracker_a_id",
        "%3Cb%3E",
        "status.en",
    ] {
        let answer = browser.get(&format!("{path}/correct?field={field}")).await;
        assert_eq!(answer.status, 404, "{field}");
    }
    // There is nothing to take back.
    let csrf = hidden(&browser.get("/profile").await, "csrf").unwrap();
    let take_back = format!("{path}/take-back?field=status");
    let fields = [("csrf", &*csrf), ("seen", "")];
    assert_eq!(browser.post(&take_back, &fields).await.status, 409);
}

#[tokio::test]
async fn older_of_two_tabs_is_told() {
    let moderated = Moderated::new().await;
    let form = format!("{}/correct?field=titles.en", moderated.anime_path());
    let mut one = moderated.browser().await;
    let chief = moderated
        .service
        .person_with_role("chief", Role::Administrator)
        .await;
    let mut other = PageClient::signed_in(&moderated.service, &chief).await;
    let (first, second) = (one.get(&form).await, other.get(&form).await);
    let values = [("value", "First"), ("note", "A first note")];
    assert_eq!(one.submit(&first, &form, &values).await.status, 303);
    let values = [("value", "Second"), ("note", "A second note")];
    let late = other.submit(&second, &form, &values).await;
    assert_eq!(late.status, 409);
    for part in [
        "The field has changed since",
        "First",
        "A first note",
        "value=\"Second\"",
        "A second note",
    ] {
        late.assert_has(part);
    }
    let english = async || moderated.row().await.document.titles["en"].clone();
    assert_eq!(english().await, "First");
    // The page with the error has the field's current state, so its form can be sent again.
    assert_eq!(other.submit(&late, &form, &values).await.status, 303);
    assert_eq!(english().await, "Second");

    let page = one.get(&form).await;
    let take_back = format!("{}/take-back?field=titles.en", moderated.anime_path());
    let of_another_visitor = other.submit(&page, &take_back, &[]).await;
    of_another_visitor.assert_status(403);
    let taken = one.submit(&page, &take_back, &[]).await;
    taken.assert_status(303);
    let again = one.submit(&page, &take_back, &[]).await;
    assert_eq!(again.status, 409);
    again.assert_has("The field has changed since");
}

#[tokio::test]
async fn pages_are_in_the_language_of_the_account() {
    let moderated = Moderated::new().await;
    let service = &moderated.service;
    let mut browser = moderated.browser().await;
    let path = moderated.anime_path();
    let saved = correct(&mut browser, &path, "nsfw", "yes", "A note").await;
    saved.assert_status(303);
    for (code, users, fields, reason) in [
        ("fr", "Utilisateurs", "Champs", "Saisissez une valeur."),
        ("it", "Utenti", "Campi", "Inserisci un valore."),
        ("jp", "ユーザー", "項目", "値を入力してください。"),
    ] {
        set_language(service, &moderated.moderator, code).await;
        let page = browser.get("/moderation").await.text();
        assert!(page.contains(users), "{code}: {page}");
        let page = browser.get(&path).await.text();
        assert!(page.contains(fields), "{code}: {page}");
        assert!(!page.contains("correct-"), "{code}: {page}");
        let answer = correct(&mut browser, &path, "nsfw", "no", "").await;
        assert!(answer.text().contains(reason), "{code}: {}", answer.text());
    }
}

/// The row has many titles, all allowed corrections, long texts and texts from right to left.
#[tokio::test]
async fn page_of_a_large_row_is_smaller_than_60_kb() {
    let (service, [mut anime, _]) = Service::with_two_anime().await;
    for number in 0..60_u8 {
        let code = format!(
            "{}{}",
            (b'a' + number % 26) as char,
            (b'a' + number / 26) as char
        );
        anime.titles.insert(code.clone(), "כ".repeat(200));
        anime.descriptions.insert(code, "x".repeat(1_000));
    }
    service.put(std::slice::from_ref(&anime)).await;
    let moderator = service.person_with_role("guard", Role::Moderator).await;
    let id = anime.id.get();
    let codes: Vec<&String> = anime.titles.keys().collect();
    for code in &codes[..40] {
        let field = format!("titles.{code}");
        service
            .correct::<Anime>(&moderator, id, &field, "Title")
            .await;
    }
    let mut browser = PageClient::signed_in(&service, &moderator).await;
    let page = browser.get(&format!("/moderation/anime/{id}")).await;
    assert_eq!(page.status, 200);
    page.assert_has("dir=\"auto\">כ");
    assert!(page.body.len() < 60_000, "{} bytes", page.body.len());
}

/// The session, its user and the row are read at the same time, and then the names of the moderators.
#[tokio::test]
async fn pages_read_few_rows() {
    let moderated = Moderated::new().await;
    let session = moderated.browser().await.cookies;
    let (client, meter) = units::metered();
    let mut environment = moderated.service.environment.clone();
    environment.database.client = client;
    let (path, anime) = (moderated.song_path(), moderated.anime_path());
    let service = moderated.service.with_environment(environment);
    let mut browser = PageClient::new(&service);
    browser.cookies = session;
    let _ = meter.take();
    assert_eq!(browser.get(&path).await.status, 200);
    assert_eq!(meter.take().calls, 3, "session, user, song");
    let saved = correct(&mut browser, &path, "title", "Uta", "CD").await;
    saved.assert_status(303);
    let calls = meter.take().calls;
    assert_eq!(calls, 3 + 4, "the form; session, user, song, transaction");
    for (path, calls, read) in [
        (&*path, 4, "session, user, song, the name of the moderator"),
        ("/moderation", 2, "session, user"),
        (
            "/moderation?search=guard",
            4,
            "session, user, the index of names, the rows",
        ),
    ] {
        assert_eq!(browser.get(path).await.status, 200, "{path}");
        assert_eq!(meter.take().calls, calls, "{read}");
    }
    browser.get(&anime).await;
    let _ = meter.take();
    assert_eq!(browser.get(&anime).await.status, 200);
    let calls = meter.take().calls;
    assert_eq!(calls, 3, "session, user, anime; songs from memory");
}
