//! Responses of media servers about what their user has watched, saved as files (docs/players.md, "What was watched
//! before").

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use memchr::memmem;
use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::message::{Subject, Video};
use crate::servers::{SeriesFacts, read_emby_item, read_plex_item, time_of};
use crate::values::{is_true, text_of, whole_number};

/// The maximum number of items of a file, including those that were not watched.
pub const MAX_ITEMS: usize = 20_000;

/// The maximum length of an item, in bytes. It bounds the memory of its values.
const MAX_ITEM_BYTES: usize = 100 * 1024;

/// The maximum length of the identifier that a server gives a series, in bytes.
const MAX_KEY_BYTES: usize = 100;

/// The maximum number of accounts that an error about a history names.
const MAX_ACCOUNTS: usize = 50;

const PLEX_XML: &str = "The file is an answer of Plex in XML. Ask Plex for JSON, with the header Accept: \
                        application/json.";
const NO_ITEMS: &str = "An answer of Jellyfin, Emby or Plex must have its items in the array Items, or in the array \
                        Metadata of MediaContainer.";
const TOO_MANY_ITEMS: &str = "The file has more than 20,000 entries. Split it into several files.";

/// The reason why a file cannot be read, as a sentence for the user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WatchedError(String);

impl WatchedError {
    fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }
}

/// The shape of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchedFormat {
    /// Jellyfin and Emby.
    Jellyfin,
    /// Plex.
    Plex,
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedFile {
    /// The shape of the first response.
    pub format: WatchedFormat,
    /// The episodes and movies that were watched, in the order of the file.
    pub items: Vec<WatchedItem>,
    /// The watched items that cannot be used, in the order of the file.
    pub skipped: Vec<SkippedItem>,
    /// The number of items that were not watched, or that are neither episodes nor movies nor series.
    pub left_out: usize,
}

/// An episode or a movie that was watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedItem {
    /// The position in the file, from 1.
    pub position: usize,
    /// The episode or the movie.
    pub video: Video,
    /// The time at which it was watched last, in milliseconds since the Unix epoch. It can be in the future.
    pub watched_at_ms: Option<u64>,
}

/// A watched item that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedItem {
    /// The position in the file, from 1.
    pub position: usize,
    /// The title of the series or the movie, if the item has one.
    pub title: Option<String>,
    /// The reason: a sentence that begins without a capital letter and ends without a full stop.
    pub reason: &'static str,
}

/// A response of a server. Other files have neither of the two fields.
#[derive(Deserialize)]
struct ServerResponse<'f> {
    #[serde(borrow, default, rename = "Items")]
    items: Option<&'f RawValue>,
    #[serde(borrow, default, rename = "MediaContainer")]
    container: Option<&'f RawValue>,
}

/// Plex leaves the array out if it is empty.
#[derive(Deserialize)]
struct PlexContainer<'f> {
    #[serde(borrow, default, rename = "Metadata")]
    metadata: Option<RawItems<'f>>,
}

/// The first elements of an array, not parsed yet: one more than [`MAX_ITEMS`] if there are more.
#[derive(Default)]
struct RawItems<'f>(Vec<&'f RawValue>);

impl<'de: 'f, 'f> Deserialize<'de> for RawItems<'f> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(RawItemsVisitor)
    }
}

struct RawItemsVisitor;

impl<'de> Visitor<'de> for RawItemsVisitor {
    type Value = RawItems<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Self::Value, A::Error> {
        let mut elements = Vec::new();
        while elements.len() <= MAX_ITEMS {
            match array.next_element()? {
                Some(element) => elements.push(element),
                None => return Ok(RawItems(elements)),
            }
        }
        while array.next_element::<IgnoredAny>()?.is_some() {}
        Ok(RawItems(elements))
    }
}

/// Reads a file with responses of Jellyfin, Emby or Plex. It can have several, one after another, as curl writes them
/// for several addresses. Returns `None` for any other file. Stops with an error once `is_cancelled` returns true.
///
/// In a history of Plex, only what `account` has watched counts. It is required for a history of several accounts.
///
/// # Errors
/// If the file has such a response but is incomplete, is XML, has more than [`MAX_ITEMS`] items or has another field in
/// their place. If a history has several accounts, and `account` is absent or is not one of them: the error then names
/// the accounts. If the reading was cancelled.
pub fn read(
    text: &str,
    account: Option<u64>,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Option<WatchedFile>, WatchedError> {
    let text = text.trim_start();
    if is_plex_xml(text) {
        return Err(WatchedError::new(PLEX_XML));
    }
    // This function parses only files with such a field, so that list files are not parsed twice.
    let has = |name: &str| memmem::find(text.as_bytes(), name.as_bytes()).is_some();
    if !text.starts_with('{') || !(has("\"Items\"") || has("\"MediaContainer\"")) {
        return Ok(None);
    }
    let mut reader: Option<WatchedItemsReader> = None;
    for response in serde_json::Deserializer::from_str(text).into_iter::<ServerResponse>() {
        let response = response.map_err(|error| invalid_json(&error))?;
        let (format, elements) = match (response.items, response.container) {
            (Some(items), _) => (WatchedFormat::Jellyfin, parse_items::<RawItems>(items)?),
            (None, Some(container)) => {
                let container: PlexContainer = parse_items(container)?;
                (WatchedFormat::Plex, container.metadata.unwrap_or_default())
            }
            (None, None) if reader.is_none() => return Ok(None),
            (None, None) => return Err(WatchedError::new(NO_ITEMS)),
        };
        let reader = reader.get_or_insert_with(|| WatchedItemsReader::new(format, account));
        for element in elements.0 {
            if is_cancelled() {
                return Err(WatchedError::new("The import was cancelled."));
            }
            reader.add(format, element)?;
        }
    }
    reader.map(WatchedItemsReader::finish).transpose()
}

/// Returns true for XML whose root element is that of Plex.
fn is_plex_xml(text: &str) -> bool {
    let declaration = text.strip_prefix("<?xml");
    let after = declaration.and_then(|rest| rest.split_once("?>"));
    let root = after.map_or(text, |(_, root)| root.trim_start());
    root.starts_with("<MediaContainer")
}

fn parse_items<'f, T: Deserialize<'f>>(part: &'f RawValue) -> Result<T, WatchedError> {
    serde_json::from_str(part.get()).map_err(|_| WatchedError::new(NO_ITEMS))
}

fn invalid_json(error: &serde_json::Error) -> WatchedError {
    if error.is_data() {
        return WatchedError::new(NO_ITEMS);
    }
    let (line, column) = (error.line(), error.column());
    WatchedError::new(format!(
        "The JSON is invalid or ends too early at line {line}, column {column}."
    ))
}

struct WatchedItemsReader {
    /// The account whose history counts.
    account: Option<u64>,
    /// The accounts of the history, the first [`MAX_ACCOUNTS`].
    accounts: BTreeSet<u64>,
    position: usize,
    file: WatchedFile,
    /// The identifier of each item's series at the server; `None` for a movie.
    series_keys: Vec<Option<String>>,
    /// The series of the file by their identifiers at the server. A series can come after its episodes.
    series: HashMap<String, SeriesFacts>,
}

impl WatchedItemsReader {
    fn new(format: WatchedFormat, account: Option<u64>) -> Self {
        Self {
            account,
            accounts: BTreeSet::new(),
            position: 0,
            file: WatchedFile {
                format,
                items: Vec::new(),
                skipped: Vec::new(),
                left_out: 0,
            },
            series_keys: Vec::new(),
            series: HashMap::new(),
        }
    }

    fn add(&mut self, format: WatchedFormat, element: &RawValue) -> Result<(), WatchedError> {
        self.position += 1;
        if self.position > MAX_ITEMS {
            return Err(WatchedError::new(TOO_MANY_ITEMS));
        }
        if element.get().len() > MAX_ITEM_BYTES {
            self.skip(None, "is longer than 100 KB");
            return Ok(());
        }
        match serde_json::from_str::<Value>(element.get()) {
            Ok(item) if item.is_object() => match format {
                WatchedFormat::Jellyfin => self.add_jellyfin(&item),
                WatchedFormat::Plex => self.add_plex(&item),
            },
            // Such values include objects that are nested more than 127 levels deep.
            _ => self.skip(None, "is not a valid JSON object"),
        }
        Ok(())
    }

    fn add_jellyfin(&mut self, item: &Value) {
        if item["Type"] == "Series" {
            if let Some(key) = series_key(&item["Id"]) {
                self.series.insert(key, SeriesFacts::of_emby(item));
            }
            return;
        }
        let data = &item["UserData"];
        if !is_true(&data["Played"]) {
            self.file.left_out += 1;
            return;
        }
        let title = text_of(&item["SeriesName"]).or_else(|| text_of(&item["Name"]));
        let subject = read_emby_item(item, &Value::Null);
        let watched_at_ms = time_of(&data["LastPlayedDate"]);
        self.add_watched(subject, watched_at_ms, title, &item["SeriesId"]);
    }

    fn add_plex(&mut self, item: &Value) {
        if item["type"] == "show" {
            if let Some(key) = series_key(&item["ratingKey"]) {
                self.series.insert(key, SeriesFacts::of_plex(item));
            }
            return;
        }
        // The history has a time for each item, and no counts.
        let viewed_at = time_of(&item["viewedAt"]);
        let has_views = whole_number(&item["viewCount"]).is_some_and(|count| count > 0);
        if !has_views && viewed_at.is_none() {
            self.file.left_out += 1;
            return;
        }
        // A history has the views of all accounts of the server. The list of a library has those of one account.
        if let Some(account) = whole_number(&item["accountID"]) {
            let is_wanted = self.account.is_none_or(|wanted| wanted == account);
            if self.accounts.len() < MAX_ACCOUNTS || self.account == Some(account) {
                self.accounts.insert(account);
            }
            if !is_wanted {
                self.file.left_out += 1;
                return;
            }
        }
        let watched_at_ms = viewed_at.or_else(|| time_of(&item["lastViewedAt"]));
        let title = text_of(&item["grandparentTitle"]).or_else(|| text_of(&item["title"]));
        let subject = read_plex_item(item);
        let series = &item["grandparentRatingKey"];
        self.add_watched(subject, watched_at_ms, title, series);
    }

    /// Adds a watched item. `title` is for the report about an item that cannot be used.
    fn add_watched(
        &mut self,
        subject: Subject,
        watched_at_ms: Option<u64>,
        title: Option<String>,
        series: &Value,
    ) {
        match subject {
            Subject::Video(video) => {
                self.series_keys
                    .push(series_key(series).filter(|_| !video.is_movie));
                self.file.items.push(WatchedItem {
                    position: self.position,
                    video,
                    watched_at_ms,
                });
            }
            Subject::Unusable(field) => {
                let reason = match field {
                    "season" => "season is missing or wrong",
                    "episode" => "episode is missing or wrong",
                    _ => "title is missing or wrong",
                };
                self.skip(title, reason);
            }
            // Only messages mark a season as a whole.
            Subject::Whole(_) | Subject::NotAnEpisode(_) => self.file.left_out += 1,
        }
    }

    fn skip(&mut self, title: Option<String>, reason: &'static str) {
        self.file.skipped.push(SkippedItem {
            position: self.position,
            title,
            reason,
        });
    }

    fn finish(mut self) -> Result<WatchedFile, WatchedError> {
        self.check_accounts()?;
        for (item, key) in self.file.items.iter_mut().zip(&self.series_keys) {
            let known = key.as_ref().and_then(|key| self.series.get(key));
            if let Some(facts) = known {
                facts.add_to(&mut item.video);
            }
        }
        Ok(self.file)
    }

    /// Refuses a history of several accounts, unless the caller has chosen one of them.
    fn check_accounts(&self) -> Result<(), WatchedError> {
        let names: Vec<String> = self.accounts.iter().map(u64::to_string).collect();
        let names = names.join(", ");
        match self.account {
            None if self.accounts.len() > 1 => Err(WatchedError::new(format!(
                "The history of Plex has several accounts: \"{names}\". Choose one of them with the parameter account."
            ))),
            Some(account) if !self.accounts.is_empty() && !self.accounts.contains(&account) => {
                Err(WatchedError::new(format!(
                    "The history of Plex has no account {account}, but these: \"{names}\"."
                )))
            }
            _ => Ok(()),
        }
    }
}

/// Returns the identifier of a series at its server: a text, or a number in some versions of Plex.
fn series_key(value: &Value) -> Option<String> {
    let key = match value {
        Value::String(key) => key.clone(),
        Value::Number(key) => key.to_string(),
        _ => return None,
    };
    (1..=MAX_KEY_BYTES).contains(&key.len()).then_some(key)
}
