//! Statistics of a user's stories (docs/api.md, "Statistics").

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Value, json};
use shared::models::{Anime, Role};
use tests::browser::PageClient;
use tests::people::Person;
use tests::service::{Answer, Service};
use tests::{crowd, made_up};

/// After this time a change is settled, and the functions check for a newer index.
const SETTLED: Duration = Duration::from_secs(10);

const HOUR: Duration = Duration::from_hours(1);

fn path(person: &Person) -> String {
    format!("/v1/user/{}/statistics", person.id.get())
}

async fn own(service: &Service, person: &Person) -> Value {
    let path = path(person);
    let answer = service.get_as(&person.token, &path).await;
    answer.assert_status(200);
    answer.data()
}

async fn set_public(service: &Service, person: &Person, public: bool) -> Answer {
    let body = json!({"id": person.id, "gender": 0, "public_profile": public});
    service.post_as(&person.token, "/v1/user", &body).await
}

/// Returns anime with and without a duration and a year.
fn catalogue(count: u32) -> Vec<Anime> {
    let mut anime = made_up::anime(count, 3);
    for (number, one) in (0..).zip(&mut anime) {
        one.episode_duration = [Some(24), None, Some(7), Some(101)][number % 4];
    }
    anime
}

/// Returns a change that creates or updates the story about an anime, different for each `number`.
fn change(number: usize, anime: &Anime) -> Value {
    let dates = [
        None,
        Some("2016"),
        Some("2016-08"),
        Some("2016-08-26"),
        Some("2017-01-01"),
    ];
    let scores = [
        None,
        Some(0.1),
        Some(10.0),
        Some(10.1),
        Some(87.5),
        Some(100.0),
    ];
    let repeats = [0, 0, 1, 3][number / 3 % 4];
    json!({
        "op": "put", "anime_id": anime.id, "status": number % 6,
        "current_episode": (number / 6) % (usize::try_from(anime.episodes_count).unwrap() + 1),
        "details": {
            "score": scores[number % 5 + number % 2], "finished_on": dates[number / 2 % 5],
            "repeats": repeats, "private": number % 7 == 3,
        }
    })
}

/// Returns a user's stories with details and anime, from the lists of the API.
async fn stories(service: &Service, person: &Person) -> Vec<Value> {
    let mut next = Some("/v1/user_story?include=anime,details&per_page=50".to_owned());
    let mut all = Vec::new();
    while let Some(path) = next {
        let page = service.get_as(&person.token, &path).await;
        all.extend(page.data().as_array().unwrap().clone());
        next = page.next();
    }
    all
}

/// Returns the watched episodes of a story, over all viewings and in the first one.
fn episodes(story: &Value) -> (u64, u64) {
    let number = |value: &Value| value.as_u64().unwrap_or_default();
    let current = number(&story["current_episode"]);
    let repeats = number(&story["details"]["repeats"]);
    let whole = current.max(number(&story["anime"]["episodes_count"]));
    match number(&story["status"]) {
        2 => ((repeats + 1) * whole, whole),
        5 => ((repeats + 1) * whole + current, whole),
        _ if repeats > 0 => ((repeats + 1) * whole + current, whole),
        _ => (current, current),
    }
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn sums(stories: &[&Value], only_first: bool) -> Value {
    let watched = |story: &Value| {
        let (all, first) = episodes(story);
        if only_first { first } else { all }
    };
    let minutes = stories.iter().map(|story| {
        let each = story["anime"]["episode_duration"].as_u64();
        watched(story) * each.unwrap_or_default()
    });
    let hours = (minutes.sum::<u64>() as f64 / 6.0).round() / 10.0;
    let scores = stories
        .iter()
        .filter_map(|story| story["details"]["score"].as_f64());
    let tenths: Vec<f64> = scores.map(|score| (score * 10.0).round()).collect();
    let mean = (tenths.iter().sum::<f64>() * 10.0 / tenths.len() as f64).round() / 100.0;
    let mean = (!tenths.is_empty()).then_some(mean);
    let episodes: u64 = stories.iter().map(|story| watched(story)).sum();
    json!({"stories": stories.len(), "episodes": episodes, "hours": hours, "mean_score": mean})
}

/// Groups stories by the values that `keys` returns for each, in descending order of the values.
fn groups(
    stories: &[&Value],
    name: &str,
    only_first: bool,
    keys: impl Fn(&Value) -> Vec<Value>,
) -> Vec<Value> {
    let mut members: BTreeMap<String, (Value, Vec<&Value>)> = BTreeMap::new();
    for story in stories {
        for key in keys(story) {
            let group = members.entry(key.to_string()).or_insert((key, Vec::new()));
            group.1.push(story);
        }
    }
    let group = |(key, members): (Value, Vec<&Value>)| {
        let mut group = sums(&members, only_first);
        group[name] = key;
        group
    };
    members.into_values().rev().map(group).collect()
}

/// Computes the statistics of stories again.
fn expected(stories: &[Value], with_private: bool) -> Value {
    let is_visible = |story: &&Value| with_private || story["details"]["private"] == false;
    let visible: Vec<&Value> = stories.iter().filter(is_visible).collect();
    let watched = visible.iter().copied().filter(|story| story["status"] != 1);
    let watched: Vec<&Value> = watched.collect();
    let one = |value: &Value| Some(value.clone()).filter(|value| !value.is_null());
    let most_first = |mut groups: Vec<Value>| {
        groups.reverse();
        groups.sort_by_key(|group| std::cmp::Reverse(group["stories"].as_u64()));
        groups
    };
    let mut all = sums(&watched, false);
    let count = |status: u64| {
        visible
            .iter()
            .filter(|story| story["status"] == status)
            .count()
    };
    let statuses = (0..6).map(|status| json!({"status": status, "stories": count(status)}));
    all["statuses"] = statuses.collect();
    let in_step = |step: u32| {
        let scores = watched
            .iter()
            .filter_map(|story| story["details"]["score"].as_f64());
        let (from, to) = (f64::from(step - 10), f64::from(step));
        scores.filter(|score| from < *score && *score <= to).count()
    };
    let steps = (10..=100).step_by(10);
    all["scores"] = steps
        .map(|step| json!({"up_to": step, "stories": in_step(step)}))
        .collect();
    let genres = |story: &Value| {
        let genres = story["anime"]["genres"].as_array();
        genres.cloned().unwrap_or_default()
    };
    all["genres"] = most_first(groups(&watched, "genre", false, genres)).into();
    let format = |story: &Value| one(&story["anime"]["format"]).into_iter().collect();
    all["formats"] = most_first(groups(&watched, "format", false, format)).into();
    let year = |story: &Value| one(&story["anime"]["season_year"]).into_iter().collect();
    all["years"] = groups(&watched, "year", false, year).into();
    let years = all["years"].as_array_mut().unwrap();
    years.sort_by_key(|group| std::cmp::Reverse(group["year"].as_u64()));
    let month = |story: &Value| {
        let day = story["details"]["finished_on"].as_str();
        day.map(|day| day.chars().take(7).collect::<String>().into())
            .into_iter()
            .collect()
    };
    all["months"] = groups(&watched, "month", true, month).into();
    let months = all["months"].as_array_mut().unwrap();
    months.sort_by_key(|group| std::cmp::Reverse(group["month"].as_str().unwrap().to_owned()));
    all
}

/// Returns the numbers of a response, without the fields about the user and the time.
fn numbers(mut statistics: Value) -> Value {
    let object = statistics.as_object_mut().unwrap();
    for name in ["user_id", "public_profile", "as_of"] {
        assert!(object.remove(name).is_some(), "{name}");
    }
    statistics
}

#[tokio::test]
async fn numbers_equal_those_computed_from_the_lists() {
    let anime = catalogue(150);
    let service = Service::with_catalogue(&anime, &[]).await;
    let person = service.person("taki").await;
    let other = service.person("mitsuha").await;
    set_public(&service, &person, true).await;
    let changes: Vec<Value> = (0..)
        .zip(&anime)
        .map(|(number, one)| change(number, one))
        .collect();
    service.change_stories(&person, &changes).await;
    // Updates can combine statuses and episodes that creation does not, such as COMPLETED at episode 1.
    for (number, one) in (1..).zip(&anime).step_by(9) {
        let story = json!({
            "id": person.story(one), "user_id": person.id, "anime_id": one.id, "status": number % 6,
            "current_episode": one.episodes_count.min(1), "current_episode_ticks": 0,
        });
        let path = "/v1/user_story";
        let answer = service.post_as(&person.token, path, &story).await;
        answer.assert_status(200);
    }
    for round in ["computed", "stored"] {
        let listed = stories(&service, &person).await;
        assert_eq!(listed.len(), 150);
        let found = own(&service, &person).await;
        assert_eq!(numbers(found), expected(&listed, true), "{round}");
        let public = service.get_as(&other.token, &path(&person)).await;
        assert_eq!(numbers(public.data()), expected(&listed, false), "{round}");
    }
    service.assert_declared_attributes().await;

    // One story is deleted and one is changed, and anime leave the catalogue.
    let first = format!("/v1/user_story/{}", person.story(&anime[2]));
    service.delete_as(&person.token, &first).await;
    service
        .change_stories(&person, &[change(4, &anime[8])])
        .await;
    for gone in &anime[20..60] {
        service.delete_row("Anime", json!({"id": gone.id})).await;
    }
    service.publish().await;
    service.clock.advance(SETTLED);
    // Other functions cache documents, so the comparison uses a new process.
    let service = service.restarted();
    let listed = stories(&service, &person).await;
    assert_eq!(listed.len(), 149);
    let without_anime = listed.iter().filter(|story| story["anime"].is_null());
    assert_eq!(without_anime.count(), 40);
    assert_eq!(
        numbers(own(&service, &person).await),
        expected(&listed, true)
    );
}

#[tokio::test]
async fn empty_list_has_zeros() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    let statuses: Vec<Value> = (0..6)
        .map(|status| json!({"status": status, "stories": 0}))
        .collect();
    let scores = (10..=100)
        .step_by(10)
        .map(|step| json!({"up_to": step, "stories": 0}));
    let nothing = json!({
        "user_id": person.id, "public_profile": false, "as_of": "2023-11-14T22:13:20Z",
        "statuses": statuses, "stories": 0, "episodes": 0, "hours": 0.0, "mean_score": null,
        "scores": scores.collect::<Vec<_>>(), "genres": [], "formats": [], "years": [], "months": []
    });
    assert_eq!(own(&service, &person).await, nothing);
    // The first story counts at once.
    service.create_story(&person, &anime, 3).await;
    assert_eq!(own(&service, &person).await["episodes"], 3);
}

/// Sends the same request as several callers. Returns their statuses and the numbers of stories that they see.
async fn seen_by(
    service: &Service,
    target: &str,
    tokens: &[Option<&str>],
) -> Vec<(u16, Option<u64>)> {
    let mut seen = Vec::new();
    for token in tokens {
        let answer = match token {
            Some(token) => service.get_as(token, target).await,
            None => service.get(target).await,
        };
        let stories = answer.data()["stories"].as_u64();
        seen.push((answer.status.as_u16(), stories));
    }
    seen
}

#[tokio::test]
async fn others_see_public_profiles_without_private_stories() {
    let (service, anime) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    let other = service.person("mitsuha").await;
    let moderator = service.person_with_role("moderator", Role::Moderator).await;
    let boss = service.person_with_role("boss", Role::Administrator).await;
    let client = service.web_application(&other).await;
    let own_application = service.application_token(&person, &client).await;
    let others_application = service.application_token(&other, &client).await;
    let moderators_application = service.application_token(&moderator, &client).await;
    let changes = anime.each_ref().map(|one| {
        let private = one.id == anime[1].id;
        json!({"op": "put", "anime_id": one.id, "status": 0, "details": {"private": private}})
    });
    service.change_stories(&person, &changes).await;
    let tokens = [
        None,
        Some(other.token.as_str()),
        Some(&others_application),
        Some(&moderators_application),
        Some(&person.token),
        Some(&own_application),
        Some(&moderator.token),
        Some(&boss.token),
    ];
    let refused = |status| (status, None);
    let both = (200, Some(2));
    let hidden = [
        refused(401),
        refused(403),
        refused(403),
        refused(403),
        both,
        both,
        both,
        both,
    ];
    let target = path(&person);
    assert_eq!(seen_by(&service, &target, &tokens).await, hidden);
    let answer = service.get_as(&other.token, &target).await;
    assert_eq!(answer.data(), "This user's profile is not public.");

    let updated = set_public(&service, &person, true).await;
    updated.assert_status(200);
    // A user in a response has no new field.
    let names: BTreeSet<String> = updated
        .data()
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
    let fields = "avatar email email_verified gender has_tracker_a has_tracker_b id localization role username";
    assert_eq!(names, fields.split(' ').map(str::to_owned).collect());
    let one = (200, Some(1));
    let shown = [one, one, one, one, both, both, both, both];
    assert_eq!(seen_by(&service, &target, &tokens).await, shown);
    assert_eq!(own(&service, &person).await["public_profile"], true);

    // A change of another setting leaves the statistics public.
    let body = json!({"id": person.id, "gender": 2});
    service.post_as(&person.token, "/v1/user", &body).await;
    assert_eq!(seen_by(&service, &target, &tokens).await, shown);
    set_public(&service, &person, false).await;
    assert_eq!(seen_by(&service, &target, &tokens).await, hidden);
    service.assert_declared_attributes().await;

    // Moderators see no more of an administrator's profile than other users.
    let target = path(&boss);
    let tokens = [Some(moderator.token.as_str()), Some(&boss.token)];
    let (none, zero) = (refused(403), (200, Some(0)));
    assert_eq!(seen_by(&service, &target, &tokens).await, [none, zero]);
    set_public(&service, &boss, true).await;
    assert_eq!(seen_by(&service, &target, &tokens).await, [zero, zero]);
}

#[tokio::test]
async fn users_who_do_not_exist_are_not_found() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    let moderator = service.person_with_role("moderator", Role::Moderator).await;
    let deleted = service.person("deleted").await;
    service.create_story(&deleted, &anime, 1).await;
    set_public(&service, &deleted, true).await;
    let user = format!("/v1/user/{}", deleted.id.get());
    service.delete_as(&deleted.token, &user).await;
    let tokens = [None, Some(person.token.as_str()), Some(&moderator.token)];
    for target in [
        &path(&deleted),
        "/v1/user/999/statistics",
        "/v1/user/9007199254740991/statistics",
    ] {
        let seen = seen_by(&service, target, &tokens).await;
        assert_eq!(seen, [(404, None); 3], "{target}");
    }
    let seen = seen_by(&service, "/v1/user/abc/statistics", &tokens).await;
    assert_eq!(seen, [(400, None); 3]);
    let invalid = [Some("not-a-token"), Some(&deleted.token)];
    for target in [&path(&person), "/v1/user/9007199254740991/statistics"] {
        let seen = seen_by(&service, target, &invalid).await;
        assert_eq!(seen, [(401, None); 2], "{target}");
    }
}

#[tokio::test]
async fn profile_page_changes_the_visibility() {
    let (service, _) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let target = path(&person);
    for (answer, label, status) in [
        ("public", "Everyone", 200),
        (
            "indexable",
            "Everyone, and search engines may list my profile",
            200,
        ),
        ("private", "Only me and moderators", 401),
    ] {
        let page = browser.get("/profile/privacy").await;
        let settings = [("visibility", answer)];
        let saved = browser.submit(&page, "/profile/privacy", &settings).await;
        assert_eq!(saved.status, 303);
        assert_eq!(service.get(&target).await.status, status);
        let page = browser.get("/profile/privacy").await.text();
        let chosen = format!("value=\"{answer}\" required checked><span>{label}</span>");
        assert!(page.contains(&chosen), "{answer}");
    }
    let page = browser.get("/profile/privacy").await;
    let settings = [("visibility", "maybe")];
    let refused = browser.submit(&page, "/profile/privacy", &settings).await;
    assert_eq!(refused.status, 400);
}

/// Every change shows at once, however large the list is.
#[tokio::test]
async fn statistics_of_a_large_list_are_those_of_this_moment() {
    let anime = made_up::anime(1502, 1);
    let service = Service::with_catalogue(&anime[..2], &[]).await;
    let person = service.person("taki").await;
    crowd::stories(&service, &person, anime[2..].iter().map(|one| one.id)).await;
    let count = |statistics: &Value| {
        let statuses = statistics["statuses"].as_array().unwrap().iter();
        let counts = statuses.map(|status| status["stories"].as_u64().unwrap());
        counts.sum::<u64>()
    };
    assert_eq!(count(&own(&service, &person).await), 1500);
    let another = service.another(service.clock.clone());
    for (process, expected) in [(&service, 1501), (&another, 1502)] {
        let created = process.create_story(&person, &anime[expected % 1501], 0);
        assert_eq!(created.await.status, 200);
        for process in [&service, &another] {
            let found = own(process, &person).await;
            assert_eq!(count(&found), u64::try_from(expected).unwrap());
        }
    }
    service.clock.advance(HOUR);
    let path = format!("/v1/user_story/{}", person.story(&anime[0]));
    let deleted = another.delete_as(&person.token, &path);
    assert_eq!(deleted.await.status, 200);
    let later = own(&service, &person).await;
    assert_eq!(count(&later), 1501);
    assert_eq!(later["as_of"], "2023-11-14T23:13:20Z");
}

/// Public statistics do not depend on private stories, and their time is that of the request.
#[tokio::test]
async fn changes_of_private_stories_do_not_show_in_public_statistics() {
    let (service, anime) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    let other = service.person("mitsuha").await;
    set_public(&service, &person, true).await;
    let put = |one: &Anime, episode: u64, private: bool| {
        json!({
            "op": "put", "anime_id": one.id, "status": 0, "current_episode": episode,
            "details": {"private": private}
        })
    };
    let public = async || {
        let path = path(&person);
        let seen = service.get_as(&other.token, &path).await;
        seen.assert_status(200);
        let as_of = seen.data()["as_of"].clone();
        (numbers(seen.data()), as_of)
    };
    service
        .change_stories(&person, &[put(&anime[0], 1, false)])
        .await;
    let (first, as_of) = public().await;
    assert_eq!(as_of, "2023-11-14T22:13:20Z");
    for episode in [1, 2] {
        service.clock.advance(SETTLED);
        service
            .change_stories(&person, &[put(&anime[1], episode, true)])
            .await;
        let own = own(&service, &person).await;
        assert_eq!(own["episodes"], 1 + episode);
        let (unchanged, as_of) = public().await;
        assert_eq!(unchanged, first);
        assert_eq!(as_of, own["as_of"]);
    }
    service.clock.advance(SETTLED);
    service
        .change_stories(&person, &[put(&anime[0], 2, false)])
        .await;
    let (changed, as_of) = public().await;
    assert_eq!(changed["episodes"], 2);
    assert_eq!(as_of, "2023-11-14T22:13:50Z");
}
