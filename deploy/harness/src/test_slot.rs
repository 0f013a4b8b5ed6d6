//! Slots that control which tests of one test executable run concurrently.
//!
//! A test takes one slot at its start. A test that takes a second slot may deadlock.
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

static MACHINE: RwLock<()> = RwLock::new(());
static HEAVY: Mutex<()> = Mutex::new(());

/// Slot of a running test, released on drop.
#[derive(Debug)]
#[must_use = "the slot ends when it is dropped"]
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

/// Waits for the exclusive slot, for tests that measure time or memory. While the slot is held, no other test of the executable runs.
pub fn acquire_exclusive_slot() -> TestSlot {
    let guard = MACHINE.write().unwrap_or_else(PoisonError::into_inner);
    TestSlot { _machine: Hold::Exclusive { _guard: guard }, _heavy: None }
}

/// Waits for the slot for heavy tests, which load the machine but measure nothing. While the slot is held, light tests may run, but no
/// other heavy test.
pub fn acquire_heavy_test_slot() -> TestSlot {
    let heavy = HEAVY.lock().unwrap_or_else(PoisonError::into_inner);
    TestSlot { _machine: read(), _heavy: Some(heavy) }
}

/// Waits for a slot for light tests, which neither load the machine nor measure time or memory. While the slot is held, other light tests
/// and one heavy test may run.
pub fn acquire_light_test_slot() -> TestSlot {
    TestSlot { _machine: read(), _heavy: None }
}
