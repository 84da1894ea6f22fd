//! The facts of a source about an anime.

use shared::models::{
    Anime, AnimeFormat, AnimeId, AnimeStatus, Localized, Score, Season, TrackerIds, Weekday,
};
use time::OffsetDateTime;

use super::digests::{Digests, digest};
use super::write::Facts;
use super::{MAX_TEXT, TEXT_TOO_LONG, check_lengths};

/// The facts of a source about an anime. A field that is `None` keeps the value of the row.
#[derive(Clone, Debug, PartialEq)]
pub struct AnimeFacts {
    /// The identifier.
    pub id: AnimeId,
    /// The identifiers at the trackers. An identifier that the row has is kept.
    pub trackers: TrackerIds,
    /// The identifier at The Movie Database.
    pub database_id: Option<u32>,
    /// The format of release.
    pub format: AnimeFormat,
    /// Release status.
    pub status: Option<AnimeStatus>,
    /// Title in Latin letters.
    pub title_rj: Option<String>,
    /// English title.
    pub title_en: Option<String>,
    /// Title in its own script.
    pub title_jp: Option<String>,
    /// English description, as plain text.
    pub description_en: Option<String>,
    /// First day.
    pub start_date: Option<OffsetDateTime>,
    /// Last day.
    pub end_date: Option<OffsetDateTime>,
    /// The day of the week on which it airs.
    pub weekly_airing_day: Option<Weekday>,
    /// Season of release.
    pub season_period: Option<Season>,
    /// Year of release.
    pub season_year: Option<u16>,
    /// The number of released episodes.
    pub episodes_count: Option<u32>,
    /// The duration of an episode, in minutes.
    pub episode_duration: Option<u32>,
    /// Address of a trailer.
    pub trailer_url: Option<String>,
    /// Address of the cover image.
    pub cover_image: Option<String>,
    /// Main color of the cover image.
    pub cover_color: Option<String>,
    /// Address of the banner image.
    pub banner_image: Option<String>,
    /// Genres.
    pub genres: Option<Vec<String>>,
    /// The preceding anime, which the API calls `sequel` (docs/api.md, "Anime").
    pub sequel: Option<AnimeId>,
    /// The following anime, which the API calls `prequel` (docs/api.md, "Anime").
    pub prequel: Option<AnimeId>,
    /// Score.
    pub score: Option<Score>,
    /// True if the anime is not safe for work.
    pub nsfw: Option<bool>,
    /// Similar anime, best rated first.
    pub recommendations: Option<Vec<AnimeId>>,
}

/// The number of digests of [`AnimeFacts`]: two for `trackers`, and one for each other field except `id`.
pub const FIELDS: usize = 26;

impl AnimeFacts {
    /// Creates facts with nothing but the anime's identity.
    #[must_use]
    pub fn silent(id: AnimeId, trackers: TrackerIds, format: AnimeFormat) -> Self {
        Self {
            id,
            trackers,
            database_id: None,
            format,
            status: None,
            title_rj: None,
            title_en: None,
            title_jp: None,
            description_en: None,
            start_date: None,
            end_date: None,
            weekly_airing_day: None,
            season_period: None,
            season_year: None,
            episodes_count: None,
            episode_duration: None,
            trailer_url: None,
            cover_image: None,
            cover_color: None,
            banner_image: None,
            genres: None,
            sequel: None,
            prequel: None,
            score: None,
            nsfw: None,
            recommendations: None,
        }
    }

    /// Returns the facts in a row.
    #[must_use]
    pub fn of(anime: &Anime) -> Self {
        Self {
            id: anime.id,
            trackers: TrackerIds::of(anime),
            database_id: anime.database_id,
            format: anime.format,
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
        }
    }

    /// Returns the digests of the fields.
    #[must_use]
    pub fn digests(&self) -> Digests<FIELDS> {
        [
            digest(self.trackers.a),
            digest(self.trackers.b),
            digest(self.database_id),
            digest(Some(self.format)),
            digest(self.status),
            digest(self.title_rj.as_ref()),
            digest(self.title_en.as_ref()),
            digest(self.title_jp.as_ref()),
            digest(self.description_en.as_ref()),
            digest(self.start_date),
            digest(self.end_date),
            digest(self.weekly_airing_day),
            digest(self.season_period),
            digest(self.season_year),
            digest(self.episodes_count),
            digest(self.episode_duration),
            digest(self.trailer_url.as_ref()),
            digest(self.cover_image.as_ref()),
            digest(self.cover_color.as_ref()),
            digest(self.banner_image.as_ref()),
            digest(self.genres.as_ref()),
            digest(self.sequel),
            digest(self.prequel),
            digest(self.score.map(Score::hundredths)),
            digest(self.nsfw),
            digest(self.recommendations.as_ref()),
        ]
    }

    /// Checks that all texts fit into a row.
    ///
    /// # Errors
    /// [`TEXT_TOO_LONG`] if a text, or all genres together, are longer than [`MAX_TEXT`].
    pub fn check_texts(&self) -> Result<(), &'static str> {
        let texts = [
            &self.title_rj,
            &self.title_en,
            &self.title_jp,
            &self.description_en,
            &self.trailer_url,
            &self.cover_image,
            &self.cover_color,
            &self.banner_image,
        ];
        let genres = self.genres.iter().flatten().map(String::len);
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
        let anime = known.unwrap_or_else(|| nothing_known(self.id, self.format));
        let titles = [
            ("rj", self.title_rj),
            ("en", self.title_en),
            ("jp", self.title_jp),
        ];
        Anime {
            id: anime.id,
            tracker_a_id: anime.tracker_a_id.or(self.trackers.a),
            tracker_b_id: anime.tracker_b_id.or(self.trackers.b),
            database_id: self.database_id.or(anime.database_id),
            format: self.format,
            status: self.status.unwrap_or(anime.status),
            titles: with(anime.titles, titles),
            descriptions: with(anime.descriptions, [("en", self.description_en)]),
            start_date: self.start_date.or(anime.start_date),
            end_date: self.end_date.or(anime.end_date),
            weekly_airing_day: self.weekly_airing_day.or(anime.weekly_airing_day),
            season_period: self.season_period.unwrap_or(anime.season_period),
            season_year: self.season_year.or(anime.season_year),
            episodes_count: self.episodes_count.unwrap_or(anime.episodes_count),
            episode_duration: self.episode_duration.or(anime.episode_duration),
            trailer_url: self.trailer_url.or(anime.trailer_url),
            has_cover_image: self.cover_image.is_some() || anime.has_cover_image,
            cover_image: self.cover_image.unwrap_or(anime.cover_image),
            cover_color: self.cover_color.or(anime.cover_color),
            banner_image: self.banner_image.or(anime.banner_image),
            genres: self.genres.unwrap_or(anime.genres),
            sagas: anime.sagas,
            sequel: self.sequel.or(anime.sequel),
            prequel: self.prequel.or(anime.prequel),
            score: self.score.unwrap_or(anime.score),
            nsfw: self.nsfw.unwrap_or(anime.nsfw),
            recommendations: self.recommendations.or(anime.recommendations),
        }
    }
}

/// Returns the texts, with the new values in place of earlier ones.
fn with<const N: usize>(mut texts: Localized, said: [(&str, Option<String>); N]) -> Localized {
    for (localization, text) in said {
        texts.extend(text.map(|text| (localization.to_owned(), text)));
    }
    texts
}

/// Returns an anime with nothing but its identity and format. An unknown status is FINISHED.
fn nothing_known(id: AnimeId, format: AnimeFormat) -> Anime {
    Anime {
        id,
        tracker_a_id: None,
        tracker_b_id: None,
        database_id: None,
        format,
        status: AnimeStatus::Finished,
        titles: Localized::new(),
        descriptions: Localized::new(),
        start_date: None,
        end_date: None,
        weekly_airing_day: None,
        season_period: Season::Unknown,
        season_year: None,
        episodes_count: 0,
        episode_duration: None,
        trailer_url: None,
        cover_image: String::new(),
        has_cover_image: false,
        cover_color: None,
        banner_image: None,
        genres: Vec::new(),
        sagas: None,
        sequel: None,
        prequel: None,
        score: Score::default(),
        nsfw: false,
        recommendations: None,
    }
}
