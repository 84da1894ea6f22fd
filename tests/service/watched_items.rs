//! Imports of the watched items that media servers list (docs/players.md). The forms of these lists are tested in
//! `crates/player_messages`.

use axum::http::Method;
use catalogue::identify::NameLimits;
use serde_json::{Value, json};
use shared::auth::{Access, Action};
use shared::models::{Anime, AnimeFormat, AnimeStatus};
use stories::list_files::{ImportMode, ReadOptions};
use stories::lists::StoryStore;
use stories::players::{PlaybackReceiver, PlayerStore, SeriesAnswer, SeriesName};
use tests::assertions::{AssertFields, AssertText};
use tests::browser::{PageClient, hidden};
use tests::made_up;
use tests::people::{Person, credential};
use tests::service::{Answer, Service};

const PATH: &str = "/v1/user_story/import";

/// Two anime in the first season of TheTVDB, one that is still released in the second, and a movie as a special.
const SEASONS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<anime-list>
  <anime anidbid="1" tvdbid="70" defaulttvdbseason="1" episodeoffset=""/>
  <anime anidbid="2" tvdbid="70" defaulttvdbseason="1" episodeoffset="12"/>
  <anime anidbid="3" tvdbid="70" defaulttvdbseason="0"/>
  <anime anidbid="4" tvdbid="70" defaulttvdbseason="2"/>
</anime-list>
"#;

const TITLES: [&str; 5] = [
    "Tabi no Hoshi",
    "Tabi no Hoshi Zoku",
    "Tabi no Hoshi Gekijouban",
    "Tabi no Hoshi Saishuushou",
    "Umibe",
];

struct Fixture {
    service: Service,
    person: Person,
    anime: Vec<Anime>,
}

impl Fixture {
    async fn new() -> Self {
        let mut anime = made_up::anime(5, 1);
        for ((one, number), title) in anime.iter_mut().zip(1..).zip(TITLES) {
            one.tracker_a_id = None;
            one.tracker_b_id = Some(200 + number);
            one.database_id = None;
            one.format = AnimeFormat::Tv;
            one.status = AnimeStatus::Finished;
            one.episodes_count = 12;
            one.titles = [("rj".to_owned(), title.to_owned())].into();
            (one.prequel, one.sequel) = (None, None);
        }
        anime[2].format = AnimeFormat::Movie;
        anime[2].episodes_count = 1;
        anime[3].status = AnimeStatus::Releasing;
        let service = Service::with_catalogue(&anime, &[]).await;
        let ids = (1..=5).map(|number: u32| json!({"anidb_id": number, "mal_id": 200 + number}));
        service.import_seasons(&ids.collect(), SEASONS).await;
        let person = service.person("taki").await;
        Self {
            service,
            person,
            anime,
        }
    }

    async fn send(&self, query: &str, file: &str) -> Answer {
        let (token, file) = (&self.person.token, file.to_owned());
        self.service.import_list(token, query, file).await
    }

    async fn import(&self, query: &str, file: &str) -> Value {
        let answer = self.send(query, file).await;
        answer.assert_status(200);
        answer.data()
    }

    async fn get(&self, path: &str) -> Value {
        let token = &self.person.token;
        let found = self.service.get_as(token, path).await;
        found.assert_status(200);
        found.data()
    }

    /// Returns the anime, status, episode and dates of each story.
    async fn stories(&self) -> Vec<Value> {
        let found = self
            .get("/v1/user_story?include=details&per_page=100")
            .await;
        let brief = |story: &Value| {
            let details = &story["details"];
            json!([
                story["anime_id"],
                story["status"],
                story["current_episode"],
                details["started_on"],
                details["finished_on"]
            ])
        };
        let mut stories: Vec<Value> = found.as_array().unwrap().iter().map(brief).collect();
        stories.sort_by_key(|story| story[0].as_u64());
        stories
    }

    async fn put(&self, anime: usize, status: u8, episode: u32) {
        let body = json!({
            "user_id": self.person.id, "anime_id": self.anime[anime].id, "status": status, "current_episode": episode
        });
        let made = self
            .service
            .put_as(&self.person.token, "/v1/user_story", &body);
        assert_eq!(made.await.status, 200);
    }

    /// Answers, as the user, which anime a season is.
    async fn answer_question(&self, title: &str, season: &str, answer: SeriesAnswer) {
        let database = self.service.database();
        let tokens = self.service.environment.tokens().unwrap();
        let credential = credential(&tokens, self.person.id);
        let receiver = PlaybackReceiver {
            players: PlayerStore::new(&database),
            stories: StoryStore::new(&database),
            catalogue: self.service.environment.catalogue().unwrap(),
            clock: self.service.clock.clone(),
        };
        let series = SeriesName::read(title, season).unwrap();
        let access = Access::new(&credential, Action::ManageTokens, self.person.id);
        receiver.answer(&access, &series, answer).await.unwrap();
    }
}

/// Returns the item of the series 70 at TheTVDB, as Jellyfin writes it.
fn series() -> Value {
    json!({"Type": "Series", "Id": "s1", "Name": "Tabi", "ProviderIds": {"Tvdb": "70"}})
}

/// Returns an episode that was watched on a day of 2023, as Jellyfin writes it.
fn episode(title: &str, season: u32, number: u32, day: Option<&str>) -> Value {
    let mut item = json!({
        "Type": "Episode", "Name": "Episode", "SeriesName": title, "ParentIndexNumber": season, "IndexNumber": number,
        "UserData": {"Played": true, "PlayCount": 1}
    });
    if title == "Tabi" {
        item["SeriesId"] = "s1".into();
    }
    if let Some(day) = day {
        item["UserData"]["LastPlayedDate"] = format!("2023-{day}T20:00:00.0000000Z").into();
    }
    item
}

fn file(items: &[Value]) -> String {
    json!({"Items": items, "TotalRecordCount": items.len(), "StartIndex": 0}).to_string()
}

/// Returns a file with every case: two anime in one season, a gap, a movie among the specials, a title without
/// identifiers, unknown series, and items that cannot be used.
fn mixed() -> String {
    let mut items = vec![series()];
    items.extend(
        (1..=12).map(|number| episode("Tabi", 1, number, Some(&format!("01-{number:02}")))),
    );
    items.push(episode("Tabi", 1, 13, Some("02-01")));
    items.push(episode("Tabi", 1, 15, None));
    items.push(episode("Tabi", 0, 1, Some("03-01")));
    items.push(episode("Tabi", 0, 2, Some("03-02")));
    items.push(episode("Tabi", 2, 12, Some("12-31")));
    items.push(episode("Umibe", 1, 3, Some("04-05")));
    items.extend((1..=8).map(|number| episode("Harbor Lights", 1, number, None)));
    items.push(episode("Harbor Lights", 2, 1, None));
    items.push(json!({"Type": "Episode", "SeriesName": "Kaze", "UserData": {"Played": true}}));
    items.push(json!({"Type": "Episode", "SeriesName": "Umibe", "IndexNumber": 9, "UserData": {"Played": false}}));
    file(&items)
}

#[tokio::test]
async fn watched_items_become_stories() {
    let fixture = Fixture::new().await;
    let mut dry = fixture.import("?dry_run=true", &mixed()).await;
    assert_eq!(fixture.stories().await, Vec::<Value>::new());
    let report = fixture.import("", &mixed()).await;
    dry["dry_run"] = false.into();
    dry["import_id"] = report["import_id"].clone();
    assert_eq!(dry, report);
    assert_eq!(report["format"], "Jellyfin or Emby JSON");
    let expected = json!({
        "entries": 9, "added": 5, "changed": 0, "unchanged": 0, "duplicates": 0, "skipped": 4, "waiting": 0,
        "proposals": 0
    });
    assert_eq!(report["counts"], expected, "{report:#}");
    assert_eq!(report["added"][0]["position"], 2);
    assert_eq!(
        report["added"][0]["title"], TITLES[0],
        "that of the catalogue"
    );
    let skip = |position: u32, title: &str, reason: &str| {
        let (title, reason) = (json!(title), json!(reason));
        json!({"position": position, "title": title, "reason": reason})
    };
    let expected = json!([
        skip(17, "Tabi", "season 0: no anime was found; items: 1"),
        skip(
            20,
            "Harbor Lights",
            "season 1: no anime was found; items: 8"
        ),
        skip(
            28,
            "Harbor Lights",
            "season 2: no anime was found; items: 1"
        ),
        skip(29, "Kaze", "episode is missing or wrong; items: 1"),
    ]);
    assert_eq!(report["skipped"], expected);
    let expected = json!([
        "Watched episodes and movies in the file: 28.",
        "Items that were left out, because they were not watched or are neither episodes nor movies: 1.",
    ]);
    assert_eq!(report["remarks"], expected);
    let made = [
        json!([1, 2, 12, "2023-01-01", "2023-01-12"]),
        json!([2, 0, 3, "2023-02-01", null]),
        json!([3, 2, 1, "2023-03-01", "2023-03-01"]),
        // The time is in the future, and the anime is not finished.
        json!([4, 0, 12, null, null]),
        json!([5, 0, 3, "2023-04-05", null]),
    ];
    assert_eq!(fixture.stories().await, made);

    let story = fixture.person.story(&fixture.anime[0]);
    let history = fixture
        .get(&format!("/v1/user_story/{story}/history"))
        .await;
    assert_eq!(history[0]["by"], "import", "{history}");
    let again = fixture.import("", &mixed()).await;
    assert_eq!(again["counts"]["unchanged"], 5);
    assert_eq!(fixture.stories().await, made);
    let undo = format!("{PATH}/{}/undo", report["import_id"].as_str().unwrap());
    let token = &fixture.person.token;
    let undone = fixture.service.with_token(Method::POST, &undo, token).await;
    assert_eq!(undone.data()["deleted"], 5);
    assert_eq!(fixture.stories().await, Vec::<Value>::new());
}

#[tokio::test]
async fn merge_follows_the_rule_of_players() {
    let fixture = Fixture::new().await;
    let (completed, dropped, repeating) = (2, 3, 5);
    fixture.put(0, completed, 12).await;
    fixture.put(1, dropped, 5).await;
    fixture.put(3, repeating, 2).await;
    fixture.put(4, dropped, 1).await;
    let before = fixture.stories().await;
    let items = [
        series(),
        episode("Tabi", 1, 3, None),
        episode("Tabi", 1, 15, None),
        episode("Tabi", 2, 7, None),
        episode("Umibe", 1, 2, None),
    ];
    let report = fixture.import("", &file(&items)).await;
    report["counts"].assert_fields(json!({"changed": 1, "unchanged": 3}));
    let after = fixture.stories().await;
    assert_eq!(after[..3], before[..3], "no progress gets smaller");
    assert_eq!(
        after[3],
        json!([5, 0, 2, before[3][3], null]),
        "DROPPED becomes CURRENT"
    );
    fixture
        .import(
            "?mode=keep",
            &file(&[series(), episode("Tabi", 2, 9, None)]),
        )
        .await;
    assert_eq!(fixture.stories().await, after);
    fixture
        .import(
            "?mode=replace",
            &file(&[series(), episode("Tabi", 1, 3, None)]),
        )
        .await;
    assert_eq!(fixture.stories().await[0][2], 3);
}

#[tokio::test]
async fn choice_of_the_user_counts() {
    let fixture = Fixture::new().await;
    let anime = |in_season, anime: usize, episode| SeriesAnswer::Anime {
        in_season,
        anime_id: fixture.anime[anime].id,
        episode,
    };
    fixture
        .answer_question("harbor lights", "1", anime(7, 4, 1))
        .await;
    fixture
        .answer_question("Tabi", "1", SeriesAnswer::NotAnAnime)
        .await;
    let mut items = vec![
        series(),
        episode("Tabi", 1, 1, None),
        episode("Tabi", 2, 1, None),
    ];
    items.extend((1..=9).map(|number| episode("Harbor Lights", 1, number, None)));
    let report = fixture.import("", &file(&items)).await;
    let skipped = json!([
        {"position": 2, "title": "Tabi", "reason": "season 1: marked as no anime; items: 1"},
        {"position": 4, "title": "Harbor Lights", "reason": "season 1: no anime was found; items: 6"},
    ]);
    assert_eq!(report["skipped"], skipped);
    let made = [json!([4, 0, 1, null, null]), json!([5, 0, 3, null, null])];
    assert_eq!(fixture.stories().await, made);
}

/// After some episodes without an anime, the other episodes of the season are searched only by their identifiers.
#[tokio::test]
async fn identifiers_count_also_after_unknown_episodes() {
    let fixture = Fixture::new().await;
    let mut items = vec![series()];
    items.extend((1..=7).map(|number| episode("Fremdes", 2, number, None)));
    items.push(episode("Fremdes", 2, 8, None));
    items[8]["SeriesId"] = "s1".into();
    let report = fixture.import("", &file(&items)).await;
    assert_eq!(
        report["skipped"][0]["reason"],
        "season 2: no anime was found; items: 7"
    );
    assert_eq!(fixture.stories().await, [json!([4, 0, 8, null, null])]);
}

#[tokio::test]
async fn answers_of_plex_are_imported_on_the_page_and_by_the_command() {
    let fixture = Fixture::new().await;
    let show =
        json!({"type": "show", "ratingKey": "9", "title": "Tabi", "Guid": [{"id": "tvdb://70"}]});
    let items = [2, 14].map(|number| {
        json!({
            "type": "episode", "grandparentTitle": "Tabi", "grandparentRatingKey": "9", "parentIndex": 1,
            "index": number, "viewCount": 1, "lastViewedAt": 1_690_000_000
        })
    });
    // curl writes the responses of several addresses one after another.
    let answers = [json!([show]), json!(items)]
        .map(|items| json!({"MediaContainer": {"size": 1, "Metadata": items}}).to_string())
        .concat();
    let mut browser = PageClient::signed_in(&fixture.service, &fixture.person).await;
    let csrf = hidden(&browser.get("/profile/history").await, "csrf").unwrap();
    let fields = [
        ("csrf", csrf.as_str()),
        ("mode", "merge"),
        ("dry_run", "yes"),
    ];
    let mut upload = async |fields: &[(&str, &str)]| {
        let page = browser.upload(
            "/profile/history",
            fields,
            "watched.json",
            answers.as_bytes(),
        );
        page.await.text()
    };
    let preview = upload(&fields).await;
    preview.assert_has("Plex JSON");
    preview.assert_has(TITLES[0]);
    assert_eq!(fixture.stories().await, Vec::<Value>::new());
    let imported = upload(&fields[..2]).await;
    assert!(imported.contains("Watched episodes and movies in the file: 2."));
    let made = [
        json!([1, 0, 2, "2023-07-22", null]),
        json!([2, 0, 2, "2023-07-22", null]),
    ];
    assert_eq!(fixture.stories().await, made);

    let path = fixture.service.mail.path().join("watched.json");
    std::fs::write(&path, &answers).unwrap();
    let database = fixture.service.database();
    let report = cli::user::import(
        &database,
        "taki",
        &path,
        ImportMode::Merge,
        ReadOptions::default(),
        true,
    )
    .await;
    assert_eq!(report.unwrap().counts.unchanged, 2);
}

#[tokio::test]
async fn file_that_cannot_be_used_changes_nothing_and_is_explained() {
    let fixture = Fixture::new().await;
    let whole = file(&[series(), episode("Tabi", 1, 1, None)]);
    let many = file(&vec![json!({}); 25_000]);
    let nested = format!("{{\"Items\": {}", "[".repeat(500_000));
    for (text, reason) in [
        (
            &whole[..whole.len() - 40],
            "is invalid or ends too early at line 1",
        ),
        (nested.as_str(), "is invalid or ends too early at line 1"),
        (many.as_str(), "more than 20,000 entries"),
        ("{\"Items\": {\"Type\": \"Episode\"}}", "in the array Items"),
        ("{\"MediaContainer\": 3}", "in the array Items"),
        (
            "<MediaContainer size=\"0\"></MediaContainer>",
            "header Accept: application/json",
        ),
    ] {
        let answer = fixture.send("", text).await;
        assert_eq!(answer.status, 400, "{reason}");
        let explained = answer.data()["file"].as_str().unwrap().to_owned();
        explained.assert_has(reason);
    }
    let deep = format!(
        "{{\"Items\": [{}{}]}}",
        "[".repeat(50_000),
        "]".repeat(50_000)
    );
    let report = fixture.import("", &deep).await;
    assert_eq!(
        report["skipped"][0]["reason"],
        "is not a valid JSON object; items: 1"
    );
    assert_eq!(fixture.stories().await, Vec::<Value>::new());
}

/// Titles that are not in the catalogue take long to search.
#[tokio::test]
async fn items_that_were_not_searched_are_reported() {
    let mut fixture = Fixture::new().await;
    let mut environment = fixture.service.environment.clone();
    environment.overrides.name_limits = Some(NameLimits {
        similar: 1,
        ..NameLimits::default()
    });
    fixture.service = fixture.service.with_environment(environment);
    let other = |number| episode("Umibeh", 1, number, None);
    let items = file(&[
        series(),
        episode("Unheard Of", 1, 1, None),
        other(1),
        other(2),
        episode("Tabi no Hoshi", 1, 3, None),
    ]);
    let report = fixture.import("", &items).await;
    assert_eq!(report["counts"]["added"], 1, "{report}");
    let skipped = report["skipped"].to_string();
    let reason = "not searched, because the file has too many titles that are not in the catalogue; import these \
        items in a file of their own; items: 2";
    skipped.assert_has(reason);
    let report = fixture
        .import("", &file(&[series(), other(1), other(2)]))
        .await;
    let skipped = report["skipped"].to_string();
    skipped.assert_has("the anime is not certain; items: 2");
}

#[tokio::test]
async fn history_of_several_accounts_is_imported_for_one() {
    let fixture = Fixture::new().await;
    let view = |account: u64, episode: u32| {
        json!({
            "type": "episode", "grandparentTitle": TITLES[4], "parentIndex": 1, "index": episode,
            "viewedAt": 1_700_000_000, "accountID": account,
        })
    };
    let history = json!({"MediaContainer": {"Metadata": [view(1, 3), view(7, 9)]}}).to_string();
    let refused = fixture.send("?mode=merge", &history).await;
    assert_eq!(refused.status, 400);
    let sentence = "The history of Plex has several accounts: \"1, 7\". Choose one of them with the parameter account.";
    assert_eq!(refused.data()["file"], sentence);
    let unknown = fixture.send("?account=2", &history).await;
    assert_eq!(
        unknown.data()["file"],
        "The history of Plex has no account 2, but these: \"1, 7\"."
    );
    assert_eq!(fixture.stories().await, Vec::<Value>::new());
    fixture.import("?account=1", &history).await;
    let stories = fixture.stories().await;
    assert_eq!(stories.len(), 1, "{stories:?}");
    assert_eq!(stories[0][2], 3);

    let mut browser = PageClient::signed_in(&fixture.service, &fixture.person).await;
    let path = "/profile/history";
    let page = browser.get(path).await;
    let csrf = hidden(&page, "csrf").unwrap();
    let fields = [("csrf", csrf.as_str()), ("mode", "merge"), ("account", "7")];
    let report = browser
        .upload(path, &fields, "history.json", history.as_bytes())
        .await;
    report.assert_status(200);
    assert_eq!(fixture.stories().await[0][2], 9);
    let wrong = [
        ("csrf", csrf.as_str()),
        ("mode", "merge"),
        ("account", "me"),
    ];
    let refused = browser
        .upload(path, &wrong, "history.json", history.as_bytes())
        .await;
    let sentence = "Account must be the number of an account.";
    refused.assert_has(sentence);
}
