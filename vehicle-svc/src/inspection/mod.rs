//! Saves of inspections with optimistic concurrency, and deletion of expired idempotency keys.
//!
//! The submodules contain the rules, the three-way merge, the batcher and the resolution of conflicts. `store` contains the SQL.

pub mod audit_event;
pub mod batcher;
pub mod conflict_resolution;
pub mod merge;
pub mod save_attempt;
pub mod save_rules;
pub mod save_types;
pub mod vehicle_history;

use crate::{
    error::{Error, Result},
    inspection::{
        batcher::SaveBatcher,
        save_attempt::{SaveAttempt, SaveAttemptOutcome},
        save_types::{SaveCommand, SaveResult},
    },
    store::{
        idempotency_keys::{self, IdempotencyKey},
        pending_saves,
    },
};
use chrono::{DateTime, TimeDelta, Utc};
use patio_kit::{auth::identity::Caller, db::Db, service_host::ServiceHost};
use std::{sync::Arc, time::Duration};

/// Retention time of idempotency keys. The time is long, since a phone may stay offline for weeks before the phone sends its saves.
pub const IDEMPOTENCY_KEY_RETENTION: TimeDelta = TimeDelta::days(30);

/// Number of optimistic attempts to save before an attempt locks the vehicle's row.
const OPTIMISTIC_ATTEMPTS: usize = 3;

/// Saves an inspection with optimistic concurrency.
///
/// Each attempt loads the vehicle, checks the rules, and writes the save if the vehicle's version has not changed since the load.
/// If the version has changed, the save is attempted again; the last attempts lock the vehicle's row.
///
/// # Errors
/// Returns the error of the first rule that the save breaks. The rules are checked in this order: the vehicle exists, the VIN and the
/// version that the client saw are current, the role may change the fields, the campaign is open, the status change is allowed. A
/// rejected save writes nothing.
pub async fn save_inspection(together: &SaveBatcher, caller: Caller, save: SaveCommand, now: DateTime<Utc>) -> Result<SaveResult> {
    let done = attempt(together, caller, save, now).await;
    let outcome = match &done {
        Ok(saved) if saved.write_result.revision.is_none() => "repeated",
        Ok(saved) if !saved.conflicts.is_empty() => "conflict",
        Ok(_) => "saved",
        Err(Error::OutdatedVersion { .. }) => "stale",
        Err(Error::Database(_) | Error::ConcurrentChange) => "failed",
        Err(_) => "rejected",
    };
    metrics::counter!("patio_saves_total", "outcome" => outcome).increment(1);
    if let (Ok(saved), "conflict") = (&done, outcome) {
        let opened = u64::try_from(saved.conflicts.len()).unwrap_or(u64::MAX);
        metrics::counter!("patio_conflicts_total", "event" => "opened").increment(opened);
    }
    done
}

/// Repeats the attempt to save until the save is written, a rule rejects the save, or the last attempt fails.
async fn attempt(together: &SaveBatcher, caller: Caller, save: SaveCommand, now: DateTime<Utc>) -> Result<SaveResult> {
    let key = IdempotencyKey { user_id: caller.user_id, key: save.key.clone(), vehicle_id: save.id, fingerprint: save.fingerprint() };
    let attempt = Arc::new(SaveAttempt { caller, save, key, now });
    let mut lock = false;
    for number in 0..OPTIMISTIC_ATTEMPTS + 2 {
        let attempt = attempt.clone();
        lock |= number >= OPTIMISTIC_ATTEMPTS;
        let tried = if number == 0 { together.attempt_save(attempt).await } else { attempt.run_unbatched(together.db(), lock).await };
        match tried {
            Ok(SaveAttemptOutcome::Saved(saved)) => return Ok(*saved),
            Ok(SaveAttemptOutcome::Retry) => {}
            Ok(SaveAttemptOutcome::RetryLocked) => lock = true,
            // A duplicate of this save ran at the same time and was written first.
            Err(Error::Database(cause)) if patio_kit::errors::is_unique_violation(&cause) => {}
            Err(error) => return Err(error),
        }
    }
    Err(Error::ConcurrentChange)
}

/// Starts the hourly task that deletes idempotency keys older than [`IDEMPOTENCY_KEY_RETENTION`]. The same task deletes reports of
/// pending saves (saves that a device has not sent yet) after the same time.
pub fn spawn_idempotency_key_purge(host: &ServiceHost, db: Db) {
    let clock = host.clock.clone();
    host.tasks.spawn_repeating(Duration::from_secs(3600), move || {
        let (db, before) = (db.clone(), clock.now() - IDEMPOTENCY_KEY_RETENTION);
        async move {
            let deleted: std::result::Result<(u64, u64), sqlx::Error> = db
                .write(move |tx| {
                    Box::pin(async move {
                        Ok((idempotency_keys::purge_expired(tx, before).await?, pending_saves::purge_expired(tx, before).await?))
                    })
                })
                .await;
            match deleted {
                Ok((keys, reports)) => {
                    tracing::debug!(keys, reports, "deleted expired idempotency keys and expired device reports of pending saves");
                }
                Err(cause) => {
                    tracing::warn!(%cause, "failed to delete expired idempotency keys and expired device reports of pending saves, retrying in an hour");
                }
            }
        }
    });
}
