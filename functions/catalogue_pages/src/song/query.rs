//! The query of the page `/song`: a text to search for, an artist, and the number of the page.

use catalogue::index::SongFilter;
use pages::paths::SONG;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use shared::FieldErrors;
use shared::input::{MAX_SAFE_INTEGER, PageRequest, PageStart, Params};

/// The number of songs on a page.
const PER_PAGE: usize = 48;

/// The songs and the page that the visitor wants.
pub(super) struct SongQuery {
    pub filter: SongFilter,
    /// The text of the search as it was typed.
    pub search: String,
    /// The artist as the link or the visitor has written it.
    pub artist: String,
    /// The number of the page, from 1.
    pub page: usize,
    /// The errors of invalid parameters, which are ignored.
    pub field_errors: FieldErrors,
}

impl SongQuery {
    /// Reads the query. Empty values are not filters, because the form sends the field also if it is empty.
    pub(super) fn read(query: &str) -> Self {
        let is_filled = |pair: &&str| !pair.ends_with('=');
        let filled: Vec<&str> = query.split('&').filter(is_filled).collect();
        let mut params = Params::parse(&filled.join("&"));
        let filter = SongFilter {
            search: params.read("search"),
            artist: params.read("artist"),
            ..SongFilter::default()
        };
        let search = params.token("search").unwrap_or_default();
        let artist = params.token("artist").unwrap_or_default();
        let page = params.setting("page", 1..=MAX_SAFE_INTEGER);
        let page = page.and_then(|page| usize::try_from(page).ok());
        let mut field_errors = match params.finish() {
            Err(shared::Error::Invalid(field_errors)) => field_errors,
            _ => FieldErrors::new(),
        };
        // The first page takes the place of a page that cannot exist.
        field_errors.remove("page");
        // The links to other pages do not repeat a value that is ignored.
        let valid =
            |name: &str, value: String| Some(value).filter(|_| !field_errors.contains_key(name));
        Self {
            filter,
            search: valid("search", search).unwrap_or_default(),
            artist: valid("artist", artist).unwrap_or_default(),
            page: page.unwrap_or(1),
            field_errors,
        }
    }

    /// Returns the page of the list with this number.
    pub(super) fn page_request(page: usize) -> PageRequest {
        PageRequest {
            per_page: PER_PAGE,
            start: PageStart::Page(page as u64),
        }
    }

    /// Returns the number of the last page of a list with this number of songs.
    pub(super) fn last_page(total: usize) -> usize {
        total.div_ceil(PER_PAGE).max(1)
    }

    /// Returns the path and query of another page of the same list.
    pub(super) fn path_of_page(&self, page: usize) -> String {
        let page = (page > 1).then(|| page.to_string());
        let parameters = [
            ("search", self.search.as_str()),
            ("artist", self.artist.as_str()),
            ("page", page.as_deref().unwrap_or_default()),
        ];
        path(&parameters)
    }
}

/// Returns the path and query of the songs that a search finds.
pub(crate) fn path_of_search(search: &str) -> String {
    path(&[("search", search)])
}

/// Returns the path and query of the songs of an artist.
pub(crate) fn path_of_artist(artist: &str) -> String {
    path(&[("artist", artist)])
}

/// Returns the path of the list with these parameters, except the empty ones.
fn path(parameters: &[(&str, &str)]) -> String {
    let filled = parameters.iter().filter(|(_, value)| !value.is_empty());
    let pair = |(name, value): &(&str, &str)| {
        format!("{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC))
    };
    let pairs: Vec<String> = filled.map(pair).collect();
    if pairs.is_empty() {
        SONG.to_owned()
    } else {
        format!("{SONG}?{}", pairs.join("&"))
    }
}

#[cfg(test)]
mod tests {
    use super::{SongQuery, path_of_artist};

    #[test]
    fn pages_keep_the_text_and_the_artist() {
        let query = SongQuery::read("search=a%20b&artist=%E6%A2%B6&page=3&year=1998");
        assert!(query.field_errors.is_empty());
        assert_eq!((query.search.as_str(), query.page), ("a b", 3));
        let first = "/song?search=a%20b&artist=%E6%A2%B6";
        assert_eq!(query.path_of_page(1), first);
        assert_eq!(query.path_of_page(2), format!("{first}&page=2"));
        assert_eq!(SongQuery::read("search=&page=1").path_of_page(1), "/song");
        assert_eq!(path_of_artist("A & B"), "/song?artist=A%20%26%20B");
    }

    #[test]
    fn invalid_parameters_are_reported_and_ignored() {
        let long = "x".repeat(501);
        let query = SongQuery::read(&format!("search=!&artist={long}&page=0"));
        let names: Vec<_> = query.field_errors.keys().copied().collect();
        assert_eq!(names, ["artist", "search"]);
        assert_eq!(query.path_of_page(1), "/song");
        assert_eq!(query.page, 1);
    }
}
