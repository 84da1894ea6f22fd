//! The ranked search (docs/api.md, "Search"), through the endpoints.

use shared::models::Anime;
use tests::made_up;
use tests::service::Service;

/// Returns anime with these titles, ids from 1, all with the same score.
fn anime(titles: &[&[(&str, &str)]]) -> Vec<Anime> {
    let mut anime = made_up::anime(u32::try_from(titles.len()).unwrap(), 1);
    for (anime, titles) in anime.iter_mut().zip(titles) {
        let owned = |(code, title): &(&str, &str)| ((*code).to_owned(), (*title).to_owned());
        anime.titles = titles.iter().map(owned).collect();
        anime.score = 50.0.try_into().unwrap();
        anime.nsfw = anime.id.get() % 2 == 0;
    }
    anime
}

async fn sky() -> Service {
    let anime = anime(&[
        &[
            ("rj", "Sora no Uta"),
            ("en", "Song of the Sky"),
            ("de", "Lied des Himmels"),
        ],
        &[("rj", "Sora no Uta 2nd Season")],
        &[("rj", "Sora"), ("jp", "空")],
        &[("rj", "Aozora Shoujo"), ("en", "Blue Sky Girl")],
        &[("rj", "Sorairo"), ("en", "Sky Blue")],
        &[("rj", "Umi no Koe"), ("en", "Voice of the Sea")],
    ]);
    Service::with_catalogue(&anime, &[]).await
}

async fn found(service: &Service, query: &str) -> Vec<u64> {
    let answer = service.get(&format!("/v1/anime?search={query}")).await;
    assert_eq!(answer.status, 200, "{query}");
    let ids = answer.ids();
    assert_eq!(answer.header("x-total-count"), ids.len().to_string());
    ids
}

#[tokio::test]
async fn results_are_in_order_of_relevance() {
    let service = sky().await;
    let sora = found(&service, "sora").await;
    assert_eq!(sora[0], 3, "exact before prefix");
    assert!(sora.contains(&1) && sora.contains(&5), "{sora:?}");
    assert_eq!(found(&service, "song+of+the+sky").await[0], 1);
    assert_eq!(
        found(&service, "blue+sky").await[..2],
        [4, 5],
        "words in order first"
    );
    assert_eq!(
        found(&service, "sky+song").await[0],
        1,
        "words in any order"
    );
    assert_eq!(
        found(&service, "lied+des+himmels").await[0],
        1,
        "any language"
    );
    assert_eq!(found(&service, "%E7%A9%BA").await[0], 3);
    assert!(found(&service, "nothing+like+it").await.is_empty());
}

#[tokio::test]
async fn spellings_typos_and_seasons_are_tolerated() {
    let service = sky().await;
    for (query, expected) in [
        ("aozora+shojo", 4),
        ("aozora+sh%C5%8Djo", 4),
        ("ao+zora+shoujo", 4),
        ("umi+no+keo", 6),
        ("voice+of+teh+sea", 6),
        ("oice+of+the+sea", 6),
        ("sora+no+uta+2", 2),
        ("sora+no+uta+s2", 2),
        ("sora+no+uta+II", 2),
        ("SORA+NO+UTA+second+season", 2),
        ("sora+no+ut", 1),
        ("sora+no+uta!", 1),
    ] {
        assert_eq!(found(&service, query).await[0], expected, "{query}");
    }
}

#[tokio::test]
async fn search_combines_with_filters_and_pages() {
    let service = sky().await;
    let all = found(&service, "sky").await;
    assert!(all.len() >= 3, "{all:?}");
    let safe = service.get("/v1/anime?search=sky&nsfw=true").await;
    let odd: Vec<u64> = all.iter().copied().filter(|id| id % 2 == 1).collect();
    assert_eq!(safe.ids(), odd);
    assert_eq!(safe.header("x-total-count"), odd.len().to_string());
    let titled = service.get("/v1/anime?search=sky&title=girl").await;
    assert_eq!(titled.ids(), [4]);
    for first in [
        "/v1/anime?search=sky&per_page=1",
        "/v1/anime?search=sky&per_page=1&page=1",
    ] {
        let (mut ids, mut next) = (Vec::new(), Some(first.to_owned()));
        while let Some(path) = next {
            let page = service.get(&path).await;
            assert_eq!(page.header("x-total-count"), all.len().to_string());
            ids.extend(page.ids());
            next = page.next();
        }
        assert_eq!(ids, all, "{first}");
    }
    let first = service.get("/v1/anime?search=sky&per_page=1").await;
    let other = first.next().unwrap().replace("search=sky", "search=sea");
    // A cursor is refused by another search.
    assert_eq!(service.get(&other).await.status, 400);
    let tag = first.header("etag");
    let path = "/v1/anime?search=sky&per_page=1";
    let again = service.get_with(path, &[("if-none-match", tag)]).await;
    assert_eq!(again.status, 304);
}

#[tokio::test]
async fn songs_are_found_by_title_and_artist() {
    let mut songs = made_up::songs(3, 1);
    for (song, (title, artist)) in songs.iter_mut().zip([
        ("Sora", "Kashu"),
        ("Umi", "Betsu"),
        ("Kashu", "Sora no Kai"),
    ]) {
        (song.title, song.artist) = (title.to_owned(), artist.to_owned());
    }
    let service = Service::with_catalogue(&[], &songs).await;
    let titles = async |query: &str| -> Vec<String> {
        let answer = service.get(&format!("/v1/song?search={query}")).await;
        let songs = answer.data();
        let songs = songs.as_array().unwrap().iter();
        songs
            .map(|song| song["title"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(titles("umi+betsu").await, ["Umi"]);
    assert_eq!(titles("betsu").await, ["Umi"]);
    assert_eq!(titles("sora+kashu").await[0], "Sora");
    assert_eq!(
        titles("kashuu").await[0],
        "Kashu",
        "a title counts more than an artist"
    );
}

#[tokio::test]
async fn unusual_searches_are_answered() {
    let service = sky().await;
    for list in ["/v1/anime", "/v1/song"] {
        for (query, reason) in [
            ("x".repeat(10_000), "must have at most 500 characters"),
            ("!?%20..".to_owned(), "must have a letter or a digit"),
            ("%00".to_owned(), "must have a letter or a digit"),
            ("%F0%9F%98%80".to_owned(), "must have a letter or a digit"),
            (
                "%FF".to_owned(),
                "must be valid UTF-8 after percent-decoding",
            ),
        ] {
            let answer = service.get(&format!("{list}?search={query}")).await;
            assert_eq!(answer.status, 400, "{query}");
            assert_eq!(answer.data()["search"], reason);
        }
        service
            .get(&format!("{list}?search=a&search=b"))
            .await
            .assert_status(400);
    }
    assert_eq!(
        found(&service, "").await.len(),
        6,
        "an empty search is no filter"
    );
    for query in [
        "sora%00no%00uta",
        "%F0%9F%98%80+sora",
        "sora+%E7%A9%BA+%D0%BD%D0%B5%D0%B1%D0%BE+%D8%B3",
        &"a+".repeat(249),
        &"%E3%81%82".repeat(400),
    ] {
        found(&service, query).await;
    }
}
