//! SQL statements on the tables of jobs (bulk changes and imports) and of the campaigns that each job changed.
use crate::store::{dialect, job_snapshots::VehicleSnapshot, vehicle_lookup::content};
use chrono::{DateTime, Utc};
use patio_kit::{
    db::{Db, Tx},
    on,
    pagination::{HistoryWindow, PageWindow},
};
use serde::Deserialize;
use sqlx::{AssertSqlSafe, FromRow, query, query_as, query_scalar};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// A bulk job or import to be inserted into the table of jobs.
#[derive(Debug, Clone)]
pub struct NewBulkJob {
    /// Kind of change: `import`, `status`, `space` or `file`.
    pub kind: &'static str,
    /// New status of a `status` job, or file name of an `import` or `file` job.
    pub detail: String,
    /// Id of the user who makes the change; `None` when a service makes the change.
    pub user_id: Option<i64>,
    /// Time at which the job changes the vehicles.
    pub at: DateTime<Utc>,
    /// Number of vehicles that the job changes.
    pub vehicles: i64,
    /// Whether the job changes supervisor notes.
    pub supervisor: bool,
}

/// Inserts a bulk job or import. Returns the id of the job.
pub async fn insert(tx: &mut Tx<'_>, new: &NewBulkJob) -> Result<i64> {
    on!(tx.connection(), c => query_scalar(
        "insert into jobs (kind, detail, user_id, at, vehicles, supervisor) values ($1, $2, $3, $4, $5, $6) returning id")
        .bind(new.kind).bind(&new.detail).bind(new.user_id).bind(new.at).bind(new.vehicles).bind(new.supervisor).fetch_one(c).await)
}

/// Records that a job changes the given number of vehicles in a campaign.
pub async fn insert_job_campaign(tx: &mut Tx<'_>, job: i64, campaign: i64, vehicles: i64) -> Result<()> {
    on!(tx.connection(), c => query("insert into job_campaigns (job_id, campaign_id, name, vehicles) values ($1, $2, '', $3)")
        .bind(job).bind(campaign).bind(vehicles).execute(c).await.map(drop))
}

/// Deletes the import job that created a campaign.
pub async fn delete_import_job(tx: &mut Tx<'_>, campaign: i64) -> Result<()> {
    on!(tx.connection(), c => query(
        "delete from jobs where kind = 'import' and id in (select job_id from job_campaigns where campaign_id = $1)")
        .bind(campaign).execute(c).await.map(drop))
}

/// Copies the name of a campaign to the jobs that changed the campaign. The job history then shows the name even after the
/// campaign is deleted.
pub async fn copy_campaign_name_to_jobs(tx: &mut Tx<'_>, campaign: i64) -> Result<()> {
    on!(tx.connection(), c => query(
        "update job_campaigns set name = c.name from (select name from campaigns where id = $1 and name <> '') as c where campaign_id = $1")
        .bind(campaign).execute(c).await.map(drop))
}

/// A stored bulk job or import.
#[derive(Debug, Clone, FromRow)]
pub struct BulkJob {
    /// Id of the job, assigned by the database.
    pub id: i64,
    /// Kind of change: `import`, `status`, `space` or `file`.
    pub kind: String,
    /// New status of a `status` job, or file name of an `import` or `file` job.
    pub detail: String,
    /// Id of the user who made the change; `None` when a service made the change.
    pub user_id: Option<i64>,
    /// Time at which the job changed the vehicles.
    pub at: DateTime<Utc>,
    /// Number of vehicles that the job changed.
    pub vehicles: i64,
    /// Whether the job changed supervisor notes.
    pub supervisor: bool,
    /// Time at which the job was undone; `None` when the job was not undone.
    pub undone_at: Option<DateTime<Utc>>,
    /// Id of the user who undid the job; `None` when the job was not undone.
    pub undone_by: Option<i64>,
    /// Number of vehicles that the undo of the job restored; 0 when the job was not undone.
    pub restored: i64,
}

macro_rules! columns {
    () => {
        "j.id, j.kind, j.detail, j.user_id, j.at, j.vehicles, j.supervisor, j.undone_at, j.undone_by, j.restored"
    };
}

/// SQL condition that excludes running imports: import jobs whose campaign is still a draft.
macro_rules! seen {
    () => {
        " where not exists (select 1 from job_campaigns k join campaigns c on c.id = k.campaign_id where k.job_id = j.id and c.gate = 'draft')"
    };
}

/// Returns one page of bulk jobs and imports, newest first, without imports of draft campaigns.
pub async fn list_page(db: &Db, window: PageWindow) -> Result<Vec<BulkJob>> {
    on!(db.read_pool(), c => query_as(concat!("select ", columns!(), " from jobs j", seen!(), " order by j.at desc, j.id desc limit $1 offset $2"))
        .bind(window.limit()).bind(window.offset()).fetch_all(c).await)
}

/// Returns the number of bulk jobs and imports, without imports of draft campaigns.
pub async fn count(db: &Db) -> Result<i64> {
    on!(db.read_pool(), c => query_scalar(concat!("select count(*) from jobs j", seen!())).fetch_one(c).await)
}

/// Maximum length, in characters, of the stored snapshot of one vehicle. The limit has room for the longest notes before and after a
/// job, escaped as JSON.
const MAX_SNAPSHOT_LEN: i32 = 40_000;

/// A job that changed a vehicle, with the values of the vehicle before and after the job.
#[derive(Debug, FromRow)]
pub struct BulkJobWithSnapshot {
    /// Job that changed the vehicle.
    #[sqlx(flatten)]
    pub job: BulkJob,
    /// JSON text that begins with the snapshot of the vehicle. Snapshots of other vehicles may follow and are ignored.
    snapshots: String,
}

impl BulkJobWithSnapshot {
    /// Parses the values of the vehicle before and after the job.
    ///
    /// # Errors
    /// Returns an error when the stored text is invalid.
    pub fn snapshot(&self) -> Result<VehicleSnapshot> {
        let mut first = serde_json::Deserializer::from_str(&self.snapshots);
        VehicleSnapshot::deserialize(&mut first).map_err(|cause| sqlx::Error::Decode(cause.into()))
    }
}

/// Returns up to `limit` bulk jobs that changed a vehicle of a campaign before a given time, newest first.
///
/// One row contains the snapshots of thousands of vehicles as JSON text. The database therefore searches the text for the vehicle's
/// id.
pub async fn list_jobs_of_vehicle(
    db: &Db,
    (campaign, vehicle): (i64, i64),
    before: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<BulkJobWithSnapshot>> {
    let position = if db.is_postgres() { "strpos" } else { "instr" };
    let text = format!(
        concat!(
            "select ",
            columns!(),
            ", substr(p.vehicles, {position}(p.vehicles, $3), $5) as snapshots
               from job_campaigns k join jobs j on j.id = k.job_id join job_parts p on p.job_id = j.id
              where k.campaign_id = $1 and j.kind <> 'import' and j.at < $2 and {position}(p.vehicles, $3) > 0
              order by j.at desc, j.id desc limit $4"
        ),
        position = position
    );
    let begins = format!("{{\"id\":{vehicle},");
    on!(db.read_pool(), c => query_as(AssertSqlSafe(text)).bind(campaign).bind(before).bind(&begins).bind(limit).bind(MAX_SNAPSHOT_LEN).fetch_all(c).await)
}

/// Returns the import job that created a campaign, or `None` when the job was deleted after its retention time.
pub async fn find_import_job(db: &Db, campaign: i64) -> Result<Option<BulkJob>> {
    on!(db.read_pool(), c => query_as(concat!(
        "select ", columns!(), " from job_campaigns k join jobs j on j.id = k.job_id where k.campaign_id = $1 and j.kind = 'import'"))
        .bind(campaign).fetch_optional(c).await)
}

/// Event in a job history: a bulk job, or the undo of a bulk job.
#[derive(Debug, Clone, FromRow)]
pub struct JobEvent {
    /// Sort key for events with equal times: twice the id of the job, plus 1 when the event is the undo of the job.
    pub id: i64,
    /// Time of the event.
    pub at: DateTime<Utc>,
    /// Id of the user who made or undid the change; `None` for a service.
    pub user_id: Option<i64>,
    /// Kind of the job: `status`, `space`, `file` or `import`. An event of kind `import` is always the undo of an import.
    pub kind: String,
    /// Whether the event is the undo of the job.
    pub undone: bool,
    /// New status of a `status` job, or file name of a `file` or `import` job.
    pub detail: String,
    /// Number of vehicles that the job changed, or that the undo of the job restored. In a campaign's history, the number for a job
    /// includes only vehicles of this campaign, but the number for an undo includes vehicles of all campaigns.
    pub vehicles: i64,
    /// Id of the job that ran or was undone.
    pub job_id: i64,
}

/// Returns the bulk jobs that changed vehicles of a campaign, and the undos of these jobs, newest first.
pub async fn list_job_events_of_campaign(db: &Db, campaign: i64, window: &HistoryWindow) -> Result<Vec<JobEvent>> {
    on!(db.read_pool(), c => query_as(
        "select id, at, user_id, kind, undone, detail, vehicles, job_id from (
           select j.id * 2 as id, j.at, j.user_id, j.kind, false as undone, j.detail, k.vehicles, j.id as job_id
             from job_campaigns k join jobs j on j.id = k.job_id where k.campaign_id = $1 and j.kind <> 'import'
           union all
           select j.id * 2 + 1, j.undone_at, j.undone_by, j.kind, true, j.detail, j.restored, j.id
             from job_campaigns k join jobs j on j.id = k.job_id
            where k.campaign_id = $1 and j.kind <> 'import' and j.undone_at is not null) events
          where (at, id) < ($2, $3) order by at desc, id desc limit $4")
        .bind(campaign).bind(window.before).bind(window.before_id).bind(window.limit).fetch_all(c).await)
}

/// Returns the bulk jobs that a user made and the undos that the user made, newest first.
pub async fn list_job_events_of_user(db: &Db, user: i64, window: &HistoryWindow) -> Result<Vec<JobEvent>> {
    on!(db.read_pool(), c => query_as(
        "select id, at, user_id, kind, undone, detail, vehicles, job_id from (
           select id * 2 as id, at, user_id, kind, false as undone, detail, vehicles, id as job_id
             from jobs where user_id = $1 and kind <> 'import'
           union all
           select id * 2 + 1, undone_at, undone_by, kind, true, detail, restored, id
             from jobs where undone_by = $1 and undone_at is not null) events
          where (at, id) < ($2, $3) order by at desc, id desc limit $4")
        .bind(user).bind(window.before).bind(window.before_id).bind(window.limit).fetch_all(c).await)
}

/// A campaign that a job changed.
#[derive(Debug, Clone, FromRow)]
pub struct JobCampaign {
    /// Id of the job that changed the campaign.
    pub job_id: i64,
    /// Id of the changed campaign.
    pub campaign_id: i64,
    /// Name of the campaign; for a removed campaign, the name that it had when it was removed.
    pub name: String,
    /// State of the campaign: `open`, `closed` or `removed`.
    pub gate: String,
    /// Number of inspected vehicles in the campaign.
    pub inspected: i64,
}

/// Returns the campaigns that the given jobs changed, with one statement.
pub async fn list_campaigns_of_jobs(db: &Db, jobs: &[i64]) -> Result<Vec<JobCampaign>> {
    let text = format!(
        "select k.job_id, k.campaign_id, coalesce(nullif(c.name, ''), k.name) as name, c.gate, c.inspected
           from job_campaigns k join campaigns c on c.id = k.campaign_id where k.job_id {} order by k.job_id, k.campaign_id",
        dialect::json_array_contains_sql(db.is_postgres())
    );
    let jobs = serde_json::to_string(jobs).unwrap_or_default();
    on!(db.read_pool(), c => query_as(AssertSqlSafe(text)).bind(&jobs).fetch_all(c).await)
}

/// Returns a job and locks its row until the commit, so that two calls cannot both undo the job. Returns `None` when the job does
/// not exist or is a running import.
pub async fn lock_for_update(tx: &mut Tx<'_>, id: i64) -> Result<Option<BulkJob>> {
    let text = format!(
        concat!("select ", columns!(), " from jobs j", seen!(), " and j.id = $1 {}"),
        dialect::choose_dialect_sql(tx.is_postgres(), "", "for update of j")
    );
    on!(tx.connection(), c => query_as(AssertSqlSafe(text)).bind(id).fetch_optional(c).await)
}

/// Returns the campaigns of a job, locked against opening and closing until the commit. If `blocks_saves` is true, the lock also blocks
/// saves in these campaigns.
pub async fn lock_campaigns_of_job(tx: &mut Tx<'_>, job: i64, blocks_saves: bool) -> Result<Vec<JobCampaign>> {
    let lock = if blocks_saves { "for update of c" } else { "for key share of c" };
    let text = format!(
        "select k.job_id, k.campaign_id, coalesce(nullif(c.name, ''), k.name) as name, c.gate, c.inspected
           from job_campaigns k join campaigns c on c.id = k.campaign_id where k.job_id = $1 order by k.campaign_id {}",
        dialect::choose_dialect_sql(tx.is_postgres(), "", lock)
    );
    on!(tx.connection(), c => query_as(AssertSqlSafe(text)).bind(job).fetch_all(c).await)
}

/// Marks a job as undone. For an import, `removing` is the id of the imported campaign, which campaign-svc must now delete; `None`
/// for other jobs.
pub async fn record_job_undo(tx: &mut Tx<'_>, job: &BulkJob, removing: Option<i64>) -> Result<()> {
    on!(tx.connection(), c => query("update jobs set undone_at = $2, undone_by = $3, restored = $4, removing = $5 where id = $1")
        .bind(job.id).bind(job.undone_at).bind(job.undone_by).bind(job.restored).bind(removing).execute(c).await.map(drop))
}

/// A vehicle that the undo of a job skips, because the vehicle was changed after the job.
#[derive(Debug, Clone, FromRow)]
pub struct SkippedVehicle {
    /// Id of the skipped vehicle.
    pub id: i64,
    /// VIN of the skipped vehicle: model code and serial number, separated by a blank.
    pub vin: String,
    /// Name of the vehicle's campaign.
    pub campaign_name: String,
}

/// Returns the VIN and the campaign name of each given vehicle that still exists.
pub async fn list_skipped_vehicles(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<SkippedVehicle>> {
    let text = format!(
        "select v.id, v.model_code || ' ' || v.serial_number as vin, c.name as campaign_name
           from vehicles v join campaigns c on c.id = v.campaign_id
          where v.id {} and c.gate in ('open', 'closed') order by v.walk_key, v.id",
        dialect::json_array_contains_sql(tx.is_postgres())
    );
    let ids = serde_json::to_string(ids).unwrap_or_default();
    on!(tx.connection(), c => query_as(AssertSqlSafe(text)).bind(&ids).fetch_all(c).await)
}

/// Returns the vehicles of a campaign that were changed after their import.
pub async fn list_vehicles_changed_after_import(tx: &mut Tx<'_>, campaign: i64) -> Result<Vec<SkippedVehicle>> {
    on!(tx.connection(), c => query_as(concat!(
        "select v.id, v.model_code || ' ' || v.serial_number as vin, c.name as campaign_name
           from vehicles v join campaigns c on c.id = v.campaign_id where v.campaign_id = $1 and ", content!(), " <> 1 order by v.walk_key, v.id"))
        .bind(campaign).fetch_all(c).await)
}

/// A campaign that campaign-svc still has to delete, because the import of the campaign was undone.
#[derive(Debug, Clone, Copy, FromRow)]
pub struct PendingCampaignDeletion {
    /// Id of the undone import job.
    pub id: i64,
    /// Id of the imported campaign, which campaign-svc has to delete.
    pub removing: i64,
}

/// Returns at most 100 campaigns that campaign-svc still has to delete, because their imports were undone.
pub async fn list_pending_campaign_deletions(db: &Db) -> Result<Vec<PendingCampaignDeletion>> {
    on!(db.read_pool(), c => query_as("select id, removing from jobs where removing is not null order by id limit 100").fetch_all(c).await)
}

/// Records that campaign-svc has deleted the campaign of an undone import.
pub async fn record_campaign_deleted(tx: &mut Tx<'_>, job: i64) -> Result<()> {
    on!(tx.connection(), c => query("update jobs set removing = null where id = $1").bind(job).execute(c).await.map(drop))
}

/// Returns the id of the oldest job that ran before the time `before`; `None` when there is no such job. An undone import is skipped
/// until campaign-svc has deleted the imported campaign.
pub async fn find_oldest_expired_job(db: &Db, before: DateTime<Utc>) -> Result<Option<i64>> {
    on!(db.read_pool(), c => query_scalar("select id from jobs where at < $1 and removing is null order by at, id limit 1")
        .bind(before).fetch_optional(c).await)
}

/// Deletes a job whose retention time has passed.
pub async fn purge_expired_job(tx: &mut Tx<'_>, job: i64) -> Result<()> {
    on!(tx.connection(), c => query("delete from jobs where id = $1").bind(job).execute(c).await.map(drop))
}
