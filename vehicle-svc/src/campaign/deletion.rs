//! Deletion of campaigns whose import was undone. vehicle-svc calls campaign-svc to delete these campaigns.
use crate::store::jobs::{self, PendingCampaignDeletion};
use patio_kit::{
    auth::service_tokens::ServiceTokenSource,
    client::{call_context::CallContext, service_channel::ServiceChannel},
    db::Db,
    errors::{self, ErrorReason},
    service_host::ServiceHost,
    telemetry::{outage_tracker::OutageTracker, to_gauge_value},
};
use patio_proto::campaign::{DeleteCampaignRequest, campaign_service_client::CampaignServiceClient};
use std::time::Duration;
use tonic::Status;

/// Delay between attempts to delete the campaigns of undone imports.
const RETRY_DELAY: Duration = Duration::from_secs(2);
/// Timeout of the deletion of one campaign with all its vehicles.
const DELETION_TIMEOUT: Duration = Duration::from_secs(10);

/// Counts the consecutive failed attempts to delete campaigns, so that each outage of campaign-svc is logged once.
static OUTAGE: OutageTracker = OutageTracker::new();

/// Client that calls campaign-svc to delete campaigns whose import was undone. Clones share the connection.
#[derive(Clone)]
pub struct CampaignDeleter {
    db: Db,
    campaigns: CampaignServiceClient<ServiceChannel>,
    tokens: ServiceTokenSource,
}

impl CampaignDeleter {
    /// Creates a client that uses the gRPC connection of this process to campaign-svc.
    #[must_use]
    pub fn new(host: &ServiceHost, db: Db) -> Self {
        let campaigns = CampaignServiceClient::new(host.channels.campaign.clone());
        Self { db, campaigns, tokens: host.service_token_source("vehicle-svc") }
    }

    /// Starts the background task that deletes campaigns whose import was undone. The task handles campaigns that remain after a
    /// crash of this process or an outage of campaign-svc.
    pub fn spawn_campaign_deletion(&self, host: &ServiceHost) {
        let again = self.clone();
        self.db.spawn_task_run_after_writes(&host.tasks, RETRY_DELAY, move || {
            let again = again.clone();
            async move {
                let deleted = again.execute_pending_campaign_deletions(None).await;
                let is_left = deleted.is_err();
                OUTAGE.log_result("delete the campaigns of reverted imports", deleted);
                is_left
            }
        });
    }

    /// Deletes every campaign whose import was undone. The calls use the token of the user `caller`, or the token of vehicle-svc if
    /// `caller` is `None`.
    ///
    /// # Errors
    /// Returns the first failure. The remaining campaigns stay pending.
    pub async fn execute_pending_campaign_deletions(&self, caller: Option<&CallContext>) -> Result<(), Status> {
        let pending = jobs::list_pending_campaign_deletions(&self.db).await.map_err(|cause| errors::database_status(&cause))?;
        metrics::gauge!("patio_saga_backlog", "saga" => "reverted-imports").set(to_gauge_value(pending.len()));
        for waiting in pending {
            match caller {
                Some(caller) => self.remove(waiting, caller).await?,
                None => self.remove(waiting, &self.tokens.call_context_as_service().await?).await?,
            }
        }
        Ok(())
    }

    async fn remove(&self, waiting: PendingCampaignDeletion, bearer: &CallContext) -> Result<(), Status> {
        let request = bearer.grpc_request_with_timeout(DELETION_TIMEOUT, DeleteCampaignRequest { id: waiting.removing });
        match self.campaigns.clone().delete_campaign(request).await {
            Err(status) if errors::reason(&status) != Some(ErrorReason::NoCampaign) => return Err(status),
            Ok(_) | Err(_) => {}
        }
        let removed = self.db.write(move |tx| Box::pin(async move { jobs::record_campaign_deleted(tx, waiting.id).await })).await;
        removed.map_err(|cause: sqlx::Error| errors::database_status(&cause))
    }
}
