//! Integration tests of import-svc, on SQLite and PostgreSQL and with the real reader process.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]
mod awkward_files;
mod bombs;
mod cancelling;
mod common;
mod files;
mod fuzzing;
mod imports;
mod rejected;
mod sandbox;
mod sheet_rules;
mod watching;
