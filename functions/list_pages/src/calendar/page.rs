//! The page `/calendar`: the week from today on, and the address of the feed.

use std::sync::Arc;

use axum::extract::State;
use futures_util::try_join;
use maud::{Markup, html};
use pages::anime_card::{AnimeRenderer, path_of};
use pages::error::PageResult;
use pages::form_page::{FormPage, PageForms};
use pages::icon::Icon;
use pages::language::Localizer;
use pages::layout::{Page, PageKind, copyable_text, csrf_field};
use pages::paths::{CALENDAR, CALENDAR_FEED_REMOVE, CALENDAR_FEED_RENEW};
use pages::proof::prove_first;
use pages::season::{season_at, season_path};
use shared::fold::fold;
use shared::models::{WatchStatus, Weekday, WireEnum};
use time::{Date, Duration};

use super::airing::{AiringAnime, find_airing};
use super::schedule::Schedule;
use crate::state::ListState;

/// The confirmations, by the value of the parameter `done`.
const DONE: [(&str, &str); 2] = [
    ("renewed", "calendar-renewed"),
    ("removed", "calendar-removed"),
];

/// `GET /calendar`
pub(crate) async fn page(State(state): State<Arc<ListState>>, page: FormPage) -> PageResult {
    let page = page.with_confirmation(&DONE);
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
        // The address gives lasting access to the feed.
        has_proof: page.has_fresh_proof(),
        address: secret
            .map(|secret| format!("{}{CALENDAR}/{secret}.ics", state.sessions.public_url())),
        forms: &page.forms,
    };
    let title = l10n.text("calendar-title");
    Ok(page.respond(Page {
        current_path: CALENDAR,
        kind: PageKind::wide(state.has_images),
        ..page.page(&title, view.body())
    }))
}

/// The content of the page.
struct CalendarView<'a> {
    renderer: AnimeRenderer<'a>,
    /// The anime, in the order of their titles.
    airing: &'a [AiringAnime],
    today: Date,
    /// The path of the list of the anime of this season.
    season_path: String,
    /// True if the address may be shown and changed: the proof is fresh.
    has_proof: bool,
    /// The address of the feed; `None` if the user has no feed.
    address: Option<String>,
    forms: &'a PageForms,
}

impl CalendarView<'_> {
    fn l10n(&self) -> &Localizer {
        self.renderer.l10n
    }

    fn body(&self) -> Markup {
        let l10n = self.l10n();
        html! {
            h1 { (l10n.text("calendar-title")) }
            (self.forms.notice())
            p.lead { (l10n.text("calendar-lead")) }
            @if self.airing.is_empty() {
                p { (l10n.text("calendar-empty")) }
                p.actions {
                    a.button href=(self.season_path) { (Icon::Search) (l10n.text("calendar-browse")) }
                }
            } @else {
                (self.week())
                (self.others())
            }
            (self.feed())
        }
    }

    /// Renders the seven days from today on.
    fn week(&self) -> Markup {
        let l10n = self.l10n();
        let days = (0..7).map(|days| self.today.saturating_add(Duration::days(days)));
        html! {
            div.week {
                @for day in days {
                    @let id = format!("day-{day}");
                    @let on_day = self.airing_with(|schedule| schedule.includes(day));
                    section aria-labelledby=(id) {
                        h2 id=(id) {
                            (l10n.weekday(weekday(day))) " "
                            small { time datetime=(day) { (l10n.date(day)) } }
                            @if day == self.today { " " span.badge { (l10n.text("calendar-today")) } }
                        }
                        @if on_day.is_empty() {
                            p.hint { (l10n.text("calendar-nothing")) }
                        } @else {
                            (self.list(&on_day))
                        }
                    }
                }
            }
        }
    }

    /// Renders the anime that begin after the week, and the anime whose airing day is unknown.
    fn others(&self) -> Markup {
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
                    section aria-labelledby=(id) {
                        h2 id=(id) { (self.l10n().text(heading)) }
                        (self.list(&airing))
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

    fn list(&self, airing: &[&AiringAnime]) -> Markup {
        html! {
            ul.airing { @for one in airing { (airing_item(self.renderer, self.today, one)) } }
        }
    }

    /// Renders the section about the feed.
    fn feed(&self) -> Markup {
        let l10n = self.l10n();
        let form = |action: &str, class: &str, label: &str| {
            html! {
                form method="post" action=(action) {
                    (csrf_field(&self.forms.csrf))
                    button class=(class) type="submit" { (l10n.text(label)) }
                }
            }
        };
        html! {
            section aria-labelledby="feed" {
                h2 id="feed" { (Icon::Calendar) (l10n.text("calendar-feed")) }
                p { (l10n.text("calendar-feed-lead")) }
                @match &self.address {
                    Some(address) if self.has_proof => {
                        (copyable_text(l10n, "feed-address", &l10n.text("calendar-feed-address"), address))
                        p.hint { (l10n.text("calendar-feed-secret")) }
                        div.actions {
                            (form(CALENDAR_FEED_RENEW, "secondary", "calendar-feed-renew"))
                            (form(CALENDAR_FEED_REMOVE, "danger", "calendar-feed-remove"))
                        }
                    },
                    Some(_) => {
                        (prove_first(l10n, "address-prove", CALENDAR))
                        div.actions { (form(CALENDAR_FEED_REMOVE, "danger", "calendar-feed-remove")) }
                    },
                    None if self.has_proof => { (form(CALENDAR_FEED_RENEW, "", "calendar-feed-make")) },
                    None => { (prove_first(l10n, "calendar-feed-prove", CALENDAR)) },
                }
            }
        }
    }
}

/// Renders an anime as an item of a list: its cover, its title, the next episode, and the number of episodes that the
/// user has not watched yet.
pub(crate) fn airing_item(
    renderer: AnimeRenderer<'_>,
    today: Date,
    airing: &AiringAnime,
) -> Markup {
    let l10n = renderer.l10n;
    let AiringAnime {
        anime,
        schedule,
        story,
    } = airing;
    let next = u64::from(story.progress()) + 1;
    let unwatched = anime.episodes_count.saturating_sub(story.progress());
    let begins = schedule.next_from(today);
    let begins = begins.filter(|day| *day >= today.saturating_add(Duration::days(7)));
    html! {
        li {
            (renderer.cover(anime))
            div {
                a href=(path_of(anime)) { (renderer.title_markup(anime)) }
                small {
                    @if story.status != WatchStatus::Current {
                        (l10n.watch_status(story.status)) " · "
                    }
                    (l10n.format("calendar-next-episode", [("episode", next.into())]))
                    @if unwatched > 1 {
                        " · " (l10n.format("calendar-waiting", [("count", unwatched.into())]))
                    }
                    @if let Some(day) = begins {
                        " · " time datetime=(day) { (l10n.date(day)) }
                    }
                }
            }
        }
    }
}

/// Returns the day of the week.
pub(crate) fn weekday(day: Date) -> Weekday {
    let number = day.weekday().number_days_from_sunday();
    Weekday::from_wire(number.into()).unwrap_or(Weekday::Sunday)
}
