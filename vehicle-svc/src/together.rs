//! Saves that come while others are being written, written together on `PostgreSQL`: one statement and one way to the
//! disk for all of them. `SQLite` has its one writer for that.
use crate::{
    attempt::{Attempt, Judged, Tried},
    error::{Error, Result},
    store::saves,
};
use patio_kit::{
    db::{Db, Tx},
    errors,
    lifecycle::Tasks,
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

/// Most saves in one statement.
const MOST: usize = 64;
/// While saves keep coming, groups begin so far apart, as one costs nearly the same whatever it holds,
const STEP: Duration = Duration::from_millis(8);
/// unless so many wait.
const ENOUGH: usize = 4;
/// How long one group keeps the next one waiting: it may itself wait for a row that a bulk change holds.
const PATIENCE: Duration = Duration::from_millis(20);

/// Where saves meet; clones share it.
#[derive(Clone)]
pub struct Together {
    db: Db,
    tasks: Tasks,
    line: Arc<Mutex<Line>>,
    /// Told when [`ENOUGH`] wait.
    enough: Arc<Notify>,
}

#[derive(Default)]
struct Line {
    waiting: Vec<Asked>,
    /// Whether somebody writes group after group until nobody waits.
    is_led: bool,
    /// When the last group began.
    begun: Option<Instant>,
}

/// Until when a group that would hold so many waits for others to come, by when the last one began.
fn pause(waiting: usize, begun: Option<Instant>, now: Instant) -> Option<Instant> {
    let until = begun? + STEP;
    ((1..ENOUGH).contains(&waiting) && now < until).then_some(until)
}

/// A save that waits to be written.
struct Asked {
    attempt: Arc<Attempt>,
    answer: oneshot::Sender<Result<Tried>>,
}

impl Together {
    /// Nobody waits yet.
    #[must_use]
    pub fn new(db: Db, tasks: Tasks) -> Self {
        Self { db, tasks, line: Arc::default(), enough: Arc::default() }
    }

    /// The database that is written to.
    #[must_use]
    pub fn db(&self) -> &Db {
        &self.db
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tries a save once, with whoever saves at the same time.
    ///
    /// # Errors
    /// The rule it breaks, or that the database is away. Whatever hits a whole group is tried again alone.
    pub async fn attempt(&self, attempt: Arc<Attempt>) -> Result<Tried> {
        if !self.db.is_postgres() {
            return attempt.alone(&self.db, false).await;
        }
        let (answer, heard) = oneshot::channel();
        let leads = {
            let mut line = self.line();
            line.waiting.push(Asked { attempt, answer });
            if line.waiting.len() == ENOUGH {
                self.enough.notify_one();
            }
            !std::mem::replace(&mut line.is_led, true)
        };
        if leads {
            self.tasks.spawn(self.clone().lead());
        }
        heard.await.unwrap_or_else(|_| Err(sqlx::Error::WorkerCrashed.into()))
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
            let _ = timeout(PATIENCE, written).await;
        }
    }

    /// How many wait, and when the last group began.
    fn in_line(&self) -> (usize, Option<Instant>) {
        let line = self.line();
        (line.waiting.len(), line.begun)
    }

    /// Waits until it is time for the next group.
    async fn gather(&self) {
        loop {
            let (waiting, begun) = self.in_line();
            let Some(until) = pause(waiting, begun, Instant::now()) else { return };
            let _ = timeout_at(until, self.enough.notified()).await;
        }
    }

    /// The next group, each vehicle and each key in it once; none when nobody waits.
    fn next(&self) -> Option<Vec<Asked>> {
        let mut line = self.line();
        let (mut vehicles, mut keys, mut group, mut later) = (HashSet::new(), HashSet::new(), Vec::new(), Vec::new());
        for asked in line.waiting.drain(..).filter(|asked| !asked.answer.is_closed()) {
            let key = &asked.attempt.key;
            let is_new = group.len() < MOST
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

/// Writes a group and answers each.
async fn write(db: &Db, group: Vec<Asked>) {
    let attempts: Vec<_> = group.iter().map(|asked| asked.attempt.clone()).collect();
    let written: Result<Vec<Result<Tried>>> = db.write_once(move |tx| Box::pin(async move { all(tx, &attempts).await })).await;
    match written {
        Ok(outcomes) => {
            for (asked, outcome) in group.into_iter().zip(outcomes) {
                drop(asked.answer.send(outcome));
            }
        }
        Err(Error::Database(cause)) if errors::is_away(&cause) || errors::is_full(&cause) => {
            let kind = if errors::is_full(&cause) { io::ErrorKind::StorageFull } else { io::ErrorKind::Other };
            for asked in group {
                drop(asked.answer.send(Err(sqlx::Error::Io(io::Error::new(kind, cause.to_string())).into())));
            }
        }
        Err(cause) => {
            tracing::debug!(%cause, saves = group.len(), "saves are written one by one");
            for asked in group {
                drop(asked.answer.send(Ok(Tried::Again)));
            }
        }
    }
}

/// Judges each save of a group by its vehicle as it stands, and writes what is in order.
async fn all(tx: &mut Tx<'_>, attempts: &[Arc<Attempt>]) -> Result<Vec<Result<Tried>>> {
    let keys: Vec<_> = attempts.iter().map(|attempt| &attempt.key).collect();
    let mut found = saves::look_at_all(tx, &keys).await?;
    let judged: Vec<Result<Judged>> = attempts
        .iter()
        .map(|attempt| {
            let id = attempt.key.vehicle_id;
            attempt.judge(found.remove(&id).ok_or(Error::NoVehicle(id))?)
        })
        .collect();
    let changes: Vec<_> = attempts.iter().zip(&judged).filter_map(|(attempt, judged)| judged.as_ref().ok()?.change(attempt)).collect();
    let mut written = saves::save_all(tx, &changes).await?;
    drop(changes);
    let mut tried = |judged: Judged| {
        let after = written.remove(&judged.vehicle_id());
        judged.tried(after)
    };
    Ok(judged.into_iter().map(|judged| judged.map(&mut tried)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_waits_for_more_only_while_saves_keep_coming() {
        let now = Instant::now();
        assert_eq!(pause(1, None, now), None, "the first ever");
        for few in 1..ENOUGH {
            assert_eq!(pause(few, Some(now), now), Some(now + STEP));
            assert_eq!(pause(few, Some(now), now + STEP), None, "after a pause");
        }
        assert_eq!(pause(ENOUGH, Some(now), now), None, "they are enough");
        assert_eq!(pause(0, Some(now), now), None, "nobody waits");
    }
}
