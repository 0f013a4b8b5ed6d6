//! Test doubles of campaign-svc, vehicle-svc and auth-svc, and a process that runs import-svc with them.
use super::PROGRAM;
use import_svc::Config;
use patio_kit::{
    auth::identity,
    client::{call_context::CallContext, service_channel::ServiceChannel},
    errors::{self, ErrorReason},
    server::authorization_layer::{self, AuthorizationLayerState},
    service_host::ServiceHost,
};
use patio_proto::{
    access::Role,
    audit::{Event, ListEventsRequest, audit_service_client::AuditServiceClient},
    auth::{
        self,
        token_service_server::{TokenService, TokenServiceServer},
    },
    campaign::{
        self as pb,
        campaign_service_server::{CampaignService, CampaignServiceServer},
        draft_service_server::{DraftService, DraftServiceServer},
    },
    imports::{Imported, Rejection, UploadChunk, import_campaign_response::Outcome, import_service_client::ImportServiceClient},
    vehicle::{
        self,
        campaign_vehicle_service_server::{CampaignVehicleService, CampaignVehicleServiceServer},
    },
};
use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};
use tokio::task::JoinHandle;
use tonic::{Code, Request, Response, Status, Streaming, service::Routes};

/// State of a campaign in the test doubles.
#[derive(Debug, Clone, Default)]
pub struct Kept {
    pub import_id: String,
    pub name: String,
    pub published: bool,
    pub touched: u32,
    pub by: i64,
    pub vehicles: Vec<vehicle::NewVehicle>,
}

/// State of the test doubles, and their simulated failures.
#[derive(Debug, Default)]
pub struct Kingdom {
    pub campaigns: BTreeMap<i64, Kept>,
    pub made: i64,
    /// Number of vehicles after which vehicle-svc fails.
    pub fails_after: Option<usize>,
    /// Delay of vehicle-svc per message.
    pub slow: Duration,
    /// Vehicles that vehicle-svc returns for every campaign.
    pub listed: Vec<vehicle::ExportedVehicle>,
    /// Edit requests that vehicle-svc received; the next field is its response.
    pub edits: Vec<vehicle::BulkEditRequest>,
    pub edited: vehicle::BulkEditResponse,
    /// Whether the response to the next publish call is lost.
    pub loses_answer: bool,
    /// Campaign whose requests fail in campaign-svc.
    pub broken: Option<i64>,
}

/// A process with import-svc and the test doubles.
#[derive(Clone)]
pub struct World {
    pub host: ServiceHost,
    kingdom: Arc<Mutex<Kingdom>>,
}

impl World {
    /// Starts import-svc with the real workbook reader.
    pub async fn on(host: ServiceHost) -> Self {
        Self::with_reader(host, PROGRAM.into()).await
    }

    /// Starts import-svc with another program as workbook reader.
    pub async fn with_reader(host: ServiceHost, program: PathBuf) -> Self {
        let world = Self { host: host.clone(), kingdom: Arc::default() };
        let campaigns = Routes::new(DraftServiceServer::new(world.clone())).add_service(CampaignServiceServer::new(world.clone()));
        world.attach(&host.channels.campaign, campaigns);
        let lists = super::lists::Lists(world.clone());
        world.attach(&host.channels.vehicle, lists.vehicles(Routes::new(CampaignVehicleServiceServer::new(world.clone()))));
        world.attach(&host.channels.auth, lists.names(Routes::new(TokenServiceServer::new(world.clone()))));
        let service = import_svc::start(Config { workbook_reader: Some(program), ..Config::default() }, &host).await.unwrap();
        host.attach_local_service(&service);
        world
    }

    fn attach(&self, link: &ServiceChannel, routes: Routes) {
        let guard = AuthorizationLayerState { identity: self.host.identity.clone(), service: "double", db: None };
        let router = routes
            .prepare()
            .into_axum_router()
            .layer(axum::middleware::from_fn_with_state(guard, authorization_layer::authorize_and_record_call));
        let ServiceChannel::Local(slot) = link else { panic!("not a local host") };
        assert!(slot.set(router).is_ok());
    }

    pub fn kingdom(&self) -> MutexGuard<'_, Kingdom> {
        self.kingdom.lock().unwrap()
    }

    /// Returns the token of a team leader.
    pub fn leader(&self) -> CallContext {
        patio_testing::bearer(&self.host, 7, Role::Manager)
    }

    pub fn imports(&self) -> ImportServiceClient<ServiceChannel> {
        ImportServiceClient::new(self.host.channels.import.clone()).max_encoding_message_size(16 << 20)
    }

    /// Uploads a file as a user, in chunks of 64 KiB.
    pub async fn upload_as(&self, bearer: &CallContext, id: &str, name: &str, file: &[u8]) -> Result<Outcome, Status> {
        let head = UploadChunk { upload_id: id.to_owned(), file_name: name.to_owned(), ..UploadChunk::default() };
        let pieces = file.chunks(64 << 10).map(|piece| UploadChunk { data: piece.to_vec(), ..UploadChunk::default() });
        let all: Vec<UploadChunk> = std::iter::once(head).chain(pieces).collect();
        let request = bearer.grpc_request_with_timeout(Duration::from_secs(150), futures::stream::iter(all));
        Ok(self.imports().import_campaign(request).await?.into_inner().outcome.unwrap())
    }

    pub async fn upload(&self, id: &str, file: &[u8]) -> Result<Outcome, Status> {
        self.upload_as(&self.leader(), id, "campaign.xlsx", file).await
    }

    /// Uploads a file in a background task.
    #[expect(clippy::disallowed_methods, reason = "what a test spawns ends with it")]
    pub fn uploading(&self, id: &str, file: &[u8]) -> JoinHandle<Result<Outcome, Status>> {
        let (world, id, file) = (self.clone(), id.to_owned(), file.to_owned());
        tokio::spawn(async move { world.upload(&id, &file).await })
    }

    /// Uploads a file and asserts that it is imported.
    pub async fn imported(&self, id: &str, file: &[u8]) -> Imported {
        match self.upload(id, file).await.unwrap() {
            Outcome::Imported(imported) => *imported,
            Outcome::Rejected(rejection) => panic!("{rejection:?}"),
        }
    }

    /// Uploads a file and asserts that it is rejected.
    pub async fn rejected(&self, name: &str, file: &[u8]) -> Rejection {
        match self.upload_as(&self.leader(), "", name, file).await.unwrap() {
            Outcome::Rejected(rejection) => rejection,
            Outcome::Imported(imported) => panic!("{imported:?}"),
        }
    }

    /// Returns the audit events of import-svc.
    pub async fn audited(&self) -> Vec<Event> {
        let developer = patio_testing::bearer(&self.host, 1, Role::Operator);
        let ask = developer.grpc_request(ListEventsRequest { limit: 200, ..ListEventsRequest::default() });
        AuditServiceClient::new(self.host.channels.import.clone()).list_events(ask).await.unwrap().into_inner().events
    }

    /// Waits some seconds until a condition on the doubles is true.
    pub async fn until(&self, what: impl Fn(&Kingdom) -> bool) {
        for _ in 0..200 {
            if what(&self.kingdom()) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("timeout, the condition is still false: {:?}", self.kingdom());
    }
}

fn campaign(id: i64, kept: &Kept) -> pb::Campaign {
    let total_vehicles = i64::try_from(kept.vehicles.len()).unwrap();
    pb::Campaign { id, name: kept.name.clone(), status: pb::CampaignStatus::Ready.into(), total_vehicles, ..pb::Campaign::default() }
}

fn no_campaign() -> Status {
    errors::status(Code::NotFound, ErrorReason::NoCampaign, &"no such campaign")
}

#[tonic::async_trait]
impl DraftService for World {
    async fn create_draft(&self, request: Request<pb::CreateDraftRequest>) -> Result<Response<pb::Campaign>, Status> {
        let by = identity::authenticated_caller(&request)?.user_id;
        let (ask, mut kingdom) = (request.into_inner(), self.kingdom());
        if let Some((id, kept)) = kingdom.campaigns.iter().find(|(_, kept)| kept.import_id == ask.import_id) {
            return Ok(Response::new(campaign(*id, kept)));
        }
        if kingdom.campaigns.values().any(|kept| kept.name == ask.name) {
            return Err(errors::status(Code::AlreadyExists, ErrorReason::NameTaken, &"taken"));
        }
        kingdom.made += 1;
        let (id, kept) = (kingdom.made, Kept { import_id: ask.import_id, name: ask.name, by, ..Kept::default() });
        let reply = campaign(id, &kept);
        kingdom.campaigns.insert(id, kept);
        Ok(Response::new(reply))
    }

    async fn heartbeat_draft(&self, request: Request<pb::HeartbeatDraftRequest>) -> Result<Response<pb::HeartbeatDraftResponse>, Status> {
        let mut kingdom = self.kingdom();
        kingdom.campaigns.get_mut(&request.get_ref().id).ok_or_else(no_campaign)?.touched += 1;
        Ok(Response::new(pb::HeartbeatDraftResponse {}))
    }

    async fn publish_draft(&self, request: Request<pb::PublishDraftRequest>) -> Result<Response<pb::Campaign>, Status> {
        let (id, mut kingdom) = (request.get_ref().id, self.kingdom());
        let loses_answer = std::mem::take(&mut kingdom.loses_answer);
        let kept = kingdom.campaigns.get_mut(&id).ok_or_else(no_campaign)?;
        kept.published = true;
        let reply = campaign(id, kept);
        if loses_answer { Err(errors::status(Code::Unavailable, ErrorReason::Unavailable, &"away")) } else { Ok(Response::new(reply)) }
    }

    async fn discard_draft(&self, request: Request<pb::DiscardDraftRequest>) -> Result<Response<pb::DiscardDraftResponse>, Status> {
        let (id, mut kingdom) = (request.get_ref().id, self.kingdom());
        if kingdom.campaigns.get(&id).is_some_and(|kept| !kept.published) {
            kingdom.campaigns.remove(&id);
        }
        Ok(Response::new(pb::DiscardDraftResponse {}))
    }
}

#[tonic::async_trait]
impl CampaignService for World {
    async fn get_campaign(&self, request: Request<pb::GetCampaignRequest>) -> Result<Response<pb::Campaign>, Status> {
        let (id, kingdom) = (request.get_ref().id, self.kingdom());
        if kingdom.broken == Some(id) {
            return Err(Status::internal("broken"));
        }
        let kept = kingdom.campaigns.get(&id).filter(|kept| kept.published).ok_or_else(no_campaign)?;
        Ok(Response::new(campaign(id, kept)))
    }

    async fn list_campaigns(&self, _: Request<pb::ListCampaignsRequest>) -> Result<Response<pb::ListCampaignsResponse>, Status> {
        Err(Status::unimplemented("not asked here"))
    }

    async fn list_campaign_history(
        &self,
        _: Request<pb::ListCampaignHistoryRequest>,
    ) -> Result<Response<pb::ListCampaignHistoryResponse>, Status> {
        Err(Status::unimplemented("not asked here"))
    }

    async fn update_campaign(&self, _: Request<pb::UpdateCampaignRequest>) -> Result<Response<pb::Campaign>, Status> {
        Err(Status::unimplemented("not asked here"))
    }

    async fn delete_campaign(&self, _: Request<pb::DeleteCampaignRequest>) -> Result<Response<pb::DeleteCampaignResponse>, Status> {
        Err(Status::unimplemented("not asked here"))
    }
}

#[tonic::async_trait]
impl CampaignVehicleService for World {
    async fn import_vehicles(
        &self,
        request: Request<Streaming<vehicle::ImportVehiclesRequest>>,
    ) -> Result<Response<vehicle::ImportVehiclesResponse>, Status> {
        let mut chunks = request.into_inner();
        let mut stored = 0;
        while let Some(chunk) = chunks.message().await? {
            let slow = self.kingdom().slow;
            tokio::time::sleep(slow).await;
            let mut kingdom = self.kingdom();
            stored += chunk.vehicles.len();
            let fails = kingdom.fails_after.is_some_and(|after| stored > after);
            kingdom.campaigns.get_mut(&chunk.campaign_id).ok_or_else(no_campaign)?.vehicles.extend(chunk.vehicles);
            if fails {
                return Err(errors::status(Code::Unavailable, ErrorReason::Unavailable, &"away"));
            }
        }
        Ok(Response::new(vehicle::ImportVehiclesResponse { stored: i64::try_from(stored).unwrap() }))
    }

    async fn sync_campaign(&self, _: Request<vehicle::SyncCampaignRequest>) -> Result<Response<vehicle::SyncCampaignResponse>, Status> {
        Err(Status::unimplemented("not asked here"))
    }

    async fn remove_campaign(
        &self,
        _: Request<vehicle::RemoveCampaignRequest>,
    ) -> Result<Response<vehicle::RemoveCampaignResponse>, Status> {
        Err(Status::unimplemented("not asked here"))
    }
}

#[tonic::async_trait]
impl TokenService for World {
    async fn get_signing_keys(&self, _: Request<auth::GetSigningKeysRequest>) -> Result<Response<auth::GetSigningKeysResponse>, Status> {
        Err(Status::unavailable("the host knows its keys"))
    }

    async fn list_revocations(&self, _: Request<auth::ListRevocationsRequest>) -> Result<Response<auth::ListRevocationsResponse>, Status> {
        Err(Status::unavailable("nothing is revoked"))
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
        let until = patio_kit::clock::to_timestamp(self.host.clock.now() + chrono::TimeDelta::minutes(30));
        let token = patio_testing::token(&self.host, 0, Role::Service);
        Ok(Response::new(auth::MintServiceTokenResponse { token, expires_at: Some(until) }))
    }
}
