//! Operations on all vehicles of a campaign: import, deletion, delta synchronization, search index and progress.
//!
//! campaign-svc stores the name and the status of a campaign. `inspection` contains changes of single vehicles.

pub(crate) mod deletion;
pub(crate) mod delta_sync;
pub(crate) mod progress_publisher;
pub mod search_index;
pub(crate) mod vehicles;
