//! Integration tests of vehicle-svc on SQLite and PostgreSQL.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]
mod activity;
mod audit;
mod bulk_preview;
mod bulk_rules;
mod campaigns;
mod chain;
mod changes;
mod conflicts;
mod dash;
mod editing;
mod held;
mod history;
mod inspection;
mod jobs;
mod keys;
mod lists;
mod live;
mod months;
mod search;
mod statements;
mod together;
mod undone_imports;
mod yard;
