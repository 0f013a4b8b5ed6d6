//! Builds gRPC error statuses for callers, and logs the causes of internal errors for operators.
use std::{collections::HashMap, fmt::Display, io::ErrorKind};
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// Machine-readable reason of a gRPC error status, for programs. The message of the status is meant for people.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ErrorReason { $($(#[$doc])* $name,)* }

        impl ErrorReason {
            #[cfg(test)]
            const ALL: &[Self] = &[$(Self::$name,)*];

            /// Returns the reason as the text that error responses contain, such as `NO_VEHICLE`.
            #[must_use]
            pub fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// Parses a reason from the text of an error response. Returns `None` for an unknown text.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$name),)* _ => None }
            }
        }
    };
}

reasons! {
    /// A field of the request is missing or invalid.
    BadRequest = "BAD_REQUEST",
    /// The access token is missing, forged or expired, or its user was deleted.
    NotSignedIn = "NOT_SIGNED_IN",
    /// The session was ended on purpose, for example by a sign-out or a supervisor.
    SessionEnded = "SESSION_ENDED",
    /// The user must choose a new password before making any other call.
    PasswordMustChange = "PASSWORD_MUST_CHANGE",
    /// The user must enter the current password again to confirm the action.
    ConfirmPassword = "CONFIRM_PASSWORD",
    /// The user's role does not allow the call.
    NotAllowed = "NOT_ALLOWED",
    /// The user's role does not allow changing the requested field.
    FieldNotAllowed = "FIELD_NOT_ALLOWED",
    /// The login name (HMC) and the password do not match.
    InvalidCredentials = "INVALID_CREDENTIALS",
    /// Too many sign-in attempts came from one network address in a short time.
    RateLimited = "RATE_LIMITED",
    /// Too many sign-in attempts failed, so further attempts are rejected for some minutes.
    LockedOut = "LOCKED_OUT",
    /// The session does not exist, or has already ended.
    NoSession = "NO_SESSION",
    /// The user does not exist.
    NoUser = "NO_USER",
    /// Another user has the requested login name (HMC).
    HmcTaken = "HMC_TAKEN",
    /// The user is the reserved developer account, or the requested login name (HMC) is reserved for that account.
    Reserved = "RESERVED",
    /// The change would delete the last remaining supervisor, or remove that user's supervisor role.
    LastAdmin = "LAST_ADMIN",
    /// The user tried to delete their own account, or to set their own password in user management.
    OwnAccount = "OWN_ACCOUNT",
    /// The new password does not meet the password rules.
    BadPassword = "BAD_PASSWORD",
    /// The current password in the request is wrong.
    WrongPassword = "WRONG_PASSWORD",
    /// The campaign does not exist.
    NoCampaign = "NO_CAMPAIGN",
    /// Another campaign has the requested name.
    NameTaken = "NAME_TAKEN",
    /// The campaign cannot change from its current status to the requested status.
    BadTransition = "BAD_TRANSITION",
    /// The campaign is closed and accepts no saves.
    CampaignClosed = "CAMPAIGN_CLOSED",
    /// The vehicle does not exist.
    NoVehicle = "NO_VEHICLE",
    /// The save is based on an outdated version of the vehicle, because another save came first.
    StaleVersion = "STALE_VERSION",
    /// The user's role does not allow changing the vehicle from its current status to the requested status.
    StatusNotAllowed = "STATUS_NOT_ALLOWED",
    /// The VIN (vehicle identification number) of the vehicle was changed after the user opened the vehicle.
    OtherVehicle = "OTHER_VEHICLE",
    /// Another vehicle of the campaign has the requested VIN.
    VinTaken = "VIN_TAKEN",
    /// The idempotency key was already used for a different request.
    KeyReused = "KEY_REUSED",
    /// The uploaded file does not exist, has expired, or belongs to another user.
    NoUpload = "NO_UPLOAD",
    /// The job (an import or a bulk change) does not exist, or is too old to be undone.
    NoJob = "NO_JOB",
    /// The conflict between two saves of a vehicle does not exist.
    NoConflict = "NO_CONFLICT",
    /// The conflict between two saves of a vehicle was already resolved.
    ConflictSettled = "CONFLICT_SETTLED",
    /// The user's saves have caused too many conflicts that are not yet resolved.
    TooManyConflicts = "TOO_MANY_CONFLICTS",
    /// The user cancelled the import, and nothing was imported.
    Cancelled = "CANCELLED",
    /// The import cannot be cancelled, because it has already finished.
    TooLate = "TOO_LATE",
    /// The request exceeds a size limit.
    TooLarge = "TOO_LARGE",
    /// The service is overloaded or a concurrent change took precedence; a later retry may succeed.
    Busy = "BUSY",
    /// A required service or database is unavailable.
    Unavailable = "UNAVAILABLE",
    /// The call took too long.
    Timeout = "TIMEOUT",
    /// An unexpected error occurred in the service.
    Internal = "INTERNAL",
}

/// Builds a gRPC error status with a machine-readable reason. The text of `error` becomes the message of the status.
#[must_use]
pub fn status(code: Code, reason: ErrorReason, error: &dyn Display) -> Status {
    status_with_values(code, reason, error, &[])
}

/// Builds a gRPC error status with a machine-readable reason and named values, such as `retry_after` in seconds.
#[must_use]
pub fn status_with_values(code: Code, reason: ErrorReason, error: &dyn Display, values: &[(&str, String)]) -> Status {
    let values: HashMap<String, String> = values.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    Status::with_error_details(code, error.to_string(), ErrorDetails::with_error_info(reason.text(), "patio", values))
}

/// Logs the cause of an internal error, and builds an error status that does not reveal the cause to the caller.
#[must_use]
pub fn internal_status(cause: &dyn Display) -> Status {
    tracing::error!(%cause, "request failed with an internal error");
    status(Code::Internal, ErrorReason::Internal, &"Something went wrong. Try again.")
}

/// gRPC metadata key for the name of the dependency whose failure caused an error, such as `vehicle-svc`. The gateway logs the
/// name and does not forward it to clients.
const DEPENDENCY_KEY: &str = "x-patio-dependency";
/// gRPC metadata key for the cause of an error. The gateway logs the cause and does not forward it to clients.
const CAUSE_KEY: &str = "x-patio-cause";
/// Maximum length of an error cause in gRPC metadata, in characters. Longer causes are cut off.
const MAX_CAUSE_LEN: usize = 300;

/// Dependency whose failure caused an error, and the cause of the failure. The gateway logs both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DependencyFailure {
    /// Name of the failed dependency, such as `vehicle-svc` or `database`.
    pub dependency: String,
    /// Cause, such as `Connection refused`.
    pub cause: String,
}

/// Adds the name of the failed dependency and the cause to the metadata of an error status. The gateway logs both.
#[must_use]
pub fn with_dependency_failure(mut status: Status, dependency: &str, cause: &dyn Display) -> Status {
    let visible = |c: char| if c.is_ascii_graphic() { c } else { ' ' };
    let cause: String = cause.to_string().chars().take(MAX_CAUSE_LEN).map(visible).collect();
    for (key, value) in [(DEPENDENCY_KEY, dependency), (CAUSE_KEY, cause.trim())] {
        if let Ok(value) = value.parse() {
            status.metadata_mut().insert(key, value);
        }
    }
    status
}

/// Returns the failed dependency and the cause from the metadata of a status, or `None` when the metadata names no dependency.
#[must_use]
pub fn dependency_failure(status: &Status) -> Option<DependencyFailure> {
    let value = |key| status.metadata().get(key)?.to_str().ok().map(str::to_owned);
    Some(DependencyFailure { dependency: value(DEPENDENCY_KEY)?, cause: value(CAUSE_KEY).unwrap_or_default() })
}

/// Builds the error status for a call that got no complete response. `dependency` is the called service or `database`.
#[must_use]
pub fn unavailable_status(dependency: &str, cause: &dyn Display) -> Status {
    tracing::debug!(dependency, %cause, "request failed, dependency unavailable");
    status(Code::Unavailable, ErrorReason::Unavailable, &"The server is temporarily unavailable. Try again in a moment.")
}

/// Builds the error status for a failed SQL statement.
///
/// The code is `Unavailable` when the database is unreachable, is out of disk space or aborted the transaction. An unexpected error
/// gets the code `Internal`.
#[must_use]
pub fn database_status(cause: &sqlx::Error) -> Status {
    match cause {
        cause if is_out_of_space(cause) => disk_full_status(cause),
        cause if is_database_unavailable(cause) => database_unavailable_status(cause),
        cause if is_aborted_by_concurrency(cause) => {
            tracing::warn!(%cause, "transaction aborted by a deadlock or serialization failure, responding with UNAVAILABLE so that the caller can retry");
            status(Code::Unavailable, ErrorReason::Busy, &"Another change was made at the same time. Try again.")
        }
        // PostgreSQL rejects a text that contains a NUL character. SQLite accepts the text and finds nothing.
        sqlx::Error::Database(database_error) if database_error.code().is_some_and(|code| code == "22021") => {
            status(Code::InvalidArgument, ErrorReason::BadRequest, &"A text has a character that is not allowed.")
        }
        _ => internal_status(cause),
    }
}

/// SQLSTATE error code of a write that a read-only server, such as a standby, rejected.
const READ_ONLY: &str = "25006";

/// Returns `true` when a transaction was aborted by a serialization failure or a deadlock.
fn is_aborted_by_concurrency(cause: &sqlx::Error) -> bool {
    let code = cause.as_database_error().and_then(|database_error| database_error.code());
    code.is_some_and(|code| ["40001", "40P01"].contains(&&*code))
}

/// Returns `true` when the database is unreachable, read-only, starting, stopping or out of connections.
#[must_use]
pub fn is_database_unavailable(cause: &sqlx::Error) -> bool {
    match cause {
        sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::WorkerCrashed | sqlx::Error::Tls(_) => true,
        // A connection pooler rejects the startup parameter at every attempt, so a retry is useless. The message names the parameter.
        sqlx::Error::Database(database_error) if database_error.message().starts_with("unsupported startup parameter") => false,
        sqlx::Error::Database(database_error) => database_error
            .code()
            .is_some_and(|code| code.starts_with("57P") || code.starts_with("08") || code == "53300" || code == READ_ONLY),
        _ => false,
    }
}

/// Returns `true` when the server responds but the role, database, schema or privilege that this process needs is missing.
///
/// An administrator still has to create what is missing.
#[must_use]
pub fn is_database_setup_missing(cause: &sqlx::Error) -> bool {
    let code = cause.as_database_error().and_then(|database_error| database_error.code());
    code.is_some_and(|code| ["28000", "28P01", "3D000", "3F000", "42501"].contains(&&*code))
}

/// Returns `true` when a statement failed because the disk is full.
#[must_use]
pub fn is_out_of_space(cause: &sqlx::Error) -> bool {
    match cause {
        sqlx::Error::Io(cause) => cause.kind() == ErrorKind::StorageFull,
        // SQLITE_FULL is 13; SQLSTATE disk_full is 53100.
        sqlx::Error::Database(database_error) => database_error.code().is_some_and(|code| code == "13" || code == "53100"),
        _ => false,
    }
}

fn disk_full_status(cause: &sqlx::Error) -> Status {
    tracing::error!(%cause, "database disk full, writes are rejected");
    status(
        Code::Unavailable,
        ErrorReason::Unavailable,
        &"The server's disk is full and nothing can be saved. Ask your administrator to free space.",
    )
}

fn database_unavailable_status(cause: &sqlx::Error) -> Status {
    if cause.as_database_error().and_then(|database_error| database_error.code()).is_some_and(|code| code == READ_ONLY) {
        crate::database_state::record_read_only_server();
    }
    crate::database_state::log_database_unavailable(cause);
    let unavailable = status(Code::Unavailable, ErrorReason::Unavailable, &"The server cannot reach its database. Try again in a moment.");
    with_dependency_failure(unavailable, "database", cause)
}

/// Returns an error and its causes as one line of text. Repeated texts and line numbers of the database server's source code are
/// left out.
#[must_use]
pub fn format_error_chain(cause: &anyhow::Error) -> String {
    cause.chain().map(|cause| without_line_numbers(&cause.to_string())).fold(String::new(), |mut line, part| {
        if line.is_empty() {
            line = part;
        } else if !line.contains(&part) {
            line = format!("{line}: {part}");
        }
        line
    })
}

/// Removes the text ` at line N` from a database error. The line number refers to the source code of the database server.
fn without_line_numbers(text: &str) -> String {
    let mut parts = text.split(" at line ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.trim_start_matches(|digit: char| digit.is_ascii_digit()))
}

/// Returns the machine-readable reason of a status, or `None` when the status has none.
#[must_use]
pub fn reason(status: &Status) -> Option<ErrorReason> {
    ErrorReason::parse(&status.get_details_error_info()?.reason)
}

/// Returns a named value of a status, such as `retry_after`, or `None` when the status does not contain the value.
#[must_use]
pub fn status_value(status: &Status, name: &str) -> Option<String> {
    status.get_details_error_info()?.metadata.get(name).cloned()
}

/// Returns `true` when a statement failed because a row violates a unique constraint.
#[must_use]
pub fn is_unique_violation(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Database(database_error) if database_error.is_unique_violation())
}

/// Returns `true` when a `PostgreSQL` statement failed because it waited too long for a lock.
#[must_use]
pub fn is_lock_timeout(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Database(database_error) if database_error.code().is_some_and(|code| code == "55P03"))
}

#[cfg(test)]
mod reason_tests {
    use super::*;

    #[test]
    fn the_text_of_each_reason_is_its_name() {
        for reason in ErrorReason::ALL {
            let words = format!("{reason:?}").chars().fold(String::new(), |mut text, letter| {
                if letter.is_uppercase() && !text.is_empty() {
                    text.push('_');
                }
                text.extend(letter.to_uppercase());
                text
            });
            assert_eq!(reason.text(), words);
            assert_eq!(ErrorReason::parse(reason.text()), Some(*reason));
        }
    }
}

#[cfg(test)]
mod tests;
