//! Every filter, every pair of filters and random combinations, compared with the simple implementation
//! in `tests::naive`.

use catalogue::index::{
    AnimeFilter, AnimeIndex, GenrePattern, ListIndex, NameFilter, SongFilter, SongIndex,
};
use catalogue::rows::{AnimeListItem, SongListItem};
use dynamo::{pack_value, unpack_value};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use shared::fold::fold;
use shared::input::{FilterId, PageRequest, PageStart, TextPattern};
use shared::models::{AnimeFormat, AnimeStatus, Season, SongType, WireEnum};
use tests::service::Service;
use tests::{made_up, naive};

/// A query parameter and the filter that it means.
struct Parameter<F> {
    query: &'static str,
    means: fn(&mut F),
}

/// The filters of a list, each with some values.
type Filters<F> = Vec<Vec<Parameter<F>>>;

macro_rules! parameters {
    ($filter:ty: $([$($query:literal => $means:expr),+ $(,)?]),+ $(,)?) => {
        vec![$(vec![$(Parameter::<$filter> { query: $query, means: $means }),+]),+]
    };
}

fn ids<const N: usize>(ids: [u64; N]) -> Vec<FilterId> {
    ids.map(FilterId).into()
}

fn genres<const N: usize>(texts: [&str; N]) -> Vec<GenrePattern> {
    texts.map(|text| GenrePattern(text.to_owned())).into()
}

fn names<const N: usize>(names: [&str; N]) -> Vec<NameFilter> {
    names
        .iter()
        .filter_map(|name| NameFilter::new(name))
        .collect()
}

fn anime_filters() -> Filters<AnimeFilter> {
    parameters![AnimeFilter:
        ["title=BLUE" => |f| f.title = TextPattern::new("blue"),
         "title=%E3%82%AC%E3%83%B3" => |f| f.title = TextPattern::new("ガン"),
         "title=steins%3Bgate" => |f| f.title = TextPattern::new("steins gate")],
        ["id=3,1&id=200,3,999" => |f| f.ids = Some(ids([1, 3, 200, 999]))],
        ["tracker_a_id=51" => |f| f.tracker_a_id = Some(ids([51])),
         "tracker_a_id=151,20,1&tracker_a_id=20" => |f| f.tracker_a_id = Some(ids([1, 20, 151]))],
        ["tracker_b_id=1120" => |f| f.tracker_b_id = Some(ids([1120]))],
        ["database_id=7" => |f| f.database_id = Some(ids([7]))],
        ["formats=0" => |f| f.formats = vec![AnimeFormat::Tv],
         "formats=1,2,6" => |f| f.formats = vec![AnimeFormat::TvShort, AnimeFormat::Movie, AnimeFormat::Music],
         "formats=3&formats=4" => |f| f.formats = vec![AnimeFormat::Special, AnimeFormat::Ova]],
        ["status=0" => |f| f.status = Some(AnimeStatus::Finished),
         "status=3" => |f| f.status = Some(AnimeStatus::Cancelled)],
        ["year=1998" => |f| f.year = Some(1998), "year=0" => |f| f.year = Some(0)],
        ["season=0" => |f| f.season = Some(Season::Winter), "season=4" => |f| f.season = Some(Season::Unknown)],
        ["genres=Drama" => |f| f.genres = genres(["Drama"]),
         "genres=drama" => |f| f.genres = genres(["drama"]),
         "genres=Sci&genres=Sports" => |f| f.genres = genres(["Sci", "Sports"]),
         "genres=S,Action" => |f| f.genres = genres(["S", "Action"])],
        ["studios=FEEL" => |f| f.studios = names(["feel"]),
         "studios=diomedea,unknown" => |f| f.studios = names(["Diomedéa", "unknown"]),
         "studios=Yamamura+Animation+Inc." => |f| f.studios = names(["yamamura animation inc"]),
         "studios=J.C.&studios=Studio" => |f| f.studios = names(["j c", "studio"])],
        ["tags=Time+Travel" => |f| f.tags = names(["time travel"]),
         "tags=boys%27+love,cgi" => |f| f.tags = names(["boys love", "cgi"])],
        ["nsfw=true" => |f| f.exclude_nsfw = true, "nsfw=false" => |_| ()],
        ["with_episodes=1" => |f| f.with_episodes = true],
    ]
}

fn song_filters() -> Filters<SongFilter> {
    parameters![SongFilter:
        ["id=5,2,77" => |f| f.ids = Some(ids([2, 5, 77]))],
        ["anime_id=9" => |f| f.anime_id = Some(ids([9])),
         "anime_id=30&anime_id=9,12" => |f| f.anime_id = Some(ids([9, 12, 30]))],
        ["title=st" => |f| f.title = TextPattern::new("st"), "title=%C3%89" => |f| f.title = TextPattern::new("e")],
        ["artist=A" => |f| f.artist = TextPattern::new("a"), "artist=k-on" => |f| f.artist = TextPattern::new("k on")],
        ["year=2024" => |f| f.year = Some(2024)],
        ["season=2" => |f| f.season = Some(Season::Summer)],
        ["type=0" => |f| f.song_type = Some(SongType::Opening), "type=2" => |f| f.song_type = Some(SongType::None)],
    ]
}

/// Returns every query with no, one or two filters, and its filter.
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

/// Compares the responses to all queries with the expected ids. Checks that most of them are not empty.
async fn assert_matches_reference<F: Default>(
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
    assert!(
        with_rows * 2 > queries.len(),
        "most queries must have matches"
    );
}

#[tokio::test]
async fn every_filter_and_pair_of_filters_matches_the_reference() {
    let (anime, songs) = (made_up::anime(240, 7), made_up::songs(240, 7));
    let service = Service::empty().await;
    service.put(&anime).await;
    service.put(&songs).await;
    for has_snapshot in [false, true] {
        if has_snapshot {
            service.publish().await;
            service.let_index_age();
        }
        assert_matches_reference(&service, "anime", &anime_filters(), |filter| {
            naive::anime(&anime, filter)
        })
        .await;
        assert_matches_reference(&service, "song", &song_filters(), |filter| {
            naive::songs(&songs, filter)
        })
        .await;
    }
}

fn optional<T: Clone + std::fmt::Debug + 'static>(
    values: Vec<T>,
) -> impl Strategy<Value = Option<T>> {
    prop::option::weighted(0.3, select(values))
}

fn all_values<E: WireEnum + std::fmt::Debug>() -> Vec<E> {
    E::ALL.iter().map(|(value, _)| *value).collect()
}

fn pattern() -> impl Strategy<Value = Option<TextPattern>> {
    let texts = made_up::WORDS.into_iter().chain(["e", "ン", "st", "a s"]);
    optional(texts.filter_map(TextPattern::new).collect())
}

fn filter_ids(ids: Option<Vec<u64>>) -> Option<Vec<FilterId>> {
    Some(ids?.into_iter().map(FilterId).collect())
}

prop_compose! {
    fn any_anime_filter()(
        title in pattern(),
        ids in optional(vec![vec![1, 2, 3, 60, 61], vec![119]]),
        tracker_a_id in optional(vec![vec![1, 20, 51, 151], vec![u64::from(u32::MAX) + 1]]),
        tracker_b_id in optional(vec![vec![1001, 1120], vec![1300]]),
        database_id in optional(vec![vec![1, 7], vec![20, 19, 20]]),
        formats in subsequence(all_values::<AnimeFormat>(), 0..4),
        status in optional(all_values::<AnimeStatus>()),
        year in optional(made_up::YEARS.to_vec()),
        season in optional(all_values::<Season>()),
        genres in subsequence(vec!["S", "Drama", "Sci-Fi", "fi", "Power", "of L"], 0..3),
        studios in subsequence(vec!["feel", "diomedea", "studio", "J.C.STAFF"], 0..3),
        tags in subsequence(vec!["drama", "Boys Love", "cgi"], 0..3),
        exclude_nsfw in prop::bool::weighted(0.2),
        with_episodes in prop::bool::weighted(0.2),
    ) -> AnimeFilter {
        AnimeFilter {
            search: None, title, formats, status, year, season, exclude_nsfw, with_episodes,
            ids: filter_ids(ids),
            tracker_a_id: filter_ids(tracker_a_id),
            tracker_b_id: filter_ids(tracker_b_id),
            database_id: filter_ids(database_id),
            genres: genres.into_iter().map(|text| GenrePattern(text.to_owned())).collect(),
            studios: studios.into_iter().filter_map(NameFilter::new).collect(),
            tags: tags.into_iter().filter_map(NameFilter::new).collect(),
        }
    }
}

prop_compose! {
    fn any_song_filter()(
        ids in optional(vec![vec![1, 2, 30, 31], vec![119]]),
        anime_id in optional((1..80).map(|id| vec![id, 80 - id]).collect()),
        title in pattern(),
        artist in pattern(),
        year in optional(made_up::YEARS.to_vec()),
        season in optional(all_values::<Season>()),
        song_type in optional(all_values::<SongType>()),
    ) -> SongFilter {
        SongFilter {
            search: None, title, artist, year, season, song_type,
            ids: filter_ids(ids),
            anime_id: filter_ids(anime_id),
        }
    }
}

/// Returns the list keys of all pages: once read by page number, and once by cursor.
fn all_pages(
    search: impl Fn(PageRequest) -> Option<catalogue::index::Matches>,
    per_page: usize,
) -> [Vec<u64>; 2] {
    let (mut by_number, mut by_place) = (Vec::new(), Vec::new());
    for page in 1.. {
        let start = PageStart::Page(page);
        let matches = search(PageRequest { per_page, start }).unwrap();
        by_number.extend(matches.rows.iter().map(|row| row.list_key));
        if matches.next.is_none() {
            break;
        }
    }
    let mut start = PageStart::First;
    loop {
        let matches = search(PageRequest { per_page, start }).unwrap();
        by_place.extend(matches.rows.iter().map(|row| row.list_key));
        match matches.next {
            Some(last) => start = PageStart::After(last),
            None => return [by_number, by_place],
        }
    }
}

/// Returns the index as a function loads it from a snapshot.
fn loaded<I: ListIndex>(built: &I) -> I {
    let index: I = unpack_value(&pack_value(built).unwrap()).unwrap();
    assert!(!index.texts().is_loaded());
    let texts = built.texts().to_bytes().unwrap();
    assert!(index.texts().load(&texts, index.len()));
    if let (Some(titles), Some(built)) = (index.main_titles(), built.main_titles()) {
        assert!(!titles.is_loaded());
        assert!(titles.load(&built.to_bytes().unwrap(), index.len()));
    }
    index
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn random_anime_filters_match_the_reference(
        filter in any_anime_filter(), count in 0..120_u32, seed in 0..16_u64, per_page in 1..40_usize,
    ) {
        let anime = made_up::anime(count, seed);
        let built: AnimeIndex = anime.iter().map(AnimeListItem::from).collect();
        let index = loaded(&built);
        prop_assert_eq!(&index, &built);
        let expected = naive::anime(&anime, &filter);
        for places in all_pages(|page| index.search(&filter, page), per_page) {
            let ids: Vec<u64> = places.into_iter().map(|place| place & ((1 << 25) - 1)).collect();
            prop_assert_eq!(&ids, &expected);
        }
    }

    #[test]
    fn random_song_filters_match_the_reference(
        filter in any_song_filter(), count in 0..120_u32, seed in 0..16_u64, per_page in 1..40_usize,
    ) {
        let songs = made_up::songs(count, seed);
        let built: SongIndex = songs.iter().map(SongListItem::from).collect();
        let index = loaded(&built);
        prop_assert_eq!(&index, &built);
        let expected = naive::songs(&songs, &filter);
        for places in all_pages(|page| index.search(&filter, page), per_page) {
            let ids: Vec<u64> = places.into_iter().map(|place| place & ((1 << 35) - 1)).collect();
            prop_assert_eq!(&ids, &expected);
        }
    }

    #[test]
    fn folding_is_idempotent_and_removes_control_characters(text in any::<String>()) {
        let once = fold(&text);
        prop_assert_eq!(fold(&once), once.clone());
        prop_assert!(!once.chars().any(char::is_control));
    }
}

/// The number of allocations of a search does not depend on the number of rows.
#[test]
fn search_allocates_nothing_per_row() {
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
            start: PageStart::Page(2),
        };
        let allocations = |index: &AnimeIndex| {
            // The first search computes parts of the index that it needs.
            drop(index.search(&filter, page));
            allocation_counter::measure(|| drop(index.search(&filter, page))).count_total
        };
        assert_eq!(allocations(&small), allocations(&large), "{query}");
    }
}

/// Axios and PHP write lists with brackets.
#[tokio::test]
async fn brackets_after_the_name_of_a_parameter_do_not_count() {
    let service = Service::with_catalogue(&made_up::anime(30, 1), &[]).await;
    let found = async |query: &str| {
        let answer = service.get(&format!("/v1/anime?{query}")).await;
        (answer.status.as_u16(), answer.body)
    };
    let all = found("").await;
    let two = found("formats=0&formats=2").await;
    assert_ne!(all.1, two.1);
    for query in [
        "formats[]=0&formats[]=2",
        "formats%5B%5D=0&formats%5b%5d=2",
        "formats[0]=0&formats[1]=2",
        "formats%5B10%5D=0,2",
        "formats=0&formats[]=2",
    ] {
        assert_eq!(found(query).await, two, "{query}");
    }
    assert_eq!(found("per_page[]=3").await, found("per_page=3").await);
    assert_eq!(found("per_page[]=x").await.0, 400);
    for unknown in "sort[]=0 formats[x]=0 formats]=0 formats[=0 []=0 formats[]x=0".split(' ') {
        assert_eq!(found(unknown).await, all, "{unknown}");
    }
    let token = service.get("/v1/auth/me?access_token[]=a").await;
    token.assert_status(400);
}
