//! Signing in with an identity provider (docs/oauth.md, "Identity providers").
//!
//! A hyperlink leads to [`sign_in`], which redirects the visitor to the provider. The provider redirects the visitor
//! back to [`callback`] with a code. The links need no CSRF token, because they change nothing until the visitor
//! returns, and the encrypted state is bound to the browser in which the link was followed.

mod failure;
pub(crate) mod logout;
pub(crate) mod newcomer;
mod person;
pub(crate) mod sign_out;
mod view;

use std::sync::Arc;

use accounts::mail::SecurityEvent;
use accounts::sessions::SignedInUser;
use accounts::sign_in::{CeremonyContext, CeremonyKind};
use accounts::throttling::PROVIDER_RETURNS_PER_NETWORK;
use accounts::users::{Account, OtherSessions};
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use openid::{CLOCK_SKEW_S, LoginSecrets, Person, Provider};
use pages::error::PageResult;
use pages::paths::PROFILE_SECURITY;
use pages::response::{
    begin_session, leave_for, redirect_after_sign_in, see_notice, see_other, with_cookie,
};
use pages::return_path::read_return_path;
use pages::sessions::Visitor;
use serde::{Deserialize, Serialize};
use shared::auth::{Action, CallerAddress};
use shared::input::Params;
use shared::log_text::for_log;
use shared::models::{EmailAddress, Factors, Identity, Role};
use shared::{Error, Result};

use self::failure::{CeremonyError, Failure};
use self::person::{email_of, identity_of, is_same, provider, role_of, session_of};
use self::view::{respond, show_failure};
use crate::state::AccountState;

/// The state of a ceremony at the provider.
#[derive(Serialize, Deserialize)]
struct CeremonyState {
    purpose: CeremonyPurpose,
    login: LoginSecrets,
    /// The path that the visitor returns to.
    next: Option<String>,
    /// The time of the beginning, in seconds since the Unix epoch.
    started_at: u64,
}

/// The purpose of a ceremony at the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum CeremonyPurpose {
    /// A visitor signs in or creates an account.
    SignIn,
    /// A signed-in user connects the account at the provider.
    Connect,
    /// A signed-in user makes a proof (docs/oauth.md, "Proofs").
    Prove,
}

/// `GET /sign-in/provider`: redirects the visitor to the provider to sign in.
pub(crate) async fn sign_in(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    uri: Uri,
) -> PageResult {
    let next = read_return_path(&uri);
    if state.sessions.find(&visitor).await?.is_some() {
        return redirect_after_sign_in(&state.sessions, next.as_deref());
    }
    begin(&state, visitor, None, CeremonyPurpose::SignIn, next).await
}

/// `GET /sign-in/provider/prove`: redirects a signed-in user to the provider for a proof.
pub(crate) async fn prove(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    uri: Uri,
) -> PageResult {
    let next = read_return_path(&uri).unwrap_or_else(|| PROFILE_SECURITY.to_owned());
    let owner = state.sessions.require_user(&visitor, &next).await?;
    let purpose = CeremonyPurpose::Prove;
    begin(&state, visitor, Some(&owner), purpose, Some(next)).await
}

/// Redirects the visitor to the provider.
pub(crate) async fn begin(
    state: &AccountState,
    visitor: Visitor,
    owner: Option<&SignedInUser>,
    purpose: CeremonyPurpose,
    next: Option<String>,
) -> PageResult {
    let provider = provider(state)?;
    // The state is bound to the cookie, so a visitor without a cookie gets one.
    let csrf = state.sessions.csrf(&visitor);
    let browser = state
        .sessions
        .browser_with(&visitor, csrf.set_cookie.as_ref());
    let ceremony = CeremonyState {
        purpose,
        login: provider.new_login(),
        next,
        started_at: state.accounts.clock.now_s(),
    };
    let redirect = async {
        let text = state
            .ceremonies
            .begin(at_provider(&browser, owner), &ceremony)
            .await?;
        let asks_again = purpose == CeremonyPurpose::Prove;
        let address = provider
            .authorization_url(&ceremony.login, text, asks_again)
            .await?;
        Ok(leave_for(&address)?)
    };
    let next = ceremony.next.as_deref();
    let response = respond(state, &visitor, owner, next, redirect.await)?;
    Ok(match csrf.set_cookie {
        Some(cookie) => with_cookie(response, &cookie),
        None => response,
    })
}

/// `GET /sign-in/provider/callback`: the redirect URI for the provider.
pub(crate) async fn callback(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    address: CallerAddress,
    uri: Uri,
) -> PageResult {
    let provider = provider(&state)?;
    let mut params = Params::parse(uri.query().unwrap_or_default());
    let owner = state.sessions.find(&visitor).await?;
    let text = params.token("state").unwrap_or_default();
    let browser = state.sessions.browser_id(&visitor);
    let ceremony: Option<CeremonyState> = match &browser {
        Some(browser) => {
            let context = at_provider(browser, owner.as_ref());
            state.ceremonies.finish(context, &text).await?
        }
        None => None,
    };
    let Some(ceremony) = ceremony else {
        return show_failure(&state, &visitor, owner.as_ref(), None, &Failure::Expired);
    };
    let next = ceremony.next.as_deref();
    let result = async {
        // Each attempt calls the provider.
        let attempts = &state.accounts.attempts;
        attempts
            .count_by_network("provider", address, PROVIDER_RETURNS_PER_NETWORK)
            .await?;
        let person = find_person(provider, &ceremony, &mut params).await?;
        match (ceremony.purpose, &owner) {
            (CeremonyPurpose::SignIn, _) => {
                finish_sign_in(&state, provider, &visitor, address, person, next).await
            }
            (CeremonyPurpose::Connect, Some(owner)) => {
                connect(&state, provider, owner, &person).await
            }
            (CeremonyPurpose::Prove, Some(owner)) => {
                finish_proof(&state, owner, &ceremony, &person).await
            }
            (CeremonyPurpose::Connect | CeremonyPurpose::Prove, None) => {
                Err(state.sessions.sign_in_first(PROFILE_SECURITY).into())
            }
        }
    };
    respond(&state, &visitor, owner.as_ref(), next, result.await)
}

fn at_provider<'b>(browser: &'b str, owner: Option<&SignedInUser>) -> CeremonyContext<'b> {
    CeremonyContext {
        kind: CeremonyKind::VisitProvider,
        browser,
        user: owner.map(|owner| owner.credential.user_id),
    }
}

/// Exchanges the code in the provider's redirect, and returns the person.
async fn find_person(
    provider: &Provider,
    ceremony: &CeremonyState,
    params: &mut Params,
) -> Result<Person, CeremonyError> {
    // A response of another issuer (RFC 9207).
    if params
        .token("iss")
        .is_some_and(|issuer| issuer != provider.settings.issuer)
    {
        return Err(Failure::Refused.into());
    }
    if let Some(error) = params.token("error") {
        // The browser sends it, so it can be any text.
        let code = for_log(&error);
        tracing::info!(code, "the identity provider returned an error");
        return Err(match error.as_str() {
            "access_denied" | "login_required" | "interaction_required" => Failure::Denied,
            "temporarily_unavailable" | "server_error" => Failure::Unavailable,
            _ => Failure::Refused,
        }
        .into());
    }
    let code = params.token("code").ok_or(Failure::Refused)?;
    let person = provider.finish(&ceremony.login, code).await?;
    let rule = provider.settings.roles.as_ref();
    if rule.is_some_and(|rule| !rule.allows(person.roles.as_deref())) {
        return Err(Failure::NotAllowed.into());
    }
    Ok(person)
}

/// Signs in the user whose account at the provider this is. A person without a user can create one.
async fn finish_sign_in(
    state: &AccountState,
    provider: &Provider,
    visitor: &Visitor,
    address: CallerAddress,
    person: Person,
    next: Option<&str>,
) -> Result<Response, CeremonyError> {
    let users = &state.accounts.users;
    let identity = identity_of(state, provider, &person);
    let known = match users.find_by_identity(&identity).await? {
        Some(id) => users.account(id).await?,
        None => None,
    };
    // The user may have just disconnected the account.
    let known = known.filter(|account| {
        let connected = account.factors.identity.as_ref();
        connected.is_some_and(|connected| is_same(connected, &identity))
    });
    let known = match known {
        Some(account) => Some(account),
        None => connect_by_email(state, provider, &person, identity).await?,
    };
    let Some(account) = known else {
        return newcomer::ask(state, provider, visitor, person, next).await;
    };
    update_role(state, provider, &account, &person).await?;
    let attempts = &state.accounts.attempts;
    attempts.remember_address(account.user.id, address).await?;
    // A session at the provider is not a proof: the computer may be unlocked, for example. If the provider does not
    // state when the user signed in, the sign-in may rest on an older session.
    let now = state.accounts.clock.now_s();
    let proved_at = person.signed_in_at.unwrap_or_default().min(now);
    let visitor = visitor.clone().proved_at(proved_at);
    let visitor = visitor.at_provider(session_of(provider, person.session));
    Ok(begin_session(&state.sessions, &visitor, &account, next).await?)
}

/// Connects the account with the e-mail address of a person, if the operator trusts the provider's addresses. The
/// address must also be verified by this service: otherwise, a stranger could have registered with the address of
/// another person, who would then use the stranger's account.
async fn connect_by_email(
    state: &AccountState,
    provider: &Provider,
    person: &Person,
    identity: Identity,
) -> Result<Option<Account>> {
    if !(provider.settings.trusts_email && person.email_verified) {
        return Ok(None);
    }
    let users = &state.accounts.users;
    // An account can have the address with the capital letters of the provider, or in lower case.
    let sent = person.email.as_deref();
    let sent = sent.and_then(|email| EmailAddress::new(email).ok());
    let mut found = None;
    for email in sent.into_iter().chain(email_of(person)) {
        if found.is_none() {
            let id = users.find_by_email(&email).await?;
            found = id.map(|id| (id, email));
        }
    }
    let Some((id, email)) = found else {
        return Ok(None);
    };
    let account = users.account(id).await?;
    let account = account.filter(|account| {
        account.email == email.as_str()
            && account.email_verified
            && !is_connected(provider, account)
    });
    if let Some(account) = &account {
        users.connect_identity(account, identity).await?;
        let name = &provider.settings.name;
        let event = SecurityEvent::ProviderConnected(name);
        state.account_service.notify(account, event).await;
    }
    Ok(account)
}

/// Gives a user the role that the claims of the person state, if the operator has named such a claim.
async fn update_role(
    state: &AccountState,
    provider: &Provider,
    account: &Account,
    person: &Person,
) -> Result<()> {
    let role = role_of(provider, person, account.user.role);
    if role == account.user.role {
        return Ok(());
    }
    let (id, users) = (account.user.id, &state.accounts.users);
    let is_changed = match account.user.role {
        Role::Administrator => users.demote_administrator(id, role).await?,
        _ => users.set_role(id, role).await?,
    };
    if is_changed {
        tracing::info!(
            user = id.get(),
            role = u8::from(role),
            "the identity provider has changed the role of a user"
        );
    } else {
        tracing::warn!(
            user = id.get(),
            "the last administrator keeps the role without the claim"
        );
    }
    Ok(())
}

/// Connects the account at the provider to a signed-in user, whose proof was made before the ceremony.
async fn connect(
    state: &AccountState,
    provider: &Provider,
    owner: &SignedInUser,
    person: &Person,
) -> Result<Response, CeremonyError> {
    let seen = &owner.account.factors;
    // The proof may have become old at the provider.
    state.sessions.require_proof(owner, PROFILE_SECURITY)?;
    if is_connected(provider, &owner.account) {
        return Err(Failure::Connected.into());
    }
    let new = Factors {
        identity: Some(identity_of(state, provider, person)),
        ..seen.clone()
    };
    let access = owner.access(Action::ChangePassword);
    let users = &state.accounts.users;
    let change = users.change_factors(&access, seen, new, OtherSessions::Keep);
    match change.await {
        Ok(()) => {}
        Err(Error::Conflict(_)) => return Err(Failure::Taken.into()),
        Err(error) => return Err(error.into()),
    }
    let event = SecurityEvent::ProviderConnected(&provider.settings.name);
    state.notify(owner, event).await;
    let page = format!("{PROFILE_SECURITY}?done=provider-connected");
    Ok(see_notice(&state.sessions, &page)?)
}

/// Returns true if a user has connected an account at this provider. An account at an earlier provider of this server
/// is useless, and is replaced.
fn is_connected(provider: &Provider, account: &Account) -> bool {
    let issuer = &provider.settings.issuer;
    account.factors.identity_at(issuer).is_some()
}

/// Records the proof of a user who has signed in at the provider again.
async fn finish_proof(
    state: &AccountState,
    owner: &SignedInUser,
    ceremony: &CeremonyState,
    person: &Person,
) -> Result<Response, CeremonyError> {
    let provider = provider(state)?;
    let identity = identity_of(state, provider, person);
    let connected = owner.account.factors.identity.as_ref();
    if !connected.is_some_and(|connected| is_same(connected, &identity)) {
        return Err(Failure::OtherPerson.into());
    }
    // Without this check, a session at the provider would be enough, for example on an unlocked computer, because the
    // browser could leave out the parameter that asks for a new sign-in.
    let time = person.signed_in_at.ok_or(Failure::NoTime)?;
    if time.saturating_add(CLOCK_SKEW_S) < ceremony.started_at {
        return Err(Failure::NotAgain.into());
    }
    state.sessions.record_proof(owner).await?;
    let next = ceremony.next.as_deref().unwrap_or(PROFILE_SECURITY);
    Ok(see_other(&state.sessions, next)?)
}
