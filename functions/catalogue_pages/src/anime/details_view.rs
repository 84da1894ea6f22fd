//! The content of the page `/anime/{id}`.

use accounts::sessions::SignedInUser;
use axum::http::StatusCode;
use axum::response::Response;
use catalogue::genres::genre_of_tag;
use maud::{Markup, Render, html};
use page_parts::StoryPagesState;
use page_parts::story::{ReturnPage, StoryFormOutcome, StoryNotice, StoryPanel};
use pages::anime_card::{AnimeRenderer, CardParts, path_of};
use pages::icon::Icon;
use pages::language::{LocalizedText, Localizer};
use pages::layout::{Page, PageKind};
use pages::open_graph::OpenGraph;
use pages::paths::{ANIME, MODERATION, SIGN_IN};
use pages::season::season_path;
use pages::sessions::Visitor;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use shared::models::{Anime, AnimeFormat, AnimeId, Role, Song};
use stories::lists::{ListedStory, Story};
use time::OffsetDateTime;

use crate::song::view::title_and_artist;

/// The maximum number of songs that the page shows.
const MAX_SONGS: usize = 50;

/// Everything that the page shows.
pub(super) struct AnimeDetails {
    /// The signed-in user.
    pub signed_in: Option<SignedInUser>,
    /// The user's story.
    pub story: Option<Story>,
    /// The anime.
    pub anime: Anime,
    /// The anime before and after it in the story line, and the recommendations.
    pub related: Vec<Anime>,
    /// The songs. The page shows the first [`MAX_SONGS`].
    pub songs: Vec<Song>,
}

/// Returns the page.
pub(super) fn page(
    state: &StoryPagesState,
    visitor: &Visitor,
    details: &AnimeDetails,
    done: Option<StoryFormOutcome>,
) -> Response {
    let l10n = visitor.localizer(details.signed_in.as_ref());
    let csrf = state.sessions.csrf(visitor);
    let view = AnimeView {
        renderer: AnimeRenderer::new(state.has_images, &l10n),
        l10n: &l10n,
        details,
        anime: &details.anime,
        csrf: &csrf.token,
        done,
    };
    let title = view.renderer.title(&details.anime);
    let signed_in = details.signed_in.as_ref();
    let page = Page {
        visitor: signed_in.map(SignedInUser::username),
        kind: PageKind::wide(state.has_images),
        head: view.metadata(&title, state.sessions.public_url()),
        ..Page::new(&l10n, &title, view.body())
    };
    // Only a signed-in user gets forms, and already has the cookie of the CSRF token.
    page.respond(StatusCode::OK)
}

struct AnimeView<'a> {
    renderer: AnimeRenderer<'a>,
    l10n: &'a Localizer,
    details: &'a AnimeDetails,
    anime: &'a Anime,
    /// The CSRF token.
    csrf: &'a str,
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

    /// Returns true if the visitor can correct the anime.
    fn is_moderator(&self) -> bool {
        let user = self.details.signed_in.as_ref();
        user.is_some_and(|user| user.account.user.role >= Role::Moderator)
    }

    /// Renders the content, with metadata for search engines (<https://schema.org>).
    fn body(&self) -> Markup {
        let kind = match self.anime.format {
            AnimeFormat::Movie => "https://schema.org/Movie",
            _ => "https://schema.org/TVSeries",
        };
        html! {
            (self.notice())
            article.anime itemscope itemtype=(kind) {
                (self.renderer.banner(self.anime))
                div.hero {
                    (self.renderer.cover(self.anime))
                    div {
                        h1 itemprop="name" { (self.renderer.title_markup(self.anime)) }
                        @if let Some(original) = self.l10n.original_title(&self.anime.titles) {
                            p.original itemprop="alternateName" lang=(original.lang()) dir="auto" { (original.text) }
                        }
                        p.meta { (self.renderer.score(self.anime)) (self.summary()) }
                        (self.genres())
                        (self.sign_in())
                    }
                }
                div.columns {
                    div {
                        (self.own_entry())
                        (self.description())
                        (self.story_line())
                        (self.songs())
                    }
                    aside {
                        (self.facts())
                        (self.tags())
                        (self.titles())
                        (self.links())
                    }
                }
            }
            (self.recommendations())
        }
    }

    fn summary(&self) -> String {
        let (l10n, anime) = (self.l10n, self.anime);
        let parts = [
            Some(l10n.anime_format(anime.format)),
            l10n.season_of_year(anime.season_period, anime.season_year),
            (anime.episodes_count > 0).then(|| {
                l10n.format(
                    "anime-episode-count",
                    [("count", anime.episodes_count.into())],
                )
            }),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
    }

    fn genres(&self) -> Markup {
        html! {
            @if !self.anime.genres.is_empty() {
                ul.chips aria-label=(self.l10n.text("browse-genres")) {
                    @for genre in &self.anime.genres {
                        li { a href=(list_address("genres", genre)) itemprop="genre" { (self.l10n.genre(genre)) } }
                    }
                }
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

    /// Renders the link with which visitors who are signed out can add the anime to their list.
    fn sign_in(&self) -> Markup {
        html! {
            @if self.details.signed_in.is_none() {
                p.actions {
                    a.button href={ (SIGN_IN) "?next=" (path_of(self.anime)) } {
                        (Icon::Plus) (self.l10n.text("anime-sign-in"))
                    }
                }
            }
        }
    }

    /// Renders the entry of a signed-in visitor, or the form that adds one.
    fn own_entry(&self) -> Markup {
        html! {
            @if self.details.signed_in.is_some() {
                (StoryPanel {
                    l10n: self.l10n,
                    csrf: self.csrf,
                    anime: self.anime,
                    story: self.details.story.as_ref(),
                })
            }
        }
    }

    fn description(&self) -> Markup {
        let l10n = self.l10n;
        html! {
            section aria-labelledby="description" {
                h2 #description { (l10n.text("anime-description")) }
                @if let Some(description) = l10n.description(&self.anime.descriptions) {
                    div itemprop="description" lang=(description.lang()) dir="auto" {
                        @for paragraph in paragraphs(description.text) { p { (paragraph) } }
                    }
                } @else {
                    p { (l10n.text("anime-no-description")) }
                }
            }
        }
    }

    fn facts(&self) -> Markup {
        let (l10n, anime) = (self.l10n, self.anime);
        let minutes = |minutes: u32| l10n.format("wait-minutes", [("count", minutes.into())]);
        let date = |date: Option<OffsetDateTime>| date.map(|date| l10n.date(date.date()));
        let facts = [
            ("browse-format", Some(l10n.anime_format(anime.format))),
            ("browse-status", Some(l10n.anime_status(anime.status))),
            (
                "anime-episodes",
                (anime.episodes_count > 0).then(|| l10n.number(anime.episodes_count)),
            ),
            ("anime-duration", anime.episode_duration.map(minutes)),
            ("anime-start", date(anime.start_date)),
            ("anime-end", date(anime.end_date)),
            (
                "anime-weekday",
                anime.weekly_airing_day.map(|day| l10n.weekday(day)),
            ),
            ("anime-rating", anime.nsfw.then(|| l10n.text("anime-adult"))),
        ];
        let season = l10n.season_of_year(anime.season_period, anime.season_year);
        let season_address = anime
            .season_year
            .map(|year| season_path(anime.season_period, year));
        html! {
            section aria-labelledby="facts" {
                h2 #facts { (l10n.text("anime-facts")) }
                dl.facts-list {
                    @for (label, value) in facts.iter().filter_map(|(label, value)| Some((label, value.as_ref()?))) {
                        div { dt { (l10n.text(label)) } dd { (value) } }
                    }
                    @if !anime.studios.is_empty() {
                        div {
                            dt { (l10n.text("anime-studios")) }
                            dd {
                                @for (position, studio) in anime.studios.iter().enumerate() {
                                    @if position > 0 { ", " }
                                    a href=(list_address("studios", studio)) itemprop="productionCompany" { (studio) }
                                }
                            }
                        }
                    }
                    @if let Some(season) = season {
                        div {
                            dt { (l10n.text("anime-season")) }
                            dd {
                                @match &season_address {
                                    Some(address) => a href=(address) { (season) },
                                    None => (season),
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Renders the tags that are not among the genres.
    fn tags(&self) -> Markup {
        let is_genre = |tag: &str| {
            let genre = genre_of_tag(tag);
            genre.is_some_and(|genre| self.anime.genres.iter().any(|known| known == genre))
        };
        let tags = self.anime.tags.iter();
        let tags: Vec<&String> = tags.filter(|tag| !is_genre(tag)).collect();
        html! {
            @if !tags.is_empty() {
                section aria-labelledby="tags" {
                    h2 #tags { (self.l10n.text("anime-tags")) }
                    ul.chips {
                        @for tag in tags {
                            li { a href=(list_address("tags", tag)) itemprop="keywords" { (tag) } }
                        }
                    }
                }
            }
        }
    }

    /// Renders the titles in all languages.
    fn titles(&self) -> Markup {
        html! {
            @if self.anime.titles.len() > 1 || !self.anime.synonyms.is_empty() {
                section aria-labelledby="titles" {
                    h2 #titles { (self.l10n.text("anime-titles")) }
                    @if self.anime.titles.len() > 1 {
                        details {
                            @let count = self.anime.titles.len().into();
                            summary { (self.l10n.format("anime-title-count", [("count", count)])) }
                            ul.plain {
                                @for (code, text) in &self.anime.titles {
                                    @let title = LocalizedText::new(code, text);
                                    li {
                                        span.kind { (code) } " "
                                        span lang=(title.lang()) dir="auto" { (text) }
                                    }
                                }
                            }
                        }
                    }
                    @if !self.anime.synonyms.is_empty() {
                        details {
                            summary { (self.l10n.text("anime-synonyms")) }
                            ul.plain {
                                // The languages of these titles are unknown.
                                @for text in &self.anime.synonyms { li lang="" dir="auto" { (text) } }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Renders the anime before and after this one. In the API, `sequel` is the preceding anime and `prequel` the
    /// following one (docs/api.md, "Anime").
    fn story_line(&self) -> Markup {
        let l10n = self.l10n;
        let before = self.anime.sequel.and_then(|id| self.related(id));
        let after = self.anime.prequel.and_then(|id| self.related(id));
        let relation = |label: &str, anime: &Anime| {
            let label = l10n.text(label);
            html! {
                div.relation {
                    h3 { (label) }
                    ul.shelf { (self.renderer.card(anime, CardParts::default())) }
                }
            }
        };
        html! {
            @if before.is_some() || after.is_some() {
                section aria-labelledby="story-line" {
                    h2 #story-line { (l10n.text("anime-story-line")) }
                    div.relations {
                        @if let Some(anime) = before { (relation("anime-before", anime)) }
                        @if let Some(anime) = after { (relation("anime-after", anime)) }
                    }
                }
            }
        }
    }

    fn related(&self, id: AnimeId) -> Option<&Anime> {
        self.details.related.iter().find(|anime| anime.id == id)
    }

    fn songs(&self) -> Markup {
        let l10n = self.l10n;
        html! {
            @if !self.details.songs.is_empty() {
                section aria-labelledby="songs" {
                    h2 #songs { (Icon::Music) (l10n.text("anime-songs")) }
                    ul.plain {
                        @for song in self.details.songs.iter().take(MAX_SONGS) { li { (self.song(song)) } }
                    }
                    @if self.details.songs.len() > MAX_SONGS {
                        @let count = self.details.songs.len() - MAX_SONGS;
                        p { (l10n.format("anime-more-songs", [("count", count.into())])) }
                    }
                }
            }
        }
    }

    fn song(&self, song: &Song) -> Markup {
        let l10n = self.l10n;
        let links = [
            (&song.open_player_url, "song-listen"),
            (&song.preview_url, "song-preview"),
        ];
        let links = links
            .into_iter()
            .filter(|(address, _)| address.starts_with("https://"));
        html! {
            (title_and_artist(l10n, song))
            @for (address, label) in links {
                " "
                a.row href=(address) rel="noopener noreferrer" {
                    (l10n.text(label)) span.unseen { ": " (song.title) }
                }
            }
        }
    }

    /// Renders the links to the anime at trackers and at the movie database, and to its trailer.
    fn links(&self) -> Markup {
        let anime = self.anime;
        let database = match anime.format {
            AnimeFormat::Movie => "movie",
            _ => "tv",
        };
        let link = |base: &str, id: Option<u32>| id.map(|id| format!("{base}{id}"));
        let links = [
            (
                "AniList",
                link("https://anilist.co/anime/", anime.tracker_a_id),
            ),
            (
                "MyAnimeList",
                link("https://myanimelist.net/anime/", anime.tracker_b_id),
            ),
            (
                "The Movie Database",
                link(
                    &format!("https://www.themoviedb.org/{database}/"),
                    anime.database_id,
                ),
            ),
        ];
        let trailer = anime
            .trailer_url
            .as_deref()
            .filter(|url| url.starts_with("https://"));
        html! {
            section aria-labelledby="links" {
                h2 #links { (self.l10n.text("anime-links")) }
                ul.links {
                    @for (name, address) in links.iter().filter_map(|(name, address)| Some((name, address.as_ref()?))) {
                        li { (external_link(address, name)) }
                    }
                    @if let Some(address) = trailer {
                        li { (external_link(address, &self.l10n.text("anime-trailer"))) }
                    }
                    li { a.row href={ "/v1" (path_of(anime)) } { (Icon::Code) "JSON" } }
                    @if self.is_moderator() {
                        li {
                            a.row href={ (MODERATION) (path_of(anime)) } {
                                (Icon::Shield) (self.l10n.text("correct-title-of-page"))
                            }
                        }
                    }
                }
            }
        }
    }

    fn recommendations(&self) -> Markup {
        let ids = self.anime.recommendations.as_deref().unwrap_or_default();
        let similar: Vec<&Anime> = ids.iter().filter_map(|id| self.related(*id)).collect();
        html! {
            @if !similar.is_empty() {
                section.plain-section aria-labelledby="similar" {
                    h2 #similar { (self.l10n.text("anime-similar")) }
                    ul.shelf {
                        @for anime in similar { (self.renderer.card(anime, CardParts::default())) }
                    }
                }
            }
        }
    }
}

/// Returns the address of the list with this filter.
fn list_address(parameter: &str, value: &str) -> String {
    let value = utf8_percent_encode(value, NON_ALPHANUMERIC);
    format!("{ANIME}?{parameter}={value}")
}

/// Renders a link to another site.
fn external_link(address: &str, text: &str) -> Markup {
    html! { a.row href=(address) rel="noopener noreferrer" { (Icon::External) (text) } }
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
