//! The trackers section of the profile: linked accounts and the report of the last sync.

use maud::{Markup, html};
use shared::grouped;
use shared::models::TrackerName;
use store::{Link, LinkReport};

use crate::layout::csrf;
use crate::paths::PROFILE;
use crate::text::moment;

/// The part of the section about one tracker.
pub(super) struct Tracker<'a> {
    /// The name of the tracker.
    pub name: TrackerName,
    /// True if the tracker is enabled on this server.
    pub is_offered: bool,
    /// The linked account, if there is one.
    pub link: Option<&'a Link>,
    /// The CSRF token of the page's forms.
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
                p { (title) " is not enabled on this server." }
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
            p { "Linked account: " strong { (link.name) } }
            @if link.is_refused {
                p {
                    (self.name.title()) " no longer accepts the connection. Nothing is synced until you \
                     reconnect it."
                }
            }
            @match &link.report {
                Some(report) => (self.report(link, report)),
                None if !link.is_refused => { p { "The first sync runs within minutes." } }
                None => {}
            }
        }
    }

    fn report(&self, link: &Link, report: &LinkReport) -> Markup {
        let counts = [
            ("Stories changed here", report.imported),
            ("Entries changed there", report.exported),
            ("Changed on both sides", report.conflicts),
            ("Waiting to be sent there", report.left),
            ("Rejected there", report.refused),
        ];
        let counts = || counts.iter().filter(|(_, count)| *count > 0);
        let is_still = counts().next().is_none() && report.unknown == 0;
        html! {
            p {
                @if report.succeeded_at == 0 {
                    "Not synced yet."
                } @else {
                    "Last synced " (moment(report.succeeded_at / 1000)) "."
                }
            }
            // If the tracker rejects the connection, the text above already says so.
            @if !link.is_refused {
                p { "The last run, " (moment(report.at / 1000)) ":" }
                ul {
                    @if is_still && report.trouble.is_none() { li { "Nothing had changed." } }
                    @for (what, count) in counts() {
                        li { (what) ": " (grouped((*count).into())) }
                    }
                    @if report.unknown > 0 { li { (self.unknown(report)) } }
                    @if let Some(trouble) = &report.trouble { li { (stopped(link, trouble)) } }
                }
            }
        }
    }

    fn unknown(&self, report: &LinkReport) -> Markup {
        let listed = report.unknown_ids.iter();
        let more = usize::try_from(report.unknown).unwrap_or(usize::MAX);
        let more = more.saturating_sub(listed.len());
        html! {
            "Anime not in the catalogue yet: " (grouped(report.unknown.into()))
            @if listed.len() > 0 {
                ". Their IDs at the tracker: "
                @for id in listed { a.row href=(self.name.page_of(*id)) { (id) } " " }
                @if more > 0 { "and others" }
            }
        }
    }
}

/// Renders the reason why a run stopped, and the earliest time of the next one.
fn stopped(link: &Link, trouble: &str) -> Markup {
    html! {
        (trouble)
        @if link.not_before > 0 { " The next run is not before " (moment(link.not_before / 1000)) "." }
    }
}
