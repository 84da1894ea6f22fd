//! Requests for a page of a list, and the parameter that selects the next page.

use super::cursor::{self, CursorPosition};
use super::{MAX_SAFE_INTEGER, Params, QueryString};

/// The maximum and default number of rows per page.
pub const MAX_PER_PAGE: usize = 100;

/// The start of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PageStart {
    /// The first row.
    #[default]
    First,
    /// The row after this position, which is the position of the previous page's last row.
    After(u128),
    /// The first row of the page with this number, from 1.
    Page(u64),
}

/// A request for a page of a list that has cursors and page numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// Rows per page, from 1 to [`MAX_PER_PAGE`].
    pub per_page: usize,
    /// The start of the page.
    pub start: PageStart,
}

impl PageRequest {
    /// Reads `per_page`, `page` and `cursor` for the list with this name. Must be called after the filters
    /// are read, because a cursor is bound to them.
    pub fn read(params: &mut Params, list: &'static str) -> Self {
        let per_page = read_per_page(params);
        let page = params.setting("page", 1..=MAX_SAFE_INTEGER);
        let start = match (params.token("cursor"), page) {
            (Some(_), Some(_)) => {
                params.fail("cursor", "cannot be combined with page");
                PageStart::First
            }
            (Some(token), None) => {
                read_cursor(params, list, &token).map_or(PageStart::First, PageStart::After)
            }
            (None, Some(page)) => PageStart::Page(page),
            (None, None) => PageStart::First,
        };
        Self { per_page, start }
    }

    /// Returns the number of matching rows before a page that is requested by its number, and 0 for any other page.
    pub fn offset(&self) -> usize {
        let PageStart::Page(page) = self.start else {
            return 0;
        };
        usize::try_from(page - 1)
            .unwrap_or(usize::MAX)
            .saturating_mul(self.per_page)
    }

    /// Returns the parameter that selects the next page: `page=...` or `cursor=...`. `last` is the position of this
    /// page's last row.
    pub fn next_parameter(&self, list: &str, filters: &str, last: u128) -> String {
        match self.start {
            PageStart::Page(page) => format!("page={}", page + 1),
            PageStart::First | PageStart::After(_) => {
                format!("cursor={}", cursor::encode(list, filters, &last))
            }
        }
    }
}

/// A request for a page of a list that has cursors but no page numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CursorRequest<P> {
    /// Rows per page, from 1 to [`MAX_PER_PAGE`].
    pub per_page: usize,
    /// The position after which the page begins; `None` for the first row.
    pub after: Option<P>,
}

impl<P: CursorPosition> CursorRequest<P> {
    /// Reads `per_page` and `cursor` for the list with this name. Must be called after the filters are read,
    /// because a cursor is bound to them.
    pub fn read(params: &mut Params, list: &'static str) -> Self {
        let per_page = read_per_page(params);
        let token = params.token("cursor");
        let after = token.and_then(|token| read_cursor(params, list, &token));
        Self { per_page, after }
    }
}

fn read_per_page(params: &mut Params) -> usize {
    params
        .setting("per_page", 1..=MAX_PER_PAGE as u64)
        .and_then(|number| usize::try_from(number).ok())
        .unwrap_or(MAX_PER_PAGE)
}

fn read_cursor<P: CursorPosition>(params: &mut Params, list: &str, token: &str) -> Option<P> {
    let position = cursor::decode(list, &params.filters, token);
    if position.is_none() {
        params.fail(
            "cursor",
            "is invalid, or belongs to another list or other filters; take it from the Link header",
        );
    }
    position
}

/// The filters of a list.
pub trait ListFilter: QueryString {
    /// The name of the list. Cursors are bound to it, so that a list rejects the cursors of other lists.
    const LIST: &'static str;
}
