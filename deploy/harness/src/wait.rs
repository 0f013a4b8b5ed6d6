//! Waiting for a condition.
use std::{
    thread,
    time::{Duration, Instant},
};

/// The pause between two checks.
pub const POLL: Duration = Duration::from_millis(5);

/// Waits until a condition holds.
///
/// # Panics
/// When it does not hold within `patience`.
#[track_caller]
pub fn until(what: &str, patience: Duration, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < patience, "not within {patience:?}: {what}");
        thread::sleep(POLL);
    }
}
