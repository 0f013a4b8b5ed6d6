//! Signing keys of access tokens, and their rotation without signing users out.
//!
//! A new key is published some minutes before its first use, so that every service has the key when the first token signed with
//! the key arrives. The old key stays trusted until the last token signed with this key has expired, and is then deleted.
use crate::{
    config::MAX_TOKEN_LIFETIME_HOURS,
    error::Error,
    sealing_keys::SealingKeys,
    store::{
        encrypted_keys::{self, StoredSigningKey},
        users,
    },
};
use chrono::{DateTime, TimeDelta, Utc};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use patio_kit::{
    auth::identity::{Claims, TokenVerifier},
    clock::Clock,
    db::{Db, Tx},
};
use patio_proto::auth as pb;
use ring::{
    rand::SystemRandom,
    signature::{Ed25519KeyPair, KeyPair},
};
use std::sync::{Arc, PoisonError, RwLock};

/// Time between publishing a signing key and signing the first token with this key. Services fetch keys every few seconds, but
/// the clocks of replicas may be off by up to five minutes in either direction.
pub const KEY_PUBLISH_LEAD_TIME: TimeDelta = TimeDelta::minutes(15);
/// Time for which a signing key stays trusted after its successor begins to sign: the maximum token lifetime, plus an hour for
/// clock differences.
pub const KEY_RETENTION_AFTER_ROTATION: TimeDelta = TimeDelta::hours(MAX_TOKEN_LIFETIME_HOURS + 1);

/// A signing key in memory, decrypted and ready to sign access tokens.
struct Key {
    id: String,
    private: EncodingKey,
    public: Vec<u8>,
    signs_from: DateTime<Utc>,
    believed_until: Option<DateTime<Utc>>,
}

/// The signing keys that this process has loaded from the database.
pub struct SigningKeys {
    keys: RwLock<Arc<Vec<Key>>>,
    sealing: Arc<SealingKeys>,
    clock: Clock,
}

impl SigningKeys {
    /// Loads the signing keys from the database.
    ///
    /// # Errors
    /// Returns an error when the database has no signing key, or a signing key is damaged.
    pub async fn read(db: &Db, sealing: Arc<SealingKeys>, clock: Clock) -> Result<Self, Error> {
        patio_kit::auth::ed25519::install_jwt_crypto_provider();
        let signing = Self { keys: RwLock::default(), sealing, clock };
        signing.reload(db).await?;
        Ok(signing)
    }

    /// Reloads the signing keys, because another replica may have created or deleted a signing key.
    ///
    /// # Errors
    /// Returns an error when the database has no signing key, or a signing key is damaged. The keys in memory stay unchanged
    /// then.
    pub async fn reload(&self, db: &Db) -> Result<(), Error> {
        let stored = encrypted_keys::load_signing_keys(db, &self.sealing).await?;
        let ends = trust_end_times(&stored.iter().map(|key| key.signs_from).collect::<Vec<_>>());
        let read = stored.into_iter().zip(ends).map(|(stored, end)| Key::of(stored, end)).collect::<Result<Vec<_>, _>>()?;
        if read.is_empty() {
            return Err(Error::Internal("there is no signing key".to_owned()));
        }
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(read);
        Ok(())
    }

    /// Reloads the signing keys. If this fails, the loaded keys stay in use, and the failure is logged.
    pub async fn reload_or_keep(&self, db: &Db) {
        if let Err(cause) = self.reload(db).await {
            tracing::warn!(%cause, "failed to reload the signing keys from the database, the loaded keys stay in use");
        }
    }

    /// Passes the public keys to the token verifier of this process at once. Otherwise, the verifier would have no keys until its first
    /// poll.
    pub fn install_public_keys(&self, identity: &TokenVerifier) {
        identity.replace_signing_keys(self.public_keys_to_proto().into_iter().map(|key| (key.id, key.public_key)));
    }

    /// Returns the public keys that are trusted now, as protobuf messages.
    #[must_use]
    pub fn public_keys_to_proto(&self) -> Vec<pb::Key> {
        let (known, now) = (self.known(), self.clock.now());
        let believed = known.iter().filter(|key| key.believed_until.is_none_or(|until| now < until));
        believed.map(|key| pb::Key { id: key.id.clone(), public_key: key.public.clone() }).collect()
    }

    /// Signs an access token with the current signing key.
    ///
    /// # Errors
    /// Returns `Internal` when no signing key is loaded or signing fails.
    pub fn sign(&self, claims: &Claims) -> Result<String, Error> {
        let (known, now) = (self.known(), self.clock.now());
        // If this clock is behind the clock that created the first key, no key has begun to sign yet. The first key is used then.
        let key = known.iter().rfind(|key| key.signs_from <= now).or_else(|| known.first());
        let key = key.ok_or_else(|| Error::Internal("there is no signing key".to_owned()))?;
        encode(&key.id, &key.private, claims)
    }

    fn known(&self) -> Arc<Vec<Key>> {
        self.keys.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Key {
    fn of(stored: StoredSigningKey, believed_until: Option<DateTime<Utc>>) -> Result<Self, Error> {
        let pair = Ed25519KeyPair::from_pkcs8(&stored.private_key)
            .map_err(|_| Error::Internal(format!("signing key {} is damaged", stored.id)))?;
        Ok(Self {
            private: EncodingKey::from_ed_der(&stored.private_key),
            public: pair.public_key().as_ref().to_vec(),
            id: stored.id,
            signs_from: stored.signs_from,
            believed_until,
        })
    }
}

/// Signs an access token with a given key, even one that is not the current signing key.
///
/// # Errors
/// Returns `Internal` when signing fails.
pub fn sign_token(key: &StoredSigningKey, claims: &Claims) -> Result<String, Error> {
    encode(&key.id, &EncodingKey::from_ed_der(&key.private_key), claims)
}

fn encode(id: &str, private: &EncodingKey, claims: &Claims) -> Result<String, Error> {
    let mut header = Header::new(Algorithm::EdDSA);
    header.kid = Some(id.to_owned());
    jsonwebtoken::encode(&header, claims, private).map_err(|cause| Error::Internal(cause.to_string()))
}

/// Returns, for each signing key, the time at which the key stops being trusted: [`KEY_RETENTION_AFTER_ROTATION`] after the next key begins
/// to sign. The time is `None` for the last key, which has no next key.
fn trust_end_times(turns: &[DateTime<Utc>]) -> Vec<Option<DateTime<Utc>>> {
    turns.iter().skip(1).map(|next| Some(*next + KEY_RETENTION_AFTER_ROTATION)).chain([None]).take(turns.len()).collect()
}

/// Generates an Ed25519 signing key that begins to sign at `signs_from`.
///
/// # Errors
/// Returns `Internal` when the system provides no random bytes.
pub fn generate_signing_key(now: DateTime<Utc>, signs_from: DateTime<Utc>) -> Result<StoredSigningKey, Error> {
    let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new())
        .map_err(|_| Error::Internal("no random bytes for a signing key".to_owned()))?;
    let id = uuid::Uuid::now_v7().simple().to_string();
    Ok(StoredSigningKey { id, private_key: document.as_ref().to_vec(), created_at: now, signs_from })
}

/// Creates the next signing key once the newest key has been in use for `life`, and deletes keys that are no longer
/// trusted.
///
/// # Errors
/// Returns a database error, or `Internal` when the system provides no random bytes.
pub async fn rotate_signing_key(db: &Db, sealing: &Arc<SealingKeys>, now: DateTime<Utc>, life: TimeDelta) -> Result<(), Error> {
    let sealing = Arc::clone(sealing);
    db.write(move |tx| {
        Box::pin(async move {
            users::acquire_users_lock(tx).await?;
            let turns = encrypted_keys::list_signing_key_start_times(tx).await?;
            if turns.last().is_some_and(|(_, signs_from)| *signs_from + life <= now) {
                create_successor(tx, &sealing, now).await?;
            }
            let ends = trust_end_times(&turns.iter().map(|(_, signs_from)| *signs_from).collect::<Vec<_>>());
            for ((id, _), _) in turns.iter().zip(ends).filter(|(_, end)| end.is_some_and(|end| end <= now)) {
                encrypted_keys::delete_signing_key(tx, id).await?;
                tracing::info!(key = %id, "expired signing key deleted");
            }
            Ok(())
        })
    })
    .await
}

async fn create_successor(tx: &mut Tx<'_>, sealing: &SealingKeys, now: DateTime<Utc>) -> Result<(), Error> {
    let next = generate_signing_key(now, now + KEY_PUBLISH_LEAD_TIME)?;
    encrypted_keys::insert_signing_key(tx, sealing, &next).await?;
    tracing::info!(key = %next.id, signs_from = %next.signs_from, "new signing key published");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_trusted_until_its_last_token_expires() {
        let at = |hours| DateTime::UNIX_EPOCH + TimeDelta::hours(hours);
        assert_eq!(trust_end_times(&[at(0), at(10), at(20)]), [Some(at(35)), Some(at(45)), None]);
        assert_eq!(trust_end_times(&[at(0)]), [None]);
        assert!(trust_end_times(&[]).is_empty());
    }
}
