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

/// The attributes of an anime in series 7.
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
    found.certain().map(|at| (at.anime, at.episode))
}

#[test]
fn default_season_and_offset_apply_to_episodes_without_a_statement() {
    let map = map(&[(1, &place("2", "10"), "")]);
    assert_eq!(found(&map, 2, 11, &[]), Some((1, 1)));
    assert_eq!(found(&map, 2, 13, &[]), Some((1, 3)));
    for (season, episode) in [(2, 10), (2, 0), (1, 11), (0, 11), (2, 99_999)] {
        assert_eq!(
            found(&map, season, episode, &[]),
            None,
            "{season} {episode}"
        );
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
    assert_eq!(found(&map, 1, 1, &[]), Some((1, 2)));
}

#[test]
fn pair_counts_more_than_range_and_range_more_than_default() {
    let mappings = "<mapping anidbseason=\"1\" tvdbseason=\"0\">;9-1;18-2+3;</mapping>\
         <mapping anidbseason=\"1\" tvdbseason=\"1\" start=\"10\" end=\"17\" offset=\"-1\"/>\
         <mapping anidbseason=\"1\" tvdbseason=\"2\" start=\"19\" offset=\"-18\">;20-7;</mapping>";
    let map = map(&[(1, &place("1", ""), mappings)]);
    let at = |season, episode| found(&map, season, episode, &[]);
    assert_eq!(at(1, 8), Some((1, 8)), "default");
    assert_eq!(
        [at(0, 1), at(0, 2), at(0, 3)],
        [9, 18, 18].map(|n| Some((1, n)))
    );
    assert_eq!(
        at(1, 9),
        Some((1, 10)),
        "range, because episode 9 has a pair"
    );
    assert_eq!(at(1, 16), Some((1, 17)));
    assert_eq!(
        at(1, 17),
        None,
        "episode 17 is in the range, and 18 has a pair"
    );
    assert_eq!(at(1, 20), None, "the open range has all episodes from 19");
    assert_eq!(at(2, 1), Some((1, 19)));
    assert_eq!(at(2, 2), None, "episode 20 has a pair");
    assert_eq!(at(2, 7), Some((1, 20)), "by the pair, not 25 by the range");
    assert_eq!(found(&map, 2, 7, &[(1, 30)]), Some((1, 20)));
    assert_eq!(found(&map, 2, 7, &[(1, 19)]), None);
    assert_eq!(at(2, 300), Some((1, 318)));
}

#[test]
fn specials_map_to_nothing() {
    let mappings = "<mapping anidbseason=\"0\" tvdbseason=\"0\" start=\"2\" end=\"3\">;1-8;</mapping>\
         <mapping anidbseason=\"0\" tvdbseason=\"1\">;4-5;</mapping>\
         <mapping anidbseason=\"1\" tvdbseason=\"1\">;6-0;</mapping>";
    let specials = map(&[(1, &place("1", ""), mappings)]);
    for episode in 0..10 {
        assert!(
            all(&specials, 0, episode, &[]).episodes.is_empty(),
            "{episode}"
        );
    }
    assert_eq!(found(&specials, 1, 4, &[]), Some((1, 4)));
    assert_eq!(
        found(&specials, 1, 5, &[]),
        None,
        "a special at the place of episode 5"
    );
    assert_eq!(
        found(&specials, 1, 6, &[]),
        None,
        "the series lacks episode 6"
    );

    let special = "<mapping anidbseason=\"0\" tvdbseason=\"0\">;1-3;</mapping>";
    let in_season_0 = map(&[(1, &place("0", ""), special)]);
    let at = |episode| found(&in_season_0, 0, episode, &[(1, 5)]);
    assert_eq!([at(2), at(3)], [Some((1, 2)), None]);

    let shared = map(&[
        (1, &place("1", ""), mappings),
        (2, &place("1", "4"), ""),
        (3, &place("0", "7"), ""),
    ]);
    assert_eq!(
        found(&shared, 1, 5, &[(1, 4)]),
        None,
        "a special, and no episode of anime 2"
    );
    assert_eq!(found(&shared, 1, 7, &[(1, 4)]), Some((2, 3)));
    assert_eq!(
        found(&shared, 0, 8, &[]),
        Some((3, 1)),
        "an anime of its own is a special, too"
    );
}

#[test]
fn anime_that_begins_last_has_the_episode() {
    let map = map(&[
        (1, &place("1", ""), ""),
        (2, &place("1", "12"), ""),
        (3, &place("1", "24"), ""),
    ]);
    let at = |episode, limits: &[(u32, u32)]| found(&map, 1, episode, limits);
    assert_eq!([at(12, &[]), at(13, &[])], [Some((1, 12)), Some((2, 1))]);
    assert_eq!([at(24, &[]), at(25, &[])], [Some((2, 12)), Some((3, 1))]);
    assert_eq!(
        all(&map, 1, 25, &[]).episodes.len(),
        3,
        "the others are guesses"
    );
    let limits = [(1, 12), (2, 11), (3, 10)];
    assert_eq!(at(24, &limits), None, "anime 2 has 11 episodes");
    assert_eq!(at(35, &limits), None, "anime 3 has 10 episodes");
    assert_eq!(at(34, &limits), Some((3, 10)));
}

#[test]
fn known_number_of_episodes_counts_more_than_an_unknown_one() {
    let map = map(&[(1, &place("1", ""), ""), (2, &place("1", "8"), "")]);
    assert_eq!(found(&map, 1, 20, &[(1, 26)]), Some((1, 20)));
    assert_eq!(found(&map, 1, 27, &[(1, 26)]), Some((2, 19)));
}

#[test]
fn anime_that_begin_together_are_uncertain() {
    let map = map(&[(1, &place("1", ""), ""), (2, &place("1", ""), "")]);
    for limits in [&[][..], &[(1, 12)], &[(1, 12), (2, 12)]] {
        let both = all(&map, 1, 1, limits);
        assert!(!both.is_certain, "{limits:?}");
        assert_eq!(both.episodes.len(), 2, "{limits:?}");
    }
    assert_eq!(found(&map, 1, 5, &[(1, 4), (2, 12)]), Some((2, 5)));
}

#[test]
fn season_0_mixes_the_specials_of_all_anime() {
    let map = map(&[
        (1, &place("0", ""), ""),
        (2, &place("0", "1"), ""),
        (
            3,
            &place("0", "9"),
            "<mapping anidbseason=\"1\" tvdbseason=\"0\">;1-4;2-4;</mapping>",
        ),
    ]);
    let at = |episode, limits: &[(u32, u32)]| found(&map, 0, episode, limits);
    let limits = [(1, 1), (2, 2), (3, 1)];
    assert_eq!(
        [at(1, &limits), at(2, &limits)],
        [Some((1, 1)), Some((2, 1))]
    );
    assert_eq!(at(3, &limits), Some((2, 2)));
    assert_eq!(at(4, &[]), Some((3, 1)), "a pair counts more");
    assert_eq!(at(3, &[(1, 1)]), None, "anime 2 may have one episode");
    assert_eq!(at(2, &[(1, 3), (2, 2)]), None, "both have room for it");
}

#[test]
fn last_of_several_episodes_at_a_place_counts() {
    let mappings = "<mapping anidbseason=\"1\" tvdbseason=\"1\">;1-1;2-1;3-1;</mapping>";
    let map = map(&[(1, &place("1", ""), mappings)]);
    assert_eq!(found(&map, 1, 1, &[(1, 12)]), Some((1, 3)));
    assert_eq!(
        found(&map, 1, 1, &[(1, 1)]),
        Some((1, 1)),
        "2 and 3 are parts of it"
    );
    assert_eq!(found(&map, 1, 1, &[]), Some((1, 1)));
}

#[test]
fn absolute_numbers_are_certain_in_the_first_season_only() {
    let unknown = map(&[(1, &place("a", ""), "")]);
    assert_eq!(found(&unknown, 1, 30, &[]), Some((1, 30)));
    let second = all(&unknown, 2, 3, &[]);
    let at = AnidbEpisode {
        anime: 1,
        episode: 3,
    };
    assert_eq!(
        (second.episodes.as_slice(), second.is_certain),
        (&[at][..], false)
    );
    assert!(all(&unknown, 0, 1, &[]).episodes.is_empty());

    let ranges = "<mapping anidbseason=\"1\" tvdbseason=\"1\" start=\"1\" end=\"8\"/>\
         <mapping anidbseason=\"1\" tvdbseason=\"2\" start=\"9\" end=\"30\" offset=\"-8\"/>\
         <mapping anidbseason=\"1\" tvdbseason=\"3\" start=\"31\" offset=\"-30\"/>";
    let stated = map(&[(1, &place("a", ""), ranges)]);
    let at = |season, episode| found(&stated, season, episode, &[]);
    assert_eq!(
        [at(1, 8), at(2, 1), at(3, 1)],
        [8, 9, 31].map(|n| Some((1, n)))
    );
    assert_eq!([at(1, 9), at(2, 23), at(4, 40)], [None; 3]);

    let range = "<mapping anidbseason=\"1\" tvdbseason=\"1\" start=\"1\" end=\"8\"/>";
    let first = map(&[(1, &place("a", ""), range)]);
    assert_eq!(
        found(&first, 1, 9, &[]),
        None,
        "the season ends at episode 8"
    );
}

#[test]
fn two_statements_about_one_episode_are_uncertain() {
    let pair = "<mapping anidbseason=\"1\" tvdbseason=\"1\">;1-3;</mapping>";
    let range = "<mapping anidbseason=\"1\" tvdbseason=\"1\" start=\"2\" end=\"9\"/>";
    let map = map(&[(1, &place("0", ""), pair), (2, &place("1", ""), range)]);
    let both = all(&map, 1, 3, &[]);
    assert_eq!((both.episodes.len(), both.is_certain), (2, false));
    assert_eq!(found(&map, 1, 4, &[]), Some((2, 4)));
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
