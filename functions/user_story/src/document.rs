//! Stories in responses, with the documents that the parameter `include` adds.

use serde::Serialize;
use shared::input::Params;
use shared::models::{Anime, LinkedAccounts, UserStory};
use store::Story;
use stories::StoryDetails;
use utoipa::ToSchema;

/// The values of the parameter `include`, for the OpenAPI document.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "Included::read reads the parameter")]
pub(crate) enum StoryInclude {
    Anime,
    Details,
}

/// The value of the parameter `include` of requests whose stories can only have details.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "Included::read_details reads the parameter")]
pub(crate) enum DetailsInclude {
    Details,
}

/// The documents that the parameter `include` asks for.
#[derive(Clone, Copy, Default)]
pub(crate) struct Included {
    /// The anime of each story.
    pub(crate) anime: bool,
    details: bool,
}

impl Included {
    /// Reads the parameter `include`.
    pub(crate) fn read(params: &mut Params) -> Self {
        let names = params.include(&["anime", "details"]);
        Self {
            anime: names.contains(&"anime"),
            details: names.contains(&"details"),
        }
    }

    /// Reads the parameter `include` of a request whose stories can only have details.
    pub(crate) fn read_details(params: &mut Params) -> Self {
        Self {
            anime: false,
            details: !params.include(&["details"]).is_empty(),
        }
    }

    /// Returns the story with its details, if the request asks for them, and its anime. `linked` are the owner's linked
    /// accounts.
    pub(crate) fn document(
        self,
        story: Story,
        linked: LinkedAccounts,
        anime: Option<Anime>,
    ) -> StoryDocument {
        StoryDocument {
            details: self.details.then(|| StoryDetails::new(&story, linked)),
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
    anime: Option<Anime>,
}
