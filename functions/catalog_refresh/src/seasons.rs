//! Refreshes the season map from the list of anime-lists.

use std::io::BufReader;

use catalogue::import::SeasonList;
use catalogue::seasons::publish_seasons;
use trackers::RemoteFile;

use crate::report::SourceName;
use crate::source::{Complete, ReadFile, RefreshSource, SourceError, SourceRun};

pub struct SeasonSource<'s>(pub &'s RemoteFile);

impl RefreshSource for SeasonSource<'_> {
    const NAME: SourceName = SourceName::Seasons;

    fn file(&self) -> Option<&RemoteFile> {
        Some(self.0)
    }

    /// Publishes the season map of the file. Changes no row of the catalogue.
    async fn read(&self, run: &mut SourceRun<'_>) -> Result<Complete, SourceError> {
        let Some((file, info)) = run.download(self.0, Self::NAME).await? else {
            return Ok(Complete::Unchanged);
        };
        let list = SeasonList::read(BufReader::new(file))?;
        run.check_entries(list.anime)?;
        publish_seasons(&run.context.environment.database, &list.map).await?;
        run.counts = list.skips.into();
        Ok(Complete::File(ReadFile::new(info, list.anime, None)))
    }
}
