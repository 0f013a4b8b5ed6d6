//! Saving one vehicle: a look, and one statement that does all of it or nothing.
use crate::{
    inspect::Finding,
    store::{counters::Deltas, dialect, had, keys::Key, vehicles::Vehicle},
    view::View,
};
use chrono::{DateTime, Utc};
use patio_kit::{
    audit::Entry,
    db::{Side, Tx},
    on,
};
use patio_proto::{
    status,
    vehicle::{Field, VehicleStatus},
};
use sqlx::{FromRow, SqliteConnection, query_as};
use std::collections::HashMap;

type Result<T> = std::result::Result<T, sqlx::Error>;

/// A vehicle before a save.
#[derive(Debug, Clone, FromRow)]
pub struct Before {
    /// As it stands; `next` is not looked up.
    #[sqlx(flatten)]
    pub vehicle: Vehicle,
    /// The vehicle that the save's key was used for.
    pub key_vehicle: Option<i64>,
    /// The digest of what it was used for.
    pub key_fingerprint: Option<String>,
    /// The statuses that it has had, see [`had`].
    statuses_had: i64,
    /// Who gave each field its value.
    #[sqlx(flatten)]
    authors: Authors,
}

/// Who gave each field of a vehicle the value it has, and when; none for what is older than this is kept.
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

impl Before {
    /// Whether the vehicle has or had a status.
    #[must_use]
    pub fn has_had(&self, wanted: VehicleStatus) -> bool {
        had::has(self.statuses_had, wanted) || status::parse(&self.vehicle.status) == Some(wanted)
    }

    /// Who gave a field the value it has, and when; whoever saved the vehicle last where nothing else is known.
    #[must_use]
    pub fn author(&self, field: Field) -> (Option<i64>, DateTime<Utc>) {
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

/// A vehicle after a save.
#[derive(Debug, Clone, FromRow)]
pub struct After {
    /// As it stands now, with the next one.
    #[sqlx(flatten)]
    pub vehicle: Vehicle,
    /// The vehicles of its campaign.
    pub total: i64,
    /// The inspected ones.
    pub total_inspected: i64,
    /// Grows with every change in the campaign.
    pub revision: i64,
    /// Whether this save passed a turning point.
    pub turned: bool,
}

/// Everything a save writes.
#[derive(Debug)]
pub struct Change<'s> {
    /// The vehicle it was judged by.
    pub before: &'s Vehicle,
    /// What it becomes.
    pub finding: &'s Finding,
    /// What that does to the counters.
    pub deltas: &'s Deltas,
    /// The entry in the audit log.
    pub entry: &'s Entry,
    /// The key of the save; its text is empty for none.
    pub key: &'s Key,
    /// `next` is one of this view.
    pub view: View,
}

impl Change<'_> {
    /// Whether the vehicle is found under another identifier or in another place afterwards.
    fn shifts(&self) -> bool {
        let (was, is) = (self.before, self.finding);
        was.model_code != is.identifier.model_code
            || was.serial_number != is.identifier.serial_number
            || was.parking_space != is.place.space
    }
}

/// Finds a vehicle of a campaign that people see, with what its save's key was used for.
///
/// With `hold` others are kept from changing it until the commit.
pub async fn look(tx: &mut Tx<'_>, id: i64, key: &Key, hold: bool) -> Result<Option<Before>> {
    let text = if hold { dialect::look_and_hold(tx.is_postgres()) } else { dialect::LOOK };
    on!(tx.on(), c => query_as(text).bind(id).bind(key.user_id).bind(&key.key).fetch_optional(c).await)
}

/// Finds the vehicles of a group of saves, by number, on `PostgreSQL`.
pub async fn look_at_all(tx: &mut Tx<'_>, keys: &[&Key]) -> Result<HashMap<i64, Before>> {
    let ids: Vec<i64> = keys.iter().map(|key| key.vehicle_id).collect();
    let users: Vec<i64> = keys.iter().map(|key| key.user_id).collect();
    let texts: Vec<&str> = keys.iter().map(|key| key.key.as_str()).collect();
    let found: Vec<Before> = query_as(dialect::LOOK_AT_ALL).bind(ids).bind(users).bind(texts).fetch_all(tx.postgres()?).await?;
    Ok(found.into_iter().map(|before| (before.vehicle.id, before)).collect())
}

/// Saves an inspection with its counters, turning point, audit entry and key; none when the vehicle is not
/// as it was looked at any more, or its campaign takes no saves. Nothing is written then.
pub async fn save(tx: &mut Tx<'_>, change: &Change<'_>) -> Result<Option<After>> {
    match tx.on() {
        Side::Postgres(_) => Ok(save_all(tx, std::slice::from_ref(change)).await?.remove(&change.before.id)),
        Side::Sqlite(c) => save_on_sqlite(c, change).await,
    }
}

async fn save_on_sqlite(c: &mut SqliteConnection, change: &Change<'_>) -> Result<Option<After>> {
    let Change { before, finding, deltas, entry, key, view } = change;
    let [(first_yard, first), (second_yard, second)] = deltas.few();
    let whole = deltas.whole();
    // Read to its end: the rows of the last statement come after all others have run.
    let mut rows: Vec<After> = query_as(dialect::save_on_sqlite(*view))
        .bind(before.id)
        .bind(before.campaign_id)
        .bind(before.version)
        .bind(&finding.identifier.model_code)
        .bind(&finding.identifier.serial_number)
        .bind(finding.identifier.key())
        .bind(&finding.place.space)
        .bind(finding.place.yard_id)
        .bind(&finding.place.group)
        .bind(&finding.place.walk_key)
        .bind(crate::place::haystack(&finding.identifier, &finding.place.space))
        .bind(finding.status)
        .bind(&finding.admin_notes)
        .bind(&finding.operator_notes)
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
        .bind(view.number().unwrap_or_default())
        .bind(i64::from(change.shifts()))
        .fetch_all(c)
        .await?;
    Ok(rows.pop())
}

/// Saves a group of inspections, each of another vehicle, on `PostgreSQL`; those that were written, by vehicle.
///
/// One is left out when it is not as it was looked at any more, somebody else holds it, or its campaign takes no saves.
///
/// # Errors
/// When one of them cannot be, such as under an identifier that another vehicle has: then none is written.
pub async fn save_all(tx: &mut Tx<'_>, changes: &[Change<'_>]) -> Result<HashMap<i64, After>> {
    if changes.is_empty() {
        return Ok(HashMap::new());
    }
    macro_rules! column {
        (|$change:ident| $value:expr) => {
            changes.iter().map(|$change| $value).collect::<Vec<_>>()
        };
    }
    let written: Vec<After> = query_as(dialect::SAVE_ALL)
        .bind(column!(|c| c.before.id))
        .bind(column!(|c| c.before.campaign_id))
        .bind(column!(|c| c.before.version))
        .bind(column!(|c| c.finding.identifier.model_code.as_str()))
        .bind(column!(|c| c.finding.identifier.serial_number.as_str()))
        .bind(column!(|c| c.finding.identifier.key()))
        .bind(column!(|c| c.finding.place.space.as_str()))
        .bind(column!(|c| c.finding.place.yard_id))
        .bind(column!(|c| c.finding.place.group.as_str()))
        .bind(column!(|c| c.finding.place.walk_key.as_str()))
        .bind(column!(|c| crate::place::haystack(&c.finding.identifier, &c.finding.place.space)))
        .bind(column!(|c| c.finding.status))
        .bind(column!(|c| c.finding.admin_notes.as_str()))
        .bind(column!(|c| c.finding.operator_notes.as_str()))
        .bind(column!(|c| c.entry.user_id))
        .bind(column!(|c| c.entry.at))
        .bind(column!(|c| c.deltas.few()[0].0))
        .bind(column!(|c| c.deltas.few()[0].1.total))
        .bind(column!(|c| c.deltas.few()[0].1.inspected))
        .bind(column!(|c| c.deltas.few()[1].0))
        .bind(column!(|c| c.deltas.few()[1].1.total))
        .bind(column!(|c| c.deltas.few()[1].1.inspected))
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
        .bind(column!(|c| c.view.number()))
        .bind(column!(|c| i64::from(c.shifts())))
        .fetch_all(tx.postgres()?)
        .await?;
    Ok(written.into_iter().map(|after| (after.vehicle.id, after)).collect())
}
