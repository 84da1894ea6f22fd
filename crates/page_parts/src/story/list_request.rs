//! The query of the page `/list`: which entries it shows, how, and in which order.

use std::fmt::Write;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use shared::input::{MAX_PATTERN, Params};
use shared::models::{AnimeFormat, AnimeId, Season, WatchStatus, WireEnum};
use shared::value_names;
pub use stories::lists::ListOrder as SortOrder;

/// The parameter for the view of the entries.
pub const VIEW: &str = "view";

/// The parameter that shows the check boxes and the bar for selected entries.
const SELECT: &str = "select";

/// The value of the parameter `status` for all entries.
const ALL: &str = "all";

/// The maximum length of a score in a query, in characters.
const MAX_SCORE: usize = 8;

value_names! {
    /// The view of the entries.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum ListView {
        /// A row for each entry, with its cover.
        #[default]
        Rows = "rows",
        /// A line for each entry, without its cover.
        Compact = "compact",
        /// The covers.
        Covers = "covers",
    }
}

/// The request for a page of the list. Its query is canonical: values that the page does not know are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListRequest {
    /// Only entries with this status; `None` for all entries.
    pub status: Option<WatchStatus>,
    /// True if the address asks for all entries. A plain address does not: it opens with the entries that the user is
    /// watching.
    pub is_all: bool,
    /// Only entries whose anime the search for this text finds. Empty for all entries.
    pub text: String,
    /// Only entries whose anime has this genre. Empty for all entries.
    pub genre: String,
    /// Only entries whose anime has this format.
    pub format: Option<AnimeFormat>,
    /// Only entries whose anime is of this year.
    pub year: Option<u16>,
    /// Only entries whose anime is of this season.
    pub season: Option<Season>,
    /// Only entries with this score or a higher one, on the scale of the user. Empty for all entries.
    pub score: String,
    /// The order.
    pub sort: SortOrder,
    /// True if the order is the opposite one.
    pub is_reversed: bool,
    /// The view; `None` for the one that was chosen last.
    pub view: Option<ListView>,
    /// True if entries are being selected.
    pub is_selecting: bool,
    /// The number of the page, from 1.
    pub page: usize,
    /// The anime of the entry that is shown as a form.
    pub edited: Option<AnimeId>,
}

impl Default for ListRequest {
    fn default() -> Self {
        Self {
            status: None,
            is_all: false,
            text: String::new(),
            genre: String::new(),
            format: None,
            year: None,
            season: None,
            score: String::new(),
            sort: SortOrder::default(),
            is_reversed: false,
            view: None,
            is_selecting: false,
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
        let asked_sort = sort.and_then(|name| SortOrder::from_name(&name));
        let sort = asked_sort.unwrap_or_default();
        let page = params.setting("page", 1..=u64::from(u32::MAX));
        let edited = params.setting("edit", 1..=AnimeId::MAX);
        let year = params.setting("year", 1900..=9999);
        let view = params.token(VIEW);
        let score = params.token("score").unwrap_or_default();
        let status = params.token("status");
        let is_all = status.as_deref() == Some(ALL);
        let mut request = Self {
            status: wire_value(status),
            is_all,
            text: params.token("search").map(text).unwrap_or_default(),
            genre: params.token("genre").map(text).unwrap_or_default(),
            format: wire_value(params.token("format")),
            year: year.and_then(|year| u16::try_from(year).ok()),
            season: wire_value(params.token("season")),
            score: score.trim().chars().take(MAX_SCORE).collect(),
            sort,
            is_reversed: params.token("order").as_deref() == Some(reversed_order(sort)),
            view: view.and_then(|name| ListView::from_name(&name)),
            is_selecting: params.token(SELECT).is_some(),
            page: page
                .and_then(|page| usize::try_from(page).ok())
                .unwrap_or(1),
            edited: edited.and_then(AnimeId::new),
        };
        // Addresses with other parameters have always meant all entries.
        let is_plain = asked_sort.is_none() && request.is_plain();
        request.is_all |= request.status.is_none() && !is_plain;
        request
    }

    /// Returns true if the address has no parameter, apart from the status and the view.
    fn is_plain(&self) -> bool {
        let is_sorted = self.sort != SortOrder::default() || self.is_reversed;
        let is_placed = self.page > 1 || self.edited.is_some() || self.is_selecting;
        !is_sorted && !is_placed && !self.has_filter()
    }

    /// Returns true if the address leaves open which entries to show.
    pub fn is_open(&self) -> bool {
        self.status.is_none() && !self.is_all
    }

    /// Returns the address of the page, with `?` and the query if it has any.
    pub fn address(&self, path: &str) -> String {
        let mut address = path.to_owned();
        for (name, value) in self.parameters() {
            let separator = if address.contains('?') { '&' } else { '?' };
            let value = utf8_percent_encode(&value, NON_ALPHANUMERIC);
            // Writing to a String cannot fail.
            let _ = write!(address, "{separator}{name}={value}");
        }
        address
    }

    /// Returns the parameters of the address, as names and values.
    pub fn parameters(&self) -> Vec<(&'static str, String)> {
        let number = |value: u8| value.to_string();
        let status = self.status.map(|status| number(status.into()));
        let is_all = self.is_all && self.status.is_none() && self.is_plain();
        let text = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        let sort = (self.sort != SortOrder::default()).then(|| self.sort.name());
        let order = self.is_reversed.then(|| reversed_order(self.sort));
        let view = self.view.filter(|view| *view != ListView::Rows);
        let all = [
            ("status", status.or(is_all.then(|| ALL.to_owned()))),
            ("search", text(&self.text)),
            ("genre", text(&self.genre)),
            ("format", self.format.map(|format| number(format.into()))),
            ("year", self.year.map(|year| year.to_string())),
            ("season", self.season.map(|season| number(season.into()))),
            ("score", text(&self.score)),
            ("sort", sort.map(str::to_owned)),
            ("order", order.map(str::to_owned)),
            (VIEW, view.map(|view| view.name().to_owned())),
            (SELECT, self.is_selecting.then(|| "1".to_owned())),
            ("page", (self.page > 1).then(|| self.page.to_string())),
            ("edit", self.edited.map(|edited| edited.get().to_string())),
        ];
        let present = all.into_iter();
        present
            .filter_map(|(name, value)| Some((name, value?)))
            .collect()
    }

    /// Returns the request for the first page of the entries with this status, or of all entries if it is `None`.
    #[must_use]
    pub fn with_status(&self, status: Option<WatchStatus>) -> Self {
        Self {
            status,
            is_all: status.is_none(),
            ..self.with_page(1)
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

    /// Returns the request for the first page in this order. If the entries have this order already, the order is
    /// reversed.
    #[must_use]
    pub fn with_sort(&self, sort: SortOrder) -> Self {
        Self {
            sort,
            is_reversed: sort == self.sort && !self.is_reversed,
            ..self.with_page(1)
        }
    }

    /// Returns the request for the same page in this view.
    #[must_use]
    pub fn with_view(&self, view: ListView) -> Self {
        Self {
            view: Some(view),
            edited: None,
            ..self.clone()
        }
    }

    /// Returns the request for the same page, with or without the check boxes of the selection.
    #[must_use]
    pub fn with_selection(&self, is_selecting: bool) -> Self {
        Self {
            is_selecting,
            edited: None,
            ..self.clone()
        }
    }

    /// Returns the request for the first page of all entries with the same status that the search finds.
    #[must_use]
    pub fn without_filter(&self) -> Self {
        Self {
            status: self.status,
            is_all: self.is_all,
            text: self.text.clone(),
            sort: self.sort,
            is_reversed: self.is_reversed,
            view: self.view,
            is_selecting: self.is_selecting,
            ..Self::default()
        }
    }

    /// Returns true if the entries are filtered by more than their status and a search.
    pub fn is_narrowed(&self) -> bool {
        let has_release = self.format.is_some() || self.year.is_some() || self.season.is_some();
        has_release || !self.genre.is_empty() || !self.score.is_empty()
    }

    /// Returns true if the entries are filtered by more than their status.
    pub fn has_filter(&self) -> bool {
        self.is_narrowed() || !self.text.is_empty()
    }
}

/// Returns the value of the parameter `order` for the reversed order: titles ascend by default, and all others descend.
fn reversed_order(sort: SortOrder) -> &'static str {
    if sort == SortOrder::Title {
        "desc"
    } else {
        "asc"
    }
}

fn wire_value<T: WireEnum>(text: Option<String>) -> Option<T> {
    T::from_wire(text?.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use shared::models::{AnimeFormat, Season, WatchStatus};

    use super::{ListRequest, ListView, SortOrder};

    #[test]
    fn query_is_read_and_written() {
        let query = "status=1&search=cowboy%20bebop&genre=Sci%2DFi&format=2&year=1998&season=1&score=8%2C5&sort=score\
                     &order=asc&view=compact&select=1&page=3&edit=2";
        let request = ListRequest::read(query);
        assert_eq!(request.status, Some(WatchStatus::Planning));
        assert_eq!(
            (&*request.text, &*request.genre),
            ("cowboy bebop", "Sci-Fi")
        );
        assert_eq!((request.sort, request.page), (SortOrder::Score, 3));
        assert_eq!(request.format, Some(AnimeFormat::Movie));
        let release = (request.year, request.season);
        assert_eq!(release, (Some(1998), Some(Season::Spring)));
        assert_eq!(&*request.score, "8,5");
        assert!(request.is_reversed && request.is_selecting);
        assert_eq!(request.view, Some(ListView::Compact));
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
            "format=7&season=x&year=12&order=desc",
            "order=asc&sort=title",
        ] {
            let request = ListRequest::read(query);
            assert!(!request.is_reversed, "{query}");
            assert_eq!(request.page, 1, "{query}");
            assert!(request.status.is_none() && !request.has_filter(), "{query}");
            assert_eq!(request.view, None, "{query}");
        }
        assert_eq!(ListRequest::read("page=99999").page, 99_999);
        let long = ListRequest::read(&format!("search={}", "a".repeat(501)));
        assert_eq!(long.text.len(), 500);
    }

    #[test]
    fn plain_address_leaves_the_status_open() {
        for query in ["", "view=compact", "done=next&of=21", "status=9"] {
            assert!(ListRequest::read(query).is_open(), "{query}");
        }
        for query in [
            "status=all",
            "status=0",
            "sort=title",
            "sort=changed",
            "search=a",
            "page=2",
            "edit=21",
            "year=1998",
        ] {
            assert!(!ListRequest::read(query).is_open(), "{query}");
        }
        // Other pages of the same list stay pages of all entries.
        let second = ListRequest::read("page=2");
        assert_eq!(second.address("/list"), "/list?page=2");
        assert_eq!(second.with_page(1).address("/list"), "/list?status=all");
        let all = ListRequest::read("sort=title").with_sort(SortOrder::Changed);
        assert_eq!(all.address("/list"), "/list?status=all");
    }

    #[test]
    fn order_is_reversed_by_its_own_link() {
        let titles = ListRequest::read("sort=title");
        let reversed = titles.with_sort(SortOrder::Title);
        assert_eq!(reversed.address("/list"), "/list?sort=title&order=desc");
        assert_eq!(reversed.with_sort(SortOrder::Title), titles);
        let scores = reversed.with_sort(SortOrder::Score);
        assert_eq!(scores.address("/list"), "/list?sort=score");
    }

    #[test]
    fn text_cannot_leave_its_parameter() {
        let request = ListRequest {
            text: "a&edit=2#\"'<b>\\\r\n界".to_owned(),
            is_all: true,
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
