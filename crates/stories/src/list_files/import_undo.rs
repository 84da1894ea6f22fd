//! The imports of the last 7 days, and the undo of an import (docs/api.md, "Undo of an import"). A story's
//! history names the import of each change that an import made, and so does each waiting entry. So nothing else is
//! stored about an import.

use std::collections::BTreeMap;

use catalogue::Catalogue;
use futures_util::try_join;
use serde::Serialize;
use shared::auth::Access;
use shared::models::{Anime, AnimeId, Origin, Revision, StoryId, UserId};
use shared::{Error, Missing, Result};
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::report::MAX_REPORTED;
use super::waiting_entries::{forget_import, unpack};
use super::waiting_store::WaitingStore;
use crate::lists::story_batch::{Decision, OperationResult, StoryOperation};
use crate::lists::story_store::StoryStore;
use crate::lists::undo::{kept_fields, operation_of_undo, undo_import};
use crate::lists::user_story::Story;

/// The time for which an import can be undone, in seconds: 7 days.
pub const UNDO_S: u64 = 7 * 24 * 60 * 60;

/// An import of the last 7 days.
#[derive(Debug, Serialize, ToSchema)]
pub struct RecentImport {
    /// Identifier of the import.
    #[schema(example = "0a1b2c3d4e5f6071")]
    pub import_id: String,
    /// Time of the import.
    #[serde(with = "time::serde::rfc3339")]
    #[schema(value_type = String, format = DateTime, example = "2016-09-30T20:15:00Z")]
    pub imported_at: OffsetDateTime,
    /// Number of stories that it created and that still exist.
    pub added: usize,
    /// Number of stories that it changed and that still exist.
    pub changed: usize,
    /// Number of its entries that wait for their anime.
    pub waiting: usize,
    /// Number of its entries that wait for the user's answer.
    pub proposals: usize,
}

impl RecentImport {
    /// Returns the import with this identifier. If there is none yet, adds one without stories. `at` is the time of a
    /// change or of a waiting entry, in seconds since the Unix epoch. Answers to proposals and the refresh of the
    /// catalogue make later changes, so the import's time is the earliest of them.
    fn find<'i>(imports: &'i mut BTreeMap<String, Self>, id: &str, at: u64) -> &'i mut Self {
        let time = OffsetDateTime::from_unix_timestamp(i64::try_from(at).unwrap_or_default());
        let time = time.unwrap_or(OffsetDateTime::UNIX_EPOCH);
        let import = imports.entry(id.to_owned()).or_insert_with(|| Self {
            import_id: id.to_owned(),
            imported_at: time,
            added: 0,
            changed: 0,
            waiting: 0,
            proposals: 0,
        });
        import.imported_at = import.imported_at.min(time);
        import
    }
}

/// The result of undoing an import.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct UndoReport {
    /// Number of stories that were restored, at least in part.
    pub restored: usize,
    /// Number of stories that were deleted, because the import had created them.
    pub deleted: usize,
    /// Number of stories of the import that needed no change, for example because they had already been undone.
    pub unchanged: usize,
    /// Number of stories that were not or only in part undone, because they have changed since.
    pub kept: usize,
    /// Number of entries that waited for their anime or for the user's answer and were deleted.
    pub forgotten: usize,
    /// The stories that were not or only in part undone; the first 500.
    #[schema(max_items = 500)]
    pub kept_stories: Vec<KeptStory>,
}

/// A story that was not or only in part undone.
#[derive(Debug, Serialize, ToSchema)]
pub struct KeptStory {
    /// Identifier of the story.
    #[schema(value_type = u64, example = 33_554_434)]
    pub story_id: StoryId,
    /// Identifier of the anime.
    #[schema(value_type = u64, example = 2)]
    pub anime_id: AnimeId,
    /// Names of the fields that keep their values. Empty for a story that the import created.
    pub fields: Vec<&'static str>,
}

/// Returns the imports of the last 7 days, newest first. Reads all stories. An import is left out once neither a
/// story's history nor a waiting entry names it. `now` is in milliseconds since the Unix epoch.
pub async fn recent_imports(
    stories: &StoryStore,
    waiting: &WaitingStore,
    owner: UserId,
    now: u64,
) -> Result<Vec<RecentImport>> {
    let since = undoable_since(now);
    let mut imports = BTreeMap::new();
    let (stories, waiting) = try_join!(stories.all_of(owner), waiting.find(owner))?;
    for revision in stories.iter().flat_map(|story| &story.history) {
        let Origin::Import(id) = &revision.by else {
            continue;
        };
        if revision.at < since {
            continue;
        }
        let import = RecentImport::find(&mut imports, id, revision.at);
        if revision.before.is_creation() {
            import.added += 1;
        } else {
            import.changed += 1;
        }
    }
    for group in unpack(waiting.as_ref(), now)? {
        let (id, at) = (&group.import_id, group.imported_at / 1000);
        if at >= since {
            let import = RecentImport::find(&mut imports, id, at);
            import.waiting += group.entries.len();
            import.proposals += group.proposals.len();
        }
    }
    let mut imports: Vec<RecentImport> = imports.into_values().collect();
    imports.sort_by_key(|import| std::cmp::Reverse(import.imported_at));
    Ok(imports)
}

/// Undoes what an import has changed in the last 7 days: deletes the stories that it created, restores the fields of
/// the stories that it changed, and deletes its entries that still wait for their anime or for the user's answer.
/// Stories and fields that have changed since the import are not touched. The caller's access must have been checked,
/// because stories are read before [`StoryStore::edit_many`] checks `access`. `now` is in milliseconds since the Unix
/// epoch.
///
/// # Errors
/// [`Error::NotFound`] if no story has a change of this import, and none of its entries waits. Otherwise as
/// [`StoryStore::edit_many`]. After an error, some stories may already have been restored. To restore the remaining
/// stories, the caller can repeat the undo.
pub async fn undo(
    stories: &StoryStore,
    waiting: &WaitingStore,
    catalogue: &Catalogue<Anime>,
    access: &Access,
    owner: UserId,
    import: &str,
    now: u64,
) -> Result<UndoReport> {
    let since = undoable_since(now);
    let mut imported = Vec::new();
    for story in stories.all_of(owner).await? {
        let mut revisions = story.history.iter();
        let by_import = revisions.find(|change| change.at >= since && change.is_by_import(import));
        if let Some(revision) = by_import.cloned() {
            imported.push((story, revision));
        }
    }
    // The waiting entries are deleted first. Otherwise, a pass at the same time could add stories for them
    // after the import's other stories are undone.
    let forgotten = forget_import(waiting, owner, import, since).await?;
    if imported.is_empty() && forgotten == 0 {
        return Err(Error::NotFound(Missing::Import));
    }
    let (stored, revisions): (Vec<_>, Vec<_>) = imported
        .into_iter()
        .map(|(story, revision)| ((story.anime_id, Some(story)), revision))
        .unzip();
    let anime: Vec<AnimeId> = stored.iter().map(|(anime, _)| *anime).collect();
    let index = catalogue.index().await?;
    let decide = |_, story: Option<&Story>| -> Decision {
        let Some(story) = story else {
            return Ok(StoryOperation::Keep);
        };
        // If the anime is not in the catalogue, its number of episodes does not limit the story.
        let episodes = index.episodes_count(story.anime_id).unwrap_or(u32::MAX);
        let (state, history) = (&story.state, &story.history);
        let effect = undo_import(import, since, state, history, story.has_later_ticks);
        Ok(operation_of_undo(effect, story, episodes, now))
    };
    let by = Origin::Undo(import.to_owned());
    let write = stories.edit_many(Some(access), owner, stored, &by, decide, now);
    let mut report = UndoReport {
        forgotten,
        ..UndoReport::default()
    };
    for ((anime, revision), result) in anime.into_iter().zip(revisions).zip(write.await?) {
        report.add(StoryId::of(owner, anime), &revision, &result?);
    }
    Ok(report)
}

/// Returns the time since which imports can be undone, in seconds since the Unix epoch.
fn undoable_since(now_ms: u64) -> u64 {
    (now_ms / 1000).saturating_sub(UNDO_S)
}

impl UndoReport {
    /// Adds the result for a story. `revision` is the change that the import made to the story.
    fn add(&mut self, story_id: StoryId, revision: &Revision, result: &OperationResult) {
        let fields = match (&result.before, &result.after) {
            // The story was deleted in the meantime.
            (None, _) => None,
            (Some(_), None) => {
                self.deleted += 1;
                return;
            }
            (Some(_), Some(_)) if revision.before.is_creation() => Some(Vec::new()),
            (Some(before), Some(after)) => {
                self.restored += usize::from(before != after);
                Some(kept_fields(&revision.before, after)).filter(|fields| !fields.is_empty())
            }
        };
        let Some(fields) = fields else {
            self.unchanged += usize::from(result.before == result.after);
            return;
        };
        self.kept += 1;
        if self.kept_stories.len() < MAX_REPORTED {
            self.kept_stories.push(KeptStory {
                story_id,
                anime_id: story_id.anime(),
                fields,
            });
        }
    }
}
