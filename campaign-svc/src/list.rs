//! Reads one campaign, or a page of the campaign list, with the progress of the inspections.
use crate::{
    campaign::CampaignView,
    context::ServiceContext,
    error::Error,
    fields::{self, FieldErrors},
    request_context::RequestContext,
    store::{self, CampaignFilter},
};
use patio_kit::{
    audit,
    db::Db,
    pagination::{self, HistoryWindow, PageWindow},
};
use patio_proto::{
    access::Role,
    audit::Event,
    campaign::{
        self as pb, CampaignOrder,
        CampaignStatus::{self, Closed, Ongoing, PendingReview, Ready},
    },
    common::PageMeta,
    normalization,
    vehicle::ListActiveCampaignsResponse,
    yard,
};

/// Validated filters and page position of a request for a list of campaigns.
#[derive(Debug, Clone)]
pub struct CampaignListQuery {
    window: PageWindow,
    pattern: String,
    statuses: [CampaignStatus; 4],
    yard: Option<i32>,
    order: CampaignOrder,
}

impl CampaignListQuery {
    /// Checks the fields of a request for the campaign list. Rejects the yard '-' (parking spaces that begin with a dash) for
    /// operators, because the yard '-' is hidden from operators.
    ///
    /// # Errors
    /// Returns [`Error::InvalidFields`] with every invalid field.
    pub fn from_request(request: pb::ListCampaignsRequest, role: Role) -> Result<Self, Error> {
        let mut checks = FieldErrors::default();
        let search = checks.unwrap_or_record_error("search", fields::validate_single_line(&request.search));
        let request = Self {
            window: PageWindow::from_request(request.page.as_ref()),
            pattern: pagination::to_like_pattern(&normalization::normalize_identifier(&search)),
            statuses: checks.unwrap_or_record_error("statuses", statuses(&request.statuses)),
            yard: request.yard.map(|id| checks.unwrap_or_record_error("yard", seen_yard(id, role))),
            order: CampaignOrder::try_from(request.order).unwrap_or_default(),
        };
        checks.into_result()?;
        Ok(request)
    }
}

/// Checks that a yard with this id exists, and returns the id unchanged.
///
/// # Errors
/// Returns an error message when no yard has this id.
pub fn check_yard_exists(id: i32) -> Result<i32, String> {
    yard::yard_name(id).map(|_| id).ok_or_else(|| no_yard(id))
}

/// Checks that a yard exists and that users with the role `role` may see it, and returns `id` unchanged. The yard '-' (parking spaces
/// that begin with a dash) is hidden from users with the role operator.
fn seen_yard(id: i32, role: Role) -> Result<i32, String> {
    check_yard_exists(id).and_then(|id| if id == yard::DASH_YARD_ID && role == Role::Operator { Err(no_yard(id)) } else { Ok(id) })
}

fn no_yard(id: i32) -> String {
    format!("{id} does not exist")
}

/// Returns the requested statuses as exactly four values, one for each status parameter of the SQL statement. The first status is
/// repeated when fewer than four are requested; an empty request means all statuses.
fn statuses(asked: &[i32]) -> Result<[CampaignStatus; 4], String> {
    let all = [Ready, Ongoing, PendingReview, Closed];
    let wanted: Vec<_> = all.into_iter().filter(|status| asked.contains(&i32::from(*status))).collect();
    if asked.iter().any(|number| !all.iter().any(|status| i32::from(*status) == *number)) {
        return Err("must contain only Ready, Ongoing, Pending Review and Closed".to_owned());
    }
    let first = wanted.first().copied();
    Ok(std::array::from_fn(|place| wanted.get(place).copied().or(first).unwrap_or(all[place])))
}

impl ServiceContext {
    /// Returns one page of campaigns with their progress, and the page metadata.
    ///
    /// A page of any size takes two SQL statements and at most one call to vehicle-svc for the counters. A filter by yard takes one
    /// more call, and so does the order by recent saves. While vehicle-svc is unavailable, a request with a filter by yard fails. Other
    /// requests then return progress only for campaigns whose progress is cached.
    pub async fn list_campaigns(
        &self,
        context: &RequestContext,
        request: CampaignListQuery,
    ) -> Result<(Vec<CampaignView>, PageMeta), Error> {
        let ids = match request.yard {
            Some(yard) => Some(array(&self.vehicles.list_campaign_ids_in_yard(&context.bearer, yard).await?)),
            None => None,
        };
        let filter = CampaignFilter { pattern: request.pattern, statuses: request.statuses, ids };
        let page = match request.order {
            CampaignOrder::Unspecified => store::list_campaigns_newest_first(&self.db, &filter, request.window).await?,
            CampaignOrder::Work => {
                let (own, other) = self.list_active_campaigns(context).await;
                store::list_campaigns_by_recent_saves(&self.db, &filter, request.window, (&own, &other)).await?
            }
        };
        let meta = request.window.to_page_meta(store::count_campaigns(&self.db, &filter).await?);
        let shown: Vec<i64> = page.iter().map(|campaign| campaign.id).collect();
        let mut progress = self.progress.get_many_with_cache_fallback(context, &shown, request.yard).await?;
        let seen = page.into_iter().map(|campaign| CampaignView { progress: progress.remove(&campaign.id), campaign, yard: request.yard });
        Ok((seen.collect(), meta))
    }

    /// Returns two JSON arrays of campaign ids: campaigns in which the caller recently saved vehicles, and campaigns in which only
    /// other users recently saved vehicles. Both arrays are empty while vehicle-svc is unavailable; the campaigns are then ordered by
    /// their status.
    async fn list_active_campaigns(&self, context: &RequestContext) -> (String, String) {
        let active = self.vehicles.list_active_campaigns(&context.bearer).await.unwrap_or_else(|cause| {
            tracing::debug!(%cause, "failed to load active campaigns from vehicle-svc, ordering the campaign list by status only");
            ListActiveCampaignsResponse::default()
        });
        (array(&active.own_campaign_ids), array(&active.other_campaign_ids))
    }

    /// Returns one campaign with its progress in the given yard, or in all yards when `yard` is `None`. While vehicle-svc is
    /// unavailable, returns the campaign with cached progress, or without progress if none is cached.
    pub async fn get_campaign(&self, context: &RequestContext, id: i64, yard: Option<i32>) -> Result<CampaignView, Error> {
        let mut checks = FieldErrors::default();
        let yard = yard.map(|id| checks.unwrap_or_record_error("yard", seen_yard(id, context.caller.role)));
        checks.into_result()?;
        let campaign = store::find_published_campaign(&self.db, id).await?.ok_or(Error::CampaignNotFound(id))?;
        let progress = self.progress.get_many_with_cache_fallback(context, &[id], yard).await?.remove(&id);
        Ok(CampaignView { campaign, progress, yard })
    }

    /// Returns audit entries of a published campaign, newest first. `window` selects the page: a start position and a maximum
    /// number.
    pub async fn list_campaign_history(&self, id: i64, window: HistoryWindow) -> Result<Vec<Event>, Error> {
        let listed = |db: Db| async move {
            let campaign = store::find_published_campaign(&db, id).await?.ok_or(Error::CampaignNotFound(id))?;
            Ok::<_, Error>(audit::list_subject_history(&db, &campaign.audit_subject(), &window).await?)
        };
        self.db.read_from_replica(listed).await
    }
}

/// Returns campaign ids as a JSON array, which is bound as one SQL parameter.
fn array(ids: &[i64]) -> String {
    serde_json::Value::from(ids).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wanted_statuses_fill_four_places() {
        assert_eq!(statuses(&[]), Ok([Ready, Ongoing, PendingReview, Closed]));
        assert_eq!(statuses(&[4]), Ok([Closed; 4]));
        assert_eq!(statuses(&[3, 1, 3]), Ok([Ready, PendingReview, Ready, Ready]));
        assert!(statuses(&[0]).is_err());
        assert!(statuses(&[1, 9]).is_err());
    }

    #[test]
    fn ids_are_one_json_array() {
        assert_eq!(array(&[3, 1]), "[3,1]");
        assert_eq!(array(&[]), "[]");
    }
}
