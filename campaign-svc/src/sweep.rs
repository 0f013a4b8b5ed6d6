//! Finishing or undoing what a process that died, or a vehicle-svc that was away, left half-done.
use crate::{error::Error, store, works::Works};
use chrono::TimeDelta;
use patio_kit::{db::Db, host::Host};
use tonic::Code;

/// A draft that gave no sign of life for so long is discarded.
const SILENCE: TimeDelta = TimeDelta::seconds(30);
/// A tombstone so old is not being worked on by whoever made it, or slowly enough for help to do no harm.
const OVERDUE: TimeDelta = TimeDelta::seconds(10);
/// A telling so old has failed or was never made.
const UNTOLD: TimeDelta = TimeDelta::seconds(5);
/// Most rows of one kind that a sweep takes on.
const MOST: i64 = 100;

/// Looks for unfinished work; any number of replicas may do so at the same time.
///
/// Every step it takes may be taken twice: a removal of what is removed does nothing, and a telling
/// carries a revision that is taken in the transaction which reads what to tell.
#[derive(Clone)]
pub struct Sweeper(Works);

impl Sweeper {
    /// A sweeper of this service's tables.
    #[must_use]
    pub fn new(host: &Host, db: &Db) -> Self {
        Self(Works::new(host, db))
    }

    /// Sweeps once; what fails is logged and left to the next sweep.
    pub async fn sweep(&self) {
        for (what, outcome) in [
            ("discarding silent drafts", self.discard_silent().await),
            ("finishing deletions", self.finish_deletions().await),
            ("telling vehicle-svc", self.tell_untold().await),
        ] {
            if let Err(cause) = outcome {
                tracing::warn!(%cause, "{what} waits for the next sweep");
            }
        }
    }

    async fn discard_silent(&self) -> Result<(), Error> {
        let at = self.0.now();
        let silent = self.0.db.write(move |tx| Box::pin(async move { store::silent(tx, at - SILENCE, at).await })).await?;
        for id in silent {
            tracing::info!(campaign = id, "the import of draft {id} fell silent");
            over(id, self.0.remove(id).await)?;
        }
        Ok(())
    }

    async fn finish_deletions(&self) -> Result<(), Error> {
        for id in store::overdue(&self.0.db, self.0.now() - OVERDUE, MOST).await? {
            over(id, self.0.remove(id).await)?;
        }
        Ok(())
    }

    async fn tell_untold(&self) -> Result<(), Error> {
        let since = self.0.now() - UNTOLD;
        for id in store::untold(&self.0.db, since, MOST).await? {
            over(id, self.0.tell_again(id, since).await.map(drop))?;
        }
        Ok(())
    }
}

/// Goes on to the next row after one that failed, unless vehicle-svc is away for all of them.
fn over(id: i64, outcome: Result<(), Error>) -> Result<(), Error> {
    match outcome {
        Err(Error::Elsewhere(status)) if status.code() == Code::Unavailable => Err(Error::Elsewhere(status)),
        Err(cause) => {
            tracing::warn!(%cause, campaign = id, "campaign {id} waits for the next sweep");
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}
