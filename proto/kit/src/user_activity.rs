//! Tracks whether users currently send requests to this process. Background tasks poll less often while users are idle.
use crate::atomic_instant::AtomicInstant;
use std::time::Duration;
use tokio::{sync::Notify, time::timeout};

/// Time without a call by a user after which the process counts as idle.
const IDLE_AFTER: Duration = Duration::from_secs(5);

/// Time of the last call by any user, and a notification at the first call after an idle period.
#[derive(Debug, Default)]
pub struct UserActivity {
    last_call: AtomicInstant,
    idle_period_ended: Notify,
}

impl UserActivity {
    /// Records a call by a user. The first call after an idle period also ends the pauses of the background tasks.
    pub fn record_call(&self) {
        let was_idle = self.is_idle();
        self.last_call.set_to_now();
        if was_idle {
            self.idle_period_ended.notify_waiters();
        }
    }

    /// Returns `true` when no user made a call within the last five seconds.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        !self.last_call.was_set_within(IDLE_AFTER)
    }

    /// Pauses a background task until the next poll. The pause lasts `active` while users make calls, and `idle` while no user makes
    /// calls. A call by a user ends an idle pause early.
    pub async fn sleep_until_next_poll(&self, active: Duration, idle: Duration) {
        let idle_period_ended = self.idle_period_ended.notified();
        if self.is_idle() {
            let _ = timeout(idle, idle_period_ended).await;
        } else {
            tokio::time::sleep(active).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::Instant;

    #[tokio::test]
    async fn a_pause_is_long_while_no_user_calls_and_ends_with_the_first_call() {
        let activity = UserActivity::default();
        let (short, long) = (Duration::from_millis(20), Duration::from_millis(300));
        let begun = Instant::now();
        activity.sleep_until_next_poll(short, long).await;
        assert!(begun.elapsed() >= long);
        let begun = Instant::now();
        tokio::join!(activity.sleep_until_next_poll(short, 100 * long), async { activity.record_call() });
        assert!(begun.elapsed() < 100 * long);
        let begun = Instant::now();
        activity.sleep_until_next_poll(short, 100 * long).await;
        assert!(begun.elapsed() >= short && begun.elapsed() < 100 * long);
    }
}
