//! The options of `serve` for sign-in with an identity provider.

use std::sync::Arc;

use anyhow::anyhow;
use clap::Args;
use clap::builder::BoolishValueParser;
use openid::{ClientSecret, Provider, Settings};
use runtime::Environment;
use runtime::aws::secret;
use serde::Serialize;
use serde_json::Value;

/// The environment variable with the secret of the client. With `_FILE` at its end, it names a file with the secret.
pub(crate) const SECRET: &str = "KIROKU_OIDC_CLIENT_SECRET";

/// Options for sign-in with an identity provider (OpenID Connect). The secret of the client is in the environment
/// variable `KIROKU_OIDC_CLIENT_SECRET`, or in the file that `KIROKU_OIDC_CLIENT_SECRET_FILE` names.
#[derive(Args, Clone, Debug, Default, Serialize)]
#[command(next_help_heading = "Identity provider (OpenID Connect)")]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
#[expect(
    clippy::struct_field_names,
    reason = "the names of the options begin with it"
)]
pub struct OidcArgs {
    /// Issuer: the https:// URL of the provider, exactly as it names itself. The client's secret is in the environment
    /// variable `KIROKU_OIDC_CLIENT_SECRET`, or in the file that `KIROKU_OIDC_CLIENT_SECRET_FILE` names.
    #[arg(long, env = "KIROKU_OIDC_ISSUER", value_name = "URL")]
    pub oidc_issuer: Option<String>,

    /// Identifier of this service at the provider.
    #[arg(long, env = "KIROKU_OIDC_CLIENT_ID", value_name = "ID")]
    pub oidc_client_id: Option<String>,

    /// Name of the provider on buttons. Default: its host.
    #[arg(long, env = "KIROKU_OIDC_NAME", value_name = "NAME")]
    pub oidc_name: Option<String>,

    /// Scopes to request, separated by spaces. Default: `openid profile email`.
    #[arg(long, env = "KIROKU_OIDC_SCOPES", value_name = "SCOPES")]
    pub oidc_scopes: Option<String>,

    /// Audiences that tokens may have besides this service, separated by spaces.
    #[arg(long, env = "KIROKU_OIDC_AUDIENCES", value_name = "AUDIENCES")]
    pub oidc_audiences: Option<String>,

    /// Way to send the client's secret: `client_secret_basic` or `client_secret_post`. Default: the way that the
    /// provider's metadata state.
    #[arg(long, env = "KIROKU_OIDC_TOKEN_AUTH", value_name = "METHOD")]
    pub oidc_token_auth: Option<String>,

    /// Let the provider's verified e-mail addresses connect the accounts that have them. Only addresses that are also
    /// verified here connect an account.
    #[arg(long, env = "KIROKU_OIDC_TRUST_EMAIL", value_parser = BoolishValueParser::new())]
    pub oidc_trust_email: bool,

    /// Let a first sign-in with the provider make an account, even if registration is closed or needs an invitation.
    #[arg(long, env = "KIROKU_OIDC_REGISTRATION", value_parser = BoolishValueParser::new())]
    pub oidc_registration: bool,

    /// Take no passwords: the provider is the only way to sign in and to make an account.
    #[arg(long, env = "KIROKU_OIDC_ONLY", value_parser = BoolishValueParser::new())]
    pub oidc_only: bool,

    /// Lead from the sign-in page straight to the provider. `/sign-in?local` still shows the page.
    #[arg(long, env = "KIROKU_OIDC_REDIRECT", value_parser = BoolishValueParser::new())]
    pub oidc_redirect: bool,

    /// Lead users who sign out here to the provider, so that they also sign out there.
    #[arg(long, env = "KIROKU_OIDC_SIGN_OUT", value_parser = BoolishValueParser::new())]
    pub oidc_sign_out: bool,

    /// Claim that decides about the role of a user at each sign-in, such as `groups` or `realm_access.roles`.
    #[arg(long, env = "KIROKU_OIDC_ROLE_CLAIM", value_name = "CLAIM")]
    pub oidc_role_claim: Option<String>,

    /// Value of the claim for administrators.
    #[arg(long, env = "KIROKU_OIDC_ADMIN_VALUE", value_name = "VALUE")]
    pub oidc_admin_value: Option<String>,

    /// Value of the claim for moderators.
    #[arg(long, env = "KIROKU_OIDC_MODERATOR_VALUE", value_name = "VALUE")]
    pub oidc_moderator_value: Option<String>,

    /// Value of the claim that each person must have to sign in with the provider.
    #[arg(long, env = "KIROKU_OIDC_REQUIRED_VALUE", value_name = "VALUE")]
    pub oidc_required_value: Option<String>,
}

impl OidcArgs {
    /// Returns the settings of the identity provider and the secret of the client; `None` without a provider.
    ///
    /// # Errors
    /// An option is invalid or is missing, or the secret cannot be read.
    pub fn settings(&self) -> anyhow::Result<Option<(Settings, ClientSecret)>> {
        let secret = secret(SECRET).map_err(anyhow::Error::from_boxed)?;
        // The options have the names of the settings, in lower case.
        let options = serde_json::to_value(self)?;
        let read = |name: &str| match &options[name.to_lowercase()] {
            Value::String(value) => Some(value.clone()),
            Value::Bool(true) => Some("on".to_owned()),
            _ if name == "OIDC_CLIENT_SECRET" => secret.clone(),
            _ => None,
        };
        let settings = Settings::read(read);
        // The options have names that differ from the variables of the functions on AWS.
        let settings =
            settings.map_err(|error| anyhow!("{}", error.replace("OIDC_", "KIROKU_OIDC_")))?;
        Ok(settings.map(|settings| (settings, ClientSecret::Fixed(secret))))
    }

    /// Returns the identity provider of a local process.
    pub fn provider(&self, environment: &Environment) -> anyhow::Result<Option<Arc<Provider>>> {
        let settings = self.settings()?;
        Ok(settings.map(|(settings, secret)| environment.provider_with(settings, secret)))
    }
}

#[cfg(test)]
mod tests {
    use super::OidcArgs;

    #[test]
    fn invalid_combinations_are_named_by_their_variables() {
        let provider = |issuer: &str| OidcArgs {
            oidc_issuer: Some(issuer.to_owned()),
            oidc_client_id: Some("kiroku".to_owned()),
            ..OidcArgs::default()
        };
        for (args, reason) in [
            (
                OidcArgs {
                    oidc_only: true,
                    ..OidcArgs::default()
                },
                "KIROKU_OIDC_ONLY is of no use without KIROKU_OIDC_ISSUER",
            ),
            (
                OidcArgs {
                    oidc_client_id: None,
                    ..provider("https://id.example")
                },
                "KIROKU_OIDC_CLIENT_ID is required with KIROKU_OIDC_ISSUER",
            ),
            (
                provider("http://id.example"),
                "KIROKU_OIDC_ISSUER must be an https:// URL without a user name, a query and a fragment",
            ),
        ] {
            assert_eq!(args.settings().unwrap_err().to_string(), reason);
        }
        assert!(OidcArgs::default().settings().unwrap().is_none());
        assert!(provider("https://id.example").settings().unwrap().is_some());
    }
}
