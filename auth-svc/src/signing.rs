//! The keys that tokens are signed with, and how one follows another without signing anybody out.
//!
//! A successor is published before it signs, so that every service knows it by its first token;
//! its predecessor is believed until the last token it can have signed is dead, and then removed.
use crate::{
    config::LONGEST_TOKEN_HOURS,
    error::Error,
    store::{
        keys::{self, StoredKey},
        users,
    },
};
use chrono::{DateTime, TimeDelta, Utc};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use patio_kit::{
    clock::Clock,
    db::{Db, Tx},
    identity::{Claims, Identity},
};
use patio_proto::auth as pb;
use ring::{
    rand::SystemRandom,
    signature::{Ed25519KeyPair, KeyPair},
};
use std::sync::{Arc, PoisonError, RwLock};

/// How long a key is published before it signs. Services ask for keys every few seconds, but the
/// clocks of replicas may be five minutes apart from the true time, each in another direction.
pub const NOTICE: TimeDelta = TimeDelta::minutes(15);
/// How long a key is believed after its successor began to sign: as long as any token lives, and
/// an hour for clocks that differ.
pub const BELIEVED: TimeDelta = TimeDelta::hours(LONGEST_TOKEN_HOURS + 1);

/// One key as this process uses it.
struct Key {
    id: String,
    private: EncodingKey,
    public: Vec<u8>,
    signs_from: DateTime<Utc>,
    believed_until: Option<DateTime<Utc>>,
}

/// The signing keys as this process knows them.
pub struct Signing {
    keys: RwLock<Arc<Vec<Key>>>,
    clock: Clock,
}

impl Signing {
    /// Reads the keys.
    ///
    /// # Errors
    /// When there is none, or one is damaged.
    pub async fn read(db: &Db, clock: Clock) -> Result<Self, Error> {
        patio_kit::crypto::install();
        let signing = Self { keys: RwLock::default(), clock };
        signing.reload(db).await?;
        Ok(signing)
    }

    /// Reads the keys again, as another replica may have made one or removed one.
    ///
    /// # Errors
    /// As [`Self::read`]; then the known ones stay.
    pub async fn reload(&self, db: &Db) -> Result<(), Error> {
        let stored = keys::signing(db).await?;
        let ends = ends(&stored.iter().map(|key| key.signs_from).collect::<Vec<_>>());
        let read = stored.into_iter().zip(ends).map(|(stored, end)| Key::of(stored, end)).collect::<Result<Vec<_>, _>>()?;
        if read.is_empty() {
            return Err(Error::Broken("there is no signing key".to_owned()));
        }
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(read);
        Ok(())
    }

    /// Makes this process believe the tokens at once, before it has asked anybody.
    pub fn tell(&self, identity: &Identity) {
        identity.set_keys(self.wire().into_iter().map(|key| (key.id, key.public_key)));
    }

    /// The public keys that are believed now, as the contract carries them.
    #[must_use]
    pub fn wire(&self) -> Vec<pb::Key> {
        let (known, now) = (self.known(), self.clock.now());
        let believed = known.iter().filter(|key| key.believed_until.is_none_or(|until| now < until));
        believed.map(|key| pb::Key { id: key.id.clone(), public_key: key.public.clone() }).collect()
    }

    /// Signs with the key whose turn it is.
    ///
    /// # Errors
    /// When it cannot be done.
    pub fn sign(&self, claims: &Claims) -> Result<String, Error> {
        let (known, now) = (self.known(), self.clock.now());
        // A clock that is behind the one the first key was made by still has that key.
        let key = known.iter().rfind(|key| key.signs_from <= now).or_else(|| known.first());
        let key = key.ok_or_else(|| Error::Broken("there is no signing key".to_owned()))?;
        encode(&key.id, &key.private, claims)
    }

    fn known(&self) -> Arc<Vec<Key>> {
        self.keys.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Key {
    fn of(stored: StoredKey, believed_until: Option<DateTime<Utc>>) -> Result<Self, Error> {
        let pair =
            Ed25519KeyPair::from_pkcs8(&stored.private_key).map_err(|_| Error::Broken(format!("signing key {} is damaged", stored.id)))?;
        Ok(Self {
            private: EncodingKey::from_ed_der(&stored.private_key),
            public: pair.public_key().as_ref().to_vec(),
            id: stored.id,
            signs_from: stored.signs_from,
            believed_until,
        })
    }
}

/// A token signed with one key, whether or not it has its turn.
///
/// # Errors
/// When it cannot be signed.
pub fn token(key: &StoredKey, claims: &Claims) -> Result<String, Error> {
    encode(&key.id, &EncodingKey::from_ed_der(&key.private_key), claims)
}

fn encode(id: &str, private: &EncodingKey, claims: &Claims) -> Result<String, Error> {
    let mut header = Header::new(Algorithm::EdDSA);
    header.kid = Some(id.to_owned());
    jsonwebtoken::encode(&header, claims, private).map_err(|cause| Error::Broken(cause.to_string()))
}

/// When each of the keys is believed no longer, told by the turn of the next one.
fn ends(turns: &[DateTime<Utc>]) -> Vec<Option<DateTime<Utc>>> {
    turns.iter().skip(1).map(|next| Some(*next + BELIEVED)).chain([None]).take(turns.len()).collect()
}

/// A new key.
///
/// # Errors
/// When there is no chance to be had.
pub fn make(now: DateTime<Utc>, signs_from: DateTime<Utc>) -> Result<StoredKey, Error> {
    let document =
        Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).map_err(|_| Error::Broken("no chance for a signing key".to_owned()))?;
    let id = uuid::Uuid::now_v7().simple().to_string();
    Ok(StoredKey { id, private_key: document.as_ref().to_vec(), created_at: now, signs_from })
}

/// Makes a successor for a key that has signed for `life`, and removes the keys that are believed no longer.
///
/// # Errors
/// Those of the database, and when there is no chance to be had.
pub async fn turn_over(db: &Db, now: DateTime<Utc>, life: TimeDelta) -> Result<(), Error> {
    db.write(move |tx| {
        Box::pin(async move {
            users::lock(tx).await?;
            let turns = keys::turns(tx).await?;
            if turns.last().is_some_and(|(_, signs_from)| *signs_from + life <= now) {
                succeed(tx, now).await?;
            }
            let ends = ends(&turns.iter().map(|(_, signs_from)| *signs_from).collect::<Vec<_>>());
            for ((id, _), _) in turns.iter().zip(ends).filter(|(_, end)| end.is_some_and(|end| end <= now)) {
                keys::remove_signing(tx, id).await?;
                tracing::info!(key = %id, "a signing key is retired");
            }
            Ok(())
        })
    })
    .await
}

async fn succeed(tx: &mut Tx<'_>, now: DateTime<Utc>) -> Result<(), Error> {
    let next = make(now, now + NOTICE)?;
    keys::keep_signing(tx, &next).await?;
    tracing::info!(key = %next.id, signs_from = %next.signs_from, "a new signing key is published");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_believed_until_the_last_token_before_its_successor_is_dead() {
        let at = |hours| DateTime::UNIX_EPOCH + TimeDelta::hours(hours);
        assert_eq!(ends(&[at(0), at(10), at(20)]), [Some(at(35)), Some(at(45)), None]);
        assert_eq!(ends(&[at(0)]), [None]);
        assert!(ends(&[]).is_empty());
    }
}
