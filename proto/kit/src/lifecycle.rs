//! Starting, draining and stopping.
use std::{future::Future, time::Duration};
use tokio::sync::oneshot;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tracing::Instrument;

/// How long a drain waits for work under way.
pub const DRAIN: Duration = Duration::from_secs(20);

/// The background work of a process and the signal that ends it; clones share both.
#[derive(Debug, Clone, Default)]
pub struct Tasks {
    tracker: TaskTracker,
    leaving: CancellationToken,
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

    /// Runs work to its end even when whoever waits for it goes away; nothing when it panicked.
    ///
    /// A call that its caller gives up is dropped where it waits: between a commit, say, and telling of it.
    pub async fn whole<T, F>(&self, work: F) -> Option<T>
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let (done, heard) = oneshot::channel();
        let work = async move { drop(done.send(work.await)) };
        self.spawn(work.in_current_span());
        heard.await.ok()
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

    /// Tells that the process goes soon: not ready for more from now on, and still answering what comes.
    pub fn leave(&self) {
        self.leaving.cancel();
    }

    /// Whether the process goes soon.
    #[must_use]
    pub fn is_leaving(&self) -> bool {
        self.leaving.is_cancelled()
    }

    /// Waits until the process is about to go.
    pub async fn left(&self) {
        self.leaving.cancelled().await;
    }

    /// Tells everything to come to an end.
    pub fn stop(&self) {
        self.leaving.cancel();
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

    /// Tells everything to come to an end and waits for it, at most [`DRAIN`].
    pub async fn finish(&self) {
        self.stop();
        if !self.drained(DRAIN).await {
            tracing::warn!("some work was left behind");
        }
    }

    /// Waits for the background work, at most `patience`; false when some was left.
    pub async fn drained(&self, patience: Duration) -> bool {
        self.tracker.close();
        tokio::time::timeout(patience, self.tracker.wait()).await.is_ok()
    }
}

/// Starts something; nothing when the process is asked to stop before that is done, as it may wait for others for long.
///
/// # Errors
/// When it does not start.
pub async fn started<T>(tasks: &Tasks, starting: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<Option<T>> {
    tokio::select! {
        started = starting => started.map(Some),
        () = asked_to_stop(tasks, Duration::ZERO) => {
            tracing::info!("asked to stop before it served");
            Ok(None)
        }
    }
}

/// Waits for SIGTERM or Ctrl-C, and tells that the process goes soon.
///
/// After SIGTERM, which says that others take over, it goes on answering for `notice`, so that all who
/// choose between replicas have seen that this one leaves. A person at the keyboard does not have to wait.
pub async fn asked_to_stop(tasks: &Tasks, notice: Duration) {
    let mut terminate = match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        Ok(signal) => signal,
        Err(cause) => {
            tracing::warn!(%cause, "cannot listen for sigterm");
            let _ = tokio::signal::ctrl_c().await;
            return tasks.leave();
        }
    };
    let others_take_over = tokio::select! {
        _ = terminate.recv() => true,
        _ = tokio::signal::ctrl_c() => false,
    };
    tasks.leave();
    if others_take_over && !notice.is_zero() {
        tracing::info!(seconds = notice.as_secs_f64(), "leaving: not ready any more, still answering");
        tokio::select! {
            () = tokio::time::sleep(notice) => {}
            _ = tokio::signal::ctrl_c() => {}
        }
    }
}
