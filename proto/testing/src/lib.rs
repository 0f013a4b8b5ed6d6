//! The tests of every service share this crate: a host on each database, and callers with tokens.
pub mod flood;
mod own_process;
pub mod statements;

pub use own_process::runs_alone;

use chrono::TimeDelta;
use clap::Parser;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use patio_kit::{
    config::{Listen, Settings},
    host::Host,
    identity::{Claims, ISSUER},
    link::Bearer,
    secret::Secret,
};
use patio_proto::{access::Role, role};
use ring::signature::{Ed25519KeyPair, KeyPair};
use sqlx::{Connection, Executor, PgConnection};
use std::{io::Write, path::Path, sync::LazyLock, time::Duration};

/// Where tests find a PostgreSQL server on which they may make databases.
pub const POSTGRES: &str = "PATIO_TEST_POSTGRES";
/// Where tests find a Redis server.
pub const REDIS: &str = "PATIO_TEST_REDIS";
/// How many rounds the tests go that draw on chance; each has a short form of its own.
pub const ROUNDS: &str = "PATIO_TEST_ROUNDS";
/// Set to 1 for the long forms: those that take minutes, and print what they measured.
pub const LONG: &str = "PATIO_TEST_LONG";

struct TestKey {
    private: EncodingKey,
    public: Vec<u8>,
}

#[expect(clippy::expect_used, reason = "a test without a key cannot go on")]
static KEY: LazyLock<TestKey> = LazyLock::new(|| {
    let document = Ed25519KeyPair::generate_pkcs8(&ring::rand::SystemRandom::new()).expect("chance");
    let pair = Ed25519KeyPair::from_pkcs8(document.as_ref()).expect("a fresh key");
    TestKey { private: EncodingKey::from_ed_der(document.as_ref()), public: pair.public_key().as_ref().to_vec() }
});

#[derive(Parser)]
struct Bare {
    #[command(flatten)]
    settings: Settings,
}

/// Runs a test on `SQLite`, and on `PostgreSQL` when [`POSTGRES`] names a server, each with a fresh database.
///
/// # Panics
/// When a database cannot be made.
#[expect(clippy::expect_used, reason = "a test without a database cannot go on")]
pub async fn each_database<F: AsyncFn(Host)>(test: F) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    test(host(folder.path(), None).await).await;
    let Some(server) = from_environment(POSTGRES) else {
        tell(&format!("{POSTGRES} is not set: PostgreSQL skipped"));
        return;
    };
    let name = format!("patio_{}", uuid::Uuid::now_v7().simple());
    let mut admin = PgConnection::connect(&server).await.expect("the PostgreSQL server");
    admin.execute(sqlx::AssertSqlSafe(format!("create database {name}"))).await.expect("a database");
    let (base, _) = server.rsplit_once('/').expect("a URL with a database");
    test(host(folder.path(), Some(format!("{base}/{name}"))).await).await;
    let _ = admin.execute(sqlx::AssertSqlSafe(format!("drop database {name} with (force)"))).await;
}

/// A host on whose identity the people of [`bearer`] are known.
///
/// # Panics
/// When it cannot be made.
pub async fn host(folder: &Path, database_url: Option<String>) -> Host {
    host_on(folder, database_url, None).await
}

/// The same, one of several replicas when it is told of a Redis server.
///
/// # Panics
/// When it cannot be made.
#[expect(clippy::expect_used, reason = "a test without a host cannot go on")]
pub async fn host_on(folder: &Path, database_url: Option<String>, redis_url: Option<String>) -> Host {
    let mut settings = Bare::parse_from(["test"]).settings;
    settings.data_dir = folder.to_owned();
    settings.database_url = database_url.map(Secret::from);
    settings.redis_url = redis_url.map(Secret::from);
    settings.service_secret = Secret::from("the secret of tests".to_owned());
    settings.admin_listen = Listen(None);
    settings.may_lose_saves = true; // a test server need not wait for its disk
    let host = Host::local(settings).await.expect("a host");
    host.identity.set_keys([("test".to_owned(), KEY.public.clone())]);
    host
}

/// A variable of the environment; none when unset or empty.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "where the test servers are is told to tests only")]
pub fn from_environment(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// How many rounds a test goes: as many as [`ROUNDS`] says, else `short`.
#[must_use]
pub fn rounds(short: usize) -> usize {
    from_environment(ROUNDS).and_then(|told| told.parse().ok()).unwrap_or(short)
}

fn is_long() -> bool {
    from_environment(LONG).is_some_and(|told| told == "1")
}

/// Whether a test takes its long form; says so on standard error when it does not.
#[must_use]
pub fn long(test: &str) -> bool {
    let long = is_long();
    if !long {
        tell(&format!("{test}: the long form runs with {LONG}=1"));
    }
    long
}

/// How long may be waited for what is promised within a time: that time in the long form, three times as long in the short
/// one, which runs beside other tests on a machine of any speed.
#[must_use]
pub fn patience(promised: Duration) -> Duration {
    if is_long() { promised } else { promised * 3 }
}

/// Tells a figure or a reason to whoever runs the tests, as `println!` may be kept back.
pub fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// A person, or a service with role `Service`, to call as on a [`host`].
///
/// # Panics
/// When the token cannot be signed.
#[must_use]
pub fn bearer(host: &Host, user_id: i64, as_role: Role) -> Bearer {
    Bearer::new(Some(&token(host, user_id, as_role)), "test", "192.0.2.1")
}

/// The token behind [`bearer`].
///
/// # Panics
/// When it cannot be signed.
#[must_use]
#[expect(clippy::expect_used, reason = "a test without a token cannot go on")]
pub fn token(host: &Host, user_id: i64, as_role: Role) -> String {
    let now = host.clock.now();
    let claims = Claims {
        iss: ISSUER.to_owned(),
        sub: if as_role == Role::Service { "service:test".to_owned() } else { user_id.to_string() },
        role: role::text(as_role).to_owned(),
        sid: uuid::Uuid::now_v7().to_string(),
        iat: now.timestamp(),
        iat_ms: now.timestamp_millis(),
        exp: (now + TimeDelta::hours(1)).timestamp(),
    };
    let mut header = Header::new(Algorithm::EdDSA);
    header.kid = Some("test".to_owned());
    jsonwebtoken::encode(&header, &claims, &KEY.private).expect("a signed token")
}
