//! Cached progress of a campaign: vehicle counts and next vehicle. vehicle-svc writes the counts, and campaign-svc reads the
//! progress.
use crate::cache::CacheKey;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Time after which the cached progress of a campaign expires.
const CACHE_LIFETIME: Duration = Duration::from_secs(60);

/// Counters of one campaign over all of its yards. The cache stores the counters with the revision at which the counters were
/// read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CachedProgress {
    /// Number of vehicles of the campaign.
    pub total: i64,
    /// Number of inspected vehicles of the campaign.
    pub inspected: i64,
    /// Id of the first uninspected vehicle in walking order (by yard, then parking space); `None` when all vehicles are inspected.
    pub next: Option<i64>,
    /// Whether `next` and `in_dash` are valid. The service vehicle-svc caches only the counters `total` and `inspected`;
    /// campaign-svc requests `next` and `in_dash` later and adds both to the cache.
    pub next_known: bool,
    /// Whether the campaign has vehicles in yard `-` (parking spaces that begin with a dash), which operators do not see. Valid only when
    /// `next_known` is set.
    pub in_dash: bool,
}

/// Returns the cache key of a campaign's progress.
#[must_use]
pub fn cache_key(campaign_id: i64) -> CacheKey<CachedProgress> {
    CacheKey::new(format!("progress:{campaign_id}"), CACHE_LIFETIME)
}
