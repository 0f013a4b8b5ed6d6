//! SQL statements on the table of vehicles: single vehicles, pages, searches, exports and imports.
use crate::{
    store::{
        bulk_insert_vehicles, dialect,
        vehicle_columns::{ImportedVehicle, columns, next_after},
    },
    yard_filter::YardFilter,
};
use chrono::{DateTime, Utc};
use patio_kit::{
    db::{Db, Engine, Tx},
    on,
    pagination::PageWindow,
};
use patio_proto::vin::Vin;
use sqlx::{AssertSqlSafe, FromRow, QueryBuilder, query_as, query_scalar};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// A vehicle with all its fields, the name and state (open or closed) of its campaign, and the id of the next vehicle to inspect.
#[derive(Debug, Clone, FromRow)]
pub struct Vehicle {
    /// Id of the vehicle.
    pub id: i64,
    /// Id of the vehicle's campaign.
    pub campaign_id: i64,
    /// Name of the vehicle's campaign.
    pub campaign_name: String,
    /// State of the campaign: `open` (accepts saves) or `closed`.
    pub gate: String,
    /// Model code, the first part of the VIN.
    pub model_code: String,
    /// Serial number, the second part of the VIN.
    pub serial_number: String,
    /// Normalized text of the parking space, such as `A-10`.
    pub parking_space: String,
    /// Id of the yard; `None` when the parking space belongs to no yard.
    pub yard_id: Option<i64>,
    /// Name of the group under which lists show the parking space: the part before the first dash.
    pub yard_group: String,
    /// Sort key of the walking order: natural order of parking spaces, A-2 before A-10.
    pub walk_key: String,
    /// Status text, such as `ok` or `Repair`; empty when the vehicle has no status.
    pub status: String,
    /// Whether the vehicle counts as inspected.
    pub inspected: bool,
    /// Notes of supervisors (users with the role `Admin`), which only supervisors may change.
    pub admin_notes: String,
    /// Notes of operators and team leaders, which every role may change.
    pub operator_notes: String,
    /// Id of the user who made the last change; `None` if the last change was the import or was made by a service.
    pub modified_by: Option<i64>,
    /// Time of the last change of the vehicle; for an unchanged vehicle, time of the import.
    pub modified_at: DateTime<Utc>,
    /// Version of the vehicle; increases with every change of the vehicle.
    pub version: i64,
    /// Number of open conflicts of the vehicle.
    pub open_conflicts: i64,
    /// Id of the next vehicle in walking order (by parking space) that is not inspected; `None` when all other vehicles are
    /// inspected.
    pub next: Option<i64>,
}

impl Vehicle {
    /// Returns the vehicle's VIN: model code and serial number.
    #[must_use]
    pub fn to_vin(&self) -> Vin {
        Vin { model_code: self.model_code.clone(), serial_number: self.serial_number.clone() }
    }
}

/// SQL statement that selects a vehicle of an open or closed campaign, with the id of the next vehicle to inspect.
pub const SELECT_VEHICLE_SQL: &str = concat!(
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

/// Returns a vehicle; `None` when the vehicle is missing, or its campaign is a draft or removed. `yard_filter` limits the search
/// for the next vehicle to inspect (field `next`) to vehicles that the caller may see.
pub async fn find(db: &Db, id: i64, yard_filter: YardFilter) -> Result<Option<Vehicle>> {
    on!(db.read_pool(), c => match yard_filter {
        YardFilter::All => query_as(SELECT_VEHICLE_SQL).bind(id).fetch_optional(c).await,
        YardFilter::Yard(yard) => query_as(FIND_IN_YARD).bind(id).bind(yard).fetch_optional(c).await,
        YardFilter::ExceptYard(yard) => query_as(FIND_WITHOUT_YARD).bind(id).bind(yard).fetch_optional(c).await,
    })
}

/// Returns a vehicle with the uncommitted changes of the given transaction. `yard_filter` limits the search for the next vehicle to
/// inspect (field `next`) to vehicles that the caller may see.
pub async fn find_in_transaction(tx: &mut Tx<'_>, id: i64, yard_filter: YardFilter) -> Result<Option<Vehicle>> {
    on!(tx.connection(), c => match yard_filter {
        YardFilter::All => query_as(SELECT_VEHICLE_SQL).bind(id).fetch_optional(c).await,
        YardFilter::Yard(yard) => query_as(FIND_IN_YARD).bind(id).bind(yard).fetch_optional(c).await,
        YardFilter::ExceptYard(yard) => query_as(FIND_WITHOUT_YARD).bind(id).bind(yard).fetch_optional(c).await,
    })
}

/// Filter of a list of vehicles: search text, visible vehicles and status.
#[derive(Debug, Clone, Default)]
pub struct VehicleFilter {
    /// Text to search for in VINs and parking spaces, in lower case; empty for all vehicles.
    pub needle: String,
    /// The search text as a SQL `like` pattern; `%%` for all vehicles.
    pub pattern: String,
    /// Vehicles to which the list is limited: vehicles that the caller may see, in the requested yard.
    pub yard_filter: YardFilter,
    /// Whether `needle` and `pattern` are comparison keys (without hyphens and blanks). If so, they are compared with the keys of
    /// VINs and parking spaces.
    pub matches_vin_keys: bool,
    /// Status of the listed vehicles, spelled as in the database; `None` for all vehicles.
    pub status: Option<&'static str>,
}

impl VehicleFilter {
    /// Returns `true` when the filter matches every vehicle.
    #[must_use]
    pub fn matches_all_vehicles(&self) -> bool {
        self.pattern == "%%" && self.yard_filter == YardFilter::All && self.status.is_none()
    }

    /// Returns the SQL condition for the status; empty for all vehicles. The status is a literal, not a parameter, so that the
    /// database can use the partial index of vehicles with the status Repair.
    fn status_condition(&self) -> String {
        self.status.map(|status| format!(" and v.status = '{status}'")).unwrap_or_default()
    }
}

/// SQL condition for vehicles that match the `like` pattern `$2`. The argument is the name of a boolean SQL parameter. If the parameter
/// is true, the pattern is compared with the VIN and the parking space without hyphens and blanks, otherwise with their full text.
macro_rules! found {
    ($matches_vin_keys:literal) => {
        concat!(
            "($2 = '%%' or case when cast(",
            $matches_vin_keys,
            " as boolean)
            then lower(v.vin_key || ' ' || replace(replace(v.parking_space, '-', ''), ' ', '')) else v.haystack end
            like cast($2 as text) escape '\\')"
        )
    };
}

/// SQL condition for vehicles that the caller may see. `$3` is the caller's yard filter as a number; see [`YardFilter::to_sql_parameter`].
macro_rules! seen {
    () => {
        "(cast($3 as bigint) is null or v.yard_id = $3 or ($3 < 0 and v.yard_id is distinct from -$3))"
    };
}

/// Returns one page of a campaign's vehicles in walking order (by parking space). The field `next` of the vehicles is not set.
pub async fn list_page(db: &Db, campaign: i64, filter: &VehicleFilter, window: PageWindow) -> Result<Vec<Vehicle>> {
    let text = format!(
        concat!(
            "select ",
            columns!(),
            ", cast(null as bigint) as next from vehicles v join campaigns c on c.id = v.campaign_id
              where v.campaign_id = $1 and ",
            found!("$6"),
            " and ",
            seen!(),
            "{} order by v.walk_key, v.id limit $4 offset $5"
        ),
        filter.status_condition()
    );
    on!(db.read_pool(), c => query_as(AssertSqlSafe(text))
        .bind(campaign).bind(&filter.pattern).bind(filter.yard_filter.to_sql_parameter()).bind(window.limit()).bind(window.offset())
        .bind(filter.matches_vin_keys)
        .fetch_all(c).await)
}

/// Returns up to `limit` vehicles of a campaign in walking order (by parking space), starting with the vehicle `first`. The field
/// `next` of the vehicles is not set.
///
/// The limit is part of the SQL text. If the limit were a parameter, `PostgreSQL` would plan the statement anew at each call, and
/// the query would take twice as long.
pub async fn list_starting_at_vehicle(db: &Db, campaign: i64, first: i64, limit: i64) -> Result<Vec<Vehicle>> {
    let text = format!(
        concat!(
            "select ",
            columns!(),
            ", cast(null as bigint) as next from vehicles v join campaigns c on c.id = v.campaign_id
              where v.campaign_id = $1 and (v.walk_key, v.id) >= ((select walk_key from vehicles where id = $2), $2)
              order by v.walk_key, v.id limit {}"
        ),
        limit
    );
    on!(db.read_pool(), c => query_as(AssertSqlSafe(text)).bind(campaign).bind(first).fetch_all(c).await)
}

/// Returns the vehicles with the given ids, in walking order (by parking space). The field `next` of the vehicles is not set.
pub async fn list_by_ids(db: &Db, ids: &[i64]) -> Result<Vec<Vehicle>> {
    let text = dialect::select_vehicles_by_ids_sql(db.is_postgres());
    let ids = serde_json::to_string(ids).unwrap_or_default();
    on!(db.read_pool(), c => query_as(text).bind(&ids).fetch_all(c).await)
}

/// Data of a vehicle that the in-memory search index needs.
#[derive(Debug, Clone, FromRow)]
pub struct SearchIndexEntry {
    /// Id of the vehicle.
    pub id: i64,
    /// Text that searches match against: VIN and parking space in lower case.
    #[sqlx(rename = "haystack")]
    pub search_text: String,
    /// Id of the yard; `None` when the parking space belongs to no yard.
    pub yard_id: Option<i64>,
    /// Sort key of the walking order: natural order of parking spaces, A-2 before A-10.
    pub walk_key: String,
}

/// Returns up to `limit` vehicles of a campaign for the search index, in walking order (by parking space). The list starts after the
/// vehicle at `position` (sort key and id).
pub async fn list_search_index_entries(db: &Db, campaign: i64, position: &(String, i64), limit: i64) -> Result<Vec<SearchIndexEntry>> {
    on!(db.read_pool(), c => query_as(
        "select id, haystack, yard_id, walk_key from vehicles
          where campaign_id = $1 and (walk_key, id) > ($2, $3) order by walk_key, id limit $4")
        .bind(campaign).bind(&position.0).bind(position.1).bind(limit)
        .fetch_all(c).await)
}

/// Returns the number of vehicles of a campaign that match a filter.
pub async fn count(db: &Db, campaign: i64, filter: &VehicleFilter) -> Result<i64> {
    let text = format!(
        concat!("select count(*) from vehicles v where v.campaign_id = $1 and ", found!("$4"), " and ", seen!(), "{}"),
        filter.status_condition()
    );
    on!(db.read_pool(), c => query_scalar(AssertSqlSafe(text))
        .bind(campaign).bind(&filter.pattern).bind(filter.yard_filter.to_sql_parameter()).bind(filter.matches_vin_keys)
        .fetch_one(c).await)
}

/// A vehicle with the columns of an export.
#[derive(Debug, Clone, FromRow)]
pub struct ExportedVehicle {
    /// Id of the vehicle.
    pub id: i64,
    /// Model code, the first part of the VIN.
    pub model_code: String,
    /// Serial number, the second part of the VIN.
    pub serial_number: String,
    /// Normalized text of the parking space, such as `A-10`.
    pub parking_space: String,
    /// Id of the yard; `None` when the parking space belongs to no yard.
    pub yard_id: Option<i64>,
    /// Sort key of the walking order: natural order of parking spaces, A-2 before A-10.
    pub walk_key: String,
    /// Status text, such as `ok` or `Repair`; empty when the vehicle has no status.
    pub status: String,
    /// Whether the vehicle counts as inspected.
    pub inspected: bool,
    /// Notes of supervisors (users with the role `Admin`), which only supervisors may change.
    pub admin_notes: String,
    /// Notes of operators and team leaders, which every role may change.
    pub operator_notes: String,
    /// Id of the user who made the last change; `None` if the last change was the import or was made by a service.
    pub modified_by: Option<i64>,
    /// Time of the last change of the vehicle; for an unchanged vehicle, time of the import.
    pub modified_at: DateTime<Utc>,
}

/// Returns up to `limit` vehicles of a campaign with the columns of an export, in walking order (by parking space). The list starts
/// after the vehicle at `position` (sort key and id).
pub async fn list_for_export_after(db: &Db, campaign: i64, position: &(String, i64), limit: i64) -> Result<Vec<ExportedVehicle>> {
    on!(db.read_pool(), c => query_as(
        "select id, model_code, serial_number, parking_space, yard_id, walk_key, status, inspected, admin_notes, operator_notes,
                modified_by, modified_at
           from vehicles where campaign_id = $1 and (walk_key, id) > ($2, $3) order by walk_key, id limit $4")
        .bind(campaign).bind(&position.0).bind(position.1).bind(limit)
        .fetch_all(c).await)
}

/// Row of the full vehicle list that clients synchronize.
#[derive(Debug, Clone, FromRow)]
pub struct VehicleListRow {
    /// Id of the vehicle.
    pub id: i64,
    /// Model code, the first part of the VIN.
    pub model_code: String,
    /// Serial number, the second part of the VIN.
    pub serial_number: String,
    /// Normalized text of the parking space, such as `A-10`.
    pub parking_space: String,
    /// Name of the group under which lists show the parking space: the part before the first dash.
    pub yard_group: String,
    /// Id of the yard; `None` when the parking space belongs to no yard.
    pub yard_id: Option<i64>,
    /// Status text, such as `ok` or `Repair`; empty when the vehicle has no status.
    pub status: String,
    /// Whether the vehicle counts as inspected.
    pub inspected: bool,
    /// Version of the vehicle; increases with every change of the vehicle.
    pub version: i64,
    /// Sort key of the walking order: natural order of parking spaces, A-2 before A-10.
    pub walk_key: String,
}

/// Returns up to `limit` rows of a campaign's full vehicle list, in walking order (by parking space). The rows start after the vehicle
/// at `position` (sort key and id).
pub async fn list_for_sync_after(db: &Db, campaign: i64, position: &(String, i64), limit: i64) -> Result<Vec<VehicleListRow>> {
    on!(db.read_pool(), c => query_as(
        "select id, model_code, serial_number, parking_space, yard_group, yard_id, status, inspected, version, walk_key
           from vehicles where campaign_id = $1 and (walk_key, id) > ($2, $3) order by walk_key, id limit $4")
        .bind(campaign).bind(&position.0).bind(position.1).bind(limit)
        .fetch_all(c).await)
}

/// Returns the rows of the full vehicle list for the given vehicle ids, in walking order (by parking space).
pub async fn list_for_sync_by_ids(db: &Db, ids: &[i64]) -> Result<Vec<VehicleListRow>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let text = format!(
        "select id, model_code, serial_number, parking_space, yard_group, yard_id, status, inspected, version, walk_key
           from vehicles where id {} order by walk_key, id",
        dialect::json_array_contains_sql(db.is_postgres())
    );
    let ids = serde_json::to_string(ids).unwrap_or_default();
    on!(db.read_pool(), c => query_as(AssertSqlSafe(text)).bind(&ids).fetch_all(c).await)
}

/// Number of vehicles per insert statement on `SQLite`, which limits the number of parameters of a statement.
const ROWS_PER_INSERT: usize = 500;

/// Inserts the vehicles of an import into a draft campaign.
pub async fn insert(tx: &mut Tx<'_>, campaign: i64, all: &[ImportedVehicle], at: DateTime<Utc>) -> Result<()> {
    match tx.connection() {
        Engine::Sqlite(connection) => {
            for some in all.chunks(ROWS_PER_INSERT) {
                let mut text = QueryBuilder::<sqlx::Sqlite>::new(concat!("insert into vehicles ", dialect::new_columns!(), " "));
                text.push_values(some, |mut row, new| {
                    row.push_bind(campaign)
                        .push_bind(&new.identifier.model_code)
                        .push_bind(&new.identifier.serial_number)
                        .push_bind(new.identifier.comparison_key())
                        .push_bind(&new.place.space)
                        .push_bind(new.place.yard_id)
                        .push_bind(&new.place.group)
                        .push_bind(&new.place.walk_key)
                        .push_bind(crate::parking_space::vehicle_search_text(&new.identifier, &new.place.space))
                        .push_bind(at);
                });
                text.build().execute(&mut *connection).await?;
            }
            Ok(())
        }
        Engine::Postgres(connection) => bulk_insert_vehicles::bulk_insert_vehicles(connection, campaign, all, at).await,
    }
}

/// Deletes up to `limit` vehicles of a campaign. Returns the number of deleted vehicles.
pub async fn delete_chunk(tx: &mut Tx<'_>, campaign: i64, limit: i64) -> Result<u64> {
    on!(tx.connection(), c => sqlx::query(
        "delete from vehicles where id in (select id from vehicles where campaign_id = $1 order by walk_key, id limit $2)")
        .bind(campaign).bind(limit).execute(c).await.map(|done| done.rows_affected()))
}

/// Returns up to ten VINs of a campaign's vehicles that match the given comparison keys (upper case, without blanks, hyphens and
/// asterisks).
pub async fn list_vins_by_comparison_keys(tx: &mut Tx<'_>, campaign: i64, keys: &[String]) -> Result<Vec<String>> {
    let text = format!(
        "with asked as ({}) select v.model_code || ' ' || v.serial_number from vehicles v join asked a on a.word = v.vin_key
          where v.campaign_id = $2 limit 10",
        dialect::unnest_texts_sql(tx.is_postgres())
    );
    let keys = serde_json::to_string(keys).unwrap_or_default();
    on!(tx.connection(), c => query_scalar(AssertSqlSafe(text)).bind(&keys).bind(campaign).fetch_all(c).await)
}
