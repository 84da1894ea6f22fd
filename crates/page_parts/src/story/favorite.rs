//! The button with which a user chooses an anime for the public profile.

use accounts::users::{Account, MAX_FAVORITES};
use maud::{Markup, html};
use pages::icon::Icon;
use pages::language::Localizer;
use pages::layout::YES;
use pages::paths::LIST_FAVORITE;
use shared::models::AnimeId;

/// The field of the form `/list/favorite`: [`YES`] to add the anime, and anything else to remove it.
pub const FAVORITE: &str = "favorite";

/// The choice that a user with a public profile has about an anime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FavoriteChoice {
    /// Add it to the favorites.
    Add,
    /// Remove it from them.
    Remove,
    /// Nothing, because the user has the maximum number of favorites.
    Full,
}

impl FavoriteChoice {
    /// Returns the choice for an anime; `None` without a public profile, which alone shows favorites.
    pub fn of(account: &Account, anime: AnimeId) -> Option<Self> {
        let choice = if account.favorites.contains(&anime) {
            Self::Remove
        } else if account.favorites.len() < MAX_FAVORITES {
            Self::Add
        } else {
            Self::Full
        };
        account.public_profile.then_some(choice)
    }

    /// Renders the button, which belongs into a form about the story.
    pub(super) fn button(self, l10n: &Localizer) -> Markup {
        let (label, value) = match self {
            Self::Add => ("favorite-add", YES),
            Self::Remove => ("favorite-remove", "no"),
            Self::Full => {
                let most = [("count", MAX_FAVORITES.into())];
                return html! { span.soft { (l10n.format("favorite-full", most)) } };
            }
        };
        html! {
            button.button.secondary type="submit" name=(FAVORITE) value=(value) formaction=(LIST_FAVORITE)
                formnovalidate { (Icon::Star) (l10n.text(label)) }
        }
    }
}
