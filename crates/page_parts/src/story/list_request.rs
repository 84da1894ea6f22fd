//! The query of the page `/list`: which entries it shows, and in which order.

use std::fmt::Write;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use shared::input::{MAX_PATTERN, Params};
use shared::models::{AnimeId, WatchStatus};
pub use stories::lists::ListOrder as SortOrder;

/// The parameter for the view of the entries.
pub const VIEW: &str = "view";
/// The value of [`VIEW`] for the compact view.
pub const COMPACT: &str = "compact";

/// The request for a page of the list. Its query is canonical: values that the page does not know are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListRequest {
    /// Only entries with this status; `None` for all entries.
    pub status: Option<WatchStatus>,
    /// Only entries whose anime the search for this text finds. Empty for all entries.
    pub text: String,
    /// Only entries whose anime has this genre. Empty for all entries.
    pub genre: String,
    /// The order.
    pub sort: SortOrder,
    /// True if each entry has one line, without its cover.
    pub is_compact: bool,
    /// The number of the page, from 1.
    pub page: usize,
    /// The anime of the entry that is shown as a form.
    pub edited: Option<AnimeId>,
}

impl Default for ListRequest {
    fn default() -> Self {
        Self {
            status: None,
            text: String::new(),
            genre: String::new(),
            sort: SortOrder::default(),
            is_compact: false,
            page: 1,
            edited: None,
        }
    }
}

impl ListRequest {
    /// Reads a query. Invalid values count as absent, because the rest of the page is useful without them.
    pub fn read(query: &str) -> Self {
        let mut params = Params::parse(query);
        let text = |text: String| -> String { text.trim().chars().take(MAX_PATTERN).collect() };
        let sort = params.token("sort");
        let sort = sort.and_then(|name| SortOrder::from_name(&name));
        let page = params.setting("page", 1..=u64::from(u16::MAX));
        let edited = params.setting("edit", 1..=AnimeId::MAX);
        Self {
            status: params.read("status"),
            text: params.token("search").map(text).unwrap_or_default(),
            genre: params.token("genre").map(text).unwrap_or_default(),
            sort: sort.unwrap_or_default(),
            is_compact: params.token(VIEW).as_deref() == Some(COMPACT),
            page: page
                .and_then(|page| usize::try_from(page).ok())
                .unwrap_or(1),
            edited: edited.and_then(AnimeId::new),
        }
    }

    /// Returns the address of the page, with `?` and the query if it has any.
    pub fn address(&self, path: &str) -> String {
        let mut address = path.to_owned();
        let mut add = |name: &str, value: &str| {
            let separator = if address.contains('?') { '&' } else { '?' };
            let value = utf8_percent_encode(value, NON_ALPHANUMERIC);
            // Writing to a String cannot fail.
            let _ = write!(address, "{separator}{name}={value}");
        };
        if let Some(status) = self.status {
            add("status", &u8::from(status).to_string());
        }
        for (name, value) in [("search", &self.text), ("genre", &self.genre)] {
            if !value.is_empty() {
                add(name, value);
            }
        }
        if self.sort != SortOrder::default() {
            add("sort", self.sort.name());
        }
        if self.is_compact {
            add(VIEW, COMPACT);
        }
        if self.page > 1 {
            add("page", &self.page.to_string());
        }
        if let Some(edited) = self.edited {
            add("edit", &edited.get().to_string());
        }
        address
    }

    /// Returns the request for the first page of the entries with this status, or of all entries if it is `None`.
    #[must_use]
    pub fn with_status(&self, status: Option<WatchStatus>) -> Self {
        Self {
            status,
            page: 1,
            edited: None,
            ..self.clone()
        }
    }

    /// Returns the request for a page.
    #[must_use]
    pub fn with_page(&self, page: usize) -> Self {
        Self {
            page,
            edited: None,
            ..self.clone()
        }
    }

    /// Returns the request for the same page, with the entry of this anime shown as a form, or with no form.
    #[must_use]
    pub fn with_edited(&self, edited: Option<AnimeId>) -> Self {
        Self {
            edited,
            ..self.clone()
        }
    }

    /// Returns the request for the first page of all entries with the same status.
    #[must_use]
    pub fn without_filter(&self) -> Self {
        Self {
            status: self.status,
            sort: self.sort,
            is_compact: self.is_compact,
            ..Self::default()
        }
    }

    /// Returns true if the entries are filtered by more than their status.
    pub fn has_filter(&self) -> bool {
        !self.text.is_empty() || !self.genre.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use shared::models::WatchStatus;

    use super::{ListRequest, SortOrder};

    #[test]
    fn query_is_read_and_written() {
        let query =
            "status=1&search=cowboy%20bebop&genre=Sci%2DFi&sort=score&view=compact&page=3&edit=2";
        let request = ListRequest::read(query);
        assert_eq!(request.status, Some(WatchStatus::Planning));
        assert_eq!(
            (&*request.text, &*request.genre),
            ("cowboy bebop", "Sci-Fi")
        );
        assert_eq!((request.sort, request.page), (SortOrder::Score, 3));
        assert!(request.is_compact);
        assert_eq!(request.address("/list"), format!("/list?{query}"));
        assert_eq!(ListRequest::default().address("/list"), "/list");
    }

    #[test]
    fn invalid_values_are_left_out() {
        for query in [
            "",
            "status=6&sort=x&page=0&edit=0",
            "status=a&sort=&page=-1&edit=x",
            "search=+&genre=&page=99999999999999999999&edit=33554432",
            "search=%ff&genre=%",
            "done=next&other=1",
            "view=",
            "view=Compact",
        ] {
            assert_eq!(ListRequest::read(query), ListRequest::default(), "{query}");
        }
        let long = ListRequest::read(&format!("search={}", "a".repeat(501)));
        assert_eq!(long.text.len(), 500);
    }

    #[test]
    fn text_cannot_leave_its_parameter() {
        let request = ListRequest {
            text: "a&edit=2#\"'<b>\\\r\n界".to_owned(),
            ..ListRequest::default()
        };
        let address = request.address("/list");
        let (_, query) = address.split_once('?').unwrap();
        assert!(
            query
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"%=".contains(&byte))
        );
        assert_eq!(ListRequest::read(query), request);
    }
}
