//! Types of a save: the validated request, the values that the client saw, and the result.
use crate::{
    error::Error,
    parking_space::ParkingSpace,
    store::{
        conflicts::Conflict,
        counters::{CampaignCounts, CounterDeltasByYard},
        editable_fields::EditableFields,
        idempotency_keys,
        saves::SavedVehicleRow,
        vehicles::Vehicle,
    },
    yard_filter::YardFilter,
};
use chrono::{DateTime, Utc};
use patio_kit::hex;
use patio_proto::{
    vehicle::{Origin, VehicleStatus},
    vin::Vin,
};

/// A validated request to save an inspection. A value that is `None` leaves the vehicle's field unchanged.
#[derive(Debug, Clone)]
pub struct SaveCommand {
    /// Id of the vehicle to save.
    pub id: i64,
    /// VIN that the client saw; the save is rejected when the vehicle has another VIN. `None` skips this check.
    pub seen_vin: Option<Vin>,
    /// New VIN; `None` keeps the stored VIN.
    pub vin: Option<Vin>,
    /// New status; `None` keeps the stored status.
    pub status: Option<VehicleStatus>,
    /// New parking space; `None` keeps the stored parking space.
    pub place: Option<ParkingSpace>,
    /// New notes of operators and team leaders, which every role may change; `None` keeps the stored notes.
    pub operator_notes: Option<String>,
    /// New notes of supervisors (users with the role `Admin`), which only supervisors may change; `None` keeps the stored notes.
    pub admin_notes: Option<String>,
    /// Id of the vehicle's campaign as sent by the client; `None` when the client sent none. The save is rejected when the vehicle
    /// is in another campaign.
    pub campaign_id: Option<i64>,
    /// Version of the vehicle that the client saw; `None` when the client sent none. A save without `base` values is rejected when
    /// the vehicle has another version.
    pub if_version: Option<i64>,
    /// Idempotency key of the save; empty when the client sent none.
    pub key: String,
    /// How the user identified the vehicle: by scanning or typing the VIN.
    pub origin: Origin,
    /// Vehicles that the user may see. The next vehicle to inspect is chosen from these vehicles.
    pub yard_filter: YardFilter,
    /// Values that the client saw, for a three-way merge. If `None`, the save is not merged, and is rejected when the vehicle's
    /// version differs from `if_version`.
    pub base: Option<MergeBase>,
    /// Whether both values of a conflicting field are stored as a conflict; if false, a save with a conflicting field
    /// is rejected.
    pub stores_conflicts: bool,
    /// Time of the save by the device's clock; `None` when the client sent no time.
    pub device_time: Option<DateTime<Utc>>,
    /// Name of the device that made the save; empty when the client sent none.
    pub device: String,
    /// IP address of the client, for the audit log.
    pub address: String,
}

impl SaveCommand {
    /// Returns a digest of the requested values, to detect reuse of an idempotency key for another save. Returns an
    /// empty text when the save has no key.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        if self.key.is_empty() {
            return String::new();
        }
        let (id, vin, place, campaign) = (self.id, &self.vin, &self.place, self.campaign_id);
        let (status, operator_notes, admin_notes) = (self.status, &self.operator_notes, &self.admin_notes);
        // A merged save ignores version and conflict mode: it may be sent from the screen first, and later again from
        // the outbox with a different mode.
        let what = match &self.base {
            None => format!("{:?}", (id, vin, status, place, operator_notes, admin_notes, campaign, self.if_version)),
            Some(base) => format!("{:?}", (id, vin, status, place, operator_notes, admin_notes, campaign, base)),
        };
        hex::sha256_hex(what.as_bytes())
    }
}

/// Values that the client saw before the user changed them: the base of the three-way merge. A value that the client did not send is
/// `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MergeBase {
    /// VIN that the client saw; `None` when the client sent none.
    pub vin: Option<Vin>,
    /// Status that the client saw; `None` when the client sent none.
    pub status: Option<VehicleStatus>,
    /// Parking space that the client saw, in normalized spelling; `None` when the client sent none.
    pub space: Option<String>,
    /// Operator notes that the client saw; `None` when the client sent none.
    pub operator_notes: Option<String>,
    /// Supervisor notes that the client saw; `None` when the client sent none.
    pub admin_notes: Option<String>,
}

/// Result of writing a vehicle: the vehicle, and the new counters and revision of its campaign.
#[derive(Debug)]
pub struct VehicleWriteResult {
    /// The vehicle after the write; its field `next` is the id of the next vehicle to inspect.
    pub vehicle: Vehicle,
    /// New vehicle counters of the campaign; `None` when the save changed neither the counters nor the walking order.
    pub campaign_counts: Option<CampaignCounts>,
    /// New revision of the campaign; `None` when nothing was written.
    pub revision: Option<i64>,
}

impl VehicleWriteResult {
    /// Builds the result from the database row that a save returned. `deltas` contains the changes of the vehicle counters by the save.
    #[must_use]
    pub fn from_row(after: SavedVehicleRow, deltas: &CounterDeltasByYard) -> Self {
        let SavedVehicleRow { vehicle, total, total_inspected: inspected, revision, reached_milestone } = after;
        let of = vehicle.campaign_id;
        let changes_progress = reached_milestone || deltas.has_changes();
        let campaign_counts = changes_progress.then_some(CampaignCounts {
            campaign_id: of,
            total,
            inspected,
            revision,
            reached_milestone,
            vehicles: Vec::new(),
        });
        Self { vehicle, campaign_counts, revision: Some(revision) }
    }
}

/// Result of saving an inspection: the saved vehicle and the conflicts of the save.
#[derive(Debug)]
pub struct SaveResult {
    /// The vehicle after the save, with the counters of the campaign.
    pub write_result: VehicleWriteResult,
    /// Conflicts that the save caused, at most one per field.
    pub conflicts: Vec<Conflict>,
}

impl EditableFields {
    /// Converts the database error of a failed save. A duplicate VIN becomes [`Error::VinTaken`].
    #[must_use]
    pub fn convert_save_error(&self, cause: sqlx::Error) -> Error {
        if patio_kit::errors::is_unique_violation(&cause) && !idempotency_keys::is_duplicate_idempotency_key(&cause) {
            Error::VinTaken(self.identifier.to_text())
        } else {
            cause.into()
        }
    }
}
