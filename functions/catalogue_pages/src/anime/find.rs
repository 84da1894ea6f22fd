//! The anime that the page `/anime` lists: the filters that only this page has, the orders, and the groups of a season.

use std::collections::HashMap;

use catalogue::index::{AnimeIndex, AnimeOrder, AnimeRow, AnimeSelection, IndexedRow, Matches};
use page_parts::StoryPagesState;
use pages::language::Localizer;
use shared::Result;
use shared::input::{PageRequest, PageStart};
use shared::models::{ANIME_ID_BITS, AnimeFormat, AnimeId, Score, UserScore};
use stories::lists::ListedStory;

use super::query::{BrowseQuery, PER_PAGE, Sort};

/// The anime of a season that are put into groups. No season has so many.
const SEASON: PageRequest = PageRequest {
    per_page: 3000,
    start: PageStart::First,
};

/// The groups of a season, in the order of the page.
pub(super) const GROUPS: [AnimeFormat; 7] = [
    AnimeFormat::Tv,
    AnimeFormat::TvShort,
    AnimeFormat::Ona,
    AnimeFormat::Movie,
    AnimeFormat::Ova,
    AnimeFormat::Special,
    AnimeFormat::Music,
];

/// The anime on the list of the visitor, each with the visitor's score in tenths, or 0.
#[derive(Debug, Default)]
pub(super) struct OwnList(HashMap<AnimeId, u16>);

impl FromIterator<ListedStory> for OwnList {
    fn from_iter<I: IntoIterator<Item = ListedStory>>(stories: I) -> Self {
        let scores = stories.into_iter().map(|story| {
            let score = story.state.details.score;
            (story.anime_id, score.map_or(0, UserScore::tenths))
        });
        Self(scores.collect())
    }
}

impl OwnList {
    fn score(&self, anime: AnimeId) -> u32 {
        self.0.get(&anime).copied().unwrap_or_default().into()
    }
}

/// A page of anime.
#[derive(Debug, Default)]
pub(super) struct FoundAnime {
    /// The number of anime on all pages.
    pub total: usize,
    /// The number of this page: the last one instead of a page after it.
    pub page: usize,
    /// The anime of this page.
    pub rows: Vec<IndexedRow>,
    /// The number of anime of each of the [`GROUPS`] on all pages; `None` if the list has no groups.
    pub groups: Option<[u32; GROUPS.len()]>,
}

/// Finds the anime of the page that the visitor wants. `own` is the visitor's list, if the query needs it.
pub(super) async fn find_anime(
    state: &StoryPagesState,
    query: &BrowseQuery,
    l10n: &Localizer,
    own: &OwnList,
) -> Result<FoundAnime> {
    if query.has_groups() {
        return find_groups(state, query, own).await;
    }
    let found = find_page(state, query, l10n, own, query.page).await?;
    let last = BrowseQuery::last_page(found.total);
    let (page, found) = if query.page > last {
        (last, find_page(state, query, l10n, own, last).await?)
    } else {
        (query.page, found)
    };
    Ok(FoundAnime {
        total: found.total,
        page,
        rows: found.rows,
        groups: None,
    })
}

async fn find_page(
    state: &StoryPagesState,
    query: &BrowseQuery,
    l10n: &Localizer,
    own: &OwnList,
    page: usize,
) -> Result<Matches> {
    let page = BrowseQuery::page_request(page);
    let is_by_score =
        query.sort == Sort::Best || query.sort == Sort::Score && query.filter.search.is_none();
    if is_by_score && !query.has_own_filters() {
        return state.catalogue.list(&query.filter, page).await;
    }
    let community = match query.sort {
        Sort::Popularity => Some(state.catalogue.community().await?),
        _ => None,
    };
    let users = |id: AnimeId| community.as_ref().map_or(0, |counts| counts.popularity(id));
    let own_score = |id: AnimeId| own.score(id);
    let index = state.catalogue.index().await?;
    let average = |id: AnimeId| {
        let anime = index.indexed_anime(id);
        anime.map_or(0, |anime| u32::from(score_of(anime.listed)))
    };
    let codes: Vec<&str> = l10n.title_order().collect();
    let keep = |index: &AnimeIndex, row: AnimeRow, id: AnimeId| is_kept(query, own, index, row, id);
    let selection = AnimeSelection {
        filter: &query.filter,
        order: match query.sort {
            Sort::Best => AnimeOrder::List,
            Sort::Score => AnimeOrder::Highest(&average),
            Sort::Popularity => AnimeOrder::Highest(&users),
            Sort::Newest => AnimeOrder::Newest,
            Sort::Title => AnimeOrder::Title(&codes),
            Sort::Episodes => AnimeOrder::Episodes,
            Sort::Mine => AnimeOrder::Highest(&own_score),
        },
        keep: &keep,
    };
    state.catalogue.select(&selection, page).await
}

/// Finds the anime of a season, grouped by their format.
async fn find_groups(
    state: &StoryPagesState,
    query: &BrowseQuery,
    own: &OwnList,
) -> Result<FoundAnime> {
    let found = state.catalogue.list(&query.filter, SEASON).await?;
    let index = state.catalogue.index().await?;
    let grouped = found.rows.into_iter().filter_map(|row| {
        let id = AnimeId::new(row.id)?;
        let place = index.row_of(id)?;
        let format = index.anime_at(place)?.format;
        let group = GROUPS.iter().position(|group| *group == format)?;
        is_kept(query, own, &index, place, id).then_some((group, row))
    });
    let mut grouped: Vec<(usize, IndexedRow)> = grouped.collect();
    // The sort is stable, so the anime of a group stay in the order of their scores.
    grouped.sort_by_key(|(group, _)| *group);
    let mut groups = [0; GROUPS.len()];
    for (group, _) in &grouped {
        groups[*group] += 1;
    }
    let total = grouped.len();
    let page = query.page.min(BrowseQuery::last_page(total));
    let rows = grouped.into_iter().map(|(_, row)| row);
    Ok(FoundAnime {
        total,
        page,
        rows: rows.skip((page - 1) * PER_PAGE).take(PER_PAGE).collect(),
        groups: Some(groups),
    })
}

/// Returns true if an anime passes the filters that only the page has.
fn is_kept(
    query: &BrowseQuery,
    own: &OwnList,
    index: &AnimeIndex,
    row: AnimeRow,
    id: AnimeId,
) -> bool {
    let is_unwanted = |genre: &u16| {
        let name = index.genre_name(*genre);
        name.is_some_and(|name| query.without.iter().any(|unwanted| unwanted == name))
    };
    let has_score = || {
        let anime = index.anime_at(row);
        anime.is_some_and(|anime| query.accepts_score(score_of(anime.listed)))
    };
    !(query.unlisted && own.0.contains_key(&id))
        && (query.min_score.is_none() || has_score())
        && (query.without.is_empty() || !index.genres_at(row).iter().any(is_unwanted))
}

/// Returns the score of an anime in hundredths, which its place in the list contains.
fn score_of(row: IndexedRow) -> u16 {
    let rank = u16::try_from(row.list_key >> ANIME_ID_BITS).unwrap_or(u16::MAX);
    Score::MAX_HUNDREDTHS.saturating_sub(rank)
}
