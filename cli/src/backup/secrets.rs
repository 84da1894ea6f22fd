//! Removes the secrets from the rows of a backup.

use accounts::tables::{AUTH_CODE, OAUTH_CLIENT, SESSION, TRACKER_LINK, USER};
use aws_sdk_dynamodb::types::AttributeValue;
use catalogue::snapshots::ServiceRow;

use super::read::BackupRow;

/// Returns a row without its secrets; `None` if the row is useless without them. The rows are valid:
///
/// - Users have no password, no second factor, and no address of a calendar feed. They sign in with a passkey or an
///   identity provider, whose rows hold no secret, or set a new password by mail.
/// - Accounts at trackers have to be connected again, as after a refusal of their tokens.
/// - Confidential OAuth clients have a digest that matches no secret.
/// - Sessions, authorization codes and the row that belongs to the keys are left out.
pub fn remove_secrets((table, mut item): BackupRow) -> Option<BackupRow> {
    let is = |known: &dynamo::Table| known.name == table;
    if is(&SESSION) || is(&AUTH_CODE) || ServiceRow::KEYS.is(table, &item) {
        return None;
    }
    let mut replace = |attribute: &str, value| {
        if item.contains_key(attribute) {
            item.insert(attribute.to_owned(), value);
        }
    };
    if is(&USER) {
        replace("has_tracker_a", AttributeValue::Bool(false));
        replace("has_tracker_b", AttributeValue::Bool(false));
        if let Some(AttributeValue::M(factors)) = item.get_mut("factors") {
            factors.remove("second_factor");
        }
        for attribute in [
            "password_hash",
            "kept_token",
            "calendar_feed",
            "tracker_a_account",
            "tracker_b_account",
            "sync_shard",
            "sync_due_at",
        ] {
            item.remove(attribute);
        }
    } else if is(&TRACKER_LINK) {
        replace("tokens", AttributeValue::S(String::new()));
        replace("is_refused", AttributeValue::Bool(true));
    } else if is(&OAUTH_CLIENT) {
        replace("secret_hash", AttributeValue::S(String::new()));
    }
    Some((table, item))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::remove_secrets;

    #[test]
    fn passkeys_and_identities_stay_without_passwords_and_second_factors() {
        let user = json!({
            "id": 1, "username": "mitsuha", "password_hash": "$argon2id$",
            "factors": {
                "version": 3, "passkeys": [{"id": "a", "credential": "public key"}],
                "identity": {"issuer": "https://id.example", "subject": "7"},
                "second_factor": {"secret": "sealed", "recovery_codes": ["digest"]}
            }
        });
        let item: serde_dynamo::Item = serde_dynamo::to_item(user).unwrap();
        let row = ("User", item.into());
        let (_, item) = remove_secrets(row).unwrap();
        let row: serde_json::Value = serde_dynamo::from_item(item).unwrap();
        let rest = json!({
            "id": 1, "username": "mitsuha",
            "factors": {
                "version": 3, "passkeys": [{"id": "a", "credential": "public key"}],
                "identity": {"issuer": "https://id.example", "subject": "7"}
            }
        });
        assert_eq!(row, rest);
    }
}
