//! Refreshes titles from AniDB's dump.

use std::io::BufReader;

use catalogue::import::{MergeReport, TitleDump, TitleFacts};
use store::MAX_BATCH_READ;
use trackers::RemoteFile;

use crate::mapping;
use crate::report::{Failure, SourceName};
use crate::source::{Complete, ReadError, RefreshSource, SourceRun};

/// The source of AniDB's titles.
pub struct TitleSource<'s> {
    /// The file with the titles.
    pub dump: &'s RemoteFile,
    /// The file with the mapping of identifiers, which assigns titles to anime.
    pub mapping: Option<&'s RemoteFile>,
}

impl RefreshSource for TitleSource<'_> {
    const NAME: SourceName = SourceName::AnidbTitles;

    async fn read(&self, run: &mut SourceRun<'_>) -> Result<Complete, ReadError> {
        let mapping_file = self.mapping.ok_or(Failure::NoMapping)?;
        // A new mapping can assign titles to anime that had none. So the dump is downloaded again even if it has not
        // changed: without a known version, the request has no condition.
        let mapped_at = run
            .context
            .source(SourceName::Mapping)
            .state()
            .await?
            .downloaded_at;
        if run.mapping.is_some() || mapped_at > run.state.downloaded_at {
            run.state.file_version = None;
        }
        let Some((file, version)) = run.download(self.dump).await? else {
            return Ok(Complete::Unchanged);
        };
        let dump = TitleDump::read(BufReader::new(file))?;
        run.check_entries(dump.titles)?;
        let mapping = match run.mapping.take() {
            Some(mapping) => mapping,
            None => mapping::download_mapping(mapping_file, run.until).await?,
        };
        run.counts = MergeReport::new("AniDB");
        let ids = run.ids.clone();
        let mut title_facts = TitleFacts::new(&mapping, &ids);
        let anime: Vec<_> = dump.anime.iter().collect();
        let batches = anime.chunks(MAX_BATCH_READ);
        let length = batches.len() as u64;
        for (batch, position) in batches.zip(1..) {
            run.check_time()?;
            let mut writer = run.writer(false);
            for (anidb_id, titles) in batch {
                match title_facts.convert(**anidb_id, titles) {
                    Ok(facts) => writer.add(facts),
                    Err(skip) => writer.skip(u64::from(**anidb_id), &skip),
                }
            }
            writer.write().await?;
            writer.show("Reading AniDB's titles.", length, position);
        }
        Ok(Complete::File(version, dump.titles))
    }
}
