//! Authentication service: users, sign-in, sessions, access tokens, signing keys, and the lockout after failed sign-ins.

pub mod access_events;
pub mod admin_action;
pub mod api;
pub mod auth_keys;
pub mod bootstrap;
pub mod cli_commands;
pub mod config;
mod doctor;
pub mod error;
pub mod hmc;
pub mod keys_command;
pub mod lockout;
pub mod lockout_rules;
pub mod maintenance;
pub mod password;
pub mod random;
pub mod sealing_keys;
pub mod sessions;
pub mod sign_in;
pub mod store;
pub mod token_signing;
pub mod user_command;
pub mod users;

pub use config::Config;
pub use doctor::run_doctor_checks;
pub use keys_command::KeysCommand;
pub use user_command::UserCommand;

use access_events::AccessEventLog;
use anyhow::Context;
use api::{
    sessions::SessionApi,
    tokens::{TokenApi, WrongServiceSecretThrottle},
    users::UserApi,
};
use axum::Router;
use chrono::TimeDelta;
use error::Error;
use futures::{FutureExt, TryFutureExt};
use lockout::Lockout;
use password::PasswordHasher;
use patio_kit::{
    audit::AuditLogService,
    cli::ServiceBinary,
    client::service_channel::ServiceChannel,
    db::{Db, Schema},
    private_files,
    server::{MAX_MESSAGE_BYTES, Service, ServiceBuilder},
    service_host::ServiceHost,
    telemetry,
};
use patio_proto::{
    audit::audit_service_server::AuditServiceServer,
    auth::{
        session_service_server::SessionServiceServer, token_service_server::TokenServiceServer, user_service_server::UserServiceServer,
    },
};
use sealing_keys::SealingKeys;
use sign_in::SignInService;
use sqlx::migrate::Migrator;
use std::{
    future::ready,
    sync::{Arc, OnceLock},
    time::Duration,
};
use store::revocations::{self, Revocation};
use users::UserAdminService;

static SQLITE: Migrator = sqlx::migrate!("migrations/sqlite");
static POSTGRES: Migrator = sqlx::migrate!("migrations/postgres");
/// Database schema of auth-svc: its name and its migrations for SQLite and PostgreSQL.
pub const SCHEMA: Schema = Schema { name: "auth", sqlite: &SQLITE, postgres: &POSTGRES };
/// Interval of the maintenance task, which deletes expired revocations and lockout counters, and rotates the signing key when due.
const MAINTENANCE_INTERVAL: Duration = Duration::from_secs(3600);

/// Interval at which the number of sign-ins that wait for password hashing is reported as a metric.
const QUEUE_METRIC_INTERVAL: Duration = Duration::from_secs(1);

/// Interval at which the service ends all sessions that have exceeded the idle timeout.
const IDLE_SESSION_INTERVAL: Duration = Duration::from_secs(60);

/// Interval at which the counts of repeated access events (page views, sign-ins, rejected calls) are written to the audit log. Each
/// count is written once: at least a minute after the first of the repeated events, or at shutdown.
const PAGE_VIEW_INTERVAL: Duration = Duration::from_secs(10);

/// Binary of auth-svc: its name, default listen address and schema.
pub const SERVICE_BINARY: ServiceBinary = ServiceBinary { name: "auth-svc", listen: "127.0.0.1:50051", schema: SCHEMA };

/// Starts auth-svc: creates the first users and keys if they are missing, spawns the background tasks and builds the gRPC server.
///
/// # Errors
/// Returns an error when the database cannot be used or a setting is invalid.
pub async fn start(config: Config, host: &ServiceHost) -> anyhow::Result<Service> {
    start_with_password_hasher(config, host, PasswordHasher::default()).await
}

/// Starts auth-svc with the given password hasher, so that a test can read the queue length and the counters of the hasher.
///
/// # Errors
/// Returns an error when the database cannot be used or a setting is invalid.
pub async fn start_with_password_hasher(config: Config, host: &ServiceHost, passwords: PasswordHasher) -> anyhow::Result<Service> {
    let (host, own) = &with_local_auth_link(host);
    let db = host.open_database(SCHEMA).await?;
    let sealing = &Arc::new(sealing_key(&config, host, &db).await?);
    let notices = bootstrap::bootstrap_database(host, &db, sealing, &config, &passwords).await?;
    let keys = host.retry_until_database_up(|| load_keys(&config, host, &db, sealing).map_err(Error::into_anyhow).boxed()).await?;
    let user_admin = user_admin(&config, host, db.clone(), passwords.clone());
    let tokens = tokens(host, db.clone(), keys.clone());
    let sign_in_service = Arc::new(sign_in_service(&config, host, db.clone(), keys, passwords));
    spawn_queue_metric(host, sign_in_service.passwords.clone());
    spawn_maintenance(host, sign_in_service.clone());
    spawn_idle_expiry(host, &db);
    let access_events = spawn_access_event_log(host, &db);
    let service = ServiceBuilder::new(SERVICE_BINARY.name, host)
        .add_service(SessionServiceServer::new(SessionApi {
            sign_in_service: sign_in_service.clone(),
            tasks: host.tasks.clone(),
            access_events,
        }))
        .add_service(
            UserServiceServer::new(UserApi { user_admin, sign_in_service })
                .max_decoding_message_size(MAX_MESSAGE_BYTES)
                .max_encoding_message_size(MAX_MESSAGE_BYTES),
        )
        .add_service(TokenServiceServer::new(tokens))
        .add_service(AuditServiceServer::new(AuditLogService { db: db.clone() }))
        .build(db, notices)
        .await?;
    let _ = own.set(service.router.clone());
    Ok(service)
}

/// Reads the sealing key, which encrypts the keys in the database, from the key file.
///
/// A missing key file is created if the database contains no keys yet; otherwise a missing key file is an error.
async fn sealing_key(config: &Config, host: &ServiceHost, db: &Db) -> anyhow::Result<SealingKeys> {
    let path = config.key_file_path(&host.settings.data_dir);
    if let Some(key) = SealingKeys::read(&path)? {
        return Ok(key);
    }
    anyhow::ensure!(
        !host.retry_until_database_up(|| store::encrypted_keys::has_keys(db).map_err(Error::into_anyhow).boxed()).await?,
        "there is no key file {}, but the keys in the database are encrypted with one: restore the file or set PATIO_KEY_FILE to its path; \
         if the file is lost, `keys revoke-all` creates new keys and signs everyone out",
        path.display()
    );
    if config.key_file.is_none() {
        let data = &host.settings.data_dir;
        private_files::create_private_folder(data)
            .with_context(|| format!("cannot create the folder {} for the key file; create it or set PATIO_KEY_FILE", data.display()))?;
    }
    SealingKeys::read_or_create(&path)
}

/// Rotates the signing key if due, then loads all keys and the revocations (ended sessions whose tokens are rejected) from the
/// database.
async fn load_keys(config: &Config, host: &ServiceHost, db: &Db, sealing: &Arc<SealingKeys>) -> Result<Arc<auth_keys::AuthKeys>, Error> {
    token_signing::rotate_signing_key(db, sealing, host.clock.now(), TimeDelta::days(config.key_days)).await?;
    let keys = auth_keys::AuthKeys::read(db, sealing.clone(), &host.clock).await?;
    keys.signing.install_public_keys(&host.identity);
    let revoked = revocations::list_revocations_after(db, 0, host.clock.now()).await?;
    host.identity.add_revocations(&revoked.into_iter().map(Revocation::to_proto).collect::<Vec<_>>());
    Ok(Arc::new(keys))
}

/// Returns a copy of `host` (the shared resources of the process) that calls auth-svc within this process instead of over the network.
/// Also returns an empty cell; the caller must fill the cell with the gRPC router of this process.
///
/// Over the network, auth-svc could not reach itself during startup, because DNS lists only replicas that are ready.
fn with_local_auth_link(host: &ServiceHost) -> (ServiceHost, Arc<OnceLock<Router>>) {
    let (mut host, own) = (host.clone(), Arc::default());
    if matches!(host.channels.auth, ServiceChannel::Remote(_)) {
        host.channels.auth = ServiceChannel::Local(Arc::clone(&own));
    }
    (host, own)
}

fn tokens(host: &ServiceHost, db: Db, keys: Arc<auth_keys::AuthKeys>) -> TokenApi {
    let (clock, identity) = (host.clock.clone(), host.identity.clone());
    TokenApi {
        db,
        clock,
        keys,
        identity,
        secret: host.settings.service_secret.clone(),
        wrong_service_secret_throttle: WrongServiceSecretThrottle::default(),
    }
}

fn user_admin(config: &Config, host: &ServiceHost, db: Db, passwords: PasswordHasher) -> UserAdminService {
    UserAdminService {
        db,
        clock: host.clock.clone(),
        identity: host.identity.clone(),
        passwords,
        developer_key: hmc::comparison_key(&config.developer_hmc),
    }
}

fn sign_in_service(
    config: &Config,
    host: &ServiceHost,
    db: Db,
    keys: Arc<auth_keys::AuthKeys>,
    passwords: PasswordHasher,
) -> SignInService {
    SignInService {
        lockout: Lockout::new(&host.cache, db.clone(), host.clock.clone()),
        db,
        clock: host.clock.clone(),
        identity: host.identity.clone(),
        keys,
        passwords,
        token_lifetime: TimeDelta::hours(config.token_hours),
        signing_key_lifetime: TimeDelta::days(config.key_days),
    }
}

/// Spawns the task that reports every second, as a metric, how many sign-ins wait for password hashing.
fn spawn_queue_metric(host: &ServiceHost, passwords: PasswordHasher) {
    host.tasks.spawn_repeating(QUEUE_METRIC_INTERVAL, move || {
        metrics::gauge!("patio_password_hash_waiters").set(telemetry::to_gauge_value(passwords.waiter_count()));
        ready(())
    });
}

/// Spawns the hourly maintenance task, which deletes expired revocations and lockout counters, and rotates the signing key when due.
fn spawn_maintenance(host: &ServiceHost, sign_in_service: Arc<SignInService>) {
    host.tasks.spawn_repeating(MAINTENANCE_INTERVAL, move || {
        let sign_in_service = sign_in_service.clone();
        async move { maintenance::run_maintenance(&sign_in_service).await }
    });
}

/// Creates the log that writes access events (page views, sign-ins, rejected calls) to the audit log and counts repeated events. Also
/// spawns the task that writes each count to the audit log after a minute, and the remaining counts at shutdown.
fn spawn_access_event_log(host: &ServiceHost, db: &Db) -> Arc<AccessEventLog> {
    let access_events = Arc::new(AccessEventLog::new(db.clone(), host.clock.clone()));
    let (counted, tasks) = (access_events.clone(), host.tasks.clone());
    host.tasks.spawn(async move {
        while !tasks.is_stopping() {
            tokio::select! {
                () = tokio::time::sleep(PAGE_VIEW_INTERVAL) => {}
                () = tasks.wait_until_stopping() => {}
            }
            let written = if tasks.is_stopping() { counted.flush_all_repeat_counts().await } else { counted.flush_due_repeat_counts().await };
            if let Err(cause) = written {
                tracing::warn!(%cause, "failed to write counts of repeated page views, sign-ins and rejected calls to the audit log, retrying; counts still unwritten at shutdown are lost");
            }
        }
    });
    access_events
}

/// Spawns the task that ends idle sessions every minute.
fn spawn_idle_expiry(host: &ServiceHost, db: &Db) {
    let (db, clock, identity) = (db.clone(), host.clock.clone(), host.identity.clone());
    host.tasks.spawn_repeating(IDLE_SESSION_INTERVAL, move || {
        let (db, clock, identity) = (db.clone(), clock.clone(), identity.clone());
        async move {
            if let Err(cause) = sessions::end_idle_sessions(&db, &clock, &identity).await {
                tracing::warn!(%cause, "failed to end idle sessions, retrying in a minute");
            }
        }
    });
}
