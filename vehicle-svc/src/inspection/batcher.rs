//! Group commit of saves on `PostgreSQL`: saves that arrive at the same time share one statement and one disk flush.
//! On `SQLite` the writer thread batches transactions instead.
use crate::{
    error::{Error, Result},
    inspection::save_attempt::{EvaluatedSave, SaveAttempt, SaveAttemptOutcome},
    store::saves,
};
use patio_kit::{
    db::{Db, Tx},
    errors,
    lifecycle::BackgroundTasks,
    telemetry::sql_stats,
};
use std::{
    collections::HashSet,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{
    sync::{Notify, oneshot},
    time::{Instant, timeout, timeout_at},
};
use tracing::{Instrument, Span};

/// Maximum number of saves in one group commit.
const MAX_GROUP_LEN: usize = 64;
/// Minimum time between the starts of two groups of saves. During this time, more saves join the next group, since a large group takes
/// hardly longer to write than one save. The next group starts earlier when [`EARLY_GROUP_LEN`] saves wait.
const GROUP_INTERVAL: Duration = Duration::from_millis(8);
/// Number of waiting saves at which the next group starts at once.
const EARLY_GROUP_LEN: usize = 4;
/// Maximum time that a group of saves waits for the previous group to be written. The limit prevents one locked row, for example during a
/// bulk change, from delaying all later groups.
const PREVIOUS_GROUP_TIMEOUT: Duration = Duration::from_millis(20);

/// Batcher that collects concurrent saves into groups. All clones share one queue.
#[derive(Clone)]
pub struct SaveBatcher {
    db: Db,
    tasks: BackgroundTasks,
    line: Arc<Mutex<Line>>,
    /// Notified when [`EARLY_GROUP_LEN`] saves wait.
    enough: Arc<Notify>,
}

#[derive(Default)]
struct Line {
    waiting: Vec<Asked>,
    /// Whether a background task is writing groups of saves. The task ends when the queue is empty.
    is_led: bool,
    /// Start time of the last group commit; `None` before the first group.
    begun: Option<Instant>,
}

/// Returns the time until which the next group waits for more saves, or `None` when the next group starts at once.
fn pause(waiting: usize, begun: Option<Instant>, now: Instant) -> Option<Instant> {
    let until = begun? + GROUP_INTERVAL;
    ((1..EARLY_GROUP_LEN).contains(&waiting) && now < until).then_some(until)
}

/// A queued save with the channel for its result.
struct Asked {
    attempt: Arc<SaveAttempt>,
    answer: oneshot::Sender<Result<SaveAttemptOutcome>>,
    /// Tracing span of the gRPC call that queued the save.
    span: Span,
}

impl SaveBatcher {
    /// Creates a batcher with an empty queue. `tasks` runs the background tasks that write groups.
    #[must_use]
    pub fn new(db: Db, tasks: BackgroundTasks) -> Self {
        Self { db, tasks, line: Arc::default(), enough: Arc::default() }
    }

    /// Returns the database to which the batcher writes saves.
    #[must_use]
    pub fn db(&self) -> &Db {
        &self.db
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Attempts a save once: on `PostgreSQL` in a group with concurrent saves, on `SQLite` in its own transaction.
    ///
    /// # Errors
    /// Returns the error of the rule that the save breaks, or a database error when the database is unavailable or its disk is full. When
    /// a group fails for another reason, every save of the group has the outcome [`SaveAttemptOutcome::Retry`].
    pub async fn attempt_save(&self, attempt: Arc<SaveAttempt>) -> Result<SaveAttemptOutcome> {
        if !self.db.is_postgres() {
            return attempt.run_unbatched(&self.db, false).await;
        }
        let (answer, result) = oneshot::channel();
        let leads = {
            let mut line = self.line();
            line.waiting.push(Asked { attempt, answer, span: Span::current() });
            if line.waiting.len() == EARLY_GROUP_LEN {
                self.enough.notify_one();
            }
            !std::mem::replace(&mut line.is_led, true)
        };
        if leads {
            self.tasks.spawn(self.clone().lead());
        }
        result.await.unwrap_or_else(|_| Err(sqlx::Error::WorkerCrashed.into()))
    }

    async fn lead(self) {
        loop {
            self.gather().await;
            let Some(group) = self.next() else { return };
            let (done, written) = oneshot::channel::<()>();
            let db = self.db.clone();
            self.tasks.spawn(async move {
                write(&db, group).await;
                drop(done);
            });
            let _ = timeout(PREVIOUS_GROUP_TIMEOUT, written).await;
        }
    }

    /// Returns the number of queued saves, and the start time of the last group of saves (`None` before the first
    /// group).
    fn queue_state(&self) -> (usize, Option<Instant>) {
        let line = self.line();
        (line.waiting.len(), line.begun)
    }

    /// Waits for more saves until the next group may start.
    async fn gather(&self) {
        loop {
            let (waiting, begun) = self.queue_state();
            let Some(until) = pause(waiting, begun, Instant::now()) else { return };
            let _ = timeout_at(until, self.enough.notified()).await;
        }
    }

    /// Takes the next group of saves from the queue. No vehicle and no idempotency key occurs twice in a group. Returns
    /// `None` when the queue is empty.
    fn next(&self) -> Option<Vec<Asked>> {
        let mut line = self.line();
        let (mut vehicles, mut keys, mut group, mut later) = (HashSet::new(), HashSet::new(), Vec::new(), Vec::new());
        for asked in line.waiting.drain(..).filter(|asked| !asked.answer.is_closed()) {
            let key = &asked.attempt.key;
            let is_new = group.len() < MAX_GROUP_LEN
                && !vehicles.contains(&key.vehicle_id)
                && (key.key.is_empty() || keys.insert((key.user_id, key.key.clone())));
            if is_new {
                vehicles.insert(key.vehicle_id);
                group.push(asked);
            } else {
                later.push(asked);
            }
        }
        line.waiting = later;
        line.is_led = !group.is_empty();
        if line.is_led {
            line.begun = Some(Instant::now());
        }
        group.sort_by_key(|asked| asked.attempt.key.vehicle_id);
        line.is_led.then_some(group)
    }
}

/// Writes a group of saves and sends each waiting caller the result of its save.
async fn write(db: &Db, group: Vec<Asked>) {
    let attempts: Vec<_> = group.iter().map(|asked| asked.attempt.clone()).collect();
    let counted = sql_stats::create_statement_counting_span();
    let written: Result<Vec<Result<SaveAttemptOutcome>>> =
        db.write_single_statement(move |tx| Box::pin(async move { all(tx, &attempts).await })).instrument(counted.clone()).await;
    sql_stats::attribute_statements_to_calls(&counted, group.iter().map(|asked| &asked.span));
    match written {
        Ok(outcomes) => {
            for (asked, outcome) in group.into_iter().zip(outcomes) {
                drop(asked.answer.send(outcome));
            }
        }
        Err(Error::Database(cause)) if errors::is_database_unavailable(&cause) || errors::is_out_of_space(&cause) => {
            let kind = if errors::is_out_of_space(&cause) { io::ErrorKind::StorageFull } else { io::ErrorKind::Other };
            for asked in group {
                drop(asked.answer.send(Err(sqlx::Error::Io(io::Error::new(kind, cause.to_string())).into())));
            }
        }
        Err(cause) => {
            tracing::debug!(%cause, saves = group.len(), "failed to write a batch of saves in one transaction, retrying each save in its own transaction");
            for asked in group {
                drop(asked.answer.send(Ok(SaveAttemptOutcome::Retry)));
            }
        }
    }
}

/// Loads the vehicles of a group, applies the rules to each save, and writes all valid saves in one statement.
async fn all(tx: &mut Tx<'_>, attempts: &[Arc<SaveAttempt>]) -> Result<Vec<Result<SaveAttemptOutcome>>> {
    let keys: Vec<_> = attempts.iter().map(|attempt| &attempt.key).collect();
    let mut found = saves::load_vehicles(tx, &keys).await?;
    let judged: Vec<Result<EvaluatedSave>> = attempts
        .iter()
        .map(|attempt| {
            let id = attempt.key.vehicle_id;
            attempt.evaluate_save(found.remove(&id).ok_or(Error::VehicleNotFound(id))?)
        })
        .collect();
    let changes: Vec<_> =
        attempts.iter().zip(&judged).filter_map(|(attempt, judged)| judged.as_ref().ok()?.as_batchable_save(attempt)).collect();
    let mut written = saves::write_saves(tx, &changes).await?;
    drop(changes);
    let mut tried = |judged: EvaluatedSave| {
        let after = written.remove(&judged.vehicle_id());
        judged.into_outcome(after)
    };
    Ok(judged.into_iter().map(|judged| judged.map(&mut tried)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_waits_for_more_saves_only_while_saves_keep_arriving() {
        let now = Instant::now();
        assert_eq!(pause(1, None, now), None, "the first ever");
        for few in 1..EARLY_GROUP_LEN {
            assert_eq!(pause(few, Some(now), now), Some(now + GROUP_INTERVAL));
            assert_eq!(pause(few, Some(now), now + GROUP_INTERVAL), None, "after a pause");
        }
        assert_eq!(pause(EARLY_GROUP_LEN, Some(now), now), None, "enough saves wait");
        assert_eq!(pause(0, Some(now), now), None, "the queue is empty");
    }
}
