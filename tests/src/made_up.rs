//! Generated catalogues. They use few distinct values, so that several filters match the same rows, and
//! include values that are hard to fold and to compare.

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use shared::models::{
    Anime, AnimeFormat, AnimeId, Score, Season, Song, SongId, SongType, Weekday, WireEnum,
};

/// Words that titles are made of.
pub const WORDS: [&str; 16] = [
    "Blue",
    "blüe",
    "Star",
    "STAR",
    "ガンダム",
    "カンタム",
    "Re:Zero",
    "K-ON!",
    "é",
    "the",
    "a",
    "100%",
    "☆",
    "Steins;Gate",
    "Ａｆｔｅｒ",
    "x",
];

/// Genres of the generated anime.
pub const GENRES: [&str; 6] = [
    "Action",
    "Drama",
    "Sci-Fi",
    "Slice of Life",
    "Sports",
    "Super Power",
];

/// Season years of the generated anime and songs.
pub const YEARS: [u16; 4] = [0, 1998, 1999, 2024];

/// The names of studios.
const STUDIOS: [&str; 5] = [
    "Studio Aozora",
    "feel.",
    "Diomedéa",
    "J.C.Staff",
    "Yamamura Animation Inc.",
];

/// The tags, some of which are genres.
const TAGS: [&str; 6] = [
    "drama",
    "time travel",
    "female protagonist",
    "bakumatsu - meiji period",
    "cgi",
    "boys' love",
];

/// Returns an anime that has only a title, in the language with this localization code.
pub fn titled_anime(id: u64, code: &str, title: &str) -> Anime {
    Anime {
        titles: [(code.to_owned(), title.to_owned())].into(),
        ..Anime::new(AnimeId::new(id).unwrap(), AnimeFormat::Tv)
    }
}

/// Generates `count` anime. The same seed gives the same anime.
pub fn anime(count: u32, seed: u64) -> Vec<Anime> {
    let mut rng = StdRng::seed_from_u64(seed);
    (1..=count)
        .map(|number| one_anime(AnimeId::new(u64::from(number)).unwrap(), &mut rng))
        .collect()
}

fn one_anime(id: AnimeId, rng: &mut StdRng) -> Anime {
    let number = u32::try_from(id.get()).unwrap();
    let amount = rng.random_range(0..=3);
    Anime {
        id,
        tracker_a_id: rng.random_bool(0.8).then_some(number / 2 + 1),
        tracker_b_id: rng.random_bool(0.8).then_some(number + 1000),
        database_id: rng.random_bool(0.3).then(|| rng.random_range(1..20)),
        format: pick(rng),
        status: pick(rng),
        titles: [("rj", title(rng)), ("en", title(rng)), ("jp", title(rng))]
            .into_iter()
            .take(rng.random_range(1..=3))
            .map(|(code, title)| (code.to_owned(), title))
            .collect(),
        descriptions: [("en".to_owned(), title(rng))].into(),
        start_date: None,
        end_date: None,
        weekly_airing_day: rng.random_bool(0.5).then(|| pick::<Weekday>(rng)),
        season_period: pick(rng),
        season_year: rng.random_bool(0.8).then(|| *YEARS.choose(rng).unwrap()),
        episodes_count: *[0, 1, 12, 24].choose(rng).unwrap(),
        episode_duration: Some(24),
        trailer_url: None,
        cover_image: format!("https://example.com/{number}.png"),
        has_cover_image: true,
        cover_color: None,
        banner_image: None,
        genres: GENRES
            .sample(rng, amount)
            .map(ToString::to_string)
            .collect(),
        sagas: None,
        sequel: None,
        prequel: None,
        score: Score::new(f64::from(rng.random_range(0..8)) * 12.5).unwrap(),
        nsfw: rng.random_bool(0.3),
        recommendations: Some(vec![id]),
        studios: STUDIOS
            .sample(rng, amount.min(2))
            .map(ToString::to_string)
            .collect(),
        tags: TAGS.sample(rng, amount).map(ToString::to_string).collect(),
        synonyms: Vec::new(),
    }
}

/// Generates `count` songs, four for each anime. The same seed gives the same songs.
pub fn songs(count: u32, seed: u64) -> Vec<Song> {
    let mut rng = StdRng::seed_from_u64(seed);
    (0..count)
        .map(|number| {
            let anime_id = AnimeId::new(u64::from(number / 4 + 1)).unwrap();
            Song {
                id: SongId::of_anime(anime_id, u16::try_from(number % 4).unwrap()).unwrap(),
                anime_id,
                title: title(&mut rng),
                artist: if rng.random_bool(0.3) {
                    String::new()
                } else {
                    title(&mut rng)
                },
                album: String::new(),
                year: *YEARS.choose(&mut rng).unwrap(),
                season: pick::<Season>(&mut rng),
                duration: rng.random_range(0..300_000),
                preview_url: String::new(),
                open_player_url: String::new(),
                local_player_url: String::new(),
                song_type: pick::<SongType>(&mut rng),
            }
        })
        .collect()
}

fn title(rng: &mut StdRng) -> String {
    let words = rng.random_range(1..=3);
    WORDS
        .sample(rng, words)
        .copied()
        .collect::<Vec<_>>()
        .join(" ")
}

fn pick<E: WireEnum>(rng: &mut StdRng) -> E {
    E::ALL.choose(rng).unwrap().0
}
