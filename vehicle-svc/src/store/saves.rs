//! Database access of a save: one statement loads the vehicle, and another statement writes the vehicle with counters,
//! audit entry and idempotency key.
use crate::{
    store::{
        activity_counts, counters::CounterDeltasByYard, dialect, editable_fields::EditableFields, idempotency_keys::IdempotencyKey,
        save_sql, status_history, vehicles::Vehicle,
    },
    yard_filter::YardFilter,
};
use chrono::{DateTime, Utc};
use patio_kit::{
    audit::NewAuditEntry,
    db::{Engine, Tx},
    on,
};
use patio_proto::{
    status,
    vehicle::{Field, VehicleStatus},
};
use sqlx::{FromRow, SqliteConnection, query_as};
use std::collections::HashMap;

type Result<T> = std::result::Result<T, sqlx::Error>;

/// A vehicle as loaded for a save, with the record of an earlier save that used the same idempotency key.
#[derive(Debug, Clone, FromRow)]
pub struct VehicleForSave {
    /// The current vehicle; its field `next` (next vehicle to inspect) is not set.
    #[sqlx(flatten)]
    pub vehicle: Vehicle,
    /// Id of the vehicle for which the save's idempotency key was used before; `None` for a new key.
    pub key_vehicle: Option<i64>,
    /// Digest of the values for which the idempotency key was used before; `None` for a new key.
    pub key_fingerprint: Option<String>,
    /// Bit set of all statuses that the vehicle has ever had; see [`status_history`].
    statuses_had: i64,
    /// User and time of the last change of each field of the vehicle.
    #[sqlx(flatten)]
    authors: Authors,
}

/// User and time of the last change of each field. `None` for a change made before the database stored this information.
#[derive(Debug, Clone, FromRow)]
struct Authors {
    status_by: Option<i64>,
    status_at: Option<DateTime<Utc>>,
    operator_notes_by: Option<i64>,
    operator_notes_at: Option<DateTime<Utc>>,
    admin_notes_by: Option<i64>,
    admin_notes_at: Option<DateTime<Utc>>,
    vin_by: Option<i64>,
    vin_at: Option<DateTime<Utc>>,
    space_by: Option<i64>,
    space_at: Option<DateTime<Utc>>,
}

impl VehicleForSave {
    /// Returns `true` when the vehicle has the given status or had it at any earlier time.
    #[must_use]
    pub fn has_ever_had_status(&self, wanted: VehicleStatus) -> bool {
        status_history::had_status(self.statuses_had, wanted) || status::parse_vehicle_status(&self.vehicle.status) == Some(wanted)
    }

    /// Returns the user and the time of a field's last change. If the database has no time for the field, returns the user and the
    /// time of the vehicle's last change.
    #[must_use]
    pub fn last_change_of_field(&self, field: Field) -> (Option<i64>, DateTime<Utc>) {
        let Authors { status_by, status_at, operator_notes_by, operator_notes_at, admin_notes_by, admin_notes_at, .. } = &self.authors;
        let Authors { vin_by, vin_at, space_by, space_at, .. } = &self.authors;
        let (by, at) = match field {
            Field::Status => (status_by, status_at),
            Field::OperatorNotes => (operator_notes_by, operator_notes_at),
            Field::AdminNotes => (admin_notes_by, admin_notes_at),
            Field::VinNumber => (vin_by, vin_at),
            Field::ParkingSpace => (space_by, space_at),
            Field::Unspecified => (&None, &None),
        };
        at.map_or((self.vehicle.modified_by, self.vehicle.modified_at), |at| (*by, at))
    }
}

/// Database row that a save returns: the vehicle and the counters of the vehicle's campaign.
#[derive(Debug, Clone, FromRow)]
pub struct SavedVehicleRow {
    /// The vehicle after the save; its field `next` is the id of the next vehicle to inspect.
    #[sqlx(flatten)]
    pub vehicle: Vehicle,
    /// Number of vehicles in the campaign.
    pub total: i64,
    /// Number of inspected vehicles in the campaign.
    pub total_inspected: i64,
    /// Revision of the campaign after the save.
    pub revision: i64,
    /// Whether the save reached a milestone of the campaign: work begun, complete, or incomplete again.
    #[sqlx(rename = "turned")]
    pub reached_milestone: bool,
}

/// All data that a save writes: new content, counters, audit entry and idempotency key.
#[derive(Debug)]
pub struct NewSave<'s> {
    /// Vehicle before the save. The save was validated against this state. On `PostgreSQL`, the save is skipped if the stored vehicle
    /// has another version.
    pub before: &'s Vehicle,
    /// New content of the vehicle.
    pub content: &'s EditableFields,
    /// Changes to the counters of the campaign.
    pub deltas: &'s CounterDeltasByYard,
    /// Entry for the audit log.
    pub entry: &'s NewAuditEntry,
    /// Idempotency key of the save; its text is empty when the client sent none.
    pub key: &'s IdempotencyKey,
    /// Vehicles that the user may see; the next vehicle to inspect is chosen from these vehicles.
    pub yard_filter: YardFilter,
}

impl NewSave<'_> {
    /// Returns `true` when the save changes the VIN or the parking space. The search index of the campaign is then outdated.
    fn changes_position(&self) -> bool {
        let (was, is) = (self.before, self.content);
        was.model_code != is.identifier.model_code
            || was.serial_number != is.identifier.serial_number
            || was.parking_space != is.place.space
    }

    /// Returns the change (-1, 0 or 1) that the save makes to the number of vehicles with a defect (status ng, Repair or Repair
    /// OK).
    fn found_wrong(&self) -> i64 {
        i64::from(activity_counts::is_defect_status(self.content.status))
            - i64::from(activity_counts::is_defect_status(&self.before.status))
    }
}

/// Loads a vehicle for a save, with the record of an earlier save that used the idempotency key `key`. Returns `None` when the
/// vehicle does not exist, or its campaign is being imported or deleted.
///
/// If `lock` is true, the vehicle's row stays locked until the transaction ends.
pub async fn load_vehicle(tx: &mut Tx<'_>, id: i64, key: &IdempotencyKey, lock: bool) -> Result<Option<VehicleForSave>> {
    let text = if lock { dialect::load_vehicle_for_update_sql(tx.is_postgres()) } else { dialect::LOAD_VEHICLE_FOR_SAVE_SQL };
    on!(tx.connection(), c => query_as(text).bind(id).bind(key.user_id).bind(&key.key).fetch_optional(c).await)
}

/// Loads the vehicles that a group of saves changes, on `PostgreSQL` only. `keys` contains the idempotency key of each save, with
/// the id of the vehicle. Returns the vehicles by id, each with the record of an earlier save that used the same key.
pub async fn load_vehicles(tx: &mut Tx<'_>, keys: &[&IdempotencyKey]) -> Result<HashMap<i64, VehicleForSave>> {
    let ids: Vec<i64> = keys.iter().map(|key| key.vehicle_id).collect();
    let users: Vec<i64> = keys.iter().map(|key| key.user_id).collect();
    let texts: Vec<&str> = keys.iter().map(|key| key.key.as_str()).collect();
    let found: Vec<VehicleForSave> =
        query_as(dialect::LOAD_VEHICLES_FOR_SAVES_SQL).bind(ids).bind(users).bind(texts).fetch_all(tx.postgres_connection()?).await?;
    Ok(found.into_iter().map(|before| (before.vehicle.id, before)).collect())
}

/// Writes an inspection with counters, milestone (work begun, complete, incomplete again), audit entry and idempotency key.
///
/// On `PostgreSQL`, returns `None`, and writes nothing, when the vehicle's version has changed, another transaction has locked the
/// vehicle, or the campaign is closed. On `SQLite`, no other writer can change the vehicle between load and save.
pub async fn write_save(tx: &mut Tx<'_>, change: &NewSave<'_>) -> Result<Option<SavedVehicleRow>> {
    match tx.connection() {
        Engine::Postgres(_) => Ok(write_saves(tx, std::slice::from_ref(change)).await?.remove(&change.before.id)),
        Engine::Sqlite(c) => save_on_sqlite(c, change).await,
    }
}

async fn save_on_sqlite(c: &mut SqliteConnection, change: &NewSave<'_>) -> Result<Option<SavedVehicleRow>> {
    let NewSave { before, content, deltas, entry, key, yard_filter } = change;
    let [(first_yard, first), (second_yard, second)] = deltas.affected_yard_deltas();
    let whole = deltas.total();
    // Fetch all rows: those of the last statement come only after the others have run.
    let mut rows: Vec<SavedVehicleRow> = query_as(save_sql::sqlite_save_sql(*yard_filter))
        .bind(before.id)
        .bind(before.campaign_id)
        .bind(before.version)
        .bind(&content.identifier.model_code)
        .bind(&content.identifier.serial_number)
        .bind(content.identifier.comparison_key())
        .bind(&content.place.space)
        .bind(content.place.yard_id)
        .bind(&content.place.group)
        .bind(&content.place.walk_key)
        .bind(crate::parking_space::vehicle_search_text(&content.identifier, &content.place.space))
        .bind(content.status)
        .bind(&content.admin_notes)
        .bind(&content.operator_notes)
        .bind(entry.user_id)
        .bind(entry.at)
        .bind(first_yard)
        .bind(first.total)
        .bind(first.inspected)
        .bind(second_yard)
        .bind(second.total)
        .bind(second.inspected)
        .bind(whole.total)
        .bind(whole.inspected)
        .bind(entry.role)
        .bind(entry.kind)
        .bind(&entry.subject)
        .bind(&entry.summary)
        .bind(&entry.address)
        .bind(&entry.old_values)
        .bind(&entry.new_values)
        .bind(key.user_id)
        .bind(&key.key)
        .bind(&key.fingerprint)
        .bind(yard_filter.to_sql_parameter().unwrap_or_default())
        .bind(i64::from(change.changes_position()))
        .bind(activity_counts::hours_since_epoch(entry.at))
        .bind(change.found_wrong())
        .bind(before.yard_id)
        .bind(&before.status)
        .fetch_all(c)
        .await?;
    Ok(rows.pop())
}

/// Writes a group of saves of different vehicles, on `PostgreSQL` only. Returns the written vehicles by id.
///
/// A save is skipped in three cases: the version of the vehicle has changed, another transaction has locked the vehicle, or the
/// campaign is closed.
///
/// # Errors
/// Returns the database error, and writes no save of the group, when one save violates a constraint, such as a duplicate VIN.
pub async fn write_saves(tx: &mut Tx<'_>, changes: &[NewSave<'_>]) -> Result<HashMap<i64, SavedVehicleRow>> {
    if changes.is_empty() {
        return Ok(HashMap::new());
    }
    macro_rules! column {
        (|$change:ident| $value:expr) => {
            changes.iter().map(|$change| $value).collect::<Vec<_>>()
        };
    }
    let written: Vec<SavedVehicleRow> = query_as(save_sql::POSTGRES_SAVE_SQL.as_str())
        .bind(column!(|c| c.before.id))
        .bind(column!(|c| c.before.campaign_id))
        .bind(column!(|c| c.before.version))
        .bind(column!(|c| c.content.identifier.model_code.as_str()))
        .bind(column!(|c| c.content.identifier.serial_number.as_str()))
        .bind(column!(|c| c.content.identifier.comparison_key()))
        .bind(column!(|c| c.content.place.space.as_str()))
        .bind(column!(|c| c.content.place.yard_id))
        .bind(column!(|c| c.content.place.group.as_str()))
        .bind(column!(|c| c.content.place.walk_key.as_str()))
        .bind(column!(|c| crate::parking_space::vehicle_search_text(&c.content.identifier, &c.content.place.space)))
        .bind(column!(|c| c.content.status))
        .bind(column!(|c| c.content.admin_notes.as_str()))
        .bind(column!(|c| c.content.operator_notes.as_str()))
        .bind(column!(|c| c.entry.user_id))
        .bind(column!(|c| c.entry.at))
        .bind(column!(|c| c.deltas.affected_yard_deltas()[0].0))
        .bind(column!(|c| c.deltas.affected_yard_deltas()[0].1.total))
        .bind(column!(|c| c.deltas.affected_yard_deltas()[0].1.inspected))
        .bind(column!(|c| c.deltas.affected_yard_deltas()[1].0))
        .bind(column!(|c| c.deltas.affected_yard_deltas()[1].1.total))
        .bind(column!(|c| c.deltas.affected_yard_deltas()[1].1.inspected))
        .bind(column!(|c| c.entry.role))
        .bind(column!(|c| c.entry.kind))
        .bind(column!(|c| c.entry.subject.as_str()))
        .bind(column!(|c| c.entry.summary.as_str()))
        .bind(column!(|c| c.entry.address.as_str()))
        .bind(column!(|c| c.entry.old_values.as_str()))
        .bind(column!(|c| c.entry.new_values.as_str()))
        .bind(column!(|c| c.key.user_id))
        .bind(column!(|c| c.key.key.as_str()))
        .bind(column!(|c| c.key.fingerprint.as_str()))
        .bind(column!(|c| c.yard_filter.to_sql_parameter()))
        .bind(column!(|c| i64::from(c.changes_position())))
        .bind(column!(|c| activity_counts::hours_since_epoch(c.entry.at)))
        .bind(column!(|c| c.found_wrong()))
        .bind(column!(|c| c.before.yard_id))
        .bind(column!(|c| c.before.status.as_str()))
        .fetch_all(tx.postgres_connection()?)
        .await?;
    Ok(written.into_iter().map(|after| (after.vehicle.id, after)).collect())
}
