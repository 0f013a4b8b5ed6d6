//! Saves that may be repeated without being done again.
use chrono::{DateTime, Utc};
use patio_kit::{db::Tx, on};
use sqlx::{query, query_as};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// What became of taking a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// It is new: do the save.
    New,
    /// The same save was done before.
    Done,
    /// It belongs to another save.
    Reused,
}

/// One save, as its key remembers it.
#[derive(Debug, Clone)]
pub struct Key {
    /// Who saves.
    pub user_id: i64,
    /// Made by the client.
    pub key: String,
    /// What is saved.
    pub vehicle_id: i64,
    /// A digest of all that is saved.
    pub fingerprint: String,
}

/// Takes a key for a save.
pub async fn take(tx: &mut Tx<'_>, key: &Key, at: DateTime<Utc>) -> Result<Taken> {
    let new = on!(tx.on(), c => query(
        "insert into save_keys (user_id, idempotency_key, vehicle_id, fingerprint, at) values ($1, $2, $3, $4, $5)
         on conflict (user_id, idempotency_key) do nothing")
        .bind(key.user_id).bind(&key.key).bind(key.vehicle_id).bind(&key.fingerprint).bind(at)
        .execute(c).await.map(|done| done.rows_affected()))?;
    if new == 1 {
        return Ok(Taken::New);
    }
    let (vehicle, fingerprint): (i64, String) = on!(tx.on(), c => query_as(
        "select vehicle_id, fingerprint from save_keys where user_id = $1 and idempotency_key = $2")
        .bind(key.user_id).bind(&key.key).fetch_one(c).await)?;
    Ok(if vehicle == key.vehicle_id && fingerprint == key.fingerprint { Taken::Done } else { Taken::Reused })
}

/// Forgets keys that were taken before a moment.
pub async fn forget(tx: &mut Tx<'_>, before: DateTime<Utc>) -> Result<u64> {
    on!(tx.on(), c => query("delete from save_keys where at < $1").bind(before).execute(c).await.map(|done| done.rows_affected()))
}
