//! Draft campaigns, which an import creates, fills with vehicles, and then publishes or discards.
//!
//! A draft belongs to the user who runs the import. After the session of this user has ended, import-svc may still publish or discard
//! the draft with its own service token.
use crate::{
    campaign::{Campaign, CampaignLifecycle, CampaignView},
    context::ServiceContext,
    error::Error,
    fields::{self, FieldErrors},
    request_context::RequestContext,
    store::{self, NewDraft},
};
use chrono::{DateTime, Utc};
use patio_kit::{
    audit::{self, AuditEvent},
    campaign_progress_cache::CachedCampaignProgress,
    db::Tx,
};
use patio_proto::campaign as pb;

/// Checks the fields of a request to create a draft, and returns the draft to insert.
///
/// # Errors
/// Returns [`Error::InvalidFields`] with every invalid field, or a permission error when the caller is a service.
pub fn validate_draft(context: &RequestContext, request: &pb::CreateDraftRequest, at: DateTime<Utc>) -> Result<NewDraft, Error> {
    let mut checks = FieldErrors::default();
    let draft = NewDraft {
        import_id: checks.unwrap_or_record_error("import_id", fields::validate_single_line(&request.import_id)),
        name: checks.unwrap_or_record_error("name", fields::validate_name(&request.name)),
        description: checks.unwrap_or_record_error("description", fields::validate_text(&request.description)),
        part: checks.unwrap_or_record_error("part", fields::validate_text(&request.part)),
        model_type: checks.unwrap_or_record_error("model_type", fields::validate_text(&request.model_type)),
        created_by: context.caller.signed_in_user_id().ok_or(Error::UserRequired)?,
        at,
    };
    checks.into_result()?;
    Ok(draft)
}

impl ServiceContext {
    /// Creates the draft campaign of an import. A repeated call returns the draft that this import has already created.
    pub async fn create_draft(&self, draft: NewDraft) -> Result<CampaignView, Error> {
        let campaign = self.db.write(move |tx| Box::pin(async move { insert(tx, &draft).await })).await?;
        Ok(CampaignView { campaign, progress: Some(CachedCampaignProgress::default()), yard: None })
    }

    /// Records a heartbeat, which shows that the import of a draft campaign is still running. Drafts without heartbeats are discarded.
    pub async fn record_heartbeat(&self, context: &RequestContext, id: i64) -> Result<(), Error> {
        self.record_draft_heartbeat(context, id).await.map(drop)
    }

    /// Publishes a draft campaign, which makes the campaign visible to users; a repeated call returns the published campaign.
    ///
    /// Before the publication, vehicle-svc opens the campaign for saves, so that users can save vehicles as soon as the campaign is
    /// visible.
    pub async fn publish_draft(&self, context: RequestContext, id: i64) -> Result<CampaignView, Error> {
        let draft = self.record_draft_heartbeat(&context, id).await?;
        if draft.state == CampaignLifecycle::Live {
            return self.get_campaign(&context, id, None).await;
        }
        self.vehicles.sync_campaign(&draft).await?;
        let progress = self.progress.get_uncached(&context, id).await?;
        let campaign = self.make_live(context, draft, &progress).await?;
        self.vehicles.notify_campaign_changed(id).await;
        Ok(CampaignView { campaign, progress: Some(progress), yard: None })
    }

    /// Deletes a draft campaign and its vehicles; does nothing when the draft no longer exists.
    pub async fn discard_draft(&self, context: &RequestContext, id: i64) -> Result<(), Error> {
        let (of, at) = (context.caller.signed_in_user_id(), self.now());
        let buried = self.db.write(move |tx| Box::pin(async move { discard(tx, id, of, at).await })).await?;
        if buried {
            self.purge_deleted_campaign_in_background(id).await;
        }
        Ok(())
    }

    async fn record_draft_heartbeat(&self, context: &RequestContext, id: i64) -> Result<Campaign, Error> {
        let (of, at) = (context.caller.signed_in_user_id(), self.now());
        let touched = self.db.write(move |tx| Box::pin(async move { store::record_draft_heartbeat(tx, id, of, at).await })).await?;
        touched.ok_or(Error::CampaignNotFound(id))
    }

    async fn make_live(&self, context: RequestContext, draft: Campaign, progress: &CachedCampaignProgress) -> Result<Campaign, Error> {
        let (at, vehicles) = (self.now(), progress.total);
        self.db.write(move |tx| Box::pin(async move { publish(tx, &context, &draft, (at, vehicles)).await })).await
    }
}

async fn insert(tx: &mut Tx<'_>, draft: &NewDraft) -> Result<Campaign, Error> {
    if let Some(made) = store::insert_draft(tx, draft).await? {
        return Ok(made);
    }
    match store::find_campaign_by_import_id(tx, &draft.import_id).await? {
        Some(made) if made.created_by == draft.created_by && made.name == draft.name => Ok(made),
        Some(_) => Err(Error::ImportIdReused),
        None => Err(Error::NameTaken(draft.name.clone())),
    }
}

async fn publish(
    tx: &mut Tx<'_>,
    context: &RequestContext,
    draft: &Campaign,
    (at, vehicles): (DateTime<Utc>, i64),
) -> Result<Campaign, Error> {
    let Some(live) = store::publish_draft(tx, draft.id, draft.revision, at).await? else {
        let held = store::lock_campaign_for_update(tx, draft.id).await?;
        return held.filter(|held| held.state == CampaignLifecycle::Live).ok_or(Error::CampaignNotFound(draft.id));
    };
    let event = AuditEvent {
        kind: "campaign-imported",
        subject: live.audit_subject(),
        summary: format!("campaign \"{}\" imported with {vehicles} vehicles", live.name),
        new: Some(serde_json::json!({ "name": live.name, "part": live.part, "model_type": live.model_type, "total_vehicles": vehicles })),
        address: context.address.clone(),
        ..AuditEvent::default()
    };
    audit::append(tx, at, Some(&context.caller), event).await?;
    Ok(live)
}

/// Marks a draft campaign as deleted in the database; returns `false` when the draft no longer exists. `of` is the id of the user to
/// whom the draft must belong, or `None` for any user.
///
/// # Errors
/// Returns `CampaignNotFound` if the draft belongs to another user, and `AlreadyPublished` if the campaign is published.
async fn discard(tx: &mut Tx<'_>, id: i64, of: Option<i64>, at: DateTime<Utc>) -> Result<bool, Error> {
    let Some(held) = store::lock_campaign_for_update(tx, id).await? else { return Ok(false) };
    if of.is_some_and(|person| person != held.created_by) {
        return Err(Error::CampaignNotFound(id));
    }
    if held.state == CampaignLifecycle::Live {
        return Err(Error::AlreadyPublished(id));
    }
    store::mark_campaign_deleted(tx, id, at).await?;
    Ok(true)
}
