//! The rows of a file: what each would change, what is wrong with it, and doing all of them in one transaction.
use crate::{
    bulk::{self, MOST, Run},
    error::{Error, Result},
    jobs::{Work, count},
    note,
    place::Place,
    store::{
        counters::Counted,
        edit::Patch,
        named::{self, Named, Scope, Wanted},
    },
};
use patio_kit::{audit, db::Tx};
use patio_proto::{
    access::Role,
    identifier::{self, Identifier},
    status,
    vehicle::{self as pb, VehicleStatus},
};
use serde_json::json;
use std::collections::HashMap;

/// How many wrong rows are listed; the rest is only counted.
const MOST_LISTED: usize = 500;
/// How many vehicles a preview shows.
pub const PREVIEWED: usize = 20;

/// One row, every field well-formed. What is none stays as it is.
#[derive(Debug, Clone)]
pub struct Edit {
    line: i64,
    vin: String,
    key: String,
    /// The key of the model code alone.
    model_key: String,
    place: Option<Place>,
    status: Option<VehicleStatus>,
    operator_notes: Option<String>,
    admin_notes: Option<String>,
}

/// What rows did, or would do.
#[derive(Debug, Default)]
pub struct Edited {
    /// Vehicles that the rows name.
    pub matched: usize,
    /// Vehicles that are different afterwards.
    pub updated: usize,
    /// What is wrong, by row.
    pub errors: Vec<pb::LineError>,
    /// The first vehicles.
    pub preview: Vec<pb::Preview>,
    /// What a person should look at, one sentence each.
    pub warnings: Vec<String>,
    /// Counters that moved.
    pub counted: Vec<Counted>,
}

impl From<Edited> for pb::BulkEditReply {
    fn from(mut edited: Edited) -> Self {
        let total_errors = count(edited.errors.len());
        edited.errors.sort_by_key(|error| error.line);
        edited.errors.truncate(MOST_LISTED);
        Self {
            matched: count(edited.matched),
            updated: count(edited.updated),
            errors: edited.errors,
            total_errors,
            preview: edited.preview,
            warnings: edited.warnings,
        }
    }
}

fn wrong(line: i64, message: impl Into<String>) -> pb::LineError {
    pb::LineError { line, message: message.into() }
}

/// Checks rows as far as that goes without looking at vehicles.
///
/// # Errors
/// When there are more than one call takes.
pub fn read(rows: Vec<pb::EditRow>, role: Role) -> Result<(Vec<Edit>, Vec<pb::LineError>)> {
    if rows.len() > MOST {
        return Err(Error::Bad(format!("at most {MOST} vehicles in one call")));
    }
    let (mut good, mut errors) = (Vec::with_capacity(rows.len()), Vec::new());
    for row in rows {
        let line = row.line;
        match read_one(row, role) {
            Err(all) => errors.extend(all.into_iter().map(|message| wrong(line, message))),
            Ok(edit) => good.push(edit),
        }
    }
    let again = named_before(&good);
    errors.extend(good.iter().zip(&again).filter_map(|(edit, first)| {
        let first = (*first)?;
        Some(wrong(edit.line, format!("the vehicle {} stands in line {first} already", edit.vin)))
    }));
    let mut again = again.into_iter();
    good.retain(|_| again.next().flatten().is_none());
    Ok((good, errors))
}

/// For each row the line that names its vehicle before it does.
fn named_before(rows: &[Edit]) -> Vec<Option<i64>> {
    let mut lines = HashMap::with_capacity(rows.len());
    rows.iter().map(|row| lines.insert(row.key.as_str(), row.line)).collect()
}

fn read_one(row: pb::EditRow, role: Role) -> Result<Edit, Vec<String>> {
    let mut errors = Vec::new();
    let mut told = |found: Result<(), String>| errors.extend(found.err());
    told(Identifier::new(&row.model_code, &row.serial_number).map(drop));
    told(note::check("Team Leader Notes", row.operator_notes.as_deref().unwrap_or_default()));
    told(note::check("Supervisor Notes", row.admin_notes.as_deref().unwrap_or_default()));
    if role != Role::Admin && row.admin_notes.is_some() {
        told(Err("Supervisor Notes may be written by supervisors only".to_owned()));
    }
    let place = row.parking_space.as_deref().map(place_of).transpose();
    told(place.as_ref().map(drop).map_err(Clone::clone));
    let status = row.status.as_deref().map(status_of).transpose();
    told(status.as_ref().map(drop).map_err(Clone::clone));
    match (place, status) {
        (Ok(place), Ok(status)) if errors.is_empty() => {
            let vin = [row.model_code.trim(), " ", row.serial_number.trim()].concat();
            let (key, model_key) = (identifier::key(&vin), identifier::key(&row.model_code));
            Ok(Edit {
                line: row.line,
                key,
                model_key,
                vin,
                place,
                status,
                operator_notes: row.operator_notes,
                admin_notes: row.admin_notes,
            })
        }
        _ => Err(errors),
    }
}

fn place_of(written: &str) -> Result<Place, String> {
    match Place::new(written) {
        Ok(place) if place.space.is_empty() => Err("Parking Space is empty".to_owned()),
        other => other.map_err(|why| why.replacen("the parking space", "Parking Space", 1)),
    }
}

fn status_of(written: &str) -> Result<VehicleStatus, String> {
    let all = || status::ALL[1..].iter().map(|known| status::text(*known)).collect::<Vec<_>>().join(", ");
    let shown: String = written.chars().take(40).collect();
    match status::parse(written) {
        Some(known) if known != VehicleStatus::Unspecified => Ok(known),
        _ => Err(format!("Status `{shown}` is none of {}", all())),
    }
}

/// Changes vehicles as the rows say; when a single row is wrong, or the call only asks, nothing is changed.
///
/// # Errors
/// When a statement fails; nothing is changed then.
pub async fn apply(tx: &mut Tx<'_>, rows: &[Edit], errors: Vec<pb::LineError>, run: &Run, source: &str) -> Result<Edited> {
    let keys: Vec<&str> = rows.iter().map(|row| row.key.as_str()).collect();
    let wanted = Wanted {
        identifier: true,
        place: rows.iter().any(|row| row.place.is_some()),
        operator_notes: rows.iter().any(|row| row.operator_notes.is_some()),
        admin_notes: rows.iter().any(|row| row.admin_notes.is_some()),
    };
    let scope = run.scope();
    let scope = Scope { locks: scope.locks && errors.is_empty(), ..scope };
    let mut found = named::by_keys(tx, &keys, wanted, scope).await?;
    found.sort_unstable_by_key(|vehicle| (vehicle.asked, vehicle.id));
    let mut plan = Plan { edited: Edited { errors, ..Edited::default() }, ..Plan::default() };
    let mut rest = found.as_slice();
    for (row, place) in rows.iter().zip(1..) {
        let (vehicles, others) = rest.split_at(rest.iter().take_while(|vehicle| vehicle.asked == place).count());
        plan.take(row, vehicles);
        rest = others;
    }
    let Plan { mut edited, changed, supervisor, shown } = plan;
    edited.preview = preview(tx, shown).await?;
    edited.warnings = bulk::yards_left(changed.iter().filter_map(|(vehicle, patch)| Some((vehicle.yard_id, patch.place?))));
    if run.dry_run || !edited.errors.is_empty() || changed.is_empty() {
        return Ok(edited);
    }
    edited.counted = bulk::write(tx, &changed, run, Work { kind: "file", detail: source.to_owned(), supervisor }).await?;
    audit::append(tx, run.now, Some(&run.caller), event(changed.len(), run, source)).await?;
    Ok(edited)
}

/// What all rows together come to.
#[derive(Default)]
struct Plan<'a> {
    edited: Edited,
    changed: Vec<(&'a Named, Patch<'a>)>,
    supervisor: bool,
    /// The first vehicles, each with its line and what it becomes.
    shown: Vec<(i64, i64, Patch<'a>)>,
}

impl<'a> Plan<'a> {
    /// Takes one row with the vehicles that it names, one in each campaign.
    fn take(&mut self, row: &'a Edit, vehicles: &'a [Named]) {
        // Another car may have the same letters and digits, cut elsewhere; the row says which is meant.
        let vehicles = || vehicles.iter().filter(|vehicle| identifier::key(&vehicle.model_code) == row.model_key);
        let mut open = vehicles().filter(|vehicle| vehicle.campaign.is_open).peekable();
        if open.peek().is_none() {
            let message = match vehicles().next() {
                Some(closed) => format!("the campaign {} of the vehicle {} is closed", closed.campaign.name, row.vin),
                None => format!("the vehicle {} does not exist", row.vin),
            };
            self.edited.errors.push(wrong(row.line, message));
            return;
        }
        for vehicle in open {
            self.edited.matched += 1;
            let patch = becomes(vehicle, row);
            if self.shown.len() < PREVIEWED {
                self.shown.push((row.line, vehicle.id, patch));
            }
            if !patch.is_empty() {
                self.edited.updated += 1;
                self.supervisor |= patch.admin_notes.is_some();
                self.changed.push((vehicle, patch));
            }
        }
    }
}

/// Tells of vehicles what they become; all of them that this needs is fetched only here, for there are few.
async fn preview(tx: &mut Tx<'_>, shown: Vec<(i64, i64, Patch<'_>)>) -> Result<Vec<pb::Preview>> {
    let ids: Vec<i64> = shown.iter().map(|(_, id, _)| *id).collect();
    let found = named::by_ids(tx, &ids, false).await?;
    let found: HashMap<i64, &Named> = found.iter().map(|vehicle| (vehicle.id, vehicle)).collect();
    let told = shown.into_iter().filter_map(|(line, id, patch)| {
        let vehicle = found.get(&id)?;
        let (vin_number, campaign_name) = (vehicle.vin(), vehicle.campaign.name.clone());
        Some(pb::Preview { line, vin_number, campaign_name, changes: changes(vehicle, &patch) })
    });
    Ok(told.collect())
}

/// What a row makes of a vehicle: Repair is not inspected, any other status is. A space that stays is read no other way.
fn becomes<'a>(vehicle: &Named, row: &'a Edit) -> Patch<'a> {
    let patch = Patch {
        place: row.place.as_ref().filter(|place| Some(&place.space) != vehicle.parking_space.as_ref()),
        status: row.status.map(status::text),
        inspected: row.status.map(|status| status != VehicleStatus::Repair),
        operator_notes: row.operator_notes.as_deref(),
        admin_notes: row.admin_notes.as_deref(),
    };
    patch.of(vehicle)
}

/// What is different, field by field.
pub fn changes<'a>(old: &'a Named, new: &'a Patch<'_>) -> Vec<pb::Change> {
    let yes_no = |truth: bool| if truth { "true" } else { "false" };
    let text = |old: &'a Option<String>| old.as_deref().unwrap_or_default();
    [
        ("parking_space", text(&old.parking_space), new.place.map(|place| place.space.as_str())),
        ("status", &old.status, new.status),
        ("inspected", yes_no(old.inspected), new.inspected.map(yes_no)),
        ("operator_notes", text(&old.operator_notes), new.operator_notes),
        ("admin_notes", text(&old.admin_notes), new.admin_notes),
    ]
    .into_iter()
    .filter_map(|(field, old, new)| Some(pb::Change { field: field.to_owned(), old: old.to_owned(), new: new?.to_owned() }))
    .collect()
}

fn event(vehicles: usize, run: &Run, source: &str) -> audit::Event {
    let from = if source.is_empty() { String::new() } else { format!(" from {source}") };
    audit::Event {
        kind: "bulk-changed",
        subject: "all campaigns".to_owned(),
        summary: format!("{vehicles} vehicles edited{from}"),
        new: Some(json!({ "source": source })),
        address: run.address.clone(),
        ..audit::Event::default()
    }
}
