//! Errors of campaign-svc and the gRPC status that each error becomes.
use patio_kit::{
    client::service_channel,
    errors::{self, ErrorReason, status, status_with_values},
};
use patio_proto::{campaign::CampaignStatus, status::campaign_status_text};
use tonic::{Code, Status};

/// Error of a campaign-svc call; its text is the message of the gRPC status.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No campaign has this id; also returned for drafts and for campaigns being deleted.
    #[error("Campaign not found. It may have been deleted.")]
    CampaignNotFound(i64),
    /// Another campaign or draft already has this name.
    #[error("Another campaign already has the name \"{0}\".")]
    NameTaken(String),
    /// Fields of the request are invalid; contains the name of each field and the broken rule.
    #[error("{}", field_sentences(.0))]
    InvalidFields(Vec<(&'static str, String)>),
    /// The caller's role may not change this field of a campaign.
    #[error("Your access level does not allow changing the {}.", field_label(.0))]
    FieldNotAllowed(&'static str),
    /// The caller's role may not change the campaign from the status `from` to the status `to`.
    #[error("Your access level does not allow changing the status of a campaign from {} to {}.", status_label(*.from), status_label(*.to))]
    TransitionNotAllowed { from: CampaignStatus, to: CampaignStatus },
    /// No role may change a campaign from the status `from` to the status `to`.
    #[error("The status of a campaign cannot change from {} to {}.", status_label(*.from), status_label(*.to))]
    InvalidTransition { from: CampaignStatus, to: CampaignStatus },
    /// The draft cannot be discarded, because the import has already published the draft.
    #[error("The import has already finished. To remove its campaign, undo the import in History.")]
    AlreadyPublished(i64),
    /// The import id was already used for a campaign with another name or by another user.
    #[error("This import belongs to another user or another campaign. Start a new import.")]
    ImportIdReused,
    /// A service without a signed-in user tried to create a draft campaign.
    #[error("A campaign can only be imported by a signed-in user.")]
    UserRequired,
    /// A call to another service failed with this status.
    #[error("{}", .0.message())]
    DependencyFailed(Status),
    /// A database statement failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

impl Error {
    /// Returns `true` if the error means that another service is unavailable or did not respond in time.
    pub fn is_unavailable(&self) -> bool {
        let codes = [Code::Unavailable, Code::DeadlineExceeded, Code::Cancelled];
        matches!(self, Self::DependencyFailed(answer) if codes.contains(&answer.code()))
    }
}

/// Returns one sentence per invalid field, such as "The name is missing."
fn field_sentences(fields: &[(&'static str, String)]) -> String {
    fields.iter().map(|(field, why)| format!("The {} {why}.", field_label(field))).collect::<Vec<_>>().join(" ")
}

/// Returns the name of a request field as written in a sentence, such as "model type" for `model_type`.
fn field_label(field: &str) -> String {
    if field == "due_at" { "due date".to_owned() } else { field.replace('_', " ") }
}

/// Returns the name of a status as displayed on the screens.
fn status_label(status: CampaignStatus) -> &'static str {
    if status == CampaignStatus::Ready { "Ready to Start" } else { campaign_status_text(status) }
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        match error {
            Error::CampaignNotFound(_) => status(Code::NotFound, ErrorReason::NoCampaign, &error),
            Error::NameTaken(ref name) => {
                status_with_values(Code::AlreadyExists, ErrorReason::NameTaken, &error, &[("name", name.clone())])
            }
            Error::InvalidFields(ref fields) => status_with_values(Code::InvalidArgument, ErrorReason::BadRequest, &error, fields),
            Error::FieldNotAllowed(field) => {
                status_with_values(Code::PermissionDenied, ErrorReason::FieldNotAllowed, &error, &[("field", field.to_owned())])
            }
            Error::TransitionNotAllowed { .. } | Error::UserRequired => status(Code::PermissionDenied, ErrorReason::NotAllowed, &error),
            Error::InvalidTransition { .. } | Error::AlreadyPublished(_) => {
                status(Code::FailedPrecondition, ErrorReason::BadTransition, &error)
            }
            Error::ImportIdReused => status(Code::AlreadyExists, ErrorReason::KeyReused, &error),
            Error::DependencyFailed(answer) => service_channel::convert_dependency_status(answer),
            Error::Database(cause) => errors::database_status(&cause),
        }
    }
}
