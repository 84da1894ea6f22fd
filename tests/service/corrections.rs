//! Corrections of the catalogue by moderators (docs/data-model.md, "Corrections").

use aws_sdk_dynamodb::types::AttributeValue;
use catalog_refresh::{RefreshScope, SourceName};
use catalogue::corrections::{
    CorrectedFields, CorrectionError, Fault, NewCorrection, Refusal, field_state,
};
use catalogue::import::AnimeFacts;
use catalogue::rows::{CatalogueRow, FactSource};
use catalogue::snapshots::{Snapshot, SnapshotSection, SnapshotStore};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use shared::models::{
    Anime, AnimeFormat, AnimeId, AnimeStatus, Role, Season, Song, TrackerIds, Weekday, WireEnum,
};
use shared::{Error, Missing};
use tests::corrected::NOTE;
use tests::people::Person;
use tests::refreshed::{
    MAPPING, OFFLINE_DATABASE, Refreshed, SEASONS, TITLES, entry, lines, listed, media,
};
use tests::service::Service;
use time::OffsetDateTime;

async fn with_moderator() -> (Service, Anime, Person) {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let moderator = service.person_with_role("guard", Role::Moderator).await;
    (service, anime, moderator)
}

fn path(anime: &Anime) -> String {
    format!("/v1/anime/{}", anime.id.get())
}

#[tokio::test]
async fn correction_shows_within_ten_seconds_and_in_lists_once_published() {
    let (service, anime, moderator) = with_moderator().await;
    let id = anime.id.get();
    // The request puts the documents into the cache, with the revision of the published index.
    service.get("/v1/anime").await;
    let tag = service.get(&path(&anime)).await.header("etag").to_owned();
    service
        .correct::<Anime>(&moderator, id, "titles.en", " Quite Another ")
        .await;
    service.let_index_age();
    let shown = service.get(&path(&anime)).await;
    assert_eq!(shown.data()["titles"]["en"], "Quite Another");
    assert_ne!(shown.header("etag"), tag);
    let fresh = service
        .get_with(&path(&anime), &[("if-none-match", &tag)])
        .await;
    assert_eq!(fresh.status, 200);
    let listed = service.get("/v1/anime").await.data();
    let listed = listed.as_array().unwrap().iter();
    let listed: Vec<_> = listed.filter(|anime| anime["id"] == id).collect();
    assert_eq!(listed[0]["titles"]["en"], "Quite Another");
    let search = "/v1/anime?search=quite%20another";
    assert_eq!(service.get(search).await.ids(), [] as [u64; 0]);

    service.publish().await;
    service.let_index_age();
    assert_eq!(service.get(search).await.ids(), [id]);
    assert_eq!(service.get("/v1/anime?title=quite").await.ids(), [id]);
    let snapshots = SnapshotStore::new(&service.database(), "anime");
    assert!(snapshots.published().await.unwrap().unpublished.is_empty());
    service.assert_declared_attributes().await;
}

#[tokio::test]
async fn public_documents_have_no_note() {
    let (service, anime, moderator) = with_moderator().await;
    let id = anime.id.get();
    service
        .correct::<Anime>(&moderator, id, "status", "CANCELLED")
        .await;
    let row = service.catalogue_row::<Anime>(id).await;
    let correction = &row.notes.corrections()["status"];
    assert_eq!((correction.by, &*correction.note), (moderator.id, NOTE));
    assert_eq!(correction.at, service.clock.now_ms());
    assert_eq!(correction.stated, json!(anime.status));
    let mut expected = json!(anime);
    expected["status"] = json!(3);
    assert_eq!(service.get(&path(&anime)).await.data(), expected);
}

/// Returns what a source might state about the anime.
fn some_facts(rng: &mut StdRng, id: AnimeId, related: AnimeId) -> AnimeFacts {
    let sources = [
        FactSource::AniList,
        FactSource::MyAnimeList,
        FactSource::AniDb,
        FactSource::OfflineDatabase,
    ];
    let source = sources[rng.random_range(0..sources.len())];
    let mut facts = AnimeFacts::new(id, source, TrackerIds::default());
    if rng.random_bool(0.2) {
        facts.lapsed = vec![FactSource::AniList];
    }
    let number = rng.random_range(1..40_u32);
    let text = |what: &str| format!("https://{what}.example/{number}");
    let fields = &mut facts.fields;
    let any = |rng: &mut StdRng| rng.random_bool(0.5);
    for code in ["en", "rj", "fr"] {
        if any(rng) {
            fields.titles.insert(code.into(), text("title"));
        }
        if any(rng) {
            fields.probable_titles.insert(code.into(), text("probable"));
        }
    }
    fields.format = AnimeFormat::from_wire(u64::from(number % 7)).filter(|_| any(rng));
    fields.status = AnimeStatus::from_wire(u64::from(number % 4)).filter(|_| any(rng));
    fields.description_en = any(rng).then(|| text("description"));
    let day = OffsetDateTime::from_unix_timestamp(i64::from(number) * 86_400);
    fields.start_date = day.ok().filter(|_| any(rng));
    fields.weekly_airing_day = Weekday::from_wire(u64::from(number % 7)).filter(|_| any(rng));
    fields.season_period = Season::from_wire(u64::from(number % 5)).filter(|_| any(rng));
    fields.season_year = u16::try_from(1990 + number).ok().filter(|_| any(rng));
    fields.episodes_count = any(rng).then_some(number);
    fields.episode_duration = any(rng).then_some(number);
    fields.trailer_url = any(rng).then(|| text("trailer"));
    fields.cover_image = any(rng).then(|| text("cover"));
    fields.genres = any(rng).then(|| vec![text("genre")]);
    fields.sequel = any(rng).then_some(related);
    fields.nsfw = any(rng).then_some(number % 2 == 0);
    fields.recommendations = any(rng).then(|| vec![related]);
    fields.popularity = any(rng).then_some(number);
    facts
}

/// Values that no source of the test states.
const CORRECTIONS: [(&str, &str); 14] = [
    ("titles.en", "Corrected"),
    ("titles.it", "Corretto"),
    ("titles.rj", ""),
    ("descriptions.en", "Two\nlines"),
    ("format", "MUSIC"),
    ("status", "CANCELLED"),
    ("episodes_count", "77"),
    ("start_date", "1999-12-31"),
    ("weekly_airing_day", ""),
    ("season_year", "1950"),
    ("genres", "Drama"),
    ("cover_image", ""),
    ("trailer_url", "https://corrected.example/"),
    ("nsfw", "yes"),
];

/// A corrected field keeps its value whatever the sources state. Every other field is as without corrections, and a
/// field whose correction is taken back is as if it had never been corrected.
#[tokio::test]
async fn corrections_outrank_all_sources_and_leave_no_trace() {
    for seed in 0..12 {
        let mut rng = StdRng::seed_from_u64(seed);
        let (service, anime, moderator) = with_moderator().await;
        let (twins, _, _) = with_moderator().await;
        let (id, related) = (anime.id.get(), service.get("/v1/anime").await.ids());
        let related = related.into_iter().find(|other| *other != id).unwrap();
        let related = AnimeId::new(related).unwrap();
        let mut held: Vec<(&str, Value)> = Vec::new();
        for step in 0..30 {
            let (field, text) = CORRECTIONS[rng.random_range(0..CORRECTIONS.len())];
            let is_held = held.iter().any(|(name, _)| *name == field);
            match rng.random_range(0..4) {
                0 if !is_held => {
                    service.correct::<Anime>(&moderator, id, field, text).await;
                    let row = service.catalogue_row::<Anime>(id).await;
                    held.push((field, row.field_value(field).unwrap()));
                }
                1 if is_held => {
                    service.take_back::<Anime>(&moderator, id, field).await;
                    held.retain(|(name, _)| *name != field);
                }
                _ => {
                    let facts = some_facts(&mut rng, anime.id, related);
                    service.merge(facts.clone()).await;
                    twins.merge(facts).await;
                }
            }
            let row = service.catalogue_row::<Anime>(id).await;
            let twin: CatalogueRow<Anime> = twins.catalogue_row(id).await;
            assert_eq!(
                row.without_corrections().unwrap(),
                twin,
                "seed {seed}, step {step}"
            );
            let mut expected = json!(twin.document);
            for (field, value) in &held {
                assert_eq!(
                    &row.field_value(field).unwrap(),
                    value,
                    "seed {seed}, step {step}"
                );
                match field.split_once('.') {
                    Some((field, code)) if value.is_null() => {
                        expected[field].as_object_mut().unwrap().remove(code);
                    }
                    Some((field, code)) => expected[field][code] = value.clone(),
                    None => expected[*field] = value.clone(),
                }
            }
            expected["has_cover_image"] = json!(expected["cover_image"] != "");
            // A corrected title does not become a synonym.
            expected["synonyms"] = json!(row.clone().with_derived_fields().document.synonyms);
            assert_eq!(json!(row.document), expected, "seed {seed}, step {step}");
        }
        for (field, _) in held {
            service.take_back::<Anime>(&moderator, id, field).await;
        }
        let twin = twins.catalogue_row::<Anime>(id).await;
        assert_eq!(service.catalogue_row::<Anime>(id).await, twin);
    }
}

#[tokio::test]
async fn corrections_survive_a_refresh_of_every_source() {
    let refreshed = Refreshed::empty().await;
    let refreshed = refreshed.with_media(vec![media(1, &json!({"idMal": 5}))], 50);
    let service = &refreshed.service;
    let moderator = service.person_with_role("guard", Role::Moderator).await;
    refreshed.refresh().await;
    let corrections = [
        ("titles.rj", "Corrected"),
        ("status", "CANCELLED"),
        ("episodes_count", "3"),
        ("database_id", "4"),
    ];
    for (field, text) in corrections {
        service.correct::<Anime>(&moderator, 2, field, text).await;
    }
    let changes = json!({"idMal": 5, "title": {"romaji": "New", "english": null, "native": null},
        "episodes": 24, "updatedAt": 1_700_000_000});
    refreshed.set_media(vec![media(1, &changes)]);
    let listed = listed(5, &json!({"title": "Newer", "num_episodes": 25}));
    refreshed.tracker_b.state().media = vec![listed];
    let mapping =
        json!([{"anidb_id": 9, "anilist_id": 1, "mal_id": 5, "themoviedb_id": 88, "type": "TV"}]);
    let titles = r#"<?xml version="1.0"?><animetitles><anime aid="9">
        <title xml:lang="x-jat" type="main">Newest</title></anime></animetitles>"#;
    refreshed
        .files
        .publish(MAPPING, mapping.to_string(), Some("\"1\""));
    let entries = [entry(1, 5, &json!({"title": "Old", "episodes": 26}))];
    refreshed
        .files
        .publish(OFFLINE_DATABASE, lines(&entries), Some("\"1\""));
    refreshed.files.publish(TITLES, titles, Some("\"1\""));
    let seasons =
        "<anime-list><anime anidbid=\"9\" tvdbid=\"7\" defaulttvdbseason=\"1\"/></anime-list>";
    refreshed.files.publish(SEASONS, seasons, Some("\"1\""));
    for (name, _) in SourceName::ALL {
        // AniDB's titles need the mapping.
        let names = [SourceName::Mapping, name];
        let names = match name {
            SourceName::AnidbTitles => &names[..],
            _ => &names[1..],
        };
        let report = refreshed
            .run(refreshed.only(names), RefreshScope::All)
            .await;
        let report = report.unwrap();
        assert!(report.failure().is_none(), "{name:?}: {report:?}");
        let anime = refreshed.row(2).await;
        assert_eq!(anime.titles["rj"], "Corrected", "{name:?}");
        assert_eq!(anime.status, AnimeStatus::Cancelled, "{name:?}");
        assert_eq!(
            (anime.episodes_count, anime.database_id),
            (3, Some(4)),
            "{name:?}"
        );
    }
    // The run has published the corrections.
    let found = service.get("/v1/anime?search=corrected").await;
    assert_eq!(found.ids(), [2]);
    for (field, _) in corrections {
        service.take_back::<Anime>(&moderator, 2, field).await;
    }
    let anime = refreshed.row(2).await;
    assert_eq!((&*anime.titles["rj"], anime.episodes_count), ("New", 24));
    assert_eq!(anime.status, AnimeStatus::Finished);
}

#[tokio::test]
async fn refresh_without_changes_publishes_corrections() {
    let refreshed = Refreshed::empty()
        .await
        .with_media(vec![media(1, &Value::Null)], 50);
    let service = &refreshed.service;
    let moderator = service.person_with_role("guard", Role::Moderator).await;
    refreshed.refresh().await;
    assert!(refreshed.refresh().await.published.is_empty());
    service
        .correct::<Anime>(&moderator, 2, "titles.it", "Corretto")
        .await;
    assert_eq!(refreshed.refresh().await.published, [("anime", 1)].into());
    assert!(refreshed.refresh().await.published.is_empty());
    assert_eq!(service.get("/v1/anime?search=corretto").await.ids(), [2]);
}

/// Returns the reason why a change is refused.
fn refusal_of(changed: Result<(), CorrectionError>) -> Refusal {
    changed.unwrap_err().into_refusal().unwrap()
}

/// Returns true if the user may not correct the catalogue.
fn is_forbidden(changed: &Result<(), CorrectionError>) -> bool {
    matches!(changed, Err(CorrectionError::Failed(Error::Forbidden(_))))
}

#[tokio::test]
async fn later_moderator_is_told() {
    let (service, anime, moderator) = with_moderator().await;
    let other = service.person_with_role("other", Role::Administrator).await;
    let id = anime.id.get();
    let desk = service.desk::<Anime>();
    let row = desk.find(id).await.unwrap().row;
    let seen = field_state(&row, "status").unwrap();
    let new = NewCorrection {
        field: "status",
        seen: &seen,
        text: "CANCELLED",
        note: NOTE,
    };
    // An import that changes another field does not matter.
    let mut facts = AnimeFacts::new(anime.id, FactSource::AniList, TrackerIds::default());
    facts.fields.trailer_url = Some("https://example.com/".into());
    service.merge(facts.clone()).await;
    let (first, second) = (
        service.access_to_correct(&moderator),
        service.access_to_correct(&other),
    );
    let made = desk.correct(&first, id, new);
    made.await.unwrap();
    let late = desk.correct(&second, id, new);
    assert_eq!(refusal_of(late.await), Refusal::Changed);

    // The values that the sources state under the correction do not matter either.
    let row = desk.find(id).await.unwrap().row;
    let seen = field_state(&row, "status").unwrap();
    facts.fields.status = Some(AnimeStatus::Releasing);
    service.merge(facts).await;
    let taken = desk.take_back(&second, id, "status", &seen);
    taken.await.unwrap();
    let again = desk.take_back(&second, id, "status", &seen);
    assert_eq!(refusal_of(again.await), Refusal::Changed);
    let row = desk.find(id).await.unwrap().row;
    assert_eq!(row.document.status, AnimeStatus::Releasing);
}

#[tokio::test]
async fn only_moderators_and_administrators_make_corrections() {
    let (service, anime, moderator) = with_moderator().await;
    let id = anime.id.get();
    let basic = service.person("basic").await;
    let refused = service
        .try_correct::<Anime>(&basic, id, "nsfw", "yes")
        .await;
    assert!(is_forbidden(&refused), "{refused:?}");
    service
        .correct::<Anime>(&moderator, id, "nsfw", "yes")
        .await;
    assert!(
        service
            .users()
            .set_role(moderator.id, Role::Basic)
            .await
            .unwrap()
    );
    let refused = service
        .try_correct::<Anime>(&moderator, id, "nsfw", "no")
        .await;
    assert!(is_forbidden(&refused), "{refused:?}");
    let row = service.catalogue_row::<Anime>(id).await;
    assert!(row.document.nsfw);
}

#[tokio::test]
async fn values_that_break_a_document_are_refused() {
    let (service, anime, moderator) = with_moderator().await;
    let id = anime.id.get();
    let refusal = async |field: &str, text: &str| {
        let refused = service
            .try_correct::<Anime>(&moderator, id, field, text)
            .await;
        refusal_of(refused)
    };
    for code in anime.titles.keys().skip(1) {
        let field = format!("titles.{code}");
        service.correct::<Anime>(&moderator, id, &field, "").await;
    }
    let last = format!("titles.{}", anime.titles.keys().next().unwrap());
    assert_eq!(refusal(&last, "").await, Refusal::Value(Fault::LastTitle));
    let own = id.to_string();
    for field in ["sequel", "prequel", "recommendations"] {
        assert_eq!(refusal(field, &own).await, Refusal::Value(Fault::Itself));
        let unknown = Refusal::Value(Fault::UnknownAnime("33554431".into()));
        assert_eq!(refusal(field, "33554431").await, unknown);
    }
    assert_eq!(refusal("format", "").await, Refusal::Value(Fault::Required));
    for field in "score id titles titles.EN titles. status.en tracker_a_id x.en".split(' ') {
        let refused = service
            .try_correct::<Anime>(&moderator, id, field, "1")
            .await;
        assert!(
            matches!(refused, Err(CorrectionError::Failed(Error::NotFound(_)))),
            "{field}: {refused:?}"
        );
    }
    let missing = service
        .try_correct::<Song>(&moderator, 1024, "title", "A")
        .await;
    assert!(
        matches!(
            missing,
            Err(CorrectionError::Failed(Error::NotFound(Missing::Song)))
        ),
        "{missing:?}"
    );

    let desk = service.desk::<Anime>();
    let access = service.access_to_correct(&moderator);
    let seen = field_state(&desk.find(id).await.unwrap().row, "nsfw").unwrap();
    let long = "a".repeat(1_001);
    for (note, fault) in [
        (" ", Fault::Required),
        (&*long, Fault::TooLong(1_000)),
        ("\0", Fault::Unprintable),
    ] {
        let new = NewCorrection {
            field: "nsfw",
            seen: &seen,
            text: "yes",
            note,
        };
        let refused = desk.correct(&access, id, new).await;
        assert_eq!(refusal_of(refused), Refusal::Note(fault));
    }
}

#[tokio::test]
async fn row_has_at_most_40_corrections() {
    let (service, anime, moderator) = with_moderator().await;
    let id = anime.id.get();
    let codes = (b'a'..=b'z').flat_map(|a| [b'a', b'b'].map(|b| [a, b]));
    let codes: Vec<String> = codes
        .map(|code| String::from_utf8(code.to_vec()).unwrap())
        .collect();
    for code in &codes[..40] {
        let field = format!("titles.{code}");
        service
            .correct::<Anime>(&moderator, id, &field, "Title")
            .await;
    }
    let more = service
        .try_correct::<Anime>(&moderator, id, "nsfw", "yes")
        .await;
    assert_eq!(refusal_of(more), Refusal::TooMany);
    // A field that is already corrected can be corrected again.
    let field = format!("titles.{}", codes[0]);
    service
        .correct::<Anime>(&moderator, id, &field, "Other")
        .await;
}

#[tokio::test]
async fn corrections_wait_for_a_publication_if_500_do() {
    let (service, anime, moderator) = with_moderator().await;
    let id = anime.id.get();
    let marks = (0..500).map(|mark| format!("{id}@{mark}")).collect();
    let marks = [("unpublished".to_owned(), AttributeValue::Ss(marks))];
    let head = json!({"kind": "anime", "part": 0});
    service
        .change_row("CatalogSnapshot", head, marks.into())
        .await;
    let refused = service
        .try_correct::<Anime>(&moderator, id, "nsfw", "yes")
        .await;
    assert_eq!(refusal_of(refused), Refusal::Unpublished);
    assert!(!service.catalogue_row::<Anime>(id).await.document.nsfw);
    service.publish().await;
    service
        .correct::<Anime>(&moderator, id, "nsfw", "yes")
        .await;
}

/// A correction that is made while a snapshot is built stays marked, because the snapshot may lack it.
#[tokio::test]
async fn correction_during_a_publication_stays_marked() {
    let (service, anime, moderator) = with_moderator().await;
    let id = anime.id.get();
    let snapshots = SnapshotStore::new(&service.database(), "anime");
    let head = snapshots.head().await.unwrap().unwrap();
    let load = async |section| snapshots.load(head, section, true).await.unwrap().unwrap();
    let index = load(SnapshotSection::Index).await;
    let texts = load(SnapshotSection::Texts).await;
    let titles = load(SnapshotSection::Titles).await;
    service.get(&path(&anime)).await;
    let mut new_version = snapshots.draw_version().await.unwrap();
    new_version.mark_contained(|_| true);
    service
        .correct::<Anime>(&moderator, id, "nsfw", "yes")
        .await;
    let snapshot = Snapshot {
        format: head.format,
        rows: 2,
        index: &index,
        texts: &texts,
        titles: &titles,
    };
    assert!(snapshots.publish(new_version, snapshot).await.unwrap());
    let unpublished = snapshots.published().await.unwrap().unpublished;
    assert_eq!(unpublished, [id].into());
    service.let_index_age();
    service.get("/v1/anime").await;
    assert_eq!(service.get(&path(&anime)).await.data()["nsfw"], true);
}
