//! The content of the pages of songs, and songs in the lists of other pages.

use accounts::sessions::SignedInUser;
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, Render, html};
use page_parts::StoryPagesState;
use pages::anime_card::{AnimeRenderer, path_of};
use pages::form::parameter_errors;
use pages::icon::Icon;
use pages::language::Localizer;
use pages::layout::{Page, PageKind, page_links};
use pages::open_graph::OpenGraph;
use pages::paths::{MODERATION, SONG, song_path};
use pages::sessions::Visitor;
use shared::models::{Anime, Role, Song};

use super::query::{SongQuery, path_of_artist, path_of_search};

/// A song of a list, and its anime if the catalogue has it.
pub(crate) type SongOfAnime = (Song, Option<Anime>);

/// A page of the list of songs.
pub(super) struct SongList<'a> {
    pub query: &'a SongQuery,
    /// The number of songs on all pages.
    pub total: usize,
    pub songs: &'a [SongOfAnime],
}

/// Everything that the page of a song shows.
pub(super) struct SongDetails {
    pub signed_in: Option<SignedInUser>,
    pub song: Song,
    /// The anime, if the catalogue has it.
    pub anime: Option<Anime>,
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
    /// Renders the link beside the number of anime that leads to the songs.
    pub(crate) fn link(&self, l10n: &Localizer) -> Markup {
        html! {
            @if !self.songs.is_empty() { " · " a href="#songs" { (count(l10n, self.total)) } }
        }
    }

    /// Renders the songs, with a link to all of them if there are more.
    pub(crate) fn section(&self, l10n: &Localizer) -> Markup {
        html! {
            @if !self.songs.is_empty() {
                section aria-labelledby="songs" {
                    h2 #songs { (Icon::Music) (l10n.text("anime-songs")) }
                    (lines(l10n, self.songs, self.with_adult))
                    @if self.total > self.songs.len() {
                        p.actions {
                            a.button.secondary href=(path_of_search(self.search)) {
                                (l10n.format("song-all", [("count", self.total.into())]))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn count(l10n: &Localizer, count: usize) -> String {
    l10n.format("song-count", [("count", count.into())])
}

fn lines(l10n: &Localizer, songs: &[SongOfAnime], with_adult: bool) -> Markup {
    html! {
        ul.plain {
            @for (song, anime) in songs {
                li {
                    (title_and_artist(l10n, song))
                    @if let Some(anime) = anime {
                        // Lists do not name anime for adults unless the visitor wants them.
                        " "
                        a.row.kind href=(path_of(anime)) {
                            @if anime.nsfw && !with_adult {
                                (l10n.text("anime-adult"))
                            } @else {
                                (AnimeRenderer::new(false, l10n).title_markup(anime))
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Renders the use of a song, its title with a link to its page, and its artist with a link to the artist's songs.
pub(crate) fn title_and_artist(l10n: &Localizer, song: &Song) -> Markup {
    html! {
        span.badge { (l10n.song_type(song.song_type)) } " "
        a.row href=(song_path(song)) { strong dir="auto" { (song.title) } }
        @if !song.artist.is_empty() {
            " " a.row.kind href=(path_of_artist(&song.artist)) dir="auto" { (song.artist) }
        }
    }
}

/// Returns the page `/song`.
pub(super) fn list_page(
    l10n: &Localizer,
    signed_in: Option<&SignedInUser>,
    list: &SongList<'_>,
) -> Response {
    let title = l10n.text("anime-songs");
    let query = list.query;
    let is_valid = query.field_errors.is_empty();
    let body = html! {
        h1 { (title) }
        form.browse role="search" aria-label=(l10n.text("song-search")) action=(SONG) {
            div.search {
                input #search type="search" name="search" value=(query.search)
                    aria-label=(l10n.text("song-search")) placeholder=(l10n.text("song-search"))
                    maxlength="500" autocomplete="off";
                button type="submit" { (Icon::Search) span { (l10n.text("page-search-button")) } }
            }
            (errors(l10n, query))
        }
        @if is_valid {
            p.hint role="status" {
                @if query.artist.is_empty() {
                    (count(l10n, list.total))
                } @else {
                    @let artist = query.artist.as_str().into();
                    (l10n.format("song-count-of-artist", [("count", list.total.into()), ("artist", artist)]))
                }
            }
            @if list.songs.is_empty() {
                p { (l10n.text("song-nothing")) }
            } @else {
                section { (lines(l10n, list.songs, false)) }
            }
        }
        (page_links(l10n, query.page, SongQuery::last_page(list.total), |page| query.path_of_page(page)))
    };
    let page = Page {
        visitor: signed_in.map(SignedInUser::username),
        kind: PageKind::wide(false),
        ..Page::new(l10n, &title, body)
    };
    page.respond(if is_valid {
        StatusCode::OK
    } else {
        StatusCode::BAD_REQUEST
    })
}

/// Renders the errors of invalid parameters.
fn errors(l10n: &Localizer, query: &SongQuery) -> Markup {
    let label = |name: &str| match name {
        "search" => l10n.text("song-search"),
        "artist" => l10n.text("song-artist"),
        name => name.to_owned(),
    };
    parameter_errors(l10n, &query.field_errors, label)
}

/// Returns the page of a song.
pub(super) fn page(state: &StoryPagesState, visitor: &Visitor, details: &SongDetails) -> Response {
    let signed_in = details.signed_in.as_ref();
    let l10n = visitor.localizer(signed_in);
    let view = SongView {
        renderer: AnimeRenderer::new(state.has_images, &l10n),
        l10n: &l10n,
        song: &details.song,
        anime: details.anime.as_ref(),
        is_moderator: signed_in.is_some_and(|user| user.account.user.role >= Role::Moderator),
    };
    let page = Page {
        visitor: signed_in.map(SignedInUser::username),
        kind: PageKind::wide(state.has_images),
        head: view.metadata(state.sessions.public_url()),
        ..Page::new(&l10n, &details.song.title, view.body())
    };
    page.respond(StatusCode::OK)
}

struct SongView<'a> {
    renderer: AnimeRenderer<'a>,
    l10n: &'a Localizer,
    song: &'a Song,
    anime: Option<&'a Anime>,
    /// True if the visitor can correct the song.
    is_moderator: bool,
}

impl SongView<'_> {
    fn metadata(&self, public_url: &str) -> Markup {
        let song = self.song;
        let anime = self.anime.map(|anime| self.renderer.title(anime));
        let artist = Some(song.artist.clone()).filter(|artist| !artist.is_empty());
        let parts = [Some(self.l10n.song_type(song.song_type)), anime, artist];
        let description = parts.into_iter().flatten().collect::<Vec<_>>().join(" · ");
        let metadata = OpenGraph {
            kind: "music.song",
            title: &song.title,
            address: &format!("{public_url}{}", song_path(song)),
            description: Some(&description),
            image: self.anime.map(|anime| anime.cover_image.as_str()),
        };
        metadata.render()
    }

    /// Renders the content, with metadata for search engines (<https://schema.org>).
    fn body(&self) -> Markup {
        let (l10n, song) = (self.l10n, self.song);
        html! {
            article itemscope itemtype="https://schema.org/MusicRecording" {
                div.hero {
                    @if let Some(anime) = self.anime { (self.renderer.cover(anime)) }
                    div {
                        h1 itemprop="name" dir="auto" { (song.title) }
                        p.meta {
                            (l10n.song_type(song.song_type))
                            @if let Some(anime) = self.anime {
                                " · " a.row href=(path_of(anime)) { (self.renderer.title_markup(anime)) }
                            }
                        }
                        (self.players())
                    }
                }
                (self.facts())
                (self.links())
            }
        }
    }

    /// Renders the links to the web player and to the preview. A page cannot reach a local player.
    fn players(&self) -> Markup {
        let links = [
            (&self.song.open_player_url, "song-listen"),
            (&self.song.preview_url, "song-preview"),
        ];
        let mut links = links
            .into_iter()
            .filter(|(address, _)| address.starts_with("https://"))
            .peekable();
        html! {
            @if links.peek().is_some() {
                p.actions {
                    @for (address, label) in links {
                        a.button.secondary href=(address) rel="noopener noreferrer" {
                            (Icon::External) (self.l10n.text(label))
                        }
                    }
                }
            }
        }
    }

    fn facts(&self) -> Markup {
        let (l10n, song) = (self.l10n, self.song);
        let year = (song.year > 0).then_some(song.year);
        let facts = [
            (
                "song-album",
                Some(song.album.clone()).filter(|album| !album.is_empty()),
            ),
            ("anime-season", l10n.season_of_year(song.season, year)),
            (
                "song-duration",
                (song.duration > 0).then(|| duration(song.duration)),
            ),
        ];
        let facts = facts
            .into_iter()
            .filter_map(|(label, value)| Some((label, value?)));
        let facts: Vec<_> = facts.collect();
        html! {
            @if !song.artist.is_empty() || !facts.is_empty() {
                section aria-labelledby="facts" {
                    h2 #facts { (l10n.text("anime-facts")) }
                    dl.facts-list {
                        @if !song.artist.is_empty() {
                            div {
                                dt { (l10n.text("song-artist")) }
                                dd {
                                    a.row itemprop="byArtist" href=(path_of_artist(&song.artist)) dir="auto" {
                                        (song.artist)
                                    }
                                }
                            }
                        }
                        @for (label, value) in facts {
                            div { dt { (l10n.text(label)) } dd dir="auto" { (value) } }
                        }
                    }
                }
            }
        }
    }

    fn links(&self) -> Markup {
        let l10n = self.l10n;
        let path = song_path(self.song);
        html! {
            section aria-labelledby="links" {
                h2 #links { (l10n.text("anime-links")) }
                ul.links {
                    li { a.row href={ "/v1" (path) } { (Icon::Code) "JSON" } }
                    @if self.is_moderator {
                        li {
                            a.row href={ (MODERATION) (path) } {
                                (Icon::Shield) (l10n.text("correct-title-of-page"))
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Returns a duration in milliseconds as minutes and seconds, such as `3:30`.
fn duration(milliseconds: u32) -> String {
    let seconds = milliseconds / 1000;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}
