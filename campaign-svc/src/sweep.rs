//! Sweeper: completes or reverts work left unfinished by a crashed process or an unavailable vehicle-svc.
use crate::{context::ServiceContext, error::Error, store};
use chrono::TimeDelta;
use patio_kit::{
    db::Db,
    service_host::ServiceHost,
    telemetry::{outage_tracker::OutageTracker, to_gauge_value},
};
use tonic::Code;

/// Heartbeat timeout of a draft campaign. A draft whose import has sent no heartbeat for this time is discarded.
const HEARTBEAT_TIMEOUT: TimeDelta = TimeDelta::seconds(30);
/// Age of a tombstone (row of a deleted campaign) after which the sweeper repeats the deletion. An older tombstone most likely means
/// that the first deletion was interrupted.
const DELETION_RETRY_AGE: TimeDelta = TimeDelta::seconds(10);
/// Time for which the sweeper waits for vehicle-svc to acknowledge a sync of a campaign's name and write lock (whether saves are
/// rejected). Afterwards, the sweeper repeats the sync.
const SYNC_RETRY_AGE: TimeDelta = TimeDelta::seconds(5);
/// Maximum number of campaigns that one step of a sweep handles. Applies to unfinished deletions, and to repeated syncs of the name and
/// write lock to vehicle-svc.
const MAX_CAMPAIGNS_PER_SWEEP: i64 = 100;

/// Names of the steps of a sweep, as written to the log.
const STEPS: [&str; 3] = ["discard drafts of lost imports", "finish deletions of campaigns", "sync changed campaigns to vehicle-svc"];
/// Outage trackers, one for each step in [`STEPS`], in the same order. A tracker counts the failures since the last success of its
/// step, so that only the first failure is logged as a warning.
static OUTAGES: [OutageTracker; 3] = [OutageTracker::new(), OutageTracker::new(), OutageTracker::new()];

/// Completes or reverts the work on campaigns that a crash or an unavailable vehicle-svc left unfinished. Any number of replicas
/// may run sweepers at the same time.
///
/// Every step can be repeated safely: a second deletion of a campaign does nothing, and vehicle-svc ignores campaign data with an
/// outdated revision number.
#[derive(Clone)]
pub struct Sweeper(ServiceContext);

impl Sweeper {
    /// Creates a sweeper for the database of campaign-svc.
    #[must_use]
    pub fn new(host: &ServiceHost, db: &Db) -> Self {
        Self(ServiceContext::new(host, db))
    }

    /// Runs one sweep, which completes or reverts all unfinished work. A failed step is logged, and the next sweep tries again.
    pub async fn sweep(&self) {
        let outcomes = [self.discard_stale_drafts().await, self.finish_deletions().await, self.resync_unsynced().await];
        for ((outage, step), outcome) in OUTAGES.iter().zip(STEPS).zip(outcomes) {
            outage.log_result(step, outcome);
        }
    }

    async fn discard_stale_drafts(&self) -> Result<(), Error> {
        let at = self.0.now();
        let silent = self
            .0
            .db
            .write(move |tx| Box::pin(async move { store::mark_stale_drafts_deleted(tx, at - HEARTBEAT_TIMEOUT, at).await }))
            .await?;
        let mut failures = StepFailures::default();
        for id in silent {
            tracing::info!(
                campaign = id,
                "draft campaign discarded: heartbeat timeout, import-svc no longer reports its import as running"
            );
            failures.log(STEPS[0], id, self.0.purge_deleted_campaign(id).await)?;
        }
        Ok(())
    }

    async fn finish_deletions(&self) -> Result<(), Error> {
        let stale = store::list_stale_tombstones(&self.0.db, self.0.now() - DELETION_RETRY_AGE, MAX_CAMPAIGNS_PER_SWEEP).await?;
        metrics::gauge!("patio_saga_backlog", "saga" => "deletions").set(to_gauge_value(stale.len()));
        let mut failures = StepFailures::default();
        for id in stale {
            failures.log(STEPS[1], id, self.0.purge_deleted_campaign(id).await)?;
        }
        Ok(())
    }

    async fn resync_unsynced(&self) -> Result<(), Error> {
        let since = self.0.now() - SYNC_RETRY_AGE;
        let unsynced = store::list_unsynced_campaign_ids(&self.0.db, since, MAX_CAMPAIGNS_PER_SWEEP).await?;
        metrics::gauge!("patio_saga_backlog", "saga" => "campaign-changes").set(to_gauge_value(unsynced.len()));
        let mut failures = StepFailures::default();
        for id in unsynced {
            failures.log(STEPS[2], id, self.0.resync_campaign(id, since).await.map(drop))?;
        }
        Ok(())
    }
}

/// Number of timed-out calls to vehicle-svc after which a step of a sweep ends, so that an unresponsive vehicle-svc does not block the
/// next steps. The limit is above 1, so that one slow campaign does not end the step for the other campaigns.
const MAX_TIMEOUTS_PER_STEP: usize = 3;

/// Counter of the timed-out calls in one step of a sweep.
#[derive(Default)]
struct StepFailures {
    timeouts: usize,
}

impl StepFailures {
    /// Handles the outcome of a step for one campaign. An error is logged, and the step continues with the next campaign. When
    /// vehicle-svc is unavailable or [`MAX_TIMEOUTS_PER_STEP`] calls have timed out, the error is returned instead, which ends the step.
    fn log(&mut self, step: &str, id: i64, outcome: Result<(), Error>) -> Result<(), Error> {
        let Err(cause) = outcome else { return Ok(()) };
        self.timeouts += usize::from(cause.is_unavailable());
        if self.timeouts == MAX_TIMEOUTS_PER_STEP || matches!(&cause, Error::DependencyFailed(status) if status.code() == Code::Unavailable)
        {
            return Err(cause);
        }
        tracing::warn!(step, %cause, campaign = id, "sweeper step failed for a campaign, retrying in the next sweep");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tonic::Status;

    #[test]
    fn a_step_goes_on_after_one_timeout_and_ends_after_three_or_without_vehicle_svc() {
        let failed = |code| Err(Error::DependencyFailed(Status::new(code, "")));
        let mut failures = StepFailures::default();
        assert!(failures.log("test", 1, failed(Code::DeadlineExceeded)).is_ok());
        assert!(failures.log("test", 2, failed(Code::Internal)).is_ok());
        assert!(failures.log("test", 3, Ok(())).is_ok());
        assert!(failures.log("test", 4, failed(Code::DeadlineExceeded)).is_ok());
        assert!(failures.log("test", 5, failed(Code::DeadlineExceeded)).is_err());
        assert!(StepFailures::default().log("test", 6, failed(Code::Unavailable)).is_err());
    }
}
