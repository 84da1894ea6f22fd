//! Entries of imports that wait for the user's answer: the proposals and their reasons, the answers, and the undo.

use std::time::Duration;

use axum::http::Method;
use serde_json::{Value, json};
use shared::models::{Anime, AnimeFormat, AnimeStatus};
use tests::assertions::{AssertFields, AssertText};
use tests::browser::{PageClient, hidden};
use tests::made_up;
use tests::people::{Person, list_file};
use tests::service::{Answer, Service};

const IMPORT: &str = "/v1/user_story/import";
const PROPOSALS: &str = "/v1/user_story/import/proposals";
const PAGE: &str = "/profile/history/proposals";

/// The anime of a series with two seasons at TheTVDB, another anime and a movie.
const ANIME: [(&str, AnimeFormat, u32, u16); 4] = [
    ("Tabi no Hoshi", AnimeFormat::Tv, 12, 2011),
    ("Tabi no Hoshi Zoku", AnimeFormat::Tv, 12, 2013),
    ("Umibe no Machi", AnimeFormat::Tv, 24, 2015),
    ("Yoru no Densha", AnimeFormat::Movie, 1, 2016),
];

const SEASONS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<anime-list>
  <anime anidbid="1" tvdbid="70" defaulttvdbseason="1" episodeoffset=""/>
  <anime anidbid="2" tvdbid="70" defaulttvdbseason="2" episodeoffset=""/>
  <anime anidbid="3" tvdbid="71" defaulttvdbseason="1" episodeoffset="" tmdbtv="900" tmdbseason="1"/>
  <anime anidbid="4" tvdbid="movie" tmdbid="901"/>
</anime-list>
"#;

/// A service in which the anime with the number n has the identifiers 100 + n at AniList, 200 + n at MyAnimeList, n at
/// AniDB and 300 + n at Kitsu.
struct Fixture {
    service: Service,
    person: Person,
    anime: Vec<Anime>,
}

impl Fixture {
    async fn new() -> Self {
        let mut anime = made_up::anime(4, 1);
        for ((one, number), (title, format, episodes, year)) in anime.iter_mut().zip(1..).zip(ANIME)
        {
            one.tracker_a_id = Some(100 + number);
            one.tracker_b_id = Some(200 + number);
            one.database_id = None;
            one.format = format;
            one.status = AnimeStatus::Finished;
            one.episodes_count = episodes;
            one.season_year = Some(year);
            one.titles = [("rj".to_owned(), title.to_owned())].into();
            (one.prequel, one.sequel) = (None, None);
        }
        let service = Service::with_catalogue(&anime, &[]).await;
        let ids = (1..=4).map(|number: u32| {
            json!({"anidb_id": number, "mal_id": 200 + number, "kitsu_id": 300 + number})
        });
        service.import_seasons(&ids.collect(), SEASONS).await;
        let person = service.person("taki").await;
        Self {
            service,
            person,
            anime,
        }
    }

    fn id(&self, number: usize) -> u64 {
        self.anime[number - 1].id.get()
    }

    async fn send(&self, query: &str, file: &str) -> Answer {
        let (token, file) = (&self.person.token, file.to_owned());
        self.service.import_list(token, query, file).await
    }

    async fn import(&self, file: &str) -> Value {
        let answer = self.send("", file).await;
        answer.assert_status(200);
        answer.data()
    }

    async fn get(&self, path: &str) -> Value {
        let token = &self.person.token;
        let found = self.service.get_as(token, path).await;
        found.assert_status(200);
        found.data()
    }

    async fn answer(&self, body: &Value) -> Value {
        let answer = self.post_answer(body).await;
        answer.assert_status(200);
        answer.data()
    }

    async fn post_answer(&self, body: &Value) -> Answer {
        let token = &self.person.token;
        self.service.post_as(token, PROPOSALS, body).await
    }

    /// Undoes an import.
    async fn undo(&self, report: &Value) -> Value {
        let path = format!("{IMPORT}/{}/undo", report["import_id"].as_str().unwrap());
        let token = &self.person.token;
        let undone = self.service.with_token(Method::POST, &path, token).await;
        undone.data()
    }

    /// Returns the identifiers of the proposals.
    async fn proposal_ids(&self) -> Vec<String> {
        let found = self.get(PROPOSALS).await;
        let found = found["proposals"].as_array().unwrap().iter();
        let ids = found.map(|one| one["id"].as_str().unwrap().to_owned());
        ids.collect()
    }

    /// Returns the anime, status and whole progress of each story, by the identifier of the anime.
    async fn stories(&self) -> Vec<Value> {
        let brief = |story: Value| {
            let progress = &story["details"]["watched_episodes"];
            json!([story["anime_id"], story["status"], progress])
        };
        let stories = listed_stories(&self.service, &self.person)
            .await
            .into_iter();
        stories.map(brief).collect()
    }

    /// Returns the title, the reason, `certain` and the anime of the candidates of each proposal.
    async fn proposals(&self) -> Vec<Value> {
        let found = self.get(PROPOSALS).await;
        let brief = |one: &Value| {
            let candidates = one["candidates"].as_array().unwrap().iter();
            let candidates: Vec<&Value> = candidates.map(|anime| &anime["anime_id"]).collect();
            json!([one["title"], one["reason"], one["certain"], candidates])
        };
        let found = found["proposals"].as_array().unwrap().iter();
        found.map(brief).collect()
    }
}

/// Returns the stories of a user, by the identifier of the anime.
async fn listed_stories(service: &Service, person: &Person) -> Vec<Value> {
    let path = "/v1/user_story?include=details&per_page=100";
    let found = service.get_as(&person.token, path).await;
    let mut stories = found.data().as_array().unwrap().clone();
    stories.sort_by_key(|story| story["anime_id"].as_u64());
    stories
}

const TITLES: &str = "Title,Status,Episode\n\
    Tabi no Hoshi Zoku,Watching,3\n\
    Umibe no Machi,Completed,\n\
    A Film with Actors,Completed,\n";

#[tokio::test]
async fn titles_are_proposed_and_accepted_at_once() {
    let fixture = Fixture::new().await;
    let report = fixture.import(TITLES).await;
    let counts = &report["counts"];
    counts.assert_fields(json!({"added": 0, "proposals": 3}));
    let candidate = &report["proposals"][0]["candidates"][0];
    assert_eq!(candidate["title"], "Tabi no Hoshi Zoku");
    // No story is written without an answer.
    assert!(fixture.stories().await.is_empty());
    let found = fixture.get(PROPOSALS).await;
    found.assert_fields(json!({"certain": 2, "uncertain": 0, "not_found": 1}));
    let expected = [
        json!(["Tabi no Hoshi Zoku", "title", true, [fixture.id(2)]]),
        json!(["Umibe no Machi", "title", true, [fixture.id(3)]]),
        json!(["A Film with Actors", "not_found", false, []]),
    ];
    assert_eq!(fixture.proposals().await, expected);
    let first = &found["proposals"][0];
    first.assert_fields(json!({"status": "CURRENT", "current_episode": 3}));
    assert_eq!(first["candidates"][0]["season_year"], 2013);
    fixture.service.assert_declared_attributes().await;

    fixture.service.clock.advance(Duration::from_mins(1));
    let answered = fixture.answer(&json!({"accept_certain": true})).await;
    let nothing = json!({"added": 0, "changed": 0, "unchanged": 0, "discarded": 0, "missing": 0});
    let mut expected = nothing.clone();
    expected["added"] = json!(2);
    assert_eq!(answered, expected);
    let stories = [json!([fixture.id(2), 0, 3]), json!([fixture.id(3), 2, 24])];
    assert_eq!(fixture.stories().await, stories);
    // The unknown title is not lost.
    assert_eq!(fixture.proposals().await.len(), 1);
    let again = fixture.answer(&json!({"accept_certain": true})).await;
    assert_eq!(again, nothing);

    // Entries that are already on the list are not proposed again.
    let again = fixture.import(TITLES).await;
    let counts = &again["counts"];
    counts.assert_fields(json!({"unchanged": 2, "proposals": 1}));

    let imports = fixture.get(IMPORT).await;
    let import = &imports[0];
    // `imported_at` is still the time of the import, not of the answer.
    import
        .assert_fields(json!({"added": 2, "proposals": 1, "imported_at": "2023-11-14T22:13:20Z"}));
    let undone = fixture.undo(&report).await;
    undone.assert_fields(json!({"deleted": 2, "forgotten": 1}));
    assert!(fixture.stories().await.is_empty());
    assert!(fixture.proposals().await.is_empty());
}

#[tokio::test]
async fn proposals_are_answered_one_by_one() {
    let fixture = Fixture::new().await;
    fixture.import(TITLES).await;
    let ids = fixture.proposal_ids().await;
    let answers = json!({
        "accept": [{"id": ids[0], "anime_id": fixture.id(2)}, {"id": ids[2], "anime_id": fixture.id(4)}],
        "discard": [ids[1], "0a1b2c3d4e5f6071-1"],
    });
    let answered = fixture.answer(&answers).await;
    let expected = json!({"added": 2, "changed": 0, "unchanged": 0, "discarded": 1, "missing": 1});
    assert_eq!(answered, expected);
    let stories = [json!([fixture.id(2), 0, 3]), json!([fixture.id(4), 2, 1])];
    assert_eq!(fixture.stories().await, stories);
    assert!(fixture.proposals().await.is_empty());
    for (body, field) in [
        (json!({"accept": [{"id": "a", "anime_id": 4000}]}), "accept"),
        (json!({"accept": [{"id": "a"}]}), "accept"),
        (json!({"accept": {}}), "accept"),
        (json!({"discard": [1]}), "discard"),
        (json!({"accept_certain": "yes"}), "accept_certain"),
    ] {
        let refused = fixture.post_answer(&body).await;
        assert_eq!(refused.status, 400, "{body}: {refused:?}");
        assert!(refused.data()[field].is_string(), "{body}: {refused:?}");
    }
}

#[tokio::test]
async fn identifiers_count_in_their_own_number_space() {
    let fixture = Fixture::new().await;
    // AniDB and Kitsu have numbers for anime, The Movie Database for series and movies.
    let file = "media_id,source,media_type,title,status,season_number,episode_number,score,progress\n\
        900,tmdb,tv,Umibe no Machi,In progress,,,8,\n\
        901,tmdb,movie,Yoru no Densha,Completed,,,,\n\
        103,tmdb,tv,Another Show,Completed,,,,\n\
        104,tmdb,movie,Another Film,Completed,,,,\n\
        201,mal,anime,Tabi no Hoshi,Planning,,,,\n";
    let report = fixture.import(file).await;
    let stories = fixture.stories().await;
    let anime = stories.iter().filter_map(|story| story[0].as_u64());
    let expected = [1, 3, 4].map(|number| fixture.id(number));
    assert_eq!(anime.collect::<Vec<_>>(), expected, "{report}");
    assert_eq!(report["counts"]["skipped"], 2, "{report}");
}

#[tokio::test]
async fn contradicted_identifier_is_proposed_with_both_anime() {
    let fixture = Fixture::new().await;
    let entries = [
        json!({"mal_id": 203, "title": "Tabi no Hoshi", "status": "CURRENT", "current_episode": 2}),
        json!({"anime_id": fixture.id(1), "title": "Umibe no Machi", "status": "CURRENT"}),
        json!({"anilist_id": 104, "title": "A translated title", "status": "COMPLETED"}),
    ];
    let report = fixture.import(&list_file(&entries)).await;
    let [one, three] = [fixture.id(1), fixture.id(3)];
    let expected = [
        json!(["Tabi no Hoshi", "other_title", false, [three, one]]),
        json!(["Umibe no Machi", "other_title", false, [one, three]]),
    ];
    assert_eq!(fixture.proposals().await, expected);
    let titles = &report["proposals"][0]["candidates"];
    assert_eq!(titles[0]["title"], "Umibe no Machi");
    assert_eq!(titles[1]["title"], "Tabi no Hoshi");
    assert_eq!(fixture.stories().await, [json!([fixture.id(4), 2, 1])]);
}

#[tokio::test]
async fn entry_of_a_series_with_several_anime_is_not_called_unknown() {
    let fixture = Fixture::new().await;
    let show = json!({"title": "Tabi no Hoshi", "ids": {"trakt": 5, "tvdb": 70}});
    let planned = json!([{"listed_at": "2020-03-05T12:00:00Z", "type": "show", "show": show}]);
    fixture.import(&planned.to_string()).await;
    let candidates = [fixture.id(1), fixture.id(2)];
    let expected = json!(["Tabi no Hoshi", "several_anime", false, candidates]);
    assert_eq!(fixture.proposals().await, [expected]);
    let ids = fixture.proposal_ids().await;
    let accepted = json!({"accept": [{"id": ids[0], "anime_id": fixture.id(1)}]});
    assert_eq!(fixture.answer(&accepted).await["added"], 1);
    let again = fixture.import(&planned.to_string()).await;
    let counts = &again["counts"];
    counts.assert_fields(json!({"unchanged": 1, "proposals": 0}));

    let show = json!({"title": "Tabi no Hoshi", "year": 2011, "ids": {"trakt": 5, "tvdb": 70}});
    let film = json!({"title": "A Film", "year": 2017, "ids": {"trakt": 6, "tmdb": 999}});
    let rated = json!([
        {"rated_at": "2020-03-05T12:00:00Z", "rating": 9, "type": "show", "show": show},
        {"rated_at": "2020-03-05T12:00:00Z", "rating": 3, "type": "movie", "movie": film},
    ]);
    let report = fixture.import(&rated.to_string()).await;
    let skipped = report["skipped"].as_array().unwrap().iter();
    let skipped = skipped.map(|one| json!([one["title"], one["reason"]]));
    let several = "the series has several anime, and the entry does not say which one is meant";
    let expected = [
        json!(["Tabi no Hoshi (2011)", several]),
        json!(["A Film (2017)", "no anime was found"]),
    ];
    assert_eq!(skipped.collect::<Vec<_>>(), expected, "{report}");
}

#[tokio::test]
async fn own_numbers_count_in_own_formats_only() {
    let fixture = Fixture::new().await;
    // MyAnimeList's `anime_id` is its own number.
    let file = json!([{
        "status": 1, "num_watched_episodes": 5, "anime_id": 203, "anime_title": "Umibe no Machi", "score": 0,
        "tags": "", "is_rewatching": 0, "anime_num_episodes": 24,
    }]);
    fixture.import(&file.to_string()).await;
    assert_eq!(fixture.stories().await, [json!([fixture.id(3), 0, 5])]);
}

#[tokio::test]
async fn watched_episodes_become_progress() {
    let fixture = Fixture::new().await;
    let episode = |season: u16, number: u32, at: &str, show: &Value| {
        json!({
            "id": 1, "watched_at": at, "action": "scrobble", "type": "episode",
            "episode": {"season": season, "number": number, "title": "", "ids": {"trakt": 1}}, "show": show,
        })
    };
    let show = json!({"title": "Tabi no Hoshi", "year": 2011, "ids": {"trakt": 5, "tvdb": 70}});
    let other = json!({"title": "Another Show", "year": 2008, "ids": {"trakt": 6, "tvdb": 103}});
    let movie = |at: &str| {
        json!({
            "id": 2, "watched_at": at, "action": "watch", "type": "movie",
            "movie": {"title": "Yoru no Densha", "year": 2016, "ids": {"trakt": 7, "tmdb": 901}},
        })
    };
    let file = json!([
        episode(2, 4, "2020-03-05T12:00:00Z", &show),
        episode(2, 1, "2020-03-02T12:00:00Z", &show),
        episode(1, 12, "2020-03-01T12:00:00Z", &show),
        episode(1, 1, "2020-02-01T12:00:00Z", &show),
        episode(1, 1, "2020-02-01T12:00:00Z", &other),
        episode(1, 2, "2020-02-02T12:00:00Z", &other),
        movie("2020-04-02T12:00:00Z"),
        movie("2020-04-01T12:00:00Z"),
    ]);
    let report = fixture.import(&file.to_string()).await;
    let stories = [
        json!([fixture.id(1), 2, 12]),
        json!([fixture.id(2), 0, 4]),
        json!([fixture.id(4), 2, 1]),
    ];
    assert_eq!(fixture.stories().await, stories, "{report}");
    let stories = listed_stories(&fixture.service, &fixture.person).await;
    // The movie was watched on two days.
    for (story, details) in stories.iter().zip([
        json!({"started_on": "2020-02-01", "finished_on": "2020-03-01"}),
        json!({"started_on": "2020-03-02", "finished_on": null}),
        json!({"repeats": 1}),
    ]) {
        story["details"].assert_fields(details);
    }
    let reason = "season 1: no anime was found; items: 2";
    report["skipped"][0].assert_fields(json!({"title": "Another Show", "reason": reason}));
}

#[tokio::test]
async fn proposals_are_proposals_again_when_their_file_is_imported() {
    let mut fixture = Fixture::new().await;
    let show = json!({"title": "Umibe no Machi", "ids": {"trakt": 5}});
    let movie = json!({"title": "Yoru no Densha", "year": 2016, "ids": {"trakt": 7}});
    let history = json!([
        {"id": 1, "watched_at": "2020-03-05T12:00:00Z", "action": "scrobble", "type": "episode",
            "episode": {"season": 1, "number": 3, "title": "", "ids": {"trakt": 1}}, "show": show},
        {"id": 2, "watched_at": "2020-04-02T12:00:00Z", "action": "watch", "type": "movie", "movie": movie},
    ]);
    fixture.import(&history.to_string()).await;
    let brief = |reasons: [&str; 2]| {
        [
            json!(["Yoru no Densha", reasons[1], true, [fixture.id(4)]]),
            json!([
                "Umibe no Machi",
                reasons[0],
                reasons[0] == "title",
                [fixture.id(3)]
            ]),
        ]
    };
    let first = brief(["title_alone", "title"]);
    assert_eq!(fixture.proposals().await, first);
    let waiting = format!("{IMPORT}/waiting");
    let token = &fixture.person.token;
    let file = fixture.service.get_as(token, &waiting);
    let file = file.await.text();
    let mut again = brief(["title", "title"]);
    again.reverse();
    fixture.person = fixture.service.person("mitsuha").await;
    let report = fixture.import(&file).await;
    report["counts"].assert_fields(json!({"added": 0, "proposals": 2}));
    assert_eq!(fixture.proposals().await, again);
    assert!(fixture.stories().await.is_empty());
}

#[tokio::test]
async fn undo_leaves_what_the_import_wrote_more_than_7_days_ago() {
    let mut fixture = Fixture::new().await;
    let entries = [
        json!({"mal_id": 203, "title": "Umibe no Machi", "status": "CURRENT", "current_episode": 2}),
        json!({"mal_id": 203, "title": "Tabi no Hoshi", "status": "CURRENT", "current_episode": 5}),
    ];
    let report = fixture.import(&list_file(&entries)).await;
    assert_eq!(fixture.stories().await, [json!([fixture.id(3), 0, 2])]);
    fixture.service.clock.advance(Duration::from_hours(8 * 24));
    fixture.person.token = fixture.service.token(fixture.person.id).await;
    let ids = fixture.proposal_ids().await;
    let accepted = json!({"accept": [{"id": ids[0], "anime_id": fixture.id(3)}]});
    assert_eq!(fixture.answer(&accepted).await["changed"], 1);
    assert_eq!(fixture.stories().await, [json!([fixture.id(3), 0, 5])]);
    let undone = fixture.undo(&report).await;
    undone.assert_fields(json!({"restored": 1, "deleted": 0, "kept": 0}));
    assert_eq!(fixture.stories().await, [json!([fixture.id(3), 0, 2])]);
}

#[tokio::test]
async fn replacing_import_takes_the_place_of_earlier_proposals() {
    let fixture = Fixture::new().await;
    let other_title = json!({"mal_id": 204, "title": "Tabi no Hoshi", "status": "CURRENT"});
    let entries = [
        // This entry has the title of the proposal, and an identifier.
        json!({"mal_id": 203, "title": "Umibe no Machi", "status": "CURRENT", "current_episode": 2}),
        // This entry has the identifier of the proposed anime.
        json!({"mal_id": 202, "title": "A translated title", "status": "CURRENT", "current_episode": 1}),
        // This entry has the identifier of the proposal.
        json!({"mal_id": 204, "status": "COMPLETED"}),
    ];
    for (query, left) in [("?mode=merge", 4), ("?mode=replace", 1)] {
        fixture.import(TITLES).await;
        let other = list_file(std::slice::from_ref(&other_title));
        fixture.import(&other).await;
        let replaced = fixture.send(query, &list_file(&entries)).await;
        assert_eq!(replaced.data()["counts"]["proposals"], 0, "{replaced:?}");
        let proposals = fixture.proposals().await;
        assert_eq!(proposals.len(), left, "{query}: {proposals:?}");
    }
    // A proposal about something else stays.
    let titles = fixture.proposals().await;
    assert_eq!(titles[0][0], "A Film with Actors");
}

#[tokio::test]
async fn answer_leads_back_to_its_page() {
    let fixture = Fixture::new().await;
    let mut browser = PageClient::signed_in(&fixture.service, &fixture.person).await;
    let mut rows = vec!["Title,Status,Episode".to_owned()];
    rows.extend((1..=51).map(|number| format!("Qqq {number} zzz,Completed,")));
    fixture.import(&rows.join("\n")).await;
    let ids = fixture.proposal_ids().await;
    let address = |page: usize| format!("{PAGE}?page={page}");
    let second = browser.get(&address(2)).await;
    let csrf = hidden(&second, "csrf").unwrap();
    let form = format!("action=\"{}\"", address(2));
    second.assert_has(&form);
    let search = format!("{PAGE}?find={}&page=2", ids[30]);
    let search = browser.get(&search).await;
    search.assert_has(&form);
    search.assert_has(&format!("href=\"{}\"", address(2)));
    for (page, discarded, shown) in [
        (2, 30, "Page 2 of 2"),
        (2, 31, "Page 2 of 2"),
        (3, 0, "Page 2 of 2"),
    ] {
        let fields = [
            ("csrf", csrf.as_str()),
            ("id", ids[discarded].as_str()),
            ("discard", "yes"),
        ];
        let done = browser.post(&address(page), &fields).await.text();
        done.assert_has("1 entry has been discarded.");
        done.assert_has(shown);
    }
}

#[tokio::test]
async fn user_states_the_scale_of_scores() {
    let fixture = Fixture::new().await;
    let file = "mal_id,title,status,score\n203,Umibe no Machi,completed,4\n";
    let report = fixture.send("?score_scale=10", file).await;
    report.assert_status(200);
    let story = fixture.get("/v1/user_story?include=details").await;
    assert_eq!(story[0]["details"]["score"], 40.0);
    let refused = fixture.send("?score_scale=7", file).await;
    assert_eq!(refused.status, 400);
    assert!(refused.data()["score_scale"].is_string(), "{refused:?}");
}

#[tokio::test]
async fn page_shows_and_answers_proposals() {
    let fixture = Fixture::new().await;
    let mut browser = PageClient::signed_in(&fixture.service, &fixture.person).await;
    let empty = browser.get(PAGE).await.text();
    empty.assert_has("No entry of your imports waits for your answer.");
    let entries = [
        json!({"title": "<i>Umibe no Machi</i>", "status": "CURRENT", "mal_id": 9999}),
        json!({"mal_id": 203, "title": "Tabi no Hoshi", "status": "CURRENT", "current_episode": 2}),
    ];
    fixture.import(TITLES).await;
    let waiting = browser.get("/profile/history/waiting").await.text();
    for part in [
        "No entry of your imports waits",
        "3 entries of your imports wait for your answer",
        "/profile/history/waiting/file",
    ] {
        waiting.assert_has(part);
    }
    fixture.import(&list_file(&entries)).await;
    let history = browser.get("/profile/history").await.text();
    history.assert_has("4 entries of your imports wait for your answer");
    let page = browser.get(PAGE).await.text();
    for part in [
        "2 certain",
        "1 to look at",
        "1 not in the catalogue",
        "Add all 2 certain ones",
        "The file says this title, but its number belongs to Umibe no Machi.",
        "TV · 2015 · 24 episodes",
    ] {
        page.assert_has(part);
    }
    let csrf = hidden(&browser.get(PAGE).await, "csrf").unwrap();
    let csrf = ("csrf", csrf.as_str());
    let fields = [csrf, ("accept_certain", "yes")];
    let done = browser.post(PAGE, &fields).await;
    done.assert_has("2 entries have been added.");
    let ids = fixture.proposal_ids().await;
    let search = format!("{PAGE}?find={}&q=densha", ids[1]);
    let search = browser.get(&search).await;
    search.assert_has("Yoru no Densha");
    let chosen = fixture.id(1).to_string();
    let fields = [csrf, ("id", &ids[0]), ("anime_id", &chosen)];
    let done = browser.post(PAGE, &fields).await;
    done.assert_has("1 entry has been added.");
    let fields = [csrf, ("discard_not_found", "yes")];
    let done = browser.post(PAGE, &fields).await;
    done.assert_has("1 entry has been discarded.");
    assert!(fixture.proposals().await.is_empty());
    assert_eq!(fixture.stories().await.len(), 3);
    assert_eq!(fixture.service.get(PAGE).await.status, 303);
}

#[tokio::test]
async fn every_written_format_is_read_back_completely() {
    let fixture = Fixture::new().await;
    let entries = [
        json!({
            "anime_id": fixture.id(1), "status": "REPEATING", "current_episode": 5, "score": 70,
            "started_on": "2016-08-26", "finished_on": "2016-09-30", "repeats": 2, "notes": "One\nTwo; =3, \"4\"",
        }),
        json!({"anime_id": fixture.id(2), "status": "PLANNING"}),
        json!({"anime_id": fixture.id(3), "status": "DROPPED", "current_episode": 7, "score": 30}),
        json!({"anime_id": fixture.id(4), "status": "COMPLETED", "score": 100, "finished_on": "2020"}),
    ];
    fixture.import(&list_file(&entries)).await;
    let states = async |person: &Person| {
        let state = |mut story: Value| {
            let mut details = story["details"].take();
            for name in ["created_at", "updated_at", "synced"] {
                details.as_object_mut().unwrap().remove(name);
            }
            json!([
                story["anime_id"],
                story["status"],
                story["current_episode"],
                details
            ])
        };
        let stories = listed_stories(&fixture.service, person).await.into_iter();
        stories.map(state).collect::<Vec<_>>()
    };
    let expected = states(&fixture.person).await;
    assert_eq!(expected.len(), 4);
    for format in ["mal_xml", "csv", "json"] {
        let path = format!("/v1/user_story/export?format={format}");
        let file = fixture.service.get_as(&fixture.person.token, &path).await;
        let person = fixture.service.person(&format.replace('_', "-")).await;
        let imported = fixture.service.import_list(&person.token, "", file.body);
        let report = imported.await;
        assert_eq!(report.data()["counts"]["added"], 4, "{format}: {report:?}");
        assert_eq!(states(&person).await, expected, "{format}");
    }
}
