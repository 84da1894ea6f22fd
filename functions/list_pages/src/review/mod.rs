//! The review of a year (docs/api.md, "Years in review"): at `/user/{name}/{year}` for everyone, if the profile of the
//! user is public, and at `/statistics/{year}` for oneself, with private stories. Both have pictures at the same
//! path with `.svg` and `.png`.

mod bitmap;
mod picture;
mod view;
pub(crate) mod years;

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use catalogue::index::{AnimeIndex, IndexedRow, ListIndex};
use catalogue::parse_documents;
use futures_util::{join, try_join};
use pages::anime_card::AnimeRenderer;
use pages::error::PageResult;
use pages::sessions::Visitor;
use shared::models::{Anime, PartialDate, Username};
use shared::{Error, Missing, Result};
use stories::statistics::YearReview;

use self::picture::PictureForm;
use self::view::{Audience, ReviewView};
use self::years::own_path;
use crate::public_profile::NO_PROFILE;
use crate::state::ListState;

/// The error for a text that is not a year.
const NO_PAGE: Error = Error::NotFound(Missing::Page);

/// The ends of the paths of pictures.
const PICTURES: [(&str, PictureForm); 2] = [(".svg", PictureForm::Svg), (".png", PictureForm::Png)];

/// The target that the last part of a path names: the page of a year, or its picture.
#[derive(Clone, Copy)]
struct RequestedYear {
    year: u16,
    picture: Option<PictureForm>,
}

impl RequestedYear {
    /// Reads the last part of a path: a year, or a year and an end of [`PICTURES`].
    fn read(text: &str) -> Option<Self> {
        let mut pictures = PICTURES.iter();
        let picture = pictures.find_map(|(end, form)| Some((text.strip_suffix(end)?, *form)));
        Some(Self {
            year: read_year(picture.map_or(text, |(name, _)| name))?,
            picture: picture.map(|(_, form)| form),
        })
    }
}

/// `GET /statistics/{year}`
pub(crate) async fn own_page(
    State(state): State<Arc<ListState>>,
    visitor: Visitor,
    year: Result<Path<String>, PathRejection>,
) -> PageResult {
    let requested = year.ok().and_then(|Path(year)| RequestedYear::read(&year));
    let requested = requested.ok_or(NO_PAGE)?;
    let path = own_path(requested.year);
    let owner = state.sessions.require_user(&visitor, &path).await?;
    let current = state.statistics.read_account(&owner.account);
    let (current, index) = try_join!(current, state.catalogue.index())?;
    let review = YearReview::new(requested.year, current.finished.iter().copied(), &index);
    let anime = read_anime(&state, &index, &review).await?;
    let l10n = visitor.localizer(Some(&owner));
    let view = ReviewView {
        renderer: AnimeRenderer::new(state.has_images, &l10n),
        review: &review,
        anime: &anime,
        statistics: &current.all,
        owner: &owner.account,
        audience: Audience::Owner,
        public_url: state.sessions.public_url(),
    };
    Ok(view.respond(Some(&owner), requested.picture)?)
}

/// `GET /user/{name}/{year}`
pub(crate) async fn public_page(
    State(state): State<Arc<ListState>>,
    visitor: Visitor,
    path: Result<Path<(String, String)>, PathRejection>,
) -> PageResult {
    // The year is checked first, so that the response to a wrong year does not depend on the name.
    let Path((name, year)) = path.map_err(|_| NO_PAGE)?;
    let requested = RequestedYear::read(&year).ok_or(NO_PAGE)?;
    let name = Username::new(&name).ok();
    let profile = state.public_profiles.find(name.as_ref());
    let (signed_in, profile) = join!(state.sessions.find_if_readable(&visitor), profile);
    let profile = profile?.ok_or(NO_PROFILE)?;
    let review = YearReview::new(requested.year, profile.finished(), &profile.index);
    let anime = read_anime(&state, &profile.index, &review).await?;
    let l10n = visitor.localizer(signed_in.as_ref());
    let view = ReviewView {
        renderer: AnimeRenderer::new(state.has_images, &l10n),
        review: &review,
        anime: &anime,
        statistics: &profile.stories.statistics,
        owner: &profile.owner,
        audience: Audience::Everyone,
        public_url: state.sessions.public_url(),
    };
    Ok(view.respond(signed_in.as_ref(), requested.picture)?)
}

/// Returns the year in a path. It has four digits and can be the year of a date of completion: from 1900 to 9999.
fn read_year(text: &str) -> Option<u16> {
    let date = PartialDate::parse(text).ok()?;
    date.month().is_none().then(|| date.year())
}

/// Reads the documents of the anime that a review names.
async fn read_anime(
    state: &ListState,
    index: &AnimeIndex,
    review: &YearReview,
) -> Result<Vec<Anime>> {
    let named = review.named().into_iter();
    let rows: Vec<IndexedRow> = named.filter_map(|id| index.find(id.get())).collect();
    parse_documents(&state.catalogue.documents(&rows).await?)
}
