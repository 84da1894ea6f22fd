//! Rendering of the page `/profile/developer`.

use accounts::grants::{MAX_PROFILE_TOKENS, ProfileToken};
use maud::{Markup, html};
use pages::form::{PostForm, translate_choices};
use pages::form_page::PageForms;
use pages::language::Localizer;
use pages::layout::{Control, Field, copyable_text, csrf_field, text_shown_once};
use pages::paths::{
    DEVELOPER, PROFILE_DEVELOPER, PROFILE_TOKEN, PROFILE_TOKEN_REVOKE, PROVE, REFERENCE,
};
use pages::profile_part::section;
use pages::return_path::with_next;
use shared::auth::{DAY_S, Scope};

/// The scopes of tokens: form value and message.
const SCOPES: [(&str, &str); 3] = [
    (Scope::Read.name(), "token-scope-read"),
    (Scope::Playback.name(), "token-scope-playback"),
    (Scope::ReadWrite.name(), "token-scope-write"),
];

/// The data of the page.
pub(super) struct DeveloperView<'a> {
    pub forms: &'a PageForms,
    /// The valid tokens.
    pub tokens: &'a [ProfileToken],
    pub public_url: &'a str,
    /// True if the user can make a token: the proof is fresh.
    pub has_proof: bool,
    /// A new access token, and its expiry in seconds since the Unix epoch.
    pub created: Option<&'a (String, u64)>,
}

impl DeveloperView<'_> {
    pub(super) fn body(&self) -> Markup {
        let l10n = &self.forms.l10n;
        html! {
            (self.forms.notice())
            (section(l10n, "token", "token-heading", &self.tokens()))
            (section(l10n, "own-applications", "page-applications", &self.applications()))
        }
    }

    fn tokens(&self) -> Markup {
        let l10n = &self.forms.l10n;
        let me = format!(
            "curl {}/v1/auth/me -H 'authorization: Bearer TOKEN'",
            self.public_url
        );
        let oauth = html! { a href=(DEVELOPER) { "OAuth" } };
        let placeholder = html! { code { "TOKEN" } };
        html! {
            p { (l10n.markup("token-explanation", [("oauth", oauth)])) }
            @if let Some((token, expires_at)) = self.created {
                (text_shown_once(l10n, "new-token", &l10n.text("token-new"), &l10n.text("token-new-copy"), token))
                p { (l10n.format("token-new-hint", [("date", l10n.unix_date(*expires_at).into())])) }
            }
            @if !self.tokens.is_empty() {
                form method="post" action=(PROFILE_TOKEN_REVOKE) {
                    (csrf_field(&self.forms.csrf))
                    ul.entries {
                        @for (number, token) in self.tokens.iter().enumerate() { (token_item(l10n, number, token)) }
                    }
                }
            }
            (self.new_token())
            p { (l10n.markup("token-use", [("token", placeholder)])) }
            (copyable_text(l10n, "use-token", &l10n.text("copy-command"), &me))
            p.hint { (l10n.format("token-limits", [("count", MAX_PROFILE_TOKENS.into())])) }
        }
    }

    fn new_token(&self) -> Markup {
        let l10n = &self.forms.l10n;
        if !self.has_proof {
            let prove = with_next(PROVE, Some(PROFILE_DEVELOPER));
            let prove = html! { a href=(prove) { (l10n.text("token-prove-link")) } };
            return html! { p { (l10n.markup("token-prove", [("prove", prove)])) } };
        }
        let scopes = translate_choices(l10n, SCOPES);
        // After a token was made, the form is empty again.
        let value = |name, default| self.forms.value(PROFILE_TOKEN, name, default);
        let fields = [
            Field::new(l10n, "name", Control::TextLine, "account-name")
                .with_hint(l10n.text("token-name-hint"))
                .with_value(value("name", "")),
            Field::new(l10n, "scope", Control::Radio(scopes), "token-scope")
                .with_value(value("scope", Scope::Read.name())),
        ];
        html! {
            (PostForm {
                fields: &fields,
                ..self.forms.post(PROFILE_TOKEN, "token-create")
            })
        }
    }

    fn applications(&self) -> Markup {
        let l10n = &self.forms.l10n;
        html! {
            p { (l10n.text("profile-applications")) }
            div.actions {
                a.button.secondary href=(DEVELOPER) { (l10n.text("profile-applications-link")) }
                a.row href=(REFERENCE) { (l10n.text("profile-reference")) }
            }
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
    use accounts::grants::ProfileToken;
    use pages::form_page::PageForms;

    use super::DeveloperView;

    fn token(number: u32) -> ProfileToken {
        let token = serde_json::json!({
            "user_id": 1, "client_id": format!("token:{number:02}"), "token_generation": 0,
            "token_id": format!("6553f100.{}", "t".repeat(22)), "scope": "read write",
            "name": "A long name, though not the longest", "created_at": 1_700_000_000_000_u64,
            "used_on": 19_676
        });
        serde_json::from_value(token).unwrap()
    }

    fn body(tokens: u32, created: Option<&(String, u64)>) -> String {
        let mut forms = PageForms::default();
        forms.csrf = "c".repeat(43);
        let view = DeveloperView {
            forms: &forms,
            tokens: &(0..tokens).map(token).collect::<Vec<_>>(),
            public_url: "https://kiroku.test",
            has_proof: true,
            created,
        };
        view.body().into_string()
    }

    /// A page has at most 30,000 bytes, of which its frame takes less than 6,000.
    #[test]
    fn page_with_many_tokens_is_small() {
        let created = ("t".repeat(500), 1_797_811_200);
        let html = body(25, Some(&created));
        assert_eq!(html.matches("Revoke</button>").count(), 25);
        assert!(html.contains("last used 15 November 2023"), "{html}");
        assert!(html.contains("Valid until 21 December 2026"), "{html}");
        assert!(html.len() < 24_000, "{}", html.len());
    }

    #[test]
    fn no_token_is_shown_before_it_is_asked_for() {
        let html = body(0, None);
        assert!(!html.contains("new-token"), "{html}");
    }
}
