//! Fields that two people changed without knowing of each other, with both values.
use chrono::{DateTime, Utc};
use patio_kit::{
    db::{Db, Tx},
    on,
    page::Window,
};
use sqlx::{FromRow, query, query_as, query_scalar};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// A conflict that a save makes.
#[derive(Debug, Clone)]
pub struct New {
    /// The field, as the API names it.
    pub field: &'static str,
    /// What the later of both saw.
    pub base: String,
    /// What was stored when it came.
    pub theirs: String,
    /// What it wanted.
    pub mine: String,
    /// Who stored it; none when nobody knows.
    pub theirs_by: Option<i64>,
    /// When.
    pub theirs_at: DateTime<Utc>,
    /// `theirs` or `mine`.
    pub shown: &'static str,
}

/// The save that makes conflicts.
#[derive(Debug, Clone)]
pub struct Maker<'s> {
    /// The vehicle.
    pub vehicle_id: i64,
    /// Its campaign.
    pub campaign_id: i64,
    /// Who saves.
    pub by: i64,
    /// When.
    pub at: DateTime<Utc>,
    /// When the device says that it was.
    pub device_time: Option<DateTime<Utc>>,
    /// Which installation it came from; empty when it does not say.
    pub device: &'s str,
    /// The save's idempotency key; empty for none.
    pub key: &'s str,
}

/// A conflict as it is kept.
#[derive(Debug, Clone, FromRow)]
pub struct Conflict {
    /// Its number.
    pub id: i64,
    /// The vehicle.
    pub vehicle_id: i64,
    /// Its campaign.
    pub campaign_id: i64,
    /// The campaign's name.
    pub campaign_name: String,
    /// First part of the vehicle's identifier.
    pub model_code: String,
    /// Second part of it.
    pub serial_number: String,
    /// The field, as the API names it.
    pub field: String,
    /// What the later of both saw.
    pub base: String,
    /// What was stored when it came.
    pub theirs: String,
    /// What it wanted.
    pub mine: String,
    /// Who stored it; none when nobody knows.
    pub theirs_by: Option<i64>,
    /// When.
    pub theirs_at: DateTime<Utc>,
    /// Who saved later.
    pub mine_by: i64,
    /// When.
    pub mine_at: DateTime<Utc>,
    /// When the device of the later one says that it was.
    pub device_time: Option<DateTime<Utc>>,
    /// `theirs` or `mine`.
    pub shown: String,
    /// The same; none while it is open.
    pub chosen: Option<String>,
    /// Who chose.
    pub settled_by: Option<i64>,
    /// When.
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

/// Keeps both values of a field; the number of the conflict, and whether it is a new one. An open conflict that the same
/// person made of the same field takes the values over.
pub async fn insert(tx: &mut Tx<'_>, maker: &Maker<'_>, new: &New) -> Result<(i64, bool)> {
    let earlier: Option<i64> = on!(tx.on(), c => query_scalar(
        "update conflicts set base = $4, theirs = $5, mine = $6, theirs_by = $7, theirs_at = $8, mine_at = $9, device_time = $10, device = $11,
                save_key = $12, shown = $13
          where vehicle_id = $1 and field = $2 and mine_by = $3 and settled_at is null returning id")
        .bind(maker.vehicle_id).bind(new.field).bind(maker.by).bind(&new.base).bind(&new.theirs).bind(&new.mine)
        .bind(new.theirs_by).bind(new.theirs_at).bind(maker.at).bind(maker.device_time).bind(maker.device).bind(maker.key)
        .bind(new.shown).fetch_optional(c).await)?;
    if let Some(id) = earlier {
        return Ok((id, false));
    }
    let id = on!(tx.on(), c => query_scalar(
        "insert into conflicts (vehicle_id, campaign_id, field, base, theirs, mine, theirs_by, theirs_at, mine_by, mine_at, device_time,
                                device, save_key, shown)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) returning id")
        .bind(maker.vehicle_id).bind(maker.campaign_id).bind(new.field).bind(&new.base).bind(&new.theirs).bind(&new.mine)
        .bind(new.theirs_by).bind(new.theirs_at).bind(maker.by).bind(maker.at).bind(maker.device_time)
        .bind(maker.device).bind(maker.key).bind(new.shown).fetch_one(c).await)?;
    Ok((id, true))
}

/// How many open conflicts a person has made, at most `most` of them.
pub async fn open_of(tx: &mut Tx<'_>, by: i64, most: i64) -> Result<i64> {
    on!(tx.on(), c => query_scalar(
        "select count(*) from (select 1 from conflicts where mine_by = $1 and settled_at is null limit $2) as open")
        .bind(by).bind(most).fetch_one(c).await)
}

/// A conflict of a campaign that people see.
pub async fn find(tx: &mut Tx<'_>, id: i64) -> Result<Option<Conflict>> {
    on!(tx.on(), c => query_as(concat!(conflicts!(), " where k.id = $1 and c.gate in ('open', 'closed')")).bind(id).fetch_optional(c).await)
}

/// The conflicts that the save with a key made.
pub async fn of_save(tx: &mut Tx<'_>, vehicle: i64, by: i64, key: &str) -> Result<Vec<Conflict>> {
    on!(tx.on(), c => query_as(concat!(conflicts!(), " where k.vehicle_id = $1 and k.mine_by = $2 and k.save_key = $3 order by k.id"))
        .bind(vehicle).bind(by).bind(key).fetch_all(c).await)
}

/// Takes a value that neither of both is by now in the place of the one that was stored.
pub async fn renew(tx: &mut Tx<'_>, id: i64, theirs: &str, (by, at): (Option<i64>, DateTime<Utc>)) -> Result<()> {
    on!(tx.on(), c => query("update conflicts set theirs = $2, theirs_by = $3, theirs_at = $4, shown = 'theirs' where id = $1")
        .bind(id).bind(theirs).bind(by).bind(at).execute(c).await.map(drop))
}

/// Keeps what was chosen.
pub async fn settle(tx: &mut Tx<'_>, id: i64, chosen: &'static str, (by, at): (Option<i64>, DateTime<Utc>)) -> Result<()> {
    on!(tx.on(), c => query("update conflicts set chosen = $2, settled_by = $3, settled_at = $4 where id = $1")
        .bind(id).bind(chosen).bind(by).bind(at).execute(c).await.map(drop))
}

/// Which conflicts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter {
    /// Only this one.
    pub id: Option<i64>,
    /// Only of this campaign.
    pub campaign: Option<i64>,
    /// `open`, `settled`, or empty for all.
    pub state: &'static str,
    /// Only those that a value of this user is in.
    pub of: Option<i64>,
    /// Only those that were made or settled from then on.
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

/// One page of conflicts, newest first.
pub async fn page(db: &Db, filter: &Filter, window: Window) -> Result<Vec<Conflict>> {
    on!(db.read(), c => query_as(concat!(conflicts!(), passing!(), " order by k.id desc limit $6 offset $7"))
        .bind(filter.id).bind(filter.campaign).bind(filter.state).bind(filter.of).bind(filter.since)
        .bind(window.limit()).bind(window.offset()).fetch_all(c).await)
}

/// How many conflicts there are.
pub async fn count(db: &Db, filter: &Filter) -> Result<i64> {
    on!(db.read(), c => query_scalar(concat!(rows!("count(*)"), passing!()))
        .bind(filter.id).bind(filter.campaign).bind(filter.state).bind(filter.of).bind(filter.since).fetch_one(c).await)
}

/// Forgets the conflicts of a campaign that goes.
pub async fn forget(tx: &mut Tx<'_>, campaign: i64) -> Result<()> {
    on!(tx.on(), c => query("delete from conflicts where campaign_id = $1").bind(campaign).execute(c).await.map(drop))
}
