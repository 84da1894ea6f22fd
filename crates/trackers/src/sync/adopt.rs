//! Adoption of details from entries that an earlier version of the service has synced without details
//! (docs/trackers.md, "What a story remembers").

use shared::models::{BaseDetails, DetailName, DetailsChange, PerTracker};

use super::merge::LocalStory;

/// The result of adopting details, for one tracker.
#[derive(Clone, Copy, Debug)]
pub(super) struct AdoptedDetails {
    /// True if the story took at least one detail from this entry.
    pub is_source: bool,
    /// The base of the next merge. For a detail that the story lacked, it has the current values of story and entry, so
    /// a difference between them does not count as a change and is not exported. For a detail that the user has set in
    /// this service, it has 0 on both sides, so the detail counts as changed.
    pub base: BaseDetails,
}

/// Sets the details that a story lacks to the values in these entries. If both entries have a detail, tracker A's
/// value is taken. Returns the result for each tracker with an entry.
pub(super) fn adopt_details(
    story: &mut LocalStory,
    entries: PerTracker<Option<&DetailsChange>>,
) -> PerTracker<Option<AdoptedDetails>> {
    let before = DetailsChange::from(story.details.clone());
    let unset = || {
        let names = DetailName::ALL.into_iter();
        names.filter(|name| name.number(&before) == Some(0))
    };
    let mut taken = DetailsChange::default();
    let is_source = entries.map(|entry| {
        let Some(entry) = entry else {
            return false;
        };
        let is_wanted =
            |name: &DetailName| name.number(entry) > Some(0) && name.number(&taken).is_none();
        let names: Vec<_> = unset().filter(is_wanted).collect();
        for name in &names {
            name.copy(entry, &mut taken);
        }
        !names.is_empty()
    });
    if taken != DetailsChange::default() {
        story.details = taken.apply_to(&story.details);
        story.version += 1;
    }
    PerTracker::from_fn(|tracker| {
        let entry = entries[tracker]?;
        let mut base = BaseDetails::default();
        for name in unset() {
            let number = |details| name.number(details).unwrap_or_default();
            base.local.set(name, number(&taken));
            base.remote.set(name, number(entry));
        }
        Some(AdoptedDetails {
            is_source: is_source[tracker],
            base,
        })
    })
}
