//! The operator's settings of the identity provider.

use std::fmt;
use std::sync::Arc;

use openidconnect::url::Url;
use serde::Deserialize;
use shared::Error;
use shared::auth::ReadSecret;
use shared::models::Role;

/// The scopes that are requested without the setting `OIDC_SCOPES`.
const DEFAULT_SCOPES: &str = "openid profile email";

/// The maximum length of the provider's name on buttons, in characters.
const MAX_NAME: usize = 40;

/// The settings that mean nothing without `OIDC_ISSUER`.
const DEPENDENT: [&str; 11] = [
    "OIDC_CLIENT_ID",
    "OIDC_NAME",
    "OIDC_SCOPES",
    "OIDC_TRUST_EMAIL",
    "OIDC_REGISTRATION",
    "OIDC_ONLY",
    "OIDC_REDIRECT",
    "OIDC_ROLE_CLAIM",
    "OIDC_ADMIN_VALUE",
    "OIDC_MODERATOR_VALUE",
    "OIDC_CLIENT_SECRET",
];

/// The settings of the identity provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The issuer: the URL of the provider, exactly as it names itself.
    pub issuer: String,
    /// The identifier of this service at the provider.
    pub client_id: String,
    /// The name of the provider, for buttons.
    pub name: String,
    /// The scopes to request.
    pub scopes: Vec<String>,
    /// True if an address that the provider has verified connects the account that has it.
    pub trusts_email: bool,
    /// True if a first sign-in makes an account even if registration is not open.
    pub opens_registration: bool,
    /// True if the sign-in page leads straight to the provider.
    pub redirects: bool,
    /// The claim that decides about the role of a user.
    pub roles: Option<RoleRule>,
}

/// A claim that decides about the role of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleRule {
    /// The name of the claim, whose value is a text or a list of texts.
    pub claim: String,
    /// The value for administrators.
    pub admin_value: Option<String>,
    /// The value for moderators.
    pub moderator_value: Option<String>,
}

impl RoleRule {
    /// Returns the role of a user whose claim has these values, and whose role has been `current`. A role without a
    /// value in the settings is neither given nor taken away.
    #[must_use]
    pub fn role(&self, values: &[String], current: Role) -> Role {
        let has = |value: &Option<String>| {
            let value = value.as_ref();
            value.is_some_and(|value| values.contains(value))
        };
        let is_managed = match current {
            Role::Administrator => self.admin_value.is_some(),
            Role::Moderator => self.moderator_value.is_some(),
            Role::Basic => true,
        };
        if has(&self.admin_value) {
            Role::Administrator
        } else if !is_managed {
            current
        } else if has(&self.moderator_value) {
            Role::Moderator
        } else {
            Role::Basic
        }
    }
}

impl Settings {
    /// Reads the settings `OIDC_ISSUER` and so on (docs/operating.md, "Identity provider") with `read`. Returns `None`
    /// without an issuer.
    ///
    /// # Errors
    /// The name of a setting, and the reason why its value is invalid. It has no secret.
    pub fn read(read: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, String> {
        let read = |name: &str| read(name).filter(|value| !value.is_empty());
        let read_switch = |name: &str| match read(name).as_deref() {
            None | Some("off") => Ok(false),
            Some("on") => Ok(true),
            Some(_) => Err(format!("{name} must be on or off")),
        };
        let Some(issuer) = read("OIDC_ISSUER") else {
            let is_set = |name: &&&str| read(name).is_some_and(|value| value != "off");
            return match DEPENDENT.iter().find(is_set) {
                Some(name) => Err(format!("{name} is of no use without OIDC_ISSUER")),
                None => Ok(None),
            };
        };
        let host = check_issuer(&issuer)?;
        let client_id = read("OIDC_CLIENT_ID");
        let client_id = client_id.ok_or("OIDC_CLIENT_ID is required with OIDC_ISSUER")?;
        let name = read("OIDC_NAME").unwrap_or(host);
        if name.chars().count() > MAX_NAME || name.chars().any(char::is_control) {
            return Err(format!("OIDC_NAME must have at most {MAX_NAME} characters"));
        }
        let scopes = read("OIDC_SCOPES").unwrap_or_else(|| DEFAULT_SCOPES.to_owned());
        let mut scopes: Vec<String> = scopes.split_whitespace().map(str::to_owned).collect();
        // The client of the library adds it.
        scopes.retain(|scope| scope != "openid");
        let (admin_value, moderator_value) =
            (read("OIDC_ADMIN_VALUE"), read("OIDC_MODERATOR_VALUE"));
        let has_value = admin_value.is_some() || moderator_value.is_some();
        let roles = match read("OIDC_ROLE_CLAIM") {
            Some(claim) if has_value => Some(RoleRule {
                claim,
                admin_value,
                moderator_value,
            }),
            Some(_) => {
                return Err(
                    "OIDC_ROLE_CLAIM needs OIDC_ADMIN_VALUE or OIDC_MODERATOR_VALUE".into(),
                );
            }
            None if has_value => {
                return Err(
                    "OIDC_ADMIN_VALUE and OIDC_MODERATOR_VALUE need OIDC_ROLE_CLAIM".into(),
                );
            }
            None => None,
        };
        Ok(Some(Self {
            issuer,
            client_id,
            name,
            scopes,
            trusts_email: read_switch("OIDC_TRUST_EMAIL")?,
            opens_registration: read_switch("OIDC_REGISTRATION")?,
            redirects: read_switch("OIDC_REDIRECT")?,
            roles,
        }))
    }
}

/// Checks the issuer (OpenID Connect Discovery 1.0, section 3), and returns its host. Plain HTTP is only for a provider
/// on the same machine, for tests.
fn check_issuer(issuer: &str) -> Result<String, String> {
    const INVALID: &str =
        "OIDC_ISSUER must be an https:// URL without a user name, a query and a fragment";
    let url = Url::parse(issuer).map_err(|_| INVALID)?;
    let is_plain = url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    let is_safe = url.scheme() == "https" || is_local(&url);
    let host = url.host_str().filter(|_| is_plain && is_safe);
    Ok(host.ok_or(INVALID)?.to_owned())
}

/// Returns true if a URL leads to this machine over plain HTTP.
pub(crate) fn is_local(url: &Url) -> bool {
    let is_loopback = matches!(url.host_str(), Some("127.0.0.1" | "[::1]" | "localhost"));
    url.scheme() == "http" && is_loopback
}

/// The secret of this service at the provider.
#[derive(Clone)]
pub enum ClientSecret {
    /// A secret that the caller has read already; `None` for a public client.
    Fixed(Option<String>),
    /// A secret whose text is the JSON `{"client_secret": "..."}`. An empty text is that of a public client.
    Secret(Arc<dyn ReadSecret>),
}

#[derive(Deserialize)]
struct SecretText {
    client_secret: String,
}

/// Keeps the secret out of every log.
impl fmt::Debug for ClientSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ClientSecret")
    }
}

impl ClientSecret {
    pub(crate) async fn read(&self) -> Result<Option<String>, Error> {
        match self {
            Self::Fixed(secret) => Ok(secret.clone()),
            Self::Secret(secret) => {
                let secret: SecretText =
                    serde_json::from_str(&secret.read().await?).map_err(|_| {
                        Error::internal("the secret of the identity provider is not a JSON object")
                    })?;
                Ok(Some(secret.client_secret).filter(|secret| !secret.is_empty()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use shared::models::Role;

    use super::{RoleRule, Settings};

    fn read(values: &[(&str, &str)]) -> Result<Option<Settings>, String> {
        let values: BTreeMap<&str, &str> = values.iter().copied().collect();
        Settings::read(|name| values.get(name).map(|value| (*value).to_owned()))
    }

    #[test]
    fn only_the_issuer_and_the_client_are_required() {
        assert_eq!(read(&[]), Ok(None));
        assert_eq!(read(&[("OIDC_ONLY", "off"), ("OIDC_NAME", "")]), Ok(None));
        let settings = [
            ("OIDC_ISSUER", "https://id.example/realm/"),
            ("OIDC_CLIENT_ID", "kiroku"),
        ];
        let settings = read(&settings).unwrap().unwrap();
        assert_eq!(settings.name, "id.example");
        assert_eq!(settings.issuer, "https://id.example/realm/");
        assert_eq!(settings.scopes, ["profile", "email"]);
        assert!(!settings.trusts_email && !settings.redirects && !settings.opens_registration);
    }

    #[test]
    fn invalid_combinations_are_refused() {
        let issuer = ("OIDC_ISSUER", "https://id.example");
        let client = ("OIDC_CLIENT_ID", "kiroku");
        let http = [("OIDC_ISSUER", "http://id.example"), client];
        let query = [("OIDC_ISSUER", "https://id.example?a=b"), client];
        let user = [("OIDC_ISSUER", "https://me@id.example"), client];
        let long = "n".repeat(41);
        for (values, reason) in [
            (&[("OIDC_ONLY", "on")][..], "OIDC_ONLY is of no use without"),
            (&[client][..], "OIDC_CLIENT_ID is of no use without"),
            (&[issuer][..], "OIDC_CLIENT_ID is required"),
            (&http[..], "OIDC_ISSUER must be an https:// URL"),
            (&query[..], "OIDC_ISSUER must be an https:// URL"),
            (&user[..], "OIDC_ISSUER must be an https:// URL"),
            (
                &[issuer, client, ("OIDC_NAME", &long)][..],
                "OIDC_NAME must",
            ),
            (
                &[issuer, client, ("OIDC_REDIRECT", "yes")][..],
                "OIDC_REDIRECT must be on or off",
            ),
            (
                &[issuer, client, ("OIDC_ROLE_CLAIM", "groups")][..],
                "OIDC_ROLE_CLAIM needs",
            ),
            (
                &[issuer, client, ("OIDC_ADMIN_VALUE", "admins")][..],
                "OIDC_ADMIN_VALUE and",
            ),
        ] {
            let error = read(values).unwrap_err();
            assert!(error.starts_with(reason), "{error}");
        }
        let local = [("OIDC_ISSUER", "http://127.0.0.1:4000"), client];
        assert!(read(&local).is_ok());
    }

    #[test]
    fn roles_follow_the_claim_in_both_directions() {
        let rule = |admin: Option<&str>, moderator: Option<&str>| RoleRule {
            claim: "groups".to_owned(),
            admin_value: admin.map(str::to_owned),
            moderator_value: moderator.map(str::to_owned),
        };
        let both = rule(Some("a"), Some("m"));
        let values = |values: &[&str]| -> Vec<String> {
            values.iter().map(|value| (*value).to_owned()).collect()
        };
        assert_eq!(
            both.role(&values(&["x", "a"]), Role::Basic),
            Role::Administrator
        );
        assert_eq!(
            both.role(&values(&["m"]), Role::Administrator),
            Role::Moderator
        );
        assert_eq!(
            both.role(&values(&["m", "a"]), Role::Basic),
            Role::Administrator
        );
        assert_eq!(both.role(&values(&[]), Role::Administrator), Role::Basic);
        assert_eq!(both.role(&values(&[]), Role::Moderator), Role::Basic);
        // Roles that the operator gives by hand stay.
        let only_admin = rule(Some("a"), None);
        assert_eq!(
            only_admin.role(&values(&[]), Role::Moderator),
            Role::Moderator
        );
        let only_moderator = rule(None, Some("m"));
        assert_eq!(
            only_moderator.role(&values(&["m"]), Role::Administrator),
            Role::Administrator
        );
        assert_eq!(
            only_moderator.role(&values(&["m"]), Role::Basic),
            Role::Moderator
        );
    }
}
