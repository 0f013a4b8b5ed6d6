//! Internal gRPC service, through which import-svc imports vehicles, and campaign-svc opens, closes and deletes campaigns.
use super::{ApiContext, Reply, reply};
use crate::{
    campaign::vehicles,
    error::Error,
    store::{counters::CampaignCounts, jobs::NewBulkJob},
};
use patio_kit::{audit, auth::identity};
use patio_proto::vehicle::{self as pb, Gate, campaign_vehicle_service_server::CampaignVehicleService};
use tonic::{Request, Status, Streaming};

/// Maximum length of the stored name of an imported file, in characters. Longer names are truncated.
const MAX_SOURCE_LEN: usize = 200;

/// gRPC service that imports the vehicles of a campaign, opens or closes the campaign, and deletes its vehicles. Only
/// campaign-svc and import-svc call this gRPC service.
pub struct CampaignVehicleApi(pub ApiContext);

#[tonic::async_trait]
impl CampaignVehicleService for CampaignVehicleApi {
    async fn import_vehicles(&self, request: Request<Streaming<pb::ImportVehiclesRequest>>) -> Reply<pb::ImportVehiclesResponse> {
        let (caller, now) = (identity::authenticated_caller(&request)?, self.0.clock.now());
        let address = audit::client_address(&request);
        let mut chunks = request.into_inner();
        let (mut campaign, mut source, mut some) = (None, String::new(), Vec::new());
        while let Some(chunk) = chunks.message().await? {
            let id = *campaign.get_or_insert(chunk.campaign_id);
            if id != chunk.campaign_id {
                return Err(Error::InvalidField("all messages of an import must name the same campaign".to_owned()).into());
            }
            if !chunk.source.is_empty() {
                source = chunk.source.chars().take(MAX_SOURCE_LEN).collect();
            }
            some.extend(vehicles::validate_imported_vehicles(&chunk.vehicles)?);
            if some.len() >= vehicles::vehicles_per_import_chunk(&self.0.db) {
                vehicles::store_draft_vehicles(&self.0.db, id, std::mem::take(&mut some), now).await?;
            }
        }
        let id = campaign.ok_or_else(|| Status::from(Error::InvalidField("the import has no messages".to_owned())))?;
        vehicles::store_draft_vehicles(&self.0.db, id, some, now).await?;
        let import =
            NewBulkJob { kind: "import", detail: source, user_id: caller.signed_in_user_id(), at: now, vehicles: 0, supervisor: false };
        reply(pb::ImportVehiclesResponse { stored: vehicles::complete_import(&self.0.db, id, import, &caller, address).await? })
    }

    async fn sync_campaign(&self, request: Request<pb::SyncCampaignRequest>) -> Reply<pb::SyncCampaignResponse> {
        let (caller, now, address) = (identity::authenticated_caller(&request)?, self.0.clock.now(), audit::client_address(&request));
        let request = request.into_inner();
        let gate = match request.gate() {
            Gate::Unspecified => return Err(Error::InvalidField("gate: must be open or closed".to_owned()).into()),
            Gate::Open => "open",
            Gate::Closed => "closed",
        };
        let id = request.campaign_id;
        let set = vehicles::SyncedCampaign { campaign: id, name: request.name, gate, revision: request.revision };
        vehicles::store_synced_campaign(&self.0.db, set, now, caller, address).await?;
        self.0.live.publish_campaign_changed(id);
        reply(pb::SyncCampaignResponse {})
    }

    async fn remove_campaign(&self, request: Request<pb::RemoveCampaignRequest>) -> Reply<pb::RemoveCampaignResponse> {
        let (caller, now, address) = (identity::authenticated_caller(&request)?, self.0.clock.now(), audit::client_address(&request));
        let campaign_id = request.into_inner().campaign_id;
        let removed = vehicles::delete_campaign(&self.0.db, campaign_id, now, caller, address).await?;
        let zero_counts =
            CampaignCounts { campaign_id, total: 0, inspected: 0, revision: i64::MAX, reached_milestone: false, vehicles: Vec::new() };
        self.0.progress.publish_progress(&[zero_counts]).await;
        self.0.live.publish_campaign_changed(campaign_id);
        reply(pb::RemoveCampaignResponse { removed: i64::try_from(removed).unwrap_or(i64::MAX) })
    }
}
