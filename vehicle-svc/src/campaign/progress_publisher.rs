//! Publishes the progress of campaigns: writes vehicle counters to the shared cache, and sends milestones (work begun,
//! complete, incomplete again) to campaign-svc.
use crate::{
    live::ChangeFeed,
    store::{counters::CampaignCounts, milestone_outbox},
};
use patio_kit::{
    auth::service_tokens::ServiceTokenSource,
    campaign_progress_cache::{self, CachedCampaignProgress as Cached},
    client::service_channel::ServiceChannel,
    db::Db,
    service_host::ServiceHost,
    telemetry::{outage_tracker::OutageTracker, to_gauge_value},
};
use patio_proto::campaign::{ReportMilestoneRequest, milestone_service_client::MilestoneServiceClient};
use std::time::Duration;
use tokio::sync::oneshot;
use tonic::Status;

/// Delay before the next attempt to write counters to the shared cache or to report a milestone (for example, that work has started)
/// to campaign-svc.
const RETRY_DELAY: Duration = Duration::from_secs(2);
/// Maximum time that a save waits for campaign-svc to receive a milestone of the campaign, such as the completion of the work.
const DELIVERY_TIMEOUT: Duration = Duration::from_millis(300);
/// Maximum number of attempts to write counters to an unavailable cache. Further attempts are unnecessary, because any outdated cache
/// entry has expired by then.
const MAX_CACHE_ATTEMPTS: u32 = 30;

/// Counts consecutive failed attempts to send milestones (work begun, complete, incomplete again) to campaign-svc. Only the first failure
/// of an outage is a warning.
static OUTAGE: OutageTracker = OutageTracker::new();

/// Publisher of the vehicle counters and milestones (work begun, complete, incomplete again) of campaigns. Clones
/// share their connections.
#[derive(Clone)]
pub struct ProgressPublisher {
    host: ServiceHost,
    db: Db,
    campaigns: MilestoneServiceClient<ServiceChannel>,
    tokens: ServiceTokenSource,
    live: Option<ChangeFeed>,
}

impl ProgressPublisher {
    /// Creates a publisher that uses the shared cache and the gRPC connections of this process.
    #[must_use]
    pub fn new(host: &ServiceHost, db: Db) -> Self {
        let campaigns = MilestoneServiceClient::new(host.channels.campaign.clone());
        Self { host: host.clone(), db, campaigns, tokens: host.service_token_source("vehicle-svc"), live: None }
    }

    /// Returns this publisher with a change feed. The publisher then announces on the feed that a campaign changed, whenever campaign-svc
    /// has received a milestone of the campaign (work begun, complete, incomplete again).
    #[must_use]
    pub(crate) fn with_change_feed(self, live: ChangeFeed) -> Self {
        Self { live: Some(live), ..self }
    }

    /// Starts the background task that delivers pending milestones (work begun, complete, incomplete again) to campaign-svc.
    /// Milestones stay pending after a crash of this process, or while campaign-svc is unavailable.
    pub fn spawn_milestone_delivery(&self, host: &ServiceHost) {
        let again = self.clone();
        self.db.spawn_task_run_after_writes(&host.tasks, RETRY_DELAY, move || {
            let again = again.clone();
            async move {
                let delivered = again.deliver_milestones().await;
                let is_left = delivered.is_err();
                OUTAGE.log_result("report campaign milestones (started, completed) to campaign-svc", delivered);
                is_left
            }
        });
    }

    /// Publishes the vehicle counters and milestones (work begun, complete, incomplete again) that a committed change produced.
    /// Never fails: a failed delivery is retried in the background.
    pub async fn publish_progress(&self, all: &[CampaignCounts]) {
        for campaign_counts in all {
            if !self.put(campaign_counts).await {
                self.put_later(campaign_counts.clone());
            }
        }
        if all.iter().any(|campaign_counts| campaign_counts.reached_milestone) {
            self.deliver_now().await;
        }
    }

    /// Delivers pending milestones (work begun, complete, incomplete again) to campaign-svc in the background, and waits briefly for the
    /// result. The user who saved the last vehicle then sees the campaign's new status at once. A slow campaign-svc hardly delays the
    /// save.
    async fn deliver_now(&self) {
        let publisher = self.clone();
        let (done, delivered) = oneshot::channel::<()>();
        self.host.tasks.spawn(async move {
            if let Err(cause) = publisher.deliver_milestones().await {
                tracing::debug!(%cause, "failed to report campaign milestones (started, completed) to campaign-svc, retrying later");
            }
            let _ = done.send(());
        });
        let _ = tokio::time::timeout(DELIVERY_TIMEOUT, delivered).await;
    }

    async fn put(&self, campaign_counts: &CampaignCounts) -> bool {
        let value =
            Cached { total: campaign_counts.total, inspected: campaign_counts.inspected, next: None, next_known: false, in_dash: false };
        self.host
            .cache
            .put_if_newer(
                &campaign_progress_cache::campaign_progress_cache_key(campaign_counts.campaign_id),
                campaign_counts.revision,
                &value,
            )
            .await
    }

    fn put_later(&self, campaign_counts: CampaignCounts) {
        let later = self.clone();
        self.host.tasks.spawn(async move {
            for _ in 0..MAX_CACHE_ATTEMPTS {
                tokio::select! {
                    () = tokio::time::sleep(RETRY_DELAY) => {}
                    () = later.host.tasks.wait_until_stopping() => return,
                }
                if later.put(&campaign_counts).await {
                    return;
                }
            }
        });
    }

    /// Delivers every pending milestone (work begun, complete, incomplete again) to campaign-svc.
    ///
    /// # Errors
    /// Returns the first failure. Undelivered milestones stay pending.
    pub async fn deliver_milestones(&self) -> Result<(), Status> {
        let pending =
            milestone_outbox::list_pending_milestones(&self.db).await.map_err(|cause| patio_kit::errors::database_status(&cause))?;
        metrics::gauge!("patio_saga_backlog", "saga" => "milestones").set(to_gauge_value(pending.len()));
        for waiting in pending {
            let report = ReportMilestoneRequest {
                campaign_id: waiting.campaign_id,
                milestone: i32::try_from(waiting.milestone).unwrap_or_default(),
                revision: waiting.revision,
            };
            self.campaigns.clone().report_milestone(self.tokens.call_context_as_service().await?.grpc_request(report)).await?;
            if let Some(live) = &self.live {
                live.publish_campaign_changed(waiting.campaign_id);
            }
            self.db
                .write(move |tx| Box::pin(async move { milestone_outbox::delete_delivered_milestone(tx, waiting).await }))
                .await
                .map_err(|cause: sqlx::Error| patio_kit::errors::database_status(&cause))?;
        }
        Ok(())
    }
}
