//! The facts of a source about an anime.

use serde::Serialize;
use shared::models::{
    Anime, AnimeFormat, AnimeId, AnimeStatus, Localized, Score, Season, TrackerIds, Weekday,
};
use time::OffsetDateTime;

use super::write::Facts;
use super::{MAX_TEXT, TEXT_TOO_LONG, check_lengths};

/// The facts of a source about an anime.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnimeFacts {
    /// The identifier.
    #[serde(skip)]
    pub id: AnimeId,
    /// The identifiers at the trackers. An identifier that the row has is kept.
    #[serde(flatten)]
    pub trackers: TrackerIds,
    /// The format of release.
    pub format: AnimeFormat,
    /// Everything else.
    #[serde(flatten)]
    pub fields: AnimeFields,
}

/// The fields of an anime that a source has values for. A field that is `None` keeps the value of the row.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AnimeFields {
    /// The identifier at The Movie Database.
    pub database_id: Option<u32>,
    /// Release status.
    pub status: Option<AnimeStatus>,
    /// Title in Latin letters.
    pub title_rj: Option<String>,
    /// English title.
    pub title_en: Option<String>,
    /// Title in its original script.
    pub title_jp: Option<String>,
    /// English description, as plain text.
    pub description_en: Option<String>,
    /// First day of release.
    pub start_date: Option<OffsetDateTime>,
    /// Last day of release.
    pub end_date: Option<OffsetDateTime>,
    /// The day of the week on which it airs.
    pub weekly_airing_day: Option<Weekday>,
    /// Season of release.
    pub season_period: Option<Season>,
    /// Year of release.
    pub season_year: Option<u16>,
    /// The number of released episodes.
    pub episodes_count: Option<u32>,
    /// Average duration of an episode, in minutes.
    pub episode_duration: Option<u32>,
    /// URL of a trailer.
    pub trailer_url: Option<String>,
    /// URL of the cover image.
    pub cover_image: Option<String>,
    /// Main color of the cover image: `#` and six hexadecimal digits.
    pub cover_color: Option<String>,
    /// URL of the banner image.
    pub banner_image: Option<String>,
    /// Names of genres, as in [`crate::genres`].
    pub genres: Option<Vec<String>>,
    /// The preceding anime, which the API calls `sequel` (docs/api.md, "Anime").
    pub sequel: Option<AnimeId>,
    /// The following anime, which the API calls `prequel` (docs/api.md, "Anime").
    pub prequel: Option<AnimeId>,
    /// Score, from 0 to 100.
    pub score: Option<Score>,
    /// True if the anime is not safe for work.
    pub nsfw: Option<bool>,
    /// Similar anime, best rated first.
    pub recommendations: Option<Vec<AnimeId>>,
}

impl AnimeFacts {
    /// Creates facts with the anime's identity and format, and without a value in any other field.
    #[must_use]
    pub fn new(id: AnimeId, trackers: TrackerIds, format: AnimeFormat) -> Self {
        Self {
            id,
            trackers,
            format,
            fields: AnimeFields::default(),
        }
    }

    /// Returns the facts that an existing anime has.
    #[must_use]
    pub fn of(anime: &Anime) -> Self {
        Self {
            id: anime.id,
            trackers: TrackerIds::of(anime),
            format: anime.format,
            fields: AnimeFields {
                database_id: anime.database_id,
                status: Some(anime.status),
                title_rj: anime.titles.get("rj").cloned(),
                title_en: anime.titles.get("en").cloned(),
                title_jp: anime.titles.get("jp").cloned(),
                description_en: anime.descriptions.get("en").cloned(),
                start_date: anime.start_date,
                end_date: anime.end_date,
                weekly_airing_day: anime.weekly_airing_day,
                season_period: Some(anime.season_period),
                season_year: anime.season_year,
                episodes_count: Some(anime.episodes_count),
                episode_duration: anime.episode_duration,
                trailer_url: anime.trailer_url.clone(),
                cover_image: anime.has_cover_image.then(|| anime.cover_image.clone()),
                cover_color: anime.cover_color.clone(),
                banner_image: anime.banner_image.clone(),
                genres: Some(anime.genres.clone()),
                sequel: anime.sequel,
                prequel: anime.prequel,
                score: Some(anime.score),
                nsfw: Some(anime.nsfw),
                recommendations: anime.recommendations.clone(),
            },
        }
    }

    /// Checks that all texts fit into a row.
    ///
    /// # Errors
    /// [`TEXT_TOO_LONG`] if a text is longer than [`MAX_TEXT`], or all genres together are.
    pub fn check_texts(&self) -> Result<(), &'static str> {
        let fields = &self.fields;
        let texts = [
            &fields.title_rj,
            &fields.title_en,
            &fields.title_jp,
            &fields.description_en,
            &fields.trailer_url,
            &fields.cover_image,
            &fields.cover_color,
            &fields.banner_image,
        ];
        let genres = fields.genres.iter().flatten().map(String::len);
        if genres.sum::<usize>() > MAX_TEXT {
            return Err(TEXT_TOO_LONG);
        }
        check_lengths(texts.into_iter().flatten())
    }
}

impl Facts for AnimeFacts {
    type Document = Anime;

    fn id(&self) -> u64 {
        self.id.get()
    }

    fn is_about(&self, known: &Anime) -> bool {
        !self.trackers.contradict(TrackerIds::of(known))
    }

    fn merge_into(self, known: Option<Anime>) -> Anime {
        let anime = known.unwrap_or_else(|| Anime::new(self.id, self.format));
        let fields = self.fields;
        let titles = [
            ("rj", fields.title_rj),
            ("en", fields.title_en),
            ("jp", fields.title_jp),
        ];
        Anime {
            id: anime.id,
            tracker_a_id: anime.tracker_a_id.or(self.trackers.a),
            tracker_b_id: anime.tracker_b_id.or(self.trackers.b),
            database_id: fields.database_id.or(anime.database_id),
            format: self.format,
            status: fields.status.unwrap_or(anime.status),
            titles: with(anime.titles, titles),
            descriptions: with(anime.descriptions, [("en", fields.description_en)]),
            start_date: fields.start_date.or(anime.start_date),
            end_date: fields.end_date.or(anime.end_date),
            weekly_airing_day: fields.weekly_airing_day.or(anime.weekly_airing_day),
            season_period: fields.season_period.unwrap_or(anime.season_period),
            season_year: fields.season_year.or(anime.season_year),
            episodes_count: fields.episodes_count.unwrap_or(anime.episodes_count),
            episode_duration: fields.episode_duration.or(anime.episode_duration),
            trailer_url: fields.trailer_url.or(anime.trailer_url),
            has_cover_image: fields.cover_image.is_some() || anime.has_cover_image,
            cover_image: fields.cover_image.unwrap_or(anime.cover_image),
            cover_color: fields.cover_color.or(anime.cover_color),
            banner_image: fields.banner_image.or(anime.banner_image),
            genres: fields.genres.unwrap_or(anime.genres),
            sagas: anime.sagas,
            sequel: fields.sequel.or(anime.sequel),
            prequel: fields.prequel.or(anime.prequel),
            score: fields.score.unwrap_or(anime.score),
            nsfw: fields.nsfw.unwrap_or(anime.nsfw),
            recommendations: fields.recommendations.or(anime.recommendations),
        }
    }
}

/// Returns `texts` with the new values in place of the earlier ones. Localizations without a new value keep
/// theirs.
fn with<const N: usize>(mut texts: Localized, said: [(&str, Option<String>); N]) -> Localized {
    for (localization, text) in said {
        texts.extend(text.map(|text| (localization.to_owned(), text)));
    }
    texts
}
