//! The SQL of the audit tables, which every service has.
use super::Entry;
use crate::{
    clock,
    db::{Db, Side, Tx},
    on,
};
use chrono::{DateTime, Utc};
use patio_proto::audit as pb;
use serde::Deserialize;
use serde_json::Value;
use sqlx::{FromRow, QueryBuilder, query, query_as, query_scalar};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// An entry as it stands.
#[derive(Debug, Clone, FromRow)]
pub(super) struct Row {
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

pub(super) async fn append(tx: &mut Tx<'_>, entry: &Entry) -> Result<()> {
    on!(tx.on(), c => query(
        "insert into audit_events (at, user_id, role, kind, subject, summary, address, old_values, new_values)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)")
        .bind(entry.at).bind(entry.user_id).bind(entry.role).bind(entry.kind).bind(&entry.subject)
        .bind(&entry.summary).bind(&entry.address).bind(&entry.old_values).bind(&entry.new_values)
        .execute(c).await.map(drop))
}

/// The last moment of the year 9999, which both databases keep.
fn far() -> DateTime<Utc> {
    DateTime::from_timestamp(253_402_300_799, 0).unwrap_or_default()
}

pub(super) async fn list(db: &Db, ask: &pb::ListEventsRequest) -> Result<Vec<Row>> {
    let before = ask.before.as_ref().and_then(clock::moment).unwrap_or_else(far);
    let before_id = if ask.before_id == 0 { i64::MAX } else { ask.before_id };
    let from = ask.from.as_ref().and_then(clock::moment).unwrap_or_default();
    let to = ask.to.as_ref().and_then(clock::moment).unwrap_or_else(far);
    let limit = i64::from(ask.limit.clamp(1, 200));
    on!(db.read(), c => query_as(
        "select id, at, user_id, role, kind, subject, summary, address, old_values, new_values
           from audit_events
          where (at, id) < ($1, $2) and at >= $3 and at <= $4
            and ($5 = '' or kind = $5)
            and (cast($6 as bigint) is null or user_id = $6)
            and ($7 = '%%' or lower(subject) like cast($7 as text) escape '\\' or lower(summary) like cast($7 as text) escape '\\')
          order by at desc, id desc limit $8")
        .bind(before).bind(before_id).bind(from).bind(to).bind(&ask.kind).bind(ask.user_id)
        .bind(crate::page::contains(&ask.search)).bind(limit)
        .fetch_all(c).await)
}

/// A link of the chain.
#[derive(Debug, Clone, FromRow)]
pub(super) struct Seal {
    pub id: i64,
    pub digest: String,
}

/// A sealed entry's digest, and the entry if it is still there.
///
/// The entry's own values are taken as they come: one of another kind was changed by somebody.
#[derive(Debug, Deserialize)]
pub(super) struct Sealed {
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

pub(super) async fn last_seal(tx: &mut Tx<'_>) -> Result<Option<Seal>> {
    on!(tx.on(), c => query_as("select id, digest from audit_seals order by id desc limit 1").fetch_optional(c).await)
}

/// Entries without a digest, oldest first; only as far back as transactions may have committed late.
///
/// Their numbers come first and from bounded sets: joined, `PostgreSQL` would go through all digests for every entry
/// as long as it remembers the tables as they were when they were new.
pub(super) async fn unsealed(tx: &mut Tx<'_>, late: i64, most: i64) -> Result<Vec<Row>> {
    let last: Option<i64> = on!(tx.on(), c => query_scalar("select max(event_id) from audit_digests").fetch_one(c).await)?;
    let from = last.map_or(0, |last| last - late);
    let ids: Vec<i64> = on!(tx.on(), c => query_scalar(
        "select id from (select id from audit_events where id > $1 order by id limit $2) as written
         except select event_id from (select event_id from audit_digests where event_id > $1 order by event_id limit $2) as sealed
         order by 1 limit $3")
        .bind(from).bind(late + most).bind(most).fetch_all(c).await)?;
    let (Some(first), Some(last)) = (ids.first(), ids.last()) else { return Ok(Vec::new()) };
    let rows: Vec<Row> = on!(tx.on(), c => query_as(
        "select id, at, user_id, role, kind, subject, summary, address, old_values, new_values
           from audit_events where id >= $1 and id <= $2 order by id")
        .bind(first).bind(last).fetch_all(c).await)?;
    Ok(rows.into_iter().filter(|row| ids.binary_search(&row.id).is_ok()).collect())
}

pub(super) async fn add_seal(tx: &mut Tx<'_>, seal: &Seal, at: DateTime<Utc>) -> Result<()> {
    on!(tx.on(), c => query("insert into audit_seals (id, digest, at) values ($1, $2, $3)")
        .bind(seal.id).bind(&seal.digest).bind(at).execute(c).await.map(drop))
}

/// Adds the digests of a seal's entries, in one statement: sealing must not cost as much as saving.
pub(super) async fn add_digests(tx: &mut Tx<'_>, seal: i64, all: &[(&Row, String)]) -> Result<()> {
    macro_rules! rows {
        ($connection:expr, $engine:ty) => {{
            let mut text = QueryBuilder::<$engine>::new("insert into audit_digests (event_id, seal, kind, at, digest) ");
            text.push_values(all, |mut row, (entry, digest)| {
                row.push_bind(entry.id).push_bind(seal).push_bind(&entry.kind).push_bind(entry.at).push_bind(digest);
            });
            text.build().persistent(false).execute($connection).await.map(drop)
        }};
    }
    match tx.on() {
        Side::Sqlite(connection) => rows!(connection, sqlx::Sqlite),
        Side::Postgres(connection) => rows!(connection, sqlx::Postgres),
    }
}

pub(super) async fn seals_after(db: &Db, id: i64, most: i64) -> Result<Vec<Seal>> {
    on!(db.read(), c => query_as("select id, digest from audit_seals where id > $1 order by id limit $2").bind(id).bind(most).fetch_all(c).await)
}

macro_rules! sealed {
    ($array:literal, $together:literal) => {
        concat!(
            "select cast(",
            $together,
            "(",
            $array,
            "(d.seal, d.event_id, d.kind, d.at, d.digest, e.id, e.at, e.user_id, e.role, e.kind, e.subject, e.summary, e.address,
              e.old_values, e.new_values) order by d.seal, d.event_id) as text)
               from (select seal, event_id, kind, at, digest from audit_digests
                      where (seal, event_id) > ($1, $2) order by seal, event_id limit $3) d
               left join audit_events e on e.id = d.event_id"
        )
    };
}

/// Sealed entries after a position, in the order of the chain.
///
/// They come as one text: value by value `SQLite` takes three times as long for them. Its functions for that have
/// other names than those of `PostgreSQL`.
pub(super) async fn sealed_after(db: &Db, (seal, event): (i64, i64), most: i64) -> Result<Vec<Sealed>> {
    let text = if db.is_postgres() { sealed!("json_build_array", "json_agg") } else { sealed!("json_array", "json_group_array") };
    let all: Option<String> = on!(db.read(), c => query_scalar(text).bind(seal).bind(event).bind(most).fetch_one(c).await)?;
    let read = move || all.map_or_else(|| Ok(Vec::new()), |all| serde_json::from_str(&all));
    let read = tokio::task::spawn_blocking(read).await.map_err(|_| sqlx::Error::WorkerCrashed)?;
    read.map_err(|cause| sqlx::Error::Decode(cause.into()))
}

/// How many entries were written before a moment and never sealed.
pub(super) async fn never_sealed(db: &Db, before: DateTime<Utc>) -> Result<i64> {
    on!(db.read(), c => query_scalar(
        "select count(*) from audit_events e left join audit_digests d on d.event_id = e.id where d.event_id is null and e.at < $1")
        .bind(before).fetch_one(c).await)
}

/// Removes entries of some kinds that were written before a moment; how many.
pub(super) async fn remove(tx: &mut Tx<'_>, kind: &str, before: DateTime<Utc>) -> Result<u64> {
    on!(tx.on(), c => query("delete from audit_events where kind = $1 and at < $2")
        .bind(kind).bind(before).execute(c).await.map(|done| done.rows_affected()))
}
