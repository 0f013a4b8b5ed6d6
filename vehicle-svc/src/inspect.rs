//! Saving an inspection: who may change what, from which status to which.
use crate::{
    error::{Error, Result},
    place::Place,
    store::{
        counters::{Counted, Deltas},
        keys::{self, Key},
        saves::{self, After, Before, Change},
        vehicles::{self, Vehicle},
    },
};
use chrono::{DateTime, TimeDelta, Utc};
use patio_kit::{
    audit::{self, Entry},
    db::{Db, Tx},
    host::Host,
    identity::Caller,
};
use patio_proto::{
    access::Role,
    identifier::Identifier,
    status,
    vehicle::{Origin, VehicleStatus},
};
use serde_json::{Map, Value, json};
use std::{sync::Arc, time::Duration};

/// How long a save may be repeated under its key.
const KEYS_LIVE: TimeDelta = TimeDelta::hours(24);

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
    /// `next` stays in this yard.
    pub yard: Option<i64>,
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

/// A saved vehicle, and the counters if they moved.
pub struct Saved {
    /// As it stands now, with the next one.
    pub vehicle: Vehicle,
    /// None when the counters did not move.
    pub counted: Option<Counted>,
}

impl Save {
    /// A digest of everything that is saved, to tell a repeated save from another one; none without a key.
    fn fingerprint(&self) -> String {
        if self.key.is_empty() {
            return String::new();
        }
        let what = format!(
            "{:?}",
            (self.id, &self.vin, self.status, &self.place, &self.operator_notes, &self.admin_notes, self.campaign_id, self.if_version)
        );
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
pub async fn save(db: &Db, caller: Caller, save: Save, now: DateTime<Utc>) -> Result<Saved> {
    let key = Key { user_id: caller.user_id, key: save.key.clone(), vehicle_id: save.id, fingerprint: save.fingerprint() };
    let id = save.id;
    let attempt = Arc::new(Attempt { caller, save, key, now });
    for _ in 0..TRIES {
        let attempt = attempt.clone();
        match db.write_once(move |tx| Box::pin(async move { attempt.run(tx, false).await })).await {
            Ok(None) => {}
            // The same save came twice at once, and the other one was first.
            Err(Error::Database(cause)) if patio_kit::errors::is_duplicate(&cause) => {}
            Ok(Some(saved)) => return Ok(saved),
            Err(error) => return Err(error),
        }
    }
    db.write(move |tx| Box::pin(async move { attempt.run(tx, true).await })).await?.ok_or(Error::NoVehicle(id))
}

/// A save that may be tried again.
struct Attempt {
    caller: Caller,
    save: Save,
    key: Key,
    now: DateTime<Utc>,
}

impl Attempt {
    /// Judges and writes; none when the vehicle is not any more what it was judged by.
    async fn run(&self, tx: &mut Tx<'_>, hold: bool) -> Result<Option<Saved>> {
        let Self { caller, save, key, now } = self;
        let found = saves::look(tx, save.id, key, hold).await?.ok_or(Error::NoVehicle(save.id))?;
        if found.key_vehicle.is_some() {
            return self.was_done(tx, &found).await.map(Some);
        }
        let before = found.vehicle;
        let finding = judge(caller.role, &before, save)?;
        let mut deltas = Deltas::default();
        deltas.order = !before.inspected && finding.place.walk_key != before.walk_key;
        deltas.moved((before.yard_id, before.inspected), (finding.place.yard_id, true));
        let entry = Entry::of(*now, Some(caller), event(&before, &finding, save));
        let change = Change { before: &before, finding: &finding, deltas: &deltas, entry: &entry, key, yard: save.yard };
        let after = saves::save(tx, &change).await.map_err(|cause| taken(cause, &finding))?;
        Ok(after.map(|after| Saved { counted: counted(&after, &deltas), vehicle: after.vehicle }))
    }

    /// The answer to a save whose key was used before.
    async fn was_done(&self, tx: &mut Tx<'_>, found: &Before) -> Result<Saved> {
        let same = found.key_vehicle == Some(self.key.vehicle_id) && found.key_fingerprint.as_ref() == Some(&self.key.fingerprint);
        if !same {
            return Err(Error::KeyReused);
        }
        let vehicle = vehicles::find_in(tx, self.save.id, self.save.yard).await?.ok_or(Error::NoVehicle(self.save.id))?;
        Ok(Saved { vehicle, counted: None })
    }
}

/// What others are told; none when no counter moved.
fn counted(after: &After, deltas: &Deltas) -> Option<Counted> {
    let &After { total, total_inspected: inspected, revision, turned, .. } = after;
    (turned || deltas.moves()).then_some(Counted { campaign_id: after.vehicle.campaign_id, total, inspected, revision, turned })
}

fn taken(cause: sqlx::Error, finding: &Finding) -> Error {
    if patio_kit::errors::is_duplicate(&cause) && !keys::is_taken(&cause) {
        Error::VinTaken(finding.identifier.vin())
    } else {
        cause.into()
    }
}

/// Decides what a save makes of a vehicle, or which rule it breaks.
fn judge(role: Role, before: &Vehicle, save: &Save) -> Result<Finding> {
    if save.if_version.is_some_and(|seen| seen != before.version) {
        return Err(Error::Stale { id: before.id, now: before.version });
    }
    let is_admin = role == Role::Admin;
    let identifier = Identifier { model_code: before.model_code.clone(), serial_number: before.serial_number.clone() };
    refuse(save.campaign_id.is_some_and(|id| id != before.campaign_id), "the campaign of a vehicle")?;
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
fn place(before: &Vehicle, new: Option<Place>) -> Place {
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

fn event(before: &Vehicle, after: &Finding, save: &Save) -> audit::Event {
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

/// Forgets, once an hour from now on, the keys of saves that may not be repeated any more.
pub fn forget_old_keys(host: &Host, db: Db) {
    let clock = host.clock.clone();
    host.tasks.repeat(Duration::from_secs(3600), move || {
        let (db, before) = (db.clone(), clock.now() - KEYS_LIVE);
        async move {
            let gone: std::result::Result<u64, sqlx::Error> =
                db.write(move |tx| Box::pin(async move { keys::forget(tx, before).await })).await;
            match gone {
                Ok(count) => tracing::debug!(count, "forgot old idempotency keys"),
                Err(cause) => tracing::warn!(%cause, "old idempotency keys were not forgotten"),
            }
        }
    });
}
