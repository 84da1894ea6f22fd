//! Refreshes anime from a release of the anime-offline-database.

use std::fs::File;
use std::io::{self, BufRead};
use std::mem;

use catalogue::import::{
    AnimeFacts, ENTRY_TOO_LONG, Entries, EntryReader, EntryUnit, OfflineDatabase, Skip, stated_date,
};
use catalogue::keep_relations;
use trackers::RemoteFile;

use crate::file_writer::FileWriter;
use crate::report::{SourceFailure, SourceName};
use crate::source::{Complete, ReadFile, RefreshSource, SourceError, SourceRun};

pub struct OfflineDatabaseSource<'s>(pub &'s RemoteFile);

impl RefreshSource for OfflineDatabaseSource<'_> {
    const NAME: SourceName = SourceName::OfflineDatabase;

    fn file(&self) -> Option<&RemoteFile> {
        Some(self.0)
    }

    async fn read(&self, run: &mut SourceRun<'_>) -> Result<Complete, SourceError> {
        let Some((mut file, info)) = run.download(self.0, Self::NAME).await? else {
            return Ok(Complete::Unchanged);
        };
        let unit = EntryUnit::of_file(&info.name).ok_or_else(|| {
            SourceFailure::File(
                "its name ends in neither .jsonl nor .json, .zst or .gz aside".to_owned(),
            )
        })?;
        let stated_at = stated_date(&mut file)?;
        run.check_age(stated_at)?;
        let mapping = run.mapping.clone().unwrap_or_default();
        let new_import = || OfflineDatabase::new(mapping.clone(), run.ids.clone());
        // The file is read to its end before its first entry is written, so an incomplete file changes nothing.
        let (total, usable) = count_entries(WithoutMetadataLine::open(&file, unit)?, new_import())?;
        run.check_entries(usable)?;
        let mut import = new_import();
        let mut entries = WithoutMetadataLine::open(&file, unit)?;
        let mut writer = FileWriter::new(run, unit.name());
        let write = async {
            let mut read = 0;
            while let Some((number, text)) = entries.next()? {
                match read_facts(&mut import, text) {
                    Ok(facts) => writer.add(facts).await?,
                    Err(skip) => writer.skip(number, &skip),
                }
                read += 1;
                writer.show("Reading the anime-offline-database.", total, read);
            }
            Ok(())
        };
        let written = write.await;
        writer.finish_after(written).await?;
        let relations = import.into_relations();
        keep_relations(&run.context.environment.database, &relations).await?;
        Ok(Complete::File(ReadFile::new(info, usable, stated_at)))
    }
}

fn read_facts(import: &mut OfflineDatabase, text: Option<Vec<u8>>) -> Result<AnimeFacts, Skip> {
    let text = text.ok_or_else(|| Skip::new(ENTRY_TOO_LONG, "not shown"))?;
    import.read_entry(&text)
}

/// Returns the number of entries in a file, and the number of those that are not skipped.
fn count_entries(
    mut entries: WithoutMetadataLine<'_>,
    mut import: OfflineDatabase,
) -> io::Result<(u64, u64)> {
    let (mut total, mut usable) = (0, 0);
    while let Some((_, text)) = entries.next()? {
        total += 1;
        usable += u64::from(read_facts(&mut import, text).is_ok());
    }
    Ok((total, usable))
}

/// The entries of a file, without the metadata line that a file of lines may begin with.
struct WithoutMetadataLine<'f> {
    entries: Entries<Box<dyn BufRead + Send + 'f>>,
    may_be_metadata_line: bool,
}

impl<'f> WithoutMetadataLine<'f> {
    fn open(file: &'f File, unit: EntryUnit) -> io::Result<Self> {
        Ok(Self {
            entries: Entries::open(file, unit)?,
            may_be_metadata_line: unit == EntryUnit::Line,
        })
    }

    fn next(&mut self) -> io::Result<Option<(u64, Option<Vec<u8>>)>> {
        let entry = self.entries.next()?;
        let text = entry.as_ref().and_then(|(_, text)| text.as_deref());
        if mem::take(&mut self.may_be_metadata_line)
            && text.is_some_and(OfflineDatabase::is_metadata_line)
        {
            return self.entries.next();
        }
        Ok(entry)
    }
}
