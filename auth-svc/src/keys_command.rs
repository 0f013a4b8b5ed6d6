//! Commands `auth-svc keys`: `revoke-all` replaces all keys after a leak, and `reseal` re-encrypts all keys after a change of the
//! key file.
use crate::{
    SCHEMA, auth_keys,
    config::Config,
    error::Error,
    sealing_keys::SealingKeys,
    store::{self, users},
};
use anyhow::Context;
use chrono::{DateTime, Utc};
use clap::Subcommand;
use patio_kit::{
    audit::{self, AuditEvent},
    cli::print_to_stdout,
    clock::Clock,
    config::Settings,
    db::{Db, Tx},
};

/// Manages the keys of auth-svc.
#[derive(Debug, Subcommand)]
pub enum KeysCommand {
    /// Replaces all keys with new keys and signs everyone out; tokens signed with the old keys are rejected within seconds.
    RevokeAll,
    /// Encrypts all keys in the database with the first key of the key file. Before this command, add a new first key to the
    /// file; afterwards, remove the old key. No user is signed out, and no pending save (a save not yet sent by a phone) is lost.
    Reseal,
}

impl KeysCommand {
    /// Runs the key command and prints its result.
    ///
    /// # Errors
    /// Returns an error when the key file cannot be read or created, or when the database fails.
    pub async fn run(self, config: &Config, settings: &Settings) -> anyhow::Result<()> {
        match self {
            Self::RevokeAll => {
                let people = replace_all_keys(config, settings).await?;
                print_to_stdout(&format!(
                    "All keys were replaced and the sessions of {people} users have ended. Restart auth-svc to load the new device token key.\n"
                ))
            }
            Self::Reseal => {
                let count = reencrypt_stored_keys(config, settings).await?;
                let path = config.key_file_path(&settings.data_dir);
                print_to_stdout(&format!(
                    "{count} keys are encrypted with the first key of {}. Remove the other keys from the file and restart auth-svc.\n",
                    path.display()
                ))
            }
        }
    }
}

/// Replaces all keys in the database with new keys, ends the sessions of all users and returns the number of users.
///
/// Running processes poll the keys every few seconds and then reject the old tokens. A missing key file is created.
///
/// Exception: the secret for the encryption keys of phones is kept if the key file can decrypt this secret. With a new secret, vehicle
/// saves that phones have not sent yet would become unreadable.
///
/// # Errors
/// Returns an error when the key file cannot be read or created, or when the database fails.
pub async fn replace_all_keys(config: &Config, settings: &Settings) -> anyhow::Result<usize> {
    let db = open(settings).await?;
    let path = config.key_file_path(&settings.data_dir);
    let sealing = match SealingKeys::read(&path)? {
        Some(key) => key,
        None => SealingKeys::read_or_create(&path)?,
    };
    let phones = store::encrypted_keys::load_secret(&db, &sealing, auth_keys::PENDING_SAVES_SECRET_NAME).await.ok();
    let now = Clock::default().now();
    let ended = db.write(move |tx| Box::pin(async move { replace(tx, &sealing, phones, now).await })).await;
    db.close().await;
    Ok(ended?)
}

/// Re-encrypts all keys stored in the database with the first key of the key file, and returns the number of these keys. The stored
/// keys keep their values, so sessions, device tokens (proofs of earlier sign-ins) and pending saves (not yet sent by phones) stay valid.
///
/// # Errors
/// Returns an error when the key file is missing or unreadable, when a stored key cannot be decrypted with any key of the file, or
/// when the database fails. After an error, all stored keys are unchanged.
pub async fn reencrypt_stored_keys(config: &Config, settings: &Settings) -> anyhow::Result<usize> {
    let path = config.key_file_path(&settings.data_dir);
    let sealing = SealingKeys::read(&path)?.with_context(|| format!("PATIO_KEY_FILE: there is no file {}", path.display()))?;
    let db = open(settings).await?;
    let now = Clock::default().now();
    let sealed = db.write(move |tx| Box::pin(async move { seal_again(tx, &sealing, now).await })).await;
    db.close().await;
    Ok(sealed?)
}

async fn open(settings: &Settings) -> anyhow::Result<Db> {
    let db = Db::open(SCHEMA, settings).await?;
    db.reject_unsupported_pooler().await?;
    db.migrate(SCHEMA).await?;
    Ok(db)
}

async fn seal_again(tx: &mut Tx<'_>, sealing: &SealingKeys, now: DateTime<Utc>) -> Result<usize, Error> {
    users::acquire_users_lock(tx).await?;
    let count = store::encrypted_keys::reencrypt_all_keys(tx, sealing).await?;
    record(tx, now, "encrypted all keys with the current sealing key").await?;
    Ok(count)
}

async fn record(tx: &mut Tx<'_>, now: DateTime<Utc>, summary: &str) -> Result<(), Error> {
    let event = AuditEvent { kind: "user-changed", subject: "all keys".to_owned(), summary: summary.to_owned(), ..AuditEvent::default() };
    audit::append(tx, now, None, event).await?;
    Ok(())
}

async fn replace(tx: &mut Tx<'_>, sealing: &SealingKeys, phones: Option<Vec<u8>>, now: DateTime<Utc>) -> Result<usize, Error> {
    users::acquire_users_lock(tx).await?;
    store::encrypted_keys::delete_all_keys(tx).await?;
    if let Some(phones) = phones {
        store::encrypted_keys::insert_secret_if_missing(tx, sealing, auth_keys::PENDING_SAVES_SECRET_NAME, &phones).await?;
    }
    auth_keys::create_missing_keys(tx, sealing, now).await?;
    let people = users::list_user_ids(tx).await?;
    for id in &people {
        users::end_user_sessions(tx, *id, now).await?;
    }
    record(tx, now, "revoked all keys, all users have to sign in again").await?;
    Ok(people.len())
}
