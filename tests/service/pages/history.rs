//! The page on which users import and export their watch histories. The rules of imports and exports are tested in
//! `tests/service/story_import.rs` and `tests/service/story_export.rs`.

use std::convert::Infallible;
use std::io::Write;
use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::http::Method;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::stream;
use serde_json::{Value, json};
use shared::models::Anime;
use tests::assertions::AssertText;
use tests::browser::{PageClient, hidden, multipart};
use tests::event::{invoke, request, with_body};
use tests::people::{Person, story_body};
use tests::service::{Answer, Service};

use super::sign_in_as;

const PATH: &str = "/profile/history";
const IMPORTS: &str = "/profile/history/imports";

/// The limit of a file, in bytes.
const MAX_UPLOAD: usize = 4 * 1024 * 1024;

/// Returns a service with a user and anime of 12 episodes each. The identifier of an anime at MyAnimeList is its own
/// plus 1000.
async fn with_anime(count: u32) -> (Service, Person, Vec<Anime>) {
    Service::with_made_up(count, |number, one| {
        one.episodes_count = 12;
        one.tracker_b_id = Some(1000 + number);
    })
    .await
}

/// Returns a list in `MyAnimeList`'s XML.
fn list(entries: &[(u32, &str, u32, &str)]) -> String {
    let entry = |(id, status, episode, title): &(u32, &str, u32, &str)| {
        format!(
            "<anime><series_animedb_id>{id}</series_animedb_id><series_title><![CDATA[{title}]]></series_title>\
             <my_watched_episodes>{episode}</my_watched_episodes><my_score>8</my_score>\
             <my_status>{status}</my_status></anime>"
        )
    };
    let entries: String = entries.iter().map(entry).collect();
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?><myanimelist>{entries}</myanimelist>")
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// Opens the page and sends its form with these fields and this file.
async fn send(
    browser: &mut PageClient<'_>,
    fields: &[(&str, &str)],
    name: &str,
    file: impl AsRef<[u8]>,
) -> Answer {
    let csrf = hidden(&browser.get(PATH).await, "csrf").unwrap();
    let fields = [&[("csrf", csrf.as_str())], fields].concat();
    browser.upload(PATH, &fields, name, file.as_ref()).await
}

async fn import(browser: &mut PageClient<'_>, mode: &str, file: impl AsRef<[u8]>) -> String {
    let answer = send(browser, &[("mode", mode)], "animelist.xml", file).await;
    answer.assert_status(200);
    answer.text()
}

async fn stories(service: &Service, person: &Person) -> Vec<Value> {
    let path = "/v1/user_story?include=details";
    let found = service.get_as(&person.token, path).await;
    found.data().as_array().unwrap().clone()
}

/// Returns the text of the section with this heading, without tags.
fn section(page: &str, heading: &str) -> Option<String> {
    let section = page.find_between(&format!(">{heading}</h2>"), "</section>")?;
    let mut text = String::new();
    let mut is_tag = false;
    for character in section.chars() {
        match character {
            '<' => is_tag = true,
            '>' => {
                is_tag = false;
                text.push('|');
            }
            character if !is_tag => text.push(character),
            _ => {}
        }
    }
    let parts: Vec<&str> = text.split('|').filter(|part| !part.is_empty()).collect();
    Some(parts.join("|"))
}

/// Returns the text of the table in the section with this heading, without its head: the title, the notes, the seal,
/// the status, the progress and the score of each story.
fn table(page: &str, heading: &str) -> String {
    section(page, heading)
        .unwrap()
        .after("Title|Status|Episodes|Score|")
}

#[tokio::test]
async fn profile_leads_to_the_page() {
    let (service, person, _) = with_anime(1).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let data = browser.get("/profile/data").await.text();
    data.assert_has("href=\"/profile/history\"");
    let page = browser.get(PATH).await.text();
    page.assert_has("<h1>Import and export</h1>");
    page.assert_has("enctype=\"multipart/form-data\"");
    let merge = "value=\"merge\" required checked";
    page.assert_has(merge);
    for format in ["mal_xml", "csv", "json"] {
        let link = format!("href=\"/profile/history/export?format={format}\"");
        page.assert_has(&link);
    }
}

#[tokio::test]
async fn uploaded_files_are_imported() {
    let (service, person, anime) = with_anime(3).await;
    service.create_story(&person, &anime[0], 5).await;
    let file = list(&[
        (1001, "Watching", 7, "Kumo"),
        (1002, "Watching", 20, "Sora"),
        (1002, "Watching", 2, "Sora"),
        (9999, "Completed", 1, "Kaze"),
        (1003, "Sleeping", 1, "Umi"),
    ]);
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = import(&mut browser, "merge", &file).await;
    page.assert_has("<h1>Import finished</h1>");
    page.assert_has("Your watch history has been imported.");
    let numbers = "The file is MyAnimeList XML and has 5 entries:|1| new|1| changed|1| repeated in the file|\
                   1| skipped|1| not in the catalogue";
    assert_eq!(section(&page, "Entries").unwrap(), numbers);
    let changed = "Kumo|episode, score|観|Watching|7|80";
    assert_eq!(table(&page, "Changed"), changed);
    let cut = "Sora|the file has episode 20, but the anime has 12 episodes|観|Watching|20|80";
    assert_eq!(table(&page, "New"), cut);
    for one in &anime[..2] {
        page.assert_has(&format!("<td><a href=\"/anime/{}\">", one.id.get()));
    }
    let waiting = section(&page, "Not in the catalogue").unwrap();
    assert!(waiting.ends_with("|Kaze|MyAnimeList 9999"), "{waiting}");
    let skipped = section(&page, "Skipped").unwrap();
    skipped.assert_has("|Umi|Entry 5: ");
    let found = stories(&service, &person).await;
    assert_eq!(found.len(), 2);
    assert_eq!(found[0]["current_episode"], 12);
    assert_eq!(found[1]["current_episode"], 7);
    assert_eq!(found[1]["details"]["score"], 80.0);

    let packed = gzip(&list(&[(1003, "Dropped", 3, "Umi")]));
    let page = import(&mut browser, "merge", packed).await;
    assert_eq!(table(&page, "New"), "Umi|断|Dropped|3|80");
    assert_eq!(stories(&service, &person).await.len(), 3);
    let page = import(&mut browser, "merge", &file).await;
    page.assert_has("The file has nothing that changes your watch history.");
    assert!(section(&page, "Changed").is_none() && section(&page, "New").is_none());
    let unknown = "Title,Status\nNobody knows this,Completed\n";
    let page = import(&mut browser, "merge", unknown).await;
    page.assert_has("Your watch history has not changed yet, because entries of the file wait");
}

/// Lists in other formats and with other titles, and entries without a title, are also shown.
#[tokio::test]
async fn entries_without_a_title_are_named_by_the_catalogue_or_their_position() {
    let (service, person, anime) = with_anime(2).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let file = "mal_id,status,anilist_id\n1001,watching,\n9999,watching,8\n1002,unknown,\n";
    let page = import(&mut browser, "merge", file).await;
    let untitled = format!("{}|観|Watching|0|–", anime[0].titles["rj"]);
    assert_eq!(table(&page, "New"), untitled);
    let waiting = section(&page, "Not in the catalogue").unwrap();
    assert!(waiting.ends_with("|Entry 2|AniList 8, MyAnimeList 9999"));
    let skipped = section(&page, "Skipped").unwrap();
    skipped.assert_has("|Entry 3|Entry 3: ");
}

#[tokio::test]
async fn preview_writes_nothing() {
    let (service, person, anime) = with_anime(2).await;
    service.create_story(&person, &anime[0], 5).await;
    let before = stories(&service, &person).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let file = list(&[(1001, "Watching", 2, "Kumo"), (1002, "Watching", 2, "Sora")]);
    let fields = [("mode", "replace"), ("dry_run", "yes")];
    let page = send(&mut browser, &fields, "animelist.xml", &file)
        .await
        .text();
    page.assert_has("<h1>Preview of the import</h1>");
    page.assert_has("Nothing has been changed yet.");
    let changed = "Kumo|episode, score|観|Watching|2|80";
    assert_eq!(table(&page, "Changed"), changed);
    assert_eq!(table(&page, "New"), "Sora|観|Watching|2|80");
    assert_eq!(stories(&service, &person).await, before);

    // The form of the preview has the same mode.
    page.assert_has("value=\"replace\" required checked");
    import(&mut browser, "replace", &file).await;
    assert_eq!(stories(&service, &person).await.len(), 2);
}

/// Returns the fields of an import of the file that a page has kept.
fn of_kept<'a>(csrf: &'a str, mode: &'a str, kept: &'a str) -> [(&'a str, &'a str); 3] {
    [("csrf", csrf), ("mode", mode), ("kept_file", kept)]
}

#[tokio::test]
async fn file_of_a_preview_is_kept_for_the_import() {
    let (service, person, _) = with_anime(1).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let preview = [("mode", "merge"), ("dry_run", "yes")];
    let xml = list(&[(1001, "Watching", 2, "Kumo")]);
    for file in [xml.clone().into_bytes(), gzip(&xml)] {
        let page = send(&mut browser, &preview, "animelist.xml", &file).await;
        page.assert_has("The file is kept in this page");
        page.assert_has("enctype=\"multipart/form-data\"");
        page.assert_lacks("type=\"file\"");
        let kept = hidden(&page, "kept_file").unwrap();
        let csrf = hidden(&page, "csrf").unwrap();
        // The file stays if another field is wrong.
        let wrong = of_kept(&csrf, "all", &kept);
        let refused = browser.upload(PATH, &wrong, "", b"").await;
        refused.assert_status(400);
        assert_eq!(hidden(&refused, "kept_file").as_deref(), Some(&*kept));
        let fields = of_kept(&csrf, "merge", &kept);
        let imported = browser.upload(PATH, &fields, "", b"").await;
        imported.assert_has("<h1>Import finished</h1>");
        assert!(hidden(&imported, "kept_file").is_none());
        assert_eq!(stories(&service, &person).await[0]["current_episode"], 2);
        // No page keeps a file of more than 384 KB.
        for forged in ["%", &"A".repeat(600 * 1024)] {
            let forged = of_kept(&csrf, "merge", forged);
            let forged = browser.upload(PATH, &forged, "", b"").await;
            forged.assert_has("id=\"file-fault\">List file is required.");
            assert!(hidden(&forged, "kept_file").is_none());
        }
    }
}

/// A hexadecimal digit has 4 bits, so gzip packs random ones to half of their size.
#[tokio::test]
async fn large_file_of_a_preview_is_not_kept() {
    let (service, person, _) = with_anime(12).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let mut random = 1_u64;
    let mut digits = || {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        format!("{random:016x}")
    };
    let lines = (1001..=1012).map(|id| {
        let cell: String = iter::repeat_with(&mut digits).take(5000).collect();
        format!("{id},completed,{cell}\n")
    });
    let file = format!("mal_id,status,extra\n{}", lines.collect::<String>());
    let preview = [("mode", "merge"), ("dry_run", "yes")];
    let page = send(&mut browser, &preview, "list.csv", &file).await;
    page.assert_has("The file is too large to be kept in this page.");
    page.assert_has("type=\"file\"");
    assert!(hidden(&page, "kept_file").is_none());
}

#[tokio::test]
async fn all_errors_of_the_form_are_shown_at_once() {
    let (service, person, _) = with_anime(1).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let wrong = [("mode", "all"), ("score_scale", "7"), ("account", "me")];
    let page = send(&mut browser, &wrong, "", b"").await;
    page.assert_status(400);
    for name in ["file", "mode", "score_scale", "account"] {
        page.assert_has(&format!("id=\"{name}-fault\""));
    }
}

#[tokio::test]
async fn mode_decides_about_existing_stories() {
    let (service, person, anime) = with_anime(1).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    service.create_story(&person, &anime[0], 5).await;
    for (mode, episode, expected) in [
        ("keep", 7, 5),
        ("merge", 3, 5),
        ("merge", 6, 6),
        ("replace", 2, 2),
    ] {
        let file = list(&[(1001, "Watching", episode, "Kumo")]);
        import(&mut browser, mode, file).await;
        let found = stories(&service, &person).await;
        assert_eq!(found[0]["current_episode"], expected, "{mode}");
    }
}

#[tokio::test]
async fn unusable_files_are_explained_at_the_form() {
    let (service, person, _) = with_anime(1).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let xml = list(&[(1001, "Watching", 1, "Kumo")]);
    let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
    for _ in 0..65 {
        bomb.write_all(&vec![b' '; 1024 * 1024]).unwrap();
    }
    let bomb = bomb.finish().unwrap();
    let half = &xml.as_bytes()[..xml.len() / 2];
    let invalid_text = b"title,status\n\xe9\x00\x00,watching\n";
    let note = "The file is not an XML, JSON or CSV file that can be imported.";
    let too_long = "The file is longer than 64 MB when unpacked.";
    let packed = gzip(&xml);
    let cases: [(&str, &[u8], &str); 8] = [
        ("", b"", "List file is required."),
        ("empty.xml", b"", "The file is empty."),
        ("note.txt", b"Nothing to see here.", note),
        (
            "list.zip",
            b"PK\x03\x04",
            "The archive is damaged or incomplete",
        ),
        ("half.xml", half, "The XML is invalid or ends too early"),
        (
            "half.xml.gz",
            &packed[..20],
            "The file is damaged or incomplete",
        ),
        ("binary.csv", invalid_text, "The file is not a text file"),
        ("bomb.gz", &bomb, too_long),
    ];
    for (name, file, expected) in cases {
        let page = send(&mut browser, &[("mode", "keep")], name, file).await;
        assert_eq!(page.status, 400, "{name}");
        page.assert_has("<title>Error: Import and export");
        page.assert_has(&format!("id=\"file-fault\">{expected}"));
        page.assert_has(&format!("<a href=\"#file\">{expected}"));
        page.assert_has("value=\"keep\" required checked");
    }
    for mode in ["", "all", "Merge"] {
        let page = send(&mut browser, &[("mode", mode)], "animelist.xml", &xml).await;
        assert_eq!(page.status, 400, "{mode}");
        page.assert_has("id=\"mode-fault\"");
    }
    assert_eq!(stories(&service, &person).await, Vec::<Value>::new());
}

/// The rest of a form that is too large is not kept, but the page still has the message.
#[tokio::test]
async fn file_above_4_mb_is_refused_on_the_page() {
    let (service, person, _) = with_anime(1).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let mut file = list(&[(1001, "Watching", 1, "Kumo")]);
    for size in [MAX_UPLOAD + 1, MAX_UPLOAD + 100_000, 2 * MAX_UPLOAD] {
        file.extend(std::iter::repeat_n(' ', size - file.len()));
        let page = send(&mut browser, &[("mode", "merge")], "animelist.xml", &file).await;
        assert_eq!(page.status, 400, "{size}");
        let expected = "List file must have at most 4 MB; compress a larger file with gzip.";
        page.assert_has(expected);
    }
    assert_eq!(stories(&service, &person).await.len(), 0);
    file.truncate(MAX_UPLOAD);
    let page = import(&mut browser, "merge", &file).await;
    assert_eq!(table(&page, "New"), "Kumo|観|Watching|1|80");
}

/// Sends a body to the page with the session of a browser.
async fn send_body(
    service: &Service,
    browser: &PageClient<'_>,
    media_type: &str,
    body: impl Into<Body>,
) -> Answer {
    let cookie = format!("__Host-session={}", browser.cookies["__Host-session"]);
    let headers = [("content-type", media_type), ("cookie", &cookie)];
    service.send_body(Method::POST, PATH, &headers, body).await
}

/// Returns the media type and the body of the form after the button "Preview" was pressed. The name of the button comes
/// after the file.
fn preview(csrf: &str, file: &[u8]) -> (String, Vec<u8>) {
    let fields = [("csrf", csrf), ("mode", "replace")];
    let (media_type, mut body) = multipart(&fields, "animelist.xml", file);
    let boundary = media_type.after("boundary=");
    body.truncate(body.len() - "--\r\n".len());
    let button = format!(
        "\r\nContent-Disposition: form-data; name=\"dry_run\"\r\n\r\nyes\r\n--{boundary}--\r\n"
    );
    body.extend(button.into_bytes());
    (media_type, body)
}

#[tokio::test]
async fn incomplete_forms_import_nothing() {
    let (service, person, _) = with_anime(1).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let csrf = hidden(&browser.get(PATH).await, "csrf").unwrap();
    let file = list(&[(1001, "Watching", 1, "Kumo")]);
    let (media_type, body) = preview(&csrf, file.as_bytes());
    // The form is also complete without the line break after the last boundary.
    let complete = body.len() - "\r\n".len();
    for length in (0..complete).step_by(7).chain([complete - 1]) {
        let cut = body[..length].to_vec();
        let answer = send_body(&service, &browser, &media_type, cut).await;
        assert_eq!(answer.status, 400, "{length}: {}", answer.text());
        answer.assert_has("The form is incomplete or malformed.");
    }
    let malformed = String::from_utf8(body.clone()).unwrap();
    let malformed = malformed.replace("\r\n\r\nyes", "\r\nno header\r\n\r\nyes");
    let answer = send_body(&service, &browser, &media_type, malformed).await;
    answer.assert_status(400);
    assert_eq!(stories(&service, &person).await.len(), 0);
    let answer = send_body(&service, &browser, &media_type, body).await;
    answer.assert_has("<h1>Preview of the import</h1>");
}

#[tokio::test]
async fn forms_that_repeat_a_field_import_nothing() {
    let (service, person, _) = with_anime(1).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let file = list(&[(1001, "Watching", 1, "Kumo")]);
    let fields = [("mode", "keep"), ("mode", "replace")];
    let answer = send(&mut browser, &fields, "animelist.xml", file).await;
    answer.assert_status(400);
    answer.assert_has("The form must have each field only once.");
    assert_eq!(stories(&service, &person).await.len(), 0);
}

/// Returns a body of 64 MB that begins with `start`, and the number of bytes that have been read from it.
fn counted(start: Vec<u8>) -> (Body, Arc<AtomicUsize>) {
    let read = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&read);
    let chunks = iter::once(start).chain(iter::repeat_n(vec![b' '; 64 * 1024], 1024));
    let chunks = chunks.map(move |chunk| {
        counter.fetch_add(chunk.len(), Ordering::Relaxed);
        Ok::<_, Infallible>(chunk)
    });
    (Body::from_stream(stream::iter(chunks)), read)
}

#[tokio::test]
async fn body_of_an_endless_form_is_not_read_to_its_end() {
    let (service, person, _) = with_anime(1).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let csrf = hidden(&browser.get(PATH).await, "csrf").unwrap();
    let (media_type, form) = preview(&csrf, b"");
    let (body, read) = counted(form);
    let answer = send_body(&service, &browser, &media_type, body).await;
    answer.assert_status(413);
    answer.assert_has(
        "List files on this page are limited to 4 MB. Compress a larger file with gzip.",
    );
    let read = read.load(Ordering::Relaxed);
    assert!(read > 2 * MAX_UPLOAD && read < 3 * MAX_UPLOAD, "{read}");
    assert_eq!(stories(&service, &person).await.len(), 0);
}

#[tokio::test]
async fn body_is_not_read_if_the_headers_are_enough_to_refuse_it() {
    let (service, person, _) = with_anime(1).await;
    let browser = PageClient::signed_in(&service, &person).await;
    let session = format!("__Host-session={}", browser.cookies["__Host-session"]);
    let ended = format!("__Host-session={}.{}", person.id.get(), "A".repeat(43));
    let (media_type, form) = preview("", b"");
    let media_type = ("content-type", media_type.as_str());
    let other_type = ("content-type", "application/octet-stream");
    let session = ("cookie", session.as_str());
    let long = ("content-length", "67108864");
    let cases = [
        (vec![media_type], 303),
        (vec![media_type, ("cookie", &ended)], 303),
        (vec![other_type, session], 403),
        (vec![media_type, session, long], 413),
    ];
    for (headers, status) in cases {
        let (body, read) = counted(form.clone());
        let answer = service.send_body(Method::POST, PATH, &headers, body).await;
        assert_eq!(answer.status, status, "{headers:?}");
        assert_eq!(read.load(Ordering::Relaxed), 0, "{headers:?}");
    }
    let headers = [media_type, long, ("accept-language", "fr")];
    let (body, _) = counted(form);
    let answer = service.send_body(Method::POST, PATH, &headers, body).await;
    answer.assert_has("4\u{a0}Mo");
}

#[tokio::test]
async fn forms_of_other_sites_import_nothing() {
    let (service, person, _) = with_anime(1).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let mut other = PageClient::signed_in(&service, &person).await;
    let others = hidden(&other.get(PATH).await, "csrf").unwrap();
    let file = list(&[(1001, "Watching", 1, "Kumo")]);
    for csrf in ["", "nonsense", &others] {
        let fields = [("csrf", csrf), ("mode", "merge")];
        let answer = browser
            .upload(PATH, &fields, "animelist.xml", file.as_bytes())
            .await;
        answer.assert_status(403);
    }
    let csrf = hidden(&browser.get(PATH).await, "csrf").unwrap();
    // A form in another encoding has no file.
    let answer = browser
        .post(PATH, &[("csrf", &csrf), ("mode", "merge")])
        .await;
    assert_eq!(answer.status, 403);
    assert_eq!(stories(&service, &person).await.len(), 0);
}

#[tokio::test]
async fn visitors_sign_in_first() {
    let (service, person, _) = with_anime(1).await;
    let mut browser = PageClient::new(&service);
    let sign_in = "/sign-in?next=/profile/history";
    for path in [PATH, "/profile/history/export?format=csv"] {
        browser.get(path).await.assert_leads_to(sign_in);
    }
    // The session ends while the page is open.
    let page = browser.get("/sign-in").await;
    let csrf = hidden(&page, "csrf").unwrap();
    let fields = [("csrf", csrf.as_str()), ("mode", "merge")];
    let file = list(&[(1001, "Watching", 1, "Kumo")]);
    let answer = browser
        .upload(PATH, &fields, "animelist.xml", file.as_bytes())
        .await;
    answer.assert_leads_to(sign_in);
    assert_eq!(stories(&service, &person).await.len(), 0);
    let answer = sign_in_as(&mut browser, sign_in, &person.name).await;
    answer.assert_leads_to(PATH);
}

#[tokio::test]
async fn texts_of_the_file_are_escaped() {
    let (service, person, _) = with_anime(1).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let title = "<script>alert('x')</script>&\"";
    let entry =
        |id: u32, status: &str| format!("{id},{status},\"{}\"\n", title.replace('"', "\"\""));
    let entries = [
        entry(1001, "watching"),
        entry(9999, "watching"),
        entry(1001, "<b>"),
        entry(9998, "?"),
    ];
    let file = format!("mal_id,status,title,<i>extra</i>\n{}", entries.concat());
    let page = import(&mut browser, "merge", file).await;
    for heading in ["New", "Not in the catalogue", "Skipped"] {
        let section = section(&page, heading).unwrap();
        section.assert_has("&lt;script&gt;alert('x')&lt;/script&gt;&amp;");
    }
    for tag in ["<script>", "<b>", "<i>"] {
        page.assert_lacks(tag);
    }
}

#[tokio::test]
async fn long_reports_are_shortened() {
    let (service, person, _) = with_anime(150).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let title = "A title of usual length, with a subtitle";
    let long = "長".repeat(300);
    let known = (1..=150).map(|number| (1000 + number, "Watching", 1, title));
    let unknown = (1..=1100).map(|number| (50_000 + number, "Watching", 1, title));
    let broken = (1..=101).map(|number| (80_000 + number, "Sleeping", 1, title));
    let mut entries: Vec<_> = known.chain(unknown).chain(broken).collect();
    entries[0].3 = &long;
    let page = import(&mut browser, "merge", list(&entries)).await;
    for (heading, more) in [
        ("New", "50"),
        ("Not in the catalogue", "1,000"),
        ("Skipped", "1"),
    ] {
        let text = section(&page, heading).unwrap();
        assert!(text.ends_with(&format!("|And {more} more.")), "{text}");
        let count = text.matches(title).count() + text.matches('…').count();
        assert_eq!(count, 100, "{heading}");
    }
    page.assert_has(&format!("{}…", "長".repeat(100)));
    page.assert_lacks(&"長".repeat(101));
    assert!(page.len() < 70_000, "{}", page.len());
}

#[tokio::test]
async fn exports_are_the_files_of_the_api() {
    let (service, person, anime) = with_anime(2).await;
    service.create_story(&person, &anime[0], 5).await;
    service.create_story(&person, &anime[1], 12).await;
    let other = service.person("mitsuha").await;
    let bearer = format!("Bearer {}", person.token);
    let mut browser = PageClient::signed_in(&service, &person).await;
    let cookie = format!("__Host-session={}", browser.cookies["__Host-session"]);
    for query in [
        "",
        "?format=json",
        "?format=csv",
        "?format=mal_xml",
        "?format=csv&status=0",
    ] {
        for encoding in ["identity", "gzip"] {
            let encoding = ("accept-encoding", encoding);
            let path = format!("/v1/user_story/export{query}");
            let expected = service
                .get_with(&path, &[("authorization", &bearer), encoding])
                .await;
            assert_eq!(expected.status, 200);
            let path = format!("{PATH}/export{query}");
            let file = service
                .get_with(&path, &[("cookie", &cookie), encoding])
                .await;
            assert_eq!(file.status, 200, "{query}");
            assert_eq!(file.body, expected.body, "{query}");
            for name in [
                "content-type",
                "content-disposition",
                "content-encoding",
                "cache-control",
                "x-left-out",
            ] {
                assert_eq!(file.header(name), expected.header(name), "{query}");
            }
        }
    }
    let path = format!("{PATH}/export?user_id={}", other.id.get());
    let own = browser.get(&path).await;
    own.header("content-disposition").assert_has("kiroku-taki-");
    let page = browser.get(&format!("{PATH}/export?format=xml")).await;
    assert_eq!(page.status, 400);
    page.assert_has("format: must be one of mal_xml, csv, json.");
}

/// An export restores the history of another user.
#[tokio::test]
async fn exported_file_can_be_imported() {
    let (service, person, anime) = with_anime(2).await;
    service.create_story(&person, &anime[0], 5).await;
    service.create_story(&person, &anime[1], 12).await;
    let other = service.person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let mut others = PageClient::signed_in(&service, &other).await;
    for format in ["mal_xml", "csv", "json"] {
        let file = browser.get(&format!("{PATH}/export?format={format}")).await;
        import(&mut others, "replace", file.body).await;
        let of = async |person| {
            let mut found = stories(&service, person).await;
            for story in &mut found {
                for name in ["id", "user_id", "creation_date", "updated_at"] {
                    story.as_object_mut().unwrap().remove(name);
                }
                let details = story["details"].as_object_mut().unwrap();
                details.retain(|name, _| {
                    !["created_at", "updated_at", "synced"].contains(&name.as_str())
                });
            }
            found.sort_by_key(|story| story["anime_id"].as_u64());
            found
        };
        assert_eq!(of(&other).await, of(&person).await, "{format}");
    }
}

/// API Gateway sends forms with a file in Base64.
#[tokio::test]
async fn files_survive_the_event_of_a_lambda_function() {
    let (service, person, _) = with_anime(1).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let csrf = hidden(&browser.get(PATH).await, "csrf").unwrap();
    let router = service.router_of("list_pages");
    let packed = gzip(&list(&[(1001, "Watching", 3, "Kumo")]));
    let fields = [("csrf", csrf.as_str()), ("mode", "merge")];
    let (media_type, body) = multipart(&fields, "animelist.xml.gz", &packed);
    let event = request("POST", PATH, "");
    let mut event = with_body(event, &media_type, &STANDARD.encode(body));
    event["isBase64Encoded"] = true.into();
    let session = &browser.cookies["__Host-session"];
    event["cookies"] = json!([format!("__Host-session={session}")]);
    event["headers"]["cookie"] = format!("__Host-session={session}").into();
    let page = invoke(&router, &event).await;
    page.assert_status(200);
    assert_eq!(table(&page.text(), "New"), "Kumo|観|Watching|3|80");
    assert_eq!(stories(&service, &person).await[0]["current_episode"], 3);
}

#[tokio::test]
async fn import_is_undone_on_the_page() {
    let (service, person, anime) = with_anime(3).await;
    service.create_story(&person, &anime[0], 2).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let file = list(&[
        (1001, "Watching", 5, "Kumo"),
        (1002, "Watching", 5, "Sora"),
        (1003, "Watching", 5, "Umi"),
    ]);
    let report = send(&mut browser, &[("mode", "replace")], "list.xml", &file).await;
    report.assert_has("Undo this import");
    let id = report.between("?undo=", "\"");
    service.clock.advance(Duration::from_secs(5));
    let body = story_body(&person, &anime[2], 0, 6);
    let updated = service.post_as(&person.token, "/v1/user_story", &body);
    assert_eq!(updated.await.status, 200);

    let page = browser.get(IMPORTS).await;
    page.assert_has("It added 2 entries and changed 1 entry that you still have.");
    page.assert_has("Import of 14 November 2023, 22:13:20 UTC");
    page.assert_lacks("name=\"import_id\"");
    // The page asks before it deletes entries.
    let question = browser.get(&format!("{IMPORTS}?undo={id}")).await;
    question.assert_has("<h1>Undo this import?</h1>");
    question.assert_has("2 entries that it added are deleted from your list.");
    question.assert_has("1 entry that it changed gets its old values.");
    question.assert_lacks("waits for its anime");
    assert_eq!(hidden(&question, "import_id"), Some(id.clone()));
    assert_eq!(stories(&service, &person).await.len(), 3);
    let unknown = format!("{IMPORTS}?undo=0a1b2c3d4e5f6071");
    let unknown = browser.get(&unknown).await;
    unknown.assert_has("<h1>Recent imports</h1>");
    let csrf = hidden(&question, "csrf").unwrap();
    let undo = [("csrf", csrf.as_str()), ("import_id", id.as_str())];
    let undone = browser.post(IMPORTS, &undo).await;
    assert_eq!(undone.status, 200);
    let expected = "1 entry restored, 1 entry deleted. You have changed 1 entry since.";
    undone.assert_has(expected);
    let episodes = stories(&service, &person).await;
    let episodes = episodes.iter().map(|story| &story["current_episode"]);
    let mut episodes: Vec<u64> = episodes.map(|number| number.as_u64().unwrap()).collect();
    episodes.sort_unstable();
    assert_eq!(episodes, [2, 6]);

    let unknown = [("csrf", csrf.as_str()), ("import_id", "0a1b2c3d4e5f6071")];
    assert_eq!(browser.post(IMPORTS, &unknown).await.status, 404);
    let forged = [("csrf", "forged"), ("import_id", id.as_str())];
    assert_eq!(browser.post(IMPORTS, &forged).await.status, 403);
    // A preview and an import without changes have nothing to undo.
    let preview = [("mode", "replace"), ("dry_run", "yes")];
    let preview = send(&mut browser, &preview, "list.xml", &file).await.text();
    let again = import(&mut browser, "keep", &file).await;
    let other = import(&mut browser, "keep", &list(&[(1001, "Dropped", 1, "Kumo")])).await;
    // The import adds the deleted entry again.
    again.assert_has("Undo this import");
    for page in [preview, other] {
        page.assert_lacks("Undo this import");
    }
    service.clock.advance(Duration::from_hours(7 * 24 + 1));
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get(IMPORTS).await.text();
    page.assert_has("You have not imported anything in the last 7 days.");
}

#[tokio::test]
async fn waiting_entries_are_listed_with_links_to_the_search() {
    const WAITING: &str = "/profile/history/waiting";
    let (service, person, _) = with_anime(1).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let empty = browser.get(WAITING).await.text();
    empty.assert_has("No entry of your imports waits");
    let titles: Vec<String> = (0..120)
        .map(|number| format!("<b>Kaze & {number}</b>"))
        .collect();
    let entries: Vec<_> = (9000_u32..)
        .zip(&titles)
        .map(|(id, title)| (id, "Watching", 3, title.as_str()))
        .collect();
    import(&mut browser, "merge", list(&entries)).await;
    let mut shown = 0;
    for page in ["", "?page=2", "?page=3"] {
        let page = browser.get(&format!("{WAITING}{page}")).await;
        assert_eq!(page.status, 200);
        assert!(page.body.len() < 60_000, "{}", page.body.len());
        shown += page
            .text()
            .matches("Watching</span></td><td class=\"r\">3</td>")
            .count();
    }
    assert_eq!(shown, 120);
    let page = browser.get(WAITING).await.text();
    for part in [
        "120 entries of your imports wait",
        "&lt;b&gt;Kaze &amp; 0&lt;/b&gt;",
        "https://myanimelist.net/anime/9000",
        "/anime?search=%3Cb%3EKaze%20%26%200%3C%2Fb%3E",
        "Page 1 of 3",
        "/profile/history/waiting/file",
    ] {
        page.assert_has(part);
    }
    page.assert_lacks("<b>Kaze");
    let beyond = browser.get(&format!("{WAITING}?page=99")).await.text();
    beyond.assert_has("Page 3 of 3");
    let other = service.person("mitsuha").await;
    let mut other = PageClient::signed_in(&service, &other).await;
    assert!(!other.get(WAITING).await.text().contains("Kaze"));
    assert_eq!(service.get(WAITING).await.status, 303);
}
