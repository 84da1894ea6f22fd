//! Pagination: by page number, by cursor, and while rows change.

use std::collections::BTreeSet;

use catalogue::index::AnimeFilter;
use shared::models::{Anime, Score};
use tests::assertions::AssertText;
use tests::service::{Answer, PUBLIC_URL, Service};
use tests::{made_up, naive};

async fn read_pages(service: &Service, first: &str) -> Vec<Answer> {
    let mut pages = vec![service.get(first).await];
    while let Some(next) = pages.last().and_then(Answer::next) {
        pages.push(service.get(&next).await);
    }
    pages
}

fn ids(pages: &[Answer]) -> Vec<u64> {
    pages.iter().flat_map(Answer::ids).collect()
}

#[tokio::test]
async fn pages_by_cursor_and_number_add_up_to_the_list() {
    let (anime, songs) = (made_up::anime(120, 1), made_up::songs(120, 1));
    let service = Service::with_catalogue(&anime, &songs).await;
    for (query, per_page) in [("", 7), ("&genres=S&title=a", 5), ("&nsfw=true", 50)] {
        let whole = service.get(&format!("/v1/anime?{query}")).await;
        let pages = read_pages(&service, &format!("/v1/anime?per_page={per_page}{query}")).await;
        assert!(pages.len() > 1);
        let by_cursor = ids(&pages);
        assert_eq!(by_cursor[..by_cursor.len().min(100)], whole.ids());
        for page in &pages {
            let total = page.header("x-total-count");
            assert_eq!(total, by_cursor.len().to_string(), "{query}");
        }
        assert_eq!(by_cursor.len().to_string(), whole.header("x-total-count"));
        let by_number = read_pages(
            &service,
            &format!("/v1/anime?page=1&per_page={per_page}{query}"),
        )
        .await;
        assert_eq!(ids(&by_number), by_cursor);
    }
    let pages = read_pages(&service, "/v1/song?per_page=9&year=1998").await;
    let expected = naive::songs(
        &songs,
        &catalogue::index::SongFilter {
            year: Some(1998),
            ..Default::default()
        },
    );
    assert_eq!(ids(&pages), expected);
}

#[tokio::test]
async fn default_page_has_100_rows_and_a_next_link() {
    let service = Service::with_catalogue(&made_up::anime(101, 2), &[]).await;
    let first = service.get_with("/v1/anime?genres=&unknown=1", &[]).await;
    assert_eq!(first.status, 400, "an empty genre is invalid");
    let first = service
        .get_with("/v1/anime?unknown=1", &[("host", "evil.example")])
        .await;
    assert_eq!(first.ids().len(), 100);
    let link = first.header("link");
    link.assert_starts_with(&format!("<{PUBLIC_URL}/v1/anime?unknown=1&cursor="));
    let raw = service.get("/v1/anime?unknown=ガンダム&per_page=1").await;
    let next = raw
        .next()
        .expect("the link must be percent-encoded, because headers only hold ASCII");
    assert!(next.starts_with("/v1/anime?unknown=%E3%82%AC"), "{next}");
    assert_eq!(service.get(&next).await.status, 200);
    // `p%61ge` is the parameter `page`, so the link must not name the page a second time.
    let encoded = service.get("/v1/anime?p%61ge=1&per_page=2").await;
    let second = service.get(&encoded.next().unwrap()).await;
    assert_eq!(second.ids(), first.ids()[2..4]);
    let last = service.get(&first.next().unwrap()).await;
    assert_eq!(last.ids().len(), 1);
    assert_eq!(last.header("link"), "");
}

#[tokio::test]
async fn page_past_the_end_is_empty() {
    let service = Service::with_catalogue(&made_up::anime(5, 3), &[]).await;
    for page in ["2", "9007199254740991"] {
        let answer = service.get(&format!("/v1/anime?page={page}")).await;
        assert_eq!((answer.status.as_u16(), answer.ids()), (200, vec![]));
        assert_eq!(answer.header("x-total-count"), "5");
        assert_eq!(answer.header("link"), "");
    }
}

#[tokio::test]
async fn empty_catalogue_returns_empty_lists() {
    let service = Service::with_catalogue(&[], &[]).await;
    for path in "/v1/anime /v1/song /v1/random/anime /v1/random/song/5".split(' ') {
        let answer = service.get(path).await;
        assert_eq!((answer.status.as_u16(), answer.ids()), (200, vec![]));
    }
}

/// Rows are added on both sides of the cursor between any two pages. Every other row is returned exactly
/// once and in order, and no row is returned twice.
#[tokio::test]
async fn existing_rows_are_returned_once_while_others_are_added() {
    let service = Service::empty().await;
    let (stay, come): (Vec<Anime>, Vec<Anime>) = made_up::anime(150, 4)
        .into_iter()
        .partition(|anime| anime.id.get() % 3 != 0);
    service.put(&stay).await;
    service.publish().await;

    let mut seen = Vec::new();
    let mut next = Some("/v1/anime?per_page=10".to_owned());
    let mut coming = come.chunks(5);
    while let Some(path) = next {
        let page = service.get(&path).await;
        seen.extend(page.ids());
        next = page.next();
        if let Some(new) = coming.next() {
            service.put(new).await;
            service.publish().await;
            service.let_index_age();
        }
    }
    let stays: BTreeSet<u64> = stay.iter().map(|anime| anime.id.get()).collect();
    let stayed: Vec<u64> = seen
        .iter()
        .copied()
        .filter(|id| stays.contains(id))
        .collect();
    assert_eq!(stayed, naive::anime(&stay, &AnimeFilter::default()));
    assert_eq!(seen.iter().collect::<BTreeSet<_>>().len(), seen.len());
    assert!(
        seen.len() > stayed.len(),
        "some added rows must be on later pages"
    );
}

#[tokio::test]
async fn equal_scores_are_ordered_by_id() {
    let mut anime = made_up::anime(30, 5);
    for anime in &mut anime {
        anime.score = Score::new(50.0).unwrap();
    }
    let service = Service::with_catalogue(&anime, &[]).await;
    assert_eq!(
        service.get("/v1/anime").await.ids(),
        (1..=30).collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn random_lists_have_the_requested_number_of_distinct_rows() {
    let service = Service::with_catalogue(&made_up::anime(60, 6), &made_up::songs(60, 6)).await;
    for (path, count) in [
        ("/v1/random/anime", 10),
        ("/v1/random/anime/1", 1),
        ("/v1/random/anime/50", 50),
        ("/v1/random/song/50", 50),
    ] {
        let (one, other) = (service.get(path).await, service.get(path).await);
        assert_eq!(one.ids().into_iter().collect::<BTreeSet<_>>().len(), count);
        assert_ne!(one.ids(), other.ids(), "{path}");
        assert_eq!(one.header("cache-control"), "no-store");
    }
}
