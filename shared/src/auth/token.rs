//! JSON Web Tokens (RFC 7519): signed here, verified here, opaque to everybody else.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{
    Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, decode_header,
};
use serde::{Deserialize, Serialize};

use super::access::Access;
use super::credential::{Bearer, Credential, GrantedClient};
use super::keys::Keys;
use super::permission::Action;
use crate::Error;
use crate::clock::Clock;
use crate::models::UserId;
use crate::random::Random;

/// How long an access token is valid, in seconds: 30 days (contract, "Limits").
pub const ACCESS_TOKEN_S: u64 = 30 * 24 * 60 * 60;

/// By how much clocks may differ, in seconds.
const LEEWAY_S: u64 = 60;

/// The one algorithm there is. It is never read out of a token (RFC 8725, section 3.1).
const ALGORITHM: Algorithm = Algorithm::HS256;

/// What a token is for. A token for one purpose is none for another: type, audience and lifetime
/// differ (RFC 8725, sections 3.9, 3.11 and 3.12).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Calling the API.
    Access,
    /// Showing that a mail has arrived.
    EmailVerification,
    /// Choosing a new password without knowing the old one.
    PasswordReset,
}

impl Purpose {
    /// The header `typ` (for access tokens: RFC 9068, section 2.1), the path that the audience ends
    /// with, and the lifetime in seconds.
    const fn facts(self) -> (&'static str, &'static str, u64) {
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

    /// How long such a token is valid, in seconds.
    #[must_use]
    pub const fn lifetime_s(self) -> u64 {
        self.facts().2
    }
}

/// What a token says (RFC 7519, section 4.1, and RFC 9068, section 2.2).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Claims {
    /// Who signed it: the service's public address.
    pub iss: String,
    /// Whom it is for.
    pub aud: String,
    /// The user's identifier.
    pub sub: String,
    /// When it was signed, in seconds since the Unix epoch.
    pub iat: u64,
    /// When it expires, in seconds since the Unix epoch.
    pub exp: u64,
    /// Its own name.
    pub jti: String,
    /// The state of the account that it holds for: of an access token the generation of tokens, of a
    /// link that resets a password the version of the password.
    pub ver: u64,
    /// The OAuth client that it was issued to; absent where the user signed in himself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// The state of the user's grant to that client that it holds for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant_ver: Option<u64>,
}

/// Signs and verifies tokens.
#[derive(Debug)]
pub struct Tokens {
    keys: Keys,
    issuer: String,
    clock: Clock,
    random: Random,
}

impl Tokens {
    /// Tokens of the service at a public address.
    #[must_use]
    pub fn new(keys: Keys, public_url: &str, clock: Clock, random: Random) -> Self {
        Self {
            keys,
            issuer: public_url.to_owned(),
            clock,
            random,
        }
    }

    /// The service's public address, without a slash at its end.
    #[must_use]
    pub fn public_url(&self) -> &str {
        &self.issuer
    }

    /// Reads the keys, so that the first request need not wait for them.
    ///
    /// # Errors
    /// As [`Keys::ring`].
    pub async fn warm(&self) -> Result<(), Error> {
        self.keys.ring().await.map(|_| ())
    }

    /// Signs the access token of a user who signed in.
    ///
    /// # Errors
    /// As [`Keys::ring`].
    pub async fn sign_for(&self, user_id: UserId, generation: u64) -> Result<String, Error> {
        let credential = Credential {
            user_id,
            generation,
            token_id: self.new_id(),
            client: None,
        };
        self.sign_access(&credential).await
    }

    /// Signs an access token that is this credential.
    ///
    /// # Errors
    /// As [`Keys::ring`].
    pub async fn sign_access(&self, credential: &Credential) -> Result<String, Error> {
        let Credential {
            user_id,
            generation,
            token_id,
            client,
        } = credential.clone();
        let (client_id, grant) = client
            .map(|client| (client.client_id, client.generation))
            .unzip();
        let mut claims = self.claims(Purpose::Access, user_id, generation);
        (claims.jti, claims.client_id, claims.grant_ver) = (token_id, client_id, grant);
        self.sign(Purpose::Access, &claims).await
    }

    /// Signs what a link in a mail has.
    ///
    /// # Errors
    /// As [`Keys::ring`].
    pub async fn sign_link(
        &self,
        purpose: Purpose,
        user: UserId,
        version: u64,
    ) -> Result<String, Error> {
        let claims = self.claims(purpose, user, version);
        self.sign(purpose, &claims).await
    }

    /// A name for a token that no other has, and that says when the token has expired.
    #[must_use]
    pub fn new_id(&self) -> String {
        let random = URL_SAFE_NO_PAD.encode(self.random.bytes::<16>());
        format!("{:x}.{random}", self.clock.now_s() + ACCESS_TOKEN_S)
    }

    fn claims(&self, purpose: Purpose, user: UserId, version: u64) -> Claims {
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
        }
    }

    async fn sign(&self, purpose: Purpose, claims: &Claims) -> Result<String, Error> {
        let ring = self.keys.ring().await?;
        let (kid, key) = ring
            .current(self.clock.now_s())
            .ok_or_else(|| Error::internal("there is no key to sign with"))?;
        let (typ, ..) = purpose.facts();
        let header = Header {
            typ: Some(typ.to_owned()),
            kid: Some(kid.to_string()),
            ..Header::new(ALGORITHM)
        };
        let key = EncodingKey::from_secret(key.as_bytes());
        jsonwebtoken::encode(&header, claims, &key).map_err(Error::internal)
    }

    /// What a token says, if it is one of ours for this purpose and has not expired. `None` for all
    /// others alike.
    ///
    /// # Errors
    /// As [`Keys::ring`].
    pub async fn verify(&self, purpose: Purpose, token: &str) -> Result<Option<Claims>, Error> {
        let ring = self.keys.ring().await?;
        let (typ, ..) = purpose.facts();
        let Ok(header) = decode_header(token) else {
            return Ok(None);
        };
        let kid = header.kid.and_then(|kid| kid.parse().ok());
        let Some(key) = kid.and_then(|kid| ring.get(kid)) else {
            return Ok(None);
        };
        if header.typ.as_deref() != Some(typ) || header.crit.is_some() {
            return Ok(None);
        }
        let mut validation = Validation::new(ALGORITHM);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation.set_issuer(&[&self.issuer]);
        validation.set_audience(&[self.audience(purpose)]);
        // By the clock that was passed in, below.
        validation.validate_exp = false;
        let key = DecodingKey::from_secret(key.as_bytes());
        let claims = decode::<Claims>(token, &key, &validation).ok();
        let now = self.clock.now_s();
        let timely = |claims: &Claims| {
            now < claims.exp.saturating_add(LEEWAY_S) && claims.iat <= now + LEEWAY_S
        };
        Ok(claims.map(|token| token.claims).filter(timely))
    }

    /// Who sent this token.
    ///
    /// # Errors
    /// [`Error::InvalidToken`], or as [`Keys::ring`].
    pub async fn credential(&self, Bearer(token): &Bearer) -> Result<Credential, Error> {
        let claims = self.verify(Purpose::Access, token).await?;
        claims
            .and_then(Claims::credential)
            .ok_or(Error::InvalidToken)
    }

    /// What it takes for the caller to do this to what is their own.
    ///
    /// # Errors
    /// As [`Tokens::credential`].
    pub async fn own(&self, bearer: &Bearer, action: Action) -> Result<Access, Error> {
        let credential = self.credential(bearer).await?;
        Ok(Access::new(&credential, action, credential.user_id))
    }

    fn audience(&self, purpose: Purpose) -> String {
        let (_, path, _) = purpose.facts();
        format!("{}{path}", self.issuer)
    }
}

/// Whether an access token of this name has expired for sure, at `now` in seconds since the Unix epoch.
#[must_use]
pub fn has_expired(token_id: &str, now: u64) -> bool {
    let (expires_at, _) = token_id.split_once('.').unwrap_or_default();
    u64::from_str_radix(expires_at, 16).is_ok_and(|expires_at| expires_at + LEEWAY_S <= now)
}

impl Claims {
    /// The caller that an access token describes.
    #[must_use]
    pub fn credential(self) -> Option<Credential> {
        let user_id = user_of(&self)?;
        let client = match (self.client_id, self.grant_ver) {
            (Some(client_id), Some(generation)) => Some(GrantedClient {
                client_id,
                generation,
            }),
            (None, None) => None,
            // Nothing here signs such a token.
            _ => return None,
        };
        Some(Credential {
            user_id,
            generation: self.ver,
            token_id: self.jti,
            client,
        })
    }
}

/// The user that a token is about.
#[must_use]
pub fn user_of(claims: &Claims) -> Option<UserId> {
    claims.sub.parse().ok().and_then(UserId::new)
}
