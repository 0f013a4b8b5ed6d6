//! Operations on all vehicles of a campaign: import, deletion, delta synchronization, search index and progress.
//!
//! Name and status of a campaign belong to campaign-svc. Changes of single vehicles belong in `inspection`.

pub(crate) mod changes_since;
pub(crate) mod progress_publisher;
pub(crate) mod removal;
pub mod search_index;
pub(crate) mod vehicles;
