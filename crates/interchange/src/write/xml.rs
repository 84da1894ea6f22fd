//! The XML that MyAnimeList's importer reads.

use std::io::{self, Write};

use quick_xml::escape::escape;
use shared::models::{AnimeFormat, PartialDate, UserScore, WatchStatus};

use super::story::{ExportedStory, OmittedStories};

/// Writes the stories that are not private and whose anime have an identifier at MyAnimeList.
pub fn write(
    username: &str,
    stories: &[ExportedStory],
    output: &mut impl Write,
) -> io::Result<OmittedStories> {
    let is_listed =
        |story: &&ExportedStory| !story.state.details.private && story.trackers.b.is_some();
    let listed = || stories.iter().filter(is_listed);
    let count = |status: &str| {
        let same = listed().filter(|story| status_name(story.state.status) == status);
        same.count()
    };
    writeln!(output, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    write!(
        output,
        "<myanimelist>\n<myinfo>\n<user_id>0</user_id>\n<user_name>{}</user_name>\n\
         <user_export_type>1</user_export_type>\n<user_total_anime>{}</user_total_anime>\n\
         <user_total_watching>{}</user_total_watching>\n<user_total_completed>{}</user_total_completed>\n\
         <user_total_onhold>{}</user_total_onhold>\n<user_total_dropped>{}</user_total_dropped>\n\
         <user_total_plantowatch>{}</user_total_plantowatch>\n</myinfo>\n",
        escape(allowed_text(username)),
        listed().count(),
        count(WATCHING),
        count(COMPLETED),
        count(ON_HOLD),
        count(DROPPED),
        count(PLAN_TO_WATCH),
    )?;
    for story in listed() {
        write_anime(story, output)?;
    }
    output.write_all(b"</myanimelist>\n")?;
    let private = stories.iter().filter(|story| story.state.details.private);
    let private = private.count();
    Ok(OmittedStories {
        private,
        without_mal_id: stories.len() - private - listed().count(),
    })
}

fn write_anime(story: &ExportedStory, output: &mut impl Write) -> io::Result<()> {
    let (state, details) = (story.state, &story.state.details);
    let is_repeating = state.status == WatchStatus::Repeating;
    write!(
        output,
        "<anime>\n<series_animedb_id>{}</series_animedb_id>\n<series_title>{}</series_title>\n\
         <series_type>{}</series_type>\n<series_episodes>{}</series_episodes>\n<my_id>0</my_id>\n\
         <my_watched_episodes>{}</my_watched_episodes>\n<my_start_date>{}</my_start_date>\n\
         <my_finish_date>{}</my_finish_date>\n<my_rated></my_rated>\n<my_score>{}</my_score>\n\
         <my_storage></my_storage>\n<my_storage_value>0.00</my_storage_value>\n<my_status>{}</my_status>\n\
         <my_comments>{}</my_comments>\n<my_times_watched>{}</my_times_watched>\n\
         <my_rewatch_value></my_rewatch_value>\n<my_priority>LOW</my_priority>\n<my_tags><![CDATA[]]></my_tags>\n\
         <my_rewatching>{}</my_rewatching>\n<my_rewatching_ep>{}</my_rewatching_ep>\n\
         <my_discuss>1</my_discuss>\n<my_sns>default</my_sns>\n<update_on_import>1</update_on_import>\n</anime>\n",
        story.trackers.b.unwrap_or_default(),
        cdata(story.title),
        story.format.map_or("", type_name),
        story.episodes_count,
        state.progress(),
        format_date(details.started_on),
        format_date(details.finished_on),
        whole_score(details.score),
        status_name(state.status),
        cdata(details.notes.as_str()),
        details.repeats,
        u8::from(is_repeating),
        if is_repeating { state.progress() } else { 0 },
    )
}

const WATCHING: &str = "Watching";
const COMPLETED: &str = "Completed";
const ON_HOLD: &str = "On-Hold";
const DROPPED: &str = "Dropped";
const PLAN_TO_WATCH: &str = "Plan to Watch";

fn status_name(status: WatchStatus) -> &'static str {
    match status {
        WatchStatus::Current => WATCHING,
        WatchStatus::Planning => PLAN_TO_WATCH,
        WatchStatus::Completed | WatchStatus::Repeating => COMPLETED,
        WatchStatus::Dropped => DROPPED,
        WatchStatus::Paused => ON_HOLD,
    }
}

fn type_name(format: AnimeFormat) -> &'static str {
    match format {
        AnimeFormat::Tv | AnimeFormat::TvShort => "TV",
        AnimeFormat::Movie => "Movie",
        AnimeFormat::Special => "Special",
        AnimeFormat::Ova => "OVA",
        AnimeFormat::Ona => "ONA",
        AnimeFormat::Music => "Music",
    }
}

/// Returns a score from 0 to 10, where 0 means no score. A score never becomes 0 by rounding.
fn whole_score(score: Option<UserScore>) -> u16 {
    score.map_or(0, |score| ((score.tenths() + 50) / 100).max(1))
}

/// Returns a date in which unknown parts are 0.
fn format_date(date: Option<PartialDate>) -> String {
    let year = date.map_or(0, PartialDate::year);
    let month = date.and_then(PartialDate::month).unwrap_or(0);
    let day = date.and_then(PartialDate::day).unwrap_or(0);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Returns a text as CDATA, without the characters that XML 1.0 does not allow.
fn cdata(text: &str) -> String {
    let text = allowed_text(text).replace("]]>", "]]]]><![CDATA[>");
    format!("<![CDATA[{text}]]>")
}

/// Returns a text without the characters that XML 1.0 does not allow.
fn allowed_text(text: &str) -> String {
    text.replace(|character| !is_allowed(character), "")
}

/// Returns true for the characters of XML 1.0 (section 2.2), except the carriage return, which parsers replace.
fn is_allowed(character: char) -> bool {
    matches!(character, '\t' | '\n' | ' '..='\u{fffd}' | '\u{10000}'..)
}

#[cfg(test)]
mod tests {
    use shared::models::UserScore;

    use super::{cdata, whole_score};

    #[test]
    fn score_is_rounded_and_stays_above_0() {
        let rounded = |tenths| whole_score(UserScore::from_tenths(tenths));
        let pairs = [
            (1, 1),
            (149, 1),
            (150, 2),
            (849, 8),
            (850, 9),
            (949, 9),
            (950, 10),
            (1000, 10),
        ];
        for (tenths, expected) in pairs {
            assert_eq!(rounded(tenths), expected, "{tenths}");
        }
        assert_eq!(whole_score(None), 0);
    }

    #[test]
    fn text_cannot_end_its_cdata() {
        assert_eq!(cdata("a]]>b"), "<![CDATA[a]]]]><![CDATA[>b]]>");
        let expected = "<![CDATA[a\t\n😀]]>";
        assert_eq!(cdata("\u{0}a\u{b}\u{fffe}\u{ffff}\t\n😀"), expected);
    }
}
