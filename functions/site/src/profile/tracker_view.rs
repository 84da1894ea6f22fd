//! The trackers on the profile: what is linked, and what the last run did.

use maud::{Markup, html};
use shared::models::TrackerName;
use store::{Link, LinkReport};

use crate::layout::csrf;
use crate::paths::PROFILE;
use crate::text::{moment, thousands};

/// The most anime of a tracker's that are listed by their identifiers: a page stays small.
const MAX_UNKNOWN: usize = 10;

/// A tracker, as the page has to know it.
pub(super) struct Tracker<'a> {
    /// Which one.
    pub name: TrackerName,
    /// Whether this service offers it.
    pub is_offered: bool,
    /// What is linked there.
    pub link: Option<&'a Link>,
    /// The token of the page's forms.
    pub csrf: &'a str,
}

impl Tracker<'_> {
    pub(super) fn section(&self) -> Markup {
        let title = self.name.title();
        let (badge, connect) = match self.link {
            None => ("not linked", Some("Connect")),
            Some(link) if link.is_refused => ("reconnect", Some("Reconnect")),
            Some(_) => ("linked", None),
        };
        html! {
            h3 { (title) " " span.badge { (badge) } }
            @if let Some(link) = self.link { (self.account(link)) }
            @if !self.is_offered {
                p { "This service does not offer " (title) "." }
            }
            @if self.link.is_some() || self.is_offered {
                div.actions {
                    @if let (Some(connect), true) = (connect, self.is_offered) {
                        a.button href={ (PROFILE) "/trackers/" (self.name.letter()) "/connect" } {
                            (connect) " " (title)
                        }
                    }
                    @if self.link.is_some() {
                        form method="post"
                            action={ (PROFILE) "/trackers/" (self.name.letter()) "/disconnect" } {
                            (csrf(self.csrf))
                            button.secondary type="submit" { "Disconnect " (title) }
                        }
                    }
                }
            }
        }
    }

    fn account(&self, link: &Link) -> Markup {
        html! {
            p { "Your account there is " strong { (link.name) } "." }
            @if link.is_refused {
                p {
                    (self.name.title()) " does not accept the connection any more. Nothing is kept in step \
                     with it until you reconnect it."
                }
            }
            @match &link.report {
                Some(report) => (self.report(link, report)),
                None if !link.is_refused => { p { "It is read for the first time within minutes." } }
                None => {}
            }
        }
    }

    fn report(&self, link: &Link, report: &LinkReport) -> Markup {
        let counts = [
            ("Stories changed here", report.imported),
            ("Entries changed there", report.exported),
            ("Changed on both sides", report.conflicts),
            ("Still to be told there", report.left),
            ("Refused there for good", report.refused),
        ];
        let counts = || counts.iter().filter(|(_, count)| *count > 0);
        let is_still = counts().next().is_none() && report.unknown == 0;
        html! {
            p {
                @if report.succeeded_at == 0 {
                    "It has not come into step yet."
                } @else {
                    "Last in step " (moment(report.succeeded_at / 1000)) "."
                }
            }
            // Of one that is refused it is said already what is wrong.
            @if !link.is_refused {
                p { "The last run, " (moment(report.at / 1000)) ":" }
                ul {
                    @if is_still && report.trouble.is_none() { li { "Nothing had changed." } }
                    @for (what, count) in counts() {
                        li { (what) ": " (thousands((*count).into())) }
                    }
                    @if report.unknown > 0 { li { (self.unknown(report)) } }
                    @if let Some(trouble) = &report.trouble { li { (stopped(link, trouble)) } }
                }
            }
        }
    }

    fn unknown(&self, report: &LinkReport) -> Markup {
        let listed = report.unknown_ids.iter().take(MAX_UNKNOWN);
        let more = usize::try_from(report.unknown).unwrap_or(usize::MAX);
        let more = more.saturating_sub(listed.len());
        html! {
            "Anime that the catalogue does not have yet: " (thousands(report.unknown.into()))
            @if listed.len() > 0 {
                ". Their numbers there are "
                @for id in listed { a.row href=(self.name.page_of(*id)) { (id) } " " }
                @if more > 0 { "and others" }
            }
        }
    }
}

/// Why a run went no further, and when the next one is.
fn stopped(link: &Link, trouble: &str) -> Markup {
    html! {
        (trouble)
        @if link.not_before > 0 { " The next run is not before " (moment(link.not_before / 1000)) "." }
    }
}
