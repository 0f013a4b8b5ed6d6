//! Hash chain over the audit entries, which reveals changed and missing entries.
//!
//! A background task seals entries in batches, so that transactions that append entries need not wait for each other. Each audit seal is
//! one link of the chain: a digest over the previous seal and the digests of the sealed entries. Seals are also logged and written to a
//! file, out of reach of an attacker who can only write to the database.
use crate::audit::{
    digest::{self, SealHasher},
    retention::{ACCESS_ENTRY_KINDS, ACCESS_ENTRY_RETENTION, maintain_audit_log},
    seal_file::{self, SealFile},
    store::{self, ArchivedPartition, Seal, SealedEntry},
};
use crate::{clock::Clock, db::Db, errors, lifecycle::BackgroundTasks};
use chrono::{DateTime, TimeDelta, Utc};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Interval at which new audit entries are sealed (added to the hash chain).
const SEAL_INTERVAL: Duration = Duration::from_secs(2);
/// Maximum number of audit entries that one seal (hash-chain link) covers.
const MAX_ENTRIES_PER_SEAL: i64 = 500;
/// Number of ids that the search for unsealed entries goes back from the newest sealed entry. A slow transaction may commit an entry
/// after entries with higher ids were sealed, and the search must still find that entry.
const LATE_IDS: i64 = 5_000;
/// Maximum number of audit entries or seals that a verification reads per SQL statement.
const ENTRIES_PER_READ: i64 = 5_000;
/// Age after which the verification of the audit log reports an entry that is not in the hash chain.
const MUST_BE_SEALED: TimeDelta = TimeDelta::minutes(10);

/// Starts three background tasks of the audit log. One task copies the newest seal to the seal file at the start. The second task seals
/// new entries (adds them to the hash chain). The third task deletes expired access entries (page views, sign-ins, sign-outs, denied
/// calls).
pub fn spawn_sealing_and_retention(tasks: &BackgroundTasks, clock: &Clock, seal_file: Option<PathBuf>, db: &Db) {
    let (sealing, sealed_at) = (db.clone(), clock.clone());
    let seal_file = Arc::new(SealFile::new(seal_file, db.schema_name()));
    let (known, noting) = (db.clone(), seal_file.clone());
    tasks.spawn(async move {
        if let Err(cause) = append_last_seal(&known, &noting).await {
            tracing::warn!(%cause, schema = known.schema_name(), "failed to copy the newest seal of the audit hash chain from the database to the seal file, retrying at the next start");
        }
    });
    let lag = Arc::new(Mutex::new(SealLag { sealed_at: Instant::now(), failing_since: None }));
    db.spawn_task_run_after_writes(tasks, SEAL_INTERVAL, move || {
        let (db, clock, seal_file, lag) = (sealing.clone(), sealed_at.clone(), seal_file.clone(), lag.clone());
        async move {
            let sealed = seal_all_new(&db, &clock, &seal_file).await;
            lag.lock().unwrap_or_else(PoisonError::into_inner).report(db.schema_name(), &sealed);
            sealed.is_err()
        }
    });
    let (removing, clock) = (db.clone(), clock.clone());
    tasks.spawn_repeating(Duration::from_secs(3600), move || {
        let (db, clock) = (removing.clone(), clock.clone());
        async move {
            if let Err(cause) = maintain_audit_log(&db, &clock).await {
                tracing::warn!(%cause, schema = db.schema_name(), "failed to delete expired audit entries, retrying in an hour");
            }
        }
    });
}

/// Times of two attempts to seal audit entries (add them to the hash chain): the last successful attempt, and the first failed
/// attempt since then. The lag metric and the log use these times.
struct SealLag {
    /// Time of the last successful attempt to seal new entries; initially the start time of the task. An attempt also counts as
    /// successful when another replica seals the entries.
    sealed_at: Instant,
    /// Time of the first failed attempt to seal entries since `sealed_at`; `None` if no attempt has failed.
    failing_since: Option<Instant>,
}

impl SealLag {
    /// Reports the result of an attempt to seal entries. Sets the lag metric to the time since the last successful attempt. Logs a
    /// failed attempt as a warning. If attempts have failed for longer than two intervals, logs further failures at level `debug`,
    /// because the outage is already in the log.
    fn report(&mut self, schema: &'static str, sealed: &Result<(), sqlx::Error>) {
        let now = Instant::now();
        match sealed {
            Err(cause) if !errors::is_unique_violation(cause) => {
                let is_known = now - *self.failing_since.get_or_insert(now) > SEAL_INTERVAL * 2;
                if is_known {
                    tracing::debug!(%cause, schema, "failed to add audit entries to the hash chain, retrying");
                } else {
                    tracing::warn!(%cause, schema, "failed to add audit entries to the hash chain, retrying");
                }
            }
            // A unique violation means that another replica sealed the entries.
            Ok(()) | Err(_) => (self.sealed_at, self.failing_since) = (now, None),
        }
        metrics::gauge!("patio_audit_seal_lag_seconds", "schema" => schema).set((now - self.sealed_at).as_secs_f64());
    }
}

/// Appends the last seal of the database to the seal file, which may lack this seal after a restore or a crash.
///
/// If the file already contains the seal, the duplicate line is harmless.
async fn append_last_seal(db: &Db, seal_file: &SealFile) -> Result<(), sqlx::Error> {
    if let Some(seal) = db.write(|tx| Box::pin(store::load_last_seal(tx))).await? {
        seal_file.append(seal.id, &seal.digest);
    }
    Ok(())
}

/// Seals all new audit entries (adds them to the hash chain). Works in batches, since one seal covers at most
/// [`MAX_ENTRIES_PER_SEAL`] entries.
async fn seal_all_new(db: &Db, clock: &Clock, seal_file: &SealFile) -> Result<(), sqlx::Error> {
    if !store::has_unsealed_entries(db, LATE_IDS).await? {
        return Ok(());
    }
    while let Some((seal, entries)) = seal_next_batch(db, clock.now()).await? {
        log_seal(&seal, entries);
        seal_file.append(seal.id, &seal.digest);
        if i64::try_from(entries).is_ok_and(|entries| entries < MAX_ENTRIES_PER_SEAL) {
            break;
        }
    }
    Ok(())
}

/// Seals one batch of new audit entries (adds them to the hash chain). Returns the number of sealed entries.
///
/// # Errors
/// Returns the error of a failed statement.
pub async fn seal_batch(db: &Db, now: DateTime<Utc>) -> Result<usize, sqlx::Error> {
    Ok(seal_next_batch(db, now).await?.map_or(0, |(_, entries)| entries))
}

/// Seals one batch of new audit entries (adds them to the hash chain). Returns the seal and the number of sealed entries. Returns
/// `None` when there are no new entries, or when another replica is sealing.
async fn seal_next_batch(db: &Db, now: DateTime<Utc>) -> Result<Option<(Seal, usize)>, sqlx::Error> {
    db.write(move |tx| {
        Box::pin(async move {
            if !store::try_acquire_sealing_lock(tx).await? {
                return Ok(None);
            }
            let rows = store::list_unsealed_entries(tx, LATE_IDS, MAX_ENTRIES_PER_SEAL).await?;
            if rows.is_empty() {
                return Ok(None);
            }
            let before = store::load_last_seal(tx).await?;
            let id = before.as_ref().map_or(1, |seal| seal.id + 1);
            let mut link = SealHasher::new(before.as_ref().map_or("", |seal| &seal.digest));
            let digests: Vec<_> = rows.iter().map(|row| (row, digest::digest_entry(row))).collect();
            for (row, digest) in &digests {
                link.add_entry(row.id, &row.kind, row.at, digest);
            }
            store::insert_digests(tx, id, &digests).await?;
            let seal = Seal { id, digest: link.finish_digest() };
            store::insert_seal(tx, &seal, now).await?;
            Ok(Some((seal, rows.len())))
        })
    })
    .await
}

/// Logs a new audit seal (hash-chain link), so that a copy of the seal exists outside the database.
fn log_seal(seal: &Seal, entries: usize) {
    tracing::info!(seal = seal.id, digest = %seal.digest, entries, "added audit entries to the hash chain under a new seal");
}

/// Maximum number of problems that a verification report of the audit log lists.
const MAX_PROBLEMS: usize = 100;

/// Result of verifying the hash chain of the audit log.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ChainVerificationReport {
    /// Number of audit entries whose content matches their sealed digest.
    pub entries: u64,
    /// Number of access entries (page views, sign-ins, sign-outs, denied calls) that were deleted after their retention time.
    pub removed: u64,
    /// Number of entries that were moved to archive files.
    pub archived: u64,
    /// Number of audit seals, the links of the hash chain.
    pub seals: u64,
    /// Number and digest of the last audit seal (hash-chain link), for storage outside the database; `None` when no entry has been
    /// sealed yet.
    pub last: Option<(i64, String)>,
    /// Up to 100 of the problems found, one sentence each.
    pub problems: Vec<String>,
}

impl ChainVerificationReport {
    fn problem(&mut self, text: String) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(text);
        }
    }

    fn compare(&mut self, sealed: &SealedEntry, is: Option<&String>, now: DateTime<Utc>, archives: &[ArchivedPartition]) {
        let may_be_gone = ACCESS_ENTRY_KINDS.contains(&sealed.sealed_kind.as_str()) && sealed.sealed_at < now - ACCESS_ENTRY_RETENTION;
        match is {
            Some(is) if *is == sealed.digest => self.entries += 1,
            Some(_) => self.problem(format!("entry {} was changed after it was sealed", sealed.event_id)),
            None if may_be_gone => self.removed += 1,
            None if archives.iter().any(|archive| archive.part.contains(sealed.sealed_at)) => self.archived += 1,
            None => self.problem(format!("entry {} is missing", sealed.event_id)),
        }
    }
}

/// Computes the digest of each entry's current content on a blocking thread. The digest is `None` for a deleted entry.
async fn digests(all: Vec<SealedEntry>) -> Result<Vec<(SealedEntry, Option<String>)>, sqlx::Error> {
    let with_digest = |sealed: SealedEntry| {
        let is = digest::digest_sealed_entry(&sealed);
        (sealed, is)
    };
    let work = move || all.into_iter().map(with_digest).collect();
    tokio::task::spawn_blocking(work).await.map_err(|_| sqlx::Error::WorkerCrashed)
}

/// Verifies the audit log: compares every entry with its digest, and all digests with the chain of seals.
pub async fn verify_chain(db: &Db, now: DateTime<Utc>) -> Result<ChainVerificationReport, sqlx::Error> {
    let mut report = ChainVerificationReport::default();
    let (mut chain, archives) = (Chain::default(), store::list_archived_partitions(db).await?);
    let mut sealed = store::list_sealed_entries_after(db, (0, 0), ENTRIES_PER_READ).await?;
    while let Some(last) = sealed.last() {
        let position = (last.seal, last.event_id);
        let (more, read) = tokio::join!(store::list_sealed_entries_after(db, position, ENTRIES_PER_READ), digests(sealed));
        for (entry, is) in read? {
            chain.take(db, &mut report, &entry).await?;
            report.compare(&entry, is.as_ref(), now, &archives);
        }
        sealed = more?;
    }
    chain.end(&mut report);
    report.last = (chain.id > 0).then(|| (chain.id, chain.before.clone()));
    if let Some(extra) = store::list_seals_after(db, chain.id, 1).await?.first() {
        report.problem(format!("seal {} has lost its entries", extra.id));
    }
    let forgotten = store::count_unsealed_entries(db, now - MUST_BE_SEALED).await?;
    if forgotten > 0 {
        report.problem(format!("{forgotten} entries were never sealed"));
    }
    Ok(report)
}

/// Returns `true` when the hash chain in the database contains a seal with this number and digest. Both values come from a copy of the seal
/// outside the database.
///
/// The check reveals an attacker who rebuilt or truncated the chain in the database, because the changed chain does not contain this seal.
///
/// # Errors
/// Returns the error of a failed statement.
pub async fn is_seal_in_database(db: &Db, id: i64, digest: &str) -> Result<bool, sqlx::Error> {
    Ok(store::list_seals_after(db, id - 1, 1).await?.first().is_some_and(|seal| seal.id == id && seal.digest == digest))
}

/// Compares the hash chain in a service's database with the seal file. Returns the differences found, one sentence each, and the
/// number of seals in the file.
///
/// # Errors
/// Returns an error when the file cannot be read or a statement fails.
pub async fn compare_chain_with_seal_file(db: &Db, file: &Path, service: &str) -> anyhow::Result<(Vec<String>, usize)> {
    let known = seal_file::read_seals(file, service)?;
    let (mut problems, count) = (Vec::new(), known.len());
    let mut stored: std::collections::VecDeque<Seal> = Default::default();
    let mut last = 0;
    for (id, digests) in known {
        while stored.front().is_none_or(|seal| seal.id < id) {
            if stored.pop_front().is_none() {
                stored = store::list_seals_after(db, last.max(id - 1), ENTRIES_PER_READ).await?.into();
                let Some(newest) = stored.back() else { break };
                last = newest.id;
            }
        }
        let is = stored.front().filter(|seal| seal.id == id).map(|seal| &seal.digest);
        if digests.len() > 1 || is != digests.first() {
            problems.push(format!("seal {id} differs from the one in {}: entries were cut off or the chain was rebuilt", file.display()));
            if problems.len() == MAX_PROBLEMS {
                break;
            }
        }
    }
    Ok((problems, count))
}

/// State of a running verification of the hash chain: the current seal, and the digest computed for it so far.
#[derive(Default)]
struct Chain {
    id: i64,
    before: String,
    open: Option<(SealHasher, String)>,
    waiting: std::collections::VecDeque<Seal>,
}

impl Chain {
    async fn take(&mut self, db: &Db, report: &mut ChainVerificationReport, entry: &SealedEntry) -> Result<(), sqlx::Error> {
        if entry.seal != self.id {
            self.end(report);
            self.open(db, report, entry.seal).await?;
        }
        if let Some((link, _)) = &mut self.open {
            link.add_entry(entry.event_id, &entry.sealed_kind, entry.sealed_at, &entry.digest);
        }
        Ok(())
    }

    async fn open(&mut self, db: &Db, report: &mut ChainVerificationReport, id: i64) -> Result<(), sqlx::Error> {
        if id != self.id + 1 {
            report.problem(format!("seals {} to {} have lost their entries", self.id + 1, id - 1));
        }
        if self.waiting.front().is_none_or(|seal| seal.id < id) {
            self.waiting = store::list_seals_after(db, id - 1, ENTRIES_PER_READ).await?.into();
        }
        self.id = id;
        match self.waiting.pop_front() {
            Some(seal) if seal.id == id => {
                self.open = Some((SealHasher::new(&self.before), seal.digest));
                report.seals += 1;
            }
            _ => report.problem(format!("seal {id} is missing")),
        }
        Ok(())
    }

    fn end(&mut self, report: &mut ChainVerificationReport) {
        if let Some((link, expected)) = self.open.take() {
            if link.finish_digest() != expected {
                report.problem(format!("seal {} does not match its entries or the previous seal", self.id));
            }
            self.before = expected;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use metrics_exporter_prometheus::PrometheusBuilder;
    use sqlx::{Connection, SqliteConnection};

    #[test]
    fn a_deleted_access_entry_is_reported_until_its_retention_time_is_over() {
        let now = DateTime::from_timestamp(1_790_000_000, 0).unwrap();
        let deleted = |kind: &str, age: TimeDelta| {
            let mut report = ChainVerificationReport::default();
            let sealed = SealedEntry { event_id: 7, sealed_kind: kind.to_owned(), sealed_at: now - age, ..SealedEntry::default() };
            report.compare(&sealed, None, now, &[]);
            (report.removed, report.problems)
        };
        let reported = || (0, vec!["entry 7 is missing".to_owned()]);
        for kind in ACCESS_ENTRY_KINDS {
            assert_eq!(deleted(kind, ACCESS_ENTRY_RETENTION), reported(), "{kind}");
            assert_eq!(deleted(kind, ACCESS_ENTRY_RETENTION + TimeDelta::seconds(1)), (1, Vec::new()), "{kind}");
        }
        assert_eq!(deleted("vehicle-changed", ACCESS_ENTRY_RETENTION * 10), reported());
    }

    #[tokio::test]
    async fn the_seal_lag_grows_until_this_or_another_replica_seals() {
        let mut database = SqliteConnection::connect("sqlite::memory:").await.unwrap();
        sqlx::query("create table seals (id integer primary key)").execute(&mut database).await.unwrap();
        let taken = sqlx::query("insert into seals values (1), (1)").execute(&mut database).await.unwrap_err();
        let recorder = PrometheusBuilder::new().build_recorder();
        let lag_after = |sealed: Result<(), sqlx::Error>| {
            let past = Instant::now().checked_sub(Duration::from_secs(30)).unwrap();
            let mut lag = SealLag { sealed_at: past, failing_since: None };
            metrics::with_local_recorder(&recorder, || lag.report("auth", &sealed));
            let text = recorder.handle().render();
            let value = text.lines().find_map(|line| line.strip_prefix("patio_audit_seal_lag_seconds{schema=\"auth\"} ")).unwrap();
            value.parse::<f64>().unwrap()
        };
        assert!(lag_after(Err(sqlx::Error::PoolTimedOut)) >= 30.0);
        assert_eq!([lag_after(Ok(())), lag_after(Err(taken))], [0.0, 0.0]);
    }
}
