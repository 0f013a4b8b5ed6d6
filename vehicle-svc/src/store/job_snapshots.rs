//! Snapshots of the vehicles that a bulk job changes, for the undo of the job. One row contains the snapshots of up to
//! `SNAPSHOTS_PER_ROW` vehicles.
//!
//! Earlier versions of the program stored one row per vehicle in the table `job_changes`; writing these rows took a third of the time
//! of a bulk change.
use crate::store::dialect;
use patio_kit::{db::Tx, on};
use serde::{Deserialize, Serialize};
use sqlx::{AssertSqlSafe, FromRow, query, query_as, query_scalar};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// Maximum number of vehicle snapshots per row of `job_parts`.
const SNAPSHOTS_PER_ROW: usize = 5_000;

/// Snapshot of a vehicle for the undo of a bulk job: the values before the job. The field `after` contains the values after the job.
/// Fields that the job does not change are `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct VehicleSnapshot {
    /// Id of the vehicle that the job changes.
    pub id: i64,
    /// Version of the vehicle before the job; the job increased the version by one.
    pub version: i64,
    /// Content id of the vehicle before the job. The content id is the version at which the vehicle's content was first stored.
    pub content: i64,
    /// Status before the job, empty for no status; `None` when the job did not change the status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Whether the vehicle counted as inspected before the job; `None` when the job did not change this state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inspected: Option<bool>,
    /// Parking space and yard id before the job; `None` when the job did not move the vehicle.
    #[serde(rename = "stood", skip_serializing_if = "Option::is_none")]
    pub parking_space: Option<(String, Option<i64>)>,
    /// Notes of operators and team leaders before the job; `None` when the job did not change these notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operator_notes: Option<String>,
    /// Notes of supervisors before the job; `None` when the job did not change these notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin_notes: Option<String>,
    /// Values after the job, for the history of the vehicle; `None` in snapshots of earlier versions of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<ValuesAfterJob>,
}

/// Values of a vehicle after a bulk job. Fields that the job does not change are `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct ValuesAfterJob {
    /// Status after the job, empty for no status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Parking space after the job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space: Option<String>,
    /// Value of the operator notes (written by operators and team leaders) after the job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operator_notes: Option<String>,
    /// Value of the supervisor notes after the job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin_notes: Option<String>,
}

/// Inserts the vehicle snapshots of a job. The job must not have any snapshots yet.
pub async fn insert(tx: &mut Tx<'_>, job: i64, all: &[VehicleSnapshot]) -> Result<()> {
    for (part, some) in (0i64..).zip(all.chunks(SNAPSHOTS_PER_ROW)) {
        let text = serde_json::to_string(some).map_err(|cause| sqlx::Error::Encode(Box::new(cause)))?;
        on!(tx.connection(), c => query("insert into job_parts (job_id, part, vehicles) values ($1, $2, $3)")
            .bind(job).bind(part).bind(&text).execute(c).await.map(drop))?;
    }
    Ok(())
}

/// Row of the table `job_changes`, in which earlier versions of the program stored the snapshot of one vehicle.
#[derive(FromRow)]
struct Earlier {
    vehicle_id: i64,
    content_before: i64,
    content_after: i64,
    status: String,
    inspected: bool,
    parking_space: String,
    yard_id: Option<i64>,
    operator_notes: String,
    admin_notes: String,
}

impl From<Earlier> for VehicleSnapshot {
    fn from(earlier: Earlier) -> Self {
        Self {
            id: earlier.vehicle_id,
            version: earlier.content_after - 1,
            content: earlier.content_before,
            status: Some(earlier.status),
            inspected: Some(earlier.inspected),
            parking_space: Some((earlier.parking_space, earlier.yard_id)),
            operator_notes: Some(earlier.operator_notes),
            admin_notes: Some(earlier.admin_notes),
            after: None,
        }
    }
}

/// Returns all stored snapshots of a job. After the undo of the job, only the snapshots of the skipped vehicles are left.
pub async fn list_snapshots_of_job(tx: &mut Tx<'_>, job: i64) -> Result<Vec<VehicleSnapshot>> {
    let earlier: Vec<Earlier> = on!(tx.connection(), c => query_as(
        "select vehicle_id, content_before, content_after, status, inspected, parking_space, yard_id, operator_notes, admin_notes
           from job_changes where job_id = $1").bind(job).fetch_all(c).await)?;
    let parts: Vec<String> =
        on!(tx.connection(), c => query_scalar("select vehicles from job_parts where job_id = $1").bind(job).fetch_all(c).await)?;
    let mut all: Vec<VehicleSnapshot> = earlier.into_iter().map(VehicleSnapshot::from).collect();
    for part in parts {
        all.extend(serde_json::from_str::<Vec<VehicleSnapshot>>(&part).map_err(|cause| sqlx::Error::Decode(Box::new(cause)))?);
    }
    Ok(all)
}

/// Completes the undo of a job: resets the content ids of the restored vehicles, and deletes the snapshots of these vehicles. The
/// content id is the version at which a vehicle's current content was first stored. `left` contains the snapshots of the vehicles that the
/// undo skipped; only these snapshots stay stored.
pub async fn update_snapshots_after_undo(tx: &mut Tx<'_>, job: i64, restored: &[VehicleSnapshot], left: &[VehicleSnapshot]) -> Result<()> {
    let text = format!(
        "update vehicles set restored_version = version, content = k.content from ({}) as k where vehicles.id = k.id",
        dialect::unnest_content_ids_sql(tx.is_postgres())
    );
    let pairs: Vec<_> = restored.iter().map(|before| (before.id, before.content)).collect();
    let pairs = serde_json::to_string(&pairs).unwrap_or_default();
    on!(tx.connection(), c => query(AssertSqlSafe(text)).bind(&pairs).execute(c).await.map(drop))?;
    on!(tx.connection(), c => query("delete from job_changes where job_id = $1").bind(job).execute(c).await.map(drop))?;
    on!(tx.connection(), c => query("delete from job_parts where job_id = $1").bind(job).execute(c).await.map(drop))?;
    insert(tx, job, left).await
}

/// Deletes some snapshots of a job: one row of `job_parts`, or up to `limit` rows of the older table `job_changes`. Returns the
/// number of deleted rows; 0 when no snapshot is left.
pub async fn delete_chunk(tx: &mut Tx<'_>, job: i64, limit: i64) -> Result<u64> {
    let parts = on!(tx.connection(), c => query(
        "delete from job_parts where job_id = $1 and part in (select part from job_parts where job_id = $1 order by part limit 1)")
        .bind(job).execute(c).await.map(|done| done.rows_affected()))?;
    if parts > 0 {
        return Ok(parts);
    }
    on!(tx.connection(), c => query(
        "delete from job_changes where job_id = $1
            and vehicle_id in (select vehicle_id from job_changes where job_id = $1 order by vehicle_id limit $2)")
        .bind(job).bind(limit).execute(c).await.map(|done| done.rows_affected()))
}
