//! Choosing between the two values of a conflict.
use crate::{
    error::{Error, Result},
    inspect::{Finding, Moved},
    merge,
    store::{
        conflicts::{self, Conflict},
        keys::Key,
        saves::{self, Before, Change},
        vehicles::{self, Vehicle},
    },
    view::View,
};
use chrono::{DateTime, Utc};
use patio_kit::{
    audit::{self, Entry},
    db::Tx,
    identity::Caller,
};
use patio_proto::{
    access::Role,
    vehicle::{Field, Side},
};
use serde_json::{Map, Value, json};

/// A choice.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The conflict.
    pub id: i64,
    /// Which of both values.
    pub side: Side,
    /// Who chooses.
    pub caller: Caller,
    /// When.
    pub now: DateTime<Utc>,
    /// Where the call came from.
    pub address: String,
}

/// What choosing came to.
pub enum Settled {
    /// The conflict as it is now, and what moved.
    Done(Box<Conflict>, Box<Moved>),
    /// The field has a value by now that is neither the one that showed nor the chosen one. The conflict was
    /// brought up to date and stays open; the vehicle and its version.
    Changed(i64, i64),
}

/// Settles a conflict.
///
/// # Errors
/// When there is none, it is settled, the caller may not change the field, or the campaign is closed.
pub async fn settle(tx: &mut Tx<'_>, choice: &Choice) -> Result<Settled> {
    let Choice { id, side, caller, now, .. } = choice;
    let told = conflicts::find(tx, *id).await?.ok_or(Error::NoConflict(*id))?;
    let nobody = Key { user_id: caller.user_id, key: String::new(), vehicle_id: told.vehicle_id, fingerprint: String::new() };
    let before = saves::look(tx, told.vehicle_id, &nobody, true).await?.ok_or(Error::NoConflict(*id))?;
    // Read again: whoever settles one of this vehicle holds the vehicle.
    let told = conflicts::find(tx, *id).await?.ok_or(Error::NoConflict(*id))?;
    if told.settled_at.is_some() {
        return Err(Error::Settled(*id));
    }
    let field = merge::field(&told.field);
    if let Some(words) = merge::supervisors(field).filter(|_| caller.role != Role::Admin) {
        return Err(Error::Field(words));
    }
    let (stored, value) = (merge::stored(field, &before.vehicle), if *side == Side::Mine { &told.mine } else { &told.theirs });
    let shows = if told.shown == "mine" { &told.mine } else { &told.theirs };
    if stored != *value && stored != *shows {
        conflicts::renew(tx, *id, &stored, before.author(field)).await?;
        return Ok(Settled::Changed(before.vehicle.id, before.vehicle.version));
    }
    conflicts::settle(tx, *id, merge::side(*side), (caller.person(), *now)).await?;
    let event = event(&told, &before.vehicle, (&stored, value), choice);
    let moved = if stored == *value {
        audit::append(tx, *now, Some(caller), event).await?;
        let vehicle = vehicles::find_in(tx, told.vehicle_id, View::All).await?.ok_or(Error::NoConflict(*id))?;
        Moved { vehicle, counted: None, revision: None }
    } else {
        write(tx, &before, (field, value), (&nobody, &Entry::of(*now, Some(caller), event))).await?
    };
    let settled = conflicts::find(tx, *id).await?.ok_or(Error::NoConflict(*id))?;
    Ok(Settled::Done(Box::new(settled), Box::new(moved)))
}

/// Gives the field the chosen value.
async fn write(tx: &mut Tx<'_>, before: &Before, (field, value): (Field, &str), (key, entry): (&Key, &Entry)) -> Result<Moved> {
    let vehicle = &before.vehicle;
    if vehicle.gate == "closed" {
        return Err(Error::Closed(vehicle.campaign_name.clone()));
    }
    let mut finding = Finding::of(vehicle);
    merge::put(&mut finding, vehicle, field, value)?;
    let deltas = finding.deltas(vehicle);
    let change = Change { before: vehicle, finding: &finding, deltas: &deltas, entry, key, view: View::All };
    let after = saves::save(tx, &change).await.map_err(|cause| finding.taken(cause))?;
    let mut moved = Moved::of(after.ok_or(Error::NoVehicle(vehicle.id))?, &deltas);
    // On PostgreSQL the parts of a statement count what was open when it began.
    moved.vehicle = vehicles::find_in(tx, vehicle.id, View::All).await?.ok_or(Error::NoVehicle(vehicle.id))?;
    Ok(moved)
}

fn event(conflict: &Conflict, vehicle: &Vehicle, (was, is): (&str, &str), choice: &Choice) -> audit::Event {
    let vin = format!("{} {}", vehicle.model_code, vehicle.serial_number);
    let (mut old, mut new) = (Map::new(), Map::new());
    if was != is {
        old.insert(conflict.field.clone(), json!(was));
        new.insert(conflict.field.clone(), json!(is));
    }
    new.insert("conflict".to_owned(), json!(conflict.id));
    new.insert("chosen".to_owned(), json!(merge::side(choice.side)));
    audit::Event {
        kind: "vehicle-changed",
        subject: format!("vehicle {}", vehicle.id),
        summary: format!("{vin} of {}: a conflict over {} settled", vehicle.campaign_name, conflict.field),
        old: Some(Value::Object(old)),
        new: Some(Value::Object(new)),
        address: choice.address.clone(),
    }
}
