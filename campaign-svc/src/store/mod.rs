//! SQL statements of campaign-svc, grouped into one module per purpose.
mod campaigns;
mod dialect;
mod drafts;
mod sync_state;
mod tombstones;

pub use campaigns::{
    CampaignFilter, count, find, is_name_taken, list_page, list_page_by_active_users, lock_for_update, save, save_status_after_milestone,
};
pub use drafts::{NewDraft, find_by_import, insert, publish, record_heartbeat};
pub use sync_state::{begin_resync, list_unsynced, record_acknowledged_revision, reserve_revision};
pub use tombstones::{expire_stale_drafts, is_deleted, list_stale_tombstones, mark_deleted, purge};

/// Column list for selecting a [`crate::campaign::Campaign`]. The list names each column, because with `select *` a later
/// migration that adds a column would break running replicas.
macro_rules! columns {
    () => {
        "id, name, description, part, model_type, image, status, state, created_by, modified_by, created_at, modified_at,
         touched_at, revision, synced_revision, turn_revision, due_at"
    };
}
use columns;
