//! Slots: locks for work that a process must not do twice at the same time for the same user.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{Mutex as Slot, OwnedMutexGuard};

use crate::models::UserId;

/// The slots by user. A user has an entry while a task has the slot or waits for it. The entries of free slots are
/// removed when a task acquires any slot.
#[derive(Clone, Debug, Default)]
pub struct UserSlots(Arc<Mutex<BTreeMap<UserId, Weak<Slot<()>>>>>);

/// The slot of a user, which the holder has until this value is dropped.
pub type UserSlot = OwnedMutexGuard<()>;

impl UserSlots {
    /// Waits until the slot of a user is free, and acquires it.
    pub async fn acquire(&self, user: UserId) -> UserSlot {
        self.slot(user).lock_owned().await
    }

    fn slot(&self, user: UserId) -> Arc<Slot<()>> {
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        slots.retain(|_, slot| slot.strong_count() > 0);
        let slot = slots.get(&user).and_then(Weak::upgrade);
        slot.unwrap_or_else(|| {
            let slot = Arc::default();
            slots.insert(user, Arc::downgrade(&slot));
            slot
        })
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::UserSlots;
    use crate::models::UserId;

    #[test]
    fn each_user_has_one_slot() {
        let slots = UserSlots::default();
        let [one, other] = [1, 2].map(|id| UserId::new(id).unwrap());
        let first = slots.acquire(one).now_or_never();
        let mut second = Box::pin(slots.acquire(one));
        assert!(second.as_mut().now_or_never().is_none());
        assert!(slots.acquire(other).now_or_never().is_some());
        drop(first);
        assert!(second.now_or_never().is_some());
        // Acquiring a slot removes the entries of all free slots. Here it removes the entry of `other`.
        drop(slots.acquire(one).now_or_never());
        assert_eq!(slots.0.lock().unwrap().len(), 1);
    }
}
