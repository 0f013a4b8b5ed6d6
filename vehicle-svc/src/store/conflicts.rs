//! SQL statements on the table of conflicts. A conflict is a field to which two users saved different values without seeing each
//! other's value.
use crate::store::dialect;
use chrono::{DateTime, Utc};
use patio_kit::{
    db::{Db, Tx},
    on,
    pagination::PageWindow,
};
use sqlx::{AssertSqlSafe, FromRow, query, query_as, query_scalar};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// A conflict that a save causes, before the conflict is stored.
#[derive(Debug, Clone)]
pub struct NewConflict {
    /// Name of the conflicting field in the REST API, such as `parking_space`.
    pub field: &'static str,
    /// Original value of the field: the value that the user of the later save saw before changing the field.
    pub base: String,
    /// Value of the field that was stored when the later save arrived.
    pub theirs: String,
    /// Value of the field that the later save requested.
    pub mine: String,
    /// Id of the user who stored the value `theirs`, the earlier of the two values; `None` when unknown.
    pub theirs_by: Option<i64>,
    /// Time at which the value `theirs`, the earlier of the two values, was stored.
    pub theirs_at: DateTime<Utc>,
    /// Value that the vehicle shows until the conflict is resolved: `theirs` (stored first) or `mine` (saved later).
    pub shown: &'static str,
}

/// Save that causes conflicts: its vehicle, user, times and idempotency key.
#[derive(Debug, Clone)]
pub struct ConflictingSave<'s> {
    /// Id of the vehicle to save.
    pub vehicle_id: i64,
    /// Id of the vehicle's campaign.
    pub campaign_id: i64,
    /// Id of the user whose save causes the conflicts.
    pub by: i64,
    /// Time at which the server received the save.
    pub at: DateTime<Utc>,
    /// Time of the save by the device's clock; `None` when the client sent no time.
    pub device_time: Option<DateTime<Utc>>,
    /// Name of the device that made the save; empty when the client sent none.
    pub device: &'s str,
    /// Idempotency key of the save; empty when the client sent none.
    pub key: &'s str,
}

/// A stored conflict: one field of a vehicle with the values of two users.
#[derive(Debug, Clone, FromRow)]
pub struct Conflict {
    /// Id of the conflict, assigned by the database.
    pub id: i64,
    /// Id of the vehicle whose field is in conflict.
    pub vehicle_id: i64,
    /// Id of the vehicle's campaign.
    pub campaign_id: i64,
    /// Name of the vehicle's campaign.
    pub campaign_name: String,
    /// Model code, the first part of the vehicle's VIN.
    pub model_code: String,
    /// Serial number, the second part of the vehicle's VIN.
    pub serial_number: String,
    /// Name of the conflicting field in the REST API, such as `parking_space`.
    pub field: String,
    /// Original value of the field: the value that the user of the later save saw before changing the field.
    pub base: String,
    /// Value of the field that was stored when the later save arrived.
    pub theirs: String,
    /// Value of the field that the later save requested.
    pub mine: String,
    /// Id of the user who stored the value `theirs`, the earlier of the two values; `None` when unknown.
    pub theirs_by: Option<i64>,
    /// Time at which the value `theirs`, the earlier of the two values, was stored.
    pub theirs_at: DateTime<Utc>,
    /// Id of the user who made the later save, which requested the value `mine`.
    pub mine_by: i64,
    /// Time at which the server received the later save.
    pub mine_at: DateTime<Utc>,
    /// Time of the later save by its device's clock; `None` when the client sent no time.
    pub device_time: Option<DateTime<Utc>>,
    /// Value that the vehicle shows until the conflict is resolved: `theirs` (stored first) or `mine` (saved later).
    pub shown: String,
    /// Chosen value, `theirs` (stored first) or `mine` (saved later); `None` while the conflict is open.
    pub chosen: Option<String>,
    /// Id of the user who resolved the conflict; `None` while the conflict is open.
    pub settled_by: Option<i64>,
    /// Time at which the conflict was resolved; `None` while the conflict is open.
    pub settled_at: Option<DateTime<Utc>>,
}

macro_rules! rows {
    ($what:literal) => {
        concat!("select ", $what, " from conflicts k join vehicles v on v.id = k.vehicle_id join campaigns c on c.id = k.campaign_id")
    };
}

macro_rules! conflicts {
    () => {
        rows!(
            "k.id, k.vehicle_id, k.campaign_id, c.name as campaign_name, v.model_code, v.serial_number, k.field, k.base, k.theirs, k.mine,
             k.theirs_by, k.theirs_at, k.mine_by, k.mine_at, k.device_time, k.shown, k.chosen, k.settled_by, k.settled_at"
        )
    };
}

/// Stores both values of a conflicting field. If the same user has already caused an open conflict on this field of the vehicle,
/// updates that conflict; otherwise, inserts a new conflict. Returns the id of the conflict, and `true` for a new conflict.
pub async fn insert(tx: &mut Tx<'_>, maker: &ConflictingSave<'_>, new: &NewConflict) -> Result<(i64, bool)> {
    let earlier: Option<i64> = on!(tx.connection(), c => query_scalar(
        "update conflicts set base = $4, theirs = $5, mine = $6, theirs_by = $7, theirs_at = $8, mine_at = $9, device_time = $10, device = $11,
                save_key = $12, shown = $13
          where vehicle_id = $1 and field = $2 and mine_by = $3 and settled_at is null returning id")
        .bind(maker.vehicle_id).bind(new.field).bind(maker.by).bind(&new.base).bind(&new.theirs).bind(&new.mine)
        .bind(new.theirs_by).bind(new.theirs_at).bind(maker.at).bind(maker.device_time).bind(maker.device).bind(maker.key)
        .bind(new.shown).fetch_optional(c).await)?;
    if let Some(id) = earlier {
        return Ok((id, false));
    }
    let id = on!(tx.connection(), c => query_scalar(
        "insert into conflicts (vehicle_id, campaign_id, field, base, theirs, mine, theirs_by, theirs_at, mine_by, mine_at, device_time,
                                device, save_key, shown)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) returning id")
        .bind(maker.vehicle_id).bind(maker.campaign_id).bind(new.field).bind(&new.base).bind(&new.theirs).bind(&new.mine)
        .bind(new.theirs_by).bind(new.theirs_at).bind(maker.by).bind(maker.at).bind(maker.device_time)
        .bind(maker.device).bind(maker.key).bind(new.shown).fetch_one(c).await)?;
    Ok((id, true))
}

/// Returns the number of open conflicts that the saves of user `by` caused. The count stops at `limit`.
pub async fn count_open_conflicts_caused_by_user(tx: &mut Tx<'_>, by: i64, limit: i64) -> Result<i64> {
    on!(tx.connection(), c => query_scalar(
        "select count(*) from (select 1 from conflicts where mine_by = $1 and settled_at is null limit $2) as open")
        .bind(by).bind(limit).fetch_one(c).await)
}

/// Returns those of the given vehicles that have an open conflict.
pub async fn list_vehicles_in_conflict(tx: &mut Tx<'_>, vehicles: &[i64]) -> Result<Vec<i64>> {
    let text = format!(
        "select distinct vehicle_id from conflicts where settled_at is null and vehicle_id {}",
        dialect::json_array_contains_sql(tx.is_postgres())
    );
    let vehicles = serde_json::to_string(vehicles).unwrap_or_default();
    on!(tx.connection(), c => query_scalar(AssertSqlSafe(text)).bind(&vehicles).fetch_all(c).await)
}

/// Returns a conflict, or `None` when the conflict does not exist or the campaign is removed.
pub async fn find(tx: &mut Tx<'_>, id: i64) -> Result<Option<Conflict>> {
    on!(tx.connection(), c => query_as(concat!(conflicts!(), " where k.id = $1 and c.gate in ('open', 'closed')")).bind(id).fetch_optional(c).await)
}

/// Returns the conflicts that one save caused. The save is identified by vehicle, user and idempotency key.
pub async fn list_by_save(tx: &mut Tx<'_>, vehicle: i64, by: i64, key: &str) -> Result<Vec<Conflict>> {
    on!(tx.connection(), c => query_as(concat!(conflicts!(), " where k.vehicle_id = $1 and k.mine_by = $2 and k.save_key = $3 order by k.id"))
        .bind(vehicle).bind(by).bind(key).fetch_all(c).await)
}

/// Replaces the value `theirs` of an open conflict when another save has stored a newer value. The vehicle then shows the newer
/// value.
pub async fn replace_theirs(tx: &mut Tx<'_>, id: i64, theirs: &str, (by, at): (Option<i64>, DateTime<Utc>)) -> Result<()> {
    on!(tx.connection(), c => query("update conflicts set theirs = $2, theirs_by = $3, theirs_at = $4, shown = 'theirs' where id = $1")
        .bind(id).bind(theirs).bind(by).bind(at).execute(c).await.map(drop))
}

/// Marks a conflict as resolved, with the chosen value, the user and the time.
pub async fn mark_resolved(tx: &mut Tx<'_>, id: i64, chosen: &'static str, (by, at): (Option<i64>, DateTime<Utc>)) -> Result<()> {
    on!(tx.connection(), c => query("update conflicts set chosen = $2, settled_by = $3, settled_at = $4 where id = $1")
        .bind(id).bind(chosen).bind(by).bind(at).execute(c).await.map(drop))
}

/// Filter of a list of conflicts. A field that is `None` or empty does not restrict the list.
#[derive(Debug, Clone, Copy, Default)]
pub struct ConflictFilter {
    /// Id of a single conflict; `None` for all conflicts.
    pub id: Option<i64>,
    /// Id of the campaign; `None` for all campaigns.
    pub campaign: Option<i64>,
    /// State of the conflicts to list: `open`, `settled` (resolved), or empty for both states.
    pub state: &'static str,
    /// Lists only the conflicts in which this user saved one of the two values; `None` lists the conflicts of all users.
    pub of: Option<i64>,
    /// Earliest time of the listed conflicts, inclusive. A conflict is listed if it was caused or resolved at this time or later.
    pub since: DateTime<Utc>,
}

macro_rules! passing {
    () => {
        " where c.gate in ('open', 'closed') and (cast($1 as bigint) is null or k.id = $1)
            and (cast($2 as bigint) is null or k.campaign_id = $2)
            and ($3 = '' or ($3 = 'open') = (k.settled_at is null))
            and (cast($4 as bigint) is null or k.theirs_by = $4 or k.mine_by = $4) and (k.mine_at >= $5 or k.settled_at >= $5)"
    };
}

/// Returns one page of conflicts, newest first.
pub async fn list_page(db: &Db, filter: &ConflictFilter, window: PageWindow) -> Result<Vec<Conflict>> {
    on!(db.read_pool(), c => query_as(concat!(conflicts!(), passing!(), " order by k.id desc limit $6 offset $7"))
        .bind(filter.id).bind(filter.campaign).bind(filter.state).bind(filter.of).bind(filter.since)
        .bind(window.limit()).bind(window.offset()).fetch_all(c).await)
}

/// Returns the number of conflicts that match the filter.
pub async fn count(db: &Db, filter: &ConflictFilter) -> Result<i64> {
    on!(db.read_pool(), c => query_scalar(concat!(rows!("count(*)"), passing!()))
        .bind(filter.id).bind(filter.campaign).bind(filter.state).bind(filter.of).bind(filter.since).fetch_one(c).await)
}

/// Deletes the conflicts of a campaign that is being removed.
pub async fn delete_conflicts_of_campaign(tx: &mut Tx<'_>, campaign: i64) -> Result<()> {
    on!(tx.connection(), c => query("delete from conflicts where campaign_id = $1").bind(campaign).execute(c).await.map(drop))
}
