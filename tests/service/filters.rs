//! Each filter, each pair of filters and any mix of them, against the naive reference.

use catalogue::index::{AnimeFilter, AnimeIndex, ListIndex, SongFilter, SongIndex};
use catalogue::{decode, encode};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use shared::fold::fold;
use shared::input::{PageRequest, Start};
use shared::models::{AnimeFormat, AnimeStatus, Season, SongType, WireEnum};
use store::{AnimeListItem, SongListItem};
use tests::service::Service;
use tests::{made_up, naive};

/// A parameter of a query, and what it asks of the naive reference.
struct Parameter<F> {
    query: &'static str,
    means: fn(&mut F),
}

/// The filters of a list, each with some of its values.
type Filters<F> = Vec<Vec<Parameter<F>>>;

macro_rules! parameters {
    ($filter:ty: $([$($query:literal => $means:expr),+ $(,)?]),+ $(,)?) => {
        vec![$(vec![$(Parameter::<$filter> { query: $query, means: $means }),+]),+]
    };
}

fn anime_filters() -> Filters<AnimeFilter> {
    parameters![AnimeFilter:
        ["title=BLUE" => |f| f.title = Some("blue".into()),
         "title=%E3%82%AC%E3%83%B3" => |f| f.title = Some("ガン".into()),
         "title=steins%3Bgate" => |f| f.title = Some("steins gate".into())],
        ["tracker_a_id=51" => |f| f.tracker_a_id = Some(51)],
        ["tracker_b_id=1120" => |f| f.tracker_b_id = Some(1120)],
        ["database_id=7" => |f| f.database_id = Some(7)],
        ["formats=0" => |f| f.formats = vec![AnimeFormat::Tv],
         "formats=1,2,6" => |f| f.formats = vec![AnimeFormat::TvShort, AnimeFormat::Movie, AnimeFormat::Music],
         "formats=3&formats=4" => |f| f.formats = vec![AnimeFormat::Special, AnimeFormat::Ova]],
        ["status=0" => |f| f.status = Some(AnimeStatus::Finished),
         "status=3" => |f| f.status = Some(AnimeStatus::Cancelled)],
        ["year=1998" => |f| f.year = Some(1998), "year=0" => |f| f.year = Some(0)],
        ["season=0" => |f| f.season = Some(Season::Winter), "season=4" => |f| f.season = Some(Season::Unknown)],
        ["genres=Drama" => |f| f.genres = vec!["Drama".into()],
         "genres=drama" => |f| f.genres = vec!["drama".into()],
         "genres=Sci&genres=Sports" => |f| f.genres = vec!["Sci".into(), "Sports".into()],
         "genres=S,Action" => |f| f.genres = vec!["S".into(), "Action".into()]],
        ["nsfw=true" => |f| f.exclude_nsfw = true, "nsfw=false" => |_| ()],
        ["with_episodes=1" => |f| f.with_episodes = true],
    ]
}

fn song_filters() -> Filters<SongFilter> {
    parameters![SongFilter:
        ["anime_id=9" => |f| f.anime_id = Some(9)],
        ["title=st" => |f| f.title = Some("st".into()), "title=%C3%89" => |f| f.title = Some("e".into())],
        ["artist=A" => |f| f.artist = Some("a".into()), "artist=k-on" => |f| f.artist = Some("k on".into())],
        ["year=2024" => |f| f.year = Some(2024)],
        ["season=2" => |f| f.season = Some(Season::Summer)],
        ["type=0" => |f| f.song_type = Some(SongType::Opening), "type=2" => |f| f.song_type = Some(SongType::None)],
    ]
}

/// Every query of no, one or two filters, and what it means.
fn queries<F: Default>(filters: &Filters<F>) -> Vec<(String, F)> {
    let mut queries = vec![(String::new(), F::default())];
    for (position, values) in filters.iter().enumerate() {
        for one in values {
            let mut filter = F::default();
            (one.means)(&mut filter);
            queries.push((one.query.to_owned(), filter));
            for other in filters[position + 1..].iter().flatten() {
                let mut filter = F::default();
                (one.means)(&mut filter);
                (other.means)(&mut filter);
                queries.push((format!("{}&{}", one.query, other.query), filter));
            }
        }
    }
    queries
}

/// The answers to all queries are the naive ones, and few enough of them are empty.
async fn check<F: Default>(
    service: &Service,
    list: &str,
    filters: &Filters<F>,
    expected: impl Fn(&F) -> Vec<u64>,
) {
    let queries = queries(filters);
    let mut with_rows = 0;
    for (query, filter) in &queries {
        let expected = expected(filter);
        let answer = service.get(&format!("/v1/{list}?{query}")).await;
        let first = &expected[..expected.len().min(100)];
        assert_eq!(answer.ids(), first, "{list}?{query}");
        assert_eq!(
            answer.header("x-total-count"),
            expected.len().to_string(),
            "{list}?{query}"
        );
        with_rows += usize::from(!expected.is_empty());
    }
    assert!(with_rows * 2 > queries.len(), "most queries find something");
}

#[tokio::test]
async fn each_filter_and_pair_of_filters_with_and_without_a_snapshot() {
    let (anime, songs) = (made_up::anime(240, 7), made_up::songs(240, 7));
    let service = Service::empty().await;
    service.put(&anime).await;
    service.put(&songs).await;
    for has_snapshot in [false, true] {
        if has_snapshot {
            service.publish().await;
            service.let_index_age();
        }
        check(&service, "anime", &anime_filters(), |filter| {
            naive::anime(&anime, filter)
        })
        .await;
        check(&service, "song", &song_filters(), |filter| {
            naive::songs(&songs, filter)
        })
        .await;
    }
}

fn some<T: Clone + std::fmt::Debug + 'static>(values: Vec<T>) -> impl Strategy<Value = Option<T>> {
    prop::option::weighted(0.3, select(values))
}

fn wire<E: WireEnum + std::fmt::Debug>() -> Vec<E> {
    E::ALL.iter().map(|(value, _)| *value).collect()
}

fn pattern() -> impl Strategy<Value = Option<String>> {
    let words = made_up::WORDS.iter().map(|word| fold(word));
    let parts = ["e", " ", "ン", "st", "a "].map(ToOwned::to_owned);
    some(words.chain(parts).collect())
}

prop_compose! {
    fn any_anime_filter()(
        title in pattern(),
        tracker_a_id in some(vec![1, 20, 51, 151, u64::from(u32::MAX) + 1]),
        tracker_b_id in some(vec![1001, 1120, 1300]),
        database_id in some(vec![1, 7, 19, 20]),
        formats in subsequence(wire::<AnimeFormat>(), 0..4),
        status in some(wire::<AnimeStatus>()),
        year in some(made_up::YEARS.to_vec()),
        season in some(wire::<Season>()),
        genres in subsequence(vec!["S", "Drama", "Sci-Fi", "fi", "Power", "of L"], 0..3),
        exclude_nsfw in prop::bool::weighted(0.2),
        with_episodes in prop::bool::weighted(0.2),
    ) -> AnimeFilter {
        AnimeFilter {
            title, tracker_a_id, tracker_b_id, database_id, formats, status, year, season,
            genres: genres.into_iter().map(ToOwned::to_owned).collect(),
            exclude_nsfw, with_episodes,
        }
    }
}

prop_compose! {
    fn any_song_filter()(
        anime_id in some((1..80).collect()),
        title in pattern(),
        artist in pattern(),
        year in some(made_up::YEARS.to_vec()),
        season in some(wire::<Season>()),
        song_type in some(wire::<SongType>()),
    ) -> SongFilter {
        SongFilter { anime_id, title, artist, year, season, song_type }
    }
}

/// The pages that numbers and places lead to, joined.
fn joined(
    search: impl Fn(PageRequest) -> catalogue::index::Matches,
    per_page: usize,
) -> [Vec<u64>; 2] {
    let (mut by_number, mut by_place) = (Vec::new(), Vec::new());
    for page in 1.. {
        let start = Start::Page(page);
        let matches = search(PageRequest { per_page, start });
        by_number.extend(matches.places);
        if !matches.more {
            break;
        }
    }
    let mut start = Start::First;
    loop {
        let matches = search(PageRequest { per_page, start });
        by_place.extend(&matches.places);
        match matches.places.last().filter(|_| matches.more) {
            Some(last) => start = Start::After(*last),
            None => return [by_number, by_place],
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_mix_of_anime_filters(
        filter in any_anime_filter(), count in 0..120_u32, seed in 0..16_u64, per_page in 1..40_usize,
    ) {
        let anime = made_up::anime(count, seed);
        let built: AnimeIndex = anime.iter().map(AnimeListItem::from).collect();
        let index: AnimeIndex = decode(&encode(&built).unwrap()).unwrap();
        prop_assert_eq!(&index, &built);
        let expected = naive::anime(&anime, &filter);
        for places in joined(|page| index.search(&filter, page), per_page) {
            let ids: Vec<u64> = places.into_iter().map(|place| place & ((1 << 25) - 1)).collect();
            prop_assert_eq!(&ids, &expected);
        }
    }

    #[test]
    fn any_mix_of_song_filters(
        filter in any_song_filter(), count in 0..120_u32, seed in 0..16_u64, per_page in 1..40_usize,
    ) {
        let songs = made_up::songs(count, seed);
        let built: SongIndex = songs.iter().map(SongListItem::from).collect();
        let index: SongIndex = decode(&encode(&built).unwrap()).unwrap();
        prop_assert_eq!(&index, &built);
        let expected = naive::songs(&songs, &filter);
        for places in joined(|page| index.search(&filter, page), per_page) {
            let ids: Vec<u64> = places.into_iter().map(|place| place & ((1 << 35) - 1)).collect();
            prop_assert_eq!(&ids, &expected);
        }
    }

    #[test]
    fn folding_twice_changes_nothing_and_leaves_no_control_character(text in any::<String>()) {
        let once = fold(&text);
        prop_assert_eq!(fold(&once), once.clone());
        prop_assert!(!once.chars().any(char::is_control));
    }
}

/// What a search allocates does not depend on how many rows it walks.
#[test]
fn no_row_that_is_scanned_costs_an_allocation() {
    let index = |rows| -> AnimeIndex {
        made_up::anime(rows, 3)
            .iter()
            .map(AnimeListItem::from)
            .collect()
    };
    let (small, large) = (index(500), index(5_000));
    for (query, filter) in queries(&anime_filters()) {
        let page = PageRequest {
            per_page: 20,
            start: Start::Page(2),
        };
        let allocations = |index: &AnimeIndex| {
            allocation_counter::measure(|| drop(index.search(&filter, page))).count_total
        };
        assert_eq!(allocations(&small), allocations(&large), "{query}");
    }
}
