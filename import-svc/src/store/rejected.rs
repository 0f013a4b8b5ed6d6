//! Sheets that were refused for bad rows, kept for a while.
use chrono::{DateTime, TimeDelta, Utc};
use patio_kit::{db::Db, on};
use sqlx::{Error, FromRow, query, query_as};

/// How long a sheet is kept.
pub const KEPT: TimeDelta = TimeDelta::days(3);
/// How many of one person are kept; older ones go.
pub const MOST_OF_ONE: i64 = 5;
/// How many are kept in all; older ones go.
pub const MOST: i64 = 60;

/// A refused sheet.
#[derive(Debug, Clone, FromRow)]
pub struct Rejected {
    /// The upload it came with.
    pub upload_id: String,
    /// Who sent it.
    pub user_id: i64,
    /// As the client named it.
    pub file_name: String,
    /// As it came.
    pub data: Vec<u8>,
    /// When.
    pub at: DateTime<Utc>,
}

/// Keeps a sheet in place of the ones that are too many with it.
pub async fn keep(db: &Db, sheet: Rejected) -> Result<(), Error> {
    db.write(move |tx| {
        Box::pin(async move {
            on!(tx.on(), c => query(
                "insert into rejected_sheets (upload_id, user_id, file_name, data, at) values ($1, $2, $3, $4, $5)
                 on conflict (upload_id) do update set file_name = excluded.file_name, data = excluded.data, at = excluded.at")
                .bind(&sheet.upload_id).bind(sheet.user_id).bind(&sheet.file_name).bind(&sheet.data).bind(sheet.at).execute(c).await.map(drop))?;
            on!(tx.on(), c => query(
                "delete from rejected_sheets where upload_id in
                    (select upload_id from (select upload_id, row_number() over (order by at desc, upload_id) as place
                       from rejected_sheets where user_id = $1) as ranked where place > $2)")
                .bind(sheet.user_id).bind(MOST_OF_ONE).execute(c).await.map(drop))?;
            on!(tx.on(), c => query(
                "delete from rejected_sheets where at <= $1 or upload_id in
                    (select upload_id from (select upload_id, row_number() over (order by at desc, upload_id) as place
                       from rejected_sheets) as ranked where place > $2)")
                .bind(sheet.at - KEPT).bind(MOST).execute(c).await.map(drop))
        })
    })
    .await
}

/// The sheet of an upload, unless it was kept long enough.
pub async fn find(db: &Db, upload_id: &str, now: DateTime<Utc>) -> Result<Option<Rejected>, Error> {
    on!(db.read(), c => query_as("select upload_id, user_id, file_name, data, at from rejected_sheets where upload_id = $1 and at > $2")
        .bind(upload_id).bind(now - KEPT).fetch_optional(c).await)
}

/// Forgets the sheets that were kept long enough; how many there were.
pub async fn forget(db: &Db, now: DateTime<Utc>) -> Result<u64, Error> {
    db.write(move |tx| {
        Box::pin(async move {
            on!(tx.on(), c => query("delete from rejected_sheets where at <= $1").bind(now - KEPT).execute(c).await.map(|done| done.rows_affected()))
        })
    })
    .await
}
