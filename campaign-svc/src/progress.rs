//! How far campaigns are: from the cache where it knows, else from vehicle-svc's counters.
use crate::{error::Error, vehicles::Vehicles};
use futures::future::join_all;
use patio_kit::{
    cache::Cache,
    link::Bearer,
    progress::{self, Progress},
};
use patio_proto::vehicle as pb;
use std::collections::HashMap;

/// Reads progress; clones share the cache.
#[derive(Clone)]
pub struct ProgressReader {
    /// None where vehicle-svc does not put into it what it saves.
    cache: Option<Cache>,
    vehicles: Vehicles,
}

impl ProgressReader {
    pub fn new(cache: Option<Cache>, vehicles: Vehicles) -> Self {
        Self { cache, vehicles }
    }

    /// The progress of one campaign, whole or in one yard.
    pub async fn of(&self, bearer: &Bearer, id: i64, yard: Option<i32>) -> Result<Progress, Error> {
        Ok(self.of_all(bearer, &[id], yard).await?.remove(&id).unwrap_or_default())
    }

    /// The progress of several campaigns, with at most one call to vehicle-svc.
    ///
    /// The cache holds whole campaigns only, so that with a yard it is always that call.
    pub async fn of_all(&self, bearer: &Bearer, ids: &[i64], yard: Option<i32>) -> Result<HashMap<i64, Progress>, Error> {
        let mut known = if yard.is_none() { self.cached(ids).await } else { HashMap::new() };
        let missing: Vec<i64> = ids.iter().copied().filter(|id| !known.contains_key(id)).collect();
        if missing.is_empty() {
            return Ok(known);
        }
        known.extend(self.ask(bearer, &missing, yard).await?);
        Ok(known)
    }

    /// The progress of a campaign whose vehicles have just come in, whatever the cache holds.
    pub async fn of_new(&self, bearer: &Bearer, id: i64) -> Result<Progress, Error> {
        Ok(self.ask(bearer, &[id], None).await?.remove(&id).unwrap_or_default())
    }

    async fn ask(&self, bearer: &Bearer, ids: &[i64], yard: Option<i32>) -> Result<HashMap<i64, Progress>, Error> {
        let told = self.vehicles.progress(bearer, ids, yard).await?;
        if yard.is_none() {
            join_all(told.iter().map(|one| self.keep(one))).await;
        }
        Ok(told.iter().map(|one| (one.campaign_id, read(one))).collect())
    }

    /// What the cache knows wholly: an entry made by a commit does not know the next vehicle.
    async fn cached(&self, ids: &[i64]) -> HashMap<i64, Progress> {
        let Some(cache) = &self.cache else { return HashMap::new() };
        let keys: Vec<_> = ids.iter().map(|id| progress::key(*id)).collect();
        let held = cache.get_many(&keys).await;
        ids.iter().copied().zip(held).filter_map(|(id, held)| held.filter(|held| held.next_known).map(|held| (id, held))).collect()
    }

    async fn keep(&self, told: &pb::Progress) {
        if let Some(cache) = &self.cache {
            cache.put_newer(&progress::key(told.campaign_id), told.revision, &read(told)).await;
        }
    }
}

fn read(told: &pb::Progress) -> Progress {
    Progress { total: told.total_vehicles, inspected: told.total_inspected, next: told.next, next_known: true }
}
