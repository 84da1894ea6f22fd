//! The catalogue that benchmarks work on.

use shared::models::Anime;
use store::CatalogueStore;

use crate::made_up;
use crate::service::Service;

/// Names a file of the anime-offline-database. Without it the catalogue is made up.
pub const FILE: &str = "KIROKU_BENCH_ANIME";

/// Rows of a catalogue that is made up: as many as the public database has with a known format.
const MADE_UP: u32 = 13_000;

/// A service over that catalogue, not yet published.
pub async fn service() -> Service {
    let service = Service::empty().await;
    match std::env::var_os(FILE) {
        None => service.put(&made_up::anime(MADE_UP, 1)).await,
        Some(file) => {
            let progress = cli::import::Progress::hidden();
            let (client, tables) = (&service.client, &service.tables);
            let imported = cli::import::anime(file.as_ref(), None, client, tables, &progress).await;
            imported.expect("an import");
        }
    }
    service
}

/// Its anime.
pub async fn anime(service: &Service) -> Vec<Anime> {
    let mut anime = Vec::new();
    let store = CatalogueStore::<Anime>::new(service.client.clone(), &service.tables);
    store.scan(|one| anime.push(one)).await.expect("a scan");
    anime
}
