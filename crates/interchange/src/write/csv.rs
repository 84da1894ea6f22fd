//! CSV with a header row (RFC 4180).

use std::io::{self, Write};

use shared::times;

use super::story::{ExportedStory, name_of};
use crate::formula::neutralize;

const HEADER: &str = "anime_id,anilist_id,mal_id,title,status,current_episode,episodes,\
    score,started_on,finished_on,repeats,notes,private,created_at,updated_at";

pub fn write(stories: &[ExportedStory], output: &mut impl Write) -> io::Result<()> {
    write!(output, "{HEADER}\r\n")?;
    for story in stories {
        write!(output, "{}\r\n", cells(story).join(","))?;
    }
    Ok(())
}

/// Returns the cell of a text, in quotation marks, so that no spreadsheet guesses a delimiter from the text.
/// Formulas in it are neutralized.
fn quote(text: &str) -> String {
    format!("\"{}\"", neutralize(text).replace('"', "\"\""))
}

/// Returns the cells of a story, in the order of [`HEADER`]. Only title and notes can contain any character,
/// so only they are quoted.
fn cells(story: &ExportedStory) -> [String; 15] {
    let (state, details) = (story.state, &story.state.details);
    [
        story.anime_id.get().to_string(),
        text_or_empty(story.trackers.a),
        text_or_empty(story.trackers.b),
        quote(story.title),
        name_of(state.status).to_owned(),
        state.progress().to_string(),
        text_or_empty(Some(story.episodes_count).filter(|count| *count > 0)),
        text_or_empty(details.score.map(f64::from)),
        text_or_empty(details.started_on),
        text_or_empty(details.finished_on),
        details.repeats.to_string(),
        quote(details.notes.as_str()),
        details.private.to_string(),
        text_or_empty(times::format_ms(story.created_at_ms)),
        text_or_empty(times::format_ms(story.changed_at_ms)),
    ]
}

fn text_or_empty(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}
