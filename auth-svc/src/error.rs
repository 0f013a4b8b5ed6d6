//! What can go wrong in auth-svc, and what each caller is told of it.
use patio_kit::errors::{Reason, database, internal, status, status_with};
use tonic::{Code, Status};

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A field that no correct client sends.
    #[error("{field} {why}")]
    BadField {
        /// Its name in the contract.
        field: &'static str,
        /// What it has to be.
        why: &'static str,
    },
    /// A password that the rules do not take.
    #[error("the password {0}")]
    BadPassword(&'static str),
    /// Hmc and password do not belong together.
    #[error("Invalid credentials. You have more {left} attempt(s).")]
    WrongCredentials {
        /// How many tries remain.
        left: i64,
    },
    /// Too many tries.
    #[error("Exceeded login attempts. Please try again in {seconds} seconds.")]
    LockedOut {
        /// How long the block lasts, 1 to 180.
        seconds: i64,
    },
    /// The address has no try left, and the device is not known of the person.
    #[error("too many sign-ins from this address; try again in a moment")]
    RateLimited,
    /// More people sign in at this moment than passwords can be checked.
    #[error("many people are signing in at this moment; try again in a moment")]
    Busy,
    /// One's own old password is wrong.
    #[error("the old password is wrong")]
    WrongOldPassword {
        /// How many tries remain.
        left: i64,
    },
    /// The person the token speaks of is not there, or has been signed out meanwhile.
    #[error("sign in to do this")]
    NotSignedIn,
    /// The caller may not do this, as stored now.
    #[error("your role does not allow this")]
    NotAllowed,
    /// There is no such user.
    #[error("user {0} does not exist")]
    NoUser(i64),
    /// Another user has this hmc.
    #[error("another user has this hmc already")]
    HmcTaken,
    /// The developer code was asked for.
    #[error("this hmc is reserved")]
    ReservedHmc,
    /// The developer account was to be touched.
    #[error("user 1 is reserved")]
    ReservedUser,
    /// The last supervisor was to be demoted or deleted.
    #[error("the last supervisor must stay one")]
    LastAdmin,
    /// Somebody was to delete the own account.
    #[error("you cannot delete your own account")]
    OwnAccount,
    /// The own password is changed with the old one.
    #[error("your own password is changed under My account, with the old one")]
    OwnPassword,
    /// A service that does not know the secret asked for a token.
    #[error("the service secret is wrong or not set")]
    WrongSecret,
    /// A statement failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    /// Something that cannot be failed: a key, a hash, a thread.
    #[error("{0}")]
    Broken(String),
}

impl Error {
    /// The cause itself where a statement failed, for whoever waits for the database.
    pub(crate) fn told(self) -> anyhow::Error {
        match self {
            Self::Database(cause) => cause.into(),
            other => other.into(),
        }
    }
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        match &error {
            Error::BadField { .. } => status(Code::InvalidArgument, Reason::BadRequest, &error),
            Error::BadPassword(_) => status(Code::InvalidArgument, Reason::BadPassword, &error),
            Error::WrongCredentials { left } => {
                status_with(Code::Unauthenticated, Reason::InvalidCredentials, &error, &[("attempts_left", left.to_string())])
            }
            Error::LockedOut { seconds } => {
                status_with(Code::ResourceExhausted, Reason::LockedOut, &error, &[("retry_after", seconds.to_string())])
            }
            Error::RateLimited => status_with(Code::ResourceExhausted, Reason::RateLimited, &error, &[("retry_after", "1".to_owned())]),
            Error::Busy => status_with(Code::Unavailable, Reason::Busy, &error, &[("retry_after", "1".to_owned())]),
            Error::WrongOldPassword { left } => {
                status_with(Code::PermissionDenied, Reason::WrongPassword, &error, &[("attempts_left", left.to_string())])
            }
            Error::NotSignedIn => status(Code::Unauthenticated, Reason::NotSignedIn, &error),
            Error::NotAllowed | Error::WrongSecret => status(Code::PermissionDenied, Reason::NotAllowed, &error),
            Error::NoUser(_) => status(Code::NotFound, Reason::NoUser, &error),
            Error::HmcTaken => status(Code::AlreadyExists, Reason::HmcTaken, &error),
            Error::ReservedHmc => status(Code::AlreadyExists, Reason::Reserved, &error),
            Error::ReservedUser => status(Code::PermissionDenied, Reason::Reserved, &error),
            Error::LastAdmin => status(Code::FailedPrecondition, Reason::LastAdmin, &error),
            Error::OwnAccount | Error::OwnPassword => status(Code::FailedPrecondition, Reason::OwnAccount, &error),
            Error::Database(cause) => database(cause),
            Error::Broken(cause) => internal(cause),
        }
    }
}
