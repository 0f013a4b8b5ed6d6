//! How far campaigns are: from the cache where it knows, else from vehicle-svc's counters.
use crate::{error::Error, vehicles::Vehicles, works::Asker};
use futures::future::join_all;
use patio_kit::{
    cache::Cache,
    progress::{self, Progress},
};
use patio_proto::{access::Role, vehicle as pb};
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
    pub async fn of(&self, asker: &Asker, id: i64, yard: Option<i32>) -> Result<Progress, Error> {
        Ok(self.of_all(asker, &[id], yard).await?.remove(&id).unwrap_or_default())
    }

    /// The progress of several campaigns, with at most one call to vehicle-svc.
    ///
    /// The cache holds whole campaigns only, so that with a yard it is always that call, and for an operator when the
    /// campaign has vehicles in the yard of the dash.
    pub async fn of_all(&self, asker: &Asker, ids: &[i64], yard: Option<i32>) -> Result<HashMap<i64, Progress>, Error> {
        let mut known = if yard.is_none() { self.cached(ids).await } else { HashMap::new() };
        known.retain(|_, progress| sees_whole(asker, progress.in_dash));
        let missing: Vec<i64> = ids.iter().copied().filter(|id| !known.contains_key(id)).collect();
        if missing.is_empty() {
            return Ok(known);
        }
        known.extend(self.ask(asker, &missing, yard).await?);
        Ok(known)
    }

    /// The progress of a campaign whose vehicles have just come in, whatever the cache holds.
    pub async fn of_new(&self, asker: &Asker, id: i64) -> Result<Progress, Error> {
        Ok(self.ask(asker, &[id], None).await?.remove(&id).unwrap_or_default())
    }

    async fn ask(&self, asker: &Asker, ids: &[i64], yard: Option<i32>) -> Result<HashMap<i64, Progress>, Error> {
        let told = self.vehicles.progress(&asker.bearer, ids, yard).await?;
        if yard.is_none() {
            join_all(told.iter().filter(|one| sees_whole(asker, one.in_dash > 0)).map(|one| self.keep(one))).await;
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
    Progress { total: told.total_vehicles, inspected: told.total_inspected, next: told.next, next_known: true, in_dash: told.in_dash > 0 }
}

/// Whether the counters of a whole campaign are those that the asker sees; operators do not see the yard of the dash.
fn sees_whole(asker: &Asker, in_dash: bool) -> bool {
    !in_dash || asker.caller.role != Role::Operator
}
