use std::sync::Arc;

use shared::models::{Anime, AnimeFormat, AnimeId, AnimeStatus, IdKind, StatedId, TrackerIds};

use super::evidence::{
    Conflict, Contradiction, EpisodeName, Evidence, Identification, MatchReason,
};
use super::searches::{NameLimits, NameSearches};
use crate::identifiers::{IdSource, Identifier, MappingEntry};
use crate::import::SeasonList;
use crate::mapping::AnimeMapping;
use crate::rows::anime::AnimeListItem;
use crate::seasons::{AnimeSeasons, SeasonMap};

/// An anime. Its identifier is also that at tracker A and at `AniDB`.
struct Row {
    id: u32,
    titles: &'static [&'static str],
    format: AnimeFormat,
    episodes: u32,
    year: Option<u16>,
}

const fn tv(id: u32, titles: &'static [&'static str], episodes: u32) -> Row {
    Row {
        id,
        titles,
        format: AnimeFormat::Tv,
        episodes,
        year: None,
    }
}

const fn other(id: u32, title: &'static [&'static str], format: AnimeFormat) -> Row {
    Row {
        id,
        titles: title,
        format,
        episodes: 1,
        year: None,
    }
}

/// Returns a catalogue with these anime, and a season map with the places of anime: the anime, and its attributes in
/// the list.
fn catalogue(rows: &[Row], places: &[(u32, &str)]) -> AnimeSeasons {
    catalogue_with_ids(rows, places, &[])
}

/// Returns a catalogue in which anime also have these identifiers.
fn catalogue_with_ids(
    rows: &[Row],
    places: &[(u32, &str)],
    ids: &[(u32, Identifier)],
) -> AnimeSeasons {
    let items = rows.iter().map(|row| {
        let id = AnimeId::new(row.id.into()).unwrap();
        let mut anime = Anime::new(id, row.format);
        anime.tracker_a_id = Some(row.id);
        anime.status = AnimeStatus::Finished;
        anime.episodes_count = row.episodes;
        anime.season_year = row.year;
        let titles = ["rj", "en", "de", "fr"].into_iter().zip(row.titles);
        let titles = titles.map(|(code, title)| (code.to_owned(), (*title).to_owned()));
        anime.titles = titles.collect();
        AnimeListItem::from(&anime)
    });
    let index: crate::index::AnimeIndex = items.collect();
    let entries = rows.iter().map(|row| {
        let others = ids.iter().filter(|(anime, _)| *anime == row.id);
        let anidb = Identifier::new(IdSource::Anidb, row.id);
        MappingEntry {
            trackers: TrackerIds {
                a: Some(row.id),
                b: None,
            },
            elsewhere: others.map(|(_, id)| *id).chain([anidb]).collect(),
        }
    });
    let mapping = AnimeMapping::new(index.tracked_anime(), entries.collect());
    let places = places.iter().map(|(anime, attributes)| {
        format!("<anime anidbid=\"{anime}\" {attributes}><name>Anime</name></anime>")
    });
    let list = format!("<anime-list>{}</anime-list>", places.collect::<String>());
    let map =
        SeasonList::read(list.as_bytes()).map_or_else(|_| SeasonMap::default(), |list| list.map);
    AnimeSeasons {
        map: Arc::new(map),
        mapping: Arc::new(mapping),
        index: Arc::new(index),
    }
}

fn named(
    title: &str,
    season: impl Into<Option<u16>>,
    episode: impl Into<Option<u32>>,
) -> EpisodeName {
    EpisodeName {
        title: title.to_owned(),
        season: season.into(),
        episode: episode.into(),
        ..EpisodeName::default()
    }
}

fn pairs(found: &Identification) -> Vec<(u64, u32)> {
    let episodes = found.candidates.iter();
    episodes
        .map(|found| (found.anime.get(), found.episode))
        .collect()
}

/// Returns the episode that is certainly meant.
fn certain(found: &Identification) -> Option<(u64, u32)> {
    let certain = found.certain()?;
    Some((certain.anime.get(), certain.episode))
}

fn identify(seasons: &AnimeSeasons, evidence: &Evidence) -> Identification {
    let mut searches = NameSearches::default();
    seasons.identify(evidence, &mut searches).unwrap()
}

/// Returns a title as evidence.
fn titled(title: &str, episode: impl Into<Option<u32>>) -> Evidence {
    Evidence {
        titles: vec![title.to_owned()],
        episode: episode.into(),
        ..Evidence::default()
    }
}

fn find_within(
    seasons: &AnimeSeasons,
    name: &EpisodeName,
    searches: &mut NameSearches,
) -> Option<Identification> {
    let evidence = Evidence {
        season: name.season,
        year: name.year,
        format: name.format,
        ..titled(&name.title, name.episode)
    };
    seasons.identify(&evidence, searches)
}

fn find(seasons: &AnimeSeasons, name: &EpisodeName) -> Identification {
    find_within(seasons, name, &mut NameSearches::default()).unwrap()
}

/// Asserts that a name certainly means an episode.
#[track_caller]
fn finds(seasons: &AnimeSeasons, name: &EpisodeName, anime: u64, episode: u32) {
    let found = find(seasons, name);
    assert_eq!(pairs(&found).first(), Some(&(anime, episode)), "{name:?}");
    assert!(found.certain.is_some(), "{name:?}");
}

/// Asserts that a name is not certain, and that these are the guesses.
#[track_caller]
fn guesses(seasons: &AnimeSeasons, name: &EpisodeName, expected: &[(u64, u32)]) {
    let found = find(seasons, name);
    assert_eq!(pairs(&found), expected, "{name:?}");
    assert!(found.certain.is_none(), "{name:?}");
}

/// Attributes of an anime in series 7 of `TheTVDB`.
const FIRST_SEASON: &str = "tvdbid=\"7\" defaulttvdbseason=\"1\" episodeoffset=\"\"";
const SECOND_SEASON: &str = "tvdbid=\"7\" defaulttvdbseason=\"2\" episodeoffset=\"\"";

#[test]
fn season_counts_within_the_series_of_the_title() {
    let rows = [tv(1, &["Harbor Lights"], 12), tv(2, &["Winter at Sea"], 12)];
    let seasons = catalogue(&rows, &[(1, FIRST_SEASON), (2, SECOND_SEASON)]);
    finds(&seasons, &named("harbor lights!", 1, 12), 1, 12);
    finds(&seasons, &named("Harbor Lights", 2, 3), 2, 3);
    finds(&seasons, &named("Winter at Sea", 2, 3), 2, 3);
    guesses(&seasons, &named("Harbor Lights", 3, 1), &[]);
    guesses(&seasons, &named("Harbor Lights", 0, 1), &[]);
    guesses(&seasons, &named("Mountain Lights", 1, 1), &[(1, 1)]);
    guesses(&seasons, &named("Unknown", 1, 1), &[]);
}

#[test]
fn similar_title_is_told_from_the_title_itself() {
    let rows = [tv(1, &["Harbor Lights"], 12), tv(2, &["Winter at Sea"], 12)];
    let seasons = catalogue(&rows, &[(1, FIRST_SEASON), (2, SECOND_SEASON)]);
    for (title, season, is_only_similar) in [
        ("Mountain Lights", 1, true),
        ("Harbor Lights", 1, false),
        ("Harbor Lgihts", 1, false),
        ("Harbor Lgihts Season 2", 2, false),
        ("Unknown", 1, false),
    ] {
        let found = find(&seasons, &named(title, season, 1));
        assert_eq!(found.is_only_similar, is_only_similar, "{title}");
    }
}

#[test]
fn season_in_the_title_is_the_season_as_fans_count_it() {
    let rows = [
        tv(1, &["Harbor Lights"], 12),
        tv(2, &["Harbor Lights 2nd Season"], 12),
        tv(3, &["Winter at Sea"], 12),
    ];
    let same_season = "tvdbid=\"7\" defaulttvdbseason=\"1\" episodeoffset=\"12\"";
    let places = [(1, FIRST_SEASON), (2, same_season), (3, SECOND_SEASON)];
    let seasons = catalogue(&rows, &places);
    finds(&seasons, &named("Harbor Lights", 2, 3), 3, 3);
    finds(&seasons, &named("Harbor Lights Season 2", None, 3), 2, 3);
    finds(&seasons, &named("Harbor Lights", 1, 15), 2, 3);
    // Of two with the title, the series confirms one.
    let rows = [
        tv(1, &["Harbor Lights", "Lighthouse 2"], 12),
        tv(3, &["Winter at Sea", "Lighthouse 2", "Lighthouse"], 12),
    ];
    let seasons = catalogue(&rows, &places);
    finds(&seasons, &named("Lighthouse Season 2", None, 3), 3, 3);
    guesses(&seasons, &named("Lighthouse Season 2", None, 13), &[(3, 1)]);
    // No title has the season, so it is that of the series.
    let rows = [tv(1, &["Harbor Lights"], 12), tv(3, &["Winter at Sea"], 12)];
    let seasons = catalogue(&rows, &places);
    finds(&seasons, &named("Harbor Lights Season 2", None, 3), 3, 3);
}

#[test]
fn without_season_map_the_titles_name_the_season() {
    let rows = [
        tv(1, &["Harbor Lights"], 12),
        tv(2, &["Harbor Lights II", "Hafenlichter Staffel 2"], 12),
    ];
    let seasons = catalogue(&rows, &[]);
    finds(&seasons, &named("Harbor Lights", 1, 12), 1, 12);
    finds(&seasons, &named("Harbor Lights", 2, 3), 2, 3);
    finds(&seasons, &named("Hafenlichter", 2, 3), 2, 3);
    finds(&seasons, &named("Harbor Lights 2nd Season", None, 3), 2, 3);
    guesses(&seasons, &named("Harbor Lights", 1, 13), &[(1, 13)]);
    guesses(&seasons, &named("Harbor Lights", 2, 13), &[(2, 13)]);
    guesses(&seasons, &named("Harbor Lights", 3, 1), &[]);
}

#[test]
fn number_beyond_the_last_episode_counts_across_seasons() {
    let rows = [
        tv(1, &["Harbor Lights"], 12),
        tv(2, &["Winter at Sea"], 10),
        tv(3, &["Summer at Sea"], 0),
    ];
    let third = "tvdbid=\"7\" defaulttvdbseason=\"2\" episodeoffset=\"10\"";
    let seasons = catalogue(&rows, &[(1, FIRST_SEASON), (2, SECOND_SEASON), (3, third)]);
    finds(&seasons, &named("Harbor Lights", None, 12), 1, 12);
    finds(&seasons, &named("Harbor Lights", None, 13), 2, 1);
    finds(&seasons, &named("Winter at Sea", None, 10), 2, 10);
    finds(&seasons, &named("Winter at Sea", None, 22), 2, 10);
    // The number counts within the second season, which is shorter.
    guesses(&seasons, &named("Winter at Sea", None, 11), &[(2, 11)]);
    // The last anime has an unknown number of episodes.
    guesses(&seasons, &named("Harbor Lights", None, 23), &[(1, 23)]);
    finds(&seasons, &named("Summer at Sea", None, 26), 3, 26);
    guesses(&seasons, &named("Summer at Sea", None, 27), &[(3, 27)]);
}

#[test]
fn high_number_in_later_season_counts_from_the_beginning() {
    let rows = [tv(1, &["Endless Voyage"], 0)];
    let place = "tvdbid=\"7\" defaulttvdbseason=\"a\" episodeoffset=\"\"";
    let seasons = catalogue(&rows, &[(1, place)]);
    finds(&seasons, &named("Endless Voyage", 21, 1080), 1, 1080);
    guesses(&seasons, &named("Endless Voyage", 21, 80), &[(1, 80)]);
}

#[test]
fn of_several_with_the_title_the_first_series_is_meant() {
    let second = "tvdbid=\"8\" defaulttvdbseason=\"1\" episodeoffset=\"\"";
    let mut rows = [
        tv(2, &["Harbor Lights (2019)", "Harbor Lights"], 24),
        tv(1, &["Harbor Lights"], 12),
    ];
    let seasons = catalogue(&rows, &[(1, FIRST_SEASON), (2, second)]);
    finds(&seasons, &named("Harbor Lights", 1, 3), 1, 3);
    finds(&seasons, &named("Harbor Lights (2019)", 1, 3), 2, 3);
    let of_file = named("Harbor Lights", None, 3);
    guesses(&seasons, &of_file, &[(1, 3), (2, 3)]);
    let with_year = EpisodeName {
        year: Some(2019),
        ..of_file
    };
    finds(&seasons, &with_year, 2, 3);
    // Only one of them has the episode.
    finds(&seasons, &named("Harbor Lights", None, 13), 2, 13);

    // The year need not be in the title.
    rows[0].titles = &["Harbor Lights"];
    rows[0].year = Some(2020);
    rows[1].year = Some(1999);
    let seasons = catalogue(&rows, &[(1, FIRST_SEASON), (2, second)]);
    finds(&seasons, &with_year, 2, 3);
    let other_year = EpisodeName {
        year: Some(2010),
        ..with_year
    };
    // The year contradicts both.
    guesses(&seasons, &other_year, &[(1, 3), (2, 3)]);
}

#[test]
fn marks_at_the_end_of_a_title_count() {
    let rows = [tv(1, &["Choir!"], 12), tv(2, &["Choir!!"], 24)];
    let seasons = catalogue(&rows, &[(1, FIRST_SEASON), (2, SECOND_SEASON)]);
    finds(&seasons, &named("Choir!", None, 8), 1, 8);
    finds(&seasons, &named("Choir!!", None, 8), 2, 8);
    finds(&seasons, &named("Choir!!", 1, 8), 2, 8);
    // Names often lack the marks.
    finds(&seasons, &named("Choir", None, 8), 1, 8);
}

#[test]
fn own_title_comes_before_season_arithmetic() {
    let rows = [
        tv(1, &["Harbor Lights"], 12),
        tv(2, &["Harbor Lights 2nd Season", "Winter at Sea"], 12),
        tv(
            3,
            &["Harbor Lights: Summer", "Harbor Lights 2nd Season Part 2"],
            10,
        ),
        tv(4, &["Harbor Lights (2019)"], 24),
    ];
    let part = "tvdbid=\"7\" defaulttvdbseason=\"2\" episodeoffset=\"12\"";
    let last = "tvdbid=\"7\" defaulttvdbseason=\"3\" episodeoffset=\"\"";
    let places = [(1, FIRST_SEASON), (2, SECOND_SEASON), (3, part), (4, last)];
    let seasons = catalogue(&rows, &places);
    for (title, season, anime) in [
        ("Harbor Lights", Some(1), 1),
        ("Harbor Lights", Some(2), 2),
        ("Harbor Lights 2nd Season", Some(1), 2),
        ("Harbor Lights Season 2", Some(1), 2),
        ("Harbor Lights II", Some(1), 2),
        ("Harbor Lights 2", Some(1), 2),
        ("Harbor.Lights.S2", Some(1), 2),
        ("Harbor Lights 2nd Season", Some(2), 2),
        ("Harbor Lights 2nd Season", None, 2),
        ("Winter at Sea", Some(1), 2),
        ("Winter at Sea", Some(2), 2),
        ("Harbor Lights: Summer", Some(1), 3),
        ("Harbor Lights 2nd Season Part 2", Some(1), 3),
        ("Harbor Lights (2019)", Some(1), 4),
        ("Harbor Lights (2019)", None, 4),
    ] {
        finds(&seasons, &named(title, season, 3), anime, 3);
    }
    finds(&seasons, &named("Harbor Lights", 2, 15), 3, 3);
    // The second season has no such episode.
    let beyond = find(&seasons, &named("Harbor Lights 2nd Season", 1, 13));
    assert_eq!(beyond.certain, None);
}

#[test]
fn title_in_full_comes_before_others() {
    let rows = [
        tv(1, &["Winter at Sea", "Sea in Winter", "Harbor Lights"], 12),
        tv(2, &["Harbor Lights"], 12),
        tv(3, &["Paper Moons (2015)"], 12),
        tv(4, &["Paper Moons"], 12),
    ];
    let seasons = catalogue(&rows, &[]);
    finds(&seasons, &named("Harbor Lights", None, 3), 2, 3);
    finds(&seasons, &named("Harbor Lights", 1, 3), 2, 3);
    finds(&seasons, &named("Paper Moons", None, 3), 4, 3);
    finds(&seasons, &named("Paper Moons (2015)", None, 3), 3, 3);
}

#[test]
fn number_that_is_not_a_year_is_a_part_of_the_title() {
    let rows = [Row {
        year: Some(2015),
        ..tv(1, &["Night Harbor 2041"], 12)
    }];
    let seasons = catalogue(&rows, &[]);
    finds(&seasons, &named("Night Harbor 2041", 1, 3), 1, 3);
    finds(&seasons, &named("Night Harbor (2041)", 1, 3), 1, 3);
}

#[test]
fn anime_on_the_web_can_have_more_episodes_than_known() {
    let rows = [
        other(1, &["Paper Moons"], AnimeFormat::Ona),
        other(2, &["Sea Wind"], AnimeFormat::Movie),
        tv(3, &["Harbor Lights"], 12),
    ];
    let seasons = catalogue(&rows, &[]);
    finds(&seasons, &named("Paper Moons", 1, 3), 1, 3);
    finds(&seasons, &named("Paper Moons", None, 3), 1, 3);
    for name in [
        named("Paper Moons", 1, 27),
        named("Sea Wind", 1, 3),
        named("Harbor Lights", 1, 13),
    ] {
        assert_eq!(find(&seasons, &name).certain, None, "{name:?}");
    }
}

#[test]
fn services_that_number_differently_leave_it_uncertain() {
    let rows = [tv(1, &["Harbor Lights"], 0), tv(2, &["Winter at Sea"], 12)];
    let of_both = |anime, season: &str, offset: &str| {
        let attributes = format!(
            "tvdbid=\"7\" defaulttvdbseason=\"{season}\" episodeoffset=\"\" tmdbtv=\"9\" \
             tmdbseason=\"1\" tmdboffset=\"{offset}\""
        );
        (anime, attributes)
    };
    let places = [of_both(1, "1", ""), of_both(2, "2", "12")];
    let places = places
        .each_ref()
        .map(|(anime, place)| (*anime, place.as_str()));
    let seasons = catalogue(&rows, &places);
    finds(&seasons, &named("Harbor Lights", 1, 5), 1, 5);
    finds(&seasons, &named("Harbor Lights", 2, 5), 2, 5);
    guesses(&seasons, &named("Harbor Lights", 1, 17), &[(1, 17), (2, 5)]);
}

#[test]
fn format_chooses_between_anime_with_the_title() {
    use AnimeFormat::{Movie, Ova, Special, Tv};
    let rows = [
        other(1, &["Harbor Lights"], Movie),
        other(2, &["Harbor Lights OVA"], Ova),
        other(3, &["Harbor Lights Specials"], Special),
        tv(4, &["Harbor Lights"], 12),
    ];
    let seasons = catalogue(&rows, &[(1, FIRST_SEASON), (4, FIRST_SEASON)]);
    let with = |format, episode: Option<u32>| EpisodeName {
        format,
        ..named("Harbor Lights", None, episode)
    };
    finds(&seasons, &with(None, Some(1)), 4, 1);
    finds(&seasons, &with(Some(Tv), Some(1)), 4, 1);
    finds(&seasons, &with(None, None), 1, 1);
    finds(&seasons, &with(Some(Movie), None), 1, 1);
    finds(&seasons, &with(Some(Ova), Some(1)), 2, 1);
    finds(&seasons, &with(Some(Special), Some(1)), 3, 1);
    guesses(&seasons, &with(Some(Ova), Some(2)), &[(2, 2)]);
    // The OVA of the second season is a different anime.
    let later = EpisodeName {
        format: Some(Ova),
        ..named("Harbor Lights", 2, 1)
    };
    assert!(find(&seasons, &later).certain.is_none());
}

#[test]
fn name_without_episode_is_a_movie() {
    let rows = [
        other(1, &["The Last Lighthouse"], AnimeFormat::Movie),
        tv(2, &["Harbor Lights"], 12),
        other(3, &["Storm"], AnimeFormat::Movie),
        other(4, &["Storm (2001)", "Storm"], AnimeFormat::Movie),
    ];
    let specials = "tvdbid=\"7\" defaulttvdbseason=\"0\" episodeoffset=\"\"";
    let seasons = catalogue(&rows, &[(3, specials), (4, specials)]);
    finds(&seasons, &named("The Last Lighthouse", None, None), 1, 1);
    finds(&seasons, &named("Storm (2001)", None, None), 4, 1);
    guesses(&seasons, &named("Storm", None, None), &[(3, 1), (4, 1)]);
    guesses(&seasons, &named("Harbor Lights", None, None), &[(2, 1)]);
    let movie = EpisodeName {
        format: Some(AnimeFormat::Movie),
        ..named("Harbor Lights", None, None)
    };
    guesses(&seasons, &movie, &[]);
}

#[test]
fn similar_title_is_only_a_candidate() {
    let rows = [
        tv(1, &["Harbor Lights", "Hikari no Minato"], 12),
        tv(2, &["Harbor Lights 2: Winter at Sea"], 12),
        tv(3, &["The Keeper of the Lonely Lighthouse"], 12),
        tv(4, &["Sea Wind"], 12),
        tv(5, &["Sea Wind and Sunshine"], 12),
    ];
    let seasons = catalogue(&rows, &[]);
    // Two titles of one anime, and a title without articles.
    let both = named("Hikari no Minato Harbor Lights", None, 1);
    finds(&seasons, &both, 1, 1);
    let without_articles = named("Keeper of Lonely Lighthouse", None, 1);
    finds(&seasons, &without_articles, 3, 1);
    // Typing errors and longer titles.
    for (name, anime) in [
        ("The Keper of the Lonely Lighthouze", 3),
        ("Hikari no Minato Platinum", 1),
        ("Hikari no Minato 3 Platinum", 1),
        ("Sea Wind and Clouds", 5),
    ] {
        let found = find(&seasons, &named(name, None, 1));
        assert_eq!(found.certain, None, "{name}");
        assert_eq!(pairs(&found).first(), Some(&(anime, 1)), "{name}");
    }
    guesses(&seasons, &named("Completely Unknown", None, 1), &[]);
}

#[test]
fn readings_are_tried_in_order() {
    let rows = [
        tv(1, &["Harbor Lights"], 12),
        tv(2, &["Harbor Lights 2"], 12),
    ];
    let seasons = catalogue(&rows, &[]);
    let evidence = |readings: Vec<EpisodeName>| Evidence {
        readings,
        ..Evidence::default()
    };
    let second = named("Harbor Lights", None, 2);
    for (first, expected) in [("Harbor Lights 2", (2, 3)), ("Harbor Lights 3", (1, 2))] {
        let readings = vec![named(first, None, 3), second.clone()];
        let found = identify(&seasons, &evidence(readings));
        assert_eq!((certain(&found), found.is_by_file), (Some(expected), true));
    }
    // A certain title counts more than the name of a file.
    let both = Evidence {
        readings: vec![named("Harbor Lights 2", None, 3)],
        ..titled("Harbor Lights", 5)
    };
    let found = identify(&seasons, &both);
    assert_eq!((certain(&found), found.is_by_file), (Some((1, 5)), false));
}

/// Returns the identifiers that tests state: of series at `TheTVDB`, and of series and movies at The Movie Database.
fn stated(source: IdSource, kind: IdKind, id: u32) -> StatedId {
    StatedId { source, kind, id }
}

#[test]
fn identifier_counts_only_for_what_it_names() {
    use IdKind::{Anime, Episode, Movie, Series};
    use IdSource::{Anidb, Database, Imdb, Tvdb};
    let rows = [
        tv(1, &["Harbor Lights"], 12),
        tv(2, &["Harbor Lights 2nd Season"], 12),
        other(3, &["The Last Lighthouse"], AnimeFormat::Movie),
        tv(4, &["Paper Moons"], 12),
    ];
    let of_movie = Identifier {
        is_movie: Some(true),
        ..Identifier::new(Database, 70)
    };
    let of_series = Identifier {
        is_movie: Some(false),
        ..Identifier::new(Database, 80)
    };
    let ids = [
        (3, of_movie),
        (4, of_series),
        (4, Identifier::new(Imdb, 90)),
    ];
    let seasons = catalogue_with_ids(&rows, &[(1, FIRST_SEASON), (2, SECOND_SEASON)], &ids);
    for (source, kind, id, season, episode, expected) in [
        (Anidb, Anime, 2, None, Some(3), Some((2, 3))),
        (Anidb, Anime, 2, None, Some(13), None),
        (Anidb, Series, 2, None, Some(3), None),
        (Anidb, Episode, 2, None, Some(3), None),
        (Tvdb, Series, 7, Some(2), Some(3), Some((2, 3))),
        (Tvdb, Series, 7, None, Some(3), None),
        (Tvdb, Movie, 7, Some(2), Some(3), None),
        (Database, Movie, 70, None, None, Some((3, 1))),
        (Database, Series, 70, Some(1), Some(1), None),
        (Database, Movie, 80, None, None, None),
        // The series has one anime.
        (Database, Series, 80, Some(1), Some(3), Some((4, 3))),
        (Database, Series, 80, Some(2), Some(3), None),
        (Imdb, Series, 90, Some(1), Some(3), Some((4, 3))),
    ] {
        let id = stated(source, kind, id);
        let evidence = Evidence {
            ids: vec![id],
            season,
            episode,
            ..Evidence::default()
        };
        let found = identify(&seasons, &evidence);
        assert_eq!(certain(&found), expected, "{id:?} {season:?} {episode:?}");
    }
}

#[test]
fn title_is_contradicted_only_by_identifiers_of_the_same_kind() {
    use IdKind::{Anime, Episode, Movie, Series};
    use IdSource::{Anidb, Database, Imdb, Tvdb};
    let of = |id, is_movie| Identifier {
        is_movie: Some(is_movie),
        ..Identifier::new(Database, id)
    };
    let ids = [
        (1, of(70, true)),
        (1, of(80, false)),
        (1, Identifier::new(Tvdb, 60)),
        (2, of(81, false)),
    ];
    let rows = [tv(1, &["Paper Moons"], 12), tv(2, &["Harbor Lights"], 12)];
    let seasons = catalogue_with_ids(&rows, &[], &ids);
    for (title, id, is_certain) in [
        ("Paper Moons", stated(Database, Series, 80), true),
        ("Paper Moons", stated(Database, Series, 70), false),
        ("Paper Moons", stated(Database, Movie, 80), false),
        ("Harbor Lights", stated(Database, Series, 80), false),
        // The anime has no identifier of this kind.
        ("Harbor Lights", stated(Database, Movie, 80), true),
        ("Harbor Lights", stated(Imdb, Series, 80), true),
        ("Paper Moons", stated(Tvdb, Movie, 61), true),
        ("Paper Moons", stated(Tvdb, Episode, 61), true),
        ("Paper Moons", stated(Tvdb, Series, 61), false),
        ("Paper Moons", stated(Anidb, Series, 9), true),
        ("Paper Moons", stated(Anidb, Anime, 9), false),
    ] {
        let evidence = Evidence {
            ids: vec![id],
            ..titled(title, 3)
        };
        let found = identify(&seasons, &evidence);
        assert_eq!(found.certain.is_some(), is_certain, "{title} {id:?}");
    }
}

#[test]
fn contradiction_of_an_identifier_makes_it_uncertain() {
    let rows = [
        Row {
            year: Some(2010),
            ..tv(1, &["Harbor Lights"], 12)
        },
        tv(2, &["Harbor Lights 2nd Season"], 12),
        tv(3, &["Paper Moons"], 12),
    ];
    let seasons = catalogue(&rows, &[(1, FIRST_SEASON), (2, SECOND_SEASON)]);
    let identify = |title: &str, year, format| {
        let evidence = Evidence {
            ids: vec![stated(IdSource::Anidb, IdKind::Anime, 1)],
            year,
            format,
            ..titled(title, 3)
        };
        identify(&seasons, &evidence)
    };
    // Unknown titles and titles of the same series are not a contradiction.
    for title in [
        "Harbor Lights",
        "Hafenlichter",
        "Harbour Lights",
        "Harbor Lights 2nd Season",
    ] {
        let found = identify(title, Some(2011), None);
        assert_eq!(certain(&found), Some((1, 3)), "{title}");
    }
    let anime = |id| AnimeId::new(id).unwrap();
    for (title, year, format, contradiction) in [
        ("Paper Moons", None, None, Contradiction::Title(anime(3))),
        ("Harbor Lights", Some(2013), None, Contradiction::Year(2010)),
        (
            "Harbor Lights",
            None,
            Some(AnimeFormat::Movie),
            Contradiction::Format(AnimeFormat::Tv),
        ),
    ] {
        let found = identify(title, year, format);
        let conflict = Conflict {
            by_id: anime(1),
            contradiction,
        };
        assert_eq!(
            (found.certain, found.conflicts.as_slice()),
            (None, &[conflict][..])
        );
        assert_eq!(pairs(&found).first(), Some(&(1, 3)));
    }
}

#[test]
fn entry_of_a_list_names_an_anime_without_an_episode() {
    let rows = [
        Row {
            year: Some(1999),
            ..tv(1, &["Harbor Lights"], 12)
        },
        Row {
            year: Some(2019),
            ..tv(2, &["Harbor Lights"], 24)
        },
        tv(3, &["Paper Moons"], 12),
    ];
    let seasons = catalogue(&rows, &[]);
    let identify = |title: &str, year, episodes| {
        let evidence = Evidence {
            is_entry: true,
            year,
            episodes,
            ..titled(title, None)
        };
        let found = identify(&seasons, &evidence);
        certain(&found).zip(found.certain)
    };
    let detailed = MatchReason::TitleAndDetails;
    for (title, year, episodes, expected) in [
        (
            "Paper Moons",
            None,
            None,
            Some(((3, 1), MatchReason::Title)),
        ),
        ("Paper Moons", None, Some(1), None),
        ("Harbor Lights", None, None, None),
        ("Harbor Lights", Some(2019), None, Some(((2, 1), detailed))),
        ("Harbor Lights", None, Some(12), Some(((1, 1), detailed))),
        ("Harbor Lights", None, Some(24), Some(((2, 1), detailed))),
    ] {
        assert_eq!(identify(title, year, episodes), expected, "{title}");
    }
}

#[test]
fn entry_of_a_list_proposes_each_anime_once() {
    let rows = [tv(1, &["Harbor Lights"], 24), tv(2, &["Harbor Lights"], 12)];
    // The second season begins with episode 13 of the first anime.
    let place = "tvdbid=\"7\" defaulttvdbseason=\"2\" episodeoffset=\"-12\"";
    let seasons = catalogue(&rows, &[(1, place)]);
    let titles = ["Harbor Lights", "Harbor Lights Season 2"];
    let evidence = Evidence {
        is_entry: true,
        titles: titles.map(str::to_owned).to_vec(),
        ..Evidence::default()
    };
    assert_eq!(pairs(&identify(&seasons, &evidence)), [(1, 1), (2, 1)]);
}

#[test]
fn hostile_names_find_nothing() {
    let seasons = catalogue(&[tv(1, &["Harbor Lights"], 12)], &[(1, FIRST_SEASON)]);
    let long = "lights ".repeat(2_000);
    for title in ["", " ", "\0", "!!", "(2012)", "((((", &long] {
        for (season, episode) in [(0, 0), (1, 0), (u16::MAX, u32::MAX), (1, u32::MAX)] {
            let found = find(&seasons, &named(title, season, episode));
            assert!(found.certain.is_none(), "{title:.20}");
            assert!(found.candidates.len() <= 3);
        }
    }
    let last = named("Harbor Lights", None, u32::MAX);
    guesses(&seasons, &last, &[(1, u32::MAX)]);
}

#[test]
fn searches_have_limits_and_equal_titles_are_searched_once() {
    let rows = [tv(1, &["Harbor Lights"], 12), tv(2, &["Paper Moons"], 12)];
    let seasons = catalogue(&rows, &[]);
    let find = |title: &str, episode: u32, searches: &mut NameSearches| {
        let found = find_within(&seasons, &named(title, None, episode), searches)?;
        Some((pairs(&found), found.certain.is_some()))
    };
    let mut searches = NameSearches::new(NameLimits {
        similar: 1,
        all: 1_000_000,
    });
    let similar = |episode| Some((vec![(1, episode)], false));
    assert_eq!(find("Harbro Lights", 3, &mut searches), similar(3));
    // The title was searched before.
    assert_eq!(find("Harbro Lights", 4, &mut searches), similar(4));
    assert_eq!(find("Papre Moons", 3, &mut searches), None);
    // A search for a title itself still takes place.
    let known = Some((vec![(1, 3)], true));
    assert_eq!(find("Harbor Lights", 3, &mut searches), known);

    let mut searches = NameSearches::new(NameLimits {
        similar: u64::MAX,
        all: 1,
    });
    assert_eq!(find("Harbor Lights", 3, &mut searches), known);
    assert_eq!(find("Paper Moons", 3, &mut searches), None);
    assert_eq!(find("Harbor Lights", 3, &mut searches), known);
}

#[test]
fn pauses_are_due_after_work_and_not_after_known_titles() {
    let seasons = catalogue(&[tv(1, &["Harbor Lights"], 12)], &[]);
    let mut searches = NameSearches::default();
    assert!(!searches.is_pause_due());
    for number in 0..2_000 {
        let name = named(&format!("Unheard Of {number}"), None, 1);
        assert!(find_within(&seasons, &name, &mut searches).is_some());
    }
    assert!(searches.is_pause_due());
    assert!(!searches.is_pause_due(), "no work since the last pause");
    for _ in 0..2_000 {
        let name = named("Unheard Of 1", None, 1);
        assert!(find_within(&seasons, &name, &mut searches).is_some());
    }
    assert!(!searches.is_pause_due(), "the title was searched before");
}
