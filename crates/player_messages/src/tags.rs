//! Identifiers that people write into the names of series and movies for their servers, such as `[anidb-17494]` and
//! `{tvdb-275672}`.

use serde_json::Value;
use shared::models::IdSource;

use crate::message::{SourceId, Video};
use crate::values::{parse_id, source_of};

/// Moves the identifiers in the title of a video to its identifiers. Identifiers in fields of the message take
/// precedence. A title that consists only of tags stays unchanged.
pub fn take_ids(video: &mut Video) {
    let Some(title) = &video.title else { return };
    let Some((rest, found)) = split(title) else {
        return;
    };
    video.title = Some(rest);
    for tag in found {
        let Some(id) = tag.id else { continue };
        let ids = if video.is_movie {
            &mut video.ids
        } else {
            &mut video.series_ids
        };
        // The identifiers of a movie say nothing about a series.
        let is_other = tag.is_of_movie && !video.is_movie;
        if is_other || ids.iter().any(|known| known.source == id.source) {
            continue;
        }
        ids.push(id);
        if tag.is_absolute {
            video.season = None;
        }
    }
}

/// An identifier in a name.
pub struct Tag {
    /// `None` for an identifier of another service, or in a numbering that is not the source's.
    pub id: Option<SourceId>,
    /// True if it is that of a movie.
    is_of_movie: bool,
    /// True if the episodes are counted through all seasons.
    pub is_absolute: bool,
}

/// Returns a title without its tags, and the tags; `None` if it has no tags, or consists only of tags.
fn split(title: &str) -> Option<(String, Vec<Tag>)> {
    let mut rest = title;
    let (mut kept, mut found) = (String::with_capacity(title.len()), Vec::new());
    while let Some(start) = rest.find(['[', '{']) {
        let (before, from) = rest.split_at(start);
        let close = if from.starts_with('[') { ']' } else { '}' };
        let end = from.find(close);
        let tag = end.and_then(|end| parse(&from[1..end]));
        kept.push_str(before);
        if let (Some(tag), Some(end)) = (tag, end) {
            found.push(tag);
            rest = &from[end + 1..];
        } else {
            kept.push_str(&from[..1]);
            rest = &from[1..];
        }
    }
    kept.push_str(rest);
    let kept = kept.split_whitespace().collect::<Vec<_>>().join(" ");
    (!found.is_empty() && !kept.is_empty()).then_some((kept, found))
}

/// Reads the text of a tag: the name of a source, a hyphen, an equals sign or a colon, and an identifier. HAMA can add
/// a season and an episode, such as `tvdb-193811-s2`.
pub fn parse(tag: &str) -> Option<Tag> {
    let (name, id) = tag.split_once(['-', '=', ':'])?;
    let name = name.trim().to_ascii_lowercase();
    let numbering = numbering_of(&name)?;
    let (id, place) = id.trim().split_once('-').unwrap_or((id.trim(), ""));
    // If the tag states a season or an episode, the numbers are shifted.
    let source = numbering.source.filter(|_| place.is_empty());
    let id = source.and_then(|source| {
        let id = parse_id(source, &Value::from(id))?;
        Some(SourceId { source, id })
    });
    if source.is_some() && id.is_none() {
        return None;
    }
    Some(Tag {
        id,
        is_of_movie: numbering.is_of_movie,
        is_absolute: numbering.is_absolute,
    })
}

/// The numbering of the episodes that a name of a source stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbering {
    /// `None` if the numbering is not the source's, so that the identifier would lead to another episode.
    pub source: Option<IdSource>,
    /// True if the identifier is that of a movie.
    pub is_of_movie: bool,
    /// True if the episodes are counted from the beginning of the series.
    pub is_absolute: bool,
}

/// Returns the numbering with this name in HAMA or in the name of a folder; `None` for an unknown name.
///
/// HAMA documents these names: `anidb` numbers as `AniDB`, `tvdb` and `tvdb2` as `TheTVDB`, and `tvdb3` to `tvdb5`
/// count through all seasons. `tsdb` has the series of The Movie Database, `tmdb` its movies, and `imdb` movies. With
/// `anidb2` to `anidb4` and `tvdb6`, the numbers belong to a series that the identifier does not name.
pub fn numbering_of(name: &str) -> Option<Numbering> {
    let source = match name {
        "tvdb2" | "tvdb3" | "tvdb4" | "tvdb5" => Some(IdSource::Tvdb),
        "tsdb" => Some(IdSource::Database),
        "anidb2" | "anidb3" | "anidb4" | "tvdb6" => None,
        name => Some(source_of(name.strip_suffix("id").unwrap_or(name))?),
    };
    Some(Numbering {
        source,
        is_of_movie: matches!(name, "tmdb" | "imdb"),
        is_absolute: matches!(name, "tvdb3" | "tvdb4" | "tvdb5"),
    })
}

#[cfg(test)]
mod tests {
    use shared::models::IdSource::{Anidb, Database, Imdb, Tvdb};

    use super::{Video, take_ids};

    #[test]
    fn identifiers_in_titles_are_read() {
        let tvdb = Some((Tvdb, 275_000));
        let series = [
            ("Kumo [anidb-17494]", "Kumo", Some((Anidb, 17_494)), Some(2)),
            ("Kumo (2018) {tvdb-275000}", "Kumo (2018)", tvdb, Some(2)),
            ("Kumo [tvdbid=275000] ", "Kumo", tvdb, Some(2)),
            ("Kumo [tvdb4-275000]", "Kumo", tvdb, None),
            ("Kumo [tsdb-71]", "Kumo", Some((Database, 71)), Some(2)),
            ("Kumo {tmdbid-71}", "Kumo", Some((Database, 71)), Some(2)),
            ("[anidb-5] Kumo", "Kumo", Some((Anidb, 5)), Some(2)),
            // The numbers belong to a movie or to a series that the identifier does not name, or are shifted.
            ("Kumo [anidb3-17494]", "Kumo", None, Some(2)),
            ("Kumo [tmdb-71]", "Kumo", None, Some(2)),
            ("Kumo [tvdb-275000-s2]", "Kumo", None, Some(2)),
            // Parts of the title.
            ("[C] Kumo", "[C] Kumo", None, Some(2)),
            ("Kumo [tvdb-x]", "Kumo [tvdb-x]", None, Some(2)),
            ("Kumo [4-5] {", "Kumo [4-5] {", None, Some(2)),
            ("[anidb-5]", "[anidb-5]", None, Some(2)),
        ];
        for (title, rest, id, season) in series {
            let mut video = Video {
                title: Some(title.to_owned()),
                season: Some(2),
                episode: Some(3),
                ..Video::default()
            };
            take_ids(&mut video);
            let found = video.series_ids.first().map(|id| (id.source, id.id));
            assert_eq!(video.title.as_deref(), Some(rest), "{title}");
            assert_eq!((found, video.season), (id, season), "{title}");
        }
    }

    #[test]
    fn identifiers_in_the_title_of_a_movie_are_its_own() {
        let mut video = Video {
            is_movie: true,
            title: Some("Kumo (2018) [tmdb-71] {imdb-tt7700123}".to_owned()),
            ..Video::default()
        };
        take_ids(&mut video);
        let ids: Vec<_> = video.ids.iter().map(|id| (id.source, id.id)).collect();
        assert_eq!(ids, [(Database, 71), (Imdb, 7_700_123)]);
        assert_eq!(video.title.as_deref(), Some("Kumo (2018)"));
    }
}
