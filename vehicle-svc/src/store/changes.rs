//! The last change of each vehicle, by the revision of its campaign.
//!
//! A campaign's revision is taken with its row locked until the commit: whoever sees one sees every earlier one.
use crate::store::{dialect, vehicles::Row};
use patio_kit::{
    db::{Db, Tx},
    on,
};
use sqlx::{AssertSqlSafe, query, query_as, query_scalar};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// Most vehicles whose changes are listed; when more changed, the whole list is as quick.
pub const MOST: i64 = 2_000;

/// Notes that vehicles of one campaign changed with a revision, which the open transaction has taken.
pub async fn note(tx: &mut Tx<'_>, campaign: i64, revision: i64, ids: &[i64]) -> Result<()> {
    if i64::try_from(ids.len()).is_ok_and(|count| count > MOST) {
        return on!(tx.on(), c => query("update campaigns set listed_from = $2 where id = $1")
            .bind(campaign).bind(revision).execute(c).await.map(drop));
    }
    let text = format!(
        "insert into changes (vehicle_id, campaign_id, revision) select id, $2, $3 from ({}) as asked where true
         on conflict (vehicle_id) do update set revision = excluded.revision",
        dialect::ids(tx.is_postgres())
    );
    let ids = serde_json::to_string(ids).unwrap_or_default();
    on!(tx.on(), c => query(AssertSqlSafe(text)).bind(&ids).bind(campaign).bind(revision).execute(c).await.map(drop))
}

/// From which revision on the changes of a campaign are listed; none when people do not see it.
pub async fn listed_from(db: &Db, campaign: i64) -> Result<Option<i64>> {
    on!(db.read(), c => query_scalar("select listed_from from campaigns where id = $1 and gate in ('open', 'closed')")
        .bind(campaign).fetch_optional(c).await)
}

/// The vehicles that changed after a revision, at most one more than [`MOST`].
pub async fn since(db: &Db, campaign: i64, revision: i64) -> Result<Vec<Row>> {
    on!(db.read(), c => query_as(
        "select v.id, v.model_code, v.serial_number, v.parking_space, v.yard_group, v.yard_id, v.status, v.inspected, v.version, v.walk_key
           from changes k join vehicles v on v.id = k.vehicle_id
          where k.campaign_id = $1 and k.revision > $2 order by v.walk_key, v.id limit $3")
        .bind(campaign).bind(revision).bind(MOST + 1).fetch_all(c).await)
}

/// Those that changed after a revision and are no more.
pub async fn gone_since(db: &Db, campaign: i64, revision: i64) -> Result<Vec<i64>> {
    on!(db.read(), c => query_scalar(
        "select k.vehicle_id from changes k left join vehicles v on v.id = k.vehicle_id
          where k.campaign_id = $1 and k.revision > $2 and v.id is null order by k.vehicle_id limit $3")
        .bind(campaign).bind(revision).bind(MOST + 1).fetch_all(c).await)
}

/// Forgets some of the changes of a campaign that goes; how many there were.
pub async fn forget(tx: &mut Tx<'_>, campaign: i64, most: i64) -> Result<u64> {
    on!(tx.on(), c => query("delete from changes where vehicle_id in (select vehicle_id from changes where campaign_id = $1 limit $2)")
        .bind(campaign).bind(most).execute(c).await.map(|done| done.rows_affected()))
}
