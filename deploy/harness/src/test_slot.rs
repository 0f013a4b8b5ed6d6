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

/// Waits for the permit of a test that loads the machine but measures nothing. The test may run together with shared tests, but
/// not with other heavy tests.
pub fn acquire_heavy_slot() -> TestSlot {
    let heavy = HEAVY.lock().unwrap_or_else(PoisonError::into_inner);
    TestSlot { _machine: read(), _heavy: Some(heavy) }
}

/// Waits for the permit of a light test. The test may run together with all tests except exclusive tests.
pub fn acquire_shared_slot() -> TestSlot {
    TestSlot { _machine: read(), _heavy: None }
}
