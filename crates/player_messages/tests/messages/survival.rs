//! Values that must survive templates and senders unchanged.

use player_messages::{Event, JELLYFIN_TEMPLATE, Sender, Subject, TAUTULLI_TEMPLATE, Video, read};
use proptest::prelude::*;
use serde_json::{Value, json};
use shared::models::IdSource::{TrackerA, Tvdb};

use super::{EMBY, FORM, JELLYFIN, PLEX, changed, form, item, kumo, one, video};

/// Fills in the template of Jellyfin as Handlebars does: a missing value is empty.
fn fill_in(values: &Value) -> String {
    let mut pieces = JELLYFIN_TEMPLATE.split("{{{");
    let mut filled = pieces.next().unwrap().to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once("}}}").unwrap();
        filled.push_str(values[name].as_str().unwrap_or_default());
        filled.push_str(rest);
    }
    filled
}

#[test]
fn template_of_jellyfin_survives_every_value() {
    // The plugin escapes the quotation marks of names, but neither their backslashes nor paths.
    for (name, path, title, file) in [
        ("Kumo", "/shelf/Kumo/05.mkv", "Kumo", "shelf/Kumo/05.mkv"),
        (
            r#"🕷 \"Kumo\", \"Zero\""#,
            r"C:\new\foo.mkv",
            r#"🕷 "Kumo", "Zero""#,
            r"C:\new\foo.mkv",
        ),
        (
            r"Kumo \",
            r"\\nas\Anime\k 05.mkv",
            r"Kumo \",
            r"nas\Anime\k 05.mkv",
        ),
        (
            r#"\"Kumo\": {Zero}, \"TV\""#,
            r#"D:\a "b", "c" d\k 05.mkv"#,
            r#""Kumo": {Zero}, "TV""#,
            r#"D:\a "b", "c" d\k 05.mkv"#,
        ),
        (
            "Kumo \"Zero\"\tTV\\",
            r"D:\5\tabi - 05.mkv",
            r#"Kumo "Zero" TV\"#,
            r"D:\5\tabi - 05.mkv",
        ),
    ] {
        let message = one(&fill_in(&json!({
            "NotificationType": "PlaybackStop", "ItemType": "Episode", "SeriesName": name, "Path": path,
            "SeasonNumber": "0", "EpisodeNumber": "5", "PlayedToCompletion": "True",
            "RunTimeTicks": "14400000000", "PlaybackPositionTicks": "14400000000", "Provider_anilist": "77",
        })));
        assert_eq!(message.event, Event::Finished);
        assert_eq!(message.position_ms, Some(1_440_000));
        let expected = Video {
            title: Some(title.to_owned()),
            file: Some(file.to_owned()),
            ids: vec![item(TrackerA, 77)],
            ..kumo(0, 5)
        };
        assert_eq!(*video(&message), expected);
    }
}

#[test]
fn template_of_tautulli_is_read() {
    let values = json!({
        "action": "watched", "username": "hoshi", "media_type": "episode", "live": "0", "show_name": "Kumo",
        "title": "Kumo - Spider", "year": "2018", "season_num": "1", "episode_num": "5", "filename": "Kumo - 05.mkv",
        "progress_duration_sec": "1400", "duration_sec": "1440", "thetvdb_id": "275000", "unixtime": "1700000000",
    });
    // Tautulli reads the template as JSON before it fills in the values.
    let mut message: Value = serde_json::from_str(TAUTULLI_TEMPLATE).unwrap();
    for value in message.as_object_mut().unwrap().values_mut() {
        let name = value.as_str().unwrap().trim_matches(['{', '}']);
        *value = values[name].as_str().unwrap_or_default().into();
    }
    let message = message.to_string();
    let read = one(&message);
    assert_eq!(read.sender, Sender::Tautulli);
    assert_eq!(read.event, Event::Finished);
    assert_eq!(read.position_ms, Some(1_400_000));
    assert_eq!(read.duration_ms, Some(1_440_000));
    assert_eq!(read.user.as_deref(), Some("hoshi"));
    assert_eq!(read.at_ms, Some(1_700_000_000_000));
    let expected = Video {
        file: Some("Kumo - 05.mkv".to_owned()),
        series_ids: vec![item(Tvdb, 275_000)],
        ..kumo(1, 5)
    };
    assert_eq!(*video(&read), expected);
    let movie = changed(&message, [("media_type", "movie".into())]);
    assert_eq!(video(&movie).ids, [item(Tvdb, 275_000)]);
    let range = changed(&message, [("episode", "6-10".into())]);
    assert_eq!(range.subject, Subject::Unusable("episode"));
    let live = changed(&message, [("live", "1".into())]);
    assert!(matches!(live.subject, Subject::NotAnEpisode(_)));
}

proptest! {
    #[test]
    fn names_and_numbers_survive_in_all_shapes(
        title in r"[!-~🕷é記][ -~🕷é記]{0,40}[!-\[\]-~]", season in 0..=9999_u16, episode in 12..=20_000_u32,
        picture: Vec<u8>,
    ) {
        prop_assume!(!title.contains("\\\""));
        let escaped = title.replace('"', "\\\"");
        let plex = json!({"event": "media.stop", "Metadata": {"type": "episode", "grandparentTitle": title,
            "parentIndex": season, "index": episode}});
        let picture = [&b"------b0\r\n\r\n"[..], &picture, b"\r\n", &form("payload", &plex.to_string())].concat();
        let messages = [
            changed(JELLYFIN, [("SeriesName", escaped.into()), ("SeasonNumber", season.into()),
                ("EpisodeNumber", episode.into())]),
            changed(EMBY, [("Item.SeriesName", title.clone().into()), ("Item.ParentIndexNumber", season.into()),
                ("Item.IndexNumber", episode.into())]),
            changed(PLEX, [("Metadata.grandparentTitle", title.clone().into()),
                ("Metadata.parentIndex", season.into()), ("Metadata.index", episode.into())]),
            one(&json!({"title": title, "season": season, "episode": episode}).to_string()),
            read(FORM, &picture).unwrap().remove(0),
        ];
        for message in &messages {
            let read = video(message);
            prop_assert_eq!(read.title.as_ref(), Some(&title));
            prop_assert_eq!((read.season, read.episode), (Some(season), Some(episode)));
        }
    }

    #[test]
    fn names_survive_the_template_of_jellyfin(name in r#"[a-z🕷é記][a-z🕷é記" :,{}]{0,20}[a-z\\]"#) {
        let escaped = name.replace('"', "\\\"");
        let values = json!({"NotificationType": "PlaybackStop", "ItemType": "Movie", "Name": escaped});
        let message = one(&fill_in(&values));
        prop_assert_eq!(video(&message).title.as_ref(), Some(&name));
    }

    #[test]
    fn arbitrary_bodies_do_not_panic(body: Vec<u8>, content_type in "(multipart/)?[ -~]{0,30}") {
        let _ = read(Some(&content_type), &body);
        let _ = read(FORM, &[&b"------b0"[..], &body].concat());
    }
}
