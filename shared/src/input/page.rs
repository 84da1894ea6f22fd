//! Pages of a list: what is asked for, and what goes with the answer.

use super::cursor::{self, Place};
use super::{MAX_SAFE_INTEGER, Params};

/// The most rows a page has, and what it has when nothing is asked for.
pub const MAX_PER_PAGE: usize = 100;

/// Where a page begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// At the first row.
    #[default]
    First,
    /// After the row at this place of the list's order.
    After(u64),
    /// At the page of this number, from 1.
    Page(u64),
}

/// Which part of a list is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// Rows a page, from 1 to [`MAX_PER_PAGE`].
    pub per_page: usize,
    /// Where the page begins.
    pub start: Start,
}

impl PageRequest {
    /// Reads `per_page`, `page` and `cursor`. Comes after the filters: a cursor is bound to them.
    pub fn read(params: &mut Params, list: &'static str) -> Self {
        let per_page = read_per_page(params);
        let page = params.setting("page", 1..=MAX_SAFE_INTEGER);
        let start = match (params.token("cursor"), page) {
            (Some(_), Some(_)) => {
                params.fail("cursor", "cannot be given together with page");
                Start::First
            }
            (Some(token), None) => {
                read_cursor(params, list, &token).map_or(Start::First, Start::After)
            }
            (None, Some(page)) => Start::Page(page),
            (None, None) => Start::First,
        };
        Self { per_page, start }
    }

    /// How many matching rows come before the page, when it is asked for by number.
    #[must_use]
    pub fn offset(&self) -> usize {
        let Start::Page(page) = self.start else {
            return 0;
        };
        usize::try_from(page - 1)
            .unwrap_or(usize::MAX)
            .saturating_mul(self.per_page)
    }

    /// The parameter that asks for the page after this one, which ended at the place `end`.
    #[must_use]
    pub fn next(&self, list: &str, filters: &str, end: u64) -> String {
        match self.start {
            Start::Page(page) => format!("page={}", page + 1),
            Start::First | Start::After(_) => {
                format!("cursor={}", cursor::encode(list, filters, &end))
            }
        }
    }
}

/// Which part of a list is asked for that goes on by cursor alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CursorRequest<P> {
    /// Rows a page, from 1 to [`MAX_PER_PAGE`].
    pub per_page: usize,
    /// After which place the page begins; `None`: at the first row.
    pub after: Option<P>,
}

impl<P: Place> CursorRequest<P> {
    /// Reads `per_page` and `cursor`. Comes after the filters: a cursor is bound to them.
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

fn read_cursor<P: Place>(params: &mut Params, list: &str, token: &str) -> Option<P> {
    let place = cursor::decode(list, params.filters(), token);
    if place.is_none() {
        params.fail("cursor", "is not a cursor of this list with these filters");
    }
    place
}

/// The filters of a list, read from a query string.
pub trait ListFilter: Sized {
    /// The name of the list in cursors.
    const LIST: &'static str;

    /// Reads the filters of a request.
    fn read(params: &mut Params) -> Self;
}
