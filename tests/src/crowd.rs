//! Bulk test data. Users and stories are written to DynamoDB directly.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, WriteRequest};
use futures_util::{StreamExt, stream};
use shared::models::AnimeId;

use crate::people::Person;
use crate::service::Service;

type Row = HashMap<String, AttributeValue>;

fn number_attribute(number: impl Into<u128>) -> AttributeValue {
    AttributeValue::N(number.into().to_string())
}

fn text(value: &str) -> AttributeValue {
    AttributeValue::S(value.to_owned())
}

fn row<const N: usize>(fields: [(&str, AttributeValue); N]) -> Row {
    fields.map(|(name, value)| (name.to_owned(), value)).into()
}

/// Writes `count` users named `user00000`, `user00001` and so on. They cannot sign in.
pub async fn users(service: &Service, count: u32) {
    let rows = (0..count).map(|number| {
        let name = format!("user{number:05}");
        row([
            ("id", number_attribute(number + 1_000_000)),
            ("list_shard", number_attribute(0_u32)),
            ("username_folded", text(&name)),
            ("username", text(&name)),
            ("email", text(&format!("{name}@example.com"))),
            ("role", number_attribute(0_u32)),
            ("gender", number_attribute(0_u32)),
            ("avatar", text("")),
            ("password_hash", text(&"x".repeat(97))),
            ("token_generation", number_attribute(0_u32)),
            ("has_tracker_a", AttributeValue::Bool(false)),
            ("has_tracker_b", AttributeValue::Bool(false)),
        ])
    });
    put(service, "User", rows).await;
}

/// Writes a story for each of these anime, one second apart, all created before
/// [`crate::service::START_MS`].
pub async fn stories(service: &Service, person: &Person, anime: impl Iterator<Item = AnimeId>) {
    let rows = anime.zip(1_u64..).map(|(anime, number)| {
        let order = stories::lists::Story::order_at(number * 1000, anime);
        row([
            ("user_id", number_attribute(person.id.get())),
            ("anime_id", number_attribute(anime.get())),
            ("status", number_attribute(number % 6)),
            ("current_episode", number_attribute(0_u32)),
            ("current_episode_ticks", number_attribute(0_u32)),
            ("creation_order", number_attribute(order)),
        ])
    });
    put(service, "UserStory", rows).await;
    forget_digest(service, person).await;
}

/// Removes the digest of a person's list, which has the same effect as a write by an earlier version of the service.
async fn forget_digest(service: &Service, person: &Person) {
    let request = service.client.update_item();
    let request = request
        .table_name(service.tables.of("User"))
        .key("id", number_attribute(person.id.get()))
        .update_expression("REMOVE story_digest, digest_number");
    request.send().await.expect("the user's row");
}

/// Writes a story for each of these anime, which need not exist. The story with the highest number is the newest. Every
/// `planned`-th story has the status PLANNING.
pub async fn numbered_stories(
    service: &Service,
    person: &Person,
    anime: std::ops::RangeInclusive<u64>,
    planned: u64,
    notes: impl Fn(u64) -> Option<String>,
) {
    let rows = anime.map(|anime| {
        let mut story = row([
            ("user_id", number_attribute(person.id.get())),
            ("anime_id", number_attribute(anime)),
            ("status", number_attribute(u64::from(anime % planned == 0))),
            ("current_episode", number_attribute(0_u32)),
            ("current_episode_ticks", number_attribute(0_u32)),
            ("creation_order", number_attribute(anime)),
        ]);
        let notes = notes(anime).map(|notes| ("notes".to_owned(), AttributeValue::S(notes)));
        story.extend(notes);
        story
    });
    put(service, "UserStory", rows).await;
    forget_digest(service, person).await;
}

/// Returns notes of 2,000 characters and 6,000 bytes that hardly compress.
///
/// # Panics
/// Never: all these characters exist.
pub fn long_notes(seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from_u32(0x4e00 + u32::try_from(state % 0x5000).unwrap()).unwrap()
    };
    std::iter::repeat_with(next).take(2000).collect()
}

async fn put(service: &Service, table: &str, rows: impl Iterator<Item = Row>) {
    let put = |row| {
        PutRequest::builder()
            .set_item(Some(row))
            .build()
            .expect("a row")
    };
    let writes = rows.map(|row| WriteRequest::builder().put_request(put(row)).build());
    let writes: Vec<WriteRequest> = writes.collect();
    let batches = writes.chunks(25).map(|batch| {
        let request = service.client.batch_write_item();
        let request = request.request_items(service.tables.of(table), batch.to_vec());
        request.send()
    });
    let mut sent = stream::iter(batches.collect::<Vec<_>>()).buffer_unordered(8);
    while let Some(sent) = sent.next().await {
        let left = sent
            .expect("an answer")
            .unprocessed_items
            .unwrap_or_default();
        assert!(left.is_empty());
    }
}
