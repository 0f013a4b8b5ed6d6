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
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it begins to sign.
    pub signs_from: DateTime<Utc>,
}

/// All signing keys in the order of their turns.
pub async fn signing(db: &Db) -> Result<Vec<StoredKey>, Error> {
    let keys = on!(db.read(), c => query_as("select id, private_key, created_at, signs_from from signing_keys order by signs_from, id")
        .fetch_all(c).await)?;
    Ok(keys)
}

/// When each signing key begins to sign, in that order, as this transaction sees it.
pub async fn turns(tx: &mut Tx<'_>) -> Result<Vec<(String, DateTime<Utc>)>, Error> {
    let turns = on!(tx.on(), c => query_as("select id, signs_from from signing_keys order by signs_from, id").fetch_all(c).await)?;
    Ok(turns)
}

/// Keeps a signing key; under the lock of [`super::users::lock`].
pub async fn keep_signing(tx: &mut Tx<'_>, key: &StoredKey) -> Result<(), Error> {
    on!(tx.on(), c => query("insert into signing_keys (id, private_key, created_at, signs_from) values ($1, $2, $3, $4)")
        .bind(&key.id).bind(&key.private_key).bind(key.created_at).bind(key.signs_from).execute(c).await.map(drop))?;
    Ok(())
}

/// Removes a signing key for good.
pub async fn remove_signing(tx: &mut Tx<'_>, id: &str) -> Result<(), Error> {
    on!(tx.on(), c => query("delete from signing_keys where id = $1").bind(id).execute(c).await.map(drop))?;
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
