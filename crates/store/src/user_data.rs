//! Reads of the data that is stored about a user, for the file that users can download (docs/api.md).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use futures_util::try_join;
use serde::Deserialize;
use shared::Error;
use shared::models::{Anime, AnimeId, Origin, UserId};

use crate::anime_summary::AnimeSummary;
use crate::catalogue::CatalogueStore;
use crate::clients::ClientStore;
use crate::database::Database;
use crate::grants::GrantStore;
use crate::item::read;
use crate::links::LinkStore;
use crate::listing::read_all;
use crate::players::{PlayerRows, PlayerStore};
use crate::schema::oauth_client::OAuthClient;
use crate::schema::oauth_grant::{Grant, ProfileToken};
use crate::schema::session::Session;
use crate::schema::tracker_link::Link;
use crate::schema::user::Account;
use crate::schema::user_story::{Story, is_tombstone, take_deleted_row};
use crate::schema::waiting_list::WaitingList;
use crate::sessions::SessionStore;
use crate::stories::{StoryStore, read_story, story_rows};
use crate::waiting::WaitingStore;

/// The data that is stored about a user, including data that the user cannot see elsewhere. It has no statistics,
/// which are computed from this data, and no throttle rows, pending consents and codes, which expire.
#[derive(Debug)]
pub struct UserData {
    /// The account.
    pub account: Account,
    /// The sessions of the web pages, oldest first, including sessions that have ended but are still stored.
    pub sessions: Vec<Session>,
    /// The profile tokens, including tokens that have ended but are still stored.
    pub tokens: Vec<ProfileToken>,
    /// The clients that are or were connected.
    pub grants: Vec<Grant>,
    /// The clients that the user has registered, oldest first.
    pub clients: Vec<OAuthClient>,
    /// The names of the clients in `grants` and in the histories of stories, by their identifiers. The names of
    /// deleted clients are missing.
    pub client_names: BTreeMap<String, String>,
    /// The linked accounts at trackers.
    pub links: Vec<Link>,
    /// The stories, newest first.
    pub stories: Vec<Story>,
    /// The anime of the stories. Anime that are not in the catalogue are missing.
    pub anime: HashMap<AnimeId, AnimeSummary>,
    /// The deleted stories whose tombstones are still stored.
    pub deleted_stories: Vec<DeletedStory>,
    /// The entries of imports that wait for their anime.
    pub waiting: Option<WaitingList>,
    /// Everything about the players.
    pub players: PlayerRows,
}

/// The tombstone of a story.
#[derive(Clone, Debug, Deserialize)]
pub struct DeletedStory {
    /// The anime.
    pub anime_id: AnimeId,
    /// The time of the deletion, in milliseconds since the Unix epoch.
    pub deleted_at: u64,
    /// The time at which the tombstone expires, in seconds since the Unix epoch.
    pub expires_at: u64,
    /// The story, if it was selected and deleted in one step, which can be undone.
    #[serde(skip)]
    pub story: Option<Story>,
}

/// A row of the table `UserStory`.
enum StoryRow {
    Present(Box<Story>),
    Deleted(Box<DeletedStory>),
}

/// The store of everything about a user.
#[derive(Clone, Debug)]
pub struct UserDataStore {
    sessions: SessionStore,
    grants: GrantStore,
    clients: ClientStore,
    links: LinkStore,
    stories: StoryStore,
    anime: CatalogueStore<Anime>,
    waiting: WaitingStore,
    players: PlayerStore,
}

impl Database {
    /// Returns the store of everything about a user.
    #[must_use]
    pub fn user_data(&self) -> UserDataStore {
        UserDataStore {
            sessions: self.sessions(),
            grants: self.grants(),
            clients: self.clients(),
            links: self.tracker_links(),
            stories: self.stories(),
            anime: self.documents(),
            waiting: self.waiting(),
            players: self.players(),
        }
    }
}

impl UserDataStore {
    /// Returns the data about the user with this account, without the stories if `with_stories` is false. Costs at
    /// most one read unit for every 4 KB of the user's rows, and half a unit for every 4 KB of each anime and each
    /// client.
    pub async fn read(&self, account: Account, with_stories: bool) -> Result<UserData, Error> {
        let user = account.user.id;
        let stories = async {
            if with_stories {
                self.stories.with_tombstones(user).await
            } else {
                Ok((Vec::new(), Vec::new()))
            }
        };
        // The future is boxed, because the futures of calls in progress are large.
        let rows = Box::pin(async {
            try_join!(
                self.sessions.list(user),
                self.grants.rows_of(user),
                self.clients.list(user),
                self.links.list(user),
                stories,
                self.waiting.find(user),
                self.players.all_rows(user),
            )
        });
        let (sessions, (grants, tokens), clients, links, stories, waiting, players) = rows.await?;
        let (stories, deleted_stories) = stories;
        let kept = deleted_stories
            .iter()
            .filter_map(|deleted| deleted.story.as_ref());
        let all_stories = || stories.iter().chain(kept.clone());
        let origins = all_stories().flat_map(|story| &story.history);
        let in_histories = origins.filter_map(|revision| match &revision.by {
            Origin::Application(client_id) => Some(client_id.clone()),
            _ => None,
        });
        let connected = grants.iter().map(|grant| grant.client_id.clone());
        let ids: BTreeSet<String> = connected.chain(in_histories).collect();
        let ids: Vec<String> = ids.into_iter().collect();
        let anime_ids: Vec<AnimeId> = all_stories().map(|story| story.anime_id).collect();
        let (named, anime) = try_join!(
            self.clients.find_many(&ids),
            self.anime.summaries(&anime_ids)
        )?;
        let names = named.into_iter();
        Ok(UserData {
            account,
            sessions,
            tokens,
            grants,
            clients,
            client_names: names
                .map(|client| (client.client_id, client.name))
                .collect(),
            links,
            stories,
            anime,
            deleted_stories,
            waiting,
            players,
        })
    }
}

impl StoryStore {
    /// Returns all stories of a user, newest first, and the tombstones of deleted stories, by a strongly
    /// consistent read.
    async fn with_tombstones(
        &self,
        user: UserId,
    ) -> Result<(Vec<Story>, Vec<DeletedStory>), Error> {
        let query = story_rows(&self.client, &self.stories, user);
        let rows = read_all(query, |mut row| {
            if is_tombstone(&row) {
                let story = take_deleted_row(&mut row).map(read_story).transpose()?;
                let tombstone: DeletedStory = read(row)?;
                Ok(StoryRow::Deleted(Box::new(DeletedStory {
                    story,
                    ..tombstone
                })))
            } else {
                read_story(row).map(|story| StoryRow::Present(Box::new(story)))
            }
        });
        let (mut stories, mut deleted) = (Vec::new(), Vec::new());
        for row in rows.await? {
            match row {
                StoryRow::Present(story) => stories.push(*story),
                StoryRow::Deleted(tombstone) => deleted.push(*tombstone),
            }
        }
        stories.sort_unstable_by_key(|story| Reverse(story.creation_order));
        Ok((stories, deleted))
    }
}
