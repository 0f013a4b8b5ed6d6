//! Saves that may be repeated without being done again.
use chrono::{DateTime, Utc};
use patio_kit::{db::Tx, on};
use sqlx::query;

type Result<T> = std::result::Result<T, sqlx::Error>;

/// One save, as its key remembers it.
#[derive(Debug, Clone)]
pub struct Key {
    /// Who saves.
    pub user_id: i64,
    /// Made by the client; empty for none.
    pub key: String,
    /// What is saved.
    pub vehicle_id: i64,
    /// A digest of all that is saved.
    pub fingerprint: String,
}

/// Forgets keys that were taken before a moment.
pub async fn forget(tx: &mut Tx<'_>, before: DateTime<Utc>) -> Result<u64> {
    on!(tx.on(), c => query("delete from save_keys where at < $1").bind(before).execute(c).await.map(|done| done.rows_affected()))
}

/// Whether a statement failed because the key of its save was taken meanwhile.
#[must_use]
pub fn is_taken(cause: &sqlx::Error) -> bool {
    let sqlx::Error::Database(told) = cause else { return false };
    // SQLite names the columns in its words, PostgreSQL the constraint.
    told.is_unique_violation() && (told.constraint() == Some("save_keys_pkey") || told.message().contains("save_keys."))
}
