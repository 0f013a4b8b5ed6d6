//! Looking on while a file is imported, at whichever replica.
use crate::{
    error::Error,
    progress::{self, EVERY, Seen},
};
use futures::{Stream, stream};
use patio_kit::{cache::Key, host::Host};
use patio_proto::imports::{ImportPhase, ImportProgress};
use std::time::{Duration, Instant};
use tonic::Status;
use uuid::Uuid;

/// How long an upload may be unknown, or known and silent.
const WAIT: Duration = Duration::from_secs(10);

struct Watch {
    host: Host,
    key: Key<Seen>,
    user_id: i64,
    last: Option<Seen>,
    heard: Instant,
    over: bool,
}

/// What becomes of an upload, from now until it has ended.
pub(super) fn watch(host: Host, upload: Uuid, user_id: i64) -> impl Stream<Item = Result<ImportProgress, Status>> + Send + use<> {
    let watch = Watch { host, key: progress::key(upload), user_id, last: None, heard: Instant::now(), over: false };
    stream::unfold(watch, |mut watch| async move { Some((watch.next().await?, watch)) })
}

impl Watch {
    async fn next(&mut self) -> Option<Result<ImportProgress, Status>> {
        while !self.over && !self.host.tasks.is_stopping() {
            match self.host.cache.get(&self.key).await {
                Some(seen) if seen.user_id != self.user_id => return self.end(Err(Error::NoUpload.into())),
                Some(seen) => {
                    if let Some(progress) = self.take(seen) {
                        return Some(Ok(progress));
                    }
                }
                None => {}
            }
            if self.heard.elapsed() > WAIT {
                return self.give_up();
            }
            tokio::time::sleep(EVERY).await;
        }
        None
    }

    /// What is new about it, if anything.
    fn take(&mut self, seen: Seen) -> Option<ImportProgress> {
        let progress = seen.progress();
        let told = self.last.as_ref();
        if told.is_none_or(|last| last.at_ms != seen.at_ms) {
            self.heard = Instant::now();
        }
        let is_new = told.is_none_or(|last| last.progress() != progress);
        self.over = seen.is_last();
        self.last = Some(seen);
        is_new.then_some(progress)
    }

    /// Nobody has told anything for long: there is no such upload, or the one who imported it died.
    fn give_up(&mut self) -> Option<Result<ImportProgress, Status>> {
        match self.last.take() {
            None => self.end(Err(Error::NoUpload.into())),
            Some(last) => self.end(Ok(ImportProgress { phase: ImportPhase::Failed.into(), ..last.progress() })),
        }
    }

    fn end(&mut self, item: Result<ImportProgress, Status>) -> Option<Result<ImportProgress, Status>> {
        self.over = true;
        Some(item)
    }
}
