//! The forms that change a user's own story, on the start page, the list and the page of an anime.

mod back;
mod dates;
mod favorite;
mod form;
mod key;
mod list_request;
mod notice;
mod quick;
mod record;
mod score;
mod score_input;
mod target;

pub use back::{BACK, ReturnPage, StoryFormOutcome};
pub use dates::date_input;
pub use favorite::{FAVORITE, FavoriteChoice};
pub use form::{
    CONFIRMED, ENTRY, NEXT_FORM, OUT_OF_RANGE, StoryForm, StoryFormDraft, StoryFormTexts,
    hidden_fields, read_draft, read_score, read_status,
};
pub use key::StoryKey;
pub use list_request::{ListRequest, ListView, SortOrder, VIEW};
pub use notice::{StoryNotice, find_notice};
pub use quick::{CARD, QUICK_FORM, QuickPart, quick_actions, quick_form, read_quick_action};
pub use record::{StoryRecord, record_invitation};
pub use score::{ChangedScore, SCORE_FORM, ScoreControl, changed_scores, score_form};
pub use score_input::score_input;
pub use target::{StoryTarget, anime_heading, show_draft, story_page};
