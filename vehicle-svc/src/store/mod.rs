//! Database access of vehicle-svc: all SQL statements of the service.

pub mod activity;
pub mod batch_update;
pub mod campaigns;
pub mod changes;
pub mod conflicts;
pub mod content;
pub mod copy_vehicles;
pub mod counters;
pub mod dialect;
pub mod idempotency_keys;
pub mod job_snapshots;
pub mod jobs;
mod json_rows;
pub mod pending_saves;
pub mod progress_outbox;
pub mod restore;
mod save_sql;
pub mod saves;
pub mod status_history;
pub mod status_targets;
mod upserts;
pub mod vehicle_columns;
pub mod vehicle_lookup;
pub mod vehicles;
pub mod work_pace;
pub mod yards;
