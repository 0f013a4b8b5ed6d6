//! Tracks the imports that run in this process. Such an import is not treated as orphaned (left behind by a dead process), even if its
//! heartbeat in the database is late.
use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

/// Set of the ids of the imports that run in this process. Clones share the set.
#[derive(Debug, Clone, Default)]
pub struct ActiveImports(Arc<Mutex<HashSet<i64>>>);

impl ActiveImports {
    /// Marks an import as running until the returned guard is dropped.
    #[must_use]
    pub fn mark_running(&self, id: i64) -> ActiveImportGuard {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
        ActiveImportGuard { all: self.clone(), id }
    }

    /// Returns `true` if the import runs in this process.
    #[must_use]
    pub fn is_running(&self, id: i64) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&id)
    }
}

/// Marks one import as running. Dropping the guard removes the import from the set.
#[derive(Debug)]
pub struct ActiveImportGuard {
    all: ActiveImports,
    id: i64,
}

impl Drop for ActiveImportGuard {
    fn drop(&mut self) {
        self.all.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}
