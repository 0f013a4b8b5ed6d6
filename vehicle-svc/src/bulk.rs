//! Many vehicles at once: what a call would do, and doing it, in one transaction.
use crate::{
    error::{Error, Result},
    place::Place,
    store::{
        bulk::{self, Named, NewStatus},
        counters::{self, Counted, Deltas},
    },
};
use chrono::{DateTime, Utc};
use patio_kit::{audit, db::Tx, identity::Caller};
use patio_proto::{
    access::Role,
    identifier, status,
    vehicle::{StatusAction, VehicleStatus},
};
use serde_json::json;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Most vehicles one call may name.
pub const MOST: usize = 50_000;

/// Who calls when, which vehicles the call may touch, and whether it only tells.
#[derive(Debug, Clone)]
pub struct Run {
    /// Who calls.
    pub caller: Caller,
    /// The moment of the change.
    pub now: DateTime<Utc>,
    /// Only this campaign.
    pub campaign: Option<i64>,
    /// Only this yard.
    pub yard: Option<i64>,
    /// Writes nothing.
    pub dry_run: bool,
    /// Where the call came from.
    pub address: String,
}

/// What a call did, or would do.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Vehicles found.
    pub matched: usize,
    /// Vehicles changed.
    pub updated: usize,
    /// Vehicles left as they are, and why.
    pub skipped: Vec<(String, &'static str)>,
    /// Identifiers that no vehicle of the scope has.
    pub not_found: Vec<String>,
    /// Counters that moved.
    pub counted: Vec<Counted>,
}

/// What a bulk status call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusChange {
    /// Sets or clears.
    pub action: StatusAction,
    /// What is set.
    pub status: VehicleStatus,
}

/// Identifiers by their comparison key, as first written.
fn keys_of(written: &[String]) -> BTreeMap<String, String> {
    let mut keys = BTreeMap::new();
    for text in written {
        keys.entry(identifier::key(text)).or_insert_with(|| text.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    keys.remove("");
    keys
}

fn vin(vehicle: &Named) -> String {
    format!("{} {}", vehicle.model_code, vehicle.serial_number)
}

/// Finds what a call names and begins its outcome with what is not there and what is closed.
async fn find(tx: &mut Tx<'_>, keys: &BTreeMap<String, String>, run: &Run) -> Result<(Vec<Named>, Outcome)> {
    if keys.len() > MOST {
        return Err(Error::Bad(format!("at most {MOST} vehicles in one call")));
    }
    let asked: Vec<&str> = keys.keys().map(String::as_str).collect();
    let found = bulk::named(tx, &asked, run.campaign, run.yard).await?;
    let present: HashSet<&str> = found.iter().map(|vehicle| vehicle.vin_key.as_str()).collect();
    let not_found = keys.iter().filter(|(key, _)| !present.contains(key.as_str())).map(|(_, written)| written.clone()).collect();
    let mut outcome = Outcome { matched: found.len(), not_found, ..Outcome::default() };
    let (open, closed): (Vec<_>, Vec<_>) = found.into_iter().partition(|vehicle| vehicle.gate == "open");
    outcome.skipped = closed.iter().map(|vehicle| (vin(vehicle), "its campaign is closed")).collect();
    Ok((open, outcome))
}

/// Sets or clears the status of many vehicles.
///
/// # Errors
/// When too many are named or a statement fails; nothing is changed then.
pub async fn change_status(tx: &mut Tx<'_>, vins: &[String], change: StatusChange, run: &Run) -> Result<Outcome> {
    let (open, mut outcome) = find(tx, &keys_of(vins), run).await?;
    let new = what_is_written(run.caller.role, change);
    let (todo, left): (Vec<_>, Vec<_>) = open.into_iter().partition(|vehicle| vehicle.status != new.status);
    let reason = if change.action == StatusAction::Remove { "it has no status" } else { "it has this status already" };
    outcome.skipped.extend(left.iter().map(|vehicle| (vin(vehicle), reason)));
    outcome.updated = todo.len();
    if run.dry_run || todo.is_empty() {
        return Ok(outcome);
    }
    let ids: Vec<i64> = todo.iter().map(|vehicle| vehicle.id).collect();
    bulk::set_status(tx, &ids, new, run.caller.person(), run.now).await?;
    let mut campaigns: BTreeMap<i64, Deltas> = BTreeMap::new();
    for vehicle in &todo {
        campaigns.entry(vehicle.campaign_id).or_default().moved((vehicle.yard_id, vehicle.inspected), (vehicle.yard_id, new.inspected));
    }
    outcome.counted = count(tx, &campaigns).await?;
    let verb = if new.status.is_empty() { "lost their status".to_owned() } else { format!("became {}", new.status) };
    audit::append(tx, run.now, Some(&run.caller), event(&outcome, &verb, run, &json!({ "status": new.status }))).await?;
    Ok(outcome)
}

/// A team leader's Remove keeps the supervisor notes, which only supervisors may write.
fn what_is_written(role: Role, change: StatusChange) -> NewStatus {
    let removes = change.action == StatusAction::Remove;
    NewStatus {
        status: if removes { "" } else { status::text(change.status) },
        inspected: !removes && change.status != VehicleStatus::Repair,
        clear_operator_notes: removes,
        clear_admin_notes: removes && role == Role::Admin,
    }
}

/// Moves many vehicles to other parking spaces; the last line of one that is named twice counts.
///
/// # Errors
/// When too many are named or a statement fails; nothing is changed then.
pub async fn move_vehicles(tx: &mut Tx<'_>, moves: &[(String, Place)], run: &Run) -> Result<Outcome> {
    let written: Vec<String> = moves.iter().map(|(vin, _)| vin.clone()).collect();
    let places: HashMap<String, &Place> = moves.iter().map(|(vin, place)| (identifier::key(vin), place)).collect();
    let (open, mut outcome) = find(tx, &keys_of(&written), run).await?;
    let mut campaigns: BTreeMap<i64, Deltas> = BTreeMap::new();
    for vehicle in &open {
        let Some(place) = places.get(&vehicle.vin_key) else { continue };
        if place.space == vehicle.parking_space {
            outcome.skipped.push((vin(vehicle), "it stands there already"));
            continue;
        }
        outcome.updated += 1;
        if !run.dry_run {
            bulk::set_space(tx, vehicle.id, place, run.caller.person(), run.now).await?;
            let deltas = campaigns.entry(vehicle.campaign_id).or_default();
            deltas.moved((vehicle.yard_id, vehicle.inspected), (place.yard_id, vehicle.inspected));
            deltas.order |= !vehicle.inspected;
        }
    }
    if run.dry_run || outcome.updated == 0 {
        return Ok(outcome);
    }
    outcome.counted = count(tx, &campaigns).await?;
    audit::append(tx, run.now, Some(&run.caller), event(&outcome, "moved to another parking space", run, &json!({}))).await?;
    Ok(outcome)
}

async fn count(tx: &mut Tx<'_>, campaigns: &BTreeMap<i64, Deltas>) -> Result<Vec<Counted>> {
    let mut counted = Vec::new();
    for (campaign, deltas) in campaigns {
        counted.extend(counters::apply(tx, *campaign, deltas).await?);
    }
    Ok(counted)
}

fn event(outcome: &Outcome, verb: &str, run: &Run, new: &serde_json::Value) -> audit::Event {
    let subject = run.campaign.map_or_else(|| "all campaigns".to_owned(), |id| format!("campaign {id}"));
    audit::Event {
        kind: "bulk-changed",
        subject,
        summary: format!("{} vehicles {verb}", outcome.updated),
        new: Some(new.clone()),
        address: run.address.clone(),
        ..audit::Event::default()
    }
}
