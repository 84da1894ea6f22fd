//! The catalogue that the benchmarks use.

use std::path::PathBuf;

use catalogue::rows::CatalogueStore;
use shared::models::Anime;

use crate::made_up;
use crate::service::Service;

/// Environment variable with the path of an anime-offline-database file. The benchmarks generate a
/// catalogue if it is not set.
const FILE: &str = "KIROKU_BENCH_ANIME";

/// Number of generated anime: as many as the anime-offline-database has with a known format.
const MADE_UP: u32 = 13_000;

/// Returns the files that the environment variables `KIROKU_BENCH_NAME` name. If one is not set, prints that the
/// benchmark is skipped.
pub fn files<const COUNT: usize>(names: [&str; COUNT]) -> Option<[PathBuf; COUNT]> {
    let names = names.map(|name| format!("KIROKU_BENCH_{name}"));
    let files = names.each_ref().map(std::env::var_os);
    if files.iter().any(Option::is_none) {
        println!("Skipped: set {} to files.", names.join(", "));
        return None;
    }
    Some(files.map(|file| file.unwrap_or_default().into()))
}

/// Returns a service with this catalogue, not yet published.
pub async fn service() -> Service {
    let service = Service::empty().await;
    match std::env::var_os(FILE) {
        None => service.put(&made_up::anime(MADE_UP, 1)).await,
        Some(file) => {
            let progress = cli::import::Progress::hidden();
            let database = &service.database();
            let imported =
                cli::import::import_anime(file.as_ref(), None, database, &progress).await;
            imported.expect("an import");
        }
    }
    service
}

/// Returns all anime of the service's catalogue.
pub async fn anime(service: &Service) -> Vec<Anime> {
    let mut anime = Vec::new();
    let store = CatalogueStore::<Anime>::new(&service.database());
    store
        .scan(|row| anime.push(row.document))
        .await
        .expect("a scan");
    anime
}
