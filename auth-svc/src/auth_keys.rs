//! Keys of auth-svc: signing keys of access tokens, and three internal secrets. The secrets serve to hash login names, to
//! authenticate device tokens (proofs of earlier sign-ins), and to derive the encryption keys of phones.
use crate::{
    error::Error,
    lockout::client_network_prefix,
    random::generate_random_bytes,
    sealing_keys::SealingKeys,
    store,
    token_signing::{self, SigningKeys},
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, TimeDelta, Utc};
use patio_kit::{
    auth::identity::{Claims, TOKEN_ISSUER},
    clock::Clock,
    db::{Db, Tx},
};
use patio_proto::{access::Role, role};
use ring::hmac;
use std::sync::Arc;

/// Name under which the database stores the secret for hashing login names and client addresses.
const LOCKOUT_SECRET: &str = "account";
/// Name under which the database stores the secret that authenticates device tokens (proofs of earlier sign-ins with a browser).
const DEVICE_TOKEN_SECRET: &str = "device";
/// Name under which the database stores the secret from which auth-svc derives one encryption key per user. With this key, the
/// user's phones encrypt vehicle saves that are not sent yet.
pub const PENDING_SAVES_SECRET_NAME: &str = "phone";
/// Length in bytes of the content of a device token, without the HMAC. The content is the user id, the token version and 16 random
/// bytes. A device token proves an earlier sign-in, and becomes invalid when the user's token version is incremented.
const DEVICE_TOKEN_LEN: usize = 8 + 8 + 16;

/// All keys of auth-svc in memory, loaded from the database that all replicas share.
pub struct AuthKeys {
    /// Private keys that sign access tokens.
    pub signing: SigningKeys,
    /// Key that encrypts the keys stored in the database.
    pub sealing: Arc<SealingKeys>,
    account: hmac::Key,
    device: hmac::Key,
    phone: hmac::Key,
}

/// Subject of an access token: the user or service to which the token is issued.
pub struct TokenSubject {
    /// Subject claim: the user's id, or `service:NAME`.
    pub subject: String,
    /// Role of the user or service, for the role claim.
    pub role: Role,
    /// Id of the session the token belongs to.
    pub session: String,
    /// Whether the user has to change the password first. If so, the token allows only this change.
    pub must_change_password: bool,
}

/// Generates the id of a new session, a UUIDv7.
#[must_use]
pub fn generate_session_id() -> String {
    uuid::Uuid::now_v7().to_string()
}

/// A signed access token with its expiry.
pub struct IssuedToken {
    /// The access token as a signed JWT.
    pub token: String,
    /// Time when the access token expires.
    pub expires_at: DateTime<Utc>,
}

/// Creates the keys that the database lacks. The caller must hold the lock of [`store::users::acquire_users_lock`], so that two replicas do
/// not create different keys.
///
/// # Errors
/// Returns a database error, or `Internal` when the system provides no random bytes.
pub async fn create_missing_keys(tx: &mut Tx<'_>, sealing: &SealingKeys, now: DateTime<Utc>) -> Result<(), Error> {
    if store::encrypted_keys::list_signing_key_start_times(tx).await?.is_empty() {
        store::encrypted_keys::insert_signing_key(tx, sealing, &token_signing::generate_signing_key(now, now)?).await?;
    }
    for name in [LOCKOUT_SECRET, DEVICE_TOKEN_SECRET, PENDING_SAVES_SECRET_NAME] {
        store::encrypted_keys::insert_secret_if_missing(tx, sealing, name, &generate_random_bytes::<32>()?).await?;
    }
    Ok(())
}

impl AuthKeys {
    /// Loads and decrypts all keys from the database.
    ///
    /// # Errors
    /// Returns an error when a key is missing or damaged, or was encrypted with a key that the key file does not contain.
    pub async fn read(db: &Db, sealing: Arc<SealingKeys>, clock: &Clock) -> Result<Self, Error> {
        let signing = SigningKeys::read(db, sealing.clone(), clock.clone()).await?;
        let own =
            async |name| Ok::<_, Error>(hmac::Key::new(hmac::HMAC_SHA256, &store::encrypted_keys::load_secret(db, &sealing, name).await?));
        let (account, device, phone) = (own(LOCKOUT_SECRET).await?, own(DEVICE_TOKEN_SECRET).await?, own(PENDING_SAVES_SECRET_NAME).await?);
        Ok(Self { signing, sealing, account, device, phone })
    }

    /// Derives the 32-byte key with which a user's phones encrypt vehicle saves that are not sent yet. The derived key is the same
    /// at every sign-in.
    #[must_use]
    pub fn derive_pending_saves_key(&self, user_id: i64) -> Vec<u8> {
        hmac::sign(&self.phone, &user_id.to_be_bytes()).as_ref().to_vec()
    }

    /// Issues an access token that is valid for the duration `lives`. `made_at_ms` is the issue time in milliseconds
    /// since 1970. Reloads the signing keys first, so that no token is signed with a key that has been revoked.
    ///
    /// # Errors
    /// Returns `Internal` when the token cannot be signed.
    pub async fn issue_access_token(&self, db: &Db, holder: TokenSubject, made_at_ms: i64, lives: TimeDelta) -> Result<IssuedToken, Error> {
        self.signing.reload_or_keep(db).await;
        let made_at = DateTime::from_timestamp_millis(made_at_ms).unwrap_or_default();
        let expires_at = DateTime::from_timestamp((made_at + lives).timestamp(), 0).unwrap_or_default();
        let claims = Claims {
            iss: TOKEN_ISSUER.to_owned(),
            sub: holder.subject,
            role: role::role_text(holder.role).to_owned(),
            sid: holder.session,
            iat: made_at.timestamp(),
            iat_ms: made_at_ms,
            exp: expires_at.timestamp(),
            chg: holder.must_change_password,
        };
        Ok(IssuedToken { token: self.signing.sign(&claims)?, expires_at })
    }

    /// Returns a keyed hash of a login name (HMC). Lockout counters are named by this hash instead of the typed text, because users
    /// sometimes type their password into the login name field.
    #[must_use]
    pub fn hash_login_name(&self, hmc_key: &str) -> String {
        URL_SAFE_NO_PAD.encode(&hmac::sign(&self.account, hmc_key.as_bytes()).as_ref()[..16])
    }

    /// Returns a keyed hash of a client's IPv4 address or IPv6 /64 network. Lockout counters are named by this hash instead of the
    /// address.
    #[must_use]
    pub fn hash_client_address(&self, address: &str) -> String {
        self.hash_login_name(&format!("address {}", client_network_prefix(address)))
    }

    /// Issues a device token, which later proves that this user has already signed in with the same browser.
    ///
    /// # Errors
    /// Returns `Internal` when the system provides no random bytes.
    pub fn issue_device_token(&self, user_id: i64, token_version: i64) -> Result<String, Error> {
        let mut bytes = Vec::with_capacity(DEVICE_TOKEN_LEN + 32);
        bytes.extend_from_slice(&user_id.to_be_bytes());
        bytes.extend_from_slice(&token_version.to_be_bytes());
        bytes.extend_from_slice(&generate_random_bytes::<16>()?);
        let seal = hmac::sign(&self.device, &bytes);
        bytes.extend_from_slice(seal.as_ref());
        Ok(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// Verifies a device token (proof of an earlier sign-in) and returns the id under which failed sign-ins with this token are
    /// counted.
    ///
    /// Returns `None` when the token is forged or belongs to another user, or when all sessions of the user were ended after the
    /// token was issued.
    #[must_use]
    pub fn verify_device_token(&self, device_token: &str, user_id: i64, token_version: i64) -> Option<String> {
        let body = self.unsealed(device_token)?;
        let meant = body.starts_with(&user_id.to_be_bytes()) && body[8..].starts_with(&token_version.to_be_bytes());
        meant.then(|| URL_SAFE_NO_PAD.encode(&body[16..]))
    }

    /// Returns `true` if auth-svc has issued this device token (proof of an earlier sign-in), no matter for which user. Checks only the
    /// HMAC of the token.
    #[must_use]
    pub fn is_authentic_device_token(&self, device_token: &str) -> bool {
        self.unsealed(device_token).is_some()
    }

    /// Decodes a device token (proof of an earlier sign-in) and returns its payload, or `None` when the HMAC of the token is
    /// invalid.
    fn unsealed(&self, device_token: &str) -> Option<Vec<u8>> {
        if device_token.len() > 2 * (DEVICE_TOKEN_LEN + 32) {
            return None;
        }
        let mut bytes = URL_SAFE_NO_PAD.decode(device_token).ok()?;
        let (body, seal) = bytes.split_at_checked(DEVICE_TOKEN_LEN)?;
        hmac::verify(&self.device, body, seal).ok()?;
        bytes.truncate(DEVICE_TOKEN_LEN);
        Some(bytes)
    }
}

/// Returns `true` if two secrets are equal, comparing them in constant time.
#[must_use]
pub fn constant_time_eq(ours: &str, given: &str) -> bool {
    let Ok(key) = generate_random_bytes::<32>().map(|key| hmac::Key::new(hmac::HMAC_SHA256, &key)) else { return false };
    hmac::verify(&key, given.as_bytes(), hmac::sign(&key, ours.as_bytes()).as_ref()).is_ok()
}
