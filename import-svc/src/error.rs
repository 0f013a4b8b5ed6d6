//! What can go wrong with an import beside the file, and what it means to a caller.
use patio_kit::{
    errors::{self, Reason, status},
    link,
};
use tonic::{Code, Status};

/// Why a call about imports was not done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nobody imports under this id, or somebody else does.
    #[error("there is no such upload")]
    NoUpload,
    /// The id was used for something else.
    #[error("this upload id belongs to another upload")]
    IdReused,
    /// The same upload is under way.
    #[error("this upload is being imported already")]
    Running,
    /// More than are taken at once.
    #[error("too many files are being imported; try again in a moment")]
    Busy,
    /// The client went away, or the service is stopping.
    #[error("the import was given up")]
    GivenUp,
    /// Its draft was discarded while it ran, since its signs of life did not come through.
    #[error("Patio was too busy to finish the import; nothing of it was kept, try again")]
    TakenForLost,
    /// Whoever sent it gave it up.
    #[error("the import was cancelled; nothing of it was kept")]
    Cancelled,
    /// There is nothing left to be given up.
    #[error("the import is a campaign already; delete the campaign or undo the import")]
    TooLate,
    /// Giving it up takes longer than anybody waits.
    #[error("the import is being cancelled; ask again in a moment")]
    Ending,
    /// It was never kept, was kept long enough, or is somebody else's.
    #[error("there is no such sheet; refused sheets are kept for three days")]
    NoSheet,
    /// A field is malformed.
    #[error("{0}")]
    Bad(String),
    /// The upload stopped in the middle.
    #[error("the upload stood still for too long")]
    StoodStill,
    /// The process that reads workbooks could not be started.
    #[error("the workbook reader cannot be started: {0}")]
    NoReader(std::io::Error),
    /// Fewer vehicles were stored than the file holds.
    #[error("{stored} of {all} vehicles were stored")]
    Partly {
        /// How many there are now.
        stored: i64,
        /// How many there should be.
        all: i64,
    },
    /// A workbook could not be written.
    #[error("a workbook cannot be written: {0}")]
    Workbook(#[from] rust_xlsxwriter::XlsxError),
    /// A file of ours could not be read.
    #[error("a file cannot be read: {0}")]
    Disk(std::io::Error),
    /// Work with a file ended before it was done.
    #[error("work with a file did not come to its end: {0}")]
    Stopped(tokio::task::JoinError),
    /// Another service did not do its part.
    #[error("another service answered: {0}")]
    Elsewhere(#[from] Status),
    /// A statement failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// What comes of a call about imports.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        match error {
            Error::NoUpload => status(Code::NotFound, Reason::NoUpload, &error),
            Error::NoSheet => status(Code::NotFound, Reason::NoUpload, &error),
            Error::Cancelled => status(Code::Aborted, Reason::Cancelled, &error),
            Error::TooLate => status(Code::Aborted, Reason::TooLate, &error),
            Error::Ending => status(Code::ResourceExhausted, Reason::Busy, &error),
            Error::TakenForLost => status(Code::Unavailable, Reason::Unavailable, &error),
            Error::IdReused => status(Code::AlreadyExists, Reason::KeyReused, &error),
            Error::Running | Error::Busy => status(Code::ResourceExhausted, Reason::Busy, &error),
            Error::GivenUp => status(Code::Cancelled, Reason::Unavailable, &error),
            Error::Bad(_) => status(Code::InvalidArgument, Reason::BadRequest, &error),
            Error::StoodStill => status(Code::DeadlineExceeded, Reason::Timeout, &error),
            Error::NoReader(_) | Error::Partly { .. } | Error::Workbook(_) | Error::Disk(_) | Error::Stopped(_) => errors::internal(&error),
            Error::Elsewhere(told) => link::passed_on(told),
            Error::Database(cause) => errors::database(&cause),
        }
    }
}
