//! Converts tracker A's anime to the fields of the API (docs/trackers.md, "Refresh of the catalogue").

use std::collections::BTreeSet;

use catalogue::import::{
    AnimeFacts, AnimeFields, AnimeIds, FactSource, NO_TITLE, OTHER_FORMAT, TRACKER_ID_RANGE,
    non_blank,
};
use shared::models::{
    AnimeFormat, AnimeId, AnimeStatus, Localized, MAX_TRACKER_ID, Score, Season, TrackerIds,
    TrackerName, Weekday, WireEnum,
};
use time::{Date, Month, OffsetDateTime};
use trackers::anilist::{
    FuzzyDate, Media, MediaFormat, MediaKind, MediaSeason, MediaStatus, Relation, RelationKind,
    Trailer,
};

use super::plain_text::plain_text;
use crate::relations::Relations;

/// The end of the URL of tracker A's placeholder image.
const PLACEHOLDER: &str = "/default.jpg";

/// Maximum length of a trailer's identifier, in characters. Real ones have at most 11.
const MAX_TRAILER_ID: usize = 64;

const DAY_S: u64 = 24 * 60 * 60;

/// The day of the week of the Unix epoch, with Sunday as 0.
const EPOCH_DAY: u64 = 4;

/// Returns the identifier of an anime, and the tracker ids that its row gets.
///
/// The anime's row is the one with the same id at tracker A. If there is none, it is the row with the same id
/// at tracker B, unless that row has an id at tracker A. If tracker A states no id at tracker B, it is the only
/// row without an id at tracker A that has the same title, format and year. Otherwise the anime gets a new row.
/// Tracker A may state a wrong id at tracker B. The stated id is used only if the row has no id at tracker B and
/// no other row has the stated one.
pub fn identify(media: &Media, ids: &AnimeIds) -> Result<(AnimeId, TrackerIds), &'static str> {
    let is_number = |number: &u32| (1..=MAX_TRACKER_ID).contains(number);
    let number = Some(media.id).filter(is_number).ok_or(TRACKER_ID_RANGE)?;
    let id_at_b = media.id_mal.filter(is_number);
    let holder = id_at_b.and_then(|number| ids.at_tracker_b(number));
    let is_free = |id: &AnimeId| ids.trackers_of(*id).is_some_and(|row| row.a.is_none());
    let alike = || {
        let format = media
            .format
            .and_then(format)
            .filter(|_| id_at_b.is_none())?;
        ids.alike(TrackerName::A, &titles(media), format, year(media))
    };
    let known = ids.at_tracker_a(number).or(holder.filter(is_free));
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

/// Returns the facts of an anime, without its relations to others.
pub fn facts(
    media: &Media,
    (id, trackers): (AnimeId, TrackerIds),
) -> Result<AnimeFacts, &'static str> {
    let format = media.format.and_then(format).ok_or(OTHER_FORMAT)?;
    let titles = titles(media);
    if titles.is_empty() {
        return Err(NO_TITLE);
    }
    let description = media.description.as_deref().map(plain_text);
    let cover_image = media.cover_image.extra_large.as_deref().and_then(address);
    let cover_color = media.cover_image.color.as_deref();
    let cover_color = cover_color.filter(|color| is_color(color));
    let fields = AnimeFields {
        format: Some(format),
        status: media.status.and_then(status),
        titles,
        synonyms: media.synonyms.clone(),
        popularity: media.popularity,
        description_en: non_blank(description),
        start_date: date(media.start_date),
        end_date: date(media.end_date),
        weekly_airing_day: airing_day(media),
        season_period: media.season.and_then(season),
        season_year: year(media),
        episodes_count: episodes_count(media),
        episode_duration: media.duration.filter(|minutes| *minutes > 0),
        trailer_url: media.trailer.as_ref().and_then(trailer_url),
        cover_image: cover_image.filter(|url| !url.ends_with(PLACEHOLDER)),
        cover_color: cover_color.map(str::to_owned),
        banner_image: media.banner_image.as_deref().and_then(address),
        genres: genres(&media.genres),
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

/// Returns the titles by localization code.
fn titles(media: &Media) -> Localized {
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

fn year(media: &Media) -> Option<u16> {
    media.season_year.filter(|year| *year > 0)
}

/// Returns the relations of an anime with this identifier.
pub fn relations(media: &Media, id: AnimeId) -> Relations {
    let related = |kind| {
        let is_meant =
            move |relation: &&Relation| relation.kind == kind && relation.media == MediaKind::Anime;
        let others = media.relations.iter().filter(is_meant);
        others.map(|other| other.id).collect()
    };
    let liked = media
        .recommendations
        .iter()
        .filter(|other| other.rating > 0);
    Relations {
        id,
        tracker: TrackerName::A,
        // Tracker A's prequel is the preceding anime.
        preceding: related(RelationKind::Prequel),
        successive: related(RelationKind::Sequel),
        similar: liked.map(|other| other.id).collect(),
    }
}

fn format(format: MediaFormat) -> Option<AnimeFormat> {
    match format {
        MediaFormat::Tv => Some(AnimeFormat::Tv),
        MediaFormat::TvShort => Some(AnimeFormat::TvShort),
        MediaFormat::Movie => Some(AnimeFormat::Movie),
        MediaFormat::Special => Some(AnimeFormat::Special),
        MediaFormat::Ova => Some(AnimeFormat::Ova),
        MediaFormat::Ona => Some(AnimeFormat::Ona),
        MediaFormat::Music => Some(AnimeFormat::Music),
        MediaFormat::Other => None,
    }
}

/// Converts a status. An anime on hiatus counts as still being released.
fn status(status: MediaStatus) -> Option<AnimeStatus> {
    match status {
        MediaStatus::Finished => Some(AnimeStatus::Finished),
        MediaStatus::Releasing | MediaStatus::Hiatus => Some(AnimeStatus::Releasing),
        MediaStatus::NotYetReleased => Some(AnimeStatus::NotYetReleased),
        MediaStatus::Cancelled => Some(AnimeStatus::Cancelled),
        MediaStatus::Other => None,
    }
}

fn season(season: MediaSeason) -> Option<Season> {
    match season {
        MediaSeason::Winter => Some(Season::Winter),
        MediaSeason::Spring => Some(Season::Spring),
        MediaSeason::Summer => Some(Season::Summer),
        MediaSeason::Fall => Some(Season::Fall),
        MediaSeason::Other => None,
    }
}

/// Converts a date if all its parts are known. A year alone would turn into a wrong day.
fn date(date: FuzzyDate) -> Option<OffsetDateTime> {
    let month = Month::try_from(date.month?).ok()?;
    let date = Date::from_calendar_date(date.year?.into(), month, date.day?).ok()?;
    (date.year() > 0).then(|| date.midnight().assume_utc())
}

/// Returns the day of the week, in UTC, on which the next episode airs.
fn airing_day(media: &Media) -> Option<Weekday> {
    let days = media.next_airing_episode?.airing_at / DAY_S;
    Weekday::from_wire((days + EPOCH_DAY) % 7)
}

/// Returns the number of released episodes. Tracker A states only the number of planned episodes and the number of
/// the next episode to air.
fn episodes_count(media: &Media) -> Option<u32> {
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

fn address(url: &str) -> Option<String> {
    let is_good = url.starts_with("https://") && !url.contains(char::is_whitespace);
    is_good.then(|| url.to_owned())
}

fn trailer_url(trailer: &Trailer) -> Option<String> {
    let is_known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let id = trailer.id.as_deref()?;
    if id.is_empty() || id.len() > MAX_TRAILER_ID || !id.chars().all(is_known) {
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

/// Returns each genre once, in alphabetical order, as the importer does.
fn genres(genres: &[String]) -> Option<Vec<String>> {
    let genres: BTreeSet<&str> = genres.iter().map(|genre| genre.trim()).collect();
    let genres = genres.into_iter().filter(|genre| !genre.is_empty());
    let genres: Vec<String> = genres.map(str::to_owned).collect();
    (!genres.is_empty()).then_some(genres)
}
