//! How far a campaign is, as vehicle-svc leaves it in the cache and campaign-svc reads it.
use crate::cache::Key;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How long an entry is believed when nothing newer is put over it.
const KEEP: Duration = Duration::from_secs(60);

/// The counters of one campaign over all of its yards, put with the revision they were read at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Vehicles.
    pub total: i64,
    /// Of these, inspected ones.
    pub inspected: i64,
    /// The first vehicle in walking order that is not inspected; none when all are.
    pub next: Option<i64>,
    /// Whether `next` was looked up; the commit that moves the counters leaves that to a reader.
    pub next_known: bool,
    /// Whether vehicles stand in the yard of the dash, which operators do not see; known when `next` is.
    pub in_dash: bool,
}

/// Where the progress of a campaign is held.
#[must_use]
pub fn key(campaign_id: i64) -> Key<Progress> {
    Key::new(format!("progress:{campaign_id}"), KEEP)
}
