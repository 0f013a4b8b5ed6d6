//! Schedule on which a process polls auth-svc for signing keys and revocations: often while users send requests, rarely while the
//! process is idle.
use crate::user_activity::UserActivity;
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{
    sync::{Notify, Semaphore, watch},
    time::{Instant, sleep, timeout},
};

/// Poll interval of revocations while users send requests. A revocation has to take effect within one second.
const POLL_INTERVAL: Duration = Duration::from_millis(300);
/// Poll interval of signing keys and revocations while users send no requests.
const IDLE_POLL_INTERVAL: Duration = Duration::from_secs(5);
/// Maximum time that a call waits for a poll of signing keys and revocations.
const POLL_TIMEOUT: Duration = Duration::from_secs(1);
/// Maximum number of calls that wait for an unknown signing key at the same time. Forged tokens must not fill the process with waiting
/// calls.
const MAX_KEY_WAITERS: usize = 4;

/// Schedule on which signing keys and revocations are polled from auth-svc. The first call of a user after an idle period waits for the
/// next poll.
pub(super) struct KeyPollSchedule {
    activity: Arc<UserActivity>,
    /// Whether calls may use the loaded keys and revocations without waiting for a poll. The value becomes `false` when the process is
    /// idle, and `true` when the next poll ends, even if the poll fails. The value is always `true` in a process without a polling task.
    is_current: watch::Sender<bool>,
    call_waits: Notify,
    /// Time at which a call last asked for a signing key that this process had not loaded.
    last_key_request: Mutex<Option<Instant>>,
    key_waiters: Semaphore,
    /// Start time of the last poll that loaded the signing keys; `None` before the first such poll, and in a process without a
    /// polling task.
    last_key_poll: watch::Sender<Option<Instant>>,
}

impl Default for KeyPollSchedule {
    fn default() -> Self {
        Self {
            activity: Arc::default(),
            is_current: watch::Sender::new(true),
            call_waits: Notify::new(),
            last_key_request: Mutex::default(),
            key_waiters: Semaphore::new(MAX_KEY_WAITERS),
            last_key_poll: watch::Sender::new(None),
        }
    }
}

impl KeyPollSchedule {
    /// Returns the record of the last call by any user to this process.
    pub(super) fn activity(&self) -> &Arc<UserActivity> {
        &self.activity
    }

    /// Records a call of a user. If the process was idle, waits for the next poll of keys and revocations and returns `true`.
    ///
    /// After [`POLL_TIMEOUT`] the call continues with the loaded keys and revocations, since auth-svc may be unavailable.
    pub(super) async fn wait_until_keys_current(&self) -> bool {
        self.activity.record_call();
        if *self.is_current.borrow() {
            return false;
        }
        self.call_waits.notify_one();
        // The sender lives as long as this value, so that the only error is the timeout.
        let _ = timeout(POLL_TIMEOUT, self.is_current.subscribe().wait_for(|is_current| *is_current)).await;
        true
    }

    /// Waits for a poll of the signing keys that starts after this call, because a token names an unknown key. Returns `false` if no such
    /// poll ended in time or too many calls wait already, so that the token is still undecided. Returns `true` at once if no poll has ever
    /// loaded the keys.
    pub(super) async fn wait_until_keys_polled(&self) -> bool {
        if self.last_key_poll.borrow().is_none() {
            return true;
        }
        let Ok(_waiter) = self.key_waiters.try_acquire() else { return false };
        let mut last_key_poll = self.last_key_poll.subscribe();
        let arrived = Instant::now();
        *self.last_key_request.lock().unwrap_or_else(PoisonError::into_inner) = Some(arrived);
        self.call_waits.notify_one();
        timeout(POLL_TIMEOUT, last_key_poll.wait_for(|started| started.is_some_and(|started| started > arrived))).await.is_ok()
    }

    /// Returns whether a call has asked for an unknown signing key since the last poll of the keys started.
    pub(super) fn are_keys_requested(&self) -> bool {
        let asked = *self.last_key_request.lock().unwrap_or_else(PoisonError::into_inner);
        asked.is_some_and(|asked| self.last_key_poll.borrow().is_none_or(|started| started <= asked))
    }

    /// Records that a poll which began at `started` has loaded the signing keys, and resumes the calls that wait for such a poll.
    pub(super) fn record_key_poll(&self, started: Instant) {
        self.last_key_poll.send_replace(Some(started));
    }

    /// Records that a poll has ended, with or without success, and resumes the calls that wait for the poll.
    pub(super) fn record_poll_end(&self) {
        self.is_current.send_replace(true);
    }

    /// Waits until the next poll is due, and returns whether the process was idle. While users send requests, the wait lasts
    /// `POLL_INTERVAL`. In an idle process, the wait lasts `IDLE_POLL_INTERVAL`, but the next request of a user ends the wait early.
    /// A process that is still loading keys and revocations (`is_loaded` is `false`) does not count as idle.
    pub(super) async fn wait_until_poll_due(&self, is_loaded: bool) -> bool {
        if !is_loaded || !self.activity.is_idle() {
            sleep(POLL_INTERVAL).await;
            return false;
        }
        self.is_current.send_replace(false);
        let _ = timeout(IDLE_POLL_INTERVAL, self.call_waits.notified()).await;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use patio_testing::patience;

    #[tokio::test]
    async fn the_first_call_after_an_idle_period_waits_for_a_poll_and_later_calls_do_not() {
        let demand = KeyPollSchedule::default();
        assert!(!demand.wait_until_keys_current().await, "without polls nothing is waited for");
        let demand = KeyPollSchedule::default();
        let polls = async {
            assert!(demand.wait_until_poll_due(true).await, "no user called yet");
            demand.record_poll_end();
            let begun = Instant::now();
            assert!(!demand.wait_until_poll_due(true).await, "a user called");
            assert!(begun.elapsed() < patience(2 * POLL_INTERVAL));
        };
        let calls = async {
            tokio::task::yield_now().await;
            let begun = Instant::now();
            assert!(demand.wait_until_keys_current().await);
            assert!(begun.elapsed() < POLL_TIMEOUT, "the poll came first");
            assert!(!demand.wait_until_keys_current().await);
        };
        tokio::join!(polls, calls);
    }

    #[tokio::test]
    async fn a_poll_that_never_ends_delays_a_call_by_one_second() {
        let demand = KeyPollSchedule::default();
        assert!(timeout(Duration::from_millis(10), demand.wait_until_poll_due(true)).await.is_err());
        let begun = Instant::now();
        assert!(demand.wait_until_keys_current().await);
        assert!(begun.elapsed() >= POLL_TIMEOUT);
    }

    #[tokio::test]
    async fn a_call_with_an_unknown_key_waits_for_a_poll_of_the_keys_that_starts_later() {
        let schedule = KeyPollSchedule::default();
        assert!(schedule.wait_until_keys_polled().await, "no wait in a process without a polling task");
        schedule.record_key_poll(Instant::now());
        let before = Instant::now();
        sleep(Duration::from_millis(5)).await;
        let wait = schedule.wait_until_keys_polled();
        tokio::pin!(wait);
        assert!(futures::poll!(&mut wait).is_pending());
        assert!(schedule.are_keys_requested());
        schedule.record_poll_end();
        schedule.record_key_poll(before);
        assert!(futures::poll!(&mut wait).is_pending(), "the key may be newer than a poll that had already started");
        assert!(schedule.are_keys_requested(), "the next poll has to load the keys");
        schedule.record_key_poll(Instant::now());
        assert!(wait.await && !schedule.are_keys_requested());
    }

    #[tokio::test]
    async fn calls_over_the_limit_do_not_wait_for_keys_and_no_call_waits_longer_than_a_second() {
        let schedule = KeyPollSchedule::default();
        schedule.record_key_poll(Instant::now());
        let begun = Instant::now();
        let waiting = futures::future::join_all((0..MAX_KEY_WAITERS).map(|_| schedule.wait_until_keys_polled()));
        let one_more = async {
            tokio::task::yield_now().await;
            assert!(!schedule.wait_until_keys_polled().await);
            begun.elapsed()
        };
        let (waited, at_once) = tokio::join!(waiting, one_more);
        assert!(waited.iter().all(|is_polled| !is_polled) && begun.elapsed() >= POLL_TIMEOUT);
        assert!(at_once < POLL_TIMEOUT, "{at_once:?}");
    }
}
