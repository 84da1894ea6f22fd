//! Rendering of the page `/profile/players`.

use maud::{Markup, html};
use pages::form::{PostForm, translate_choices};
use pages::form_page::PageForms;
use pages::language::Localizer;
use pages::layout::{Control, Field, csrf_field, notice, page_links};
use pages::paths::{PLAYERS, PLAYERS_SERIES};
use pages::proof::prove_first;
use shared::models::EpisodeOfAnime;
use stories::players::{
    MAX_PLAYERS, Player, PlayerReport, SeriesChoice, SeriesName, UnmatchedSeries,
};

use super::series::{GUESS, IN_SEASON, NOT_AN_ANIME, TAKE_BACK};
use super::{AnimeById, KINDS, kind_name, place, plays_options, questions_notice, series_address};

/// The maximum number of unmatched series on the page. When the user answers a question, the next question appears.
pub(super) const SHOWN_UNMATCHED: usize = 8;

/// The maximum number of series about which the user is not asked that the page shows.
const SHOWN_OTHERS: usize = 50;

/// The number of choices on a page.
pub(super) const CHOICES_PER_PAGE: usize = 10;

/// The data of the page.
pub(super) struct PlayersView<'a> {
    pub forms: &'a PageForms,
    /// The number of episodes that were marked, for the confirmation.
    pub episodes: usize,
    /// The players, each with its latest report.
    pub players: Vec<(&'a Player, &'a Option<PlayerReport>)>,
    /// The unmatched series about which the user is asked, the last watched first.
    pub questions: &'a [UnmatchedSeries],
    /// The other unmatched series, in the same order.
    pub others: &'a [UnmatchedSeries],
    /// The choices on the page.
    pub choices: &'a [&'a SeriesChoice],
    /// The number of the page of choices, from 1, and the number of these pages.
    pub page: (usize, usize),
    /// The anime of the guesses and choices.
    pub anime: &'a AnimeById,
    /// True if the user can add a player: the proof is fresh.
    pub has_proof: bool,
}

impl PlayersView<'_> {
    pub(super) fn body(&self) -> Markup {
        let l10n = &self.forms.l10n;
        html! {
            @if let Some(done) = self.forms.confirmation {
                (notice(&l10n.format(done, [("count", self.episodes.into())])))
            }
            (questions_notice(l10n, self.questions.len()))
            p { (l10n.text("players-explanation")) }
            @if !self.players.is_empty() { (self.players()) }
            @if !self.questions.is_empty() { (self.questions()) }
            (self.new_player())
            @if !self.choices.is_empty() { (self.choices()) }
            @if !self.others.is_empty() { (self.others()) }
        }
    }

    fn players(&self) -> Markup {
        let l10n = &self.forms.l10n;
        html! {
            section aria-labelledby="players" {
                h2 #players { (l10n.text("players-own")) }
                ul.plain {
                    @for (player, latest) in &self.players {
                        li {
                            a.row dir="auto" href={ (PLAYERS) "/" (player.id()) } { (player.settings.name) }
                            p.hint { (kind_name(l10n, player.kind)) " · " (self.latest(player, latest.as_ref())) }
                        }
                    }
                }
            }
        }
    }

    /// Returns the text about the latest message of a player.
    fn latest(&self, player: &Player, latest: Option<&PlayerReport>) -> String {
        let l10n = &self.forms.l10n;
        match latest {
            Some(report) => {
                let time = l10n.unix_date_time(report.at / 1000);
                l10n.format("players-latest", [("time", time.into())])
            }
            None if player.report_count > 0 => l10n.text("players-latest-unknown"),
            None => l10n.text("players-latest-none"),
        }
    }

    fn new_player(&self) -> Markup {
        let l10n = &self.forms.l10n;
        let kinds = KINDS.map(|(kind, message)| (kind.name(), message));
        let kinds = translate_choices(l10n, kinds);
        let plays = plays_options(l10n);
        let fields = [
            Field::new(l10n, "name", Control::TextLine, "account-name")
                .with_hint(l10n.text("players-name-hint"))
                .with_value(self.forms.sent.value("name")),
            Field::new(l10n, "kind", Control::Select(kinds), "form-kind")
                .with_value(self.forms.sent.value("kind")),
            Field::new(l10n, "plays", Control::Select(plays), "players-plays")
                .with_hint(l10n.text("players-plays-hint"))
                .with_value(self.forms.sent.value("plays")),
        ];
        html! {
            section aria-labelledby="add" {
                h2 #add { (l10n.text("players-add")) }
                @if self.has_proof {
                    (PostForm {
                        fields: &fields,
                        ..self.forms.post(PLAYERS, "players-add-button")
                    })
                } @else {
                    (prove_first(l10n, "players-prove", PLAYERS))
                }
                p.hint { (l10n.format("players-limit", [("count", MAX_PLAYERS.into())])) }
            }
        }
    }

    fn questions(&self) -> Markup {
        let l10n = &self.forms.l10n;
        let more = self.questions.len().saturating_sub(SHOWN_UNMATCHED);
        html! {
            section aria-labelledby="unmatched" {
                h2 #unmatched { (l10n.text("players-unmatched")) }
                p { (l10n.text("players-unmatched-explanation")) }
                ul.plain {
                    @for (number, series) in self.questions.iter().take(SHOWN_UNMATCHED).enumerate() {
                        li { (self.unmatched_series(number, series)) }
                    }
                }
                @if more > 0 { p { (l10n.format("players-unmatched-more", [("count", more.into())])) } }
            }
        }
    }

    /// Renders the series about which the user is not asked, each with a link to the choice of its anime.
    fn others(&self) -> Markup {
        let l10n = &self.forms.l10n;
        let count = [("count", self.others.len().into())];
        html! {
            details {
                summary { (l10n.format("players-others", count)) }
                p { (l10n.text("players-others-explanation")) }
                ul.plain {
                    @for series in self.others.iter().take(SHOWN_OTHERS) {
                        @let episode = series.last().0;
                        @let SeriesName { title, season } = &series.series;
                        li {
                            a.row dir="auto" href=(series_address(title, season, episode)) { (title) }
                            p.hint { (place(l10n, season, Some(episode))) }
                        }
                    }
                }
            }
        }
    }

    fn unmatched_series(&self, number: usize, series: &UnmatchedSeries) -> Markup {
        let l10n = &self.forms.l10n;
        let (name, other) = (format!("s{number}"), format!("o{number}"));
        let not = format!("n{number}");
        let (episodes, episode) = (series.episodes(), series.last().0);
        let SeriesName { title, season } = &series.series;
        let place = place(l10n, season, Some(episode));
        html! {
            strong dir="auto" id=(name) { (title) }
            p.hint { (place) " · " (l10n.unix_date_time(series.at / 1000)) }
            form method="post" action=(PLAYERS_SERIES) {
                (csrf_field(&self.forms.csrf))
                (series_fields(&series.series))
                input type="hidden" name=(IN_SEASON) value=(episode);
                @if episodes.len() > 1 {
                    p.hint { (l10n.format("players-kept", [("count", episodes.len().into())])) }
                }
                @if let [guess] = series.guesses.as_slice() {
                    p { (l10n.markup("players-guess-one", [("title", self.anime.link(l10n, guess.anime_id))])) }
                } @else if !series.guesses.is_empty() {
                    p { (l10n.text("players-guesses")) }
                }
                @if !series.guesses.is_empty() {
                    ul.entries {
                        @for (position, guess) in series.guesses.iter().enumerate() {
                            (self.guess(&format!("{number}-{position}"), *guess))
                        }
                    }
                }
                div.actions {
                    a.button.secondary id=(other) aria-labelledby={ (other) " " (name) }
                        href=(series_address(title, season, episode)) {
                        (l10n.text("players-other-anime"))
                    }
                    button.secondary type="submit" id=(not) aria-labelledby={ (not) " " (name) }
                        name=(NOT_AN_ANIME) value="yes" { (l10n.text("players-not-an-anime")) }
                }
            }
        }
    }

    /// Renders a guess. The accessible name of its button includes the title of the anime.
    fn guess(&self, suffix: &str, guess: EpisodeOfAnime) -> Markup {
        let l10n = &self.forms.l10n;
        let (name, button) = (format!("g{suffix}"), format!("b{suffix}"));
        let value = format!("{}:{}", guess.anime_id.get(), guess.episode);
        html! {
            li {
                div {
                    span id=(name) { (self.anime.link(l10n, guess.anime_id)) }
                    small { (l10n.format("players-episode", [("episode", guess.episode.into())])) }
                }
                button type="submit" id=(button) aria-labelledby={ (button) " " (name) } name=(GUESS) value=(value) {
                    (l10n.text("players-this-one"))
                }
            }
        }
    }

    fn choices(&self) -> Markup {
        let l10n = &self.forms.l10n;
        let (page, pages) = self.page;
        html! {
            section aria-labelledby="choices" {
                h2 #choices { (l10n.text("players-choices")) }
                p { (l10n.text("players-choices-explanation")) }
                ul.plain {
                    @for (number, choice) in self.choices.iter().enumerate() {
                        li { (self.choice(number, choice)) }
                    }
                }
                (page_links(l10n, page, pages, |page| format!("{PLAYERS}?page={page}#choices")))
            }
        }
    }

    fn choice(&self, number: usize, choice: &SeriesChoice) -> Markup {
        let l10n = &self.forms.l10n;
        let (name, button) = (format!("c{number}"), format!("t{number}"));
        html! {
            strong dir="auto" id=(name) { (choice.series.title) }
            p.hint { (season(l10n, &choice.series.season)) }
            @if choice.parts.is_empty() {
                p { (l10n.text("players-chosen-none")) }
            }
            @for part in &choice.parts {
                @let in_anime = u32::try_from(i64::from(part.first) + part.offset).unwrap_or_default();
                @let numbers = [("first", part.first.into()), ("episode", in_anime.into())];
                p {
                    (self.anime.link(l10n, part.anime_id)) br;
                    small { (l10n.format("players-chosen-part", numbers)) }
                }
            }
            form method="post" action=(PLAYERS_SERIES) {
                (csrf_field(&self.forms.csrf))
                (series_fields(&choice.series))
                button.secondary type="submit" id=(button) aria-labelledby={ (button) " " (name) }
                    name=(TAKE_BACK) value="yes" { (l10n.text("players-take-back")) }
            }
        }
    }
}

/// Returns the text about a season.
fn season(l10n: &Localizer, season: &str) -> String {
    match season {
        "movie" => l10n.text("players-movie"),
        "none" => l10n.text("players-no-season"),
        season => l10n.format("players-season", [("season", season.into())]),
    }
}

/// Renders the hidden fields that name a series.
fn series_fields(series: &SeriesName) -> Markup {
    html! {
        input type="hidden" name="title" value=(series.title);
        input type="hidden" name="season" value=(series.season);
    }
}
