//! Damaged snapshots are refused, or serve every request without a panic, and are the same when written again.

#![no_main]
#![expect(
    clippy::unwrap_used,
    reason = "a fuzz target must stop at an unexpected result"
)]

use std::sync::LazyLock;

use catalogue::index::{
    AnimeFilter, AnimeIndex, GenrePattern, ListIndex, SearchQuery, SongFilter, SongIndex,
};
use dynamo::{pack_value, unpack_value};
use fuzz::Input;
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use shared::input::{PageRequest, PageStart, Params, TextPattern};

/// The parts of the snapshots, not compressed.
struct Parts {
    anime: Vec<u8>,
    anime_texts: Vec<u8>,
    songs: Vec<u8>,
    song_texts: Vec<u8>,
}

static PARTS: LazyLock<Parts> = LazyLock::new(|| {
    let anime: AnimeIndex = rows((1..=5_u32).map(|number| {
        json!({"list_order": u64::from(number) << 30 | u64::from(number), "tracker_a_id": number, "format": 0,
            "status": 0, "titles": {"rj": format!("Kumo {number}"), "en": "Blue Star"}, "season_period": 1,
            "season_year": 2000 + number, "episodes_count": 12, "genres": ["Drama", format!("Genre {number}")],
            "nsfw": number == 3, "synonyms": {"ani_list": ["Cloud"]}, "revision": number})
    }));
    let songs: SongIndex = rows((1..=5_u32).map(|number| {
        json!({"id": 1024 * number, "list_order": u64::from(number) << 35 | u64::from(1024 * number),
            "anime_id": number, "title": format!("Uta {number}"), "artist": "Seatbelts", "year": 2000,
            "season": 1, "type": 0, "revision": 1})
    }));
    Parts {
        anime_texts: unpacked(&anime.texts().to_bytes().unwrap_or_default()),
        song_texts: unpacked(&songs.texts().to_bytes().unwrap_or_default()),
        anime: unpacked(&pack_value(&anime).unwrap_or_default()),
        songs: unpacked(&pack_value(&songs).unwrap_or_default()),
    }
});

fn rows<I: FromIterator<T>, T: serde::de::DeserializeOwned>(
    rows: impl Iterator<Item = Value>,
) -> I {
    let rows = rows.map(|row| serde_json::from_value(row).unwrap());
    rows.collect()
}

fn unpacked(bytes: &[u8]) -> Vec<u8> {
    zstd::bulk::decompress(bytes, 1 << 20).unwrap()
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    zstd::bulk::compress(bytes, 1).unwrap()
}

#[derive(Arbitrary, Debug)]
struct Case<'a> {
    is_packed: bool,
    index: Input<'a>,
    texts: Input<'a>,
    query: &'a str,
    position: u64,
}

fn check<I: ListIndex + PartialEq>(
    case: &Case,
    index: &[u8],
    texts: &[u8],
    filters: impl Fn(&mut Params) -> Vec<I::Filter>,
) {
    let bytes = |input: &Input, valid: &[u8]| {
        if case.is_packed {
            input.bytes(&packed(valid))
        } else {
            packed(&input.bytes(valid))
        }
    };
    let index = unpack_value::<I>(&bytes(&case.index, index));
    let Some(index) = index.filter(I::is_consistent) else {
        return;
    };
    let again = pack_value(&index).unwrap_or_default();
    assert!(unpack_value::<I>(&again).as_ref() == Some(&index));
    let is_loaded = index.texts().load(&bytes(&case.texts, texts), index.len());
    let starts = [
        PageStart::First,
        PageStart::Page(2),
        PageStart::After(case.position.into()),
    ];
    for filter in filters(&mut Params::parse(case.query)) {
        for start in starts {
            let page = PageRequest { per_page: 3, start };
            match index.search(&filter, page) {
                Some(found) => assert!(found.rows.len() <= 3 && found.rows.len() <= found.total),
                None => assert!(!is_loaded),
            }
        }
    }
    assert!(index.row(index.len()).is_none());
    for number in 0..index.len().min(10) {
        let row = index.row(number);
        assert!(row.is_some_and(|row| index.find(row.id).is_some()));
    }
}

fuzz_target!(|case: Case| {
    let parts = &*PARTS;
    let search = SearchQuery::new("kumo");
    check::<AnimeIndex>(&case, &parts.anime, &parts.anime_texts, |params| {
        let title = || TextPattern::new("star");
        let of_title = AnimeFilter {
            title: title(),
            ..AnimeFilter::default()
        };
        let of_search = AnimeFilter {
            search: search.clone(),
            ..AnimeFilter::default()
        };
        let of_genre = AnimeFilter {
            genres: vec![GenrePattern("Drama".into())],
            title: title(),
            ..AnimeFilter::default()
        };
        let of_query = shared::input::QueryString::read(params);
        vec![
            AnimeFilter::default(),
            of_title,
            of_search,
            of_genre,
            of_query,
        ]
    });
    check::<SongIndex>(&case, &parts.songs, &parts.song_texts, |params| {
        let title = || TextPattern::new("uta");
        let of_title = SongFilter {
            title: title(),
            artist: TextPattern::new("s"),
            ..SongFilter::default()
        };
        let of_search = SongFilter {
            search: search.clone(),
            ..SongFilter::default()
        };
        vec![
            SongFilter::default(),
            of_title,
            of_search,
            shared::input::QueryString::read(params),
        ]
    });
});
