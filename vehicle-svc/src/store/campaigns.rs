//! SQL statements on the table of campaigns in vehicle-svc: name, state (column `gate`: `draft`, `open`, `closed` or `removed`),
//! counters and revisions.
use crate::{store::dialect, yard_filter::YardFilter};
use patio_kit::{
    db::{Db, Tx},
    on,
};
use patio_proto::yard;
use sqlx::{AssertSqlSafe, FromRow, query, query_as, query_scalar};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// A visible campaign (open or closed) with its vehicle counters.
#[derive(Debug, Clone, FromRow)]
pub struct Campaign {
    /// Id of the campaign, assigned by campaign-svc.
    pub id: i64,
    /// Name of the campaign, as last received from campaign-svc.
    pub name: String,
    /// Number of vehicles in the campaign.
    pub total: i64,
    /// Number of vehicles in yard `-` (parking spaces that begin with a dash).
    pub in_dash: i64,
    /// Revision of the campaign; increases with every change of its vehicles.
    pub revision: i64,
    /// Layout number of the campaign; increases whenever vehicles are added, moved or get another VIN. A search index is valid for
    /// one layout number.
    pub layout: i64,
}

impl Campaign {
    /// Simplifies a yard filter for this campaign. A yard filter that hides only yard `-` (parking spaces that begin with a dash) becomes
    /// [`YardFilter::All`] if the campaign has no vehicles in yard `-`.
    #[must_use]
    pub fn simplify_yard_filter(&self, yard_filter: YardFilter) -> YardFilter {
        if matches!(yard_filter, YardFilter::ExceptYard(_)) && self.in_dash == 0 { YardFilter::All } else { yard_filter }
    }
}

/// Returns a visible campaign, or `None` for drafts and removed campaigns.
pub async fn find(db: &Db, id: i64) -> Result<Option<Campaign>> {
    on!(db.read_pool(), c => query_as(
        "select id, name, total, counts_revision as revision, layout,
                coalesce((select k.total from counters k where k.campaign_id = campaigns.id and k.yard_id = $2), 0) as in_dash
           from campaigns where id = $1 and gate in ('open', 'closed')")
        .bind(id).bind(i64::from(yard::DASH_YARD_ID)).fetch_optional(c).await)
}

/// Locks a draft campaign against opening and removal until the commit. Creates the draft if it does not exist. Returns `false`
/// when the campaign was already opened or removed.
pub async fn lock_or_create_draft(tx: &mut Tx<'_>, id: i64) -> Result<bool> {
    on!(tx.connection(), c => query("insert into campaigns (id, name, gate) values ($1, '', 'draft') on conflict (id) do nothing")
        .bind(id).execute(c).await.map(drop))?;
    let text = dialect::choose_dialect_sql(
        tx.is_postgres(),
        "select gate from campaigns where id = $1",
        "select gate from campaigns where id = $1 for key share",
    );
    let gate: String = on!(tx.connection(), c => query_scalar(text).bind(id).fetch_one(c).await)?;
    Ok(gate == "draft")
}

/// Locks a campaign until the commit: waits for running saves and blocks later saves.
async fn lock(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let text = dialect::choose_dialect_sql(
        tx.is_postgres(),
        "select id from campaigns where id = $1",
        "select id from campaigns where id = $1 for update",
    );
    on!(tx.connection(), c => query_scalar::<_, i64>(text).bind(id).fetch_optional(c).await.map(drop))
}

/// Returns the number of the latest revision of a campaign that campaign-svc has sent, or `None` for an unknown campaign. A revision is
/// a version of the campaign's name and state (open or closed).
pub async fn load_synced_revision(tx: &mut Tx<'_>, id: i64) -> Result<Option<i64>> {
    on!(tx.connection(), c => query_scalar("select revision from campaigns where id = $1").bind(id).fetch_optional(c).await)
}

/// Stores the name and state (open or closed) of a campaign at a revision sent by campaign-svc. Returns `false` and changes nothing
/// when the stored revision is the same or newer, or when the campaign is removed or pending deletion.
pub async fn upsert_synced_campaign(tx: &mut Tx<'_>, id: i64, name: &str, gate: &'static str, revision: i64) -> Result<bool> {
    lock(tx, id).await?;
    on!(tx.connection(), c => query(
        "insert into campaigns (id, name, gate, revision) values ($1, $2, $3, $4)
         on conflict (id) do update set name = excluded.name, gate = excluded.gate, revision = excluded.revision
          where campaigns.revision < excluded.revision and campaigns.gate <> 'removed'
            and not exists (select 1 from jobs where removing = excluded.id)")
        .bind(id).bind(name).bind(gate).bind(revision).execute(c).await.map(|done| done.rows_affected() > 0))
}

/// Closes a campaign that is about to be removed, so that the campaign accepts no more saves.
pub async fn close_for_deletion(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    on!(tx.connection(), c => query("update campaigns set gate = 'closed' where id = $1").bind(id).execute(c).await.map(drop))
}

/// Marks a campaign as removed, and deletes its counters, hourly work counts, conflicts and reports of pending saves. The
/// campaign's row stays as a tombstone, so that a late import is rejected.
pub async fn mark_deleted(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    lock(tx, id).await?;
    let is_draft: bool = on!(tx.connection(), c => query_scalar("select count(*) > 0 from campaigns where id = $1 and gate = 'draft'")
        .bind(id).fetch_one(c).await)?;
    if is_draft {
        super::jobs::delete_import_job(tx, id).await?;
    }
    super::jobs::copy_campaign_name_to_jobs(tx, id).await?;
    on!(tx.connection(), c => query(
        "insert into campaigns (id, name, gate) values ($1, '', 'removed')
         on conflict (id) do update set gate = 'removed', name = '', total = 0, inspected = 0, counts_revision = campaigns.counts_revision + 1")
        .bind(id).execute(c).await.map(drop))?;
    super::conflicts::delete_conflicts_of_campaign(tx, id).await?;
    super::pending_saves::delete_device_reports_of_campaign(tx, id).await?;
    super::activity_counts::delete_counts_of_campaign(tx, id).await?;
    on!(tx.connection(), c => query("delete from turns where campaign_id = $1").bind(id).execute(c).await.map(drop))?;
    on!(tx.connection(), c => query("delete from counters where campaign_id = $1").bind(id).execute(c).await.map(drop))
}

/// Returns the id and the revision of every visible campaign (open or closed).
pub async fn list_campaign_revisions(db: &Db) -> Result<Vec<(i64, i64)>> {
    on!(db.read_pool(), c => query_as("select id, counts_revision from campaigns where gate in ('open', 'closed')").fetch_all(c).await)
}

/// Progress of inspections in a campaign, or in one yard of a campaign.
#[derive(Debug, Clone, FromRow)]
pub struct CampaignProgress {
    /// Id of the campaign to which the progress belongs.
    pub campaign_id: i64,
    /// Number of vehicles in the campaign, or in the yard if the progress is limited to a yard.
    pub total: i64,
    /// Number of inspected vehicles in the campaign, or in the yard if the progress is limited to a yard.
    pub inspected: i64,
    /// Id of the first vehicle in walking order (by parking space) that is not inspected; `None` when all counted vehicles are
    /// inspected.
    pub next: Option<i64>,
    /// Revision of the campaign; increases with every change of its vehicles.
    pub revision: i64,
    /// Number of vehicles in yard `-` (parking spaces that begin with a dash), even if `total` does not include these vehicles.
    /// Always 0 if the progress is limited to a yard.
    pub in_dash: i64,
}

/// Returns the SQL select for the progress of campaigns, without the `where` clause. `$2` is the id of yard `-` (parking spaces
/// that begin with a dash). The vehicles of this yard are counted only if `with_dash` is true.
fn select_progress(with_dash: bool) -> &'static str {
    if with_dash {
        "select c.id as campaign_id, c.total, c.inspected, c.counts_revision as revision, coalesce(k.total, 0) as in_dash,
            (select v.id from vehicles v where v.campaign_id = c.id and not v.inspected order by v.walk_key, v.id limit 1) as next
           from campaigns c left join counters k on k.campaign_id = c.id and k.yard_id = $2"
    } else {
        "select c.id as campaign_id, c.total - coalesce(k.total, 0) as total, c.inspected - coalesce(k.inspected, 0) as inspected,
            c.counts_revision as revision, coalesce(k.total, 0) as in_dash,
            (select v.id from vehicles v where v.campaign_id = c.id and not v.inspected and v.yard_id is distinct from $2
              order by v.walk_key, v.id limit 1) as next
           from campaigns c left join counters k on k.campaign_id = c.id and k.yard_id = $2"
    }
}

/// Returns the progress of inspections in the given campaigns, with one statement. Vehicles in yard `-` (parking spaces that begin
/// with a dash) are counted only if `with_dash` is true.
pub async fn load_progress(db: &Db, ids: &[i64], with_dash: bool) -> Result<Vec<CampaignProgress>> {
    let text = format!(
        "with asked as ({}) {} join asked a on a.id = c.id where c.gate in ('open', 'closed')",
        dialect::unnest_ids_sql(db.is_postgres()),
        select_progress(with_dash)
    );
    let ids = serde_json::to_string(ids).unwrap_or_default();
    on!(db.read_pool(), c => query_as(AssertSqlSafe(text)).bind(&ids).bind(i64::from(yard::DASH_YARD_ID)).fetch_all(c).await)
}

/// Returns the progress of one yard in each of the given campaigns, with one statement.
pub async fn load_progress_in_yard(db: &Db, ids: &[i64], yard: i64) -> Result<Vec<CampaignProgress>> {
    let text = format!(
        "with asked as ({}) select c.id as campaign_id, k.total, k.inspected, c.counts_revision as revision, cast(0 as bigint) as in_dash,
           (select v.id from vehicles v where v.campaign_id = c.id and v.yard_id = $2 and not v.inspected
             order by v.walk_key, v.id limit 1) as next
           from campaigns c join asked a on a.id = c.id join counters k on k.campaign_id = c.id and k.yard_id = $2
          where c.gate in ('open', 'closed')",
        dialect::unnest_ids_sql(db.is_postgres())
    );
    let ids = serde_json::to_string(ids).unwrap_or_default();
    on!(db.read_pool(), c => query_as(AssertSqlSafe(text)).bind(&ids).bind(yard).fetch_all(c).await)
}

/// Returns the progress of the campaign with the given name, or `None` when no open or closed campaign has this name.
pub async fn find_progress_by_name(db: &Db, name: &str, with_dash: bool) -> Result<Option<CampaignProgress>> {
    let text = format!("{} where c.name = $1 and c.gate in ('open', 'closed')", select_progress(with_dash));
    on!(db.read_pool(), c => query_as(AssertSqlSafe(text)).bind(name).bind(i64::from(yard::DASH_YARD_ID)).fetch_optional(c).await)
}
