//! The files for search engines: `/robots.txt` and the sitemap.

use shared::models::{Anime, Season};
use tests::assertions::AssertText;
use tests::made_up::{self, titled_anime};
use tests::service::{PUBLIC_URL, Service};

/// Returns the addresses in a file of the sitemap, without the public URL.
fn addresses(xml: &str, public_url: &str) -> Vec<String> {
    let all = xml.all_between("<loc>", "</loc>").into_iter();
    let paths = all.map(|address| {
        let path = address.strip_prefix(public_url);
        path.unwrap_or_else(|| panic!("{address}")).to_owned()
    });
    paths.collect()
}

async fn sitemap(service: &Service, path: &str) -> Vec<String> {
    let file = service.get(path).await;
    assert_eq!(file.status, 200, "{path}");
    assert_eq!(file.header("content-type"), "application/xml");
    assert_eq!(file.header("cache-control"), "public, max-age=60");
    addresses(&file.text(), PUBLIC_URL)
}

#[tokio::test]
async fn sitemap_has_the_safe_anime_with_their_seasons_and_songs() {
    let of_season = |id, season, year, nsfw| Anime {
        season_period: season,
        season_year: year,
        nsfw,
        ..titled_anime(id, "en", "Comet")
    };
    let anime = [
        of_season(1, Season::Spring, Some(2023), false),
        of_season(2, Season::Fall, Some(2023), true),
        of_season(3, Season::Winter, Some(2024), false),
        of_season(4, Season::Unknown, Some(1999), false),
        of_season(5, Season::Winter, None, false),
    ];
    // The songs belong to the first three anime.
    let songs = made_up::songs(12, 1);
    let service = Service::with_catalogue(&anime, &songs).await;
    let index = sitemap(&service, "/sitemap.xml").await;
    assert_eq!(index, ["/sitemap/1.xml"]);
    let listed = sitemap(&service, "/sitemap/1.xml").await;
    let (pages, documents) = listed.split_at(6);
    let seasons = [
        "/anime?season=0&amp;year=2024",
        "/anime?season=1&amp;year=2023",
    ];
    let expected = ["/", "/anime", "/song", "/reference"].into_iter();
    let expected: Vec<&str> = expected.chain(seasons).collect();
    assert_eq!(pages, expected);
    let of_safe_anime = songs.iter().filter(|song| song.anime_id.get() != 2);
    let mut ids: Vec<u64> = of_safe_anime.map(|song| song.id.get()).collect();
    ids.sort_unstable();
    let anime = [1, 3, 4, 5].map(|id| format!("/anime/{id}")).into_iter();
    let songs = ids.iter().map(|id| format!("/song/{id}"));
    assert_eq!(documents, anime.chain(songs).collect::<Vec<String>>());
    for path in &listed {
        assert_eq!(
            service.get(&path.replace("&amp;", "&")).await.status,
            200,
            "{path}"
        );
    }
    for file in ["0.xml", "2.xml", "1", "x.xml", "1.xml.gz", "%FF"] {
        let missing = service.get(&format!("/sitemap/{file}")).await;
        assert_eq!(missing.status, 404, "{file}");
    }
}

#[tokio::test]
async fn robots_may_read_the_catalogue_and_no_forms() {
    let service = Service::empty().await;
    let robots = service.get("/robots.txt").await;
    assert_eq!(robots.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(robots.header("cache-control"), "public, max-age=60");
    let text = robots.text();
    text.assert_starts_with("User-agent: *\n");
    for path in [
        "/list",
        "/profile",
        "/sign-in",
        "/v1/",
        "/moderation",
        "/anime?",
    ] {
        text.assert_has(&format!("\nDisallow: {path}\n"));
    }
    text.assert_has("\nAllow: /anime?season=\n");
    text.assert_has(&format!("\nSitemap: {PUBLIC_URL}/sitemap.xml\n"));
    for path in ["/\n", "/anime\n", "/song\n", "/user"] {
        text.assert_lacks(&format!("Disallow: {path}"));
    }
}

#[tokio::test]
async fn files_for_search_engines_have_the_base_path() {
    let url = "https://kiroku.test/kiroku";
    let anime = [titled_anime(1, "en", "Comet")];
    let service = Service::with_catalogue(&anime, &[]).await.at(url);
    let robots = service.get("/kiroku/robots.txt").await.text();
    robots.assert_has("\nDisallow: /kiroku/list\n");
    robots.assert_has("\nSitemap: https://kiroku.test/kiroku/sitemap.xml\n");
    let index = service.get("/kiroku/sitemap.xml").await.text();
    assert_eq!(addresses(&index, url), ["/sitemap/1.xml"]);
    let file = service.get("/kiroku/sitemap/1.xml").await.text();
    assert!(
        addresses(&file, url).contains(&"/anime/1".to_owned()),
        "{file}"
    );
}
