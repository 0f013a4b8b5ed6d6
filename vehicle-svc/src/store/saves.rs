//! Saving one vehicle: a look, and one statement that does all of it or nothing.
use crate::{
    inspect::Finding,
    store::{
        counters::{Deltas, NO_YARD},
        dialect,
        keys::Key,
        vehicles::Vehicle,
    },
};
use chrono::{DateTime, Utc};
use patio_kit::{audit::Entry, db::Tx, on};
use patio_proto::vehicle::Field;
use sqlx::{FromRow, query_as};

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
    /// `next` stays in this yard.
    pub yard: Option<i64>,
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

/// Saves an inspection with its counters, turning point, audit entry and key; none when the vehicle is not
/// as it was looked at any more, or its campaign takes no saves. Nothing is written then.
pub async fn save(tx: &mut Tx<'_>, change: &Change<'_>) -> Result<Option<After>> {
    let Change { before, finding, deltas, entry, key, yard } = change;
    let [one, two] = deltas.few();
    let whole = deltas.whole();
    let yard_of = |moved: Option<(i64, _)>| moved.map(|(yard, _)| yard);
    let (first, second) = (one.map(|(_, delta)| delta).unwrap_or_default(), two.map(|(_, delta)| delta).unwrap_or_default());
    let text = dialect::save(tx.is_postgres(), yard.is_some());
    // Read to its end: on SQLite the rows of the last statement come after all others have run.
    let mut rows: Vec<After> = on!(tx.on(), c => query_as(text)
        .bind(before.id).bind(before.campaign_id).bind(before.version)
        .bind(&finding.identifier.model_code).bind(&finding.identifier.serial_number).bind(finding.identifier.key())
        .bind(&finding.place.space).bind(finding.place.yard_id).bind(&finding.place.group).bind(&finding.place.walk_key)
        .bind(crate::place::haystack(&finding.identifier, &finding.place.space)).bind(finding.status)
        .bind(&finding.admin_notes).bind(&finding.operator_notes).bind(entry.user_id).bind(entry.at)
        .bind(yard_of(one)).bind(first.total).bind(first.inspected)
        .bind(yard_of(two)).bind(second.total).bind(second.inspected)
        .bind(whole.total).bind(whole.inspected)
        .bind(entry.role).bind(entry.kind).bind(&entry.subject).bind(&entry.summary).bind(&entry.address)
        .bind(&entry.old_values).bind(&entry.new_values)
        .bind(key.user_id).bind(&key.key).bind(&key.fingerprint).bind(yard.unwrap_or(NO_YARD))
        .bind(i64::from(change.shifts()))
        .fetch_all(c).await)?;
    Ok(rows.pop())
}
