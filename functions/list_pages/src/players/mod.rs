//! The players of the signed-in user: media servers, programs and scripts that report what the user watches
//! (docs/players.md).

mod instructions;
pub(crate) mod list;
mod list_view;
pub(crate) mod player;
mod player_view;
mod reports;
pub(crate) mod series;

use std::collections::{BTreeSet, HashMap};

use accounts::applications::read_name;
use catalogue::index::IndexedRow;
use catalogue::{Catalogue, parse_documents};
use dynamo::MAX_BATCH_READ;
use maud::{Markup, html};
use pages::anime_card::{AnimeRenderer, path_of};
use pages::form::{NOT_LISTED, translate_choices};
use pages::language::Localizer;
use pages::layout::Choice;
use pages::paths::{PLAYERS, PLAYERS_SERIES};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use shared::Result;
use shared::input::Fields;
use shared::models::{Anime, AnimeId, PlayerContent, PlayerKind};

/// The maximum length of the name of a player, in characters.
const MAX_NAME_CHARACTERS: usize = 40;

/// The parameter of a confirmation with the number of episodes that were marked.
const EPISODES: &str = "episodes";

/// The anime of a page.
pub(crate) struct AnimeById(HashMap<AnimeId, Anime>);

impl AnimeById {
    /// Reads these anime. Those that have left the catalogue are left out.
    pub(crate) async fn read(catalogue: &Catalogue<Anime>, ids: BTreeSet<AnimeId>) -> Result<Self> {
        let mut known = HashMap::new();
        if ids.is_empty() {
            return Ok(Self(known));
        }
        let index = catalogue.index().await?;
        let rows = ids.into_iter().filter_map(|id| index.indexed_anime(id));
        let rows: Vec<IndexedRow> = rows.map(|anime| anime.listed).collect();
        for rows in rows.chunks(MAX_BATCH_READ) {
            let anime: Vec<Anime> = parse_documents(&catalogue.documents(rows).await?)?;
            known.extend(anime.into_iter().map(|anime| (anime.id, anime)));
        }
        Ok(Self(known))
    }

    /// Returns the anime, if it is known.
    pub(crate) fn get(&self, id: AnimeId) -> Option<&Anime> {
        self.0.get(&id)
    }

    /// Renders the title of an anime, with a link to its page.
    pub(crate) fn link(&self, l10n: &Localizer, id: AnimeId) -> Markup {
        html! {
            @match self.0.get(&id) {
                // Rows of text have no covers.
                Some(anime) => a href=(path_of(anime)) { (AnimeRenderer::new(false, l10n).title_markup(anime)) },
                None => (l10n.text("story-unknown-anime")),
            }
        }
    }
}

/// Returns the text about a season and an episode in it, such as "season 4, episode 13".
fn place(l10n: &Localizer, season: &str, episode: Option<u32>) -> String {
    let episode = || episode.unwrap_or(1).into();
    match season {
        "movie" => l10n.text("players-movie"),
        "none" => l10n.format("players-episode", [("episode", episode())]),
        season => {
            let parts = [("season", season.into()), ("episode", episode())];
            l10n.format("players-season-episode", parts)
        }
    }
}

/// Returns the path and query of the page on which the user chooses the anime of a series.
fn series_address(title: &str, season: &str, episode: u32) -> String {
    let title = utf8_percent_encode(title, NON_ALPHANUMERIC);
    format!("{PLAYERS_SERIES}?title={title}&season={season}&episode={episode}")
}

/// The kinds of players, with the messages of their names.
const KINDS: [(PlayerKind, &str); 6] = [
    (PlayerKind::Jellyfin, "players-kind-jellyfin"),
    (PlayerKind::Plex, "players-kind-plex"),
    (PlayerKind::Emby, "players-kind-emby"),
    (PlayerKind::Kodi, "players-kind-kodi"),
    (PlayerKind::Mpv, "players-kind-mpv"),
    (PlayerKind::Other, "players-kind-other"),
];

/// Returns the name of a kind of players.
fn kind_name(l10n: &Localizer, kind: PlayerKind) -> String {
    let found = KINDS.iter().find(|(known, _)| *known == kind);
    found.map_or_else(String::new, |(_, message)| l10n.text(message))
}

/// The values of the setting about what a player plays, with the messages of their names. The first one is the default.
const PLAYS: [(PlayerContent, &str); 2] = [
    (PlayerContent::Mixed, "players-plays-mixed"),
    (PlayerContent::Anime, "players-plays-anime"),
];

/// Returns the values and the names of the setting about what a player plays.
fn plays_options(l10n: &Localizer) -> Vec<Choice<'static>> {
    translate_choices(l10n, PLAYS.map(|(value, message)| (value.name(), message)))
}

/// Reads what a player plays. Returns `None` if the form does not state it or states it wrongly. Then `fields` holds
/// the error.
fn read_plays(fields: &mut Fields) -> Option<PlayerContent> {
    if !fields.has("plays") {
        return None;
    }
    fields.read_with("plays", |plays| {
        PlayerContent::from_name(plays).ok_or(NOT_LISTED)
    })
}

/// Renders the link to the series that wait for the user's answer, unless there are none.
pub(crate) fn questions_notice(l10n: &Localizer, count: usize) -> Markup {
    html! {
        @if count > 0 {
            p.notice {
                a href={ (PLAYERS) "#unmatched" } { (l10n.format("players-questions", [("count", count.into())])) }
            }
        }
    }
}

/// Reads the name of a player. Returns `None` if it is invalid. Then `fields` holds the error.
fn read_player_name(fields: &mut Fields, sent: &str) -> Option<String> {
    let words: Vec<&str> = sent.split_whitespace().collect();
    if words.join(" ").chars().count() > MAX_NAME_CHARACTERS {
        fields.fail("name", "must have 1 to 40 characters");
    }
    read_name(fields)
}
