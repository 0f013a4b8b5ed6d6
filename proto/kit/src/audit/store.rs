//! SQL statements of the audit tables, which every service's database has.
use crate::audit::NewAuditEntry;
use crate::{
    clock,
    db::{Db, Engine, Tx},
    on,
    pagination::HistoryWindow,
};
use chrono::{DateTime, NaiveDate, Utc};
use patio_proto::audit as pb;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::{AssertSqlSafe, FromRow, QueryBuilder, query, query_as, query_scalar};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// First of the two numbers that identify the advisory lock for sealing audit entries; the second number is a hash of the schema
/// name. The lock lets only one replica seal at a time. Without the lock, replicas that seal at the same time would cause errors in
/// the database log.
const SEAL_LOCK_ID: i32 = 0x5061_7469;

/// Row of the table of audit entries.
#[derive(Debug, Clone, FromRow)]
pub(super) struct AuditRow {
    pub id: i64,
    pub at: DateTime<Utc>,
    pub user_id: Option<i64>,
    pub role: String,
    pub kind: String,
    pub subject: String,
    pub summary: String,
    pub address: String,
    pub old_values: String,
    pub new_values: String,
}

pub(super) async fn append(tx: &mut Tx<'_>, entry: &NewAuditEntry) -> Result<()> {
    on!(tx.connection(), c => query(
        "insert into audit_events (at, user_id, role, kind, subject, summary, address, old_values, new_values)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)")
        .bind(entry.at).bind(entry.user_id).bind(entry.role).bind(entry.kind).bind(&entry.subject)
        .bind(&entry.summary).bind(&entry.address).bind(&entry.old_values).bind(&entry.new_values)
        .execute(c).await.map(drop))
}

pub(super) async fn list_entries(db: &Db, filter: &pb::ListEventsRequest) -> Result<Vec<AuditRow>> {
    let before = filter.before.as_ref().and_then(clock::from_timestamp).unwrap_or_else(clock::max_storable_time);
    let before_id = if filter.before_id == 0 { i64::MAX } else { filter.before_id };
    let from = filter.from.as_ref().and_then(clock::from_timestamp).unwrap_or_default();
    let to = filter.to.as_ref().and_then(clock::from_timestamp).unwrap_or_else(clock::max_storable_time);
    let limit = i64::from(filter.limit.clamp(1, 200));
    on!(db.read_pool(), c => query_as(
        "select id, at, user_id, role, kind, subject, summary, address, old_values, new_values
           from audit_events
          where (at, id) < ($1, $2) and at >= $3 and at <= $4
            and ($5 = '' or kind = $5) and not ($9 and kind = 'page-view')
            and (cast($6 as bigint) is null or user_id = $6)
            and ($7 = '%%' or lower(subject) like cast($7 as text) escape '\\' or lower(summary) like cast($7 as text) escape '\\')
          order by at desc, id desc limit $8")
        .bind(before).bind(before_id).bind(from).bind(to).bind(&filter.kind).bind(filter.user_id)
        .bind(crate::pagination::to_like_pattern(&filter.search)).bind(limit).bind(filter.exclude_page_views)
        .fetch_all(c).await)
}

pub(super) async fn list_events_by_kind_and_subject(
    db: &Db,
    (kind, subject): (&str, &str),
    before: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<AuditRow>> {
    on!(db.read_pool(), c => query_as(
        "select id, at, user_id, role, kind, subject, summary, address, old_values, new_values
           from audit_events where subject = $1 and kind = $2 and at < $3 order by at desc, id desc limit $4")
        .bind(subject).bind(kind).bind(before).bind(limit).fetch_all(c).await)
}

/// Returns the audit entries about an object, newest first, limited by `window` (position and number of entries). Leaves out page
/// views and denied calls.
pub(super) async fn list_subject_history(db: &Db, subject: &str, window: &HistoryWindow) -> Result<Vec<AuditRow>> {
    on!(db.read_pool(), c => query_as(
        "select id, at, user_id, role, kind, subject, summary, address, old_values, new_values
           from audit_events where subject = $1 and (at, id) < ($2, $3) and kind not in ('page-view', 'refused')
          order by at desc, id desc limit $4")
        .bind(subject).bind(window.before).bind(window.before_id).bind(window.limit).fetch_all(c).await)
}

/// Audit seal (hash-chain link) with its number and digest.
#[derive(Debug, Clone, FromRow)]
pub(super) struct Seal {
    pub id: i64,
    pub digest: String,
}

/// Sealed audit entry: the digest stored when the entry was sealed, and the current values of the entry. The current values are missing
/// when the entry was deleted.
///
/// The current values are read as any JSON type, because a manipulated entry may contain values of a wrong type.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct SealedEntry {
    pub seal: i64,
    pub event_id: i64,
    pub sealed_kind: String,
    pub sealed_at: DateTime<Utc>,
    pub digest: String,
    pub id: Option<i64>,
    pub at: Value,
    pub user_id: Value,
    pub role: Value,
    pub kind: Value,
    pub subject: Value,
    pub summary: Value,
    pub address: Value,
    pub old_values: Value,
    pub new_values: Value,
}

impl SealedEntry {
    /// Removes the content of the entry, but keeps the digest. An archive file contains entries of other partitions in this form.
    pub(super) fn into_digest_only(self) -> Self {
        let Self { seal, event_id, sealed_kind, sealed_at, digest, .. } = self;
        Self { seal, event_id, sealed_kind, sealed_at, digest, ..Self::default() }
    }
}

pub(super) async fn load_last_seal(tx: &mut Tx<'_>) -> Result<Option<Seal>> {
    on!(tx.connection(), c => query_as("select id, digest from audit_seals order by id desc limit 1").fetch_optional(c).await)
}

/// Tries to acquire the lock that lets only one replica seal audit entries, and holds the lock until the transaction ends. Returns `false`
/// without waiting when another replica holds the lock.
pub(super) async fn try_acquire_sealing_lock(tx: &mut Tx<'_>) -> Result<bool> {
    match tx.connection() {
        Engine::Sqlite(_) => Ok(true),
        Engine::Postgres(c) => {
            let lock = "select pg_try_advisory_xact_lock($1, hashtext(current_schema()))";
            query_scalar(lock).bind(SEAL_LOCK_ID).fetch_one(c).await
        }
    }
}

/// SQL that selects up to `$3` ids above `$1` of audit entries that are not sealed yet (not in the hash chain), lowest first.
///
/// Compares the next `$2` ids in `audit_events` (all entries) with the next `$2` ids in `audit_digests` (sealed entries). A join would
/// be slow while the statistics of a new table are outdated: `PostgreSQL` would scan all digests for every entry.
const LIST_UNSEALED_IDS: &str = "select id from (select id from audit_events where id > $1 order by id limit $2) as written
     except select event_id from (select event_id from audit_digests where event_id > $1 order by event_id limit $2) as sealed
     order by 1 limit $3";
/// SQL that selects the id of the newest sealed audit entry.
const LAST_SEALED_ID: &str = "select max(event_id) from audit_digests";

/// Returns `true` when at least one audit entry is not sealed yet (not in the hash chain). The search goes back `late` ids from the
/// newest sealed entry, because a slow transaction may commit an entry after entries with higher ids were sealed.
pub(super) async fn has_unsealed_entries(db: &Db, late: i64) -> Result<bool> {
    let last: Option<i64> = on!(db.read_pool(), c => query_scalar(LAST_SEALED_ID).fetch_one(c).await)?;
    let from = last.map_or(0, |last| last - late);
    let first: Option<i64> =
        on!(db.read_pool(), c => query_scalar(LIST_UNSEALED_IDS).bind(from).bind(late + 1).bind(1_i64).fetch_optional(c).await)?;
    Ok(first.is_some())
}

/// Returns up to `limit` audit entries that are not sealed yet (not in the hash chain), oldest first. The search goes back `late` ids
/// from the newest sealed entry, because a slow transaction may commit an entry after entries with higher ids were sealed.
pub(super) async fn list_unsealed_entries(tx: &mut Tx<'_>, late: i64, limit: i64) -> Result<Vec<AuditRow>> {
    let last: Option<i64> = on!(tx.connection(), c => query_scalar(LAST_SEALED_ID).fetch_one(c).await)?;
    let from = last.map_or(0, |last| last - late);
    let ids: Vec<i64> = on!(tx.connection(), c => query_scalar(LIST_UNSEALED_IDS)
        .bind(from).bind(late + limit).bind(limit).fetch_all(c).await)?;
    let (Some(first), Some(last)) = (ids.first(), ids.last()) else { return Ok(Vec::new()) };
    let rows: Vec<AuditRow> = on!(tx.connection(), c => query_as(
        "select id, at, user_id, role, kind, subject, summary, address, old_values, new_values
           from audit_events where id >= $1 and id <= $2 order by id")
        .bind(first).bind(last).fetch_all(c).await)?;
    Ok(rows.into_iter().filter(|row| ids.binary_search(&row.id).is_ok()).collect())
}

pub(super) async fn insert_seal(tx: &mut Tx<'_>, seal: &Seal, at: DateTime<Utc>) -> Result<()> {
    on!(tx.connection(), c => query("insert into audit_seals (id, digest, at) values ($1, $2, $3)")
        .bind(seal.id).bind(&seal.digest).bind(at).execute(c).await.map(drop))
}

/// Inserts the digests of the audit entries that an audit seal (hash-chain link) covers; `seal` is the number of the seal. One statement
/// inserts all digests, which keeps sealing fast.
pub(super) async fn insert_digests(tx: &mut Tx<'_>, seal: i64, all: &[(&AuditRow, String)]) -> Result<()> {
    macro_rules! rows {
        ($connection:expr, $engine:ty) => {{
            let mut text = QueryBuilder::<$engine>::new("insert into audit_digests (event_id, seal, kind, at, digest) ");
            text.push_values(all, |mut row, (entry, digest)| {
                row.push_bind(entry.id).push_bind(seal).push_bind(&entry.kind).push_bind(entry.at).push_bind(digest);
            });
            text.build().persistent(false).execute($connection).await.map(drop)
        }};
    }
    match tx.connection() {
        Engine::Sqlite(connection) => rows!(connection, sqlx::Sqlite),
        Engine::Postgres(connection) => rows!(connection, sqlx::Postgres),
    }
}

pub(super) async fn list_seals_after(db: &Db, id: i64, limit: i64) -> Result<Vec<Seal>> {
    on!(db.read_pool(), c => query_as("select id, digest from audit_seals where id > $1 order by id limit $2").bind(id).bind(limit).fetch_all(c).await)
}

macro_rules! sealed {
    ($array:literal, $together:literal, $same:literal) => {
        concat!(
            "select cast(",
            $together,
            "(",
            $array,
            "(d.seal, d.event_id, d.kind, d.at, d.digest, e.id, e.at, e.user_id, e.role, e.kind, e.subject, e.summary, e.address,
              e.old_values, e.new_values) order by d.seal, d.event_id) as text)
               from (select seal, event_id, kind, at, digest from audit_digests
                      where (seal, event_id) > ($1, $2) order by seal, event_id limit $3) d
               left join audit_events e on e.id = d.event_id",
            $same
        )
    };
}

/// Returns up to `limit` sealed entries after a position (seal number and entry id), in the order of the chain.
///
/// On `PostgreSQL`, the query finds the partition of an entry by the time of the entry. An entry whose time was changed is therefore not
/// found and counts as missing.
///
/// The database returns the rows as one JSON text, because reading single values from `SQLite` takes three times as long.
pub(super) async fn list_sealed_entries_after(db: &Db, (seal, event): (i64, i64), limit: i64) -> Result<Vec<SealedEntry>> {
    let text = if db.is_postgres() {
        sealed!("json_build_array", "json_agg", " and e.at = d.at")
    } else {
        sealed!("json_array", "json_group_array", "")
    };
    let all: Option<String> = on!(db.read_pool(), c => query_scalar(text).bind(seal).bind(event).bind(limit).fetch_one(c).await)?;
    let read = move || all.map_or_else(|| Ok(Vec::new()), |all| serde_json::from_str(&all));
    let read = tokio::task::spawn_blocking(read).await.map_err(|_| sqlx::Error::WorkerCrashed)?;
    read.map_err(|cause| sqlx::Error::Decode(cause.into()))
}

/// Counts the audit entries before a given time that were never sealed (added to the hash chain).
pub(super) async fn count_unsealed_entries(db: &Db, before: DateTime<Utc>) -> Result<i64> {
    on!(db.read_pool(), c => query_scalar(
        "select count(*) from audit_events e left join audit_digests d on d.event_id = e.id where d.event_id is null and e.at < $1")
        .bind(before).fetch_one(c).await)
}

/// SQL condition for entries that record access only. The condition must equal the predicate of the partial index
/// `audit_events_access`.
const IS_ACCESS: &str = "kind in ('page-view', 'login', 'logout', 'login-failed', 'refused')";

/// Returns the tables of the audit log that are not partitioned by month. Their expired access entries are deleted row by row, not by
/// dropping a partition.
pub(super) async fn list_unpartitioned_tables(db: &Db) -> Result<Vec<&'static str>> {
    let Engine::Postgres(pool) = db.read_pool() else { return Ok(vec!["audit_events"]) };
    let has_first: bool = query_scalar("select to_regclass('audit_events_first') is not null").fetch_one(pool).await?;
    Ok(if has_first { vec!["audit_events_first", "audit_events_rest"] } else { vec!["audit_events_rest"] })
}

/// Deletes up to `limit` access entries (page views, sign-ins, sign-outs, denied calls) of a table that were written before a given time.
/// Returns the number of deleted entries.
///
/// On `PostgreSQL`, the entries must also be older than the retention time according to the database's clock, because a trigger rejects
/// earlier deletions.
pub(super) async fn delete_access_entries(tx: &mut Tx<'_>, table: &'static str, before: DateTime<Utc>, limit: i64) -> Result<u64> {
    let own_clock = if tx.is_postgres() { "and at < now() - interval '183 days'" } else { "" };
    let text =
        format!("delete from {table} where id in (select id from {table} where {IS_ACCESS} and at < $1 {own_clock} order by at limit $2)");
    on!(tx.connection(), c => query(AssertSqlSafe(text)).bind(before).bind(limit).execute(c).await.map(|done| done.rows_affected()))
}

/// Creates the audit log partitions of a month on `PostgreSQL`, unless they exist.
pub(super) async fn create_month_partition(tx: &mut Tx<'_>, month: NaiveDate) -> Result<()> {
    query("select create_audit_month($1)").bind(month).execute(tx.postgres_connection()?).await.map(drop)
}

/// Drops the `PostgreSQL` partitions with the access entries (page views, sign-ins, sign-outs, denied calls) of expired months. Returns
/// the number of dropped entries.
pub(super) async fn drop_expired_access_partitions(tx: &mut Tx<'_>) -> Result<u64> {
    let dropped: i64 = query_scalar("select drop_expired_audit_months()").fetch_one(tx.postgres_connection()?).await?;
    Ok(dropped.unsigned_abs())
}

/// Partition of the audit log that can be archived. It contains the entries of one month; the partition `first` contains all entries
/// from before the first monthly partition.
#[derive(Debug, Clone, FromRow)]
pub(super) struct AuditPartition {
    /// Name of the partition without its prefix, such as `2027_01` or `first`.
    pub name: String,
    /// Start of the partition's time range, inclusive.
    pub begins: DateTime<Utc>,
    /// End of the partition's time range, exclusive.
    pub ends: DateTime<Utc>,
}

impl AuditPartition {
    /// Returns `true` when an entry of a given time belongs to the partition.
    pub(super) fn contains(&self, at: DateTime<Utc>) -> bool {
        self.begins <= at && at < self.ends
    }

    fn table(&self) -> String {
        format!("audit_events_{}", self.name)
    }
}

/// Returns the partitions of the audit log whose time range ended before a given time, oldest first. On `SQLite` the list is always
/// empty.
pub(super) async fn list_partitions(db: &Db, before: DateTime<Utc>) -> Result<Vec<AuditPartition>> {
    let Engine::Postgres(pool) = db.read_pool() else { return Ok(Vec::new()) };
    query_as(
        "select name, case when name = 'first' then timestamptz '0001-01-01 00:00:00+00'
                           else (ends at time zone 'UTC' - interval '1 month') at time zone 'UTC' end as begins, ends
           from (select substr(c.relname, 14) as name, audit_part_end(c.oid) as ends from pg_inherits i join pg_class c on c.oid = i.inhrelid
                  where i.inhparent = cast('audit_events' as regclass)) parts
          where ends <= $1 order by ends",
    )
    .bind(before)
    .fetch_all(pool)
    .await
}

/// Returns the numbers of the first and last audit seal (hash-chain link) that cover entries of a partition. Returns `None` when no
/// entry of the partition is sealed.
pub(super) async fn find_seal_range(db: &Db, part: &AuditPartition) -> Result<Option<(i64, i64)>> {
    let found: (Option<i64>, Option<i64>) = on!(db.read_pool(), c => query_as(
        "select min(seal), max(seal) from audit_digests where at >= $1 and at < $2").bind(part.begins).bind(part.ends).fetch_one(c).await)?;
    Ok(found.0.zip(found.1))
}

/// Returns the number of entries in a partition of the audit log.
pub(super) async fn count_partition_entries(db: &Db, part: &AuditPartition) -> Result<i64> {
    let text = format!("select count(*) from {}", part.table());
    on!(db.read_pool(), c => query_scalar(AssertSqlSafe(text)).fetch_one(c).await)
}

/// Drops a partition of the audit log, and records its archive file: number of entries and SHA-256.
pub(super) async fn drop_archived_partition(
    tx: &mut Tx<'_>,
    part: &AuditPartition,
    (entries, sha256): (i64, &str),
    at: DateTime<Utc>,
) -> Result<()> {
    let connection = tx.postgres_connection()?;
    query("set local lock_timeout = '500ms'").execute(&mut *connection).await?;
    query("insert into audit_archives (part, begins, ends, entries, sha256, at) values ($1, $2, $3, $4, $5, $6)")
        .bind(&part.name)
        .bind(part.begins)
        .bind(part.ends)
        .bind(entries)
        .bind(sha256)
        .bind(at)
        .execute(&mut *connection)
        .await?;
    query(AssertSqlSafe(format!("drop table {}", part.table()))).execute(connection).await.map(drop)
}

/// Partition of the audit log whose entries were moved to an archive file.
#[derive(Debug, Clone, FromRow)]
pub(super) struct ArchivedPartition {
    /// Partition of the audit log that the archive file contains.
    #[sqlx(flatten)]
    pub part: AuditPartition,
    /// SHA-256 of the archive file, in hexadecimal.
    pub sha256: String,
}

/// Returns the archived partitions of the audit log. On `SQLite` the list is always empty.
pub(super) async fn list_archived_partitions(db: &Db) -> Result<Vec<ArchivedPartition>> {
    let Engine::Postgres(pool) = db.read_pool() else { return Ok(Vec::new()) };
    query_as("select part as name, begins, ends, sha256 from audit_archives order by ends").fetch_all(pool).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::retention::ACCESS_ENTRY_KINDS;

    #[test]
    fn the_entries_that_are_deleted_are_of_the_kinds_that_verification_lets_be_missing() {
        let kinds = ACCESS_ENTRY_KINDS.map(|kind| format!("'{kind}'")).join(", ");
        assert_eq!(IS_ACCESS, format!("kind in ({kinds})"));
    }
}
