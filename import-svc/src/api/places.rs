//! How many files are in memory at once.
use crate::error::{Error, Result};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// So many of them in all, those that wait for their turn among them.
const HELD: usize = 16;

/// Places for files; clones share them.
#[derive(Debug, Clone)]
pub struct Places(Arc<Semaphore>);

/// A file may be held until this is dropped.
#[derive(Debug)]
pub(super) struct Place(#[expect(dead_code, reason = "what counts is when it is dropped")] OwnedSemaphorePermit);

impl Default for Places {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(HELD)))
    }
}

impl Places {
    /// A place, when there is one: whoever came first may hold it for long.
    pub(super) fn take(&self) -> Result<Place> {
        self.0.clone().try_acquire_owned().map(Place).map_err(|_| Error::Busy)
    }
}
