//! What changed many vehicles at once, with what they were before.
use crate::store::{dialect, named::content};
use chrono::{DateTime, Utc};
use patio_kit::{
    db::{Db, Tx},
    on,
    page::Window,
};
use sqlx::{AssertSqlSafe, FromRow, query, query_as, query_scalar};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// A job to be kept.
#[derive(Debug, Clone)]
pub struct New {
    /// `import`, `status`, `space` or `file`.
    pub kind: &'static str,
    /// The status that is set, or the file.
    pub detail: String,
    /// Who does it.
    pub user_id: Option<i64>,
    /// When.
    pub at: DateTime<Utc>,
    /// How many vehicles it changes.
    pub vehicles: i64,
    /// Whether supervisor notes change.
    pub supervisor: bool,
}

/// Keeps a job; its number.
pub async fn insert(tx: &mut Tx<'_>, new: &New) -> Result<i64> {
    on!(tx.on(), c => query_scalar(
        "insert into jobs (kind, detail, user_id, at, vehicles, supervisor) values ($1, $2, $3, $4, $5, $6) returning id")
        .bind(new.kind).bind(&new.detail).bind(new.user_id).bind(new.at).bind(new.vehicles).bind(new.supervisor).fetch_one(c).await)
}

/// Keeps that a job changes so many vehicles of a campaign; what that is called is kept when it goes, see [`keep_name`].
pub async fn insert_campaign(tx: &mut Tx<'_>, job: i64, campaign: i64, vehicles: i64) -> Result<()> {
    on!(tx.on(), c => query("insert into job_campaigns (job_id, campaign_id, name, vehicles) values ($1, $2, '', $3)")
        .bind(job).bind(campaign).bind(vehicles).execute(c).await.map(drop))
}

/// Forgets the import that made a campaign, as if it had not been.
pub async fn forget_import(tx: &mut Tx<'_>, campaign: i64) -> Result<()> {
    on!(tx.on(), c => query(
        "delete from jobs where kind = 'import' and id in (select job_id from job_campaigns where campaign_id = $1)")
        .bind(campaign).execute(c).await.map(drop))
}

/// Keeps what a campaign is called for the jobs that changed it, before it goes.
pub async fn keep_name(tx: &mut Tx<'_>, campaign: i64) -> Result<()> {
    on!(tx.on(), c => query(
        "update job_campaigns set name = c.name from (select name from campaigns where id = $1 and name <> '') as c where campaign_id = $1")
        .bind(campaign).execute(c).await.map(drop))
}

/// A job as it is kept.
#[derive(Debug, Clone, FromRow)]
pub struct Job {
    /// Its number.
    pub id: i64,
    /// `import`, `status`, `space` or `file`.
    pub kind: String,
    /// The status that was set, or the file.
    pub detail: String,
    /// Who did it.
    pub user_id: Option<i64>,
    /// When.
    pub at: DateTime<Utc>,
    /// How many vehicles it changed.
    pub vehicles: i64,
    /// Whether supervisor notes changed.
    pub supervisor: bool,
    /// None unless it was undone.
    pub undone_at: Option<DateTime<Utc>>,
    /// Who undid it.
    pub undone_by: Option<i64>,
    /// How many vehicles are as before again.
    pub restored: i64,
}

macro_rules! columns {
    () => {
        "j.id, j.kind, j.detail, j.user_id, j.at, j.vehicles, j.supervisor, j.undone_at, j.undone_by, j.restored"
    };
}

/// An import is no job before its campaign is seen.
macro_rules! seen {
    () => {
        " where not exists (select 1 from job_campaigns k join campaigns c on c.id = k.campaign_id where k.job_id = j.id and c.gate = 'draft')"
    };
}

/// One page of jobs, newest first.
pub async fn page(db: &Db, window: Window) -> Result<Vec<Job>> {
    on!(db.read(), c => query_as(concat!("select ", columns!(), " from jobs j", seen!(), " order by j.at desc, j.id desc limit $1 offset $2"))
        .bind(window.limit()).bind(window.offset()).fetch_all(c).await)
}

/// How many jobs there are.
pub async fn count(db: &Db) -> Result<i64> {
    on!(db.read(), c => query_scalar(concat!("select count(*) from jobs j", seen!())).fetch_one(c).await)
}

/// A campaign of a job.
#[derive(Debug, Clone, FromRow)]
pub struct Campaign {
    /// The job.
    pub job_id: i64,
    /// The campaign.
    pub campaign_id: i64,
    /// What it is called, or was when the job changed it.
    pub name: String,
    /// `open`, `closed` or `removed`.
    pub gate: String,
}

/// The campaigns of jobs, in one statement.
pub async fn campaigns(db: &Db, jobs: &[i64]) -> Result<Vec<Campaign>> {
    let text = format!(
        "select k.job_id, k.campaign_id, coalesce(nullif(c.name, ''), k.name) as name, c.gate
           from job_campaigns k join campaigns c on c.id = k.campaign_id where k.job_id {} order by k.job_id, k.campaign_id",
        dialect::among(db.is_postgres())
    );
    let jobs = serde_json::to_string(jobs).unwrap_or_default();
    on!(db.read(), c => query_as(AssertSqlSafe(text)).bind(&jobs).fetch_all(c).await)
}

/// Finds a job, and keeps others from undoing it until the commit.
pub async fn hold(tx: &mut Tx<'_>, id: i64) -> Result<Option<Job>> {
    let text = format!(
        concat!("select ", columns!(), " from jobs j", seen!(), " and j.id = $1 {}"),
        dialect::for_update(tx.is_postgres(), "", "for update of j")
    );
    on!(tx.on(), c => query_as(AssertSqlSafe(text)).bind(id).fetch_optional(c).await)
}

/// The campaigns of a job, kept from closing and opening until the commit.
pub async fn hold_campaigns(tx: &mut Tx<'_>, job: i64, whole: bool) -> Result<Vec<Campaign>> {
    let lock = if whole { "for update of c" } else { "for key share of c" };
    let text = format!(
        "select k.job_id, k.campaign_id, coalesce(nullif(c.name, ''), k.name) as name, c.gate
           from job_campaigns k join campaigns c on c.id = k.campaign_id where k.job_id = $1 order by k.campaign_id {}",
        dialect::for_update(tx.is_postgres(), "", lock)
    );
    on!(tx.on(), c => query_as(AssertSqlSafe(text)).bind(job).fetch_all(c).await)
}

/// Keeps that a job was undone; `removing` is the campaign that goes with it.
pub async fn undone(tx: &mut Tx<'_>, job: &Job, removing: Option<i64>) -> Result<()> {
    on!(tx.on(), c => query("update jobs set undone_at = $2, undone_by = $3, restored = $4, removing = $5 where id = $1")
        .bind(job.id).bind(job.undone_at).bind(job.undone_by).bind(job.restored).bind(removing).execute(c).await.map(drop))
}

/// A vehicle that was changed after a job.
#[derive(Debug, Clone, FromRow)]
pub struct Left {
    /// Its number.
    pub id: i64,
    /// Its identifier.
    pub vin: String,
    /// Its campaign.
    pub campaign_name: String,
}

/// Vehicles by their numbers, as far as they still are there.
pub async fn left(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<Left>> {
    let text = format!(
        "select v.id, v.model_code || ' ' || v.serial_number as vin, c.name as campaign_name
           from vehicles v join campaigns c on c.id = v.campaign_id
          where v.id {} and c.gate in ('open', 'closed') order by v.walk_key, v.id",
        dialect::among(tx.is_postgres())
    );
    let ids = serde_json::to_string(ids).unwrap_or_default();
    on!(tx.on(), c => query_as(AssertSqlSafe(text)).bind(&ids).fetch_all(c).await)
}

/// The vehicles of a campaign that are not as their import made them.
pub async fn touched(tx: &mut Tx<'_>, campaign: i64) -> Result<Vec<Left>> {
    on!(tx.on(), c => query_as(concat!(
        "select v.id, v.model_code || ' ' || v.serial_number as vin, c.name as campaign_name
           from vehicles v join campaigns c on c.id = v.campaign_id where v.campaign_id = $1 and ", content!(), " <> 1 order by v.walk_key, v.id"))
        .bind(campaign).fetch_all(c).await)
}

/// A campaign that campaign-svc has to remove, since its import was undone.
#[derive(Debug, Clone, Copy, FromRow)]
pub struct Removing {
    /// The job.
    pub id: i64,
    /// The campaign.
    pub removing: i64,
}

/// The campaigns that wait for being removed.
pub async fn removing(db: &Db) -> Result<Vec<Removing>> {
    on!(db.read(), c => query_as("select id, removing from jobs where removing is not null order by id limit 100").fetch_all(c).await)
}

/// Keeps that campaign-svc has removed the campaign of an undone import.
pub async fn removed(tx: &mut Tx<'_>, job: i64) -> Result<()> {
    on!(tx.on(), c => query("update jobs set removing = null where id = $1").bind(job).execute(c).await.map(drop))
}

/// A job that has been kept long enough.
pub async fn due(db: &Db, before: DateTime<Utc>) -> Result<Option<i64>> {
    on!(db.read(), c => query_scalar("select id from jobs where at < $1 and removing is null order by at, id limit 1")
        .bind(before).fetch_optional(c).await)
}

/// Forgets a job.
pub async fn forget(tx: &mut Tx<'_>, job: i64) -> Result<()> {
    on!(tx.on(), c => query("delete from jobs where id = $1").bind(job).execute(c).await.map(drop))
}
