//! Vehicles, one and many.
use crate::{place::Place, store::dialect, view::View};
use chrono::{DateTime, Utc};
use patio_kit::{
    db::{Db, Side, Tx},
    on,
    page::Window,
};
use patio_proto::identifier::Identifier;
use sqlx::{AssertSqlSafe, FromRow, QueryBuilder, query_as, query_scalar};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// A vehicle with its campaign's name and gate, and the next one to inspect.
#[derive(Debug, Clone, FromRow)]
pub struct Vehicle {
    /// Its number.
    pub id: i64,
    /// The campaign it belongs to.
    pub campaign_id: i64,
    /// The campaign's name.
    pub campaign_name: String,
    /// `open` or `closed`.
    pub gate: String,
    /// First part of the identifier.
    pub model_code: String,
    /// Second part of the identifier.
    pub serial_number: String,
    /// As people write it.
    pub parking_space: String,
    /// None when the space leads to no yard.
    pub yard_id: Option<i64>,
    /// The group the space is listed under.
    pub yard_group: String,
    /// Sorts as people walk.
    pub walk_key: String,
    /// As the contract spells it; empty for none.
    pub status: String,
    /// Whether it counts as inspected.
    pub inspected: bool,
    /// Supervisor notes.
    pub admin_notes: String,
    /// Team leader notes.
    pub operator_notes: String,
    /// The user who saved it last.
    pub modified_by: Option<i64>,
    /// When it was saved last.
    pub modified_at: DateTime<Utc>,
    /// Grows with every save.
    pub version: i64,
    /// How many of its conflicts nobody has settled.
    pub open_conflicts: i64,
    /// The next vehicle in walking order that is not inspected.
    pub next: Option<i64>,
}

macro_rules! columns {
    () => {
        "v.id, v.campaign_id, c.name as campaign_name, c.gate, v.model_code, v.serial_number, v.parking_space, v.yard_id, v.yard_group,
         v.walk_key, v.status, v.inspected, v.admin_notes, v.operator_notes, v.modified_by, v.modified_at, v.version,
         case when exists (select 1 from conflicts where settled_at is null)
              then (select count(*) from conflicts k where k.vehicle_id = v.id and k.settled_at is null) else 0 end as open_conflicts"
    };
}
pub(super) use columns;

macro_rules! next_after {
    ($yard:literal, $not:literal) => {
        concat!(
            "coalesce(
               (select n.id from vehicles n where n.campaign_id = v.campaign_id and not n.inspected",
            $yard,
            $not,
            " and (n.walk_key, n.id) > (v.walk_key, v.id) order by n.walk_key, n.id limit 1),
               (select n.id from vehicles n where n.campaign_id = v.campaign_id and not n.inspected",
            $yard,
            $not,
            " and (n.walk_key, n.id) < (v.walk_key, v.id) order by n.walk_key, n.id limit 1)) as next"
        )
    };
}
pub(super) use next_after;

/// One vehicle of a campaign that people see, with the next one.
pub const FIND: &str = concat!(
    "select ",
    columns!(),
    ", ",
    next_after!("", ""),
    " from vehicles v join campaigns c on c.id = v.campaign_id
    where v.id = $1 and c.gate in ('open', 'closed')"
);
const FIND_IN_YARD: &str = concat!(
    "select ",
    columns!(),
    ", ",
    next_after!(" and n.yard_id = $2", ""),
    " from vehicles v join campaigns c on c.id = v.campaign_id
    where v.id = $1 and c.gate in ('open', 'closed')"
);
const FIND_WITHOUT_YARD: &str = concat!(
    "select ",
    columns!(),
    ", ",
    next_after!(" and n.yard_id is distinct from $2", ""),
    " from vehicles v join campaigns c on c.id = v.campaign_id
    where v.id = $1 and c.gate in ('open', 'closed')"
);

/// Finds a vehicle of a campaign that people see; `next` is one of the view.
pub async fn find(db: &Db, id: i64, view: View) -> Result<Option<Vehicle>> {
    on!(db.read(), c => match view {
        View::All => query_as(FIND).bind(id).fetch_optional(c).await,
        View::Yard(yard) => query_as(FIND_IN_YARD).bind(id).bind(yard).fetch_optional(c).await,
        View::Without(yard) => query_as(FIND_WITHOUT_YARD).bind(id).bind(yard).fetch_optional(c).await,
    })
}

/// Finds a vehicle as the open transaction sees it.
pub async fn find_in(tx: &mut Tx<'_>, id: i64, view: View) -> Result<Option<Vehicle>> {
    on!(tx.on(), c => match view {
        View::All => query_as(FIND).bind(id).fetch_optional(c).await,
        View::Yard(yard) => query_as(FIND_IN_YARD).bind(id).bind(yard).fetch_optional(c).await,
        View::Without(yard) => query_as(FIND_WITHOUT_YARD).bind(id).bind(yard).fetch_optional(c).await,
    })
}

/// What narrows a list of vehicles down.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// What is contained in identifier or space, in lower case; empty for all.
    pub needle: String,
    /// The same as a `like` pattern; `%%` for all.
    pub pattern: String,
    /// Only these vehicles.
    pub view: View,
    /// Whether needle and pattern are keys, as identifiers and spaces are compared.
    pub by_key: bool,
    /// Only this status, spelled as stored.
    pub status: Option<&'static str>,
}

impl Filter {
    /// Whether every vehicle passes.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.pattern == "%%" && self.view == View::All && self.status.is_none()
    }
}

/// The condition of a search: `$2` is the pattern, the argument says whether it is of keys, as identifiers and spaces are compared.
macro_rules! found {
    ($by_key:literal) => {
        concat!(
            "($2 = '%%' or case when cast(",
            $by_key,
            " as boolean)
            then lower(v.vin_key || ' ' || replace(replace(v.parking_space, '-', ''), ' ', '')) else v.haystack end
            like cast($2 as text) escape '\\')"
        )
    };
}

/// The condition that a vehicle is in a view, whose number is `$3`.
macro_rules! seen {
    () => {
        "(cast($3 as bigint) is null or v.yard_id = $3 or ($3 < 0 and v.yard_id is distinct from -$3))"
    };
}

/// One page of a campaign's vehicles in walking order; `next` is not looked up.
pub async fn page(db: &Db, campaign: i64, filter: &Filter, window: Window) -> Result<Vec<Vehicle>> {
    on!(db.read(), c => query_as(concat!(
        "select ", columns!(), ", cast(null as bigint) as next from vehicles v join campaigns c on c.id = v.campaign_id
          where v.campaign_id = $1 and ", found!("$7"), "
            and ", seen!(), " and (cast($4 as text) is null or v.status = $4)
          order by v.walk_key, v.id limit $5 offset $6"))
        .bind(campaign).bind(&filter.pattern).bind(filter.view.number()).bind(filter.status).bind(window.limit()).bind(window.offset())
        .bind(filter.by_key)
        .fetch_all(c).await)
}

/// So many of a campaign's vehicles in walking order from one of them on; `next` is not looked up.
///
/// How many stands in the statement: as a value `PostgreSQL` would plan it anew each time, which costs as much as doing it.
pub async fn page_from(db: &Db, campaign: i64, first: i64, most: i64) -> Result<Vec<Vehicle>> {
    let text = format!(
        concat!(
            "select ",
            columns!(),
            ", cast(null as bigint) as next from vehicles v join campaigns c on c.id = v.campaign_id
              where v.campaign_id = $1 and (v.walk_key, v.id) >= ((select walk_key from vehicles where id = $2), $2)
              order by v.walk_key, v.id limit {}"
        ),
        most
    );
    on!(db.read(), c => query_as(AssertSqlSafe(text)).bind(campaign).bind(first).fetch_all(c).await)
}

/// Vehicles by their numbers, in walking order; `next` is not looked up.
pub async fn by_ids(db: &Db, ids: &[i64]) -> Result<Vec<Vehicle>> {
    let text = dialect::vehicles_by_ids(db.is_postgres());
    let ids = serde_json::to_string(ids).unwrap_or_default();
    on!(db.read(), c => query_as(text).bind(&ids).fetch_all(c).await)
}

/// What a roster holds of a vehicle.
#[derive(Debug, Clone, FromRow)]
pub struct Entry {
    /// Its number.
    pub id: i64,
    /// What searching looks through.
    pub haystack: String,
    /// None when the space leads to no yard.
    pub yard_id: Option<i64>,
    /// Sorts as people walk.
    pub walk_key: String,
}

/// The next entries of a campaign's roster after a position, in walking order.
pub async fn entries_after(db: &Db, campaign: i64, position: &(String, i64), most: i64) -> Result<Vec<Entry>> {
    on!(db.read(), c => query_as(
        "select id, haystack, yard_id, walk_key from vehicles
          where campaign_id = $1 and (walk_key, id) > ($2, $3) order by walk_key, id limit $4")
        .bind(campaign).bind(&position.0).bind(position.1).bind(most)
        .fetch_all(c).await)
}

/// How many vehicles of a campaign pass a filter.
pub async fn count(db: &Db, campaign: i64, filter: &Filter) -> Result<i64> {
    on!(db.read(), c => query_scalar(concat!(
        "select count(*) from vehicles v
          where v.campaign_id = $1 and ", found!("$5"), "
            and ", seen!(), " and (cast($4 as text) is null or v.status = $4)"))
        .bind(campaign).bind(&filter.pattern).bind(filter.view.number()).bind(filter.status).bind(filter.by_key)
        .fetch_one(c).await)
}

/// A vehicle as reports show it.
#[derive(Debug, Clone, FromRow)]
pub struct Exported {
    /// Its number.
    pub id: i64,
    /// First part of the identifier.
    pub model_code: String,
    /// Second part of the identifier.
    pub serial_number: String,
    /// As people write it.
    pub parking_space: String,
    /// None when the space leads to no yard.
    pub yard_id: Option<i64>,
    /// Sorts as people walk.
    pub walk_key: String,
    /// Empty for none.
    pub status: String,
    /// Whether it counts as inspected.
    pub inspected: bool,
    /// Supervisor notes.
    pub admin_notes: String,
    /// Team leader notes.
    pub operator_notes: String,
    /// The user who saved it last.
    pub modified_by: Option<i64>,
    /// When it was saved last.
    pub modified_at: DateTime<Utc>,
}

/// The next vehicles after a position, in walking order, as reports show them.
pub async fn exported_after(db: &Db, campaign: i64, position: &(String, i64), most: i64) -> Result<Vec<Exported>> {
    on!(db.read(), c => query_as(
        "select id, model_code, serial_number, parking_space, yard_id, walk_key, status, inspected, admin_notes, operator_notes,
                modified_by, modified_at
           from vehicles where campaign_id = $1 and (walk_key, id) > ($2, $3) order by walk_key, id limit $4")
        .bind(campaign).bind(&position.0).bind(position.1).bind(most)
        .fetch_all(c).await)
}

/// A vehicle as the whole list shows it.
#[derive(Debug, Clone, FromRow)]
pub struct Row {
    /// Its number.
    pub id: i64,
    /// First part of the identifier.
    pub model_code: String,
    /// Second part of the identifier.
    pub serial_number: String,
    /// As people write it.
    pub parking_space: String,
    /// The group the space is listed under.
    pub yard_group: String,
    /// None when the space leads to no yard.
    pub yard_id: Option<i64>,
    /// Empty for none.
    pub status: String,
    /// Whether it counts as inspected.
    pub inspected: bool,
    /// Grows with every save.
    pub version: i64,
    /// Sorts as people walk.
    pub walk_key: String,
}

/// The next rows of the whole list after a position, in walking order.
pub async fn rows_after(db: &Db, campaign: i64, position: &(String, i64), most: i64) -> Result<Vec<Row>> {
    on!(db.read(), c => query_as(
        "select id, model_code, serial_number, parking_space, yard_group, yard_id, status, inspected, version, walk_key
           from vehicles where campaign_id = $1 and (walk_key, id) > ($2, $3) order by walk_key, id limit $4")
        .bind(campaign).bind(&position.0).bind(position.1).bind(most)
        .fetch_all(c).await)
}

/// Rows of the whole list by the numbers of their vehicles, in walking order.
pub async fn rows_by_ids(db: &Db, ids: &[i64]) -> Result<Vec<Row>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let text = format!(
        "select id, model_code, serial_number, parking_space, yard_group, yard_id, status, inspected, version, walk_key
           from vehicles where id {} order by walk_key, id",
        dialect::among(db.is_postgres())
    );
    let ids = serde_json::to_string(ids).unwrap_or_default();
    on!(db.read(), c => query_as(AssertSqlSafe(text)).bind(&ids).fetch_all(c).await)
}

/// A vehicle of an import.
#[derive(Debug, Clone)]
pub struct New {
    /// Who it is.
    pub identifier: Identifier,
    /// Where it stands.
    pub place: Place,
}

/// Most vehicles in one statement of `SQLite`, whose values it numbers; it is prepared once.
const ROWS: usize = 500;

/// Stores vehicles of a draft.
pub async fn insert(tx: &mut Tx<'_>, campaign: i64, all: &[New], at: DateTime<Utc>) -> Result<()> {
    match tx.on() {
        Side::Sqlite(connection) => {
            for some in all.chunks(ROWS) {
                let mut text = QueryBuilder::<sqlx::Sqlite>::new(concat!("insert into vehicles ", dialect::new_columns!(), " "));
                text.push_values(some, |mut row, new| {
                    row.push_bind(campaign)
                        .push_bind(&new.identifier.model_code)
                        .push_bind(&new.identifier.serial_number)
                        .push_bind(new.identifier.key())
                        .push_bind(&new.place.space)
                        .push_bind(new.place.yard_id)
                        .push_bind(&new.place.group)
                        .push_bind(&new.place.walk_key)
                        .push_bind(crate::place::haystack(&new.identifier, &new.place.space))
                        .push_bind(at);
                });
                text.build().execute(&mut *connection).await?;
            }
            Ok(())
        }
        Side::Postgres(connection) => dialect::copy(connection, campaign, all, at).await,
    }
}

/// Removes some of a campaign's vehicles; how many there were.
pub async fn remove_some(tx: &mut Tx<'_>, campaign: i64, most: i64) -> Result<u64> {
    on!(tx.on(), c => sqlx::query(
        "delete from vehicles where id in (select id from vehicles where campaign_id = $1 order by walk_key, id limit $2)")
        .bind(campaign).bind(most).execute(c).await.map(|done| done.rows_affected()))
}

/// The identifiers that are in a campaign already, of those given by their keys.
pub async fn present(tx: &mut Tx<'_>, campaign: i64, keys: &[String]) -> Result<Vec<String>> {
    let text = format!(
        "with asked as ({}) select v.model_code || ' ' || v.serial_number from vehicles v join asked a on a.word = v.vin_key
          where v.campaign_id = $2 limit 10",
        dialect::texts(tx.is_postgres())
    );
    let keys = serde_json::to_string(keys).unwrap_or_default();
    on!(tx.on(), c => query_scalar(AssertSqlSafe(text)).bind(&keys).bind(campaign).fetch_all(c).await)
}
