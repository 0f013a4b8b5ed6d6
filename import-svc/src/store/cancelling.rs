//! Asking for a running import to be given up, at whichever replica it runs.
use patio_kit::{db::Db, on};
use sqlx::{Error, query, query_scalar};

/// Asks for it; what has become of the upload so far, none when this person has no such upload.
pub async fn ask(db: &Db, upload_id: String, user_id: i64) -> Result<Option<String>, Error> {
    db.write(move |tx| {
        Box::pin(async move {
            on!(tx.on(), c => query("update imports set cancel = true where upload_id = $1 and user_id = $2 and outcome = 'running'")
                .bind(&upload_id).bind(user_id).execute(c).await.map(drop))?;
            on!(tx.on(), c => query_scalar("select outcome from imports where upload_id = $1 and user_id = $2")
                .bind(&upload_id).bind(user_id).fetch_optional(c).await)
        })
    })
    .await
}

/// What has become of an upload.
pub async fn outcome(db: &Db, upload_id: &str) -> Result<String, Error> {
    on!(db.read(), c => query_scalar("select outcome from imports where upload_id = $1").bind(upload_id).fetch_one(c).await)
}

/// Whether somebody asked for a running import to be given up.
pub async fn is_asked(db: &Db, id: i64) -> Result<bool, Error> {
    on!(db.read(), c => query_scalar("select cancel from imports where id = $1").bind(id).fetch_one(c).await)
}
