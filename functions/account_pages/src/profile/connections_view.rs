//! Rendering of the page `/profile/connections`.

use accounts::applications::ConnectedClient;
use accounts::linked_accounts::Link;
use maud::{Markup, html};
use pages::form_page::PageForms;
use pages::language::Localizer;
use pages::layout::csrf_field;
use pages::paths::{PLAYERS, PROFILE_DISCONNECT};
use pages::profile_part::section;
use shared::auth::Scope;
use shared::models::TrackerName;
use trackers::Trackers;

use super::tracker_view::TrackerPart;

/// The maximum number of connected applications on the page, which keeps the page small. When the user disconnects
/// an application, the next one appears.
const MAX_SHOWN_CLIENTS: usize = 40;

/// The data of the page.
pub(super) struct ConnectionsView<'a> {
    pub forms: &'a PageForms,
    /// The message with the reason why a tracker account was not linked, and the tracker.
    pub not_linked: Option<(&'a str, TrackerName)>,
    /// The linked accounts.
    pub links: &'a [Link],
    /// The trackers of this server.
    pub trackers: &'a Trackers,
    /// The connected applications.
    pub connected: &'a [ConnectedClient],
}

impl ConnectionsView<'_> {
    pub(super) fn body(&self) -> Markup {
        let l10n = &self.forms.l10n;
        html! {
            (self.forms.notice())
            (section(l10n, "trackers", "tracker-heading", &self.trackers()))
            (section(l10n, "players", "players-title", &self.players()))
            (section(l10n, "applications", "connected-heading", &self.applications()))
        }
    }

    fn trackers(&self) -> Markup {
        let l10n = &self.forms.l10n;
        let tracker = |name| TrackerPart {
            forms: self.forms,
            name,
            is_offered: self.trackers.is_on(name),
            link: self.links.iter().find(|link| link.tracker == name),
        };
        html! {
            @if let Some((id, name)) = self.not_linked {
                div.faults role="alert" tabindex="-1" autofocus {
                    (l10n.format(id, [("tracker", name.title().into())]))
                }
            }
            p { (l10n.text("tracker-explanation")) }
            @for name in TrackerName::ALL { (tracker(name).section()) }
        }
    }

    fn players(&self) -> Markup {
        let l10n = &self.forms.l10n;
        html! {
            p { (l10n.text("players-explanation")) }
            p { a.button.secondary href=(PLAYERS) { (l10n.text("profile-players-link")) } }
        }
    }

    /// Renders the connected applications. They share one form: a form for each would double the page's size.
    fn applications(&self) -> Markup {
        let l10n = &self.forms.l10n;
        let more = self.connected.len().saturating_sub(MAX_SHOWN_CLIENTS);
        html! {
            @if self.connected.is_empty() {
                p { (l10n.text("connected-none")) }
            } @else {
                p { (l10n.text("connected-explanation")) }
                form method="post" action=(PROFILE_DISCONNECT) {
                    (csrf_field(&self.forms.csrf))
                    ul.entries {
                        @for (number, client) in self.connected.iter().take(MAX_SHOWN_CLIENTS).enumerate() {
                            (connection_item(l10n, number, client))
                        }
                    }
                }
                @if more > 0 {
                    p { (l10n.format("connected-more", [("count", more.into())])) }
                }
            }
        }
    }
}

/// Renders a connected application. The accessible name of its button includes the application's name.
fn connection_item(l10n: &Localizer, number: usize, client: &ConnectedClient) -> Markup {
    let (name, button) = (format!("a{number}"), format!("d{number}"));
    let message = match client.scope {
        Scope::Playback => "connected-since-playback-only",
        Scope::Read => "connected-since-read-only",
        Scope::ReadWrite => "connected-since",
    };
    let since = l10n.unix_date(client.connected_at / 1000);
    html! {
        li {
            div { strong id=(name) { (client.name) } small { (l10n.format(message, [("date", since.into())])) } }
            button id=(button) aria-labelledby={ (button) " " (name) } name="client_id"
                value=(client.client_id) { (l10n.text("connected-disconnect")) }
        }
    }
}

#[cfg(test)]
mod tests {
    use accounts::applications::ConnectedClient;
    use accounts::linked_accounts::{Link, LinkReport};
    use pages::form_page::PageForms;
    use shared::auth::Scope;
    use shared::clock::Clock;
    use shared::models::{PerTracker, TrackerName, UserId};
    use trackers::{ClientSecrets, Config, SecretSource, Trackers, Waiter};

    use super::ConnectionsView;

    /// Returns both trackers, enabled.
    fn trackers() -> Trackers {
        let clock = Clock::manual(0);
        let configs = PerTracker::from_fn(|name| Config {
            client_id: "7".to_owned(),
            ..Config::of(name)
        });
        let secrets = SecretSource::Fixed(ClientSecrets::default());
        Trackers::new(configs, secrets, clock, Waiter::Sleep)
    }

    /// Returns a link whose report has every count at its maximum.
    fn link(tracker: TrackerName) -> Link {
        let report = LinkReport {
            at: 1_700_000_000_000,
            succeeded_at: 1_700_000_000_000,
            imported: u32::MAX,
            exported: u32::MAX,
            conflicts: u32::MAX,
            left: u32::MAX,
            refused: u32::MAX,
            unknown: u32::MAX,
            unknown_ids: vec![u32::MAX; 5],
            trouble: Some("a sentence, which may be long; ".repeat(10)),
        };
        Link {
            user_id: UserId::LAST,
            tracker,
            link_id: String::new(),
            account: u64::MAX,
            name: "m".repeat(64),
            tokens: "t".repeat(2048),
            needs_reconnect: false,
            linked_at: 0,
            failures: 0,
            not_before: 1_700_000_000_000,
            report: Some(report),
        }
    }

    fn body(connected: usize) -> String {
        let connection = |number: usize| ConnectedClient {
            client_id: format!("{number:020}"),
            name: "A long name, though not the longest".to_owned(),
            connected_at: 1_700_000_000_000,
            scope: Scope::Read,
        };
        let mut forms = PageForms::default();
        forms.csrf = "c".repeat(43);
        let view = ConnectionsView {
            forms: &forms,
            not_linked: None,
            links: &TrackerName::ALL.map(link),
            trackers: &trackers(),
            connected: &(0..connected).map(connection).collect::<Vec<_>>(),
        };
        view.body().into_string()
    }

    /// A page has at most 30,000 bytes, of which its frame takes less than 6,000.
    #[test]
    fn page_with_many_applications_is_small() {
        let html = body(100);
        assert_eq!(html.matches("Disconnect</button>").count(), 40);
        assert!(html.contains("And 60 more"), "{html}");
        assert!(html.len() < 24_000, "{}", html.len());
        assert!(body(0).contains("No application can use your account."));
    }
}
