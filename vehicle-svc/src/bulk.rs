//! Many vehicles at once: what a call would do, and doing it, in one transaction.
use crate::{
    edit::{PREVIEWED, changes},
    error::{Error, Result},
    jobs::{Touched, Work, count},
    place::Place,
    store::{
        bulk::{self, Standing},
        counters::Counted,
        edit::{self, Patch},
        named::{self, Named, Scope, Wanted},
    },
};
use chrono::{DateTime, Utc};
use patio_kit::{audit, db::Tx, identity::Caller};
use patio_proto::{
    access::Role,
    identifier, status,
    vehicle::{Preview, StatusAction, VehicleStatus},
    yard,
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

impl Run {
    /// Where it looks for vehicles; a run that only tells locks none.
    #[must_use]
    pub fn scope(&self) -> Scope {
        Scope { campaign: self.campaign, yard: self.yard, locks: !self.dry_run }
    }
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
    /// What a person should look at, one sentence each.
    pub warnings: Vec<String>,
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

/// The identifiers that a call names, each once, by their comparison keys.
struct Asked<'a> {
    written: &'a [String],
    keys: Vec<String>,
    /// Where the call names each last, from 0.
    rows: Vec<usize>,
    /// How many lines name a vehicle that a line before names.
    repeated: usize,
    /// Identifiers, from 0, that the call cuts into model code and serial number in two ways.
    cut_twice: HashSet<usize>,
}

impl<'a> Asked<'a> {
    fn of(written: &'a [String]) -> Result<Self> {
        let mut asked = Self {
            written,
            keys: Vec::with_capacity(written.len()),
            rows: Vec::with_capacity(written.len()),
            repeated: 0,
            cut_twice: HashSet::new(),
        };
        let mut places = HashMap::<String, usize>::with_capacity(written.len());
        for (row, text) in written.iter().enumerate() {
            let key = identifier::key(text);
            if key.is_empty() {
                continue;
            }
            match places.get(&key) {
                Some(place) => {
                    let before = model_of(&written[asked.rows[*place]]);
                    if before.is_some_and(|before| model_of(text).is_some_and(|model| model != before)) {
                        asked.cut_twice.insert(*place);
                    }
                    asked.rows[*place] = row;
                    asked.repeated += 1;
                }
                None => {
                    places.insert(key.clone(), asked.keys.len());
                    asked.keys.push(key);
                    asked.rows.push(row);
                }
            }
        }
        if asked.keys.len() > MOST { Err(Error::Bad(format!("at most {MOST} vehicles in one call"))) } else { Ok(asked) }
    }

    fn is_cut_twice(&self, asked: i64) -> bool {
        usize::try_from(asked - 1).is_ok_and(|place| self.cut_twice.contains(&place))
    }

    fn keys(&self) -> Vec<&str> {
        self.keys.iter().map(String::as_str).collect()
    }

    /// Where the call names a vehicle, from 0, by which of the identifiers that is, from 1.
    fn row(&self, asked: i64) -> usize {
        usize::try_from(asked - 1).ok().and_then(|place| self.rows.get(place)).copied().unwrap_or_default()
    }

    /// Begins an outcome with what was found and, as it was written, what was not.
    fn outcome(&self, found: impl ExactSizeIterator<Item = i64>) -> Outcome {
        let matched = found.len();
        let present: HashSet<usize> = found.map(|asked| self.row(asked)).collect();
        let missing = self.rows.iter().filter(|row| !present.contains(row));
        let not_found = missing.map(|row| self.written[*row].split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        let warnings = match self.repeated {
            0 => Vec::new(),
            1 => vec!["One line repeats a vehicle that is named before; it counts once.".to_owned()],
            many => vec![format!("{many} lines repeat a vehicle that is named before; each vehicle counts once.")],
        };
        Outcome { matched, not_found, warnings, ..Outcome::default() }
    }
}

/// Sets or clears the status of many vehicles.
///
/// # Errors
/// When too many are named or a statement fails; nothing is changed then.
pub async fn change_status(tx: &mut Tx<'_>, vins: &[String], change: StatusChange, run: &Run) -> Result<Outcome> {
    let new = what_is_written(run.caller.role, change);
    let (status, inspected) = (new.status.unwrap_or_default(), new.inspected.unwrap_or_default());
    let asked = Asked::of(vins)?;
    let found = bulk::standing(tx, &asked.keys(), new, run.scope()).await?;
    let mut outcome = asked.outcome(found.iter().map(|vehicle| vehicle.asked));
    let (found, unclear) = without_unclear(tx, &asked, found).await?;
    let (open, closed): (Vec<_>, Vec<_>) = found.into_iter().partition(|vehicle| vehicle.is_open);
    let (todo, left): (Vec<_>, Vec<_>) = open.into_iter().partition(|vehicle| vehicle.status != status);
    let reason = if change.action == StatusAction::Remove { "it has no status" } else { "it has this status already" };
    outcome.warnings.extend(notes_kept(todo.iter().filter(|vehicle| vehicle.keeps_notes).count()));
    let skipped = |all: Vec<Standing>, why| all.into_iter().map(move |vehicle| (vehicle.vin.unwrap_or_default(), why));
    outcome.skipped = unclear.into_iter().map(|vin| (vin, TWO_CARS)).collect();
    outcome.skipped.extend(skipped(closed, "its campaign is closed").chain(skipped(left, reason)));
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

/// Why a vehicle stays as it is whose code is another car's as well.
const TWO_CARS: &str = "its code fits two different cars; write it with the blank between model code and serial number";

/// The key of the model code in an identifier that is written with a blank.
fn model_of(written: &str) -> Option<String> {
    written.trim().split_once(char::is_whitespace).map(|(model, _)| identifier::key(model))
}

/// The cars that each text of a call fits: `BG30001` fits both `BG3 0001` and `BG30 001`.
///
/// One car in several campaigns is no such case: all its vehicles have one model code.
struct Cars {
    /// By the identifier that names them: the model code that is meant, or none while two are possible.
    by_asked: HashMap<i64, Option<String>>,
}

impl Cars {
    /// Looks at the vehicles that were found, each with the identifier that names it, from 1, and its model code.
    fn of<'v>(found: impl Iterator<Item = (i64, &'v str)>, asked: &Asked<'_>) -> Self {
        let mut models = HashMap::<i64, HashSet<String>>::new();
        for (place, model) in found {
            models.entry(place).or_default().insert(identifier::key(model));
        }
        let several = models.into_iter().filter(|(place, models)| models.len() > 1 || asked.is_cut_twice(*place));
        let by_asked = several.map(|(place, models)| {
            let meant = asked.written.get(asked.row(place)).and_then(|written| model_of(written));
            (place, meant.filter(|model| models.contains(model) && !asked.is_cut_twice(place)))
        });
        Self { by_asked: by_asked.collect() }
    }

    fn is_unclear(&self, asked: i64) -> bool {
        self.by_asked.get(&asked).is_some_and(Option::is_none)
    }

    /// Whether a vehicle may be the one that is meant.
    fn names(&self, asked: i64, model: &str) -> bool {
        self.by_asked.get(&asked).and_then(Option::as_ref).is_none_or(|meant| *meant == identifier::key(model))
    }
}

/// Takes out the vehicles of texts that fit two cars; answers the identifiers of those that stay as they are.
async fn without_unclear(tx: &mut Tx<'_>, asked: &Asked<'_>, found: Vec<Standing>) -> Result<(Vec<Standing>, Vec<String>)> {
    let mut times = HashMap::<i64, usize>::new();
    found.iter().for_each(|vehicle| *times.entry(vehicle.asked).or_default() += 1);
    let several: Vec<i64> = found
        .iter()
        .filter(|vehicle| times.get(&vehicle.asked).is_some_and(|times| *times > 1) || asked.is_cut_twice(vehicle.asked))
        .map(|vehicle| vehicle.id)
        .collect();
    if several.is_empty() {
        return Ok((found, Vec::new()));
    }
    let named = named::by_ids(tx, &several, false).await?;
    let models: HashMap<i64, &Named> = named.iter().map(|vehicle| (vehicle.id, vehicle)).collect();
    let cars = Cars::of(found.iter().filter_map(|vehicle| Some((vehicle.asked, &*models.get(&vehicle.id)?.model_code))), asked);
    let mut unclear = Vec::new();
    let mut kept = Vec::with_capacity(found.len());
    for vehicle in found {
        match models.get(&vehicle.id) {
            Some(named) if cars.is_unclear(vehicle.asked) => unclear.push(named.vin()),
            Some(named) if !cars.names(vehicle.asked, &named.model_code) => {}
            _ => kept.push(vehicle),
        }
    }
    Ok((kept, unclear))
}

/// Warns of supervisor notes that stay when somebody else than a supervisor removes the status.
fn notes_kept(vehicles: usize) -> Option<String> {
    match vehicles {
        0 => None,
        1 => Some("One vehicle keeps its supervisor notes; only a supervisor can clear them.".to_owned()),
        many => Some(format!("{many} vehicles keep their supervisor notes; only a supervisor can clear them.")),
    }
}

/// Warns of vehicles that leave their yard for one that no screen shows, or for none.
pub fn yards_left<'p>(moved: impl Iterator<Item = (Option<i64>, &'p Place)>) -> Vec<String> {
    let mut spaces: [Vec<&str>; 2] = [Vec::new(), Vec::new()];
    for (_, place) in moved.filter(|(before, place)| *before != place.yard_id) {
        match place.yard_id.map(|id| yard::name_of(i32::try_from(id).unwrap_or_default())) {
            None => spaces[0].push(&place.space),
            Some(Some("-" | "0")) => spaces[1].push(&place.space),
            Some(_) => {}
        }
    }
    let words = ["belongs to no yard", "belongs to a yard that no screen shows"];
    let one = |(spaces, why): (Vec<&str>, &str)| {
        let first = spaces.iter().take(3).copied().collect::<Vec<_>>().join(", ");
        match spaces.len() {
            0 => None,
            1 => Some(format!("One vehicle moves to a space that {why}: {first}.")),
            many => Some(format!("{many} vehicles move to a space that {why}: {first}{}.", if many > 3 { " …" } else { "" })),
        }
    };
    spaces.into_iter().zip(words).filter_map(one).collect()
}

/// The first vehicles that would get a status, in the order in which the call names them.
async fn preview_status(tx: &mut Tx<'_>, asked: &Asked<'_>, todo: &[Standing], new: Patch<'_>) -> Result<Vec<Preview>> {
    let mut rows: Vec<_> = todo.iter().map(|vehicle| (asked.row(vehicle.asked), vehicle.id)).collect();
    rows.sort_unstable();
    rows.truncate(PREVIEWED);
    let ids: Vec<i64> = rows.iter().map(|(_, id)| *id).collect();
    let rows: HashMap<i64, usize> = rows.into_iter().map(|(row, id)| (id, row)).collect();
    let shown = named::by_ids(tx, &ids, false).await?;
    Ok(preview(shown.iter().map(|vehicle| (rows.get(&vehicle.id).copied().unwrap_or_default(), vehicle, new.of(vehicle))).collect()))
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
    let asked = Asked::of(&written)?;
    let found = named::by_keys(tx, &asked.keys(), Wanted { place: true, ..Wanted::default() }, run.scope()).await?;
    let mut outcome = asked.outcome(found.iter().map(|vehicle| vehicle.asked));
    let cars = Cars::of(found.iter().map(|vehicle| (vehicle.asked, &*vehicle.model_code)), &asked);
    let (found, unclear): (Vec<_>, Vec<_>) =
        found.iter().filter(|vehicle| cars.names(vehicle.asked, &vehicle.model_code)).partition(|vehicle| !cars.is_unclear(vehicle.asked));
    let (open, closed): (Vec<_>, Vec<_>) = found.into_iter().partition(|vehicle| vehicle.campaign.is_open);
    outcome.skipped = unclear.into_iter().map(|vehicle| (vehicle.vin(), TWO_CARS)).collect();
    outcome.skipped.extend(closed.iter().map(|vehicle| (vehicle.vin(), "its campaign is closed")));
    let mut moved = Vec::new();
    for vehicle in open {
        let row = asked.row(vehicle.asked);
        let Some((_, place)) = moves.get(row) else { continue };
        if Some(&place.space) == vehicle.parking_space.as_ref() {
            outcome.skipped.push((vehicle.vin(), "it stands there already"));
            continue;
        }
        moved.push((row, vehicle, Patch { place: Some(place), ..Patch::default() }));
    }
    outcome.updated = moved.len();
    outcome.warnings.extend(yards_left(moved.iter().filter_map(|(_, vehicle, patch)| Some((vehicle.yard_id, patch.place?)))));
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
fn preview(mut changed: Vec<(usize, &Named, Patch<'_>)>) -> Vec<Preview> {
    changed.sort_by_key(|(row, vehicle, _)| (*row, vehicle.id));
    let shown = changed.iter().take(PREVIEWED).map(|(row, vehicle, patch)| Preview {
        line: count(row + 1),
        vin_number: vehicle.vin(),
        campaign_name: vehicle.campaign.name.clone(),
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
