//! The imports that run in this process: whatever the database says of their signs of life, they live.
use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

/// Imports by their own ids; clones share them.
#[derive(Debug, Clone, Default)]
pub struct Running(Arc<Mutex<HashSet<i64>>>);

impl Running {
    /// Counts an import as running until what comes back ends.
    #[must_use]
    pub fn enter(&self, id: i64) -> Entered {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
        Entered { all: self.clone(), id }
    }

    /// Whether an import runs here.
    #[must_use]
    pub fn has(&self, id: i64) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&id)
    }
}

/// An import that runs here.
#[derive(Debug)]
pub struct Entered {
    all: Running,
    id: i64,
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.all.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}
