//! Reads of whole watch histories for exports.

use std::cmp::Reverse;

use shared::Error;
use shared::models::{UserId, WatchStatus};

use crate::item::{Selection, number};
use crate::listing::all;
use crate::schema::user_story::{Story, TABLE};
use crate::stories::{StoryStore, read_story};

/// The attributes that exports do not need. Histories are often larger than the rest of a story.
const NOT_EXPORTED: [&str; 3] = ["history", "tracker_a", "tracker_b"];

impl StoryStore {
    /// Returns all stories of a user as they are at this moment, or those with one status, newest first. They have neither
    /// change histories nor sync states. Costs one read unit for every 4 KB of all rows of the user.
    pub async fn export(
        &self,
        user: UserId,
        status: Option<WatchStatus>,
    ) -> Result<Vec<Story>, Error> {
        let attributes = TABLE.attributes.iter().map(|(name, _)| *name);
        let attributes = attributes.filter(|name| !NOT_EXPORTED.contains(name));
        let selection = Selection::of(&attributes.collect::<Vec<_>>());
        let query = self
            .client
            .query()
            .table_name(&self.stories)
            .key_condition_expression("user_id = :user_id")
            .expression_attribute_values(":user_id", number(user.get()))
            .projection_expression(selection.expression)
            .set_expression_attribute_names(Some(selection.names))
            .consistent_read(true);
        let is_present = "attribute_not_exists(#deleted_at)";
        let query = match status {
            None => query.filter_expression(is_present),
            Some(status) => query
                .filter_expression(format!("{is_present} AND #status = :status"))
                .expression_attribute_values(":status", number(u64::from(u8::from(status)))),
        };
        let mut stories = all(query, read_story).await?;
        stories.sort_unstable_by_key(|story| Reverse(story.creation_order));
        Ok(stories)
    }
}
