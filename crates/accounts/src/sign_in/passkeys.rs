//! Passkeys: adding, changing and using them (Web Authentication, Level 3; docs/oauth.md, "Passkeys").
//!
//! A passkey belongs to the relying party, which is the host of the public URL. The service asks for discoverable
//! credentials, so that a user signs in without typing a name, and requires that the authenticator verifies the user,
//! so that a passkey is enough alone. It asks for no attestation. `last_way_in.rs` removes passkeys.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::auth::CallerAddress;
use shared::input::Fields;
use shared::log_text::{for_log, without_values};
use shared::models::{Factors, Passkey, UserId};
use shared::{Error, Missing, Result};
use webauthn_rs::prelude::{
    COSEKey, DiscoverableAuthentication, Passkey as LibraryPasskey, PasskeyRegistration,
    PublicKeyCredential, RegisterPublicKeyCredential, Url, Uuid, Webauthn, WebauthnBuilder,
    WebauthnError,
};

use super::ceremony::{Ceremonies, CeremonyContext, CeremonyKind};
use crate::applications::registered::parse_name;
use crate::mail::security_mail::SecurityEvent;
use crate::service::accounts::AccountService;
use crate::sessions::signed_in::SignedInUser;
use crate::throttling::attempts::PASSKEY_USES_PER_NETWORK;
use crate::users::factors::OtherSessions;
use crate::users::user::Account;

/// The maximum length of a passkey's name, in characters.
const MAX_PASSKEY_NAME: usize = 64;

/// The maximum length of a credential's identifier, in bytes (Web Authentication, section 4, "Credential ID").
const MAX_CREDENTIAL_ID: usize = 1023;

/// The maximum number of tries to write a change, if others change the factors of the same user at the same time.
pub(super) const ATTEMPTS: usize = 4;

/// The first half of every user handle: `kiroku` in ASCII, and the version of a UUID with a custom layout (RFC 9562,
/// section 5.8).
const HANDLE_PREFIX: u64 = 0x6b69_726f_6b75_8000;

/// The variant of a UUID, in the second half of every user handle (RFC 9562, section 4.1). The user's identifier takes
/// the other bits.
const HANDLE_VARIANT: u64 = 0x8000_0000_0000_0000;

/// The reason for refusing a passkey whose signature counter went back.
const COPIED: &str =
    "was refused, because there may be a copy of it; sign in another way and remove it";

/// The purpose of a passkey's use. A challenge for one purpose cannot be used for another.
#[derive(Clone, Copy, Debug)]
pub enum PasskeyUse<'u> {
    /// Signing in. The passkey says who the user is.
    SignIn,
    /// A proof that the user of a session is the owner of this account.
    Proof(&'u Account),
}

/// The purpose of a new passkey. A request for one purpose cannot be used for another.
#[derive(Clone, Copy, Debug)]
pub enum NewPasskey {
    /// A visitor signs up, and gets an account with the passkey.
    SignUp,
    /// A signed-in user adds the passkey to this account.
    Add(UserId),
}

impl NewPasskey {
    fn context(self, browser: &str) -> CeremonyContext<'_> {
        match self {
            Self::SignUp => CeremonyKind::SignUpWithPasskey.context(browser, None),
            Self::Add(user) => CeremonyKind::AddPasskey.context(browser, Some(user)),
        }
    }
}

/// The user that gets a passkey, as the authenticator shows it.
#[derive(Clone, Copy, Debug)]
pub struct PasskeyUser<'u> {
    /// The identifier, which the authenticator keeps as the user handle.
    pub id: UserId,
    /// The username.
    pub username: &'u str,
    /// The passkeys that the user already has, so that no authenticator makes a second passkey.
    pub passkeys: &'u [Passkey],
}

/// A request to the browser to make or to use a passkey.
#[derive(Clone, Debug)]
pub struct PasskeyRequest {
    /// The options for the browser, as JSON.
    pub options: String,
    /// The encrypted state of the ceremony.
    pub state: String,
}

/// The browser's response to a [`PasskeyRequest`].
#[derive(Clone, Copy, Debug)]
pub struct PasskeyResponse<'r> {
    /// The identifier of the session or of the browser.
    pub browser: &'r str,
    /// [`PasskeyRequest::state`].
    pub state: &'r str,
    /// The credential, as JSON.
    pub credential: &'r str,
}

/// The operations on passkeys.
#[derive(Debug)]
pub struct Passkeys {
    /// `None` if the public URL cannot have passkeys.
    webauthn: Option<Webauthn>,
    /// The identifier of the relying party: the host of the public URL.
    host: String,
    account_service: Arc<AccountService>,
    ceremonies: Arc<Ceremonies>,
}

/// The state of a registration between the request and the response.
#[derive(Serialize, Deserialize)]
struct RegistrationState {
    user: UserId,
    state: PasskeyRegistration,
}

/// A credential as it is stored: what the library needs to check a signature and nothing else, such as the attestation.
#[derive(Serialize, Deserialize)]
struct StoredCredential {
    /// The relying party. It is missing in credentials that the library itself has serialized.
    #[serde(default)]
    rp: String,
    cred: COSEKey,
    counter: u32,
    backup_eligible: bool,
    backup_state: bool,
}

impl StoredCredential {
    fn of(passkey: &Passkey) -> Option<Self> {
        serde_json::from_str(&passkey.credential).ok()
    }

    fn from_library(passkey: &LibraryPasskey, host: &str) -> Result<Self> {
        let mut value = serde_json::to_value(passkey).map_err(Error::internal)?;
        let stored: Self = serde_json::from_value(value["cred"].take()).map_err(Error::internal)?;
        Ok(Self {
            rp: host.to_owned(),
            ..stored
        })
    }

    /// Returns the library's form. `id` is the identifier of the credential, in Base64url.
    fn to_library(&self, id: &str) -> Result<LibraryPasskey> {
        let credential = json!({
            "cred_id": id,
            "cred": self.cred,
            "counter": self.counter,
            "transports": null,
            "user_verified": true,
            "backup_eligible": self.backup_eligible,
            "backup_state": self.backup_state,
            "registration_policy": "required",
            "extensions": {},
            "attestation": { "data": "None", "metadata": "None" },
            "attestation_format": "none",
        });
        serde_json::from_value(json!({ "cred": credential })).map_err(Error::internal)
    }

    fn to_json(&self) -> Result<String> {
        serde_json::to_string(self).map_err(Error::internal)
    }
}

impl Passkeys {
    /// Creates the operations of the service at this public URL. Browsers have passkeys only for host names, not for IP
    /// addresses, and only over TLS or on the machine itself.
    pub fn new(
        public_url: &str,
        account_service: Arc<AccountService>,
        ceremonies: Arc<Ceremonies>,
    ) -> Self {
        let url = Url::parse(public_url).ok();
        let host = url.as_ref().and_then(Url::domain).unwrap_or_default();
        let is_local = host == "localhost" || host.ends_with(".localhost");
        let url = url
            .as_ref()
            .filter(|url| url.scheme() == "https" || is_local);
        let webauthn = url.and_then(|url| {
            let builder = WebauthnBuilder::new(host, url).ok()?;
            builder.rp_name("Kiroku").build().ok()
        });
        Self {
            webauthn,
            host: host.to_owned(),
            account_service,
            ceremonies,
        }
    }

    /// Returns true if the service can have passkeys.
    pub fn is_available(&self) -> bool {
        self.webauthn.is_some()
    }

    /// Returns the host of another public URL, if the passkey was made for one. Browsers offer it only there.
    pub fn other_host(&self, passkey: &Passkey) -> Option<String> {
        let host = StoredCredential::of(passkey).map(|stored| stored.rp);
        host.filter(|host| *host != self.host)
    }

    /// Returns true if the user can sign in with the passkey at this public URL.
    pub fn is_usable(&self, passkey: &Passkey) -> bool {
        self.is_available() && self.other_host(passkey).is_none()
    }

    /// Returns the descriptors of the passkeys that were made for this public URL.
    fn descriptors(&self, passkeys: &[Passkey]) -> Value {
        let here = passkeys.iter().filter(|passkey| self.is_usable(passkey));
        here.map(|passkey| json!({ "type": "public-key", "id": passkey.id }))
            .collect()
    }

    fn webauthn(&self) -> Result<&Webauthn> {
        self.webauthn.as_ref().ok_or(Error::Forbidden(
            "This server has no passkeys, because its address is not a host name with HTTPS.",
        ))
    }

    /// Asks the browser to make a passkey for a user.
    ///
    /// # Errors
    /// [`Error::Forbidden`] if the service has no passkeys.
    pub async fn begin_registration(
        &self,
        browser: &str,
        purpose: NewPasskey,
        user: PasskeyUser<'_>,
    ) -> Result<PasskeyRequest> {
        let (challenge, state) = self
            .webauthn()?
            .start_passkey_registration(user_handle(user.id), user.username, user.username, None)
            .map_err(Error::internal)?;
        let mut options = serde_json::to_value(challenge.public_key).map_err(Error::internal)?;
        // The library asks for a discoverable credential only together with attestation.
        options["authenticatorSelection"] = json!({
            "residentKey": "required", "requireResidentKey": true, "userVerification": "required"
        });
        options["excludeCredentials"] = self.descriptors(user.passkeys);
        let state = RegistrationState {
            user: user.id,
            state,
        };
        let context = purpose.context(browser);
        Ok(PasskeyRequest {
            options: options.to_string(),
            state: self.ceremonies.begin(context, state).await?,
        })
    }

    /// Checks the browser's response to [`Self::begin_registration`]. Returns the user and the passkey, which is not
    /// stored yet.
    ///
    /// # Errors
    /// [`Error::Invalid`] that names `passkey`, or [`Error::Forbidden`].
    pub async fn finish_registration(
        &self,
        response: PasskeyResponse<'_>,
        purpose: NewPasskey,
        name: String,
    ) -> Result<(UserId, Passkey)> {
        let webauthn = self.webauthn()?;
        let credential: RegisterPublicKeyCredential = read_credential(response.credential)?;
        let context = purpose.context(response.browser);
        let state = self.ceremonies.finish(context, response.state).await?;
        let RegistrationState { user, state } = state.ok_or_else(expired)?;
        let registered = webauthn.finish_passkey_registration(&credential, &state);
        let created = registered.map_err(|error| refuse(&error))?;
        // An authenticator with an empty identifier could not be asked to use the passkey.
        if !(1..=MAX_CREDENTIAL_ID).contains(&created.cred_id().len()) {
            return Err(unreadable());
        }
        let passkey = Passkey {
            id: URL_SAFE_NO_PAD.encode(created.cred_id()),
            name,
            credential: StoredCredential::from_library(&created, &self.host)?.to_json()?,
            created_at: self.account_service.accounts.clock.now_ms(),
            used_at: None,
        };
        Ok((user, passkey))
    }

    /// Asks the browser to use a passkey.
    ///
    /// # Errors
    /// [`Error::Forbidden`] if the service has no passkeys.
    pub async fn begin_use(
        &self,
        browser: &str,
        purpose: PasskeyUse<'_>,
    ) -> Result<PasskeyRequest> {
        let started = self.webauthn()?.start_discoverable_authentication();
        let (challenge, state) = started.map_err(Error::internal)?;
        let mut options = serde_json::to_value(challenge.public_key).map_err(Error::internal)?;
        options["extensions"] = json!({});
        if let PasskeyUse::Proof(account) = purpose {
            options["allowCredentials"] = self.descriptors(&account.factors.passkeys);
        }
        let context = purpose.context(browser);
        Ok(PasskeyRequest {
            options: options.to_string(),
            state: self.ceremonies.begin(context, state).await?,
        })
    }

    /// Checks the browser's response to [`Self::begin_use`], records the use and returns the account. Tells the user by
    /// mail if the signature counter went back.
    ///
    /// # Errors
    /// [`Error::Invalid`] that names `passkey`, [`Error::TooManyRequests`], or [`Error::Forbidden`].
    pub async fn finish_use(
        &self,
        response: PasskeyResponse<'_>,
        purpose: PasskeyUse<'_>,
        address: CallerAddress,
    ) -> Result<Account> {
        let webauthn = self.webauthn()?;
        let attempts = &self.account_service.accounts.attempts;
        attempts
            .count_by_network("passkey", address, PASSKEY_USES_PER_NETWORK)
            .await?;
        let credential: PublicKeyCredential = read_credential(response.credential)?;
        let context = purpose.context(response.browser);
        let state = self.ceremonies.finish(context, response.state).await?;
        let state: DiscoverableAuthentication = state.ok_or_else(expired)?;
        let user = purpose.user_of(&credential).ok_or_else(unknown)?;
        let id = URL_SAFE_NO_PAD.encode(credential.get_credential_id());
        for _ in 0..ATTEMPTS {
            let account = self.account_service.accounts.users.account(user).await?;
            let account = account.ok_or_else(unknown)?;
            let mut factors = account.factors.clone();
            let mut passkeys = factors.passkeys.iter_mut();
            let passkey = passkeys.find(|passkey| passkey.id == id);
            let passkey = passkey.ok_or_else(unknown)?;
            let mut stored = StoredCredential::of(passkey).ok_or_else(unknown)?;
            let key = stored.to_library(&id)?;
            let used = match webauthn.finish_discoverable_authentication_v2(
                &credential,
                state.clone(),
                &key,
            ) {
                Ok(used) => used,
                Err(WebauthnError::CredentialPossibleCompromise) => {
                    let event = SecurityEvent::PasskeyCopied(&passkey.name);
                    self.account_service.notify(&account, event).await;
                    return Err(Error::invalid("passkey", COPIED));
                }
                Err(error) => return Err(refuse(&error)),
            };
            stored.counter = used.counter();
            stored.backup_state = used.backup_state();
            passkey.credential = stored.to_json()?;
            passkey.used_at = Some(self.account_service.accounts.clock.now_ms());
            let users = &self.account_service.accounts.users;
            // If the factors have changed meanwhile, the passkey may be gone, or its counter may be higher.
            if users
                .record_factor_use(user, &account.factors, factors)
                .await?
            {
                attempts.remember_address(user, address).await?;
                return Ok(account);
            }
        }
        Err(Error::Contended)
    }

    /// Adds a passkey to an account.
    ///
    /// # Errors
    /// [`Error::Conflict`] that names `passkey` if the user has too many passkeys or already has this one.
    pub async fn add(&self, owner: &SignedInUser, passkey: &Passkey) -> Result<()> {
        let add = |_: &Account, factors: &mut Factors| factors.add_passkey(passkey.clone());
        let accounts = &self.account_service.accounts;
        accounts
            .change_factors(owner, OtherSessions::Keep, add)
            .await
    }

    /// Gives a passkey another name.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn rename(&self, owner: &SignedInUser, id: &str, name: &str) -> Result<()> {
        let rename = |_: &Account, factors: &mut Factors| {
            let mut passkeys = factors.passkeys.iter_mut();
            let passkey = passkeys.find(|passkey| passkey.id == id);
            name.clone_into(&mut passkey.ok_or(Error::NotFound(Missing::Passkey))?.name);
            Ok(())
        };
        let accounts = &self.account_service.accounts;
        accounts
            .change_factors(owner, OtherSessions::Keep, rename)
            .await
    }
}

impl PasskeyUse<'_> {
    fn context(self, browser: &str) -> CeremonyContext<'_> {
        match self {
            Self::SignIn => CeremonyKind::SignInWithPasskey.context(browser, None),
            Self::Proof(account) => {
                CeremonyKind::ProveWithPasskey.context(browser, Some(account.user.id))
            }
        }
    }

    /// Returns the user of a credential. Authenticators may leave the user handle out if the request names credentials.
    fn user_of(self, credential: &PublicKeyCredential) -> Option<UserId> {
        let handle = credential.get_user_unique_id();
        let named = handle.map(user_of_handle);
        match (self, named) {
            (Self::SignIn, named) => named.flatten(),
            (Self::Proof(account), None) => Some(account.user.id),
            (Self::Proof(account), Some(named)) => named.filter(|id| *id == account.user.id),
        }
    }
}

/// Reads the field `name` of a form: 1 to 64 characters. Returns `None` if the name is invalid. Then `fields` holds the
/// error.
pub fn read_passkey_name(fields: &mut Fields) -> Option<String> {
    fields.read_with("name", |text| {
        parse_name(text, MAX_PASSKEY_NAME, "must have 1 to 64 characters")
    })
}

/// Returns the user handle, which authenticators keep with a passkey: a UUID that consists of a constant half and the
/// user's identifier. So no table is needed to find the user of a passkey, and the handle reveals nothing else about
/// the user.
fn user_handle(user: UserId) -> Uuid {
    Uuid::from_u64_pair(HANDLE_PREFIX, HANDLE_VARIANT | user.get())
}

fn user_of_handle(handle: &[u8]) -> Option<UserId> {
    let (prefix, rest) = Uuid::from_slice(handle).ok()?.as_u64_pair();
    let is_own = prefix == HANDLE_PREFIX && rest & HANDLE_VARIANT != 0;
    let user = UserId::new(rest & !HANDLE_VARIANT);
    user.filter(|_| is_own)
}

fn read_credential<T: serde::de::DeserializeOwned>(json: &str) -> Result<T> {
    serde_json::from_str(json).map_err(|_| unreadable())
}

fn unreadable() -> Error {
    Error::invalid("passkey", "could not be read; try again")
}

fn expired() -> Error {
    Error::invalid(
        "passkey",
        "took too long or has already been sent; try again",
    )
}

fn unknown() -> Error {
    Error::invalid("passkey", "is not known here; it may have been removed")
}

/// Returns the error for a response that the library refuses.
fn refuse(error: &WebauthnError) -> Error {
    let cause = for_log(&without_values(&error.to_string()));
    tracing::info!(cause, "a passkey was refused");
    let reason = match error {
        WebauthnError::InvalidRPOrigin | WebauthnError::InvalidRPIDHash => {
            "was used at another address than that of this server"
        }
        WebauthnError::UserNotVerified | WebauthnError::UserNotPresent => {
            "did not check that it is you; unlock it with a PIN, a fingerprint or your face"
        }
        _ => "could not be checked; try again",
    };
    Error::invalid("passkey", reason)
}

#[cfg(test)]
mod tests {
    use shared::models::UserId;

    use super::{user_handle, user_of_handle};

    #[test]
    fn user_handles_name_their_user() {
        for id in [UserId::new(1).unwrap(), UserId::LAST] {
            let handle = user_handle(id);
            assert_eq!(handle.get_version_num(), 8);
            assert_eq!(user_of_handle(handle.as_bytes()), Some(id));
        }
        let own = *user_handle(UserId::LAST).as_bytes();
        for position in [0, 5, 6, 8, 9] {
            let mut other = own;
            other[position] ^= 0x80;
            assert_eq!(user_of_handle(&other), None, "{position}");
        }
        assert_eq!(user_of_handle(&own[1..]), None);
        assert_eq!(user_of_handle(&[0; 16]), None);
    }
}
