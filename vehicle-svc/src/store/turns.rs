//! Turning points that campaign-svc has not been told yet.
use patio_kit::{
    db::{Db, Tx},
    on,
};
use patio_proto::campaign::Turn;
use sqlx::{FromRow, query, query_as};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// The latest turning point of a campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromRow)]
pub struct Waiting {
    /// The campaign.
    pub campaign_id: i64,
    /// A number of [`Turn`].
    pub turn: i64,
    /// The counters' revision it came with.
    pub revision: i64,
}

/// Notes a turning point; a later one takes the place of an earlier.
pub async fn note(tx: &mut Tx<'_>, campaign: i64, turn: Turn, revision: i64) -> Result<()> {
    on!(tx.on(), c => query(
        "insert into turns (campaign_id, turn, revision) values ($1, $2, $3)
         on conflict (campaign_id) do update set turn = excluded.turn, revision = excluded.revision")
        .bind(campaign).bind(turn as i64).bind(revision).execute(c).await.map(drop))
}

/// What waits to be told.
pub async fn waiting(db: &Db) -> Result<Vec<Waiting>> {
    on!(db.read(), c => query_as("select campaign_id, turn, revision from turns order by campaign_id limit 1000").fetch_all(c).await)
}

/// Forgets what was told, unless a later one came meanwhile.
pub async fn told(tx: &mut Tx<'_>, told: Waiting) -> Result<()> {
    on!(tx.on(), c => query("delete from turns where campaign_id = $1 and revision = $2")
        .bind(told.campaign_id).bind(told.revision).execute(c).await.map(drop))
}
