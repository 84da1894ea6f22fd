//! Rendering of the reports of a player's messages.

use maud::{Markup, html};
use pages::language::Localizer;
use stories::players::PlayerReport;

use super::{AnimeById, place, series_address};

/// The outcomes in reports (`PlaybackReason::name`), with their messages.
const OUTCOMES: [(&str, &str); 25] = [
    ("watched", "players-outcome-watched"),
    ("completed", "players-outcome-completed"),
    ("started_again", "players-outcome-started-again"),
    ("position_kept", "players-outcome-position-kept"),
    ("already_watched", "players-outcome-already-watched"),
    ("not_finished", "players-outcome-not-finished"),
    ("taken_back", "players-outcome-taken-back"),
    ("not_last_watched", "players-outcome-not-last-watched"),
    ("rated", "players-outcome-rated"),
    ("already_rated", "players-outcome-already-rated"),
    ("no_such_episode", "players-outcome-no-such-episode"),
    ("end_unknown", "players-outcome-end-unknown"),
    ("no_match", "players-outcome-no-match"),
    ("not_certain", "players-outcome-not-certain"),
    ("waits_for_answer", "players-outcome-waits"),
    ("differs_from_earlier", "players-outcome-differs"),
    ("not_listed", "players-outcome-not-listed"),
    ("not_an_anime", "players-outcome-not-an-anime"),
    ("not_an_episode", "players-outcome-not-an-episode"),
    ("other_event", "players-outcome-other-event"),
    ("unusable", "players-outcome-unusable"),
    ("other_library", "players-outcome-other-library"),
    ("other_user", "players-outcome-other-user"),
    ("no_user_named", "players-outcome-no-user-named"),
    ("not_searched", "players-outcome-not-searched"),
];

/// The outcomes of messages about an episode whose anime is not known.
const UNKNOWN: [&str; 5] = [
    "no_match",
    "not_certain",
    "waits_for_answer",
    "differs_from_earlier",
    "not_an_anime",
];

/// The outcomes of messages that have changed a story because of the anime that was found.
const WRITTEN: [&str; 3] = ["watched", "completed", "started_again"];

/// The identifier of the form that says that a match is wrong.
pub(super) const REJECT_FORM: &str = "wrong";

/// The button for a wrong match. Its value is the number of the report.
pub(super) const REPORT: &str = "report";

/// Renders a report: what the message was about, what it did, and a link to the choice of the anime.
pub(super) fn report_item(l10n: &Localizer, report: &PlayerReport, anime: &AnimeById) -> Markup {
    let season = report.season.as_deref().unwrap_or("none");
    let outcome = OUTCOMES.iter().find(|(name, _)| *name == report.outcome);
    let time = l10n.unix_date_time(report.at / 1000);
    let fix = match report.anime_id {
        Some(_) => Some("players-fix-wrong"),
        None if UNKNOWN.contains(&&*report.outcome) => Some("players-series-title"),
        None => None,
    };
    html! {
        li {
            @match &report.title {
                Some(title) => strong dir="auto" id={ "r" (report.number) } { (title) },
                None => strong { (l10n.text("players-message")) },
            }
            p.hint {
                @if report.title.is_some() { (place(l10n, season, report.episode)) " · " }
                (time)
                @if let Some(user) = &report.user_name { " · " span dir="auto" { (user) } }
            }
            p {
                @if let Some((_, message)) = outcome { (l10n.text(message)) } @else { (report.outcome) }
                @if let Some(id) = report.anime_id {
                    " " (anime.link(l10n, id))
                    @if let Some(episode) = report.anime_episode {
                        ", " (l10n.format("players-episode", [("episode", episode.into())]))
                    }
                }
            }
            @if report.title.is_some() && report.anime_id.is_some() && WRITTEN.contains(&&*report.outcome) {
                @let (name, button) = (format!("r{}", report.number), format!("w{}", report.number));
                button.secondary type="submit" form=(REJECT_FORM) id=(button) aria-labelledby={ (button) " " (name) }
                    name=(REPORT) value=(report.number) { (l10n.text("players-not-this")) }
            }
            @if let (Some(message), Some(title)) = (fix, &report.title) {
                a.row href=(series_address(title, season, report.episode.unwrap_or(1))) {
                    (l10n.text(message)) span.unseen { ": " (title) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use stories::players::PlaybackReason as Reason;

    use super::OUTCOMES;

    #[test]
    fn outcomes_have_the_names_of_the_service() {
        let all = [
            Reason::Watched,
            Reason::Completed,
            Reason::StartedAgain,
            Reason::PositionKept,
            Reason::AlreadyWatched,
            Reason::NotFinished,
            Reason::TakenBack,
            Reason::NotLastWatched,
            Reason::Rated,
            Reason::AlreadyRated,
            Reason::NoSuchEpisode,
            Reason::EndUnknown,
            Reason::NoMatch,
            Reason::NotCertain,
            Reason::WaitsForAnswer,
            Reason::DiffersFromEarlier,
            Reason::NotListed,
            Reason::NotAnAnime,
            Reason::NotAnEpisode,
            Reason::OtherEvent,
            Reason::Unusable,
            Reason::OtherLibrary,
            Reason::OtherUser,
            Reason::NoUserNamed,
            Reason::NotSearched,
        ];
        let known = OUTCOMES.map(|(name, _)| name);
        assert_eq!(all.map(Reason::name), known);
    }
}
