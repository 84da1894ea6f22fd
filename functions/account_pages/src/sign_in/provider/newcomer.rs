//! A person who has signed in at the provider and has no account of this service: the page that asks for a name, and
//! the new account.

use std::sync::Arc;

use accounts::sessions::ProviderSession;
use accounts::sign_in::{CEREMONY_S, CeremonyContext, CeremonyKind};
use accounts::throttling::REGISTRATIONS_PER_NETWORK;
use accounts::users::{Account, NewAccount, UserStore};
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use maud::html;
use openid::{Person, Provider};
use page_parts::door::door;
use page_parts::sign_in::local_page;
use pages::error::PageResult;
use pages::form::PostForm;
use pages::form_page::FormPage;
use pages::layout::{Control, Field, Page, PageKind};
use pages::paths::{SIGN_IN_PROVIDER_NEW, WELCOME};
use pages::response::{begin_session, redirect_after_sign_in};
use pages::return_path::may_redirect_away;
use pages::sessions::Visitor;
use serde::{Deserialize, Serialize};
use shared::Result;
use shared::auth::CallerAddress;
use shared::input::Form;
use shared::models::{EmailAddress, Factors, Gender, Identity, Role, Username};

use super::failure::{CeremonyError, Failure};
use super::person::{email_of, identity_of, provider, role_of, session_of};
use super::view::respond;
use crate::state::AccountState;

/// The name of a person whose preferred name has no allowed character.
const DEFAULT_NAME: &str = "user";

/// The maximum length of the beginning of a name, so that a number can follow.
const MAX_STEM: usize = 26;

/// The number of numbered names that are tried before a random one.
const NUMBERED_NAMES: u32 = 5;

/// A person who may create an account: the state of the form.
#[derive(Serialize, Deserialize)]
struct PendingSignUp {
    identity: Identity,
    /// The address that needs no link to verify it.
    verified_email: Option<String>,
    role: Role,
    #[serde(default)]
    session: ProviderSession,
    next: Option<String>,
    /// The time at which the role and the address are too old, in seconds since the Unix epoch. Each page with errors
    /// has a new state, which would otherwise extend this time.
    ends_at: u64,
}

fn sign_up_at(browser: &str) -> CeremonyContext<'_> {
    CeremonyContext {
        kind: CeremonyKind::SignUpWithProvider,
        browser,
        user: None,
    }
}

/// Returns the page that asks a person for the name of the new account.
pub(super) async fn ask(
    state: &AccountState,
    provider: &Provider,
    visitor: &Visitor,
    person: Person,
    next: Option<&str>,
) -> Result<Response, CeremonyError> {
    if !state.may_register_with_provider() {
        return Err(Failure::NoAccount.into());
    }
    let name = find_free_name(state, &suggested_stem(&person)).await?;
    let email = email_of(&person);
    let email = email.as_ref().map(EmailAddress::as_str);
    let is_verified = provider.settings.trusts_email && person.email_verified;
    let newcomer = PendingSignUp {
        identity: identity_of(state, provider, &person),
        verified_email: email.filter(|_| is_verified).map(str::to_owned),
        role: role_of(provider, &person, Role::Basic),
        session: session_of(provider, person.session),
        next: next.map(str::to_owned),
        ends_at: state.accounts.clock.now_s() + CEREMONY_S,
    };
    let typed = [name.as_str(), email.unwrap_or_default()];
    let page = FormPage::new(&state.sessions, visitor.clone(), (), Uri::default());
    Ok(show(state, provider, &page, &newcomer, typed).await?)
}

/// `POST /sign-in/provider/new`: creates the account.
pub(crate) async fn sign_up(
    State(state): State<Arc<AccountState>>,
    address: CallerAddress,
    page: FormPage<()>,
) -> PageResult {
    // The button was pressed twice, or the user signed in from another tab.
    if state.sessions.find(&page.visitor).await?.is_some() {
        return redirect_after_sign_in(&state.sessions, None);
    }
    let visitor = page.visitor.clone();
    let created = create(&state, page, address).await;
    respond(&state, &visitor, None, None, created)
}

async fn create(
    state: &AccountState,
    page: FormPage<()>,
    address: CallerAddress,
) -> Result<Response, CeremonyError> {
    let provider = provider(state)?;
    let (browser, form) = (page.browser_id(), &page.forms.sent);
    let (at, text) = (sign_up_at(&browser), form.value("state"));
    let newcomer: Option<PendingSignUp> = state.ceremonies.read(at, text).await?;
    let now = state.accounts.clock.now_s();
    let newcomer = newcomer.filter(|newcomer| newcomer.ends_at > now);
    let newcomer = newcomer.ok_or(Failure::Expired)?;
    if !state.may_register_with_provider() {
        return Err(Failure::NoAccount.into());
    }
    let create = async {
        let attempts = &state.accounts.attempts;
        attempts
            .count_by_network("register", address, REGISTRATIONS_PER_NETWORK)
            .await?;
        let (username, email) = read_names(form)?;
        state.accounts.users.check_free(&username, &email).await?;
        let used: Option<PendingSignUp> = state.ceremonies.finish(at, text).await?;
        match used {
            Some(_) => add_account(state, &page, &newcomer, username, email)
                .await
                .map(Some),
            None => Ok(None),
        }
    };
    let error = match create.await {
        Ok(Some(account)) => {
            let attempts = &state.accounts.attempts;
            attempts.remember_address(account.user.id, address).await?;
            let next = newcomer.next.as_deref().or(Some(WELCOME));
            // The account is new and has no data to protect, so the sign-in that creates it counts as a proof.
            let visitor = page.visitor.at_provider(newcomer.session);
            return Ok(begin_session(&state.sessions, &visitor, &account, next).await?);
        }
        Ok(None) => return Err(Failure::Expired.into()),
        Err(error) => error,
    };
    let page = page.with_errors(error)?;
    let typed = ["username", "email"].map(|name| page.forms.sent.value(name));
    Ok(show(state, provider, &page, &newcomer, typed).await?)
}

fn read_names(form: &Form) -> Result<(Username, EmailAddress)> {
    let mut fields = form.fields();
    let username = fields.read_with("username", |text| Username::new(text.trim()));
    let email = fields.read_with("email", |text| EmailAddress::new(text.trim()));
    fields.finish(username.zip(email))
}

async fn add_account(
    state: &AccountState,
    page: &FormPage<()>,
    newcomer: &PendingSignUp,
    username: Username,
    email: EmailAddress,
) -> Result<Account> {
    let users = &state.accounts.users;
    let verified = newcomer.verified_email.as_deref();
    let email_verified =
        verified.is_some_and(|verified| verified.eq_ignore_ascii_case(email.as_str()));
    let account = users
        .create(NewAccount {
            username,
            email,
            email_verified,
            password_hash: None,
            factors: Factors {
                identity: Some(newcomer.identity.clone()),
                ..Factors::default()
            },
            gender: Gender::Unknown,
            localization: page.forms.l10n.language().code().to_owned(),
            created_at: state.accounts.clock.now_ms(),
            invitation: None,
        })
        .await?;
    if newcomer.role != Role::Basic {
        users.set_role(account.user.id, newcomer.role).await?;
    }
    if !email_verified {
        state
            .account_service
            .send_first_verification(&account)
            .await;
    }
    Ok(account)
}

/// Returns a name that is allowed and free, made from the name that the person prefers. If another user takes it before
/// the form is sent, the form shows an error.
async fn find_free_name(state: &AccountState, stem: &str) -> Result<String> {
    let users = &state.accounts.users;
    if is_free(users, stem).await? {
        return Ok(stem.to_owned());
    }
    for number in 2..2 + NUMBERED_NAMES {
        let name = format!("{stem}{number}");
        if is_free(users, &name).await? {
            return Ok(name);
        }
    }
    Ok(format!("{stem}{}", state.random.below(1_000_000)))
}

async fn is_free(users: &UserStore, name: &str) -> Result<bool> {
    match Username::new(name) {
        Ok(name) => Ok(users.find_by_username(&name.folded()).await?.is_none()),
        Err(_) => Ok(false),
    }
}

/// Returns a name made from the first of the person's names at the provider that has enough allowed characters.
fn suggested_stem(person: &Person) -> String {
    let names = [&person.preferred_username, &person.nickname, &person.email];
    let mut stems = names
        .into_iter()
        .flatten()
        .filter_map(|name| name_stem(name));
    stems.next().unwrap_or_else(|| DEFAULT_NAME.to_owned())
}

/// Returns the allowed characters of a name; `None` if there are too few. If the text is an e-mail address, only the
/// part before the `@` is used, because names are public.
fn name_stem(text: &str) -> Option<String> {
    let part = text.split('@').next().unwrap_or_default();
    let is_allowed = |letter: &char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    let allowed = part.chars().map(|letter| {
        if letter == '.' || letter == ' ' {
            '-'
        } else {
            letter
        }
    });
    let stem: String = allowed.filter(is_allowed).take(MAX_STEM).collect();
    (stem.len() >= 3).then_some(stem)
}

/// Returns the page with the form. `typed` is the name and the e-mail address.
async fn show(
    state: &AccountState,
    provider: &Provider,
    page: &FormPage<()>,
    newcomer: &PendingSignUp,
    typed: [&str; 2],
) -> PageResult {
    let browser = page.browser_id();
    let text = state
        .ceremonies
        .begin(sign_up_at(&browser), newcomer)
        .await?;
    let l10n = &page.forms.l10n;
    let provider_name = || [("provider", provider.settings.name.as_str().into())];
    let [name, email] = typed;
    let fields = [
        Field::new(l10n, "username", Control::Username, "account-name")
            .with_hint(l10n.text("sign-up-name-hint"))
            .with_value(name),
        Field::new(l10n, "email", Control::Email, "account-email")
            .with_hint(l10n.format("provider-new-email-hint", provider_name()))
            .with_value(email),
    ];
    let title = l10n.text("provider-new-title");
    let sign_in = html! {
        a href=(local_page(newcomer.next.as_deref())) { (l10n.text("provider-new-sign-in")) }
    };
    let body = html! {
        p { (l10n.format("provider-new-explanation", provider_name())) }
        (PostForm {
            hidden: vec![("state", &text)],
            fields: &fields,
            ..page.forms.post(SIGN_IN_PROVIDER_NEW, "provider-new-button")
        })
        @if state.accounts.has_passwords {
            p { (l10n.markup("provider-new-has-account", [("sign-in", sign_in)])) }
        }
    };
    Ok(page.respond(Page {
        kind: PageKind::of_form(may_redirect_away(newcomer.next.as_deref())),
        ..page.page(&title, door(l10n, &body))
    }))
}

#[cfg(test)]
mod tests {
    use shared::models::Username;

    use super::{DEFAULT_NAME, MAX_STEM, name_stem};

    #[test]
    fn preferred_names_become_allowed_names() {
        for (preferred, name) in [
            ("taki", Some("taki")),
            ("Taki.Tachibana", Some("Taki-Tachibana")),
            ("taki@example.com", Some("taki")),
            ("立花瀧", None),
            ("", None),
            ("a\0b\nc\u{202e}d", Some("abcd")),
            ("<b>taki</b>", Some("btakib")),
            ("@@@", None),
        ] {
            let stem = name_stem(preferred);
            assert_eq!(stem.as_deref(), name);
            assert!(name.is_none_or(|name| Username::new(name).is_ok()));
        }
        assert_eq!(name_stem(&"x".repeat(300_000)).unwrap().len(), MAX_STEM);
        assert!(Username::new(DEFAULT_NAME).is_ok());
    }
}
