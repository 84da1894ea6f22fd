//! The response to a form that has changed an entry. Browsers without the script are redirected to the page with the
//! form. The script (`crates/pages/assets/script`) gets only what has changed on that page: the entry, its notice, and
//! the numbers of entries, or the parts of a card. For a whole page, the list would be read, sorted and counted again.

use maud::{Markup, Render};
use page_parts::StoryPagesState;
use page_parts::anime::find_anime;
use page_parts::story::{CARD, QuickPart, ReturnPage, StoryFormOutcome, StoryKey};
use pages::anime_card::AnimeRenderer;
use pages::error::PageResult;
use pages::form_page::FormPage;
use pages::layout::respond_with_part;
use pages::response::see_notice;
use shared::Result;
use shared::models::AnimeId;

use super::action::StoryEdit;
use super::changed::ChangedEntry;
use crate::{home, list};

/// The name of the field in which the script sends the numbers of entries that its page shows. The response has the
/// numbers after the change, so no list is read. A form with this field asks for a part of the page.
const COUNTS: &str = "counts";

/// Returns the response to a form that has changed the story about `anime`.
pub(super) async fn respond_to_change(
    state: &StoryPagesState,
    page: &FormPage,
    back: &ReturnPage,
    anime: AnimeId,
    (outcome, edit): (StoryFormOutcome, StoryEdit),
) -> PageResult {
    if is_for_script(page) {
        match Box::pin(render_part(state, page, back, anime, (outcome, edit))).await {
            Ok(Some(part)) => return Ok(respond_with_part(&page.forms.l10n, part)),
            Ok(None) => {}
            // The entry has changed, so this is not an error of the form. The script shows the page instead.
            Err(error) => tracing::warn!(%error, "a changed entry cannot be rendered"),
        }
    }
    see_notice(&state.sessions, &back.address_after(outcome, anime))
}

/// Returns true if the script has sent this form, and expects a part of the page.
pub(super) fn is_for_script(page: &FormPage) -> bool {
    page.forms.sent.has(COUNTS) || page.forms.sent.has(CARD)
}

/// Renders the part of the page that has changed. Returns `None` if the page has no such parts, or the numbers of
/// entries are not those of such a page.
async fn render_part(
    state: &StoryPagesState,
    page: &FormPage,
    back: &ReturnPage,
    anime: AnimeId,
    (outcome, edit): (StoryFormOutcome, StoryEdit),
) -> Result<Option<Markup>> {
    let renderer = AnimeRenderer::new(state.has_images, &page.forms.l10n);
    let found = find_anime(&state.catalogue, anime).await?;
    if page.forms.sent.has(CARD) {
        let state = edit.story.as_ref().map(|story| &story.state);
        let part = QuickPart {
            l10n: renderer.l10n,
            csrf: &page.forms.csrf,
            back,
            done: outcome,
            key: &StoryKey::of(anime, state),
            title: &found
                .map(|anime| renderer.title(&anime))
                .unwrap_or_default(),
            story: edit.story.as_ref(),
        };
        return Ok(Some(part.render()));
    }
    let changed = ChangedEntry {
        renderer,
        csrf: &page.forms.csrf,
        outcome,
        before: edit.before,
        story: edit.story,
        anime: found,
        today: page.owner.account.time_zone().date_of(state.clock.now_ms()),
        counts: page.forms.sent.value(COUNTS),
    };
    Ok(match back {
        ReturnPage::List(request) => list::render_part(request, changed),
        ReturnPage::Start => home::render_part(&changed),
        ReturnPage::Anime(_) | ReturnPage::Browse(_) => None,
    })
}
