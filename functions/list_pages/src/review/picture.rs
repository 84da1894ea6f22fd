//! The picture of a year, which one shares, with 1200 x 630 pixels, the size that other sites show with a link. As an
//! SVG it has texts and the colors of covers, and loads nothing. Many sites show no SVG. For these, it is also a PNG,
//! with the year and the colors.

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use pages::anime_card::{AnimeRenderer, color_of};
use pages::language::Localizer;
use shared::Result;
use shared::http::response::{CACHE_NONE, NO_REFERRER, NO_SNIFFING};
use shared::models::{Anime, AnimeId, PartialDate, UserScore};
use stories::statistics::{FinishedStory, YearReview};

use super::bitmap::{Bitmap, Rgb};

/// The form of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PictureForm {
    /// An SVG.
    Svg,
    /// A PNG.
    Png,
}

impl PictureForm {
    fn media_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Svg => "image/svg+xml",
            Self::Png => "image/png",
        })
    }
}

/// The policy of the picture, for browsers that open it as a page.
const POLICY: HeaderValue =
    HeaderValue::from_static("default-src 'none'; base-uri 'none'; frame-ancestors 'none'");

/// The size of the picture, in pixels.
pub(super) const SIZE: (u32, u32) = (1200, 630);

/// The colors, those of the light pages: paper, ink, secondary text and the seal.
const PAPER: &str = "#f3f0e7";
const INK: &str = "#1a1d26";
const SOFT: &str = "#5b574d";
const SEAL: &str = "#bb2f16";

/// The strokes of a tally of five (正) on the seal of the PNG: left edge, upper edge, width and height.
const FIVE: [[usize; 4]; 5] = [
    [1050, 98, 70, 10],
    [1080, 98, 10, 76],
    [1080, 130, 34, 10],
    [1058, 130, 10, 44],
    [1046, 168, 78, 10],
];

/// The upper left corner of the year on the PNG, and the height of its digits.
const YEAR_CORNER: (f32, f32) = (60.0, 80.0);
const YEAR_HEIGHT: f32 = 210.0;

/// The typefaces: none is loaded.
const FACE: &str = "Georgia, 'Hiragino Mincho ProN', 'Yu Mincho', 'Noto Serif CJK JP', serif";

/// The left edge, the base of the columns, and the largest height of a column.
const LEFT: u32 = 60;
const BASE: u32 = 565;
const MAX_HEIGHT: u32 = 215;

/// The distance of two columns, and the width of a column.
const STEP: u32 = 90;
const WIDTH: u32 = 82;

/// The largest height of an anime in a column.
const MAX_BLOCK: u32 = 30;

/// The number of favorites with their titles.
const FAVORITES: usize = 3;

/// The maximum number of characters in a line of the summary and in a title.
const LINE: usize = 30;
const TITLE: usize = 34;

/// A finished anime in a column.
struct Block<'a> {
    /// The left edge, the upper edge, the width and the height.
    place: [u32; 4],
    color: &'a str,
}

/// The content of the picture.
pub(super) struct Picture<'a> {
    /// Renders titles.
    pub renderer: AnimeRenderer<'a>,
    pub review: &'a YearReview,
    /// The anime that the review names.
    pub anime: &'a [Anime],
    /// The title of the page of the year.
    pub title: &'a str,
    /// The year in one sentence.
    pub summary: &'a str,
    /// True for the picture of the public page, which other sites show. It has no titles of anime for adults.
    pub is_public: bool,
}

impl Picture<'_> {
    fn l10n(&self) -> &Localizer {
        self.renderer.l10n
    }

    /// Returns the response with the picture. `is_indexable` is true if search engines may list it.
    pub(super) fn respond(&self, form: PictureForm, is_indexable: bool) -> Result<Response> {
        let headers = [
            (header::CONTENT_TYPE, form.media_type()),
            (header::CONTENT_SECURITY_POLICY, POLICY),
            (header::CACHE_CONTROL, CACHE_NONE),
            (header::REFERRER_POLICY, NO_REFERRER),
            (header::X_CONTENT_TYPE_OPTIONS, NO_SNIFFING),
        ];
        let robots = HeaderName::from_static("x-robots-tag");
        let robots = (!is_indexable).then(|| [(robots, HeaderValue::from_static("noindex"))]);
        let file = match form {
            PictureForm::Svg => self.draw().into_string().into_bytes(),
            PictureForm::Png => self.paint()?,
        };
        Ok((StatusCode::OK, headers, robots, file).into_response())
    }

    /// Returns the picture as a PNG.
    fn paint(&self) -> Result<Vec<u8>> {
        let (width, height) = (SIZE.0 as usize, SIZE.1 as usize);
        let mut bitmap = Bitmap::new((width, height), rgb(PAPER), rgb(INK));
        bitmap.fill([60, 40, 1080, 6], rgb(INK));
        bitmap.fill([60, 50, 1080, 2], rgb(INK));
        bitmap.write_number(self.review.year, YEAR_CORNER, YEAR_HEIGHT);
        bitmap.fill([1030, 80, 110, 110], rgb(SEAL));
        for stroke in FIVE {
            bitmap.fill(stroke, rgb(PAPER));
        }
        for Block { place, color } in self.blocks() {
            bitmap.fill(place.map(|side| side as usize), rgb(color));
        }
        bitmap.fill([60, BASE as usize, 1080, 3], rgb(INK));
        bitmap.encode()
    }

    fn draw(&self) -> Markup {
        let (width, height) = SIZE;
        let language = self.l10n().language().tag();
        html! {
            svg xmlns="http://www.w3.org/2000/svg" xml:lang=(language) width=(width) height=(height)
                viewBox={ "0 0 " (width) " " (height) } font-family=(FACE) fill=(INK) {
                title { (clean(self.title, usize::MAX)) }
                rect width=(width) height=(height) fill=(PAPER) {}
                rect x=(LEFT) y="40" width="1080" height="6" {}
                rect x=(LEFT) y="50" width="1080" height="2" {}
                text x=(LEFT - 8) y="262" font-size="240" font-weight="700" letter-spacing="-8" {
                    (self.review.year)
                }
                (self.words())
                (seal())
                (self.columns())
            }
        }
    }

    /// Draws the title, the summary and the favorites.
    fn words(&self) -> Markup {
        let lines = wrap(self.summary, LINE);
        let favorites = self.review.favorites.iter().filter_map(|story| {
            let anime = self.find(story.anime_id)?;
            let anime = Some(anime).filter(|anime| !(self.is_public && anime.nsfw))?;
            let score = UserScore::from_tenths(story.score_tenths)?;
            let title = clean(&self.renderer.title(anime), TITLE);
            Some(format!("{} · {title}", self.l10n().score(score)))
        });
        let below = 150 + 36 * u32::try_from(lines.len()).unwrap_or_default();
        html! {
            text x="640" y="102" font-size="24" fill=(SOFT) { (clean(self.title, TITLE)) }
            @for (line, y) in lines.iter().zip((146..).step_by(36)) {
                text x="640" y=(y) font-size="28" font-weight="700" { (line) }
            }
            @for (line, y) in favorites.take(FAVORITES).zip((below..).step_by(32)) {
                text x="640" y=(y) font-size="22" { (line) }
            }
        }
    }

    /// Draws a column for each month, and the names of the months.
    fn columns(&self) -> Markup {
        html! {
            @for block in self.blocks() {
                @let [x, y, width, height] = block.place;
                rect x=(x) y=(y) width=(width) height=(height) fill=(block.color) {}
            }
            @for (month, x) in (1..=12_u8).zip((LEFT..).step_by(STEP as usize)) {
                text x=(x) y=(BASE + 32) font-size="20" fill=(SOFT) { (self.month_name(month)) }
            }
            rect x=(LEFT) y=(BASE) width="1080" height="3" {}
        }
    }

    /// Returns the blocks of the columns: for each finished anime whose month is known, one in the color of its cover.
    fn blocks(&self) -> Vec<Block<'_>> {
        let counts: Vec<u32> = (1..=12).map(|month| self.count_in(month)).collect();
        let highest = counts.iter().copied().max().unwrap_or_default().max(1);
        let step = (MAX_HEIGHT / highest).clamp(1, MAX_BLOCK);
        // Higher blocks have a space between them.
        let height = if step > 3 { step - 2 } else { step };
        let mut blocks = Vec::new();
        for ((month, count), left) in (1..=12).zip(counts).zip((LEFT..).step_by(STEP as usize)) {
            let mut colors = self.colors_in(month);
            for number in 1..=count.min(MAX_HEIGHT / step) {
                blocks.push(Block {
                    place: [left, BASE - number * step, WIDTH, height],
                    color: colors.next().unwrap_or(SOFT),
                });
            }
        }
        blocks
    }

    /// Returns the number of anime that were finished in a month.
    fn count_in(&self, month: u8) -> u32 {
        let date = PartialDate::new(self.review.year, Some(month), None);
        let tally = date.and_then(|date| self.review.statistics.months.get(&date));
        tally.map_or(0, |tally| tally.stories)
    }

    /// Returns the colors of the listed anime that were finished in a month, in the order of their dates.
    fn colors_in(&self, month: u8) -> impl Iterator<Item = &str> {
        let listed = self.review.listed.iter();
        let of_month = move |story: &&FinishedStory| story.finished_on.month() == Some(month);
        let listed = listed.filter(of_month);
        listed.filter_map(|story| self.find(story.anime_id).map(color_of))
    }

    fn month_name(&self, month: u8) -> String {
        self.l10n().format(
            "statistics-short-month",
            [("month", u64::from(month).into())],
        )
    }

    fn find(&self, id: AnimeId) -> Option<&Anime> {
        self.anime.iter().find(|anime| anime.id == id)
    }
}

/// Returns a color that is written as `#` and six digits.
fn rgb(color: &str) -> Rgb {
    let digits = color.strip_prefix('#').unwrap_or_default();
    let number = u32::from_str_radix(digits, 16).unwrap_or_default();
    let [_, red, green, blue] = number.to_be_bytes();
    [red, green, blue]
}

/// Draws the seal with the name of the site.
fn seal() -> Markup {
    html! {
        rect x="1076" y="72" width="64" height="116" rx="5" fill=(SEAL) {}
        @for (character, y) in [("記", 124), ("録", 176)] {
            text x="1108" y=(y) font-size="46" font-weight="700" text-anchor="middle" fill=(PAPER) { (character) }
        }
    }
}

/// Returns at most `length` characters of a text. Characters that XML does not allow are left out.
fn clean(text: &str, length: usize) -> String {
    let is_allowed =
        |letter: &char| !letter.is_control() && !matches!(letter, '\u{fffe}' | '\u{ffff}');
    let mut letters = text.chars().filter(is_allowed);
    let mut short: String = letters.by_ref().take(length).collect();
    if letters.next().is_some() {
        short.push('…');
    }
    short
}

/// Breaks a text into lines of about this number of characters: at spaces, or between any characters of a longer word,
/// as in Japanese.
fn wrap(text: &str, length: usize) -> Vec<String> {
    let text = clean(text, usize::MAX);
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let letters: Vec<char> = word.chars().collect();
        for part in letters.chunks(length) {
            let line = lines.last().map_or(0, |line| line.chars().count());
            if line > 0 && line + 1 + part.len() > length {
                lines.push(String::new());
            }
            if let Some(line) = lines.last_mut() {
                if !line.is_empty() {
                    line.push(' ');
                }
                line.extend(part);
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{clean, rgb, wrap};

    #[test]
    fn colors_are_read() {
        assert_eq!(rgb("#bb2f16"), [0xbb, 0x2f, 0x16]);
        assert_eq!(rgb("red"), [0, 0, 0]);
    }

    #[test]
    fn lines_break_at_spaces_and_in_long_words() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("一二三四五", 2), ["一二", "三四", "五"]);
        assert_eq!(wrap("", 7), [""]);
    }

    #[test]
    fn texts_have_only_characters_of_xml() {
        assert_eq!(clean("a\u{1}b\u{ffff}\nc", 9), "abc");
        assert_eq!(clean("abcd", 3), "abc…");
        assert_eq!(clean("abc", 3), "abc");
    }
}
