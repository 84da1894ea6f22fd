//! Identifiers in the names of files and folders.

use shared::models::{IdKind, IdSource, StatedId, parse_imdb};

/// The services, by the words in names.
const SOURCES: [(&str, IdSource); 8] = [
    ("anidb", IdSource::Anidb),
    ("anilist", IdSource::TrackerA),
    ("imdb", IdSource::Imdb),
    ("kitsu", IdSource::Kitsu),
    ("mal", IdSource::TrackerB),
    ("myanimelist", IdSource::TrackerB),
    ("tmdb", IdSource::Database),
    ("tvdb", IdSource::Tvdb),
];

/// Returns the identifiers in a path, those of the innermost name first. Those of The Movie Database and `IMDb` are of
/// a movie if the path is that of a movie.
pub(super) fn find(path: &str, is_movie: bool) -> Vec<StatedId> {
    let mut found: Vec<StatedId> = Vec::new();
    for name in path.rsplit(['/', '\\']) {
        for (_, _, (source, id)) in brackets(name) {
            let kind = match source {
                IdSource::Database | IdSource::Imdb if is_movie => IdKind::Movie,
                IdSource::Database | IdSource::Imdb | IdSource::Tvdb => IdKind::Series,
                _ => IdKind::Anime,
            };
            let id = StatedId { source, kind, id };
            // An outer folder can be about another series.
            if found.iter().all(|known| known.source != source) {
                found.push(id);
            }
        }
    }
    found
}

/// Returns a path without the brackets that hold identifiers.
pub(super) fn without_ids(path: &str) -> String {
    let mut rest = path;
    let mut plain = String::new();
    while let Some((start, end, _)) = brackets(rest).next() {
        plain.push_str(rest[..start].trim_end_matches(' '));
        rest = &rest[end..];
    }
    plain.push_str(rest);
    plain
}

/// Returns the places of the brackets that hold an identifier, such as `[tvdbid-123]` and `{imdb-tt0123456}`.
fn brackets(text: &str) -> impl Iterator<Item = (usize, usize, (IdSource, u32))> {
    let starts = text.match_indices(['[', '{', '(']);
    starts.filter_map(|(start, open)| {
        let close = match open {
            "[" => ']',
            "{" => '}',
            _ => ')',
        };
        let (inside, _) = text[start + 1..].split_once(close)?;
        let (word, id) = inside.split_once(['-', '=', ':'])?;
        let word = word.trim().to_ascii_lowercase();
        let word = word.strip_suffix("id").unwrap_or(&word);
        // HAMA tells apart the orders of a series at TheTVDB: `tvdb2`, `anidb3`.
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let (_, source) = SOURCES.iter().find(|(name, _)| *name == word)?;
        let id = id.trim();
        let id = match source {
            IdSource::Imdb => parse_imdb(id)?,
            _ => id.parse().ok().filter(|id| *id > 0)?,
        };
        Some((start, start + 1 + inside.len() + 1, (*source, id)))
    })
}

#[cfg(test)]
mod tests {
    use super::{find, without_ids};
    use shared::models::{IdKind, IdSource};

    #[test]
    fn identifiers_are_read_from_names_and_folders() {
        use IdKind::{Anime, Movie, Series};
        for (path, source, kind, id) in [
            (
                "Harbor Lights [anidb-123]/05.mkv",
                IdSource::Anidb,
                Anime,
                123,
            ),
            (
                "Harbor Lights {tvdb-123}/05.mkv",
                IdSource::Tvdb,
                Series,
                123,
            ),
            (
                "Harbor Lights [tvdbid-123]/05.mkv",
                IdSource::Tvdb,
                Series,
                123,
            ),
            (
                "Harbor Lights [tvdbid=123] - 05.mkv",
                IdSource::Tvdb,
                Series,
                123,
            ),
            (
                "Harbor Lights {tmdb-123} - 05.mkv",
                IdSource::Database,
                Series,
                123,
            ),
            (
                "Harbor Lights {imdb-tt0000123} - 05.mkv",
                IdSource::Imdb,
                Series,
                123,
            ),
            (
                "Harbor Lights [anilist-123] - 05.mkv",
                IdSource::TrackerA,
                Anime,
                123,
            ),
            (
                "Harbor Lights [tvdb4-123] - 05.mkv",
                IdSource::Tvdb,
                Series,
                123,
            ),
        ] {
            let found = find(path, false);
            let found: Vec<_> = found.iter().map(|id| (id.source, id.kind, id.id)).collect();
            assert_eq!(found, [(source, kind, id)], "{path}");
        }
        let movie = find("The Last Lighthouse {tmdb-5}.mkv", true);
        assert_eq!(movie[0].kind, Movie);
        // The innermost name counts.
        let both = find("Harbor {tvdb-1}/Harbor Lights {tvdb-2}/05.mkv", false);
        assert_eq!(both.iter().map(|id| id.id).collect::<Vec<u32>>(), [2]);
        for name in [
            "Harbor Lights [123]",
            "[tvdb-0]",
            "{imdb-123}",
            "[group-123]",
            "[tvdb-x]",
        ] {
            assert_eq!(find(name, false), [], "{name}");
        }
    }

    #[test]
    fn titles_lose_identifiers() {
        assert_eq!(
            without_ids("Harbor Lights (2012) [tvdbid-1] {imdb-tt0000001}/Season 1/05.mkv"),
            "Harbor Lights (2012)/Season 1/05.mkv"
        );
        assert_eq!(
            without_ids("[Group] Harbor Lights - 05.mkv"),
            "[Group] Harbor Lights - 05.mkv"
        );
    }
}
