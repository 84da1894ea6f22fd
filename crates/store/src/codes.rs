//! The table `AuthCode`: authorizations on their way, from the page that asks for consent to the
//! exchange of the code. What a browser or an application holds is in it as its SHA-256 only.
//!
//! A row is at one of two stages, which each condition names: a consent that was asked for, and a code
//! that was issued. A code that was exchanged stays as long as the token that it gave, so that a second
//! exchange is seen, and ends it (RFC 6749, section 4.1.2).

use aws_sdk_dynamodb::Client;
use serde::Serialize;
use shared::Error;
use shared::auth::{ACCESS_TOKEN_S, Access, Credential, GrantedClient};
use shared::models::UserId;
use shared::random::Random;

use crate::errors::failed;
use crate::grants::GrantStore;
use crate::item::{Item, number, read, text, write};
use crate::schema::auth_code::{CODE, CONSENT, Consent, IssuedCode, TABLE, key as code_key};
use crate::table_names::TableNames;
use crate::transaction::{Condition, Outcome, Row, transact, update_row};
use crate::users::{UserStore, check_caller};

/// How long a code may be exchanged, in seconds: 3 minutes (contract, "Limits").
pub const CODE_S: u64 = 180;

/// How long a page that asks for consent may be answered, in seconds.
pub const CONSENT_S: u64 = 600;

/// What a client shows to have a code exchanged.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// SHA-256 of the code.
    pub code_hash: String,
    /// The client, which has authenticated itself.
    pub client_id: String,
    /// The address that the code was sent to.
    pub redirect_uri: String,
    /// What follows from the verifier, if it sent one.
    pub code_challenge: Option<String>,
    /// The name of the token to be.
    pub token_id: String,
}

/// What became of an exchange.
#[derive(Debug)]
pub enum Exchanged {
    /// The token to be signed.
    Token(Credential),
    /// There is no such code for this client, this address and this verifier, or it has expired.
    Refused,
    /// It was exchanged before, for the tokens of this grant.
    Again(UserId, GrantedClient),
}

/// The authorizations on their way.
#[derive(Clone, Debug)]
pub struct CodeStore {
    client: Client,
    table: String,
    users: UserStore,
    grants: GrantStore,
    random: Random,
}

impl CodeStore {
    /// The tables.
    #[must_use]
    pub fn new(client: Client, tables: &TableNames, random: Random) -> Self {
        Self {
            table: tables.of(TABLE.name),
            users: UserStore::new(client.clone(), tables, random.clone()),
            grants: GrantStore::new(client.clone(), tables, random.clone()),
            client,
            random,
        }
    }

    /// Notes that a page asks for a consent.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn ask(&self, consent: &Consent) -> Result<(), Error> {
        let request = self.client.put_item().table_name(&self.table);
        let row = staged(CONSENT, consent)?;
        request.set_item(Some(row)).send().await.map_err(failed)?;
        Ok(())
    }

    /// A consent that this session was asked for and that can still be given, at `now` in seconds since
    /// the Unix epoch.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn asked(
        &self,
        id_hash: &str,
        session: &str,
        now: u64,
    ) -> Result<Option<Consent>, Error> {
        let request = self.client.get_item().table_name(&self.table);
        let request = request.set_key(Some(code_key(id_hash)));
        let row = request
            .consistent_read(true)
            .send()
            .await
            .map_err(failed)?
            .item;
        let row = row.filter(|row| row.get("stage") == Some(&text(CONSENT)));
        let consent: Option<Consent> = row.map(read).transpose()?;
        Ok(consent.filter(|consent| consent.session == session && consent.expires_at > now))
    }

    /// Uses a consent up that was refused. False when it was used before.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn refuse(&self, consent: &Consent, now: u64) -> Result<bool, Error> {
        let delete = pending(consent, now).delete(&self.table, code_key(&consent.id_hash))?;
        let outcome = transact(&self.client, vec![delete], &self.random).await?;
        Ok(outcome == Outcome::Written)
    }

    /// Uses a consent up that was given, and connects the client: of any number at once, one does.
    /// Unless the grant is an implicit one, a code is issued, of which this is the hash. Answers the
    /// credential that a token of this grant is. `now` is in milliseconds since the Unix epoch.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn give(
        &self,
        access: &Access,
        consent: &Consent,
        code_hash: Option<String>,
        token_id: String,
        now: u64,
    ) -> Result<Credential, Error> {
        let (user_id, request) = (consent.user_id, &consent.request);
        let grant = self.grants.find(user_id, &request.client_id).await?;
        let client = GrantedClient {
            client_id: request.client_id.clone(),
            generation: grant.map_or(0, |grant| grant.token_generation),
        };
        let mut actions = self.users.caller_checks(access).await?;
        let now_s = now / 1000;
        let consent_key = code_key(&consent.id_hash);
        actions.push(pending(consent, now_s).delete(&self.table, consent_key)?);
        actions.push(self.grants.connect(user_id, &client, now)?);
        if let Some(code_hash) = code_hash {
            let code = IssuedCode {
                code_hash,
                user_id,
                user_generation: access.credential.generation,
                client_id: client.client_id.clone(),
                client_generation: client.generation,
                redirect_uri: request.redirect_uri.clone(),
                code_challenge: request.code_challenge.clone(),
                token_id: None,
                expires_at: now_s + CODE_S,
            };
            let new = Condition::new("attribute_not_exists(code_hash)");
            actions.push(new.put(&self.table, staged(CODE, &code)?)?);
        }
        match transact(&self.client, actions, &self.random).await? {
            Outcome::Written => Ok(Credential {
                user_id,
                generation: access.credential.generation,
                token_id,
                client: Some(client),
            }),
            Outcome::Refused(rows) => {
                check_caller(access, &mut rows.into_iter())?;
                Err(Error::Changed)
            }
        }
    }

    /// The credential that a code's token would be, before it is exchanged. `None` where there is no such
    /// code, or none any more.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn find(&self, exchange: &Exchange) -> Result<Option<Credential>, Error> {
        let request = self.client.get_item().table_name(&self.table);
        let request = request.set_key(Some(code_key(&exchange.code_hash)));
        let row = request
            .consistent_read(true)
            .send()
            .await
            .map_err(failed)?
            .item;
        let row = row
            .filter(|row| row.get("stage") == Some(&text(CODE)) && !row.contains_key("token_id"));
        row.map(|row| Ok(credential(read(row)?, exchange)))
            .transpose()
    }

    /// Exchanges a code: one conditional write, of which any number at once makes one. `now` is in
    /// seconds since the Unix epoch.
    ///
    /// # Errors
    /// When DynamoDB does not answer.
    pub async fn exchange(&self, exchange: &Exchange, now: u64) -> Result<Exchanged, Error> {
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
        let row = Row {
            client: &self.client,
            table: &self.table,
            key: code_key(&exchange.code_hash),
        };
        let redeem = "SET token_id = :token_id, expires_at = :end";
        match update_row(row, condition, redeem, &self.random).await? {
            Ok(row) => Ok(Exchanged::Token(credential(read(row)?, exchange))),
            Err(row) => why_refused(exchange, row),
        }
    }
}

/// Why a code was not exchanged, by its row.
fn why_refused(exchange: &Exchange, row: Item) -> Result<Exchanged, Error> {
    if row.get("stage") != Some(&text(CODE)) {
        return Ok(Exchanged::Refused);
    }
    let code: IssuedCode = read(row)?;
    // Whoever cannot show all that the exchange takes must not be able to end anything by it.
    let is_own = code.client_id == exchange.client_id
        && code.redirect_uri == exchange.redirect_uri
        && code.code_challenge == exchange.code_challenge;
    match &code.token_id {
        // An answer of DynamoDB's was lost, and the SDK has asked again: it was this exchange.
        Some(token) if is_own && *token == exchange.token_id => {
            Ok(Exchanged::Token(credential(code, exchange)))
        }
        Some(_) if is_own => {
            let user_id = code.user_id;
            Ok(Exchanged::Again(user_id, granted(code)))
        }
        _ => Ok(Exchanged::Refused),
    }
}

fn credential(code: IssuedCode, exchange: &Exchange) -> Credential {
    Credential {
        user_id: code.user_id,
        generation: code.user_generation,
        token_id: exchange.token_id.clone(),
        client: Some(granted(code)),
    }
}

fn granted(code: IssuedCode) -> GrantedClient {
    GrantedClient {
        client_id: code.client_id,
        generation: code.client_generation,
    }
}

/// That a consent can still be given.
fn pending(consent: &Consent, now: u64) -> Condition {
    Condition::new("stage = :consent AND #session = :session AND expires_at > :now")
        .name("session")
        .value("consent", text(CONSENT))
        .value("session", text(&consent.session))
        .value("now", number(now))
}

fn staged<T: Serialize>(stage: &str, row: &T) -> Result<Item, Error> {
    let mut row = write(row)?;
    row.insert("stage".to_owned(), text(stage));
    Ok(row)
}
