//! The seals that stand for a status of the watch history: a carved character on the status's color.

use maud::{Markup, html};
use shared::models::WatchStatus;

use crate::language::Localizer;

/// The statuses in the order in which pages show them.
pub const STATUSES: [WatchStatus; 6] = [
    WatchStatus::Current,
    WatchStatus::Planning,
    WatchStatus::Completed,
    WatchStatus::Paused,
    WatchStatus::Dropped,
    WatchStatus::Repeating,
];

/// Returns the class of a status in the style sheet, which sets its color.
pub fn class_of(status: WatchStatus) -> &'static str {
    match status {
        WatchStatus::Current => "watch",
        WatchStatus::Planning => "plan",
        WatchStatus::Completed => "done",
        WatchStatus::Dropped => "drop",
        WatchStatus::Paused => "pause",
        WatchStatus::Repeating => "again",
    }
}

/// Returns the character on the seal of a status.
fn character_of(status: WatchStatus) -> &'static str {
    match status {
        WatchStatus::Current => "観",
        WatchStatus::Planning => "予",
        WatchStatus::Completed => "済",
        WatchStatus::Dropped => "断",
        WatchStatus::Paused => "休",
        WatchStatus::Repeating => "再",
    }
}

/// Renders the seal of a status, or that of the whole list. Screen readers skip it, so the word must be beside it.
pub fn seal(status: Option<WatchStatus>) -> Markup {
    let class = status.map_or("", class_of);
    html! {
        span class={ "seal " (class) } aria-hidden="true" {
            i lang="ja" { (status.map_or("録", character_of)) }
        }
    }
}

/// Renders the seal of a status and its name.
pub fn sealed(l10n: &Localizer, status: WatchStatus) -> Markup {
    html! { span.sealed { (seal(Some(status))) (l10n.watch_status(status)) } }
}
