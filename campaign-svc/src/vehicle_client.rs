//! Client of vehicle-svc: reads the progress of campaigns, sends their names and write locks (whether saves are rejected), and
//! deletes vehicles.
use crate::{campaign::Campaign, error::Error};
use patio_kit::{
    auth::service_tokens::ServiceTokenSource,
    client::{call_context::CallContext, service_channel::ServiceChannel},
    server::MAX_MESSAGE_BYTES,
    service_host::ServiceHost,
};
use patio_proto::vehicle::{
    GetProgressRequest, ListActiveCampaignsRequest, ListActiveCampaignsResponse, ListCampaignsOfYardRequest, NotifyCampaignChangedRequest,
    Progress, RemoveCampaignRequest, SyncCampaignRequest, campaign_vehicle_service_client::CampaignVehicleServiceClient,
    event_service_client::EventServiceClient, yard_service_client::YardServiceClient,
};
use std::time::Duration;

/// Timeout of the call that deletes a campaign and its vehicles from vehicle-svc, enough for 100,000 vehicles.
const REMOVAL_TIMEOUT: Duration = Duration::from_secs(30);

/// Client of vehicle-svc; clones share the connection.
#[derive(Clone)]
pub struct VehicleClient {
    yards: YardServiceClient<ServiceChannel>,
    fleet: CampaignVehicleServiceClient<ServiceChannel>,
    live: EventServiceClient<ServiceChannel>,
    tokens: ServiceTokenSource,
}

impl VehicleClient {
    pub fn new(host: &ServiceHost) -> Self {
        let yards = YardServiceClient::new(host.channels.vehicle.clone());
        Self {
            yards: yards.max_decoding_message_size(MAX_MESSAGE_BYTES).max_encoding_message_size(MAX_MESSAGE_BYTES),
            fleet: CampaignVehicleServiceClient::new(host.channels.vehicle.clone()),
            live: EventServiceClient::new(host.channels.vehicle.clone()),
            tokens: host.service_token_source("campaign-svc"),
        }
    }

    /// Returns the progress counters of several campaigns with one call. The counters cover the given yard, or all yards when `yard` is
    /// `None`.
    pub async fn get_progress(&self, bearer: &CallContext, ids: &[i64], yard: Option<i32>) -> Result<Vec<Progress>, Error> {
        let request = GetProgressRequest { campaign_ids: ids.to_vec(), campaign_name: String::new(), yard };
        let answer = self.yards.clone().get_progress(bearer.grpc_request(request)).await.map_err(Error::DependencyFailed)?;
        Ok(answer.into_inner().progress)
    }

    /// Returns the ids of the campaigns that have vehicles in a yard.
    pub async fn list_campaign_ids_in_yard(&self, bearer: &CallContext, yard: i32) -> Result<Vec<i64>, Error> {
        let request = bearer.grpc_request(ListCampaignsOfYardRequest { yard });
        Ok(self.yards.clone().list_campaigns_of_yard(request).await.map_err(Error::DependencyFailed)?.into_inner().campaign_ids)
    }

    /// Returns the ids of the campaigns in which users saved vehicles in the last 12 hours, separately for the caller and for other
    /// users.
    pub async fn list_active_campaigns(&self, bearer: &CallContext) -> Result<ListActiveCampaignsResponse, Error> {
        let request = bearer.grpc_request(ListActiveCampaignsRequest {});
        Ok(self.yards.clone().list_active_campaigns(request).await.map_err(Error::DependencyFailed)?.into_inner())
    }

    /// Sends a campaign's name, write lock (whether saves are rejected) and revision to vehicle-svc. vehicle-svc ignores
    /// the message if the revision is not higher than its stored revision.
    pub async fn sync_campaign(&self, campaign: &Campaign) -> Result<(), Error> {
        let gate = campaign.vehicle_write_gate().into();
        let message = SyncCampaignRequest { campaign_id: campaign.id, name: campaign.name.clone(), gate, revision: campaign.revision };
        let bearer = self.tokens.call_context_as_service().await.map_err(Error::DependencyFailed)?;
        self.fleet.clone().sync_campaign(bearer.grpc_request(message)).await.map_err(Error::DependencyFailed)?;
        Ok(())
    }

    /// Notifies open browsers, through vehicle-svc, that a campaign changed. A failure is only logged, because browsers also reload
    /// campaigns at intervals.
    pub async fn notify_campaign_changed(&self, id: i64) {
        let notification = async {
            let request = self.tokens.call_context_as_service().await?.grpc_request(NotifyCampaignChangedRequest { campaign_id: id });
            self.live.clone().notify_campaign_changed(request).await
        };
        if let Err(cause) = notification.await {
            tracing::debug!(%cause, campaign = id, "failed to notify vehicle-svc of a changed campaign, browsers show the change later");
        }
    }

    /// Deletes a campaign and all its vehicles from vehicle-svc.
    pub async fn remove_campaign(&self, id: i64) -> Result<(), Error> {
        let bearer = self.tokens.call_context_as_service().await.map_err(Error::DependencyFailed)?;
        let request = bearer.grpc_request_with_timeout(REMOVAL_TIMEOUT, RemoveCampaignRequest { campaign_id: id });
        self.fleet.clone().remove_campaign(request).await.map_err(Error::DependencyFailed)?;
        Ok(())
    }
}
