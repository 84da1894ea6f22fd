//! The public profile of a user, at `/user/{name}`: the list and the statistics without private stories, if the user
//! has made them public (docs/api.md, "Public profiles").

mod list;
pub(crate) mod picture;
pub(crate) mod reader;
pub(crate) mod view;

use std::sync::Arc;

use accounts::sessions::SignedInUser;
use axum::extract::{FromRequestParts, Path, RawQuery, State};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use catalogue::parse_documents;
use futures_util::join;
use pages::anime_card::AnimeRenderer;
use pages::error::{PageError, PageResult};
use pages::layout::{Page, PageKind};
use pages::sessions::Visitor;
use shared::models::{Anime, Username};
use shared::{Error, Missing};

use self::list::PublicList;
use self::view::PublicProfileView;
use crate::state::ListState;

/// The error for a user who does not exist, was deleted, or has no public profile. It is the same in all cases, so
/// that it does not reveal which names exist.
pub(crate) const NO_PROFILE: Error = Error::NotFound(Missing::Profile);

/// The path parameter `{name}`; `None` if no user can have this name.
pub(crate) struct ProfileName(Option<Username>);

impl<S: Send + Sync> FromRequestParts<S> for ProfileName {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, PageError> {
        let path = Path::<String>::from_request_parts(parts, state).await.ok();
        Ok(Self(path.and_then(|Path(name)| Username::new(&name).ok())))
    }
}

/// `GET /user/{name}`
pub(crate) async fn page(
    State(state): State<Arc<ListState>>,
    visitor: Visitor,
    ProfileName(name): ProfileName,
    RawQuery(query): RawQuery,
) -> PageResult {
    let profile = state.public_profiles.find(name.as_ref());
    let (signed_in, profile) = join!(state.sessions.find_if_readable(&visitor), profile);
    let profile = profile?.ok_or(NO_PROFILE)?;
    let owner = &profile.owner;
    let query = query.as_deref().unwrap_or_default();
    let list = PublicList::new(&profile.stories, &owner.favorites, query);
    let rows = list.index_rows(&profile.index);
    let anime: Vec<Anime> = parse_documents(&state.catalogue.documents(&rows).await?)?;
    let l10n = visitor.localizer(signed_in.as_ref());
    let visitor_id = signed_in.as_ref().map(|user| user.account.user.id);
    let view = PublicProfileView {
        renderer: AnimeRenderer::new(state.has_images, &l10n),
        owner,
        is_own: visitor_id == Some(owner.user.id),
        statistics: &profile.stories.statistics,
        list: &list,
        anime: &anime,
        now_s: state.clock.now_s(),
    };
    let page = Page {
        visitor: signed_in.as_ref().map(SignedInUser::username),
        kind: PageKind::wide(state.has_images),
        head: view.head(state.sessions.public_url()),
        ..Page::new(&l10n, &owner.user.username, view.body())
    };
    let response = page.respond(axum::http::StatusCode::OK);
    Ok(if owner.indexable_profile {
        response
    } else {
        deny_robots(response)
    })
}

/// Adds the header that forbids search engines to list a page.
pub(crate) fn deny_robots(mut response: Response) -> Response {
    let robots = HeaderName::from_static("x-robots-tag");
    let headers = response.headers_mut();
    headers.insert(robots, HeaderValue::from_static("noindex"));
    response
}
