//! Who people are, and whether they may come in: users, sessions, tokens, the lockout.

pub mod api;
pub mod config;
pub mod door;
pub mod error;
pub mod first;
pub mod hmc;
pub mod keys;
pub mod lockout;
pub mod password;
pub mod people;
pub mod sessions;
pub mod signing;
pub mod store;

pub use config::Config;

use api::{
    sessions::Sessions,
    tokens::{Guesses, Tokens},
    users::Users,
};
use axum::Router;
use chrono::TimeDelta;
use door::Door;
use error::Error;
use futures::{FutureExt, TryFutureExt};
use keys::Keys;
use lockout::Lockout;
use password::Passwords;
use patio_kit::{
    audit::AuditLog,
    command::Program,
    db::{Db, Schema},
    host::Host,
    link::Link,
    server::{Builder, LARGEST_MESSAGE, Service},
    telemetry,
};
use patio_proto::{
    audit::audit_service_server::AuditServiceServer,
    auth::{
        session_service_server::SessionServiceServer, token_service_server::TokenServiceServer, user_service_server::UserServiceServer,
    },
};
use people::People;
use sqlx::migrate::Migrator;
use std::{
    future::ready,
    sync::{Arc, OnceLock},
    time::Duration,
};
use store::revocations::{self, Revocation};

static SQLITE: Migrator = sqlx::migrate!("migrations/sqlite");
static POSTGRES: Migrator = sqlx::migrate!("migrations/postgres");
/// The tables of auth-svc.
pub const SCHEMA: Schema = Schema { name: "auth", sqlite: &SQLITE, postgres: &POSTGRES };
/// How often what has no effect any more is forgotten.
const TIDY_EVERY: Duration = Duration::from_secs(3600);

/// How often it is told how many wait to sign in.
const MEASURED_EVERY: Duration = Duration::from_secs(1);

/// How often sessions that nobody uses are looked for.
const UNUSED_EVERY: Duration = Duration::from_secs(60);

/// auth-svc as a program of its own.
pub struct Auth;

impl Program for Auth {
    const NAME: &'static str = "auth-svc";
    const LISTEN: &'static str = "127.0.0.1:50051";
    const SCHEMA: Schema = SCHEMA;
    type Config = Config;

    async fn start(config: Config, host: &Host) -> anyhow::Result<Service> {
        start(config, host).await
    }
}

/// Starts auth-svc.
///
/// # Errors
/// When the database cannot be used or the configuration cannot be taken.
pub async fn start(config: Config, host: &Host) -> anyhow::Result<Service> {
    start_with(config, host, Passwords::default()).await
}

/// Starts auth-svc with a bound on hashing that the caller can watch or share.
///
/// # Errors
/// As [`start`].
pub async fn start_with(config: Config, host: &Host, passwords: Passwords) -> anyhow::Result<Service> {
    let (host, own) = &knowing_itself(host);
    let db = host.database(SCHEMA).await?;
    let notices = first::prepare(host, &db, &config, &passwords).await?;
    let keys = host.once_there(|| known(&config, host, &db, &passwords).map_err(Error::told).boxed()).await?;
    let people = people(&config, host, db.clone(), passwords.clone());
    let tokens = tokens(host, db.clone(), keys.clone());
    let door = Arc::new(door(&config, host, db.clone(), keys, passwords));
    measure(host, door.passwords.clone());
    tidy(host, door.clone());
    end_unused(host, &db);
    let service = Builder::new(Auth::NAME, host)
        .with(SessionServiceServer::new(Sessions { door: door.clone(), tasks: host.tasks.clone() }))
        .with(
            UserServiceServer::new(Users { people, door })
                .max_decoding_message_size(LARGEST_MESSAGE)
                .max_encoding_message_size(LARGEST_MESSAGE),
        )
        .with(TokenServiceServer::new(tokens))
        .with(AuditServiceServer::new(AuditLog { db: db.clone() }))
        .build(db, notices)
        .await?;
    let _ = own.set(service.router.clone());
    Ok(service)
}

/// Reads what a process knows without asking: which hashes there are, keys, revocations.
async fn known(config: &Config, host: &Host, db: &Db, passwords: &Passwords) -> Result<Arc<Keys>, Error> {
    passwords.follow(&store::users::hashes(db).await?);
    signing::turn_over(db, host.clock.now(), TimeDelta::days(config.key_days)).await?;
    let keys = Keys::read(db, &host.clock).await?;
    keys.signing.tell(&host.identity);
    let revoked = revocations::after(db, 0, host.clock.now()).await?;
    host.identity.revoke(&revoked.into_iter().map(Revocation::wire).collect::<Vec<_>>());
    Ok(Arc::new(keys))
}

/// The host as auth-svc sees it when it runs alone: keys and revocations come from itself.
///
/// Asking over the network would make it wait for its own readiness, as a name leads to ready replicas only.
fn knowing_itself(host: &Host) -> (Host, Arc<OnceLock<Router>>) {
    let (mut host, own) = (host.clone(), Arc::default());
    if matches!(host.links.auth, Link::Remote(_)) {
        host.links.auth = Link::Local(Arc::clone(&own));
    }
    (host, own)
}

fn tokens(host: &Host, db: Db, keys: Arc<Keys>) -> Tokens {
    let (clock, identity) = (host.clock.clone(), host.identity.clone());
    Tokens { db, clock, keys, identity, secret: host.settings.service_secret.clone(), guesses: Guesses::default() }
}

fn people(config: &Config, host: &Host, db: Db, passwords: Passwords) -> People {
    People { db, clock: host.clock.clone(), identity: host.identity.clone(), passwords, developer_key: hmc::key(&config.developer_hmc) }
}

fn door(config: &Config, host: &Host, db: Db, keys: Arc<Keys>, passwords: Passwords) -> Door {
    Door {
        lockout: Lockout::new(&host.cache, db.clone(), host.clock.clone()),
        db,
        clock: host.clock.clone(),
        identity: host.identity.clone(),
        keys,
        passwords,
        lives: TimeDelta::hours(config.token_hours),
        key_life: TimeDelta::days(config.key_days),
    }
}

/// Tells the metrics every second how many wait to sign in.
fn measure(host: &Host, passwords: Passwords) {
    host.tasks.repeat(MEASURED_EVERY, move || {
        metrics::gauge!("patio_sign_ins_waiting").set(telemetry::count(passwords.waiting()));
        ready(())
    });
}

/// Forgets every hour what has no effect any more, and looks after the signing keys.
fn tidy(host: &Host, door: Arc<Door>) {
    host.tasks.repeat(TIDY_EVERY, move || {
        let door = door.clone();
        async move {
            if let Err(cause) = door.tidy().await {
                tracing::warn!(%cause, "what is due was not forgotten, or the signing key not succeeded");
            }
        }
    });
}

/// Ends every minute the sessions that nobody uses.
fn end_unused(host: &Host, db: &Db) {
    let (db, clock, identity) = (db.clone(), host.clock.clone(), host.identity.clone());
    host.tasks.repeat(UNUSED_EVERY, move || {
        let (db, clock, identity) = (db.clone(), clock.clone(), identity.clone());
        async move {
            if let Err(cause) = sessions::end_unused(&db, &clock, &identity).await {
                tracing::warn!(%cause, "sessions that nobody uses were not ended");
            }
        }
    });
}
