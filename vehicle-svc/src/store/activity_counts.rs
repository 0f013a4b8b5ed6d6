//! Hourly counts of inspection work by yard and user, and current counts of vehicles by yard and status.
//!
//! The transaction that changes a vehicle also updates these counts. The hourly count of inspected vehicles is a net change, so it can
//! be negative. The sum of these changes over all hours is the campaign's number of inspected vehicles.
use crate::{
    store::{
        dialect,
        upserts::{more_with_status, more_work},
    },
    yard_filter::YardFilter,
};
use chrono::{DateTime, TimeDelta, Utc};
use patio_kit::{
    db::{Db, Tx},
    on,
};
use serde::Serialize;
use sqlx::{AssertSqlSafe, FromRow, query, query_as, query_scalar};
use std::collections::BTreeMap;

type Result<T> = std::result::Result<T, sqlx::Error>;

/// User id under which bulk changes are counted. The counts by user leave out this id.
pub const BULK_CHANGE_USER_ID: i64 = 0;
/// Length of an hour in seconds.
const SECONDS: i64 = 3_600;

/// Returns the number of the hour that contains a time, counted from 1970 (UTC).
#[must_use]
pub fn hours_since_epoch(at: DateTime<Utc>) -> i64 {
    at.timestamp().div_euclid(SECONDS)
}

/// Returns the start time of an hour, given as the number of the hour since 1970 (UTC).
#[must_use]
pub fn start_of_hour(hour: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(hour.saturating_mul(SECONDS))
}

/// Returns `true` when a status text means that the inspection found a defect: `ng`, `Repair` or `Repair OK`.
#[must_use]
pub fn is_defect_status(status: &str) -> bool {
    matches!(status, "ng" | "Repair" | "Repair OK")
}

/// Changes of a campaign's status counts by one bulk change, for each yard id and status. Vehicles without a status are not counted.
#[derive(Debug, Default)]
pub struct StatusCountDeltas(BTreeMap<(i64, String), i64>);

impl StatusCountDeltas {
    /// Adds the change of one vehicle to the status counts: `from` is its yard and status before the change, `to` after the change.
    pub fn add_vehicle_change(&mut self, from: (Option<i64>, &str), to: (Option<i64>, &str)) {
        for ((yard, status), sign) in [(from, -1), (to, 1)] {
            if !status.is_empty() {
                *self.0.entry((yard.unwrap_or(super::counters::NO_YARD_ID), status.to_owned())).or_default() += sign;
            }
        }
    }
}

/// Changes of the counts of one yard. A bulk change passes a JSON array of these rows to the SQL statement.
#[derive(Serialize)]
struct YardRow<'s> {
    yard: i64,
    status: &'s str,
    number: i64,
    wrong: i64,
}

/// Adds a bulk change to the status counts of a campaign, and to the campaign's work counts in the hour that contains `at`. `inspected`
/// yields pairs: a yard id, and the change in the number of inspected vehicles in that yard. The caller must hold the lock of the
/// campaign's row.
pub async fn add_bulk_change_activity(
    tx: &mut Tx<'_>,
    campaign: i64,
    at: DateTime<Utc>,
    inspected: impl Iterator<Item = (i64, i64)>,
    statuses: &StatusCountDeltas,
) -> Result<()> {
    let mut work: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
    for (yard, number) in inspected {
        work.entry(yard).or_default().0 += number;
    }
    for ((yard, _), number) in statuses.0.iter().filter(|((_, status), _)| is_defect_status(status)) {
        work.entry(*yard).or_default().1 += number;
    }
    let work = work.into_iter().filter(|(_, counts)| *counts != (0, 0));
    let work: Vec<YardRow> = work.map(|(yard, (number, wrong))| YardRow { yard, status: "", number, wrong }).collect();
    let changed = statuses.0.iter().filter(|(_, number)| **number != 0);
    let changed: Vec<YardRow> =
        changed.map(|((yard, status), number)| YardRow { yard: *yard, status, number: *number, wrong: 0 }).collect();
    let rows = dialect::unnest_yard_counts_sql(tx.is_postgres());
    if !work.is_empty() {
        let text = format!(
            "insert into activity (campaign_id, hour, yard_id, user_id, inspected, saves, found_wrong)
             select $2, $3, yard, {BULK_CHANGE_USER_ID}, number, 0, wrong from ({rows}) as work where true {}",
            more_work!()
        );
        let work = json(&work)?;
        on!(tx.connection(), c => query(AssertSqlSafe(text)).bind(work).bind(campaign).bind(hours_since_epoch(at)).execute(c).await.map(drop))?;
    }
    if !changed.is_empty() {
        let text = format!(
            "insert into status_counts (campaign_id, yard_id, status, vehicles)
             select $2, yard, status, number from ({rows}) as changed where true {}",
            more_with_status!()
        );
        let changed = json(&changed)?;
        on!(tx.connection(), c => query(AssertSqlSafe(text)).bind(changed).bind(campaign).execute(c).await.map(drop))?;
    }
    Ok(())
}

fn json(rows: &[YardRow<'_>]) -> Result<String> {
    serde_json::to_string(rows).map_err(|cause| sqlx::Error::Encode(Box::new(cause)))
}

/// Inspection work in one hour, in one yard, or by one user.
#[derive(Debug, Clone, Copy, Default, FromRow)]
pub struct ActivitySum {
    /// Hour (number of hours since 1970, UTC), id of the yard, or id of the user, depending on the requested [`ActivityGrouping`].
    pub id: i64,
    /// Change of the number of inspected vehicles.
    pub inspected: i64,
    /// Number of saves by users.
    pub saves: i64,
    /// Change of the number of vehicles with a defect (status ng, Repair or Repair OK).
    pub found_wrong: i64,
}

/// Column by which the inspection work is summed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActivityGrouping {
    /// One sum per hour.
    Hour,
    /// One sum per yard.
    Yard,
    /// One sum per user.
    User,
}

/// Filter of the returned inspection work: campaign, hours, visible vehicles and user.
#[derive(Debug, Clone, Copy)]
pub struct ActivityFilter {
    /// Id of the campaign; `None` for all campaigns.
    pub campaign: Option<i64>,
    /// Number of the first hour, counted from 1970 (UTC).
    pub first_hour: i64,
    /// Number of the last hour, counted from 1970 (UTC).
    pub last_hour: i64,
    /// Vehicles that the caller may see.
    pub yard_filter: YardFilter,
    /// Id of the only user whose work is returned; `None` for all users.
    pub user: Option<i64>,
}

/// Returns the id of the yard that an `ExceptYard` filter hides; for other filters, an id that no yard has.
fn hidden_yard(yard_filter: YardFilter) -> i64 {
    if let YardFilter::ExceptYard(yard) = yard_filter { yard } else { i64::MIN }
}

/// Campaign in which users saved vehicles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromRow)]
pub struct ActiveCampaign {
    /// Id of the campaign in which users saved vehicles.
    pub campaign_id: i64,
    /// Whether the requesting user saved vehicles of the campaign.
    pub is_own: bool,
}

/// Returns the campaigns in which users saved vehicles since the hour `first_hour`, sorted by campaign id. Campaigns in which
/// `user` saved vehicles are marked.
pub async fn list_active_campaigns(db: &Db, first_hour: i64, user: i64, yard_filter: YardFilter) -> Result<Vec<ActiveCampaign>> {
    on!(db.read_pool(), c => query_as(
        "select campaign_id, max(case when user_id = $2 then 1 else 0 end) = 1 as is_own
           from activity where hour >= $1 and saves > 0 and yard_id <> $3 group by campaign_id order by campaign_id")
        .bind(first_hour).bind(user).bind(hidden_yard(yard_filter)).fetch_all(c).await)
}

/// Returns the inspection work in a range of hours, one sum per hour, yard or user. The sums are sorted by [`ActivitySum::id`].
pub async fn list_activity_sums(db: &Db, by: ActivityGrouping, filter: ActivityFilter) -> Result<Vec<ActivitySum>> {
    let column = match by {
        ActivityGrouping::Hour => "hour",
        ActivityGrouping::Yard => "yard_id",
        ActivityGrouping::User => "user_id",
    };
    let campaign = if filter.campaign.is_some() { "campaign_id = $1 and" } else { "cast($1 as bigint) is null and" };
    let user = if filter.user.is_some() { "and user_id = $5" } else { "and cast($5 as bigint) is null" };
    let people = if by == ActivityGrouping::User { "and user_id <> 0" } else { "" };
    let text = format!(
        "select {column} as id, cast(sum(inspected) as bigint) as inspected, cast(sum(saves) as bigint) as saves,
                cast(sum(found_wrong) as bigint) as found_wrong
           from activity where {campaign} hour between $2 and $3 and yard_id <> $4 {user} {people} group by {column} order by {column}"
    );
    let hidden = hidden_yard(filter.yard_filter);
    on!(db.read_pool(), c => query_as(AssertSqlSafe(text)).bind(filter.campaign).bind(filter.first_hour).bind(filter.last_hour).bind(hidden)
        .bind(filter.user).fetch_all(c).await)
}

/// Number of vehicles in one yard with one status.
#[derive(Debug, Clone, FromRow)]
pub struct StatusCount {
    /// Id of the yard; 0 for vehicles without a yard.
    pub yard_id: i64,
    /// Status text of the vehicles, such as `ok` or `Repair`.
    pub status: String,
    /// Number of vehicles in the yard with this status.
    pub vehicles: i64,
}

/// Returns the number of a campaign's vehicles with each status in each yard.
pub async fn list_status_counts(db: &Db, campaign: i64) -> Result<Vec<StatusCount>> {
    on!(db.read_pool(), c => query_as(
        "select yard_id, status, vehicles from status_counts where campaign_id = $1 and vehicles > 0 order by yard_id, status")
        .bind(campaign).fetch_all(c).await)
}

/// Returns the number of users who saved a vehicle in the hour `since` (number of hours since 1970, UTC) or later.
pub async fn count_active_users(db: &Db, since: i64) -> Result<i64> {
    on!(db.read_pool(), c => query_scalar("select count(distinct user_id) from activity where hour >= $1 and user_id <> 0 and saves > 0")
        .bind(since).fetch_one(c).await)
}

/// Deletes the work counts and the status counts of a campaign.
pub async fn delete_counts_of_campaign(tx: &mut Tx<'_>, campaign: i64) -> Result<()> {
    on!(tx.connection(), c => query("delete from activity where campaign_id = $1").bind(campaign).execute(c).await.map(drop))?;
    on!(tx.connection(), c => query("delete from status_counts where campaign_id = $1").bind(campaign).execute(c).await.map(drop))
}
