//! Test fixture: vehicle-svc on a host, a fake campaign-svc that records its calls, and tokens of users.
use patio_kit::{
    client::{call_context::CallContext, service_channel::ServiceChannel},
    service_host::ServiceHost,
};
use patio_proto::{
    access::Role,
    auth::{
        self,
        token_service_server::{TokenService, TokenServiceServer},
    },
    campaign::{
        self,
        campaign_service_server::{CampaignService, CampaignServiceServer},
        milestone_service_server::{MilestoneService, MilestoneServiceServer},
    },
    vehicle::{
        self as pb, bulk_service_client::BulkServiceClient, campaign_vehicle_service_client::CampaignVehicleServiceClient,
        conflict_service_client::ConflictServiceClient, event_service_client::EventServiceClient,
        history_service_client::HistoryServiceClient, job_service_client::JobServiceClient,
        pending_save_service_client::PendingSaveServiceClient, vehicle_service_client::VehicleServiceClient,
        yard_service_client::YardServiceClient,
    },
};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};
use tonic::{Request, Response, Status, service::Routes};

/// Id of the campaign that every test uses.
pub const CAMPAIGN: i64 = 7;

/// Milestones that the fake campaign-svc received, in order: campaign, milestone, revision.
pub type ReportedMilestones = Arc<Mutex<Vec<campaign::ReportMilestoneRequest>>>;

struct Notes(ReportedMilestones);

#[tonic::async_trait]
impl MilestoneService for Notes {
    async fn report_milestone(
        &self,
        request: Request<campaign::ReportMilestoneRequest>,
    ) -> Result<Response<campaign::ReportMilestoneResponse>, Status> {
        self.0.lock().unwrap().push(request.into_inner());
        Ok(Response::new(campaign::ReportMilestoneResponse {}))
    }
}

/// Fake campaign-svc that deletes a campaign by having vehicle-svc remove its vehicles.
struct Campaigns(ServiceHost, Arc<AtomicBool>);

#[tonic::async_trait]
impl CampaignService for Campaigns {
    async fn list_campaigns(
        &self,
        _: Request<campaign::ListCampaignsRequest>,
    ) -> Result<Response<campaign::ListCampaignsResponse>, Status> {
        Err(Status::unimplemented("not in this test"))
    }
    async fn get_campaign(&self, _: Request<campaign::GetCampaignRequest>) -> Result<Response<campaign::Campaign>, Status> {
        Err(Status::unimplemented("not in this test"))
    }
    async fn list_campaign_history(
        &self,
        _: Request<campaign::ListCampaignHistoryRequest>,
    ) -> Result<Response<campaign::ListCampaignHistoryResponse>, Status> {
        Err(Status::unimplemented("not in this test"))
    }
    async fn update_campaign(&self, _: Request<campaign::UpdateCampaignRequest>) -> Result<Response<campaign::Campaign>, Status> {
        Err(Status::unimplemented("not in this test"))
    }
    async fn delete_campaign(
        &self,
        request: Request<campaign::DeleteCampaignRequest>,
    ) -> Result<Response<campaign::DeleteCampaignResponse>, Status> {
        if self.1.load(Ordering::Relaxed) {
            return Err(Status::unavailable("campaign-svc is unavailable"));
        }
        let campaign_id = request.get_ref().id;
        let bearer = patio_testing::bearer(&self.0, 0, Role::Service);
        let mut fleet = CampaignVehicleServiceClient::new(self.0.channels.vehicle.clone());
        fleet.remove_campaign(bearer.grpc_request(pb::RemoveCampaignRequest { campaign_id })).await?;
        Ok(Response::new(campaign::DeleteCampaignResponse {}))
    }
}

struct Minter(ServiceHost);

#[tonic::async_trait]
impl TokenService for Minter {
    async fn get_signing_keys(&self, _: Request<auth::GetSigningKeysRequest>) -> Result<Response<auth::GetSigningKeysResponse>, Status> {
        Err(Status::unavailable("the test's keys are set by hand"))
    }
    async fn list_revocations(&self, _: Request<auth::ListRevocationsRequest>) -> Result<Response<auth::ListRevocationsResponse>, Status> {
        Err(Status::unavailable("nothing is revoked in this test"))
    }
    async fn record_session_activity(
        &self,
        _: Request<auth::RecordSessionActivityRequest>,
    ) -> Result<Response<auth::RecordSessionActivityResponse>, Status> {
        Ok(Response::new(auth::RecordSessionActivityResponse {}))
    }
    async fn mint_service_token(
        &self,
        _: Request<auth::MintServiceTokenRequest>,
    ) -> Result<Response<auth::MintServiceTokenResponse>, Status> {
        let until = self.0.clock.now() + chrono::TimeDelta::hours(1);
        Ok(Response::new(auth::MintServiceTokenResponse {
            token: patio_testing::token(&self.0, 0, Role::Service),
            expires_at: Some(patio_kit::clock::to_timestamp(until)),
        }))
    }
}

/// A running vehicle-svc with one campaign.
pub struct Yard {
    pub host: ServiceHost,
    pub milestones: ReportedMilestones,
    /// Whether the fake campaign-svc answers deletions with `Unavailable`.
    pub away: Arc<AtomicBool>,
}

impl Yard {
    /// Starts another replica on a database that already has the campaign.
    pub async fn beside(host: ServiceHost) -> Self {
        let (milestones, away) = (ReportedMilestones::default(), Arc::default());
        let mut campaigns = Routes::new(MilestoneServiceServer::new(Notes(milestones.clone())));
        campaigns = campaigns.add_service(CampaignServiceServer::new(Campaigns(host.clone(), Arc::clone(&away))));
        attach(&host.channels.campaign, campaigns);
        attach(&host.channels.auth, Routes::new(TokenServiceServer::new(Minter(host.clone()))));
        let service = vehicle_svc::start(vehicle_svc::Config::default(), &host).await.unwrap();
        host.attach_local_service(&service);
        Self { host, milestones, away }
    }

    /// Starts vehicle-svc with an open campaign: one vehicle per parking space, with serial numbers from 000001.
    pub async fn with(host: ServiceHost, spaces: &[&str]) -> Self {
        let yard = Self::beside(host).await;
        yard.import(CAMPAIGN, spaces).await.unwrap();
        yard.open(CAMPAIGN, "Recall A", 1).await;
        yard
    }

    pub async fn import(&self, campaign: i64, spaces: &[&str]) -> Result<i64, Status> {
        let vehicles: Vec<_> = spaces
            .iter()
            .enumerate()
            .map(|(n, space)| pb::NewVehicle {
                model_code: "HB20".into(),
                serial_number: format!("{:06}", n + 1),
                parking_space: (*space).into(),
            })
            .collect();
        self.store(campaign, &vehicles).await
    }

    /// Imports a draft campaign with one vehicle.
    pub async fn import_one(&self, campaign: i64, model: &str, serial: &str, space: &str) {
        let vehicle = pb::NewVehicle { model_code: model.into(), serial_number: serial.into(), parking_space: space.into() };
        self.store(campaign, &[vehicle]).await.unwrap();
    }

    /// Builds a user's request that may take long.
    pub fn long_request<T>(&self, user: i64, role: Role, message: T) -> Request<T> {
        self.person(user, role).grpc_request_with_timeout(patio_testing::LONG_CALL_TIMEOUT, message)
    }

    /// Waits until campaign-svc has received a milestone as the last one. A response does not wait longer than 300 ms for the delivery.
    pub async fn wait_for_milestone(&self, last: campaign::Milestone) {
        let is_last = || self.milestones.lock().unwrap().last().is_some_and(|report| report.milestone() == last);
        let begun = std::time::Instant::now();
        while !is_last() {
            assert!(begun.elapsed() < std::time::Duration::from_secs(20), "{:?}", self.milestones.lock().unwrap());
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    }

    async fn store(&self, campaign: i64, vehicles: &[pb::NewVehicle]) -> Result<i64, Status> {
        let chunks: Vec<_> = vehicles
            .chunks(500)
            .map(|chunk| pb::ImportVehiclesRequest { campaign_id: campaign, vehicles: chunk.to_vec(), source: "cars.xlsx".into() })
            .collect();
        let request =
            self.service_for(3, Role::Manager).grpc_request_with_timeout(patio_testing::LONG_CALL_TIMEOUT, tokio_stream::iter(chunks));
        CampaignVehicleServiceClient::new(self.host.channels.vehicle.clone())
            .import_vehicles(request)
            .await
            .map(|reply| reply.into_inner().stored)
    }

    pub async fn open(&self, id: i64, name: &str, revision: i64) {
        self.gate(id, name, pb::Gate::Open, revision).await;
    }

    pub async fn gate(&self, campaign_id: i64, name: &str, gate: pb::Gate, revision: i64) {
        let ask = pb::SyncCampaignRequest { campaign_id, name: name.into(), gate: gate.into(), revision };
        self.fleet().sync_campaign(self.service().grpc_request(ask)).await.unwrap();
    }

    pub fn fleet(&self) -> CampaignVehicleServiceClient<ServiceChannel> {
        CampaignVehicleServiceClient::new(self.host.channels.vehicle.clone())
    }

    pub fn vehicles(&self) -> VehicleServiceClient<ServiceChannel> {
        VehicleServiceClient::new(self.host.channels.vehicle.clone())
    }

    pub fn conflicts(&self) -> ConflictServiceClient<ServiceChannel> {
        ConflictServiceClient::new(self.host.channels.vehicle.clone())
    }

    pub fn history(&self) -> HistoryServiceClient<ServiceChannel> {
        HistoryServiceClient::new(self.host.channels.vehicle.clone())
    }

    pub fn live(&self) -> EventServiceClient<ServiceChannel> {
        EventServiceClient::new(self.host.channels.vehicle.clone())
    }

    pub fn held(&self) -> PendingSaveServiceClient<ServiceChannel> {
        PendingSaveServiceClient::new(self.host.channels.vehicle.clone())
    }

    pub fn bulk(&self) -> BulkServiceClient<ServiceChannel> {
        BulkServiceClient::new(self.host.channels.vehicle.clone())
    }

    pub fn jobs(&self) -> JobServiceClient<ServiceChannel> {
        JobServiceClient::new(self.host.channels.vehicle.clone())
    }

    pub fn yards(&self) -> YardServiceClient<ServiceChannel> {
        YardServiceClient::new(self.host.channels.vehicle.clone())
    }

    /// Returns a token of another service.
    pub fn service(&self) -> CallContext {
        self.person(0, Role::Service)
    }

    /// Returns a token of another service that acts for a user.
    pub fn service_for(&self, id: i64, role: Role) -> CallContext {
        self.person(id, role).to_delegated_context(&self.service())
    }

    pub fn person(&self, id: i64, role: Role) -> CallContext {
        patio_testing::bearer(&self.host, id, role)
    }

    /// Returns all vehicles in walking order.
    pub async fn walk(&self) -> Vec<pb::Vehicle> {
        let page = patio_proto::common::Page { index: 0, size: 200 };
        let ask = pb::ListVehiclesRequest { campaign_id: CAMPAIGN, page: Some(page), ..Default::default() };
        self.vehicles().list_vehicles(self.person(4, Role::Manager).grpc_request(ask)).await.unwrap().into_inner().vehicles
    }

    pub async fn vehicle(&self, id: i64) -> pb::Vehicle {
        self.vehicles()
            .get_vehicle(self.person(4, Role::Manager).grpc_request(pb::GetVehicleRequest { id, yard: None }))
            .await
            .unwrap()
            .into_inner()
    }

    pub async fn save(&self, role: Role, save: pb::SaveVehicleRequest) -> Result<pb::Vehicle, Status> {
        self.vehicles().save_vehicle(self.long_request(4, role, save)).await.map(Response::into_inner)
    }

    /// Returns the changes since a revision.
    pub async fn changes(&self, since: i64) -> pb::ListChangesResponse {
        let ask = pb::ListChangesRequest { campaign_id: CAMPAIGN, since };
        self.vehicles().list_changes(self.person(4, Role::Manager).grpc_request(ask)).await.unwrap().into_inner()
    }

    pub async fn progress(&self) -> pb::Progress {
        let ask = pb::GetProgressRequest { campaign_ids: vec![CAMPAIGN], ..Default::default() };
        let reply = self.yards().get_progress(self.person(4, Role::Manager).grpc_request(ask)).await.unwrap().into_inner();
        reply.progress[0]
    }

    /// Returns the yard counters of a campaign as seen by a role: name, total, inspected.
    pub async fn counts(&self, name: &str, role: Role) -> Vec<(String, i64, i64)> {
        let ask = pb::GetYardCountsRequest { campaign_name: name.into() };
        let reply = self.yards().get_yard_counts(self.person(5, role).grpc_request(ask)).await.unwrap().into_inner();
        reply.yards.into_iter().map(|yard| (yard.name, yard.total_vehicles, yard.inspected_vehicles)).collect()
    }

    /// Asserts that every counter equals the number of its vehicles.
    pub async fn counters_equal_the_rows(&self) {
        let walk = self.walk().await;
        let progress = self.progress().await;
        let inspected = walk.iter().filter(|vehicle| vehicle.inspected).count();
        assert_eq!((progress.total_vehicles, progress.total_inspected), (walk.len() as i64, inspected as i64));
        for (name, total, done) in self.counts("Recall A", Role::Admin).await {
            let here: Vec<_> = walk.iter().filter(|v| v.id_yard.and_then(patio_proto::yard::yard_name) == Some(&*name)).collect();
            assert_eq!((total, done), (here.len() as i64, here.iter().filter(|v| v.inspected).count() as i64), "yard {name}");
        }
    }
}

/// Returns a save that only sets the status.
pub fn status(id: i64, status: pb::VehicleStatus) -> pb::SaveVehicleRequest {
    pb::SaveVehicleRequest { id, status: Some(status.into()), ..Default::default() }
}

fn attach(link: &ServiceChannel, routes: Routes) {
    let ServiceChannel::Local(slot) = link else { panic!("tests link locally") };
    slot.set(routes.into_axum_router()).unwrap();
}
