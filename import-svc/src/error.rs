//! Errors of the gRPC calls to import-svc and the gRPC status of each error. An invalid uploaded file is reported as a
//! `Rejection` instead.
use patio_kit::{
    client::service_channel,
    errors::{self, ErrorReason, status},
};
use tonic::{Code, Status};

/// Error that a gRPC call to import-svc returns.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No upload has this id, or the upload belongs to another user.
    #[error("Upload not found. Import the file again.")]
    UploadNotFound,
    /// The upload id belongs to another user, or a different file was already imported under this upload id.
    #[error("This upload was started by another user or for another file. Start a new import.")]
    UploadIdReused,
    /// The import with this upload id is still running.
    #[error("This file is already being imported.")]
    AlreadyRunning,
    /// The limit of concurrent uploads or exports is reached.
    #[error("Too many imports or exports are running. Try again in a moment.")]
    Busy,
    /// The client disconnected during the import, or the service is shutting down.
    #[error("The import was interrupted: the connection was lost or the server is restarting. Nothing was imported. Try again.")]
    Interrupted,
    /// campaign-svc discarded the draft campaign of the import, because the heartbeats for the draft arrived too late.
    #[error("The server was too busy to finish the import. Nothing was imported. Try again.")]
    HeartbeatTimedOut,
    /// The uploader cancelled the import.
    #[error("Import cancelled. Nothing was imported.")]
    Cancelled,
    /// The import cannot be cancelled: its campaign is already published.
    #[error("The import has already finished. To remove its campaign, undo the import in History.")]
    AlreadyPublished,
    /// The cancelled import did not stop within the time that `CancelImport` waits, and is still stopping.
    #[error("The import is still being cancelled. Check its status in a moment.")]
    CancellationPending,
    /// The rejected workbook was never stored, has expired, or belongs to another user.
    #[error(
        "The spreadsheet with marked errors is not available. Such files are deleted after three days. Import the original file again."
    )]
    RejectedWorkbookNotFound,
    /// A request field is malformed; the text names the field and the problem.
    #[error("{0}")]
    InvalidField(String),
    /// The upload sent no data for longer than the idle timeout.
    #[error("The upload stopped because no more data arrived. Try again with a better connection.")]
    UploadStalled,
    /// The workbook reader process failed to start.
    #[error("failed to start the workbook reader process: {0}")]
    ReaderNotStarted(std::io::Error),
    /// vehicle-svc stored a different number of vehicles than the file contains.
    #[error("vehicle-svc stored {stored} vehicles, but the file contains {expected}")]
    VehicleCountMismatch {
        /// Number of vehicles that vehicle-svc stored.
        stored: i64,
        /// Number of vehicles in the imported file.
        expected: i64,
    },
    /// Writing an `.xlsx` workbook failed.
    #[error("failed to write a workbook: {0}")]
    WorkbookWriteFailed(#[from] rust_xlsxwriter::XlsxError),
    /// Reading the temporary file of a download failed.
    #[error("failed to read the temporary file for a download: {0}")]
    FileReadFailed(std::io::Error),
    /// The task that reads or writes a file on a blocking thread panicked or was aborted.
    #[error("failed to process a file because the background task panicked or was aborted: {0}")]
    TaskAborted(tokio::task::JoinError),
    /// A call to another Patio service failed with this status.
    #[error("a call to another service failed: {0}")]
    DependencyFailed(#[from] Status),
    /// A database statement failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// Result whose default error is import-svc's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        match error {
            Error::UploadNotFound => status(Code::NotFound, ErrorReason::NoUpload, &error),
            Error::RejectedWorkbookNotFound => status(Code::NotFound, ErrorReason::NoUpload, &error),
            Error::Cancelled => status(Code::Aborted, ErrorReason::Cancelled, &error),
            Error::AlreadyPublished => status(Code::Aborted, ErrorReason::TooLate, &error),
            Error::CancellationPending => status(Code::ResourceExhausted, ErrorReason::Busy, &error),
            Error::HeartbeatTimedOut => status(Code::Unavailable, ErrorReason::Unavailable, &error),
            Error::UploadIdReused => status(Code::AlreadyExists, ErrorReason::KeyReused, &error),
            Error::AlreadyRunning | Error::Busy => status(Code::ResourceExhausted, ErrorReason::Busy, &error),
            Error::Interrupted => status(Code::Cancelled, ErrorReason::Unavailable, &error),
            Error::InvalidField(_) => status(Code::InvalidArgument, ErrorReason::BadRequest, &error),
            Error::UploadStalled => status(Code::DeadlineExceeded, ErrorReason::Timeout, &error),
            Error::ReaderNotStarted(_)
            | Error::VehicleCountMismatch { .. }
            | Error::WorkbookWriteFailed(_)
            | Error::FileReadFailed(_)
            | Error::TaskAborted(_) => errors::internal_status(&error),
            Error::DependencyFailed(cause) => service_channel::convert_dependency_status(cause),
            Error::Database(cause) => errors::database_status(&cause),
        }
    }
}
