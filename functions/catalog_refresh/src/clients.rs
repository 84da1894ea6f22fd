//! The configured sources of a refresh, and their clients.

use std::sync::Arc;

use runtime::Environment;
use shared::models::TrackerName;
use trackers::{AniList, AnimeThemes, MyAnimeList, RemoteFile, Tracker, Trackers};

use crate::report::SourceName;

/// The clients of the sources of a refresh. A source that is `None` is off.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sources<'s> {
    /// The mapping of identifiers between `AniDB`, the trackers and The Movie Database.
    pub mapping: Option<&'s RemoteFile>,
    /// The places of anime in the seasons of `TheTVDB` and The Movie Database.
    pub seasons: Option<&'s RemoteFile>,
    /// A release of the anime-offline-database.
    pub offline_database: Option<&'s RemoteFile>,
    /// The dump of AniDB's titles, which are assigned to anime by the mapping.
    pub titles: Option<&'s RemoteFile>,
    /// MyAnimeList.
    pub my_anime_list: Option<&'s MyAnimeList>,
    /// AniList.
    pub anilist: Option<&'s AniList>,
    /// The source of songs.
    pub anime_themes: Option<&'s AnimeThemes>,
    /// True if files are read even if they have not changed since a run has read them.
    pub rereads_files: bool,
}

/// The clients of the sources that the environment variables configure ([`SourceName::variable`]).
#[derive(Debug)]
pub struct Clients {
    trackers: Arc<Trackers>,
    anime_themes: Option<AnimeThemes>,
    mapping: Option<RemoteFile>,
    seasons: Option<RemoteFile>,
    offline_database: Option<RemoteFile>,
    titles: Option<RemoteFile>,
}

impl Clients {
    /// Reads the configuration. With `uses_usual_files`, a file without a variable is at its usual addresses
    /// ([`SourceName::usual_addresses`]), otherwise it is off.
    pub fn read(
        environment: &Environment,
        uses_usual_files: bool,
    ) -> Result<Self, lambda_http::Error> {
        let file = |name: SourceName| {
            let (variable, usual) = (name.variable(), name.usual_addresses());
            environment.remote_file(variable, name.key(), usual, uses_usual_files)
        };
        Ok(Self {
            trackers: environment.trackers()?,
            anime_themes: environment.anime_themes()?,
            mapping: file(SourceName::Mapping)?,
            seasons: file(SourceName::Seasons)?,
            offline_database: file(SourceName::OfflineDatabase)?,
            titles: file(SourceName::AnidbTitles)?,
        })
    }

    /// Returns the configured sources.
    pub async fn sources(&self) -> Result<Sources<'_>, String> {
        let tracker = async |name| {
            let tracker = self.trackers.get(name).await;
            tracker.map_err(|error| format!("{error:?}"))
        };
        Ok(Sources {
            mapping: self.mapping.as_ref(),
            seasons: self.seasons.as_ref(),
            offline_database: self.offline_database.as_ref(),
            titles: self.titles.as_ref(),
            my_anime_list: match tracker(TrackerName::B).await? {
                Some(Tracker::MyAnimeList(tracker)) => Some(tracker),
                _ => None,
            },
            anilist: match tracker(TrackerName::A).await? {
                Some(Tracker::AniList(tracker)) => Some(tracker),
                _ => None,
            },
            anime_themes: self.anime_themes.as_ref(),
            rereads_files: false,
        })
    }
}

impl Sources<'_> {
    /// Returns the names of the sources that are configured, in the order in which they are read.
    pub fn names(&self) -> Vec<SourceName> {
        let is_on = |name: &SourceName| match name {
            SourceName::Mapping => self.mapping.is_some(),
            SourceName::Seasons => self.seasons.is_some(),
            SourceName::OfflineDatabase => self.offline_database.is_some(),
            SourceName::AnidbTitles => self.titles.is_some(),
            SourceName::MyAnimeList => self.my_anime_list.is_some(),
            SourceName::AniList => self.anilist.is_some(),
            SourceName::AnimeThemes => self.anime_themes.is_some(),
        };
        let all = SourceName::ALL.map(|(name, _)| name);
        all.into_iter().filter(is_on).collect()
    }
}
