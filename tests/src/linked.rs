//! Users who have linked accounts at two fake trackers, and runs of the synchronisation.

use std::collections::BTreeMap;
use std::time::Duration;

use accounts::linking::seal_tokens;
use aws_sdk_dynamodb::Client;
use axum::http::Method;
use serde_json::{Value, json};
use shared::auth::{Access, Action};
use shared::models::{Anime, AnimeId, TrackerName, WatchStatus};
use store::{Link, LinkStore, NewLink, Story, SyncStore, Unlink, UserChange};
use tracker_sync::{Report, SyncState};
use trackers::{Config, Tokens};

use crate::made_up;
use crate::people::{Person, credential, story_body};
use crate::service::{Answer, Service};
use crate::trackers::{Fake, Fakes, Row, VIEWER};

/// A service whose users may link accounts at two fake trackers.
pub struct Linked {
    /// The service.
    pub service: Service,
    /// The trackers, A and B.
    pub fakes: [Fake; 2],
    /// The catalogue: anime of 12 episodes each, which tracker A calls by 100 and their number, and
    /// tracker B by 200 and it.
    pub anime: Vec<Anime>,
    /// The same, by name.
    pub both: Fakes,
}

/// How long a run has, in milliseconds.
pub const RUN_MS: u64 = 240_000;

impl Linked {
    /// A service with so many anime.
    pub async fn with(anime: u32) -> Self {
        let mut anime = made_up::anime(anime, 1);
        for (number, anime) in (1..).zip(&mut anime) {
            anime.episodes_count = 12;
            anime.tracker_a_id = Some(100 + number);
            anime.tracker_b_id = Some(200 + number);
        }
        let service = Service::with(&anime, &[]).await;
        let (service, both) = service.with_trackers().await;
        Self {
            service,
            fakes: [both.a.clone(), both.b.clone()],
            anime,
            both,
        }
    }

    /// Somebody who has linked the account of [`VIEWER`] at these trackers.
    pub async fn person(&self, name: &str, trackers: &[TrackerName]) -> Person {
        let person = self.service.person(name).await;
        for tracker in trackers {
            let tokens = self.both.of(*tracker).tokens();
            self.link(&person, *tracker, VIEWER.0, &tokens).await;
        }
        person
    }

    /// Links an account, as the profile page does.
    pub async fn link(&self, person: &Person, tracker: TrackerName, account: u64, tokens: &Tokens) {
        let sealer = self.service.environment.sealer().unwrap();
        let link = Link {
            user_id: person.id,
            tracker,
            link_id: self.service.environment.random.short_id(),
            account,
            name: VIEWER.1.to_owned(),
            tokens: seal_tokens(&sealer, person.id, tracker, tokens)
                .await
                .unwrap(),
            is_refused: false,
            linked_at: self.service.clock.now_ms(),
            failures: 0,
            not_before: 0,
            report: None,
        };
        let change = UserChange {
            link: Some(NewLink { link, avatar: None }),
            ..UserChange::default()
        };
        self.change(person, &change).await;
    }

    /// Forgets what somebody has linked at a tracker, as the profile page does.
    pub async fn unlink(&self, person: &Person, tracker: TrackerName) {
        let other = tracker.other();
        let links = self.links(person).await;
        let change = UserChange {
            unlink: Some(Unlink {
                tracker,
                other_is_linked: links.iter().any(|link| link.tracker == other),
            }),
            ..UserChange::default()
        };
        self.change(person, &change).await;
    }

    async fn change(&self, person: &Person, change: &UserChange) {
        let credential = credential(&self.service.environment.tokens().unwrap(), person.id);
        let access = Access::new(&credential, Action::LinkTracker, person.id);
        let users = self.service.users();
        users.update_own(&access, change).await.unwrap();
    }

    /// What a run works with.
    #[must_use]
    pub fn state(&self) -> SyncState {
        self.state_over(self.service.client.clone())
    }

    /// What a run works with that calls DynamoDB by this client.
    #[must_use]
    pub fn state_over(&self, client: Client) -> SyncState {
        let mut environment = self.service.environment.clone();
        environment.client = client;
        SyncState::new(&environment).unwrap()
    }

    /// The same trackers, configured otherwise.
    #[must_use]
    pub fn configured(self, change: impl Fn(TrackerName, &mut Config)) -> Self {
        Self {
            service: self.service.with_trackers_as(&self.both, change),
            ..self
        }
    }

    /// A run, as the schedule starts it.
    pub async fn run(&self) -> Report {
        let until = self.service.clock.now_ms() + RUN_MS;
        tracker_sync::run(&self.state(), until).await.unwrap()
    }

    /// A run once everybody is due.
    pub async fn run_later(&self) -> Report {
        self.service.clock.advance(Duration::from_hours(25));
        self.run().await
    }

    /// Puts an entry into the list of [`VIEWER`], as if it changed there now.
    pub fn edit(&self, tracker: TrackerName, number: usize, status: WatchStatus, progress: u32) {
        let row = Row {
            status,
            progress,
            episodes: Some(12),
            private: false,
            hidden: false,
            updated_at: self.service.clock.now_s(),
        };
        let media_id = self.media_id(tracker, number);
        self.both.of(tracker).state().rows.insert(media_id, row);
    }

    /// What a tracker calls an anime.
    #[must_use]
    pub fn media_id(&self, tracker: TrackerName, number: usize) -> u32 {
        let anime = &self.anime[number];
        let id = match tracker {
            TrackerName::A => anime.tracker_a_id,
            TrackerName::B => anime.tracker_b_id,
        };
        id.unwrap()
    }

    /// The entry of an anime in the list of [`VIEWER`].
    #[must_use]
    pub fn entry(&self, tracker: TrackerName, number: usize) -> Option<(WatchStatus, u32)> {
        let media_id = self.media_id(tracker, number);
        let state = self.both.of(tracker).state();
        state
            .rows
            .get(&media_id)
            .map(|row| (row.status, row.progress))
    }

    /// What a run reads and writes.
    #[must_use]
    pub fn sync_store(&self) -> SyncStore {
        let random = self.service.environment.random.clone();
        SyncStore::new(self.service.client.clone(), &self.service.tables, random)
    }

    /// The stories of somebody, as they are kept.
    pub async fn rows(&self, person: &Person) -> BTreeMap<AnimeId, Story> {
        let stories = self.sync_store().stories(person.id).await.unwrap();
        stories
            .into_iter()
            .map(|story| (story.anime_id, story))
            .collect()
    }

    /// Somebody's story of an anime.
    pub async fn story(&self, person: &Person, number: usize) -> Option<(WatchStatus, u32)> {
        let rows = self.rows(person).await;
        let story = rows.get(&self.anime[number].id)?;
        Some((story.status, story.current_episode))
    }

    /// Makes a story, or changes it: over HTTP, as its user does.
    pub async fn watch(&self, person: &Person, number: usize, status: u8, episode: u32) -> Answer {
        let anime = &self.anime[number];
        let body = json!({
            "user_id": person.id, "anime_id": anime.id, "status": status, "current_episode": episode
        });
        let made = self.send(person, Method::PUT, &body).await;
        if made.status != 409 {
            return made;
        }
        let body = story_body(person, anime, status, episode.into());
        self.send(person, Method::POST, &body).await
    }

    async fn send(&self, person: &Person, method: Method, body: &Value) -> Answer {
        self.service
            .json(method, "/v1/user_story", Some(&person.token), body)
            .await
    }

    /// What somebody has linked.
    pub async fn links(&self, person: &Person) -> Vec<Link> {
        let random = self.service.environment.random.clone();
        let client = self.service.client.clone();
        let store = LinkStore::new(client, &self.service.tables, random);
        store.of(person.id).await.unwrap()
    }

    /// How many of somebody's stories are synced, and how many are not.
    pub async fn synced(&self, person: &Person) -> [usize; 2] {
        let count = async |synced: bool| {
            let path = format!("/v1/user_story?synced={synced}");
            let list = self
                .service
                .with_token(Method::GET, &path, &person.token)
                .await;
            list.ids().len()
        };
        [count(true).await, count(false).await]
    }
}
