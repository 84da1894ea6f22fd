//! Measures queries of the index, over the catalogue and over a catalogue with ten times as many rows.
//!
//! `KIROKU_BENCH_ANIME` sets the path of an anime-offline-database file. Without it, the catalogue is
//! generated.

#![expect(
    clippy::expect_used,
    reason = "a benchmark must stop at an unexpected result"
)]

use std::hint::black_box;

use catalogue::index::{AnimeFilter, AnimeIndex, GenrePattern, ListIndex};
use catalogue::rows::AnimeListItem;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use dynamo::{pack_value, unpack_value};
use shared::input::{FilterId, PageRequest, PageStart, TextPattern};
use shared::models::{Anime, AnimeId, Season};
use tests::loaded;

/// The number of rows in the larger catalogue for each row of the catalogue.
const TIMES: u64 = 10;

fn catalogue() -> Vec<Anime> {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async { loaded::anime(&loaded::service().await).await })
}

/// Returns an index that has each anime several times, under different ids.
fn repeated(anime: &[Anime], times: u64) -> AnimeIndex {
    let highest = anime.iter().map(|anime| anime.id.get()).max().unwrap_or(1);
    let copies = (0..times).flat_map(|copy| {
        anime.iter().filter_map(move |anime| {
            let id = AnimeId::new(anime.id.get() + copy * highest)?;
            Some(AnimeListItem::from(&Anime {
                id,
                ..anime.clone()
            }))
        })
    });
    copies.collect()
}

fn title(pattern: &str) -> AnimeFilter {
    AnimeFilter {
        title: TextPattern::new(pattern),
        ..AnimeFilter::default()
    }
}

fn queries(rows: usize) -> Vec<(&'static str, AnimeFilter, PageStart)> {
    let facets = AnimeFilter {
        genres: ["Action", "Sci-Fi"]
            .map(|genre| GenrePattern(genre.to_owned()))
            .into(),
        year: Some(2025),
        season: Some(Season::Spring),
        ..AnimeFilter::default()
    };
    let tracker = AnimeFilter {
        tracker_b_id: Some(vec![FilterId(5114)]),
        ..AnimeFilter::default()
    };
    let last = PageStart::Page((rows as u64).div_ceil(100));
    vec![
        ("no filter", AnimeFilter::default(), PageStart::First),
        ("title, many", title("a"), PageStart::First),
        ("title, some", title("no"), PageStart::First),
        ("title, few", title("gundam"), PageStart::First),
        ("title, none", title("nothing like it"), PageStart::First),
        ("genres, year, season", facets, PageStart::First),
        ("tracker id", tracker, PageStart::First),
        ("last page", AnimeFilter::default(), last),
    ]
}

fn index(criterion: &mut Criterion) {
    let anime = catalogue();
    for factor in [1, TIMES] {
        let index = repeated(&anime, factor);
        let mut group = criterion.benchmark_group(format!("{} rows", index.len()));
        for (name, filter, start) in queries(index.len()) {
            let page = PageRequest {
                per_page: 100,
                start,
            };
            let found = index.search(&filter, page).expect("rows").total;
            let id = BenchmarkId::new(name, format!("{found} found"));
            group.bench_function(id, |bencher| {
                bencher.iter(|| index.search(black_box(&filter), black_box(page)));
            });
        }
        let bytes = pack_value(&index).expect("a snapshot");
        let id = BenchmarkId::new("snapshot decode", format!("{} bytes", bytes.len()));
        group.bench_function(id, |bencher| {
            bencher.iter(|| unpack_value::<AnimeIndex>(black_box(&bytes)));
        });
        group.finish();
    }
}

criterion_group!(benches, index);
criterion_main!(benches);
