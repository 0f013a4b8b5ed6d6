//! What import-svc promises, on both databases and with the real reading process.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]
mod awkward_files;
mod bombs;
mod cancelling;
mod common;
mod files;
mod fuzzing;
mod imports;
mod rejected;
mod sheet_rules;
mod watching;
