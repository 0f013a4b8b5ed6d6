//! gRPC service for yards: vehicle counters of yards and campaigns.
use super::{ApiContext, Reply, reply};
use crate::{
    error::Error,
    store::{activity_counts, campaigns, yards},
    yard_filter::{YardFilter, can_see_dash_yard},
};
use chrono::TimeDelta;
use patio_kit::{
    auth::identity::{self, Caller},
    pagination::PageWindow,
};
use patio_proto::{
    vehicle::{self as pb, yard_service_server::YardService},
    yard,
};
use std::collections::HashMap;
use tonic::Request;

/// Maximum number of campaigns in one request for the progress of campaigns.
const MAX_CAMPAIGNS: usize = 1_000;
/// Maximum time since the last save in a campaign that counts as active.
const ACTIVE_PERIOD: TimeDelta = TimeDelta::hours(12);

/// gRPC service that returns the vehicle counters of yards and campaigns.
pub struct YardApi(pub ApiContext);

#[tonic::async_trait]
impl YardService for YardApi {
    async fn list_yards(&self, request: Request<pb::ListYardsRequest>) -> Reply<pb::ListYardsResponse> {
        let caller = identity::authenticated_caller(&request)?;
        let request = request.into_inner();
        let counts = self
            .0
            .db
            .read_from_replica(|db| async move { yards::list_yard_vehicle_counts_of_all_campaigns(&db).await })
            .await
            .map_err(Error::from)?;
        let search = request.search.trim().to_uppercase();
        let all: Vec<_> = list_visible_yards(&caller, &counts, true).into_iter().filter(|yard| yard.name.contains(&search)).collect();
        let window = PageWindow::from_request(request.page.as_ref());
        let (skip, take) = (usize::try_from(window.offset()).unwrap_or(usize::MAX), usize::try_from(window.limit()).unwrap_or_default());
        let meta = window.to_page_meta(i64::try_from(all.len()).unwrap_or_default());
        reply(pb::ListYardsResponse { yards: all.into_iter().skip(skip).take(take).collect(), meta: Some(meta) })
    }

    async fn get_yard_counts(&self, request: Request<pb::GetYardCountsRequest>) -> Reply<pb::GetYardCountsResponse> {
        let caller = identity::authenticated_caller(&request)?;
        let counts =
            yards::list_yard_vehicle_counts_by_campaign_name(&self.0.db, &request.get_ref().campaign_name).await.map_err(Error::from)?;
        reply(pb::GetYardCountsResponse { yards: list_visible_yards(&caller, &counts, false) })
    }

    async fn get_progress(&self, request: Request<pb::GetProgressRequest>) -> Reply<pb::GetProgressResponse> {
        let with_dash = can_see_dash_yard(identity::authenticated_caller(&request)?.role);
        let request = request.into_inner();
        if request.campaign_ids.len() > MAX_CAMPAIGNS {
            return Err(Error::InvalidField(format!("at most {MAX_CAMPAIGNS} campaigns at once")).into());
        }
        let progress = match (request.campaign_name.as_str(), request.yard) {
            ("", None) => campaigns::load_progress(&self.0.db, &request.campaign_ids, with_dash).await,
            ("", Some(yard::DASH_YARD_ID)) if !with_dash => Ok(Vec::new()),
            ("", Some(yard)) => campaigns::load_progress_in_yard(&self.0.db, &request.campaign_ids, i64::from(yard)).await,
            (name, _) => campaigns::find_progress_by_name(&self.0.db, name, with_dash).await.map(|found| found.into_iter().collect()),
        };
        reply(pb::GetProgressResponse { progress: progress.map_err(Error::from)?.into_iter().map(Into::into).collect() })
    }

    async fn list_campaigns_of_yard(&self, request: Request<pb::ListCampaignsOfYardRequest>) -> Reply<pb::ListCampaignsOfYardResponse> {
        let is_hidden = request.get_ref().yard == yard::DASH_YARD_ID && !can_see_dash_yard(identity::authenticated_caller(&request)?.role);
        let found =
            if is_hidden { Ok(Vec::new()) } else { yards::list_campaign_ids_in_yard(&self.0.db, i64::from(request.get_ref().yard)).await };
        let campaign_ids = found.map_err(Error::from)?;
        reply(pb::ListCampaignsOfYardResponse { campaign_ids })
    }

    async fn list_active_campaigns(&self, request: Request<pb::ListActiveCampaignsRequest>) -> Reply<pb::ListActiveCampaignsResponse> {
        let caller = identity::authenticated_caller(&request)?;
        let first_hour = activity_counts::hours_since_epoch(self.0.clock.now() - ACTIVE_PERIOD);
        let yard_filter = YardFilter::for_role(caller.role, None);
        let all = activity_counts::list_active_campaigns(&self.0.db, first_hour, caller.user_id, yard_filter).await.map_err(Error::from)?;
        let (own, other): (Vec<_>, Vec<_>) = all.into_iter().partition(|campaign| campaign.is_own);
        let ids = |campaigns: Vec<activity_counts::ActiveCampaign>| campaigns.into_iter().map(|campaign| campaign.campaign_id).collect();
        reply(pb::ListActiveCampaignsResponse { own_campaign_ids: ids(own), other_campaign_ids: ids(other) })
    }
}

/// Returns the yards that the caller may see, in the order of [`yard::YARDS`]. Operators do not see yard `-` (parking
/// spaces that begin with a dash).
fn list_visible_yards(caller: &Caller, counts: &[yards::YardVehicleCounts], with_empty: bool) -> Vec<pb::Yard> {
    let counts: HashMap<i64, &yards::YardVehicleCounts> = counts.iter().map(|count| (count.yard_id, count)).collect();
    yard::YARDS
        .iter()
        .filter(|(id, _)| *id != yard::DASH_YARD_ID || can_see_dash_yard(caller.role))
        .filter_map(|(id, name)| {
            let count = counts.get(&i64::from(*id));
            let (total_vehicles, inspected_vehicles) = count.map_or((0, 0), |count| (count.total, count.inspected));
            (with_empty || total_vehicles > 0).then(|| pb::Yard { id: *id, name: (*name).to_owned(), total_vehicles, inspected_vehicles })
        })
        .collect()
}

impl From<campaigns::CampaignProgress> for pb::Progress {
    fn from(progress: campaigns::CampaignProgress) -> Self {
        Self {
            campaign_id: progress.campaign_id,
            total_vehicles: progress.total,
            total_inspected: progress.inspected,
            next: progress.next,
            revision: progress.revision,
            in_dash: progress.in_dash,
        }
    }
}
