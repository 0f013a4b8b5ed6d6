//! Handles milestone reports from vehicle-svc. A report says that the work on a campaign's vehicles has begun, is complete, or is
//! incomplete again.
use crate::{
    campaign::{Campaign, CampaignLifecycle, StoredStatus},
    campaign_change,
    context::ServiceContext,
    error::Error,
    fields::FieldErrors,
    status_transitions, store,
};
use chrono::{DateTime, Utc};
use patio_kit::{
    audit::{self, AuditEvent},
    db::Tx,
};
use patio_proto::campaign::{Milestone, ReportMilestoneRequest};

/// A validated report from vehicle-svc that the work on a campaign's vehicles began, is complete, or is incomplete again.
#[derive(Debug, Clone, Copy)]
pub struct MilestoneReport {
    id: i64,
    milestone: Milestone,
    revision: i64,
}

impl MilestoneReport {
    /// Checks the fields of a milestone report (work began, is complete, or is incomplete again) from vehicle-svc.
    ///
    /// # Errors
    /// Returns [`Error::InvalidFields`] for an unknown milestone.
    pub fn from_request(request: ReportMilestoneRequest) -> Result<Self, Error> {
        let milestone = Milestone::try_from(request.milestone).ok().filter(|milestone| *milestone != Milestone::Unspecified);
        let mut checks = FieldErrors::default();
        let milestone =
            checks.unwrap_or_record_error("milestone", milestone.ok_or_else(|| "must be begun, complete or incomplete".to_owned()));
        checks.into_result()?;
        Ok(Self { id: request.campaign_id, milestone, revision: request.revision })
    }
}

impl ServiceContext {
    /// Applies a milestone report (work began, is complete or is incomplete again) to the status of a campaign. Ignores outdated
    /// reports and campaigns that do not exist.
    pub async fn apply_milestone(&self, report: MilestoneReport) -> Result<(), Error> {
        let at = self.now();
        self.db.write(move |tx| Box::pin(async move { apply_milestone(tx, report, at).await })).await
    }
}

async fn apply_milestone(tx: &mut Tx<'_>, report: MilestoneReport, at: DateTime<Utc>) -> Result<(), Error> {
    let held = store::lock_campaign_for_update(tx, report.id).await?;
    let Some(before) = held.filter(|held| held.state == CampaignLifecycle::Live && held.turn_revision < report.revision) else {
        return Ok(());
    };
    let status = status_transitions::status_after_milestone(before.status.0, report.milestone).unwrap_or(before.status.0);
    store::save_status_from_milestone(tx, report.id, status, report.revision).await?;
    record_change(tx, &before, Campaign { status: StoredStatus(status), ..before.clone() }, at).await
}

/// Appends the audit entry of a status change that a milestone (work began, is complete, or is incomplete again) caused. The entry
/// names no user, because vehicle-svc reported the milestone.
async fn record_change(tx: &mut Tx<'_>, before: &Campaign, after: Campaign, at: DateTime<Utc>) -> Result<(), Error> {
    let Some(difference) = campaign_change::diff_fields(before, &after) else { return Ok(()) };
    let event = AuditEvent {
        kind: "campaign-changed",
        subject: after.audit_subject(),
        summary: format!("{}, as its vehicles show", difference.summary),
        old: Some(difference.old),
        new: Some(difference.new),
        ..AuditEvent::default()
    };
    Ok(audit::append(tx, at, None, event).await?)
}
