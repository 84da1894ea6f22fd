//! Tests of the whole service: requests to the real routers, with a real DynamoDB engine.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failed expectation must fail the test"
)]

mod accounts;
mod answers;
mod backup;
mod bad_input;
mod base_path;
mod batch_reads;
mod bodies;
mod community;
mod corrections;
mod cost;
mod deletion;
mod document_cache;
mod documents;
mod dynamodb;
mod events;
mod faults;
mod filters;
mod identify;
mod import;
mod invitations;
mod layers;
mod linking;
mod logs;
mod mapping;
mod oauth;
mod oauth_crate;
mod oauth_token;
mod outage;
mod pages;
mod pagination;
mod passwords;
mod permissions;
mod playback;
mod profile_tokens;
mod progress;
mod proofs;
mod reference;
mod refresh;
mod refresh_my_anime_list;
mod refresh_songs;
mod refresh_sources;
mod scopes;
mod search;
mod seasons;
mod second_factor;
mod security;
mod server;
mod sizes;
mod snapshot;
mod statistics;
mod stories;
mod story_batch;
mod story_details;
mod story_export;
mod story_feed;
mod story_import;
mod story_lines;
mod story_lists;
mod story_proposals;
mod story_waiting;
mod suggestions;
mod template;
mod template_history;
mod time_zones;
mod tokens;
mod tracker_details;
mod tracker_mapping;
mod tracker_model;
mod tracker_sync;
mod trackers;
mod user_data;
mod users;
mod watched_items;
mod whole_run;
