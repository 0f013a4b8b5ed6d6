//! Updates a campaign, and syncs its name and write lock to vehicle-svc. vehicle-svc rejects saves of the vehicles of a locked campaign.
//! Each sync has a revision number; a campaign is unsynced until vehicle-svc has acknowledged its newest revision.
//!
//! Most changes are stored first and synced afterwards. When the sync fails, the sweeper (a background task) repeats the sync.
//!
//! The status Closed is synced first and stored afterwards, because a Closed campaign must not accept further saves of its vehicles:
//! 1. One transaction checks the rules and reserves the next revision, so that the campaign is unsynced.
//! 2. vehicle-svc locks the campaign at that revision. If vehicle-svc is unavailable, the update fails and the campaign stays open.
//! 3. One transaction checks the rules again, and stores Closed and that revision as acknowledged.
//!
//! After a crash between steps 2 and 3, the stored campaign is open, but vehicle-svc has locked it. Since the campaign is unsynced, the
//! sweeper unlocks it at a higher revision. If another sync used a higher revision between steps 1 and 3, Closed is synced again at an
//! even higher revision before the response.
use crate::{
    campaign::{Campaign, CampaignLifecycle, CampaignView},
    campaign_change::{self, CampaignChange},
    context::ServiceContext,
    error::Error,
    request_context::RequestContext,
    store,
};
use chrono::{DateTime, TimeDelta, Utc};
use patio_kit::{
    audit::{self, AuditEvent},
    db::Tx,
};

/// Result of the first transaction of a campaign update: the update is stored, or vehicle-svc must lock the campaign first.
enum Begun {
    /// The update is stored. `news` is `true` if the update changed the campaign's name or write lock; the caller then syncs the
    /// campaign to vehicle-svc.
    ///
    /// If `news` is `false`, the caller must not sync, even if the campaign is unsynced: a concurrent update may have reserved the
    /// newest revision to close the campaign.
    Stored { campaign: Campaign, news: bool },
    /// The update closes the campaign: vehicle-svc must lock the campaign before the status Closed is stored.
    Closing(Campaign),
}

/// Request to update one campaign: the caller, the changed fields and the time of the request.
#[derive(Clone)]
struct Save {
    context: RequestContext,
    id: i64,
    change: CampaignChange,
    at: DateTime<Utc>,
}

impl ServiceContext {
    /// Updates a campaign atomically and returns the updated campaign.
    ///
    /// The progress counters for the response are read first, so that nothing is stored when the counters are unavailable.
    pub async fn update_campaign(&self, context: RequestContext, id: i64, change: CampaignChange) -> Result<CampaignView, Error> {
        store::find_published_campaign(&self.db, id).await?.ok_or(Error::CampaignNotFound(id))?;
        let progress = self.progress.get(&context, id, None).await?;
        let save = Save { context, id, change, at: self.now() };
        let first = save.clone();
        let campaign = match self.db.write(move |tx| Box::pin(async move { first.begin(tx).await })).await? {
            Begun::Stored { campaign, news } => {
                if news {
                    self.sync_or_defer(&campaign).await;
                }
                campaign
            }
            Begun::Closing(planned) => self.close(save, &planned).await?,
        };
        self.vehicles.notify_campaign_changed(id).await;
        Ok(CampaignView { campaign, progress: Some(progress), yard: None })
    }

    async fn close(&self, save: Save, planned: &Campaign) -> Result<Campaign, Error> {
        self.vehicles.sync_campaign(planned).await?;
        let (id, reserved) = (save.id, planned.revision);
        let stored = self.db.write(move |tx| Box::pin(async move { save.store_closed(tx, reserved).await })).await;
        if stored.is_err() {
            self.unlock_after_failed_close(id).await;
        }
        let campaign = stored?;
        if campaign.needs_sync_to_vehicle_svc() {
            self.sync_campaign(&campaign).await?;
        }
        Ok(campaign)
    }

    /// Unlocks the campaign in vehicle-svc after the update to Closed failed. If vehicle-svc is unavailable, the sweeper unlocks
    /// the campaign later.
    async fn unlock_after_failed_close(&self, id: i64) {
        if let Err(cause) = self.resync_campaign(id, self.now() + TimeDelta::seconds(1)).await {
            tracing::warn!(%cause, campaign = id, "failed to close a campaign, and failed to unlock its vehicles again in vehicle-svc; saves are rejected until a background retry unlocks the campaign");
        }
    }

    /// Syncs a campaign's name and write lock (whether saves are rejected) to vehicle-svc. A failure is only logged, because the sweeper
    /// repeats the sync.
    async fn sync_or_defer(&self, campaign: &Campaign) {
        if let Err(cause) = self.sync_campaign(campaign).await {
            tracing::warn!(%cause, campaign = campaign.id, "failed to sync the name and write lock of a campaign to vehicle-svc, retrying in the background");
        }
    }

    /// Syncs a campaign's name and write lock (whether saves are rejected) to vehicle-svc, and records the revision as acknowledged.
    pub async fn sync_campaign(&self, campaign: &Campaign) -> Result<(), Error> {
        self.vehicles.sync_campaign(campaign).await?;
        let (id, revision) = (campaign.id, campaign.revision);
        self.db.write(move |tx| Box::pin(async move { store::record_acknowledged_revision(tx, id, revision).await })).await?;
        Ok(())
    }

    /// Sends the stored name and write lock of a campaign to vehicle-svc again, with a new revision number.
    ///
    /// Returns `false`, and sends nothing, when the campaign is not published, or when vehicle-svc has acknowledged the campaign's
    /// newest revision. Also returns `false` when the last sync began at or after `since`, because that sync may still be running.
    pub async fn resync_campaign(&self, id: i64, since: DateTime<Utc>) -> Result<bool, Error> {
        let at = self.now();
        let raised = self.db.write(move |tx| Box::pin(async move { store::begin_resync(tx, id, since, at).await })).await?;
        match raised {
            Some(campaign) => self.sync_campaign(&campaign).await.map(|()| true),
            None => Ok(false),
        }
    }
}

impl Save {
    async fn begin(&self, tx: &mut Tx<'_>) -> Result<Begun, Error> {
        let (before, mut after) = self.plan_update(tx).await?;
        if after.is_closed() && !before.is_closed() {
            if store::is_campaign_name_taken(tx, &after).await? {
                return Err(Error::NameTaken(after.name));
            }
            after.revision = store::reserve_revision(tx, self.id, self.at).await?;
            return Ok(Begun::Closing(after));
        }
        let news = must_sync(&before, &after);
        if news {
            after.revision += 1;
            after.touched_at = self.at;
        }
        Ok(Begun::Stored { campaign: self.store_update(tx, &before, after).await?, news })
    }

    /// Stores the status Closed after vehicle-svc has locked the campaign. `reserved` is the revision that vehicle-svc has
    /// acknowledged.
    async fn store_closed(&self, tx: &mut Tx<'_>, reserved: i64) -> Result<Campaign, Error> {
        let (before, mut after) = self.plan_update(tx).await?;
        if before.revision == reserved {
            after.synced_revision = reserved;
        } else if must_sync(&before, &after) {
            after.revision += 1;
            after.touched_at = self.at;
        }
        self.store_update(tx, &before, after).await
    }

    /// Locks the campaign's row until the transaction ends, and returns the stored campaign and a copy with the update applied.
    async fn plan_update(&self, tx: &mut Tx<'_>) -> Result<(Campaign, Campaign), Error> {
        let before = store::lock_campaign_for_update(tx, self.id)
            .await?
            .filter(|held| held.state == CampaignLifecycle::Live)
            .ok_or(Error::CampaignNotFound(self.id))?;
        let after = self.change.apply(&before, self.context.caller.role)?;
        Ok((before, after))
    }

    /// Stores the updated campaign and its audit entry; writes nothing when no field changed.
    async fn store_update(&self, tx: &mut Tx<'_>, before: &Campaign, mut after: Campaign) -> Result<Campaign, Error> {
        let Some(difference) = campaign_change::diff_fields(before, &after) else { return Ok(after) };
        after.modified_by = self.context.caller.signed_in_user_id();
        after.modified_at = self.at;
        store::save_campaign(tx, &after).await?;
        let event = AuditEvent {
            kind: "campaign-changed",
            subject: after.audit_subject(),
            summary: difference.summary,
            old: Some(difference.old),
            new: Some(difference.new),
            address: self.context.address.clone(),
        };
        audit::append(tx, self.at, Some(&self.context.caller), event).await?;
        Ok(after)
    }
}

/// Returns `true` if the campaign's name or write lock (whether saves are rejected) changed and must be sent to vehicle-svc.
fn must_sync(before: &Campaign, after: &Campaign) -> bool {
    before.name != after.name || before.vehicle_write_gate() != after.vehicle_write_gate()
}
