//! SQL statements of campaign-svc, grouped into one module per purpose.
mod campaigns;
mod dialect;
mod drafts;
mod sync_state;
mod tombstones;

pub use campaigns::{
    CampaignFilter, count_campaigns, find_campaign, is_name_taken, list_page, list_page_by_recent_saves, lock_for_update, save_campaign,
    save_status_after_milestone,
};
pub use drafts::{NewDraft, find_campaign_by_import, insert_draft, publish_draft, record_draft_heartbeat};
pub use sync_state::{begin_resync, list_unsynced_campaign_ids, record_acknowledged_revision, reserve_revision};
pub use tombstones::{expire_stale_drafts, is_deleted, list_stale_tombstones, mark_deleted, purge_tombstone};

/// Column list for selecting a [`crate::campaign::Campaign`]. The list names each column, because with `select *` a later
/// migration that adds a column would break running replicas.
macro_rules! columns {
    () => {
        "id, name, description, part, model_type, image, status, state, created_by, modified_by, created_at, modified_at,
         touched_at, revision, synced_revision, turn_revision, due_at"
    };
}
use columns;
