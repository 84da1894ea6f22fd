//! The HTML layout of every page, and the components that pages are built from. Pages work without JavaScript. Nothing
//! is loaded from other sites, except images on pages of the kind [`PageKind::Wide`] with `may_load_images`.

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use fluent_bundle::FluentValue;
use maud::{DOCTYPE, Markup, html};
use shared::http::response::{CACHE_NONE, NO_REFERRER, NO_SNIFFING};

use crate::assets::{FONT, ICON, MANIFEST, SCRIPT, STYLE, TOUCH_ICON};
pub use crate::field::{Choice, Control, Field, YES, field, sentence};
use crate::icon::Icon;
use crate::language::Localizer;
use crate::paths::{
    ANIME, CALENDAR, DEVELOPER, HISTORY, LIST, PROFILE, REFERENCE, SETTINGS, SIGN_IN, SIGN_OUT,
    SIGN_UP, SONG, START, STATISTICS, STYLE_GUIDE, user_path,
};
use crate::season::{season_at, season_path};

/// The schemes of colors, and the color of the ground in each: `--paper` of the style sheet. It is also the color of
/// the browser's bars on phones.
const SCHEMES: [(&str, &str); 2] = [("light", "#f3f0e7"), ("dark", "#0c0f17")];

const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

/// The kind of a page. It determines the width of the page, the place of the `h1`, the footer's sentence about images,
/// and what the content security policy allows besides the style sheet, the script, the font, the manifest and the
/// images of this site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PageKind {
    /// A narrow page of text, whose forms lead only to this site. The script may fetch from this site.
    #[default]
    Text,
    /// A narrow page with a form whose response can redirect to an application. Its policy has no `form-action`,
    /// because browsers also apply this directive to a redirect in response to a form. The script may fetch nothing.
    FormMayRedirectAway,
    /// A wide page, such as a list with covers. Its body contains the `h1`, which the layout adds to all other pages.
    /// The script may fetch from this site.
    Wide {
        /// True if the page may load images from the servers of the catalogue's sources.
        may_load_images: bool,
    },
    /// A page like [`Self::Wide`] into which the script can put a trailer from YouTube.
    WithTrailer {
        /// True if the page may load images from the servers of the catalogue's sources.
        may_load_images: bool,
    },
}

/// Returns a policy: what a page may load besides the static files, and the directives that not all pages have.
macro_rules! policy {
    ($images:literal, $others:literal) => {
        HeaderValue::from_static(concat!(
            "default-src 'none'; style-src 'self'; script-src 'self'; font-src 'self'; img-src 'self'",
            $images,
            "; manifest-src 'self'; ",
            $others,
            "base-uri 'none'; frame-ancestors 'none'"
        ))
    };
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
        matches!(self, Self::Wide { .. } | Self::WithTrailer { .. })
    }

    fn may_load_images(self) -> bool {
        match self {
            Self::Text | Self::FormMayRedirectAway => false,
            Self::Wide { may_load_images } | Self::WithTrailer { may_load_images } => {
                may_load_images
            }
        }
    }

    fn policy(self) -> HeaderValue {
        match (self, self.may_load_images()) {
            (Self::FormMayRedirectAway, _) => policy!("", ""),
            (Self::WithTrailer { .. }, false) => policy!(
                "",
                "connect-src 'self'; frame-src https://www.youtube-nocookie.com; form-action 'self'; "
            ),
            (Self::WithTrailer { .. }, true) => policy!(
                " https:",
                "connect-src 'self'; frame-src https://www.youtube-nocookie.com; form-action 'self'; "
            ),
            (_, false) => policy!("", "connect-src 'self'; form-action 'self'; "),
            (_, true) => policy!(" https:", "connect-src 'self'; form-action 'self'; "),
        }
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
        (header::REFERRER_POLICY, NO_REFERRER),
        (header::X_CONTENT_TYPE_OPTIONS, NO_SNIFFING),
        (header::CACHE_CONTROL, CACHE_NONE),
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
        let headers = headers(self.l10n, self.kind);
        (status, headers, self.layout(status).into_string()).into_response()
    }

    fn layout(&self, status: StatusCode) -> Markup {
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
        let theme = l10n.theme();
        html! {
            (DOCTYPE)
            html lang=(l10n.language().tag()) data-theme=[theme] {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content=(theme.unwrap_or("light dark"));
                    title { (title) " - Kiroku" }
                    @for (scheme, color) in SCHEMES {
                        @if theme.is_none_or(|theme| theme == scheme) {
                            @let media = format!("(prefers-color-scheme: {scheme})");
                            meta name="theme-color" content=(color) media=[theme.is_none().then_some(media)];
                        }
                    }
                    link rel="icon" href=(ICON.address()) type="image/svg+xml";
                    link rel="apple-touch-icon" href=(TOUCH_ICON.address());
                    link rel="manifest" href=(MANIFEST.address());
                    link rel="stylesheet" href=(STYLE.address());
                    // Browsers load fonts without cookies, also from the same site.
                    link rel="preload" href=(FONT.address()) as="font" type="font/woff2" crossorigin;
                    script src=(SCRIPT.address()) defer {}
                    (self.head)
                }
                body {
                    a.skip href="#content" { (l10n.text("page-skip")) }
                    header.top {
                        div.in {
                            a.mark href=(START) {
                                span.han lang="ja" aria-hidden="true" { "記録" }
                                "Kiroku"
                            }
                            nav.main aria-label=(l10n.text("page-navigation")) { ul { (self.places()) } }
                            (search_form(l10n, self.kind))
                            (self.account())
                        }
                    }
                    main #content tabindex="-1" {
                        div.in.text[!is_wide] {
                            @if !is_wide { h1 { (self.title) } }
                            @if !is_error && l10n.has_unreadable_account() {
                                p.notice { (l10n.text("account-unreadable")) }
                            }
                            (self.body)
                        }
                    }
                    (self.footer())
                }
            }
        }
    }

    /// Renders the links to the main pages. On a phone, they stay at the foot of the screen.
    fn places(&self) -> Markup {
        let season = self.l10n.now().map(season_at);
        let season = season.map(|(season, year)| season_path(season, year));
        let season = season.as_deref().unwrap_or(ANIME);
        html! {
            // If the account cannot be read, the visitor is probably signed in.
            @if self.visitor.is_some() || self.l10n.has_unreadable_account() {
                (self.place("今", START, START, "page-today"))
                (self.place("録", LIST, LIST, "page-list"))
                (self.place("季", ANIME, season, "page-seasons"))
                (self.place("暦", CALENDAR, CALENDAR, "page-calendar"))
                (self.place("計", STATISTICS, STATISTICS, "page-statistics"))
            } @else {
                (self.place("季", ANIME, season, "page-seasons"))
                (self.place("暦", CALENDAR, CALENDAR, "page-calendar"))
                (self.place("歌", SONG, SONG, "page-songs"))
                (self.place("記", SIGN_IN, SIGN_IN, "page-sign-in"))
            }
        }
    }

    /// Renders a link of the navigation: the character that stands for it on a phone, and its name.
    fn place(&self, character: &str, path: &str, address: &str, name: &str) -> Markup {
        html! {
            li {
                a href=(address) aria-current=[self.current(path)] {
                    b lang="ja" aria-hidden="true" { (character) }
                    (self.l10n.text(name))
                }
            }
        }
    }

    /// Returns the value of `aria-current` for a link to a page.
    fn current(&self, path: &str) -> Option<&'static str> {
        (path == self.current_path).then_some("page")
    }

    /// Renders the menu of the account, or the link with which a visitor gets one.
    fn account(&self) -> Markup {
        let l10n = self.l10n;
        let Some(name) = self.visitor else {
            return html! {
                @if l10n.has_sign_up() && !l10n.has_unreadable_account() {
                    a.button.secondary href=(SIGN_UP) aria-current=[self.current(SIGN_UP)] {
                        (l10n.text("page-sign-up"))
                    }
                }
            };
        };
        let public_profile = l10n.has_public_profile().then(|| user_path(name));
        let year = l10n.this_year().map(|year| format!("{STATISTICS}/{year}"));
        let links = [
            (public_profile, PROFILE, "page-my-profile"),
            (year, STATISTICS, "page-my-year"),
            (None, PROFILE, "page-settings"),
            (None, SETTINGS, "display-title"),
        ];
        html! {
            details.me {
                summary {
                    span.av aria-hidden="true" { (name.chars().take(1).collect::<String>()) }
                    span.who { (name) }
                    span.unseen { " " (l10n.text("page-account")) }
                }
                ul.pop {
                    @for (address, path, label) in links {
                        li { a href=(address.as_deref().unwrap_or(path)) { (l10n.text(label)) } }
                    }
                    li {
                        // The form has no token, because most pages have none. The handler checks that a page of this
                        // site has sent the form.
                        form method="post" action=(SIGN_OUT) {
                            button type="submit" { (l10n.text("page-sign-out")) }
                        }
                    }
                }
            }
        }
    }

    fn footer(&self) -> Markup {
        let l10n = self.l10n;
        let images = if self.kind.may_load_images() {
            "page-footer-images"
        } else {
            "page-footer-no-images"
        };
        let links = [
            (SETTINGS, "display-title"),
            (HISTORY, "page-import"),
            (REFERENCE, "page-developers"),
            (DEVELOPER, "page-applications"),
            (STYLE_GUIDE, "page-style-guide"),
        ];
        html! {
            footer.foot {
                div.in {
                    p { (l10n.text("page-footer")) " " (l10n.text(images)) }
                    @for (path, label) in links { a href=(path) { (l10n.text(label)) } }
                }
            }
        }
    }
}

/// Renders the search in the header of pages. On a phone, it is only a link to the page with all anime and its search.
fn search_form(l10n: &Localizer, kind: PageKind) -> Markup {
    let label = l10n.text("page-find");
    html! {
        // The script puts the suggestions below the form, because they have a form of their own.
        div.find {
            form role="search" aria-label=(label) action=(ANIME) data-covers[kind.may_load_images()] {
                (Icon::Search)
                a href={ (ANIME) "#search" } { span.unseen { (l10n.text("page-search-button")) } }
                input type="search" name="search" aria-label=(label) placeholder=(label) maxlength="500"
                    autocomplete="off";
                // The key works only with the script.
                kbd aria-hidden="true" hidden { "/" }
            }
        }
    }
}

/// Renders the links from a page of a list to its other pages, if the list has more than one page: the first and the
/// last one, those beside this page, and the next and the previous one. `address` returns the path and query of a page.
/// If `page` is after the last page, the previous page is the last one.
pub fn page_links(
    l10n: &Localizer,
    page: usize,
    last: usize,
    address: impl Fn(usize) -> String,
) -> Markup {
    let step = |page: usize, label: &str, rel: &str, arrow: &str| {
        html! { a href=(address(page)) rel=(rel) aria-label=(l10n.text(label)) { (arrow) } }
    };
    html! {
        @if last > 1 {
            nav.pages aria-label=(l10n.text("browse-pages")) {
                p.unseen { (l10n.format("browse-page", [("page", page.into()), ("last", last.into())])) }
                @if page > 1 { (step(page.min(last + 1) - 1, "browse-previous", "prev", "‹")) }
                @for (before, number) in numbered_pages(page, last) {
                    @if number > before + 1 { span { "…" } }
                    a href=(address(number)) aria-current=[(number == page).then_some("page")] { (number) }
                }
                @if page < last { (step(page + 1, "browse-next", "next", "›")) }
            }
        }
    }
}

/// Returns the numbers of the pages to which a page links, each with the number before it, or 0.
fn numbered_pages(page: usize, last: usize) -> impl Iterator<Item = (usize, usize)> {
    let first = page.saturating_sub(1).min(last.saturating_sub(3));
    let around = first.max(2)..=(page + 1).max(4).min(last - 1);
    let numbers = std::iter::once(1).chain(around).chain([last]);
    numbers.scan(0, |before, number| {
        Some((std::mem::replace(before, number), number))
    })
}

/// Renders the head of a section: its title below the double rule, and what stands at the right.
pub fn section_head(title: &str, aside: &Markup) -> Markup {
    html! { div.head { h2 { (title) } (aside) } }
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
        button.button.secondary type="button" data-copy=(id) data-copied=(l10n.text("copy-done"))
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
            self.layout(status).into_string()
        }
    }

    /// A further header could tell more about the server than it should.
    #[test]
    fn pages_have_seven_headers() {
        let response = page(&Localizer::default(), PageKind::Text).respond(StatusCode::OK);
        assert_eq!(response.headers().len(), 7);
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
    fn policies_allow_what_a_kind_needs() {
        let policy = |kind| {
            let response = page(&Localizer::default(), kind).respond(StatusCode::OK);
            let policy = &response.headers()[header::CONTENT_SECURITY_POLICY];
            policy.to_str().unwrap().to_owned()
        };
        let plain = policy(PageKind::Text);
        assert!(plain.contains("form-action 'self'; "), "{plain}");
        assert!(plain.contains("font-src 'self'; "), "{plain}");
        let redirecting = policy(PageKind::FormMayRedirectAway);
        let others = "connect-src 'self'; form-action 'self'; ";
        assert_eq!(redirecting, plain.replace(others, ""));
        let wide = |may_load_images| policy(PageKind::wide(may_load_images));
        assert_eq!(wide(false), plain);
        let images = plain.replace("img-src 'self'", "img-src 'self' https:");
        assert_eq!(wide(true), images);
        for may_load_images in [false, true] {
            let framing = policy(PageKind::WithTrailer { may_load_images });
            let frames = "frame-src https://www.youtube-nocookie.com; ";
            assert!(framing.contains(frames), "{framing}");
            assert_eq!(framing.replace(frames, ""), wide(may_load_images));
        }
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
            html.contains("<span class=\"who\">mitsuha</span>"),
            "{html}"
        );
        let html = page.html(StatusCode::BAD_REQUEST);
        assert!(html.contains("<title>Error: "), "{html}");
    }

    #[test]
    fn links_have_the_first_the_last_and_the_pages_around() {
        let numbers = |page, last| {
            let all = super::numbered_pages(page, last);
            all.map(|(_, number)| number).collect::<Vec<_>>()
        };
        assert_eq!(numbers(1, 2), [1, 2]);
        assert_eq!(numbers(2, 3), [1, 2, 3]);
        assert_eq!(numbers(1, 11), [1, 2, 3, 4, 11]);
        assert_eq!(numbers(6, 11), [1, 5, 6, 7, 11]);
        assert_eq!(numbers(11, 11), [1, 8, 9, 10, 11]);
        assert_eq!(numbers(99, 11), [1, 8, 9, 10, 11]);
        let l10n = Localizer::default();
        let html = super::page_links(&l10n, 6, 11, |page| format!("/list?page={page}"));
        let html = html.into_string();
        for part in [
            "<a href=\"/list?page=5\" rel=\"prev\" aria-label=\"Previous\">",
            "<a href=\"/list?page=1\">1</a><span>…</span><a href=\"/list?page=5\">5</a>",
            "<a href=\"/list?page=6\" aria-current=\"page\">6</a>",
            "<a href=\"/list?page=7\">7</a><span>…</span><a href=\"/list?page=11\">11</a>",
            "<a href=\"/list?page=7\" rel=\"next\" aria-label=\"Next\">",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        let none = super::page_links(&l10n, 1, 1, |_| String::new());
        assert_eq!(none.into_string(), "");
    }
}
