//! The HTML layout of every page, and the components that pages are built from. Pages load nothing from other
//! sites and work without JavaScript.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};
use shared::digest;

/// `Content-Type` of every page.
const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

/// The content security policy: pages load only from this site, send forms only to it, and cannot be framed.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; \
     base-uri 'none'; frame-ancestors 'none'",
);

/// [`POLICY`] for pages with a form whose response can redirect to an application. It has no `form-action`,
/// because browsers apply that to redirects after a form as well.
const LEADING_AWAY_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; \
     frame-ancestors 'none'",
);

/// [`POLICY`] for pages whose script calls the API.
pub(crate) const CALLING_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; \
     form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);

/// A static file. Its address includes its version, so that browsers can cache it for a year.
#[derive(Debug)]
pub struct Asset {
    /// The path.
    pub path: &'static str,
    /// The media type.
    pub media_type: &'static str,
    /// The content.
    pub content: &'static str,
}

/// The style sheet of every page.
pub const STYLE: Asset = Asset {
    path: "/style.css",
    media_type: "text/css; charset=utf-8",
    content: include_str!("../assets/style.css"),
};

/// The script of the copy buttons and of the forms "Try it". Pages work without it.
pub const SCRIPT: Asset = Asset {
    path: "/site.js",
    media_type: "text/javascript; charset=utf-8",
    content: include_str!("../assets/site.js"),
};

/// The icon of the browser tab.
pub const ICON: Asset = Asset {
    path: "/icon.svg",
    media_type: "image/svg+xml",
    content: include_str!("../assets/icon.svg"),
};

impl Asset {
    /// Returns the version of the file: the first 16 hexadecimal digits of its SHA-256.
    #[must_use]
    pub fn version(&self) -> String {
        let digest = digest(self.content);
        digest.chars().take(16).collect()
    }

    fn address(&self) -> String {
        format!("{}?v={}", self.path, self.version())
    }
}

/// An HTML page.
#[derive(Debug)]
pub struct Page<'a> {
    /// The title of the browser tab, and the page's only `h1`.
    pub title: &'a str,
    /// The path of the link in the navigation that leads to this page. Empty if there is none.
    pub current_path: &'a str,
    /// The name of the signed-in user. Determines the links of the navigation.
    pub visitor: Option<&'a str>,
    /// True if the response to a form of the page can redirect to an application.
    pub may_redirect_away: bool,
    /// The content below the heading.
    pub body: Markup,
}

impl Page<'_> {
    /// Returns the page as a response. Its headers forbid caching and framing, and keep the page's address
    /// from other sites.
    #[must_use]
    pub fn answer(self, status: StatusCode) -> Response {
        let navigation = self.navigation();
        self.answer_with(status, &navigation)
    }

    fn answer_with(&self, status: StatusCode, navigation: &Markup) -> Response {
        let policy = if self.may_redirect_away {
            LEADING_AWAY_POLICY
        } else {
            POLICY
        };
        let headers = [
            (header::CONTENT_TYPE, HTML),
            (header::CONTENT_SECURITY_POLICY, policy),
            (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
            (
                header::REFERRER_POLICY,
                HeaderValue::from_static("no-referrer"),
            ),
            (
                header::X_CONTENT_TYPE_OPTIONS,
                HeaderValue::from_static("nosniff"),
            ),
            (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        ];
        (
            status,
            headers,
            self.layout(status, navigation).into_string(),
        )
            .into_response()
    }

    fn layout(&self, status: StatusCode, navigation: &Markup) -> Markup {
        // Screen readers read the title first, so it starts with "Error: ".
        let is_error = status.is_client_error() || status.is_server_error();
        let fault = if is_error { "Error: " } else { "" };
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (fault) (self.title) " - Kiroku" }
                    link rel="icon" href=(ICON.address()) type="image/svg+xml";
                    link rel="stylesheet" href=(STYLE.address()) ;
                    script src=(SCRIPT.address()) defer {}
                }
                body {
                    a.skip href="#content" { "Skip to main content" }
                    header {
                        a.mark href="/" { "Kiroku " span lang="ja" { "記録" } }
                        nav aria-label="Main" { ul { (navigation) } }
                    }
                    main #content tabindex="-1" {
                        h1 { (self.title) }
                        (self.body)
                    }
                    footer {
                        p {
                            "Kiroku is Japanese for “record”. Its cookies only keep you signed in and \
                             protect its forms. It loads nothing from other sites."
                        }
                    }
                }
            }
        }
    }

    fn navigation(&self) -> Markup {
        html! {
            (self.link("/reference", "Reference", None))
            @if let Some(name) = self.visitor {
                (self.link("/developer", "Developer", None))
                (self.link("/profile", "Profile", Some(name)))
            } @else {
                (self.link("/sign-in", "Sign in", None))
                (self.link("/sign-up", "Sign up", None))
            }
        }
    }

    fn link(&self, path: &str, text: &str, name: Option<&str>) -> Markup {
        let current = (path == self.current_path).then_some("page");
        html! {
            li {
                a href=(path) aria-current=[current] {
                    (text)
                    @if let Some(name) = name { " " span.name { (name) } }
                }
            }
        }
    }
}

/// Returns an error page with `message` as its heading.
#[must_use]
pub fn error(status: StatusCode, message: &str, sentences: &[String]) -> Response {
    let body = html! {
        @for sentence in sentences {
            p { (sentence) }
        }
        p { a.button href="/" { "Go to the start page" } }
    };
    let page = Page {
        title: message,
        current_path: "",
        visitor: None,
        may_redirect_away: false,
        body,
    };
    // The session is unknown here, so the navigation has no link that depends on it.
    let navigation = html! {
        (page.link("/reference", "Reference", None))
        (page.link("/profile", "Profile", None))
    };
    page.answer_with(status, &navigation)
}

/// Renders the hidden form field with the CSRF token.
#[must_use]
pub fn csrf(token: &str) -> Markup {
    html! { input type="hidden" name="csrf" value=(token); }
}

/// Renders a confirmation for the top of a page.
#[must_use]
pub fn notice(text: &str) -> Markup {
    // A live region announces only later changes. The focus makes screen readers read it on load.
    html! { p.notice role="status" tabindex="-1" autofocus { (text) } }
}

/// A field of a form.
#[derive(Debug)]
pub struct Field<'a> {
    /// The name in the form, also its `id` in the page.
    pub name: &'static str,
    /// The label. Error sentences start with it.
    pub label: &'a str,
    /// The kind of control.
    pub control: Control<'a>,
    /// The initial value.
    pub value: &'a str,
    /// A hint below the label. May be empty.
    pub hint: &'a str,
}

/// The control of a field.
#[derive(Clone, Copy, Debug)]
pub enum Control<'a> {
    /// A line for a username.
    Username,
    /// A line for an e-mail address.
    Email,
    /// A line for the current password.
    CurrentPassword,
    /// A line for a new password.
    NewPassword,
    /// A line of text.
    Words,
    /// A line that is not natural language, such as a token. Browsers do not check its spelling or capitalize
    /// it.
    Code,
    /// A line of digits.
    Digits,
    /// Several lines that are not natural language.
    CodeLines,
    /// A choice from a list of values and labels.
    Select(&'a [(&'a str, &'a str)]),
    /// Radio buttons of values and labels.
    Radio(&'a [(&'a str, &'a str)]),
    /// A checkbox, checked if the value is [`YES`].
    Checkbox,
    /// A file. The form is then sent as `multipart/form-data`.
    File,
}

/// The form value of a checked [`Control::Checkbox`], and of a second button.
pub const YES: &str = "yes";

impl Field<'_> {
    /// Returns a reason as a sentence about the field. A reason that is a sentence already stays as it is.
    #[must_use]
    pub fn sentence(&self, reason: &str) -> String {
        if reason.ends_with('.') {
            reason.to_owned()
        } else {
            format!("{} {reason}.", self.label)
        }
    }
}

/// Renders a field with its label, its hint and its error.
#[must_use]
pub fn field(field: &Field<'_>, reason: Option<&str>) -> Markup {
    let label = Label::of(field, reason);
    match field.control {
        Control::Radio(choices) => radio(field, &label, choices),
        Control::Checkbox => checkbox(field, &label),
        _ => html! {
            div.field {
                label for=(field.name) { (field.label) }
                (label.notes)
                (control(field, &label))
            }
        },
    }
}

/// The hint and error beside a control, and the ARIA attributes that refer to them.
struct Label {
    notes: Markup,
    described_by: Option<String>,
    invalid: Option<&'static str>,
}

impl Label {
    fn of(field: &Field<'_>, reason: Option<&str>) -> Self {
        let hint = (!field.hint.is_empty()).then(|| format!("{}-hint", field.name));
        let fault = reason.map(|_| format!("{}-fault", field.name));
        let notes = html! {
            @if let Some(id) = &hint {
                p.hint id=(id) { (field.hint) }
            }
            @if let (Some(id), Some(reason)) = (&fault, reason) {
                p.fault id=(id) { (field.sentence(reason)) }
            }
        };
        let invalid = reason.map(|_| "true");
        let ids: Vec<String> = [hint, fault].into_iter().flatten().collect();
        Self {
            notes,
            described_by: (!ids.is_empty()).then(|| ids.join(" ")),
            invalid,
        }
    }
}

fn radio(field: &Field<'_>, label: &Label, choices: &[(&str, &str)]) -> Markup {
    html! {
        fieldset role="radiogroup" aria-describedby=[&label.described_by] aria-invalid=[label.invalid] {
            legend { (field.label) }
            (label.notes)
            @for (number, (value, text)) in choices.iter().enumerate() {
                label.choice {
                    // The first button has the id, so that a link from the error summary leads to it.
                    input type="radio" id=[(number == 0).then_some(field.name)] name=(field.name)
                        value=(value) required checked[*value == field.value];
                    span { (text) }
                }
            }
        }
    }
}

fn checkbox(field: &Field<'_>, label: &Label) -> Markup {
    html! {
        div.field {
            label.choice {
                input type="checkbox" id=(field.name) name=(field.name) value=(YES)
                    checked[field.value == YES]
                    aria-describedby=[&label.described_by] aria-invalid=[label.invalid];
                span { (field.label) }
            }
            (label.notes)
        }
    }
}

fn control(field: &Field<'_>, label: &Label) -> Markup {
    let (name, described_by) = (field.name, &label.described_by);
    match field.control {
        Control::Select(choices) => html! {
            select id=(name) name=(name) required
                aria-describedby=[described_by] aria-invalid=[label.invalid] {
                @for (value, text) in choices {
                    option value=(value) selected[*value == field.value] { (text) }
                }
            }
        },
        Control::CodeLines => html! {
            textarea id=(name) name=(name) rows="4" required autocomplete="off" autocapitalize="none"
                spellcheck="false" aria-describedby=[described_by] aria-invalid=[label.invalid] {
                (field.value)
            }
        },
        Control::File => html! {
            input type="file" id=(name) name=(name) required
                aria-describedby=[described_by] aria-invalid=[label.invalid];
        },
        control => {
            let (kind, autocomplete, inputmode) = line(control);
            let is_code = !matches!(control, Control::Words);
            html! {
                input type=(kind) id=(name) name=(name) value=(field.value) required
                    autocomplete=(autocomplete) inputmode=[inputmode]
                    autocapitalize=[is_code.then_some("none")] spellcheck=[is_code.then_some("false")]
                    aria-describedby=[described_by] aria-invalid=[label.invalid];
            }
        }
    }
}

/// Returns the `type`, `autocomplete` and `inputmode` of a line.
const fn line(control: Control<'_>) -> (&'static str, &'static str, Option<&'static str>) {
    match control {
        Control::Username => ("text", "username", None),
        Control::Email => ("email", "email", Some("email")),
        Control::CurrentPassword => ("password", "current-password", None),
        Control::NewPassword => ("password", "new-password", None),
        Control::Digits => ("text", "off", Some("numeric")),
        _ => ("text", "off", None),
    }
}

/// Renders a text with a copy button. `what` completes the button's label: "Copy `what`".
#[must_use]
pub fn copyable(id: &str, what: &str, text: &str) -> Markup {
    html! {
        div.copyable {
            code id=(id) { (text) }
            (copy_button(id, what))
        }
    }
}

/// Renders a text that is shown only once, with a copy button. It takes the focus when the page opens. `what`
/// completes the button's label.
#[must_use]
pub fn shown_once(id: &str, label: &str, what: &str, text: &str) -> Markup {
    html! {
        div.field {
            label for=(id) { (label) }
            div.copyable {
                textarea id=(id) rows="2" readonly autofocus autocomplete="off" spellcheck="false" {
                    (text)
                }
                (copy_button(id, what))
            }
        }
    }
}

/// Renders a copy button. It is hidden until the script shows it, because it does nothing without the script.
fn copy_button(id: &str, what: &str) -> Markup {
    html! {
        button.secondary type="button" data-copy=(id) hidden {
            span { "Copy" } span.unseen { " " (what) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Page<'_> {
        fn html(&self, status: StatusCode) -> String {
            self.layout(status, &self.navigation()).into_string()
        }
    }

    fn page(may_redirect_away: bool) -> Page<'static> {
        Page {
            title: "<Title>",
            current_path: "/profile",
            visitor: Some("mitsuha"),
            may_redirect_away,
            body: html! { p { "Body" } },
        }
    }

    #[test]
    fn headers() {
        let answer = page(false).answer(StatusCode::OK);
        let header = |name| answer.headers().get(name).unwrap().to_str().unwrap();
        assert_eq!(header("content-type"), "text/html; charset=utf-8");
        assert_eq!(header("x-frame-options"), "DENY");
        assert_eq!(header("referrer-policy"), "no-referrer");
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert_eq!(header("cache-control"), "no-store");
        assert_eq!(answer.headers()["content-security-policy"], POLICY);
        assert_eq!(answer.headers().len(), 6);
    }

    #[test]
    fn form_that_ends_at_an_application_may_redirect_there() {
        let policy = |consent| {
            let answer = page(consent).answer(StatusCode::OK);
            let policy = &answer.headers()[header::CONTENT_SECURITY_POLICY];
            policy.to_str().unwrap().to_owned()
        };
        assert_eq!(
            policy(true),
            policy(false).replace("form-action 'self'; ", "")
        );
        assert!(!policy(true).contains("form-action"));
    }

    #[test]
    fn the_layout() {
        let html = page(false).html(StatusCode::OK);
        assert!(
            html.contains("<title>&lt;Title&gt; - Kiroku</title>"),
            "{html}"
        );
        assert!(html.contains("<h1>&lt;Title&gt;</h1><p>Body</p>"), "{html}");
        assert!(
            html.contains("<span class=\"name\">mitsuha</span>"),
            "{html}"
        );
        let html = page(false).html(StatusCode::BAD_REQUEST);
        assert!(html.contains("<title>Error: "), "{html}");
    }

    #[test]
    fn field_refers_to_its_hint_and_error() {
        let choices = [("a", "One"), ("b", "Other")];
        let of = |control| Field {
            name: "kind",
            label: "Kind",
            control,
            value: "b",
            hint: "Either.",
        };
        let controls = [
            Control::Words,
            Control::CodeLines,
            Control::Select(&choices),
            Control::Radio(&choices),
            Control::Checkbox,
            Control::File,
        ];
        for control in controls {
            let html = field(&of(control), Some("is required")).into_string();
            let described = "aria-describedby=\"kind-hint kind-fault\" aria-invalid=\"true\"";
            assert!(html.contains(described), "{html}");
            assert!(html.contains("id=\"kind-hint\">Either.</p>"), "{html}");
            assert!(
                html.contains("id=\"kind-fault\">Kind is required.</p>"),
                "{html}"
            );
            assert_eq!(html.matches("id=\"kind\"").count(), 1, "{html}");
        }
        let html = field(&of(Control::Radio(&choices)), None).into_string();
        assert!(html.contains("value=\"b\" required checked>"), "{html}");
        let html = field(&of(Control::Checkbox), None).into_string();
        assert!(!html.contains("checked"), "{html}");
    }

    #[test]
    fn passwords_are_filled_in_by_the_browser() {
        let html = |control| {
            let password = Field {
                name: "password",
                label: "Password",
                control,
                value: "",
                hint: "",
            };
            field(&password, None).into_string()
        };
        let known = html(Control::CurrentPassword);
        assert!(known.contains("type=\"password\""), "{known}");
        assert!(
            known.contains("autocomplete=\"current-password\""),
            "{known}"
        );
        assert!(html(Control::NewPassword).contains("autocomplete=\"new-password\""));
    }
}
