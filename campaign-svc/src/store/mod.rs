//! SQL statements of campaign-svc, grouped into one module per purpose.
mod campaigns;
mod dialect;
mod drafts;
mod sync_state;
mod tombstones;

pub use campaigns::{
    CampaignFilter, count_campaigns, find_published_campaign, is_campaign_name_taken, list_campaigns_by_recent_saves,
    list_campaigns_newest_first, lock_campaign_for_update, save_campaign, save_status_from_milestone,
};
pub use drafts::{NewDraft, find_campaign_by_import_id, insert_draft, publish_draft, record_draft_heartbeat};
pub use sync_state::{begin_resync, list_unsynced_campaign_ids, record_acknowledged_revision, reserve_revision};
pub use tombstones::{is_campaign_deleted, list_stale_tombstones, mark_campaign_deleted, mark_stale_drafts_deleted, purge_tombstone};

/// Column list for selecting a [`crate::campaign::Campaign`]. The list names each column, because with `select *` a later
/// migration that adds a column would break running replicas.
macro_rules! columns {
    () => {
        "id, name, description, part, model_type, image, status, state, created_by, modified_by, created_at, modified_at,
         touched_at, revision, synced_revision, turn_revision, due_at"
    };
}
use columns;
