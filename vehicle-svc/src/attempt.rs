//! One try of a save: judged by the vehicle as it stands, and written.
use crate::{
    error::{Error, Result},
    inspect::{self, Finding, Moved, Save, Saved},
    store::{
        conflicts::{self, Conflict, Maker, New},
        counters::Deltas,
        keys::Key,
        saves::{self, After, Before, Change},
        vehicles::{self, Vehicle},
    },
};
use chrono::{DateTime, Utc};
use patio_kit::{
    audit::Entry,
    db::{Db, Tx},
    identity::Caller,
};
use std::sync::Arc;

/// Most open conflicts that one person may have made.
const MOST_OPEN: i64 = 500;

/// A save that may be tried again.
pub struct Attempt {
    /// Who saves.
    pub caller: Caller,
    /// What.
    pub save: Save,
    /// What it is known by.
    pub key: Key,
    /// When it came.
    pub now: DateTime<Utc>,
}

/// What one try came to.
pub enum Tried {
    /// It is there.
    Saved(Box<Saved>),
    /// The vehicle is not any more what it was judged by.
    Again,
    /// It takes more than one statement, for which others have to be kept away.
    Hold,
}

/// What a save comes to as its vehicle stands.
pub struct Judged {
    found: Before,
    /// None when its key was used before.
    verdict: Option<Verdict>,
}

struct Verdict {
    finding: Finding,
    kept: Vec<New>,
    deltas: Deltas,
    entry: Entry,
}

impl Judged {
    /// The vehicle.
    #[must_use]
    pub fn vehicle_id(&self) -> i64 {
        self.found.vehicle.id
    }

    /// What is to be written in one statement; none when it takes more than that.
    #[must_use]
    pub fn change<'s>(&'s self, attempt: &'s Attempt) -> Option<Change<'s>> {
        let Verdict { finding, deltas, entry, .. } = self.verdict.as_ref().filter(|verdict| verdict.kept.is_empty())?;
        Some(Change { before: &self.found.vehicle, finding, deltas, entry, key: &attempt.key, view: attempt.save.view })
    }

    /// What one try came to, by what was written of it.
    #[must_use]
    pub fn tried(self, after: Option<After>) -> Tried {
        match (self.verdict, after) {
            (Some(verdict), Some(after)) => {
                Tried::Saved(Box::new(Saved { moved: Moved::of(after, &verdict.deltas), conflicts: Vec::new() }))
            }
            (Some(verdict), None) if !verdict.kept.is_empty() => Tried::Hold,
            _ => Tried::Again,
        }
    }
}

impl Attempt {
    /// Tries it by itself; with `hold` others are kept from its vehicle meanwhile.
    pub async fn alone(self: Arc<Self>, db: &Db, hold: bool) -> Result<Tried> {
        if hold {
            db.write(move |tx| Box::pin(async move { self.run(tx, true).await })).await
        } else {
            db.write_once(move |tx| Box::pin(async move { self.run(tx, false).await })).await
        }
    }

    /// Judges it by its vehicle as it stands.
    ///
    /// # Errors
    /// The rule it breaks.
    pub fn judge(&self, found: Before) -> Result<Judged> {
        let Self { caller, save, now, .. } = self;
        if found.key_vehicle.is_some() {
            return Ok(Judged { found, verdict: None });
        }
        let (finding, kept) = inspect::judge(caller.role, &found, save)?;
        let deltas = finding.deltas(&found.vehicle);
        let entry = Entry::of(*now, Some(caller), inspect::event(&found.vehicle, &finding, save, &kept));
        Ok(Judged { found, verdict: Some(Verdict { finding, kept, deltas, entry }) })
    }

    /// Judges and writes.
    async fn run(&self, tx: &mut Tx<'_>, hold: bool) -> Result<Tried> {
        let Self { save, key, .. } = self;
        let found = saves::look(tx, save.id, key, hold).await?.ok_or(Error::NoVehicle(save.id))?;
        let Judged { found, verdict } = self.judge(found)?;
        let Some(Verdict { finding, kept, deltas, entry }) = verdict else {
            return self.was_done(tx, &found).await.map(|saved| Tried::Saved(Box::new(saved)));
        };
        if !kept.is_empty() && !hold {
            return Ok(Tried::Hold);
        }
        let before = &found.vehicle;
        let change = Change { before, finding: &finding, deltas: &deltas, entry: &entry, key, view: save.view };
        let Some(after) = saves::save(tx, &change).await.map_err(|cause| finding.taken(cause))? else { return Ok(Tried::Again) };
        let mut moved = Moved::of(after, &deltas);
        let (conflicts, more) = self.keep(tx, before, &kept).await?;
        moved.vehicle.open_conflicts += more;
        Ok(Tried::Saved(Box::new(Saved { moved, conflicts })))
    }

    /// Keeps both values of each field in conflict; the conflicts, and how many of them are new.
    async fn keep(&self, tx: &mut Tx<'_>, before: &Vehicle, kept: &[New]) -> Result<(Vec<Conflict>, i64)> {
        let Self { caller, save, key, now } = self;
        let (vehicle_id, campaign_id) = (before.id, before.campaign_id);
        let (device, device_time) = (save.device.as_str(), save.device_time);
        if !kept.is_empty() && conflicts::open_of(tx, caller.user_id, MOST_OPEN).await? >= MOST_OPEN {
            return Err(Error::TooManyConflicts(MOST_OPEN));
        }
        let maker = Maker { vehicle_id, campaign_id, by: caller.user_id, at: *now, device_time, device, key: &key.key };
        let (mut made, mut more) = (Vec::with_capacity(kept.len()), 0);
        for new in kept {
            let (id, is_new) = conflicts::insert(tx, &maker, new).await?;
            more += i64::from(is_new);
            made.extend(conflicts::find(tx, id).await?);
        }
        Ok((made, more))
    }

    /// The answer to a save whose key was used before.
    async fn was_done(&self, tx: &mut Tx<'_>, found: &Before) -> Result<Saved> {
        let Self { save, key, .. } = self;
        let same = found.key_vehicle == Some(key.vehicle_id) && found.key_fingerprint.as_ref() == Some(&key.fingerprint);
        if !same {
            return Err(Error::KeyReused);
        }
        let vehicle = vehicles::find_in(tx, save.id, save.view).await?.ok_or(Error::NoVehicle(save.id))?;
        let conflicts = conflicts::of_save(tx, save.id, key.user_id, &key.key).await?;
        Ok(Saved { moved: Moved { vehicle, counted: None, revision: None }, conflicts })
    }
}
