//! Limits how many uploaded files are in memory at the same time.
use crate::error::{Error, Result};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum number of uploads in memory, including those that wait for a workbook reader.
const MAX_UPLOADS: usize = 16;

/// Semaphore that limits the number of uploaded files in memory. Clones share the limit.
#[derive(Debug, Clone)]
pub struct UploadLimiter(Arc<Semaphore>);

/// Permit to keep one uploaded file in memory. Dropping the permit returns it.
#[derive(Debug)]
pub(super) struct UploadPermit(#[expect(dead_code, reason = "dropping it returns the permit")] OwnedSemaphorePermit);

impl Default for UploadLimiter {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MAX_UPLOADS)))
    }
}

impl UploadLimiter {
    /// Takes a permit without waiting, because a permit may stay taken for minutes. Returns `Busy` when all permits are taken.
    pub(super) fn try_acquire(&self) -> Result<UploadPermit> {
        self.0.clone().try_acquire_owned().map(UploadPermit).map_err(|_| Error::Busy)
    }
}
