//! Selections of anime in other orders than that of the list.

use std::cmp::Reverse;

use shared::input::{PageRequest, PageStart};
use shared::models::AnimeId;

use super::anime::{AnimeIndex, AnimeRow};
use super::anime_filter::AnimeFilter;
use super::list::{ListIndex, Matches};

/// The anime of a page, and their order.
#[derive(Clone, Copy)]
pub struct AnimeSelection<'s> {
    /// The filter that the anime pass.
    pub filter: &'s AnimeFilter,
    /// The order.
    pub order: AnimeOrder<'s>,
    /// Returns false for an anime that is left out although it passes the filter, such as one on the user's list.
    pub keep: &'s (dyn Fn(&AnimeIndex, AnimeRow, AnimeId) -> bool + Sync),
}

/// An order of anime. Equal anime are in the order of the list.
#[derive(Clone, Copy)]
pub enum AnimeOrder<'s> {
    /// The order of the list: the highest score first, or for a search, the most relevant anime first.
    List,
    /// The latest year and season first. Anime without a year come last.
    Newest,
    /// By title, in the first of these languages in which an anime has one ([`AnimeIndex::folded_title_at`]).
    Title(&'s [&'s str]),
    /// The highest number of released episodes first.
    Episodes,
    /// The highest of these numbers first, such as the number of users who have the anime.
    Highest(&'s (dyn Fn(AnimeId) -> u32 + Sync)),
}

impl AnimeIndex {
    /// Returns a page of a selection; `None` if the filter has a search and the texts for it are not loaded. The page
    /// must be the first page or a page with a number: [`Matches::next`] is `None`.
    pub fn select(&self, selection: &AnimeSelection<'_>, page: PageRequest) -> Option<Matches> {
        let all = PageRequest {
            per_page: self.len(),
            start: PageStart::First,
        };
        let found = self.search(selection.filter, all)?.rows.into_iter();
        let kept = found.filter_map(|listed| {
            let id = AnimeId::new(listed.id)?;
            let row = self.row_of(id)?;
            (selection.keep)(self, row, id).then_some((listed, row, id))
        });
        let mut kept: Vec<_> = kept.collect();
        match selection.order {
            AnimeOrder::List => {}
            AnimeOrder::Newest => kept.sort_by_key(|(_, row, _)| Reverse(self.release_at(*row))),
            AnimeOrder::Title(codes) => kept.sort_by_cached_key(|(_, row, _)| {
                let title = self.folded_title_at(*row, codes.iter().copied());
                (title.is_none(), title)
            }),
            AnimeOrder::Episodes => {
                let episodes = |row| self.anime_at(row).map(|anime| anime.episodes_count);
                kept.sort_by_key(|(_, row, _)| Reverse(episodes(*row)));
            }
            AnimeOrder::Highest(number_of) => {
                kept.sort_by_cached_key(|(_, _, id)| Reverse(number_of(*id)));
            }
        }
        let total = kept.len();
        let rows = kept.into_iter().skip(page.offset()).take(page.per_page);
        Some(Matches {
            total,
            rows: rows.map(|(listed, ..)| listed).collect(),
            next: None,
        })
    }
}
