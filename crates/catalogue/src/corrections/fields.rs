//! The fields of anime and songs that can be corrected (docs/data-model.md, "Corrections").

use serde_json::{Value, json};
use shared::Missing;
use shared::models::{Anime, AnimeFormat, AnimeStatus, Season, Song, SongType, Weekday, WireEnum};

use super::values::{Fault, FieldKind, enum_names};
use crate::index::Resource;

/// A field that can be corrected.
#[derive(Clone, Copy, Debug)]
pub struct CorrectableField {
    /// The name in the JSON of the document. For texts by localization code, it is the name of the object that has the
    /// texts.
    pub name: &'static str,
    /// The kind of its values.
    pub kind: FieldKind,
    /// The meaning of an empty text in a form.
    pub empty: EmptyText,
}

/// The meaning of an empty text in a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyText {
    /// The field cannot be empty.
    Rejected,
    /// `null`. For a text by localization code, the text is removed from its object.
    Null,
    /// An empty text.
    Text,
    /// The number 0.
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
            EmptyText::Rejected => Err(Fault::Required),
            EmptyText::Null => Ok(Value::Null),
            EmptyText::Text => Ok(json!("")),
            EmptyText::Zero => Ok(json!(0)),
            EmptyText::List => Ok(json!([])),
        }
    }

    /// Returns the text of a value for a form. The text of a 0 that stands for an unknown value is empty.
    pub fn format(&self, value: &Value) -> String {
        match self.empty {
            EmptyText::Zero if value == &json!(0) => String::new(),
            _ => self.kind.format(value),
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

    /// The kind of the document, in the error for an identifier without one.
    const MISSING: Missing;

    /// Returns true if the document has a title.
    fn has_title(&self) -> bool;

    /// Returns the field with this name. The name of a text in a language ends with the localization code, for
    /// example `titles.en`.
    fn find_field(name: &str) -> Option<CorrectableField> {
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

const fn field(name: &'static str, kind: FieldKind, empty: EmptyText) -> CorrectableField {
    CorrectableField { name, kind, empty }
}

const fn choice<E: WireEnum>(name: &'static str, empty: EmptyText) -> CorrectableField {
    field(name, FieldKind::Choice(enum_names::<E>), empty)
}

// The ranges of numbers that a form accepts.
const YEARS: FieldKind = FieldKind::Number(1900, 2100);
const EPISODES: FieldKind = FieldKind::Number(0, 10_000);
const MINUTES: FieldKind = FieldKind::Number(1, 1_440);
const DATABASE_IDS: FieldKind = FieldKind::Number(1, i32::MAX.unsigned_abs());

impl Correctable for Anime {
    const FIELDS: &'static [CorrectableField] = &[
        field("titles", FieldKind::Line, EmptyText::Null),
        field("descriptions", FieldKind::Lines, EmptyText::Null),
        choice::<AnimeFormat>("format", EmptyText::Rejected),
        choice::<AnimeStatus>("status", EmptyText::Rejected),
        field("episodes_count", EPISODES, EmptyText::Rejected),
        field("episode_duration", MINUTES, EmptyText::Null),
        field("start_date", FieldKind::Day, EmptyText::Null),
        field("end_date", FieldKind::Day, EmptyText::Null),
        choice::<Weekday>("weekly_airing_day", EmptyText::Null),
        choice::<Season>("season_period", EmptyText::Rejected),
        field("season_year", YEARS, EmptyText::Null),
        field("genres", FieldKind::Genres, EmptyText::List),
        field("studios", FieldKind::Studios, EmptyText::List),
        field("nsfw", FieldKind::YesNo, EmptyText::Rejected),
        field("sequel", FieldKind::Anime, EmptyText::Null),
        field("prequel", FieldKind::Anime, EmptyText::Null),
        field("recommendations", FieldKind::AnimeList, EmptyText::Null),
        field("cover_image", FieldKind::Url, EmptyText::Text),
        field("cover_color", FieldKind::Color, EmptyText::Null),
        field("banner_image", FieldKind::Url, EmptyText::Null),
        field("trailer_url", FieldKind::Url, EmptyText::Null),
        field("database_id", DATABASE_IDS, EmptyText::Null),
    ];
    const LOCALIZED: &'static [&'static str] = &["titles", "descriptions"];
    const MISSING: Missing = Missing::Anime;

    fn has_title(&self) -> bool {
        !self.titles.is_empty()
    }
}

impl Correctable for Song {
    const FIELDS: &'static [CorrectableField] = &[
        field("title", FieldKind::Line, EmptyText::Rejected),
        field("artist", FieldKind::Line, EmptyText::Text),
        field("album", FieldKind::Line, EmptyText::Text),
        choice::<SongType>("type", EmptyText::Rejected),
        field("year", YEARS, EmptyText::Zero),
        choice::<Season>("season", EmptyText::Rejected),
        field("duration", FieldKind::Duration, EmptyText::Zero),
        field("preview_url", FieldKind::Url, EmptyText::Text),
        field("open_player_url", FieldKind::Url, EmptyText::Text),
        field("local_player_url", FieldKind::AppUrl, EmptyText::Text),
    ];
    const LOCALIZED: &'static [&'static str] = &[];
    const MISSING: Missing = Missing::Song;

    fn has_title(&self) -> bool {
        !self.title.is_empty()
    }
}
