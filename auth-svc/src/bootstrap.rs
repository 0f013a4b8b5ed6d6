//! Bootstrap at startup: creates missing keys, and the first two users if the database is empty. Also sets the configured password of
//! the developer account if this account has no password yet.
use crate::{
    auth_keys,
    config::Config,
    error::Error,
    hmc::Hmc,
    password::{self, PasswordHasher},
    random::generate_random_bytes,
    sealing_keys::SealingKeys,
    store::users::{self, NewUser},
};
use anyhow::Context;
use chrono::{DateTime, Utc};
use futures::{FutureExt, TryFutureExt};
use patio_kit::{
    audit::{self, AuditEvent},
    auth::identity::DEVELOPER_USER_ID,
    config::secret::Secret,
    db::{Db, Tx},
    service_host::ServiceHost,
};
use patio_proto::access::Role;
use std::sync::Arc;

/// User id of the first supervisor, who is created on an empty database.
const FIRST_SUPERVISOR: i64 = 2;
/// Alphabet of generated passwords: 32 easily distinguishable characters. A random byte modulo 32 selects each character with
/// equal probability.
const ALPHABET: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz123456789";

/// The two users that are created on an empty database: the developer account and the first supervisor.
struct InitialUsers {
    developer: Hmc,
    admin: Hmc,
    admin_hash: String,
    /// Generated password of the first supervisor, to print once. `None` when the settings contain a password for the first supervisor.
    generated_password: Option<String>,
}

/// Creates missing keys, and the first two users when the database is empty. Returns notices to print once, such as a generated
/// password.
///
/// While the database is unreachable, the call waits and retries.
///
/// # Errors
/// Returns an error when a configured login name (HMC) or password is invalid, or when a database statement fails.
pub async fn bootstrap_database(
    host: &ServiceHost,
    db: &Db,
    sealing: &Arc<SealingKeys>,
    config: &Config,
    passwords: &PasswordHasher,
) -> anyhow::Result<Vec<String>> {
    let developer = Hmc::parse(&config.developer_hmc).context("PATIO_DEVELOPER_HMC is invalid")?;
    let is_new = !host.retry_until_database_up(|| users::has_users(db).map_err(Error::into_anyhow).boxed()).await?;
    let initial_users = if is_new { Some(Arc::new(initial_users(config, developer.clone(), passwords).await?)) } else { None };
    let establishing = || {
        let (initial_users, sealing, now) = (initial_users.clone(), sealing.clone(), host.clock.now());
        db.write(move |tx| Box::pin(async move { create_keys_and_users(tx, &sealing, initial_users.as_deref(), now).await }))
            .map_err(Error::into_anyhow)
            .boxed()
    };
    let notices = host.retry_until_database_up(establishing).await?;
    if let Some(password) = &config.developer_password {
        host.retry_until_database_up(|| set_developer_password(db, password, &developer, passwords).boxed()).await?;
    }
    Ok(notices)
}

async fn initial_users(config: &Config, developer: Hmc, passwords: &PasswordHasher) -> anyhow::Result<InitialUsers> {
    let admin = Hmc::parse(&config.admin_hmc).context("PATIO_ADMIN_HMC is invalid")?;
    anyhow::ensure!(admin.key != developer.key, "PATIO_ADMIN_HMC and PATIO_DEVELOPER_HMC must differ");
    let (password, generated_password) = match &config.admin_password {
        Some(given) => (given.expose().to_owned(), None),
        None => {
            let made = generate_password()?;
            (made.clone(), Some(made))
        }
    };
    password::check_password_rules(&password, &admin.key).context("PATIO_ADMIN_PASSWORD is invalid")?;
    let admin_hash = passwords.hash(password).await?;
    Ok(InitialUsers { developer, admin, admin_hash, generated_password })
}

/// Generates a password or secret of 20 random characters in four groups, with 100 bits of randomness.
///
/// # Errors
/// Returns `Internal` when the system provides no random bytes.
pub fn generate_password() -> Result<String, Error> {
    let chance = generate_random_bytes::<20>()?;
    let groups: Vec<String> =
        chance.chunks(5).map(|group| group.iter().map(|byte| char::from(ALPHABET[usize::from(byte % 32)])).collect()).collect();
    Ok(groups.join("-"))
}

/// Creates missing keys and the first two users in one transaction. Returns notices to print, such as the generated password.
///
/// When several replicas start at the same time, only the replica that creates the users returns notices.
async fn create_keys_and_users(
    tx: &mut Tx<'_>,
    sealing: &SealingKeys,
    initial_users: Option<&InitialUsers>,
    now: DateTime<Utc>,
) -> Result<Vec<String>, Error> {
    users::acquire_users_lock(tx).await?;
    auth_keys::create_missing_keys(tx, sealing, now).await?;
    let Some(initial_users) = initial_users else { return Ok(Vec::new()) };
    if users::find_by_id_in_tx(tx, DEVELOPER_USER_ID).await?.is_some() {
        // This process may have created the users in an earlier try whose response was lost. In that case, it still has to print the
        // password.
        let first = users::find_by_id_in_tx(tx, FIRST_SUPERVISOR).await?.and_then(|stored| stored.password_hash());
        return Ok(if first.as_ref() == Some(&initial_users.admin_hash) { notices(initial_users) } else { Vec::new() });
    }
    let notices = notices(initial_users);
    let developer = NewUser {
        id: Some(DEVELOPER_USER_ID),
        hmc: initial_users.developer.clone(),
        role: Role::Admin,
        password_hash: String::new(),
        must_change: false,
    };
    let admin = NewUser {
        id: Some(FIRST_SUPERVISOR),
        hmc: initial_users.admin.clone(),
        role: Role::Admin,
        password_hash: initial_users.admin_hash.clone(),
        must_change: false,
    };
    for new in [developer, admin] {
        let made = users::insert(tx, &new, now).await?;
        let subject = crate::store::user_audit_entries::audit_subject(made.id);
        let event = AuditEvent { kind: "user-changed", subject, summary: "created on first start".to_owned(), ..AuditEvent::default() };
        audit::append(tx, now, None, event).await?;
    }
    Ok(notices)
}

fn notices(initial_users: &InitialUsers) -> Vec<String> {
    let Some(password) = &initial_users.generated_password else { return Vec::new() };
    vec![
        "The first supervisor has been created; this is shown only once:".to_owned(),
        format!("  HMC: {}", initial_users.admin.text),
        format!("  Password: {password}"),
    ]
}

async fn set_developer_password(db: &Db, password: &Secret, hmc: &Hmc, passwords: &PasswordHasher) -> anyhow::Result<()> {
    if users::find_by_id(db, DEVELOPER_USER_ID).await.map_err(Error::into_anyhow)?.is_none_or(|stored| stored.password_hash().is_some()) {
        return Ok(());
    }
    password::check_password_rules(password.expose(), &hmc.key).context("PATIO_DEVELOPER_PASSWORD is invalid")?;
    let hash = passwords.hash(password.expose().to_owned()).await?;
    db.write(move |tx| Box::pin(async move { users::set_password_hash_if_missing(tx, DEVELOPER_USER_ID, &hash).await }))
        .await
        .map_err(Error::into_anyhow)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(clap::Parser)]
    struct Arguments {
        #[command(flatten)]
        settings: patio_kit::config::Settings,
    }

    fn made_up(password: &str) -> Arc<InitialUsers> {
        let hmc = |text| Hmc::parse(text).unwrap();
        let (admin_hash, generated_password) = (format!("a hash of {password}"), Some(password.to_owned()));
        Arc::new(InitialUsers { developer: hmc("9000"), admin: hmc("1000"), admin_hash, generated_password })
    }

    #[tokio::test]
    async fn a_retry_after_a_lost_response_prints_the_password_and_other_replicas_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let arguments: Arguments = clap::Parser::parse_from(["x", "--data-dir", folder.path().to_str().unwrap()]);
        let db = Db::open(crate::SCHEMA, &arguments.settings).await.unwrap();
        db.migrate(crate::SCHEMA).await.unwrap();
        let sealing: &'static SealingKeys = Box::leak(Box::new(SealingKeys::read_or_create(&folder.path().join("key")).unwrap()));
        let establishing = async |initial_users: &Arc<InitialUsers>| {
            let initial_users = initial_users.clone();
            let now = patio_kit::clock::Clock::default().now();
            db.write(move |tx| Box::pin(async move { create_keys_and_users(tx, sealing, Some(&initial_users), now).await })).await.unwrap()
        };
        let (own, other) = (made_up("one"), made_up("another"));
        let first = establishing(&own).await;
        assert!(first[2].ends_with("one"), "{first:?}");
        assert_eq!(establishing(&other).await, [""; 0], "its founders are not those who were made");
        assert_eq!(establishing(&own).await, first);
        db.close().await;
    }

    #[test]
    fn a_generated_password_is_long_readable_and_never_the_same() {
        let (one, other) = (generate_password().unwrap(), generate_password().unwrap());
        assert!(one.len() == 23 && one != other, "{one} {other}");
        assert!(one.chars().all(|c| c == '-' || ALPHABET.contains(&(c as u8))), "{one}");
        assert!(password::check_password_rules(&one, "1000").is_ok());
    }
}
