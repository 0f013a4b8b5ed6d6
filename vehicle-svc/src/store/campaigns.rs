//! What is known here of campaigns.
use crate::{store::dialect, view::View};
use patio_kit::{
    db::{Db, Tx},
    on,
};
use patio_proto::yard;
use sqlx::{AssertSqlSafe, FromRow, query, query_as, query_scalar};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// A campaign that people see, with its counters.
#[derive(Debug, Clone, FromRow)]
pub struct Campaign {
    /// Its number.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// All of its vehicles.
    pub total: i64,
    /// Those in the yard of the dash.
    pub in_dash: i64,
    /// Grows with every change of its vehicles.
    pub revision: i64,
    /// Grows when vehicles come, go, or change their identifier or place.
    pub layout: i64,
}

impl Campaign {
    /// The simplest view that shows the same of this campaign: one without vehicles in the yard of the dash hides none.
    #[must_use]
    pub fn narrowed(&self, view: View) -> View {
        if matches!(view, View::Without(_)) && self.in_dash == 0 { View::All } else { view }
    }
}

/// Finds a campaign that people see.
pub async fn find(db: &Db, id: i64) -> Result<Option<Campaign>> {
    on!(db.read(), c => query_as(
        "select id, name, total, counts_revision as revision, layout,
                coalesce((select k.total from counters k where k.campaign_id = campaigns.id and k.yard_id = $2), 0) as in_dash
           from campaigns where id = $1 and gate in ('open', 'closed')")
        .bind(id).bind(i64::from(yard::DASH)).fetch_optional(c).await)
}

/// Makes sure that a draft may take vehicles until the commit, for which a removal waits; false when it was opened or removed.
pub async fn draft(tx: &mut Tx<'_>, id: i64) -> Result<bool> {
    on!(tx.on(), c => query("insert into campaigns (id, name, gate) values ($1, '', 'draft') on conflict (id) do nothing")
        .bind(id).execute(c).await.map(drop))?;
    let text = dialect::for_update(
        tx.is_postgres(),
        "select gate from campaigns where id = $1",
        "select gate from campaigns where id = $1 for key share",
    );
    let gate: String = on!(tx.on(), c => query_scalar(text).bind(id).fetch_one(c).await)?;
    Ok(gate == "draft")
}

/// Waits for saves under way and keeps later ones out until the commit.
async fn hold(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let text = dialect::for_update(
        tx.is_postgres(),
        "select id from campaigns where id = $1",
        "select id from campaigns where id = $1 for update",
    );
    on!(tx.on(), c => query_scalar::<_, i64>(text).bind(id).fetch_optional(c).await.map(drop))
}

/// The last revision of campaign-svc that arrived here; none when the campaign is not known.
pub async fn revision(tx: &mut Tx<'_>, id: i64) -> Result<Option<i64>> {
    on!(tx.on(), c => query_scalar("select revision from campaigns where id = $1").bind(id).fetch_optional(c).await)
}

/// Takes over name and gate, unless a later change arrived before or the campaign is gone or about to go; whether it did.
pub async fn set(tx: &mut Tx<'_>, id: i64, name: &str, gate: &'static str, revision: i64) -> Result<bool> {
    hold(tx, id).await?;
    on!(tx.on(), c => query(
        "insert into campaigns (id, name, gate, revision) values ($1, $2, $3, $4)
         on conflict (id) do update set name = excluded.name, gate = excluded.gate, revision = excluded.revision
          where campaigns.revision < excluded.revision and campaigns.gate <> 'removed'
            and not exists (select 1 from jobs where removing = excluded.id)")
        .bind(id).bind(name).bind(gate).bind(revision).execute(c).await.map(|done| done.rows_affected() > 0))
}

/// Closes a campaign that is about to be removed, so that nothing is saved in it meanwhile.
pub async fn close_for_good(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    on!(tx.on(), c => query("update campaigns set gate = 'closed' where id = $1").bind(id).execute(c).await.map(drop))
}

/// Hides a campaign for ever; a late import of it is refused from then on.
pub async fn bury(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    hold(tx, id).await?;
    let is_draft: bool = on!(tx.on(), c => query_scalar("select count(*) > 0 from campaigns where id = $1 and gate = 'draft'")
        .bind(id).fetch_one(c).await)?;
    if is_draft {
        super::jobs::forget_import(tx, id).await?;
    }
    super::jobs::keep_name(tx, id).await?;
    on!(tx.on(), c => query(
        "insert into campaigns (id, name, gate) values ($1, '', 'removed')
         on conflict (id) do update set gate = 'removed', name = '', total = 0, inspected = 0, counts_revision = campaigns.counts_revision + 1")
        .bind(id).execute(c).await.map(drop))?;
    super::conflicts::forget(tx, id).await?;
    super::held::forget_campaign(tx, id).await?;
    on!(tx.on(), c => query("delete from turns where campaign_id = $1").bind(id).execute(c).await.map(drop))?;
    on!(tx.on(), c => query("delete from counters where campaign_id = $1").bind(id).execute(c).await.map(drop))
}

/// The revisions of all campaigns that people see.
pub async fn revisions(db: &Db) -> Result<Vec<(i64, i64)>> {
    on!(db.read(), c => query_as("select id, counts_revision from campaigns where gate in ('open', 'closed')").fetch_all(c).await)
}

/// How far a campaign, or one yard of it, is.
#[derive(Debug, Clone, FromRow)]
pub struct Progress {
    /// The campaign.
    pub campaign_id: i64,
    /// Its vehicles.
    pub total: i64,
    /// The inspected ones.
    pub inspected: i64,
    /// The first in walking order that is not.
    pub next: Option<i64>,
    /// Grows with every change of these.
    pub revision: i64,
    /// The vehicles in the yard of the dash, whether or not they are counted.
    pub in_dash: i64,
}

/// The start of a statement whose `$2` is the number of the yard of the dash.
fn whole(with_dash: bool) -> &'static str {
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

/// Progress of campaigns by id, in one statement.
pub async fn progress(db: &Db, ids: &[i64], with_dash: bool) -> Result<Vec<Progress>> {
    let text = format!(
        "with asked as ({}) {} join asked a on a.id = c.id where c.gate in ('open', 'closed')",
        dialect::ids(db.is_postgres()),
        whole(with_dash)
    );
    let ids = serde_json::to_string(ids).unwrap_or_default();
    on!(db.read(), c => query_as(AssertSqlSafe(text)).bind(&ids).bind(i64::from(yard::DASH)).fetch_all(c).await)
}

/// Progress of one yard of campaigns by id, in one statement.
pub async fn progress_in_yard(db: &Db, ids: &[i64], yard: i64) -> Result<Vec<Progress>> {
    let text = format!(
        "with asked as ({}) select c.id as campaign_id, k.total, k.inspected, c.counts_revision as revision, cast(0 as bigint) as in_dash,
           (select v.id from vehicles v where v.campaign_id = c.id and v.yard_id = $2 and not v.inspected
             order by v.walk_key, v.id limit 1) as next
           from campaigns c join asked a on a.id = c.id join counters k on k.campaign_id = c.id and k.yard_id = $2
          where c.gate in ('open', 'closed')",
        dialect::ids(db.is_postgres())
    );
    let ids = serde_json::to_string(ids).unwrap_or_default();
    on!(db.read(), c => query_as(AssertSqlSafe(text)).bind(&ids).bind(yard).fetch_all(c).await)
}

/// Progress of the campaign with a name.
pub async fn progress_of(db: &Db, name: &str, with_dash: bool) -> Result<Option<Progress>> {
    let text = format!("{} where c.name = $1 and c.gate in ('open', 'closed')", whole(with_dash));
    on!(db.read(), c => query_as(AssertSqlSafe(text)).bind(name).bind(i64::from(yard::DASH)).fetch_optional(c).await)
}
