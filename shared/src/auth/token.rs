//! JSON Web Tokens (RFC 7519). The service signs and verifies them; clients must treat them as opaque.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{
    Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, decode_header,
};
use serde::{Deserialize, Serialize};

use super::access::Access;
use super::credential::{Bearer, Credential, GrantedClient, ProfileTokenUse};
use super::keys::Keys;
use super::mac::Authenticator;
use super::permission::Action;
use super::scope::Scope;
use crate::clock::Clock;
use crate::models::UserId;
use crate::random::Random;
use crate::{Error, Result};

/// Lifetime of an access token, in seconds: 30 days (docs/api.md, "Limits").
pub const ACCESS_TOKEN_S: u64 = 30 * 24 * 60 * 60;

/// The length of a day, in seconds.
pub const DAY_S: u64 = 24 * 60 * 60;

/// Tolerance for differences between the clocks of servers, in seconds (docs/oauth.md, "Rule 27").
const LEEWAY_S: u64 = 60;

/// The signature algorithm. It is fixed and never read from a token (RFC 8725, section 3.1).
const ALGORITHM: Algorithm = Algorithm::HS256;

/// The purpose of a token. A token for one purpose is invalid for any other, because its type and audience differ
/// (RFC 8725, sections 3.9, 3.11 and 3.12).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenPurpose {
    /// Access to the API.
    Access,
    /// Proof that the user reads the account's mail: the token of a verification link.
    EmailVerification,
    /// Permission to choose a new password without the old one: the token of a reset link.
    PasswordReset,
}

impl TokenPurpose {
    /// Returns the value of the header `typ` (for access tokens: RFC 9068, section 2.1), the path at the end of
    /// the audience, and the lifetime in seconds.
    const fn properties(self) -> (&'static str, &'static str, u64) {
        match self {
            Self::Access => ("at+jwt", "/v1", ACCESS_TOKEN_S),
            Self::EmailVerification => (
                "email-verification+jwt",
                "/v1/auth/email_verification",
                24 * 60 * 60,
            ),
            Self::PasswordReset => ("password-reset+jwt", "/v1/auth/password_reset", 60 * 60),
        }
    }

    /// Returns the lifetime of a token with this purpose, in seconds.
    pub const fn lifetime_s(self) -> u64 {
        self.properties().2
    }
}

/// The claims of a token (RFC 7519, section 4.1, and RFC 9068, section 2.2).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Claims {
    /// Issuer: the service's public URL.
    pub iss: String,
    /// Audience: the service's public URL, followed by a path that depends on the purpose.
    pub aud: String,
    /// Subject: the user's identifier.
    pub sub: String,
    /// Time of signing, in seconds since the Unix epoch.
    pub iat: u64,
    /// Time of expiry, in seconds since the Unix epoch.
    pub exp: u64,
    /// The token's identifier ([`Tokens::new_id`]).
    pub jti: String,
    /// The version that the token requires: in an access token the generation of the user's tokens, in a reset link the
    /// version of the password, and in a verification link 0.
    pub ver: u64,
    /// The OAuth client to which the token was issued; absent from every token that was not issued to a client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// The generation of the tokens of the user's grant to that client; absent from every token that was not issued
    /// to a client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant_ver: Option<u64>,
    /// The scope of the token (RFC 9068, section 2.2.3); absent if none was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// The slot of a profile token: its number among the user's profile tokens; absent from every other token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<u8>,
}

/// Signs and verifies tokens.
#[derive(Debug)]
pub struct Tokens {
    keys: Arc<Keys>,
    issuer: String,
    clock: Clock,
    random: Random,
}

impl Tokens {
    /// Returns a signer for the service at this public URL, which is the issuer.
    pub fn new(keys: Keys, public_url: &str, clock: Clock, random: Random) -> Self {
        Self {
            keys: Arc::new(keys),
            issuer: public_url.to_owned(),
            clock,
            random,
        }
    }

    /// Returns the service's public URL, without a slash at its end.
    pub fn public_url(&self) -> &str {
        &self.issuer
    }

    /// Returns an authenticator with the same keys.
    pub fn authenticator(&self) -> Authenticator {
        Authenticator::new(Arc::clone(&self.keys), self.clock.clone())
    }

    /// Reads the keys, so that the first request does not wait for them.
    pub async fn warm(&self) -> Result<()> {
        self.keys.ring().await.map(|_| ())
    }

    /// Signs an access token for a user who signed in to this service itself, without an OAuth client.
    pub async fn sign_direct_access_token(
        &self,
        user_id: UserId,
        generation: u64,
    ) -> Result<String> {
        let credential = Credential {
            user_id,
            generation,
            token_id: self.new_id(),
            client: None,
            profile_token: None,
            scope: None,
        };
        self.sign_access_token(&credential).await
    }

    /// Signs an access token for a credential.
    pub async fn sign_access_token(&self, credential: &Credential) -> Result<String> {
        let Credential {
            user_id,
            generation,
            token_id,
            client,
            profile_token,
            scope,
        } = credential.clone();
        let (client_id, grant) = client
            .map(|client| (client.client_id, client.generation))
            .unzip();
        let mut claims = self.claims(TokenPurpose::Access, user_id, generation);
        (claims.jti, claims.client_id, claims.grant_ver) = (token_id, client_id, grant);
        (claims.scope, claims.slot) = (scope, profile_token.map(|token| token.slot));
        self.sign(TokenPurpose::Access, &claims).await
    }

    /// Signs the token of a mail link. `version` becomes [`Claims::ver`].
    pub async fn sign_link(
        &self,
        purpose: TokenPurpose,
        user: UserId,
        version: u64,
    ) -> Result<String> {
        let claims = self.claims(purpose, user, version);
        self.sign(purpose, &claims).await
    }

    /// Returns a unique identifier for a token. It begins with the time at which an access token that is signed now
    /// expires. By this time, expired tokens can be removed from a list of revoked tokens ([`has_expired`]).
    pub fn new_id(&self) -> String {
        let random = URL_SAFE_NO_PAD.encode(self.random.bytes::<16>());
        format!("{:x}.{random}", self.clock.now_s() + ACCESS_TOKEN_S)
    }

    fn claims(&self, purpose: TokenPurpose, user: UserId, version: u64) -> Claims {
        let now = self.clock.now_s();
        Claims {
            iss: self.issuer.clone(),
            aud: self.audience(purpose),
            sub: user.get().to_string(),
            iat: now,
            exp: now + purpose.lifetime_s(),
            jti: self.new_id(),
            ver: version,
            client_id: None,
            grant_ver: None,
            scope: None,
            slot: None,
        }
    }

    async fn sign(&self, purpose: TokenPurpose, claims: &Claims) -> Result<String> {
        let ring = self.keys.ring().await?;
        let (kid, key) = ring.key_in_use(self.clock.now_s(), "sign")?;
        let (typ, ..) = purpose.properties();
        let header = Header {
            typ: Some(typ.to_owned()),
            kid: Some(kid.to_string()),
            ..Header::new(ALGORITHM)
        };
        let key = EncodingKey::from_secret(key.as_bytes());
        jsonwebtoken::encode(&header, claims, &key).map_err(Error::internal)
    }

    /// Returns the claims of a token that this service signed for this purpose. Returns `None` for every other token,
    /// and for a token that has expired or was signed in the future; both comparisons allow a tolerance of 60 seconds.
    pub async fn verify(&self, purpose: TokenPurpose, token: &str) -> Result<Option<Claims>> {
        let ring = self.keys.ring().await?;
        let (typ, ..) = purpose.properties();
        let Ok(header) = decode_header(token) else {
            return Ok(None);
        };
        let kid = header.kid.and_then(|kid| kid.parse().ok());
        let Some(key) = kid.and_then(|kid| ring.get(kid)) else {
            return Ok(None);
        };
        // `crit` lists extensions that must be understood (RFC 7515, section 4.1.11). None is supported.
        if header.typ.as_deref() != Some(typ) || header.crit.is_some() {
            return Ok(None);
        }
        let mut validation = Validation::new(ALGORITHM);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation.set_issuer(&[&self.issuer]);
        validation.set_audience(&[self.audience(purpose)]);
        // The library would use the system's clock. Times are checked below, with the clock that was passed in.
        validation.validate_exp = false;
        let key = DecodingKey::from_secret(key.as_bytes());
        let claims = decode::<Claims>(token, &key, &validation).ok();
        let now = self.clock.now_s();
        let is_timely = |claims: &Claims| {
            now < claims.exp.saturating_add(LEEWAY_S) && claims.iat <= now + LEEWAY_S
        };
        Ok(claims.map(|token| token.claims).filter(is_timely))
    }

    /// Verifies an access token and returns the identity that it states.
    ///
    /// # Errors
    /// [`Error::InvalidToken`] if the token is invalid or has expired.
    pub async fn credential(&self, Bearer(token): &Bearer) -> Result<Credential> {
        let claims = self.verify(TokenPurpose::Access, token).await?;
        claims
            .and_then(|claims| claims.credential(self.clock.now_s()))
            .ok_or(Error::InvalidToken)
    }

    /// Verifies an access token, and returns the access that its user needs for an action on the user's own data. The
    /// user's row is not read: the caller of this method must check the access ([`Access::check`]).
    ///
    /// # Errors
    /// As [`Tokens::credential`].
    pub async fn access_to_own_data(&self, bearer: &Bearer, action: Action) -> Result<Access> {
        let credential = self.credential(bearer).await?;
        Ok(Access::new(&credential, action, credential.user_id))
    }

    fn audience(&self, purpose: TokenPurpose) -> String {
        let (_, path, _) = purpose.properties();
        format!("{}{path}", self.issuer)
    }
}

/// Returns true if the access token with this identifier has expired at `now` (seconds since the Unix epoch),
/// with the tolerance for clocks added. Returns false if the identifier does not have the form of [`Tokens::new_id`].
pub fn has_expired(token_id: &str, now: u64) -> bool {
    let (expires_at, _) = token_id.split_once('.').unwrap_or_default();
    u64::from_str_radix(expires_at, 16).is_ok_and(|expires_at| expires_at + LEEWAY_S <= now)
}

impl Claims {
    /// Returns the identity that the claims of an access token state; `None` if the claims are inconsistent. `now`
    /// is the time at which the token is used, in seconds since the Unix epoch.
    pub fn credential(self, now: u64) -> Option<Credential> {
        let user_id = user_of(&self)?;
        let client = match (self.client_id, self.grant_ver) {
            (Some(client_id), Some(generation)) => Some(GrantedClient {
                client_id,
                generation,
            }),
            (None, None) => None,
            // The service never signs a token with only one of the two claims.
            _ => return None,
        };
        let profile_token = self.slot.map(|slot| ProfileTokenUse {
            slot,
            day: now / DAY_S,
        });
        Some(Credential {
            user_id,
            generation: self.ver,
            token_id: self.jti,
            client,
            profile_token,
            scope: self.scope,
        })
    }
}

/// Returns the user in the claim `sub`, or `None` if it is not a user's identifier.
pub fn user_of(claims: &Claims) -> Option<UserId> {
    claims.sub.parse().ok().and_then(UserId::new)
}
