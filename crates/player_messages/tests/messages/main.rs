//! Messages in the shapes that their senders write, with made-up values, and requests that cannot be read.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails at an unexpected result"
)]

mod own_json;
mod refused;
mod survival;
mod watched;

use player_messages::{Event, Message, OtherKind, Sender, SourceId, Subject, Video, read};
use serde_json::{Value, json};
use shared::models::IdSource::{Anidb, Database, Imdb, TrackerA, Tvdb};
use shared::models::{IdSource, UserScore};

const JELLYFIN: &str = include_str!("fixtures/jellyfin.json");
const SHEMANAEV: &str = include_str!("fixtures/shemanaev.json");
const EMBY: &str = include_str!("fixtures/emby.json");
const PLEX: &str = include_str!("fixtures/plex.json");

const FORM: Option<&str> = Some("multipart/form-data; boundary=----b0");

/// Reads a request with one message.
fn one(body: &str) -> Message {
    let content_type = Some("text/plain; charset=utf-8");
    let mut messages = read(content_type, body.as_bytes()).unwrap();
    assert_eq!(messages.len(), 1);
    messages.remove(0)
}

/// Reads a message in which fields are replaced. `.` in their names leads to a field of an object.
fn changed<const N: usize>(message: &str, changes: [(&str, Value); N]) -> Message {
    let mut message: Value = serde_json::from_str(message).unwrap();
    for (name, value) in changes {
        let field = name
            .split('.')
            .fold(&mut message, |object, name| &mut object[name]);
        *field = value;
    }
    one(&message.to_string())
}

fn video(message: &Message) -> &Video {
    match &message.subject {
        Subject::Video(video) => video,
        other => panic!("{other:?}"),
    }
}

fn item(source: IdSource, id: u32) -> SourceId {
    SourceId { source, id }
}

/// Returns an episode of `Kumo`.
fn kumo(season: u16, episode: u32) -> Video {
    Video {
        title: Some("Kumo".to_owned()),
        season: Some(season),
        episode: Some(episode),
        ..Video::default()
    }
}

/// Returns a form in which the message is between a picture and the end.
fn form(name: &str, message: &str) -> Vec<u8> {
    let start = "------b0\r\nContent-Disposition: form-data; name=\"thumb\"; filename=\"a.jpg\"\r\n\r\n--b0\r\n";
    let headers =
        format!("Content-Type: application/json\r\ncontent-disposition: form-data; name={name}");
    let message = format!("\r\n------b0\r\n{headers}\r\n\r\n{message}\r\n------b0--\r\n");
    [
        start.as_bytes(),
        &[0xff, 0xd8, b'\r', b'\n'],
        message.as_bytes(),
    ]
    .concat()
}

#[test]
fn all_properties_of_jellyfin_are_read() {
    let expected = Message {
        sender: Sender::Jellyfin,
        user: Some("hoshi".to_owned()),
        event: Event::Finished,
        subject: Subject::Video(Video {
            title: Some("Kumo \"Zero\" 🕷".to_owned()),
            year: Some(2016),
            ids: vec![item(Imdb, 7_700_123), item(Tvdb, 880_011)],
            ..kumo(2, 12)
        }),
        position_ms: Some(1_400_000),
        duration_ms: Some(1_440_000),
        at_ms: Some(1_795_418_400_123),
    };
    assert_eq!(one(JELLYFIN), expected);
    let movie = changed(JELLYFIN, [("ItemType", "Movie".into())]);
    let movie = video(&movie);
    assert_eq!((movie.is_movie, movie.episode), (true, None));
    assert_eq!(movie.title.as_deref(), Some("The \"Spider\""));
}

#[test]
fn only_a_watched_or_marked_item_of_jellyfin_is_finished() {
    let stopped = changed(JELLYFIN, [("PlayedToCompletion", false.into())]);
    assert_eq!(stopped.event, Event::Stopped);
    for (reason, is_played, ticks, event) in [
        ("TogglePlayed", true, 0, Event::Finished),
        ("TogglePlayed", false, 0, Event::Unwatched),
        ("PlaybackFinished", true, 0, Event::Finished),
        ("PlaybackFinished", true, 9_000_000, Event::Other),
        ("UpdateUserRating", true, 0, Event::Other),
    ] {
        let changes = [
            ("NotificationType", "UserDataSaved".into()),
            ("SaveReason", reason.into()),
            ("Played", is_played.into()),
            ("PlaybackPositionTicks", ticks.into()),
        ];
        assert_eq!(changed(JELLYFIN, changes).event, event, "{reason}");
    }
}

#[test]
fn emby_and_the_other_plugin_of_jellyfin_are_told_apart() {
    let message = one(EMBY);
    assert_eq!(message.sender, Sender::Emby);
    assert_eq!(message.event, Event::Stopped);
    assert_eq!(message.user.as_deref(), Some("hoshi"));
    assert_eq!(message.position_ms, Some(600_000));
    assert_eq!(message.duration_ms, Some(1_440_000));
    assert_eq!(message.at_ms, Some(1_795_418_400_000));
    let expected = Video {
        file: Some("shelf/Kumo/Kumo - 05.mkv".to_owned()),
        ids: vec![item(Database, 71), item(Tvdb, 880_012)],
        ..kumo(1, 5)
    };
    assert_eq!(*video(&message), expected);
    assert_eq!(read(FORM, &form("data", EMBY)).unwrap(), [message]);
    let complete = changed(EMBY, [("PlaybackInfo.PlayedToCompletion", true.into())]);
    assert_eq!(complete.event, Event::Finished);

    let message = one(SHEMANAEV);
    assert_eq!(message.sender, Sender::Jellyfin);
    assert_eq!(message.event, Event::Finished);
    assert_eq!(message.position_ms, Some(1_430_000));
    let expected = Video {
        year: Some(2016),
        ids: vec![item(Anidb, 990)],
        series_ids: vec![item(TrackerA, 501), item(Tvdb, 275_000)],
        ..kumo(1, 5)
    };
    assert_eq!(*video(&message), expected);
}

#[test]
fn plex_is_read_from_its_part_of_the_form() {
    let messages = read(FORM, &form("\"payload\"", PLEX)).unwrap();
    let expected = Message {
        sender: Sender::Plex,
        user: Some("hoshi".to_owned()),
        event: Event::Finished,
        subject: Subject::Video(Video {
            ids: vec![item(Imdb, 7_700_123), item(Tvdb, 880_012)],
            ..kumo(1, 5)
        }),
        position_ms: Some(1_300_000),
        duration_ms: Some(1_440_000),
        at_ms: None,
    };
    assert_eq!(messages, [expected]);
    let server =
        one(&json!({"event": "admin.database.backup", "Server": {"uuid": "c3"}}).to_string());
    assert_eq!(server.subject, Subject::NotAnEpisode(OtherKind::Other));
}

#[test]
fn events_have_kinds() {
    for (message, event, names) in [
        (JELLYFIN, Event::Playing, "PlaybackStart PlaybackProgress"),
        (JELLYFIN, Event::Other, "ItemAdded UserDataSaved"),
        (SHEMANAEV, Event::Playing, "Play Pause Resume Progress"),
        (SHEMANAEV, Event::Stopped, "Stop"),
        (SHEMANAEV, Event::Finished, "MarkPlayed"),
        (SHEMANAEV, Event::Unwatched, "MarkUnplayed"),
        (SHEMANAEV, Event::Other, "Rate ItemAdded"),
        (EMBY, Event::Playing, "playback.start playback.pause"),
        (EMBY, Event::Playing, "playback.unpause"),
        (EMBY, Event::Finished, "item.markplayed"),
        (EMBY, Event::Unwatched, "item.markunplayed"),
        (EMBY, Event::Other, "item.rate library.new"),
        (PLEX, Event::Playing, "media.play media.pause media.resume"),
        (PLEX, Event::Stopped, "media.stop"),
        (PLEX, Event::Other, "media.rate library.new"),
    ] {
        let field = match message {
            JELLYFIN => "NotificationType",
            PLEX => "event",
            _ => "Event",
        };
        for name in names.split(' ') {
            let message = changed(message, [(field, name.into())]);
            assert_eq!(message.event, event, "{name}");
        }
    }
}

#[test]
fn guids_of_older_agents_name_the_series() {
    for (guid, source, id, season, episode) in [
        ("hama://anidb-17494/1/7?lang=en", Anidb, 17_494, Some(1), 7),
        ("hama://anidb-17494/0/2", Anidb, 17_494, Some(0), 2),
        ("hama://tvdb-275000/2/3?lang=en", Tvdb, 275_000, Some(2), 3),
        ("hama://tvdb2-275000/2/3", Tvdb, 275_000, Some(2), 3),
        ("hama://tvdb4-275000/2/30", Tvdb, 275_000, None, 30),
        ("thetvdb://275000/1/5", Tvdb, 275_000, Some(1), 5),
        ("hama://tvdb3-275000/2/30", Tvdb, 275_000, None, 30),
        ("hama://tvdb5-275000/2/30", Tvdb, 275_000, None, 30),
        ("hama://tsdb-71/1/5", Database, 71, Some(1), 5),
        ("themoviedb://71/1/5", Database, 71, Some(1), 5),
    ] {
        let changes = [
            ("Metadata.guid", format!("com.plexapp.agents.{guid}").into()),
            ("Metadata.Guid", Value::Null),
            ("Metadata.parentIndex", Value::Null),
            ("Metadata.index", Value::Null),
        ];
        let expected = Video {
            season,
            series_ids: vec![item(source, id)],
            ..kumo(0, episode)
        };
        assert_eq!(*video(&changed(PLEX, changes)), expected, "{guid}");
    }
    // With a numbering that is not the source's, the identifier would lead to another episode. The last is an
    // identifier that Plex has made itself.
    for guid in [
        "com.plexapp.agents.hama://anidb2-17494/2/7",
        "com.plexapp.agents.hama://anidb3-17494/2/7",
        "com.plexapp.agents.hama://anidb4-17494/2/7",
        "com.plexapp.agents.hama://tvdb6-275000/2/7",
        "local://5021",
        "com.plexapp.agents.none://local/2/7",
    ] {
        let message = changed(PLEX, [("Metadata.guid", guid.into())]);
        let expected = Video {
            ids: vec![item(Imdb, 7_700_123), item(Tvdb, 880_012)],
            ..kumo(1, 5)
        };
        assert_eq!(*video(&message), expected, "{guid}");
    }
    for (guid, id) in [
        ("hama://tmdb-71/1/1", item(Database, 71)),
        ("hama://imdb-tt7700123/0/1", item(Imdb, 7_700_123)),
    ] {
        let guid = format!("com.plexapp.agents.{guid}");
        let changes = [
            ("Metadata.guid", guid.into()),
            ("Metadata.Guid", Value::Null),
        ];
        let message = changed(PLEX, changes);
        let expected = Video {
            is_movie: true,
            title: Some("Kumo".to_owned()),
            year: Some(2018),
            ids: vec![id],
            ..Video::default()
        };
        assert_eq!(*video(&message), expected, "{id:?}");
    }
    let guid = "com.plexapp.agents.hama://anidb-301".into();
    let changes = [("Metadata.type", "movie".into()), ("Metadata.guid", guid)];
    let movie = changed(PLEX, changes);
    assert_eq!(video(&movie).year, Some(2018));
    assert_eq!(video(&movie).ids.last(), Some(&item(Anidb, 301)));
}

#[test]
fn other_items_are_named_by_kind() {
    for (kind, names) in [
        (OtherKind::Music, "track Audio MusicVideo"),
        (OtherKind::Trailer, "clip Trailer"),
        (OtherKind::LiveTv, "LiveTvProgram TvChannel"),
        (OtherKind::Photo, "photo Photo"),
        (OtherKind::Other, "BoxSet collection "),
    ] {
        for name in names.split(' ') {
            for message in [
                changed(JELLYFIN, [("ItemType", name.into())]),
                changed(EMBY, [("Item.Type", name.into())]),
                changed(PLEX, [("Metadata.type", name.into())]),
            ] {
                assert_eq!(message.subject, Subject::NotAnEpisode(kind), "{name}");
            }
        }
    }
    let live = changed(PLEX, [("Metadata.live", "1".into())]);
    assert_eq!(live.subject, Subject::NotAnEpisode(OtherKind::LiveTv));
}

/// Returns the season or the series of a message.
fn whole(message: &Message) -> (Option<&str>, Option<u16>, bool) {
    match &message.subject {
        Subject::Whole(item) => {
            let video = &item.video;
            assert_eq!((video.episode, video.file.as_ref()), (None, None));
            (video.title.as_deref(), video.season, item.is_series)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn marked_season_is_an_item_of_its_own() {
    let marked = |kind: &str| {
        let changes = [
            ("Event", "item.markplayed".into()),
            ("Item.Type", kind.into()),
            ("Item.IndexNumber", 2.into()),
        ];
        changed(EMBY, changes)
    };
    assert_eq!(whole(&marked("Season")), (Some("Kumo"), Some(2), false));
    let series = marked("Series");
    assert_eq!(whole(&series), (Some("Spider"), None, true));
    let Subject::Whole(item) = &series.subject else {
        panic!("{series:?}");
    };
    let ids = &item.video.series_ids;
    assert!(!ids.is_empty(), "its identifiers are those of the series");
    // Only messages about a mark or a rating can be about a season.
    let played = changed(EMBY, [("Item.Type", "Season".into())]);
    assert_eq!(played.subject, Subject::NotAnEpisode(OtherKind::Other));
}

#[test]
fn ratings_are_read() {
    let score = |tenths: u16| Event::Rated(UserScore::from_tenths(tenths).unwrap());
    for (rating, event) in [
        (json!(8.5), score(850)),
        (json!("10.0"), score(1000)),
        (json!(7.123_456), score(712)),
        (json!(0), Event::Other),
        (json!(-1), Event::Other),
        (json!(11), Event::Other),
        (json!("x"), Event::Other),
        (Value::Null, Event::Other),
    ] {
        let jellyfin = [
            ("NotificationType", "UserDataSaved".into()),
            ("SaveReason", "UpdateUserRating".into()),
            ("ItemType", "Season".into()),
            ("Rating", rating.clone()),
        ];
        assert_eq!(changed(JELLYFIN, jellyfin).event, event, "{rating}");
        let emby = [
            ("Event", "item.rate".into()),
            ("Item.UserData", json!({"Rating": rating})),
        ];
        assert_eq!(changed(EMBY, emby).event, event, "{rating}");
        let plex = [
            ("event", "media.rate".into()),
            ("rating", rating.clone()),
            ("Metadata.type", "show".into()),
            ("Metadata.title", "Kumo".into()),
        ];
        let plex = changed(PLEX, plex);
        assert_eq!(plex.event, event, "{rating}");
        if event != Event::Other {
            assert_eq!(whole(&plex), (Some("Kumo"), None, true));
        }
    }
}

#[test]
fn library_and_identifiers_in_titles_are_read() {
    let changes = [
        ("Metadata.librarySectionTitle", "Anime".into()),
        ("Metadata.grandparentTitle", "Kumo [anidb-17494]".into()),
    ];
    let message = changed(PLEX, changes);
    assert_eq!(video(&message).library.as_deref(), Some("Anime"));
    assert_eq!(video(&message).title.as_deref(), Some("Kumo"));
    assert_eq!(video(&message).series_ids, [item(Anidb, 17_494)]);
    let own =
        one(r#"{"title": "Kumo {tvdb-275000}", "season": 1, "episode": 5, "library": "Anime"}"#);
    let expected = Video {
        library: Some("Anime".to_owned()),
        series_ids: vec![item(Tvdb, 275_000)],
        ..kumo(1, 5)
    };
    assert_eq!(*video(&own), expected);
}

#[test]
fn kodi_marks_nothing_at_the_start() {
    let movie = json!({"title": "The Web", "year": 2019});
    let with = |fields: Value| {
        let mut message = movie.as_object().unwrap().clone();
        message.extend(fields.as_object().unwrap().clone());
        one(&Value::Object(message).to_string()).event
    };
    for (fields, event) in [
        (json!({}), Event::Finished),
        (json!({"event": "start"}), Event::Playing),
        (
            json!({"event": "playback.start", "position_ms": 0}),
            Event::Playing,
        ),
        (json!({"method": "Player.OnPlay"}), Event::Playing),
        (json!({"state": "playing"}), Event::Playing),
        (json!({"event": "onAVStarted"}), Event::Playing),
        (json!({"event": "stop"}), Event::Stopped),
        (json!({"event": "stop", "finished": true}), Event::Finished),
        (json!({"event": "onPlayBackEnded"}), Event::Finished),
        (json!({"event": "end", "finished": false}), Event::Playing),
        (json!({"event": "library.scan"}), Event::Other),
        (json!({"position_ms": 0}), Event::Playing),
    ] {
        assert_eq!(with(fields.clone()), event, "{fields}");
    }
}

#[test]
fn notifications_of_kodi_are_read() {
    let notification = |method: &str, data: Value| {
        let params = json!({"data": data, "sender": "xbmc"});
        one(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string())
    };
    let episode = json!({"type": "episode", "showtitle": "Kumo", "season": 1, "episode": 5, "title": "Spider"});
    let data = json!({"item": episode, "player": {"playerid": 1, "speed": 1}});
    let started = notification("Player.OnPlay", data);
    assert_eq!(started.sender, Sender::Kodi);
    assert_eq!(started.event, Event::Playing);
    assert_eq!(*video(&started), kumo(1, 5));
    for (end, event) in [(false, Event::Stopped), (true, Event::Finished)] {
        let stopped = notification("Player.OnStop", json!({"item": episode, "end": end}));
        assert_eq!(stopped.event, event);
    }
    let movie = json!({"type": "movie", "title": "The Web", "year": 2019});
    let movie = notification("Player.OnStop", json!({"item": movie, "end": true}));
    assert!(video(&movie).is_movie);
    assert_eq!(video(&movie).year, Some(2019));
    let song = json!({"type": "song", "title": "The Web"});
    let song = notification("Player.OnPlay", json!({"item": song}));
    assert_eq!(song.subject, Subject::NotAnEpisode(OtherKind::Music));
    // An item of the library has only its number there.
    let nameless = notification("Player.OnPlay", json!({"item": {"type": "movie", "id": 7}}));
    assert_eq!(nameless.subject, Subject::Unusable("title"));
    // Flat JSON with Kodi's names: `title` is the title of the episode.
    let flat = json!({
        "event": "progress", "showtitle": "Kumo", "title": "Spider", "season": 1, "episode": 5, "time": 600.5,
        "totaltime": 1440,
    });
    let flat = one(&flat.to_string());
    assert_eq!(*video(&flat), kumo(1, 5));
    assert_eq!(flat.position_ms, Some(600_500));
    assert_eq!(flat.duration_ms, Some(1_440_000));
    // JSON-RPC has times with parts.
    let time =
        |minutes: u8| json!({"hours": 0, "minutes": minutes, "seconds": 30, "milliseconds": 250});
    let seek = json!({"playerid": 1, "time": time(23), "totaltime": time(24)});
    let mut flat = episode.clone();
    for name in ["time", "totaltime"] {
        flat[name] = seek[name].clone();
    }
    let seek = notification("Player.OnSeek", json!({"item": episode, "player": seek}));
    for message in [one(&flat.to_string()), seek] {
        assert_eq!(message.position_ms, Some(1_410_250));
        assert_eq!(message.duration_ms, Some(1_470_250));
    }
    for wrong in [
        json!({}),
        json!({"hours": -1}),
        json!({"hours": u64::MAX}),
        json!({"hours": 9_007_199_254_740_991_u64}),
        json!({"minutes": "x"}),
    ] {
        flat["time"] = wrong.clone();
        assert_eq!(one(&flat.to_string()).position_ms, None, "{wrong}");
    }
    let silent = one(&json!({"showtitle": "Kumo", "season": 1, "episode": 5}).to_string());
    assert_eq!(silent.event, Event::Playing, "no event, no position");
}

#[test]
fn title_of_kodi_that_is_the_name_of_a_file_is_read_as_a_file() {
    let subject = |item: Value| {
        let params = json!({"data": {"item": item, "end": true}, "sender": "xbmc"});
        one(&json!({"method": "Player.OnStop", "params": params}).to_string()).subject
    };
    for kind in ["unknown", "movie", "movies"] {
        for name in [
            "Kumo - S01E04.mkv",
            "Kumo - S01E04",
            "[Group] Kumo - 05 [1080p]",
            "[Group] Kumo - 05",
            "Kumo The Movie.MP4",
        ] {
            let expected = Video {
                file: Some(name.to_owned()),
                ..Video::default()
            };
            let item = json!({"type": kind, "title": name});
            assert_eq!(subject(item), Subject::Video(expected), "{kind} {name}");
        }
        for title in ["The Web", "[C] Control", "S.E.A. 2", "Se7en", "Mr. Web"] {
            let expected = Video {
                is_movie: true,
                title: Some(title.to_owned()),
                ..Video::default()
            };
            let item = json!({"type": kind, "title": title});
            assert_eq!(subject(item), Subject::Video(expected), "{kind} {title}");
        }
    }
    // The path says more than the label.
    let item =
        json!({"type": "unknown", "title": "05.mkv", "file": "/videos/Kumo/Season 2/05.mkv"});
    let expected = Video {
        file: Some("Kumo/Season 2/05.mkv".to_owned()),
        ..Video::default()
    };
    assert_eq!(subject(item), Subject::Video(expected));
    // JSON with Kodi's names has -1 for unknown numbers.
    let flat = json!({"showtitle": "", "season": -1, "episode": -1, "type": "unknown", "title": "Kumo - 05.mkv"});
    let flat = one(&flat.to_string());
    assert_eq!(video(&flat).file.as_deref(), Some("Kumo - 05.mkv"));
}

#[test]
fn wrong_values_of_servers_count_as_missing_but_wrong_numbers_make_the_item_unusable() {
    let beyond_the_end = [("PlaybackPositionTicks", 15_000_000_000_u64.into())];
    assert_eq!(changed(JELLYFIN, beyond_the_end).position_ms, None);
    let endless = changed(JELLYFIN, [("RunTimeTicks", 0.into())]);
    assert_eq!(endless.position_ms, Some(1_400_000));
    assert_eq!(endless.duration_ms, None);
    let changes = [
        ("Year", "MMXVI".into()),
        ("UtcTimestamp", "23.11.2026 07:20".into()),
        ("Provider_tvdb", "-1".into()),
        ("EpisodeNumberEnd", 99_999.into()),
        ("NotificationUsername", "hoshi\0".into()),
        ("SeriesName", "x".repeat(1001).into()),
    ];
    let message = changed(JELLYFIN, changes);
    assert_eq!((message.user.as_deref(), message.at_ms), (None, None));
    let expected = Video {
        title: None,
        ids: vec![item(Imdb, 7_700_123)],
        ..kumo(2, 11)
    };
    assert_eq!(*video(&message), expected);
    for (name, value, field) in [
        ("EpisodeNumber", json!(-1), "episode"),
        ("EpisodeNumber", json!(99_999), "episode"),
        ("EpisodeNumber", json!("2026-11-01/2026-11-23"), "episode"),
        ("EpisodeNumber", json!(null), "episode"),
        ("SeasonNumber", json!(-1), "season"),
        ("SeasonNumber", json!([1]), "season"),
    ] {
        let message = changed(JELLYFIN, [(name, value)]);
        assert_eq!(message.subject, Subject::Unusable(field));
    }
    let nameless =
        one(&json!({"NotificationType": "PlaybackStop", "ItemType": "Movie"}).to_string());
    assert_eq!(nameless.subject, Subject::Unusable("title"));
}
