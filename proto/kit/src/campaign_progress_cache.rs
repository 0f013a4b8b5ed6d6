//! Cached progress of a campaign: vehicle counts and the next vehicle to inspect. vehicle-svc writes the counts; campaign-svc adds
//! the next vehicle and reads the progress.
use crate::cache::CacheKey;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Time after which the cached progress of a campaign expires, counted from its last write.
const CACHE_LIFETIME: Duration = Duration::from_secs(60);

/// Progress of one campaign over all of its yards. The cache stores the progress with the campaign's revision number, so that
/// an older value never replaces a newer one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CachedCampaignProgress {
    /// Number of vehicles of the campaign.
    pub total: i64,
    /// Number of inspected vehicles of the campaign.
    pub inspected: i64,
    /// Id of the first uninspected vehicle in walking order (by yard, then parking space); `None` when all vehicles are inspected.
    pub next: Option<i64>,
    /// Whether `next` and `in_dash` are valid. `false` after a save, because vehicle-svc then caches only `total` and `inspected`;
    /// campaign-svc later loads and caches all fields.
    pub next_known: bool,
    /// Whether the campaign has vehicles in yard `-`, the yard of all parking spaces that begin with a dash. Operators do not see these
    /// vehicles. Valid only when `next_known` is `true`.
    pub in_dash: bool,
}

/// Returns the cache key of a campaign's progress.
#[must_use]
pub fn campaign_progress_cache_key(campaign_id: i64) -> CacheKey<CachedCampaignProgress> {
    CacheKey::new(format!("progress:{campaign_id}"), CACHE_LIFETIME)
}
