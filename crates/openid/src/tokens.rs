//! ID tokens and logout tokens (OpenID Connect Core 1.0, section 3.1.3.7; Back-Channel Logout 1.0, section 2.6).

use std::collections::HashMap;
use std::time::{Duration, UNIX_EPOCH};

use openidconnect::core::{
    CoreGenderClaim, CoreIdTokenVerifier, CoreJsonWebKey, CoreJweContentEncryptionAlgorithm,
    CoreJwsSigningAlgorithm, CoreProviderMetadata,
};
use openidconnect::{
    AccessToken, AccessTokenHash, AdditionalClaims, ClaimsVerificationError, ClientId,
    EndUserEmail, EndUserUsername, IdToken, IdTokenClaims, IdTokenVerifier, JsonWebTokenType,
    Nonce, NormalizedJsonWebTokenType, SignatureVerificationError,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The maximum length of a subject, in characters (OpenID Connect Core 1.0, section 2).
pub const MAX_SUBJECT: usize = 255;

/// The accepted difference between the provider's clock and this one, in seconds.
const CLOCK_SKEW_S: u64 = 60;

/// The maximum age of a token that has just been issued, in seconds: 10 minutes.
const MAX_AGE_S: u64 = 10 * 60;

/// The maximum length of the reason for refusing a token, in characters.
const MAX_REASON: usize = 200;

/// The event in a logout token.
const LOGOUT_EVENT: &str = "http://schemas.openid.net/event/backchannel-logout";

/// The claims that are not among those of OpenID Connect, such as groups.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(crate) struct OtherClaims(HashMap<String, Value>);

impl AdditionalClaims for OtherClaims {}

type Claims = IdTokenClaims<OtherClaims, CoreGenderClaim>;

/// An ID token or a logout token that is not checked yet.
pub(crate) type Token = IdToken<
    OtherClaims,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJwsSigningAlgorithm,
>;

/// A person who has signed in at the provider.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// The identifier of the person, unique at the provider: 1 to 255 ASCII characters.
    pub subject: String,
    /// The name that the person prefers. It can be any text.
    pub preferred_username: Option<String>,
    /// The e-mail address. It can be any text.
    pub email: Option<String>,
    /// True if the provider says that the address belongs to the person.
    pub email_verified: bool,
    /// The values of the claim that decides about roles; `None` if there is no such claim.
    pub roles: Option<Vec<String>>,
    /// The time at which the person has signed in at the provider, in seconds since the Unix epoch.
    pub signed_in_at: Option<u64>,
}

/// A logout token that has passed all checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogoutToken {
    /// The person who has signed out at the provider.
    pub subject: String,
    /// The identifier of the token.
    pub id: String,
    /// The time after which the token is refused in any case, in seconds since the Unix epoch.
    pub ends_at: u64,
}

/// The reason why a token was refused.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The provider's keys have no key for it.
    UnknownKey,
    /// A check failed. Holds the reason for the log.
    Invalid(String),
}

/// A check of tokens with the keys of the provider.
pub(crate) struct Checker<'m> {
    pub metadata: &'m CoreProviderMetadata,
    pub client_id: &'m str,
    /// The present time, in seconds since the Unix epoch.
    pub now_s: u64,
    /// The name of the claim that decides about roles.
    pub role_claim: Option<&'m str>,
}

fn invalid(reason: impl Into<String>) -> Refusal {
    // The reason may quote the token, which a stranger may have sent.
    Refusal::Invalid(reason.into().chars().take(MAX_REASON).collect())
}

impl Checker<'_> {
    /// Checks an ID token that was received with this access token.
    pub(crate) fn id_token(
        &self,
        token: &Token,
        nonce: &str,
        access_token: &AccessToken,
    ) -> Result<Person, Refusal> {
        let verifier = self.verifier();
        let nonce = Nonce::new(nonce.to_owned());
        let claims = token.claims(&verifier, &nonce).map_err(refusal)?;
        self.check_party(claims)?;
        if let Some(expected) = claims.access_token_hash() {
            let key = token.signing_key(&verifier).map_err(invalid_signature)?;
            check_hash(expected, access_token, token, key)?;
        }
        let mut person = Person {
            subject: check_subject(claims.subject().as_str())?,
            ..Person::default()
        };
        let signed_in_at = claims.auth_time().map(|time| time.timestamp());
        person.signed_in_at = signed_in_at.and_then(|time| u64::try_from(time).ok());
        self.add_claims(
            &mut person,
            claims.preferred_username(),
            claims.email().zip(Some(claims.email_verified())),
            claims.additional_claims(),
        );
        Ok(person)
    }

    /// Adds the claims that a person does not have yet. An address comes with the claim that it is verified.
    pub(crate) fn add_claims(
        &self,
        person: &mut Person,
        name: Option<&EndUserUsername>,
        email: Option<(&EndUserEmail, Option<bool>)>,
        other: &OtherClaims,
    ) {
        if person.preferred_username.is_none() {
            person.preferred_username = name.map(|name| name.as_str().to_owned());
        }
        if person.email.is_none()
            && let Some((email, is_verified)) = email
        {
            person.email = Some(email.as_str().to_owned());
            person.email_verified = is_verified == Some(true);
        }
        if person.roles.is_none()
            && let Some(claim) = self.role_claim
        {
            person.roles = other.0.get(claim).map(read_texts);
        }
    }

    /// Checks a logout token.
    pub(crate) fn logout_token(&self, token: &Token) -> Result<LogoutToken, Refusal> {
        let types = ["logout+jwt", "JWT"].map(|name| JsonWebTokenType::new(name.to_owned()));
        let types: Vec<NormalizedJsonWebTokenType> =
            types.iter().flat_map(JsonWebTokenType::normalize).collect();
        let verifier = self.verifier().set_allowed_jose_types(types);
        let has_none = |nonce: Option<&Nonce>| match nonce {
            None => Ok(()),
            Some(_) => Err("a logout token must have no nonce".to_owned()),
        };
        let claims = token.claims(&verifier, has_none).map_err(refusal)?;
        let other = &claims.additional_claims().0;
        let events = other
            .get("events")
            .and_then(|events| events.get(LOGOUT_EVENT));
        if !events.is_some_and(Value::is_object) {
            return Err(invalid("a logout token must have the event of a logout"));
        }
        let id = other.get("jti").and_then(Value::as_str);
        let id = id.filter(|id| !id.is_empty());
        Ok(LogoutToken {
            subject: check_subject(claims.subject().as_str())?,
            id: id
                .ok_or_else(|| invalid("a logout token must have an identifier"))?
                .to_owned(),
            ends_at: self.now_s + MAX_AGE_S + 2 * CLOCK_SKEW_S,
        })
    }

    /// Returns the library's checks of the issuer, the audience, the signature and the times.
    fn verifier(&self) -> CoreIdTokenVerifier<'static> {
        let metadata = self.metadata;
        let now_s = self.now_s;
        // As for a public client, the secret is no key: a token signed with it, or with a public key as if it were a
        // secret, is refused.
        let verifier: IdTokenVerifier<'static, CoreJsonWebKey> = IdTokenVerifier::new_public_client(
            ClientId::new(self.client_id.to_owned()),
            metadata.issuer().clone(),
            metadata.jwks().clone(),
        );
        let algorithms = metadata.id_token_signing_alg_values_supported().iter();
        let algorithms = algorithms.filter(|algorithm| is_asymmetric(algorithm));
        verifier
            .set_allowed_algs(algorithms.cloned())
            .set_time_fn(move || {
                let time = Duration::from_secs(now_s.saturating_sub(CLOCK_SKEW_S));
                (UNIX_EPOCH + time).into()
            })
            .set_issue_time_verifier_fn(move |time| {
                let issued_at = u64::try_from(time.timestamp()).unwrap_or_default();
                if issued_at > now_s + CLOCK_SKEW_S {
                    Err("the token was issued in the future".to_owned())
                } else if issued_at + MAX_AGE_S + CLOCK_SKEW_S < now_s {
                    Err("the token was issued too long ago".to_owned())
                } else {
                    Ok(())
                }
            })
    }

    /// Checks the authorized party, which the library leaves to its callers. It refuses further audiences itself.
    fn check_party(&self, claims: &Claims) -> Result<(), Refusal> {
        let party = claims.authorized_party();
        let is_own = party.is_none_or(|party| party.as_str() == self.client_id);
        is_own
            .then_some(())
            .ok_or_else(|| invalid("the token was issued to another party"))
    }
}

/// Returns true if a signature with this algorithm can be checked with a public key only.
fn is_asymmetric(algorithm: &CoreJwsSigningAlgorithm) -> bool {
    !matches!(
        algorithm,
        CoreJwsSigningAlgorithm::HmacSha256
            | CoreJwsSigningAlgorithm::HmacSha384
            | CoreJwsSigningAlgorithm::HmacSha512
            | CoreJwsSigningAlgorithm::None
    )
}

/// Checks that the provider has issued the access token together with the ID token (section 3.1.3.8).
fn check_hash(
    expected: &AccessTokenHash,
    access_token: &AccessToken,
    token: &Token,
    key: &CoreJsonWebKey,
) -> Result<(), Refusal> {
    let algorithm = token.signing_alg().map_err(invalid_signature)?;
    let hash = AccessTokenHash::from_token(access_token, algorithm, key);
    let hash = hash.map_err(|_| invalid("the hash of the access token cannot be checked"))?;
    (hash == *expected)
        .then_some(())
        .ok_or_else(|| invalid("the access token belongs to another ID token"))
}

fn check_subject(subject: &str) -> Result<String, Refusal> {
    let is_text = |byte: u8| byte.is_ascii() && !byte.is_ascii_control();
    if (1..=MAX_SUBJECT).contains(&subject.len()) && subject.bytes().all(is_text) {
        Ok(subject.to_owned())
    } else {
        Err(invalid("the subject must have 1 to 255 ASCII characters"))
    }
}

/// Returns the texts of a claim that is a text or a list of texts.
fn read_texts(claim: &Value) -> Vec<String> {
    match claim {
        Value::String(text) => vec![text.clone()],
        Value::Array(values) => {
            let texts = values.iter().filter_map(Value::as_str);
            texts.map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

fn refusal(error: ClaimsVerificationError) -> Refusal {
    match error {
        ClaimsVerificationError::SignatureVerification(error) => invalid_signature(error),
        error => invalid(error.to_string()),
    }
}

fn invalid_signature(error: SignatureVerificationError) -> Refusal {
    match error {
        SignatureVerificationError::NoMatchingKey => Refusal::UnknownKey,
        error => invalid(error.to_string()),
    }
}
