//! The rows of a file: what each would change, what is wrong with it, and doing all of them in one transaction.
use crate::{
    bulk::{self, MOST, Run},
    error::{Error, Result},
    jobs::Work,
    note,
    place::Place,
    store::{
        counters::Counted,
        edit::New,
        named::{self, Named},
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
    /// Counters that moved.
    pub counted: Vec<Counted>,
}

impl From<Edited> for pb::BulkEditReply {
    fn from(mut edited: Edited) -> Self {
        let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let total_errors = number(edited.errors.len());
        edited.errors.sort_by_key(|error| error.line);
        edited.errors.truncate(MOST_LISTED);
        Self {
            matched: number(edited.matched),
            updated: number(edited.updated),
            errors: edited.errors,
            total_errors,
            preview: edited.preview,
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
    let mut lines: HashMap<String, i64> = HashMap::with_capacity(rows.len());
    for row in rows {
        let line = row.line;
        match read_one(row, role) {
            Err(all) => errors.extend(all.into_iter().map(|message| wrong(line, message))),
            Ok(edit) => match lines.insert(edit.key.clone(), line) {
                Some(first) => errors.push(wrong(line, format!("the vehicle {} stands in line {first} already", edit.vin))),
                None => good.push(edit),
            },
        }
    }
    Ok((good, errors))
}

fn read_one(row: pb::EditRow, role: Role) -> Result<Edit, Vec<String>> {
    let mut errors = Vec::new();
    let mut told = |found: Result<(), String>| errors.extend(found.err());
    let vin = format!("{} {}", row.model_code.trim(), row.serial_number.trim());
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
            let key = identifier::key(&vin);
            Ok(Edit { line: row.line, key, vin, place, status, operator_notes: row.operator_notes, admin_notes: row.admin_notes })
        }
        _ => Err(errors),
    }
}

fn place_of(written: &str) -> Result<Place, String> {
    match Place::new(written) {
        Ok(place) if place.space.is_empty() => Err("Parking Space is empty".to_owned()),
        other => other,
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
    let mut vehicles: HashMap<String, Vec<Named>> = HashMap::new();
    for vehicle in named::by_keys(tx, &keys, None, None).await? {
        vehicles.entry(vehicle.vin_key.clone()).or_default().push(vehicle);
    }
    let mut plan = Plan { edited: Edited { errors, ..Edited::default() }, ..Plan::default() };
    for row in rows {
        plan.take(row, vehicles.remove(&row.key).unwrap_or_default());
    }
    let Plan { mut edited, news, supervisor } = plan;
    if run.dry_run || !edited.errors.is_empty() || news.is_empty() {
        return Ok(edited);
    }
    edited.counted = bulk::change(tx, &news, run, Work { kind: "file", detail: source.to_owned(), supervisor }).await?;
    audit::append(tx, run.now, Some(&run.caller), event(news.len(), run, source)).await?;
    Ok(edited)
}

/// What all rows together come to.
#[derive(Default)]
struct Plan {
    edited: Edited,
    news: Vec<(Named, New)>,
    supervisor: bool,
}

impl Plan {
    /// Takes one row with the vehicles that it names, one in each campaign.
    fn take(&mut self, row: &Edit, vehicles: Vec<Named>) {
        let (open, closed): (Vec<_>, Vec<_>) = vehicles.into_iter().partition(|vehicle| vehicle.gate == "open");
        if open.is_empty() {
            let message = match closed.first() {
                Some(closed) => format!("the campaign {} of the vehicle {} is closed", closed.campaign_name, row.vin),
                None => format!("the vehicle {} does not exist", row.vin),
            };
            self.edited.errors.push(wrong(row.line, message));
            return;
        }
        for vehicle in open {
            self.edited.matched += 1;
            let new = becomes(&vehicle, row);
            let changes = changes(&vehicle, &new);
            let is_changed = !changes.is_empty();
            if self.edited.preview.len() < PREVIEWED {
                let (vin_number, campaign_name) = (vehicle.vin(), vehicle.campaign_name.clone());
                self.edited.preview.push(pb::Preview { line: row.line, vin_number, campaign_name, changes });
            }
            if is_changed {
                self.change(vehicle, new);
            }
        }
    }

    fn change(&mut self, vehicle: Named, new: New) {
        self.edited.updated += 1;
        self.supervisor |= vehicle.admin_notes != new.admin_notes;
        self.news.push((vehicle, new));
    }
}

/// What a row makes of a vehicle: Repair is not inspected, any other status is.
fn becomes(vehicle: &Named, row: &Edit) -> New {
    let place = row.place.clone().filter(|place| place.space != vehicle.parking_space).unwrap_or_else(|| vehicle.place());
    New {
        status: row.status.map_or_else(|| vehicle.status.clone(), |status| status::text(status).to_owned()),
        inspected: row.status.map_or(vehicle.inspected, |status| status != VehicleStatus::Repair),
        admin_notes: row.admin_notes.clone().unwrap_or_else(|| vehicle.admin_notes.clone()),
        operator_notes: row.operator_notes.clone().unwrap_or_else(|| vehicle.operator_notes.clone()),
        ..New::at(vehicle, place)
    }
}

/// What is different, field by field.
pub fn changes(old: &Named, new: &New) -> Vec<pb::Change> {
    let yes_no = |truth: bool| if truth { "true" } else { "false" };
    [
        ("parking_space", old.parking_space.as_str(), new.space.as_str()),
        ("status", &old.status, &new.status),
        ("inspected", yes_no(old.inspected), yes_no(new.inspected)),
        ("operator_notes", &old.operator_notes, &new.operator_notes),
        ("admin_notes", &old.admin_notes, &new.admin_notes),
    ]
    .into_iter()
    .filter(|(_, old, new)| old != new)
    .map(|(field, old, new)| pb::Change { field: field.to_owned(), old: old.to_owned(), new: new.to_owned() })
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
