//! Removes the secrets from the rows of a backup.

use aws_sdk_dynamodb::types::AttributeValue;
use store::schema::{auth_code, oauth_client, session, tracker_link, user};

use super::read::Row;

/// A password hash that no password has. Users with it set a new password by mail.
const NO_PASSWORD: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$\
                           AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Returns a row without its secrets; `None` if the row is of no use without them. The rows are valid:
///
/// - Users have a password hash that no password has, and no address of a calendar feed.
/// - Accounts at trackers have to be connected again, as after a refusal of their tokens.
/// - Confidential OAuth clients have a digest that no secret has.
/// - Sessions and authorization codes are left out.
pub fn remove_secrets((table, mut item): Row) -> Option<Row> {
    let is = |known: &store::schema::Table| known.name == table;
    if is(&session::TABLE) || is(&auth_code::TABLE) {
        return None;
    }
    let mut replace = |attribute: &str, value| {
        if item.contains_key(attribute) {
            item.insert(attribute.to_owned(), value);
        }
    };
    if is(&user::TABLE) {
        replace("password_hash", AttributeValue::S(NO_PASSWORD.to_owned()));
        replace("has_tracker_a", AttributeValue::Bool(false));
        replace("has_tracker_b", AttributeValue::Bool(false));
        for attribute in [
            "kept_token",
            "calendar_feed",
            "tracker_a_account",
            "tracker_b_account",
            "sync_shard",
            "sync_due_at",
        ] {
            item.remove(attribute);
        }
    } else if is(&tracker_link::TABLE) {
        replace("tokens", AttributeValue::S(String::new()));
        replace("is_refused", AttributeValue::Bool(true));
    } else if is(&oauth_client::TABLE) {
        replace("secret_hash", AttributeValue::S(String::new()));
    }
    Some((table, item))
}
