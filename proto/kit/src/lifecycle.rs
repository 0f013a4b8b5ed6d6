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

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        pin::pin,
        sync::{
            Arc,
            atomic::{AtomicBool, AtomicUsize, Ordering},
        },
    };
    use tokio::time::{sleep, timeout};

    /// Time within which an event happens even on a busy machine.
    const SOON: Duration = Duration::from_secs(10);

    async fn work(panics: bool) -> i32 {
        if panics {
            std::panic::resume_unwind(Box::new("as planned"));
        }
        7
    }

    #[tokio::test]
    async fn work_is_completed_after_its_caller_has_given_up_and_a_shutdown_waits_for_it() {
        let (tasks, is_done) = (BackgroundTasks::default(), Arc::new(AtomicBool::new(false)));
        let (release, released) = oneshot::channel::<()>();
        let done = is_done.clone();
        {
            let mut call = pin!(tasks.run_to_completion(async move {
                let _ = released.await;
                done.store(true, Ordering::Relaxed);
            }));
            assert!(futures::poll!(&mut call).is_pending());
        }
        assert!(!tasks.wait_until_tasks_ended(Duration::from_millis(20)).await, "the work goes on");
        release.send(()).unwrap();
        assert!(tasks.wait_until_tasks_ended(SOON).await && is_done.load(Ordering::Relaxed));
        assert_eq!([tasks.run_to_completion(work(false)).await, tasks.run_to_completion(work(true)).await], [Some(7), None]);
    }

    #[tokio::test]
    async fn repeated_work_goes_on_during_a_drain_and_ends_with_the_stop() {
        let (tasks, runs) = (BackgroundTasks::default(), Arc::new(AtomicUsize::new(0)));
        let counted = runs.clone();
        tasks.spawn_repeating(Duration::from_millis(2), move || {
            counted.fetch_add(1, Ordering::Relaxed);
            std::future::ready(())
        });
        tasks.begin_drain();
        assert!(tasks.is_draining() && !tasks.is_stopping());
        let before = runs.load(Ordering::Relaxed);
        let runs_again = async {
            while runs.load(Ordering::Relaxed) == before {
                sleep(Duration::from_millis(1)).await;
            }
        };
        assert!(timeout(SOON, runs_again).await.is_ok());
        tasks.stop();
        assert!(tasks.is_stopping() && tasks.wait_until_tasks_ended(SOON).await);
    }

    #[tokio::test]
    async fn a_stop_without_a_drain_drains_too_and_all_clones_know_it() {
        let tasks = BackgroundTasks::default();
        tasks.clone().stop();
        assert!(tasks.is_draining() && tasks.is_stopping());
        assert!(timeout(SOON, tasks.wait_until_draining()).await.is_ok() && timeout(SOON, tasks.wait_until_stopping()).await.is_ok());
    }
}
