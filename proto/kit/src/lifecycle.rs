//! Starting, draining and stopping.
use std::{future::Future, time::Duration};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// The background work of a process and the signal that ends it; clones share both.
#[derive(Debug, Clone, Default)]
pub struct Tasks {
    tracker: TaskTracker,
    stopping: CancellationToken,
}

impl Tasks {
    /// Runs work in the background; a drain waits for it.
    pub fn spawn<F>(&self, work: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.tracker.spawn(work);
    }

    /// Runs `work` again and again, `every` so long, until the process stops.
    pub fn repeat<F, W>(&self, every: Duration, mut work: W)
    where
        F: Future<Output = ()> + Send,
        W: FnMut() -> F + Send + 'static,
    {
        let stopping = self.stopping.clone();
        self.spawn(async move {
            while stopping.run_until_cancelled(tokio::time::sleep(every)).await.is_some() {
                work().await;
            }
        });
    }

    /// Tells everything to come to an end.
    pub fn stop(&self) {
        self.stopping.cancel();
        self.tracker.close();
    }

    /// Whether the end has been told.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        self.stopping.is_cancelled()
    }

    /// Waits until the end is told.
    pub async fn stopped(&self) {
        self.stopping.cancelled().await;
    }

    /// Waits for the background work, at most `patience`; false when some was left.
    pub async fn drained(&self, patience: Duration) -> bool {
        self.tracker.close();
        tokio::time::timeout(patience, self.tracker.wait()).await.is_ok()
    }
}

/// Waits for SIGTERM or Ctrl-C.
pub async fn asked_to_stop() {
    let mut terminate = match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        Ok(signal) => signal,
        Err(cause) => {
            tracing::warn!(%cause, "cannot listen for sigterm");
            let _ = tokio::signal::ctrl_c().await;
            return;
        }
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}
