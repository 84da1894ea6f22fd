//! The fields of anime and songs that can be corrected (docs/data-model.md, "Corrections").

use serde_json::{Value, json};
use shared::models::{Anime, AnimeFormat, AnimeStatus, Season, Song, SongType, Weekday, WireEnum};

use super::values::{Fault, FieldKind, names};
use crate::Resource;

/// A field that can be corrected.
#[derive(Clone, Copy, Debug)]
pub struct CorrectableField {
    /// The name in the JSON of the document. For texts by localization code, the name of the object that has them.
    pub name: &'static str,
    /// The kind of its values.
    pub kind: FieldKind,
    /// The value that an empty text of a form stands for.
    pub empty: Empty,
}

/// The value that an empty text of a form stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Empty {
    /// The field cannot be empty.
    Rejected,
    /// `null`. For a text by localization code, the text is removed from its object.
    Null,
    /// An empty text.
    Text,
    /// 0
    Zero,
    /// An empty list.
    List,
}

impl CorrectableField {
    /// Reads the text that a form has for this field.
    ///
    /// # Errors
    /// The reason why the value is not accepted.
    pub fn parse(&self, text: &str) -> Result<Value, Fault> {
        let text = text.trim();
        match self.empty {
            _ if !text.is_empty() => self.kind.parse(text),
            Empty::Rejected => Err(Fault::Required),
            Empty::Null => Ok(Value::Null),
            Empty::Text => Ok(json!("")),
            Empty::Zero => Ok(json!(0)),
            Empty::List => Ok(json!([])),
        }
    }

    /// Returns the text of a value for a form. The text of a 0 that stands for an unknown value is empty.
    #[must_use]
    pub fn text(&self, value: &Value) -> String {
        match self.empty {
            Empty::Zero if value == &json!(0) => String::new(),
            _ => self.kind.text(value),
        }
    }
}

/// A kind of document whose fields can be corrected.
pub trait Correctable: Resource {
    /// The fields, in the order of the form. Identifiers in the catalogue and at the trackers cannot be corrected,
    /// because users' stories and imports find documents by them. Values that trackers compute, such as the score,
    /// cannot be corrected either.
    const FIELDS: &'static [CorrectableField];
    /// The fields that are objects of texts by localization code.
    const LOCALIZED: &'static [&'static str];

    /// The message of the error for an identifier without a document.
    const NOT_FOUND: &'static str;

    /// Returns true if the document has a title.
    fn has_title(&self) -> bool;

    /// Returns the field with this name. The name of a text in a language ends with the localization code, for
    /// example `titles.en`.
    #[must_use]
    fn field(name: &str) -> Option<CorrectableField> {
        let (name, language) = match name.split_once('.') {
            Some((name, language)) => (name, Some(language)),
            None => (name, None),
        };
        let field = Self::FIELDS.iter().find(|field| field.name == name)?;
        let is_code = |code: &str| {
            matches!(code.len(), 2..=3) && code.bytes().all(|b| b.is_ascii_lowercase())
        };
        let has_language = language.is_some_and(is_code);
        let is_localized = Self::LOCALIZED.contains(&name);
        // The name of a localized field needs a valid code, and any other name must have no code at all.
        (is_localized == has_language && is_localized == language.is_some()).then_some(*field)
    }
}

const fn field(name: &'static str, kind: FieldKind, empty: Empty) -> CorrectableField {
    CorrectableField { name, kind, empty }
}

const fn choice<E: WireEnum>(name: &'static str, empty: Empty) -> CorrectableField {
    field(name, FieldKind::Choice(names::<E>), empty)
}

/// The first year that a form accepts, and the last.
const YEARS: FieldKind = FieldKind::Number(1900, 2100);

impl Correctable for Anime {
    const FIELDS: &'static [CorrectableField] = &[
        field("titles", FieldKind::Line, Empty::Null),
        field("descriptions", FieldKind::Lines, Empty::Null),
        choice::<AnimeFormat>("format", Empty::Rejected),
        choice::<AnimeStatus>("status", Empty::Rejected),
        field(
            "episodes_count",
            FieldKind::Number(0, 10_000),
            Empty::Rejected,
        ),
        field("episode_duration", FieldKind::Number(1, 1_440), Empty::Null),
        field("start_date", FieldKind::Day, Empty::Null),
        field("end_date", FieldKind::Day, Empty::Null),
        choice::<Weekday>("weekly_airing_day", Empty::Null),
        choice::<Season>("season_period", Empty::Rejected),
        field("season_year", YEARS, Empty::Null),
        field("genres", FieldKind::Genres, Empty::List),
        field("nsfw", FieldKind::YesNo, Empty::Rejected),
        field("sequel", FieldKind::Anime, Empty::Null),
        field("prequel", FieldKind::Anime, Empty::Null),
        field("recommendations", FieldKind::AnimeList, Empty::Null),
        field("cover_image", FieldKind::Url, Empty::Text),
        field("cover_color", FieldKind::Color, Empty::Null),
        field("banner_image", FieldKind::Url, Empty::Null),
        field("trailer_url", FieldKind::Url, Empty::Null),
        field(
            "database_id",
            FieldKind::Number(1, i32::MAX.unsigned_abs()),
            Empty::Null,
        ),
    ];
    const LOCALIZED: &'static [&'static str] = &["titles", "descriptions"];
    const NOT_FOUND: &'static str = "Anime not found";

    fn has_title(&self) -> bool {
        !self.titles.is_empty()
    }
}

impl Correctable for Song {
    const FIELDS: &'static [CorrectableField] = &[
        field("title", FieldKind::Line, Empty::Rejected),
        field("artist", FieldKind::Line, Empty::Text),
        field("album", FieldKind::Line, Empty::Text),
        choice::<SongType>("type", Empty::Rejected),
        field("year", YEARS, Empty::Zero),
        choice::<Season>("season", Empty::Rejected),
        field("duration", FieldKind::Duration, Empty::Zero),
        field("preview_url", FieldKind::Url, Empty::Text),
        field("open_player_url", FieldKind::Url, Empty::Text),
        field("local_player_url", FieldKind::AppUrl, Empty::Text),
    ];
    const LOCALIZED: &'static [&'static str] = &[];
    const NOT_FOUND: &'static str = "Song not found";

    fn has_title(&self) -> bool {
        !self.title.is_empty()
    }
}
