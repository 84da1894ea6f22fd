//! Users with linked accounts at two fake trackers, and runs of the tracker sync.

use std::collections::BTreeMap;
use std::time::Duration;

use accounts::linked_accounts::{LeaseStore, Link, LinkStore, NewLink, Unlink};
use accounts::linking::seal_tokens;
use accounts::users::UserChange;
use aws_sdk_dynamodb::Client;
use axum::http::Method;
use catalogue::Catalogue;
use serde_json::{Value, json};
use shared::auth::{Access, Action};
use shared::models::{Anime, AnimeId, Details, StoryState, TrackerName, WatchStatus};
use stories::lists::{Story, StoryStore, SyncStore, raise_episodes};
use tracker_sync::{SyncReport, SyncServices};
use trackers::{Config, TrackerTokens};

use crate::people::{Person, credential, story_body};
use crate::service::{Answer, Service};
use crate::trackers::{Fake, Fakes, Row, VIEWER};
use crate::{made_up, recorder};

/// A service whose users can link accounts at two fake trackers.
pub struct Linked {
    /// The service.
    pub service: Service,
    /// The fake trackers: `AniList` (A), then `MyAnimeList` (B).
    pub fakes: [Fake; 2],
    /// The catalogue: anime with 12 episodes each. Anime number `n`, counted from 1, has the id `100 + n`
    /// at `AniList` and `200 + n` at `MyAnimeList`.
    pub anime: Vec<Anime>,
    /// The same fakes, which can be found by the name of the tracker.
    pub both: Fakes,
}

/// Time limit of a sync run, in milliseconds.
pub const RUN_MS: u64 = 240_000;

impl Linked {
    /// Returns a service whose catalogue has this many anime.
    pub async fn with_anime(anime: u32) -> Self {
        let mut anime = made_up::anime(anime, 1);
        for (number, anime) in (1..).zip(&mut anime) {
            anime.episodes_count = 12;
            anime.tracker_a_id = Some(100 + number);
            anime.tracker_b_id = Some(200 + number);
        }
        let service = Service::with_catalogue(&anime, &[]).await;
        let (service, both) = service.with_trackers().await;
        Self {
            service,
            fakes: [both.a.clone(), both.b.clone()],
            anime,
            both,
        }
    }

    /// Creates a user who has linked the account of [`VIEWER`] at these trackers.
    pub async fn person(&self, name: &str, trackers: &[TrackerName]) -> Person {
        let person = self.service.person(name).await;
        for tracker in trackers {
            let tokens = self.both.of(*tracker).tokens();
            self.link(&person, *tracker, VIEWER.0, &tokens).await;
        }
        person
    }

    /// Links an account with the update that the profile page makes.
    pub async fn link(
        &self,
        person: &Person,
        tracker: TrackerName,
        account: u64,
        tokens: &TrackerTokens,
    ) {
        let sealer = self.service.environment.sealer().unwrap();
        let link = Link {
            user_id: person.id,
            tracker,
            link_id: self.service.environment.database.random.short_id(),
            account,
            name: VIEWER.1.to_owned(),
            tokens: seal_tokens(&sealer, person.id, tracker, tokens)
                .await
                .unwrap(),
            needs_reconnect: false,
            linked_at: self.service.clock.now_ms(),
            failures: 0,
            not_before: 0,
            report: None,
        };
        let (new, change) = (NewLink { link, avatar: None }, UserChange::default());
        let (access, store) = (self.access(person), self.link_store());
        store.link(&access, &new, &change).await.unwrap();
    }

    /// Unlinks an account with the update that the profile page makes.
    pub async fn unlink(&self, person: &Person, tracker: TrackerName) {
        let other = tracker.other();
        let links = self.links(person).await;
        let unlink = Unlink {
            tracker,
            other_is_linked: links.iter().any(|link| link.tracker == other),
        };
        let (access, store) = (self.access(person), self.link_store());
        store.unlink(&access, unlink).await.unwrap();
    }

    fn access(&self, person: &Person) -> Access {
        let credential = credential(&self.service.environment.tokens().unwrap(), person.id);
        Access::new(&credential, Action::LinkTracker, person.id)
    }

    fn link_store(&self) -> LinkStore {
        LinkStore::new(&self.service.database())
    }

    /// Returns the services that a sync run uses.
    pub fn services(&self) -> SyncServices {
        self.services_with_client(&self.service.client)
    }

    /// Returns the services of a sync run that reaches DynamoDB through `client`.
    pub fn services_with_client(&self, client: &Client) -> SyncServices {
        let mut environment = self.service.environment.clone();
        environment.database.client =
            recorder::of_function(client, &self.service.tables, "tracker_sync");
        SyncServices::new(&environment).unwrap()
    }

    /// Returns the same service with a changed configuration of the trackers.
    #[must_use]
    pub fn with_config(self, change: impl Fn(TrackerName, &mut Config)) -> Self {
        Self {
            service: self.service.with_trackers_as(&self.both, change),
            ..self
        }
    }

    /// Runs the sync as the schedule does.
    pub async fn run(&self) -> SyncReport {
        let until = self.service.clock.now_ms() + RUN_MS;
        tracker_sync::run(&self.services(), until).await.unwrap()
    }

    /// Runs the sync 25 hours later, when every user is due.
    pub async fn run_later(&self) -> SyncReport {
        self.service.clock.advance(Duration::from_hours(25));
        self.run().await
    }

    /// Puts an entry into the list of [`VIEWER`], changed at the current time.
    pub fn edit(&self, tracker: TrackerName, number: usize, status: WatchStatus, progress: u32) {
        let row = Row::new(status, progress, self.service.clock.now_s());
        let media_id = self.media_id(tracker, number);
        self.both.of(tracker).state().rows.insert(media_id, row);
    }

    /// Changes an entry in the list of [`VIEWER`] at the current time.
    ///
    /// # Panics
    ///
    /// If there is no such entry.
    pub fn change_entry(&self, tracker: TrackerName, number: usize, change: impl FnOnce(&mut Row)) {
        let media_id = self.media_id(tracker, number);
        let mut state = self.both.of(tracker).state();
        let row = state.rows.get_mut(&media_id).unwrap();
        change(row);
        row.updated_at = self.service.clock.now_s();
    }

    /// Returns the id of an anime at a tracker. `number` is an index into `anime`.
    pub fn media_id(&self, tracker: TrackerName, number: usize) -> u32 {
        let anime = &self.anime[number];
        let id = match tracker {
            TrackerName::A => anime.tracker_a_id,
            TrackerName::B => anime.tracker_b_id,
        };
        id.unwrap()
    }

    /// Returns the entry of an anime in the list of [`VIEWER`].
    pub fn row(&self, tracker: TrackerName, number: usize) -> Option<Row> {
        let media_id = self.media_id(tracker, number);
        let state = self.both.of(tracker).state();
        state.rows.get(&media_id).cloned()
    }

    /// Returns the status and the progress of an entry in the list of [`VIEWER`].
    pub fn entry(&self, tracker: TrackerName, number: usize) -> Option<(WatchStatus, u32)> {
        let row = self.row(tracker, number)?;
        Some((row.status, row.progress))
    }

    /// Returns the store of the leases of sync runs.
    pub fn lease_store(&self) -> LeaseStore {
        LeaseStore::new(&self.service.database())
    }

    /// Returns the store that a sync run uses.
    pub fn sync_store(&self) -> SyncStore {
        SyncStore::new(&self.service.database())
    }

    /// Returns the stored stories of a user, by anime.
    pub async fn rows(&self, person: &Person) -> BTreeMap<AnimeId, Story> {
        let stories = self.sync_store().stories(person.id).await.unwrap();
        stories
            .into_iter()
            .map(|story| (story.anime_id, story))
            .collect()
    }

    /// Returns the status and the progress of a user's story.
    pub async fn story(&self, person: &Person, number: usize) -> Option<(WatchStatus, u32)> {
        let state = self.story_state(person, number).await?;
        Some((state.status, state.progress()))
    }

    /// Returns the state of a user's story.
    pub async fn story_state(&self, person: &Person, number: usize) -> Option<StoryState> {
        let rows = self.rows(person).await;
        let story = rows.get(&self.anime[number].id)?;
        Some(story.state.clone())
    }

    /// Changes the number of episodes of an anime in the catalogue, and lets the stories follow it.
    ///
    /// # Panics
    ///
    /// If the stories cannot be changed.
    pub async fn set_episodes(&self, number: usize, episodes_count: u32) {
        let anime = Anime {
            episodes_count,
            ..self.anime[number].clone()
        };
        self.service.put(&[anime]).await;
        self.service.publish().await;
        let database = self.service.database();
        let catalogue = Catalogue::new(&database, 0);
        let (stories, clock) = (StoryStore::new(&database), &database.clock);
        let raised = raise_episodes(&stories, &catalogue, clock, u64::MAX).await;
        assert_eq!(raised.unwrap().failed, 0);
    }

    /// Returns the details of a user's story.
    pub async fn details(&self, person: &Person, number: usize) -> Option<Details> {
        let state = self.story_state(person, number).await?;
        Some(state.details)
    }

    /// Changes details of a story over HTTP.
    ///
    /// # Panics
    ///
    /// If the story does not exist, or the service refuses the change.
    pub async fn set_details(&self, person: &Person, number: usize, details: &Value) {
        let state = self.story_state(person, number).await.unwrap();
        let (status, episode) = (state.status, state.current_episode);
        let anime = &self.anime[number];
        let mut body = story_body(person, anime, status.into(), episode.into());
        body["details"] = details.clone();
        let answer = self.send_story(person, Method::POST, &body).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }

    /// Creates a story over HTTP, or updates it if it exists.
    pub async fn watch(&self, person: &Person, number: usize, status: u8, episode: u32) -> Answer {
        let anime = &self.anime[number];
        let body = json!({
            "user_id": person.id, "anime_id": anime.id, "status": status, "current_episode": episode
        });
        let made = self.send_story(person, Method::PUT, &body).await;
        if made.status != 409 {
            return made;
        }
        let body = story_body(person, anime, status, episode.into());
        self.send_story(person, Method::POST, &body).await
    }

    async fn send_story(&self, person: &Person, method: Method, body: &Value) -> Answer {
        self.service
            .json(method, "/v1/user_story", Some(&person.token), body)
            .await
    }

    /// Returns the linked accounts of a user.
    pub async fn links(&self, person: &Person) -> Vec<Link> {
        self.link_store().list(person.id).await.unwrap()
    }

    /// Counts the user's stories that are synced and those that are not.
    pub async fn synced_counts(&self, person: &Person) -> [usize; 2] {
        let count = async |synced: bool| {
            let path = format!("/v1/user_story?synced={synced}");
            let list = self.service.get_as(&person.token, &path).await;
            list.ids().len()
        };
        [count(true).await, count(false).await]
    }
}
