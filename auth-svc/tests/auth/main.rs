//! Integration tests of auth-svc, on SQLite and PostgreSQL.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]
mod crashes;
mod devices;
mod lockout;
mod lockout_counters;
mod lockout_places;
mod lockout_stores;
mod maintenance;
mod office;
mod own_account;
mod people;
mod privacy;
mod processes;
mod replicas;
mod rotation;
mod sealed;
mod sign_in;
mod starting;
mod timing;
mod tokens;
mod unused;
