//! Progress counters of campaigns (all and inspected vehicles), read from the cache, or from vehicle-svc when the cache has no entry.
use crate::{error::Error, request_context::RequestContext, vehicle_client::VehicleClient};
use futures::future::join_all;
use patio_kit::{
    cache::Cache,
    campaign_progress_cache::{self, CachedCampaignProgress},
};
use patio_proto::{access::Role, vehicle as pb};
use std::{collections::HashMap, time::Duration};
use tokio::time::timeout;

/// Maximum time for which a response with campaigns waits for the progress counters from vehicle-svc.
const PROGRESS_TIMEOUT: Duration = Duration::from_millis(1500);

/// Reads the numbers of all vehicles and of inspected vehicles of campaigns, and caches these counters. Clones share the cache.
#[derive(Clone)]
pub struct ProgressReader {
    /// Cache shared with vehicle-svc, which updates the counters with every save. `None` when the services share no cache.
    cache: Option<Cache>,
    vehicles: VehicleClient,
}

impl ProgressReader {
    pub fn new(cache: Option<Cache>, vehicles: VehicleClient) -> Self {
        Self { cache, vehicles }
    }

    /// Returns the progress of one campaign in the given yard, or in all yards when `yard` is `None`.
    pub async fn get(&self, context: &RequestContext, id: i64, yard: Option<i32>) -> Result<CachedCampaignProgress, Error> {
        Ok(self.get_many(context, &[id], yard).await?.remove(&id).unwrap_or_default())
    }

    /// Returns the progress of several campaigns in the given yard, or in all yards, with at most one call to vehicle-svc.
    ///
    /// The cache contains only totals over all yards, so the progress in one yard always needs the call. Operators also need the
    /// call for campaigns with vehicles in the yard '-' (parking spaces that begin with a dash), because these vehicles are
    /// hidden from operators.
    pub async fn get_many(
        &self,
        context: &RequestContext,
        ids: &[i64],
        yard: Option<i32>,
    ) -> Result<HashMap<i64, CachedCampaignProgress>, Error> {
        let mut known = self.cached(context, ids, yard).await;
        let missing: Vec<i64> = ids.iter().copied().filter(|id| !known.contains_key(id)).collect();
        if missing.is_empty() {
            return Ok(known);
        }
        known.extend(self.fetch(context, &missing, yard).await?);
        Ok(known)
    }

    /// Returns the progress of several campaigns like [`Self::get_many`]. While vehicle-svc is unavailable, the result contains only
    /// the campaigns whose progress is cached.
    pub async fn get_many_with_cache_fallback(
        &self,
        context: &RequestContext,
        ids: &[i64],
        yard: Option<i32>,
    ) -> Result<HashMap<i64, CachedCampaignProgress>, Error> {
        match timeout(PROGRESS_TIMEOUT, self.get_many(context, ids, yard)).await {
            Ok(Ok(mut found)) => {
                for id in ids {
                    found.entry(*id).or_default();
                }
                Ok(found)
            }
            Ok(Err(cause)) if !cause.is_unavailable() => Err(cause),
            failed => {
                let cause = failed.ok().and_then(Result::err).map_or_else(|| "timeout".to_owned(), |cause| cause.to_string());
                tracing::warn!(cause, "failed to load campaign progress from vehicle-svc, returning cached progress where available");
                Ok(self.cached(context, ids, yard).await)
            }
        }
    }

    /// Returns the progress of a campaign that was just imported, always from vehicle-svc and not from the cache.
    pub async fn get_uncached(&self, context: &RequestContext, id: i64) -> Result<CachedCampaignProgress, Error> {
        Ok(self.fetch(context, &[id], None).await?.remove(&id).unwrap_or_default())
    }

    async fn fetch(&self, context: &RequestContext, ids: &[i64], yard: Option<i32>) -> Result<HashMap<i64, CachedCampaignProgress>, Error> {
        let reported = self.vehicles.get_progress(&context.bearer, ids, yard).await?;
        if yard.is_none() {
            join_all(
                reported
                    .iter()
                    .filter(|progress| may_see_totals(context, progress.in_dash > 0))
                    .map(|progress| self.cache_progress(progress)),
            )
            .await;
        }
        Ok(reported.iter().map(|progress| (progress.campaign_id, read(progress))).collect())
    }

    /// Returns the cached progress that the caller may see, by campaign id. For a single yard, the result is empty, because the cache
    /// contains only totals over all yards. Entries whose next vehicle to inspect is unknown (`next_known` is `false`) are skipped.
    async fn cached(&self, context: &RequestContext, ids: &[i64], yard: Option<i32>) -> HashMap<i64, CachedCampaignProgress> {
        let Some(cache) = self.cache.as_ref().filter(|_| yard.is_none()) else { return HashMap::new() };
        let keys: Vec<_> = ids.iter().map(|id| campaign_progress_cache::campaign_progress_cache_key(*id)).collect();
        let held = cache.get_many(&keys).await;
        ids.iter()
            .copied()
            .zip(held)
            .filter_map(|(id, held)| held.filter(|held| held.next_known && may_see_totals(context, held.in_dash)).map(|held| (id, held)))
            .collect()
    }

    async fn cache_progress(&self, progress: &pb::Progress) {
        if let Some(cache) = &self.cache {
            cache
                .put_if_newer(
                    &campaign_progress_cache::campaign_progress_cache_key(progress.campaign_id),
                    progress.revision,
                    &read(progress),
                )
                .await;
        }
    }
}

fn read(progress: &pb::Progress) -> CachedCampaignProgress {
    CachedCampaignProgress {
        total: progress.total_vehicles,
        inspected: progress.total_inspected,
        next: progress.next,
        next_known: true,
        in_dash: progress.in_dash > 0,
    }
}

/// Returns `true` if the caller may see the totals of a campaign. Operators may not see totals that include vehicles in the yard '-'
/// (parking spaces that begin with a dash), which is hidden from operators. `in_dash` is `true` if the campaign has vehicles in this
/// yard.
fn may_see_totals(context: &RequestContext, in_dash: bool) -> bool {
    !in_dash || context.caller.role != Role::Operator
}
