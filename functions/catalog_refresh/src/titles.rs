//! Refreshes titles from AniDB's dump.

use std::io::BufReader;

use catalogue::import::{TitleDump, TitleFacts, stated_date};
use trackers::RemoteFile;

use crate::file_writer::FileWriter;
use crate::mapping;
use crate::report::{SourceFailure, SourceName};
use crate::source::{Complete, ReadFile, RefreshSource, SourceError, SourceRun};

pub struct TitleSource<'s> {
    pub dump: &'s RemoteFile,
    /// The file with the mapping of identifiers, which assigns titles to anime.
    pub mapping: Option<&'s RemoteFile>,
}

impl RefreshSource for TitleSource<'_> {
    const NAME: SourceName = SourceName::AnidbTitles;

    fn file(&self) -> Option<&RemoteFile> {
        Some(self.dump)
    }

    async fn read(&self, run: &mut SourceRun<'_>) -> Result<Complete, SourceError> {
        let mapping_file = self.mapping.ok_or(SourceFailure::NoMapping)?;
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
        let Some((mut file, info)) = run.download(self.dump, Self::NAME).await? else {
            return Ok(Complete::Unchanged);
        };
        let dump = TitleDump::read(BufReader::new(&file))?;
        let stated_at = stated_date(&mut file)?;
        run.check_entries(dump.titles)?;
        let mapping = match run.mapping.take() {
            Some(mapping) => mapping,
            None => mapping::download_mapping(run.context, mapping_file, run.until)
                .await
                .map_err(as_failure_of_mapping)?,
        };
        let ids = run.ids.clone();
        let mut title_facts = TitleFacts::new(&mapping, &ids);
        let mut writer = FileWriter::new(run, "AniDB");
        let length = dump.anime.len() as u64;
        let write = async {
            for (position, (anidb_id, titles)) in (1..).zip(&dump.anime) {
                match title_facts.convert(*anidb_id, titles) {
                    Ok(facts) => writer.add(facts).await?,
                    Err(skip) => writer.skip(u64::from(*anidb_id), &skip),
                }
                writer.show("Reading AniDB's titles.", length, position);
            }
            Ok(())
        };
        let written = write.await;
        writer.finish_after(written).await?;
        Ok(Complete::File(ReadFile::new(info, dump.titles, stated_at)))
    }
}

/// Returns the failure of the titles if the mapping cannot be read, because the file of the titles is not the cause.
fn as_failure_of_mapping(error: SourceError) -> SourceError {
    match error {
        SourceError::Source(failure) => SourceFailure::Mapping(Box::new(failure)).into(),
        SourceError::Store(error) => SourceError::Store(error),
    }
}
