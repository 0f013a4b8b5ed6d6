//! Saving an inspection: who may change what, from which status to which.
use crate::{
    attempt::{Attempt, Tried},
    error::{Error, Result},
    merge::{self, Base},
    place::Place,
    store::{
        conflicts::{Conflict, New},
        counters::{Counted, Deltas},
        held,
        keys::{self, Key},
        saves::{After, Before},
        vehicles::Vehicle,
    },
    together::Together,
    view::View,
};
use chrono::{DateTime, TimeDelta, Utc};
use patio_kit::{audit, db::Db, host::Host, identity::Caller};
use patio_proto::{
    access::Role,
    identifier::Identifier,
    status,
    vehicle::{Origin, VehicleStatus},
};
use serde_json::{Map, Value, json};
use std::{sync::Arc, time::Duration};

/// How long a save may be repeated under its key: a phone may lie in a drawer with saves that it has not sent.
pub const KEYS_LIVE: TimeDelta = TimeDelta::days(30);

/// A save as asked for, every field well-formed. What is none stays as it is.
#[derive(Debug, Clone)]
pub struct Save {
    /// The vehicle.
    pub id: i64,
    /// Its identifier.
    pub vin: Option<Identifier>,
    /// Its status.
    pub status: Option<VehicleStatus>,
    /// Where it stands.
    pub place: Option<Place>,
    /// Team leader notes.
    pub operator_notes: Option<String>,
    /// Supervisor notes.
    pub admin_notes: Option<String>,
    /// The campaign the client believes it is in.
    pub campaign_id: Option<i64>,
    /// The version the client saw.
    pub if_version: Option<i64>,
    /// Empty for none.
    pub key: String,
    /// How the identifier came in.
    pub origin: Origin,
    /// `next` is one of this view.
    pub view: View,
    /// What the client saw of the fields that it changes; with it the save is by field.
    pub base: Option<Base>,
    /// Whether both values of a field are kept that somebody else changed meanwhile; else the save is refused.
    pub keep: bool,
    /// When the device says that it was done.
    pub device_time: Option<DateTime<Utc>>,
    /// Which installation it was done on; empty when it does not say.
    pub device: String,
    /// Where the call came from.
    pub address: String,
}

/// A vehicle's content after a save.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Who it is.
    pub identifier: Identifier,
    /// Where it stands.
    pub place: Place,
    /// As stored.
    pub status: &'static str,
    /// Team leader notes.
    pub operator_notes: String,
    /// Supervisor notes.
    pub admin_notes: String,
}

impl Finding {
    /// A vehicle's content as it is.
    #[must_use]
    pub fn of(vehicle: &Vehicle) -> Self {
        Self {
            identifier: Identifier { model_code: vehicle.model_code.clone(), serial_number: vehicle.serial_number.clone() },
            place: place(vehicle, None),
            status: status::text(status::parse(&vehicle.status).unwrap_or_default()),
            operator_notes: vehicle.operator_notes.clone(),
            admin_notes: vehicle.admin_notes.clone(),
        }
    }

    /// What saving it does to the counters.
    #[must_use]
    pub fn deltas(&self, before: &Vehicle) -> Deltas {
        let mut deltas = Deltas::default();
        deltas.order = !before.inspected && self.place.walk_key != before.walk_key;
        deltas.moved((before.yard_id, before.inspected), (self.place.yard_id, true));
        deltas
    }

    /// What a failed statement means that saves it.
    #[must_use]
    pub fn taken(&self, cause: sqlx::Error) -> Error {
        if patio_kit::errors::is_duplicate(&cause) && !keys::is_taken(&cause) {
            Error::VinTaken(self.identifier.vin())
        } else {
            cause.into()
        }
    }
}

/// A vehicle that was written, and what moved with it.
#[derive(Debug)]
pub struct Moved {
    /// As it stands now, with the next one.
    pub vehicle: Vehicle,
    /// None when the counters did not move.
    pub counted: Option<Counted>,
    /// Its campaign's revision; none when nothing was written.
    pub revision: Option<i64>,
}

impl Moved {
    /// What others are told of a written vehicle.
    #[must_use]
    pub fn of(after: After, deltas: &Deltas) -> Self {
        let After { vehicle, total, total_inspected: inspected, revision, turned } = after;
        let of = vehicle.campaign_id;
        let told = turned || deltas.moves();
        let counted = told.then_some(Counted { campaign_id: of, total, inspected, revision, turned, vehicles: Vec::new() });
        Self { vehicle, counted, revision: Some(revision) }
    }
}

/// A saved vehicle, and the conflicts that the save made.
#[derive(Debug)]
pub struct Saved {
    /// What was written.
    pub moved: Moved,
    /// Both values of each field in conflict.
    pub conflicts: Vec<Conflict>,
}

impl Save {
    /// A digest of everything that is saved, to tell a repeated save from another one; none without a key.
    fn fingerprint(&self) -> String {
        if self.key.is_empty() {
            return String::new();
        }
        let (id, vin, place, campaign) = (self.id, &self.vin, &self.place, self.campaign_id);
        let (status, operator_notes, admin_notes) = (self.status, &self.operator_notes, &self.admin_notes);
        // By field it is the same save on every version and whatever is done about conflicts: one that was first tried
        // with the person at the screen may come again later, from the outbox.
        let what = match &self.base {
            None => format!("{:?}", (id, vin, status, place, operator_notes, admin_notes, campaign, self.if_version)),
            Some(base) => format!("{:?}", (id, vin, status, place, operator_notes, admin_notes, campaign, base)),
        };
        ring::digest::digest(&ring::digest::SHA256, what.as_bytes())
            .as_ref()
            .iter()
            .fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"))
    }
}

/// How often a save is tried before it keeps others away from the vehicle.
const TRIES: usize = 3;

/// Saves an inspection.
///
/// It is judged by the vehicle as it stands and written in one statement that does nothing when somebody
/// saved the vehicle meanwhile; then it is judged again, at last with the vehicle held.
///
/// # Errors
/// The first rule that is broken, in this order: it exists, its version, field rights, the
/// campaign's gate, the status step. Nothing of a refused save is kept.
pub async fn save(together: &Together, caller: Caller, save: Save, now: DateTime<Utc>) -> Result<Saved> {
    let key = Key { user_id: caller.user_id, key: save.key.clone(), vehicle_id: save.id, fingerprint: save.fingerprint() };
    let id = save.id;
    let attempt = Arc::new(Attempt { caller, save, key, now });
    let mut hold = false;
    for number in 0..TRIES + 2 {
        let attempt = attempt.clone();
        hold |= number >= TRIES;
        let tried = if number == 0 { together.attempt(attempt).await } else { attempt.alone(together.db(), hold).await };
        match tried {
            Ok(Tried::Saved(saved)) => return Ok(*saved),
            Ok(Tried::Again) => {}
            Ok(Tried::Hold) => hold = true,
            // The same save came twice at once, and the other one was first.
            Err(Error::Database(cause)) if patio_kit::errors::is_duplicate(&cause) => {}
            Err(error) => return Err(error),
        }
    }
    Err(Error::NoVehicle(id))
}

/// Decides what a save makes of a vehicle, or which rule it breaks.
///
/// # Errors
/// The rule.
pub fn judge(role: Role, found: &Before, save: &Save) -> Result<(Finding, Vec<New>)> {
    let before = &found.vehicle;
    if save.base.is_none() && save.if_version.is_some_and(|seen| seen != before.version) {
        return Err(Error::Stale { id: before.id, now: before.version });
    }
    refuse(save.campaign_id.is_some_and(|id| id != before.campaign_id), "the campaign of a vehicle")?;
    match &save.base {
        Some(base) => merge::judge(role, found, save, base),
        None => judge_whole(role, before, save).map(|finding| (finding, Vec::new())),
    }
}

/// Decides what a save makes of a vehicle that nobody changed since it was seen.
fn judge_whole(role: Role, before: &Vehicle, save: &Save) -> Result<Finding> {
    let is_admin = role == Role::Admin;
    let identifier = Identifier { model_code: before.model_code.clone(), serial_number: before.serial_number.clone() };
    refuse(!is_admin && save.vin.as_ref().is_some_and(|vin| *vin != identifier), "the VIN")?;
    refuse(!is_admin && save.place.as_ref().is_some_and(|place| place.space != before.parking_space), "the parking space")?;
    refuse(!is_admin && save.admin_notes.as_ref().is_some_and(|notes| *notes != before.admin_notes), "the supervisor notes")?;
    if before.gate == "closed" {
        return Err(Error::Closed(before.campaign_name.clone()));
    }
    let from = status::parse(&before.status).unwrap_or_default();
    let to = save.status.unwrap_or(from);
    if !status::step_allowed(role, from, to) {
        return Err(Error::Step { from: status::text(from), to: status::text(to) });
    }
    Ok(Finding {
        identifier: save.vin.clone().unwrap_or(identifier),
        place: place(before, save.place.clone()),
        status: status::text(to),
        operator_notes: save.operator_notes.clone().unwrap_or_else(|| before.operator_notes.clone()),
        admin_notes: save.admin_notes.clone().unwrap_or_else(|| before.admin_notes.clone()),
    })
}

fn refuse(wrong: bool, field: &'static str) -> Result<()> {
    if wrong { Err(Error::Field(field)) } else { Ok(()) }
}

/// Where the vehicle stands after a save: an unknown letter leaves its yard as it was.
pub fn place(before: &Vehicle, new: Option<Place>) -> Place {
    let unchanged = Place {
        space: before.parking_space.clone(),
        yard_id: before.yard_id,
        group: before.yard_group.clone(),
        walk_key: before.walk_key.clone(),
    };
    match new {
        Some(new) if new.space != before.parking_space => Place { yard_id: new.yard_id.or(before.yard_id), ..new },
        _ => unchanged,
    }
}

/// What the audit log tells of a save.
pub fn event(before: &Vehicle, after: &Finding, save: &Save, kept: &[New]) -> audit::Event {
    let vin = format!("{} {}", before.model_code, before.serial_number);
    let fields = [
        ("vin_number", vin.clone(), after.identifier.vin()),
        ("parking_space", before.parking_space.clone(), after.place.space.clone()),
        ("status", before.status.clone(), after.status.to_owned()),
        ("operator_notes", before.operator_notes.clone(), after.operator_notes.clone()),
        ("admin_notes", before.admin_notes.clone(), after.admin_notes.clone()),
    ];
    let (mut old, mut new) = (Map::new(), Map::new());
    for (name, was, is) in fields.into_iter().filter(|(_, was, is)| was != is) {
        old.insert(name.to_owned(), json!(was));
        new.insert(name.to_owned(), json!(is));
    }
    if !before.inspected {
        old.insert("inspected".to_owned(), json!(false));
        new.insert("inspected".to_owned(), json!(true));
    }
    if let Some(at) = save.device_time {
        new.insert("device_time".to_owned(), json!(at));
    }
    if !save.device.is_empty() {
        new.insert("device".to_owned(), json!(save.device));
    }
    for conflict in kept {
        new.insert(format!("{} in conflict", conflict.field), json!({ "theirs": conflict.theirs, "mine": conflict.mine }));
    }
    let how = match save.origin {
        Origin::Scanned => "scanned",
        Origin::Typed => "typed",
        Origin::Unspecified => "on the screen",
    };
    audit::Event {
        kind: "vehicle-changed",
        subject: format!("vehicle {}", before.id),
        summary: format!(
            "{vin} of {} saved as {}, {how}",
            before.campaign_name,
            if after.status.is_empty() { "no status" } else { after.status }
        ),
        old: Some(Value::Object(old)),
        new: Some(Value::Object(new)),
        address: save.address.clone(),
    }
}

/// Forgets, once an hour from now on, the keys of saves that may not be repeated any more, and what is held on devices
/// that did not come back for as long.
pub fn forget_old_keys(host: &Host, db: Db) {
    let clock = host.clock.clone();
    host.tasks.repeat(Duration::from_secs(3600), move || {
        let (db, before) = (db.clone(), clock.now() - KEYS_LIVE);
        async move {
            let gone: std::result::Result<u64, sqlx::Error> =
                db.write(move |tx| Box::pin(async move { Ok(keys::forget(tx, before).await? + held::forget(tx, before).await?) })).await;
            match gone {
                Ok(count) => tracing::debug!(count, "forgot old idempotency keys"),
                Err(cause) => tracing::warn!(%cause, "old idempotency keys were not forgotten"),
            }
        }
    });
}
