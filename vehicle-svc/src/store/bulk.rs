//! Many vehicles in one transaction.
use crate::{place::Place, store::dialect};
use chrono::{DateTime, Utc};
use patio_kit::{db::Tx, on};
use sqlx::{AssertSqlSafe, FromRow, query, query_as};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// A vehicle that a bulk call names.
#[derive(Debug, Clone, FromRow)]
pub struct Named {
    /// Its number.
    pub id: i64,
    /// Its campaign.
    pub campaign_id: i64,
    /// `open` or `closed`.
    pub gate: String,
    /// The comparison key of its identifier.
    pub vin_key: String,
    /// First part of the identifier.
    pub model_code: String,
    /// Second part of the identifier.
    pub serial_number: String,
    /// Where it stands.
    pub parking_space: String,
    /// None when the space leads to no yard.
    pub yard_id: Option<i64>,
    /// Empty for none.
    pub status: String,
    /// Whether it counts as inspected.
    pub inspected: bool,
}

/// Finds the vehicles with the given identifier keys, in the scope, and locks them.
pub async fn named(tx: &mut Tx<'_>, keys: &[&str], campaign: Option<i64>, yard: Option<i64>) -> Result<Vec<Named>> {
    let text = format!(
        "with asked as ({}) select v.id, v.campaign_id, c.gate, v.vin_key, v.model_code, v.serial_number, v.parking_space, v.yard_id, v.status, v.inspected
           from vehicles v join asked a on a.word = v.vin_key join campaigns c on c.id = v.campaign_id
          where c.gate in ('open', 'closed') and (cast($2 as bigint) is null or v.campaign_id = $2)
            and (cast($3 as bigint) is null or v.yard_id = $3)
          order by v.id {}",
        dialect::texts(tx.is_postgres()),
        dialect::for_update(tx.is_postgres(), "", "for update of v")
    );
    let keys = serde_json::to_string(keys).unwrap_or_default();
    on!(tx.on(), c => query_as(AssertSqlSafe(text)).bind(&keys).bind(campaign).bind(yard).fetch_all(c).await)
}

/// What a bulk status call writes.
#[derive(Debug, Clone, Copy)]
pub struct NewStatus {
    /// As stored; empty to clear.
    pub status: &'static str,
    /// Whether the vehicles then count as inspected.
    pub inspected: bool,
    /// Clears the team leader notes.
    pub clear_operator_notes: bool,
    /// Clears the supervisor notes.
    pub clear_admin_notes: bool,
}

/// Writes a status to vehicles.
pub async fn set_status(tx: &mut Tx<'_>, ids: &[i64], new: NewStatus, by: Option<i64>, at: DateTime<Utc>) -> Result<u64> {
    let text = format!(
        "update vehicles set status = $2, inspected = $3, modified_by = $4, modified_at = $5, version = version + 1,
                operator_notes = case when $6 then '' else operator_notes end, admin_notes = case when $7 then '' else admin_notes end
          where id in ({})",
        dialect::ids(tx.is_postgres())
    );
    let ids = serde_json::to_string(ids).unwrap_or_default();
    on!(tx.on(), c => query(AssertSqlSafe(text)).bind(&ids).bind(new.status).bind(new.inspected).bind(by).bind(at)
        .bind(new.clear_operator_notes).bind(new.clear_admin_notes).execute(c).await.map(|done| done.rows_affected()))
}

/// Moves one vehicle to another space.
pub async fn set_space(tx: &mut Tx<'_>, id: i64, place: &Place, by: Option<i64>, at: DateTime<Utc>) -> Result<()> {
    on!(tx.on(), c => query(
        "update vehicles set parking_space = $2, yard_id = $3, yard_group = $4, walk_key = $5,
                haystack = lower(model_code || ' ' || serial_number) || $6, modified_by = $7, modified_at = $8, version = version + 1
          where id = $1")
        .bind(id).bind(&place.space).bind(place.yard_id).bind(&place.group).bind(&place.walk_key)
        .bind(format!("\n{}", place.space.to_lowercase())).bind(by).bind(at).execute(c).await.map(drop))
}
