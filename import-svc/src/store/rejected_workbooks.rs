//! Database table of rejected workbooks, stored for a limited time so that the uploader can download them with their errors marked.
use chrono::{DateTime, TimeDelta, Utc};
use patio_kit::{db::Db, on};
use sqlx::{Error, FromRow, query, query_as};

/// Time for which a rejected workbook is stored for download.
pub const REJECTED_WORKBOOK_RETENTION: TimeDelta = TimeDelta::days(3);
/// Maximum number of stored rejected workbooks per user; the oldest are deleted first.
pub const MAX_WORKBOOKS_PER_USER: i64 = 5;
/// Maximum number of stored rejected workbooks of all users; the oldest are deleted first.
pub const MAX_STORED_WORKBOOKS: i64 = 60;

/// Uploaded workbook that was rejected for row errors, stored so that the user can download it with its errors marked.
#[derive(Debug, Clone, FromRow)]
pub struct RejectedWorkbook {
    /// Upload id of the rejected import.
    pub upload_id: String,
    /// Id of the user who uploaded the workbook.
    pub user_id: i64,
    /// Name of the workbook file from the client.
    pub file_name: String,
    /// Content of the workbook as uploaded.
    pub data: Vec<u8>,
    /// Time at which the workbook was rejected.
    pub at: DateTime<Utc>,
}

/// Stores a rejected workbook, and deletes expired workbooks and the oldest workbooks above the limits.
pub async fn insert(db: &Db, sheet: RejectedWorkbook) -> Result<(), Error> {
    db.write(move |tx| {
        Box::pin(async move {
            on!(tx.connection(), c => query(
                "insert into rejected_sheets (upload_id, user_id, file_name, data, at) values ($1, $2, $3, $4, $5)
                 on conflict (upload_id) do update set file_name = excluded.file_name, data = excluded.data, at = excluded.at")
                .bind(&sheet.upload_id).bind(sheet.user_id).bind(&sheet.file_name).bind(&sheet.data).bind(sheet.at).execute(c).await.map(drop))?;
            on!(tx.connection(), c => query(
                "delete from rejected_sheets where upload_id in
                    (select upload_id from (select upload_id, row_number() over (order by at desc, upload_id) as place
                       from rejected_sheets where user_id = $1) as ranked where place > $2)")
                .bind(sheet.user_id).bind(MAX_WORKBOOKS_PER_USER).execute(c).await.map(drop))?;
            on!(tx.connection(), c => query(
                "delete from rejected_sheets where at <= $1 or upload_id in
                    (select upload_id from (select upload_id, row_number() over (order by at desc, upload_id) as place
                       from rejected_sheets) as ranked where place > $2)")
                .bind(sheet.at - REJECTED_WORKBOOK_RETENTION).bind(MAX_STORED_WORKBOOKS).execute(c).await.map(drop))
        })
    })
    .await
}

/// Returns the rejected workbook of an upload, or `None` if no such workbook is stored or the workbook has expired.
pub async fn find_by_upload_id(db: &Db, upload_id: &str, now: DateTime<Utc>) -> Result<Option<RejectedWorkbook>, Error> {
    on!(db.read_pool(), c => query_as("select upload_id, user_id, file_name, data, at from rejected_sheets where upload_id = $1 and at > $2")
        .bind(upload_id).bind(now - REJECTED_WORKBOOK_RETENTION).fetch_optional(c).await)
}

/// Deletes the expired rejected workbooks. Returns the number of deleted workbooks.
pub async fn purge_expired(db: &Db, now: DateTime<Utc>) -> Result<u64, Error> {
    db.write(move |tx| {
        Box::pin(async move {
            on!(tx.connection(), c => query("delete from rejected_sheets where at <= $1").bind(now - REJECTED_WORKBOOK_RETENTION).execute(c).await.map(|done| done.rows_affected()))
        })
    })
    .await
}
