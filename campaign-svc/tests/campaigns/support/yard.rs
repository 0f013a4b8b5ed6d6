//! Fake vehicle-svc: stores names, write locks ('gates') and counters, records its calls, and fails on demand.
use patio_kit::auth::identity;
use patio_proto::{
    vehicle::{
        Gate, GetProgressRequest, GetProgressResponse, GetYardCountsRequest, GetYardCountsResponse, ImportVehiclesRequest,
        ImportVehiclesResponse, ListActiveCampaignsRequest, ListActiveCampaignsResponse, ListCampaignsOfYardRequest,
        ListCampaignsOfYardResponse, ListYardsRequest, ListYardsResponse, Progress, RemoveCampaignRequest, RemoveCampaignResponse,
        SyncCampaignRequest, SyncCampaignResponse,
        campaign_vehicle_service_server::{CampaignVehicleService, CampaignVehicleServiceServer},
        yard_service_server::{YardService, YardServiceServer},
    },
    yard::DASH_YARD_ID,
};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard},
};
use tokio::sync::Notify;
use tonic::{Request, Response, Status, Streaming, service::Routes};

/// Failure mode of the fake vehicle-svc.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// Every call fails as unavailable, without effect.
    Away,
    /// Every call takes effect, but its response is lost.
    Deaf,
    /// Calls for the campaign with this id fail with an internal error, without effect.
    Broken(i64),
}

/// A campaign's name, gate and revision as last synced to the fake vehicle-svc.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncedCampaign {
    pub name: String,
    pub gate: Gate,
    pub revision: i64,
}

#[derive(Default)]
struct Inner {
    synced: BTreeMap<i64, SyncedCampaign>,
    counters: BTreeMap<(i64, i32), Progress>,
    active: ListActiveCampaignsResponse,
    calls: Vec<String>,
    trouble: Option<Trouble>,
    before_closing: Option<Arc<Notify>>,
    before_removal: Option<Arc<Notify>>,
}

/// Handle of the fake vehicle-svc; clones share its state.
#[derive(Clone, Default)]
pub struct Yard(Arc<Mutex<Inner>>);

impl Yard {
    pub fn routes(&self) -> Routes {
        Routes::new(YardServiceServer::new(self.clone())).add_service(CampaignVehicleServiceServer::new(self.clone()))
    }

    /// Sets the campaigns in which the caller and other users work.
    pub fn set_active(&self, own: &[i64], other: &[i64]) {
        self.inner().active = ListActiveCampaignsResponse { own_campaign_ids: own.to_vec(), other_campaign_ids: other.to_vec() };
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap()
    }

    /// Returns the last synced state of a campaign.
    pub fn synced(&self, id: i64) -> Option<SyncedCampaign> {
        self.inner().synced.get(&id).cloned()
    }

    /// Returns the gate of a synced campaign.
    #[track_caller]
    pub fn gate(&self, id: i64) -> Gate {
        self.synced(id).unwrap().gate
    }

    /// Returns and clears the recorded calls.
    pub fn calls(&self) -> Vec<String> {
        std::mem::take(&mut self.inner().calls)
    }

    /// Sets the failure mode, or ends it with `None`.
    pub fn misbehave(&self, trouble: Option<Trouble>) {
        self.inner().trouble = trouble;
    }

    /// Sets the counters of a campaign in a yard: total, inspected and the next vehicle.
    pub fn count(&self, campaign_id: i64, yard: i32, (total, inspected, next): (i64, i64, Option<i64>)) -> Progress {
        let revision = 1 + self
            .inner()
            .counters
            .range((campaign_id, 0)..=(campaign_id, i32::MAX))
            .map(|(_, counters)| counters.revision)
            .max()
            .unwrap_or(0);
        let in_dash = if yard == DASH_YARD_ID { total } else { 0 };
        let progress = Progress { campaign_id, total_vehicles: total, total_inspected: inspected, next, revision, in_dash };
        self.inner().counters.insert((campaign_id, yard), progress);
        self.progress(campaign_id, None)
    }

    /// Blocks the next closing of a gate until the returned handle is notified.
    pub fn hold_next_closing(&self) -> Arc<Notify> {
        let held = Arc::new(Notify::new());
        self.inner().before_closing = Some(held.clone());
        held
    }

    /// Blocks the next removal of a campaign until the returned handle is notified.
    pub fn hold_next_removal(&self) -> Arc<Notify> {
        let held = Arc::new(Notify::new());
        self.inner().before_removal = Some(held.clone());
        held
    }

    fn progress(&self, id: i64, yard: Option<i32>) -> Progress {
        let inner = self.inner();
        let all = inner.counters.range((id, 0)..=(id, i32::MAX)).filter(|((_, at), _)| yard.is_none_or(|yard| yard == *at));
        all.fold(Progress { campaign_id: id, ..Default::default() }, |sum, (_, counters)| Progress {
            campaign_id: id,
            total_vehicles: sum.total_vehicles + counters.total_vehicles,
            total_inspected: sum.total_inspected + counters.total_inspected,
            next: sum.next.or(counters.next),
            revision: sum.revision.max(counters.revision),
            in_dash: sum.in_dash + counters.in_dash,
        })
    }

    /// Records a call and performs it, according to the failure mode.
    fn answer<T>(&self, call: String, id: i64, act: impl FnOnce(&mut Inner) -> T) -> Result<Response<T>, Status> {
        let mut inner = self.inner();
        inner.calls.push(call);
        match inner.trouble {
            Some(Trouble::Away) => return Err(Status::unavailable("away")),
            Some(Trouble::Broken(broken)) if broken == id => return Err(Status::internal("broken")),
            _ => {}
        }
        let done = act(&mut inner);
        if inner.trouble == Some(Trouble::Deaf) { Err(Status::unavailable("the answer was lost")) } else { Ok(Response::new(done)) }
    }
}

impl Inner {
    fn set(&mut self, ask: SyncCampaignRequest) {
        let new = SyncedCampaign { name: ask.name.clone(), gate: ask.gate(), revision: ask.revision };
        match self.synced.get(&ask.campaign_id) {
            Some(known) if known.revision == new.revision => assert_eq!(*known, new, "one revision was synced with two different states"),
            Some(known) if known.revision > new.revision => {}
            _ => drop(self.synced.insert(ask.campaign_id, new)),
        }
    }

    fn remove(&mut self, id: i64) -> i64 {
        self.synced.remove(&id);
        let before = self.counters.len();
        self.counters.retain(|(campaign, _), _| *campaign != id);
        i64::try_from(before - self.counters.len()).unwrap()
    }
}

#[tonic::async_trait]
impl YardService for Yard {
    async fn list_yards(&self, _: Request<ListYardsRequest>) -> Result<Response<ListYardsResponse>, Status> {
        Err(Status::unimplemented("campaign-svc never asks this"))
    }

    async fn get_yard_counts(&self, _: Request<GetYardCountsRequest>) -> Result<Response<GetYardCountsResponse>, Status> {
        Err(Status::unimplemented("campaign-svc never asks this"))
    }

    async fn get_progress(&self, request: Request<GetProgressRequest>) -> Result<Response<GetProgressResponse>, Status> {
        let ask = request.into_inner();
        let progress = ask.campaign_ids.iter().map(|id| self.progress(*id, ask.yard)).collect();
        self.answer(format!("progress of {:?} in {:?}", ask.campaign_ids, ask.yard), 0, |_| GetProgressResponse { progress })
    }

    async fn list_campaigns_of_yard(
        &self,
        request: Request<ListCampaignsOfYardRequest>,
    ) -> Result<Response<ListCampaignsOfYardResponse>, Status> {
        let yard = request.into_inner().yard;
        self.answer(format!("campaigns of {yard}"), 0, |inner| ListCampaignsOfYardResponse {
            campaign_ids: inner
                .counters
                .iter()
                .filter(|((_, at), one)| *at == yard && one.total_vehicles > 0)
                .map(|((id, _), _)| *id)
                .collect(),
        })
    }

    async fn list_active_campaigns(&self, _: Request<ListActiveCampaignsRequest>) -> Result<Response<ListActiveCampaignsResponse>, Status> {
        self.answer("active campaigns".to_owned(), 0, |inner| inner.active.clone())
    }
}

#[tonic::async_trait]
impl CampaignVehicleService for Yard {
    async fn import_vehicles(&self, _: Request<Streaming<ImportVehiclesRequest>>) -> Result<Response<ImportVehiclesResponse>, Status> {
        Err(Status::unimplemented("campaign-svc never asks this"))
    }

    async fn sync_campaign(&self, request: Request<SyncCampaignRequest>) -> Result<Response<SyncCampaignResponse>, Status> {
        let by = identity::authenticated_caller(&request)?.role;
        let ask = request.into_inner();
        let held = if ask.gate() == Gate::Closed { self.inner().before_closing.take() } else { None };
        if let Some(held) = held {
            held.notified().await;
        }
        let call = format!("set {} {:?} by {by:?}", ask.campaign_id, ask.gate());
        let id = ask.campaign_id;
        self.answer(call, id, |inner| {
            inner.set(ask);
            SyncCampaignResponse {}
        })
    }

    async fn remove_campaign(&self, request: Request<RemoveCampaignRequest>) -> Result<Response<RemoveCampaignResponse>, Status> {
        let by = identity::authenticated_caller(&request)?.role;
        let id = request.into_inner().campaign_id;
        let held = self.inner().before_removal.take();
        if let Some(held) = held {
            held.notified().await;
        }
        self.answer(format!("remove {id} by {by:?}"), id, |inner| RemoveCampaignResponse { removed: inner.remove(id) })
    }
}
