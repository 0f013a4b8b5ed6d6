//! One way to tell a caller what went wrong, and one way to tell the operator.
use std::{collections::HashMap, fmt::Display, io::ErrorKind};
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// Why a call was refused, for programs; the message beside it is for people.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Reason { $($(#[$doc])* $name,)* }

        impl Reason {
            /// As it stands on the wire.
            #[must_use]
            pub fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// Reads it from the wire.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$name),)* _ => None }
            }
        }
    };
}

reasons! {
    /// A field is missing or malformed.
    BadRequest = "BAD_REQUEST",
    /// No token, or one that is forged, expired or withdrawn.
    NotSignedIn = "NOT_SIGNED_IN",
    /// The role does not allow the call.
    NotAllowed = "NOT_ALLOWED",
    /// The role does not allow to change this field.
    FieldNotAllowed = "FIELD_NOT_ALLOWED",
    /// Hmc and password do not belong together.
    InvalidCredentials = "INVALID_CREDENTIALS",
    /// Too many tries from one address.
    RateLimited = "RATE_LIMITED",
    /// Too many failed attempts.
    LockedOut = "LOCKED_OUT",
    /// There is no such user.
    NoUser = "NO_USER",
    /// Another user has this hmc.
    HmcTaken = "HMC_TAKEN",
    /// The user or hmc is reserved.
    Reserved = "RESERVED",
    /// The last supervisor must stay one.
    LastAdmin = "LAST_ADMIN",
    /// One cannot delete oneself.
    OwnAccount = "OWN_ACCOUNT",
    /// The password does not meet the rules.
    BadPassword = "BAD_PASSWORD",
    /// The old password is wrong.
    WrongPassword = "WRONG_PASSWORD",
    /// There is no such campaign.
    NoCampaign = "NO_CAMPAIGN",
    /// Another campaign has this name.
    NameTaken = "NAME_TAKEN",
    /// The campaign cannot go from its status to that one.
    BadTransition = "BAD_TRANSITION",
    /// The campaign is closed and takes no saves.
    CampaignClosed = "CAMPAIGN_CLOSED",
    /// There is no such vehicle.
    NoVehicle = "NO_VEHICLE",
    /// Somebody saved the vehicle first.
    StaleVersion = "STALE_VERSION",
    /// The status cannot be chosen now by this role.
    StatusNotAllowed = "STATUS_NOT_ALLOWED",
    /// Another vehicle of the campaign has this identifier.
    VinTaken = "VIN_TAKEN",
    /// The idempotency key was used for something else.
    KeyReused = "KEY_REUSED",
    /// There is no such upload.
    NoUpload = "NO_UPLOAD",
    /// There is no such job.
    NoJob = "NO_JOB",
    /// There is no such conflict.
    NoConflict = "NO_CONFLICT",
    /// Somebody has settled the conflict before.
    ConflictSettled = "CONFLICT_SETTLED",
    /// The person made more conflicts than people can settle.
    TooManyConflicts = "TOO_MANY_CONFLICTS",
    /// The person gave it up, and nothing of it was kept.
    Cancelled = "CANCELLED",
    /// It has come to its end already.
    TooLate = "TOO_LATE",
    /// More than is taken at once.
    TooLarge = "TOO_LARGE",
    /// Too much is going on; later it will do.
    Busy = "BUSY",
    /// A part that is needed is away.
    Unavailable = "UNAVAILABLE",
    /// The call took too long.
    Timeout = "TIMEOUT",
    /// A fault of ours.
    Internal = "INTERNAL",
}

/// Builds a status whose reason a program can switch on.
#[must_use]
pub fn status(code: Code, reason: Reason, error: &dyn Display) -> Status {
    status_with(code, reason, error, &[])
}

/// Builds a status that also carries named values, such as `retry_after`.
#[must_use]
pub fn status_with(code: Code, reason: Reason, error: &dyn Display, values: &[(&str, String)]) -> Status {
    let values: HashMap<String, String> = values.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    Status::with_error_details(code, error.to_string(), ErrorDetails::with_error_info(reason.text(), "patio", values))
}

/// Logs a fault of ours, once, and builds the status that says nothing of it.
#[must_use]
pub fn internal(cause: &dyn Display) -> Status {
    tracing::error!(%cause, "a call failed");
    status(Code::Internal, Reason::Internal, &"something went wrong on our side")
}

/// The status when another part of the product gave no answer, or not all of it.
#[must_use]
pub fn unanswered(cause: &dyn Display) -> Status {
    tracing::debug!(%cause, "a service cannot be reached");
    status(Code::Unavailable, Reason::Unavailable, &"a part of the product cannot be reached; try again in a moment")
}

/// The status of a failed statement: away when the database cannot be reached, else a fault of ours.
#[must_use]
pub fn database(cause: &sqlx::Error) -> Status {
    match cause {
        cause if is_full(cause) => full(cause),
        cause if is_away(cause) => away(cause),
        // A NUL in a text that nothing before refused; SQLite finds nothing by such a text.
        sqlx::Error::Database(told) if told.code().is_some_and(|code| code == "22021") => {
            status(Code::InvalidArgument, Reason::BadRequest, &"a text holds a character that no text here can hold")
        }
        _ => internal(cause),
    }
}

/// Whether the database cannot be reached now, is starting or stopping, or takes no more connections.
#[must_use]
pub fn is_away(cause: &sqlx::Error) -> bool {
    match cause {
        sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::WorkerCrashed | sqlx::Error::Tls(_) => true,
        sqlx::Error::Database(told) => told.code().is_some_and(|code| code.starts_with("57P") || code.starts_with("08") || code == "53300"),
        _ => false,
    }
}

/// Whether the database is up, and whoever looks after it has still to make what this process was told of: its role, the
/// database, the schema, a right.
#[must_use]
pub fn is_unprepared(cause: &sqlx::Error) -> bool {
    let code = cause.as_database_error().and_then(|told| told.code());
    code.is_some_and(|code| ["28000", "28P01", "3D000", "3F000", "42501"].contains(&&*code))
}

/// Whether a disk has no room left for what was to be written.
#[must_use]
pub fn is_full(cause: &sqlx::Error) -> bool {
    match cause {
        sqlx::Error::Io(cause) => cause.kind() == ErrorKind::StorageFull,
        // SQLite has a code for it; PostgreSQL has one, too.
        sqlx::Error::Database(told) => told.code().is_some_and(|code| code == "13" || code == "53100"),
        _ => false,
    }
}

fn full(cause: &sqlx::Error) -> Status {
    tracing::error!(%cause, "there is no room left to write");
    status(Code::Unavailable, Reason::Unavailable, &"there is no room left to save anything; whoever runs Patio has to make some")
}

fn away(cause: &sqlx::Error) -> Status {
    tracing::warn!(%cause, "the database is away");
    status(Code::Unavailable, Reason::Unavailable, &"the database cannot be reached; try again in a moment")
}

/// The reason a status carries; none when it came from elsewhere.
#[must_use]
pub fn reason(status: &Status) -> Option<Reason> {
    Reason::parse(&status.get_details_error_info()?.reason)
}

/// A named value a status carries.
#[must_use]
pub fn value(status: &Status, name: &str) -> Option<String> {
    status.get_details_error_info()?.metadata.get(name).cloned()
}

/// Whether a statement failed because a row with that unique value is there already.
#[must_use]
pub fn is_duplicate(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Database(told) if told.is_unique_violation())
}
