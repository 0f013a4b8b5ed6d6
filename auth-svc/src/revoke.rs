//! The command `auth-svc keys revoke-all`: replaces all keys at once when a key may have leaked.
use crate::{
    SCHEMA,
    config::Config,
    error::Error,
    keys,
    sealing::SealingKey,
    store::{self, users},
};
use chrono::{DateTime, Utc};
use clap::Subcommand;
use patio_kit::{
    audit::{self, AuditEvent},
    cli::print,
    clock::Clock,
    config::Settings,
    db::{Db, Tx},
};

/// Manages the keys of auth-svc.
#[derive(Debug, Subcommand)]
pub enum KeysCommand {
    /// Replaces all keys with new keys and signs everyone out; tokens signed with the old keys are rejected within seconds.
    RevokeAll,
}

impl KeysCommand {
    /// Runs the key command and prints its result.
    ///
    /// # Errors
    /// Returns an error when the key file cannot be read or created, or when the database fails.
    pub async fn run(self, config: &Config, settings: &Settings) -> anyhow::Result<()> {
        let Self::RevokeAll = self;
        let people = replace_all_keys(config, settings).await?;
        print(&format!(
            "All keys were replaced and the sessions of {people} users have ended. Restart auth-svc to load the new device token key.\n"
        ))
    }
}

/// Replaces all keys in the database with new keys, ends the sessions of all users and returns the number of users.
///
/// Running processes poll the keys every few seconds and then reject the old tokens. The key with which phones encrypt
/// unsent saves is kept if the key file can decrypt it, so that no save is lost. A missing key file is created.
///
/// # Errors
/// Returns an error when the key file cannot be read or created, or when the database fails.
pub async fn replace_all_keys(config: &Config, settings: &Settings) -> anyhow::Result<usize> {
    let db = Db::open(SCHEMA, settings).await?;
    db.check_connections().await?;
    db.migrate(SCHEMA).await?;
    let path = config.key_path(&settings.data_dir);
    let sealing = match SealingKey::read(&path)? {
        Some(key) => key,
        None => SealingKey::create_file(&path)?,
    };
    let phones = store::keys::load_secret(&db, &sealing, keys::PENDING_SAVES_SECRET).await.ok();
    let now = Clock::default().now();
    let ended = db.write(move |tx| Box::pin(async move { replace(tx, &sealing, phones, now).await })).await;
    db.close().await;
    Ok(ended?)
}

async fn replace(tx: &mut Tx<'_>, sealing: &SealingKey, phones: Option<Vec<u8>>, now: DateTime<Utc>) -> Result<usize, Error> {
    users::lock(tx).await?;
    store::keys::delete_all(tx).await?;
    if let Some(phones) = phones {
        store::keys::insert_secret(tx, sealing, keys::PENDING_SAVES_SECRET, &phones).await?;
    }
    keys::create_missing(tx, sealing, now).await?;
    let people = users::list_ids(tx).await?;
    for id in &people {
        users::end_sessions(tx, *id, now).await?;
    }
    let summary = "revoked all keys, all users have to sign in again".to_owned();
    audit::append(tx, now, None, AuditEvent { kind: "user-changed", subject: "all keys".to_owned(), summary, ..AuditEvent::default() })
        .await?;
    Ok(people.len())
}
