//! Refreshes identifiers from the mapping of anime-lists.

use std::io::BufReader;

use catalogue::import::{AnimeFacts, FactSource, IdMapping};
use catalogue::publish_mapping;
use store::MAX_BATCH_READ;
use trackers::RemoteFile;

use crate::report::{Failure, SourceName};
use crate::source::{Complete, Ended, RefreshSource, SourceRun};

/// The mapping of identifiers.
pub struct Mapping<'s>(pub &'s RemoteFile);

impl RefreshSource for Mapping<'_> {
    const NAME: SourceName = SourceName::Mapping;

    /// Publishes the identifiers of the file, and writes those at The Movie Database to the known anime.
    async fn read(&self, run: &mut SourceRun<'_>) -> Result<Complete, Ended> {
        let Some((file, version)) = run.download(self.0).await? else {
            return Ok(Complete::Unchanged);
        };
        let mapping = IdMapping::read(BufReader::new(file))?;
        let entries = mapping.entries().len() as u64;
        run.check_entries(entries)?;
        publish_mapping(&run.context.environment.database, &mapping).await?;
        let mut facts = Vec::new();
        for item in run.context.anime.list_items().await? {
            let found = mapping.database_id(item.trackers(), item.format);
            if let (Some(id), Some(found)) = (item.id(), found)
                && item.database_id != Some(found)
            {
                let mut said = AnimeFacts::new(id, FactSource::AniDb, item.trackers());
                said.fields.database_id = Some(found);
                facts.push(said);
            }
        }
        *run.mapping = Some(mapping);
        for facts in facts.chunks(MAX_BATCH_READ) {
            run.check_time()?;
            let mut writer = run.writer(false);
            facts.iter().cloned().for_each(|facts| writer.add(facts));
            writer.write().await?;
        }
        Ok(Complete::File(version, entries))
    }
}

/// Downloads and reads the mapping, for a run that needs it for new titles but has not read it, for example because the
/// mapping has not changed.
pub async fn read_again(file: &RemoteFile, until: u64) -> Result<IdMapping, Ended> {
    match file.download(None, until).await? {
        trackers::Download::Changed(file, _) => Ok(IdMapping::read(BufReader::new(file))?),
        trackers::Download::Unchanged => Err(Failure::NoMapping.into()),
    }
}
