//! What this service asks of vehicle-svc and tells it.
use crate::{campaign::Campaign, error::Error};
use patio_kit::{
    host::Host,
    link::{Bearer, Link},
    server::LARGEST_MESSAGE,
    tokens::ServiceTokens,
};
use patio_proto::vehicle::{
    AnnounceCampaignRequest, GetProgressRequest, ListCampaignsOfYardRequest, Progress, RemoveCampaignRequest, SetCampaignRequest,
    fleet_service_client::FleetServiceClient, live_service_client::LiveServiceClient, yard_service_client::YardServiceClient,
};
use std::time::Duration;

/// How long the removal of 100,000 vehicles may take.
const REMOVAL: Duration = Duration::from_secs(30);

/// The way to vehicle-svc; clones share it.
#[derive(Clone)]
pub struct Vehicles {
    yards: YardServiceClient<Link>,
    fleet: FleetServiceClient<Link>,
    live: LiveServiceClient<Link>,
    tokens: ServiceTokens,
}

impl Vehicles {
    pub fn new(host: &Host) -> Self {
        let yards = YardServiceClient::new(host.links.vehicle.clone());
        Self {
            yards: yards.max_decoding_message_size(LARGEST_MESSAGE).max_encoding_message_size(LARGEST_MESSAGE),
            fleet: FleetServiceClient::new(host.links.vehicle.clone()),
            live: LiveServiceClient::new(host.links.vehicle.clone()),
            tokens: host.service_tokens("campaign-svc"),
        }
    }

    /// The counters of several campaigns, whole or of one yard, in one call.
    pub async fn progress(&self, bearer: &Bearer, ids: &[i64], yard: Option<i32>) -> Result<Vec<Progress>, Error> {
        let ask = GetProgressRequest { campaign_ids: ids.to_vec(), campaign_name: String::new(), yard };
        let answer = self.yards.clone().get_progress(bearer.sign(ask)).await.map_err(Error::Elsewhere)?;
        Ok(answer.into_inner().progress)
    }

    /// The campaigns that have vehicles in a yard.
    pub async fn campaigns_of(&self, bearer: &Bearer, yard: i32) -> Result<Vec<i64>, Error> {
        let ask = bearer.sign(ListCampaignsOfYardRequest { yard });
        Ok(self.yards.clone().list_campaigns_of_yard(ask).await.map_err(Error::Elsewhere)?.into_inner().campaign_ids)
    }

    /// Tells a campaign's name and gate; vehicle-svc ignores what is older than what it knows.
    pub async fn tell(&self, campaign: &Campaign) -> Result<(), Error> {
        let gate = campaign.gate().into();
        let message = SetCampaignRequest { campaign_id: campaign.id, name: campaign.name.clone(), gate, revision: campaign.revision };
        let bearer = self.tokens.bearer().await.map_err(Error::Elsewhere)?;
        self.fleet.clone().set_campaign(bearer.sign(message)).await.map_err(Error::Elsewhere)?;
        Ok(())
    }

    /// Has whoever watches told that a campaign changed. Screens learn of it later when that cannot be done.
    pub async fn announce(&self, id: i64) {
        let told = async {
            let ask = self.tokens.bearer().await?.sign(AnnounceCampaignRequest { campaign_id: id });
            self.live.clone().announce_campaign(ask).await
        };
        if let Err(cause) = told.await {
            tracing::debug!(%cause, campaign = id, "nobody was told that campaign {id} changed");
        }
    }

    /// Removes a campaign and all of its vehicles.
    pub async fn remove(&self, id: i64) -> Result<(), Error> {
        let bearer = self.tokens.bearer().await.map_err(Error::Elsewhere)?;
        let ask = bearer.sign_within(REMOVAL, RemoveCampaignRequest { campaign_id: id });
        self.fleet.clone().remove_campaign(ask).await.map_err(Error::Elsewhere)?;
        Ok(())
    }
}
