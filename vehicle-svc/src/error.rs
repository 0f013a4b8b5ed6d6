//! Errors of vehicle-svc, and their mapping to gRPC statuses.
use patio_kit::errors::{self, ErrorReason, status, status_with_values};
use tonic::{Code, Status};

/// Reason why a call to vehicle-svc was rejected or failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The vehicle with this id does not exist, or its campaign is being imported or deleted.
    #[error("Vehicle not found. It may have been deleted.")]
    VehicleNotFound(i64),
    /// The campaign with this id does not exist, or is being imported or deleted.
    #[error("Campaign not found. It may have been deleted.")]
    CampaignNotFound(i64),
    /// The bulk job with this id does not exist, was deleted after its retention time, or is an import that still runs.
    #[error("This change can no longer be undone. Changes can be undone for 90 days.")]
    JobNotFound(i64),
    /// The conflict with this id does not exist, or its campaign was deleted.
    #[error("Conflict not found. It may have been resolved.")]
    ConflictNotFound(i64),
    /// The conflict with this id is already resolved.
    #[error("This conflict has already been resolved.")]
    ConflictResolved(i64),
    /// The undo of a bulk job would change supervisor notes, and the caller is not a supervisor.
    #[error("This change includes supervisor notes. Only a supervisor can undo it.")]
    SupervisorRequired,
    /// The bulk job cannot be undone, because all its campaigns were deleted.
    #[error("This change cannot be undone because the campaigns that it changed were deleted.")]
    CampaignsDeleted,
    /// The save is based on an outdated version of the vehicle, because another save came first.
    #[error("Someone else saved this vehicle after you opened it. Reload the vehicle and save again.")]
    OutdatedVersion {
        /// Id of the vehicle that was to be saved.
        id: i64,
        /// Current version of the vehicle.
        current_version: i64,
    },
    /// The vehicle's VIN is not the VIN that the client saw.
    #[error("The VIN of this vehicle was changed to {vin} after you opened it. Check the vehicle and save again.")]
    VinMismatch {
        /// Id of the vehicle that was to be saved.
        id: i64,
        /// Current VIN of the vehicle.
        vin: String,
    },
    /// The caller's role may not change this field of the vehicle.
    #[error("Your access level does not allow changing {0}.")]
    FieldNotAllowed(&'static str),
    /// The caller's role may not change the vehicle's status from `from` to `to`.
    #[error(
        "Your access level does not allow changing the status from {} to {}. Ask a supervisor.",
        status_label(.from),
        status_label(.to)
    )]
    StatusNotAllowed {
        /// Current status of the vehicle.
        from: &'static str,
        /// Requested status.
        to: &'static str,
    },
    /// The campaign with this name is closed and accepts no saves.
    #[error("Campaign {0} is closed. Ask a supervisor to reopen it.")]
    CampaignClosed(String),
    /// Another vehicle of the campaign already has this VIN.
    #[error("Another vehicle in this campaign already has the VIN {0}.")]
    VinTaken(String),
    /// Every attempt to save failed, because another change of the vehicle was stored at the same time.
    #[error("Another change was made at the same time, so this one was not saved. Try again.")]
    ConcurrentChange,
    /// The idempotency key of the save was used before for a save with other values.
    #[error("This inspection was already sent with different values. Reload the vehicle and save again.")]
    KeyReused,
    /// A field of the request is invalid; the text names the field and the rule.
    #[error("{0}")]
    InvalidField(String),
    /// The save causes a conflict, but the user already has the maximum number of open conflicts. The variant contains the maximum.
    #[error("Your saves have caused {0} open conflicts, which is the maximum. Ask a team leader to resolve some before you continue.")]
    TooManyConflicts(i64),
    /// A database statement failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// Returns a status as text for a message: 'no status' when the text is empty.
pub(crate) fn status_label(status: &str) -> &str {
    if status.is_empty() { "no status" } else { status }
}

/// Result type of functions in vehicle-svc, with [`Error`] as the default error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        match &error {
            Error::VehicleNotFound(_) => status(Code::NotFound, ErrorReason::NoVehicle, &error),
            Error::CampaignNotFound(_) => status(Code::NotFound, ErrorReason::NoCampaign, &error),
            Error::OutdatedVersion { id, current_version } => {
                let values = [("vehicle", id.to_string()), ("version", current_version.to_string())];
                status_with_values(Code::Aborted, ErrorReason::StaleVersion, &error, &values)
            }
            Error::VinMismatch { vin, .. } => {
                status_with_values(Code::FailedPrecondition, ErrorReason::OtherVehicle, &error, &[("vin_number", vin.clone())])
            }
            Error::JobNotFound(_) => status(Code::NotFound, ErrorReason::NoJob, &error),
            Error::ConflictNotFound(_) => status(Code::NotFound, ErrorReason::NoConflict, &error),
            Error::ConflictResolved(_) => status(Code::AlreadyExists, ErrorReason::ConflictSettled, &error),
            Error::SupervisorRequired => status(Code::PermissionDenied, ErrorReason::FieldNotAllowed, &error),
            Error::CampaignsDeleted => status(Code::NotFound, ErrorReason::NoCampaign, &error),
            Error::FieldNotAllowed(_) => status(Code::PermissionDenied, ErrorReason::FieldNotAllowed, &error),
            Error::StatusNotAllowed { .. } => status(Code::FailedPrecondition, ErrorReason::StatusNotAllowed, &error),
            Error::TooManyConflicts(_) => status(Code::FailedPrecondition, ErrorReason::TooManyConflicts, &error),
            Error::CampaignClosed(_) => status(Code::FailedPrecondition, ErrorReason::CampaignClosed, &error),
            Error::VinTaken(_) => status(Code::AlreadyExists, ErrorReason::VinTaken, &error),
            Error::ConcurrentChange => status(Code::Unavailable, ErrorReason::Busy, &error),
            Error::KeyReused => status(Code::AlreadyExists, ErrorReason::KeyReused, &error),
            Error::InvalidField(_) => status(Code::InvalidArgument, ErrorReason::BadRequest, &error),
            Error::Database(cause) => errors::database_status(cause),
        }
    }
}
