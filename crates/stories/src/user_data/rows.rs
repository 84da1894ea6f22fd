//! Reads the data that is stored about a user, for the file that users can download (docs/api.md).

use std::collections::{BTreeMap, BTreeSet};

use accounts::applications::{ClientStore, OAuthClient};
use accounts::grants::{Grant, GrantStore, ProfileToken};
use accounts::linked_accounts::{Link, LinkStore};
use accounts::sessions::{Session, SessionStore};
use accounts::users::{Account, Picture, UserStore};
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use catalogue::{AnimeSummaries, Catalogue};
use dynamo::{Database, Item, read, to_error};
use futures_util::try_join;
use serde::Deserialize;
use shared::Result;
use shared::models::{Anime, AnimeId, Origin};

use crate::list_files::waiting_list::WaitingList;
use crate::list_files::waiting_store::WaitingStore;
use crate::lists::story_store::{StoryStore, read_story, story_rows};
use crate::lists::user_story::{Story, is_tombstone, take_deleted_row};
use crate::players::player_store::{PlayerRows, PlayerStore};

/// The data that is stored about a user, including data that the user cannot see elsewhere, without the stories
/// ([`UserDataStore::stories`]). It has no statistics, which are computed from this data, and no throttle rows, pending
/// consents and codes, which expire.
#[derive(Debug)]
pub struct UserData {
    /// The account.
    pub account: Account,
    /// The picture that the user has uploaded.
    pub picture: Option<Picture>,
    /// The sessions of the web pages, oldest first, including sessions that have ended but are still stored.
    pub sessions: Vec<Session>,
    /// The profile tokens, including tokens that have ended but are still stored.
    pub tokens: Vec<ProfileToken>,
    /// The clients that are or were connected.
    pub grants: Vec<Grant>,
    /// The clients that the user has registered, oldest first.
    pub clients: Vec<OAuthClient>,
    /// The names of the clients in `grants` by their identifiers. The names of deleted clients are missing.
    pub client_names: BTreeMap<String, String>,
    /// The linked accounts at trackers.
    pub links: Vec<Link>,
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

/// A part of the stories of a user, with their anime.
#[derive(Debug)]
pub struct StoryPart {
    pub(super) rows: StoryRows,
    pub(super) anime: AnimeSummaries,
}

/// The rows of a part of the stories of a user, with their histories.
#[derive(Debug, Default)]
pub struct StoryRows {
    /// The stories, in the order of their anime.
    pub stories: Vec<Story>,
    /// The deleted stories whose tombstones are still stored.
    pub deleted: Vec<DeletedStory>,
    /// The names of those clients in the histories that no earlier part has named, by identifier. The names of deleted
    /// clients are missing.
    pub client_names: BTreeMap<String, String>,
}

impl StoryRows {
    /// Returns the stories, including the deleted ones that can be restored.
    fn all(&self) -> impl Iterator<Item = &Story> {
        let deleted = self.deleted.iter();
        let restorable = deleted.filter_map(|deleted| deleted.story.as_ref());
        self.stories.iter().chain(restorable)
    }

    fn add(&mut self, mut row: Item) -> Result<()> {
        if is_tombstone(&row) {
            let story = take_deleted_row(&mut row).map(read_story).transpose()?;
            let tombstone: DeletedStory = read(row)?;
            self.deleted.push(DeletedStory { story, ..tombstone });
        } else {
            self.stories.push(read_story(row)?);
        }
        Ok(())
    }
}

/// The store of everything about a user.
#[derive(Clone, Debug)]
pub struct UserDataStore {
    users: UserStore,
    sessions: SessionStore,
    grants: GrantStore,
    clients: ClientStore,
    links: LinkStore,
    stories: StoryStore,
    waiting: WaitingStore,
    players: PlayerStore,
}

impl UserDataStore {
    /// Creates the store of everything about a user.
    pub fn new(database: &Database) -> Self {
        Self {
            users: UserStore::new(database),
            sessions: SessionStore::new(database),
            grants: GrantStore::new(database),
            clients: ClientStore::new(database),
            links: LinkStore::new(database),
            stories: StoryStore::new(database),
            waiting: WaitingStore::new(database),
            players: PlayerStore::new(database),
        }
    }

    /// Returns the data about the user with this account, without the stories. Costs at most one read unit for every
    /// 4 KB of the user's rows, and half a unit for every 4 KB of each client.
    pub async fn read(&self, account: Account) -> Result<UserData> {
        let user = account.user.id;
        let picture = async {
            match account.picture {
                Some(_) => self.users.find_picture(user).await,
                None => Ok(None),
            }
        };
        // The future is boxed, because the futures of calls in progress are large.
        let rows = Box::pin(async {
            try_join!(
                picture,
                self.sessions.list(user),
                self.grants.rows_of(user),
                self.clients.list(user),
                self.links.list(user),
                self.waiting.find(user),
                self.players.all_rows(user),
            )
        });
        let (picture, sessions, (grants, tokens), clients, links, waiting, players) = rows.await?;
        let connected = grants.iter().map(|grant| grant.client_id.clone());
        let connected: Vec<String> = connected.collect();
        Ok(UserData {
            account,
            picture,
            sessions,
            tokens,
            client_names: self.client_names(&connected).await?,
            grants,
            clients,
            links,
            waiting,
            players,
        })
    }

    /// Returns a reader of the user's stories, for the data that [`Self::read`] has returned. It needs little memory,
    /// however many stories there are.
    pub fn stories(&self, data: &UserData) -> StoryReader {
        let StoryStore {
            client, stories, ..
        } = &self.stories;
        let connected = data.grants.iter().map(|grant| grant.client_id.clone());
        StoryReader {
            query: Some(story_rows(client, stories, data.account.user.id)),
            named: connected.collect(),
            store: self.clone(),
        }
    }

    async fn client_names(&self, ids: &[String]) -> Result<BTreeMap<String, String>> {
        let clients = self.clients.find_many(ids).await?.into_iter();
        Ok(clients
            .map(|client| (client.client_id, client.name))
            .collect())
    }
}

/// Reads the stories of a user in parts.
#[derive(Debug)]
pub struct StoryReader {
    store: UserDataStore,
    /// The query for the next part; `None` after the last one.
    query: Option<QueryFluentBuilder>,
    /// The clients whose names were read.
    named: BTreeSet<String>,
}

impl StoryReader {
    /// Returns the next part; `None` after the last one. The read is strongly consistent. Costs one read unit for every
    /// 4 KB of stories. A part has the rows of one response of `DynamoDB`, at most 1 MB.
    pub async fn next(&mut self, catalogue: &Catalogue<Anime>) -> Result<Option<StoryPart>> {
        let Some(query) = self.query.take() else {
            return Ok(None);
        };
        let page = query.clone().send().await.map_err(to_error)?;
        let mut rows = StoryRows::default();
        for row in page.items.unwrap_or_default() {
            rows.add(row)?;
        }
        let origins = rows.all().flat_map(|story| &story.history);
        let in_histories = origins.filter_map(|revision| match &revision.by {
            Origin::Application(client_id) => Some(client_id),
            _ => None,
        });
        let unnamed = in_histories.filter(|client_id| !self.named.contains(*client_id));
        let unnamed: BTreeSet<String> = unnamed.cloned().collect();
        let ids: Vec<String> = unnamed.iter().cloned().collect();
        rows.client_names = self.store.client_names(&ids).await?;
        self.named.extend(unnamed);
        let start = page.last_evaluated_key;
        self.query = start.map(|start| query.set_exclusive_start_key(Some(start)));
        let ids: Vec<AnimeId> = rows.all().map(|story| story.anime_id).collect();
        let anime = catalogue.summaries(&ids).await?;
        Ok(Some(StoryPart { rows, anime }))
    }
}
