//! Rendering of the profile page.

use accounts::{ConnectedClient, SignedInUser};
use axum::response::Response;
use futures_util::try_join;
use maud::{Markup, html};
use pages::error::PageError;
use pages::form::{FormErrors, PASSWORD_HINT, PostForm, borrow_choices, translate_choices};
use pages::icon::Icon;
use pages::language::Localizer;
use pages::layout::{Control, Field, Page, copyable_text, csrf_field, notice, text_shown_once};
use pages::paths::{
    ADMINISTRATION, DEVELOPER, HISTORY, MODERATION, PLAYERS, PROFILE, PROFILE_DATA, PROFILE_DELETE,
    PROFILE_DISCONNECT, PROFILE_PASSWORD, PROFILE_SETTINGS, PROFILE_SIGN_OUT_EVERYWHERE,
    PROFILE_TOKEN, PROFILE_TOKEN_REVOKE, PROFILE_VERIFICATION, SIGN_OUT,
};
use pages::response::respond_with_forms;
use pages::sessions::Visitor;
use shared::auth::{DAY_S, Scope};
use shared::input::Form;
use shared::models::{Role, TrackerName, User};
use store::{Link, MAX_PROFILE_TOKENS, ProfileToken};
use trackers::Trackers;

use super::tracker_view::TrackerPart;
use super::visibility::Visibility;
use crate::state::AccountState;

/// The maximum number of connected applications on the page, which keeps the page small. When the user disconnects
/// an application, the next one appears.
const MAX_SHOWN_CLIENTS: usize = 40;

/// The genders: value in the API and message.
const GENDERS: [(&str, &str); 3] = [
    ("0", "settings-gender-unknown"),
    ("1", "settings-gender-male"),
    ("2", "settings-gender-female"),
];

/// The scopes of tokens: form value and message.
const SCOPES: [(&str, &str); 3] = [
    (Scope::Read.as_str(), "token-scope-read"),
    (Scope::Playback.as_str(), "token-scope-playback"),
    (Scope::ReadWrite.as_str(), "token-scope-write"),
];

/// The outcome of the latest request, as the page shows it.
#[derive(Default)]
pub(super) struct ProfileOutcome<'a> {
    /// The message of a confirmation.
    pub done: Option<&'a str>,
    /// The message with the reason why a tracker account was not linked, and the tracker.
    pub not_linked: Option<(&'a str, TrackerName)>,
    /// A new access token, and its expiry in seconds since the Unix epoch.
    pub token: Option<(&'a str, u64)>,
    /// A form with errors.
    pub refused: Option<RefusedForm<'a>>,
}

/// A form that was sent with errors.
pub(super) struct RefusedForm<'a> {
    /// The section of the page that the form belongs to.
    pub section: ProfileSection,
    /// The values that were sent.
    pub form: &'a Form,
    /// The errors.
    pub errors: FormErrors,
}

/// A section of the page with a form that can have errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProfileSection {
    /// The e-mail address and its verification.
    Email,
    /// Gender, language, and visibility of the list and the statistics.
    Settings,
    /// The access tokens.
    Tokens,
    /// The password.
    Password,
}

/// Returns the page.
pub(super) async fn show(
    state: &AccountState,
    visitor: &Visitor,
    owner: &SignedInUser,
    outcome: &ProfileOutcome<'_>,
) -> Result<Response, PageError> {
    let user = &owner.account.user;
    let links = async { state.linking.links.list(user.id).await };
    let connected = state.applications.list_connected(user.id);
    let now = state.accounts.clock.now_s();
    let tokens = state.profile_tokens.list(&owner.account, now);
    let (connected, tokens, links) = try_join!(connected, tokens, links)?;
    let csrf = state.sessions.csrf(visitor);
    let l10n = &visitor.localizer(Some(owner));
    let view = ProfileView {
        l10n,
        user,
        visibility: Visibility::of(&owner.account),
        connected: &connected,
        tokens: &tokens,
        links: &links,
        trackers: &state.linking.trackers,
        public_url: state.sessions.public_url(),
        csrf: &csrf.token,
        outcome,
    };
    let title = l10n.format("profile-title", [("name", user.username.as_str().into())]);
    let body = html! {
        @if user.role >= Role::Moderator {
            p { a.row href=(MODERATION) { (Icon::Shield) (l10n.text("moderation-title")) } }
        }
        @if user.role == Role::Administrator {
            p { a.row href=(ADMINISTRATION) { (Icon::Lock) (l10n.text("administration-title")) } }
        }
        (view.body())
    };
    let page = Page {
        current_path: PROFILE,
        visitor: Some(&user.username),
        ..Page::new(l10n, &title, body)
    };
    let errors = outcome.refused.as_ref().map(|refused| &refused.errors);
    Ok(respond_with_forms(page, csrf, errors))
}

/// The data of the page.
struct ProfileView<'a> {
    l10n: &'a Localizer,
    user: &'a User,
    visibility: Visibility,
    connected: &'a [ConnectedClient],
    tokens: &'a [ProfileToken],
    links: &'a [Link],
    trackers: &'a Trackers,
    public_url: &'a str,
    csrf: &'a str,
    outcome: &'a ProfileOutcome<'a>,
}

impl ProfileView<'_> {
    fn body(&self) -> Markup {
        html! {
            @if let Some(done) = self.outcome.done { (notice(&self.l10n.text(done))) }
            (self.section("email", "account-email", &self.email()))
            (self.section("token", "token-heading", &self.tokens()))
            (self.section("applications", "connected-heading", &self.applications()))
            (self.section("settings", "settings-heading", &self.settings()))
            (self.section("change-password", "account-password", &self.password()))
            (self.section("trackers", "tracker-heading", &self.trackers()))
            (self.section("players", "players-title", &self.players()))
            (self.section("history", "history-title", &self.history()))
            (self.section("data", "profile-data", &self.data()))
            (self.section("sign-out", "profile-sign-out", &self.sign_out()))
            (self.section("delete", "profile-delete", &self.delete()))
        }
    }

    fn section(&self, id: &str, heading: &str, body: &Markup) -> Markup {
        html! {
            section aria-labelledby=(id) {
                h2 id=(id) { (self.l10n.text(heading)) }
                (body)
            }
        }
    }

    fn email(&self) -> Markup {
        let l10n = self.l10n;
        let is_verified = self.user.email_verified == Some(true);
        let state = if is_verified {
            "email-verified"
        } else {
            "email-not-verified"
        };
        html! {
            p {
                strong { (self.user.email.as_deref().unwrap_or_default()) } " "
                span.badge { (l10n.text(state)) }
            }
            @if !is_verified {
                p { (l10n.text("email-explanation")) }
                (PostForm {
                    action: PROFILE_VERIFICATION,
                    csrf: self.csrf,
                    errors: self.errors(ProfileSection::Email),
                    button: &l10n.text("email-button"),
                    ..PostForm::new(l10n)
                })
            }
        }
    }

    fn tokens(&self) -> Markup {
        let l10n = self.l10n;
        let me = format!(
            "curl {}/v1/auth/me -H 'authorization: Bearer TOKEN'",
            self.public_url
        );
        let scopes = translate_choices(l10n, SCOPES);
        let fields = [
            Field {
                name: "name",
                label: &l10n.text("account-name"),
                control: Control::TextLine,
                value: self.field_value(ProfileSection::Tokens, "name", ""),
                hint: &l10n.text("token-name-hint"),
            },
            Field {
                name: "scope",
                label: &l10n.text("token-scope"),
                control: Control::Radio(&borrow_choices(&scopes)),
                value: self.field_value(ProfileSection::Tokens, "scope", Scope::Read.as_str()),
                hint: "",
            },
        ];
        let oauth = html! { a href=(DEVELOPER) { "OAuth" } };
        let placeholder = html! { code { "TOKEN" } };
        html! {
            p { (l10n.markup("token-explanation", [("oauth", oauth)])) }
            @if let Some((token, expires_at)) = self.outcome.token {
                (text_shown_once(l10n, "new-token", &l10n.text("token-new"), &l10n.text("token-new-copy"), token))
                p { (l10n.format("token-new-hint", [("date", l10n.unix_date(expires_at).into())])) }
            }
            @if !self.tokens.is_empty() {
                form method="post" action=(PROFILE_TOKEN_REVOKE) {
                    (csrf_field(self.csrf))
                    ul.entries {
                        @for (number, token) in self.tokens.iter().enumerate() { (token_item(l10n, number, token)) }
                    }
                }
            }
            (PostForm {
                action: PROFILE_TOKEN,
                csrf: self.csrf,
                fields: &fields,
                errors: self.errors(ProfileSection::Tokens),
                button: &l10n.text("token-create"),
                ..PostForm::new(l10n)
            })
            p { (l10n.markup("token-use", [("token", placeholder)])) }
            (copyable_text(l10n, "use-token", &l10n.text("copy-command"), &me))
            p.hint { (l10n.format("token-limits", [("count", MAX_PROFILE_TOKENS.into())])) }
        }
    }

    /// Renders the connected applications. They share one form: a form for each would double the page's size.
    fn applications(&self) -> Markup {
        let l10n = self.l10n;
        let more = self.connected.len().saturating_sub(MAX_SHOWN_CLIENTS);
        html! {
            @if self.connected.is_empty() {
                p { (l10n.text("connected-none")) }
            } @else {
                p { (l10n.text("connected-explanation")) }
                form method="post" action=(PROFILE_DISCONNECT) {
                    (csrf_field(self.csrf))
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

    fn settings(&self) -> Markup {
        let l10n = self.l10n;
        let gender = u8::from(self.user.gender).to_string();
        let localization = self.user.localization.as_deref().unwrap_or_default();
        let visibilities = Visibility::ALL.map(|one| (one.form_value(), one.message()));
        let (genders, visibilities) = (
            translate_choices(l10n, GENDERS),
            translate_choices(l10n, visibilities),
        );
        let fields = [
            Field {
                name: "gender",
                label: &l10n.text("settings-gender"),
                control: Control::Select(&borrow_choices(&genders)),
                value: self.field_value(ProfileSection::Settings, "gender", &gender),
                hint: "",
            },
            Field {
                name: "localization",
                label: &l10n.text("settings-language"),
                control: Control::CodeLine,
                value: self.field_value(ProfileSection::Settings, "localization", localization),
                hint: &l10n.text("settings-language-hint"),
            },
            Field {
                name: "visibility",
                label: &l10n.text("settings-visibility"),
                control: Control::Select(&borrow_choices(&visibilities)),
                value: self.field_value(
                    ProfileSection::Settings,
                    "visibility",
                    self.visibility.form_value(),
                ),
                hint: &l10n.text("settings-visibility-hint"),
            },
        ];
        html! {
            (PostForm {
                action: PROFILE_SETTINGS,
                csrf: self.csrf,
                fields: &fields,
                errors: self.errors(ProfileSection::Settings),
                button: &l10n.text("settings-button"),
                ..PostForm::new(l10n)
            })
            @if self.visibility.is_public() {
                @let path = format!("/user/{}", self.user.username);
                p { a.row href=(path) { (l10n.text("settings-public-profile")) } }
            }
        }
    }

    fn password(&self) -> Markup {
        let l10n = self.l10n;
        let fields = [
            Field {
                name: "current_password",
                label: &l10n.text("account-current-password"),
                control: Control::CurrentPassword,
                value: "",
                hint: "",
            },
            Field {
                name: "password",
                label: &l10n.text("account-new-password"),
                control: Control::NewPassword,
                value: "",
                hint: &l10n.text(PASSWORD_HINT),
            },
        ];
        html! {
            p { (l10n.text("profile-password-explanation")) }
            (PostForm {
                action: PROFILE_PASSWORD,
                csrf: self.csrf,
                fields: &fields,
                errors: self.errors(ProfileSection::Password),
                button: &l10n.text("profile-password-button"),
                ..PostForm::new(l10n)
            })
        }
    }

    fn trackers(&self) -> Markup {
        let tracker = |name| TrackerPart {
            l10n: self.l10n,
            name,
            is_offered: self.trackers.is_on(name),
            link: self.links.iter().find(|link| link.tracker == name),
            csrf: self.csrf,
        };
        html! {
            @if let Some((id, name)) = self.outcome.not_linked {
                div.faults role="alert" tabindex="-1" autofocus {
                    (self.l10n.format(id, [("tracker", name.title().into())]))
                }
            }
            p { (self.l10n.text("tracker-explanation")) }
            @for name in TrackerName::ALL { (tracker(name).section()) }
        }
    }

    fn players(&self) -> Markup {
        html! {
            p { a.button.secondary href=(PLAYERS) { (self.l10n.text("profile-players-link")) } }
        }
    }

    fn history(&self) -> Markup {
        html! {
            p { (self.l10n.text("profile-history")) }
            p { a.button.secondary href=(HISTORY) { (self.l10n.text("profile-history-link")) } }
        }
    }

    fn data(&self) -> Markup {
        html! {
            p { (self.l10n.text("profile-data-explanation")) }
            p { a.button href=(PROFILE_DATA) { (self.l10n.text("profile-data-link")) } }
        }
    }

    fn sign_out(&self) -> Markup {
        let l10n = self.l10n;
        html! {
            div.actions {
                (PostForm {
                    action: SIGN_OUT,
                    csrf: self.csrf,
                    button: &l10n.text("profile-sign-out"),
                    ..PostForm::new(l10n)
                })
                (PostForm {
                    action: PROFILE_SIGN_OUT_EVERYWHERE,
                    csrf: self.csrf,
                    button: &l10n.text("profile-sign-out-everywhere"),
                    danger: true,
                    ..PostForm::new(l10n)
                })
            }
            p.hint { (l10n.text("profile-sign-out-hint")) }
        }
    }

    fn delete(&self) -> Markup {
        html! {
            p { (self.l10n.text("profile-delete-explanation")) }
            p { a.button.danger href=(PROFILE_DELETE) { (self.l10n.text("profile-delete-button")) } }
        }
    }

    /// Returns the errors of a section's form.
    fn errors(&self, section: ProfileSection) -> Option<&FormErrors> {
        let refused = self.outcome.refused.as_ref();
        refused
            .filter(|refused| refused.section == section)
            .map(|refused| &refused.errors)
    }

    /// Returns the value that was sent in a form with errors, or else the stored one.
    fn field_value<'t>(&'t self, section: ProfileSection, name: &str, stored: &'t str) -> &'t str {
        let refused = self.outcome.refused.as_ref();
        let refused = refused.filter(|refused| refused.section == section);
        refused.map_or(stored, |refused| refused.form.value(name))
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

/// Renders a token. The accessible name of its button includes the token's name.
fn token_item(l10n: &Localizer, number: usize, token: &ProfileToken) -> Markup {
    let (name, button) = (format!("t{number}"), format!("r{number}"));
    let scope = match token.scope {
        Some(Scope::Playback) => "token-playback-only",
        Some(Scope::Read) => "token-read-only",
        None | Some(Scope::ReadWrite) => "token-read-and-write",
    };
    let used = token.used_on.map_or_else(
        || l10n.text("token-not-used"),
        |day| l10n.format("token-used", [("date", l10n.unix_date(day * DAY_S).into())]),
    );
    let parts = [
        ("scope", l10n.text(scope).into()),
        ("created", l10n.unix_date(token.created_at / 1000).into()),
        ("expires", l10n.unix_date(token.expires_at()).into()),
        ("used", used.into()),
    ];
    html! {
        li {
            div { strong id=(name) { (token.name) } small { (l10n.format("token-note", parts)) } }
            button id=(button) aria-labelledby={ (button) " " (name) } name="token_id" value=(token.token_id) {
                (l10n.text("token-revoke"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use accounts::ConnectedClient;
    use axum::http::StatusCode;
    use maud::Markup;
    use pages::language::Localizer;
    use pages::layout::Page;
    use shared::auth::Scope;
    use shared::clock::Clock;
    use shared::models::{Gender, PerTracker, Role, TrackerName, User, UserId};
    use store::{Link, LinkReport, ProfileToken};
    use trackers::{ClientSecrets, Config, SecretSource, Trackers, Waiter};

    use super::{ProfileOutcome, ProfileView, Visibility};

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
            needs_reconnect: false,
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

    fn body(connected: usize, tokens: u32, outcome: &ProfileOutcome<'_>) -> Markup {
        let connection = |number: usize| ConnectedClient {
            client_id: format!("{number:020}"),
            name: "A long name, though not the longest".to_owned(),
            connected_at: 1_700_000_000_000,
            scope: Scope::Read,
        };
        let view = ProfileView {
            l10n: &Localizer::default(),
            user: &user(),
            visibility: Visibility::Private,
            links: &TrackerName::ALL.map(link),
            trackers: &trackers(),
            connected: &(0..connected).map(connection).collect::<Vec<_>>(),
            tokens: &(0..tokens).map(token).collect::<Vec<_>>(),
            public_url: "https://kiroku.test",
            csrf: &"c".repeat(43),
            outcome,
        };
        view.body()
    }

    #[tokio::test]
    async fn a_page_with_many_applications_and_tokens_is_small() {
        let token = "t".repeat(500);
        let outcome = ProfileOutcome {
            token: Some((&token, 1_797_811_200)),
            ..ProfileOutcome::default()
        };
        let body = body(100, 25, &outcome);
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
        let page = page.respond(StatusCode::OK).into_body();
        let size = axum::body::to_bytes(page, usize::MAX).await.unwrap().len();
        assert!(size < 30_000, "{size}");
    }

    #[test]
    fn no_token_is_shown_before_it_is_asked_for() {
        let html = body(0, 0, &ProfileOutcome::default()).into_string();
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
