//! HTML pages: the layout around each of them, and the parts that they are made of. No page asks
//! anybody else for anything, and each of them works without its script.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};
use shared::digest;

/// `Content-Type` of every page.
const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

/// What a page may load, where its forms may lead, and that no other page may hold it.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; \
     base-uri 'none'; frame-ancestors 'none'",
);

/// [`POLICY`] for the page whose form ends at an application: browsers hold the redirects after a
/// form against `form-action`, too.
const LEADING_AWAY_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; \
     frame-ancestors 'none'",
);

/// A file that pages load. Its address changes with it, so that whoever has it never asks for it again.
#[derive(Debug)]
pub struct Asset {
    /// Its path.
    pub path: &'static str,
    /// Its media type.
    pub media_type: &'static str,
    /// What is in it.
    pub content: &'static str,
}

/// The style of every page.
pub const STYLE: Asset = Asset {
    path: "/style.css",
    media_type: "text/css; charset=utf-8",
    content: include_str!("../assets/style.css"),
};

/// The buttons that copy. Nothing needs it.
pub const SCRIPT: Asset = Asset {
    path: "/site.js",
    media_type: "text/javascript; charset=utf-8",
    content: include_str!("../assets/site.js"),
};

/// The mark in the window's tab.
pub const ICON: Asset = Asset {
    path: "/icon.svg",
    media_type: "image/svg+xml",
    content: include_str!("../assets/icon.svg"),
};

impl Asset {
    /// Which version of it this is: the beginning of its SHA-256.
    #[must_use]
    pub fn version(&self) -> String {
        let digest = digest(self.content);
        digest.chars().take(16).collect()
    }

    fn address(&self) -> String {
        format!("{}?v={}", self.path, self.version())
    }
}

/// A page.
#[derive(Debug)]
pub struct Page<'a> {
    /// What the window is called, and the page's one `h1`.
    pub title: &'a str,
    /// The link of the navigation that leads to it, or to where it belongs; empty where none does.
    pub at: &'a str,
    /// The name of who is signed in, which decides the navigation.
    pub visitor: Option<&'a str>,
    /// Whether a form of the page ends at an application.
    pub leads_away: bool,
    /// What stands below the heading.
    pub body: Markup,
}

impl Page<'_> {
    /// The page as an answer: what is in it and in its address stays with this site.
    #[must_use]
    pub fn answer(self, status: StatusCode) -> Response {
        let navigation = self.navigation();
        self.answer_with(status, &navigation)
    }

    fn answer_with(&self, status: StatusCode, navigation: &Markup) -> Response {
        let policy = if self.leads_away {
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
        // Read out first, it tells at once that something is to be mended.
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
                    a.skip href="#content" { "Skip to the content" }
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
                            "Kiroku is Japanese for “record”. Its only cookies keep you signed in and \
                             your forms your own, and its pages load nothing from anybody else."
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
        let current = (path == self.at).then_some("page");
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

/// The page that says what went wrong: `message` is its heading.
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
        at: "",
        visitor: None,
        leads_away: false,
        body,
    };
    // Whether anybody is signed in is not known here.
    let navigation = html! {
        (page.link("/reference", "Reference", None))
        (page.link("/profile", "Profile", None))
    };
    page.answer_with(status, &navigation)
}

/// The hidden field that shows that a form was sent from a page of ours.
#[must_use]
pub fn csrf(token: &str) -> Markup {
    html! { input type="hidden" name="csrf" value=(token); }
}

/// What has been done, told at the top of a page.
#[must_use]
pub fn notice(text: &str) -> Markup {
    // What is there from the beginning is read out when the page opens at it.
    html! { p.notice role="status" tabindex="-1" autofocus { (text) } }
}

/// A field of a form.
#[derive(Debug)]
pub struct Field<'a> {
    /// Its name in the form, which is its identifier in the page.
    pub name: &'static str,
    /// What it is called. Sentences about it begin so.
    pub label: &'a str,
    /// What it is filled in with.
    pub control: Control<'a>,
    /// What stands in it.
    pub value: &'a str,
    /// What helps to fill it in; may be empty.
    pub hint: &'a str,
}

/// What a field is filled in with.
#[derive(Clone, Copy, Debug)]
pub enum Control<'a> {
    /// A line with the name of the visitor's account.
    Username,
    /// A line with the visitor's e-mail address.
    Email,
    /// A line with the visitor's password.
    CurrentPassword,
    /// A line with a password that is to be the visitor's.
    NewPassword,
    /// A line of words.
    Words,
    /// A line that no language has words for, such as a token.
    Code,
    /// A line of digits.
    Digits,
    /// Lines that no language has words for.
    CodeLines,
    /// One out of a list, each with its value and what it is called.
    Select(&'a [(&'a str, &'a str)]),
    /// One out of a few, all of which are seen at once.
    Radio(&'a [(&'a str, &'a str)]),
    /// Yes, when the value is [`YES`], or no.
    Checkbox,
}

/// What a form says of a [`Control::Checkbox`] that is checked.
pub const YES: &str = "yes";

impl Field<'_> {
    /// What is wrong with it, as a sentence.
    #[must_use]
    pub fn sentence(&self, reason: &str) -> String {
        format!("{} {reason}.", self.label)
    }
}

/// A field with its label, and what is wrong with it, if anything is.
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

/// What stands beside a control, and how the control refers to it.
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
                    // A link to the field leads to the first one.
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

/// A line's `type`, `autocomplete` and `inputmode`.
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

/// A text to copy, as it stands: `what` it is completes "Copy".
#[must_use]
pub fn copyable(id: &str, what: &str, text: &str) -> Markup {
    html! {
        div.copyable {
            code id=(id) { (text) }
            (copy_button(id, what))
        }
    }
}

/// A text that is shown this once, to be copied: the page opens at it. `what` it is completes "Copy".
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

/// Hidden until the script shows it: without one it does nothing.
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

    fn page(leads_away: bool) -> Page<'static> {
        Page {
            title: "<Title>",
            at: "/profile",
            visitor: Some("mitsuha"),
            leads_away,
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
    fn a_form_that_ends_at_an_application_may_lead_there() {
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
    fn a_field_refers_to_what_is_said_about_it() {
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
