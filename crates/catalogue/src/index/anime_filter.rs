//! The filters of the anime list.

use shared::fold::fold;
use shared::input::{FilterId, ListFilter, Parameter, TextPattern, check_length};
use shared::models::{Anime, AnimeFormat, AnimeStatus, Season};
use shared::query;
use utoipa::ToSchema;

use crate::index::search::SearchQuery;
use crate::rows::document::CatalogueDocument;

query! {
    /// The filters of the anime list, with their documentation in the OpenAPI document (docs/api.md, "Anime
    /// endpoints"). The default accepts every anime.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct AnimeFilter {
        /// Text to search for in all titles, synonyms and abbreviations. Tolerates typing errors, and other spellings
        /// of long vowels, spaces and seasons. The results are in order of relevance. At most 500 characters, of which
        /// at least one is neither a space nor punctuation: `!?` is invalid. An empty text is not a filter.
        #[param(value_type = Option<String>, max_length = 500, example = "cowboy bepop")]
        pub search: Option<SearchQuery>,
        /// Text to find in the titles, in any language. Case and accents are ignored, and punctuation counts as a
        /// space. At most 500 characters.
        #[param(value_type = Option<String>, max_length = 500, example = "bebop")]
        pub title: Option<TextPattern>,
        /// Identifiers of anime, up to 100: selects those with any of them. Separate values with commas, or repeat the
        /// parameter.
        #[param(style = Form, explode = false, min_items = 1, max_items = 100, example = json!([2, 160]))]
        pub ids as "id": Option<Vec<FilterId>>,
        /// Identifiers of anime at tracker A, up to 100, as `id`.
        #[param(style = Form, explode = false, min_items = 1, max_items = 100, example = json!([1]))]
        pub tracker_a_id: Option<Vec<FilterId>>,
        /// Identifiers of anime at tracker B, up to 100, as `id`.
        #[param(style = Form, explode = false, min_items = 1, max_items = 100, example = json!([1]))]
        pub tracker_b_id: Option<Vec<FilterId>>,
        /// Identifiers of anime at the movie database, up to 100, as `id`.
        #[param(style = Form, explode = false, min_items = 1, max_items = 100, example = json!([30991]))]
        pub database_id: Option<Vec<FilterId>>,
        /// Formats to include. Separate values with commas, or repeat the parameter.
        #[param(
            value_type = Option<Vec<AnimeFormat>>, style = Form, explode = false, min_items = 1,
            example = json!([0, 2])
        )]
        pub formats: Vec<AnimeFormat>,
        /// Release status of the anime.
        #[param(example = 0)]
        pub status: Option<AnimeStatus>,
        /// Year of release (`season_year`), from 0 to 9999.
        #[param(minimum = 0, maximum = 9999, example = 1998)]
        pub year: Option<u16>,
        /// Season of release (`season_period`).
        #[param(example = 1)]
        pub season: Option<Season>,
        /// Texts to find in the names of genres, case-sensitive. Selects anime with at least one genre that
        /// contains at least one of the texts. Separate values with commas, or repeat the parameter. At most 500
        /// characters each; an empty value is invalid.
        #[param(
            value_type = Option<Vec<GenrePattern>>, style = Form, explode = false, min_items = 1,
            example = json!(["Sci-Fi"])
        )]
        pub genres: Vec<GenrePattern>,
        /// Names of studios. Case, accents and punctuation are ignored. Selects anime of at least one of them. Separate
        /// values with commas, or repeat the parameter. At most 500 characters each, one of them a letter or a digit.
        #[param(
            value_type = Option<Vec<NameFilter>>, style = Form, explode = false, min_items = 1,
            example = json!(["Sunrise"])
        )]
        pub studios: Vec<NameFilter>,
        /// Tags, which are compared like `studios`. Selects anime with at least one of them.
        #[param(
            value_type = Option<Vec<NameFilter>>, style = Form, explode = false, min_items = 1,
            example = json!(["bounty hunters"])
        )]
        pub tags: Vec<NameFilter>,
        /// `true` excludes adult titles. `false` has no effect.
        // `nsfw=true` sounds as if it selected adult titles, but it excludes them.
        #[param(value_type = Option<bool>, example = true)]
        pub exclude_nsfw as "nsfw": bool,
        /// `true` excludes anime without a released episode. `false` has no effect.
        #[param(value_type = Option<bool>, example = true)]
        pub with_episodes: bool,
    }
}

impl ListFilter for AnimeFilter {
    const LIST: &'static str = Anime::KIND;
}

/// A text to find in the names of genres.
#[derive(Clone, Debug, PartialEq, Eq, ToSchema)]
#[schema(value_type = String, min_length = 1, max_length = 500, pattern = "^[^,]+$")]
pub struct GenrePattern(pub String);

impl Parameter for GenrePattern {
    fn parse(value: &str) -> Result<Option<Self>, String> {
        if value.is_empty() {
            return Err("must not contain an empty value".to_owned());
        }
        check_length(value).map_err(|reason| format!("{reason} each"))?;
        Ok(Some(Self(value.to_owned())))
    }
}

/// The name of a studio, or a tag.
#[derive(Clone, Debug, PartialEq, Eq, ToSchema)]
#[schema(value_type = String, min_length = 1, max_length = 500, pattern = "^[^,]+$")]
pub struct NameFilter(TypedName);

#[derive(Clone, Debug, PartialEq, Eq)]
struct TypedName {
    name: String,
    /// The folded name, without a space at its ends.
    folded: String,
}

impl NameFilter {
    /// Returns the filter for a name; `None` if the name has nothing but punctuation and spaces.
    pub fn new(name: &str) -> Option<Self> {
        let folded = fold(name).trim().to_owned();
        (!folded.is_empty()).then(|| {
            Self(TypedName {
                name: name.trim().to_owned(),
                folded,
            })
        })
    }

    /// Returns the name as it was typed.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns true if a folded name equals this name.
    pub fn accepts(&self, folded: &str) -> bool {
        self.0.folded == folded
    }
}

impl Parameter for NameFilter {
    fn parse(value: &str) -> Result<Option<Self>, String> {
        check_length(value).map_err(|reason| format!("{reason} each"))?;
        if value.is_empty() {
            return Err("must not contain an empty value".to_owned());
        }
        let filter = Self::new(value).ok_or("must have a letter or a digit")?;
        Ok(Some(filter))
    }
}
