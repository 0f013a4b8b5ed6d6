//! JSON form of a conflict: a field that two users changed concurrently, with both values.
use crate::views::json_values;
use chrono::{DateTime, Utc};
use patio_kit::client::user_names::UserNameMap;
use patio_proto::vehicle as pb;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Vehicle field that users can change.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum VehicleField {
    /// Inspection status of the vehicle, such as `ok` or `Repair`.
    Status,
    /// Notes of operators and team leaders.
    OperatorNotes,
    /// Notes of supervisors.
    AdminNotes,
    /// VIN: model code and serial number.
    VinNumber,
    /// Parking space of the vehicle, such as `A-12`.
    ParkingSpace,
}

/// One of the two values of a conflict: `theirs` is the value that was stored first, and `mine` is the value of the later save.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConflictSide {
    /// Value of the field that was stored first.
    Theirs,
    /// Value of the field in the later save.
    Mine,
}

/// State of a conflict: open, or resolved by choosing one of the two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConflictState {
    /// No value of the conflict has been chosen yet.
    Open,
    /// One of the two values of the conflict was chosen.
    Settled,
}

/// Conflict between concurrent changes of two users to one field of a vehicle, with both values.
#[derive(Serialize, ToSchema)]
pub struct Conflict {
    id: i64,
    vehicle_id: i64,
    campaign_id: i64,
    campaign_name: String,
    vin_number: String,
    field: VehicleField,
    /// Value of the field that the user saw before making the later save.
    base: String,
    /// Value of the field that was stored when the later save arrived.
    theirs: String,
    /// Value of the field in the later save.
    mine: String,
    theirs_by_hmc: Option<String>,
    theirs_at: DateTime<Utc>,
    mine_by_hmc: String,
    /// Time at which the later save arrived, according to the server's clock.
    mine_at: DateTime<Utc>,
    /// Time at which the user made the later save, according to the device's clock; null when the device sent no time.
    device_time: Option<DateTime<Utc>>,
    /// Which of the two values the vehicle shows until the conflict is resolved.
    shown: ConflictSide,
    state: ConflictState,
    chosen: Option<ConflictSide>,
    settled_by_hmc: Option<String>,
    settled_at: Option<DateTime<Utc>>,
}

impl From<pb::Field> for VehicleField {
    fn from(field: pb::Field) -> Self {
        match field {
            pb::Field::Status | pb::Field::Unspecified => Self::Status,
            pb::Field::OperatorNotes => Self::OperatorNotes,
            pb::Field::AdminNotes => Self::AdminNotes,
            pb::Field::VinNumber => Self::VinNumber,
            pb::Field::ParkingSpace => Self::ParkingSpace,
        }
    }
}

fn side(side: pb::Side) -> Option<ConflictSide> {
    match side {
        pb::Side::Unspecified => None,
        pb::Side::Theirs => Some(ConflictSide::Theirs),
        pb::Side::Mine => Some(ConflictSide::Mine),
    }
}

/// Returns the ids of all users that a conflict refers to.
pub fn user_ids(conflict: &pb::Conflict) -> impl Iterator<Item = i64> {
    [conflict.theirs_by, Some(conflict.mine_by), conflict.settled_by].into_iter().flatten()
}

impl Conflict {
    /// Converts a conflict from its proto form, with login names (HMC) in place of user ids.
    #[must_use]
    pub fn new(conflict: pb::Conflict, user_names: &UserNameMap) -> Self {
        let chosen = side(conflict.chosen());
        Self {
            id: conflict.id,
            vehicle_id: conflict.vehicle_id,
            campaign_id: conflict.campaign_id,
            field: conflict.field().into(),
            shown: side(conflict.shown()).unwrap_or(ConflictSide::Theirs),
            state: if chosen.is_some() { ConflictState::Settled } else { ConflictState::Open },
            chosen,
            campaign_name: conflict.campaign_name,
            vin_number: conflict.vin_number,
            base: conflict.base,
            theirs: conflict.theirs,
            mine: conflict.mine,
            theirs_by_hmc: conflict.theirs_by.map(|id| user_names.name(id)),
            theirs_at: json_values::to_datetime_or_epoch(conflict.theirs_at.as_ref()),
            mine_by_hmc: user_names.name(conflict.mine_by),
            mine_at: json_values::to_datetime_or_epoch(conflict.mine_at.as_ref()),
            device_time: json_values::to_optional_datetime(conflict.device_time.as_ref()),
            settled_by_hmc: conflict.settled_by.map(|id| user_names.name(id)),
            settled_at: json_values::to_optional_datetime(conflict.settled_at.as_ref()),
        }
    }
}
