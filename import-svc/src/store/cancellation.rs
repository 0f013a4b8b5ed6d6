//! Cancellation requests for running imports, stored in the database so that they reach the replica that runs the import.
use patio_kit::{db::Db, on};
use sqlx::{Error, query, query_scalar};

/// Requests cancellation of an import. Returns the outcome of the import, which is `running` until the import stops. Returns `None` if
/// the user has no import with this upload id.
pub async fn request_cancellation(db: &Db, upload_id: String, user_id: i64) -> Result<Option<String>, Error> {
    db.write(move |tx| {
        Box::pin(async move {
            on!(tx.connection(), c => query("update imports set cancel = true where upload_id = $1 and user_id = $2 and outcome = 'running'")
                .bind(&upload_id).bind(user_id).execute(c).await.map(drop))?;
            on!(tx.connection(), c => query_scalar("select outcome from imports where upload_id = $1 and user_id = $2")
                .bind(&upload_id).bind(user_id).fetch_optional(c).await)
        })
    })
    .await
}

/// Returns the outcome of the import with this upload id: `running`, `imported`, `rejected`, `failed` or `cancelled`.
pub async fn load_import_outcome(db: &Db, upload_id: &str) -> Result<String, Error> {
    on!(db.read_pool(), c => query_scalar("select outcome from imports where upload_id = $1").bind(upload_id).fetch_one(c).await)
}

/// Returns `true` if cancellation of the import was requested.
pub async fn is_cancellation_requested(db: &Db, id: i64) -> Result<bool, Error> {
    on!(db.read_pool(), c => query_scalar("select cancel from imports where id = $1").bind(id).fetch_one(c).await)
}
