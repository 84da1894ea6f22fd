//! Tests of the whole service: requests to the real routers, with a real DynamoDB engine.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failed expectation must fail the test"
)]

mod accounts;
mod administration;
mod answers;
mod backup;
mod bad_input;
mod batch_reads;
mod bodies;
mod corrections;
mod cost;
mod deletion;
mod document_cache;
mod documents;
mod dynamodb;
mod events;
mod faults;
mod filters;
mod history_page;
mod iam;
mod import;
mod invitations;
mod layers;
mod linking;
mod mapping;
mod oauth;
mod oauth_crate;
mod oauth_token;
mod outage;
mod pages;
mod passwords;
mod permissions;
mod playback;
mod profile_tokens;
mod progress;
mod reference;
mod reference_pages;
mod refresh;
mod refresh_my_anime_list;
mod refresh_songs;
mod refresh_sources;
mod scopes;
mod search;
mod seasons;
mod server;
mod site;
mod site_anime;
mod site_calendar;
mod site_frame;
mod site_home;
mod site_languages;
mod site_list;
mod site_moderation;
mod site_players;
mod site_profile;
mod site_public_profile;
mod site_selection;
mod site_songs;
mod site_statistics;
mod site_welcome;
mod sizes;
mod snapshot;
mod statistics;
mod stories;
mod story_batch;
mod story_details;
mod story_export;
mod story_feed;
mod story_import;
mod story_waiting;
mod suggestions;
mod template;
mod template_history;
mod tokens;
mod tracker_details;
mod tracker_mapping;
mod tracker_model;
mod tracker_sync;
mod trackers;
mod user_data;
mod users;
mod watched_items;
