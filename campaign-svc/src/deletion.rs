//! Deletion of a campaign as a saga: mark the row as deleted (a tombstone), delete the vehicles in vehicle-svc, then delete the row.
//!
//! Once the row is a tombstone, the campaign is invisible and its name is free. The later steps run in the background. When vehicle-svc
//! is unavailable or this process dies, the sweeper (a background task) repeats these steps.
use crate::{campaign::CampaignLifecycle, context::ServiceContext, error::Error, request_context::RequestContext, store};
use chrono::{DateTime, Utc};
use patio_kit::{
    audit::{self, AuditEvent},
    campaign_progress_cache::CachedCampaignProgress,
    db::Tx,
};
use std::time::Duration;
use tokio::sync::oneshot;

/// Maximum wait for the vehicle counters, which a deletion needs only for its audit entry.
const COUNTERS_TIMEOUT: Duration = Duration::from_millis(500);
/// Maximum time that a delete request waits for the deletion of the vehicles; the response is then sent in any case. This maximum must
/// be shorter than the timeout of the caller.
const RESPONSE_TIMEOUT: Duration = Duration::from_millis(1500);

/// One request to delete a campaign: the caller, the campaign and the data for the audit entry.
struct Deletion {
    context: RequestContext,
    id: i64,
    progress: Option<CachedCampaignProgress>,
    at: DateTime<Utc>,
}

impl ServiceContext {
    /// Deletes a campaign. Also succeeds when an earlier request has already begun to delete the campaign.
    pub async fn delete_campaign(&self, context: RequestContext, id: i64) -> Result<(), Error> {
        let counting = tokio::time::timeout(COUNTERS_TIMEOUT, self.get_campaign(&context, id, None)).await;
        let progress = counting.ok().and_then(Result::ok).and_then(|seen| seen.progress);
        let deletion = Deletion { context, id, progress, at: self.now() };
        if self.db.write(move |tx| Box::pin(async move { deletion.mark_deleted_with_audit(tx).await })).await? {
            self.purge_deleted_campaign_in_background(id).await;
        }
        Ok(())
    }

    /// Starts a background task that deletes the vehicles and then the row of a deleted campaign. Waits for the task, but at most for
    /// [`RESPONSE_TIMEOUT`].
    pub async fn purge_deleted_campaign_in_background(&self, id: i64) {
        let (done, removed) = oneshot::channel();
        let context = self.clone();
        self.tasks.spawn(async move {
            if let Err(cause) = context.purge_deleted_campaign(id).await {
                tracing::warn!(%cause, campaign = id, "failed to delete the vehicles of a deleted campaign, retrying in the background");
            }
            let _ = done.send(());
        });
        if tokio::time::timeout(RESPONSE_TIMEOUT, removed).await.is_err() {
            tracing::info!(campaign = id, "campaign deleted, its vehicles are still being deleted in the background");
        }
    }

    /// Deletes the vehicles of a deleted campaign in vehicle-svc, then the campaign's row (its tombstone).
    pub async fn purge_deleted_campaign(&self, id: i64) -> Result<(), Error> {
        self.vehicles.remove_campaign(id).await?;
        self.db.write(move |tx| Box::pin(async move { store::purge_tombstone(tx, id).await })).await?;
        Ok(())
    }
}

impl Deletion {
    /// Marks a published campaign as deleted (a tombstone) and writes the audit entry; returns `false` when the campaign was
    /// already deleted.
    async fn mark_deleted_with_audit(&self, tx: &mut Tx<'_>) -> Result<bool, Error> {
        let Some(held) = store::lock_campaign_for_update(tx, self.id).await?.filter(|held| held.state == CampaignLifecycle::Live) else {
            return if store::is_campaign_deleted(tx, self.id).await? { Ok(false) } else { Err(Error::CampaignNotFound(self.id)) };
        };
        store::mark_campaign_deleted(tx, self.id, self.at).await?;
        let (total, inspected) = (self.progress.as_ref().map(|p| p.total), self.progress.as_ref().map(|p| p.inspected));
        let vehicles = total.map_or_else(|| "an unknown number of".to_owned(), |total| total.to_string());
        let event = AuditEvent {
            kind: "campaign-deleted",
            subject: held.audit_subject(),
            summary: format!("campaign \"{}\" deleted with {vehicles} vehicles", held.name),
            old: Some(serde_json::json!({ "name": held.name, "total_vehicles": total, "total_inspected": inspected })),
            address: self.context.address.clone(),
            ..AuditEvent::default()
        };
        audit::append(tx, self.at, Some(&self.context.caller), event).await?;
        Ok(true)
    }
}
