//! Archive files of the audit log. A partition is written to an archive file and then dropped from the database.
//!
//! The audit entries form a hash chain. Each link of the chain, an audit seal, is a digest over a batch of entries and the previous seal.
//! An archive file contains the entries of one partition and their seals. If such a seal also covers entries of another partition, the
//! file contains only the digests of those entries, which are enough to verify the seal. The database keeps all digests and seals, so
//! that the chain can be verified without the file.
use crate::{
    audit::{
        self, AuditEvent,
        digest::{self, SealHasher},
        hash_chain::is_seal_in_database,
        store::{self, AuditPartition, SealedEntry},
    },
    clock::Clock,
    db::Db,
    errors, hex,
};
use anyhow::{Context, bail, ensure};
use chrono::{DateTime, Utc};
use flate2::{Compression, read::MultiGzDecoder, write::GzEncoder};
use serde::{Deserialize, Serialize};
use std::{
    fs::{File, OpenOptions},
    io::{BufRead, BufReader, BufWriter, Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    time::Duration,
};

/// Number of audit entries that one SQL statement reads.
const READ_LEN: i64 = 5_000;
/// Maximum number of attempts to drop a monthly partition of the audit log while other statements use the log.
const DROP_ATTEMPTS: u32 = 20;
/// Pause between two attempts to drop a monthly partition of the audit log.
const DROP_PAUSE: Duration = Duration::from_secs(1);

/// Line of an archive file of the audit log, as JSON.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    /// First line of the file: the archived partition, and the digest of the last audit seal (hash-chain link) before the seals in
    /// this file.
    Part { service: String, part: String, begins: DateTime<Utc>, ends: DateTime<Utc>, seal_before: String },
    /// Audit entry with its digest. An entry that belongs to another partition is written without its content, because the digest is
    /// enough to verify the audit seal (hash-chain link) that covers the entry.
    Entry(Box<SealedEntry>),
    /// Audit seal (hash-chain link) over the entries since the previous seal: number and digest.
    Seal { id: i64, digest: String },
}

/// File with one archived partition of the audit log. The partition was dropped from the database.
#[derive(Debug)]
pub struct ArchiveFile {
    /// Path of the archive file.
    pub file: PathBuf,
    /// Number of entries in the file.
    pub entries: i64,
}

/// Writes each audit log partition that ended before `before` to a file in `folder`, and then drops the partition.
///
/// Skips a partition that ended less than [`audit::retention::ACCESS_ENTRY_RETENTION`] ago, because the partition may still contain access
/// entries (page views, sign-ins, sign-outs, denied calls). Access entries are not archived, but deleted after that time.
///
/// # Errors
/// Returns an error on `SQLite`, when a partition fails the verification, or when a file cannot be written.
pub async fn archive_partitions_before(db: &Db, clock: &Clock, before: DateTime<Utc>, folder: &Path) -> anyhow::Result<Vec<ArchiveFile>> {
    ensure!(db.is_postgres(), "only the audit log of PostgreSQL can be archived; SQLite has no monthly partitions");
    audit::retention::maintain_audit_log(db, clock).await?;
    let before = before.min(clock.now() - audit::retention::ACCESS_ENTRY_RETENTION);
    let mut done = Vec::new();
    for part in store::list_partitions(db, before).await? {
        let file = folder.join(format!("audit-{}-{}.jsonl.gz", db.schema_name(), part.name));
        let (entries, sha256) = write_part(db, &part, &file).await.with_context(|| file.display().to_string())?;
        drop_part(db, clock.now(), part, entries, sha256).await?;
        done.push(ArchiveFile { file, entries });
    }
    Ok(done)
}

/// Writes a partition of the audit log to a new file. Returns the number of written entries, and the SHA-256 of the file.
async fn write_part(db: &Db, part: &AuditPartition, path: &Path) -> anyhow::Result<(i64, String)> {
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    let mut out = GzEncoder::new(BufWriter::new(file), Compression::default());
    let seals = store::find_seal_range(db, part).await?;
    let (first, last) = seals.unwrap_or((1, 0));
    let before = store::list_seals_after(db, first - 2, 1).await?.into_iter().find(|seal| seal.id == first - 1);
    let seal_before = before.map(|seal| seal.digest).unwrap_or_default();
    let (service, name) = (db.schema_name().to_owned(), part.name.clone());
    write(&mut out, &Line::Part { service, part: name, begins: part.begins, ends: part.ends, seal_before })?;
    let (mut position, mut entries) = ((first - 1, i64::MAX), 0);
    'seals: loop {
        let some = store::list_sealed_entries_after(db, position, READ_LEN).await?;
        let Some(end) = some.last().map(|entry| (entry.seal, entry.event_id)) else { break };
        for entry in some {
            if entry.seal > last {
                break 'seals;
            }
            if entry.seal != position.0 {
                write_seal(db, &mut out, (position.0, first)).await?;
            }
            position = (entry.seal, entry.event_id);
            let entry = if part.contains(entry.sealed_at) { entry } else { entry.into_digest_only() };
            if let Some(content) = digest::digest_sealed_entry(&entry) {
                ensure!(content == entry.digest, "entry {} was changed after it was sealed", entry.event_id);
                entries += 1;
            }
            write(&mut out, &Line::Entry(Box::new(entry)))?;
        }
        position = end;
    }
    write_seal(db, &mut out, (last, first)).await?;
    let stored = store::count_partition_entries(db, part).await?;
    ensure!(stored == entries, "{stored} entries are stored, but {entries} of them are sealed; run `audit verify`");
    let file = out.finish()?.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    file.sync_all()?;
    Ok((entries, sha256(path)?))
}

/// Writes the audit seal (hash-chain link) with the number `id` to the file. `first` is the number of the first seal that belongs in
/// the file. If `id` is lower than `first`, nothing is written.
async fn write_seal(db: &Db, out: &mut impl Write, (id, first): (i64, i64)) -> anyhow::Result<()> {
    if id < first {
        return Ok(());
    }
    let Some(seal) = store::list_seals_after(db, id - 1, 1).await?.into_iter().find(|seal| seal.id == id) else {
        bail!("seal {id} is missing")
    };
    write(out, &Line::Seal { id, digest: seal.digest })
}

fn write(out: &mut impl Write, line: &Line) -> anyhow::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    Ok(out.write_all(b"\n")?)
}

/// Drops a partition and records its archive file, in one transaction. Repeats the transaction if it does not get a table lock
/// before the lock timeout. The lock timeout is short, because saves wait while the transaction waits for the lock.
async fn drop_part(db: &Db, now: DateTime<Utc>, part: AuditPartition, entries: i64, sha256: String) -> anyhow::Result<()> {
    let summary = format!("moved {entries} entries of part {} to a file with SHA-256 {sha256}", part.name);
    for attempt in 1.. {
        let (part, sha256, summary) = (part.clone(), sha256.clone(), summary.clone());
        let dropped: Result<(), sqlx::Error> = db
            .write(move |tx| {
                Box::pin(async move {
                    store::drop_archived_partition(tx, &part, (entries, &sha256), now).await?;
                    let event = AuditEvent { kind: "retention", subject: "audit log".to_owned(), summary, ..AuditEvent::default() };
                    audit::append(tx, now, None, event).await
                })
            })
            .await;
        match dropped {
            Err(cause) if errors::is_lock_timeout(&cause) && attempt < DROP_ATTEMPTS => tokio::time::sleep(DROP_PAUSE).await,
            done => return Ok(done?),
        }
    }
    Ok(())
}

fn sha256(path: &Path) -> anyhow::Result<String> {
    let (mut file, mut context, mut part) = (File::open(path)?, ring::digest::Context::new(&ring::digest::SHA256), vec![0; 1 << 16]);
    loop {
        match file.read(&mut part)? {
            0 => return Ok(hex::encode(context.finish().as_ref())),
            some => context.update(&part[..some]),
        }
    }
}

/// Result of verifying an archive file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ArchiveVerificationReport {
    /// Short name of the service whose audit log is archived in the file, such as `vehicle`.
    pub service: String,
    /// Number of entries whose content matches their digest.
    pub entries: u64,
    /// Number of audit seals (hash-chain links) in the file, including those that do not match.
    pub seals: u64,
    /// Problems found, one sentence each.
    pub problems: Vec<String>,
}

/// Returns the short name of the service, such as `vehicle`, whose audit log an archive file contains.
///
/// # Errors
/// Returns an error when the file is not an archive.
pub fn read_service_name_from_archive(path: &Path) -> anyhow::Result<String> {
    let first = lines(path)?.next().context("the file is empty")??;
    let Line::Part { service, .. } = serde_json::from_str(&first)? else { bail!("the file is not an archive of the audit log") };
    Ok(service)
}

fn lines(path: &Path) -> anyhow::Result<impl Iterator<Item = std::io::Result<String>>> {
    Ok(BufReader::new(MultiGzDecoder::new(File::open(path)?)).lines())
}

/// Verifies an archive file of the audit log: checks that it is consistent and that it matches the database.
///
/// Compares the entries with their digests, the digests with the seals, and the seals and the SHA-256 of the file with the
/// database.
///
/// # Errors
/// Returns an error when the file is not an archive or a statement fails.
pub async fn verify_archive(db: &Db, path: &Path) -> anyhow::Result<ArchiveVerificationReport> {
    let mut report = ArchiveVerificationReport::default();
    let mut link = SealHasher::new("");
    for line in lines(path)? {
        match serde_json::from_str(&line?)? {
            Line::Part { service, part, seal_before, .. } => {
                let known = store::list_archived_partitions(db).await?.into_iter().find(|archive| archive.part.name == part);
                let digest = sha256(path)?;
                if known.is_none_or(|known| digest != known.sha256) {
                    report.problems.push(format!("the file differs from the one that was written for part {part}"));
                }
                (report.service, link) = (service, SealHasher::new(&seal_before));
            }
            Line::Entry(entry) => {
                link.add_entry(entry.event_id, &entry.sealed_kind, entry.sealed_at, &entry.digest);
                match digest::digest_sealed_entry(&entry) {
                    Some(content) if content == entry.digest => report.entries += 1,
                    Some(_) => report.problems.push(format!("entry {} was changed after it was sealed", entry.event_id)),
                    None => {}
                }
            }
            Line::Seal { id, digest } => {
                let computed = std::mem::replace(&mut link, SealHasher::new(&digest)).finish_digest();
                if computed != digest || !is_seal_in_database(db, id, &digest).await? {
                    report.problems.push(format!("seal {id} does not match its entries, the previous seal or the database"));
                }
                report.seals += 1;
            }
        }
    }
    ensure!(!report.service.is_empty(), "the file is not an archive of the audit log");
    Ok(report)
}
