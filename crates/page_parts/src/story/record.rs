//! The visitor's own entry in the head of the page of an anime: its status, progress, score, dates and notes, all in
//! one form.

use maud::{Markup, Render, html};
use pages::anime_card::{color_of, path_of};
use pages::icon::Icon;
use pages::language::Localizer;
use pages::layout::{Control, Field, YES, field};
use pages::paths::{LIST_DELETE, LIST_NEXT, LIST_SAVE, LIST_UNDO, SIGN_IN};
use pages::seal::{STATUSES, class_of, seal};
use pages::tally::Tally;
use shared::models::{Anime, AnimeStatus, Details, Origin, PartialDate, StoryState, WatchStatus};
use stories::lists::{Story, next_episode};

use super::back::ReturnPage;
use super::dates::date_input;
use super::favorite::FavoriteChoice;
use super::form::hidden_fields;
use super::key::StoryKey;
use super::score_input::score_input;

/// The entry of a signed-in visitor, or the form that adds one. Without the script, a button saves the values. With it,
/// the status, the progress, the score and the dates are saved when they change (`script/anime.js`).
pub struct StoryRecord<'a> {
    /// The language.
    pub l10n: &'a Localizer,
    /// The CSRF token.
    pub csrf: &'a str,
    /// The anime.
    pub anime: &'a Anime,
    /// The story, if there is one.
    pub story: Option<&'a Story>,
    /// The choice to make the anime a favorite or not; `None` without a public profile.
    pub favorite: Option<FavoriteChoice>,
}

impl Render for StoryRecord<'_> {
    fn render(&self) -> Markup {
        let (l10n, anime) = (self.l10n, self.anime);
        let state = self.story.map(|story| &story.state);
        let details = state.map(|state| state.details.clone()).unwrap_or_default();
        let key = StoryKey::of(anime.id, state);
        html! {
            form.record method="post" action=(LIST_SAVE) {
                // The Enter key presses the first button of a form.
                button.unseen type="submit" tabindex="-1" { (l10n.text("form-save")) }
                (strip(anime))
                fieldset.states {
                    legend.unseen { (l10n.text("story-status")) }
                    @for status in STATUSES {
                        label.(class_of(status)) {
                            input type="radio" name="status" value=(u8::from(status)) required
                                checked[state.is_some_and(|state| state.status == status)];
                            (seal(Some(status))) span { (l10n.watch_status(status)) }
                        }
                    }
                }
                div.cells {
                    (self.progress(state))
                    div {
                        label for="score" { (l10n.text("story-score")) }
                        (score_input(l10n, details.score))
                    }
                    (self.date("started_on", "story-started", details.started_on))
                    (self.date("finished_on", "story-finished", details.finished_on))
                }
                (self.last(state, &details))
                (hidden_fields(self.csrf, Some(&key), &ReturnPage::Anime(anime.id)))
            }
        }
    }
}

impl StoryRecord<'_> {
    fn progress(&self, state: Option<&StoryState>) -> Markup {
        let (l10n, anime) = (self.l10n, self.anime);
        let watched = state.map_or(0, StoryState::progress);
        let next = next_episode(state, anime.episodes_count, anime.status);
        let airs = anime.status == AnimeStatus::Releasing;
        let aired = airs.then_some(anime.episodes_count);
        let size = watched.max(anime.episodes_count).to_string().len().max(2);
        // One episode less of a completed anime would leave its status as it is.
        let can_go_back =
            watched > 0 && state.is_some_and(|state| state.status != WatchStatus::Completed);
        html! {
            div.full {
                label for="current_episode" { (l10n.text("story-episode")) }
                div.count {
                    input #current_episode.num name="current_episode" inputmode="numeric" maxlength="4"
                        size=(size) autocomplete="off" value=(watched);
                    @if anime.episodes_count > 0 { span.of { "/ " (anime.episodes_count) } }
                    @if can_go_back {
                        // Of several values, the last one counts.
                        button.step type="submit" name="current_episode" value=(watched - 1)
                            aria-label=(l10n.text("anime-episode-less")) { "−" }
                    }
                    @if let Some(next) = next {
                        button.button type="submit" formaction=(LIST_NEXT) formnovalidate {
                            @if anime.episodes_count == 1 {
                                (l10n.text("anime-watched-once"))
                            } @else {
                                (l10n.format("anime-watched", [("number", next.progress().into())]))
                            }
                        }
                    }
                }
                (Tally { watched, aired, episodes: anime.episodes_count })
            }
        }
    }

    fn date(&self, name: &str, label: &str, date: Option<PartialDate>) -> Markup {
        let value = date.map(String::from).unwrap_or_default();
        html! {
            div {
                label for=(name) { (self.l10n.text(label)) }
                (date_input(self.l10n, name, &value))
            }
        }
    }

    /// Renders the notes, the fields that are seldom changed, and the buttons.
    fn last(&self, state: Option<&StoryState>, details: &Details) -> Markup {
        let l10n = self.l10n;
        let private = if details.private { YES } else { "" };
        let repeats = details.repeats.to_string();
        let fields = [
            Field::new(
                l10n,
                "notes",
                Control::TextLines { is_required: false },
                "story-notes",
            )
            .with_value(details.notes.as_str()),
            Field::new(
                l10n,
                "repeats",
                Control::OptionalLine("numeric"),
                "story-repeats",
            )
            .with_value(&repeats),
            Field::new(l10n, "private", Control::Checkbox, "story-private").with_value(private),
        ];
        let notes = details.notes.as_str();
        let edit = if notes.is_empty() {
            "anime-add-note"
        } else {
            "list-edit"
        };
        html! {
            div.last {
                @if details.private { span.soft { (Icon::Lock) (l10n.text("story-private-short")) } }
                @if !notes.is_empty() { p.note dir="auto" { (notes) } }
                @if let Some(player) = self.latest_player() {
                    p.soft { (l10n.format("players-changed", [("player", player.into())])) }
                    button.button.secondary type="submit" formaction=(LIST_UNDO) formnovalidate {
                        (Icon::Undo) (l10n.text("list-undo"))
                    }
                }
                details.more {
                    summary { (l10n.text(edit)) }
                    @for one in &fields { (field(l10n, one, None)) }
                    @if state.is_some() {
                        button.button.secondary type="submit" formaction=(LIST_DELETE) formnovalidate {
                            (Icon::Delete) (l10n.text("form-delete"))
                        }
                    }
                }
                // The public profile does not show private stories.
                @if let Some(favorite) = self.favorite.filter(|_| state.is_some() && !details.private) {
                    (favorite.button(l10n))
                }
                button.button.secondary.save type="submit" { (Icon::Check) (l10n.text("form-save")) }
            }
        }
    }

    /// Returns the name of the player that made the latest change. The page offers to undo such a change, because the
    /// user has not seen it happen.
    fn latest_player(&self) -> Option<&str> {
        match &self.story?.history.last()?.by {
            Origin::Player { name, .. } => Some(name),
            _ => None,
        }
    }
}

/// Renders the place of the record for visitors who are not signed in: each status leads to the sign-in page.
pub fn record_invitation(l10n: &Localizer, anime: &Anime) -> Markup {
    let address = format!("{SIGN_IN}?next={}", path_of(anime));
    html! {
        div.record {
            (strip(anime))
            div.states {
                @for status in STATUSES {
                    a.(class_of(status)) href=(address) rel="nofollow" {
                        (seal(Some(status))) span { (l10n.watch_status(status)) }
                    }
                }
            }
            div.last {
                p.note { (l10n.text("anime-invitation")) }
                a.button href=(address) rel="nofollow" { (l10n.text("anime-sign-in")) }
            }
        }
    }
}

/// Renders the upper edge of the record in the color of the anime.
fn strip(anime: &Anime) -> Markup {
    html! {
        svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true" {
            path fill=(color_of(anime)) d="M0 0h1v1H0z" {}
        }
    }
}
