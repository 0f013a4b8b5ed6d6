//! What auth-svc promises, on both databases.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]
mod lockout;
mod office;
mod own_account;
mod people;
mod replicas;
mod sign_in;
mod starting;
mod tokens;
