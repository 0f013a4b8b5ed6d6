//! Wakes background tasks after each durable write (a write that waits for the disk), so that these tasks need not poll the
//! database.
use crate::{atomic_instant::AtomicInstant, db::Db, lifecycle::BackgroundTasks};
use std::time::Duration;
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};

/// Maximum time that a background task sleeps when no durable write wakes it. A write by another process to the same database may
/// not wake the task, so the task also runs after this time.
const MAX_PAUSE: Duration = Duration::from_secs(10);
/// Time after a durable write during which the database counts as busy.
pub(super) const RECENT_WRITE_PERIOD: Duration = Duration::from_secs(1);

/// Time of the last recorded durable write, of this process or another one, and the signal that wakes the tasks started by
/// [`Db::spawn_task_run_after_writes`].
#[derive(Debug, Default)]
pub(super) struct WriteActivity {
    last: AtomicInstant,
    signal: watch::Sender<()>,
}

impl WriteActivity {
    /// Records a durable write and wakes the background tasks that wait for a write.
    pub(super) fn record_write(&self) {
        self.last.set_to_now();
        self.signal.send_replace(());
    }
}

impl Db {
    /// Records a durable write that another process of the service made, and wakes the background tasks that wait for a write.
    pub fn record_write_by_other_process(&self) {
        self.writes.record_write();
    }

    /// Returns `true` when a durable write was recorded within the last second. Deferred writes do not count.
    #[must_use]
    pub fn has_recent_writes(&self) -> bool {
        self.writes.last.was_set_within(RECENT_WRITE_PERIOD)
    }

    /// Starts a task that runs `work` once, and then after each recorded durable write or after the time `MAX_PAUSE` without one, until
    /// the process stops.
    ///
    /// Each run begins after the pause `every`. `work` returns `true` to run again without waiting for a write. A run that finds
    /// nothing to do must not write, because its own write would cause the next run.
    pub fn spawn_task_run_after_writes<F, W>(&self, tasks: &BackgroundTasks, every: Duration, mut work: W)
    where
        F: Future<Output = bool> + Send,
        W: FnMut() -> F + Send + 'static,
    {
        let (mut written, stopping) = (self.writes.signal.subscribe(), tasks.clone());
        tasks.spawn(async move {
            let mut is_left = true;
            loop {
                let pause = async {
                    if !is_left {
                        // The sender lives as long as this database, so that the only error is the timeout.
                        let _ = timeout(MAX_PAUSE, written.changed()).await;
                    }
                    sleep(every).await;
                };
                tokio::select! {
                    () = pause => {}
                    () = stopping.wait_until_stopping() => return,
                }
                written.mark_unchanged();
                is_left = work().await;
            }
        });
    }
}
