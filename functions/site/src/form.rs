//! Forms: as they are on a page, as they are sent, and what can be wrong with them.

use std::sync::Arc;

use accounts::SignedIn;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::{StatusCode, Uri};
use maud::{Markup, Render, html};
use shared::http::WRONG_CREDENTIALS;
use shared::input::{Form, Params};
use shared::{Error, FieldErrors};

use crate::error::PageError;
use crate::layout::{self, Field};
use crate::paths::{DEVELOPER, PROFILE};
use crate::sessions::Visitor;
use crate::state::SiteState;
use crate::text::wait;

/// What helps to choose a password.
pub(crate) const PASSWORD_HINT: &str =
    "At least 8 characters. A few words are easier to remember than signs.";

/// A form that was sent from a page of ours: its hidden token is the visitor's.
pub(crate) struct SentForm {
    /// Who sent it.
    pub visitor: Visitor,
    /// What was typed.
    pub form: Form,
}

impl FromRequest<Arc<SiteState>> for SentForm {
    type Rejection = PageError;

    async fn from_request(request: Request, state: &Arc<SiteState>) -> Result<Self, PageError> {
        let (mut parts, body) = request.into_parts();
        let Ok(visitor) = Visitor::from_request_parts(&mut parts, state).await;
        let form = Form::from_request(Request::from_parts(parts, body), state).await?;
        state.sessions.check_csrf(&visitor, form.value("csrf"))?;
        Ok(Self { visitor, form })
    }
}

/// A form that somebody sent who is signed in.
pub(crate) struct OwnForm {
    /// Who sent it, by their cookies.
    pub visitor: Visitor,
    /// Who sent it.
    pub owner: SignedIn,
    /// What was typed.
    pub form: Form,
}

impl FromRequest<Arc<SiteState>> for OwnForm {
    type Rejection = PageError;

    async fn from_request(request: Request, state: &Arc<SiteState>) -> Result<Self, PageError> {
        let is_developer = request.uri().path().starts_with(DEVELOPER);
        let back = if is_developer { DEVELOPER } else { PROFILE };
        let SentForm { visitor, form } = SentForm::from_request(request, state).await?;
        let owner = state.sessions.require(&visitor, back).await?;
        Ok(Self {
            visitor,
            owner,
            form,
        })
    }
}

/// What a link in a mail has. Its page's form brings it back.
pub(crate) fn link_token(uri: &Uri) -> String {
    let mut params = Params::parse(uri.query().unwrap_or_default());
    params.token("token").unwrap_or_default()
}

/// Reads fields that must not be empty.
///
/// # Errors
/// [`PageError::Invalid`] that names each that is.
pub(crate) fn required<'f, const N: usize>(
    form: &'f Form,
    names: [&'static str; N],
) -> Result<[&'f str; N], Error> {
    let empty = names.into_iter().filter(|name| form.value(name).is_empty());
    let faults: FieldErrors = empty.map(|name| (name, "is required".to_owned())).collect();
    if faults.is_empty() {
        Ok(names.map(|name| form.value(name)))
    } else {
        Err(Error::Invalid(faults))
    }
}

/// What is wrong with a form that was sent.
#[derive(Debug)]
pub(crate) struct Faults {
    status: StatusCode,
    fields: FieldErrors,
    sentence: Option<String>,
    retry_after: Option<u64>,
}

impl Faults {
    /// What of an error whoever sent the form can mend.
    ///
    /// # Errors
    /// Any other error, as it is.
    pub(crate) fn of(error: Error) -> Result<Self, Error> {
        let (status, fields, sentence) = match error {
            Error::Invalid(fields) => (StatusCode::BAD_REQUEST, fields, None),
            Error::Conflict(fields) => (StatusCode::CONFLICT, fields, None),
            Error::WrongCredentials => {
                let sentence = WRONG_CREDENTIALS.to_owned();
                (StatusCode::UNAUTHORIZED, FieldErrors::new(), Some(sentence))
            }
            Error::TooManyRequests(seconds) => {
                let sentence = format!("Too many attempts: try again in {}.", wait(seconds));
                return Ok(Self {
                    status: StatusCode::TOO_MANY_REQUESTS,
                    fields: FieldErrors::new(),
                    sentence: Some(sentence),
                    retry_after: Some(seconds),
                });
            }
            error => return Err(error),
        };
        Ok(Self {
            status,
            fields,
            sentence,
            retry_after: None,
        })
    }

    /// The status of the answer.
    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    /// How many seconds to wait, if waiting mends it.
    pub(crate) fn retry_after(&self) -> Option<u64> {
        self.retry_after
    }

    /// All of them, each with a link to its field. The page opens at them.
    fn summary(&self, fields: &[Field<'_>]) -> Markup {
        let in_order = fields.iter().filter_map(|field| {
            let reason = self.fields.get(field.name)?;
            Some((field.name, field.sentence(reason)))
        });
        let has_field = |name: &str| fields.iter().any(|field| field.name == name);
        let others = self.fields.iter().filter(|(name, _)| !has_field(name));
        html! {
            div.faults role="alert" tabindex="-1" autofocus {
                ul {
                    @if let Some(sentence) = &self.sentence {
                        li { (sentence) }
                    }
                    @for (name, sentence) in in_order {
                        li { a href={ "#" (name) } { (sentence) } }
                    }
                    @for (name, reason) in others {
                        li { (without_field(name)) " " (reason) "." }
                    }
                }
            }
        }
    }
}

/// What is called so of which a form has no field to fill in.
fn without_field(name: &str) -> &str {
    match name {
        "token" => "The link",
        name => name,
    }
}

/// A form on a page, which begins with its faults and ends with its button.
#[derive(Default)]
pub(crate) struct PostForm<'a> {
    /// Where it is sent to.
    pub action: &'a str,
    /// The token that shows that it comes from a page of ours.
    pub csrf: &'a str,
    /// Name and value of what nobody fills in.
    pub hidden: Option<(&'a str, &'a str)>,
    /// What is filled in.
    pub fields: &'a [Field<'a>],
    /// What is wrong with what was.
    pub faults: Option<&'a Faults>,
    /// What its button says.
    pub button: &'a str,
    /// Whether the button takes something away.
    pub danger: bool,
}

impl Render for PostForm<'_> {
    fn render(&self) -> Markup {
        let reason = |name| {
            let reason = self.faults.and_then(|faults| faults.fields.get(name));
            reason.map(String::as_str)
        };
        html! {
            // What is missing is said by the answer, in the same words and place as all else.
            form method="post" action=(self.action) novalidate {
                @if let Some(faults) = self.faults { (faults.summary(self.fields)) }
                (layout::csrf(self.csrf))
                @if let Some((name, value)) = self.hidden {
                    input type="hidden" name=(name) value=(value);
                }
                @for field in self.fields {
                    (layout::field(field, reason(field.name)))
                }
                button.danger[self.danger] type="submit" { (self.button) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::layout::{Control, Field};
    use axum::http::StatusCode;
    use maud::Render;
    use shared::Error;

    use super::{Faults, PostForm};

    const NAME: Field<'_> = Field {
        name: "name",
        label: "Name",
        control: Control::Words,
        value: "<b>\"",
        hint: "",
    };

    fn form(faults: Option<&Faults>) -> String {
        let form = PostForm {
            action: "/there",
            csrf: "token",
            fields: &[NAME],
            faults,
            button: "Go",
            ..PostForm::default()
        };
        form.render().into_string()
    }

    #[test]
    fn a_fault_is_told_at_the_top_and_beside_its_field() {
        let faults = Faults::of(Error::invalid("name", "is <i>taken</i>")).unwrap();
        assert_eq!(faults.status(), StatusCode::BAD_REQUEST);
        let html = form(Some(&faults));
        let sentence = "Name is &lt;i&gt;taken&lt;/i&gt;.";
        assert!(
            html.contains(&format!("<a href=\"#name\">{sentence}</a>")),
            "{html}"
        );
        assert!(
            html.contains(&format!("id=\"name-fault\">{sentence}</p>")),
            "{html}"
        );
        assert!(
            html.contains("aria-describedby=\"name-fault\" aria-invalid=\"true\""),
            "{html}"
        );
        assert!(html.contains("value=\"&lt;b&gt;&quot;\""), "{html}");
        assert!(!form(None).contains("aria-invalid"));
    }

    #[test]
    fn how_long_to_wait_is_told() {
        let faults = Faults::of(Error::TooManyRequests(61)).unwrap();
        assert_eq!(faults.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(faults.retry_after(), Some(61));
        let html = form(Some(&faults));
        assert!(
            html.contains("Too many attempts: try again in 2 minutes."),
            "{html}"
        );
    }

    #[test]
    fn what_has_no_field_is_told_too() {
        let faults = Faults::of(Error::invalid("token", "has expired")).unwrap();
        let html = form(Some(&faults));
        assert!(html.contains("<li>The link has expired.</li>"), "{html}");
    }

    #[test]
    fn other_errors_are_left_to_others() {
        assert!(Faults::of(Error::InvalidToken).is_err());
    }
}
