//! A campaign's vehicles as a whole: stored by an import, removed with the campaign.
use crate::{
    error::{Error, Result},
    place::Place,
    store::{
        campaigns, changes, counters, jobs,
        vehicles::{self, New},
    },
};
use chrono::{DateTime, Utc};
use patio_kit::{
    audit::{self, Event},
    db::Db,
    identity::Caller,
};
use patio_proto::{identifier::Identifier, vehicle::NewVehicle};
use std::{collections::HashSet, sync::Arc};

/// How many vehicles go in one step, so that others need not wait for all of them.
const REMOVE: i64 = 5_000;
/// Checks what an import brings.
///
/// # Errors
/// Names the vehicle that is malformed.
pub fn read(vehicles: &[NewVehicle]) -> Result<Vec<New>> {
    vehicles
        .iter()
        .map(|new| {
            let identifier = Identifier::new(&new.model_code, &new.serial_number).map_err(Error::Bad)?;
            let place = Place::new(&new.parking_space).map_err(|why| Error::Bad(format!("{}: {why}", identifier.vin())))?;
            Ok(New { identifier, place })
        })
        .collect()
}

/// How many vehicles of a draft are stored in one step, which costs some statements itself.
///
/// On `SQLite` all wait for the one writer meanwhile; while others save, they wait for as much to reach the disk.
#[must_use]
pub fn step(db: &Db) -> usize {
    match (db.is_busy(), db.is_postgres()) {
        (false, _) => 5_000,
        (true, true) => 200,
        (true, false) => 100,
    }
}

/// Stores vehicles of a draft, a step a transaction: nobody sees them before the campaign is
/// opened, and other saves go on between the steps. They are on the disk when [`count`] has answered.
///
/// # Errors
/// When the campaign is no draft, or a vehicle is in it already; the importer then discards the draft.
pub async fn store(db: &Db, campaign: i64, all: Vec<New>, now: DateTime<Utc>) -> Result<()> {
    let mut rest = all.as_slice();
    while let Some(some) = rest.get(..step(db).min(rest.len())).filter(|some| !some.is_empty()) {
        rest = &rest[some.len()..];
        let some: Arc<[New]> = some.into();
        let own = some.clone();
        let stored = db
            .write_step(move |tx| {
                Box::pin(async move {
                    if !campaigns::draft(tx, campaign).await? {
                        return Err(Error::NoCampaign(campaign));
                    }
                    Ok(vehicles::insert(tx, campaign, &own, now).await?)
                })
            })
            .await;
        match stored {
            Err(Error::Database(cause)) if patio_kit::errors::is_duplicate(&cause) => return Err(twice(db, campaign, &some).await),
            other => other?,
        }
    }
    Ok(())
}

/// Which vehicle of a refused step is there already, or stands in the step twice.
async fn twice(db: &Db, campaign: i64, some: &[New]) -> Error {
    let keys: Vec<String> = some.iter().map(|new| new.identifier.key()).collect();
    let mut seen = HashSet::new();
    let repeated = some.iter().zip(&keys).find(|(_, key)| !seen.insert(key.as_str())).map(|(new, _)| new.identifier.vin());
    let present: std::result::Result<Vec<String>, sqlx::Error> =
        db.write(move |tx| Box::pin(async move { vehicles::present(tx, campaign, &keys).await })).await;
    match present {
        Ok(present) => Error::VinTaken(present.into_iter().next().or(repeated).unwrap_or_default()),
        Err(cause) => cause.into(),
    }
}

/// Counts a draft once all of it is stored, and keeps the import as a job; how many vehicles it has.
///
/// # Errors
/// When the campaign is no draft any more.
pub async fn count(db: &Db, campaign: i64, import: jobs::New, caller: &Caller, address: String) -> Result<i64> {
    let caller = caller.clone();
    db.write(move |tx| {
        Box::pin(async move {
            if !campaigns::draft(tx, campaign).await? {
                return Err(Error::NoCampaign(campaign));
            }
            let vehicles = counters::count_draft(tx, campaign).await?;
            jobs::forget_import(tx, campaign).await?;
            let job = jobs::insert(tx, &jobs::New { vehicles, ..import }).await?;
            jobs::insert_campaign(tx, job, campaign, vehicles).await?;
            let event = entry(campaign, format!("stored {vehicles} vehicles of campaign {campaign}"), address);
            audit::append(tx, import.at, Some(&caller), event).await?;
            Ok(vehicles)
        })
    })
    .await
}

/// A campaign's name and gate as campaign-svc has them.
#[derive(Debug, Clone)]
pub struct Setting {
    /// Its number.
    pub campaign: i64,
    /// Its name.
    pub name: String,
    /// `open` or `closed`.
    pub gate: &'static str,
    /// Grows by one with each change of it.
    pub revision: i64,
}

/// How far ahead of what is known here a revision may be: changes that were not told in the meantime.
const MOST_AHEAD: i64 = 100_000;

/// Takes over a campaign's name and gate.
///
/// # Errors
/// When its revision is too far ahead to be the next ones, after which no true one would count; when a statement fails.
pub async fn set(db: &Db, set: Setting, now: DateTime<Utc>, caller: Caller, address: String) -> Result<()> {
    db.write(move |tx| {
        Box::pin(async move {
            let known = campaigns::revision(tx, set.campaign).await?;
            if set.revision > known.unwrap_or_default().saturating_add(MOST_AHEAD) {
                return Err(Error::Bad(format!("revision: {} does not follow {}", set.revision, known.unwrap_or_default())));
            }
            if campaigns::set(tx, set.campaign, &set.name, set.gate, set.revision).await? {
                let event = entry(set.campaign, format!("campaign {} is \"{}\" and {}", set.campaign, set.name, set.gate), address);
                audit::append(tx, now, Some(&caller), event).await?;
            }
            Ok(())
        })
    })
    .await
}

/// The entry of a step that one service takes for another.
fn entry(campaign: i64, summary: String, address: String) -> Event {
    Event { kind: "service-step", subject: format!("campaign {campaign}"), summary, address, ..Event::default() }
}

/// Removes a campaign: hidden at once, its vehicles in steps; repeated, it goes on where it stopped.
///
/// # Errors
/// When a statement fails; what is left goes when it is called again.
pub async fn remove(db: &Db, campaign: i64, now: DateTime<Utc>, caller: Caller, address: String) -> Result<u64> {
    db.write(move |tx| Box::pin(async move { campaigns::bury(tx, campaign).await })).await.map_err(Error::Database)?;
    let mut removed = 0;
    loop {
        let some = db
            .write(move |tx| Box::pin(async move { vehicles::remove_some(tx, campaign, REMOVE).await }))
            .await
            .map_err(Error::Database)?;
        removed += some;
        if some == 0 {
            break;
        }
    }
    while db.write(move |tx| Box::pin(async move { changes::forget(tx, campaign, REMOVE).await })).await.map_err(Error::Database)? > 0 {}
    if removed > 0 {
        let event = entry(campaign, format!("removed {removed} vehicles of campaign {campaign}"), address);
        db.write(move |tx| Box::pin(async move { audit::append(tx, now, Some(&caller), event).await })).await.map_err(Error::Database)?;
    }
    Ok(removed)
}
