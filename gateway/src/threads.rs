//! Threads: where requests are taken in, and where they are worked on.
//!
//! Whoever is refused has to be read and answered as well. On the threads that also work on requests, those under way would
//! wait behind everybody who is refused, each time they wait for something.
use anyhow::Context;
use std::any::Any;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio_util::task::AbortOnDropHandle;

/// Where requests are worked on: where they are taken in unless told otherwise.
#[derive(Debug, Clone, Default)]
pub struct Work(Option<Handle>);

impl Work {
    /// On the threads that call this.
    #[must_use]
    pub fn here() -> Self {
        Self(Some(Handle::current()))
    }

    /// Works until it is done or nobody waits for it any more.
    ///
    /// # Errors
    /// What it panicked with.
    pub async fn run<T>(&self, work: impl Future<Output = T> + Send + 'static) -> Result<T, Box<dyn Any + Send>>
    where
        T: Send + 'static,
    {
        let Some(threads) = &self.0 else { return Ok(work.await) };
        let done = AbortOnDropHandle::new(threads.spawn(work)).await;
        done.map_err(|cause| cause.try_into_panic().unwrap_or_else(|ended| Box::new(ended.to_string())))
    }
}

/// Threads that take requests in; they end with this.
pub struct Doors(Option<Runtime>);

impl Doors {
    /// As many as there are cores.
    ///
    /// # Errors
    /// When the system gives no more threads.
    pub fn open() -> anyhow::Result<Self> {
        let threads = Builder::new_multi_thread().enable_all().thread_name("doors").build();
        Ok(Self(Some(threads.context("no threads to take requests in")?)))
    }

    /// Runs something there.
    ///
    /// # Errors
    /// When it panics.
    pub async fn run<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> anyhow::Result<T> {
        let threads = self.0.as_ref().context("these threads ended")?;
        Ok(threads.spawn(work).await?)
    }
}

impl Drop for Doors {
    fn drop(&mut self) {
        if let Some(threads) = self.0.take() {
            threads.shutdown_background(); // to wait for them is forbidden where others work
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{future::pending, panic::resume_unwind, thread, time::Duration};
    use tokio::{sync::oneshot, time::timeout};

    #[test]
    fn work_is_done_where_it_was_told_to_be() {
        let (beside, doors) = (Builder::new_multi_thread().thread_name("beside").build().unwrap(), Doors::open().unwrap());
        let work = beside.block_on(async { Work::here() });
        let named = || async { thread::current().name().map(str::to_owned) };
        let names = beside.block_on(doors.run(async move {
            let there = work.run(named()).await.unwrap();
            let here = Work::default().run(named()).await.unwrap();
            (there, here)
        }));
        let (there, here) = names.unwrap();
        assert_eq!((there.as_deref(), here.as_deref()), (Some("beside"), Some("doors")));
    }

    #[tokio::test]
    async fn a_panic_is_told_and_what_nobody_waits_for_is_dropped() {
        let panicked: Result<(), _> = Work::here().run(async { resume_unwind(Box::new("as told")) }).await;
        assert_eq!(panicked.unwrap_err().downcast_ref::<&str>(), Some(&"as told"));
        let (held, dropped) = oneshot::channel::<()>();
        let working = async move {
            let _held = held;
            pending::<()>().await;
        };
        let waiting = timeout(Duration::from_millis(5), Work::here().run(working)).await;
        assert!(waiting.is_err());
        assert!(dropped.await.is_err());
    }
}
