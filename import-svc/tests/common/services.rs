//! Small honest doubles of the services that keep campaigns and vehicles, and a process to import in.
use super::PROGRAM;
use import_svc::Config;
use patio_kit::{
    access::{self, Access},
    errors::{self, Reason},
    host::Host,
    identity,
    link::{Bearer, Link},
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
    imports::{Imported, Rejection, UploadChunk, import_campaign_reply::Outcome, import_service_client::ImportServiceClient},
    vehicle::{
        self,
        fleet_service_server::{FleetService, FleetServiceServer},
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

/// What the doubles keep of a campaign.
#[derive(Debug, Clone, Default)]
pub struct Kept {
    pub import_id: String,
    pub name: String,
    pub published: bool,
    pub touched: u32,
    pub by: i64,
    pub vehicles: Vec<vehicle::NewVehicle>,
}

/// What the doubles keep, and how they misbehave.
#[derive(Debug, Default)]
pub struct Kingdom {
    pub campaigns: BTreeMap<i64, Kept>,
    pub made: i64,
    /// vehicle-svc fails after so many vehicles.
    pub fails_after: Option<usize>,
    /// vehicle-svc takes so long over each message.
    pub slow: Duration,
    /// What vehicle-svc lists of every campaign.
    pub listed: Vec<vehicle::ExportedVehicle>,
    /// What vehicle-svc was asked to edit, and what it answers.
    pub edits: Vec<vehicle::BulkEditRequest>,
    pub edited: vehicle::BulkEditReply,
    /// The answer to the next publishing is lost.
    pub loses_answer: bool,
}

/// A process with import-svc and the doubles.
#[derive(Clone)]
pub struct World {
    pub host: Host,
    kingdom: Arc<Mutex<Kingdom>>,
}

impl World {
    /// With the real reader.
    pub async fn on(host: Host) -> Self {
        Self::with_reader(host, PROGRAM.into()).await
    }

    /// With another program in place of the reader.
    pub async fn with_reader(host: Host, program: PathBuf) -> Self {
        let world = Self { host: host.clone(), kingdom: Arc::default() };
        let campaigns = Routes::new(DraftServiceServer::new(world.clone())).add_service(CampaignServiceServer::new(world.clone()));
        world.attach(&host.links.campaign, campaigns);
        let lists = super::lists::Lists(world.clone());
        world.attach(&host.links.vehicle, lists.vehicles(Routes::new(FleetServiceServer::new(world.clone()))));
        world.attach(&host.links.auth, lists.names(Routes::new(TokenServiceServer::new(world.clone()))));
        let service = import_svc::start(Config { workbook_reader: Some(program), ..Config::default() }, &host).await.unwrap();
        host.attach(&service);
        world
    }

    fn attach(&self, link: &Link, routes: Routes) {
        let guard = Access { identity: self.host.identity.clone(), service: "double", db: None };
        let router = routes.prepare().into_axum_router().layer(axum::middleware::from_fn_with_state(guard, access::guard));
        let Link::Local(slot) = link else { panic!("not a local host") };
        assert!(slot.set(router).is_ok());
    }

    pub fn kingdom(&self) -> MutexGuard<'_, Kingdom> {
        self.kingdom.lock().unwrap()
    }

    /// A team leader.
    pub fn leader(&self) -> Bearer {
        patio_testing::bearer(&self.host, 7, Role::Manager)
    }

    pub fn imports(&self) -> ImportServiceClient<Link> {
        ImportServiceClient::new(self.host.links.import.clone()).max_encoding_message_size(16 << 20)
    }

    /// Uploads as somebody, in pieces of 64 KiB.
    pub async fn upload_as(&self, bearer: &Bearer, id: &str, name: &str, file: &[u8]) -> Result<Outcome, Status> {
        let head = UploadChunk { upload_id: id.to_owned(), file_name: name.to_owned(), ..UploadChunk::default() };
        let pieces = file.chunks(64 << 10).map(|piece| UploadChunk { data: piece.to_vec(), ..UploadChunk::default() });
        let all: Vec<UploadChunk> = std::iter::once(head).chain(pieces).collect();
        let request = bearer.sign_within(Duration::from_secs(150), futures::stream::iter(all));
        Ok(self.imports().import_campaign(request).await?.into_inner().outcome.unwrap())
    }

    pub async fn upload(&self, id: &str, file: &[u8]) -> Result<Outcome, Status> {
        self.upload_as(&self.leader(), id, "campaign.xlsx", file).await
    }

    /// Uploads while the test does something else.
    #[expect(clippy::disallowed_methods, reason = "what a test spawns ends with it")]
    pub fn uploading(&self, id: &str, file: &[u8]) -> JoinHandle<Result<Outcome, Status>> {
        let (world, id, file) = (self.clone(), id.to_owned(), file.to_owned());
        tokio::spawn(async move { world.upload(&id, &file).await })
    }

    /// Uploads what must become a campaign.
    pub async fn imported(&self, id: &str, file: &[u8]) -> Imported {
        match self.upload(id, file).await.unwrap() {
            Outcome::Imported(imported) => imported,
            Outcome::Rejected(rejection) => panic!("{rejection:?}"),
        }
    }

    /// Uploads what must be refused.
    pub async fn rejected(&self, name: &str, file: &[u8]) -> Rejection {
        match self.upload_as(&self.leader(), "", name, file).await.unwrap() {
            Outcome::Rejected(rejection) => rejection,
            Outcome::Imported(imported) => panic!("{imported:?}"),
        }
    }

    /// What the audit log of import-svc says.
    pub async fn audited(&self) -> Vec<Event> {
        let developer = patio_testing::bearer(&self.host, 1, Role::Operator);
        let ask = developer.sign(ListEventsRequest { limit: 200, ..ListEventsRequest::default() });
        AuditServiceClient::new(self.host.links.import.clone()).list_events(ask).await.unwrap().into_inner().events
    }

    /// Waits until something holds, for some seconds.
    pub async fn until(&self, what: impl Fn(&Kingdom) -> bool) {
        for _ in 0..200 {
            if what(&self.kingdom()) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("it did not come to that: {:?}", self.kingdom());
    }
}

fn campaign(id: i64, kept: &Kept) -> pb::Campaign {
    let total_vehicles = i64::try_from(kept.vehicles.len()).unwrap();
    pb::Campaign { id, name: kept.name.clone(), status: pb::CampaignStatus::Ready.into(), total_vehicles, ..pb::Campaign::default() }
}

fn no_campaign() -> Status {
    errors::status(Code::NotFound, Reason::NoCampaign, &"no such campaign")
}

#[tonic::async_trait]
impl DraftService for World {
    async fn create_draft(&self, request: Request<pb::CreateDraftRequest>) -> Result<Response<pb::Campaign>, Status> {
        let by = identity::caller(&request)?.user_id;
        let (ask, mut kingdom) = (request.into_inner(), self.kingdom());
        if let Some((id, kept)) = kingdom.campaigns.iter().find(|(_, kept)| kept.import_id == ask.import_id) {
            return Ok(Response::new(campaign(*id, kept)));
        }
        if kingdom.campaigns.values().any(|kept| kept.name == ask.name) {
            return Err(errors::status(Code::AlreadyExists, Reason::NameTaken, &"taken"));
        }
        kingdom.made += 1;
        let (id, kept) = (kingdom.made, Kept { import_id: ask.import_id, name: ask.name, by, ..Kept::default() });
        let reply = campaign(id, &kept);
        kingdom.campaigns.insert(id, kept);
        Ok(Response::new(reply))
    }

    async fn touch_draft(&self, request: Request<pb::TouchDraftRequest>) -> Result<Response<pb::TouchDraftReply>, Status> {
        let mut kingdom = self.kingdom();
        kingdom.campaigns.get_mut(&request.get_ref().id).ok_or_else(no_campaign)?.touched += 1;
        Ok(Response::new(pb::TouchDraftReply {}))
    }

    async fn publish_draft(&self, request: Request<pb::PublishDraftRequest>) -> Result<Response<pb::Campaign>, Status> {
        let (id, mut kingdom) = (request.get_ref().id, self.kingdom());
        let loses_answer = std::mem::take(&mut kingdom.loses_answer);
        let kept = kingdom.campaigns.get_mut(&id).ok_or_else(no_campaign)?;
        kept.published = true;
        let reply = campaign(id, kept);
        if loses_answer { Err(errors::status(Code::Unavailable, Reason::Unavailable, &"away")) } else { Ok(Response::new(reply)) }
    }

    async fn discard_draft(&self, request: Request<pb::DiscardDraftRequest>) -> Result<Response<pb::DiscardDraftReply>, Status> {
        let (id, mut kingdom) = (request.get_ref().id, self.kingdom());
        if kingdom.campaigns.get(&id).is_some_and(|kept| !kept.published) {
            kingdom.campaigns.remove(&id);
        }
        Ok(Response::new(pb::DiscardDraftReply {}))
    }
}

#[tonic::async_trait]
impl CampaignService for World {
    async fn get_campaign(&self, request: Request<pb::GetCampaignRequest>) -> Result<Response<pb::Campaign>, Status> {
        let (id, kingdom) = (request.get_ref().id, self.kingdom());
        let kept = kingdom.campaigns.get(&id).filter(|kept| kept.published).ok_or_else(no_campaign)?;
        Ok(Response::new(campaign(id, kept)))
    }

    async fn list_campaigns(&self, _: Request<pb::ListCampaignsRequest>) -> Result<Response<pb::ListCampaignsReply>, Status> {
        Err(Status::unimplemented("not asked here"))
    }

    async fn update_campaign(&self, _: Request<pb::UpdateCampaignRequest>) -> Result<Response<pb::Campaign>, Status> {
        Err(Status::unimplemented("not asked here"))
    }

    async fn delete_campaign(&self, _: Request<pb::DeleteCampaignRequest>) -> Result<Response<pb::DeleteCampaignReply>, Status> {
        Err(Status::unimplemented("not asked here"))
    }
}

#[tonic::async_trait]
impl FleetService for World {
    async fn import_vehicles(
        &self,
        request: Request<Streaming<vehicle::ImportVehiclesRequest>>,
    ) -> Result<Response<vehicle::ImportVehiclesReply>, Status> {
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
                return Err(errors::status(Code::Unavailable, Reason::Unavailable, &"away"));
            }
        }
        Ok(Response::new(vehicle::ImportVehiclesReply { stored: i64::try_from(stored).unwrap() }))
    }

    async fn set_campaign(&self, _: Request<vehicle::SetCampaignRequest>) -> Result<Response<vehicle::SetCampaignReply>, Status> {
        Err(Status::unimplemented("not asked here"))
    }

    async fn remove_campaign(&self, _: Request<vehicle::RemoveCampaignRequest>) -> Result<Response<vehicle::RemoveCampaignReply>, Status> {
        Err(Status::unimplemented("not asked here"))
    }
}

#[tonic::async_trait]
impl TokenService for World {
    async fn get_keys(&self, _: Request<auth::GetKeysRequest>) -> Result<Response<auth::GetKeysReply>, Status> {
        Err(Status::unavailable("the host knows its keys"))
    }

    async fn list_revocations(&self, _: Request<auth::ListRevocationsRequest>) -> Result<Response<auth::ListRevocationsReply>, Status> {
        Err(Status::unavailable("nothing is revoked"))
    }

    async fn note_sessions(&self, _: Request<auth::NoteSessionsRequest>) -> Result<Response<auth::NoteSessionsReply>, Status> {
        Ok(Response::new(auth::NoteSessionsReply {}))
    }

    async fn mint_service_token(&self, _: Request<auth::MintServiceTokenRequest>) -> Result<Response<auth::MintServiceTokenReply>, Status> {
        let until = patio_kit::clock::timestamp(self.host.clock.now() + chrono::TimeDelta::minutes(30));
        let token = patio_testing::token(&self.host, 0, Role::Service);
        Ok(Response::new(auth::MintServiceTokenReply { token, expires_at: Some(until) }))
    }
}
