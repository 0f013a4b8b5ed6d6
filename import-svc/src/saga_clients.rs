//! gRPC clients of campaign-svc and vehicle-svc, with one method per step of an import.
use crate::progress::ProgressTracker;
use bytes::Bytes;
use patio_kit::{
    client::{call_context::CallContext, service_channel::ServiceChannel},
    errors::{self, ErrorReason},
    server::MAX_MESSAGE_BYTES,
    service_host::ServiceChannels,
};
use patio_proto::{
    campaign::{
        Campaign, CreateDraftRequest, DiscardDraftRequest, GetCampaignRequest, HeartbeatDraftRequest, PublishDraftRequest,
        campaign_service_client::CampaignServiceClient, draft_service_client::DraftServiceClient,
    },
    vehicle::{ImportVehiclesRequest, campaign_vehicle_service_client::CampaignVehicleServiceClient},
};
use prost::Message;
use std::{sync::Arc, time::Duration};
use tonic::Status;
use workbook_reader::protocol::SheetSummary;

/// Timeout of the call that stores all vehicles of an import.
const STORE_TIMEOUT: Duration = Duration::from_secs(120);
/// Timeout of each short step of an import. Longer than the default call timeout, because a failed step fails the whole import.
const STEP_TIMEOUT: Duration = Duration::from_secs(10);

/// gRPC clients with which the steps of an import call campaign-svc and vehicle-svc.
#[derive(Clone)]
pub struct SagaClients {
    drafts: DraftServiceClient<ServiceChannel>,
    campaigns: CampaignServiceClient<ServiceChannel>,
    fleet: CampaignVehicleServiceClient<ServiceChannel>,
    bearer: CallContext,
}

impl SagaClients {
    /// Creates the clients of campaign-svc and vehicle-svc. Every call carries the token of `bearer`.
    #[must_use]
    pub fn new(channels: &ServiceChannels, bearer: CallContext) -> Self {
        Self {
            drafts: DraftServiceClient::new(channels.campaign.clone()),
            campaigns: CampaignServiceClient::new(channels.campaign.clone()),
            fleet: CampaignVehicleServiceClient::new(channels.vehicle.clone()).max_encoding_message_size(MAX_MESSAGE_BYTES),
            bearer,
        }
    }

    /// Creates the draft campaign, which no user can see before it is published.
    pub async fn create_draft(&self, import_id: String, sheet: &SheetSummary) -> Result<Campaign, Status> {
        let draft = CreateDraftRequest {
            import_id,
            name: sheet.campaign.clone(),
            description: sheet.description.clone(),
            part: sheet.part.clone(),
            model_type: sheet.model_type.clone(),
        };
        Ok(self.drafts.clone().create_draft(self.bearer.grpc_request_with_timeout(STEP_TIMEOUT, draft)).await?.into_inner())
    }

    /// Sends a heartbeat for a draft campaign, so that campaign-svc does not discard the draft.
    pub async fn send_draft_heartbeat(&self, id: i64) -> Result<(), Status> {
        self.drafts.clone().heartbeat_draft(self.bearer.grpc_request(HeartbeatDraftRequest { id })).await.map(drop)
    }

    /// Streams the vehicles of a draft campaign to vehicle-svc. `source` is the file name. Returns the number of stored vehicles.
    pub async fn store_vehicles(
        &self,
        campaign_id: i64,
        vehicles: Vec<Bytes>,
        source: String,
        progress: Arc<ProgressTracker>,
    ) -> Result<i64, Status> {
        let (mut sent, mut source) = (0, source);
        let chunks = futures::stream::iter(vehicles.into_iter().map_while(move |bytes| {
            // A chunk that does not decode ends the stream; the returned count then differs from the expected one.
            let mut chunk = ImportVehiclesRequest::decode(bytes).ok()?;
            chunk.campaign_id = campaign_id;
            chunk.source = std::mem::take(&mut source);
            progress.set_processed_row_count(sent);
            sent += i64::try_from(chunk.vehicles.len()).unwrap_or_default();
            Some(chunk)
        }));
        Ok(self.fleet.clone().import_vehicles(self.bearer.grpc_request_with_timeout(STORE_TIMEOUT, chunks)).await?.into_inner().stored)
    }

    /// Publishes the draft campaign of the import, which makes the campaign visible to users.
    pub async fn publish_draft(&self, id: i64) -> Result<Campaign, Status> {
        Ok(self
            .drafts
            .clone()
            .publish_draft(self.bearer.grpc_request_with_timeout(STEP_TIMEOUT, PublishDraftRequest { id }))
            .await?
            .into_inner())
    }

    /// Discards the draft campaign of the import and its vehicles. If the call fails, campaign-svc discards the draft later.
    pub async fn discard_draft(&self, id: i64) {
        if let Err(cause) =
            self.drafts.clone().discard_draft(self.bearer.grpc_request_with_timeout(STEP_TIMEOUT, DiscardDraftRequest { id })).await
        {
            tracing::warn!(%cause, campaign = id, "failed to discard the draft campaign of an import, campaign-svc discards it later");
        }
    }

    /// Returns the campaign with this id if it is published; `None` if it is still a draft or was deleted.
    pub async fn find_published_campaign(&self, id: i64) -> Result<Option<Campaign>, Status> {
        match self
            .campaigns
            .clone()
            .get_campaign(self.bearer.grpc_request_with_timeout(STEP_TIMEOUT, GetCampaignRequest { id, yard: None }))
            .await
        {
            Ok(found) => Ok(Some(found.into_inner())),
            Err(status) if errors::reason(&status) == Some(ErrorReason::NoCampaign) => Ok(None),
            Err(status) => Err(status),
        }
    }
}
