//! The content of the pages of songs, and songs in the lists of other pages.

use accounts::sessions::SignedInUser;
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, Render, html};
use page_parts::story::{StoryKey, quick_actions};
use pages::anime_card::{AnimeRenderer, path_of};
use pages::icon::Icon;
use pages::language::Localizer;
use pages::layout::{Page, PageKind, page_links, section_head};
use pages::open_graph::OpenGraph;
use pages::paths::{ANIME, MODERATION, SONG, song_path};
use pages::seal::seal;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use shared::models::{Anime, Role, Song};
use stories::lists::ListedStory;

use super::query::{SongQuery, path_of_artist, path_of_search};

/// A song of a list, and its anime if the catalogue has it.
pub(crate) type SongOfAnime = (Song, Option<Anime>);

/// A page of the list of songs.
pub(super) struct SongList<'a> {
    pub query: &'a SongQuery,
    /// The number of songs on all pages.
    pub total: usize,
    /// The number of the page.
    pub page: usize,
    pub songs: &'a [SongOfAnime],
    /// Songs of anime whose names the search has.
    pub of_named: &'a [SongOfAnime],
}

/// The visitor of the page of a song, if signed in.
pub(super) struct SongPageUser<'a> {
    pub user: &'a SignedInUser,
    /// The notice about the change that the visitor has just made, and the form of the actions.
    pub form: Markup,
}

/// Everything that the page of a song shows.
pub(super) struct SongDetails<'a> {
    pub owner: Option<SongPageUser<'a>>,
    pub song: Song,
    /// The visitor's story about the anime.
    pub story: Option<ListedStory>,
    /// The anime, if the catalogue has it.
    pub anime: Option<Anime>,
    /// The other songs of the anime.
    pub others: Vec<Song>,
}

/// Songs below the anime that a search finds.
pub(crate) struct FoundSongs<'a> {
    /// The text of the search as it was typed.
    pub search: &'a str,
    /// The number of songs that the search finds.
    pub total: usize,
    /// The first of them.
    pub songs: &'a [SongOfAnime],
    /// True if the titles of anime for adults are shown.
    pub with_adult: bool,
}

impl FoundSongs<'_> {
    /// Renders the link above the anime that leads to the songs; nothing without songs.
    pub(crate) fn link(&self, l10n: &Localizer) -> Markup {
        html! {
            @if !self.songs.is_empty() { a href="#songs" { (count(l10n, self.total)) } }
        }
    }

    /// Renders the songs, with a link to all of them if there are more.
    pub(crate) fn section(&self, renderer: AnimeRenderer<'_>) -> Markup {
        let l10n = renderer.l10n;
        html! {
            @if !self.songs.is_empty() {
                section.sec #songs aria-label=(l10n.text("anime-songs")) {
                    (section_head(&l10n.text("anime-songs"), &html! {
                        @if self.total > self.songs.len() {
                            a href=(path_of_search(self.search)) {
                                (l10n.format("song-all", [("count", self.total.into())]))
                            }
                        }
                    }))
                    (lines(renderer, self.songs, self.with_adult))
                }
            }
        }
    }
}

/// Returns the number of songs as a text.
pub(crate) fn count(l10n: &Localizer, count: usize) -> String {
    l10n.format("song-count", [("count", count.into())])
}

/// Renders songs as lines, each with the cover of its anime. Lists do not show anime for adults unless the visitor
/// wants them.
fn lines(renderer: AnimeRenderer<'_>, songs: &[SongOfAnime], with_adult: bool) -> Markup {
    let l10n = renderer.l10n;
    html! {
        ul.log {
            @for (song, anime) in songs {
                @let is_shown = |anime: &&Anime| with_adult || !anime.nsfw;
                li {
                    @if let Some(anime) = anime.as_ref().filter(is_shown) {
                        (renderer.linked_cover(anime))
                    } @else {
                        span.cover aria-hidden="true" {}
                    }
                    div {
                        a href=(song_path(song)) dir="auto" { (song.title) }
                        p {
                            @if !song.artist.is_empty() {
                                a href=(path_of_artist(&song.artist)) dir="auto" { (song.artist) }
                                @if anime.is_some() { " · " }
                            }
                            @if let Some(anime) = anime {
                                @let title = html! {
                                    @if is_shown(&anime) {
                                        (renderer.title_markup(anime))
                                    } @else {
                                        (l10n.text("anime-adult"))
                                    }
                                };
                                a href=(path_of(anime)) { (title) }
                            }
                        }
                    }
                    span.soft { (l10n.song_type(song.song_type)) }
                }
            }
        }
    }
}

/// Returns the page `/song`.
pub(super) fn list_page(
    renderer: AnimeRenderer<'_>,
    public_url: &str,
    signed_in: Option<&SignedInUser>,
    list: &SongList<'_>,
) -> Response {
    let l10n = renderer.l10n;
    let query = list.query;
    let title = if query.artist.is_empty() {
        l10n.text("anime-songs")
    } else {
        query.artist.clone()
    };
    let found = if query.artist.is_empty() {
        count(l10n, list.total)
    } else {
        let artist = query.artist.as_str().into();
        let variables = [("count", list.total.into()), ("artist", artist)];
        l10n.format("song-count-of-artist", variables)
    };
    let body = html! {
        div.seasons {
            h1 dir="auto" { (title) }
            span.soft role="status" { (found) }
            @if !query.artist.is_empty() {
                nav aria-label=(l10n.text("browse-shortcuts")) { a href=(SONG) { (l10n.text("song-every")) } }
            }
        }
        form.browse role="search" aria-label=(l10n.text("song-search")) action=(SONG) {
            div.bar {
                div.search {
                    input #search type="search" name="search" value=(query.search)
                        aria-label=(l10n.text("song-search")) placeholder=(l10n.text("song-placeholder"))
                        maxlength="500" autocomplete="off";
                    button.button.secondary type="submit" {
                        (Icon::Search) span.unseen { (l10n.text("page-search-button")) }
                    }
                }
            }
        }
        (ignored_parameters(l10n, query))
        @if !list.songs.is_empty() {
            section {
                (section_head(&l10n.text("browse-results"), &Markup::default()))
                (lines(renderer, list.songs, false))
            }
        }
        @if !list.of_named.is_empty() {
            section.sec[!list.songs.is_empty()] {
                @let variables = [("text", query.search.as_str().into())];
                (section_head(&l10n.format("song-from", variables), &Markup::default()))
                (lines(renderer, list.of_named, false))
            }
        }
        @if list.songs.is_empty() && list.of_named.is_empty() { (nothing(l10n, query)) }
        (page_links(l10n, list.page, SongQuery::last_page(list.total), |page| query.path_of_page(page)))
    };
    let metadata = OpenGraph {
        kind: "website",
        title: &title,
        address: &format!("{public_url}{}", query.path_of_page(list.page)),
        description: Some(&found),
        image: None,
    };
    let page = Page {
        current_path: SONG,
        visitor: signed_in.map(SignedInUser::username),
        kind: PageKind::wide(renderer.has_images),
        head: metadata.render(),
        ..Page::new(l10n, &title, body)
    };
    page.respond(StatusCode::OK)
}

/// Renders what else can be tried if no song matches.
fn nothing(l10n: &Localizer, query: &SongQuery) -> Markup {
    html! {
        p { (l10n.text("song-nothing")) }
        p.acts {
            @if query.search.is_empty() {
                a href=(ANIME) { (l10n.text("browse-title")) }
            } @else {
                a href=(path_of_anime_search(&query.search)) { (l10n.text("song-search-anime")) }
                a href=(SONG) { (l10n.text("song-every")) }
            }
        }
    }
}

/// Renders a sentence about each parameter that has an invalid value and is ignored.
fn ignored_parameters(l10n: &Localizer, query: &SongQuery) -> Markup {
    let label = |name: &str| match name {
        "search" => l10n.text("page-search-button"),
        "artist" => l10n.text("song-artist"),
        name => name.to_owned(),
    };
    html! {
        @if !query.field_errors.is_empty() {
            div.faults role="alert" {
                ul {
                    @for name in query.field_errors.keys() {
                        li { (l10n.format("browse-ignored", [("field", label(name).into())])) }
                    }
                }
            }
        }
    }
}

/// Returns the page of a song.
pub(super) fn page(
    renderer: AnimeRenderer<'_>,
    public_url: &str,
    details: &SongDetails<'_>,
) -> Response {
    let view = SongView {
        renderer,
        l10n: renderer.l10n,
        song: &details.song,
        details,
    };
    let page = Page {
        visitor: details.owner.as_ref().map(|owner| owner.user.username()),
        kind: PageKind::wide(renderer.has_images),
        head: view.metadata(public_url),
        ..Page::new(renderer.l10n, &details.song.title, view.body())
    };
    page.respond(StatusCode::OK)
}

struct SongView<'a> {
    renderer: AnimeRenderer<'a>,
    l10n: &'a Localizer,
    song: &'a Song,
    details: &'a SongDetails<'a>,
}

impl SongView<'_> {
    fn metadata(&self, public_url: &str) -> Markup {
        let song = self.song;
        let anime = self.anime().map(|anime| self.renderer.title(anime));
        let artist = Some(song.artist.clone()).filter(|artist| !artist.is_empty());
        let parts = [Some(self.l10n.song_type(song.song_type)), anime, artist];
        let description = parts.into_iter().flatten().collect::<Vec<_>>().join(" · ");
        let metadata = OpenGraph {
            kind: "music.song",
            title: &song.title,
            address: &format!("{public_url}{}", song_path(song)),
            description: Some(&description),
            image: self.anime().map(|anime| anime.cover_image.as_str()),
        };
        metadata.render()
    }

    fn anime(&self) -> Option<&Anime> {
        self.details.anime.as_ref()
    }

    /// Renders the content, with metadata for search engines (<https://schema.org>).
    fn body(&self) -> Markup {
        html! {
            @if let Some(owner) = &self.details.owner { (owner.form) }
            article itemscope itemtype="https://schema.org/MusicRecording" {
                div.tune {
                    @if let Some(anime) = self.anime() { (self.cover(anime)) }
                    div.ttl {
                        h1 itemprop="name" dir="auto" { (self.song.title) }
                        (self.facts())
                        (self.links())
                    }
                }
                (self.others())
            }
        }
    }

    /// Renders the cover of the anime. A visitor who is signed in can put the anime on the list.
    fn cover(&self, anime: &Anime) -> Markup {
        let l10n = self.l10n;
        let state = self.details.story.as_ref().map(|story| &story.state);
        html! {
            div.card {
                @if let Some(state) = state {
                    (seal(Some(state.status)))
                    span.unseen { (l10n.watch_status(state.status)) }
                }
                div.art {
                    (self.renderer.linked_cover(anime))
                    @if self.details.owner.is_some() {
                        (quick_actions(l10n, &StoryKey::of(anime.id, state), &self.renderer.title(anime)))
                    }
                }
            }
        }
    }

    /// Renders what is known about the song as a line.
    fn facts(&self) -> Markup {
        let (l10n, song) = (self.l10n, self.song);
        let year = (song.year > 0).then_some(song.year);
        let album = Some(song.album.as_str()).filter(|album| !album.is_empty());
        html! {
            ul.facts {
                li {
                    (l10n.song_type(song.song_type))
                    @if let Some(anime) = self.anime() {
                        " · " a href=(path_of(anime)) { (self.renderer.title_markup(anime)) }
                    }
                }
                @if !song.artist.is_empty() {
                    li {
                        span.unseen { (l10n.text("song-artist")) " " }
                        a itemprop="byArtist" href=(path_of_artist(&song.artist)) dir="auto" { (song.artist) }
                    }
                }
                @if let Some(album) = album {
                    li { (l10n.text("song-album")) " " b dir="auto" { (album) } }
                }
                @if let Some(season) = l10n.season_of_year(song.season, year) { li { (season) } }
                @if song.duration > 0 {
                    li { (l10n.text("song-duration")) " " b { (duration(song.duration)) } }
                }
            }
        }
    }

    /// Renders the links to the web player and to the preview, to the song in the API, and for moderators to its
    /// corrections. A page cannot reach a local player.
    fn links(&self) -> Markup {
        let l10n = self.l10n;
        let path = song_path(self.song);
        let owner = self.details.owner.as_ref();
        let is_moderator =
            owner.is_some_and(|owner| owner.user.account.user.role >= Role::Moderator);
        let players = [
            (&self.song.open_player_url, "song-listen"),
            (&self.song.preview_url, "song-preview"),
        ];
        let players = players
            .into_iter()
            .filter(|(address, _)| address.starts_with("https://"));
        html! {
            ul.chips {
                @for (address, label) in players {
                    li {
                        a.on href=(address) rel="noopener noreferrer" { (Icon::External) (l10n.text(label)) }
                    }
                }
                li { a href={ "/v1" (path) } { (Icon::Code) "JSON" } }
                @if is_moderator {
                    li {
                        a href={ (MODERATION) (path) } { (Icon::Shield) (l10n.text("correct-title-of-page")) }
                    }
                }
            }
        }
    }

    /// Renders the other songs of the anime.
    fn others(&self) -> Markup {
        let l10n = self.l10n;
        html! {
            @if !self.details.others.is_empty() {
                section.sec {
                    (section_head(&l10n.text("song-others"), &Markup::default()))
                    table.tunes {
                        @for song in &self.details.others {
                            tr {
                                th scope="row" { (l10n.song_type(song.song_type)) }
                                td { a href=(song_path(song)) dir="auto" { (song.title) } }
                                td {
                                    @if !song.artist.is_empty() {
                                        a href=(path_of_artist(&song.artist)) dir="auto" { (song.artist) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the path of the anime that a search finds.
fn path_of_anime_search(search: &str) -> String {
    let search = utf8_percent_encode(search, NON_ALPHANUMERIC);
    format!("{ANIME}?search={search}")
}

/// Returns a duration in milliseconds as minutes and seconds, such as `3:30`.
fn duration(milliseconds: u32) -> String {
    let seconds = milliseconds / 1000;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}
