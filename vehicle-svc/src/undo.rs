//! Taking back what changed many vehicles at once, as a whole and in one transaction.
//!
//! A vehicle is as the job left it when its content has the same number, also when later jobs were
//! undone in between; one that is not was changed by somebody, and stays. An import is taken back by
//! removing its campaign, which campaign-svc does: until it has, the campaign takes no saves.
use crate::{
    bulk::Run,
    error::{Error, Result},
    jobs::{Touched, count},
    place::Place,
    store::{
        campaigns,
        counters::Counted,
        edit::{self, Patch},
        jobs::{self, Job, Left},
        kept::{self, Before},
        named::{self, Named},
    },
};
use patio_kit::{audit, db::Tx};
use patio_proto::access::Role;
use serde_json::json;
use std::collections::HashMap;

/// What undoing a job came to.
#[derive(Debug, Default)]
pub struct Undone {
    /// False when nothing was changed.
    pub undone: bool,
    /// Vehicles that are as before again, or go with their campaign.
    pub restored: i64,
    /// Vehicles that were changed since.
    pub left: Vec<Left>,
    /// Vehicles that went with their campaign before.
    pub deleted: i64,
    /// Counters that moved.
    pub counted: Vec<Counted>,
    /// Whether campaign-svc has to remove a campaign now.
    pub removes: bool,
}

/// Undoes a job; one that is undone already answers what came of it.
///
/// # Errors
/// When there is none, the caller may not, or a campaign is closed or gone; nothing is changed then.
pub async fn undo(tx: &mut Tx<'_>, id: i64, run: &Run) -> Result<Undone> {
    let job = jobs::hold(tx, id).await?.ok_or(Error::NoJob(id))?;
    if job.undone_at.is_some() {
        return answer(tx, &job).await;
    }
    if job.supervisor && run.caller.role != Role::Admin {
        return Err(Error::SupervisorsJob);
    }
    let is_import = job.kind == "import";
    let held = jobs::hold_campaigns(tx, id, is_import).await?;
    if let Some(closed) = held.iter().find(|campaign| campaign.gate == "closed") {
        return Err(Error::Closed(closed.name.clone()));
    }
    match held.iter().find(|campaign| campaign.gate == "open") {
        None => Err(Error::AllDeleted),
        Some(campaign) if is_import => remove(tx, job, campaign.campaign_id, run).await,
        Some(_) => restore(tx, job, run).await,
    }
}

/// What came of a job that was undone before.
async fn answer(tx: &mut Tx<'_>, job: &Job) -> Result<Undone> {
    let kept: Vec<i64> = kept::of(tx, job.id).await?.iter().map(|before| before.id).collect();
    let left = jobs::left(tx, &kept).await?;
    let deleted = job.vehicles - job.restored - count(left.len());
    Ok(Undone { undone: true, restored: job.restored, left, deleted, removes: job.kind == "import", ..Undone::default() })
}

/// Closes the campaign of an untouched import, to be removed; a touched one stays as it is.
async fn remove(tx: &mut Tx<'_>, job: Job, campaign: i64, run: &Run) -> Result<Undone> {
    let left = jobs::touched(tx, campaign).await?;
    if !left.is_empty() {
        return Ok(Undone { left, ..Undone::default() });
    }
    campaigns::close_for_good(tx, campaign).await?;
    let restored = job.vehicles;
    finish(tx, job, Some(campaign), run, (restored, 0)).await?;
    Ok(Undone { undone: true, restored, removes: true, ..Undone::default() })
}

/// Gives the vehicles that are as the job left them what they had before.
async fn restore(tx: &mut Tx<'_>, job: Job, run: &Run) -> Result<Undone> {
    let kept = kept::of(tx, job.id).await?;
    let now = named::by_ids(tx, &kept.iter().map(|before| before.id).collect::<Vec<_>>(), true).await?;
    let deleted = job.vehicles - count(now.len());
    let mut kept: HashMap<i64, Before> = kept.into_iter().map(|before| (before.id, before)).collect();
    let all = now.into_iter().filter_map(|vehicle| Some((kept.remove(&vehicle.id)?, vehicle)));
    let (same, others): (Vec<_>, Vec<_>) = all.partition(|(before, vehicle)| vehicle.content == before.version + 1);
    let left: Vec<Left> = others.iter().map(|(_, vehicle)| Left::from(vehicle)).collect();
    if same.is_empty() {
        return Ok(Undone { left, deleted, ..Undone::default() });
    }
    let places: Result<Vec<_>> = same.iter().map(|(before, vehicle)| place_of(before, vehicle)).collect();
    let places = places?;
    let all: Vec<_> =
        same.iter().zip(&places).map(|((before, vehicle), place)| (vehicle, as_before(before, place.as_ref()).of(vehicle))).collect();
    edit::write(tx, &all, run.caller.person(), run.now).await?;
    let counted = Touched::by(&all).count_again(tx).await?;
    let restored = count(all.len());
    let same: Vec<Before> = same.into_iter().map(|(before, _)| before).collect();
    let others: Vec<Before> = others.into_iter().map(|(before, _)| before).collect();
    kept::settle(tx, job.id, &same, &others).await?;
    finish(tx, job, None, run, (restored, count(left.len()))).await?;
    Ok(Undone { undone: true, restored, left, deleted, counted, removes: false })
}

/// Where a vehicle stood. Its yard is not read from the space again: there are spaces that leave the yard as it was.
fn place_of(before: &Before, now: &Named) -> Result<Option<Place>> {
    let Some((space, yard_id)) = &before.stood else { return Ok(None) };
    let place = match now.place() {
        Some(place) if place.space == *space => place,
        _ => Place::new(space).map_err(Error::Bad)?,
    };
    Ok(Some(Place { yard_id: *yard_id, ..place }))
}

/// A vehicle as it was.
fn as_before<'a>(before: &'a Before, place: Option<&'a Place>) -> Patch<'a> {
    Patch {
        place,
        status: before.status.as_deref(),
        inspected: before.inspected,
        operator_notes: before.operator_notes.as_deref(),
        admin_notes: before.admin_notes.as_deref(),
    }
}

async fn finish(tx: &mut Tx<'_>, job: Job, removing: Option<i64>, run: &Run, (restored, left): (i64, i64)) -> Result<()> {
    let event = audit::Event {
        kind: "bulk-changed",
        subject: format!("job {}", job.id),
        summary: match removing {
            Some(campaign) => format!("import undone: campaign {campaign} goes with {restored} vehicles"),
            None => format!("job undone: {restored} vehicles as before again, {left} left"),
        },
        old: Some(json!({ "job": job.id, "kind": job.kind, "detail": job.detail, "vehicles": job.vehicles })),
        new: Some(json!({ "restored": restored, "left": left })),
        address: run.address.clone(),
    };
    let undone = Job { undone_at: Some(run.now), undone_by: run.caller.person(), restored, ..job };
    jobs::undone(tx, &undone, removing).await?;
    Ok(audit::append(tx, run.now, Some(&run.caller), event).await?)
}

impl From<&Named> for Left {
    fn from(vehicle: &Named) -> Self {
        Self { id: vehicle.id, vin: vehicle.vin(), campaign_name: vehicle.campaign.name.clone() }
    }
}
