//! Harness for tests and benchmarks: starts Patio as one process, as separate services or as several replicas, and provides an HTTP
//! client.
//!
//! | part | use |
//! |---|---|
//! | [`Patio`] | a running Patio: one process, five processes, or several replicas of each |
//! | [`PatioBuilder`] | processes, databases, settings, executables and start command of a Patio |
//! | [`Client`] | signs in, imports workbooks, reads and saves vehicles, creates users, receives events |
//! | [`Postgres`], [`Redis`] | database servers that a test may stop, suspend and restart; both require passwords |
//! | [`Patroni`] | a cluster of three PostgreSQL servers whose primary a test may switch, kill, suspend or cut off |
//! | [`Database`], [`claim_empty_redis_database`] | an empty database on the servers given by environment variables |
//! | [`Process`], [`run_program`] | any other program: started and stopped, or run to completion |
//! | [`acquire_exclusive_slot`], [`acquire_heavy_test_slot`], [`acquire_light_test_slot`] | slots that control which tests run concurrently |
//! | [`wait_until`], [`find_free_port`] | wait for a condition; find a port to listen on |
//!
//! ```no_run
//! use patio_harness::Patio;
//! use serde_json::json;
//!
//! let patio = Patio::builder().with_setting("PATIO_LOG", "info").start();
//! let admin = patio.sign_in();
//! let campaign = admin.import_template_workbook();
//! let saved = admin.save_vehicle(campaign.vehicle_ids()[0], &json!({ "status": "ng" }));
//! assert_eq!(saved["version"], 2);
//! patio.stop();
//! ```
//!
//! The next test starts a PostgreSQL server, a Redis server and two replicas of each service, and then kills one replica:
//!
//! ```no_run
//! use patio_harness::{TestFolder, Patio, Postgres, Redis};
//!
//! let folder = TestFolder::create_temporary();
//! let postgres = Postgres::start(folder.path()).expect("PostgreSQL is installed");
//! let redis = Redis::start(folder.path()).expect("Redis is installed");
//! let mut patio = Patio::builder().with_replicas(2).with_postgres(&postgres.url()).with_redis(&redis.url()).start();
//! patio.replica_mut("vehicle-svc", 0).kill();
//! assert_eq!(patio.sign_in().call_route("GET", "/api/campaigns", &serde_json::Value::Null).status, 200);
//! ```
//!
//! # Programs
//! The executables are those that `cargo build --workspace` puts next to the test executable. [`PROGRAM_FOLDER_VARIABLE`] or
//! [`PatioBuilder::with_program_folder`] selects another folder, such as one with release builds.
//!
//! # Cleanup
//! Dropping a value kills its processes and removes its folders and databases. A cleanup shell ([`exit_cleanup`]) does the same when
//! the test process ends before a value is dropped, for example after an abort. Values in a `static` are never dropped, so the cleanup
//! shell always cleans up after these values. When a test panics, the last log lines of each process are printed.
//!
//! # Failures
//! The functions panic on failure. [`PatioBuilder::try_start`] and [`Process::start`] return errors instead, for programs that are not
//! tests.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

mod builder;
mod certificate_authority;
mod client;
mod database;
mod environment;
pub mod exit_cleanup;
mod folder;
mod patio;
mod patroni;
mod postgres;
mod process;
mod programs;
mod proxy;
mod redis;
mod test_slot;
mod wait;

pub use builder::PatioBuilder;
pub use certificate_authority::CertificateAuthority;
pub use client::{Client, EventStream, HttpResponse, ImportedCampaign, ServerSentEvent};
pub use database::Database;
pub use environment::{POSTGRES_URL_VARIABLE, PROGRAM_FOLDER_VARIABLE, REDIS_URL_VARIABLE, find_free_port};
pub use folder::TestFolder;
pub use patio::{Patio, Replica};
pub use patroni::Patroni;
pub use postgres::{DATABASE_PASSWORD, DATABASE_ROLE, Postgres};
pub use process::{LaunchConfig, Process, Signal, Spawner};
pub use programs::{ProgramOutput, program_path, run_program, run_program_with_input};
pub use redis::{REDIS_PASSWORD, Redis, claim_empty_redis_database};
pub use test_slot::{TestSlot, acquire_exclusive_slot, acquire_heavy_test_slot, acquire_light_test_slot};
pub use wait::wait_until;

/// Names of the services and the gateway, in the order in which the harness starts them.
pub const PROGRAM_NAMES: [&str; 5] = ["auth-svc", "campaign-svc", "vehicle-svc", "import-svc", "gateway"];

/// Login name (HMC) of the first supervisor.
pub const ADMIN_HMC: &str = "1000";
/// Password of the first supervisor.
pub const ADMIN_PASSWORD: &str = "adminpw-5Tg8Yh1j";
/// Password of the developer account, which exists in every Patio installation.
pub const DEVELOPER_PASSWORD: &str = "developerpw-8Bn3Mv7c";
/// Shared secret with which services authenticate to each other.
pub const SERVICE_SECRET: &str = "servicesecret-2Wd5Rf8k";
