//! The outcome of a form about selected entries, which the address of the next page keeps for its notice, and the names
//! of the form's fields.

use page_parts::story::ReturnPage;
use shared::input::Params;
use shared::value_names;
use stories::lists::MAX_SELECTED;

/// The name of the button that deletes the selected entries.
pub(super) const DELETE: &str = "delete";

/// The name of the hidden field with the identifier of the change that an undo is about.
pub(super) const SELECTION_ID: &str = "selection";

/// The values of the field `private`.
pub(super) const PRIVATE: &str = "yes";
pub(super) const PUBLIC: &str = "no";

/// Everything that a form about selected entries has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SelectionDone {
    /// The entries were changed.
    Changed,
    /// The entries were deleted.
    Deleted,
    /// The change was undone.
    Undone,
}

value_names! {
    SelectionDone { Changed = "changed", Deleted = "deleted", Undone = "undone" }
}

/// The outcome of a form about selected entries, for the notice of the list that follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SelectionOutcome {
    /// The kind of the change.
    pub done: SelectionDone,
    /// The number of entries.
    pub count: usize,
    /// The identifier of the change, if it can be undone.
    pub selection_id: Option<String>,
}

impl SelectionOutcome {
    /// Returns the outcome of a change. A change of no story cannot be undone.
    pub(super) fn new(done: SelectionDone, count: usize, selection_id: &str) -> Self {
        let can_be_undone = count > 0 && done != SelectionDone::Undone;
        let selection_id = can_be_undone.then(|| selection_id.to_owned());
        Self {
            done,
            count,
            selection_id,
        }
    }

    /// Reads the query of the list.
    pub(crate) fn read(query: &str) -> Option<Self> {
        let mut params = Params::parse(query);
        let name = params.token("selected")?;
        let done = SelectionDone::from_name(&name)?;
        let count = params.setting("count", 0..=MAX_SELECTED as u64)?;
        let selection_id = params.token(SELECTION_ID).filter(|id| is_selection_id(id));
        Some(Self::new(
            done,
            usize::try_from(count).unwrap_or_default(),
            selection_id.as_deref()?,
        ))
    }

    /// Returns the address of a page with the notice.
    pub(super) fn address(&self, back: &ReturnPage, selection_id: &str) -> String {
        let address = back.address();
        let separator = if address.contains('?') { '&' } else { '?' };
        let name = self.done.name();
        let count = self.count;
        format!("{address}{separator}selected={name}&count={count}&{SELECTION_ID}={selection_id}")
    }
}

/// Returns true for a text that can be the identifier of a change, so that no other text gets into a page or a row.
pub(super) fn is_selection_id(text: &str) -> bool {
    text.len() <= 32 && !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::{SelectionDone, SelectionOutcome};

    #[test]
    fn outcome_is_read_from_the_query() {
        let read = SelectionOutcome::read;
        let changed = read("status=0&selected=changed&count=3&selection=0a1b").unwrap();
        assert_eq!((changed.done, changed.count), (SelectionDone::Changed, 3));
        assert_eq!(changed.selection_id.as_deref(), Some("0a1b"));
        let undone = read("selected=undone&count=3&selection=0a1b").unwrap();
        assert_eq!(undone.selection_id, None, "an undo cannot be undone");
        let nothing = read("selected=changed&count=0&selection=0a1b").unwrap();
        assert_eq!(nothing.selection_id, None);
        for query in [
            "",
            "selected=changed",
            "selected=x&count=1&selection=0a1b",
            "selected=changed&count=51&selection=0a1b",
            "selected=changed&count=1&selection=%3Cb%3E",
            "selected=changed&count=1&selection=",
        ] {
            assert_eq!(read(query), None, "{query}");
        }
    }
}
