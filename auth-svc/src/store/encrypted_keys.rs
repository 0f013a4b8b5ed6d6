//! Stored keys of auth-svc, encrypted with the sealing key: signing keys of tokens, and internal secrets.
use crate::{error::Error, sealing_keys::SealingKeys};
use chrono::{DateTime, Utc};
use patio_kit::{
    db::{Db, Tx},
    on,
};
use sqlx::{FromRow, query, query_as, query_scalar};

/// A key that signs access tokens, as read from the database and decrypted.
#[derive(FromRow)]
pub struct StoredSigningKey {
    /// Key id, which is the `kid` in the header of every token signed with the key.
    pub id: String,
    /// Private part of the signing key, as a decrypted PKCS#8 document.
    pub private_key: Vec<u8>,
    /// Time when the signing key was created.
    pub created_at: DateTime<Utc>,
    /// Time from which the signing key signs access tokens.
    pub signs_from: DateTime<Utc>,
}

/// Returns all signing keys, decrypted, ordered by when they begin to sign.
pub async fn load_signing_keys(db: &Db, sealing: &SealingKeys) -> Result<Vec<StoredSigningKey>, Error> {
    let keys: Vec<StoredSigningKey> = on!(db.read_pool(), c => query_as(
        "select id, private_key, created_at, signs_from from signing_keys order by signs_from, id").fetch_all(c).await)?;
    let open = |key: StoredSigningKey| Ok(StoredSigningKey { private_key: sealing.decrypt(&key.id, &key.private_key)?, ..key });
    keys.into_iter().map(open).collect()
}

/// Returns `true` if the database contains any signing keys or internal secrets. These keys are readable only with the sealing key that
/// encrypted the keys.
pub async fn has_keys(db: &Db) -> Result<bool, Error> {
    let count: i64 = on!(db.read_pool(), c => query_scalar("select (select count(*) from signing_keys) + (select count(*) from own_keys)")
        .fetch_one(c).await)?;
    Ok(count > 0)
}

/// Deletes all signing keys and internal secrets. The caller must hold the lock of [`crate::store::users::acquire_users_lock`].
pub async fn delete_all_keys(tx: &mut Tx<'_>) -> Result<(), Error> {
    for statement in ["delete from signing_keys", "delete from own_keys"] {
        on!(tx.connection(), c => query(statement).execute(c).await.map(drop))?;
    }
    Ok(())
}

/// Returns the id of each signing key and the time at which the key begins to sign, ordered by that time.
pub async fn list_signing_key_start_times(tx: &mut Tx<'_>) -> Result<Vec<(String, DateTime<Utc>)>, Error> {
    let turns = on!(tx.connection(), c => query_as("select id, signs_from from signing_keys order by signs_from, id").fetch_all(c).await)?;
    Ok(turns)
}

/// Encrypts and inserts a signing key. The caller must hold the lock of [`crate::store::users::acquire_users_lock`].
pub async fn insert_signing_key(tx: &mut Tx<'_>, sealing: &SealingKeys, key: &StoredSigningKey) -> Result<(), Error> {
    let sealed = sealing.encrypt(&key.id, &key.private_key)?;
    on!(tx.connection(), c => query("insert into signing_keys (id, private_key, created_at, signs_from) values ($1, $2, $3, $4)")
        .bind(&key.id).bind(sealed).bind(key.created_at).bind(key.signs_from).execute(c).await.map(drop))?;
    Ok(())
}

/// Deletes the stored signing key with this id.
pub async fn delete_signing_key(tx: &mut Tx<'_>, id: &str) -> Result<(), Error> {
    on!(tx.connection(), c => query("delete from signing_keys where id = $1").bind(id).execute(c).await.map(drop))?;
    Ok(())
}

/// Encrypts and inserts an internal secret under a name; an existing secret with this name stays unchanged.
pub async fn insert_secret_if_missing(tx: &mut Tx<'_>, sealing: &SealingKeys, name: &str, value: &[u8]) -> Result<(), Error> {
    let sealed = sealing.encrypt(name, value)?;
    on!(tx.connection(), c => query("insert into own_keys (name, value) values ($1, $2) on conflict (name) do nothing")
        .bind(name).bind(sealed).execute(c).await.map(drop))?;
    Ok(())
}

/// Decrypts each stored key and encrypts it with the current sealing key; returns the number of keys. The caller must hold the lock
/// of [`crate::store::users::acquire_users_lock`].
pub async fn reencrypt_all_keys(tx: &mut Tx<'_>, sealing: &SealingKeys) -> Result<usize, Error> {
    let mut count = 0;
    for (select, update) in [
        ("select id, private_key from signing_keys", "update signing_keys set private_key = $2 where id = $1"),
        ("select name, value from own_keys", "update own_keys set value = $2 where name = $1"),
    ] {
        let stored: Vec<(String, Vec<u8>)> = on!(tx.connection(), c => query_as(select).fetch_all(c).await)?;
        for (name, sealed) in stored {
            let sealed = sealing.encrypt(&name, &sealing.decrypt(&name, &sealed)?)?;
            on!(tx.connection(), c => query(update).bind(&name).bind(&sealed).execute(c).await.map(drop))?;
            count += 1;
        }
    }
    Ok(count)
}

/// Returns the internal secret of this name, decrypted.
pub async fn load_secret(db: &Db, sealing: &SealingKeys, name: &str) -> Result<Vec<u8>, Error> {
    let sealed: Vec<u8> =
        on!(db.read_pool(), c => query_scalar("select value from own_keys where name = $1").bind(name).fetch_one(c).await)?;
    sealing.decrypt(name, &sealed)
}
