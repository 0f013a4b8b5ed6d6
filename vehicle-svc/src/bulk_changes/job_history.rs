//! Job history: records bulk changes with snapshots of the changed vehicles, so that a job can be undone for 90 days.
use crate::{
    bulk_changes::context::BulkCallContext,
    live::MAX_VEHICLES_PER_EVENT,
    store::{
        activity_counts::{self, StatusCountDeltas},
        bulk_update_vehicles::{self, VehiclePatch},
        change_list,
        counters::{self, CampaignCounts, CounterDeltasByYard},
        job_snapshots::{self, VehicleSnapshot},
        jobs::{self, NewBulkJob},
        vehicle_lookup::FoundVehicle,
    },
};
use chrono::{DateTime, TimeDelta, Utc};
use patio_kit::{
    db::{Db, Tx},
    service_host::ServiceHost,
};
use std::{collections::BTreeMap, time::Duration};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// Retention time of a bulk job: the job can be undone during this time and is deleted afterwards.
pub const JOB_RETENTION: TimeDelta = TimeDelta::days(90);
/// Maximum number of snapshot rows that a transaction deletes; short transactions keep other writers from waiting long.
const PURGE_CHUNK_LEN: i64 = 5_000;

/// Description of a bulk job in the job history: kind, detail (such as the new status), and whether only supervisors may undo the job.
#[derive(Debug, Clone, Default)]
pub struct BulkJobDescription {
    /// Kind of change: `status`, `space` or `file`.
    pub kind: &'static str,
    /// New status for the kind `status`, file name for the kind `file`, empty for the kind `space`.
    pub detail: String,
    /// Whether the job changes supervisor notes. Only a supervisor may undo such a job.
    pub supervisor: bool,
}

/// Vehicles that a job changes, with their snapshots and the changes to the counters of each campaign.
#[derive(Debug, Default)]
pub struct JobChangeSet {
    before: Vec<VehicleSnapshot>,
    campaigns: BTreeMap<i64, InCampaign>,
}

#[derive(Debug, Default)]
struct InCampaign {
    vehicles: Vec<i64>,
    deltas: CounterDeltasByYard,
    statuses: StatusCountDeltas,
}

/// Values of a vehicle on which the vehicle counters depend: yard id (`None` for no yard), and whether the vehicle is inspected.
type Counts = (Option<i64>, bool);

impl JobChangeSet {
    /// Returns the ids of the vehicles that the job changes.
    #[must_use]
    pub fn vehicle_ids(&self) -> Vec<i64> {
        self.before.iter().map(|before| before.id).collect()
    }

    /// Adds a changed vehicle to the job and to the vehicle counters of its campaign. `before` is the snapshot of the vehicle; `from` and
    /// `to` are its yard and inspected state before and after the change. `walks` states whether the change affects the walking order
    /// (by parking space) of uninspected vehicles.
    pub fn add_vehicle(&mut self, campaign: i64, before: VehicleSnapshot, (from, to): (Counts, Counts), walks: bool) {
        let here = self.campaigns.entry(campaign).or_default();
        here.vehicles.push(before.id);
        here.deltas.add_vehicle_change(from, to);
        here.deltas.order_changed |= walks;
        self.before.push(before);
    }

    /// Adds the change of one vehicle to the status counts of its campaign. `from` and `to` are the vehicle's yard and status before and
    /// after the change.
    pub fn add_status_change(&mut self, campaign: i64, from: (Option<i64>, &str), to: (Option<i64>, &str)) {
        self.campaigns.entry(campaign).or_default().statuses.add_vehicle_change(from, to);
    }

    /// Creates the change set of vehicles and their patches (new values). The caller must have locked the rows of the vehicles.
    #[must_use]
    pub fn from_patches(all: &[(&FoundVehicle, VehiclePatch<'_>)]) -> Self {
        let mut touched = Self::default();
        for (vehicle, patch) in all {
            let inspected = patch.inspected.unwrap_or(vehicle.inspected);
            let yard = patch.place.map_or(vehicle.yard_id, |place| place.yard_id);
            let counts = ((vehicle.yard_id, vehicle.inspected), (yard, inspected));
            let walks =
                patch.place.is_some_and(|place| Some(&place.walk_key) != vehicle.walk_key.as_ref()) && !(vehicle.inspected && inspected);
            touched.add_vehicle(vehicle.campaign_id, patch.snapshot_before_change(vehicle), counts, walks);
            let status = patch.status.unwrap_or(&vehicle.status);
            touched.add_status_change(vehicle.campaign_id, (vehicle.yard_id, &vehicle.status), (yard, status));
        }
        touched
    }

    /// Inserts the job and the snapshots of its vehicles into the database. Must be called before the vehicles
    /// change.
    pub async fn record_job(&self, tx: &mut Tx<'_>, run: &BulkCallContext, work: BulkJobDescription) -> Result<()> {
        let BulkJobDescription { kind, detail, supervisor } = work;
        let new = NewBulkJob {
            kind,
            detail,
            user_id: run.caller.signed_in_user_id(),
            at: run.now,
            vehicles: usize_to_i64(self.before.len()),
            supervisor,
        };
        let job = jobs::insert(tx, &new).await?;
        for (campaign, here) in &self.campaigns {
            jobs::insert_job_campaign(tx, job, *campaign, usize_to_i64(here.vehicles.len())).await?;
        }
        job_snapshots::insert(tx, job, &self.before).await
    }

    /// Updates the vehicle counters, the hourly work counts and the change list of every changed campaign. Returns the new counters of
    /// each campaign. The change list contains the revision of the last change of each vehicle. Must be called after the vehicles were
    /// changed; `at` is the time of the change.
    pub async fn update_counters_and_change_list(&self, tx: &mut Tx<'_>, at: DateTime<Utc>) -> Result<Vec<CampaignCounts>> {
        for (campaign, here) in &self.campaigns {
            counters::update_yard_counters(tx, *campaign, &here.deltas).await?;
        }
        let mut campaign_counts = Vec::new();
        for (campaign, here) in &self.campaigns {
            let after = counters::update_campaign_counters(tx, *campaign, &here.deltas).await?;
            activity_counts::add_bulk_change_activity(tx, *campaign, at, here.deltas.inspected_count_deltas_by_yard(), &here.statuses)
                .await?;
            change_list::record_changes(tx, *campaign, after.revision, &here.vehicles).await?;
            let few = here.vehicles.len() <= MAX_VEHICLES_PER_EVENT;
            campaign_counts.push(CampaignCounts { vehicles: if few { here.vehicles.clone() } else { Vec::new() }, ..after });
        }
        Ok(campaign_counts)
    }
}

/// Records a bulk job, changes the vehicles of the job and updates the counters of their campaigns.
///
/// # Errors
/// Returns the error of a failed statement.
pub async fn record_job_and_patch_vehicles(
    tx: &mut Tx<'_>,
    all: &[(&FoundVehicle, VehiclePatch<'_>)],
    run: &BulkCallContext,
    work: BulkJobDescription,
) -> Result<Vec<CampaignCounts>> {
    let touched = JobChangeSet::from_patches(all);
    touched.record_job(tx, run, work).await?;
    bulk_update_vehicles::write_patches(tx, all, run.caller.signed_in_user_id(), run.now).await?;
    touched.update_counters_and_change_list(tx, run.now).await
}

/// Converts a count to `i64`, the type of counts in the database and in gRPC messages.
pub(crate) fn usize_to_i64(of: usize) -> i64 {
    i64::try_from(of).unwrap_or(i64::MAX)
}

/// Starts the hourly task that deletes bulk jobs older than [`JOB_RETENTION`].
pub fn spawn_job_purge(host: &ServiceHost, db: Db) {
    let clock = host.clock.clone();
    host.tasks.spawn_repeating(Duration::from_secs(3600), move || {
        let (db, before) = (db.clone(), clock.now() - JOB_RETENTION);
        async move {
            match purge_expired_jobs(&db, before).await {
                Ok(count) => tracing::debug!(count, "deleted expired bulk-change jobs"),
                Err(cause) => tracing::warn!(%cause, "failed to delete expired bulk-change jobs, retrying in an hour"),
            }
        }
    });
}

/// Deletes the bulk jobs that ran before `before`, in several transactions. Returns the number of deleted jobs.
///
/// # Errors
/// Returns the error of a failed statement. The next call continues with the remaining jobs.
pub async fn purge_expired_jobs(db: &Db, before: DateTime<Utc>) -> Result<u64> {
    let mut count = 0;
    while let Some(job) = jobs::find_oldest_expired_job(db, before).await? {
        while db.write(move |tx| Box::pin(async move { job_snapshots::delete_chunk(tx, job, PURGE_CHUNK_LEN).await })).await? > 0 {}
        db.write(move |tx| Box::pin(async move { jobs::purge_expired_job(tx, job).await })).await?;
        count += 1;
    }
    Ok(count)
}
