//! Starts Patio for tests and for the bench, in any form, and gives a client that calls it.
//!
//! | part | use |
//! |---|---|
//! | [`Patio`] | a running Patio: one process, five processes, or replicas of each |
//! | [`Builder`] | its form, databases, settings, programs and start command |
//! | [`Client`] | signs in, imports workbooks, reads and saves vehicles, creates people, follows events |
//! | [`Postgres`], [`Redis`] | servers that a test may stop, suspend and restart; both require passwords |
//! | [`Database`], [`redis_database`] | a fresh database on the servers that the environment names |
//! | [`Process`], [`run`] | any other program: started and stopped, or run to its end |
//! | [`exclusive`], [`heavy`], [`shared`] | which tests of one test program may run at the same time |
//! | [`until`], [`free_port`] | waiting for a condition, and a port to listen on |
//!
//! ```no_run
//! use patio_harness::Patio;
//! use serde_json::json;
//!
//! let patio = Patio::builder().setting("PATIO_LOG", "info").start();
//! let admin = patio.sign_in();
//! let campaign = admin.import_template();
//! let saved = admin.save(campaign.vehicle_ids()[0], &json!({ "status": "ng" }));
//! assert_eq!(saved["version"], 2);
//! patio.stop();
//! ```
//!
//! Two replicas of each service on servers of the test's own, one of which is killed:
//!
//! ```no_run
//! use patio_harness::{Folder, Patio, Postgres, Redis};
//!
//! let folder = Folder::temporary();
//! let postgres = Postgres::start(folder.path()).expect("PostgreSQL is installed");
//! let redis = Redis::start(folder.path()).expect("Redis is installed");
//! let mut patio = Patio::builder().replicas(2).postgres(&postgres.url()).redis(&redis.url()).start();
//! patio.replica_mut("vehicle-svc", 0).kill();
//! assert_eq!(patio.sign_in().call("GET", "/api/campaigns", &serde_json::Value::Null).status, 200);
//! ```
//!
//! # Programs
//! Programs are those that `cargo build --workspace` puts beside the test program. [`PROGRAMS`] or [`Builder::programs`] names
//! another folder, such as one with shipped programs.
//!
//! # What is left behind
//! Nothing: `Drop` kills processes and removes folders and databases. A [`lifeline`] does the same when the test program ends
//! without dropping them, as after an abort or for values in a `static`. The last log lines of each process are printed when
//! a test panics.
//!
//! Failures panic, as in any test. [`Builder::try_start`] and [`Process::start`] return errors for programs that are not tests.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

mod builder;
mod client;
mod database;
mod environment;
mod folder;
pub mod lifeline;
mod machine;
mod patio;
mod postgres;
mod process;
mod programs;
mod redis;
mod wait;

pub use builder::Builder;
pub use client::{Answer, Campaign, Client, Event, Events};
pub use database::Database;
pub use environment::{POSTGRES, PROGRAMS, REDIS, free_port};
pub use folder::Folder;
pub use machine::{Turn, exclusive, heavy, shared};
pub use patio::{Patio, Replica};
pub use postgres::{DATABASE_PASSWORD, DATABASE_ROLE, Postgres};
pub use process::{Launch, Process, Signal, Spawner};
pub use programs::{Output, program, run};
pub use redis::{REDIS_PASSWORD, Redis, redis_database};
pub use wait::until;

/// The services and the gateway, those that others call first.
pub const SERVICES: [&str; 5] = ["auth-svc", "campaign-svc", "vehicle-svc", "import-svc", "gateway"];

/// The HMC of the first supervisor.
pub const ADMIN_HMC: &str = "1000";
/// The password of the first supervisor.
pub const ADMIN_PASSWORD: &str = "adminpw-5Tg8Yh1j";
/// The password of the developer account.
pub const DEVELOPER_PASSWORD: &str = "developerpw-8Bn3Mv7c";
/// What separate services prove themselves to each other with.
pub const SERVICE_SECRET: &str = "servicesecret-2Wd5Rf8k";
