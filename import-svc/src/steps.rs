//! What import-svc asks of the services that keep campaigns and vehicles.
use crate::{progress::Progress, reader::wire::Sheet};
use bytes::Bytes;
use patio_kit::{
    errors::{self, Reason},
    host::Links,
    link::{Bearer, Link},
    server::LARGEST_MESSAGE,
};
use patio_proto::{
    campaign::{
        Campaign, CreateDraftRequest, DiscardDraftRequest, GetCampaignRequest, PublishDraftRequest, TouchDraftRequest,
        campaign_service_client::CampaignServiceClient, draft_service_client::DraftServiceClient,
    },
    vehicle::{ImportVehiclesRequest, fleet_service_client::FleetServiceClient},
};
use prost::Message;
use std::{sync::Arc, time::Duration};
use tonic::Status;

/// How long storing all vehicles may take.
const STORING: Duration = Duration::from_secs(120);
/// How long a short step may take; longer than usual, since much depends on it.
const STEP: Duration = Duration::from_secs(10);

/// The steps, in somebody's name.
#[derive(Clone)]
pub struct Steps {
    drafts: DraftServiceClient<Link>,
    campaigns: CampaignServiceClient<Link>,
    fleet: FleetServiceClient<Link>,
    bearer: Bearer,
}

impl Steps {
    /// The steps in the name of `bearer`.
    #[must_use]
    pub fn new(links: &Links, bearer: Bearer) -> Self {
        Self {
            drafts: DraftServiceClient::new(links.campaign.clone()),
            campaigns: CampaignServiceClient::new(links.campaign.clone()),
            fleet: FleetServiceClient::new(links.vehicle.clone()).max_encoding_message_size(LARGEST_MESSAGE),
            bearer,
        }
    }

    /// Makes the campaign that nobody sees yet.
    pub async fn draft(&self, import_id: String, sheet: &Sheet) -> Result<Campaign, Status> {
        let draft = CreateDraftRequest {
            import_id,
            name: sheet.campaign.clone(),
            description: sheet.description.clone(),
            part: sheet.part.clone(),
            model_type: sheet.model_type.clone(),
        };
        Ok(self.drafts.clone().create_draft(self.bearer.sign_within(STEP, draft)).await?.into_inner())
    }

    /// Says that the draft is still being worked on.
    pub async fn touch(&self, id: i64) -> Result<(), Status> {
        self.drafts.clone().touch_draft(self.bearer.sign(TouchDraftRequest { id })).await.map(drop)
    }

    /// Stores the vehicles of a draft, which come from the file `source`, and answers how many there are.
    pub async fn store(&self, campaign_id: i64, vehicles: Vec<Bytes>, source: String, progress: Arc<Progress>) -> Result<i64, Status> {
        let (mut sent, mut source) = (0, source);
        let chunks = futures::stream::iter(vehicles.into_iter().map_while(move |bytes| {
            // What does not decode ends the stream, and the count that comes back tells.
            let mut chunk = ImportVehiclesRequest::decode(bytes).ok()?;
            chunk.campaign_id = campaign_id;
            chunk.source = std::mem::take(&mut source);
            progress.reach(sent);
            sent += i64::try_from(chunk.vehicles.len()).unwrap_or_default();
            Some(chunk)
        }));
        Ok(self.fleet.clone().import_vehicles(self.bearer.sign_within(STORING, chunks)).await?.into_inner().stored)
    }

    /// Makes the draft a campaign.
    pub async fn publish(&self, id: i64) -> Result<Campaign, Status> {
        Ok(self.drafts.clone().publish_draft(self.bearer.sign_within(STEP, PublishDraftRequest { id })).await?.into_inner())
    }

    /// Removes the draft with its vehicles. What this does not reach, campaign-svc sweeps up by itself.
    pub async fn discard(&self, id: i64) {
        if let Err(cause) = self.drafts.clone().discard_draft(self.bearer.sign_within(STEP, DiscardDraftRequest { id })).await {
            tracing::warn!(%cause, draft = id, "draft {id} could not be discarded");
        }
    }

    /// The campaign that a draft has become; none while it is a draft, or when it is gone.
    pub async fn published(&self, id: i64) -> Result<Option<Campaign>, Status> {
        match self.campaigns.clone().get_campaign(self.bearer.sign_within(STEP, GetCampaignRequest { id, yard: None })).await {
            Ok(found) => Ok(Some(found.into_inner())),
            Err(told) if errors::reason(&told) == Some(Reason::NoCampaign) => Ok(None),
            Err(told) => Err(told),
        }
    }
}
