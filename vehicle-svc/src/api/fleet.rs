//! The steps that campaign-svc and import-svc take with a campaign's vehicles.
use super::{Reply, reply};
use crate::{
    error::Error,
    fleet,
    live::Live,
    progress::Progress,
    store::{counters::Counted, jobs::New},
};
use patio_kit::{audit, clock::Clock, db::Db, host::Host, identity};
use patio_proto::vehicle::{self as pb, Gate, fleet_service_server::FleetService};
use tonic::{Request, Status, Streaming};

/// Most characters of a file's name that are kept.
const LONGEST_SOURCE: usize = 200;

/// Answers the calls.
pub struct Api {
    db: Db,
    clock: Clock,
    progress: Progress,
    live: Live,
}

impl Api {
    /// Answers from a database.
    pub fn new(host: &Host, db: Db, progress: Progress, live: Live) -> Self {
        Self { db, clock: host.clock.clone(), progress, live }
    }
}

#[tonic::async_trait]
impl FleetService for Api {
    async fn import_vehicles(&self, request: Request<Streaming<pb::ImportVehiclesRequest>>) -> Reply<pb::ImportVehiclesReply> {
        let (caller, now) = (identity::caller(&request)?, self.clock.now());
        let address = audit::address(&request);
        let mut chunks = request.into_inner();
        let (mut campaign, mut source, mut some) = (None, String::new(), Vec::new());
        while let Some(chunk) = chunks.message().await? {
            let id = *campaign.get_or_insert(chunk.campaign_id);
            if id != chunk.campaign_id {
                return Err(Error::Bad("one import fills one campaign".to_owned()).into());
            }
            if !chunk.source.is_empty() {
                source = chunk.source.chars().take(LONGEST_SOURCE).collect();
            }
            some.extend(fleet::read(&chunk.vehicles)?);
            if some.len() >= fleet::step(&self.db) {
                fleet::store(&self.db, id, std::mem::take(&mut some), now).await?;
            }
        }
        let id = campaign.ok_or_else(|| Status::from(Error::Bad("the import is empty".to_owned())))?;
        fleet::store(&self.db, id, some, now).await?;
        let import = New { kind: "import", detail: source, user_id: caller.person(), at: now, vehicles: 0, supervisor: false };
        reply(pb::ImportVehiclesReply { stored: fleet::count(&self.db, id, import, &caller, address).await? })
    }

    async fn set_campaign(&self, request: Request<pb::SetCampaignRequest>) -> Reply<pb::SetCampaignReply> {
        let (caller, now, address) = (identity::caller(&request)?, self.clock.now(), audit::address(&request));
        let ask = request.into_inner();
        let gate = match ask.gate() {
            Gate::Unspecified => return Err(Error::Bad("the gate is open or closed".to_owned()).into()),
            Gate::Open => "open",
            Gate::Closed => "closed",
        };
        let id = ask.campaign_id;
        let set = fleet::Setting { campaign: id, name: ask.name, gate, revision: ask.revision };
        fleet::set(&self.db, set, now, caller, address).await?;
        self.live.campaign(id);
        reply(pb::SetCampaignReply {})
    }

    async fn remove_campaign(&self, request: Request<pb::RemoveCampaignRequest>) -> Reply<pb::RemoveCampaignReply> {
        let (caller, now, address) = (identity::caller(&request)?, self.clock.now(), audit::address(&request));
        let campaign_id = request.into_inner().campaign_id;
        let removed = fleet::remove(&self.db, campaign_id, now, caller, address).await?;
        let gone = Counted { campaign_id, total: 0, inspected: 0, revision: i64::MAX, turned: false, vehicles: Vec::new() };
        self.progress.changed(&[gone]).await;
        self.live.campaign(campaign_id);
        reply(pb::RemoveCampaignReply { removed: i64::try_from(removed).unwrap_or(i64::MAX) })
    }
}
