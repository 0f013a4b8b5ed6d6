//! Who works where in a campaign, how fast, and when it will be done.
//!
//! It is read from the last saves of its vehicles, which every replica sees and no restart forgets.
use crate::store::pace::{self, Remaining, Saved};
use chrono::{DateTime, TimeDelta, Utc};
use patio_kit::{clock, db::Db};
use patio_proto::vehicle::{Pace, PersonPace};
use std::{collections::BTreeMap, time::Duration};

/// Over which time a pace is taken.
const SPAN: TimeDelta = TimeDelta::minutes(30);
/// For how long somebody who saved counts as being at work.
const PRESENT: TimeDelta = TimeDelta::minutes(15);
/// The shortest time that saves are taken to have needed, so that the very first one is no pace of hundreds.
const LEAST: TimeDelta = TimeDelta::minutes(2);

/// The paces of those campaigns that people see.
///
/// # Errors
/// When a statement fails.
pub async fn of(db: &Db, campaigns: &[i64], now: DateTime<Utc>) -> Result<Vec<Pace>, sqlx::Error> {
    if campaigns.is_empty() {
        return Ok(Vec::new());
    }
    let (saved, remaining) = tokio::try_join!(pace::saved(db, campaigns, now - SPAN), pace::remaining(db, campaigns))?;
    let mut by_campaign: BTreeMap<i64, Vec<Saved>> = BTreeMap::new();
    for row in saved {
        by_campaign.entry(row.campaign_id).or_default().push(row);
    }
    Ok(remaining.into_iter().map(|of| whole(&of, &by_campaign.remove(&of.campaign_id).unwrap_or_default(), now)).collect())
}

fn whole(of: &Remaining, saved: &[Saved], now: DateTime<Utc>) -> Pace {
    let mut people: BTreeMap<i64, Vec<&Saved>> = BTreeMap::new();
    for row in saved {
        people.entry(row.user_id).or_default().push(row);
    }
    let mut people: Vec<PersonPace> = people.into_iter().filter_map(|(id, rows)| person(id, &rows, now)).collect();
    people.sort_by_key(|person| std::cmp::Reverse(person.last_at.map(|at| (at.seconds, at.nanos))));
    let saves = saved.iter().map(|row| row.saves).sum();
    let rate = per_hour(saves, saved.iter().map(|row| row.first_at).min().unwrap_or(now), now);
    let left = hours(of.remaining, rate);
    Pace {
        campaign_id: of.campaign_id,
        people,
        per_hour: rate,
        remaining: of.remaining,
        finish_at: left.and_then(|left| now.checked_add_signed(left)).map(clock::timestamp),
    }
}

fn person(user_id: i64, rows: &[&Saved], now: DateTime<Utc>) -> Option<PersonPace> {
    let last = rows.iter().max_by_key(|row| row.last_at)?;
    let first_at = rows.iter().map(|row| row.first_at).min()?;
    let saves = rows.iter().map(|row| row.saves).sum();
    (now - last.last_at <= PRESENT).then(|| PersonPace {
        user_id,
        yard: last.yard_id.and_then(|id| i32::try_from(id).ok()),
        last_at: Some(clock::timestamp(last.last_at)),
        saves,
        per_hour: per_hour(saves, first_at, now),
    })
}

/// Vehicles an hour since the first one, with one digit.
fn per_hour(saves: i64, first_at: DateTime<Utc>, now: DateTime<Utc>) -> f64 {
    let span = (now - first_at).clamp(LEAST, SPAN).as_seconds_f64();
    let saves = f64::from(u32::try_from(saves).unwrap_or(u32::MAX));
    (saves * 36_000.0 / span).round() / 10.0
}

/// How long what remains takes; none when nothing remains, nobody works, or nobody would live to see it.
fn hours(remaining: i64, rate: f64) -> Option<TimeDelta> {
    let remaining = f64::from(u32::try_from(remaining).unwrap_or(u32::MAX));
    let seconds = remaining * 3_600.0 / rate;
    let time = Duration::try_from_secs_f64(seconds).ok().filter(|_| remaining > 0.0 && rate > 0.0)?;
    TimeDelta::from_std(time).ok().filter(|time| *time < TimeDelta::days(3_650))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved(user_id: i64, yard: i64, saves: i64, (first, last): (i64, i64), now: DateTime<Utc>) -> Saved {
        let ago = |minutes| now - TimeDelta::minutes(minutes);
        Saved { campaign_id: 1, user_id, yard_id: Some(yard), saves, first_at: ago(first), last_at: ago(last) }
    }

    #[test]
    fn a_pace_is_of_those_at_work_and_tells_when_they_will_be_done() {
        let now = DateTime::from_timestamp(1_790_000_000, 0).unwrap();
        let rows = [saved(4, 2, 10, (20, 18), now), saved(4, 3, 5, (17, 1), now), saved(5, 2, 5, (30, 16), now)];
        let pace = whole(&Remaining { campaign_id: 1, remaining: 80 }, &rows, now);
        assert_eq!(pace.people.len(), 1, "whoever saved nothing for a quarter of an hour is not at work");
        assert_eq!((pace.people[0].user_id, pace.people[0].yard, pace.people[0].saves, pace.people[0].per_hour), (4, Some(3), 15, 45.0));
        assert_eq!(pace.per_hour, 40.0);
        assert_eq!(pace.finish_at.unwrap().seconds, now.timestamp() + 2 * 3_600);
    }

    #[test]
    fn nothing_saved_and_nothing_left_have_no_end() {
        let now = DateTime::from_timestamp(1_790_000_000, 0).unwrap();
        let idle = whole(&Remaining { campaign_id: 1, remaining: 80 }, &[], now);
        assert_eq!((idle.per_hour, idle.finish_at), (0.0, None));
        let done = whole(&Remaining { campaign_id: 1, remaining: 0 }, &[saved(4, 2, 1, (0, 0), now)], now);
        assert_eq!((done.per_hour, done.finish_at), (30.0, None), "one save is not hundreds an hour");
    }
}
