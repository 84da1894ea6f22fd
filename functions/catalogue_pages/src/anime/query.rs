//! The query of the page `/anime`: the filters of `GET /v1/anime`, and the number of the page.

use catalogue::index::{AnimeFilter, NameFilter, SongFilter};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use shared::FieldErrors;
use shared::input::{MAX_SAFE_INTEGER, PageRequest, PageStart, Params, QueryString};

/// The number of anime on a page.
const PER_PAGE: usize = 48;

/// The name of the parameter that includes anime for adults. Without it, they are left out.
pub(super) const ADULT_PARAMETER: &str = "adult";

/// The filters and the page that the visitor wants.
pub(super) struct BrowseQuery {
    /// The filters.
    pub filter: AnimeFilter,
    /// The text of the search as it was typed.
    pub search: String,
    /// The number of the page, from 1.
    pub page: usize,
    /// The errors of invalid parameters.
    pub field_errors: FieldErrors,
    /// All parameters except `page` and the empty ones, still encoded.
    parameters: String,
}

impl BrowseQuery {
    /// Reads the query. Empty values are dropped, because a form sends an empty value for each field that the
    /// visitor leaves empty.
    pub(super) fn read(query: &str) -> Self {
        let is_filled = |pair: &&str| {
            pair.split_once('=')
                .is_some_and(|(_, value)| !value.is_empty())
        };
        let filled: Vec<&str> = query.split('&').filter(is_filled).collect();
        let mut params = Params::parse(&filled.join("&"));
        let mut filter = AnimeFilter::read(&mut params);
        let with_adult: bool = params.read(ADULT_PARAMETER);
        filter.exclude_nsfw |= !with_adult;
        let search = params.token("search").unwrap_or_default();
        let page = params.setting("page", 1..=MAX_SAFE_INTEGER);
        let page = page
            .and_then(|page| usize::try_from(page).ok())
            .unwrap_or(1);
        let field_errors = match params.finish() {
            Err(shared::Error::Invalid(field_errors)) => field_errors,
            _ => FieldErrors::new(),
        };
        let parameters = filled.iter().filter(|pair| !pair.starts_with("page="));
        Self {
            filter,
            search,
            page,
            field_errors,
            parameters: parameters.copied().collect::<Vec<_>>().join("&"),
        }
    }

    /// Returns the page of the list that the visitor wants.
    pub(super) fn page_request(&self) -> PageRequest {
        PageRequest {
            per_page: PER_PAGE,
            start: PageStart::Page(self.page as u64),
        }
    }

    /// Returns the filter for the songs below the anime. They are on the first page of a search only.
    pub(super) fn song_filter(&self) -> Option<SongFilter> {
        let search = self.filter.search.clone().filter(|_| self.page == 1)?;
        self.field_errors.is_empty().then(|| SongFilter {
            search: Some(search),
            ..SongFilter::default()
        })
    }

    /// Returns the number of the last page of a list with this number of anime.
    pub(super) fn last_page(total: usize) -> usize {
        total.div_ceil(PER_PAGE).max(1)
    }

    /// Returns the query of another page with the same filters.
    pub(super) fn query_of_page(&self, page: usize) -> String {
        let parameters = &self.parameters;
        match (parameters.is_empty(), page) {
            (true, 1) => "?".to_owned(),
            (false, 1) => format!("?{parameters}"),
            (true, page) => format!("?page={page}"),
            (false, page) => format!("?{parameters}&page={page}"),
        }
    }

    /// Returns the query of the first page without one of the names in a parameter, such as a studio.
    pub(super) fn query_without(
        &self,
        parameter: &str,
        names: &[NameFilter],
        position: usize,
    ) -> String {
        let others = self.parameters.split('&').filter(|pair| !pair.is_empty());
        let others = others.filter(|pair| pair.split('=').next() != Some(parameter));
        let mut pairs: Vec<String> = others.map(str::to_owned).collect();
        for (other, name) in names.iter().enumerate() {
            if other != position {
                let name = utf8_percent_encode(name.name(), NON_ALPHANUMERIC);
                pairs.push(format!("{parameter}={name}"));
            }
        }
        format!("?{}", pairs.join("&"))
    }

    /// Returns true if a filter besides the search is set.
    pub(super) fn has_filters(&self) -> bool {
        let mut others = self.filter.clone();
        // Adult anime are left out by default, so including them also counts as a filter.
        let has_adult = !others.exclude_nsfw;
        others.search = None;
        others.exclude_nsfw = false;
        has_adult || others != AnimeFilter::default()
    }
}

#[cfg(test)]
mod tests {
    use shared::models::AnimeStatus;

    use super::BrowseQuery;

    #[test]
    fn empty_fields_are_not_filters() {
        let query = BrowseQuery::read("search=&formats=&status=0&year=&genres=&page=3");
        assert_eq!(query.filter.status, Some(AnimeStatus::Finished));
        assert!(query.field_errors.is_empty() && query.has_filters());
        assert_eq!(query.query_of_page(1), "?status=0");
        assert_eq!(query.query_of_page(2), "?status=0&page=2");
        assert_eq!(query.page, 3);
        let query = BrowseQuery::read("search=a%20b");
        assert_eq!((query.search.as_str(), query.has_filters()), ("a b", false));
        assert_eq!(BrowseQuery::read("").query_of_page(1), "?");
    }

    #[test]
    fn one_of_several_names_is_removed() {
        let query =
            BrowseQuery::read("search=a&studios=J.C.Staff,feel.&tags=x&studios=b%20c&page=2");
        let without = |position| query.query_without("studios", &query.filter.studios, position);
        assert_eq!(without(0), "?search=a&tags=x&studios=feel%2E&studios=b%20c");
        assert_eq!(
            without(2),
            "?search=a&tags=x&studios=J%2EC%2EStaff&studios=feel%2E"
        );
        let query = BrowseQuery::read("tags=x");
        assert_eq!(query.query_without("tags", &query.filter.tags, 0), "?");
    }

    #[test]
    fn adult_titles_are_left_out_unless_wanted() {
        let leaves_out = |query| BrowseQuery::read(query).filter.exclude_nsfw;
        assert!(leaves_out(""));
        assert!(!leaves_out("adult=true"));
        // `nsfw=true` excludes adult titles.
        assert!(leaves_out("adult=true&nsfw=true"));
    }

    #[test]
    fn field_errors_are_reported() {
        let query = BrowseQuery::read("year=abc&season=9&page=0&search=!");
        let names: Vec<_> = query.field_errors.keys().copied().collect();
        assert_eq!(names, ["page", "search", "season", "year"]);
        assert_eq!(query.page, 1);
    }
}
