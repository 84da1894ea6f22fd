//! Identifiers in the names of files and folders.

use std::ops::Range;

use shared::models::{IdKind, IdSource, StatedId};

use crate::message::SourceId;
use crate::tags::{self, Tag};

#[derive(Debug, Default)]
pub(super) struct IdsInName {
    /// The identifiers, those of the innermost name first.
    pub ids: Vec<StatedId>,
    /// True if an identifier says that the episodes are counted through all seasons.
    pub is_absolute: bool,
}

/// Returns the identifiers in a path. Identifiers of The Movie Database and `IMDb` are identifiers of movies if the
/// path is a movie's.
pub(super) fn find(path: &str, is_movie: bool) -> IdsInName {
    let mut found = IdsInName::default();
    for name in path.rsplit(['/', '\\']) {
        for (_, tag) in brackets(name) {
            let Some(SourceId { source, id }) = tag.id else {
                continue;
            };
            let kind = match source {
                IdSource::Database | IdSource::Imdb if is_movie => IdKind::Movie,
                IdSource::Database | IdSource::Imdb | IdSource::Tvdb => IdKind::Series,
                _ => IdKind::Anime,
            };
            // An outer folder can be about another series.
            if found.ids.iter().all(|known| known.source != source) {
                found.ids.push(StatedId { source, kind, id });
                found.is_absolute |= tag.is_absolute;
            }
        }
    }
    found
}

/// Returns a path without the brackets that hold identifiers.
pub(super) fn without_ids(path: &str) -> String {
    let mut rest = path;
    let mut plain = String::new();
    while let Some((place, _)) = brackets(rest).next() {
        plain.push_str(rest[..place.start].trim_end_matches(' '));
        rest = &rest[place.end..];
    }
    plain.push_str(rest);
    plain
}

/// Returns the brackets that hold an identifier, such as `[tvdbid-123]` and `{imdb-tt0123456}`, with their places.
fn brackets(text: &str) -> impl Iterator<Item = (Range<usize>, Tag)> {
    let starts = text.match_indices(['[', '{', '(']);
    starts.filter_map(|(start, open)| {
        let close = match open {
            "[" => ']',
            "{" => '}',
            _ => ')',
        };
        let (inside, _) = text[start + 1..].split_once(close)?;
        Some((start..start + inside.len() + 2, tags::parse(inside)?))
    })
}

#[cfg(test)]
mod tests {
    use super::{find, without_ids};
    use shared::models::{IdKind, IdSource};

    #[test]
    fn identifiers_are_read_from_names_and_folders() {
        use IdKind::{Anime, Movie, Series};
        use IdSource::{Anidb, Database, Imdb, TrackerA, Tvdb};
        for (path, source, kind) in [
            ("Harbor Lights [anidb-123]/05.mkv", Anidb, Anime),
            ("Harbor Lights {tvdb-123}/05.mkv", Tvdb, Series),
            ("Harbor Lights [tvdbid-123]/05.mkv", Tvdb, Series),
            ("Harbor Lights [tvdbid=123] - 05.mkv", Tvdb, Series),
            ("Harbor Lights {tmdb-123} - 05.mkv", Database, Series),
            ("Harbor Lights {imdb-tt0000123} - 05.mkv", Imdb, Series),
            ("Harbor Lights [anilist-123] - 05.mkv", TrackerA, Anime),
            ("Harbor Lights [tvdb4-123] - 05.mkv", Tvdb, Series),
            ("Harbor Lights [tsdb-123] - 05.mkv", Database, Series),
        ] {
            let found = find(path, false);
            assert_eq!(found.is_absolute, path.contains("tvdb4"), "{path}");
            let found = found.ids.iter();
            let found: Vec<_> = found.map(|id| (id.source, id.kind, id.id)).collect();
            assert_eq!(found, [(source, kind, 123)], "{path}");
        }
        let movie = find("The Last Lighthouse {tmdb-5}.mkv", true);
        assert_eq!(movie.ids[0].kind, Movie);
        // The innermost name counts.
        let both = find("Harbor {tvdb-1}/Harbor Lights {tvdb-2}/05.mkv", false);
        let both = both.ids.iter();
        assert_eq!(both.map(|id| id.id).collect::<Vec<u32>>(), [2]);
        for name in [
            "Harbor Lights [123]",
            "[tvdb-0]",
            "{imdb-123}",
            "[group-123]",
            "[tvdb-x]",
            // The numbers belong to a series that the identifier does not name, or are shifted.
            "[anidb3-123]",
            "[tvdb6-123]",
            "[tvdb-123-s2]",
        ] {
            assert_eq!(find(name, false).ids, [], "{name}");
        }
    }

    #[test]
    fn titles_lose_identifiers() {
        for case in [
            "Harbor Lights (2012) [tvdbid-1] {imdb-tt0000001}/Season 1/05.mkv => Harbor Lights (2012)/Season 1/05.mkv",
            "Harbor Lights [anidb3-1]/[tvdb-1-s2] 05.mkv => Harbor Lights/ 05.mkv",
            "[Group] Harbor Lights - 05.mkv => [Group] Harbor Lights - 05.mkv",
        ] {
            let (path, plain) = case.split_once(" => ").unwrap();
            assert_eq!(without_ids(path), plain);
        }
    }
}
