//! Integration tests of campaign-svc through its gRPC calls, on SQLite and PostgreSQL, with a fake vehicle-svc.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]
mod access;
mod closing;
mod deleting;
mod drafts;
mod listing;
mod progress;
mod saving;
mod statements;
mod steps;
mod support;
mod turns;
