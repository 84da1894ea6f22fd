//! The metadata of the provider (OpenID Connect Discovery 1.0) and its keys (RFC 7517): the members that the service
//! needs. An empty text and a value of another type count as absent.

use jsonwebtoken::jwk::{Jwk, KeyAlgorithm, PublicKeyUse};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, Header};
use oauth2::url::Url;
use serde_json::{Map, Value};

use crate::claims::{JsonObject, text, texts};

/// The members of a key. Other members could have a form that the library does not read.
const KEY_MEMBERS: [&str; 9] = ["kty", "use", "alg", "kid", "n", "e", "crv", "x", "y"];

/// The signature algorithms that can be checked with a public key.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];

/// The metadata of a provider, with its keys.
#[derive(Debug)]
pub(crate) struct ProviderMetadata {
    pub authorization_endpoint: Url,
    pub token_endpoint: Option<Url>,
    pub userinfo_endpoint: Option<Url>,
    pub end_session_endpoint: Option<Url>,
    /// True if clients may send their secret in the header `Authorization`.
    pub takes_basic: bool,
    /// True if requests can ask for claims with the parameter `claims`.
    pub takes_claims: bool,
    /// The algorithms of ID tokens and logout tokens.
    pub algorithms: Vec<Algorithm>,
    /// The algorithms of signed responses of the userinfo endpoint.
    pub userinfo_algorithms: Vec<Algorithm>,
    keys: Vec<Jwk>,
}

impl ProviderMetadata {
    /// Reads the metadata, which have no keys yet. Returns them with the address of the keys.
    ///
    /// # Errors
    /// The reason why they cannot be used.
    pub(crate) fn read(document: &JsonObject) -> Result<(Self, Url), &'static str> {
        let url = |name| text(document, name).and_then(|url| Url::parse(url).ok());
        let keys = url("jwks_uri").ok_or("the metadata have no jwks_uri")?;
        // Without the list, the method is `client_secret_basic` (OpenID Connect Discovery 1.0, section 3).
        let methods = texts(document, "token_endpoint_auth_methods_supported");
        let metadata = Self {
            authorization_endpoint: url("authorization_endpoint")
                .ok_or("the metadata have no authorization_endpoint")?,
            token_endpoint: url("token_endpoint"),
            userinfo_endpoint: url("userinfo_endpoint"),
            end_session_endpoint: url("end_session_endpoint"),
            takes_basic: methods.is_empty() || methods.contains(&"client_secret_basic"),
            takes_claims: document.get("claims_parameter_supported") == Some(&Value::Bool(true)),
            algorithms: read_algorithms(document, "id_token_signing_alg_values_supported"),
            userinfo_algorithms: read_algorithms(document, "userinfo_signing_alg_values_supported"),
            keys: Vec::new(),
        };
        Ok((metadata, keys))
    }

    /// Returns the metadata with the keys of a key set. Keys of an unknown form are left out.
    pub(crate) fn with_keys(self, key_set: &JsonObject) -> Self {
        let keys = key_set.get("keys").and_then(Value::as_array);
        let keys = keys.into_iter().flatten().filter_map(read_key);
        Self {
            keys: keys.collect(),
            ..self
        }
    }

    /// Returns the keys that may have signed a token with this header. The algorithm must be asymmetric.
    pub(crate) fn keys_for(&self, header: &Header) -> Vec<DecodingKey> {
        let may_sign = |key: &&Jwk| {
            let common = &key.common;
            let has_name = header.kid.is_none() || common.key_id == header.kid;
            let has_use = matches!(common.public_key_use, None | Some(PublicKeyUse::Signature));
            let expected = KeyAlgorithm::from(header.alg);
            let has_algorithm = common.key_algorithm.is_none_or(|it| it == expected);
            has_name && has_use && has_algorithm
        };
        let keys = self.keys.iter().filter(may_sign);
        let keys = keys.filter_map(|key| DecodingKey::from_jwk(key).ok());
        keys.filter(|key| key.family() == header.alg.family())
            .collect()
    }
}

/// Returns the asymmetric algorithms in a list, or all of them if there is no list. A token with the secret of the
/// client or without a signature is never accepted.
fn read_algorithms(document: &JsonObject, name: &str) -> Vec<Algorithm> {
    let names = texts(document, name);
    let is_named = |algorithm: &Algorithm| {
        let found = |name: &&str| {
            name.parse()
                .is_ok_and(|named: Algorithm| named == *algorithm)
        };
        names.is_empty() || names.iter().any(found)
    };
    ALGORITHMS.into_iter().filter(is_named).collect()
}

fn read_key(key: &Value) -> Option<Jwk> {
    let key = key.as_object()?;
    let member = |name: &&str| Some(((*name).to_owned(), text(key, name)?.into()));
    let members: Map<String, Value> = KEY_MEMBERS.iter().filter_map(member).collect();
    let key: Jwk = serde_json::from_value(members.into()).ok()?;
    let is_public =
        DecodingKey::from_jwk(&key).is_ok_and(|key| key.family() != AlgorithmFamily::Hmac);
    is_public.then_some(key)
}
