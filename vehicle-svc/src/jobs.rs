//! Keeping what changes many vehicles at once, for as long as it can be taken back.
use crate::{
    bulk::Run,
    live::MOST_ROWS,
    store::{
        changes,
        counters::{self, Counted, Deltas},
        edit::Patch,
        jobs::{self, New},
        kept::{self, Before},
        named::Named,
    },
};
use chrono::TimeDelta;
use patio_kit::{db::Db, db::Tx, host::Host};
use std::{collections::BTreeMap, time::Duration};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// How long a job is kept, and can be undone.
pub const KEPT: TimeDelta = TimeDelta::days(90);
/// How many rows go in one step, so that others need not wait for all of them.
const STEP: i64 = 5_000;

/// What a job does.
#[derive(Debug, Clone, Default)]
pub struct Work {
    /// `status`, `space` or `file`.
    pub kind: &'static str,
    /// The status that is set, or the file.
    pub detail: String,
    /// Whether supervisor notes change.
    pub supervisor: bool,
}

/// The vehicles that a job changes, by campaign.
#[derive(Debug, Default)]
pub struct Touched {
    before: Vec<Before>,
    campaigns: BTreeMap<i64, InCampaign>,
}

#[derive(Debug, Default)]
struct InCampaign {
    vehicles: Vec<i64>,
    deltas: Deltas,
}

/// A vehicle's yard, and whether the vehicle counts as inspected there.
type Counts = (Option<i64>, bool);

impl Touched {
    /// The vehicles, by number.
    #[must_use]
    pub fn ids(&self) -> Vec<i64> {
        self.before.iter().map(|before| before.id).collect()
    }

    /// Takes note of a vehicle of a campaign, of how it counts before and after, and whether it takes another turn in the walk.
    pub fn add(&mut self, campaign: i64, before: Before, (from, to): (Counts, Counts), walks: bool) {
        let here = self.campaigns.entry(campaign).or_default();
        here.vehicles.push(before.id);
        here.deltas.moved(from, to);
        here.deltas.order |= walks;
        self.before.push(before);
    }

    /// Vehicles and what they become.
    #[must_use]
    pub fn by(all: &[(&Named, Patch<'_>)]) -> Self {
        let mut touched = Self::default();
        for (vehicle, patch) in all {
            let inspected = patch.inspected.unwrap_or(vehicle.inspected);
            let yard = patch.place.map_or(vehicle.yard_id, |place| place.yard_id);
            let counts = ((vehicle.yard_id, vehicle.inspected), (yard, inspected));
            let walks =
                patch.place.is_some_and(|place| Some(&place.walk_key) != vehicle.walk_key.as_ref()) && !(vehicle.inspected && inspected);
            touched.add(vehicle.campaign_id, patch.before(vehicle), counts, walks);
        }
        touched
    }

    /// Keeps the job with its vehicles as they are, before they are changed.
    pub async fn keep(&self, tx: &mut Tx<'_>, run: &Run, work: Work) -> Result<()> {
        let Work { kind, detail, supervisor } = work;
        let new = New { kind, detail, user_id: run.caller.person(), at: run.now, vehicles: count(self.before.len()), supervisor };
        let job = jobs::insert(tx, &new).await?;
        for (campaign, here) in &self.campaigns {
            jobs::insert_campaign(tx, job, *campaign, count(here.vehicles.len())).await?;
        }
        kept::keep(tx, job, &self.before).await
    }

    /// Moves the counters of every campaign and notes what changed, after the vehicles were changed.
    pub async fn count_again(&self, tx: &mut Tx<'_>) -> Result<Vec<Counted>> {
        for (campaign, here) in &self.campaigns {
            counters::move_yards(tx, *campaign, &here.deltas).await?;
        }
        let mut counted = Vec::new();
        for (campaign, here) in &self.campaigns {
            let after = counters::apply(tx, *campaign, &here.deltas).await?;
            changes::note(tx, *campaign, after.revision, &here.vehicles).await?;
            let few = here.vehicles.len() <= MOST_ROWS;
            counted.push(Counted { vehicles: if few { here.vehicles.clone() } else { Vec::new() }, ..after });
        }
        Ok(counted)
    }
}

/// A count as the database and the contract carry it.
pub(crate) fn count(of: usize) -> i64 {
    i64::try_from(of).unwrap_or(i64::MAX)
}

/// Forgets, once an hour from now on, the jobs that were kept long enough.
pub fn keep_forgetting(host: &Host, db: Db) {
    let clock = host.clock.clone();
    host.tasks.repeat(Duration::from_secs(3600), move || {
        let (db, before) = (db.clone(), clock.now() - KEPT);
        async move {
            match forget(&db, before).await {
                Ok(count) => tracing::debug!(count, "forgot old jobs"),
                Err(cause) => tracing::warn!(%cause, "old jobs were not forgotten; they will be in an hour"),
            }
        }
    });
}

/// Forgets the jobs from before a moment, step by step; how many there were.
///
/// # Errors
/// When a statement fails; what is left goes the next time.
pub async fn forget(db: &Db, before: chrono::DateTime<chrono::Utc>) -> Result<u64> {
    let mut count = 0;
    while let Some(job) = jobs::due(db, before).await? {
        while db.write(move |tx| Box::pin(async move { kept::forget(tx, job, STEP).await })).await? > 0 {}
        db.write(move |tx| Box::pin(async move { jobs::forget(tx, job).await })).await?;
        count += 1;
    }
    Ok(count)
}
