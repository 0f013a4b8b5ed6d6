//! Permits that control which tests of one test executable run concurrently.
//!
//! A test takes one permit at its start. A test that takes a second permit may deadlock.
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

static MACHINE: RwLock<()> = RwLock::new(());
static HEAVY: Mutex<()> = Mutex::new(());

/// Permit of a running test, released on drop.
#[derive(Debug)]
#[must_use = "the permit ends when it is dropped"]
pub struct TestSlot {
    _machine: Hold,
    _heavy: Option<MutexGuard<'static, ()>>,
}

#[derive(Debug)]
enum Hold {
    Exclusive { _guard: RwLockWriteGuard<'static, ()> },
    Shared { _guard: RwLockReadGuard<'static, ()> },
}

fn read() -> Hold {
    Hold::Shared { _guard: MACHINE.read().unwrap_or_else(PoisonError::into_inner) }
}

/// Waits for the permit of a test that measures time or memory. While the permit is held, no other test of the executable runs.
pub fn acquire_exclusive_slot() -> TestSlot {
    let guard = MACHINE.write().unwrap_or_else(PoisonError::into_inner);
    TestSlot { _machine: Hold::Exclusive { _guard: guard }, _heavy: None }
}

/// Waits for the permit of a heavy test, which loads the machine but measures nothing. While the permit is held, light tests may
/// run, but no other heavy test.
pub fn acquire_heavy_slot() -> TestSlot {
    let heavy = HEAVY.lock().unwrap_or_else(PoisonError::into_inner);
    TestSlot { _machine: read(), _heavy: Some(heavy) }
}

/// Waits for the permit of a light test, which neither loads the machine nor measures time or memory. While the permit is held,
/// other light tests and one heavy test may run.
pub fn acquire_shared_slot() -> TestSlot {
    TestSlot { _machine: read(), _heavy: None }
}
