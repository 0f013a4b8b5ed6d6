//! Function that waits for a condition and checks the condition at short intervals.
use std::{
    thread,
    time::{Duration, Instant},
};

/// Pause between two checks of a condition.
pub const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Waits until the condition `holds` returns `true`. `what` names the condition in the panic message.
///
/// # Panics
/// Panics when the condition is still false after `timeout`.
#[track_caller]
pub fn wait_until(what: &str, timeout: Duration, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < timeout, "timeout after {timeout:?}: {what}");
        thread::sleep(POLL_INTERVAL);
    }
}
