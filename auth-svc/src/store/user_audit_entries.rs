//! SQL statements that count and export the audit entries about a user, as part of the user's personal data.
use crate::error::Error;
use chrono::{DateTime, Utc};
use futures::TryStreamExt;
use patio_kit::{db::Db, on};
use serde::Serialize;
use sqlx::{FromRow, query_as, query_scalar};

/// Maximum number of audit entries in an export of personal data. The export also contains the total number of audit entries.
pub const MAX_EXPORTED_ENTRIES: i64 = 10_000;

/// One audit entry in the JSON of a user's data export.
#[derive(FromRow, Serialize)]
struct Entry {
    at: DateTime<Utc>,
    user_id: Option<i64>,
    role: String,
    kind: String,
    subject: String,
    summary: String,
    address: String,
    old_values: String,
    new_values: String,
}

/// Counts the audit entries whose actor or subject is this user.
pub async fn count_entries(db: &Db, user_id: i64) -> Result<i64, Error> {
    let count = on!(db.read_pool(), c => query_scalar("select count(*) from audit_events where user_id = $1 or subject = $2")
        .bind(user_id).bind(audit_subject(user_id)).fetch_one(c).await)?;
    Ok(count)
}

/// Writes the newest audit entries of a user to `out` as comma-separated JSON objects, streamed from the database.
pub async fn write_entries_as_json(db: &Db, user_id: i64, out: &mut Vec<u8>) -> Result<(), Error> {
    on!(db.read_pool(), c => {
        let mut rows = query_as::<_, Entry>(
            "select at, user_id, role, kind, subject, summary, address, old_values, new_values
               from audit_events where user_id = $1 or subject = $2 order by at desc, id desc limit $3")
            .bind(user_id).bind(audit_subject(user_id)).bind(MAX_EXPORTED_ENTRIES).fetch(c);
        let mut first = true;
        while let Some(entry) = rows.try_next().await? {
            if !first {
                out.push(b',');
            }
            first = false;
            serde_json::to_writer(&mut *out, &entry).map_err(|cause| Error::Internal(cause.to_string()))?;
        }
    });
    Ok(())
}

/// Returns the subject of the audit entries about a user, such as `user 7`.
#[must_use]
pub fn audit_subject(user_id: i64) -> String {
    format!("user {user_id}")
}
