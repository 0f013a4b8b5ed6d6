//! Retention of audit entries. Access entries (page views, sign-ins, sign-outs, denied calls) are deleted after a fixed time; all other
//! entries are kept.
//!
//! On `PostgreSQL`, the log has one partition per month. The access entries of a month are in a subpartition, which is dropped once the
//! month has expired. Two partitions belong to no month: the first partition (older entries) and the default partition (months without
//! their own partition). Their expired access entries are deleted in batches.
//!
//! On `SQLite`, the log has no partitions. All expired access entries are deleted in batches.
use crate::{
    audit::{self, AuditEvent, store},
    clock::Clock,
    db::Db,
};
use chrono::{DateTime, Months, NaiveDate, TimeDelta, Utc};

/// Retention time of access entries (page views, sign-ins, sign-outs, denied calls). All other audit entries are kept forever.
pub const ACCESS_ENTRY_RETENTION: TimeDelta = TimeDelta::days(183);
/// Kinds of audit entries that record access only. Entries of these kinds are deleted after the retention time.
pub const ACCESS_ENTRY_KINDS: [&str; 5] = ["page-view", "login", "logout", "login-failed", "refused"];
/// Number of coming months for which partitions of the audit log are created in advance.
const MONTHS_AHEAD: u32 = 3;
/// Maximum number of expired audit entries that one transaction deletes.
const BATCH_LEN: i64 = 5_000;

/// Creates the partitions of the coming months, and deletes access entries (page views, sign-ins, sign-outs, denied calls) older
/// than the retention time. Returns the number of deleted entries. If entries were deleted, also appends an audit entry with this
/// number.
///
/// # Errors
/// Returns the error of a failed statement. The next run deletes the remaining entries.
pub async fn maintain_audit_log(db: &Db, clock: &Clock) -> Result<u64, sqlx::Error> {
    let now = clock.now();
    let mut deleted = 0;
    if db.is_postgres() {
        create_months(db, now).await;
        deleted += db.write(|tx| Box::pin(async move { store::drop_expired_access_partitions(tx).await })).await?;
    }
    for table in store::list_unpartitioned_tables(db).await? {
        loop {
            let some = db
                .write(move |tx| {
                    Box::pin(async move { store::delete_access_entries(tx, table, now - ACCESS_ENTRY_RETENTION, BATCH_LEN).await })
                })
                .await?;
            deleted += some;
            if some < BATCH_LEN.unsigned_abs() {
                break;
            }
        }
    }
    if deleted > 0 {
        let summary = format!("deleted {deleted} access entries older than {} days", ACCESS_ENTRY_RETENTION.num_days());
        let event = AuditEvent { kind: "retention", subject: "access entries".to_owned(), summary, ..AuditEvent::default() };
        db.write(move |tx| Box::pin(async move { audit::append(tx, now, None, event).await })).await?;
    }
    Ok(deleted)
}

/// Creates the audit log partitions of the current month and the following months. An entry of a month without a partition goes to
/// the default partition.
async fn create_months(db: &Db, now: DateTime<Utc>) {
    for ahead in 0..=MONTHS_AHEAD {
        let Some(month) = month_of(now).checked_add_months(Months::new(ahead)) else { return };
        if let Err(cause) = db.write(move |tx| Box::pin(async move { store::create_month_partition(tx, month).await })).await {
            tracing::warn!(%cause, %month, schema = db.schema_name(), "failed to create a monthly partition of the audit log, retrying in an hour");
        }
    }
}

/// Returns the first day of the month, in UTC, that contains the time `at`.
fn month_of(at: DateTime<Utc>) -> NaiveDate {
    use chrono::Datelike;
    at.date_naive().with_day(1).unwrap_or_default()
}
