//! Counters over vehicles.
use super::{Reply, reply};
use crate::{
    error::Error,
    store::{campaigns, yards},
    view::sees_dash,
};
use patio_kit::{
    db::Db,
    identity::{self, Caller},
    page::Window,
};
use patio_proto::{
    vehicle::{self as pb, yard_service_server::YardService},
    yard,
};
use std::collections::HashMap;
use tonic::Request;

/// Most campaigns whose progress is told at once.
const MOST: usize = 1_000;

/// Answers the calls.
pub struct Api {
    db: Db,
}

impl Api {
    /// Answers from a database.
    pub fn new(db: Db) -> Self {
        Self { db }
    }
}

#[tonic::async_trait]
impl YardService for Api {
    async fn list_yards(&self, request: Request<pb::ListYardsRequest>) -> Reply<pb::ListYardsReply> {
        let caller = identity::caller(&request)?;
        let ask = request.into_inner();
        let counts = yards::all(&self.db).await.map_err(Error::from)?;
        let search = ask.search.trim().to_uppercase();
        let all: Vec<_> = shown(&caller, &counts, true).into_iter().filter(|yard| yard.name.contains(&search)).collect();
        let window = Window::of(ask.page.as_ref());
        let (skip, take) = (usize::try_from(window.offset()).unwrap_or(usize::MAX), usize::try_from(window.limit()).unwrap_or_default());
        let meta = window.meta(i64::try_from(all.len()).unwrap_or_default());
        reply(pb::ListYardsReply { yards: all.into_iter().skip(skip).take(take).collect(), meta: Some(meta) })
    }

    async fn get_yard_counts(&self, request: Request<pb::GetYardCountsRequest>) -> Reply<pb::GetYardCountsReply> {
        let caller = identity::caller(&request)?;
        let counts = yards::of_campaign(&self.db, &request.get_ref().campaign_name).await.map_err(Error::from)?;
        reply(pb::GetYardCountsReply { yards: shown(&caller, &counts, false) })
    }

    async fn get_progress(&self, request: Request<pb::GetProgressRequest>) -> Reply<pb::GetProgressReply> {
        let with_dash = sees_dash(identity::caller(&request)?.role);
        let ask = request.into_inner();
        if ask.campaign_ids.len() > MOST {
            return Err(Error::Bad(format!("at most {MOST} campaigns at once")).into());
        }
        let progress = match (ask.campaign_name.as_str(), ask.yard) {
            ("", None) => campaigns::progress(&self.db, &ask.campaign_ids, with_dash).await,
            ("", Some(yard::DASH)) if !with_dash => Ok(Vec::new()),
            ("", Some(yard)) => campaigns::progress_in_yard(&self.db, &ask.campaign_ids, i64::from(yard)).await,
            (name, _) => campaigns::progress_of(&self.db, name, with_dash).await.map(|found| found.into_iter().collect()),
        };
        reply(pb::GetProgressReply { progress: progress.map_err(Error::from)?.into_iter().map(Into::into).collect() })
    }

    async fn list_campaigns_of_yard(&self, request: Request<pb::ListCampaignsOfYardRequest>) -> Reply<pb::ListCampaignsOfYardReply> {
        let is_hidden = request.get_ref().yard == yard::DASH && !sees_dash(identity::caller(&request)?.role);
        let found = if is_hidden { Ok(Vec::new()) } else { yards::campaigns(&self.db, i64::from(request.get_ref().yard)).await };
        let campaign_ids = found.map_err(Error::from)?;
        reply(pb::ListCampaignsOfYardReply { campaign_ids })
    }
}

/// The yards a caller sees, in the table's order; operators do not see the dash.
fn shown(caller: &Caller, counts: &[yards::Count], with_empty: bool) -> Vec<pb::Yard> {
    let counts: HashMap<i64, &yards::Count> = counts.iter().map(|count| (count.yard_id, count)).collect();
    yard::YARDS
        .iter()
        .filter(|(id, _)| *id != yard::DASH || sees_dash(caller.role))
        .filter_map(|(id, name)| {
            let count = counts.get(&i64::from(*id));
            let (total_vehicles, inspected_vehicles) = count.map_or((0, 0), |count| (count.total, count.inspected));
            (with_empty || total_vehicles > 0).then(|| pb::Yard { id: *id, name: (*name).to_owned(), total_vehicles, inspected_vehicles })
        })
        .collect()
}

impl From<campaigns::Progress> for pb::Progress {
    fn from(progress: campaigns::Progress) -> Self {
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
