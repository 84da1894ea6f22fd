//! The entity tags of calendar feeds. A tag is computed from the file, so it reveals nothing that is not in the
//! file, such as a change of a private story.

use accounts::users::Account;
use axum::http::HeaderValue;
use quick_cache::sync::Cache;
use shared::digest;
use shared::http::response::weak_tag;
use shared::models::{DisplaySettings, UserId};
use time::Date;

/// The maximum number of files whose tags are remembered.
const MAX_REMEMBERED: usize = 10_000;

/// Everything that determines a file. The tag is not computed from it, because it also changes with private stories.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct FeedSource {
    user: UserId,
    language: String,
    display: DisplaySettings,
    /// The number of the last change of the user's stories.
    change_number: u64,
    /// The version of the published catalogue.
    catalogue_version: u64,
    today: Date,
}

impl FeedSource {
    /// Returns the source of a user's feed; `None` without a published catalogue.
    pub(super) fn new(
        owner: &Account,
        catalogue_version: Option<u64>,
        today: Date,
    ) -> Option<Self> {
        Some(Self {
            user: owner.user.id,
            language: owner.localization.clone(),
            display: owner.display,
            change_number: owner.list.last_change_number,
            catalogue_version: catalogue_version?,
            today,
        })
    }
}

/// The tags of the files that this process sent most recently. With them, an unchanged file need not be written again.
#[derive(Debug)]
pub struct FeedTags(Cache<FeedSource, HeaderValue>);

impl Default for FeedTags {
    fn default() -> Self {
        Self(Cache::new(MAX_REMEMBERED))
    }
}

impl FeedTags {
    /// Returns the tag of the file from this source, if it is remembered.
    pub(super) fn find(&self, source: &FeedSource) -> Option<HeaderValue> {
        self.0.get(source)
    }

    /// Returns the tag of a file. Remembers it if `source` is not `None`.
    pub(super) fn compute_tag(
        &self,
        file: &str,
        source: Option<FeedSource>,
    ) -> Option<HeaderValue> {
        let tag = weak_tag(&digest(file))?;
        if let Some(source) = source {
            self.0.insert(source, tag.clone());
        }
        Some(tag)
    }
}
