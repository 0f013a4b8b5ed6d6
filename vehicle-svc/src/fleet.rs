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
use patio_kit::db::Db;
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
pub async fn count(db: &Db, campaign: i64, import: jobs::New) -> Result<i64> {
    db.write(move |tx| {
        Box::pin(async move {
            if !campaigns::draft(tx, campaign).await? {
                return Err(Error::NoCampaign(campaign));
            }
            let vehicles = counters::count_draft(tx, campaign).await?;
            jobs::forget_import(tx, campaign).await?;
            let job = jobs::insert(tx, &jobs::New { vehicles, ..import }).await?;
            jobs::insert_campaign(tx, job, campaign, vehicles).await?;
            Ok(vehicles)
        })
    })
    .await
}

/// Removes a campaign: hidden at once, its vehicles in steps; repeated, it goes on where it stopped.
///
/// # Errors
/// When a statement fails; what is left goes when it is called again.
pub async fn remove(db: &Db, campaign: i64) -> Result<u64> {
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
    Ok(removed)
}
