//! Stories in responses, with the documents that the parameter `include` adds.

use catalogue::CachedDocument;
use serde::Serialize;
use shared::models::{Anime, LinkedAccounts, UserStory};
use shared::named_values;
use stories::lists::{ListedStory, StoryDetails};
use utoipa::ToSchema;

named_values! {
    /// The values of the parameter `include`, for the OpenAPI document.
    pub(crate) enum StoryInclude {
        Anime = "anime",
        Details = "details",
    }
}

named_values! {
    /// The value of the parameter `include` of requests whose stories can only have details.
    pub(crate) enum DetailsInclude {
        Details = "details",
    }
}

/// The documents that the parameter `include` asks for.
#[derive(Clone, Copy, Default)]
pub(crate) struct IncludedDocuments {
    /// The anime of each story.
    pub(crate) anime: bool,
    details: bool,
}

impl From<Vec<StoryInclude>> for IncludedDocuments {
    fn from(values: Vec<StoryInclude>) -> Self {
        Self {
            anime: values.contains(&StoryInclude::Anime),
            details: values.contains(&StoryInclude::Details),
        }
    }
}

impl From<Vec<DetailsInclude>> for IncludedDocuments {
    fn from(values: Vec<DetailsInclude>) -> Self {
        Self {
            anime: false,
            details: !values.is_empty(),
        }
    }
}

impl IncludedDocuments {
    /// Returns true if the stories need their sync states, given the owner's linked accounts.
    pub(crate) fn needs_sync_states(self, linked: LinkedAccounts) -> bool {
        self.details && linked.each().next().is_some()
    }

    /// Returns the story with its details, if the request asks for them, and its anime. `linked` are the owner's linked
    /// accounts.
    pub(crate) fn document(
        self,
        story: &ListedStory,
        linked: LinkedAccounts,
        anime: Option<CachedDocument>,
    ) -> StoryDocument {
        StoryDocument {
            details: self.details.then(|| StoryDetails::new(story, linked)),
            anime,
            story: story.into(),
        }
    }
}

/// A story, with the documents that the request asks for.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StoryDocument {
    #[serde(flatten)]
    story: UserStory,
    /// The details, if the request has `include=details`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    details: Option<StoryDetails>,
    /// The anime, if the request has `include=anime` and the catalogue still has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Anime>)]
    anime: Option<CachedDocument>,
}
