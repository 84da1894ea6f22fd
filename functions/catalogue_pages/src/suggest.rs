//! The suggestions below the search in the header of pages, which the script requests while the visitor types.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use catalogue::SharedCatalogue;
use catalogue::index::{AnimeFilter, SongFilter};
use futures_util::try_join;
use maud::{Markup, html};
use page_parts::StoryPagesState;
use page_parts::anime::{StoriesByAnime, read_anime_and_stories};
use page_parts::story::{ListRequest, ReturnPage, StoryKey, hidden_fields};
use pages::anime_card::{AnimeRenderer, path_of};
use pages::error::PageResult;
use pages::icon::Icon;
use pages::layout::respond_with_part;
use pages::paths::{ANIME, LIST_STATUS, song_path};
use pages::seal::seal;
use pages::sessions::Visitor;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use shared::input::{PageRequest, PageStart, Params};
use shared::models::{Anime, Song, WatchStatus};

use crate::song::read_songs;
use crate::song::view::SongOfAnime;

/// The maximum number of suggested anime.
const ANIME_COUNT: usize = 6;

/// The maximum number of suggested songs.
const SONG_COUNT: usize = 3;

/// The identifier of the form to which the buttons of the suggestions belong.
const PLAN_FORM: &str = "plan";

/// `GET /anime/suggest`: a part of a page with the first anime and songs that a search finds. It is empty without a
/// search, and if the search is invalid. With `covers=true`, the page may load images from other sites.
pub(crate) async fn part(
    State(state): State<Arc<StoryPagesState>>,
    State(songs): State<SharedCatalogue<Song>>,
    visitor: Visitor,
    RawQuery(query): RawQuery,
) -> PageResult {
    let mut params = Params::parse(query.as_deref().unwrap_or_default());
    let filter = AnimeFilter {
        search: params.read("search"),
        exclude_nsfw: true,
        ..AnimeFilter::default()
    };
    let search = params.token("search").unwrap_or_default();
    let has_covers: bool = params.read("covers");
    if params.finish().is_err() || filter.search.is_none() {
        let l10n = visitor.localizer(None);
        return Ok(respond_with_part(&l10n, Markup::default()));
    }
    let song_filter = SongFilter {
        search: filter.search.clone(),
        ..SongFilter::default()
    };
    let (found, found_songs) = try_join!(
        state.catalogue.list(&filter, first(ANIME_COUNT)),
        songs.list(&song_filter, first(SONG_COUNT)),
    )?;
    let anime = Box::pin(read_anime_and_stories(&state, &visitor, &found.rows));
    let songs = Box::pin(read_songs(&state, &songs, &found_songs.rows));
    let ((signed_in, anime, stories), songs) = try_join!(anime, songs)?;
    let l10n = visitor.localizer(signed_in.as_ref());
    let suggestions = Suggestions {
        renderer: AnimeRenderer::new(state.has_images && has_covers, &l10n),
        search: &search,
        anime: &anime,
        stories: &stories,
        songs: &songs,
        csrf: signed_in.map(|_| state.sessions.csrf(&visitor).token),
    };
    Ok(respond_with_part(&l10n, suggestions.markup()))
}

/// Returns the request for the first rows of a list.
fn first(count: usize) -> PageRequest {
    PageRequest {
        per_page: count,
        start: PageStart::First,
    }
}

struct Suggestions<'a> {
    renderer: AnimeRenderer<'a>,
    /// The text of the search as it was typed.
    search: &'a str,
    anime: &'a [Anime],
    /// The visitor's stories about these anime.
    stories: &'a StoriesByAnime,
    songs: &'a [SongOfAnime],
    /// The CSRF token, if the visitor is signed in.
    csrf: Option<String>,
}

impl Suggestions<'_> {
    /// Renders the number of suggestions, which the script announces, then the suggestions, and the link to all
    /// results.
    fn markup(&self) -> Markup {
        let l10n = self.renderer.l10n;
        let count = self.anime.len() + self.songs.len();
        let all = utf8_percent_encode(self.search, NON_ALPHANUMERIC);
        html! {
            @if count == 0 {
                p { (l10n.format("suggest-none", [("search", self.search.into())])) }
            } @else {
                p.unseen { (l10n.format("suggest-results", [("count", count.into())])) }
                ul {
                    @for anime in self.anime { (self.anime_item(anime)) }
                    @for (song, _) in self.songs {
                        li {
                            span.note { (Icon::Music) }
                            div {
                                a href=(song_path(song)) dir="auto" { (song.title) }
                                @if !song.artist.is_empty() { p dir="auto" { (song.artist) } }
                            }
                        }
                    }
                }
                p {
                    a href={ (ANIME) "?search=" (all) } {
                        (l10n.format("suggest-all", [("search", self.search.into())]))
                    }
                }
                @if let Some(csrf) = &self.csrf {
                    form #(PLAN_FORM) method="post" action=(LIST_STATUS) {
                        (hidden_fields(csrf, None, &ReturnPage::List(ListRequest::default())))
                    }
                }
            }
        }
    }

    fn anime_item(&self, anime: &Anime) -> Markup {
        let l10n = self.renderer.l10n;
        let format = l10n.anime_format(anime.format);
        let year = anime.season_year.map(|year| format!("{year} · "));
        html! {
            li {
                (self.renderer.cover(anime))
                div {
                    a href=(path_of(anime)) { (self.renderer.title_markup(anime)) }
                    p { (year.unwrap_or_default()) (format) }
                }
                @if let Some(story) = self.stories.get(&anime.id) {
                    @let status = story.state.status;
                    (seal(Some(status)))
                    span.unseen { (l10n.watch_status(status)) }
                } @else if self.csrf.is_some() {
                    @let title = self.renderer.title(anime);
                    @let planned = u8::from(WatchStatus::Planning);
                    button.plus form=(PLAN_FORM) name="status"
                        value={ (planned) "." (StoryKey::of(anime.id, None).text()) }
                        aria-label=(l10n.format("suggest-plan", [("title", title.into())])) { "+" }
                }
            }
        }
    }
}
