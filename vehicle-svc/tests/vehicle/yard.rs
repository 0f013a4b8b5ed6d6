//! A yard for tests: vehicle-svc on a host, a campaign-svc that takes note of what it is told, and people.
use patio_kit::{
    host::Host,
    link::{Bearer, Link},
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
        progress_service_server::{ProgressService, ProgressServiceServer},
    },
    vehicle::{
        self as pb, bulk_service_client::BulkServiceClient, conflict_service_client::ConflictServiceClient,
        fleet_service_client::FleetServiceClient, held_service_client::HeldServiceClient, job_service_client::JobServiceClient,
        live_service_client::LiveServiceClient, vehicle_service_client::VehicleServiceClient, yard_service_client::YardServiceClient,
    },
};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};
use tonic::{Request, Response, Status, service::Routes};

/// The campaign of every test.
pub const CAMPAIGN: i64 = 7;

/// What campaign-svc was told, in order: campaign, turn, revision.
pub type Told = Arc<Mutex<Vec<campaign::ReportTurnRequest>>>;

struct Notes(Told);

#[tonic::async_trait]
impl ProgressService for Notes {
    async fn report_turn(&self, request: Request<campaign::ReportTurnRequest>) -> Result<Response<campaign::ReportTurnReply>, Status> {
        self.0.lock().unwrap().push(request.into_inner());
        Ok(Response::new(campaign::ReportTurnReply {}))
    }
}

/// campaign-svc as it deletes a campaign: vehicle-svc is told to remove the vehicles.
struct Campaigns(Host, Arc<AtomicBool>);

#[tonic::async_trait]
impl CampaignService for Campaigns {
    async fn list_campaigns(&self, _: Request<campaign::ListCampaignsRequest>) -> Result<Response<campaign::ListCampaignsReply>, Status> {
        Err(Status::unimplemented("not in this test"))
    }
    async fn get_campaign(&self, _: Request<campaign::GetCampaignRequest>) -> Result<Response<campaign::Campaign>, Status> {
        Err(Status::unimplemented("not in this test"))
    }
    async fn update_campaign(&self, _: Request<campaign::UpdateCampaignRequest>) -> Result<Response<campaign::Campaign>, Status> {
        Err(Status::unimplemented("not in this test"))
    }
    async fn delete_campaign(
        &self,
        request: Request<campaign::DeleteCampaignRequest>,
    ) -> Result<Response<campaign::DeleteCampaignReply>, Status> {
        if self.1.load(Ordering::Relaxed) {
            return Err(Status::unavailable("campaign-svc is away"));
        }
        let campaign_id = request.get_ref().id;
        let bearer = patio_testing::bearer(&self.0, 0, Role::Service);
        let mut fleet = FleetServiceClient::new(self.0.links.vehicle.clone());
        fleet.remove_campaign(bearer.sign(pb::RemoveCampaignRequest { campaign_id })).await?;
        Ok(Response::new(campaign::DeleteCampaignReply {}))
    }
}

struct Minter(Host);

#[tonic::async_trait]
impl TokenService for Minter {
    async fn get_keys(&self, _: Request<auth::GetKeysRequest>) -> Result<Response<auth::GetKeysReply>, Status> {
        Err(Status::unavailable("the test's keys are set by hand"))
    }
    async fn list_revocations(&self, _: Request<auth::ListRevocationsRequest>) -> Result<Response<auth::ListRevocationsReply>, Status> {
        Err(Status::unavailable("nothing is revoked in this test"))
    }
    async fn note_sessions(&self, _: Request<auth::NoteSessionsRequest>) -> Result<Response<auth::NoteSessionsReply>, Status> {
        Ok(Response::new(auth::NoteSessionsReply {}))
    }
    async fn mint_service_token(&self, _: Request<auth::MintServiceTokenRequest>) -> Result<Response<auth::MintServiceTokenReply>, Status> {
        let until = self.0.clock.now() + chrono::TimeDelta::hours(1);
        Ok(Response::new(auth::MintServiceTokenReply {
            token: patio_testing::token(&self.0, 0, Role::Service),
            expires_at: Some(patio_kit::clock::timestamp(until)),
        }))
    }
}

/// vehicle-svc with one campaign.
pub struct Yard {
    pub host: Host,
    pub told: Told,
    /// Whether campaign-svc deletes nothing for now.
    pub away: Arc<AtomicBool>,
}

impl Yard {
    /// A replica that finds everything there.
    pub async fn beside(host: Host) -> Self {
        let (told, away) = (Told::default(), Arc::default());
        let mut campaigns = Routes::new(ProgressServiceServer::new(Notes(told.clone())));
        campaigns = campaigns.add_service(CampaignServiceServer::new(Campaigns(host.clone(), Arc::clone(&away))));
        attach(&host.links.campaign, campaigns);
        attach(&host.links.auth, Routes::new(TokenServiceServer::new(Minter(host.clone()))));
        let service = vehicle_svc::start(vehicle_svc::Config::default(), &host).await.unwrap();
        host.attach(&service);
        Self { host, told, away }
    }

    /// An open campaign of vehicles at the given spaces, with serials 000001 and on.
    pub async fn with(host: Host, spaces: &[&str]) -> Self {
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

    /// A draft of one vehicle.
    pub async fn import_one(&self, campaign: i64, model: &str, serial: &str, space: &str) {
        let vehicle = pb::NewVehicle { model_code: model.into(), serial_number: serial.into(), parking_space: space.into() };
        self.store(campaign, &[vehicle]).await.unwrap();
    }

    async fn store(&self, campaign: i64, vehicles: &[pb::NewVehicle]) -> Result<i64, Status> {
        let chunks: Vec<_> = vehicles
            .chunks(500)
            .map(|chunk| pb::ImportVehiclesRequest { campaign_id: campaign, vehicles: chunk.to_vec(), source: "cars.xlsx".into() })
            .collect();
        let request = self.service_for(3, Role::Manager).sign(tokio_stream::iter(chunks));
        FleetServiceClient::new(self.host.links.vehicle.clone()).import_vehicles(request).await.map(|reply| reply.into_inner().stored)
    }

    pub async fn open(&self, id: i64, name: &str, revision: i64) {
        self.gate(id, name, pb::Gate::Open, revision).await;
    }

    pub async fn gate(&self, campaign_id: i64, name: &str, gate: pb::Gate, revision: i64) {
        let ask = pb::SetCampaignRequest { campaign_id, name: name.into(), gate: gate.into(), revision };
        self.fleet().set_campaign(self.service().sign(ask)).await.unwrap();
    }

    pub fn fleet(&self) -> FleetServiceClient<Link> {
        FleetServiceClient::new(self.host.links.vehicle.clone())
    }

    pub fn vehicles(&self) -> VehicleServiceClient<Link> {
        VehicleServiceClient::new(self.host.links.vehicle.clone())
    }

    pub fn conflicts(&self) -> ConflictServiceClient<Link> {
        ConflictServiceClient::new(self.host.links.vehicle.clone())
    }

    pub fn live(&self) -> LiveServiceClient<Link> {
        LiveServiceClient::new(self.host.links.vehicle.clone())
    }

    pub fn held(&self) -> HeldServiceClient<Link> {
        HeldServiceClient::new(self.host.links.vehicle.clone())
    }

    pub fn bulk(&self) -> BulkServiceClient<Link> {
        BulkServiceClient::new(self.host.links.vehicle.clone())
    }

    pub fn jobs(&self) -> JobServiceClient<Link> {
        JobServiceClient::new(self.host.links.vehicle.clone())
    }

    pub fn yards(&self) -> YardServiceClient<Link> {
        YardServiceClient::new(self.host.links.vehicle.clone())
    }

    /// Another service by itself.
    pub fn service(&self) -> Bearer {
        self.person(0, Role::Service)
    }

    /// Another service, for a person.
    pub fn service_for(&self, id: i64, role: Role) -> Bearer {
        self.person(id, role).by_service(&self.service())
    }

    pub fn person(&self, id: i64, role: Role) -> Bearer {
        patio_testing::bearer(&self.host, id, role)
    }

    /// All vehicles in walking order.
    pub async fn walk(&self) -> Vec<pb::Vehicle> {
        let page = patio_proto::common::Page { index: 0, size: 200 };
        let ask = pb::ListVehiclesRequest { campaign_id: CAMPAIGN, page: Some(page), ..Default::default() };
        self.vehicles().list_vehicles(self.person(4, Role::Manager).sign(ask)).await.unwrap().into_inner().vehicles
    }

    pub async fn vehicle(&self, id: i64) -> pb::Vehicle {
        self.vehicles()
            .get_vehicle(self.person(4, Role::Manager).sign(pb::GetVehicleRequest { id, yard: None }))
            .await
            .unwrap()
            .into_inner()
    }

    pub async fn save(&self, role: Role, save: pb::SaveVehicleRequest) -> Result<pb::Vehicle, Status> {
        self.vehicles().save_vehicle(self.person(4, role).sign(save)).await.map(Response::into_inner)
    }

    /// What changed since a revision.
    pub async fn changes(&self, since: i64) -> pb::ListChangesReply {
        let ask = pb::ListChangesRequest { campaign_id: CAMPAIGN, since };
        self.vehicles().list_changes(self.person(4, Role::Manager).sign(ask)).await.unwrap().into_inner()
    }

    pub async fn progress(&self) -> pb::Progress {
        let ask = pb::GetProgressRequest { campaign_ids: vec![CAMPAIGN], ..Default::default() };
        let reply = self.yards().get_progress(self.person(4, Role::Manager).sign(ask)).await.unwrap().into_inner();
        reply.progress[0]
    }

    /// The yard counters of the campaign as a supervisor sees them: name, total, inspected.
    pub async fn counts(&self, name: &str, role: Role) -> Vec<(String, i64, i64)> {
        let ask = pb::GetYardCountsRequest { campaign_name: name.into() };
        let reply = self.yards().get_yard_counts(self.person(5, role).sign(ask)).await.unwrap().into_inner();
        reply.yards.into_iter().map(|yard| (yard.name, yard.total_vehicles, yard.inspected_vehicles)).collect()
    }

    /// Fails unless every counter equals what counting the vehicles gives.
    pub async fn counters_equal_the_rows(&self) {
        let walk = self.walk().await;
        let progress = self.progress().await;
        let inspected = walk.iter().filter(|vehicle| vehicle.inspected).count();
        assert_eq!((progress.total_vehicles, progress.total_inspected), (walk.len() as i64, inspected as i64));
        for (name, total, done) in self.counts("Recall A", Role::Admin).await {
            let here: Vec<_> = walk.iter().filter(|v| v.id_yard.and_then(patio_proto::yard::name_of) == Some(&*name)).collect();
            assert_eq!((total, done), (here.len() as i64, here.iter().filter(|v| v.inspected).count() as i64), "yard {name}");
        }
    }
}

/// A save that sets a status and nothing else.
pub fn status(id: i64, status: pb::VehicleStatus) -> pb::SaveVehicleRequest {
    pb::SaveVehicleRequest { id, status: Some(status.into()), ..Default::default() }
}

fn attach(link: &Link, routes: Routes) {
    let Link::Local(slot) = link else { panic!("tests link locally") };
    slot.set(routes.into_axum_router()).unwrap();
}
