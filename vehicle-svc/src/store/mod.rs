//! Database access of vehicle-svc: all SQL statements of the service.

pub mod activity_counts;
pub mod backup_restore;
pub mod bulk_insert_vehicles;
pub mod bulk_update_vehicles;
pub mod campaigns;
pub mod change_list;
pub mod conflicts;
pub mod counters;
pub mod dialect;
pub mod editable_fields;
pub mod idempotency_keys;
pub mod inspection_pace;
pub mod job_snapshots;
pub mod jobs;
mod json_rows;
pub mod milestone_outbox;
pub mod pending_saves;
mod save_sql;
pub mod saves;
pub mod status_change_targets;
pub mod status_history;
mod upserts;
pub mod vehicle_columns;
pub mod vehicle_lookup;
pub mod vehicles;
pub mod yards;
