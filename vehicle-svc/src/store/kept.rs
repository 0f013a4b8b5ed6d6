//! What vehicles were before a job changed them, as far as it did: a few rows a job, each with thousands of vehicles.
//!
//! A row for each vehicle took as long to keep as a third of changing it. Jobs of earlier versions have such rows, in
//! `job_changes`.
use crate::store::dialect;
use patio_kit::{db::Tx, on};
use serde::{Deserialize, Serialize};
use sqlx::{AssertSqlSafe, FromRow, query, query_as, query_scalar};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// How many vehicles a row keeps at most.
const PART: usize = 5_000;

/// A vehicle before a job changed it. What the job left as it was is none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Before {
    /// Its number.
    pub id: i64,
    /// Its version, one less than the job gave it.
    pub version: i64,
    /// The number of its content.
    pub content: i64,
    /// Empty for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Whether it counted as inspected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inspected: Option<bool>,
    /// Where it stood, and in which yard that was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stood: Option<(String, Option<i64>)>,
    /// Team leader notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operator_notes: Option<String>,
    /// Supervisor notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin_notes: Option<String>,
}

/// Keeps vehicles for a job that has none kept.
pub async fn keep(tx: &mut Tx<'_>, job: i64, all: &[Before]) -> Result<()> {
    for (part, some) in (0i64..).zip(all.chunks(PART)) {
        let text = serde_json::to_string(some).map_err(|cause| sqlx::Error::Encode(Box::new(cause)))?;
        on!(tx.on(), c => query("insert into job_parts (job_id, part, vehicles) values ($1, $2, $3)")
            .bind(job).bind(part).bind(&text).execute(c).await.map(drop))?;
    }
    Ok(())
}

/// A vehicle as earlier versions kept it.
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

impl From<Earlier> for Before {
    fn from(earlier: Earlier) -> Self {
        Self {
            id: earlier.vehicle_id,
            version: earlier.content_after - 1,
            content: earlier.content_before,
            status: Some(earlier.status),
            inspected: Some(earlier.inspected),
            stood: Some((earlier.parking_space, earlier.yard_id)),
            operator_notes: Some(earlier.operator_notes),
            admin_notes: Some(earlier.admin_notes),
        }
    }
}

/// The vehicles that are kept for a job.
pub async fn of(tx: &mut Tx<'_>, job: i64) -> Result<Vec<Before>> {
    let earlier: Vec<Earlier> = on!(tx.on(), c => query_as(
        "select vehicle_id, content_before, content_after, status, inspected, parking_space, yard_id, operator_notes, admin_notes
           from job_changes where job_id = $1").bind(job).fetch_all(c).await)?;
    let parts: Vec<String> =
        on!(tx.on(), c => query_scalar("select vehicles from job_parts where job_id = $1").bind(job).fetch_all(c).await)?;
    let mut all: Vec<Before> = earlier.into_iter().map(Before::from).collect();
    for part in parts {
        all.extend(serde_json::from_str::<Vec<Before>>(&part).map_err(|cause| sqlx::Error::Decode(Box::new(cause)))?);
    }
    Ok(all)
}

/// Gives vehicles that are as before the job again the number of the content they had, and keeps those that are left alone.
pub async fn settle(tx: &mut Tx<'_>, job: i64, restored: &[Before], left: &[Before]) -> Result<()> {
    let text = format!(
        "update vehicles set restored_version = version, content = k.content from ({}) as k where vehicles.id = k.id",
        dialect::pairs(tx.is_postgres())
    );
    let pairs: Vec<_> = restored.iter().map(|before| (before.id, before.content)).collect();
    let pairs = serde_json::to_string(&pairs).unwrap_or_default();
    on!(tx.on(), c => query(AssertSqlSafe(text)).bind(&pairs).execute(c).await.map(drop))?;
    on!(tx.on(), c => query("delete from job_changes where job_id = $1").bind(job).execute(c).await.map(drop))?;
    on!(tx.on(), c => query("delete from job_parts where job_id = $1").bind(job).execute(c).await.map(drop))?;
    keep(tx, job, left).await
}

/// Forgets some of what is kept for a job; how many rows went.
pub async fn forget(tx: &mut Tx<'_>, job: i64, most: i64) -> Result<u64> {
    let parts = on!(tx.on(), c => query(
        "delete from job_parts where job_id = $1 and part in (select part from job_parts where job_id = $1 order by part limit 1)")
        .bind(job).execute(c).await.map(|done| done.rows_affected()))?;
    if parts > 0 {
        return Ok(parts);
    }
    on!(tx.on(), c => query(
        "delete from job_changes where job_id = $1
            and vehicle_id in (select vehicle_id from job_changes where job_id = $1 order by vehicle_id limit $2)")
        .bind(job).bind(most).execute(c).await.map(|done| done.rows_affected()))
}
