//! Suggestions of what to watch next (docs/api.md, "Suggestions").

use std::time::Duration;

use serde_json::{Value, json};
use shared::models::{Anime, AnimeFormat, AnimeId, AnimeStatus, Score};
use tests::people::Person;
use tests::service::Service;

const COMPLETED: u8 = 2;
const DROPPED: u8 = 3;
const PLANNING: u8 = 1;

/// Returns an anime with these recommendations that has ended. A higher identifier has a lower score.
fn anime(id: u64, recommendations: &[u64]) -> Anime {
    let recommendations = recommendations.iter().copied();
    Anime {
        episodes_count: 12,
        score: Score::new(90.0 - f64::from(u32::try_from(id).unwrap()) / 100.0).unwrap(),
        recommendations: Some(recommendations.filter_map(AnimeId::new).collect()),
        ..Anime::new(AnimeId::new(id).unwrap(), AnimeFormat::Tv)
    }
}

/// Makes the second anime follow the first. The API calls the following anime `prequel`.
fn follow(first: &mut Anime, second: &mut Anime) {
    first.prequel = Some(second.id);
    second.sequel = Some(first.id);
}

/// Puts an anime on the list, a second after the one before.
async fn put(service: &Service, person: &Person, anime: u64, status: u8, score: Option<f64>) {
    service.clock.advance(Duration::from_secs(1));
    let details = json!({ "score": score });
    let change = json!({"op": "put", "anime_id": anime, "status": status, "details": details});
    service.change_stories(person, &[change]).await;
}

fn path(person: &Person) -> String {
    format!("/v1/user/{}/suggestions", person.id.get())
}

async fn suggested(service: &Service, person: &Person) -> Value {
    let answer = service.get_as(&person.token, &path(person)).await;
    answer.assert_status(200);
    answer.data()
}

/// Returns the anime, the reason and the source of each suggestion.
fn parts(suggestions: &Value) -> Vec<(u64, String, Option<u64>)> {
    let suggestions = suggestions.as_array().unwrap().iter();
    let parts = |suggestion: &Value| {
        let reason = suggestion["reason"].as_str().unwrap().to_owned();
        let anime = suggestion["anime"]["id"].as_u64().unwrap();
        (anime, reason, suggestion["because"].as_u64())
    };
    suggestions.map(parts).collect()
}

/// Returns parts as [`parts`] does.
fn expected(parts: &[(u64, &str, Option<u64>)]) -> Vec<(u64, String, Option<u64>)> {
    let parts = parts.iter();
    parts
        .map(|(id, reason, because)| (*id, (*reason).to_owned(), *because))
        .collect()
}

/// Returns a service, and a user whose list leads to every kind of suggestion.
async fn with_list() -> (Service, Person) {
    let mut catalogue: Vec<Anime> = (1..=20).map(|id| anime(id, &[])).collect();
    let (sources, others) = catalogue.split_at_mut(9);
    // Anime 11, 12 and 13 are the second seasons of 1, 2 and 3. The user has dropped 3.
    for (source, sequel) in sources.iter_mut().zip(&mut others[1..4]) {
        follow(source, sequel);
    }
    // Anime 15 is for adults, 16 follows an anime that was not watched, and 14 is on the list.
    let recommended = [15, 16, 14, 17, 18].map(|id| AnimeId::new(id).unwrap());
    catalogue[0].recommendations = Some(recommended.to_vec());
    catalogue[1].recommendations = Some(recommended[4..].to_vec());
    catalogue[14].nsfw = true;
    catalogue[15].sequel = AnimeId::new(19);
    catalogue[3].status = AnimeStatus::Releasing;
    let service = Service::with_catalogue(&catalogue, &[]).await;
    let person = service.person("mitsuha").await;
    put(&service, &person, 1, COMPLETED, Some(90.0)).await;
    put(&service, &person, 2, COMPLETED, Some(80.0)).await;
    put(&service, &person, 3, DROPPED, Some(90.0)).await;
    put(&service, &person, 4, PLANNING, None).await;
    put(&service, &person, 5, PLANNING, None).await;
    put(&service, &person, 14, PLANNING, None).await;
    (service, person)
}

#[tokio::test]
async fn every_suggestion_has_its_reason() {
    let (service, person) = with_list().await;
    let found = suggested(&service, &person).await;
    let all = [
        (12, "sequel", Some(2)),
        (4, "airing", None),
        (11, "sequel", Some(1)),
        (18, "recommendation", Some(1)),
        (17, "recommendation", Some(1)),
    ];
    assert_eq!(parts(&found), expected(&all));
    // The anime is the whole resource.
    let document = service.get("/v1/anime/12").await.data();
    assert_eq!(found[0]["anime"], document);

    // An anime that is added to the list is no longer suggested, whatever its status.
    put(&service, &person, 12, DROPPED, None).await;
    put(&service, &person, 18, 0, None).await;
    put(&service, &person, 4, 0, None).await;
    let found = suggested(&service, &person).await;
    let rest = [(11, "sequel", Some(1)), (17, "recommendation", Some(1))];
    assert_eq!(parts(&found), expected(&rest));
}

#[tokio::test]
async fn empty_list_has_no_suggestions() {
    let service = Service::with_catalogue(&[anime(1, &[2]), anime(2, &[])], &[]).await;
    let person = service.person("mitsuha").await;
    assert_eq!(suggested(&service, &person).await, json!([]));
}

#[tokio::test]
async fn unreleased_and_cancelled_anime_are_not_suggested() {
    let mut catalogue: Vec<Anime> = (1..=12).map(|id| anime(id, &[])).collect();
    catalogue[0] = anime(1, &[9, 10, 11, 12]);
    let statuses = [
        AnimeStatus::Finished,
        AnimeStatus::Releasing,
        AnimeStatus::NotYetReleased,
        AnimeStatus::Cancelled,
    ];
    // Anime 5 to 8 are the sequels of 1 to 4. Of the sequels and of the recommended anime, one has each status.
    let (sources, others) = catalogue.split_at_mut(4);
    for (number, status) in statuses.into_iter().enumerate() {
        follow(&mut sources[number], &mut others[number]);
        others[number].status = status;
        others[number + 4].status = status;
    }
    let service = Service::with_catalogue(&catalogue, &[]).await;
    let person = service.person("mitsuha").await;
    for id in 1..=4 {
        put(&service, &person, id, COMPLETED, None).await;
    }
    let all = [
        (6, "sequel", Some(2)),
        (9, "recommendation", Some(1)),
        (5, "sequel", Some(1)),
        (10, "recommendation", Some(1)),
    ];
    let found = suggested(&service, &person).await;
    assert_eq!(parts(&found), expected(&all));
}

#[tokio::test]
async fn correction_counts_before_the_index_is_published() {
    let (service, person) = with_list().await;
    assert!(
        parts(&suggested(&service, &person).await)
            .iter()
            .any(|(id, ..)| *id == 17)
    );
    let mut adult = anime(17, &[]);
    adult.nsfw = true;
    service.put(&[adult]).await;
    let service = service.restarted();
    assert!(
        parts(&suggested(&service, &person).await)
            .iter()
            .all(|(id, ..)| *id != 17)
    );
}

#[tokio::test]
async fn only_the_user_can_read_them() {
    let (service, person) = with_list().await;
    let other = service.person("taki").await;
    let get = async |path: &str, token: &str| {
        let answer = service.get_as(token, path).await;
        (answer.status.as_u16(), answer.data())
    };
    let refused = (403, json!("This belongs to another user."));
    assert_eq!(get(&path(&person), &other.token).await, refused);
    // The response does not show which users exist.
    assert_eq!(get("/v1/user/77/suggestions", &other.token).await, refused);
    let beyond = "/v1/user/268435456/suggestions";
    assert_eq!(
        get(beyond, &other.token).await,
        (404, json!("No resource has this identifier."))
    );
    assert_eq!(get(beyond, "invalid").await.0, 401);
    for invalid in ["0", "a", "-1", "9007199254740992"] {
        let path = format!("/v1/user/{invalid}/suggestions");
        assert_eq!(get(&path, &other.token).await.0, 400, "{path}");
    }
    assert_eq!(service.get(&path(&person)).await.status, 401);
}

/// The list has 400 completed anime, each with 10 recommendations and a sequel.
#[tokio::test]
async fn long_list_is_read_in_three_rounds_and_bounded() {
    let mut catalogue: Vec<Anime> = (1..=1200)
        .map(|id| {
            let others: Vec<u64> = (0..10)
                .map(|number| 801 + (id * 7 + number * 13) % 400)
                .collect();
            anime(id, &others)
        })
        .collect();
    let (completed, others) = catalogue.split_at_mut(400);
    for (first, second) in completed.iter_mut().zip(others) {
        follow(first, second);
    }
    let service = Service::with_catalogue(&catalogue, &[]).await;
    let person = service.person("mitsuha").await;
    let all: Vec<u64> = (1..=400).collect();
    let change = |id: &u64| json!({"op": "put", "anime_id": id, "status": COMPLETED});
    let changes: Vec<Value> = all.iter().map(change).collect();
    service.change_stories(&person, &changes).await;
    let (service, rounds) = service.with_rounds();
    // The request loads the index and the list.
    let statistics = format!("/v1/user/{}/statistics", person.id.get());
    let loaded = service.get_as(&person.token, &statistics).await;
    assert_eq!(loaded.status, 200);
    let _ = rounds.take();
    let found = suggested(&service, &person).await;
    assert_eq!(rounds.take(), 3, "the caller, sources, candidates");
    assert_eq!(found.as_array().unwrap().len(), 24);
    assert_eq!(suggested(&service, &person).await, found);
    assert_eq!(rounds.take(), 1, "the list and the documents are in memory");
}
