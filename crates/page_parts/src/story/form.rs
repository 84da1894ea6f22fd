//! The form of an entry: its values, and its rendering on the list, on the page of an anime and on a page of its own.

use maud::{Markup, Render, html};
use pages::form::{FormErrors, NOT_LISTED};
use pages::icon::Icon;
use pages::language::Localizer;
use pages::layout::{self, Control, Field, YES};
use pages::paths::{LIST_DELETE, LIST_SAVE};
use shared::input::Form;
use shared::models::{
    Anime, Details, MAX_REPEATS, Notes, PartialDate, StoryState, UserScore, WatchStatus, WireEnum,
};
use shared::{Error, FieldErrors, Result};
use stories::lists::FormValues;

use super::back::{BACK, ReturnPage};
use super::dates::date_control;
use super::key::StoryKey;
use super::score_input::{has_stars, score_control};

/// The name of the hidden field, or of the button, with the [`StoryKey`].
pub const ENTRY: &str = "entry";

/// The name of the button that confirms a deletion.
pub const CONFIRMED: &str = "confirmed";

/// The identifier of the form to which the buttons "next episode" of all entries of a page belong. One form for all
/// buttons makes the page smaller than one form for each, and a form within the form of an entry would be invalid.
pub const NEXT_FORM: &str = "next";

/// The maximum size of the values that a [`StoryFormDraft`] keeps, in bytes: 16 KB. Each byte takes up to 3 bytes in a
/// form, so these values leave room for the username and the password in the 64 KB of the sign-in form. Notes have at
/// most 8 KB.
const MAX_DRAFT: usize = 16 * 1024;

/// The error for a text that is not a number, or too large for an episode.
const NOT_A_NUMBER: &str = "must be a whole number";
/// The error for a number of repeats or of an episode that is out of range.
pub const OUT_OF_RANGE: &str = "must be a whole number from 0 to 9999";

/// The values of the form as texts, as the user sees and sends them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoryFormTexts {
    status: String,
    current_episode: String,
    score: String,
    started_on: String,
    finished_on: String,
    repeats: String,
    notes: String,
    private: String,
}

impl StoryFormTexts {
    /// Returns the values of a story, or the initial values of a new story.
    pub fn of(state: Option<&StoryState>, l10n: &Localizer) -> Self {
        let status = state.map_or(WatchStatus::Planning, |state| state.status);
        let details = state.map(|state| state.details.clone()).unwrap_or_default();
        let date_text = |date: Option<PartialDate>| date.map(String::from).unwrap_or_default();
        Self {
            status: u8::from(status).to_string(),
            current_episode: state.map_or(0, StoryState::progress).to_string(),
            score: details
                .score
                .map(|score| l10n.score(score))
                .unwrap_or_default(),
            started_on: date_text(details.started_on),
            finished_on: date_text(details.finished_on),
            repeats: details.repeats.to_string(),
            notes: details.notes.into(),
            private: if details.private { YES } else { "" }.to_owned(),
        }
    }

    /// Returns the values that were sent.
    pub fn from_form(form: &Form) -> Self {
        let line = |name| form.value(name).trim().to_owned();
        Self {
            status: line("status"),
            current_episode: line("current_episode"),
            score: line("score"),
            started_on: line("started_on"),
            finished_on: line("finished_on"),
            repeats: line("repeats"),
            notes: form.value("notes").to_owned(),
            private: line("private"),
        }
    }

    /// Returns the same values with another score.
    #[must_use]
    pub fn with_score(self, score: &str) -> Self {
        Self {
            score: score.to_owned(),
            ..self
        }
    }

    /// Returns the number of watched episodes; `None` if it is not a number.
    pub fn episode(&self) -> Option<u32> {
        parse_number(&self.current_episode)
    }

    /// Returns the notes.
    pub fn notes(&self) -> &str {
        &self.notes
    }

    /// Parses the values. Empty values mean 0 or unknown. `old_score` is the score that the form showed.
    ///
    /// # Errors
    /// [`Error::Invalid`] with the reasons of all invalid values.
    pub fn read(&self, old_score: Option<UserScore>, l10n: &Localizer) -> Result<FormValues> {
        let mut errors = FieldErrors::new();
        let mut failed = |name, reason: &str| {
            errors.insert(name, reason.to_owned());
        };
        let status = read_status(&self.status);
        if status.is_none() {
            failed("status", NOT_LISTED);
        }
        let episode = self.episode();
        if episode.is_none() {
            failed("current_episode", NOT_A_NUMBER);
        }
        let score = read_score(&self.score, old_score, l10n);
        let score = score.map_err(|reason| failed("score", reason));
        let started_on =
            parse_date(&self.started_on).map_err(|reason| failed("started_on", reason));
        let finished_on =
            parse_date(&self.finished_on).map_err(|reason| failed("finished_on", reason));
        let repeats = parse_number(&self.repeats)
            .and_then(|repeats| u16::try_from(repeats).ok())
            .filter(|repeats| *repeats <= MAX_REPEATS);
        if repeats.is_none() {
            failed("repeats", OUT_OF_RANGE);
        }
        let notes = Notes::new(&self.notes).map_err(|reason| failed("notes", reason));
        if !errors.is_empty() {
            return Err(Error::Invalid(errors));
        }
        Ok(FormValues {
            status: status.unwrap_or(WatchStatus::Planning),
            progress: episode.unwrap_or_default(),
            details: Details {
                score: score.unwrap_or_default(),
                started_on: started_on.unwrap_or_default(),
                finished_on: finished_on.unwrap_or_default(),
                repeats: repeats.unwrap_or_default(),
                notes: notes.unwrap_or_default(),
                private: self.private == YES,
            },
        })
    }
}

/// The names and values of a form about an entry that a visitor without a session has sent. The form of the sign-in
/// page has them as hidden fields with the same names.
pub type StoryFormDraft<'f> = Vec<(&'static str, &'f str)>;

/// Returns the values that were typed into the form of an entry; `None` if the form is not about an entry, or if the
/// values have more than 16 KB.
pub fn read_draft(form: &Form) -> Option<StoryFormDraft<'_>> {
    StoryKey::read(form.value(ENTRY))?;
    let names = [
        ENTRY,
        BACK,
        "status",
        "current_episode",
        "score",
        "started_on",
        "finished_on",
        "repeats",
        "notes",
        "private",
    ];
    let draft = Vec::from(names.map(|name| (name, form.value(name))));
    let size: usize = draft.iter().map(|(_, value)| value.len()).sum();
    (size <= MAX_DRAFT).then_some(draft)
}

/// Reads the value of a choice of a status.
pub fn read_status(text: &str) -> Option<WatchStatus> {
    let mut statuses = WatchStatus::ALL.iter().map(|(status, _)| *status);
    statuses.find(|status| u8::from(*status).to_string() == text)
}

/// Reads a number that is written in digits; an empty text is 0.
fn parse_number(text: &str) -> Option<u32> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    match text {
        "" => Some(0),
        text if is_number => text.parse().ok(),
        _ => None,
    }
}

/// Reads a score on the scale of the user. The text of the old score is read as the old score even if the scale cannot
/// represent it exactly, so that a form with an unchanged score does not change it.
pub fn read_score(
    text: &str,
    old_score: Option<UserScore>,
    l10n: &Localizer,
) -> Result<Option<UserScore>, &'static str> {
    let is_unchanged = old_score.is_some_and(|score| l10n.score(score) == text);
    if is_unchanged {
        Ok(old_score)
    } else {
        l10n.display().scores.read(text)
    }
}

fn parse_date(text: &str) -> Result<Option<PartialDate>, &'static str> {
    let date = Some(text).filter(|text| !text.is_empty());
    date.map(PartialDate::parse).transpose()
}

/// The form of an entry. A page has at most one, because the names of the fields are also their `id` in the page.
pub struct StoryForm<'a> {
    /// The language.
    pub l10n: &'a Localizer,
    /// The CSRF token.
    pub csrf: &'a str,
    /// The story as the page shows it.
    pub key: &'a StoryKey,
    /// The page to return to.
    pub back: &'a ReturnPage,
    /// The values.
    pub filled: &'a StoryFormTexts,
    /// The anime, for the number of its episodes.
    pub anime: Option<&'a Anime>,
    /// The errors of the values that were sent.
    pub errors: Option<&'a FormErrors>,
}

impl Render for StoryForm<'_> {
    fn render(&self) -> Markup {
        let (l10n, filled) = (self.l10n, self.filled);
        let text = |id: &str| l10n.text(id);
        let statuses = WatchStatus::ALL.iter().map(|(status, _)| {
            let value = u8::from(*status).to_string();
            (value.into(), l10n.watch_status(*status))
        });
        let episodes = self.anime.map_or(0, |anime| anime.episodes_count);
        let episode_hint = if episodes > 0 {
            l10n.format("story-episode-hint", [("count", episodes.into())])
        } else {
            text("story-no-episodes")
        };
        let number = Control::OptionalLine("numeric");
        let line = || Control::OptionalLine("text");
        let statuses = Control::Select(statuses.collect());
        let notes = Control::TextLines { is_required: false };
        let fields = [
            Field::new(l10n, "status", statuses, "story-status").with_value(&filled.status),
            Field::new(l10n, "current_episode", number.clone(), "story-episode")
                .with_hint(episode_hint)
                .with_value(&filled.current_episode),
            Field::new(l10n, "repeats", number, "story-repeats").with_value(&filled.repeats),
            Field::new(l10n, "score", line(), "story-score")
                .with_hint(l10n.score_hint())
                .with_value(&filled.score),
            Field::new(l10n, "started_on", line(), "story-started")
                .with_hint(text("story-date-hint"))
                .with_value(&filled.started_on),
            Field::new(l10n, "finished_on", line(), "story-finished")
                .with_hint(text("story-date-hint"))
                .with_value(&filled.finished_on),
            Field::new(l10n, "notes", notes, "story-notes").with_value(&filled.notes),
            Field::new(l10n, "private", Control::Checkbox, "story-private")
                .with_value(&filled.private),
        ];
        // Short fields stand side by side.
        let (lines, others) = fields.split_at(fields.len() - 2);
        html! {
            // `novalidate`, so that the server reports invalid values.
            form.story-form method="post" action=(LIST_SAVE) novalidate {
                @if let Some(errors) = self.errors { (errors.summary(l10n, &fields)) }
                (hidden_fields(self.csrf, Some(self.key), self.back))
                div.fields { @for one in lines { (self.field(one)) } }
                @for one in others { (self.field(one)) }
                div.actions {
                    button.button type="submit" { (Icon::Check) (text("form-save")) }
                    @if self.key.tag.is_some() {
                        button.button.secondary type="submit" formaction=(LIST_DELETE) {
                            (Icon::Delete) (text("form-delete"))
                        }
                    }
                    a.row href=(self.back.address()) { (text("story-cancel")) }
                }
            }
        }
    }
}

impl StoryForm<'_> {
    fn field(&self, field: &Field<'_>) -> Markup {
        let reason = self.errors.and_then(|errors| errors.reason(field.name));
        match field.name {
            "score" => self.field_with(field, reason, |described_by| {
                score_control(self.l10n, field.value, described_by, reason.is_some())
            }),
            "started_on" | "finished_on" => self.field_with(field, reason, |described_by| {
                date_control(
                    self.l10n,
                    field.name,
                    field.value,
                    described_by,
                    reason.is_some(),
                )
            }),
            _ => layout::field(self.l10n, field, reason),
        }
    }

    /// Renders a field whose control depends on its content. `control` gets the identifiers of its hint and error.
    fn field_with(
        &self,
        field: &Field<'_>,
        reason: Option<&str>,
        control: impl FnOnce(Option<&str>) -> Markup,
    ) -> Markup {
        let hint = (!field.hint.is_empty()).then(|| format!("{}-hint", field.name));
        let fault = reason.map(|_| format!("{}-fault", field.name));
        let ids: Vec<&str> = [&hint, &fault]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        let ids = ids.join(" ");
        let is_group = field.name == "score" && has_stars(self.l10n);
        html! {
            div.field {
                // A click on the label of a group of buttons must not press the first one.
                @if is_group { span.label { (field.label) } } @else { label for=(field.name) { (field.label) } }
                @if let Some(id) = &hint { p.hint id=(id) { (field.hint) } }
                @if let (Some(id), Some(reason)) = (&fault, reason) {
                    p.fault id=(id) { (field.sentence(self.l10n, reason)) }
                }
                (control(Some(&*ids).filter(|ids| !ids.is_empty())))
            }
        }
    }
}

/// Renders the hidden fields of a form about a story. `key` is `None` in a form with a button for each story,
/// because these buttons have the keys.
pub fn hidden_fields(csrf: &str, key: Option<&StoryKey>, back: &ReturnPage) -> Markup {
    html! {
        (layout::csrf_field(csrf))
        @if let Some(key) = key { input type="hidden" name=(ENTRY) value=(key.text()); }
        input type="hidden" name=(BACK) value=(back.address());
    }
}

#[cfg(test)]
mod tests {
    use pages::language::Localizer;
    use shared::Error;
    use shared::input::Form;
    use shared::models::{Details, Notes, PartialDate, StoryState, UserScore, WatchStatus};

    use super::StoryFormTexts;

    fn state() -> StoryState {
        StoryState {
            status: WatchStatus::Paused,
            current_episode: 3,
            watched_episodes: None,
            current_episode_ticks: 0,
            details: Details {
                score: UserScore::from_tenths(875),
                started_on: PartialDate::parse("2016-08").ok(),
                finished_on: PartialDate::parse("2016-08-26").ok(),
                repeats: 2,
                notes: Notes::new("<b>a</b>\nb").unwrap(),
                private: true,
            },
        }
    }

    #[test]
    fn values_of_a_story_are_read_again() {
        for code in ["en", "fr", "it", "jp"] {
            let l10n = Localizer::new(Some(code), &[]);
            let texts = StoryFormTexts::of(Some(&state()), &l10n);
            let values = texts.read(None, &l10n).unwrap();
            assert_eq!(values.status, WatchStatus::Paused);
            assert_eq!(values.progress, 3);
            assert_eq!(values.details, state().details, "{code}");
        }
        let l10n = Localizer::default();
        let new = StoryFormTexts::of(None, &l10n);
        let new = new.read(None, &l10n).unwrap();
        assert_eq!(new.status, WatchStatus::Planning);
        assert_eq!(new.details, Details::default());
    }

    fn errors(body: &str) -> Vec<&'static str> {
        let sent = StoryFormTexts::from_form(&Form::parse(body.as_bytes()).unwrap());
        match sent.read(None, &Localizer::default()) {
            Err(Error::Invalid(errors)) => errors.into_keys().collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn invalid_values_are_named() {
        let all = "status=6&current_episode=-1&score=100.1&started_on=2016-02-30&finished_on=26.8.2016\
                   &repeats=10000&notes=%00";
        let names = [
            "current_episode",
            "finished_on",
            "notes",
            "repeats",
            "score",
            "started_on",
            "status",
        ];
        assert_eq!(errors(all), names);
        for score in [
            "87.55", "1e1", "-1", "+5", "NaN", "inf", "8.7.5", "1,234", "a",
        ] {
            let score = score.replace('+', "%2B");
            assert_eq!(
                errors(&format!("status=0&score={score}")),
                ["score"],
                "{score}"
            );
        }
        for episode in ["4294967296", "1.5", "%2B1", "x"] {
            let body = format!("status=0&current_episode={episode}");
            assert_eq!(errors(&body), ["current_episode"], "{episode}");
        }
        for status in ["", "+x", "00"] {
            assert_eq!(errors(&format!("status={status}")), ["status"], "{status}");
        }
    }

    #[test]
    fn empty_values_are_none() {
        let form = Form::parse(b"status=0&score=+&started_on=&repeats=&current_episode=").unwrap();
        let l10n = Localizer::default();
        let values = StoryFormTexts::from_form(&form);
        let values = values.read(None, &l10n).unwrap();
        assert_eq!(values.details, Details::default());
        assert_eq!(values.progress, 0);
        let comma = Form::parse(b"status=0&score=87%2C5").unwrap();
        let values = StoryFormTexts::from_form(&comma);
        let values = values.read(None, &l10n).unwrap();
        assert_eq!(values.details.score, UserScore::from_tenths(875));
    }
}
