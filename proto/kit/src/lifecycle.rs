//! Background tasks of a process, and its graceful shutdown. The process first drains: it reports that it is not ready, but still serves
//! requests. Then it stops.
use std::{future::Future, time::Duration};
use tokio::sync::oneshot;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tracing::Instrument;

/// Maximum time that a shutdown waits for calls and background tasks in progress.
pub const DRAIN_TIMEOUT: Duration = Duration::from_secs(20);

/// Background tasks of a process, and the signals that start its shutdown. Clones share the tasks and the signals.
#[derive(Debug, Clone, Default)]
pub struct BackgroundTasks {
    tracker: TaskTracker,
    leaving: CancellationToken,
    stopping: CancellationToken,
}

impl BackgroundTasks {
    /// Runs `work` as a background task. A shutdown waits for the task, for at most [`DRAIN_TIMEOUT`].
    pub fn spawn<F>(&self, work: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.tracker.spawn(work);
    }

    /// Runs `work` to completion, even when the caller stops waiting for the result. Returns `None` when `work` panicked.
    ///
    /// Without this function, a cancelled gRPC call could stop at any await point, such as between a database commit and the event
    /// that announces it.
    pub async fn run_to_completion<T, F>(&self, work: F) -> Option<T>
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let (done, result) = oneshot::channel();
        let work = async move { drop(done.send(work.await)) };
        self.spawn(work.in_current_span());
        result.await.ok()
    }

    /// Starts a background task that runs `work` repeatedly, with a pause of `every` before each run, until the process stops.
    pub fn spawn_repeating<F, W>(&self, every: Duration, mut work: W)
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

    /// Begins draining: the process reports that it is not ready, but continues to serve requests.
    pub fn begin_drain(&self) {
        self.leaving.cancel();
    }

    /// Returns `true` once draining has begun.
    #[must_use]
    pub fn is_draining(&self) -> bool {
        self.leaving.is_cancelled()
    }

    /// Waits until draining begins.
    pub async fn wait_until_draining(&self) {
        self.leaving.cancelled().await;
    }

    /// Signals all background tasks to stop. Also begins draining, if it has not begun.
    pub fn stop(&self) {
        self.leaving.cancel();
        self.stopping.cancel();
        self.tracker.close();
    }

    /// Returns `true` once [`Self::stop`] has signalled background tasks to stop.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        self.stopping.is_cancelled()
    }

    /// Waits until [`Self::stop`] signals background tasks to stop.
    pub async fn wait_until_stopping(&self) {
        self.stopping.cancelled().await;
    }

    /// Signals all background tasks to stop and waits for them, for at most [`DRAIN_TIMEOUT`].
    pub async fn stop_and_wait(&self) {
        self.stop();
        if !self.wait_until_tasks_ended(DRAIN_TIMEOUT).await {
            tracing::warn!("shutdown timed out, background tasks still running are aborted when the process exits");
        }
    }

    /// Waits until all background tasks have ended, for at most `timeout`. Returns `false` when some tasks still run.
    pub async fn wait_until_tasks_ended(&self, timeout: Duration) -> bool {
        self.tracker.close();
        tokio::time::timeout(timeout, self.tracker.wait()).await.is_ok()
    }
}

/// Runs the future `starting`, which starts a service. Returns `None` when SIGTERM or Ctrl-C arrives before the service has started.
///
/// # Errors
/// Returns the error of `starting`.
pub async fn start_unless_shutdown_signal<T>(
    tasks: &BackgroundTasks,
    starting: impl Future<Output = anyhow::Result<T>>,
) -> anyhow::Result<Option<T>> {
    tokio::select! {
        started = starting => started.map(Some),
        () = drain_on_shutdown_signal(tasks, Duration::ZERO) => {
            tracing::info!("shutdown requested during startup, stopping before any request was served");
            Ok(None)
        }
    }
}

/// Waits for SIGTERM or Ctrl-C, then begins draining.
///
/// After SIGTERM, the function returns only after the delay `notice`. Meanwhile, load balancers notice that this replica is not ready, and
/// requests are still served. Ctrl-C skips the delay.
pub async fn drain_on_shutdown_signal(tasks: &BackgroundTasks, notice: Duration) {
    let mut terminate = match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        Ok(signal) => signal,
        Err(cause) => {
            tracing::warn!(%cause, "failed to listen for SIGTERM, only Ctrl-C stops this process gracefully");
            let _ = tokio::signal::ctrl_c().await;
            return tasks.begin_drain();
        }
    };
    let others_take_over = tokio::select! {
        _ = terminate.recv() => true,
        _ = tokio::signal::ctrl_c() => false,
    };
    tasks.begin_drain();
    if others_take_over && !notice.is_zero() {
        tracing::info!(stops_in_seconds = notice.as_secs_f64(), "shutting down: the readiness check now fails, requests are still served");
        tokio::select! {
            () = tokio::time::sleep(notice) => {}
            _ = tokio::signal::ctrl_c() => {}
        }
    }
}
