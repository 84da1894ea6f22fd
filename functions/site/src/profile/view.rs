//! Rendering of the profile page.

use accounts::{Connection, SignedIn};
use axum::response::Response;
use futures_util::try_join;
use maud::{Markup, html};
use shared::auth::{DAY_S, Scope};
use shared::input::Form;
use shared::models::{Role, TrackerName, User};
use store::{Link, MAX_TOKENS, ProfileToken};
use trackers::Trackers;

use super::tracker_view::Tracker;
use crate::answer::with_forms;
use crate::error::PageError;
use crate::form::{FormErrors, PASSWORD_HINT, PostForm};
use crate::icon::Icon;
use crate::language::Localizer;
use crate::layout::{Control, Field, Page, copyable, csrf, notice, shown_once};
use crate::paths::{DEVELOPER, HISTORY, MODERATION, PROFILE};
use crate::sessions::Visitor;
use crate::state::SiteState;
use crate::text::day;

/// Maximum number of connected applications on the page, which keeps the page small. When the user
/// disconnects one, the next one appears.
const MAX_LISTED: usize = 40;

/// The genders: value in the API and label.
const GENDERS: [(&str, &str); 3] = [("0", "Not specified"), ("1", "Male"), ("2", "Female")];

/// The choices for the statistics: form value and label.
const VISIBILITIES: [(&str, &str); 2] = [("no", "Only me and moderators"), ("yes", "Everyone")];

/// The scopes of tokens: form value and label.
const SCOPES: [(&str, &str); 2] = [
    (
        Scope::Read.as_str(),
        "Read only: your watch history, your name, your e-mail address and your settings",
    ),
    (
        Scope::ReadWrite.as_str(),
        "Read and write: everything that you can do, including changing your password and deleting your account",
    ),
];

/// The variable contents of the page.
#[derive(Default)]
pub(super) struct Shown<'a> {
    /// A confirmation.
    pub done: Option<&'a str>,
    /// The reason why a tracker account was not linked.
    pub not_linked: Option<String>,
    /// A new access token, and its expiry in seconds since the Unix epoch.
    pub token: Option<(&'a str, u64)>,
    /// A form with errors.
    pub sent: Option<Sent<'a>>,
}

/// A form that was sent with errors.
pub(super) struct Sent<'a> {
    /// The section of the page that it belongs to.
    pub section: Section,
    /// The values that were sent.
    pub form: &'a Form,
    /// The errors.
    pub faults: FormErrors,
}

/// A section of the page with a form that can have errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    /// The e-mail address and its verification.
    Email,
    /// Gender, language and visibility of the statistics.
    Settings,
    /// The access tokens.
    Tokens,
    /// The password.
    Password,
}

/// Returns the page.
pub(super) async fn show(
    state: &SiteState,
    visitor: &Visitor,
    owner: &SignedIn,
    shown: &Shown<'_>,
) -> Result<Response, PageError> {
    let user = &owner.account.user;
    let links = async { state.linking.links.of(user.id).await };
    let connected = state.applications.connected(user.id);
    let now = state.accounts.clock.now_s();
    let tokens = state.profile_tokens.list(&owner.account, now);
    let (connected, tokens, links) = try_join!(connected, tokens, links)?;
    let csrf = state.sessions.csrf(visitor);
    let view = View {
        user,
        public_profile: owner.account.public_profile,
        connected: &connected,
        tokens: &tokens,
        links: &links,
        trackers: &state.linking.trackers,
        public_url: state.public_url(),
        csrf: &csrf.token,
        shown,
    };
    let title = format!("Hi {}", user.username);
    let l10n = Localizer::default();
    let body = html! {
        @if user.role >= Role::Moderator {
            p { a.row href=(MODERATION) { (Icon::Shield) (l10n.text("moderation-title")) } }
        }
        (view.body())
    };
    let page = Page {
        current_path: PROFILE,
        visitor: Some(&user.username),
        ..Page::new(&l10n, &title, body)
    };
    let faults = shown.sent.as_ref().map(|sent| &sent.faults);
    Ok(with_forms(page, csrf, faults))
}

/// The data of the page.
struct View<'a> {
    user: &'a User,
    public_profile: bool,
    connected: &'a [Connection],
    tokens: &'a [ProfileToken],
    links: &'a [Link],
    trackers: &'a Trackers,
    public_url: &'a str,
    csrf: &'a str,
    shown: &'a Shown<'a>,
}

impl View<'_> {
    fn body(&self) -> Markup {
        html! {
            @if let Some(done) = self.shown.done { (notice(done)) }
            (section("email", "E-mail address", &self.email()))
            (section("token", "API tokens", &self.tokens()))
            (section("applications", "Connected applications", &self.applications()))
            (section("settings", "Settings", &self.settings()))
            (section("change-password", "Password", &self.password()))
            (section("trackers", "Trackers", &self.trackers()))
            (section("history", "Import and export", &history()))
            (section("data", "Your data", &data()))
            (section("sign-out", "Sign out", &self.sign_out()))
            (section("delete", "Delete account", &delete()))
        }
    }

    fn email(&self) -> Markup {
        let is_verified = self.user.email_verified == Some(true);
        html! {
            p {
                strong { (self.user.email.as_deref().unwrap_or_default()) } " "
                span.badge { @if is_verified { "verified" } @else { "not verified yet" } }
            }
            @if !is_verified {
                p { "To verify this address, follow the link that we sent to it." }
                (PostForm {
                    action: "/profile/verification",
                    csrf: self.csrf,
                    faults: self.faults(Section::Email),
                    button: "Send the link again",
                    ..PostForm::default()
                })
            }
        }
    }

    fn tokens(&self) -> Markup {
        let me = format!(
            "curl {}/v1/auth/me -H 'authorization: Bearer TOKEN'",
            self.public_url
        );
        let fields = [
            Field {
                name: "name",
                label: "Name",
                control: Control::Words,
                value: self.typed(Section::Tokens, "name", ""),
                hint: "At most 60 characters, for example the program that will use the token.",
            },
            Field {
                name: "scope",
                label: "Access",
                control: Control::Radio(&SCOPES),
                value: self.typed(Section::Tokens, "scope", Scope::Read.as_str()),
                hint: "",
            },
        ];
        html! {
            p {
                "With a token, your own programs can call the API as you. Keep it as safe as a password. \
                 Applications for other people should use "
                a href=(DEVELOPER) { "OAuth" } " instead, which asks each user for consent."
            }
            @if let Some((token, expires_at)) = self.shown.token {
                (shown_once("new-token", "Your new token", "your new token", token))
                p { "Valid until " (day(expires_at)) ". It is not shown again." }
            }
            @if !self.tokens.is_empty() {
                form method="post" action="/profile/token/revoke" {
                    (csrf(self.csrf))
                    ul.entries {
                        @for (number, one) in self.tokens.iter().enumerate() { (token(number, one)) }
                    }
                }
            }
            (PostForm {
                action: "/profile/token",
                csrf: self.csrf,
                fields: &fields,
                faults: self.faults(Section::Tokens),
                button: "Create a token",
                ..PostForm::default()
            })
            p { "To use a token, replace " code { "TOKEN" } " in this command with it:" }
            (copyable("use-token", "the command", &me))
            p.hint {
                "A token is valid for 30 days. You can have " (MAX_TOKENS) " at a time. To revoke all of them, \
                 sign out everywhere or change your password."
            }
        }
    }

    /// Renders the connected applications. They share one form: a form for each would double the page's size.
    fn applications(&self) -> Markup {
        let more = self.connected.len().saturating_sub(MAX_LISTED);
        html! {
            @if self.connected.is_empty() {
                p { "No application can use your account." }
            } @else {
                p {
                    "Until you disconnect them, these can read your account. Those that are not “read only” can \
                     also change your watch history and settings."
                }
                form method="post" action="/profile/disconnect" {
                    (csrf(self.csrf))
                    ul.entries {
                        @for (number, one) in self.connected.iter().take(MAX_LISTED).enumerate() {
                            (connection(number, one))
                        }
                    }
                }
                @if more > 0 {
                    p { "And " (more) " more. Disconnect some of these to see them." }
                }
            }
        }
    }

    fn settings(&self) -> Markup {
        let gender = u8::from(self.user.gender).to_string();
        let localization = self.user.localization.as_deref().unwrap_or_default();
        let public_profile = if self.public_profile { "yes" } else { "no" };
        let fields = [
            Field {
                name: "gender",
                label: "Gender",
                control: Control::Select(&GENDERS),
                value: self.typed(Section::Settings, "gender", &gender),
                hint: "",
            },
            Field {
                name: "localization",
                label: "Language",
                control: Control::Code,
                value: self.typed(Section::Settings, "localization", localization),
                hint: "A language code, for example en or pt-BR.",
            },
            Field {
                name: "public_profile",
                label: "Who can see my list and statistics",
                control: Control::Select(&VISIBILITIES),
                value: self.typed(Section::Settings, "public_profile", public_profile),
                hint: "For everyone, they are at the address /user/ and your name, without private entries, notes and your \
                       e-mail address.",
            },
        ];
        html! {
            (PostForm {
                action: "/profile/settings",
                csrf: self.csrf,
                fields: &fields,
                faults: self.faults(Section::Settings),
                button: "Save settings",
                ..PostForm::default()
            })
            @if self.public_profile {
                @let path = format!("/user/{}", self.user.username);
                p { a.row href=(path) { "See your public profile" } }
            }
        }
    }

    fn password(&self) -> Markup {
        let fields = [
            Field {
                name: "current_password",
                label: "Current password",
                control: Control::CurrentPassword,
                value: "",
                hint: "",
            },
            Field {
                name: "password",
                label: "New password",
                control: Control::NewPassword,
                value: "",
                hint: PASSWORD_HINT,
            },
        ];
        html! {
            p { "A new password signs you out everywhere else and revokes all access tokens." }
            (PostForm {
                action: "/profile/password",
                csrf: self.csrf,
                fields: &fields,
                faults: self.faults(Section::Password),
                button: "Change password",
                ..PostForm::default()
            })
        }
    }

    fn trackers(&self) -> Markup {
        let tracker = |name| Tracker {
            name,
            is_offered: self.trackers.is_on(name),
            link: self.links.iter().find(|link| link.tracker == name),
            csrf: self.csrf,
        };
        html! {
            @if let Some(reason) = &self.shown.not_linked {
                div.faults role="alert" tabindex="-1" autofocus { (reason) }
            }
            p {
                "Your watch history syncs both ways with the accounts that you connect. The image of a \
                 connected account becomes your avatar. You can disconnect accounts at any time."
            }
            @for name in TrackerName::ALL { (tracker(name).section()) }
        }
    }

    fn sign_out(&self) -> Markup {
        html! {
            div.actions {
                (PostForm {
                    action: "/sign-out",
                    csrf: self.csrf,
                    button: "Sign out",
                    ..PostForm::default()
                })
                (PostForm {
                    action: "/profile/sign-out-everywhere",
                    csrf: self.csrf,
                    button: "Sign out everywhere",
                    danger: true,
                    ..PostForm::default()
                })
            }
            p.hint {
                "“Sign out everywhere” signs you out in every browser and revokes all access tokens, \
                 including those of connected applications."
            }
        }
    }

    /// Returns the errors of a section's form.
    fn faults(&self, section: Section) -> Option<&FormErrors> {
        let sent = self.shown.sent.as_ref();
        sent.filter(|sent| sent.section == section)
            .map(|sent| &sent.faults)
    }

    /// Returns the value that was sent in a form with errors, or else the stored one.
    fn typed<'t>(&'t self, section: Section, name: &str, stored: &'t str) -> &'t str {
        let sent = self.shown.sent.as_ref();
        let sent = sent.filter(|sent| sent.section == section);
        sent.map_or(stored, |sent| sent.form.value(name))
    }
}

fn section(id: &str, heading: &str, body: &Markup) -> Markup {
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) { (heading) }
            (body)
        }
    }
}

/// Renders a connected application. The accessible name of its button includes the application's name.
fn connection(number: usize, one: &Connection) -> Markup {
    let (name, button) = (format!("a{number}"), format!("d{number}"));
    html! {
        li {
            div { strong id=(name) { (one.name) } small {
                "since " (day(one.connected_at / 1000)) @if one.is_read_only { ", read only" }
            } }
            button id=(button) aria-labelledby={ (button) " " (name) } name="client_id"
                value=(one.client_id) { "Disconnect" }
        }
    }
}

/// Renders a token. The accessible name of its button includes the token's name.
fn token(number: usize, one: &ProfileToken) -> Markup {
    let (name, button) = (format!("t{number}"), format!("r{number}"));
    let can_write = Scope::covers(one.scope, Scope::ReadWrite);
    html! {
        li {
            div {
                strong id=(name) { (one.name) }
                small {
                    @if can_write { "read and write" } @else { "read only" }
                    ", created " (day(one.created_at / 1000)) ", expires " (day(one.expires_at())) ", "
                    @match one.used_on {
                        Some(used_on) => { "last used " (day(used_on * DAY_S)) },
                        None => { "not used yet" },
                    }
                }
            }
            button id=(button) aria-labelledby={ (button) " " (name) } name="token_id" value=(one.token_id) {
                "Revoke"
            }
        }
    }
}

fn history() -> Markup {
    html! {
        p { "Move your watch history here from another service, or download it as a file." }
        p { a.button.secondary href=(HISTORY) { "Import or export your watch history" } }
    }
}

fn data() -> Markup {
    html! {
        p { "Everything that we store about you, in one JSON file: your account, your watch history, and what is connected." }
        p { a.button href="/profile/data" { "Download my data" } }
    }
}

fn delete() -> Markup {
    html! {
        p { "Deletes your account and all your data." }
        p { a.button.danger href="/profile/delete" { "Delete my account" } }
    }
}

#[cfg(test)]
mod tests {
    use crate::layout::Page;
    use accounts::Connection;
    use axum::http::StatusCode;
    use maud::Markup;
    use shared::clock::Clock;
    use shared::models::{Gender, PerTracker, Role, TrackerName, User, UserId};
    use store::{Link, LinkReport, ProfileToken};
    use trackers::{ClientSecrets, Config, SecretSource, Trackers, Waiter};

    use super::{Shown, View};
    use crate::language::Localizer;

    /// Both trackers, enabled.
    fn trackers() -> Trackers {
        let on = |config: Config| Config {
            client_id: "7".to_owned(),
            ..config
        };
        let clock = Clock::manual(0);
        let configs = PerTracker {
            a: on(Config::anilist()),
            b: on(Config::my_anime_list()),
        };
        let secrets = SecretSource::Fixed(ClientSecrets::default());
        Trackers::new(configs, secrets, clock, Waiter::Sleep)
    }

    /// A link whose report has every count at its maximum.
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
            is_refused: false,
            linked_at: 0,
            failures: 0,
            not_before: 1_700_000_000_000,
            report: Some(report),
        }
    }

    fn user() -> User {
        User {
            id: UserId::LAST,
            username: "mitsuha".to_owned(),
            email: Some("mitsuha@example.com".to_owned()),
            email_verified: Some(false),
            role: Role::Basic,
            avatar: String::new(),
            gender: Gender::Female,
            localization: Some("jp".to_owned()),
            has_tracker_a: Some(true),
            has_tracker_b: Some(false),
        }
    }

    fn token(number: u32) -> ProfileToken {
        let token = serde_json::json!({
            "user_id": 1, "client_id": format!("token:{number:02}"), "token_generation": 0,
            "token_id": format!("6553f100.{}", "t".repeat(22)), "scope": "read write",
            "name": "A long name, though not the longest", "created_at": 1_700_000_000_000_u64,
            "used_on": 19_676
        });
        serde_json::from_value(token).unwrap()
    }

    fn body(connected: usize, tokens: u32, shown: &Shown<'_>) -> Markup {
        let connection = |number: usize| Connection {
            client_id: format!("{number:020}"),
            name: "A long name, though not the longest".to_owned(),
            connected_at: 1_700_000_000_000,
            is_read_only: true,
        };
        let view = View {
            user: &user(),
            public_profile: false,
            links: &TrackerName::ALL.map(link),
            trackers: &trackers(),
            connected: &(0..connected).map(connection).collect::<Vec<_>>(),
            tokens: &(0..tokens).map(token).collect::<Vec<_>>(),
            public_url: "https://kiroku.test",
            csrf: &"c".repeat(43),
            shown,
        };
        view.body()
    }

    #[tokio::test]
    async fn a_page_with_many_applications_and_tokens_is_small() {
        let token = "t".repeat(500);
        let shown = Shown {
            token: Some((&token, 1_797_811_200)),
            ..Shown::default()
        };
        let body = body(100, 25, &shown);
        let html = body.0.clone();
        assert_eq!(html.matches("Disconnect</button>").count(), 40);
        assert_eq!(html.matches("Revoke</button>").count(), 25);
        assert!(html.contains("last used 15 November 2023"), "{html}");
        assert!(html.contains("And 60 more"), "{html}");
        assert!(html.contains("Valid until 21 December 2026"), "{html}");
        let l10n = Localizer::default();
        let page = Page {
            current_path: "/profile",
            visitor: Some("mitsuha"),
            ..Page::new(&l10n, "Hi mitsuha", body)
        };
        let page = page.answer(StatusCode::OK).into_body();
        let size = axum::body::to_bytes(page, usize::MAX).await.unwrap().len();
        assert!(size < 30_000, "{size}");
    }

    #[test]
    fn no_token_is_shown_before_it_is_asked_for() {
        let html = body(0, 0, &Shown::default()).into_string();
        assert!(!html.contains("new-token"), "{html}");
        assert!(
            html.contains("No application can use your account."),
            "{html}"
        );
        assert!(
            html.contains("<option value=\"2\" selected>Female</option>"),
            "{html}"
        );
    }
}
