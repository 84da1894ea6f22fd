//! Showing that an address is one's own, by following a link that was sent there.

use std::sync::Arc;

use axum::extract::State as With;
use axum::http::Uri;
use axum::response::Response;
use serde::Deserialize;
use shared::auth::{Action, Bearer, CallerAddress, MAIL_ADDRESS, Purpose, user_of};
use shared::body::FormOrFields;
use shared::endpoint::private;
use shared::envelope::Envelope;
use shared::error::ApiError;
use shared::mail::Mail;
use shared::models::{Account, EmailAddress};
use shared::openapi::{AlreadyExists, BadBody, Fault, NoAccess, OutOfReach, TooMany};
use utoipa::ToSchema;

use crate::page::{self, Form};
use crate::{State, session};

/// Where the link leads.
pub(crate) const CONFIRM: &str = "/v1/auth/email_verification/confirm";

const FORM: Form = Form {
    action: CONFIRM,
    title: "Verify your e-mail address",
    text: "Press the button to show that this address is yours.",
    password: false,
    button: "Verify",
    message: "E-mail verified",
    done: "Your e-mail address is verified.",
};

/// What is wrong with a link, for people.
const SPENT: &str = "is not valid, has expired, or was used before";

/// Mails a link to an account's address.
pub(crate) async fn mail(state: &State, account: &Account) -> Result<(), ApiError> {
    let email = account.user.email.as_deref().unwrap_or_default();
    let to = EmailAddress::new(email).map_err(ApiError::internal)?;
    state.attempts.mail("email_verification", &to).await?;
    let id = account.user.id;
    let token = state
        .tokens
        .sign(Purpose::EmailVerification, id, 0, None)
        .await?;
    let url = state.tokens.public_url();
    let text = format!(
        "Hi {},\n\nfollow this link to show that this address is yours. It is good for a day, and once:\n\n\
         {url}{CONFIRM}?token={token}\n\nIf you did not register at Kiroku, do nothing.\n",
        account.user.username
    );
    let subject = "Verify your e-mail address";
    state.mailer.send(&Mail { to, subject, text }).await
}

/// Sends the link once more.
#[utoipa::path(
    post,
    path = "/v1/auth/email_verification",
    tag = "auth",
    operation_id = "send_email_verification",
    security(("bearer" = [])),
    responses(
        (status = 200, description = "A link is on its way; `data` is empty", body = Envelope<String>),
        NoAccess,
        AlreadyExists,
        TooMany,
        Fault,
        OutOfReach,
    ),
)]
pub(crate) async fn send(
    With(state): With<Arc<State>>,
    bearer: Bearer,
) -> Result<Response, ApiError> {
    let access = state.tokens.own(&bearer, Action::SendVerification).await?;
    let account = session::own_account(&state, &access).await?;
    if account.user.email_verified == Some(true) {
        return Err(ApiError::conflict("email", "is verified already"));
    }
    mail(&state, &account).await?;
    Ok(private("Link sent", ""))
}

/// The page that the link leads to. Only its button uses the link up, not the programs that look at
/// links in mails.
#[utoipa::path(
    get,
    path = "/v1/auth/email_verification/confirm",
    tag = "auth",
    operation_id = "email_verification_page",
    params(("token" = String, Query, description = "What the link has", example = "link")),
    responses((status = 200, description = "A page with a button", body = String, content_type = "text/html")),
)]
pub(crate) async fn form(uri: Uri) -> Response {
    page::of_link(&FORM, &uri)
}

/// What the link has.
#[derive(Deserialize, ToSchema)]
#[expect(dead_code, reason = "says in the reference what the body is")]
pub(crate) struct ConfirmEmail {
    /// The token.
    #[schema(example = "link")]
    token: String,
}

/// Verifies the address, by what its link has. A form is answered with a page.
#[utoipa::path(
    post,
    path = "/v1/auth/email_verification/confirm",
    tag = "auth",
    operation_id = "confirm_email",
    request_body = ConfirmEmail,
    responses(
        (status = 200, description = "The address is verified; `data` is empty", body = Envelope<String>),
        BadBody,
        TooMany,
        Fault,
        OutOfReach,
    ),
)]
pub(crate) async fn confirm(
    With(state): With<Arc<State>>,
    address: CallerAddress,
    FormOrFields {
        mut fields,
        is_form,
    }: FormOrFields,
) -> Result<Response, ApiError> {
    let token = fields.text("token");
    let token = fields.require("token", token);
    let verified = async {
        fields.finish()?;
        state
            .attempts
            .by_address("link", address, MAIL_ADDRESS)
            .await?;
        let token = token.as_deref().unwrap_or_default();
        let claims = state
            .tokens
            .verify(Purpose::EmailVerification, token)
            .await?;
        let verified = match claims.as_ref().and_then(user_of) {
            Some(id) => state.users.verify_email(id).await?,
            None => false,
        };
        verified
            .then_some(())
            .ok_or_else(|| ApiError::invalid("token", SPENT))
    };
    let result = verified.await;
    page::answer(&FORM, token.as_deref(), is_form, result)
}
