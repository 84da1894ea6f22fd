//! The suggestions below the search in the header (`/anime/suggest`).

use serde_json::json;
use shared::models::{Anime, AnimeId, Song, SongId};
use tests::assertions::AssertText;
use tests::browser::{PageClient, hidden};
use tests::made_up::{self, titled_anime};
use tests::service::{Answer, Service};

use super::assert_rounds;
use super::list::{put, story};

fn anime(id: u64, title: &str) -> Anime {
    Anime {
        cover_image: format!("https://images.example/{id}.png"),
        season_year: Some(2016),
        ..titled_anime(id, "en", title)
    }
}

fn song(anime: u64, title: &str) -> Song {
    let anime_id = AnimeId::new(anime).unwrap();
    Song {
        id: SongId::of_anime(anime_id, 0).unwrap(),
        anime_id,
        title: title.to_owned(),
        artist: "Toko".to_owned(),
        ..made_up::songs(1, 1).remove(0)
    }
}

/// Returns a service with three anime, one of them for adults, and a song.
async fn service() -> Service {
    let adult = Anime {
        nsfw: true,
        ..anime(6, "Comet at Night")
    };
    let anime = [anime(2, "Your Comet"), anime(4, "Comet Hunters"), adult];
    Service::with_catalogue(&anime, &[song(4, "Comet Song")]).await
}

/// Returns the number of suggestions.
fn count(part: &Answer) -> usize {
    part.text().matches("<li>").count()
}

#[tokio::test]
async fn anime_and_songs_are_suggested() {
    let service = service().await;
    let part = service.get("/anime/suggest?search=comet").await;
    part.assert_status(200);
    assert_eq!(part.header("content-type"), "text/html; charset=utf-8");
    part.assert_has("<p class=\"unseen\">3 results</p>");
    assert_eq!(count(&part), 3);
    part.assert_has(
        "<a href=\"/anime/2\"><span lang=\"en\" dir=\"auto\">Your Comet</span></a><p>2016 · TV</p>",
    );
    part.assert_has("dir=\"auto\">Comet Song</a><p dir=\"auto\">Toko</p>");
    part.assert_has("<a href=\"/anime?search=comet\">All results for “comet”</a>");
    // A visitor has no list, and anime for adults are on no list that does not ask for them.
    for other in ["<form", "<button", "<main", "Night"] {
        part.assert_lacks(other);
    }
    let french = service
        .get_with("/anime/suggest?search=comet", &[("accept-language", "fr")])
        .await;
    french.assert_has("3 résultats");
}

#[tokio::test]
async fn images_are_loaded_on_pages_that_may_load_them() {
    let service = service().await;
    for (covers, images) in [("", 0), ("&covers=false", 0), ("&covers=true", 2)] {
        let address = format!("/anime/suggest?search=comet{covers}");
        let part = service.get(&address).await;
        assert_eq!(part.text().matches("<img").count(), images, "{covers}");
    }
}

#[tokio::test]
async fn suggestions_are_few_and_small() {
    let all: Vec<Anime> = (1..=20)
        .map(|id| anime(id, &format!("Comet {id} {}", "長い題名 ".repeat(40))))
        .collect();
    let songs: Vec<Song> = (1..=20)
        .map(|id| song(id, &format!("Comet {id}")))
        .collect();
    let service = Service::with_catalogue(&all, &songs).await;
    let person = service.person("mitsuha").await;
    let (service, rounds) = service.with_rounds();
    let mut browser = PageClient::signed_in(&service, &person).await;
    let path = "/anime/suggest?search=comet&covers=true";
    // The first request reads the index.
    browser.get(path).await.assert_status(200);
    assert_rounds(&mut browser, &rounds, path, 1).await;
    let part = browser.get(path).await;
    assert_eq!(count(&part), 9);
    assert!(part.body.len() < 30_000, "{}", part.body.len());
}

#[tokio::test]
async fn nothing_is_suggested_without_a_valid_search() {
    let service = service().await;
    let long = "a".repeat(501);
    for search in ["", "?search=", "?search=!", &format!("?search={long}")] {
        let part = service.get(&format!("/anime/suggest{search}")).await;
        part.assert_status(200);
        assert_eq!(part.text(), "", "{search}");
    }
    let part = service.get("/anime/suggest?search=%3Cb%3Ezzzzqq").await;
    assert_eq!(part.text(), "<p>Nothing matches “&lt;b&gt;zzzzqq”.</p>");
}

#[tokio::test]
async fn users_see_their_status_and_plan_other_anime() {
    let service = service().await;
    let person = service.person("mitsuha").await;
    put(&service, &person, 4, 2, &json!({})).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let part = browser.get("/anime/suggest?search=comet").await;
    let own = part.between("<a href=\"/anime/4\">", "</li>");
    own.assert_has("<span class=\"seal done\" aria-hidden=\"true\">");
    own.assert_has("<span class=\"unseen\">Completed</span>");
    own.assert_lacks("<button");
    let other = part.between("<a href=\"/anime/2\">", "</li>");
    other.assert_has("aria-label=\"Add “Your Comet” to your planned anime\"");
    let value = other.between("name=\"status\" value=\"", "\"");
    let [csrf, back] = ["csrf", "back"].map(|name| hidden(&part, name).unwrap());
    let fields = [
        ("csrf", &*csrf),
        ("back", &*back),
        ("status", &*value),
        // The script asks for the part of the page that has changed.
        ("card", ""),
    ];
    let changed = browser.post("/list/status", &fields).await;
    changed.assert_status(200);
    changed.assert_has("class=\"seal plan\"");
    changed.assert_lacks("<main");
    let (status, ..) = story(&service, &person, 2).await.unwrap();
    assert_eq!(status, 1);
}
