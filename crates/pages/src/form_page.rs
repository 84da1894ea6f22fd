//! Pages with forms: the extractor of their handlers, and their responses.

use std::sync::Arc;

use accounts::sessions::SignedInUser;
use axum::extract::{FromRef, FromRequest, FromRequestParts, MatchedPath, Request};
use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::response::Response;
use cookie::Cookie;
use maud::{Markup, html};
use shared::input::{Form, Params};
use shared::{Error, Result};

use crate::error::{PageError, PageResult};
use crate::form::{FormErrors, PostForm};
use crate::language::Localizer;
use crate::layout::{Page, notice};
use crate::response::{see_notice, with_cookie};
use crate::return_path::{page_of_form, read_return_path, return_path};
use crate::sessions::{PageSessions, Visitor};

/// The user of a page with forms. The type says whether the page requires a session: [`SignedInUser`] if it does,
/// `Option<SignedInUser>` if it does not, and `()` if the page is the same for users who are signed in, such as the
/// page for signing in.
pub trait PageUser: Sized + Send + Sync {
    /// Returns the user that the page is shown to.
    fn signed_in(&self) -> Option<&SignedInUser>;

    /// Reads the user. A visitor without the required session returns to `path` after signing in.
    fn read(
        sessions: &PageSessions,
        visitor: &Visitor,
        path: &str,
    ) -> impl Future<Output = Result<Self, PageError>> + Send;
}

impl PageUser for SignedInUser {
    fn signed_in(&self) -> Option<&SignedInUser> {
        Some(self)
    }

    async fn read(
        sessions: &PageSessions,
        visitor: &Visitor,
        path: &str,
    ) -> Result<Self, PageError> {
        sessions.require_user(visitor, path).await
    }
}

impl PageUser for Option<SignedInUser> {
    fn signed_in(&self) -> Option<&SignedInUser> {
        self.as_ref()
    }

    async fn read(sessions: &PageSessions, visitor: &Visitor, _: &str) -> Result<Self, PageError> {
        Ok(sessions.find_if_readable(visitor).await)
    }
}

impl PageUser for () {
    fn signed_in(&self) -> Option<&SignedInUser> {
        None
    }

    async fn read(sessions: &PageSessions, visitor: &Visitor, _: &str) -> Result<Self, PageError> {
        // The CSRF token depends on the session.
        sessions.find(visitor).await?;
        Ok(())
    }
}

/// The data of the forms of a page: the language, the CSRF token, and the form that was sent with its errors.
#[derive(Default)]
pub struct PageForms {
    /// The language of the page.
    pub l10n: Localizer,
    /// The CSRF token.
    pub csrf: String,
    /// The values of the form that was sent. Empty if the page was only opened.
    pub sent: Form,
    /// The identifier of the message that confirms the latest change.
    pub confirmation: Option<&'static str>,
    /// The address of the request. For a form, its path is the form's action.
    uri: Uri,
    errors: Option<FormErrors>,
}

impl PageForms {
    /// Returns the parameters in the query of the request.
    pub fn params(&self) -> Params {
        Params::parse(self.uri.query().unwrap_or_default())
    }

    /// Returns the path to which the visitor returns: the parameter `next` of the form that was sent, or of the query.
    pub fn next(&self) -> Option<String> {
        return_path(self.sent.value("next")).or_else(|| read_return_path(&self.uri))
    }

    /// Returns the token in the query of a page that a mail links to, or in the form that the page has sent.
    pub fn link_token(&self) -> String {
        let in_query = || self.params().token("token").unwrap_or_default();
        match self.sent.value("token") {
            "" => in_query(),
            sent => sent.to_owned(),
        }
    }

    /// Returns the errors of the form that is sent to `action`.
    pub fn errors(&self, action: &str) -> Option<&FormErrors> {
        let errors = self.errors.as_ref();
        errors.filter(|_| self.uri.path() == action)
    }

    /// Returns the errors of the form that was sent, for a page that shows another form because of them.
    pub fn sent_errors(&self) -> Option<&FormErrors> {
        self.errors.as_ref()
    }

    /// Returns the value that was sent to `action` with errors, or else the stored value.
    pub fn value<'v>(&'v self, action: &str, name: &str, stored: &'v str) -> &'v str {
        let refused = self.errors(action);
        refused.map_or(stored, |_| self.sent.value(name))
    }

    /// Returns a form that is sent to `action`, with its errors and without fields. `button` is the identifier of the
    /// message with the label of its button; empty if it has only a button for passkeys.
    pub fn post<'a>(&'a self, action: &'a str, button: &str) -> PostForm<'a> {
        PostForm {
            action,
            csrf: &self.csrf,
            errors: self.errors(action),
            button: match button {
                "" => String::new(),
                button => self.l10n.text(button),
            },
            ..PostForm::new(&self.l10n)
        }
    }

    /// Renders the confirmation of the latest change, if there is one.
    pub fn notice(&self) -> Markup {
        html! { @if let Some(message) = self.confirmation { (notice(&self.l10n.text(message))) } }
    }
}

/// A request for a page with forms, or a form that such a page has sent. Extracting it from a POST checks the CSRF
/// token, so a page of this site, shown to this visitor, has sent the form. A user who is signed in has the proof that
/// the request needs ([`shared::auth::PROOF_RULES`]).
pub struct FormPage<U = SignedInUser> {
    /// The visitor.
    pub visitor: Visitor,
    /// The user that the page is shown to.
    pub owner: U,
    /// The forms of the page.
    pub forms: PageForms,
    sessions: Arc<PageSessions>,
    /// The cookie to set with the page, if the visitor has none for CSRF tokens yet.
    set_cookie: Option<Cookie<'static>>,
}

impl<S, U: PageUser> FromRequest<S> for FormPage<U>
where
    S: Send + Sync,
    Arc<PageSessions>: FromRef<S>,
{
    type Rejection = PageError;

    async fn from_request(request: Request, state: &S) -> Result<Self, PageError> {
        let sessions = Arc::<PageSessions>::from_ref(state);
        let (mut parts, body) = request.into_parts();
        let Ok(visitor) = Visitor::from_request_parts(&mut parts, state).await;
        // If the visitor must sign in first, the values of the form are lost. Only the form of a list entry
        // keeps them (`save` in `functions/list_pages/src/story/routes.rs`). Signing in leads to the page of the
        // form, where the visitor can start again.
        let page = page_of_form(parts.uri.path());
        let (method, uri) = (parts.method.clone(), parts.uri.clone());
        let route = parts.extensions.get::<MatchedPath>().cloned();
        let sent = if method == Method::POST {
            Form::from_request(Request::from_parts(parts, body), state).await?
        } else {
            Form::default()
        };
        // A form whose session has ended leads to the sign-in page, whatever its token.
        let owner = U::read(&sessions, &visitor, &page).await?;
        if method == Method::POST {
            sessions.check_csrf(&visitor, sent.value("csrf")).await?;
        }
        if let Some(owner) = owner.signed_in() {
            // A HEAD request gets the headers of the page.
            let method = if method == Method::HEAD {
                "GET"
            } else {
                method.as_str()
            };
            let route = route.as_ref().map_or("", MatchedPath::as_str);
            sessions.require_proof_of_request(owner, (method, route), &page)?;
        }
        Ok(Self::new(&sessions, visitor, owner, uri).with_sent(sent))
    }
}

impl FormPage {
    /// Returns true if the last proof that the user owns the account is at most 10 minutes old.
    pub fn has_fresh_proof(&self) -> bool {
        self.sessions.has_fresh_proof(&self.owner)
    }
}

impl FormPage<Option<SignedInUser>> {
    /// Returns the page of the signed-in user.
    ///
    /// # Errors
    /// [`PageError::SignInFirst`] without a session. The visitor returns to `path` after signing in.
    pub fn require_user(self, path: &str) -> Result<FormPage, PageError> {
        let sessions = self.sessions;
        Ok(FormPage {
            owner: self.owner.ok_or_else(|| sessions.sign_in_first(path))?,
            visitor: self.visitor,
            forms: self.forms,
            sessions,
            set_cookie: self.set_cookie,
        })
    }
}

impl<U: PageUser> FormPage<U> {
    /// Returns the page at this address, without a sent form. The session must have been looked up before.
    pub fn new(sessions: &Arc<PageSessions>, visitor: Visitor, owner: U, uri: Uri) -> Self {
        let csrf = sessions.csrf(&visitor);
        Self {
            forms: PageForms {
                l10n: visitor.localizer(owner.signed_in()),
                csrf: csrf.token,
                uri,
                ..PageForms::default()
            },
            visitor,
            owner,
            sessions: Arc::clone(sessions),
            set_cookie: csrf.set_cookie,
        }
    }

    /// Returns the page after this form was sent.
    #[must_use]
    pub fn with_sent(mut self, form: Form) -> Self {
        self.forms.sent = form;
        self
    }

    /// Returns the page with the confirmation that the query parameter `done` names by its key in `messages`. Other
    /// values are ignored, so that a link cannot put its own text on a page. [`crate::notice`] has removed the
    /// parameter if no cookie confirms it.
    #[must_use]
    pub fn with_confirmation(mut self, messages: &[(&str, &'static str)]) -> Self {
        let done = self.forms.params().token("done");
        let known = done.and_then(|done| messages.iter().find(|(known, _)| *known == done));
        self.forms.confirmation = known.map(|(_, message)| *message);
        self
    }

    /// Returns the page with the errors of the form that was sent.
    ///
    /// # Errors
    /// An error that the user can neither correct nor wait for, unchanged.
    pub fn with_errors(mut self, error: Error) -> Result<Self> {
        self.forms.errors = Some(FormErrors::of(error)?);
        Ok(self)
    }

    /// Returns an identifier of the visitor's browser, for ceremonies ([`PageSessions::browser_id`]). The visitor may
    /// get the cookie for it with this page.
    pub fn browser_id(&self) -> String {
        let cookie = self.set_cookie.as_ref();
        self.sessions.browser_with(&self.visitor, cookie)
    }

    /// Returns a page with this title and content. The navigation marks no link as the current page.
    pub fn page<'a>(&'a self, title: &'a str, body: Markup) -> Page<'a> {
        let user = self.owner.signed_in();
        Page {
            visitor: user.map(SignedInUser::username),
            ..Page::new(&self.forms.l10n, title, body)
        }
    }

    /// Returns the response with a page that has this title and content ([`Self::page`], [`Self::respond`]).
    pub fn show(&self, title: &str, body: Markup) -> Response {
        self.respond(self.page(title, body))
    }

    /// Returns the response with a page that has forms. If the visitor has no cookie for the CSRF tokens yet, the
    /// response sets it. The errors of the form that was sent determine the status; without errors, it is 200.
    pub fn respond(&self, page: Page<'_>) -> Response {
        let errors = self.forms.errors.as_ref();
        let status = errors.map_or(StatusCode::OK, FormErrors::status);
        let mut response = self.respond_with_status(page, status);
        if let Some(seconds) = errors.and_then(FormErrors::retry_after) {
            let headers = response.headers_mut();
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }

    /// Returns the response with a page that has forms, and with this status.
    pub fn respond_with_status(&self, page: Page<'_>, status: StatusCode) -> Response {
        let response = page.respond(status);
        match &self.set_cookie {
            Some(cookie) => with_cookie(response, cookie),
            None => response,
        }
    }

    /// Redirects the visitor to the page at `path`, which shows the confirmation `done`. The path must have no query.
    pub fn redirect_with(&self, path: &str, done: &str) -> PageResult {
        see_notice(&self.sessions, &format!("{path}?done={done}"))
    }
}
