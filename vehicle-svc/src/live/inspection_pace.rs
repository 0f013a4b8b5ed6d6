//! Pace of work in a campaign: active users and their yards, vehicles per hour, and the estimated finish time.
//!
//! All replicas compute the same pace, even after a restart, because the pace is computed from the last save of each vehicle in the
//! database.
use crate::{
    store::inspection_pace::{self, RecentSaveCount, RemainingVehicleCount},
    yard_filter::YardFilter,
};
use chrono::{DateTime, TimeDelta, Utc};
use patio_kit::{auth::identity::Caller, clock, db::Db};
use patio_proto::{
    access::Role,
    vehicle::{Pace, UserPace},
};
use std::{collections::BTreeMap, time::Duration};

/// Maximum age of the saves that determine the pace of work (vehicles per hour, active users).
const PACE_WINDOW: TimeDelta = TimeDelta::minutes(30);
/// Maximum time since the last save of a user who counts as working.
const WORKING_PERIOD: TimeDelta = TimeDelta::minutes(15);
/// Minimum time span used to compute a rate, so that the first saves of a shift do not yield hundreds of vehicles an hour.
const MIN_SPAN: TimeDelta = TimeDelta::minutes(10);

/// Returns the pace of work (active users, vehicles per hour, estimated finish time) in each of the given campaigns, except drafts
/// and deleted campaigns.
///
/// # Errors
/// Returns the error of a failed statement.
pub async fn compute_inspection_pace(db: &Db, campaigns: &[i64], now: DateTime<Utc>) -> Result<Vec<Pace>, sqlx::Error> {
    if campaigns.is_empty() {
        return Ok(Vec::new());
    }
    let (saved, remaining) = tokio::try_join!(
        inspection_pace::list_recent_save_counts(db, campaigns, now - PACE_WINDOW),
        inspection_pace::count_remaining_vehicles(db, campaigns)
    )?;
    let mut by_campaign: BTreeMap<i64, Vec<RecentSaveCount>> = BTreeMap::new();
    for row in saved {
        by_campaign.entry(row.campaign_id).or_default().push(row);
    }
    Ok(remaining.into_iter().map(|of| whole(&of, &by_campaign.remove(&of.campaign_id).unwrap_or_default(), now)).collect())
}

fn whole(of: &RemainingVehicleCount, saved: &[RecentSaveCount], now: DateTime<Utc>) -> Pace {
    let mut people: BTreeMap<i64, Vec<&RecentSaveCount>> = BTreeMap::new();
    for row in saved {
        people.entry(row.user_id).or_default().push(row);
    }
    let mut people: Vec<UserPace> = people.into_iter().filter_map(|(id, rows)| person(id, &rows, now)).collect();
    people.sort_by_key(|person| std::cmp::Reverse(person.last_at.map(|at| (at.seconds, at.nanos))));
    let rate = if people.is_empty() {
        let saves = saved.iter().map(|row| row.saves).sum();
        per_hour(saves, saved.iter().map(|row| row.first_at).min().unwrap_or(now), now)
    } else {
        // The screens show the rates of people and yards beside the rate of the campaign, so it is the sum of them.
        round(people.iter().filter_map(|person| person.per_hour).sum())
    };
    let left = hours(of.remaining, rate);
    Pace {
        campaign_id: of.campaign_id,
        people,
        per_hour: rate,
        remaining: of.remaining,
        finish_at: left.and_then(|left| now.checked_add_signed(left)).map(clock::to_timestamp),
    }
}

/// Removes from a campaign's pace of work what the caller may not see. Operators see where their colleagues work, except in yard `-`,
/// but not how much the colleagues have inspected.
pub fn hide_invisible_details(pace: &mut Pace, caller: &Caller) {
    let yard_filter = YardFilter::for_role(caller.role, None);
    for person in &mut pace.people {
        person.yard = person.yard.filter(|yard| yard_filter.includes(Some(i64::from(*yard))));
        if caller.role == Role::Operator && person.user_id != caller.user_id {
            (person.saves, person.per_hour) = (None, None);
        }
    }
}

fn person(user_id: i64, rows: &[&RecentSaveCount], now: DateTime<Utc>) -> Option<UserPace> {
    let last = rows.iter().max_by_key(|row| row.last_at)?;
    let first_at = rows.iter().map(|row| row.first_at).min()?;
    let saves = rows.iter().map(|row| row.saves).sum();
    (now - last.last_at <= WORKING_PERIOD).then(|| UserPace {
        user_id,
        yard: last.yard_id.and_then(|id| i32::try_from(id).ok()),
        last_at: Some(clock::to_timestamp(last.last_at)),
        saves: Some(saves),
        per_hour: Some(per_hour(saves, first_at, now)),
    })
}

/// Returns the rate of work in vehicles per hour since `first_at`, rounded to one decimal.
fn per_hour(saves: i64, first_at: DateTime<Utc>, now: DateTime<Utc>) -> f64 {
    let span = (now - first_at).clamp(MIN_SPAN, PACE_WINDOW).as_seconds_f64();
    let saves = f64::from(u32::try_from(saves).unwrap_or(u32::MAX));
    round(saves * 3_600.0 / span)
}

/// Rounds a rate to one decimal.
fn round(rate: f64) -> f64 {
    (rate * 10.0).round() / 10.0
}

/// Returns the time until the remaining vehicles are inspected. Returns `None` when no vehicles remain, the rate is
/// 0, or the estimate exceeds ten years.
fn hours(remaining: i64, rate: f64) -> Option<TimeDelta> {
    let remaining = f64::from(u32::try_from(remaining).unwrap_or(u32::MAX));
    let seconds = remaining * 3_600.0 / rate;
    let time = Duration::try_from_secs_f64(seconds).ok().filter(|_| remaining > 0.0 && rate > 0.0)?;
    TimeDelta::from_std(time).ok().filter(|time| *time < TimeDelta::days(3_650))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved(user_id: i64, yard: i64, saves: i64, (first, last): (i64, i64), now: DateTime<Utc>) -> RecentSaveCount {
        let ago = |minutes| now - TimeDelta::minutes(minutes);
        RecentSaveCount { campaign_id: 1, user_id, yard_id: Some(yard), saves, first_at: ago(first), last_at: ago(last) }
    }

    #[test]
    fn a_pace_lists_users_at_work_and_estimates_the_finish() {
        let now = DateTime::from_timestamp(1_790_000_000, 0).unwrap();
        let rows = [saved(4, 2, 10, (20, 18), now), saved(4, 3, 5, (17, 1), now), saved(5, 2, 5, (30, 16), now)];
        let pace = whole(&RemainingVehicleCount { campaign_id: 1, remaining: 90 }, &rows, now);
        assert_eq!(pace.people.len(), 1, "a user without a save for 15 minutes is not at work");
        assert_eq!(
            (pace.people[0].user_id, pace.people[0].yard, pace.people[0].saves, pace.people[0].per_hour),
            (4, Some(3), Some(15), Some(45.0))
        );
        assert_eq!(pace.per_hour, 45.0, "the sum of the people at work");
        assert_eq!(pace.finish_at.unwrap().seconds, now.timestamp() + 2 * 3_600);
    }

    #[test]
    fn there_is_no_finish_time_without_saves_or_without_remaining_vehicles() {
        let now = DateTime::from_timestamp(1_790_000_000, 0).unwrap();
        let idle = whole(&RemainingVehicleCount { campaign_id: 1, remaining: 80 }, &[], now);
        assert_eq!((idle.per_hour, idle.finish_at), (0.0, None));
        let done = whole(&RemainingVehicleCount { campaign_id: 1, remaining: 0 }, &[saved(4, 2, 1, (0, 0), now)], now);
        assert_eq!((done.per_hour, done.finish_at), (6.0, None), "one save counts as one in ten minutes");
    }
}
