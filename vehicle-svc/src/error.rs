//! Errors of vehicle-svc, and their mapping to gRPC statuses.
use patio_kit::errors::{self, Reason, status, status_with_values};
use tonic::{Code, Status};

/// Reason why vehicle-svc rejected or failed a call.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The vehicle with this id does not exist, or its campaign is being imported or deleted.
    #[error("Vehicle not found. It may have been deleted.")]
    NoVehicle(i64),
    /// The campaign with this id does not exist, or is being imported or deleted.
    #[error("Campaign not found. It may have been deleted.")]
    NoCampaign(i64),
    /// The bulk job with this id does not exist, or was deleted because it is older than 90 days.
    #[error("This change can no longer be undone. History is kept for 90 days.")]
    NoJob(i64),
    /// The conflict with this id does not exist, or its campaign was deleted.
    #[error("Conflict not found. It may have been resolved.")]
    NoConflict(i64),
    /// The conflict with this id is already resolved.
    #[error("This conflict has already been resolved.")]
    Settled(i64),
    /// The undo of a bulk job would change supervisor notes, and the caller is not a supervisor.
    #[error("This change includes supervisor notes. Only a supervisor can undo it.")]
    SupervisorsJob,
    /// All campaigns of the bulk job were deleted, so that there is nothing to undo.
    #[error("This change cannot be undone: its campaigns were deleted.")]
    AllDeleted,
    /// The save is based on an outdated version of the vehicle: another save came first.
    #[error("Someone else saved this vehicle first.")]
    Stale {
        /// Id of the vehicle.
        id: i64,
        /// Current version of the vehicle.
        now: i64,
    },
    /// The vehicle's identifier is not the identifier that the client saw.
    #[error("On the server this vehicle now has the VIN {vin}, not the VIN you saw. Check the vehicle and save again.")]
    Other {
        /// Id of the vehicle.
        id: i64,
        /// Current identifier of the vehicle.
        vin: String,
    },
    /// The caller's role may not change this field of the vehicle.
    #[error("Your access level does not allow changing {0}.")]
    Field(&'static str),
    /// The caller's role may not change the vehicle's status from `from` to `to`.
    #[error("The status cannot change from {} to {}.", shown(.from), shown(.to))]
    Step {
        /// Current status of the vehicle.
        from: &'static str,
        /// Requested status.
        to: &'static str,
    },
    /// The campaign with this name is closed and accepts no saves.
    #[error("Campaign {0} is closed. Ask a supervisor to reopen it.")]
    Closed(String),
    /// Another vehicle of the campaign already has this identifier.
    #[error("Another vehicle in this campaign already has the VIN {0}.")]
    VinTaken(String),
    /// The idempotency key of the save was used before for a save with other values.
    #[error("This save was already sent with different values. Reload the vehicle and save again.")]
    KeyReused,
    /// A field of the request is invalid; the text names the field and the rule.
    #[error("{0}")]
    Bad(String),
    /// The save would exceed the maximum number of open conflicts per user; contains that maximum.
    #[error("You have too many open conflicts ({0}). Ask a team leader to resolve some before you continue.")]
    TooManyConflicts(i64),
    /// A database statement failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// Returns a status as text for an error sentence: 'no status' when the text is empty.
fn shown(status: &'static str) -> &'static str {
    if status.is_empty() { "no status" } else { status }
}

/// Result type of functions in vehicle-svc, with [`Error`] as the default error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        match &error {
            Error::NoVehicle(_) => status(Code::NotFound, Reason::NoVehicle, &error),
            Error::NoCampaign(_) => status(Code::NotFound, Reason::NoCampaign, &error),
            Error::Stale { id, now } => {
                let values = [("vehicle", id.to_string()), ("version", now.to_string())];
                status_with_values(Code::Aborted, Reason::StaleVersion, &error, &values)
            }
            Error::Other { vin, .. } => {
                status_with_values(Code::FailedPrecondition, Reason::OtherVehicle, &error, &[("vin_number", vin.clone())])
            }
            Error::NoJob(_) => status(Code::NotFound, Reason::NoJob, &error),
            Error::NoConflict(_) => status(Code::NotFound, Reason::NoConflict, &error),
            Error::Settled(_) => status(Code::AlreadyExists, Reason::ConflictSettled, &error),
            Error::SupervisorsJob => status(Code::PermissionDenied, Reason::FieldNotAllowed, &error),
            Error::AllDeleted => status(Code::NotFound, Reason::NoCampaign, &error),
            Error::Field(_) => status(Code::PermissionDenied, Reason::FieldNotAllowed, &error),
            Error::Step { .. } => status(Code::FailedPrecondition, Reason::StatusNotAllowed, &error),
            Error::TooManyConflicts(_) => status(Code::FailedPrecondition, Reason::TooManyConflicts, &error),
            Error::Closed(_) => status(Code::FailedPrecondition, Reason::CampaignClosed, &error),
            Error::VinTaken(_) => status(Code::AlreadyExists, Reason::VinTaken, &error),
            Error::KeyReused => status(Code::AlreadyExists, Reason::KeyReused, &error),
            Error::Bad(_) => status(Code::InvalidArgument, Reason::BadRequest, &error),
            Error::Database(cause) => errors::database_status(cause),
        }
    }
}
