//! The stores and services that a run uses.

use std::sync::Arc;

use accounts::linked_accounts::{LeaseStore, LinkStore};
use catalogue::Catalogue;
use runtime::Environment;
use shared::auth::Sealer;
use shared::clock::Clock;
use shared::models::Anime;
use shared::random::Random;
use stories::lists::SyncStore;
use trackers::Trackers;

/// The stores and services that a run uses.
#[derive(Debug)]
pub struct SyncServices {
    pub(crate) store: SyncStore,
    pub(crate) leases: LeaseStore,
    pub(crate) links: LinkStore,
    pub(crate) anime: Arc<Catalogue<Anime>>,
    pub(crate) trackers: Arc<Trackers>,
    pub(crate) sealer: Sealer,
    pub(crate) clock: Clock,
    pub(crate) random: Random,
}

impl SyncServices {
    /// Builds the services from the environment.
    pub fn new(environment: &Environment) -> Result<Self, lambda_http::Error> {
        Ok(Self {
            store: SyncStore::new(&environment.database),
            leases: LeaseStore::new(&environment.database),
            links: LinkStore::new(&environment.database),
            anime: environment.catalogue()?,
            trackers: environment.trackers()?,
            sealer: environment.sealer()?,
            clock: environment.database.clock.clone(),
            random: environment.database.random.clone(),
        })
    }
}
