//! The content of the page `/anime/{id}`: its frame, the story, the songs and similar anime.

use std::sync::Arc;

use accounts::sessions::SignedInUser;
use axum::http::StatusCode;
use axum::response::Response;
use catalogue::community::Community;
use maud::{Markup, Render, html};
use page_parts::StoryPagesState;
use page_parts::anime::StoriesByAnime;
use page_parts::story::{
    ReturnPage, StoryFormOutcome, StoryKey, StoryNotice, quick_actions, quick_form,
};
use pages::anime_card::{AnimeRenderer, CardParts, path_of};
use pages::language::Localizer;
use pages::layout::{Page, PageKind, section_head};
use pages::open_graph::OpenGraph;
use pages::paths::{ANIME, song_path};
use pages::sessions::Visitor;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use shared::models::{Anime, AnimeFormat, Song, SongType, WatchStatus};
use stories::lists::{ListedStory, Story};
use time::Date;

use super::related::RelatedAnime;
use super::trailer::embedded_trailer;
use crate::song::query::path_of_artist;

/// The maximum number of songs that the page shows.
const MAX_SONGS: usize = 50;

/// Everything that the page shows.
pub(super) struct AnimeDetails {
    /// The signed-in user.
    pub signed_in: Option<SignedInUser>,
    /// The user's story.
    pub story: Option<Story>,
    /// The anime.
    pub anime: Arc<Anime>,
    /// The anime before and after it in the story line, and similar anime.
    pub related: RelatedAnime,
    /// The user's stories about the related anime.
    pub stories: StoriesByAnime,
    /// The songs. The page shows the first [`MAX_SONGS`].
    pub songs: Vec<Song>,
    /// The numbers of users who have the anime, if they are published.
    pub community: Option<Community>,
}

/// Returns the page.
pub(super) fn page(
    state: &StoryPagesState,
    visitor: &Visitor,
    details: &AnimeDetails,
    done: Option<StoryFormOutcome>,
) -> Response {
    let signed_in = details.signed_in.as_ref();
    let l10n = visitor.localizer(signed_in);
    let csrf = state.sessions.csrf(visitor);
    let zone = signed_in.map_or_else(
        || visitor.time_zone().unwrap_or_default(),
        |user| user.account.time_zone(),
    );
    let view = AnimeView {
        renderer: AnimeRenderer::new(state.has_images, &l10n),
        l10n: &l10n,
        details,
        anime: &details.anime,
        today: zone.date_of(state.clock.now_ms()),
        csrf: &csrf.token,
        done,
    };
    let title = view.renderer.title(&details.anime);
    let page = Page {
        visitor: signed_in.map(SignedInUser::username),
        kind: match embedded_trailer(&details.anime) {
            Some(_) => PageKind::WithTrailer {
                may_load_images: state.has_images,
            },
            None => PageKind::wide(state.has_images),
        },
        head: view.metadata(&title, state.sessions.public_url()),
        ..Page::new(&l10n, &title, view.body())
    };
    // Only a signed-in user gets forms, and already has the cookie of the CSRF token.
    page.respond(StatusCode::OK)
}

/// The page in the language of a visitor.
pub(super) struct AnimeView<'a> {
    pub(super) renderer: AnimeRenderer<'a>,
    pub(super) l10n: &'a Localizer,
    pub(super) details: &'a AnimeDetails,
    pub(super) anime: &'a Anime,
    /// The present day in the time zone of the visitor.
    pub(super) today: Date,
    /// The CSRF token.
    pub(super) csrf: &'a str,
    /// The change that the previous form has made.
    done: Option<StoryFormOutcome>,
}

impl AnimeView<'_> {
    fn metadata(&self, title: &str, public_url: &str) -> Markup {
        let anime = self.anime;
        let description = self.l10n.description(&anime.descriptions);
        let description = description.map(|description| beginning_of(description.text));
        let metadata = OpenGraph {
            kind: match anime.format {
                AnimeFormat::Movie => "video.movie",
                _ => "video.tv_show",
            },
            title,
            address: &format!("{public_url}{}", path_of(anime)),
            description: description.as_deref(),
            image: Some(&anime.cover_image),
        };
        metadata.render()
    }

    /// Renders the content, with metadata for search engines (<https://schema.org>).
    fn body(&self) -> Markup {
        let kind = match self.anime.format {
            AnimeFormat::Movie => "https://schema.org/Movie",
            _ => "https://schema.org/TVSeries",
        };
        html! {
            (self.notice())
            article itemscope itemtype=(kind) {
                (self.renderer.banner(self.anime))
                (self.hero())
                div.split {
                    div {
                        (self.description())
                        (self.watch_order())
                        (self.songs())
                    }
                    aside {
                        (self.next())
                        (self.trailer())
                        (self.community())
                        (self.titles())
                        (self.keywords())
                        (self.links())
                    }
                }
            }
            (self.similar())
            @if self.details.signed_in.is_some() && self.details.related.ids().next().is_some() {
                (quick_form(self.csrf, &ReturnPage::Anime(self.anime.id)))
            }
        }
    }

    /// Renders the notice about the change that the previous form has made.
    fn notice(&self) -> Markup {
        let done = self.done.filter(|_| self.details.signed_in.is_some());
        let back = ReturnPage::Anime(self.anime.id);
        let story = self.details.story.as_ref().map(ListedStory::from);
        let notice = done.map(|done| StoryNotice {
            l10n: self.l10n,
            csrf: self.csrf,
            back: &back,
            done,
            title: self.renderer.title_markup(self.anime),
            story: story.as_ref(),
        });
        html! { @if let Some(notice) = notice { (notice) } }
    }

    fn description(&self) -> Markup {
        let l10n = self.l10n;
        html! {
            section.sec {
                (section_head(&l10n.text("anime-description"), &Markup::default()))
                @if let Some(description) = l10n.description(&self.anime.descriptions) {
                    div.prose itemprop="description" lang=(description.lang()) dir="auto" {
                        @for paragraph in paragraphs(description.text) { p { (paragraph) } }
                    }
                } @else {
                    p { (l10n.text("anime-no-description")) }
                }
            }
        }
    }

    fn songs(&self) -> Markup {
        let l10n = self.l10n;
        let songs = &self.details.songs;
        let mut numbers = [0_u32; 3];
        let mut rows = Vec::new();
        for song in songs.iter().take(MAX_SONGS) {
            let number = match song.song_type {
                SongType::Opening => &mut numbers[0],
                SongType::Ending => &mut numbers[1],
                SongType::None => &mut numbers[2],
            };
            *number += 1;
            rows.push(self.song(song, *number));
        }
        html! {
            @if !rows.is_empty() {
                section.sec {
                    (section_head(&l10n.text("anime-songs"), &Markup::default()))
                    div.scrolls { table { tbody { @for row in rows { (row) } } } }
                    @if songs.len() > MAX_SONGS {
                        @let count = songs.len() - MAX_SONGS;
                        p { (l10n.format("anime-more-songs", [("count", count.into())])) }
                    }
                }
            }
        }
    }

    /// Renders a song. `number` counts the songs with the same use.
    fn song(&self, song: &Song, number: u32) -> Markup {
        let l10n = self.l10n;
        let links = [
            (&song.open_player_url, "song-listen"),
            (&song.preview_url, "song-preview"),
        ];
        let links = links
            .into_iter()
            .filter(|(address, _)| address.starts_with("https://"));
        html! {
            tr {
                th scope="row" { (l10n.song_type(song.song_type)) " " (number) }
                td { a href=(song_path(song)) dir="auto" { (song.title) } }
                td {
                    @if !song.artist.is_empty() {
                        a href=(path_of_artist(&song.artist)) dir="auto" { (song.artist) }
                    }
                }
                td.r {
                    @for (address, label) in links {
                        " "
                        a href=(address) rel="noopener noreferrer" {
                            (l10n.text(label)) span.unseen { ": " (song.title) }
                        }
                    }
                }
            }
        }
    }

    fn similar(&self) -> Markup {
        let similar = &self.details.related.similar;
        html! {
            @if !similar.is_empty() {
                section.sec {
                    (section_head(&self.l10n.text("anime-similar"), &Markup::default()))
                    ul.shelf {
                        @for anime in similar {
                            (self.renderer.card(anime, CardParts {
                                status: self.status_of(anime),
                                actions: self.actions(anime),
                                ..CardParts::default()
                            }))
                        }
                    }
                }
            }
        }
    }

    /// Returns the visitor's status of a related anime.
    pub(super) fn status_of(&self, anime: &Anime) -> Option<WatchStatus> {
        let story = self.details.stories.get(&anime.id);
        story.map(|story| story.state.status)
    }

    /// Renders the controls that put a related anime on the list of a signed-in visitor.
    pub(super) fn actions(&self, anime: &Anime) -> Option<Markup> {
        self.details.signed_in.as_ref()?;
        let story = self.details.stories.get(&anime.id);
        let key = StoryKey::of(anime.id, story.map(|story| &story.state));
        Some(quick_actions(self.l10n, &key, &self.renderer.title(anime)))
    }
}

/// Returns the address of the list with this filter.
pub(super) fn list_address(parameter: &str, value: &str) -> String {
    let value = utf8_percent_encode(value, NON_ALPHANUMERIC);
    format!("{ANIME}?{parameter}={value}")
}

fn paragraphs(text: &str) -> impl Iterator<Item = &str> {
    text.split("\n\n")
        .map(str::trim)
        .filter(|text| !text.is_empty())
}

/// Returns a description for the metadata: at most its first 200 characters, on one line.
fn beginning_of(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= 200 {
        return line;
    }
    let start: String = line.chars().take(199).collect();
    format!("{start}…")
}
