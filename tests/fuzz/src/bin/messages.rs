//! Messages of players are refused, or read within their limits. Names of video files have no title, or a short one.

#![no_main]
#![expect(
    clippy::unwrap_used,
    reason = "a fuzz target must stop at an unexpected result"
)]

use fuzz::Input;
use libfuzzer_sys::fuzz_target;
use player_messages::file_name::FileName;
use player_messages::{
    JELLYFIN_TEMPLATE, MAX_EPISODE, MAX_MESSAGES, MAX_SEASON, Message, Subject, TAUTULLI_TEMPLATE,
    Video, read,
};

const FORM_TYPE: &str = "multipart/form-data; boundary=----b0";

const FORM: &str = "------b0\r\nContent-Disposition: form-data; name=\"thumb\"; filename=\"a.jpg\"\r\n\r\n--b0\r\n\
    ------b0\r\nContent-Type: application/json\r\ncontent-disposition: form-data; name=\"payload\"\r\n\r\n\
    {\"event\": \"media.scrobble\", \"Account\": {\"title\": \"hoshi\"}, \"Metadata\": {\"type\": \"episode\", \
    \"guid\": \"com.plexapp.agents.hama://anidb-17494/1/7?lang=en\", \"grandparentTitle\": \"Kumo\", \"index\": 5}}\
    \r\n------b0--\r\n";

const JELLYFIN: &str = r#"{"NotificationType": "PlaybackStop", "UtcTimestamp": "2026-11-23T07:20:00.1234567Z",
    "Name": "The \"Spider\"", "ItemType": "Episode", "RunTimeTicks": "14400000000", "Year": 2016,
    "SeriesName": "Kumo \\\"Zero\\\" 🕷", "SeasonNumber": 2, "EpisodeNumber": "11", "EpisodeNumberEnd": 12,
    "Provider_tvdb": "880011", "Provider_imdb": "tt7700123", "PlaybackPositionTicks": 14000000000,
    "NotificationUsername": "hoshi", "PlayedToCompletion": "True", "Path": "C:\new\Kumo - 05.mkv"}"#;

const EMBY: &str = r#"{"Date": "2026-11-23T07:20:00.0000000Z", "Event": "playback.stop", "User": {"Name": "hoshi"},
    "Item": {"Name": "Spider", "Type": "Movie", "RunTimeTicks": 14400000000, "ProductionYear": 2018,
    "Path": "/shelf/Kumo/Kumo - 05.mkv", "ProviderIds": {"Tvdb": "880012", "Tmdb": "71"}},
    "Series": {"ProviderIds": {"AniList": "501"}}, "PlaybackInfo": {"PositionTicks": 6000000000}}"#;

const LIST: &str = r#"[{"anime_id": 2, "episode": 5, "finished": true, "at": 1700000000},
    {"ids": {"tvdb": 275672, "imdb": "tt0213338"}, "season": 0, "episode": 5},
    {"title": "Slayers", "season": 4, "episode": 13, "year": 1995, "at": "2026-11-23T07:20:00Z"},
    {"file": "https://shelf.example/[Group] Steins;Gate - 05.mkv?token=1", "position_ms": 1200000,
    "duration_ms": 1440000}]"#;

const NAMES: [&str; 5] = [
    "/media/Harbor Lights (2012)/Season 02/Harbor Lights - S02E05E06 - Title [1080p].mkv",
    "[Group] Harbor Lights 2nd Season Part 2 - 05v2 (51) [BD][ABCD1234].mkv",
    "【组】★【Harbor Lights】[05（END）][GB][720P].mp4",
    "[Harbor Lights].05.[Xvid].[ABCD1234].avi",
    "Harbor Lights - SP1 (2023-01-05).mkv",
];

fn check_text(text: &str) {
    assert!(!text.is_empty() && text.chars().count() <= 1000 && !text.contains('\0'));
}

fn check_video(video: &Video) {
    for text in [&video.title, &video.file].into_iter().flatten() {
        check_text(text);
    }
    let has_ids = !video.ids.is_empty() || !video.series_ids.is_empty();
    assert!(has_ids || video.title.is_some() || video.file.is_some() || video.anime_id.is_some());
    assert!(
        video
            .season
            .is_none_or(|season| u32::from(season) <= MAX_SEASON)
    );
    assert!(video.episode.is_none_or(|episode| episode <= MAX_EPISODE));
    assert!(!video.is_movie || (video.season, video.episode) == (None, None));
    let stored = serde_json::to_string(video).unwrap();
    let again: Video = serde_json::from_str(&stored).unwrap();
    assert_eq!(again, *video);
}

fn check_message(message: &Message) {
    if let Some(user) = &message.user {
        check_text(user);
    }
    if let Some(duration) = message.duration_ms {
        assert!(duration > 0);
        assert!(
            message
                .position_ms
                .is_none_or(|position| position <= duration)
        );
    }
    if let Subject::Video(video) = &message.subject {
        check_video(video);
    }
}

fn check(content_type: &str, body: &[u8]) {
    if let Ok(messages) = read(Some(content_type), body) {
        assert!((1..=MAX_MESSAGES).contains(&messages.len()));
        for message in &messages {
            check_message(message);
        }
    }
}

fn check_name(path: &str) {
    if let Some(name) = FileName::parse(path) {
        // A hyphen can be added for each letter, and the season and the part at the end.
        assert!(name.title.len() <= 2 * path.len() + 64);
    }
}

fuzz_target!(|input: Input| {
    for valid in [JELLYFIN, EMBY, LIST, JELLYFIN_TEMPLATE, TAUTULLI_TEMPLATE] {
        check("text/plain", &input.bytes(valid.as_bytes()));
    }
    check(FORM_TYPE, &input.bytes(FORM.as_bytes()));
    check(&input.text(FORM_TYPE), FORM.as_bytes());
    for valid in NAMES {
        check_name(&input.text(valid));
    }
});
