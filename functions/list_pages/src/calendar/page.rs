//! The page `/calendar`: the week from today on, and the address of the feed.

use std::sync::Arc;

use accounts::sessions::SignedInUser;
use accounts::users::Account;
use axum::extract::State;
use axum::response::Response;
use futures_util::try_join;
use maud::{Markup, html};
use page_parts::schedule::{Schedule, weekday};
use pages::anime_card::{AnimeRenderer, path_of};
use pages::error::PageResult;
use pages::form_page::{FormPage, PageForms};
use pages::language::Localizer;
use pages::layout::{Page, PageKind, copyable_text, csrf_field};
use pages::paths::{CALENDAR, CALENDAR_FEED_REMOVE, CALENDAR_FEED_RENEW, SIGN_IN, SIGN_UP};
use pages::proof::prove_first;
use pages::seal::sealed;
use pages::season::{season_at, season_path};
use shared::Result;
use shared::fold::fold;
use shared::models::{Anime, StoryState, WatchStatus};
use time::{Date, Duration};

use super::airing::{AiringAnime, find_airing, find_best_airing};
use crate::state::ListState;

/// The confirmations, by the value of the parameter `done`.
const DONE: [(&str, &str); 2] = [
    ("renewed", "calendar-renewed"),
    ("removed", "calendar-removed"),
];

/// The address of the calendar of all anime, for signed-in users.
const EVERYTHING: &str = "/calendar?show=all";

/// The maximum number of anime of a day in the calendar of all anime.
const MAX_PER_DAY: usize = 20;

/// The characters of the days of the week, from Sunday on.
const DAY_CHARACTERS: [&str; 7] = ["日", "月", "火", "水", "木", "金", "土"];

/// `GET /calendar`: the calendar of the user's anime, or for visitors and with `show=all` that of the best rated anime.
pub(crate) async fn page(
    State(state): State<Arc<ListState>>,
    page: FormPage<Option<SignedInUser>>,
) -> PageResult {
    let is_everything = page.forms.params().token("show").as_deref() == Some("all");
    if page.owner.is_none() || is_everything {
        return Ok(everyones_page(&state, &page).await?);
    }
    let page = page.require_user(CALENDAR)?.with_confirmation(&DONE);
    let account = &page.owner.account;
    let list = state.stories.current_list(account.user.id, &account.list);
    let (list, index) = try_join!(list, state.catalogue.index())?;
    let list = state.stories.join(list, index);
    let now_ms = state.clock.now_ms();
    let today = account.time_zone().date_of(now_ms);
    let secret = state.feeds.read_secret(account);
    let (mut airing, secret) =
        try_join!(find_airing(&state.catalogue, &list, false, today), secret)?;
    let l10n = &page.forms.l10n;
    let renderer = AnimeRenderer::new(state.has_images, l10n);
    airing.sort_by_cached_key(|airing| fold(&renderer.title(&airing.anime)));
    let (season, year) = season_at(now_ms / 1000);
    let view = CalendarView {
        renderer,
        airing: &airing,
        today,
        season_path: season_path(season, year),
        scope: Scope::Own(Feed {
            // The address gives lasting access to the feed.
            has_proof: page.has_fresh_proof(),
            address: secret
                .map(|secret| format!("{}{CALENDAR}/{secret}.ics", state.sessions.public_url())),
            forms: &page.forms,
        }),
    };
    let title = l10n.text("calendar-title");
    Ok(page.respond(Page {
        current_path: CALENDAR,
        kind: PageKind::wide(state.has_images),
        ..page.page(&title, view.body(&title))
    }))
}

/// Returns the calendar of the best rated anime. For a signed-in user, it has the statuses of the user's entries.
async fn everyones_page(
    state: &ListState,
    page: &FormPage<Option<SignedInUser>>,
) -> Result<Response> {
    let account: Option<&Account> = page.owner.as_ref().map(|owner| &owner.account);
    let list = match account {
        Some(account) => {
            let list = state.stories.current_list(account.user.id, &account.list);
            let (list, index) = try_join!(list, state.catalogue.index())?;
            Some(state.stories.join(list, index))
        }
        None => None,
    };
    let now_ms = state.clock.now_ms();
    let zone = account.map(Account::time_zone);
    let zone = zone.or_else(|| page.visitor.time_zone());
    let today = zone.unwrap_or_default().date_of(now_ms);
    let airing = find_best_airing(&state.catalogue, list.as_ref(), today).await?;
    let l10n = &page.forms.l10n;
    let (season, year) = season_at(now_ms / 1000);
    let view = CalendarView {
        renderer: AnimeRenderer::new(state.has_images, l10n),
        airing: &airing,
        today,
        season_path: season_path(season, year),
        scope: Scope::Everything {
            is_signed_in: account.is_some(),
        },
    };
    let title = l10n.text("calendar-title");
    Ok(page.respond(Page {
        current_path: CALENDAR,
        kind: PageKind::wide(state.has_images),
        ..page.page(&title, view.body(&title))
    }))
}

/// The anime that a calendar shows.
enum Scope<'a> {
    /// Those that the user watches or plans. The page also has the address of the feed.
    Own(Feed<'a>),
    /// The best rated ones.
    Everything { is_signed_in: bool },
}

/// The feed of a user.
struct Feed<'a> {
    /// True if the address may be shown and changed: the proof is fresh.
    has_proof: bool,
    /// The address of the feed; `None` if the user has no feed.
    address: Option<String>,
    forms: &'a PageForms,
}

/// The content of the page.
struct CalendarView<'a> {
    renderer: AnimeRenderer<'a>,
    /// The anime, in the order in which each day shows them.
    airing: &'a [AiringAnime],
    today: Date,
    /// The path of the list of the anime of this season.
    season_path: String,
    scope: Scope<'a>,
}

impl CalendarView<'_> {
    fn l10n(&self) -> &Localizer {
        self.renderer.l10n
    }

    fn body(&self, title: &str) -> Markup {
        let l10n = self.l10n();
        let last = self.today.saturating_add(Duration::days(6));
        let days = [
            ("from", l10n.date(self.today).into()),
            ("to", l10n.date(last).into()),
        ];
        let lead = match self.scope {
            Scope::Own(_) => "calendar-lead-own",
            Scope::Everything { .. } => "calendar-lead-all",
        };
        html! {
            @if let Scope::Own(feed) = &self.scope { (feed.forms.notice()) }
            div.bar {
                h1 { (title) " " small { (l10n.format("calendar-week", days)) } }
                (self.scopes())
            }
            p.soft.small { (l10n.text(lead)) " " (l10n.text("calendar-days")) }
            @if self.airing.is_empty() {
                (self.empty())
            } @else {
                (self.week())
                (self.others())
            }
            @match &self.scope {
                Scope::Own(feed) => (feed.section(l10n)),
                Scope::Everything { is_signed_in: false } if !l10n.has_unreadable_account() => (self.invitation()),
                Scope::Everything { .. } => {},
            }
        }
    }

    /// Renders the choice between the user's anime and all anime.
    fn scopes(&self) -> Markup {
        let l10n = self.l10n();
        let is_own = match self.scope {
            Scope::Own(_) => true,
            Scope::Everything { is_signed_in: true } => false,
            Scope::Everything { .. } => return Markup::default(),
        };
        let links = [
            (CALENDAR, "calendar-own", is_own),
            (EVERYTHING, "calendar-everything", !is_own),
        ];
        html! {
            nav.tools aria-label=(l10n.text("calendar-show")) {
                @for (path, text, is_current) in links {
                    a href=(path) aria-current=[is_current.then_some("true")] { (l10n.text(text)) }
                }
            }
        }
    }

    /// Renders what a user can do if no anime airs.
    fn empty(&self) -> Markup {
        let l10n = self.l10n();
        let is_own = matches!(self.scope, Scope::Own(_));
        html! {
            p.sec0 { (l10n.text(if is_own { "calendar-empty" } else { "calendar-empty-all" })) }
            div.acts.sec0 {
                a.button href=(self.season_path) { (l10n.text("calendar-browse")) }
                @if is_own { a href=(EVERYTHING) { (l10n.text("calendar-see-everything")) } }
            }
        }
    }

    /// Renders the way to a calendar of one's own, for visitors.
    fn invitation(&self) -> Markup {
        let l10n = self.l10n();
        html! {
            section.sec aria-labelledby="own" {
                div.head { h2 #own { (l10n.text("calendar-own-title")) } }
                p { (l10n.text("calendar-own-lead")) }
                div.acts.sec0 {
                    @if l10n.has_sign_up() {
                        a.button href=(SIGN_UP) { (l10n.text("page-sign-up")) }
                    }
                    a href={ (SIGN_IN) "?next=" (CALENDAR) } { (l10n.text("page-sign-in")) }
                }
            }
        }
    }

    /// Renders the seven days from today on.
    fn week(&self) -> Markup {
        let l10n = self.l10n();
        let days = (0..7).map(|days| self.today.saturating_add(Duration::days(days)));
        let limit = match self.scope {
            Scope::Own(_) => usize::MAX,
            Scope::Everything { .. } => MAX_PER_DAY,
        };
        html! {
            div.days.sec0 {
                @for day in days {
                    @let id = format!("day-{day}");
                    @let on_day = self.airing_with(|schedule| schedule.includes(day));
                    @let is_today = day == self.today;
                    section.daycol.now[is_today] aria-labelledby=(id) {
                        h2 id=(id) {
                            time datetime=(day) { (day.day()) }
                            small {
                                (l10n.weekday(weekday(day)))
                                @if is_today { " · " (l10n.text("calendar-today")) }
                            }
                            (day_character(day))
                        }
                        @if on_day.is_empty() {
                            p.soft.small { (l10n.text("calendar-nothing")) }
                        } @else {
                            ol {
                                @for one in on_day.iter().take(limit) { li.slot { (self.parts(one)) } }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Renders the anime that begin after the week, and the anime whose airing day is unknown. The calendar of all
    /// anime leaves them out.
    fn others(&self) -> Markup {
        if !matches!(self.scope, Scope::Own(_)) {
            return Markup::default();
        }
        let end = self.today.saturating_add(Duration::days(7));
        let later = self.airing_with(|schedule| {
            let next = schedule.next_from(self.today);
            next.is_some_and(|next| next >= end)
        });
        let unknown = self.airing_with(|schedule| schedule == Schedule::Unknown);
        let lists = [
            ("later", "calendar-later", later),
            ("unknown", "calendar-unknown", unknown),
        ];
        html! {
            @for (id, heading, airing) in lists {
                @if !airing.is_empty() {
                    section.sec aria-labelledby=(id) {
                        div.head { h2 id=(id) { (self.l10n().text(heading)) } }
                        ol.times.wide { @for one in &airing { li { (self.parts(one)) } } }
                    }
                }
            }
        }
    }

    /// Returns the anime whose schedule passes a filter.
    fn airing_with(&self, filter: impl Fn(Schedule) -> bool) -> Vec<&AiringAnime> {
        let all = self.airing.iter();
        all.filter(|airing| filter(airing.schedule)).collect()
    }

    fn parts(&self, airing: &AiringAnime) -> Markup {
        match self.scope {
            Scope::Own(_) => airing_parts(self.renderer, self.today, airing),
            Scope::Everything { .. } => {
                let (l10n, anime) = (self.l10n(), &airing.anime);
                let line = html! {
                    @if let Some(story) = &airing.story { (sealed(l10n, story.status)) }
                    @else { (l10n.anime_format(anime.format)) }
                };
                rated_parts(self.renderer, anime, &line)
            }
        }
    }
}

impl Feed<'_> {
    /// Renders the section about the feed.
    fn section(&self, l10n: &Localizer) -> Markup {
        let form = |action: &str, class: &str, label: &str| {
            html! {
                form method="post" action=(action) {
                    (csrf_field(&self.forms.csrf))
                    button class=(class) type="submit" { (l10n.text(label)) }
                }
            }
        };
        html! {
            section.sec aria-labelledby="feed" {
                div.head { h2 #feed { (l10n.text("calendar-feed")) } }
                p { (l10n.text("calendar-feed-lead")) }
                @match &self.address {
                    Some(address) if self.has_proof => {
                        (copyable_text(l10n, "feed-address", &l10n.text("calendar-feed-address"), address))
                        p.hint { (l10n.text("calendar-feed-secret")) }
                        div.actions {
                            (form(CALENDAR_FEED_RENEW, "button secondary", "calendar-feed-renew"))
                            (form(CALENDAR_FEED_REMOVE, "button danger", "calendar-feed-remove"))
                        }
                    },
                    Some(_) => {
                        (prove_first(l10n, "address-prove", CALENDAR))
                        div.actions { (form(CALENDAR_FEED_REMOVE, "button danger", "calendar-feed-remove")) }
                    },
                    None if self.has_proof => {
                        div.actions { (form(CALENDAR_FEED_RENEW, "button secondary", "calendar-feed-make")) }
                    },
                    None => { (prove_first(l10n, "calendar-feed-prove", CALENDAR)) },
                }
            }
        }
    }
}

/// Renders the character of a day of the week, which stands beside its name.
pub(crate) fn day_character(day: Date) -> Markup {
    let number = usize::from(day.weekday().number_days_from_sunday());
    html! { b lang="ja" aria-hidden="true" { (DAY_CHARACTERS[number % 7]) } }
}

/// Renders an anime of the user's list on a day: the user's next episode, the cover, the title, and the number of
/// episodes that the user has not watched yet.
pub(crate) fn airing_parts(
    renderer: AnimeRenderer<'_>,
    today: Date,
    airing: &AiringAnime,
) -> Markup {
    let l10n = renderer.l10n;
    let (anime, story) = (&airing.anime, airing.story.as_ref());
    let progress = story.map_or(0, StoryState::progress);
    let next = u64::from(progress) + 1;
    let unwatched = anime.episodes_count.saturating_sub(progress);
    let begins = airing.schedule.next_from(today);
    let begins = begins.filter(|day| *day >= today.saturating_add(Duration::days(7)));
    let status = story.map(|story| story.status);
    let status = status.filter(|status| *status != WatchStatus::Current);
    html! {
        span.ep { (l10n.format("calendar-episode", [("episode", next.into())])) }
        (renderer.linked_cover(anime))
        div {
            a.clamp href=(path_of(anime)) { (renderer.title_markup(anime)) }
            p {
                @if let Some(status) = status { (l10n.watch_status(status)) }
                @if unwatched > 1 {
                    @if status.is_some() { " · " }
                    (l10n.format("calendar-waiting", [("count", unwatched.into())]))
                }
                @if let Some(day) = begins {
                    @if status.is_some() || unwatched > 1 { " · " }
                    time datetime=(day) { (l10n.date(day)) }
                }
            }
        }
    }
}

/// Renders an anime of the catalogue: its score, the cover, the title, and a line below it.
pub(crate) fn rated_parts(renderer: AnimeRenderer<'_>, anime: &Anime, line: &Markup) -> Markup {
    let l10n = renderer.l10n;
    html! {
        span.ep {
            @if anime.score.hundredths() > 0 {
                span.unseen { (l10n.text("story-score")) " " }
                (l10n.average_score(anime.score))
            } @else {
                "–"
            }
        }
        (renderer.linked_cover(anime))
        div {
            a.clamp href=(path_of(anime)) { (renderer.title_markup(anime)) }
            p { (line) }
        }
    }
}
