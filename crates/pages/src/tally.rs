//! The tally of an entry: one stroke for each episode.

use maud::{Markup, Render, html};

/// The maximum number of episodes with a stroke each. A longer tally is a solid line.
const MAX_STROKES: u32 = 52;

/// The episodes of an entry. Screen readers skip the tally, so the numbers must be beside it.
#[derive(Clone, Copy, Debug)]
pub struct Tally {
    /// The number of watched episodes.
    pub watched: u32,
    /// The number of episodes that have aired, if it is known. Those that are not watched stand out.
    pub aired: Option<u32>,
    /// The number of episodes; 0 if it is unknown.
    pub episodes: u32,
}

impl Render for Tally {
    fn render(&self) -> Markup {
        let Self {
            watched,
            aired,
            episodes,
        } = *self;
        let known = watched.max(aired.unwrap_or_default());
        let is_long = episodes == 0 || episodes > MAX_STROKES;
        // A quarter of the line is left free for episodes to come if their number is unknown.
        let width = match episodes {
            0 => (known + known / 4).max(1),
            _ => episodes.max(known),
        };
        html! {
            svg.tally.long[is_long] viewBox={ "0 0 " (width) " 1" } preserveAspectRatio="none" aria-hidden="true" {
                path d={ "M0 .5H" (width) } {}
                @if let Some(aired) = aired.filter(|aired| *aired > watched) {
                    path.aired d={ "M" (watched) " .5H" (aired) } {}
                }
                @if watched > 0 { path d={ "M0 .5H" (watched) } {} }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use maud::Render;

    use super::Tally;

    fn tally(watched: u32, aired: Option<u32>, episodes: u32) -> String {
        let tally = Tally {
            watched,
            aired,
            episodes,
        };
        tally.render().into_string()
    }

    #[test]
    fn aired_episodes_stand_out() {
        let html = tally(6, Some(8), 10);
        assert!(
            html.contains("class=\"tally\" viewBox=\"0 0 10 1\""),
            "{html}"
        );
        assert!(
            html.contains("<path class=\"aired\" d=\"M6 .5H8\">"),
            "{html}"
        );
        assert!(!tally(8, Some(8), 10).contains("aired"));
    }

    #[test]
    fn long_and_unknown_numbers_are_a_line() {
        assert!(tally(41, None, 110).contains("class=\"tally long\" viewBox=\"0 0 110 1\""));
        assert!(tally(1129, None, 0).contains("class=\"tally long\" viewBox=\"0 0 1411 1\""));
        assert!(tally(0, None, 0).contains("viewBox=\"0 0 1 1\""));
        // A user can watch more than the catalogue knows.
        assert!(tally(14, None, 12).contains("viewBox=\"0 0 14 1\""));
    }
}
