//! The store of OAuth authorizations in progress: pending consents and issued codes, which are rows of the table
//! [`super::auth_code`].
//!
//! Every read of a row and every condition on an existing row checks the stage, so that the secret in a consent page
//! cannot be used as a code, and a code cannot be used as a consent.

use aws_sdk_dynamodb::Client;
use dynamo::{
    Condition, Database, Item, RowOutcome, TargetRow, get, number, read, text, update_row, write,
};
use serde::Serialize;
use shared::auth::{ACCESS_TOKEN_S, Access, Credential, GrantedClient, Scope};
use shared::models::UserId;
use shared::random::Random;
use shared::{Error, Result};

use super::auth_code::{CODE, CONSENT, Consent, IssuedCode, TABLE, key as code_key};
use crate::grants::grant_store::GrantStore;
use crate::rows::put_row;
use crate::users::user_store::UserStore;

/// The lifetime of an authorization code, in seconds: 3 minutes (docs/oauth.md, "Rule 17").
pub const CODE_LIFETIME_S: u64 = 180;

/// The lifetime of a pending consent, in seconds: 10 minutes (docs/oauth.md, "Consent").
pub const CONSENT_LIFETIME_S: u64 = 600;

/// A client's request to exchange a code for an access token.
#[derive(Clone, Debug)]
pub struct CodeExchange {
    /// The SHA-256 of the code, in Base64url.
    pub code_hash: String,
    /// The authenticated client.
    pub client_id: String,
    /// The redirect URI in the token request.
    pub redirect_uri: String,
    /// The PKCE challenge that the service has computed from the `code_verifier` of the request; `None` without a
    /// verifier.
    pub code_challenge: Option<String>,
    /// The identifier of the token to issue.
    pub token_id: String,
}

/// The outcome of exchanging a code.
#[derive(Debug)]
pub enum ExchangeOutcome {
    /// The exchange succeeded. Holds the credential for the token to sign.
    Token(Credential),
    /// No valid code matches this client, redirect URI and verifier.
    Refused,
    /// The code was exchanged before. Holds the user and the client of the grant. All tokens of the grant must now be
    /// revoked (docs/oauth.md, "Rule 19").
    Repeated(UserId, GrantedClient),
}

/// The result of a consent.
#[derive(Debug)]
pub struct GivenConsent {
    /// The credential for the token of an implicit grant.
    pub credential: Credential,
    /// True if the client was not connected before, or only with a smaller scope.
    pub is_more: bool,
}

/// The store of authorizations in progress.
#[derive(Clone, Debug)]
pub struct CodeStore {
    client: Client,
    table: String,
    users: UserStore,
    grants: GrantStore,
    random: Random,
}

impl CodeStore {
    /// Creates the store of OAuth authorizations in progress.
    pub fn new(database: &Database) -> Self {
        Self {
            table: database.tables.of(TABLE.name),
            users: UserStore::new(database),
            grants: GrantStore::new(database),
            client: database.client.clone(),
            random: database.random.clone(),
        }
    }

    /// Writes a pending consent. Called when the consent page is shown.
    pub async fn put_consent(&self, consent: &Consent) -> Result<()> {
        let row = row_with_stage(CONSENT, consent)?;
        put_row(&self.client, &self.table, row).await
    }

    /// Returns the pending consent with this digest, if it belongs to this session and has not expired at
    /// `now` (seconds since the Unix epoch).
    pub async fn find_consent(
        &self,
        id_hash: &str,
        session: &str,
        now: u64,
    ) -> Result<Option<Consent>> {
        let row = get(&self.client, &self.table, code_key(id_hash)).await?;
        let row = row.filter(|row| row.get("stage") == Some(&text(CONSENT)));
        let consent: Option<Consent> = row.map(read).transpose()?;
        Ok(consent.filter(|consent| consent.session == session && consent.expires_at > now))
    }

    /// Records that the user denies access: deletes the pending consent. Returns false if the user has answered the
    /// consent before, or if it has expired at `now` (seconds since the Unix epoch).
    pub async fn deny_consent(&self, consent: &Consent, now: u64) -> Result<bool> {
        let delete = is_pending(consent, now).delete(&self.table, code_key(&consent.id_hash))?;
        let mut writes = self.users.transaction();
        writes.add(delete);
        Ok(writes.commit().await?.is_written())
    }

    /// Returns true if the user has already connected a client with this scope, by a strongly consistent read. In that
    /// case, another consent gives the client no more access than it has.
    pub async fn is_connected(
        &self,
        user: UserId,
        client_id: &str,
        scope: Option<Scope>,
    ) -> Result<bool> {
        let grant = self.grants.find_before_consent(user, client_id).await?;
        Ok(grant.has(scope))
    }

    /// Records that the user allows access, in one transaction: deletes the pending consent, connects the client to
    /// the user and, with a `code_hash`, issues the code with this digest. An implicit grant has no code. The result
    /// has the credential for the token of an implicit grant, with the identifier `token_id`. The token of a code gets
    /// its own credential from [`CodeStore::exchange`]. `now` is in milliseconds since the Unix epoch. Of several
    /// concurrent calls for the same consent, only one succeeds.
    ///
    /// # Errors
    /// [`Error::Changed`] if the user has answered the consent before, if the consent has expired, or if the tokens of
    /// the grant were ended at the same time.
    pub async fn grant_consent(
        &self,
        access: &Access,
        consent: &Consent,
        code_hash: Option<String>,
        token_id: String,
        now: u64,
    ) -> Result<GivenConsent> {
        let (user_id, request) = (consent.user_id, &consent.request);
        let grant = self
            .grants
            .find_before_consent(user_id, &request.client_id)
            .await?;
        let client = GrantedClient {
            client_id: request.client_id.clone(),
            generation: grant.token_generation,
        };
        // A client with every right keeps every right: without a scope, `connect_action` adds all scopes.
        let scopes = request.scope.filter(|_| !grant.is_unlimited());
        let mut writes = self.users.begin(access).await?;
        let now_s = now / 1000;
        let consent_key = code_key(&consent.id_hash);
        writes.add(is_pending(consent, now_s).delete(&self.table, consent_key)?);
        writes.add(self.grants.connect_action(user_id, &client, scopes, now)?);
        if let Some(code_hash) = code_hash {
            let code = IssuedCode {
                code_hash,
                user_id,
                user_generation: access.credential.generation,
                client_id: client.client_id.clone(),
                client_generation: client.generation,
                redirect_uri: request.redirect_uri.clone(),
                code_challenge: request.code_challenge.clone(),
                scope: request.scope,
                token_id: None,
                expires_at: now_s + CODE_LIFETIME_S,
            };
            let is_new = Condition::new("attribute_not_exists(code_hash)");
            writes.add(is_new.put(&self.table, row_with_stage(CODE, &code)?)?);
        }
        writes.commit().await?.or(Error::Changed)?;
        Ok(GivenConsent {
            is_more: !grant.has(request.scope),
            credential: Credential {
                user_id,
                generation: access.credential.generation,
                token_id,
                client: Some(client),
                profile_token: None,
                scope: request.scope,
            },
        })
    }

    /// Returns the credential that an exchange of this code would return, without exchanging the code. `None` if
    /// the code is unknown or was exchanged before. Only [`CodeStore::exchange`] checks the expiry, the client, the
    /// redirect URI and the challenge.
    pub async fn preview_exchange(&self, exchange: &CodeExchange) -> Result<Option<Credential>> {
        let row = get(&self.client, &self.table, code_key(&exchange.code_hash)).await?;
        let row = row
            .filter(|row| row.get("stage") == Some(&text(CODE)) && !row.contains_key("token_id"));
        row.map(|row| Ok(credential_of(read(row)?, exchange)))
            .transpose()
    }

    /// Exchanges a code with one conditional write, so that only one of several concurrent exchanges succeeds
    /// (docs/oauth.md, "Rule 18"). `now` is in seconds since the Unix epoch.
    pub async fn exchange(&self, exchange: &CodeExchange, now: u64) -> Result<ExchangeOutcome> {
        let holds = "stage = :code AND attribute_not_exists(token_id) AND expires_at > :now \
            AND client_id = :client_id AND redirect_uri = :redirect_uri AND ";
        let mut condition = match &exchange.code_challenge {
            Some(challenge) => Condition::new(&format!("{holds}code_challenge = :challenge"))
                .value("challenge", text(challenge)),
            None => Condition::new(&format!("{holds}attribute_not_exists(code_challenge)")),
        };
        condition = condition
            .value("code", text(CODE))
            .value("client_id", text(&exchange.client_id))
            .value("redirect_uri", text(&exchange.redirect_uri))
            .value("now", number(now))
            .value("token_id", text(&exchange.token_id))
            .value("end", number(now + ACCESS_TOKEN_S));
        let row = TargetRow(&self.client, &self.table, code_key(&exchange.code_hash));
        // The row is kept until the token expires, so that a second exchange of the code is detected.
        let mark_exchanged = "SET token_id = :token_id, expires_at = :end";
        match update_row(row, condition, mark_exchanged, &self.random).await? {
            RowOutcome::Written(row) => {
                Ok(ExchangeOutcome::Token(credential_of(read(row)?, exchange)))
            }
            RowOutcome::Refused(row) => outcome_of_refusal(exchange, row),
        }
    }
}

/// Returns the outcome of an exchange whose condition failed. `row` is the row of the code, empty if there is none.
fn outcome_of_refusal(exchange: &CodeExchange, row: Item) -> Result<ExchangeOutcome> {
    if row.get("stage") != Some(&text(CODE)) {
        return Ok(ExchangeOutcome::Refused);
    }
    let code: IssuedCode = read(row)?;
    // Only a request with the right client, redirect URI and verifier can end tokens (docs/oauth.md, "Rule 20").
    let is_own = code.client_id == exchange.client_id
        && code.redirect_uri == exchange.redirect_uri
        && code.code_challenge == exchange.code_challenge;
    match &code.token_id {
        // This same exchange has written the row: the response of DynamoDB was lost, and the SDK has sent the write a
        // second time.
        Some(token) if is_own && *token == exchange.token_id => {
            Ok(ExchangeOutcome::Token(credential_of(code, exchange)))
        }
        Some(_) if is_own => {
            let user_id = code.user_id;
            Ok(ExchangeOutcome::Repeated(user_id, granted_client(code)))
        }
        _ => Ok(ExchangeOutcome::Refused),
    }
}

fn credential_of(code: IssuedCode, exchange: &CodeExchange) -> Credential {
    Credential {
        user_id: code.user_id,
        generation: code.user_generation,
        token_id: exchange.token_id.clone(),
        profile_token: None,
        scope: code.scope,
        client: Some(granted_client(code)),
    }
}

fn granted_client(code: IssuedCode) -> GrantedClient {
    GrantedClient {
        client_id: code.client_id,
        generation: code.client_generation,
    }
}

/// Returns the condition that a consent is still pending and has not expired at `now` (seconds since the Unix epoch).
fn is_pending(consent: &Consent, now: u64) -> Condition {
    Condition::new("stage = :consent AND #session = :session AND expires_at > :now")
        .name("session")
        .value("consent", text(CONSENT))
        .value("session", text(&consent.session))
        .value("now", number(now))
}

/// Returns a row of the table, with the attribute `stage`.
fn row_with_stage<T: Serialize>(stage: &str, row: &T) -> Result<Item> {
    let mut row = write(row)?;
    row.insert("stage".to_owned(), text(stage));
    Ok(row)
}
