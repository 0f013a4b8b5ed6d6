//! A chain of digests over the entries, so that a changed or missing one shows.
//!
//! Entries are sealed in batches by a task of their own, so that writers never queue on the head
//! of the chain. Each seal is a digest over the one before and the digests of its entries; each
//! is logged, where nobody who can only write to the database can change it.
use super::{
    digest::{self, Link},
    store::{self, Seal, Sealed},
};
use crate::{clock::Clock, db::Db, errors, host::Host};
use chrono::{DateTime, TimeDelta, Utc};
use std::time::Duration;

/// How often new entries are sealed.
const EVERY: Duration = Duration::from_secs(2);
/// Most entries of one seal.
const BATCH: i64 = 500;
/// How far back, in ids, entries may still appear because their transaction committed late.
const LATE: i64 = 5_000;
/// Entries read at once while verifying.
const READ: i64 = 5_000;
/// An entry older than this must have been sealed.
const MUST_BE_SEALED: TimeDelta = TimeDelta::minutes(10);
/// How long entries about access are kept, and which these are; all others stay.
pub const ACCESS_KEPT: TimeDelta = TimeDelta::days(183);
/// The kinds of entries that tell of access only.
pub const ACCESS_KINDS: [&str; 5] = ["page-view", "login", "logout", "login-failed", "refused"];

/// Seals new entries and removes those about access that are due, from now on.
pub fn keep(host: &Host, db: &Db) {
    let (sealing, clock) = (db.clone(), host.clock.clone());
    host.tasks.repeat(EVERY, move || {
        let (db, clock) = (sealing.clone(), clock.clone());
        async move {
            match all_new(&db, &clock).await {
                Ok(()) => {}
                Err(cause) if errors::is_duplicate(&cause) => tracing::debug!("another replica sealed these entries"),
                Err(cause) => tracing::warn!(%cause, "audit entries were not sealed"),
            }
        }
    });
    let (removing, clock) = (db.clone(), host.clock.clone());
    host.tasks.repeat(Duration::from_secs(3600), move || {
        let (db, clock) = (removing.clone(), clock.clone());
        async move {
            if let Err(cause) = retain(&db, &clock).await {
                tracing::warn!(%cause, "access entries that are due were not removed");
            }
        }
    });
}

/// Seals batch after batch until one is not full: more may come in than one batch a round.
async fn all_new(db: &Db, clock: &Clock) -> Result<(), sqlx::Error> {
    while i64::try_from(once(db, clock.now()).await?).is_ok_and(|sealed| sealed == BATCH) {}
    Ok(())
}

/// Seals one batch of new entries; how many there were.
pub async fn once(db: &Db, now: DateTime<Utc>) -> Result<usize, sqlx::Error> {
    db.write(move |tx| {
        Box::pin(async move {
            let rows = store::unsealed(tx, LATE, BATCH).await?;
            if rows.is_empty() {
                return Ok(0);
            }
            let before = store::last_seal(tx).await?;
            let id = before.as_ref().map_or(1, |seal| seal.id + 1);
            let mut link = Link::over(before.as_ref().map_or("", |seal| &seal.digest));
            let digests: Vec<_> = rows.iter().map(|row| (row, digest::of(row))).collect();
            for (row, digest) in &digests {
                link.add(row.id, &row.kind, row.at, digest);
            }
            store::add_digests(tx, id, &digests).await?;
            let seal = Seal { id, digest: link.finish() };
            store::add_seal(tx, &seal, now).await?;
            tell(&seal, rows.len());
            Ok(rows.len())
        })
    })
    .await
}

/// Logs each seal, so that it stands outside the database as soon as it is made.
fn tell(seal: &Seal, entries: usize) {
    tracing::info!(seal = seal.id, digest = %seal.digest, entries, "sealed audit entries");
}

/// Removes entries about access that were kept long enough, and says so in one entry; how many.
pub async fn retain(db: &Db, clock: &Clock) -> Result<u64, sqlx::Error> {
    let now = clock.now();
    db.write(move |tx| {
        Box::pin(async move {
            let mut gone = 0;
            for kind in ACCESS_KINDS {
                gone += store::remove(tx, kind, now - ACCESS_KEPT).await?;
            }
            if gone > 0 {
                let summary = format!("{gone} access entries older than {} days removed", ACCESS_KEPT.num_days());
                super::append(
                    tx,
                    now,
                    None,
                    super::Event { kind: "retention", subject: "access entries".to_owned(), summary, ..Default::default() },
                )
                .await?;
            }
            Ok(gone)
        })
    })
    .await
}

/// What verifying found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Entries whose digest was compared.
    pub entries: u64,
    /// Entries about access that were removed when they were due.
    pub removed: u64,
    /// Links of the chain.
    pub seals: u64,
    /// The last link's number and digest, to be kept outside the database; none before the first one.
    pub last: Option<(i64, String)>,
    /// Whatever does not fit, one sentence each, at most 100.
    pub problems: Vec<String>,
}

impl Report {
    fn problem(&mut self, text: String) {
        if self.problems.len() < 100 {
            self.problems.push(text);
        }
    }

    fn compare(&mut self, sealed: &Sealed, is: Option<&String>, now: DateTime<Utc>) {
        let may_be_gone = ACCESS_KINDS.contains(&sealed.sealed_kind.as_str()) && sealed.sealed_at < now - ACCESS_KEPT;
        match is {
            Some(is) if *is == sealed.digest => self.entries += 1,
            Some(_) => self.problem(format!("entry {} was changed after it was sealed", sealed.event_id)),
            None if may_be_gone => self.removed += 1,
            None => self.problem(format!("entry {} is missing", sealed.event_id)),
        }
    }
}

/// The digests that entries have now, worked out beside what the caller does meanwhile; none for one that is gone.
async fn digests(all: Vec<Sealed>) -> Result<Vec<(Sealed, Option<String>)>, sqlx::Error> {
    let with_digest = |sealed: Sealed| {
        let is = digest::of_sealed(&sealed);
        (sealed, is)
    };
    let work = move || all.into_iter().map(with_digest).collect();
    tokio::task::spawn_blocking(work).await.map_err(|_| sqlx::Error::WorkerCrashed)
}

/// Compares every entry with its digest and every digest with the chain.
pub async fn verify(db: &Db, now: DateTime<Utc>) -> Result<Report, sqlx::Error> {
    let mut report = Report::default();
    let mut chain = Chain::default();
    let mut sealed = store::sealed_after(db, (0, 0), READ).await?;
    while let Some(last) = sealed.last() {
        let position = (last.seal, last.event_id);
        let (more, read) = tokio::join!(store::sealed_after(db, position, READ), digests(sealed));
        for (entry, is) in read? {
            chain.take(db, &mut report, &entry).await?;
            report.compare(&entry, is.as_ref(), now);
        }
        sealed = more?;
    }
    chain.end(&mut report);
    report.last = (chain.id > 0).then(|| (chain.id, chain.before.clone()));
    if let Some(extra) = store::seals_after(db, chain.id, 1).await?.first() {
        report.problem(format!("seal {} has no entries any more", extra.id));
    }
    let forgotten = store::never_sealed(db, now - MUST_BE_SEALED).await?;
    if forgotten > 0 {
        report.problem(format!("{forgotten} entries were never sealed"));
    }
    Ok(report)
}

/// Whether a link that was kept outside the database is still in the chain: who may write to the database could
/// make the chain anew, or cut off its end, but not so that it goes through this link.
///
/// # Errors
/// Those of the database.
pub async fn holds(db: &Db, id: i64, digest: &str) -> Result<bool, sqlx::Error> {
    Ok(store::seals_after(db, id - 1, 1).await?.first().is_some_and(|seal| seal.id == id && seal.digest == digest))
}

/// The chain as far as it has been followed.
#[derive(Default)]
struct Chain {
    id: i64,
    before: String,
    open: Option<(Link, String)>,
    waiting: std::collections::VecDeque<Seal>,
}

impl Chain {
    async fn take(&mut self, db: &Db, report: &mut Report, entry: &Sealed) -> Result<(), sqlx::Error> {
        if entry.seal != self.id {
            self.end(report);
            self.open(db, report, entry.seal).await?;
        }
        if let Some((link, _)) = &mut self.open {
            link.add(entry.event_id, &entry.sealed_kind, entry.sealed_at, &entry.digest);
        }
        Ok(())
    }

    async fn open(&mut self, db: &Db, report: &mut Report, id: i64) -> Result<(), sqlx::Error> {
        if id != self.id + 1 {
            report.problem(format!("seals {} to {} have lost their entries", self.id + 1, id - 1));
        }
        if self.waiting.front().is_none_or(|seal| seal.id < id) {
            self.waiting = store::seals_after(db, id - 1, READ).await?.into();
        }
        self.id = id;
        match self.waiting.pop_front() {
            Some(seal) if seal.id == id => {
                self.open = Some((Link::over(&self.before), seal.digest));
                report.seals += 1;
            }
            _ => report.problem(format!("seal {id} is missing")),
        }
        Ok(())
    }

    fn end(&mut self, report: &mut Report) {
        if let Some((link, expected)) = self.open.take() {
            if link.finish() != expected {
                report.problem(format!("seal {} does not fit its entries and the seal before", self.id));
            }
            self.before = expected;
        }
    }
}
