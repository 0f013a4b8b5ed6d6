//! Separate tokio runtimes for network I/O and for request handlers.
//!
//! During an overload, reading and rejecting requests also takes CPU time. With a single runtime, this work would delay
//! the admitted requests at every `await`.
use anyhow::Context;
use std::any::Any;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio_util::task::AbortOnDropHandle;

/// Handle of the tokio runtime that runs request handlers. The default value contains no handle; [`HandlerRuntime::run`] then runs
/// the work on the runtime of its caller.
#[derive(Debug, Clone, Default)]
pub struct HandlerRuntime(Option<Handle>);

impl HandlerRuntime {
    /// Returns a handle of the tokio runtime that the caller runs on.
    #[must_use]
    pub fn current() -> Self {
        Self(Some(Handle::current()))
    }

    /// Runs the future `work` on the tokio runtime for request handlers, and returns the output of `work`. Dropping the future that
    /// this function returns cancels `work`.
    ///
    /// # Errors
    /// Returns the panic payload when the future panics.
    pub async fn run<T>(&self, work: impl Future<Output = T> + Send + 'static) -> Result<T, Box<dyn Any + Send>>
    where
        T: Send + 'static,
    {
        let Some(threads) = &self.0 else { return Ok(work.await) };
        let done = AbortOnDropHandle::new(threads.spawn(work)).await;
        done.map_err(|cause| cause.try_into_panic().unwrap_or_else(|ended| Box::new(ended.to_string())))
    }
}

/// Tokio runtime for network I/O. Dropping the value shuts down the threads of the runtime.
pub struct IoRuntime(Option<Runtime>);

impl IoRuntime {
    /// Starts a tokio runtime with one I/O thread per core.
    ///
    /// # Errors
    /// Returns an error when the threads cannot be started.
    pub fn start() -> anyhow::Result<Self> {
        let threads = Builder::new_multi_thread().enable_all().thread_name("io").build();
        Ok(Self(Some(threads.context("cannot start the I/O threads")?)))
    }

    /// Runs a future on the I/O runtime and returns the output of the future.
    ///
    /// # Errors
    /// Returns an error when the future panics.
    pub async fn run<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> anyhow::Result<T> {
        let threads = self.0.as_ref().context("the I/O runtime has shut down")?;
        Ok(threads.spawn(work).await?)
    }
}

impl Drop for IoRuntime {
    fn drop(&mut self) {
        if let Some(threads) = self.0.take() {
            threads.shutdown_background(); // blocking until they end is not allowed in async code
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{future::pending, panic::resume_unwind, thread, time::Duration};
    use tokio::{sync::oneshot, time::timeout};

    #[test]
    fn work_runs_on_the_chosen_runtime() {
        let (beside, io) = (Builder::new_multi_thread().thread_name("handlers").build().unwrap(), IoRuntime::start().unwrap());
        let work = beside.block_on(async { HandlerRuntime::current() });
        let named = || async { thread::current().name().map(str::to_owned) };
        let names = beside.block_on(io.run(async move {
            let there = work.run(named()).await.unwrap();
            let here = HandlerRuntime::default().run(named()).await.unwrap();
            (there, here)
        }));
        let (there, here) = names.unwrap();
        assert_eq!((there.as_deref(), here.as_deref()), (Some("handlers"), Some("io")));
    }

    #[tokio::test]
    async fn a_panic_is_returned_and_abandoned_work_is_cancelled() {
        let panicked: Result<(), _> = HandlerRuntime::current().run(async { resume_unwind(Box::new("panic message")) }).await;
        assert_eq!(panicked.unwrap_err().downcast_ref::<&str>(), Some(&"panic message"));
        let (held, dropped) = oneshot::channel::<()>();
        let working = async move {
            let _held = held;
            pending::<()>().await;
        };
        let waiting = timeout(Duration::from_millis(5), HandlerRuntime::current().run(working)).await;
        assert!(waiting.is_err());
        assert!(dropped.await.is_err());
    }
}
