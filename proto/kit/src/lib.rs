//! What keeps a Patio service to its contract: configuration, lifecycle, links, identity, access,
//! errors, database, cache, audit and clock, the same for all services.

pub mod access;
pub mod audit;
pub mod balance;
pub mod cache;
pub mod clock;
pub mod command;
pub mod config;
pub mod crypto;
pub mod db;
pub mod doctor;
pub mod errors;
pub mod feed;
mod flush;
pub mod host;
pub mod identity;
pub mod lifecycle;
pub mod lines;
pub mod link;
pub mod page;
pub mod private;
pub mod probe;
pub mod progress;
pub mod secret;
pub mod server;
pub mod telemetry;
pub mod tokens;
mod writer;
