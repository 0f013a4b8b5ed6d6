//! What can go wrong with vehicles, and what it means to a caller.
use patio_kit::errors::{self, Reason, status, status_with};
use tonic::{Code, Status};

/// Why a call about vehicles was not done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It does not exist, or its campaign is being imported or deleted.
    #[error("vehicle {0} does not exist")]
    NoVehicle(i64),
    /// It does not exist, or is being imported or deleted.
    #[error("campaign {0} does not exist")]
    NoCampaign(i64),
    /// There is none, or it was forgotten.
    #[error("job {0} does not exist; jobs are kept for 90 days")]
    NoJob(i64),
    /// There is none, or its campaign is gone.
    #[error("conflict {0} does not exist")]
    NoConflict(i64),
    /// Somebody has chosen before.
    #[error("conflict {0} is settled")]
    Settled(i64),
    /// Undoing it would write what only supervisors may write.
    #[error("this job changed supervisor notes; a supervisor can undo it")]
    SupervisorsJob,
    /// There is nothing left to undo.
    #[error("the campaigns of this job were deleted")]
    AllDeleted,
    /// Somebody saved first.
    #[error("vehicle {id} is at version {now} by now")]
    Stale {
        /// The vehicle.
        id: i64,
        /// Its version.
        now: i64,
    },
    /// The role may not change the field.
    #[error("your role may not change {0}")]
    Field(&'static str),
    /// The role may not take this step.
    #[error("a vehicle that is `{from}` cannot become `{to}` here")]
    Step {
        /// The status it has.
        from: &'static str,
        /// The status that was asked for.
        to: &'static str,
    },
    /// The campaign takes no saves.
    #[error("campaign `{0}` is closed; a supervisor can reopen it")]
    Closed(String),
    /// Another vehicle of the campaign has the identifier.
    #[error("another vehicle of this campaign is `{0}` already")]
    VinTaken(String),
    /// The key was used for another save.
    #[error("this idempotency key belongs to another save")]
    KeyReused,
    /// A field is malformed.
    #[error("{0}")]
    Bad(String),
    /// The person made more conflicts than people can settle.
    #[error("you have {0} open conflicts; a team leader has to settle some of them first")]
    TooManyConflicts(i64),
    /// A statement failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// What comes of a call about vehicles.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        match &error {
            Error::NoVehicle(_) => status(Code::NotFound, Reason::NoVehicle, &error),
            Error::NoCampaign(_) => status(Code::NotFound, Reason::NoCampaign, &error),
            Error::Stale { id, now } => {
                let values = [("vehicle", id.to_string()), ("version", now.to_string())];
                status_with(Code::Aborted, Reason::StaleVersion, &error, &values)
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
            Error::Database(cause) => errors::database(cause),
        }
    }
}
