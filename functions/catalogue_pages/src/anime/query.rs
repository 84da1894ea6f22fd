//! The query of the page `/anime`: the filters of `GET /v1/anime`, those that only the page has, the order, and the
//! number of the page.

use catalogue::index::{AnimeFilter, GenrePattern, SongFilter};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use shared::input::{MAX_SAFE_INTEGER, PageRequest, PageStart, Params, QueryString};
use shared::models::Season;
use shared::{FieldErrors, value_names};

/// The number of anime on a page: whole rows of six or seven cards.
pub(super) const PER_PAGE: usize = 42;

/// The name of the parameter that includes anime for adults. Without it, they are left out.
pub(super) const ADULT_PARAMETER: &str = "adult";

/// The name of the parameter with the genres that are left out.
pub(super) const WITHOUT_PARAMETER: &str = "without";

/// The name of the parameter with the lowest score.
pub(super) const SCORE_PARAMETER: &str = "score";

/// The name of the parameter that leaves out the anime on the visitor's list.
pub(super) const UNLISTED_PARAMETER: &str = "unlisted";

/// The name of the parameter with the order.
pub(super) const SORT_PARAMETER: &str = "sort";

/// The maximum number of genres that are left out. Further ones are ignored.
const MAX_WITHOUT: usize = 30;

value_names! {
    /// The order of the anime.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(super) enum Sort {
        /// By relevance in a search, by format in a season, else by score.
        #[default]
        Best = "best",
        /// By score.
        Score = "score",
        /// By the number of users who have the anime on their list.
        Popularity = "popularity",
        /// By year and season, the latest first.
        Newest = "newest",
        /// By title.
        Title = "title",
        /// By the number of episodes, the highest first.
        Episodes = "episodes",
        /// By the visitor's own score.
        Mine = "mine",
    }
}

/// The filters and the page that the visitor wants.
pub(super) struct BrowseQuery {
    /// The filters of the API.
    pub filter: AnimeFilter,
    /// The names of the genres that are left out.
    pub without: Vec<String>,
    /// The lowest score, from 1 to 100.
    pub min_score: Option<u16>,
    /// True if the anime on the visitor's list are left out.
    pub unlisted: bool,
    /// The order.
    pub sort: Sort,
    /// The text of the search as it was typed.
    pub search: String,
    /// The number of the page, from 1.
    pub page: usize,
    /// The errors of invalid parameters, which are ignored.
    pub field_errors: FieldErrors,
    /// All parameters except `page`, those of a notice and the empty ones, still encoded.
    parameters: String,
}

impl BrowseQuery {
    /// Reads the query. Empty values are dropped, because a form sends an empty value for each field that the
    /// visitor leaves empty. Invalid parameters count as absent.
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
        let min_score = params.setting(SCORE_PARAMETER, 1..=100);
        let unlisted: bool = params.read(UNLISTED_PARAMETER);
        let sort = params.token(SORT_PARAMETER);
        let search = params.token("search").unwrap_or_default();
        let page = params.setting("page", 1..=MAX_SAFE_INTEGER);
        let page = page
            .and_then(|page| usize::try_from(page).ok())
            .unwrap_or(1);
        let without: Vec<GenrePattern> = params.read(WITHOUT_PARAMETER);
        let mut field_errors = match params.finish() {
            Err(shared::Error::Invalid(field_errors)) => field_errors,
            _ => FieldErrors::new(),
        };
        // The first page takes the place of a page that cannot exist.
        field_errors.remove("page");
        // The links to other pages have no notice about an earlier change of the visitor's list.
        let is_kept = |pair: &&&str| !["page", "done", "of"].contains(&name_of(pair));
        let parameters = filled.iter().filter(is_kept);
        Self {
            filter,
            without: without
                .into_iter()
                .map(|genre| genre.0)
                .take(MAX_WITHOUT)
                .collect(),
            min_score: min_score.and_then(|score| u16::try_from(score).ok()),
            unlisted,
            sort: sort
                .and_then(|sort| Sort::from_name(&sort))
                .unwrap_or_default(),
            search,
            page,
            field_errors,
            parameters: parameters.copied().collect::<Vec<_>>().join("&"),
        }
    }

    /// Returns the page of the list with this number.
    pub(super) fn page_request(page: usize) -> PageRequest {
        PageRequest {
            per_page: PER_PAGE,
            start: PageStart::Page(page as u64),
        }
    }

    /// Returns the filter for the songs below the anime. They are on the first page of a search only.
    pub(super) fn song_filter(&self) -> Option<SongFilter> {
        let search = self.filter.search.clone().filter(|_| self.page == 1)?;
        Some(SongFilter {
            search: Some(search),
            ..SongFilter::default()
        })
    }

    /// Returns the season and the year if the list has the anime of one season.
    pub(super) fn season(&self) -> Option<(Season, u16)> {
        let season = self
            .filter
            .season
            .filter(|season| *season != Season::Unknown);
        season.zip(self.filter.year)
    }

    /// Returns true if the anime of a season are in groups of one format each.
    pub(super) fn has_groups(&self) -> bool {
        self.sort == Sort::Best && self.season().is_some() && self.filter.search.is_none()
    }

    /// Returns true if the list depends on the visitor's account: on its list, or on the order of its languages.
    pub(super) fn needs_visitor(&self) -> bool {
        self.unlisted || self.needs_list() || self.sort == Sort::Title
    }

    /// Returns true if the list depends on the visitor's list.
    pub(super) fn needs_list(&self) -> bool {
        self.unlisted || self.sort == Sort::Mine
    }

    /// Returns true if an anime with this score, in hundredths, passes the filter.
    pub(super) fn accepts_score(&self, hundredths: u16) -> bool {
        self.min_score
            .is_none_or(|lowest| hundredths >= lowest * 100)
    }

    /// Returns true if a filter is set that only the page has.
    pub(super) fn has_own_filters(&self) -> bool {
        !self.without.is_empty() || self.min_score.is_some() || self.unlisted
    }

    /// Returns the number of the last page of a list with this number of anime.
    pub(super) fn last_page(total: usize) -> usize {
        total.div_ceil(PER_PAGE).max(1)
    }

    /// Returns the query of another page with the same filters.
    pub(super) fn query_of_page(&self, page: usize) -> String {
        let parameters = &self.parameters;
        match (parameters.is_empty(), page) {
            (true, 1) => String::new(),
            (false, 1) => format!("?{parameters}"),
            (true, page) => format!("?page={page}"),
            (false, page) => format!("?{parameters}&page={page}"),
        }
    }

    /// Returns the query of the first page in which this parameter has only these values.
    pub(super) fn query_with<'v>(
        &self,
        parameter: &str,
        values: impl IntoIterator<Item = &'v str>,
    ) -> String {
        let others = self.parameters.split('&');
        let others = others.filter(|pair| !pair.is_empty() && name_of(pair) != parameter);
        let mut pairs: Vec<String> = others.map(str::to_owned).collect();
        for value in values {
            let value = utf8_percent_encode(value, NON_ALPHANUMERIC);
            pairs.push(format!("{parameter}={value}"));
        }
        query_of(&pairs)
    }

    /// Returns the query of the first page of another season, with the same filters.
    pub(super) fn query_of_season(&self, (season, year): (Season, u16)) -> String {
        let others = self.parameters.split('&');
        let others = others.filter(|pair| !["", "season", "year"].contains(&name_of(pair)));
        let mut pairs = vec![
            format!("season={}", u8::from(season)),
            format!("year={year}"),
        ];
        pairs.extend(others.map(str::to_owned));
        query_of(&pairs)
    }

    /// Returns the query with the search alone, without any filter.
    pub(super) fn query_of_search(&self) -> String {
        let mut pairs = self.parameters.split('&');
        let search = pairs.find(|pair| name_of(pair) == "search");
        query_of(&search.map(str::to_owned).into_iter().collect::<Vec<_>>())
    }

    /// Returns true if a filter besides the search is set.
    pub(super) fn has_filters(&self) -> bool {
        let mut others = self.filter.clone();
        // Adult anime are left out by default, so including them also counts as a filter.
        let has_adult = !others.exclude_nsfw;
        others.search = None;
        others.exclude_nsfw = false;
        has_adult || self.has_own_filters() || others != AnimeFilter::default()
    }
}

/// Returns the name of an encoded parameter, without `[]`.
fn name_of(pair: &str) -> &str {
    let end = pair.find(['=', '[', '%']).unwrap_or(pair.len());
    &pair[..end]
}

/// Returns a query of these encoded parameters; empty if there are none.
fn query_of(pairs: &[String]) -> String {
    if pairs.is_empty() {
        String::new()
    } else {
        format!("?{}", pairs.join("&"))
    }
}

#[cfg(test)]
mod tests {
    use shared::models::{AnimeStatus, Season};

    use super::{BrowseQuery, Sort};

    #[test]
    fn empty_fields_are_not_filters() {
        let query =
            BrowseQuery::read("search=&formats=&status=0&year=&sort=&page=3&done=status&of=21");
        assert_eq!(query.filter.status, Some(AnimeStatus::Finished));
        assert!(query.field_errors.is_empty() && query.has_filters());
        assert_eq!(query.query_of_page(1), "?status=0");
        assert_eq!(query.query_of_page(2), "?status=0&page=2");
        assert_eq!((query.page, query.sort), (3, Sort::Best));
        let query = BrowseQuery::read("search=a%20b");
        assert_eq!((query.search.as_str(), query.has_filters()), ("a b", false));
        assert_eq!(BrowseQuery::read("").query_of_page(1), "");
    }

    #[test]
    fn one_of_several_values_is_removed() {
        let query =
            BrowseQuery::read("search=a&studios=J.C.Staff,feel.&tags=x&studios[]=b%20c&page=2");
        let kept = query.query_with("studios", ["feel.", "b c"]);
        assert_eq!(kept, "?search=a&tags=x&studios=feel%2E&studios=b%20c");
        let query = BrowseQuery::read("tags=x&page=2");
        assert_eq!(query.query_with("tags", []), "");
        assert_eq!(query.query_of_search(), "");
        let query = BrowseQuery::read("year=1998&search=a%20b&tags=x");
        assert_eq!(query.query_of_search(), "?search=a%20b");
    }

    #[test]
    fn other_season_has_the_same_filters() {
        let query = BrowseQuery::read("year=1998&formats=0&season=1&page=2&sort=title");
        assert_eq!(query.season(), Some((Season::Spring, 1998)));
        assert!(!query.has_groups(), "another order has no groups");
        let other = query.query_of_season((Season::Winter, 1999));
        assert_eq!(other, "?season=0&year=1999&formats=0&sort=title");
        assert_eq!(BrowseQuery::read("season=1").season(), None);
        assert!(BrowseQuery::read("season=1&year=1998").has_groups());
        assert!(!BrowseQuery::read("season=1&year=1998&search=a").has_groups());
    }

    #[test]
    fn filters_of_the_page_are_read() {
        let query = BrowseQuery::read("without=Ecchi,Horror&without=Isekai&score=75&unlisted=true");
        assert_eq!(query.without, ["Ecchi", "Horror", "Isekai"]);
        assert!(query.has_filters() && query.unlisted);
        let accepted = [7499, 7500].map(|score| query.accepts_score(score));
        assert_eq!(accepted, [false, true]);
        let all = BrowseQuery::read("");
        assert!(all.accepts_score(0) && !all.has_own_filters());
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
    fn invalid_parameters_are_reported_and_ignored() {
        let query = BrowseQuery::read("year=abc&season=9&page=0&search=!&score=101&sort=worst");
        let names: Vec<_> = query.field_errors.keys().copied().collect();
        assert_eq!(names, ["score", "search", "season", "year"]);
        assert_eq!(
            (query.page, query.sort, query.has_filters()),
            (1, Sort::Best, false)
        );
    }
}
