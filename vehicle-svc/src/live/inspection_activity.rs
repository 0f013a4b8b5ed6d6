//! Inspection work in one campaign, or in all campaigns, by hour, yard and user. The work is read from stored counts, which every save
//! and bulk change updates.
use crate::{
    error::{Error, Result},
    store::{
        activity_counts::{self, ActivityFilter, ActivityGrouping, ActivitySum, StatusCount},
        campaigns,
        yards::{self, YardVehicleCounts},
    },
    yard_filter::YardFilter,
};
use patio_kit::{auth::identity::Caller, clock, db::Db};
use patio_proto::{access::Role, status, vehicle as pb};
use std::collections::BTreeMap;

/// Maximum length of a requested time range, in hours.
const MAX_HOURS: i64 = 92 * 24;

/// Returns the inspection work in a range of hours, limited to what the caller may see.
///
/// # Errors
/// Returns `InvalidField` for a range that is missing, empty or too long, and `CampaignNotFound` when the campaign does not exist.
pub async fn load_inspection_activity(db: &Db, caller: &Caller, request: &pb::GetActivityRequest) -> Result<pb::GetActivityResponse> {
    let hour = |at: Option<&prost_types::Timestamp>| at.and_then(clock::from_timestamp).map(activity_counts::hours_since_epoch);
    let (first_hour, last_hour) = hour(request.from.as_ref())
        .zip(hour(request.to.as_ref()))
        .ok_or_else(|| Error::InvalidField("from and to: are missing".to_owned()))?;
    if !(0..=MAX_HOURS).contains(&(last_hour - first_hour)) {
        return Err(Error::InvalidField("from: must be at most 92 days before to".to_owned()));
    }
    let (campaign, yard_filter) = (request.campaign_id, YardFilter::for_role(caller.role, None));
    if let Some(id) = campaign {
        campaigns::find(db, id).await?.ok_or(Error::CampaignNotFound(id))?;
    }
    let filter = ActivityFilter { campaign, first_hour, last_hour, yard_filter, user: None };
    let own = ActivityFilter { user: (caller.role == Role::Operator).then_some(caller.user_id), ..filter };
    let since = ActivityFilter { last_hour: i64::MAX, ..filter };
    let (counts, statuses, hours, by_yard, people) = tokio::try_join!(
        list_yard_counts(db, campaign),
        count_statuses(db, campaign),
        activity_counts::list_activity_sums(db, ActivityGrouping::Hour, since),
        activity_counts::list_activity_sums(db, ActivityGrouping::Yard, filter),
        activity_counts::list_activity_sums(db, ActivityGrouping::User, own),
    )?;
    let seen = || counts.iter().filter(move |count| yard_filter.includes(Some(count.yard_id)));
    let inspected: i64 = seen().map(|count| count.inspected).sum();
    Ok(pb::GetActivityResponse {
        total: seen().map(|count| count.total).sum(),
        inspected,
        inspected_before: (inspected - hours.iter().map(|hour| hour.inspected).sum::<i64>()).max(0),
        hours: hours.iter().filter(|hour| hour.id <= last_hour).map(hour_view).collect(),
        yards: yard_views(seen(), &by_yard, &statuses),
        people: people.iter().map(|work| pb::UserActivity { user_id: work.id, counts: Some(counts_view(work)) }).collect(),
    })
}

async fn list_yard_counts(db: &Db, campaign: Option<i64>) -> std::result::Result<Vec<YardVehicleCounts>, sqlx::Error> {
    match campaign {
        Some(id) => yards::list_yard_vehicle_counts_of_campaign(db, id).await,
        None => yards::list_yard_vehicle_counts_of_all_campaigns(db).await,
    }
}

async fn count_statuses(db: &Db, campaign: Option<i64>) -> std::result::Result<Vec<StatusCount>, sqlx::Error> {
    match campaign {
        Some(id) => activity_counts::list_status_counts(db, id).await,
        None => Ok(Vec::new()),
    }
}

fn counts_view(work: &ActivitySum) -> pb::ActivityCounts {
    pb::ActivityCounts { inspected: work.inspected, saves: work.saves, found_wrong: work.found_wrong }
}

fn hour_view(work: &ActivitySum) -> pb::HourActivity {
    pb::HourActivity { at: Some(clock::to_timestamp(activity_counts::start_of_hour(work.id))), counts: Some(counts_view(work)) }
}

fn yard_views<'c>(
    counts: impl Iterator<Item = &'c YardVehicleCounts>,
    work: &[ActivitySum],
    statuses: &[StatusCount],
) -> Vec<pb::YardActivity> {
    let counts: BTreeMap<i64, &YardVehicleCounts> = counts.map(|count| (count.yard_id, count)).collect();
    let view = |(id, count): (&i64, &&YardVehicleCounts)| pb::YardActivity {
        yard: i32::try_from(*id).ok().filter(|id| *id > 0),
        counts: Some(work.iter().find(|work| work.id == *id).map(counts_view).unwrap_or_default()),
        total: count.total,
        inspected: count.inspected,
        statuses: statuses.iter().filter(|count| count.yard_id == *id).map(status_view).collect(),
    };
    counts.iter().filter(|(id, count)| count.total > 0 || work.iter().any(|work| work.id == **id)).map(view).collect()
}

fn status_view(count: &StatusCount) -> pb::StatusCount {
    pb::StatusCount { status: status::parse_vehicle_status(&count.status).unwrap_or_default().into(), vehicles: count.vehicles }
}
