//! All tables of the service.

use accounts::tables::{
    AUTH_CODE, OAUTH_CLIENT, OAUTH_GRANT, SESSION, THROTTLE, TRACKER_LINK, UNIQUE, USER,
};
use catalogue::tables::{ANIME, CATALOG_SNAPSHOT, SONG};
use dynamo::Table;
use stories::tables::{PLAYER, USER_STATISTICS, USER_STORY, WAITING_LIST};

/// The tables of all domains, in the order of their names.
pub const TABLES: [&Table; 15] = [
    &ANIME,
    &AUTH_CODE,
    &CATALOG_SNAPSHOT,
    &OAUTH_CLIENT,
    &OAUTH_GRANT,
    &PLAYER,
    &SESSION,
    &SONG,
    &THROTTLE,
    &TRACKER_LINK,
    &UNIQUE,
    &USER,
    &USER_STATISTICS,
    &USER_STORY,
    &WAITING_LIST,
];
