//! Many vehicles at once: what a call would do, and doing it, in one transaction.
use crate::{
    edit::{PREVIEWED, changes},
    error::{Error, Result},
    jobs::{Touched, Work},
    place::Place,
    store::{
        bulk::{self, Standing},
        counters::Counted,
        edit::{self, Patch},
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
use std::collections::{HashMap, HashSet};

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

/// An identifier that a call names.
struct Asked {
    key: String,
    /// Where the call names it last, from 1.
    line: i64,
}

/// The identifiers that a call names, each once.
fn asked(written: &[String]) -> Result<Vec<Asked>> {
    let (mut asked, mut places) = (Vec::<Asked>::with_capacity(written.len()), HashMap::<String, usize>::with_capacity(written.len()));
    for (text, line) in written.iter().zip(1..) {
        let key = identifier::key(text);
        if key.is_empty() {
            continue;
        }
        match places.get(&key) {
            Some(place) => asked[*place].line = line,
            None => {
                places.insert(key.clone(), asked.len());
                asked.push(Asked { key, line });
            }
        }
    }
    if asked.len() > MOST { Err(Error::Bad(format!("at most {MOST} vehicles in one call"))) } else { Ok(asked) }
}

/// What was asked for and not found, as it was written.
fn not_found<'a>(written: &[String], missing: impl Iterator<Item = &'a Asked>) -> Vec<String> {
    let line = |asked: &Asked| usize::try_from(asked.line - 1).unwrap_or_default();
    missing.map(|asked| written[line(asked)].split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// Sets or clears the status of many vehicles.
///
/// # Errors
/// When too many are named or a statement fails; nothing is changed then.
pub async fn change_status(tx: &mut Tx<'_>, vins: &[String], change: StatusChange, run: &Run) -> Result<Outcome> {
    let new = what_is_written(run.caller.role, change);
    let (status, inspected) = (new.status.unwrap_or_default(), new.inspected.unwrap_or_default());
    let asked = asked(vins)?;
    let keys: Vec<&str> = asked.iter().map(|asked| asked.key.as_str()).collect();
    let found = bulk::standing(tx, &keys, new, run.campaign, run.yard).await?;
    let present: HashSet<i64> = found.iter().map(|vehicle| vehicle.asked).collect();
    let missing = asked.iter().zip(1..).filter(|(_, place)| !present.contains(place)).map(|(asked, _)| asked);
    let mut outcome = Outcome { matched: found.len(), not_found: not_found(vins, missing), ..Outcome::default() };
    let (open, closed): (Vec<_>, Vec<_>) = found.into_iter().partition(|vehicle| vehicle.is_open);
    let (todo, left): (Vec<_>, Vec<_>) = open.into_iter().partition(|vehicle| vehicle.status != status);
    let reason = if change.action == StatusAction::Remove { "it has no status" } else { "it has this status already" };
    let skipped = |all: Vec<Standing>, why| all.into_iter().map(move |vehicle| (vehicle.vin.unwrap_or_default(), why));
    outcome.skipped = skipped(closed, "its campaign is closed").chain(skipped(left, reason)).collect();
    outcome.updated = todo.len();
    if run.dry_run || todo.is_empty() {
        outcome.preview = preview_status(tx, &asked, &todo, new).await?;
        return Ok(outcome);
    }
    let mut touched = Touched::default();
    for vehicle in &todo {
        let here = |inspected| (vehicle.yard_id, inspected);
        touched.add(vehicle.campaign_id, vehicle.before(), (here(vehicle.inspected), here(inspected)), false);
    }
    let supervisor = todo.iter().any(|vehicle| !vehicle.admin_notes.is_empty());
    touched.keep(tx, run, Work { kind: "status", detail: status.to_owned(), supervisor }).await?;
    edit::alike(tx, &touched.ids(), new, run.caller.person(), run.now).await?;
    outcome.counted = touched.count_again(tx).await?;
    let verb = if status.is_empty() { "lost their status".to_owned() } else { format!("became {status}") };
    audit::append(tx, run.now, Some(&run.caller), event(&outcome, &verb, run, &json!({ "status": status }))).await?;
    Ok(outcome)
}

/// The first vehicles that would get a status, in the order in which the call names them.
async fn preview_status(tx: &mut Tx<'_>, asked: &[Asked], todo: &[Standing], new: Patch<'_>) -> Result<Vec<Preview>> {
    let line = |place: i64| usize::try_from(place - 1).ok().and_then(|place| asked.get(place)).map_or(0, |asked| asked.line);
    let mut lines: Vec<_> = todo.iter().map(|vehicle| (line(vehicle.asked), vehicle.id)).collect();
    lines.sort_unstable();
    lines.truncate(PREVIEWED);
    let ids: Vec<i64> = lines.iter().map(|(_, id)| *id).collect();
    let lines: HashMap<i64, i64> = lines.into_iter().map(|(line, id)| (id, line)).collect();
    let shown = named::by_ids(tx, &ids).await?;
    Ok(preview(shown.iter().map(|vehicle| (lines.get(&vehicle.id).copied().unwrap_or_default(), vehicle, new.of(vehicle))).collect()))
}

/// A team leader's Remove keeps the supervisor notes, which only supervisors may write.
fn what_is_written(role: Role, change: StatusChange) -> Patch<'static> {
    let removes = change.action == StatusAction::Remove;
    Patch {
        status: Some(if removes { "" } else { status::text(change.status) }),
        inspected: Some(!removes && change.status != VehicleStatus::Repair),
        operator_notes: removes.then_some(""),
        admin_notes: (removes && role == Role::Admin).then_some(""),
        place: None,
    }
}

/// Moves many vehicles to other parking spaces; the last line of one that is named twice counts.
///
/// # Errors
/// When too many are named or a statement fails; nothing is changed then.
pub async fn move_vehicles(tx: &mut Tx<'_>, moves: &[(String, Place)], run: &Run) -> Result<Outcome> {
    let written: Vec<String> = moves.iter().map(|(vin, _)| vin.clone()).collect();
    let asked = asked(&written)?;
    let keys: Vec<&str> = asked.iter().map(|asked| asked.key.as_str()).collect();
    let found = named::by_keys(tx, &keys, run.campaign, run.yard).await?;
    let present: HashSet<i64> = found.iter().map(|vehicle| vehicle.asked).collect();
    let missing = asked.iter().zip(1..).filter(|(_, place)| !present.contains(place)).map(|(asked, _)| asked);
    let mut outcome = Outcome { matched: found.len(), not_found: not_found(&written, missing), ..Outcome::default() };
    let (open, closed): (Vec<_>, Vec<_>) = found.iter().partition(|vehicle| vehicle.gate == "open");
    outcome.skipped = closed.iter().map(|vehicle| (vehicle.vin(), "its campaign is closed")).collect();
    let mut moved = Vec::new();
    for vehicle in open {
        let line = usize::try_from(vehicle.asked - 1).ok().and_then(|place| asked.get(place)).map_or(0, |asked| asked.line);
        let Some((_, place)) = usize::try_from(line - 1).ok().and_then(|row| moves.get(row)) else { continue };
        if place.space == vehicle.parking_space {
            outcome.skipped.push((vehicle.vin(), "it stands there already"));
            continue;
        }
        moved.push((line, vehicle, Patch { place: Some(place), ..Patch::default() }));
    }
    outcome.updated = moved.len();
    if run.dry_run || moved.is_empty() {
        outcome.preview = preview(moved);
        return Ok(outcome);
    }
    let all: Vec<_> = moved.into_iter().map(|(_, vehicle, patch)| (vehicle, patch)).collect();
    outcome.counted = write(tx, &all, run, Work { kind: "space", ..Work::default() }).await?;
    audit::append(tx, run.now, Some(&run.caller), event(&outcome, "moved to another parking space", run, &json!({}))).await?;
    Ok(outcome)
}

/// Keeps a job, changes its vehicles and moves the counters.
///
/// # Errors
/// When a statement fails.
pub async fn write(tx: &mut Tx<'_>, all: &[(&Named, Patch<'_>)], run: &Run, work: Work) -> Result<Vec<Counted>> {
    let touched = Touched::by(all);
    touched.keep(tx, run, work).await?;
    edit::write(tx, all, run.caller.person(), run.now).await?;
    Ok(touched.count_again(tx).await?)
}

/// The first vehicles that change, in the order in which the call names them.
fn preview(mut changed: Vec<(i64, &Named, Patch<'_>)>) -> Vec<Preview> {
    changed.sort_by_key(|(line, vehicle, _)| (*line, vehicle.id));
    let shown = changed.iter().take(PREVIEWED).map(|(line, vehicle, patch)| Preview {
        line: *line,
        vin_number: vehicle.vin(),
        campaign_name: vehicle.campaign_name.clone(),
        changes: changes(vehicle, patch),
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
