//! Shared library of the Patio services: configuration, start-up and shutdown, gRPC clients and servers,
//! authorization, errors, database, cache, audit log and telemetry.

mod atomic_instant;
pub mod audit;
pub mod auth;
pub mod cache;
pub mod campaign_progress_cache;
pub mod cli;
pub mod client;
pub mod client_network;
pub mod clock;
pub mod config;
mod database_state;
pub mod db;
pub mod errors;
pub mod hex;
pub mod lifecycle;
pub mod pagination;
pub mod private_files;
pub mod pubsub;
pub mod server;
pub mod service_host;
pub mod telemetry;
pub mod tls;
pub mod user_activity;
pub mod version;
