//! Schedule on which a process polls auth-svc for signing keys and revocations: often while users send requests, rarely while the
//! process is idle.
use crate::user_activity::UserActivity;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{Notify, Semaphore, watch},
    time::{sleep, timeout},
};

/// Poll interval of revocations while users send requests. A revocation has to take effect within one second.
const POLL_INTERVAL: Duration = Duration::from_millis(300);
/// Poll interval of signing keys and revocations while users send no requests.
const IDLE_POLL_INTERVAL: Duration = Duration::from_secs(5);
/// Maximum time that a call waits for a poll of signing keys and revocations.
const POLL_TIMEOUT: Duration = Duration::from_secs(1);
/// Maximum number of calls that wait for an unknown signing key at the same time. Further calls are rejected without waiting, so that
/// forged tokens cannot fill the process with waiting calls.
const MAX_KEY_WAITERS: usize = 64;

/// Schedule on which signing keys and revocations are polled from auth-svc. The first call of a user after an idle period waits for the
/// next poll.
pub(super) struct KeyPollSchedule {
    activity: Arc<UserActivity>,
    /// Whether calls may use the loaded keys and revocations without waiting for a poll. The value becomes `false` when the process is
    /// idle, and `true` when the next poll ends, even if the poll fails. The value is always `true` in a process without a polling task.
    is_current: watch::Sender<bool>,
    call_waits: Notify,
    /// Whether a call waits for a signing key that this process has not loaded.
    key_requested: AtomicBool,
    key_waiters: Semaphore,
    /// Number of polls that have ended. The number stays 0 in a process without a polling task.
    ended_polls: watch::Sender<u64>,
}

impl Default for KeyPollSchedule {
    fn default() -> Self {
        Self {
            activity: Arc::default(),
            is_current: watch::Sender::new(true),
            call_waits: Notify::new(),
            key_requested: AtomicBool::new(false),
            key_waiters: Semaphore::new(MAX_KEY_WAITERS),
            ended_polls: watch::Sender::new(0),
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

    /// Waits until a poll has loaded a signing key that a token names and this process does not know, for example after all keys were
    /// replaced. `is_known` returns `true` once the key is loaded. The wait ends after two polls, because the key may not exist.
    pub(super) async fn wait_for_key(&self, is_known: impl Fn() -> bool) {
        let Ok(_waiter) = self.key_waiters.try_acquire() else { return };
        let mut ended_polls = self.ended_polls.subscribe();
        if *ended_polls.borrow_and_update() == 0 {
            return;
        }
        // A poll that runs already may load no keys, so a second poll may be necessary.
        for _ in 0..2 {
            self.key_requested.store(true, Ordering::Relaxed);
            self.call_waits.notify_one();
            let poll = timeout(POLL_TIMEOUT, ended_polls.changed()).await;
            if poll.is_err() || is_known() {
                return;
            }
        }
    }

    /// Returns whether a call waits for an unknown signing key, so that the next poll has to load the keys. The request is then cleared.
    pub(super) fn take_key_request(&self) -> bool {
        self.key_requested.swap(false, Ordering::Relaxed)
    }

    /// Records that a poll has ended, with or without success, and resumes the calls that wait for the poll.
    pub(super) fn record_poll_end(&self) {
        self.is_current.send_replace(true);
        self.ended_polls.send_modify(|polls| *polls = polls.saturating_add(1));
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
    use std::sync::atomic::AtomicU32;
    use tokio::time::Instant;

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
    async fn a_call_with_an_unknown_key_waits_for_the_next_poll_of_keys_and_at_most_for_two_polls() {
        let schedule = KeyPollSchedule::default();
        timeout(Duration::from_millis(100), schedule.wait_for_key(|| false)).await.expect("no wait without a polling task");
        schedule.record_poll_end();
        let (is_loaded, polls) = (AtomicBool::new(false), AtomicU32::new(0));
        let poll = async |loads_keys: bool| {
            tokio::task::yield_now().await;
            assert!(schedule.take_key_request() && !schedule.take_key_request());
            is_loaded.store(loads_keys, Ordering::Relaxed);
            polls.fetch_add(1, Ordering::Relaxed);
            schedule.record_poll_end();
        };
        let known = || is_loaded.load(Ordering::Relaxed);
        tokio::join!(schedule.wait_for_key(known), poll(true));
        assert_eq!(polls.swap(0, Ordering::Relaxed), 1);
        tokio::join!(schedule.wait_for_key(known), async {
            poll(false).await;
            poll(false).await;
        });
        assert_eq!(polls.load(Ordering::Relaxed), 2);
    }

    #[tokio::test]
    async fn only_a_limited_number_of_calls_waits_for_unknown_keys() {
        let schedule = KeyPollSchedule::default();
        schedule.record_poll_end();
        let waiting = futures::future::join_all((0..MAX_KEY_WAITERS).map(|_| schedule.wait_for_key(|| false)));
        tokio::pin!(waiting);
        assert!(timeout(Duration::from_millis(10), &mut waiting).await.is_err());
        timeout(Duration::from_millis(100), schedule.wait_for_key(|| false)).await.expect("the call over the limit does not wait");
    }
}
