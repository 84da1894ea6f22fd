//! Progress beyond the catalogue's number of episodes (docs/api.md, "Progress beyond the catalogue"), on the pages and
//! in the API. `story_waiting.rs` has imports and the pass after a refresh, `tracker_sync.rs` the trackers.

use std::time::Duration;

use axum::http::{Method, StatusCode};
use catalogue::Catalogue;
use serde_json::{Value, json};
use shared::models::{Anime, AnimeFormat, AnimeId, AnimeStatus};
use stories::lists::{RaisedStories, StoryStore, raise_episodes};
use tests::assertions::AssertText;
use tests::browser::PageClient;
use tests::people::Person;
use tests::service::{Answer, Service};

const ID: u64 = 21;

/// A service whose catalogue has one anime, and a user.
struct Fixture {
    service: Service,
    person: Person,
    anime: Anime,
}

impl Fixture {
    async fn new(episodes_count: u32, status: AnimeStatus) -> Self {
        let anime = Anime {
            episodes_count,
            status,
            ..Anime::new(AnimeId::new(ID).unwrap(), AnimeFormat::Tv)
        };
        let service = Service::with_catalogue(std::slice::from_ref(&anime), &[]).await;
        let person = service.person("mitsuha").await;
        Self {
            service,
            person,
            anime,
        }
    }

    /// Creates the story by an import, which can state any progress.
    async fn import(&self, status: &str, episode: u32) -> Value {
        let entry = json!({"anime_id": ID, "status": status, "current_episode": episode});
        let list = json!({"format": "kiroku", "version": 1, "stories": [entry]});
        self.send(Method::POST, "/v1/user_story/import", &list)
            .await
            .data()
    }

    async fn send(&self, method: Method, path: &str, body: &Value) -> Answer {
        let token = Some(self.person.token.as_str());
        let answer = self.service.json(method, path, token, body).await;
        answer.assert_status(200);
        answer
    }

    async fn get(&self, path: &str) -> Answer {
        let token = &self.person.token;
        let answer = self.service.get_as(token, path).await;
        answer.assert_status(200);
        answer
    }

    /// Updates the story over the API.
    async fn update(&self, status: u8, episode: u32) {
        let body = json!({
            "id": self.person.story(&self.anime), "user_id": self.person.id, "anime_id": ID, "status": status,
            "current_episode": episode, "current_episode_ticks": 0
        });
        self.send(Method::POST, "/v1/user_story", &body).await;
    }

    async fn read(&self) -> Answer {
        let story = self.person.story(&self.anime);
        self.get(&format!("/v1/user_story/{story}?include=details"))
            .await
    }

    /// Returns status, `current_episode` and `watched_episodes` of the story.
    async fn numbers(&self) -> [u64; 3] {
        let story = self.read().await.data();
        [
            &story["status"],
            &story["current_episode"],
            &story["details"]["watched_episodes"],
        ]
        .map(|number| number.as_u64().unwrap())
    }

    /// Changes the number of episodes in the catalogue, and lets the stories follow it.
    async fn grow(&self, episodes_count: u32) -> RaisedStories {
        let anime = Anime {
            episodes_count,
            ..self.anime.clone()
        };
        self.service.put(&[anime]).await;
        self.service.publish().await;
        let database = self.service.database();
        let catalogue = Catalogue::new(&database, 0);
        let (stories, clock) = (StoryStore::new(&database), &database.clock);
        let raised = raise_episodes(&stories, &catalogue, clock, u64::MAX).await;
        // The functions use an index for 10 seconds.
        self.service.clock.advance(Duration::from_secs(30));
        raised.unwrap()
    }
}

/// Presses "Next episode" on the page of the anime, and returns the page that follows.
async fn watch_next(browser: &mut PageClient<'_>) -> Answer {
    let page = browser.get(&format!("/anime/{ID}")).await;
    let answer = browser.submit(&page, "/list/next", &[]).await;
    answer.assert_status(303);
    browser.get(answer.header("location")).await
}

/// Returns the number of watched episodes on the page of the anime.
fn watched(page: &Answer) -> String {
    let input = page.between("id=\"current_episode\"", ">");
    input.between("value=\"", "\"")
}

/// Returns the key of the story on the list.
fn entry_of(page: &Answer) -> String {
    let tag = page.between(&format!("value=\"{ID}:"), "\"");
    format!("{ID}:{tag}")
}

/// Saves the form of the story with this episode.
async fn save(browser: &mut PageClient<'_>, status: &str, episode: &str) -> Answer {
    let page = browser.get(&format!("/list?edit={ID}")).await;
    let fields = [("status", status), ("current_episode", episode)];
    browser.submit(&page, "/list/save", &fields).await
}

#[tokio::test]
async fn next_episode_works_without_a_number_of_episodes() {
    for status in [AnimeStatus::Releasing, AnimeStatus::Finished] {
        let fixture = Fixture::new(0, status).await;
        let mut browser = PageClient::signed_in(&fixture.service, &fixture.person).await;
        let page = watch_next(&mut browser).await;
        assert_eq!(watched(&page), "1");
        assert_eq!(fixture.numbers().await, [0, 0, 1]);
        // Of two clicks on the same button, the second changes nothing.
        let page = browser.get("/list").await;
        let fields = [("entry", &*entry_of(&page))];
        for status in [StatusCode::SEE_OTHER, StatusCode::CONFLICT] {
            let answer = browser.submit(&page, "/list/next", &fields).await;
            assert_eq!(answer.status, status);
        }
        assert_eq!(fixture.numbers().await, [0, 0, 2]);
        let page = watch_next(&mut browser).await;
        assert_eq!(watched(&page), "3");
        page.assert_has("Watched episode 4");
        assert_eq!(fixture.numbers().await, [0, 0, 3]);
        let undone = browser.submit(&page, "/list/undo", &[]).await;
        assert_eq!(undone.status, StatusCode::SEE_OTHER);
        assert_eq!(fixture.numbers().await, [0, 0, 2]);
        // The undo follows after the catalogue has grown.
        let page = watch_next(&mut browser).await;
        fixture.grow(12).await;
        assert_eq!(fixture.numbers().await, [0, 3, 3]);
        let stale = browser.submit(&page, "/list/undo", &[]).await;
        assert_eq!(
            stale.status,
            StatusCode::CONFLICT,
            "the page showed another state"
        );
        fixture.service.assert_declared_attributes().await;
    }
    let fixture = Fixture::new(0, AnimeStatus::NotYetReleased).await;
    let mut browser = PageClient::signed_in(&fixture.service, &fixture.person).await;
    let page = browser.get(&format!("/anime/{ID}")).await;
    page.assert_lacks("/list/next");
}

#[tokio::test]
async fn form_takes_episodes_that_the_catalogue_can_lack() {
    let too_far = "must not be above the number of released episodes";
    let out_of_range = "must be a whole number from 0 to 9999";
    for (count, status, episode, problem) in [
        (12, AnimeStatus::Releasing, "14", None),
        (0, AnimeStatus::Finished, "14", None),
        (0, AnimeStatus::NotYetReleased, "14", None),
        (12, AnimeStatus::Finished, "14", Some(too_far)),
        (12, AnimeStatus::Cancelled, "13", Some(too_far)),
        (12, AnimeStatus::Releasing, "10000", Some(out_of_range)),
        (0, AnimeStatus::Finished, "4294967295", Some(out_of_range)),
    ] {
        let fixture = Fixture::new(count, status).await;
        fixture.import("CURRENT", 0).await;
        let mut browser = PageClient::signed_in(&fixture.service, &fixture.person).await;
        let answer = save(&mut browser, "0", episode).await;
        match problem {
            None => {
                answer.assert_status(303);
                assert_eq!(fixture.numbers().await, [0, count.into(), 14]);
            }
            Some(problem) => {
                assert_eq!(answer.status, StatusCode::BAD_REQUEST);
                answer.assert_has(problem);
                assert_eq!(fixture.numbers().await, [0, 0, 0]);
            }
        }
    }
}

/// The form shows the progress, and an episode that the user does not change stays or follows the status.
#[tokio::test]
async fn form_keeps_the_progress() {
    let fixture = Fixture::new(12, AnimeStatus::Finished).await;
    fixture.import("CURRENT", 14).await;
    let mut browser = PageClient::signed_in(&fixture.service, &fixture.person).await;
    let page = browser.get(&format!("/list?edit={ID}")).await;
    page.assert_has("name=\"current_episode\" value=\"14\"");
    for (status, episode, expected) in [
        ("4", "14", [4, 12, 14]),
        ("2", "14", [2, 12, 14]),
        ("5", "14", [5, 0, 0]),
        ("0", "3", [0, 3, 3]),
    ] {
        let saved = save(&mut browser, status, episode).await;
        saved.assert_status(303);
        assert_eq!(fixture.numbers().await, expected);
    }
    let too_far = save(&mut browser, "0", "14").await;
    assert_eq!(too_far.status, StatusCode::BAD_REQUEST, "it was lowered");
}

#[tokio::test]
async fn api_keeps_the_rest_until_the_user_goes_back() {
    let fixture = Fixture::new(4, AnimeStatus::Releasing).await;
    for (status, episode, expected) in [
        // The client shows episode 4, and sends this number back.
        (0, 4, [0, 4, 7]),
        (4, 4, [4, 4, 7]),
        (2, 4, [2, 4, 7]),
        (0, 3, [0, 3, 3]),
        (1, 4, [1, 4, 4]),
        (5, 4, [5, 4, 4]),
    ] {
        fixture.import("CURRENT", 7).await;
        fixture.update(0, 4).await;
        assert_eq!(fixture.numbers().await, [0, 4, 7]);
        fixture.update(status, episode).await;
        assert_eq!(fixture.numbers().await, expected, "{status} {episode}");
        let path = format!("/v1/user_story/{}", fixture.person.story(&fixture.anime));
        let token = &fixture.person.token;
        let deleted = fixture.service.delete_as(token, &path);
        assert_eq!(deleted.await.status, 200);
    }
    fixture.import("CURRENT", 7).await;
    let put = async |change: Value| {
        let mut change = change;
        change["op"] = "put".into();
        change["anime_id"] = ID.into();
        let body = json!({"user_id": fixture.person.id, "changes": [change]});
        fixture
            .send(Method::POST, "/v1/user_story/batch", &body)
            .await;
        fixture.numbers().await
    };
    let paused = json!({"status": 4, "current_episode": 4});
    assert_eq!(put(paused).await, [4, 4, 7]);
    assert_eq!(put(json!({"status": 2})).await, [2, 4, 7]);
    assert_eq!(put(json!({"status": 1})).await, [1, 0, 0]);
    // The field of the API is never above the catalogue's number.
    let body = json!({
        "id": fixture.person.story(&fixture.anime), "user_id": fixture.person.id, "anime_id": ID, "status": 0,
        "current_episode": 5, "current_episode_ticks": 0
    });
    let refused = fixture
        .service
        .post_as(&fixture.person.token, "/v1/user_story", &body)
        .await;
    assert_eq!(refused.status, 400);
}

/// A client that keeps a copy sees that a story follows the catalogue, and nothing else changes.
#[tokio::test]
async fn story_follows_the_catalogue() {
    let fixture = Fixture::new(4, AnimeStatus::Finished).await;
    fixture.import("CURRENT", 7).await;
    let before = fixture.read().await;
    let history = format!(
        "/v1/user_story/{}/history",
        fixture.person.story(&fixture.anime)
    );
    let created = fixture.get(&history).await.data();
    assert_eq!(created[0]["to"]["current_episode"], 7);
    fixture.service.clock.advance(Duration::from_mins(1));
    let feed = fixture.get("/v1/user_story/changes").await.data();
    let since = format!(
        "/v1/user_story/changes?include=details&since={}",
        feed["cursor"].as_str().unwrap()
    );
    assert_eq!(fixture.get(&since).await.data()["changes"], json!([]));

    let raised = RaisedStories {
        users: 1,
        stories: 1,
        failed: 0,
    };
    assert_eq!(fixture.grow(6).await, raised);
    assert_eq!(fixture.numbers().await, [0, 6, 7]);
    assert_eq!(fixture.grow(6).await, RaisedStories::default());
    assert_eq!(fixture.grow(7).await, raised);
    assert_eq!(fixture.numbers().await, [0, 7, 7], "the status stays");
    assert_eq!(fixture.grow(12).await, RaisedStories::default());

    let after = fixture.read().await;
    assert_ne!(after.header("etag"), before.header("etag"));
    assert_eq!(
        after.data()["details"]["updated_at"],
        before.data()["details"]["updated_at"]
    );
    assert_eq!(fixture.get(&history).await.data(), created);
    let changes = fixture.get(&since).await.data();
    let changes = changes["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 1, "{changes:?}");
    assert_eq!(changes[0]["story"]["current_episode"], 7, "{changes:?}");
    // A smaller catalogue takes nothing away.
    fixture.grow(3).await;
    assert_eq!(fixture.numbers().await, [0, 7, 7]);
}

/// The user's own export has the progress, and importing it changes nothing.
#[tokio::test]
async fn exports_and_statistics_have_the_progress() {
    let fixture = Fixture::new(4, AnimeStatus::Releasing).await;
    fixture.import("CURRENT", 7).await;
    let export = fixture.get("/v1/user_story/export?format=json").await;
    assert_eq!(export.json()["stories"][0]["current_episode"], 7);
    let csv = fixture.get("/v1/user_story/export?format=csv").await;
    csv.assert_has(",CURRENT,7,4,");
    let report = fixture
        .send(Method::POST, "/v1/user_story/import", &export.json())
        .await;
    assert_eq!(report.data()["counts"]["unchanged"], 1);
    let statistics = format!("/v1/user/{}/statistics", fixture.person.id.get());
    assert_eq!(fixture.get(&statistics).await.data()["episodes"], 7);
    // An import with a lower episode does not lower the progress.
    fixture.import("CURRENT", 4).await;
    assert_eq!(fixture.numbers().await, [0, 4, 7]);
    fixture.import("CURRENT", u32::MAX).await;
    assert_eq!(fixture.numbers().await, [0, 4, 9999]);
}

/// The tag of a state tells the progress beyond the catalogue, so that no change is lost.
#[tokio::test]
async fn tag_tells_the_progress_beyond_the_catalogue() {
    let fixture = Fixture::new(4, AnimeStatus::Releasing).await;
    fixture.import("CURRENT", 4).await;
    let tag = async || fixture.read().await.header("etag").to_owned();
    let mut tags = vec![tag().await];
    assert_eq!(tags[0], "\"0-4-0\"");
    for episode in 5..8 {
        fixture.import("CURRENT", episode).await;
        let tag = tag().await;
        assert!(tag.starts_with("\"0-4-0-"), "{tag}");
        assert!(!tags.contains(&tag), "{tag}");
        tags.push(tag);
    }
}
