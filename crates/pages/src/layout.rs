//! The HTML layout of every page, and the components that pages are built from. Pages work without JavaScript. Nothing
//! is loaded from other sites, except images on pages of the kind [`PageKind::Wide`] with `may_load_images`.

use std::borrow::Cow;

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use fluent_bundle::FluentValue;
use maud::{DOCTYPE, Markup, html};

use crate::assets::{ICON, MANIFEST, SCRIPT, STYLE, TOUCH_ICON};
use crate::icon::Icon;
use crate::language::Localizer;
use crate::paths::{
    ANIME, CALENDAR, DEVELOPER, LIST, PROFILE, REFERENCE, SETTINGS, SIGN_IN, SIGN_UP, START,
    STATISTICS, STYLE_GUIDE,
};

const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

/// The kind of a page. It determines the width of the page, the place of the `h1`, the footer's sentence about images,
/// and what the content security policy allows besides the style sheet, the script, the manifest and the images of
/// this site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PageKind {
    /// A narrow page of text, whose forms lead only to this site.
    #[default]
    Text,
    /// A narrow page with a form whose response can redirect to an application. Its policy has no `form-action`,
    /// because browsers also apply this directive to a redirect in response to a form.
    FormMayRedirectAway,
    /// A narrow page of text on which the script calls the API, or checks whether the page has changed.
    CallsApi,
    /// A wide page, such as a list with covers. Its body contains the `h1`, which the layout adds to all other pages.
    /// The script may fetch pages of this site.
    Wide {
        /// True if the page may load images from the servers of the catalogue's sources.
        may_load_images: bool,
    },
}

impl PageKind {
    /// Returns the kind of a page with a form.
    pub fn of_form(may_redirect_away: bool) -> Self {
        if may_redirect_away {
            Self::FormMayRedirectAway
        } else {
            Self::Text
        }
    }

    /// Returns [`Self::Wide`].
    pub fn wide(may_load_images: bool) -> Self {
        Self::Wide { may_load_images }
    }

    fn is_wide(self) -> bool {
        matches!(self, Self::Wide { .. })
    }

    fn policy(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Text => {
                "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; manifest-src 'self'; \
                 form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
            }
            Self::FormMayRedirectAway => {
                "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; manifest-src 'self'; \
                 base-uri 'none'; frame-ancestors 'none'"
            }
            Self::CallsApi
            | Self::Wide {
                may_load_images: false,
            } => {
                "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; manifest-src 'self'; \
                 connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
            }
            Self::Wide {
                may_load_images: true,
            } => {
                "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' https:; \
                 manifest-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
            }
        })
    }
}

/// An HTML page.
#[derive(Debug)]
pub struct Page<'a> {
    /// The language of the page.
    pub l10n: &'a Localizer,
    /// The title of the browser tab. On all pages that are not [`PageKind::Wide`] it is also the `h1`.
    pub title: &'a str,
    /// The path of this page, so that the navigation can mark its link. May be empty for a page that the navigation
    /// does not link to.
    pub current_path: &'a str,
    /// The name of the signed-in user. Determines the links of the navigation.
    pub visitor: Option<&'a str>,
    /// The kind of the page.
    pub kind: PageKind,
    /// Further elements of `head`, such as metadata.
    pub head: Markup,
    /// The content. The `h1` is above it, or in it on a page of the kind [`PageKind::Wide`].
    pub body: Markup,
}

/// Returns the response with a part of a page, which the script puts into the page. Its headers are those of a page.
pub fn respond_with_part(l10n: &Localizer, part: Markup) -> Response {
    let headers = headers(l10n, PageKind::Text);
    (StatusCode::OK, headers, part.into_string()).into_response()
}

/// Returns headers that forbid caching and framing, and keep the page's address from other sites.
fn headers(l10n: &Localizer, kind: PageKind) -> [(HeaderName, HeaderValue); 7] {
    [
        (header::CONTENT_TYPE, HTML),
        (header::CONTENT_SECURITY_POLICY, kind.policy()),
        (
            header::CONTENT_LANGUAGE,
            HeaderValue::from_static(l10n.language().tag()),
        ),
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
    ]
}

impl<'a> Page<'a> {
    /// Returns a page of the kind [`PageKind::Text`] for a visitor who is not signed in. The navigation marks no
    /// link as the current page.
    pub fn new(l10n: &'a Localizer, title: &'a str, body: Markup) -> Self {
        Self {
            l10n,
            title,
            current_path: "",
            visitor: None,
            kind: PageKind::Text,
            head: Markup::default(),
            body,
        }
    }

    /// Returns the page as a response. Its headers forbid caching and framing, and keep the page's address
    /// from other sites.
    pub fn respond(self, status: StatusCode) -> Response {
        let navigation = self.navigation();
        self.respond_with(status, &navigation)
    }

    fn respond_with(&self, status: StatusCode, navigation: &Markup) -> Response {
        let headers = headers(self.l10n, self.kind);
        (
            status,
            headers,
            self.layout(status, navigation).into_string(),
        )
            .into_response()
    }

    fn layout(&self, status: StatusCode, navigation: &Markup) -> Markup {
        let l10n = self.l10n;
        // Screen readers read the title first, so the title of an error page starts with "Error: ".
        let is_error = status.is_client_error() || status.is_server_error();
        let title = if is_error {
            l10n.format(
                "page-error-title",
                [("title", FluentValue::from(self.title))],
            )
        } else {
            self.title.to_owned()
        };
        let is_wide = self.kind.is_wide();
        html! {
            (DOCTYPE)
            html lang=(l10n.language().tag()) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (title) " - Kiroku" }
                    // The colors are --paper of the style sheet.
                    meta name="theme-color" content="#faf9f6" media="(prefers-color-scheme: light)";
                    meta name="theme-color" content="#14161c" media="(prefers-color-scheme: dark)";
                    link rel="icon" href=(ICON.address()) type="image/svg+xml";
                    link rel="apple-touch-icon" href=(TOUCH_ICON.address());
                    link rel="manifest" href=(MANIFEST.address());
                    link rel="stylesheet" href=(STYLE.address()) ;
                    script src=(SCRIPT.address()) defer {}
                    (self.head)
                }
                body {
                    a.skip href="#content" { (l10n.text("page-skip")) }
                    header {
                        a.mark href=(START) { "Kiroku " span lang="ja" { "記録" } }
                        @if ![ANIME, START].contains(&self.current_path) { (search_form(l10n)) }
                        // On a phone, the style sheet hides the navigation until this element is open. The navigation
                        // is not in it, because not all browsers can show the content of a closed element on wide
                        // screens.
                        details.menu { summary { (Icon::List) (l10n.text("page-menu")) } }
                        nav aria-label=(l10n.text("page-navigation")) { ul { (navigation) } }
                    }
                    main #content .wide[is_wide] tabindex="-1" {
                        @if !is_wide { h1 { (self.title) } }
                        (self.body)
                    }
                    (self.footer())
                }
            }
        }
    }

    fn footer(&self) -> Markup {
        let l10n = self.l10n;
        let images = match self.kind {
            PageKind::Wide {
                may_load_images: true,
            } => "page-footer-images",
            _ => "page-footer-no-images",
        };
        html! {
            footer {
                p { (l10n.text("page-footer")) " " (l10n.text(images)) }
                ul.links.across {
                    li { a.row href=(SETTINGS) { (l10n.text("display-title")) } }
                    li { a.row href=(REFERENCE) { (l10n.text("page-developers")) } }
                    li { a.row href=(DEVELOPER) { (l10n.text("page-applications")) } }
                    li { a.row href=(STYLE_GUIDE) { (l10n.text("page-style-guide")) } }
                }
            }
        }
    }

    fn navigation(&self) -> Markup {
        html! {
            (self.link(ANIME, "page-browse", None))
            @if let Some(name) = self.visitor {
                (self.link(LIST, "list-title", None))
                (self.link(CALENDAR, "calendar-title", None))
                (self.link(STATISTICS, "public-statistics", None))
                (self.link(PROFILE, "page-profile", Some(name)))
            } @else {
                (self.link(SIGN_IN, "page-sign-in", None))
                @if self.l10n.has_sign_up() { (self.link(SIGN_UP, "page-sign-up", None)) }
            }
        }
    }

    fn link(&self, path: &str, text: &str, name: Option<&str>) -> Markup {
        let current = (path == self.current_path).then_some("page");
        html! {
            li {
                a href=(path) aria-current=[current] {
                    (self.l10n.text(text))
                    @if let Some(name) = name { " " span.name { (name) } }
                }
            }
        }
    }
}

/// Renders the search form in the header of pages. On a phone, it is only a button that leads to the page with all
/// anime and its search, so the text is not required.
fn search_form(l10n: &Localizer) -> Markup {
    let label = l10n.text("page-search");
    html! {
        form.search role="search" action=(ANIME) {
            input type="search" name="search" aria-label=(label) placeholder=(label) maxlength="500";
            button.secondary type="submit" {
                (Icon::Search)
                span.unseen { (l10n.text("page-search-button")) }
            }
        }
    }
}

/// Returns an error page with `message` as its heading.
pub fn error_response(
    l10n: &Localizer,
    status: StatusCode,
    message: &str,
    sentences: &[String],
) -> Response {
    let body = html! {
        @for sentence in sentences {
            p { (sentence) }
        }
        p { a.button href=(START) { (l10n.text("page-start")) } }
    };
    let page = Page::new(l10n, message, body);
    // The session is not known here, so the navigation has no links that depend on it.
    let navigation = html! {
        (page.link(ANIME, "page-browse", None))
        (page.link(PROFILE, "page-profile", None))
    };
    page.respond_with(status, &navigation)
}

/// Renders the links from a page of a list to the pages before and after it, if the list has more than one page.
/// `address` returns the path and query of a page. If `page` is after the last page, it links back to the last page.
pub fn page_links(
    l10n: &Localizer,
    page: usize,
    last: usize,
    address: impl Fn(usize) -> String,
) -> Markup {
    let link = |page: usize, label: &str, rel: &str| {
        html! { a.button.secondary href=(address(page)) rel=(rel) { (l10n.text(label)) } }
    };
    html! {
        @if last > 1 {
            nav.pages aria-label=(l10n.text("browse-pages")) {
                @if page > 1 { (link(page.min(last + 1) - 1, "browse-previous", "prev")) }
                span { (l10n.format("browse-page", [("page", page.into()), ("last", last.into())])) }
                @if page < last { (link(page + 1, "browse-next", "next")) }
            }
        }
    }
}

/// Renders the hidden form field with the CSRF token.
pub fn csrf_field(token: &str) -> Markup {
    html! { input type="hidden" name="csrf" value=(token); }
}

/// Renders a confirmation for the top of a page.
pub fn notice(text: &str) -> Markup {
    // A live region (`role="status"`) announces only later changes. The focus makes screen readers read the text
    // when the page opens.
    html! { p.notice role="status" tabindex="-1" autofocus { (text) } }
}

/// A field of a form.
#[derive(Debug)]
pub struct Field<'a> {
    /// The name in the form, also its `id` in the page.
    pub name: &'static str,
    /// The label, with which the sentence about an error of the field begins.
    pub label: String,
    /// The kind of control.
    pub control: Control<'a>,
    /// The initial value.
    pub value: &'a str,
    /// A hint below the label. May be empty.
    pub hint: String,
}

/// A value to choose, and its label.
pub type Choice<'a> = (Cow<'a, str>, String);

/// The control of a field.
#[derive(Clone, Debug)]
pub enum Control<'a> {
    /// A line for a username.
    Username,
    /// A line for the username or e-mail address of a user who signs in. Browsers can offer passkeys in it.
    SignInName,
    /// A line for an e-mail address.
    Email,
    /// A line for the current password.
    CurrentPassword,
    /// A line for a new password.
    NewPassword,
    /// A line of natural language.
    TextLine,
    /// A line that is not natural language, such as a token. Browsers do not check its spelling or capitalize it.
    CodeLine,
    /// A line of digits.
    Digits,
    /// A line for a code of a second factor.
    OneTimeCode,
    /// Several lines that are not natural language.
    CodeLines,
    /// A line that may stay empty and is not natural language. Holds the `inputmode`.
    OptionalLine(&'static str),
    /// Several lines of natural language.
    TextLines {
        /// False if they may stay empty.
        is_required: bool,
    },
    /// A choice from a list of values and labels. It may stay empty if a value is empty.
    Select(Vec<Choice<'a>>),
    /// Radio buttons of values and labels.
    Radio(Vec<Choice<'a>>),
    /// A checkbox, checked if the value is [`YES`].
    Checkbox,
    /// A file. The form is then sent as `multipart/form-data`.
    File,
}

/// The value that a form sends for a checked [`Control::Checkbox`] and for a pressed second submit button.
pub const YES: &str = "yes";

impl<'a> Field<'a> {
    /// Returns an empty field without a hint. `label` is the identifier of the message with its label.
    pub fn new(l10n: &Localizer, name: &'static str, control: Control<'a>, label: &str) -> Self {
        Self {
            name,
            label: l10n.text(label),
            control,
            value: "",
            hint: String::new(),
        }
    }

    /// Returns the field with this hint.
    #[must_use]
    pub fn with_hint(self, hint: String) -> Self {
        Self { hint, ..self }
    }

    /// Returns the field with this value.
    #[must_use]
    pub fn with_value(self, value: &'a str) -> Self {
        Self { value, ..self }
    }

    /// Returns the sentence that states `reason`, an error of the API, about the field.
    pub fn sentence(&self, l10n: &Localizer, reason: &str) -> String {
        sentence(l10n, &self.label, reason)
    }
}

/// Returns the sentence that states `reason`, an error of the API, about `subject`. A reason that ends with a period is
/// already a sentence and gets no subject.
pub fn sentence(l10n: &Localizer, subject: &str, reason: &str) -> String {
    let translated = l10n.translate(reason);
    if reason.ends_with('.') {
        return translated;
    }
    let variables = [("subject", subject.into()), ("reason", translated.into())];
    l10n.format("form-fault", variables)
}

/// Renders a field with its label, its hint and its error.
pub fn field(l10n: &Localizer, field: &Field<'_>, reason: Option<&str>) -> Markup {
    let notes = FieldNotes::of(l10n, field, reason);
    match &field.control {
        Control::Radio(choices) => radio_buttons(field, &notes, choices),
        Control::Checkbox => checkbox(field, &notes),
        _ => html! {
            div.field {
                label for=(field.name) { (field.label) }
                (notes.markup)
                (control_element(field, &notes))
            }
        },
    }
}

/// The hint and error beside a control, and the ARIA attributes that refer to them.
struct FieldNotes {
    markup: Markup,
    described_by: Option<String>,
    aria_invalid: Option<&'static str>,
}

impl FieldNotes {
    fn of(l10n: &Localizer, field: &Field<'_>, reason: Option<&str>) -> Self {
        let hint = (!field.hint.is_empty()).then(|| format!("{}-hint", field.name));
        let fault = reason.map(|_| format!("{}-fault", field.name));
        let markup = html! {
            @if let Some(id) = &hint {
                p.hint id=(id) { (field.hint) }
            }
            @if let (Some(id), Some(reason)) = (&fault, reason) {
                p.fault id=(id) { (field.sentence(l10n, reason)) }
            }
        };
        let aria_invalid = reason.map(|_| "true");
        let ids: Vec<String> = [hint, fault].into_iter().flatten().collect();
        Self {
            markup,
            described_by: (!ids.is_empty()).then(|| ids.join(" ")),
            aria_invalid,
        }
    }
}

fn radio_buttons(field: &Field<'_>, notes: &FieldNotes, choices: &[Choice<'_>]) -> Markup {
    html! {
        fieldset role="radiogroup" aria-describedby=[&notes.described_by] aria-invalid=[notes.aria_invalid] {
            legend { (field.label) }
            (notes.markup)
            @for (number, (value, text)) in choices.iter().enumerate() {
                label.choice {
                    // The first button has the id, so that a link from the error summary leads to it.
                    input type="radio" id=[(number == 0).then_some(field.name)] name=(field.name)
                        value=(value) required checked[value == field.value];
                    span { (text) }
                }
            }
        }
    }
}

fn checkbox(field: &Field<'_>, notes: &FieldNotes) -> Markup {
    html! {
        div.field {
            label.choice {
                input type="checkbox" id=(field.name) name=(field.name) value=(YES)
                    checked[field.value == YES]
                    aria-describedby=[&notes.described_by] aria-invalid=[notes.aria_invalid];
                span { (field.label) }
            }
            (notes.markup)
        }
    }
}

fn control_element(field: &Field<'_>, notes: &FieldNotes) -> Markup {
    let (name, described_by) = (field.name, &notes.described_by);
    match &field.control {
        Control::Select(choices) => html! {
            select id=(name) name=(name) required[choices.iter().all(|(value, _)| !value.is_empty())]
                aria-describedby=[described_by] aria-invalid=[notes.aria_invalid] {
                @for (value, text) in choices {
                    // An option without the attribute has its text as value, which halves the list of time zones.
                    option value=[(value != text).then_some(value)] selected[value == field.value] { (text) }
                }
            }
        },
        Control::CodeLines => html! {
            textarea id=(name) name=(name) rows="4" required autocomplete="off" autocapitalize="none"
                spellcheck="false" aria-describedby=[described_by] aria-invalid=[notes.aria_invalid] {
                (field.value)
            }
        },
        Control::TextLines { is_required } => html! {
            textarea id=(name) name=(name) rows="4" dir="auto" autocomplete="off" required[*is_required]
                aria-describedby=[described_by] aria-invalid=[notes.aria_invalid] {
                // Browsers drop a line break at the start of a `textarea`. This line break is dropped instead of a line
                // break at the start of the value.
                "\n" (field.value)
            }
        },
        Control::File => html! {
            input type="file" id=(name) name=(name) required
                aria-describedby=[described_by] aria-invalid=[notes.aria_invalid];
        },
        control => {
            let (kind, autocomplete, inputmode) = line_attributes(control);
            let is_code = !matches!(control, Control::TextLine);
            let is_required = !matches!(control, Control::OptionalLine(_));
            html! {
                input type=(kind) id=(name) name=(name) value=(field.value) required[is_required]
                    autocomplete=(autocomplete) inputmode=[inputmode]
                    autocapitalize=[is_code.then_some("none")] spellcheck=[is_code.then_some("false")]
                    aria-describedby=[described_by] aria-invalid=[notes.aria_invalid];
            }
        }
    }
}

/// Returns the attributes `type`, `autocomplete` and `inputmode` of a control with one line.
const fn line_attributes(
    control: &Control<'_>,
) -> (&'static str, &'static str, Option<&'static str>) {
    match control {
        Control::Username => ("text", "username", None),
        Control::SignInName => ("text", "username webauthn", None),
        Control::Email => ("email", "email", Some("email")),
        Control::CurrentPassword => ("password", "current-password", None),
        Control::NewPassword => ("password", "new-password", None),
        Control::OneTimeCode => ("text", "one-time-code", Some("numeric")),
        Control::Digits => ("text", "off", Some("numeric")),
        Control::OptionalLine(mode) => ("text", "off", Some(*mode)),
        _ => ("text", "off", None),
    }
}

/// Renders a text with a copy button. `object` completes the button's label: "Copy `object`".
pub fn copyable_text(l10n: &Localizer, id: &str, object: &str, text: &str) -> Markup {
    html! {
        div.copyable {
            code id=(id) { (text) }
            (copy_button(l10n, id, object))
        }
    }
}

/// Renders a text that is shown only once, such as a new token, with a copy button. The text takes the focus when the
/// page opens. `object` completes the button's label, as in [`copyable_text`].
pub fn text_shown_once(
    l10n: &Localizer,
    id: &str,
    label: &str,
    object: &str,
    text: &str,
) -> Markup {
    html! {
        div.field {
            label for=(id) { (label) }
            div.copyable {
                textarea id=(id) rows="2" readonly autofocus autocomplete="off" spellcheck="false" {
                    (text)
                }
                (copy_button(l10n, id, object))
            }
        }
    }
}

/// Renders several lines of text with a copy button. `object` completes the button's label, as in [`copyable_text`].
pub fn copyable_lines(l10n: &Localizer, id: &str, label: &str, object: &str, text: &str) -> Markup {
    html! {
        div.field {
            label for=(id) { (label) }
            div.copyable {
                textarea id=(id) rows="6" readonly autocomplete="off" spellcheck="false" { (text) }
                (copy_button(l10n, id, object))
            }
        }
    }
}

/// Renders a copy button. It is hidden until the script shows it, because it does nothing without the script. After
/// a click, the script replaces the label for a moment.
fn copy_button(l10n: &Localizer, id: &str, object: &str) -> Markup {
    html! {
        button.secondary type="button" data-copy=(id) data-copied=(l10n.text("copy-done"))
            data-selected=(l10n.text("copy-selected")) data-help=(l10n.text("copy-help")) hidden {
            span { (l10n.text("copy-button")) } span.unseen { " " (object) }
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

    fn page(l10n: &Localizer, kind: PageKind) -> Page<'_> {
        Page {
            current_path: "/profile",
            visitor: Some("mitsuha"),
            kind,
            ..Page::new(l10n, "<Title>", html! { p { "Body" } })
        }
    }

    #[test]
    fn pages_have_security_headers() {
        let response = page(&Localizer::default(), PageKind::Text).respond(StatusCode::OK);
        let header = |name| response.headers().get(name).unwrap().to_str().unwrap();
        assert_eq!(header("content-type"), "text/html; charset=utf-8");
        assert_eq!(header("x-frame-options"), "DENY");
        assert_eq!(header("referrer-policy"), "no-referrer");
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert_eq!(header("cache-control"), "no-store");
        assert_eq!(header("content-language"), "en");
        assert_eq!(response.headers().len(), 7);
    }

    #[test]
    fn policies_allow_what_a_kind_needs() {
        let policy = |kind| {
            let response = page(&Localizer::default(), kind).respond(StatusCode::OK);
            let policy = &response.headers()[header::CONTENT_SECURITY_POLICY];
            policy.to_str().unwrap().to_owned()
        };
        let plain = policy(PageKind::Text);
        assert!(plain.contains("form-action 'self'; "), "{plain}");
        let without = |part| plain.replace(part, "");
        assert_eq!(
            policy(PageKind::FormMayRedirectAway),
            without("form-action 'self'; ")
        );
        let calling = plain.replace("form-action", "connect-src 'self'; form-action");
        assert_eq!(policy(PageKind::CallsApi), calling);
        let wide = |may_load_images| policy(PageKind::wide(may_load_images));
        assert_eq!(wide(false), calling);
        let images = calling.replace("img-src 'self'", "img-src 'self' https:");
        assert_eq!(wide(true), images);
    }

    #[test]
    fn layout_escapes_texts_and_marks_errors() {
        let l10n = Localizer::default();
        let page = page(&l10n, PageKind::Text);
        let html = page.html(StatusCode::OK);
        assert!(
            html.contains("<title>&lt;Title&gt; - Kiroku</title>"),
            "{html}"
        );
        assert!(html.contains("<h1>&lt;Title&gt;</h1><p>Body</p>"), "{html}");
        assert!(
            html.contains("<span class=\"name\">mitsuha</span>"),
            "{html}"
        );
        let html = page.html(StatusCode::BAD_REQUEST);
        assert!(html.contains("<title>Error: "), "{html}");
    }

    #[test]
    fn field_refers_to_its_hint_and_error() {
        let l10n = Localizer::default();
        let choices = || {
            [("a", "One"), ("b", "Other")]
                .map(|(value, label)| (value.into(), label.to_owned()))
                .to_vec()
        };
        let of = |control| Field {
            name: "kind",
            label: "Kind".to_owned(),
            control,
            value: "b",
            hint: "Either.".to_owned(),
        };
        let controls = [
            Control::TextLine,
            Control::CodeLines,
            Control::OptionalLine("numeric"),
            Control::TextLines { is_required: true },
            Control::Select(choices()),
            Control::Radio(choices()),
            Control::Checkbox,
            Control::File,
        ];
        for control in controls {
            let html = field(&l10n, &of(control), Some("is required")).into_string();
            let described = "aria-describedby=\"kind-hint kind-fault\" aria-invalid=\"true\"";
            assert!(html.contains(described), "{html}");
            assert!(html.contains("id=\"kind-hint\">Either.</p>"), "{html}");
            assert!(
                html.contains("id=\"kind-fault\">Kind is required.</p>"),
                "{html}"
            );
            assert_eq!(html.matches("id=\"kind\"").count(), 1, "{html}");
        }
        let html = field(&l10n, &of(Control::Radio(choices())), None).into_string();
        assert!(html.contains("value=\"b\" required checked>"), "{html}");
        let html = field(&l10n, &of(Control::Checkbox), None).into_string();
        assert!(!html.contains("checked"), "{html}");
    }

    #[test]
    fn passwords_are_filled_in_by_the_browser() {
        let html = |control| {
            let l10n = Localizer::default();
            let password = Field::new(&l10n, "password", control, "account-password");
            field(&l10n, &password, None).into_string()
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
