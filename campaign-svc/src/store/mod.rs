//! All the SQL of campaign-svc.
mod campaigns;
mod dialect;
mod drafts;
mod ends;
mod told;

pub use campaigns::{Filter, count, find, hold, name_is_taken, note_turn, page, save};
pub use drafts::{NewDraft, insert, of_import, publish, touch};
pub use ends::{bury, erase, is_buried, overdue, silent};
pub use told::{acknowledged, raise, reserve, untold};

/// The columns of [`crate::campaign::Campaign`], named so that a column added later harms no running replica.
macro_rules! columns {
    () => {
        "id, name, description, part, model_type, image, status, state, created_by, modified_by, created_at, modified_at,
         touched_at, revision, synced_revision, turn_revision"
    };
}
use columns;
