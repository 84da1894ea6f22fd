//! The functions of the whole service, made of the same parts, for a process that has them all.

use std::sync::Arc;
use std::time::Duration;

use shared::accounts::{Accounts, Links};
use shared::auth::{KeySource, Keys, Passwords, Sealer, Tokens};
use shared::catalogue::{Catalogue, Resource};
use shared::lambda::Environment;
use shared::linking::Linking;
use shared::mail::{Carrier, Mailer};
use shared::models::{Anime, Song};
use shared::routing::ApiRouter;
use shared::trackers::Trackers;

/// What the functions are made of.
#[derive(Clone, Debug)]
pub struct Parts {
    /// DynamoDB, its tables, the time, randomness and the public address.
    pub environment: Environment,
    /// The keys that sign tokens.
    pub signing: KeySource,
    /// The keys that encrypt.
    pub encryption: KeySource,
    /// The trackers.
    pub trackers: Arc<Trackers>,
    /// How mail leaves.
    pub carrier: Carrier,
    /// Who it comes from.
    pub mail_from: String,
    /// Hashes passwords.
    pub passwords: Passwords,
    /// How long a request for a link that resets a password takes at the least.
    pub reset_floor: Duration,
}

impl Parts {
    /// The endpoints of all functions.
    #[must_use]
    pub fn router(&self) -> ApiRouter {
        site::router(self.site())
            .merge(anime::router(self.catalogue::<Anime>()))
            .merge(song::router(self.catalogue::<Song>()))
            .merge(auth::router(self.auth()))
            .merge(oauth::router(self.oauth()))
            .merge(user::router(self.user()))
            .merge(user_story::router(self.user_story()))
    }

    /// What one of the catalogue's functions works with.
    #[must_use]
    pub fn catalogue<R: Resource>(&self) -> Arc<Catalogue<R>> {
        let Environment {
            client,
            tables,
            clock,
            random,
            ..
        } = self.environment.clone();
        Arc::new(Catalogue::new(client, &tables, clock, random))
    }

    /// What the auth function works with.
    #[must_use]
    pub fn auth(&self) -> Arc<auth::State> {
        let accounts = self.accounts();
        let links = self.links(&accounts);
        Arc::new(auth::State { accounts, links })
    }

    /// What the oauth function works with.
    #[must_use]
    pub fn oauth(&self) -> Arc<oauth::State> {
        oauth::State::over(&self.environment, self.tokens())
    }

    /// What the site function works with.
    #[must_use]
    pub fn site(&self) -> Arc<site::State> {
        let accounts = self.accounts();
        let links = self.links(&accounts);
        site::State::over(&self.environment, accounts, links, self.linking())
    }

    /// What the user function works with.
    #[must_use]
    pub fn user(&self) -> Arc<user::State> {
        let (accounts, linking) = (self.accounts(), self.linking());
        Arc::new(user::State { accounts, linking })
    }

    fn linking(&self) -> Linking {
        let trackers = Arc::clone(&self.trackers);
        self.environment.linking(trackers, self.sealer())
    }

    fn accounts(&self) -> Arc<Accounts> {
        self.environment
            .accounts(self.tokens(), self.passwords.clone())
    }

    fn links(&self, accounts: &Arc<Accounts>) -> Links {
        let (clock, random) = self.clock_and_random();
        let mailer = Mailer::new(self.carrier.clone(), &self.mail_from, clock, random);
        Links::new(Arc::clone(accounts), mailer, self.reset_floor)
    }

    /// What the user story function works with.
    #[must_use]
    pub fn user_story(&self) -> Arc<user_story::State> {
        user_story::State::over(&self.environment, self.tokens())
    }

    /// What the tracker sync function works with.
    #[must_use]
    pub fn tracker_sync(&self) -> tracker_sync::State {
        let trackers = Arc::clone(&self.trackers);
        tracker_sync::State::over(&self.environment, trackers, self.sealer())
    }

    /// What signs and verifies tokens.
    #[must_use]
    pub fn tokens(&self) -> Tokens {
        let (clock, random) = self.clock_and_random();
        let keys = Keys::new(self.signing.clone(), clock.clone());
        Tokens::new(keys, &self.environment.public_url, clock, random)
    }

    /// What encrypts.
    #[must_use]
    pub fn sealer(&self) -> Sealer {
        let (clock, random) = self.clock_and_random();
        Sealer::new(
            Keys::new(self.encryption.clone(), clock.clone()),
            clock,
            random,
        )
    }

    fn clock_and_random(&self) -> (shared::clock::Clock, shared::random::Random) {
        (
            self.environment.clock.clone(),
            self.environment.random.clone(),
        )
    }
}
