//! One attempt to save an inspection: loads the vehicle, checks the rules of saving, and writes the result.
use crate::{
    error::{Error, Result},
    inspection::{
        audit_event, save_rules,
        save_types::{SaveCommand, SaveResult, VehicleWriteResult},
    },
    store::{
        conflicts::{self, Conflict, ConflictingSave, NewConflict},
        counters::CounterDeltasByYard,
        editable_fields::EditableFields,
        idempotency_keys::IdempotencyKey,
        saves::{self, NewSave, SavedVehicleRow, VehicleForSave},
        vehicles::{self, Vehicle},
    },
};
use chrono::{DateTime, Utc};
use patio_kit::{
    audit::NewAuditEntry,
    auth::identity::Caller,
    db::{Db, Tx},
};
use std::sync::Arc;

/// Maximum number of open conflicts that one user's saves may have caused. When a user has reached this number, further saves that
/// cause conflicts are rejected.
const MAX_OPEN_CONFLICTS: i64 = 500;

/// Input of an attempt to save: the validated request, the caller, the idempotency key and the time.
pub struct SaveAttempt {
    /// User who saves the inspection.
    pub caller: Caller,
    /// Validated request to save, with the new values of the vehicle.
    pub save: SaveCommand,
    /// Idempotency key of the save; its text is empty when the client sent none.
    pub key: IdempotencyKey,
    /// Time at which the server received the save.
    pub now: DateTime<Utc>,
}

/// Outcome of one attempt to save.
pub enum SaveAttemptOutcome {
    /// The save is stored, either by this attempt or by an earlier request with the same idempotency key.
    Saved(Box<SaveResult>),
    /// Another save changed the vehicle in the meantime. Nothing was written, and the save has to be attempted again.
    Retry,
    /// The save causes conflicts, which take several statements to write. The save has to be attempted again with the
    /// vehicle locked.
    RetryLocked,
}

/// A save that was checked against the current vehicle but is not written yet.
pub struct EvaluatedSave {
    found: VehicleForSave,
    /// New content and conflicts of the save; `None` when an earlier save used the same idempotency key.
    verdict: Option<Verdict>,
}

struct Verdict {
    content: EditableFields,
    kept: Vec<NewConflict>,
    deltas: CounterDeltasByYard,
    entry: NewAuditEntry,
}

impl EvaluatedSave {
    /// Returns the id of the vehicle to save.
    #[must_use]
    pub fn vehicle_id(&self) -> i64 {
        self.found.vehicle.id
    }

    /// Returns the data for writing the save with one statement. Returns `None` for a repeated save, and for a save with conflicts,
    /// which needs several statements.
    #[must_use]
    pub fn as_batchable_save<'s>(&'s self, attempt: &'s SaveAttempt) -> Option<NewSave<'s>> {
        let Verdict { content, deltas, entry, .. } = self.verdict.as_ref().filter(|verdict| verdict.kept.is_empty())?;
        Some(NewSave { before: &self.found.vehicle, content, deltas, entry, key: &attempt.key, yard_filter: attempt.save.yard_filter })
    }

    /// Returns the outcome of the attempt. `after` is the written vehicle row, or `None` when no row was written.
    #[must_use]
    pub fn into_outcome(self, after: Option<SavedVehicleRow>) -> SaveAttemptOutcome {
        match (self.verdict, after) {
            (Some(verdict), Some(after)) => SaveAttemptOutcome::Saved(Box::new(SaveResult {
                write_result: VehicleWriteResult::from_row(after, &verdict.deltas),
                conflicts: Vec::new(),
            })),
            (Some(verdict), None) if !verdict.kept.is_empty() => SaveAttemptOutcome::RetryLocked,
            _ => SaveAttemptOutcome::Retry,
        }
    }
}

impl SaveAttempt {
    /// Attempts the save in a separate transaction, not in a group of saves. If `lock` is true, the vehicle's row is
    /// locked until the commit.
    pub async fn run_unbatched(self: Arc<Self>, db: &Db, lock: bool) -> Result<SaveAttemptOutcome> {
        if lock {
            db.write(move |tx| Box::pin(async move { self.run(tx, true).await })).await
        } else {
            db.write_single_statement(move |tx| Box::pin(async move { self.run(tx, false).await })).await
        }
    }

    /// Checks whether the save is allowed for the loaded vehicle, and computes the new content and the conflicts.
    ///
    /// # Errors
    /// Returns the error of the first rule that the save breaks.
    pub fn evaluate_save(&self, found: VehicleForSave) -> Result<EvaluatedSave> {
        let Self { caller, save, now, .. } = self;
        if found.key_vehicle.is_some() {
            return Ok(EvaluatedSave { found, verdict: None });
        }
        let (content, kept) = save_rules::apply_save_rules(caller.role, &found, save)?;
        let deltas = content.counter_deltas(&found.vehicle);
        let entry =
            NewAuditEntry::new(*now, Some(caller), audit_event::build_save_audit_event(&found.vehicle, &content, save, &kept, *now));
        Ok(EvaluatedSave { found, verdict: Some(Verdict { content, kept, deltas, entry }) })
    }

    /// Attempts the save in the given transaction: loads the vehicle (locked if `lock` is true), checks the rules, and
    /// writes the save with its conflicts.
    async fn run(&self, tx: &mut Tx<'_>, lock: bool) -> Result<SaveAttemptOutcome> {
        let Self { save, key, .. } = self;
        let found = saves::load_vehicle(tx, save.id, key, lock).await?.ok_or(Error::VehicleNotFound(save.id))?;
        let EvaluatedSave { found, verdict } = self.evaluate_save(found)?;
        let Some(Verdict { content, kept, deltas, entry }) = verdict else {
            return self.repeated_result(tx, &found).await.map(|saved| SaveAttemptOutcome::Saved(Box::new(saved)));
        };
        if !kept.is_empty() && !lock {
            return Ok(SaveAttemptOutcome::RetryLocked);
        }
        let before = &found.vehicle;
        let change = NewSave { before, content: &content, deltas: &deltas, entry: &entry, key, yard_filter: save.yard_filter };
        let Some(after) = saves::write_save(tx, &change).await.map_err(|cause| content.convert_save_error(cause))? else {
            return Ok(SaveAttemptOutcome::Retry);
        };
        let mut write_result = VehicleWriteResult::from_row(after, &deltas);
        let (conflicts, more) = self.store_conflicts(tx, before, &kept).await?;
        write_result.vehicle.open_conflicts += more;
        Ok(SaveAttemptOutcome::Saved(Box::new(SaveResult { write_result, conflicts })))
    }

    /// Stores both values of each conflicting field. Returns all conflicts of the save, and how many of them are new. A conflict is
    /// not new if the same user already has an open conflict on the field.
    async fn store_conflicts(&self, tx: &mut Tx<'_>, before: &Vehicle, kept: &[NewConflict]) -> Result<(Vec<Conflict>, i64)> {
        let Self { caller, save, key, now } = self;
        let (vehicle_id, campaign_id) = (before.id, before.campaign_id);
        let (device, device_time) = (save.device.as_str(), save.device_time);
        if !kept.is_empty()
            && conflicts::count_open_conflicts_caused_by_user(tx, caller.user_id, MAX_OPEN_CONFLICTS).await? >= MAX_OPEN_CONFLICTS
        {
            return Err(Error::TooManyConflicts(MAX_OPEN_CONFLICTS));
        }
        let maker = ConflictingSave { vehicle_id, campaign_id, by: caller.user_id, at: *now, device_time, device, key: &key.key };
        let (mut made, mut more) = (Vec::with_capacity(kept.len()), 0);
        for new in kept {
            let (id, is_new) = conflicts::insert(tx, &maker, new).await?;
            more += i64::from(is_new);
            made.extend(conflicts::find(tx, id).await?);
        }
        Ok((made, more))
    }

    /// Returns the outcome of a save whose idempotency key was used before: the current vehicle if the earlier save had equal
    /// values, otherwise [`Error::KeyReused`].
    async fn repeated_result(&self, tx: &mut Tx<'_>, found: &VehicleForSave) -> Result<SaveResult> {
        let Self { save, key, .. } = self;
        let same = found.key_vehicle == Some(key.vehicle_id) && found.key_fingerprint.as_ref() == Some(&key.fingerprint);
        if !same {
            return Err(Error::KeyReused);
        }
        let vehicle = vehicles::find_in_transaction(tx, save.id, save.yard_filter).await?.ok_or(Error::VehicleNotFound(save.id))?;
        let conflicts = conflicts::list_by_save(tx, save.id, key.user_id, &key.key).await?;
        Ok(SaveResult { write_result: VehicleWriteResult { vehicle, campaign_counts: None, revision: None }, conflicts })
    }
}
