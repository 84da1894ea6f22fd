//! Favorites: the anime that users choose for their public profiles.

use serde_json::json;
use shared::models::{Anime, WatchStatus};
use tests::assertions::AssertText;
use tests::browser::PageClient;
use tests::people::Person;
use tests::service::{Answer, Service};

use super::list::anime;
use super::public_profile::{set_public, visit, with_public_user};

const FORM: &str = "/list/favorite";

/// Returns a service, and a user with a public profile who has completed this number of anime. Each has a lower score
/// than the one before.
async fn with_completed(count: u64) -> (Service, Person) {
    let all: Vec<Anime> = (1..=count).map(|id| anime(id, "Suisei", 12)).collect();
    let (service, person) = with_public_user(&all).await;
    for id in 1..=count {
        complete(&service, &person, id, false).await;
    }
    (service, person)
}

async fn complete(service: &Service, person: &Person, id: u64, is_private: bool) {
    let change = json!({
        "op": "put", "anime_id": id, "status": u8::from(WatchStatus::Completed),
        "details": {"score": 100 - id, "private": is_private}
    });
    service.change_stories(person, &[change]).await;
}

/// Presses the button on the page of an anime, which must have this value.
async fn press(browser: &mut PageClient<'_>, id: u64, value: &str) -> Answer {
    let path = format!("/anime/{id}");
    let page = browser.get(&path).await;
    page.assert_has(&format!("name=\"favorite\" value=\"{value}\""));
    let pressed = browser.submit(&page, FORM, &[("favorite", value)]).await;
    pressed.assert_leads_to(&path);
    browser.get(&path).await
}

/// Returns the anime above the list of the public profile, and the heading of that part.
async fn shown(service: &Service) -> (String, Vec<u64>) {
    // A change of the list is settled then.
    service.clock.advance(std::time::Duration::from_secs(10));
    let page = visit(service, "/user/taki-kun").await;
    let part = page.between("id=\"favorites\"", "</section>");
    let ids = part.all_between("href=\"/anime/", "\"");
    let mut ids: Vec<u64> = ids.iter().map(|id| id.parse().unwrap()).collect();
    ids.dedup();
    (part.between(">", "<"), ids)
}

#[tokio::test]
async fn chosen_anime_take_the_place_of_the_best_rated() {
    let (service, person) = with_completed(4).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let rated = ("Highest rated".to_owned(), vec![1, 2, 3, 4]);
    assert_eq!(shown(&service).await, rated);
    for id in [4, 2, 3] {
        let page = press(&mut browser, id, "yes").await;
        page.assert_has("Remove from favorites");
    }
    let chosen = |ids: &[u64]| ("Favorites".to_owned(), ids.to_vec());
    assert_eq!(shown(&service).await, chosen(&[4, 2, 3]));
    press(&mut browser, 2, "no").await;
    assert_eq!(shown(&service).await, chosen(&[4, 3]));
    // A private story is not shown, and its anime is still a favorite.
    complete(&service, &person, 4, true).await;
    assert_eq!(shown(&service).await, chosen(&[3]));
    complete(&service, &person, 4, false).await;
    assert_eq!(shown(&service).await, chosen(&[4, 3]));
    for id in [3, 4] {
        press(&mut browser, id, "no").await;
    }
    assert_eq!(shown(&service).await, rated);
    service.assert_declared_attributes().await;
}

#[tokio::test]
async fn users_have_at_most_ten_favorites() {
    let (service, person) = with_completed(11).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let last = browser.get("/anime/11").await;
    for id in 1..=10 {
        press(&mut browser, id, "yes").await;
    }
    let full = browser.get("/anime/11").await;
    full.assert_has("You have 10 favorites. Remove one to choose this anime.");
    full.assert_lacks(FORM);
    // The button of a page that was opened before changes nothing.
    let pressed = browser.submit(&last, FORM, &[("favorite", "yes")]).await;
    pressed.assert_leads_to("/anime/11");
    let account = service.users().account(person.id).await.unwrap().unwrap();
    let favorites: Vec<u64> = account.favorites.iter().map(|id| id.get()).collect();
    assert_eq!(favorites, (1..=10).collect::<Vec<_>>());
    press(&mut browser, 5, "no").await;
    press(&mut browser, 11, "yes").await;
}

/// The public profile shows favorites, so there is no button without one, and none for an anime that it would not show.
#[tokio::test]
async fn favorites_need_a_public_profile_and_a_public_story() {
    let (service, person) = with_completed(2).await;
    service.put(&[anime(3, "Hoshi", 12)]).await;
    service.publish().await;
    service.let_index_age();
    let mut browser = PageClient::signed_in(&service, &person).await;
    complete(&service, &person, 2, true).await;
    for (id, has_button) in [(1, true), (2, false), (3, false)] {
        let page = browser.get(&format!("/anime/{id}")).await;
        assert_eq!(page.text().contains(FORM), has_button, "{id}");
    }
    set_public(&service, &person, false).await;
    browser.get("/anime/1").await.assert_lacks(FORM);
    let forged = browser
        .post(FORM, &[("csrf", "forged"), ("entry", "1:")])
        .await;
    forged.assert_status(403);
}
