//! Test support for all services: a [`ServiceHost`] on each database, callers with tokens, and test settings.
pub mod flood;
mod own_process;
pub mod statements;

pub use own_process::runs_alone;

use chrono::TimeDelta;
use clap::Parser;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use patio_kit::{
    auth::identity::{Claims, TOKEN_ISSUER},
    client::call_context::CallContext,
    config::{ListenAddress, Settings, secret::Secret},
    service_host::ServiceHost,
};
use patio_proto::{access::Role, role};
use ring::signature::{Ed25519KeyPair, KeyPair};
use sqlx::{Connection, Executor, PgConnection};
use std::{io::Write, path::Path, sync::LazyLock, time::Duration};

/// Environment variable with the URL of a PostgreSQL server on which tests may create databases.
pub const POSTGRES: &str = "PATIO_TEST_POSTGRES";
/// Environment variable with the URL of a Redis server for tests.
pub const REDIS: &str = "PATIO_TEST_REDIS";
/// Environment variable with the number of rounds of randomized tests. Without the variable, each test uses its own small number.
pub const ROUNDS: &str = "PATIO_TEST_ROUNDS";
/// Environment variable that enables the long form of some tests when it is `1`. The long form takes minutes and prints measurements.
pub const LONG: &str = "PATIO_TEST_LONG";

struct TestKey {
    private: EncodingKey,
    public: Vec<u8>,
}

#[expect(clippy::expect_used, reason = "a test without a key has to fail")]
static KEY: LazyLock<TestKey> = LazyLock::new(|| {
    let document = Ed25519KeyPair::generate_pkcs8(&ring::rand::SystemRandom::new()).expect("random bytes");
    let pair = Ed25519KeyPair::from_pkcs8(document.as_ref()).expect("a fresh key");
    TestKey { private: EncodingKey::from_ed_der(document.as_ref()), public: pair.public_key().as_ref().to_vec() }
});

#[derive(Parser)]
struct Bare {
    #[command(flatten)]
    settings: Settings,
}

/// Runs a test on a fresh `SQLite` database, and on a fresh `PostgreSQL` one when [`POSTGRES`] is set.
///
/// # Panics
/// Panics when a database cannot be created.
#[expect(clippy::expect_used, reason = "a test without a database has to fail")]
pub async fn each_database<F: AsyncFn(ServiceHost)>(test: F) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    test(host(folder.path(), None).await).await;
    let Some(server) = from_environment(POSTGRES) else {
        print_to_stderr(&format!("{POSTGRES} is not set: PostgreSQL skipped"));
        return;
    };
    let name = format!("patio_{}", uuid::Uuid::now_v7().simple());
    let mut admin = PgConnection::connect(&server).await.expect("the PostgreSQL server");
    admin.execute(sqlx::AssertSqlSafe(format!("create database {name}"))).await.expect("a database");
    let (base, _) = server.rsplit_once('/').expect("a URL with a database");
    test(host(folder.path(), Some(format!("{base}/{name}"))).await).await;
    let _ = admin.execute(sqlx::AssertSqlSafe(format!("drop database {name} with (force)"))).await;
}

/// Creates a [`ServiceHost`] that accepts the test tokens of [`bearer`]. Without `database_url`, uses `SQLite` files in `folder`.
///
/// # Panics
/// Panics when the host cannot be created.
pub async fn host(folder: &Path, database_url: Option<String>) -> ServiceHost {
    host_on(folder, database_url, None).await
}

/// Creates a [`ServiceHost`] as [`host`] does, with a Redis server when `redis_url` is given.
///
/// Several hosts on one Redis server act as replicas of a service.
///
/// # Panics
/// Panics when the host cannot be created.
#[expect(clippy::expect_used, reason = "a test without a host has to fail")]
pub async fn host_on(folder: &Path, database_url: Option<String>, redis_url: Option<String>) -> ServiceHost {
    let mut settings = Bare::parse_from(["test"]).settings;
    settings.data_dir = folder.to_owned();
    settings.database_url = database_url.map(Secret::from);
    settings.redis_url = redis_url.map(Secret::from);
    settings.service_secret = Secret::from("the secret of tests".to_owned());
    settings.admin_listen = ListenAddress(None);
    settings.allow_data_loss = true; // a test server may run with `fsync = off`
    let host = ServiceHost::with_local_services(settings).await.expect("a host");
    host.identity.replace_signing_keys([("test".to_owned(), KEY.public.clone())]);
    host
}

/// Returns the value of an environment variable, or `None` when it is unset or empty.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "only tests read the addresses of the test servers")]
pub fn from_environment(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Returns the number of rounds of a randomized test: the value of [`ROUNDS`], or `short` when the variable is unset or not a number.
#[must_use]
pub fn rounds(short: usize) -> usize {
    from_environment(ROUNDS).and_then(|value| value.parse().ok()).unwrap_or(short)
}

fn is_long() -> bool {
    from_environment(LONG).is_some_and(|value| value == "1")
}

/// Returns `true` when [`LONG`] asks for the long form of tests. Otherwise prints a hint with the name `test` to standard error.
#[must_use]
pub fn long(test: &str) -> bool {
    let long = is_long();
    if !long {
        print_to_stderr(&format!("{test}: the long form runs with {LONG}=1"));
    }
    long
}

/// Timeout of test calls that read or change many rows, for which the default of 2.8 seconds is too short on a busy machine. With a longer
/// timeout, a call counts as long-running and is aborted when the database responds slowly.
pub const LONG_CALL_TIMEOUT: Duration = Duration::from_secs(15);

/// Returns the maximum time that a test waits for an event that has to happen within the time `promised`.
///
/// The long form allows exactly that time. The short form allows three times as much, since it runs next to other tests
/// on a machine of any speed.
#[must_use]
pub fn patience(promised: Duration) -> Duration {
    if is_long() { promised } else { promised * 3 }
}

/// Prints a line to standard error, which the test runner shows even when it captures `println!`.
pub fn print_to_stderr(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Creates the context of a call by a user, with a token that `host` accepts. For the role `Service`, the caller is a service.
///
/// # Panics
/// Panics when the token cannot be signed.
#[must_use]
pub fn bearer(host: &ServiceHost, user_id: i64, as_role: Role) -> CallContext {
    CallContext::new(Some(&token(host, user_id, as_role)), "test", "192.0.2.1")
}

/// Creates a signed access token for a user or a service, valid for one hour.
///
/// # Panics
/// Panics when the token cannot be signed.
#[must_use]
#[expect(clippy::expect_used, reason = "a test without a token has to fail")]
pub fn token(host: &ServiceHost, user_id: i64, as_role: Role) -> String {
    let now = host.clock.now();
    let claims = Claims {
        iss: TOKEN_ISSUER.to_owned(),
        sub: if as_role == Role::Service { "service:test".to_owned() } else { user_id.to_string() },
        role: role::role_text(as_role).to_owned(),
        sid: uuid::Uuid::now_v7().to_string(),
        iat: now.timestamp(),
        iat_ms: now.timestamp_millis(),
        exp: (now + TimeDelta::hours(1)).timestamp(),
        chg: false,
    };
    let mut header = Header::new(Algorithm::EdDSA);
    header.kid = Some("test".to_owned());
    jsonwebtoken::encode(&header, &claims, &KEY.private).expect("a signed token")
}
