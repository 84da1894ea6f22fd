//! The community counts (docs/data-model.md, "Community counts"), and selections of anime in other orders.

use std::collections::BTreeMap;
use std::time::Duration;

use catalogue::Catalogue;
use catalogue::community::{Community, CommunityCounts};
use catalogue::index::{AnimeFilter, AnimeOrder, AnimeSelection, Matches};
use serde_json::{Value, json};
use shared::input::{PageRequest, PageStart};
use shared::models::{Anime, AnimeFormat, AnimeId, Score, Season, UserScore, WatchStatus};
use tests::people::Person;
use tests::refreshed::{Refreshed, media};
use tests::service::Service;

const DAY: Duration = Duration::from_hours(24);

fn anime(number: u64) -> Anime {
    Anime::new(AnimeId::new(number).unwrap(), AnimeFormat::Tv)
}

/// Returns the change that puts an anime on a user's list.
fn put(number: u64, status: WatchStatus, details: &Value) -> Value {
    json!({"op": "put", "anime_id": number, "status": u8::from(status), "details": details})
}

/// A service with the anime 1 and 2, four users, and a daily refresh.
struct Fixture {
    refreshed: Refreshed,
    people: Vec<Person>,
}

impl Fixture {
    async fn new() -> Self {
        let service = Service::with_catalogue(&[anime(1), anime(2)], &[]).await;
        let mut people = Vec::new();
        for name in ["mitsuha", "taki", "sayaka", "katsuhiko"] {
            people.push(service.person(name).await);
        }
        Self {
            refreshed: Refreshed::with_service(service).await,
            people,
        }
    }

    async fn change(&self, person: usize, change: Value) {
        let service = &self.refreshed.service;
        service
            .change_stories(&self.people[person], &[change])
            .await;
    }

    /// Returns the counts that pages show once this time has passed and the refresh has run.
    async fn counts_after(&self, time: Duration) -> CommunityCounts {
        let service = &self.refreshed.service;
        service.clock.advance(time);
        // A source without any anime would count as failed.
        let other = json!({"updatedAt": service.clock.now_s()});
        self.refreshed.set_media(vec![media(50, &other)]);
        let report = self.refreshed.refresh().await;
        assert!(report.failure().is_none(), "{report:?}");
        let counts = service.catalogue::<Anime>().community().await.unwrap();
        CommunityCounts::clone(&counts)
    }
}

fn counts_of(counts: &CommunityCounts, number: u64) -> Option<Community> {
    counts.get(AnimeId::new(number).unwrap()).copied()
}

#[tokio::test]
async fn users_and_scores_of_each_anime_are_counted_once_a_day() {
    use WatchStatus::{Completed, Current, Planning};
    let fixture = Fixture::new().await;
    assert_eq!(fixture.counts_after(DAY).await, CommunityCounts::default());
    for (person, status, score) in [
        (0, Completed, json!({"score": 100})),
        (1, Completed, json!({"score": 87.5})),
        (2, Current, json!({"score": 10})),
        (3, Planning, json!({})),
    ] {
        fixture.change(person, put(1, status, &score)).await;
    }
    let counts = fixture.counts_after(DAY).await;
    let community = counts_of(&counts, 1).unwrap();
    assert_eq!(community.by_status, [1, 1, 2, 0, 0, 0]);
    assert_eq!(community.scores, [1, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
    assert_eq!(community.mean_score(), UserScore::from_tenths(658));
    assert_eq!(counts_of(&counts, 2), None);
    assert_eq!(counts.popularity(AnimeId::new(1).unwrap()), 4);

    fixture.change(3, put(1, Current, &json!({}))).await;
    let same = fixture.counts_after(Duration::from_hours(19)).await;
    assert_eq!(same, counts, "counted a day ago at most");
    let later = fixture.counts_after(Duration::from_hours(1)).await;
    let community = counts_of(&later, 1).unwrap();
    assert_eq!(community.by_status, [2, 0, 2, 0, 0, 0]);
}

/// The counts do not reveal what fewer than three users watch, or how they have scored it, and never a private story.
#[tokio::test]
async fn counts_do_not_reveal_single_users() {
    let fixture = Fixture::new().await;
    let scored = json!({"score": 70});
    for person in 0..3 {
        let status = WatchStatus::Completed;
        fixture.change(person, put(1, status, &scored)).await;
        let details = if person == 0 {
            json!({})
        } else {
            scored.clone()
        };
        fixture.change(person, put(2, status, &details)).await;
    }
    let counts = fixture.counts_after(DAY).await;
    assert_eq!(counts_of(&counts, 1).unwrap().score_count(), 3);
    let without_scores = counts_of(&counts, 2).unwrap();
    assert_eq!(
        (without_scores.users(), without_scores.score_count()),
        (3, 0)
    );
    assert_eq!(without_scores.mean_score(), None);

    let private = json!({"score": 70, "private": true});
    fixture
        .change(0, put(1, WatchStatus::Completed, &private))
        .await;
    fixture
        .change(0, json!({"op": "delete", "anime_id": 2}))
        .await;
    let counts = fixture.counts_after(DAY).await;
    assert_eq!((counts_of(&counts, 1), counts_of(&counts, 2)), (None, None));
}

/// Pages keep the counts in memory, and look for newer ones every 10 minutes.
#[tokio::test]
async fn published_counts_are_used_within_ten_minutes() {
    let fixture = Fixture::new().await;
    let service = &fixture.refreshed.service;
    let catalogue = service.catalogue::<Anime>();
    assert_eq!(
        *catalogue.community().await.unwrap(),
        CommunityCounts::default()
    );
    for person in 0..3 {
        let planned = put(1, WatchStatus::Planning, &json!({}));
        fixture.change(person, planned).await;
    }
    let counted = fixture.counts_after(Duration::ZERO).await;
    assert_ne!(counted, CommunityCounts::default());
    service.clock.advance(Duration::from_mins(8));
    assert_eq!(
        *catalogue.community().await.unwrap(),
        CommunityCounts::default()
    );
    service.clock.advance(Duration::from_mins(2));
    assert_eq!(*catalogue.community().await.unwrap(), counted);
}

/// Returns four anime, highest score first, of which the second has no title and no year.
fn four_anime() -> Vec<Anime> {
    let with = |number: u64, title: &str, year: Option<u16>, season, episodes_count| Anime {
        titles: Some(("rj".to_owned(), title.to_owned()))
            .filter(|(_, title)| !title.is_empty())
            .into_iter()
            .collect(),
        season_year: year,
        season_period: season,
        episodes_count,
        ..anime(number)
    };
    vec![
        with(1, "Cowboy Bebop", Some(1998), Season::Spring, 26),
        with(2, "", None, Season::Unknown, 0),
        with(3, "Akira", Some(2024), Season::Winter, 1),
        with(4, "Bakuman", Some(2024), Season::Fall, 25),
    ]
}

fn page(start: PageStart, per_page: usize) -> PageRequest {
    PageRequest { per_page, start }
}

async fn selected(catalogue: &Catalogue<Anime>, order: AnimeOrder<'_>) -> Vec<u64> {
    let selection = AnimeSelection {
        filter: &AnimeFilter::default(),
        order,
        keep: &|_, _, _| true,
    };
    let found = catalogue.select(&selection, page(PageStart::First, 10));
    found.await.unwrap().rows.iter().map(|row| row.id).collect()
}

#[tokio::test]
async fn anime_are_selected_in_every_order() {
    let service = Service::with_catalogue(&four_anime(), &[]).await;
    let catalogue = service.catalogue::<Anime>();
    let in_list_order = selected(&catalogue, AnimeOrder::List).await;
    let listed = service.get("/v1/anime").await.ids();
    assert_eq!(in_list_order, listed);
    assert_eq!(selected(&catalogue, AnimeOrder::Newest).await, [4, 3, 1, 2]);
    let by_title = selected(&catalogue, AnimeOrder::Title(&["rj"])).await;
    assert_eq!(by_title, [3, 4, 1, 2]);
    assert_eq!(
        selected(&catalogue, AnimeOrder::Episodes).await,
        [1, 4, 3, 2]
    );
    let numbers = BTreeMap::from([(2, 9), (3, 5)]);
    let number_of = |id: AnimeId| numbers.get(&id.get()).copied().unwrap_or_default();
    let highest = selected(&catalogue, AnimeOrder::Highest(&number_of)).await;
    assert_eq!(highest[..2], [2, 3]);
    let equal: Vec<u64> = listed
        .into_iter()
        .filter(|id| ![2, 3].contains(id))
        .collect();
    assert_eq!(highest[2..], equal, "in list order");
}

#[tokio::test]
async fn selections_have_pages_and_leave_out_anime() {
    let service = Service::with_catalogue(&four_anime(), &[]).await;
    let catalogue = service.catalogue::<Anime>();
    let filter = AnimeFilter::default();
    let selection = AnimeSelection {
        filter: &filter,
        order: AnimeOrder::Newest,
        keep: &|index, row, id| {
            index
                .anime_at(row)
                .is_some_and(|anime| anime.listed.id == id.get())
                && id.get() != 3
        },
    };
    let ids = |found: &Matches| found.rows.iter().map(|row| row.id).collect::<Vec<_>>();
    let first = catalogue.select(&selection, page(PageStart::Page(1), 2));
    let first = first.await.unwrap();
    assert_eq!(
        (ids(&first), first.total, first.next),
        (vec![4, 1], 3, None)
    );
    let second = catalogue.select(&selection, page(PageStart::Page(2), 2));
    let second = second.await.unwrap();
    assert_eq!((ids(&second), second.total), (vec![2], 3));

    let search = AnimeFilter {
        search: catalogue::index::SearchQuery::new("bebop"),
        ..AnimeFilter::default()
    };
    let selection = AnimeSelection {
        filter: &search,
        ..selection
    };
    let found = catalogue
        .select(&selection, page(PageStart::First, 2))
        .await;
    assert_eq!(ids(&found.unwrap()), [1]);
}

#[tokio::test]
async fn index_has_the_average_scores() {
    let all = [Some(86.51), Some(100.0), Some(0.01), None];
    let anime = (1..).zip(all).map(|(number, score)| Anime {
        score: score.map_or_else(Score::default, |score| Score::new(score).unwrap()),
        ..anime(number)
    });
    let anime: Vec<Anime> = anime.collect();
    let service = Service::with_catalogue(&anime, &[]).await;
    let index = service.catalogue::<Anime>().index().await.unwrap();
    for (anime, score) in anime.iter().zip(all) {
        let found = index.average_score(anime.id);
        assert_eq!(found, score.and_then(Score::new), "{}", anime.id.get());
    }
    assert_eq!(index.average_score(AnimeId::new(9).unwrap()), None);
}
