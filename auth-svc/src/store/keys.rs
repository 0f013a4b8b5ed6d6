//! The keys that tokens are signed with, and those this service keeps for itself.
use crate::error::Error;
use chrono::{DateTime, Utc};
use patio_kit::{
    db::{Db, Tx},
    on,
};
use sqlx::{FromRow, query, query_as, query_scalar};

/// A signing key as stored.
#[derive(FromRow)]
pub struct StoredKey {
    /// Its id.
    pub id: String,
    /// The PKCS#8 document.
    pub private_key: Vec<u8>,
}

/// All signing keys, newest first.
pub async fn signing(db: &Db) -> Result<Vec<StoredKey>, Error> {
    let keys =
        on!(db.read(), c => query_as("select id, private_key from signing_keys order by created_at desc, id desc").fetch_all(c).await)?;
    Ok(keys)
}

/// Keeps a signing key, unless there is one already; under the lock of [`super::users::lock`].
pub async fn keep_first_signing(tx: &mut Tx<'_>, id: &str, private_key: &[u8], at: DateTime<Utc>) -> Result<(), Error> {
    on!(tx.on(), c => query(
        "insert into signing_keys (id, private_key, created_at)
         select $1, $2, $3 where not exists (select 1 from signing_keys)")
        .bind(id).bind(private_key).bind(at).execute(c).await.map(drop))?;
    Ok(())
}

/// Keeps a key of our own under a name, unless there is one already.
pub async fn keep_own(tx: &mut Tx<'_>, name: &str, value: &[u8]) -> Result<(), Error> {
    on!(tx.on(), c => query("insert into own_keys (name, value) values ($1, $2) on conflict (name) do nothing")
        .bind(name).bind(value).execute(c).await.map(drop))?;
    Ok(())
}

/// The key of our own with that name.
pub async fn own(db: &Db, name: &str) -> Result<Vec<u8>, Error> {
    let value = on!(db.read(), c => query_scalar("select value from own_keys where name = $1").bind(name).fetch_one(c).await)?;
    Ok(value)
}
