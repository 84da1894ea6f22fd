//! Uses a client that openapi-generator made: `smoke ADDRESS`.

use openapi::apis::configuration::Configuration;
use openapi::apis::{Error, anime_api, auth_api, user_story_api, user_story_file_api, user_story_sync_api};
use openapi::models::{
    Anime, AnimeFormat, BatchedChange, CreateUserStory, ErrorData, ErrorEnvelope, Login, Operation, RegisterRequest,
    StoryBatch, StoryDetailsChange, StoryFileFormat, StoryInclude, WatchStatus,
};

/// Returns the `data` of an error.
fn expect_error<V, E>(status: u16, result: Result<V, Error<E>>) -> ErrorData {
    match result {
        Err(Error::ResponseError(answer)) if answer.status == status => {
            let envelope: ErrorEnvelope = serde_json::from_str(&answer.content).unwrap();
            assert_eq!(envelope.status_code, i32::from(status));
            *envelope.data
        }
        _ => panic!("{status} was expected"),
    }
}

async fn check_story(service: &Configuration, user: i64, anime: &Anime) {
    let details = StoryDetailsChange {
        score: Some(Some(87.5)),
        notes: Some(None),
        ..StoryDetailsChange::new()
    };
    let new = CreateUserStory {
        current_episode: Some(Some(3)),
        details: Some(Some(Box::new(details))),
        ..CreateUserStory::new(anime.id, WatchStatus::CURRENT, user)
    };
    let create = || user_story_api::create_user_story(service, new.clone());
    let story = create().await.unwrap().data;
    assert_eq!(story.current_episode, 3);
    let reasons = expect_error(409, create().await);
    assert!(matches!(reasons, ErrorData::FieldErrors(reasons) if reasons.contains_key("anime_id")));
    let missing = user_story_api::find_user_story(service, story.id + 1, None).await;
    assert!(matches!(expect_error(404, missing), ErrorData::ErrorReason(_)));
    let include = Some(vec![StoryInclude::Anime, StoryInclude::Details]);
    let listed = user_story_api::list_user_stories(service, None, None, None, None, include, None, None);
    let listed = listed.await.unwrap().data.remove(0);
    assert_eq!(listed.anime.unwrap().unwrap().titles["rj"], "Cowboy Bebop");
    let details = listed.details.unwrap();
    assert_eq!((details.score, details.finished_on), (Some(87.5), None));
    for format in [StoryFileFormat::Json, StoryFileFormat::Csv, StoryFileFormat::MalXml] {
        let file = user_story_file_api::export_user_stories(service, Some(format), None, None);
        let bytes = file.await.unwrap().bytes().await.unwrap();
        let is_list = String::from_utf8_lossy(&bytes).contains("Cowboy Bebop");
        assert!(is_list || format == StoryFileFormat::MalXml && bytes[0] == 0x1f);
    }
    let change = BatchedChange::new(anime.id, Operation::Delete);
    let changed = user_story_sync_api::change_user_stories(service, StoryBatch::new(vec![change]));
    let changed = changed.await.unwrap().data.remove(0);
    assert_eq!((changed.status_code, changed.data), (200, Some("".into())));
}

#[tokio::main]
async fn main() {
    let mut service = Configuration::new();
    service.base_path = std::env::args().nth(1).unwrap();
    let password = "itomori 4 october".to_owned();
    let new = RegisterRequest::new("rust@example.com".into(), password.clone(), "rust".into());
    let user = auth_api::register(&service, new).await.unwrap().data.user;
    let login = Login {
        username: Some(Some("rust".into())),
        ..Login::new(password)
    };
    let signed_in = auth_api::login(&service, login).await.unwrap();
    service.bearer_access_token = Some(signed_in.data.access_token);
    let (search, formats) = (Some("cowboy bepop"), Some(vec![AnimeFormat::TV]));
    let found = anime_api::list_anime(
        &service, search, None, None, None, None, None, formats, None, None, None, None, None, None, None, None, None,
        None, None,
    );
    let anime = found.await.unwrap().data.remove(0);
    assert_eq!(anime.titles["rj"], "Cowboy Bebop");
    check_story(&service, user.id, &anime).await;
}
