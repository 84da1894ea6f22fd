//! Refreshes identifiers from the mapping in the anime-lists format.

use std::io::BufReader;

use catalogue::import::{AnimeFacts, IdMapping};
use catalogue::publish_mapping;
use catalogue::rows::FactSource;
use dynamo::MAX_BATCH_READ;
use trackers::{Download, DownloadEvent, RemoteFile};

use crate::context::RefreshContext;
use crate::report::{SourceFailure, SourceName};
use crate::source::{Complete, ReadFile, RefreshSource, SourceError, SourceRun, show_event};

pub struct MappingSource<'s>(pub &'s RemoteFile);

impl RefreshSource for MappingSource<'_> {
    const NAME: SourceName = SourceName::Mapping;

    fn file(&self) -> Option<&RemoteFile> {
        Some(self.0)
    }

    /// Publishes the identifiers of the file, and writes those at The Movie Database to the known anime.
    async fn read(&self, run: &mut SourceRun<'_>) -> Result<Complete, SourceError> {
        let Some((file, info)) = run.download(self.0, Self::NAME).await? else {
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
                let mut anime_facts = AnimeFacts::new(id, FactSource::AniDb, item.trackers());
                anime_facts.fields.database_id = Some(found);
                facts.push(anime_facts);
            }
        }
        *run.mapping = Some(mapping);
        for facts in facts.chunks(MAX_BATCH_READ) {
            run.context.check_time(run.until)?;
            let mut writer = run.writer(false);
            facts.iter().cloned().for_each(|facts| writer.add(facts));
            writer.write().await?;
        }
        Ok(Complete::File(ReadFile::new(info, entries, None)))
    }
}

/// Downloads and reads the mapping. A run needs this if it assigns new titles but has not read the mapping, for
/// example because the mapping has not changed.
pub async fn download_mapping(
    context: &RefreshContext<'_>,
    file: &RemoteFile,
    until: u64,
) -> Result<IdMapping, SourceError> {
    let show = |event: DownloadEvent<'_>| show_event(context, SourceName::Mapping, &event);
    match file.download_with(None, until, &show).await? {
        Download::Changed(file, _) => Ok(IdMapping::read(BufReader::new(file))?),
        Download::Unchanged => Err(SourceFailure::NoMapping.into()),
    }
}
