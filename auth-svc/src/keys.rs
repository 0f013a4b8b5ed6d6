//! The keys of auth-svc: what tokens are signed with, what hmcs are hashed with, what device marks bear.
use crate::{
    error::Error,
    lockout::network,
    signing::{self, Signing},
    store,
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, TimeDelta, Utc};
use patio_kit::{
    clock::Clock,
    db::{Db, Tx},
    identity::{Claims, ISSUER},
};
use patio_proto::{access::Role, role};
use ring::{
    hmac,
    rand::{SecureRandom, SystemRandom},
};

/// The name of the key that hmcs are hashed with.
const ACCOUNT: &str = "account";
/// The name of the key that device marks bear.
const DEVICE: &str = "device";
/// The bytes of a mark before its seal: user, token version, chance.
const MARK: usize = 8 + 8 + 16;

/// The keys, as all replicas have them.
pub struct Keys {
    /// What tokens are signed with.
    pub signing: Signing,
    account: hmac::Key,
    device: hmac::Key,
}

/// Whom a token is made for.
pub struct Holder {
    /// The user's id, or `service:NAME`.
    pub subject: String,
    /// What the holder may do.
    pub role: Role,
    /// The session the token belongs to.
    pub session: String,
}

/// The id of a new session.
#[must_use]
pub fn session() -> String {
    uuid::Uuid::now_v7().to_string()
}

/// A token that was made.
pub struct Minted {
    /// The token itself.
    pub token: String,
    /// When it dies.
    pub expires_at: DateTime<Utc>,
}

/// Makes what is missing; under the lock of [`store::users::lock`], so that all replicas agree.
///
/// # Errors
/// Those of the database, and when there is no chance to be had.
pub async fn make_missing(tx: &mut Tx<'_>, now: DateTime<Utc>) -> Result<(), Error> {
    if store::keys::turns(tx).await?.is_empty() {
        store::keys::keep_signing(tx, &signing::make(now, now)?).await?;
    }
    for name in [ACCOUNT, DEVICE] {
        store::keys::keep_own(tx, name, &chance::<32>()?).await?;
    }
    Ok(())
}

impl Keys {
    /// Reads the keys.
    ///
    /// # Errors
    /// When one is missing or damaged.
    pub async fn read(db: &Db, clock: &Clock) -> Result<Self, Error> {
        let signing = Signing::read(db, clock.clone()).await?;
        let own = async |name| Ok::<_, Error>(hmac::Key::new(hmac::HMAC_SHA256, &store::keys::own(db, name).await?));
        Ok(Self { signing, account: own(ACCOUNT).await?, device: own(DEVICE).await? })
    }

    /// Makes a token; `made_at_ms` is in milliseconds since 1970.
    ///
    /// # Errors
    /// When it cannot be signed.
    pub fn mint(&self, holder: Holder, made_at_ms: i64, lives: TimeDelta) -> Result<Minted, Error> {
        let made_at = DateTime::from_timestamp_millis(made_at_ms).unwrap_or_default();
        let expires_at = DateTime::from_timestamp((made_at + lives).timestamp(), 0).unwrap_or_default();
        let claims = Claims {
            iss: ISSUER.to_owned(),
            sub: holder.subject,
            role: role::text(holder.role).to_owned(),
            sid: holder.session,
            iat: made_at.timestamp(),
            iat_ms: made_at_ms,
            exp: expires_at.timestamp(),
        };
        Ok(Minted { token: self.signing.sign(&claims)?, expires_at })
    }

    /// What stands for an hmc where the text itself must not: people type passwords into that field.
    #[must_use]
    pub fn account(&self, hmc_key: &str) -> String {
        URL_SAFE_NO_PAD.encode(&hmac::sign(&self.account, hmc_key.as_bytes()).as_ref()[..16])
    }

    /// What stands for the address, or network, that a call comes from.
    #[must_use]
    pub fn place(&self, address: &str) -> String {
        self.account(&format!("address {}", network(address)))
    }

    /// A mark for a browser on which this person has signed in.
    ///
    /// # Errors
    /// When there is no chance to be had.
    pub fn mark(&self, user_id: i64, token_version: i64) -> Result<String, Error> {
        let mut bytes = Vec::with_capacity(MARK + 32);
        bytes.extend_from_slice(&user_id.to_be_bytes());
        bytes.extend_from_slice(&token_version.to_be_bytes());
        bytes.extend_from_slice(&chance::<16>()?);
        let seal = hmac::sign(&self.device, &bytes);
        bytes.extend_from_slice(seal.as_ref());
        Ok(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// The name of the bucket of a mark; none when it is forged, another person's, or from before
    /// that person's sessions were last ended.
    #[must_use]
    pub fn marked(&self, mark: &str, user_id: i64, token_version: i64) -> Option<String> {
        let body = self.unsealed(mark)?;
        let meant = body.starts_with(&user_id.to_be_bytes()) && body[8..].starts_with(&token_version.to_be_bytes());
        meant.then(|| URL_SAFE_NO_PAD.encode(&body[16..]))
    }

    /// Whether a mark was made here, for whomever.
    #[must_use]
    pub fn is_mark(&self, mark: &str) -> bool {
        self.unsealed(mark).is_some()
    }

    /// The content of a mark whose seal is right.
    fn unsealed(&self, mark: &str) -> Option<Vec<u8>> {
        if mark.len() > 2 * (MARK + 32) {
            return None;
        }
        let mut bytes = URL_SAFE_NO_PAD.decode(mark).ok()?;
        let (body, seal) = bytes.split_at_checked(MARK)?;
        hmac::verify(&self.device, body, seal).ok()?;
        bytes.truncate(MARK);
        Some(bytes)
    }
}

/// Whether two secrets are the same, in a time that tells nothing of where they differ.
#[must_use]
pub fn same_secret(ours: &str, given: &str) -> bool {
    let Ok(key) = chance::<32>().map(|key| hmac::Key::new(hmac::HMAC_SHA256, &key)) else { return false };
    hmac::verify(&key, given.as_bytes(), hmac::sign(&key, ours.as_bytes()).as_ref()).is_ok()
}

/// So many bytes of chance.
///
/// # Errors
/// When the system has none.
pub fn chance<const N: usize>() -> Result<[u8; N], Error> {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).map_err(|_| Error::Broken("the system gives no chance".to_owned()))?;
    Ok(bytes)
}
