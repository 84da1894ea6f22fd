//! A small catalogue with seasons, and players with addresses.

use axum::http::Method;
use serde_json::{Value, json};
use shared::auth::Action;
use shared::models::{Anime, AnimeFormat, AnimeStatus, PlayerContent, PlayerKind};
use stories::lists::StoryStore;
use stories::players::{
    PlaybackReceiver, Player, PlayerAddresses, PlayerChange, PlayerReport, PlayerSettings,
    PlayerStore, SeriesAnswer, SeriesName, UnmatchedSeries,
};

use crate::made_up;
use crate::people::Person;
use crate::service::{Answer, Service};

/// The titles of the anime 1 to 6. Anime 1 and 2 are the parts of a season, 3 is a movie, 4 the second season, which
/// airs, and 5 another series. The number of episodes of anime 6 is unknown.
pub const TITLES: [&str; 6] = [
    "Harbor Lights",
    "Harbor Lights Part 2",
    "Harbor Lights: The Last Ferry",
    "Harbor Lights 2",
    "Paper Moons",
    "Endless Summer",
];

/// The series 70 at TheTVDB has the anime 1, 2 and 4, and the movie 3 as its first special. The series 71 is anime 5.
const SEASONS: &str = r#"<anime-list>
  <anime anidbid="1" tvdbid="70" defaulttvdbseason="1"/>
  <anime anidbid="2" tvdbid="70" defaulttvdbseason="1" episodeoffset="12"/>
  <anime anidbid="3" tvdbid="70" defaulttvdbseason="0" tmdbid="90" imdbid="tt0286390">
    <mapping-list><mapping anidbseason="1" tvdbseason="0">;1-1;</mapping></mapping-list>
  </anime>
  <anime anidbid="4" tvdbid="70" defaulttvdbseason="2"/>
  <anime anidbid="5" tvdbid="71" defaulttvdbseason="1"/>
</anime-list>"#;

/// Returns the anime. Finished ones have 12 episodes, except the movie.
pub fn anime() -> Vec<Anime> {
    let mut anime = made_up::anime(6, 1);
    for ((anime, title), number) in anime.iter_mut().zip(TITLES).zip(1..) {
        anime.titles = [("en".to_owned(), title.to_owned())].into();
        anime.tracker_a_id = Some(100 + number);
        anime.tracker_b_id = Some(200 + number);
        anime.database_id = None;
        anime.format = AnimeFormat::Tv;
        anime.status = AnimeStatus::Finished;
        anime.season_year = Some(2000);
        anime.episodes_count = 12;
    }
    anime[2].format = AnimeFormat::Movie;
    anime[2].episodes_count = 1;
    anime[3].status = AnimeStatus::Releasing;
    anime[3].season_year = Some(2010);
    anime[5].status = AnimeStatus::Releasing;
    anime[5].episodes_count = 0;
    anime
}

/// A service with the anime and a user.
pub struct Players {
    /// The service.
    pub service: Service,
    /// The user.
    pub person: Person,
}

impl Players {
    /// Returns the service with the anime, their seasons and the user `mitsuha`.
    pub async fn new() -> Self {
        Self::of(Service::with_catalogue(&anime(), &[]).await).await
    }

    /// Adds the seasons and the user to a service that has the anime.
    pub async fn of(service: Service) -> Self {
        let ids = (1..=6).map(|number| {
            json!({"anidb_id": number, "mal_id": 200 + number, "thetvdb_id": if number == 5 { 71 } else { 70 }})
        });
        service.import_seasons(&ids.collect(), SEASONS).await;
        service.let_index_age();
        let person = service.person("mitsuha").await;
        Self { service, person }
    }

    /// Adds a player that plays only anime. Returns the path of its address.
    pub async fn add(&self, kind: PlayerKind, name: &str) -> String {
        self.add_playing(kind, name, PlayerContent::Anime).await
    }

    /// Adds a player that also plays other things than anime. Returns the path of its address.
    pub async fn add_mixed(&self, kind: PlayerKind, name: &str) -> String {
        self.add_playing(kind, name, PlayerContent::Mixed).await
    }

    async fn add_playing(&self, kind: PlayerKind, name: &str, plays: PlayerContent) -> String {
        let addresses = self.addresses();
        let access = self
            .service
            .access(&self.person, Action::ManageTokens)
            .await;
        let account = self.service.users().account(self.person.id).await.unwrap();
        let account = account.unwrap();
        let added = addresses.add(&access, &account, name.to_owned(), kind, plays);
        let id = added.await.unwrap();
        self.address_of(id).await
    }

    /// Returns the path of a player's address.
    pub async fn address_of(&self, id: u8) -> String {
        let account = self.service.users().account(self.person.id).await;
        let account = account.unwrap().unwrap();
        let player = self.player(id).await;
        let secret = self.addresses().read_secret(&account, &player).await;
        format!("/v1/playback/{}", secret.unwrap().unwrap())
    }

    /// Returns the store of players.
    pub fn store(&self) -> PlayerStore {
        PlayerStore::new(&self.service.database())
    }

    /// Returns a player.
    pub async fn player(&self, id: u8) -> Player {
        let players = self.store().list(self.person.id).await.unwrap();
        let mut players = players.into_iter();
        players.find(|player| player.id() == id).unwrap()
    }

    /// Returns the reports of a player, newest first.
    pub async fn reports(&self, id: u8) -> Vec<PlayerReport> {
        let player = self.player(id).await;
        self.store().reports(&player).await.unwrap()
    }

    /// Returns the unmatched series, the one that was watched last first.
    pub async fn unmatched(&self) -> Vec<UnmatchedSeries> {
        self.store().unmatched(self.person.id).await.unwrap()
    }

    /// Returns the number of unmatched series about which the user is asked.
    pub async fn questions(&self) -> usize {
        let questions = self.store();
        let questions = questions.count_questions(self.person.id, None).await;
        questions.unwrap()
    }

    /// Changes the settings of player 0.
    pub async fn set(&self, change: impl FnOnce(&mut PlayerSettings)) {
        let mut settings = self.player(0).await.settings;
        change(&mut settings);
        let access = self
            .service
            .access(&self.person, Action::ManageTokens)
            .await;
        let change = PlayerChange {
            secret: None,
            settings: Some(settings),
        };
        self.store().change(&access, 0, &change).await.unwrap();
    }

    /// Returns the receiver of messages.
    pub fn receiver(&self) -> PlaybackReceiver {
        let database = self.service.database();
        PlaybackReceiver {
            players: self.store(),
            stories: StoryStore::new(&database),
            catalogue: self.service.environment.catalogue().unwrap(),
            clock: self.service.clock.clone(),
        }
    }

    /// Answers as the user about a season of a series. Returns the number of kept episodes that have changed a story.
    pub async fn answer(&self, title: &str, season: &str, answer: SeriesAnswer) -> usize {
        let access = self
            .service
            .access(&self.person, Action::ManageTokens)
            .await;
        let series = SeriesName::read(title, season).unwrap();
        let answered = self.receiver().answer(&access, &series, answer).await;
        answered.unwrap()
    }

    /// Returns the operations on addresses.
    pub fn addresses(&self) -> PlayerAddresses {
        PlayerAddresses::new(
            self.store(),
            self.service.environment.address_secrets().unwrap(),
            self.service.clock.clone(),
        )
    }

    /// Posts a message.
    pub async fn post(&self, path: &str, message: &Value) -> Answer {
        self.service.json(Method::POST, path, None, message).await
    }

    /// Posts a message that is accepted, and returns its result.
    pub async fn send(&self, path: &str, message: Value) -> Value {
        let answer = self.post(path, &message).await;
        assert_eq!(answer.status, 200, "{message}: {}", answer.text());
        answer.data()
    }

    /// Posts a message that is accepted, and returns the episode that was found for it.
    pub async fn matched(&self, path: &str, message: Value) -> Value {
        self.send(path, message).await["matched"].take()
    }

    /// Posts a list of messages with the token of the user.
    pub async fn post_list(&self, messages: &Value) -> Answer {
        let token = &self.person.token;
        self.service.post_as(token, "/v1/playback", messages).await
    }

    /// Posts a message that is accepted, and returns the reason of its result.
    pub async fn reason(&self, path: &str, message: Value) -> String {
        let result = self.send(path, message).await;
        result["reason"].as_str().unwrap().to_owned()
    }

    /// Returns the stories with their details.
    pub async fn listed(&self) -> Value {
        let path = "/v1/user_story?include=details";
        let listed = self.service.get_as(&self.person.token, path).await;
        listed.data()
    }

    /// Returns the status and the progress of each story, by anime.
    pub async fn stories(&self) -> Vec<(u64, u8, u64)> {
        let data = self.listed().await;
        let stories = data.as_array().unwrap().iter().map(|story| {
            let beyond = story["details"]["watched_episodes"].as_u64();
            let progress = beyond.or(story["current_episode"].as_u64());
            let status = story["status"].as_u64().unwrap();
            (
                story["anime_id"].as_u64().unwrap(),
                u8::try_from(status).unwrap(),
                progress.unwrap(),
            )
        });
        let mut stories: Vec<_> = stories.collect();
        stories.sort_unstable();
        stories
    }
}
