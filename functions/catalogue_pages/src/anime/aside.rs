//! The column beside the story of an anime: the next episode, the trailer, the scores of users, titles, keywords and
//! links.

use catalogue::community::Community;
use catalogue::genres::genre_of_tag;
use maud::{Markup, html};
use page_parts::schedule::{Schedule, weekday};
use pages::anime_card::path_of;
use pages::icon::Icon;
use pages::language::LocalizedText;
use pages::layout::section_head;
use pages::paths::MODERATION;
use pages::seal::sealed;
use shared::models::{AnimeFormat, Role, UserScore, WatchStatus, WireEnum};

use super::details_view::{AnimeView, list_address};
use super::trailer::embedded_trailer;

/// The number of titles that are shown at first.
const FEW_TITLES: usize = 8;

/// The width of a bar of the chart with its space, in units of the chart.
const BAR: usize = 32;

/// The height of the highest bar, and the place of the base line.
const HIGHEST_BAR: u32 = 84;
const BASE: u32 = 105;

/// A title, and the names of the languages in which it is the title.
struct TitleRow<'a> {
    languages: Vec<String>,
    title: LocalizedText<'a>,
}

impl AnimeView<'_> {
    /// Renders the day of the next episode.
    pub(super) fn next(&self) -> Markup {
        let l10n = self.l10n;
        let schedule = Schedule::of(self.anime, self.today);
        let Some(day) = schedule.and_then(|schedule| schedule.next_from(self.today)) else {
            return Markup::default();
        };
        let named = [
            ("weekday", l10n.weekday(weekday(day)).into()),
            ("date", l10n.date(day).into()),
        ];
        let days = (day - self.today).whole_days();
        html! {
            section.sec {
                (section_head(&l10n.text("anime-next"), &Markup::default()))
                p {
                    time.due datetime=(day) { (l10n.format("anime-next-day", named)) }
                    br;
                    (l10n.format("anime-in-days", [("count", days.into())]))
                }
                p.soft.small { (l10n.text("anime-next-utc")) }
            }
        }
    }

    /// Renders the link to the trailer. The script replaces it with the video after a click.
    pub(super) fn trailer(&self) -> Markup {
        let (l10n, anime) = (self.l10n, self.anime);
        let address = anime.trailer_url.as_deref();
        let Some(address) = address.filter(|address| address.starts_with("https://")) else {
            return Markup::default();
        };
        let embedded = embedded_trailer(anime);
        let cover = Some(&anime.cover_image)
            .filter(|cover| self.renderer.has_images && cover.starts_with("https://"));
        let label = match embedded {
            Some(_) => "anime-trailer-play",
            None => "anime-trailer-watch",
        };
        html! {
            section.sec {
                (section_head(&l10n.text("anime-trailer"), &Markup::default()))
                a.trailer href=(address) rel="noopener noreferrer" data-embed=[embedded] {
                    // A picture of the video would be loaded from its site.
                    @if let Some(cover) = cover {
                        img src=(cover) alt="" width="230" height="325" loading="lazy" decoding="async"
                            referrerpolicy="no-referrer";
                    }
                    span { (l10n.text(label)) }
                }
            }
        }
    }

    /// Renders how many users have the anime, and the spread of their scores.
    pub(super) fn community(&self) -> Markup {
        let Some(community) = &self.details.community else {
            return Markup::default();
        };
        let l10n = self.l10n;
        let statuses = WatchStatus::ALL.iter().map(|(status, _)| *status);
        let statuses = statuses.filter(|status| community.of_status(*status) > 0);
        let own = self.details.story.as_ref();
        let own = own.and_then(|story| story.state.details.score);
        let has_scores = community.score_count() > 0;
        let hint = html! {
            @if has_scores && own.is_some() { span.soft.small { (l10n.text("anime-scores-own")) } }
        };
        html! {
            section.sec {
                (section_head(&l10n.text(if has_scores { "anime-scores" } else { "anime-lists" }), &hint))
                @if has_scores { (self.chart(community, own)) }
                p {
                    (l10n.format("anime-users", [("count", community.users().into())]))
                    @if let Some(mean) = community.mean_score() {
                        " "
                        (l10n.markup("anime-mean", [("score", html! { b.num { (l10n.mean_score(mean.into())) } })]))
                    }
                }
                ul.key {
                    @for status in statuses {
                        li { (sealed(l10n, status)) " " b.num { (l10n.number(community.of_status(status))) } }
                    }
                }
            }
        }
    }

    /// Renders the spread of the scores, with ten bars.
    fn chart(&self, community: &Community, own: Option<UserScore>) -> Markup {
        let l10n = self.l10n;
        let scale = l10n.display().scores;
        let points = |of_hundred: u16| l10n.number(scale.points(of_hundred.into()));
        let most = community.scores.iter().copied().max().unwrap_or_default();
        let highest = community.scores.iter().position(|count| *count == most);
        let highest = highest.unwrap_or_default();
        let label = l10n.format(
            "anime-scores-label",
            [
                ("count", community.score_count().into()),
                ("first", points(tens(highest)).into()),
                ("last", points(tens(highest + 1)).into()),
            ],
        );
        let own = own.map(|score| usize::from((score.tenths() - 1) / 100));
        html! {
            svg.chart viewBox="0 0 320 130" role="img" aria-label=(label) {
                @for (number, count) in community.scores.into_iter().enumerate() {
                    @let (left, height) = (number * BAR, bar_height(count, most));
                    @let middle = left + BAR / 2;
                    @let class = if own == Some(number) { "mine" } else { "all" };
                    rect.(class) x=(left + 3) y=(BASE - height) width=(BAR - 6) height=(height) {}
                    text.v x=(middle) y=(BASE - height - 6) { (count) }
                    text x=(middle) y="123" { (points(tens(number + 1))) }
                }
                path.base d="M0 105.5H320" {}
            }
        }
    }

    /// Renders the titles by language, and the titles in unknown languages.
    pub(super) fn titles(&self) -> Markup {
        let (l10n, anime) = (self.l10n, self.anime);
        let rows = self.title_rows();
        let (first, others) = rows.split_at(rows.len().min(FEW_TITLES));
        html! {
            @if rows.len() > 1 || !anime.synonyms.is_empty() {
                section.sec {
                    (section_head(&l10n.text("anime-titles"), &Markup::default()))
                    (title_table(first))
                    @if !others.is_empty() {
                        details {
                            summary { (l10n.format("anime-more-titles", [("count", others.len().into())])) }
                            (title_table(others))
                        }
                    }
                    @if !anime.synonyms.is_empty() {
                        details {
                            summary { (l10n.text("anime-synonyms")) }
                            // The languages of these titles are unknown.
                            ul { @for text in &anime.synonyms { li lang="" dir="auto" { (text) } } }
                        }
                    }
                }
            }
        }
    }

    /// Returns each title once: the Japanese one, romaji, English, and then the others by the names of their languages.
    fn title_rows(&self) -> Vec<TitleRow<'_>> {
        let l10n = self.l10n;
        let titles = self.anime.titles.iter();
        let mut titles: Vec<_> = titles
            .map(|(code, text)| {
                let order = ["jp", "rj", "en"].iter().position(|first| first == code);
                let order = order.unwrap_or(usize::MAX);
                (order, l10n.title_language(code), code, text)
            })
            .collect();
        titles.sort_unstable();
        let mut rows: Vec<TitleRow<'_>> = Vec::new();
        for (_, language, code, text) in titles {
            match rows.iter_mut().find(|row| row.title.text == text) {
                Some(row) if row.languages.contains(&language) => {}
                Some(row) => row.languages.push(language),
                None => rows.push(TitleRow {
                    languages: vec![language],
                    title: LocalizedText::new(code, text),
                }),
            }
        }
        rows
    }

    /// Renders the genres, and the tags that are not among them.
    pub(super) fn keywords(&self) -> Markup {
        let (l10n, anime) = (self.l10n, self.anime);
        let is_genre = |tag: &str| {
            let genre = genre_of_tag(tag);
            genre.is_some_and(|genre| anime.genres.iter().any(|known| known == genre))
        };
        let tags: Vec<&String> = anime.tags.iter().filter(|tag| !is_genre(tag)).collect();
        html! {
            @if !anime.genres.is_empty() {
                section.sec {
                    (section_head(&l10n.text("browse-genres"), &Markup::default()))
                    ul.chips {
                        @for genre in &anime.genres {
                            li { a href=(list_address("genres", genre)) itemprop="genre" { (l10n.genre(genre)) } }
                        }
                    }
                }
            }
            @if !tags.is_empty() {
                section.sec {
                    (section_head(&l10n.text("anime-tags"), &Markup::default()))
                    ul.chips {
                        @for tag in tags {
                            li { a href=(list_address("tags", tag)) itemprop="keywords" { (tag) } }
                        }
                    }
                }
            }
        }
    }

    /// Renders the links to the anime at trackers and at the movie database, to its document, and for moderators to its
    /// corrections.
    pub(super) fn links(&self) -> Markup {
        let (l10n, anime) = (self.l10n, self.anime);
        let database = match anime.format {
            AnimeFormat::Movie => "https://www.themoviedb.org/movie/",
            _ => "https://www.themoviedb.org/tv/",
        };
        let links = [
            ("AniList", "https://anilist.co/anime/", anime.tracker_a_id),
            (
                "MyAnimeList",
                "https://myanimelist.net/anime/",
                anime.tracker_b_id,
            ),
            ("The Movie Database", database, anime.database_id),
        ];
        let links = links
            .into_iter()
            .filter_map(|(name, base, id)| Some((name, format!("{base}{}", id?))));
        html! {
            section.sec {
                (section_head(&l10n.text("anime-links"), &Markup::default()))
                ul.chips {
                    @for (name, address) in links {
                        li { a href=(address) rel="noopener noreferrer" { (Icon::External) (name) } }
                    }
                    li { a href={ "/v1" (path_of(anime)) } { (Icon::Code) "JSON" } }
                    @if self.is_moderator() {
                        li {
                            a href={ (MODERATION) (path_of(anime)) } {
                                (Icon::Shield) (l10n.text("correct-title-of-page"))
                            }
                        }
                    }
                }
            }
        }
    }

    /// Returns true if the visitor can correct the anime.
    fn is_moderator(&self) -> bool {
        let user = self.details.signed_in.as_ref();
        user.is_some_and(|user| user.account.user.role >= Role::Moderator)
    }
}

fn title_table(rows: &[TitleRow<'_>]) -> Markup {
    html! {
        table {
            tbody {
                @for row in rows {
                    tr {
                        th scope="row" { (row.languages.join(", ")) }
                        td lang=(row.title.lang()) dir="auto" { (row.title.text) }
                    }
                }
            }
        }
    }
}

/// Returns the lower bound of a bar of the chart, of 100.
fn tens(bar: usize) -> u16 {
    u16::try_from(bar * 10).unwrap_or(100)
}

/// Returns the height of a bar, at least 1 if it has a score.
fn bar_height(count: u32, most: u32) -> u32 {
    let height = u64::from(count) * u64::from(HIGHEST_BAR) / u64::from(most.max(1));
    u32::try_from(height)
        .unwrap_or(HIGHEST_BAR)
        .max(count.min(1))
}

#[cfg(test)]
mod tests {
    use super::bar_height;

    #[test]
    fn bars_with_a_score_are_visible() {
        assert_eq!(bar_height(0, 0), 0);
        assert_eq!(bar_height(0, 200), 0);
        assert_eq!(bar_height(1, 200), 1);
        assert_eq!(bar_height(200, 200), 84);
    }
}
