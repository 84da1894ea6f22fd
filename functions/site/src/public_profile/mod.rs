//! The public profile of a user, at `/user/{name}`: the list and the statistics without private stories, if the user has
//! made them public (docs/api.md, "Public profiles").

mod view;

use std::cmp::Reverse;
use std::sync::Arc;

use axum::extract::{FromRequestParts, Path, RawQuery, State};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use catalogue::index::{AnimeIndex, ListIndex, Listed};
use catalogue::parse;
use futures_util::{join, try_join};
use shared::Error;
use shared::input::Params;
use shared::models::{Anime, Statistics, UserId, Username, WatchStatus, WireEnum};
use store::{Account, StoryFacts};

use self::view::{Entry, View, metadata};
use crate::anime::card::Shelf;
use crate::error::PageError;
use crate::layout::Page;
use crate::sessions::Visitor;
use crate::state::SiteState;

/// The number of anime on a page.
const PER_PAGE: usize = 48;

/// The error for a user who does not exist, was deleted, or has no public profile. It is the same for all of them, so that
/// it tells nothing about a name.
const NO_PROFILE: Error = Error::NotFound("Profile not found");

/// The statuses in the order of the page.
const STATUSES: [WatchStatus; 6] = [
    WatchStatus::Current,
    WatchStatus::Repeating,
    WatchStatus::Completed,
    WatchStatus::Paused,
    WatchStatus::Dropped,
    WatchStatus::Planning,
];

/// The path parameter `{name}`; `None` if no user can have this name.
pub(crate) struct Name(Option<Username>);

impl<S: Send + Sync> FromRequestParts<S> for Name {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, PageError> {
        let path = Path::<String>::from_request_parts(parts, state).await.ok();
        Ok(Self(path.and_then(|Path(name)| Username::new(&name).ok())))
    }
}

/// `GET /user/{name}`
pub(crate) async fn page(
    State(state): State<Arc<SiteState>>,
    visitor: Visitor,
    Name(name): Name,
    RawQuery(query): RawQuery,
) -> Result<Response, PageError> {
    let owner = public_account(&state, name.as_ref());
    let (signed_in, owner) = join!(state.signed_in(&visitor), owner);
    let owner = owner?.ok_or(NO_PROFILE)?;
    let stories = state.story_facts.stories(owner.user.id);
    let (index, mut stories) = try_join!(state.catalogue.index(), stories)?;
    stories.retain(|story| !story.private);
    let list = List::new(&index, &stories, query.as_deref().unwrap_or_default());
    let anime: Vec<Anime> = parse(&state.catalogue.documents(&list.rows()).await?)?;
    let l10n = visitor.localizer(signed_in.as_ref());
    let name = owner.user.username.as_str();
    let view = View {
        shelf: Shelf::new(&state, &l10n),
        name,
        statistics: &statistics(&index, &stories),
        list: &list,
        entries: list.entries(&anime),
    };
    let page = Page {
        visitor: signed_in
            .as_ref()
            .map(|user| user.account.user.username.as_str()),
        kind: state.catalogue_page(),
        head: metadata(),
        ..Page::new(&l10n, name, view.body())
    };
    let mut answer = page.answer(axum::http::StatusCode::OK);
    let robots = HeaderName::from_static("x-robots-tag");
    answer
        .headers_mut()
        .insert(robots, HeaderValue::from_static("noindex"));
    Ok(answer)
}

/// Returns the account of the user with this name, if its profile is public.
async fn public_account(
    state: &SiteState,
    name: Option<&Username>,
) -> Result<Option<Account>, Error> {
    let users = &state.accounts.users;
    let id = match name {
        Some(name) => users.find_by_username(&name.folded()).await?,
        None => None,
    };
    // Read a row even for unknown users, so that the time does not reveal which names exist.
    let account = users.account(id.unwrap_or(UserId::LAST)).await?;
    Ok(account.filter(|account| account.public_profile))
}

fn statistics(index: &AnimeIndex, stories: &[StoryFacts]) -> Statistics {
    let mut statistics = Statistics::default();
    for story in stories {
        statistics.add(&story.watched, index.watched(story.anime_id).as_ref());
    }
    statistics
}

/// A page of the stories with one status.
struct List {
    /// The number of stories with each status, in the order of [`STATUSES`].
    counts: [(WatchStatus, usize); 6],
    status: WatchStatus,
    /// The number of the page, from 1.
    page: usize,
    /// The number of pages, at least 1.
    pages: usize,
    /// The stories of the page with the rows of their anime in the index: the best rated first, then in the order of the
    /// catalogue.
    shown: Vec<(Listed, StoryFacts)>,
}

impl List {
    /// Returns the page that a query asks for: by default, the first page of the first status that has stories. A page
    /// after the last one becomes the last one.
    fn new(index: &AnimeIndex, stories: &[StoryFacts], query: &str) -> Self {
        let mut params = Params::parse(query);
        let mut number = |name| {
            params
                .token(name)
                .and_then(|number| number.parse::<u64>().ok())
        };
        let listed = |story: &StoryFacts| Some((index.find(story.anime_id.get())?, *story));
        let mut shown: Vec<(Listed, StoryFacts)> = stories.iter().filter_map(listed).collect();
        let count = |status| {
            let has_status = |(_, story): &&(Listed, StoryFacts)| story.watched.status == status;
            (status, shown.iter().filter(has_status).count())
        };
        let counts = STATUSES.map(count);
        let first = counts.iter().find(|(_, count)| *count > 0);
        let first = first.map_or(WatchStatus::Current, |(status, _)| *status);
        let status = number("status")
            .and_then(WatchStatus::from_wire)
            .unwrap_or(first);
        shown.retain(|(_, story)| story.watched.status == status);
        shown.sort_unstable_by_key(|(listed, story)| {
            (Reverse(story.watched.score), listed.list_key)
        });
        let pages = shown.len().div_ceil(PER_PAGE).max(1);
        let page = number("page").and_then(|page| usize::try_from(page).ok());
        let page = page.unwrap_or(1).clamp(1, pages);
        Self {
            counts,
            status,
            page,
            pages,
            shown: shown
                .into_iter()
                .skip((page - 1) * PER_PAGE)
                .take(PER_PAGE)
                .collect(),
        }
    }

    fn rows(&self) -> Vec<Listed> {
        self.shown.iter().map(|(listed, _)| *listed).collect()
    }

    /// Returns the stories of the page with their anime.
    fn entries<'a>(&self, anime: &'a [Anime]) -> Vec<Entry<'a>> {
        let entry = |anime: &'a Anime| {
            let mut shown = self.shown.iter();
            let (_, story) = shown.find(|(_, story)| story.anime_id == anime.id)?;
            let story = *story;
            Some(Entry { anime, story })
        };
        anime.iter().filter_map(entry).collect()
    }

    /// Returns the path and query of a page of the stories with a status.
    fn path(name: &str, status: WatchStatus, page: usize) -> String {
        let status = u8::from(status);
        if page == 1 {
            format!("/user/{name}?status={status}")
        } else {
            format!("/user/{name}?status={status}&page={page}")
        }
    }
}
