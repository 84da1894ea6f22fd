//! The trackers section of the profile: linked accounts and the report of the last sync.

use accounts::linked_accounts::{Link, LinkReport};
use maud::{Markup, html};
use pages::form_page::PageForms;
use pages::layout::csrf_field;
use pages::paths::PROFILE_CONNECTIONS;
use shared::models::TrackerName;

/// Returns the path that leads to a tracker, where the user allows the connection.
pub(crate) fn connect_address(tracker: TrackerName) -> String {
    format!("/profile/trackers/{}/connect", tracker.letter())
}

/// The part of the section about one tracker.
pub(super) struct TrackerPart<'a> {
    pub forms: &'a PageForms,
    /// The name of the tracker.
    pub name: TrackerName,
    /// True if the tracker is enabled on this server.
    pub is_offered: bool,
    /// The linked account, if there is one.
    pub link: Option<&'a Link>,
}

impl TrackerPart<'_> {
    pub(super) fn section(&self) -> Markup {
        let (l10n, title) = (&self.forms.l10n, self.name.title());
        let (badge, connect) = match self.link {
            None => ("tracker-not-linked", Some("tracker-connect")),
            Some(link) if link.needs_reconnect => ("tracker-refused", Some("tracker-reconnect")),
            Some(_) => ("tracker-linked", None),
        };
        html! {
            h3 { (title) " " span.badge { (l10n.text(badge)) } }
            @if let Some(link) = self.link { (self.account(link)) }
            @if !self.is_offered { p { (self.message("tracker-off")) } }
            @if self.link.is_some() || self.is_offered {
                div.actions {
                    @if let (Some(connect), true) = (connect, self.is_offered) {
                        a.button href=(connect_address(self.name)) {
                            (self.message(connect))
                        }
                    }
                    @if self.link.is_some() {
                        form method="post"
                            action={ (PROFILE_CONNECTIONS) "/" (self.name.letter()) "/disconnect" } {
                            (csrf_field(&self.forms.csrf))
                            button.secondary type="submit" { (self.message("tracker-disconnect")) }
                        }
                    }
                }
            }
        }
    }

    /// Returns a message with the title of the tracker.
    fn message(&self, id: &str) -> String {
        let tracker = [("tracker", self.name.title().into())];
        self.forms.l10n.format(id, tracker)
    }

    fn account(&self, link: &Link) -> Markup {
        let l10n = &self.forms.l10n;
        let name = html! { strong { (link.name) } };
        html! {
            p { (l10n.markup("tracker-account", [("name", name)])) }
            @if link.needs_reconnect { p { (self.message("tracker-refused-explanation")) } }
            @match &link.report {
                Some(report) => (self.report(link, report)),
                None if !link.needs_reconnect => { p { (l10n.text("tracker-first-sync")) } }
                None => {}
            }
        }
    }

    fn report(&self, link: &Link, report: &LinkReport) -> Markup {
        let l10n = &self.forms.l10n;
        let counts = [
            ("tracker-imported", report.imported),
            ("tracker-exported", report.exported),
            ("tracker-conflicts", report.conflicts),
            ("tracker-left", report.left),
            ("tracker-rejected", report.refused),
        ];
        let counts = || counts.iter().filter(|(_, count)| *count > 0);
        let is_unchanged = counts().next().is_none() && report.unknown == 0;
        let with_time =
            |id, time: u64| l10n.format(id, [("time", l10n.unix_date_time(time / 1000).into())]);
        html! {
            p {
                @if report.succeeded_at == 0 {
                    (l10n.text("tracker-not-synced"))
                } @else {
                    (with_time("tracker-synced", report.succeeded_at))
                }
            }
            // If the tracker rejects the connection, the text above already says so.
            @if !link.needs_reconnect {
                p { (with_time("tracker-run", report.at)) }
                ul {
                    @if is_unchanged && report.trouble.is_none() { li { (l10n.text("tracker-unchanged")) } }
                    @for (id, count) in counts() {
                        li { (l10n.format(id, [("count", (*count).into())])) }
                    }
                    @if report.unknown > 0 { li { (self.unknown(report)) } }
                    @if let Some(trouble) = &report.trouble {
                        li {
                            (l10n.translate(trouble))
                            @if link.not_before > 0 { " " (with_time("tracker-next-run", link.not_before)) }
                        }
                    }
                }
            }
        }
    }

    fn unknown(&self, report: &LinkReport) -> Markup {
        let l10n = &self.forms.l10n;
        let listed = report.unknown_ids.iter();
        if listed.len() == 0 {
            return html! { (l10n.format("tracker-unknown", [("count", report.unknown.into())])) };
        }
        let more = usize::try_from(report.unknown).unwrap_or(usize::MAX);
        let more = more.saturating_sub(listed.len());
        let count = html! { (l10n.number(report.unknown)) };
        let ids = html! {
            @for id in listed { a.row href=(self.name.anime_url(*id)) { (id) } " " }
            @if more > 0 { (l10n.text("tracker-unknown-more")) }
        };
        l10n.markup("tracker-unknown-ids", [("count", count), ("ids", ids)])
    }
}
