//! Errors of auth-svc and the gRPC status that each error becomes.
use patio_kit::errors::{ErrorReason, database_status, internal_status, status, status_with_values};
use tonic::{Code, Status};

/// Error of an auth-svc call; its text is the message of the gRPC status.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A request field is malformed, which only happens with a faulty client.
    #[error("The {field_name} {broken_rule}.", field_name = .field.replace('_', " ").replace("hmc", "HMC"), broken_rule = .why)]
    InvalidField {
        /// Name of the malformed field in the protobuf message.
        field: &'static str,
        /// Rule that the field violates, such as 'must not be blank'.
        why: &'static str,
    },
    /// A login name (HMC) breaks a rule; the text is a sentence that states the rule.
    #[error("{0}")]
    InvalidHmc(&'static str),
    /// A new password breaks a password rule; the text is a sentence that states the rule.
    #[error("{0}")]
    PasswordRejected(&'static str),
    /// A sign-in used an unknown login name (HMC) or a wrong password.
    #[error("Invalid credentials. You have more {left} attempt(s).")]
    WrongCredentials {
        /// Number of password attempts left before the lockout.
        left: i64,
    },
    /// Sign-in is blocked after too many failed attempts.
    #[error("Exceeded login attempts. Please try again in {seconds} seconds.")]
    LockedOut {
        /// Seconds until the sign-in block ends, 1 to 180.
        seconds: i64,
    },
    /// The client address has used up its sign-in rate limit, and the browser has no valid device token of the user. A device token
    /// proves an earlier sign-in with the same browser.
    #[error("Too many sign-ins from this network. Try again in a moment.")]
    RateLimited,
    /// The queue for password hashing is full, or the wait for a hashing permit timed out.
    #[error("Too many people are signing in. Try again in a moment.")]
    Busy,
    /// The signed-in caller gave a wrong current password.
    #[error("The current password is incorrect.")]
    WrongCurrentPassword {
        /// Number of password attempts left before the lockout.
        left: i64,
    },
    /// The user named by the access token was deleted, or the session has ended.
    #[error("Sign in to continue.")]
    NotSignedIn,
    /// The caller has to enter their password again before this action.
    #[error("To continue, enter your password again.")]
    PasswordConfirmationRequired,
    /// The session does not exist, belongs to another user, or has ended.
    #[error("This session has already ended.")]
    SessionNotFound,
    /// The key file does not contain the key with which the keys in the database were encrypted.
    #[error("cannot decrypt a key in the database: PATIO_KEY_FILE names the wrong key file, or the stored key was modified")]
    WrongKeyFile,
    /// The caller's role does not allow the action, or the action needs a signed-in user and the caller is a service.
    #[error("Your access level does not allow this.")]
    NotAllowed,
    /// No user with this id exists.
    #[error("User not found.")]
    UserNotFound(i64),
    /// Another user already has this login name (HMC).
    #[error("This login name is already in use. Choose another.")]
    HmcTaken,
    /// The requested login name (HMC) is reserved for the developer account.
    #[error("This login name is reserved for the developer account. Choose another.")]
    ReservedHmc,
    /// The action targets the reserved developer account.
    #[error("This is the developer account. It cannot be viewed or changed in User Management.")]
    ReservedUser,
    /// The action would demote or delete the last supervisor.
    #[error("There must be at least one supervisor.")]
    LastAdmin,
    /// The caller tries to delete their own account.
    #[error("You cannot delete your own account.")]
    OwnAccount,
    /// The caller tries to set their own password through user administration, which does not ask for the current password.
    #[error("You cannot set your own password in User Management. Change it in My account.")]
    OwnPassword,
    /// A service requested a token with a wrong service secret.
    #[error("the service secret is wrong or not set: PATIO_SERVICE_SECRET must be the same for all services")]
    WrongSecret,
    /// A database statement failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    /// An internal failure, such as a damaged key, an unreadable hash or a crashed task.
    #[error("{0}")]
    Internal(String),
}

impl Error {
    /// Converts the error into `anyhow::Error`. For `Database`, the result wraps the original `sqlx::Error`.
    ///
    /// From the `sqlx::Error`, the startup code detects that the database is unreachable, and then retries.
    pub(crate) fn into_anyhow(self) -> anyhow::Error {
        match self {
            Self::Database(cause) => cause.into(),
            other => other.into(),
        }
    }
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        match &error {
            Error::InvalidField { .. } | Error::InvalidHmc(_) => status(Code::InvalidArgument, ErrorReason::BadRequest, &error),
            Error::PasswordRejected(_) => status(Code::InvalidArgument, ErrorReason::BadPassword, &error),
            Error::WrongCredentials { left } => {
                status_with_values(Code::Unauthenticated, ErrorReason::InvalidCredentials, &error, &[("attempts_left", left.to_string())])
            }
            Error::LockedOut { seconds } => {
                status_with_values(Code::ResourceExhausted, ErrorReason::LockedOut, &error, &[("retry_after", seconds.to_string())])
            }
            Error::RateLimited => {
                status_with_values(Code::ResourceExhausted, ErrorReason::RateLimited, &error, &[("retry_after", "1".to_owned())])
            }
            Error::Busy => status_with_values(Code::Unavailable, ErrorReason::Busy, &error, &[("retry_after", "1".to_owned())]),
            Error::WrongCurrentPassword { left } => {
                status_with_values(Code::PermissionDenied, ErrorReason::WrongPassword, &error, &[("attempts_left", left.to_string())])
            }
            Error::NotSignedIn => status(Code::Unauthenticated, ErrorReason::NotSignedIn, &error),
            Error::PasswordConfirmationRequired => status(Code::PermissionDenied, ErrorReason::ConfirmPassword, &error),
            Error::SessionNotFound => status(Code::NotFound, ErrorReason::NoSession, &error),
            Error::WrongKeyFile => internal_status(&error),
            Error::NotAllowed | Error::WrongSecret => status(Code::PermissionDenied, ErrorReason::NotAllowed, &error),
            Error::UserNotFound(_) => status(Code::NotFound, ErrorReason::NoUser, &error),
            Error::HmcTaken => status(Code::AlreadyExists, ErrorReason::HmcTaken, &error),
            Error::ReservedHmc => status(Code::AlreadyExists, ErrorReason::Reserved, &error),
            Error::ReservedUser => status(Code::PermissionDenied, ErrorReason::Reserved, &error),
            Error::LastAdmin => status(Code::FailedPrecondition, ErrorReason::LastAdmin, &error),
            Error::OwnAccount | Error::OwnPassword => status(Code::FailedPrecondition, ErrorReason::OwnAccount, &error),
            Error::Database(cause) => database_status(cause),
            Error::Internal(cause) => internal_status(cause),
        }
    }
}
