//! campaign-svc through its own calls, on each database, with a double of vehicle-svc beside it.
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
