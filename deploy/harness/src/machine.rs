//! Which tests of one test program may run at the same time.
//!
//! A test takes one permit at its beginning. A second one in the same test would wait for the first for ever.
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

static MACHINE: RwLock<()> = RwLock::new(());
static HEAVY: Mutex<()> = Mutex::new(());

/// The permit to run, until it is dropped.
#[derive(Debug)]
#[must_use = "the permit ends when it is dropped"]
pub struct Turn {
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

/// For a test that measures time or memory: no other test runs meanwhile.
pub fn exclusive() -> Turn {
    let guard = MACHINE.write().unwrap_or_else(PoisonError::into_inner);
    Turn { _machine: Hold::Exclusive { _guard: guard }, _heavy: None }
}

/// For a test that loads the machine and measures nothing: shared tests run meanwhile, no other heavy one.
pub fn heavy() -> Turn {
    let heavy = HEAVY.lock().unwrap_or_else(PoisonError::into_inner);
    Turn { _machine: read(), _heavy: Some(heavy) }
}

/// For a test that other tests do not disturb and that disturbs none of them, except exclusive ones.
pub fn shared() -> Turn {
    Turn { _machine: read(), _heavy: None }
}
