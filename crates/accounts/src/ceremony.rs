//! Ceremonies: sign-in and registration steps between which the browser or another site takes part, such as the
//! authorization at an identity provider or the use of a passkey.
//!
//! The service stores nothing while a ceremony is in progress. Its state is encrypted and travels with the browser, in
//! a form or in the parameter `state`. It is bound to the browser, to the kind of the ceremony and to 10 minutes, so
//! no other browser can finish the ceremony. A ceremony that signs a user in is used up when it is finished.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use shared::auth::Sealer;
use shared::clock::Clock;
use shared::random::Random;
use shared::{Error, digest};
use store::ThrottleStore;

/// The time for a ceremony, in seconds: 10 minutes.
pub const CEREMONY_S: u64 = 10 * 60;

/// The operations on ceremonies.
#[derive(Debug)]
pub struct Ceremonies {
    sealer: Sealer,
    used: ThrottleStore,
    clock: Clock,
    random: Random,
}

/// The kind of a ceremony, and the browser in which it takes place.
#[derive(Clone, Copy, Debug)]
pub struct CeremonyContext<'c> {
    /// The kind, such as `sign-in with a passkey`.
    pub kind: &'c str,
    /// The identifier of the session or of the browser.
    pub browser: &'c str,
}

/// The content of an encrypted state.
#[derive(Serialize, Deserialize)]
struct Sealed<T> {
    /// Makes each state unique.
    id: String,
    /// The time at which the ceremony ends, in seconds since the Unix epoch.
    ends_at: u64,
    state: T,
}

impl CeremonyContext<'_> {
    fn seal_context(self) -> String {
        format!("{} in browser {}", self.kind, self.browser)
    }
}

impl Ceremonies {
    /// Creates the operations with these keys and this store.
    #[must_use]
    pub fn new(sealer: Sealer, used: ThrottleStore, clock: Clock, random: Random) -> Self {
        Self {
            sealer,
            used,
            clock,
            random,
        }
    }

    /// Reads the keys, so that the first request does not wait for them.
    pub async fn warm(&self) -> Result<(), Error> {
        self.sealer.warm().await
    }

    /// Begins a ceremony. Returns its encrypted state, which can be in a URL.
    pub async fn begin<T: Serialize>(
        &self,
        context: CeremonyContext<'_>,
        state: T,
    ) -> Result<String, Error> {
        let sealed = Sealed {
            id: self.random.short_id(),
            ends_at: self.clock.now_s() + CEREMONY_S,
            state,
        };
        let json = serde_json::to_string(&sealed).map_err(Error::internal)?;
        let sealed = self.sealer.seal(&context.seal_context(), &json).await?;
        Ok(sealed.replace('+', "-").replace('/', "_"))
    }

    /// Returns the state of a ceremony; `None` if it was made in another browser or for another kind of ceremony, is
    /// older than 10 minutes, or is malformed.
    pub async fn read<T: DeserializeOwned>(
        &self,
        context: CeremonyContext<'_>,
        text: &str,
    ) -> Result<Option<T>, Error> {
        Ok(self.open(context, text).await?.map(|sealed| sealed.state))
    }

    /// Returns the state of a ceremony as [`Self::read`] does, and uses it up: every later call returns `None`.
    pub async fn finish<T: DeserializeOwned>(
        &self,
        context: CeremonyContext<'_>,
        text: &str,
    ) -> Result<Option<T>, Error> {
        let Some(sealed) = self.open(context, text).await? else {
            return Ok(None);
        };
        let is_first = self
            .used
            .use_up(&digest(&sealed.id), sealed.ends_at)
            .await?;
        Ok(is_first.then_some(sealed.state))
    }

    async fn open<T: DeserializeOwned>(
        &self,
        context: CeremonyContext<'_>,
        text: &str,
    ) -> Result<Option<Sealed<T>>, Error> {
        let text = text.replace('-', "+").replace('_', "/");
        let json = self.sealer.open(&context.seal_context(), &text).await?;
        let sealed = json.and_then(|json| serde_json::from_str::<Sealed<T>>(&json).ok());
        let now = self.clock.now_s();
        Ok(sealed.filter(|sealed| sealed.ends_at > now))
    }
}
