//! What each operation costs in DynamoDB's request units. The README quotes these figures.

use std::sync::Arc;

use shared::catalogue::Catalogue;
use shared::index::AnimeFilter;
use shared::models::Anime;
use shared::page::{PageRequest, Start};
use shared::random::Random;
use tests::service::Service;
use tests::units::{self, Consumed, Meter};

const PAGE: PageRequest = PageRequest {
    per_page: 100,
    start: Start::First,
};

fn metered(service: &Service) -> (Arc<Catalogue<Anime>>, Meter) {
    let (client, meter) = units::metered();
    let (clock, random) = (service.clock.clone(), Random::seeded(1));
    let catalogue = Catalogue::new(client, &service.tables, clock, random);
    (Arc::new(catalogue), meter)
}

/// The least that DynamoDB charges for documents: half a unit for every 4 KB of each, read
/// eventually consistently. None of the sample's has more than 4 KB.
#[tokio::test]
async fn each_read_costs_the_least_it_can() {
    let service = Service::with_sample().await;
    let (catalogue, meter) = metered(&service);

    catalogue.find(2).await.unwrap();
    assert_eq!(
        meter.take(),
        Consumed {
            calls: 1,
            units: 0.5
        },
        "one document"
    );

    catalogue.index().await.unwrap();
    let cold = meter.take();
    assert_eq!(cold.calls, 2, "head and part");
    assert!(cold.units <= 4.0, "{cold:?}");

    catalogue.list(&AnimeFilter::default(), PAGE).await.unwrap();
    assert_eq!(
        meter.take(),
        Consumed {
            calls: 1,
            units: 25.0
        },
        "a page of 50 documents"
    );

    catalogue.random(10).await.unwrap();
    assert_eq!(
        meter.take(),
        Consumed {
            calls: 1,
            units: 5.0
        },
        "10 documents"
    );

    service.let_index_age();
    catalogue.index().await.unwrap();
    assert_eq!(
        meter.take(),
        Consumed {
            calls: 1,
            units: 1.0
        },
        "a look for a newer index"
    );
}

#[tokio::test]
async fn a_filter_that_finds_nothing_costs_nothing() {
    let service = Service::with_sample().await;
    let (catalogue, meter) = metered(&service);
    catalogue.index().await.unwrap();
    let _ = meter.take();
    let filter = AnimeFilter {
        title: Some("nothing like it".into()),
        ..AnimeFilter::default()
    };
    assert_eq!(catalogue.list(&filter, PAGE).await.unwrap().total, 0);
    assert_eq!(meter.take(), Consumed::default());
}
