//! The facts of a source about an anime.

use shared::models::{
    Anime, AnimeFormat, AnimeId, AnimeStatus, Localized, Score, Season, TrackerIds, Weekday,
};
use time::OffsetDateTime;

use super::limits::{MAX_FIELD_BYTES, MAX_SYNONYM_BYTES, TEXT_TOO_LONG, check_lengths};
use super::write::DocumentFacts;
use crate::rows::anime::{AnimeNotes, FactSource};
use crate::rows::document::{CatalogueDocument, CatalogueRow};

/// The fields whose values change after the release of an anime is announced.
const CHANGING_FIELDS: [&str; 7] = [
    "status",
    "start_date",
    "end_date",
    "weekly_airing_day",
    "episodes_count",
    "score",
    "popularity",
];

/// The facts of a source about an anime.
#[derive(Clone, Debug, PartialEq)]
pub struct AnimeFacts {
    /// The identifier.
    pub id: AnimeId,
    /// The source. Its value for a field replaces only a value from the same source or from a weaker source.
    pub source: FactSource,
    /// Sources that have not been read for a long time. Even a weaker source may replace their values of the fields
    /// in [`CHANGING_FIELDS`].
    pub lapsed: Vec<FactSource>,
    /// The identifiers at the trackers. An identifier that the row has is kept.
    pub trackers: TrackerIds,
    /// Everything else.
    pub fields: AnimeFields,
}

/// The fields of an anime that a source has values for. A field that is `None` keeps the value of the row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnimeFields {
    /// Format of release. Without it, facts do not become a new row.
    pub format: Option<AnimeFormat>,
    /// The identifier at The Movie Database.
    pub database_id: Option<u32>,
    /// Release status.
    pub status: Option<AnimeStatus>,
    /// Titles by localization code.
    pub titles: Localized,
    /// Guessed titles by localization code, for example a synonym in that language. The `titles` of every source
    /// replace them.
    pub probable_titles: Localized,
    /// Other titles, only for the search. They replace the synonyms that the row has from the same source.
    pub synonyms: Vec<String>,
    /// The number of users who have the anime on their list.
    pub popularity: Option<u32>,
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
    /// Names of the studios.
    pub studios: Option<Vec<String>>,
    /// Keywords, in lower case.
    pub tags: Option<Vec<String>>,
}

impl AnimeFacts {
    /// Creates facts with the anime's identity, and without a value in any other field.
    pub fn new(id: AnimeId, source: FactSource, trackers: TrackerIds) -> Self {
        Self {
            id,
            source,
            lapsed: Vec::new(),
            trackers,
            fields: AnimeFields::default(),
        }
    }

    /// Checks that the texts fit into a row. Synonyms are not checked: those beyond [`MAX_SYNONYM_BYTES`] are left out.
    ///
    /// # Errors
    /// [`TEXT_TOO_LONG`] if a text is longer than [`MAX_FIELD_BYTES`], or if all genres together are longer.
    pub fn check_texts(&self) -> Result<(), &'static str> {
        let fields = &self.fields;
        let texts = [
            &fields.description_en,
            &fields.trailer_url,
            &fields.cover_image,
            &fields.cover_color,
            &fields.banner_image,
        ];
        let genres = fields.genres.iter().flatten().map(String::len);
        if genres.sum::<usize>() > MAX_FIELD_BYTES {
            return Err(TEXT_TOO_LONG);
        }
        let titles = fields
            .titles
            .values()
            .chain(fields.probable_titles.values());
        check_lengths(texts.into_iter().flatten().chain(titles))
    }

    /// Returns the titles and synonyms that the search must find, each once. Texts after the first
    /// [`MAX_SYNONYM_BYTES`] bytes are left out.
    fn search_texts(&self) -> Vec<String> {
        let fields = &self.fields;
        let titles = fields
            .titles
            .values()
            .chain(fields.probable_titles.values());
        let mut texts: Vec<String> = Vec::new();
        let mut length = 0;
        for text in titles.chain(&fields.synonyms) {
            let text = text.trim();
            if !text.is_empty() && !texts.iter().any(|known| known == text) {
                length += text.len();
                if length <= MAX_SYNONYM_BYTES {
                    texts.push(text.to_owned());
                }
            }
        }
        texts
    }
}

impl DocumentFacts for AnimeFacts {
    type Document = Anime;

    fn id(&self) -> u64 {
        self.id.get()
    }

    fn is_about(&self, known: &Anime) -> bool {
        !self.trackers.contradict(TrackerIds::of(known))
    }

    fn merge_into(self, known: Option<CatalogueRow<Anime>>) -> Option<CatalogueRow<Anime>> {
        let texts = self.search_texts();
        let fields = self.fields;
        let CatalogueRow {
            document: mut anime,
            notes,
        } = match known {
            Some(row) => row,
            None => Anime::new(self.id, fields.format?).into(),
        };
        anime.tracker_a_id = anime.tracker_a_id.or(self.trackers.a);
        anime.tracker_b_id = anime.tracker_b_id.or(self.trackers.b);
        let mut merge = Merge {
            source: self.source,
            lapsed: self.lapsed,
            notes,
        };
        macro_rules! set {
            ($($field:ident)+) => {
                $(merge.set(stringify!($field), &mut anime.$field, fields.$field);)+
            };
        }
        set! {
            database_id format status start_date end_date weekly_airing_day season_period season_year episodes_count
            episode_duration trailer_url cover_image cover_color banner_image genres sequel prequel score nsfw
            recommendations studios tags
        }
        anime.derive_fields();
        merge.set_texts("titles", &mut anime.titles, fields.titles);
        let description = fields.description_en.map(|text| ("en".to_owned(), text));
        merge.set_texts("descriptions", &mut anime.descriptions, description);
        let mut popularity = merge.notes.popularity;
        merge.set("popularity", &mut popularity, fields.popularity);
        merge.notes.popularity = popularity;
        if !texts.is_empty() {
            merge.notes.synonyms.insert(self.source, texts);
        }
        // Probable titles have ranks of their own, below the titles of every source.
        merge.source = match self.source {
            FactSource::OfflineDatabase => FactSource::OfflineDatabaseSynonym,
            _ => FactSource::Synonym,
        };
        merge.set_texts("titles", &mut anime.titles, fields.probable_titles);
        let row = CatalogueRow {
            document: anime,
            notes: merge.notes,
        };
        Some(row.with_derived_fields())
    }
}

/// The merging of a source's facts into a row.
struct Merge {
    source: FactSource,
    lapsed: Vec<FactSource>,
    notes: AnimeNotes,
}

impl Merge {
    /// Sets a field, if the source has a value and the row has none of a stronger source.
    fn set<T: From<V>, V>(&mut self, field: &str, target: &mut T, value: Option<V>) {
        if let Some(value) = value
            && self.may_set(field)
        {
            *target = value.into();
            self.notes.sources.insert(field.to_owned(), self.source);
        }
    }

    /// Returns true if the row has no value of a stronger source for a field.
    fn may_set(&self, field: &str) -> bool {
        let known_source = self.notes.sources.get(field);
        known_source.is_none_or(|known_source| {
            let has_lapsed = CHANGING_FIELDS.contains(&field) && self.lapsed.contains(known_source);
            // Sources are declared from the highest rank to the lowest.
            has_lapsed || self.source <= *known_source
        })
    }

    /// Sets the texts of a localized field. Each localization is a field of its own. A probable title never replaces
    /// a title whose source is unknown.
    fn set_texts(
        &mut self,
        field: &str,
        target: &mut Localized,
        texts: impl IntoIterator<Item = (String, String)>,
    ) {
        for (localization, text) in texts {
            let field = format!("{field}.{localization}");
            let has_unknown_source =
                target.contains_key(&localization) && !self.notes.sources.contains_key(&field);
            if self.may_set(&field) && !(has_unknown_source && self.source.is_synonym()) {
                target.insert(localization, text);
                self.notes.sources.insert(field, self.source);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use shared::models::{Anime, AnimeFormat, AnimeId, Localized, TrackerIds};

    use super::AnimeFacts;
    use crate::import::write::DocumentFacts;
    use crate::rows::anime::FactSource;
    use crate::rows::document::CatalogueRow;

    fn facts(source: FactSource, titles: &[(&str, &str)]) -> AnimeFacts {
        let id = AnimeId::new(42).unwrap();
        let mut facts = AnimeFacts::new(id, source, TrackerIds::default());
        facts.fields.titles = localized(titles);
        facts
    }

    fn localized(texts: &[(&str, &str)]) -> Localized {
        let owned = |(code, text): &(&str, &str)| ((*code).to_owned(), (*text).to_owned());
        texts.iter().map(owned).collect()
    }

    /// Without ranks, the probable titles of two sources would replace each other at each run.
    #[test]
    fn probable_titles_have_ranks() {
        let probable = |source, title| {
            let mut facts = facts(source, &[]);
            facts.fields.probable_titles = localized(&[("jp", title)]);
            facts
        };
        let weak = probable(FactSource::OfflineDatabase, "weak");
        let strong = probable(FactSource::AniDb, "strong");
        let all = [weak.clone(), strong.clone(), weak];
        assert_eq!(titles_after(&all), localized(&[("jp", "strong")]));
        let stated = facts(FactSource::OfflineDatabase, &[("jp", "stated")]);
        let all = [strong.clone(), stated, strong];
        assert_eq!(titles_after(&all), localized(&[("jp", "stated")]));
    }

    /// Returns a row without a title.
    fn untitled() -> CatalogueRow<Anime> {
        Anime::new(AnimeId::new(42).unwrap(), AnimeFormat::Tv).into()
    }

    /// Merges facts into a row without a title, one after the other. Returns the titles.
    fn titles_after(facts: &[AnimeFacts]) -> Localized {
        let mut row = untitled();
        for facts in facts {
            row = facts.clone().merge_into(Some(row)).unwrap();
        }
        row.document.titles
    }

    #[test]
    fn stronger_source_wins_in_every_order() {
        let weak = facts(
            FactSource::OfflineDatabase,
            &[("rj", "Hoshi"), ("en", "Star")],
        );
        let strong = facts(FactSource::AniDb, &[("rj", "Hosi"), ("fr", "Étoile")]);
        let merged = localized(&[("rj", "Hosi"), ("en", "Star"), ("fr", "Étoile")]);
        assert_eq!(titles_after(&[weak.clone(), strong.clone()]), merged);
        assert_eq!(titles_after(&[strong, weak]), merged);
    }

    #[test]
    fn source_replaces_its_own_earlier_value() {
        let old = facts(FactSource::AniDb, &[("en", "Star")]);
        let new = facts(FactSource::AniDb, &[("en", "Stars")]);
        assert_eq!(titles_after(&[old, new]), localized(&[("en", "Stars")]));
    }

    #[test]
    fn probable_title_is_weaker_than_the_title_of_any_source() {
        let mut probable = facts(FactSource::AniList, &[]);
        probable.fields.probable_titles = localized(&[("en", "Sky"), ("de", "Himmel")]);
        let stated = facts(FactSource::OfflineDatabase, &[("en", "Star")]);
        let merged = localized(&[("en", "Star"), ("de", "Himmel")]);
        assert_eq!(titles_after(&[probable.clone(), stated.clone()]), merged);
        assert_eq!(titles_after(&[stated, probable]), merged);
    }

    #[test]
    fn probable_title_does_not_replace_a_title_of_unknown_source() {
        let mut row = untitled();
        row.document.titles = localized(&[("en", "Star")]);
        let mut probable = facts(FactSource::AniList, &[]);
        probable.fields.probable_titles = localized(&[("en", "Sky")]);
        let merged = probable.merge_into(Some(row)).unwrap();
        assert_eq!(merged.document.titles, localized(&[("en", "Star")]));
    }

    #[test]
    fn facts_without_a_format_make_no_new_row() {
        let facts = facts(FactSource::AniDb, &[("en", "Star")]);
        assert_eq!(facts.merge_into(None), None);
    }

    #[test]
    fn synonyms_beyond_the_limit_are_left_out() {
        let mut facts = facts(FactSource::AniDb, &[("en", "Star")]);
        facts.fields.synonyms = ["a", "b", "c"].map(|text| text.repeat(9_999)).into();
        let merged = facts.merge_into(Some(untitled())).unwrap();
        assert_eq!(merged.notes.synonyms[&FactSource::AniDb].len(), 2);
    }
}
