//! Many vehicles at once: what a call would do, and doing it, in one transaction.
use crate::{
    edit::{PREVIEWED, changes},
    error::{Error, Result},
    jobs::{Touched, Work},
    place::Place,
    store::{
        bulk::{self, NewStatus},
        counters::Counted,
        edit::{self, New},
        named::{self, Named},
    },
};
use chrono::{DateTime, Utc};
use patio_kit::{audit, db::Tx, identity::Caller};
use patio_proto::{
    access::Role,
    identifier, status,
    vehicle::{Preview, StatusAction, VehicleStatus},
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
    /// The first vehicles before and after, of a call that only tells.
    pub preview: Vec<Preview>,
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

/// Finds what a call names and begins its outcome with what is not there and what is closed.
async fn find(tx: &mut Tx<'_>, keys: &BTreeMap<String, String>, run: &Run) -> Result<(Vec<Named>, Outcome)> {
    if keys.len() > MOST {
        return Err(Error::Bad(format!("at most {MOST} vehicles in one call")));
    }
    let asked: Vec<&str> = keys.keys().map(String::as_str).collect();
    let found = named::by_keys(tx, &asked, run.campaign, run.yard).await?;
    let present: HashSet<&str> = found.iter().map(|vehicle| vehicle.vin_key.as_str()).collect();
    let not_found = keys.iter().filter(|(key, _)| !present.contains(key.as_str())).map(|(_, written)| written.clone()).collect();
    let mut outcome = Outcome { matched: found.len(), not_found, ..Outcome::default() };
    let (open, closed): (Vec<_>, Vec<_>) = found.into_iter().partition(|vehicle| vehicle.gate == "open");
    outcome.skipped = closed.iter().map(|vehicle| (vehicle.vin(), "its campaign is closed")).collect();
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
    outcome.skipped.extend(left.iter().map(|vehicle| (vehicle.vin(), reason)));
    outcome.updated = todo.len();
    if run.dry_run || todo.is_empty() {
        outcome.preview = preview(vins, todo.into_iter().map(|vehicle| (new.of(&vehicle), vehicle)).collect());
        return Ok(outcome);
    }
    let mut touched = Touched::default();
    for vehicle in &todo {
        touched.add(vehicle, (vehicle.yard_id, &vehicle.walk_key, new.inspected));
    }
    let supervisor = new.clear_admin_notes && todo.iter().any(|vehicle| !vehicle.admin_notes.is_empty());
    touched.keep(tx, run, Work { kind: "status", detail: new.status.to_owned(), supervisor }).await?;
    bulk::set_status(tx, touched.ids(), new, run.caller.person(), run.now).await?;
    outcome.counted = touched.count_again(tx).await?;
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
    let (mut touched, mut news) = (Touched::default(), Vec::new());
    for vehicle in open {
        let Some(place) = places.get(&vehicle.vin_key) else { continue };
        if place.space == vehicle.parking_space {
            outcome.skipped.push((vehicle.vin(), "it stands there already"));
            continue;
        }
        touched.add(&vehicle, (place.yard_id, &place.walk_key, vehicle.inspected));
        news.push((New::at(&vehicle, (*place).clone()), vehicle));
    }
    outcome.updated = news.len();
    if run.dry_run || news.is_empty() {
        outcome.preview = preview(&written, news);
        return Ok(outcome);
    }
    let news: Vec<_> = news.into_iter().map(|(new, _)| new).collect();
    touched.keep(tx, run, Work { kind: "space", ..Work::default() }).await?;
    edit::write(tx, &news, run.caller.person(), run.now).await?;
    outcome.counted = touched.count_again(tx).await?;
    audit::append(tx, run.now, Some(&run.caller), event(&outcome, "moved to another parking space", run, &json!({}))).await?;
    Ok(outcome)
}

/// The first vehicles that change, in the order in which the call names them.
fn preview(written: &[String], mut changed: Vec<(New, Named)>) -> Vec<Preview> {
    let lines: HashMap<String, i64> = written.iter().map(|vin| identifier::key(vin)).zip(1..).collect();
    let line = |vehicle: &Named| lines.get(&vehicle.vin_key).copied().unwrap_or_default();
    changed.sort_by_key(|(_, vehicle)| (line(vehicle), vehicle.id));
    let shown = changed.iter().take(PREVIEWED).map(|(new, vehicle)| Preview {
        line: line(vehicle),
        vin_number: vehicle.vin(),
        campaign_name: vehicle.campaign_name.clone(),
        changes: changes(vehicle, new),
    });
    shown.collect()
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
