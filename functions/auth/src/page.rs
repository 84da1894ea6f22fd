//! The two pages that links in mails lead to. They need no script, and ask nobody else for anything.

use axum::http::{HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use shared::endpoint::private;
use shared::error::ApiError;
use shared::query::Params;

/// What a page asks for.
pub(crate) struct Form {
    /// Where it is sent to.
    pub action: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// What stands above it.
    pub text: &'static str,
    /// Whether it asks for a new password.
    pub password: bool,
    /// What its button says.
    pub button: &'static str,
    /// What is said once it is done: to a program, and on a page.
    pub message: &'static str,
    /// See `message`.
    pub done: &'static str,
}

const STYLE: &str = "body{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:0 auto;\
    padding:2rem 1rem;color:#1b1b1f;background:#fff}input,button{font:inherit;padding:.6rem;\
    width:100%;box-sizing:border-box;margin:.3rem 0 1rem;border:1px solid #767680;border-radius:.4rem}\
    button{background:#1d4ed8;border-color:#1d4ed8;color:#fff}.fault{color:#b3261e}\
    @media(prefers-color-scheme:dark){body{color:#e6e6ea;background:#17171a}\
    input{background:#232327;color:inherit}.fault{color:#ffb4ab}}";

/// The page that a link leads to: the form, with what the link has.
pub(crate) fn of_link(form: &Form, uri: &Uri) -> Response {
    let mut params = Params::parse(uri.query().unwrap_or_default());
    let token = params.token("token").unwrap_or_default();
    page(StatusCode::OK, form.title, &fields(form, &token, ""))
}

/// The answer to what a link leads to: an envelope to a program; to a form a page, with the form once
/// more where something has to be mended.
pub(crate) fn answer(
    form: &Form,
    token: Option<&str>,
    is_form: bool,
    result: Result<(), ApiError>,
) -> Result<Response, ApiError> {
    match (result, is_form) {
        (Ok(()), false) => Ok(private(form.message, "")),
        (Ok(()), true) => Ok(done(form.done)),
        (Err(error), false) => Err(error),
        (Err(error), true) => Ok(again(form, token.unwrap_or_default(), error)),
    }
}

/// The form once more, with what has to be mended.
fn again(form: &Form, token: &str, error: ApiError) -> Response {
    let faults = match &error {
        ApiError::Invalid(fields) => {
            let fault = |(name, reason): (&&str, &String)| {
                let name = if *name == "token" {
                    "The link"
                } else {
                    "The password"
                };
                format!("{name} {reason}.")
            };
            fields.iter().map(fault).collect::<Vec<_>>().join(" ")
        }
        ApiError::TooManyRequests(_) => "Too many attempts: try again in an hour.".to_owned(),
        _ => "Something went wrong here: try again in a moment.".to_owned(),
    };
    // The status and its headers are those of the error.
    let answer = error.into_response();
    let mut page = page(answer.status(), form.title, &fields(form, token, &faults));
    if let Some(after) = answer.headers().get(header::RETRY_AFTER) {
        page.headers_mut()
            .insert(header::RETRY_AFTER, after.clone());
    }
    page
}

/// The page that says that it is done.
fn done(text: &str) -> Response {
    page(StatusCode::OK, "Done", &format!("<p>{}</p>", escape(text)))
}

fn fields(form: &Form, token: &str, faults: &str) -> String {
    let fault = match faults {
        "" => String::new(),
        faults => format!("<p class=\"fault\" role=\"alert\">{}</p>", escape(faults)),
    };
    let password = if form.password {
        "<label for=\"password\">New password</label><input id=\"password\" name=\"password\" \
         type=\"password\" autocomplete=\"new-password\" minlength=\"8\" required>"
    } else {
        ""
    };
    let (text, action, token) = (escape(form.text), form.action, escape(token));
    format!(
        "<p>{text}</p>{fault}<form method=\"post\" action=\"{action}\">\
         <input type=\"hidden\" name=\"token\" value=\"{token}\">{password}\
         <button>{}</button></form>",
        escape(form.button)
    )
}

fn page(status: StatusCode, title: &str, body: &str) -> Response {
    let title = escape(title);
    let html = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title} - Kiroku</title><style>{STYLE}</style></head>\
         <body><main><h1>{title}</h1>{body}</main></body></html>"
    );
    let header = |name: &'static str, value: &'static str| {
        (
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        )
    };
    // The link is in the address: it must not be handed on to anybody (RFC 6819, section 5.1.6).
    let headers = [
        header("content-type", "text/html; charset=utf-8"),
        header("cache-control", "no-store"),
        header("referrer-policy", "no-referrer"),
        header("x-frame-options", "DENY"),
        header("x-content-type-options", "nosniff"),
        header(
            "content-security-policy",
            "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; \
             base-uri 'none'; frame-ancestors 'none'",
        ),
    ];
    (status, headers, html).into_response()
}

/// Text as HTML (WHATWG HTML, section 13.3, "Escaping a string").
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}
