use super::map::{AnidbEpisode, Candidates, SeasonMap};
use super::placement::Series;
use crate::identifiers::IdSource;
use crate::import::SeasonList;

/// Returns the map of a list with these anime at `TheTVDB`: the attributes after `anidbid`, and the mappings.
fn map(anime: &[(u32, &str, &str)]) -> SeasonMap {
    let anime = anime.iter().map(|(id, attributes, mappings)| {
        format!(
            "<anime anidbid=\"{id}\" {attributes}><name>Anime {id}</name>\
             <mapping-list>{mappings}</mapping-list></anime>"
        )
    });
    let list = format!("<anime-list>{}</anime-list>", anime.collect::<String>());
    SeasonList::read(list.as_bytes()).unwrap().map
}

/// Returns the attributes of an anime in series 7.
fn place(season: &str, offset: &str) -> String {
    format!("tvdbid=\"7\" defaulttvdbseason=\"{season}\" episodeoffset=\"{offset}\"")
}

fn all(
    map: &SeasonMap,
    season: u16,
    episode: u32,
    limits: &[(u32, u32)],
) -> Candidates<AnidbEpisode> {
    let series = Series {
        source: IdSource::Tvdb,
        id: 7,
    };
    map.find(series, season, episode, |anime| {
        let known = limits.iter().find(|(known, _)| *known == anime);
        known.map(|(_, limit)| *limit)
    })
}

/// Returns the anime and its episode, if they are certain.
fn found(map: &SeasonMap, season: u16, episode: u32, limits: &[(u32, u32)]) -> Option<(u32, u32)> {
    let found = all(map, season, episode, limits);
    let episode = found.certain()?;
    Some((episode.anime, episode.episode))
}

/// A season and an episode, and the certain anime and episode of it.
type Case = (u16, u32, Option<(u32, u32)>);

#[track_caller]
fn assert_found(map: &SeasonMap, limits: &[(u32, u32)], cases: &[Case]) {
    for (season, episode, expected) in cases {
        let found = found(map, *season, *episode, limits);
        assert_eq!(found, *expected, "{season} {episode} {limits:?}");
    }
}

#[test]
fn default_season_and_offset_apply_to_episodes_without_a_statement() {
    let map = map(&[(1, &place("2", "10"), "")]);
    assert_found(&map, &[], &[(2, 11, Some((1, 1))), (2, 13, Some((1, 3)))]);
    for (season, episode) in [(2, 10), (2, 0), (1, 11), (0, 11), (2, 99_999)] {
        assert_found(&map, &[], &[(season, episode, None)]);
    }
    let other = Series {
        source: IdSource::Database,
        id: 7,
    };
    assert!(map.find(other, 2, 11, |_| None).episodes.is_empty());
}

#[test]
fn offset_can_be_negative() {
    let map = map(&[(1, &place("1", "-1"), "")]);
    assert_found(&map, &[], &[(1, 1, Some((1, 2)))]);
}

#[test]
fn pair_counts_more_than_range_and_range_more_than_default() {
    let mappings = "<mapping anidbseason=\"1\" tvdbseason=\"0\">;9-1;18-2+3;</mapping>\
         <mapping anidbseason=\"1\" tvdbseason=\"1\" start=\"10\" end=\"17\" offset=\"-1\"/>\
         <mapping anidbseason=\"1\" tvdbseason=\"2\" start=\"19\" offset=\"-18\">;20-7;</mapping>";
    let map = map(&[(1, &place("1", ""), mappings)]);
    let cases = [
        // The default applies.
        (1, 8, Some((1, 8))),
        (0, 1, Some((1, 9))),
        (0, 2, Some((1, 18))),
        (0, 3, Some((1, 18))),
        // The range applies, because episode 9 has a pair.
        (1, 9, Some((1, 10))),
        (1, 16, Some((1, 17))),
        // Episode 17 is in the range, and 18 has a pair.
        (1, 17, None),
        // The open range has all episodes from 19.
        (1, 20, None),
        (2, 1, Some((1, 19))),
        // Episode 20 has a pair.
        (2, 2, None),
        // The pair applies. The range would give episode 25.
        (2, 7, Some((1, 20))),
        (2, 300, Some((1, 318))),
    ];
    assert_found(&map, &[], &cases);
    assert_found(&map, &[(1, 30)], &[(2, 7, Some((1, 20)))]);
    assert_found(&map, &[(1, 19)], &[(2, 7, None)]);
}

#[test]
fn specials_map_to_nothing() {
    let mappings = "<mapping anidbseason=\"0\" tvdbseason=\"0\" start=\"2\" end=\"3\">;1-8;</mapping>\
         <mapping anidbseason=\"0\" tvdbseason=\"1\">;4-5;</mapping>\
         <mapping anidbseason=\"1\" tvdbseason=\"1\">;6-0;</mapping>";
    let specials = map(&[(1, &place("1", ""), mappings)]);
    for episode in 0..10 {
        let found = all(&specials, 0, episode, &[]);
        assert!(found.episodes.is_empty(), "{episode}");
    }
    // A special is at the place of episode 5, and the series lacks episode 6.
    let cases = [(1, 4, Some((1, 4))), (1, 5, None), (1, 6, None)];
    assert_found(&specials, &[], &cases);

    let special = "<mapping anidbseason=\"0\" tvdbseason=\"0\">;1-3;</mapping>";
    let in_season_0 = map(&[(1, &place("0", ""), special)]);
    let cases = [(0, 2, Some((1, 2))), (0, 3, None)];
    assert_found(&in_season_0, &[(1, 5)], &cases);

    let shared = map(&[
        (1, &place("1", ""), mappings),
        (2, &place("1", "4"), ""),
        (3, &place("0", "7"), ""),
    ]);
    // The place of episode 5 has a special, and no episode of anime 2.
    let cases = [(1, 5, None), (1, 7, Some((2, 3)))];
    assert_found(&shared, &[(1, 4)], &cases);
    // A special can also be an anime of its own.
    assert_found(&shared, &[], &[(0, 8, Some((3, 1)))]);
}

#[test]
fn anime_that_begins_last_has_the_episode() {
    let map = map(&[
        (1, &place("1", ""), ""),
        (2, &place("1", "12"), ""),
        (3, &place("1", "24"), ""),
    ]);
    let cases = [
        (1, 12, Some((1, 12))),
        (1, 13, Some((2, 1))),
        (1, 24, Some((2, 12))),
        (1, 25, Some((3, 1))),
    ];
    assert_found(&map, &[], &cases);
    let guesses = all(&map, 1, 25, &[]).episodes;
    assert_eq!(guesses.len(), 3);
    let cases = [(1, 24, None), (1, 35, None), (1, 34, Some((3, 10)))];
    assert_found(&map, &[(1, 12), (2, 11), (3, 10)], &cases);
}

#[test]
fn known_number_of_episodes_counts_more_than_an_unknown_one() {
    let map = map(&[(1, &place("1", ""), ""), (2, &place("1", "8"), "")]);
    let cases = [(1, 20, Some((1, 20))), (1, 27, Some((2, 19)))];
    assert_found(&map, &[(1, 26)], &cases);
}

#[test]
fn anime_that_begin_together_are_uncertain() {
    let map = map(&[(1, &place("1", ""), ""), (2, &place("1", ""), "")]);
    for limits in [&[][..], &[(1, 12)], &[(1, 12), (2, 12)]] {
        let both = all(&map, 1, 1, limits);
        assert!(!both.is_certain, "{limits:?}");
        assert_eq!(both.episodes.len(), 2, "{limits:?}");
    }
    assert_found(&map, &[(1, 4), (2, 12)], &[(1, 5, Some((2, 5)))]);
}

#[test]
fn season_0_mixes_the_specials_of_all_anime() {
    let pairs = "<mapping anidbseason=\"1\" tvdbseason=\"0\">;1-4;2-4;</mapping>";
    let map = map(&[
        (1, &place("0", ""), ""),
        (2, &place("0", "1"), ""),
        (3, &place("0", "9"), pairs),
    ]);
    let cases = [
        (0, 1, Some((1, 1))),
        (0, 2, Some((2, 1))),
        (0, 3, Some((2, 2))),
    ];
    assert_found(&map, &[(1, 1), (2, 2), (3, 1)], &cases);
    // A pair counts more.
    assert_found(&map, &[], &[(0, 4, Some((3, 1)))]);
    // Anime 2 may have one episode.
    assert_found(&map, &[(1, 1)], &[(0, 3, None)]);
    // Both have room for the episode.
    assert_found(&map, &[(1, 3), (2, 2)], &[(0, 2, None)]);
}

#[test]
fn last_of_several_episodes_at_a_place_counts() {
    let mappings = "<mapping anidbseason=\"1\" tvdbseason=\"1\">;1-1;2-1;3-1;</mapping>";
    let map = map(&[(1, &place("1", ""), mappings)]);
    assert_found(&map, &[(1, 12)], &[(1, 1, Some((1, 3)))]);
    // Episodes 2 and 3 are parts of episode 1.
    assert_found(&map, &[(1, 1)], &[(1, 1, Some((1, 1)))]);
    assert_found(&map, &[], &[(1, 1, Some((1, 1)))]);
}

#[test]
fn absolute_numbers_are_certain_in_the_first_season_only() {
    let unknown = map(&[(1, &place("a", ""), "")]);
    assert_found(&unknown, &[], &[(1, 30, Some((1, 30))), (2, 3, None)]);
    let second = all(&unknown, 2, 3, &[]).episodes;
    let second = second.iter();
    let second = second.map(|episode| (episode.anime, episode.episode));
    assert!(second.eq([(1, 3)]));
    assert!(all(&unknown, 0, 1, &[]).episodes.is_empty());

    let first = "<mapping anidbseason=\"1\" tvdbseason=\"1\" start=\"1\" end=\"8\"/>";
    let others = "<mapping anidbseason=\"1\" tvdbseason=\"2\" start=\"9\" end=\"30\" offset=\"-8\"/>\
         <mapping anidbseason=\"1\" tvdbseason=\"3\" start=\"31\" offset=\"-30\"/>";
    let stated = map(&[(1, &place("a", ""), &format!("{first}{others}"))]);
    let cases = [
        (1, 8, Some((1, 8))),
        (2, 1, Some((1, 9))),
        (3, 1, Some((1, 31))),
        (1, 9, None),
        (2, 23, None),
        (4, 40, None),
    ];
    assert_found(&stated, &[], &cases);
    // The season ends at episode 8.
    let first = map(&[(1, &place("a", ""), first)]);
    assert_found(&first, &[], &[(1, 9, None)]);
}

#[test]
fn two_statements_about_one_episode_are_uncertain() {
    let pair = "<mapping anidbseason=\"1\" tvdbseason=\"1\">;1-3;</mapping>";
    let range = "<mapping anidbseason=\"1\" tvdbseason=\"1\" start=\"2\" end=\"9\"/>";
    let map = map(&[(1, &place("0", ""), pair), (2, &place("1", ""), range)]);
    assert_eq!(all(&map, 1, 3, &[]).episodes.len(), 2);
    assert_found(&map, &[], &[(1, 3, None), (1, 4, Some((2, 4)))]);
}

#[test]
fn extreme_numbers_do_not_overflow() {
    let mappings = "<mapping anidbseason=\"1\" tvdbseason=\"65535\" start=\"1\" end=\"65535\" \
         offset=\"-65535\"/><mapping anidbseason=\"1\" tvdbseason=\"3\">;65535-65535;</mapping>";
    let map = map(&[
        (1, &place("2", "65535"), mappings),
        (2, &place("2", "-65535"), ""),
    ]);
    assert_eq!(found(&map, 3, 65_535, &[]), Some((1, 65_535)));
    for episode in [1, 65_535, 65_536, u32::MAX] {
        assert_eq!(found(&map, 2, episode, &[]), None);
        assert_eq!(found(&map, 65_535, episode, &[]), None);
    }
}

#[test]
fn series_and_anime_are_found_by_each_other() {
    let map = map(&[
        (5, &place("1", ""), ""),
        (
            4,
            "tvdbid=\"6\" defaulttvdbseason=\"1\" tmdbtv=\"7\" tmdbseason=\"0\"",
            "",
        ),
        (3, &place("0", ""), ""),
    ]);
    let series = |source, id| Series { source, id };
    let of_4: Vec<Series> = map.series_of(4).collect();
    assert_eq!(
        of_4,
        [series(IdSource::Database, 7), series(IdSource::Tvdb, 6)]
    );
    let in_7: Vec<u32> = map.anime_of(series(IdSource::Tvdb, 7)).collect();
    assert_eq!(in_7, [5, 3]);
    assert_eq!((map.len(), map.is_empty()), (4, false));
}

#[test]
fn movies_are_parts_of_anime_or_whole_ones() {
    let map = map(&[
        (1, "tmdbid=\"50\" imdbid=\"tt0000009\"", ""),
        (2, "tmdbid=\"60,50\"", ""),
    ]);
    let found = |source, movie| map.find_movie(source, movie).collect::<Vec<_>>();
    assert_eq!(found(IdSource::Database, 50), [(1, None), (2, Some(2))]);
    assert_eq!(found(IdSource::Database, 60), [(2, Some(1))]);
    assert_eq!(found(IdSource::Imdb, 9), [(1, None)]);
    assert_eq!(found(IdSource::Imdb, 50), []);
}
