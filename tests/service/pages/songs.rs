//! Songs on the pages: below the anime of a search, at `/song` and at `/song/{id}`.

use shared::models::{Anime, AnimeId, Role, Season, Song, SongId, SongType};
use tests::assertions::AssertText;
use tests::browser::PageClient;
use tests::made_up::{self, titled_anime};
use tests::service::{PUBLIC_URL, Service};

use super::review::text;
use super::{assert_rounds, numbers_after, set_language};

fn anime(id: u64, title: &str) -> Anime {
    Anime {
        cover_image: format!("https://images.example/{id}.png"),
        ..titled_anime(id, "en", title)
    }
}

fn song(anime: u64, slot: u16, title: &str, artist: &str) -> Song {
    let anime_id = AnimeId::new(anime).unwrap();
    Song {
        id: SongId::of_anime(anime_id, slot).unwrap(),
        anime_id,
        title: title.to_owned(),
        artist: artist.to_owned(),
        album: "Your Name.".to_owned(),
        year: 2016,
        season: Season::Summer,
        duration: 284_900,
        preview_url: "https://music.example/preview".to_owned(),
        open_player_url: "https://music.example/play".to_owned(),
        local_player_url: "player:track:1".to_owned(),
        song_type: SongType::Opening,
    }
}

/// Returns a service with two anime and three songs of two artists.
async fn service() -> Service {
    let anime = [anime(1, "Your Comet"), anime(2, "Weather")];
    let songs = [
        song(1, 0, "Zenzenzense", "Radwimps & Friends"),
        song(1, 1, "Sparkle", "Radwimps & Friends"),
        song(2, 0, "Comet Song", "Toko"),
    ];
    Service::with_catalogue(&anime, &songs).await
}

/// Returns the paths of songs that a page links to, in its order.
fn songs_of(page: &str) -> Vec<u64> {
    numbers_after(page, " href=\"/song/")
}

#[tokio::test]
async fn search_for_anime_shows_songs_and_artists_below() {
    let service = service().await;
    let page = text(&service, "/anime?search=comet").await;
    assert_eq!(songs_of(&page), [2048]);
    let place = |part: &str| page.find(part).unwrap_or_else(|| panic!("{part}: {page}"));
    // The songs come after the anime, and a link leads to them.
    assert!(place("<li class=\"card\">") < place("id=\"songs\""));
    let link = "<h2>Results</h2><a href=\"#songs\">1 song</a>";
    assert!(place(link) < place("<li class=\"card\">"));
    page.assert_has("<p class=\"unseen\" role=\"status\">1 anime, 1 song</p>");
    page.after("id=\"songs\"").assert_has("href=\"/anime/2\"");
    page.assert_has("href=\"/song?artist=Toko\" dir=\"auto\">Toko</a>");
    let artist = text(&service, "/anime?search=radwimps").await;
    assert_eq!(songs_of(&artist), [1024, 1025]);
    artist.assert_has("No anime matches.");
    // The page shows no songs if there is no search text, on later pages, and if no song matches.
    for query in ["", "status=0", "search=comet&page=2", "search=weather"] {
        let page = service.get(&format!("/anime?{query}")).await.text();
        assert!(!page.contains("id=\"songs\""), "{query}: {page}");
        assert_eq!(songs_of(&page), Vec::<u64>::new(), "{query}");
    }
}

#[tokio::test]
async fn at_most_ten_songs_are_below_the_anime() {
    let songs: Vec<Song> = (0..60)
        .map(|slot| song(1, slot, &format!("Comet {slot}"), "Toko"))
        .collect();
    let service = Service::with_catalogue(&[anime(1, "Your Comet")], &songs).await;
    let page = text(&service, "/anime?search=comet").await;
    assert_eq!(songs_of(&page).len(), 10);
    let all = "href=\"/song?search=comet\">All 60 songs</a>";
    page.assert_has(all);
    let first = text(&service, "/song?search=comet").await;
    first.assert_has("60 songs");
    first.assert_has("Page 1 of 2");
    let next = "href=\"/song?search=comet&amp;page=2\" rel=\"next\"";
    first.assert_has(next);
    let mut all = songs_of(&first);
    all.extend(songs_of(&text(&service, "/song?search=comet&page=2").await));
    let listed = service.get("/v1/song?search=comet&per_page=100").await;
    assert_eq!(all, listed.ids());
    let beyond = text(&service, "/song?search=comet&page=9007199254740991").await;
    assert_eq!(
        songs_of(&beyond),
        songs_of(&text(&service, "/song?search=comet&page=2").await)
    );
    beyond.assert_has("Page 2 of 2");
}

#[tokio::test]
async fn list_of_songs_has_those_of_an_artist() {
    let service = service().await;
    let page = text(&service, "/song?artist=Radwimps%20%26%20Friends").await;
    assert_eq!(songs_of(&page), [1024, 1025]);
    let count = "2 songs by Radwimps &amp; Friends";
    page.assert_has(count);
    assert_eq!(songs_of(&text(&service, "/song").await).len(), 3);
    let none = text(&service, "/song?search=nosuchsongatall").await;
    none.assert_has("No song matches.");
    none.assert_has("<a href=\"/anime?search=nosuchsongatall\">Search the anime</a>");
}

/// No sentence has the words of the API.
#[tokio::test]
async fn invalid_parameters_are_ignored_and_named() {
    let service = service().await;
    let ignored = "this value is not possible, so it is ignored.";
    let long = format!("artist={}", "x".repeat(501));
    for (query, field) in [
        ("search=%21", Some("Search")),
        ("search=%FF", Some("Search")),
        (long.as_str(), Some("Artist")),
        ("page=0", None),
        ("page=x", None),
    ] {
        let page = text(&service, &format!("/song?{query}")).await;
        assert_eq!(songs_of(&page).len(), 3, "{query}");
        match field {
            Some(field) => page.assert_has(&format!("<li>{field}: {ignored}</li>")),
            None => page.assert_lacks(ignored),
        }
        page.assert_lacks("must ");
    }
}

#[tokio::test]
async fn search_for_the_name_of_an_anime_finds_its_songs() {
    let mut adult = anime(3, "Your Comet at Night");
    adult.nsfw = true;
    let anime = [anime(1, "Your Comet"), anime(2, "Weather"), adult];
    let songs = [
        song(1, 0, "Zenzenzense", "Radwimps"),
        song(1, 1, "Comet of Yours", "Radwimps"),
        song(2, 0, "Your Comet Song", "Toko"),
        song(3, 0, "Night", "Toko"),
    ];
    let service = Service::with_catalogue(&anime, &songs).await;
    let page = text(&service, "/song?search=your+comet").await;
    let (found, named) = (
        page.before("Songs of “your comet”"),
        page.after("Songs of “your comet”"),
    );
    assert!(songs_of(&found).contains(&2048), "{page}");
    // Each song is shown once, and none of an anime for adults.
    assert!(songs_of(&named).contains(&1024), "{page}");
    let mut all = songs_of(&page);
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), songs_of(&page).len(), "{page}");
    assert!(!all.contains(&3072), "{page}");
    // A song with another name is found by that of its anime alone.
    let page = text(&service, "/song?search=weather").await;
    assert_eq!(songs_of(&page), [2048]);
    page.assert_has("<h2>Songs of “weather”</h2>");
    page.assert_lacks("No song matches.");
    for query in [
        "search=weather&page=2",
        "search=weather&artist=Toko",
        "artist=weather",
    ] {
        let page = text(&service, &format!("/song?{query}")).await;
        page.assert_lacks("Songs of “");
    }
}

/// Lists name an anime for adults only to visitors who want such titles.
#[tokio::test]
async fn titles_for_adults_are_not_named_beside_songs() {
    let mut adult = anime(1, "Night Comet");
    adult.nsfw = true;
    let songs = [song(1, 0, "Comet Song", "Toko")];
    let service = Service::with_catalogue(&[adult], &songs).await;
    for path in ["/anime?search=comet", "/song?search=comet", "/song"] {
        let page = text(&service, path).await;
        assert_eq!(songs_of(&page), [1024], "{path}");
        assert!(!page.contains("Night Comet"), "{path}: {page}");
        assert!(page.contains("For adults"), "{path}: {page}");
    }
    let page = text(&service, "/anime?search=comet&adult=true").await;
    page.after("id=\"songs\"").assert_has("Night Comet");
}

#[tokio::test]
async fn page_of_a_song_shows_everything() {
    let service = service().await;
    let page = text(&service, "/song/1024").await;
    for part in [
        "<title>Zenzenzense - Kiroku</title>",
        "<h1 itemprop=\"name\" dir=\"auto\">Zenzenzense</h1>",
        "itemtype=\"https://schema.org/MusicRecording\"",
        "href=\"/anime/1\"><span lang=\"en\" dir=\"auto\">Your Comet</span></a>",
        "<a class=\"cover\" href=\"/anime/1\" tabindex=\"-1\" aria-hidden=\"true\">",
        "src=\"https://images.example/1.png\"",
        "href=\"/song?artist=Radwimps%20%26%20Friends\"",
        "<li>Album <b dir=\"auto\">Your Name.</b></li>",
        "<li>Summer 2016</li>",
        "<li>Length <b>4:44</b></li>",
        "<h2>Other songs of this anime</h2>",
        "<th scope=\"row\">Opening</th><td><a href=\"/song/1025\" dir=\"auto\">Sparkle</a></td>",
        "href=\"https://music.example/play\" rel=\"noopener noreferrer\"",
        "href=\"https://music.example/preview\"",
        "href=\"/v1/song/1024\"",
        "<link rel=\"canonical\" href=\"https://kiroku.test/song/1024\">",
        "<meta property=\"og:title\" content=\"Zenzenzense\">",
        "<meta property=\"og:type\" content=\"music.song\">",
        "content=\"Opening · Your Comet · Radwimps &amp; Friends\"",
        "<meta property=\"og:image\" content=\"https://images.example/1.png\">",
    ] {
        page.assert_has(part);
    }
    page.assert_lacks("player:track");
    page.assert_lacks("/moderation/");
    assert_eq!(songs_of(&page), [1025]);
    let alone = text(&service, "/song/2048").await;
    alone.assert_lacks("Other songs of this anime");
    // The page of the anime leads to the song and to the artist's songs.
    let anime = text(&service, "/anime/1").await;
    assert_eq!(songs_of(&anime), [1024, 1025]);
    let artist = "href=\"/song?artist=Radwimps%20%26%20Friends\"";
    anime.assert_has(artist);
    let moderator = service.person_with_role("mitsuha", Role::Moderator).await;
    let mut browser = PageClient::signed_in(&service, &moderator).await;
    let page = browser.get("/song/1024").await.text();
    page.assert_has("href=\"/moderation/song/1024\"");
    let page = browser.get("/moderation/song/1024").await.text();
    page.assert_has("href=\"/song/1024\"");
}

#[tokio::test]
async fn page_of_a_song_has_the_actions_of_its_anime() {
    let service = service().await;
    text(&service, "/song/1024")
        .await
        .assert_lacks("class=\"add\"");
    let person = service.person("mitsuha").await;
    let created = service
        .create_story(&person, &anime(1, "Your Comet"), 0)
        .await;
    created.assert_status(200);
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/song/1024").await.text();
    page.assert_has("<span class=\"unseen\">Watching</span>");
    assert_eq!(page.matches("<details class=\"add\">").count(), 1);
    let form = page.between("<form id=\"quick\"", "</form>");
    form.assert_has("name=\"back\" value=\"/song/1024\"");
    let page = browser.get("/song/2048").await.text();
    page.assert_lacks("<span class=\"unseen\">Watching</span>");
}

#[tokio::test]
async fn unknown_songs_are_not_found() {
    let service = service().await;
    for id in [
        "1026",
        "0",
        "1",
        "1023",
        "-1",
        "abc",
        "1024x",
        "%ff",
        "34359738367",
        "34359738368",
        "9007199254740992",
        "18446744073709551616",
    ] {
        let page = service
            .get_with(&format!("/song/{id}"), &[("accept-language", "en")])
            .await;
        assert_eq!(page.status, 404, "{id}");
        page.assert_has("<h1>Song not found</h1>");
    }
}

#[tokio::test]
async fn api_links_to_the_pages() {
    let service = service().await;
    for path in ["/anime/1", "/song/1024"] {
        let answer = service.get(&format!("/v1{path}")).await;
        let link = format!("<{PUBLIC_URL}{path}>; rel=\"alternate\"; type=\"text/html\"");
        assert_eq!(answer.header("link"), link);
        assert_eq!(service.get(path).await.status, 200);
        // A list links to its next page only.
        let kind = path.split('/').nth(1).unwrap();
        assert_eq!(service.get(&format!("/v1/{kind}")).await.header("link"), "");
        let missing = service.get(&format!("/v1/{kind}/999999")).await;
        assert_eq!(missing.header("link"), "");
    }
    let with_songs = service.get("/v1/anime/1?include=songs").await;
    assert!(with_songs.header("link").contains("/anime/1>"));
}

#[tokio::test]
async fn hostile_and_missing_values_do_no_harm() {
    let script = "<script>alert(1)</script>\"'";
    let mut strange = song(1, 0, script, script);
    for address in [
        &mut strange.open_player_url,
        &mut strange.preview_url,
        &mut strange.local_player_url,
    ] {
        "javascript:alert(1)".clone_into(address);
    }
    let bare = Song {
        album: String::new(),
        year: 0,
        season: Season::Unknown,
        duration: 0,
        preview_url: String::new(),
        open_player_url: String::new(),
        ..song(2, 0, "Alone", "")
    };
    // The anime of the second song is missing.
    let service = Service::with_catalogue(&[anime(1, script)], &[strange, bare]).await;
    for path in [
        "/song",
        "/song/1024",
        "/song/2048",
        "/anime?search=script",
        "/song?artist=%3Cscript%3Ealert(1)",
    ] {
        let page = text(&service, path).await;
        for attack in ["<script>alert", "javascript:"] {
            assert!(!page.contains(attack), "{path}: {page}");
        }
    }
    let bare = text(&service, "/song/2048").await;
    bare.assert_lacks("Album");
    bare.assert_lacks("Length");
    bare.assert_lacks("/anime/2");
}

#[tokio::test]
async fn pages_of_songs_read_in_one_round() {
    let service = service().await;
    let person = service.person("mitsuha").await;
    let (service, rounds) = service.with_rounds();
    let mut browser = PageClient::signed_in(&service, &person).await;
    // The first request loads the indexes with their texts, and no document of a song.
    assert_eq!(browser.get("/anime?search=nosuchanime").await.status, 200);
    for path in ["/song/1024", "/song?search=sparkle", "/anime?search=comet"] {
        assert_rounds(&mut browser, &rounds, path, 1).await;
    }
}

/// The limits are 30,000 bytes for the page of a song and 100,000 for lists.
#[tokio::test]
async fn pages_of_songs_are_small() {
    let long = |text: &str| format!("{text} {}", "長い題名 ".repeat(12));
    let mut catalogue = made_up::anime(60, 3);
    for anime in &mut catalogue {
        anime.nsfw = false;
        anime.titles = [("en", long("comet")), ("jp", long("彗星"))]
            .map(|(code, title)| (code.to_owned(), title))
            .into();
        anime.cover_image = format!("https://images.example/{}", "c".repeat(120));
    }
    let songs: Vec<Song> = (1..=60)
        .map(|id| song(id, 0, &long("comet"), &long("artist")))
        .collect();
    let service = Service::with_catalogue(&catalogue, &songs).await;
    for (path, limit) in [
        ("/song/1024", 30_000),
        ("/song?search=comet", 100_000),
        ("/anime?search=comet", 100_000),
    ] {
        let size = service.get(path).await.body.len();
        assert!(size < limit, "{path}: {size}");
    }
}

#[tokio::test]
async fn pages_of_songs_are_in_the_language_of_the_account() {
    let service = service().await;
    let person = service.person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    for (code, search, artist) in [
        ("fr", "Rechercher une chanson ou un artiste", "Artiste"),
        ("it", "Cerca canzoni e artisti", "Artista"),
        ("jp", "楽曲・アーティストを検索", "アーティスト"),
    ] {
        set_language(&service, &person, code).await;
        let page = browser.get("/song").await.text();
        assert!(page.contains(search), "{code}: {page}");
        let page = browser.get("/song/1024").await.text();
        page.assert_has(&format!("<span class=\"unseen\">{artist} </span>"));
    }
}
