//! Calendar feeds of users.

use shared::models::UserId;

use crate::service::Service;

/// Returns the path of a user's calendar feed.
///
/// # Panics
/// If the feed has no address.
pub async fn feed_address(service: &Service, user: UserId) -> String {
    let account = service.users().account(user).await.unwrap().unwrap();
    let feeds = service.environment.calendar_feeds().unwrap();
    let secret = feeds.read_secret(&account).await.unwrap();
    format!("/calendar/{}.ics", secret.expect("an address"))
}
