//! Converts AniList's anime to facts about anime of the catalogue (docs/trackers.md, "Refresh of the catalogue").

use std::collections::BTreeSet;

use catalogue::import::{
    AnimeFacts, AnimeFields, AnimeIds, NO_TITLE, OTHER_FORMAT, TRACKER_ID_RANGE, non_blank,
};
use catalogue::rows::FactSource;
use shared::models::{
    AnimeId, AnimeStatus, Localized, MAX_TRACKER_ID, Score, TrackerIds, TrackerName, Weekday,
    WireEnum,
};
use time::{Date, Month, OffsetDateTime};
use trackers::anilist::{
    FuzzyDate, Media, MediaKind, MediaStatus, Relation, RelationKind, Trailer,
};

use super::plain_text::plain_text;
use crate::relations::TrackerRelations;
use crate::source::https_url;

/// The end of the URL of AniList's placeholder image.
const PLACEHOLDER_END: &str = "/default.jpg";

/// Maximum length of a trailer's identifier, in characters. The identifiers in use have at most 11.
const MAX_TRAILER_ID_LENGTH: usize = 64;

const DAY_S: u64 = 24 * 60 * 60;

/// The day of the week of the Unix epoch, with Sunday as 0.
const EPOCH_WEEKDAY: u64 = 4;

/// Returns the identifier of an anime, and the tracker ids that its row gets.
///
/// The anime's row is the first of these rows that exists:
///
/// 1. the row with the same id at AniList;
/// 2. the row with the id at MyAnimeList that AniList states, if this row has no id at AniList;
/// 3. if AniList states no id at MyAnimeList: the only row without an id at AniList that has the same title, format
///    and year;
/// 4. a new row.
///
/// The id at MyAnimeList that AniList states may be wrong. The row gets it only if the row has no id at MyAnimeList
/// and no other row has the stated id.
pub fn identify(media: &Media, ids: &AnimeIds) -> Result<(AnimeId, TrackerIds), &'static str> {
    let is_number = |number: &u32| (1..=MAX_TRACKER_ID).contains(number);
    let number = Some(media.id).filter(is_number).ok_or(TRACKER_ID_RANGE)?;
    let id_at_b = media.id_mal.filter(is_number);
    let holder = id_at_b.and_then(|number| ids.at(TrackerName::B, number));
    let is_free = |id: &AnimeId| ids.trackers_of(*id).is_some_and(|row| row.a.is_none());
    let alike = || {
        let format = media.format.filter(|_| id_at_b.is_none())?;
        let (titles, year) = (read_titles(media), read_year(media));
        ids.find_alike(TrackerName::A, &titles, format, year)
    };
    let known = ids.at(TrackerName::A, number).or(holder.filter(is_free));
    let id = match known.or_else(alike) {
        Some(id) => id,
        None => ids.new_id(TrackerIds {
            a: Some(number),
            b: None,
        })?,
    };
    let known_b = ids.trackers_of(id).and_then(|row| row.b);
    let b = known_b.or(id_at_b.filter(|_| holder.is_none()));
    let a = Some(number);
    Ok((id, TrackerIds { a, b }))
}

/// Returns the facts about an anime, without its relations to other anime.
pub fn build_facts(
    media: &Media,
    (id, trackers): (AnimeId, TrackerIds),
) -> Result<AnimeFacts, &'static str> {
    let format = media.format.ok_or(OTHER_FORMAT)?;
    let titles = read_titles(media);
    if titles.is_empty() {
        return Err(NO_TITLE);
    }
    let description = media.description.as_deref().map(plain_text);
    let cover_image = media.cover_image.extra_large.as_deref().and_then(https_url);
    let cover_color = media.cover_image.color.as_deref();
    let cover_color = cover_color.filter(|color| is_color(color));
    let fields = AnimeFields {
        format: Some(format),
        status: media.status.and_then(convert_status),
        titles,
        synonyms: media.synonyms.clone(),
        popularity: media.popularity,
        description_en: non_blank(description),
        start_date: convert_date(media.start_date),
        end_date: convert_date(media.end_date),
        weekly_airing_day: next_airing_day(media),
        season_period: media.season,
        season_year: read_year(media),
        episodes_count: count_released_episodes(media),
        episode_duration: media.duration.filter(|minutes| *minutes > 0),
        trailer_url: media.trailer.as_ref().and_then(trailer_url),
        cover_image: cover_image.filter(|url| !url.ends_with(PLACEHOLDER_END)),
        cover_color: cover_color.map(str::to_owned),
        banner_image: media.banner_image.as_deref().and_then(https_url),
        genres: read_genres(&media.genres),
        score: media
            .average_score
            .and_then(|score| Score::new(score.into())),
        nsfw: media.is_adult,
        ..AnimeFields::default()
    };
    let facts = AnimeFacts {
        fields,
        ..AnimeFacts::new(id, FactSource::AniList, trackers)
    };
    facts.check_texts()?;
    Ok(facts)
}

fn read_titles(media: &Media) -> Localized {
    let title = |title: &Option<String>| non_blank(title.clone());
    let titles = [
        ("rj", title(&media.title.romaji)),
        ("en", title(&media.title.english)),
        ("jp", title(&media.title.native)),
    ];
    let titles = titles.into_iter();
    let titles = titles.filter_map(|(code, title)| Some((code.to_owned(), title?)));
    titles.collect()
}

fn read_year(media: &Media) -> Option<u16> {
    media.season_year.filter(|year| *year > 0)
}

/// Returns the relations of an anime to others. `id` is the anime's identifier in the catalogue.
pub fn build_relations(media: &Media, id: AnimeId) -> TrackerRelations {
    let related = |kind| {
        let is_of_kind =
            move |relation: &&Relation| relation.kind == kind && relation.media == MediaKind::Anime;
        let others = media.relations.iter().filter(is_of_kind);
        others.map(|other| other.id).collect()
    };
    let recommended = media
        .recommendations
        .iter()
        .filter(|other| other.rating > 0);
    TrackerRelations {
        id,
        tracker: TrackerName::A,
        // AniList's prequel is the preceding anime. In the API, it is the sequel.
        preceding: related(RelationKind::Prequel),
        successive: related(RelationKind::Sequel),
        similar: recommended.map(|other| other.id).collect(),
    }
}

/// Converts a status. An anime on hiatus counts as still being released.
fn convert_status(status: MediaStatus) -> Option<AnimeStatus> {
    match status {
        MediaStatus::Finished => Some(AnimeStatus::Finished),
        MediaStatus::Releasing | MediaStatus::Hiatus => Some(AnimeStatus::Releasing),
        MediaStatus::NotYetReleased => Some(AnimeStatus::NotYetReleased),
        MediaStatus::Cancelled => Some(AnimeStatus::Cancelled),
        MediaStatus::Other => None,
    }
}

/// Converts a date if all its parts are known. A year alone would turn into a wrong day.
fn convert_date(date: FuzzyDate) -> Option<OffsetDateTime> {
    let month = Month::try_from(date.month?).ok()?;
    let date = Date::from_calendar_date(date.year?.into(), month, date.day?).ok()?;
    (date.year() > 0).then(|| date.midnight().assume_utc())
}

/// Returns the day of the week, in UTC, on which the next episode airs.
fn next_airing_day(media: &Media) -> Option<Weekday> {
    let days = media.next_airing_episode?.airing_at / DAY_S;
    Weekday::from_wire((days + EPOCH_WEEKDAY) % 7)
}

/// Returns the number of released episodes, if it is known. AniList states only the number of planned episodes and the
/// number of the next episode to air.
fn count_released_episodes(media: &Media) -> Option<u32> {
    match media.status? {
        MediaStatus::Finished => media.episodes,
        MediaStatus::NotYetReleased => Some(0),
        MediaStatus::Releasing | MediaStatus::Hiatus => {
            let next = media.next_airing_episode?;
            Some(next.episode.saturating_sub(1))
        }
        MediaStatus::Cancelled | MediaStatus::Other => None,
    }
}

fn trailer_url(trailer: &Trailer) -> Option<String> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let id = trailer.id.as_deref()?;
    if id.is_empty() || id.len() > MAX_TRAILER_ID_LENGTH || !id.chars().all(is_allowed) {
        return None;
    }
    match trailer.site.as_deref()? {
        "youtube" => Some(format!("https://www.youtube.com/watch?v={id}")),
        "dailymotion" => Some(format!("https://www.dailymotion.com/video/{id}")),
        _ => None,
    }
}

/// Returns true for `#` and six hexadecimal digits.
fn is_color(color: &str) -> bool {
    let digits = color.strip_prefix('#').unwrap_or_default();
    digits.len() == 6 && digits.chars().all(|c| c.is_ascii_hexdigit())
}

/// Returns each genre once, in alphabetical order.
fn read_genres(genres: &[String]) -> Option<Vec<String>> {
    let genres: BTreeSet<&str> = genres.iter().map(|genre| genre.trim()).collect();
    let genres = genres.into_iter().filter(|genre| !genre.is_empty());
    let genres: Vec<String> = genres.map(str::to_owned).collect();
    (!genres.is_empty()).then_some(genres)
}
