//! The operator's settings of the identity provider.

use std::sync::Arc;

use oauth2::url::Url;
use serde::Deserialize;
use shared::auth::ReadSecret;
use shared::models::Role;
use shared::{Error, Result};

/// The scopes that are requested without the setting `OIDC_SCOPES`.
const DEFAULT_SCOPES: &str = "openid profile email";

/// The maximum length of the provider's name on buttons, in characters.
const MAX_PROVIDER_NAME: usize = 40;

/// The settings that have no effect without `OIDC_ISSUER`, separated by spaces.
const DEPENDENT: &str = "OIDC_CLIENT_ID OIDC_NAME OIDC_SCOPES OIDC_AUDIENCES OIDC_TOKEN_AUTH OIDC_TRUST_EMAIL \
    OIDC_REGISTRATION OIDC_ONLY OIDC_REDIRECT OIDC_SIGN_OUT OIDC_ROLE_CLAIM OIDC_ADMIN_VALUE OIDC_MODERATOR_VALUE \
    OIDC_REQUIRED_VALUE OIDC_CLIENT_SECRET";

/// The settings of the identity provider.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting")]
pub struct Settings {
    /// The issuer: the URL of the provider, exactly as it names itself.
    pub issuer: String,
    /// The identifier of this service at the provider.
    pub client_id: String,
    /// The name of the provider, for buttons.
    pub name: String,
    /// The scopes to request.
    pub scopes: Vec<String>,
    /// The audiences that tokens may have besides this service.
    pub trusted_audiences: Vec<String>,
    /// The way in which the service proves its identity at the token endpoint. With `None`, the metadata of the
    /// provider decide.
    pub token_auth: Option<TokenAuth>,
    /// True if an address that the provider has verified connects the account that has it.
    pub trusts_email: bool,
    /// True if a first sign-in makes an account even if registration is not open.
    pub opens_registration: bool,
    /// True if the sign-in page leads straight to the provider.
    pub redirects: bool,
    /// True if users who sign out of this service are led to the provider, to also sign out there.
    pub signs_out: bool,
    /// The claim that decides about the role of a user.
    pub roles: Option<RoleRule>,
}

/// The ways in which a client proves its identity at the token endpoint (OpenID Connect Core 1.0, section 9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenAuth {
    /// `client_secret_basic`: the secret is in the header `Authorization`.
    Basic,
    /// `client_secret_post`: the secret is in the form.
    Post,
}

/// A claim that decides about the role of a user, and whether the user may sign in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoleRule {
    /// The name of the claim, or names with dots between them that lead into objects. Its value is a text, a list of
    /// texts, or an object, whose names count.
    pub claim: String,
    /// The value without which a person cannot sign in.
    pub required_value: Option<String>,
    /// The value for administrators.
    pub admin_value: Option<String>,
    /// The value for moderators.
    pub moderator_value: Option<String>,
}

impl RoleRule {
    /// Returns true if a person whose claim has these values may sign in. `None` stands for a person without the claim.
    pub fn allows(&self, values: Option<&[String]>) -> bool {
        let has = |value| values.is_some_and(|values| values.contains(value));
        self.required_value.as_ref().is_none_or(has)
    }

    /// Returns the role of a user whose claim has these values, and whose role has been `current`. A role without a
    /// value in the settings is neither given nor taken away. A person without the claim keeps the current role,
    /// because then the provider says nothing about roles.
    pub fn role(&self, values: Option<&[String]>, current: Role) -> Role {
        let Some(values) = values else {
            return current;
        };
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
            let is_set = |name: &&str| read(name).is_some_and(|value| value != "off");
            return match DEPENDENT.split(' ').find(is_set) {
                Some(name) => Err(format!("{name} is of no use without OIDC_ISSUER")),
                None => Ok(None),
            };
        };
        let host = check_issuer(&issuer)?;
        let client_id = read("OIDC_CLIENT_ID");
        let client_id = client_id.ok_or("OIDC_CLIENT_ID is required with OIDC_ISSUER")?;
        let name = read("OIDC_NAME").unwrap_or(host);
        if name.chars().count() > MAX_PROVIDER_NAME || name.chars().any(char::is_control) {
            return Err(format!(
                "OIDC_NAME must have at most {MAX_PROVIDER_NAME} characters"
            ));
        }
        let scopes = read("OIDC_SCOPES").unwrap_or_else(|| DEFAULT_SCOPES.to_owned());
        let mut scopes: Vec<String> = scopes.split_whitespace().map(str::to_owned).collect();
        // The client of the library adds this scope.
        scopes.retain(|scope| scope != "openid");
        let audiences = read("OIDC_AUDIENCES").unwrap_or_default();
        let token_auth = match read("OIDC_TOKEN_AUTH").as_deref() {
            None => None,
            Some("client_secret_basic") => Some(TokenAuth::Basic),
            Some("client_secret_post") => Some(TokenAuth::Post),
            Some(_) => {
                return Err(
                    "OIDC_TOKEN_AUTH must be client_secret_basic or client_secret_post".into(),
                );
            }
        };
        Ok(Some(Self {
            issuer,
            client_id,
            name,
            scopes,
            trusted_audiences: audiences.split_whitespace().map(str::to_owned).collect(),
            token_auth,
            trusts_email: read_switch("OIDC_TRUST_EMAIL")?,
            opens_registration: read_switch("OIDC_REGISTRATION")?,
            redirects: read_switch("OIDC_REDIRECT")?,
            signs_out: read_switch("OIDC_SIGN_OUT")?,
            roles: read_roles(read)?,
        }))
    }
}

fn read_roles(read: impl Fn(&str) -> Option<String>) -> Result<Option<RoleRule>, String> {
    let rule = RoleRule {
        claim: read("OIDC_ROLE_CLAIM").unwrap_or_default(),
        required_value: read("OIDC_REQUIRED_VALUE"),
        admin_value: read("OIDC_ADMIN_VALUE"),
        moderator_value: read("OIDC_MODERATOR_VALUE"),
    };
    let values = [
        &rule.required_value,
        &rule.admin_value,
        &rule.moderator_value,
    ];
    match (
        rule.claim.is_empty(),
        values.iter().any(|value| value.is_some()),
    ) {
        (false, true) => Ok(Some(rule)),
        (true, false) => Ok(None),
        (false, false) => Err(
            "OIDC_ROLE_CLAIM needs OIDC_ADMIN_VALUE, OIDC_MODERATOR_VALUE or OIDC_REQUIRED_VALUE"
                .into(),
        ),
        (true, true) => Err(
            "OIDC_ADMIN_VALUE, OIDC_MODERATOR_VALUE and OIDC_REQUIRED_VALUE need OIDC_ROLE_CLAIM"
                .into(),
        ),
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
    /// A secret that the caller has already read; `None` for a public client.
    Fixed(Option<String>),
    /// A secret whose text is the JSON `{"client_secret": "..."}`. An empty text stands for a public client.
    Secret(Arc<dyn ReadSecret>),
}

#[derive(Deserialize)]
struct SecretText {
    client_secret: String,
}

shared::hide_values!(ClientSecret);

impl ClientSecret {
    pub(crate) async fn read(&self) -> Result<Option<String>> {
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
        let issuer = "https://id.example/realm/";
        let settings = [("OIDC_ISSUER", issuer), ("OIDC_CLIENT_ID", "kiroku")];
        let settings = read(&settings).unwrap().unwrap();
        assert_eq!(settings.name, "id.example");
        assert_eq!(settings.issuer, issuer);
        assert_eq!(settings.scopes, ["profile", "email"]);
        assert!(!settings.trusts_email && !settings.redirects && !settings.opens_registration);
    }

    #[test]
    fn invalid_combinations_are_refused() {
        let long = "n".repeat(41);
        let both = "OIDC_ISSUER=https://id.example OIDC_CLIENT_ID=kiroku";
        let of_claim = "OIDC_ADMIN_VALUE, OIDC_MODERATOR_VALUE and";
        for case in [
            "OIDC_ONLY=on => OIDC_ONLY is of no use without",
            "OIDC_SIGN_OUT=on => OIDC_SIGN_OUT is of no use without",
            "OIDC_CLIENT_ID=kiroku => OIDC_CLIENT_ID is of no use without",
            "OIDC_ISSUER=https://id.example => OIDC_CLIENT_ID is required",
            "OIDC_ISSUER=http://id.example OIDC_CLIENT_ID=kiroku => OIDC_ISSUER must be an https:// URL",
            "OIDC_ISSUER=https://id.example?a=b OIDC_CLIENT_ID=kiroku => OIDC_ISSUER must be an https:// URL",
            "OIDC_ISSUER=https://me@id.example OIDC_CLIENT_ID=kiroku => OIDC_ISSUER must be an https:// URL",
            &format!("{both} OIDC_NAME={long} => OIDC_NAME must"),
            &format!("{both} OIDC_REDIRECT=yes => OIDC_REDIRECT must be on or off"),
            &format!("{both} OIDC_ROLE_CLAIM=groups => OIDC_ROLE_CLAIM needs"),
            &format!("{both} OIDC_ADMIN_VALUE=admins => {of_claim}"),
            &format!("{both} OIDC_REQUIRED_VALUE=users => {of_claim}"),
            &format!("{both} OIDC_TOKEN_AUTH=post => OIDC_TOKEN_AUTH must be"),
        ] {
            let (values, reason) = case.split_once(" => ").unwrap();
            let values = values.split(' ').filter_map(|value| value.split_once('='));
            let error = read(&values.collect::<Vec<_>>()).unwrap_err();
            assert!(error.starts_with(reason), "{error}");
        }
        let issuer = ("OIDC_ISSUER", "http://127.0.0.1:4000");
        assert!(read(&[issuer, ("OIDC_CLIENT_ID", "kiroku")]).is_ok());
    }

    #[test]
    fn roles_follow_the_claim_in_both_directions() {
        let rule = |admin: Option<&str>, moderator: Option<&str>| RoleRule {
            claim: "groups".to_owned(),
            required_value: None,
            admin_value: admin.map(str::to_owned),
            moderator_value: moderator.map(str::to_owned),
        };
        let role = |rule: &RoleRule, values: &[&str], current| {
            let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
            rule.role(Some(&values), current)
        };
        let (basic, moderator, admin) = (Role::Basic, Role::Moderator, Role::Administrator);
        let both = rule(Some("a"), Some("m"));
        assert_eq!(role(&both, &["x", "a"], basic), admin);
        assert_eq!(role(&both, &["m"], admin), moderator);
        assert_eq!(role(&both, &["m", "a"], basic), admin);
        assert_eq!(role(&both, &[], admin), basic);
        assert_eq!(role(&both, &[], moderator), basic);
        // Without the claim, the provider says nothing.
        assert_eq!(both.role(None, admin), admin);
        // Roles that the operator gives by hand stay.
        assert_eq!(role(&rule(Some("a"), None), &[], moderator), moderator);
        let only_moderator = rule(None, Some("m"));
        assert_eq!(role(&only_moderator, &["m"], admin), admin);
        assert_eq!(role(&only_moderator, &["m"], basic), moderator);
    }

    #[test]
    fn required_value_decides_about_sign_in() {
        let rule = |required: Option<&str>| RoleRule {
            claim: "groups".to_owned(),
            required_value: required.map(str::to_owned),
            ..RoleRule::default()
        };
        let values = ["family".to_owned()];
        assert!(rule(None).allows(None));
        assert!(rule(Some("family")).allows(Some(&values)));
        assert!(!rule(Some("friends")).allows(Some(&values)));
        assert!(!rule(Some("family")).allows(Some(&[])));
        assert!(!rule(Some("family")).allows(None));
    }
}
