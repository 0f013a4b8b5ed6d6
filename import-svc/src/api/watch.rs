//! Streams the progress of an import that runs on any replica.
use crate::{
    error::Error,
    progress::{self, PROGRESS_POLL_INTERVAL, ProgressRecord},
};
use futures::{Stream, stream};
use patio_kit::{cache::CacheKey, errors, service_host::ServiceHost};
use patio_proto::imports::{ImportPhase, ImportProgress};
use std::time::{Duration, Instant};
use tonic::Status;
use uuid::Uuid;

/// Timeout of a progress stream. The stream ends if no new progress record appears for this time. A running import writes records
/// even while its row count stays the same. While the cache is unavailable, a stream that has already sent progress stays open.
const PROGRESS_TIMEOUT: Duration = Duration::from_secs(10);

struct Watch {
    host: ServiceHost,
    key: CacheKey<ProgressRecord>,
    user_id: i64,
    last: Option<ProgressRecord>,
    last_progress_at: Instant,
    over: bool,
}

/// Streams the progress of the import with this upload id to its uploader until the import ends. Other users get `UploadNotFound`.
pub(super) fn stream_progress(
    host: ServiceHost,
    upload: Uuid,
    user_id: i64,
) -> impl Stream<Item = Result<ImportProgress, Status>> + Send + use<> {
    let watch = Watch { host, key: progress::cache_key(upload), user_id, last: None, last_progress_at: Instant::now(), over: false };
    stream::unfold(watch, |mut watch| async move { Some((watch.next().await?, watch)) })
}

impl Watch {
    async fn next(&mut self) -> Option<Result<ImportProgress, Status>> {
        while !self.over && !self.host.tasks.is_stopping() {
            match self.host.cache.get(&self.key).await {
                Some(seen) if seen.user_id != self.user_id => return self.end(Err(Error::UploadNotFound.into())),
                Some(seen) => {
                    if let Some(progress) = self.take(seen) {
                        return Some(Ok(progress));
                    }
                }
                None => {}
            }
            if self.last_progress_at.elapsed() > PROGRESS_TIMEOUT {
                match self.host.cache.find_redis_fault().await {
                    // The import may be running, and only its progress cannot be read.
                    Some(_) if self.last.is_some() => self.last_progress_at = Instant::now(),
                    Some(cause) => return self.end(Err(errors::unavailable_status("Redis", &cause))),
                    None => return self.give_up(),
                }
            }
            tokio::time::sleep(PROGRESS_POLL_INTERVAL).await;
        }
        None
    }

    /// Stores the latest progress record of the import. Returns the progress for the client if it has changed, otherwise `None`.
    fn take(&mut self, seen: ProgressRecord) -> Option<ImportProgress> {
        let progress = seen.to_proto();
        let previous = self.last.as_ref();
        if previous.is_none_or(|last| last.at_ms != seen.at_ms) {
            self.last_progress_at = Instant::now();
        }
        let is_new = previous.is_none_or(|last| last.to_proto() != progress);
        self.over = seen.is_final();
        self.last = Some(seen);
        is_new.then_some(progress)
    }

    /// Ends the stream after the timeout. Sends the latest known progress again with the phase `Failed`, or `UploadNotFound` if no
    /// progress was ever read.
    fn give_up(&mut self) -> Option<Result<ImportProgress, Status>> {
        match self.last.take() {
            None => self.end(Err(Error::UploadNotFound.into())),
            Some(last) => self.end(Ok(ImportProgress { phase: ImportPhase::Failed.into(), ..last.to_proto() })),
        }
    }

    fn end(&mut self, item: Result<ImportProgress, Status>) -> Option<Result<ImportProgress, Status>> {
        self.over = true;
        Some(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use patio_kit::cache::Cache;
    use tokio::time::timeout;
    use tonic::Code;

    /// Returns the next item of a stream without progress for longer than the timeout; `None` when no item arrives within `wait`.
    /// `has_begun` states whether the stream has received progress before.
    async fn next_after_silence(cache: Cache, has_begun: bool, wait: Duration) -> Option<Result<ImportPhase, Code>> {
        let folder = tempfile::tempdir().unwrap();
        let mut host = patio_testing::host(folder.path(), None).await;
        host.cache = cache;
        let seen = ProgressRecord { phase: ImportPhase::Saving.into(), rows: 10, total: Some(20), user_id: 7, at_ms: 0 };
        let (key, last_progress_at) = (progress::cache_key(Uuid::now_v7()), Instant::now() - PROGRESS_TIMEOUT - PROGRESS_POLL_INTERVAL);
        let mut watch = Watch { host, key, user_id: 7, last: has_begun.then_some(seen), last_progress_at, over: false };
        let next = timeout(wait, watch.next()).await.ok()??;
        Some(next.map(|progress| progress.phase()).map_err(|refused| refused.code()))
    }

    #[tokio::test]
    async fn a_silent_import_has_failed_unless_its_progress_cannot_be_read() {
        let (long, short) = (Duration::from_secs(20), Duration::from_secs(1));
        let unreachable = || Cache::new_in_redis("redis://127.0.0.1:1").unwrap();
        assert_eq!(next_after_silence(Cache::new_in_memory(), true, long).await, Some(Ok(ImportPhase::Failed)));
        assert_eq!(next_after_silence(Cache::new_in_memory(), false, long).await, Some(Err(Code::NotFound)));
        assert_eq!(next_after_silence(unreachable(), true, short).await, None);
        assert_eq!(next_after_silence(unreachable(), false, long).await, Some(Err(Code::Unavailable)));
    }
}
