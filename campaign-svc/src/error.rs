//! Errors of campaign-svc and the gRPC status that each error becomes.
use patio_kit::{
    client::service_channel,
    errors::{self, Reason, status, status_with_values},
};
use patio_proto::{campaign::CampaignStatus, status::campaign_status_text};
use tonic::{Code, Status};

/// Error of a campaign-svc call; its text is the message of the gRPC status.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No campaign has this id; also returned for drafts and for campaigns being deleted.
    #[error("Campaign not found. It may have been deleted.")]
    NoCampaign(i64),
    #[error("Another campaign already has the name \"{0}\".")]
    NameTaken(String),
    #[error("{}", sentences(.0))]
    BadFields(Vec<(&'static str, String)>),
    #[error("Your access level does not allow changing {0}.")]
    FieldNotAllowed(&'static str),
    #[error("Your access level does not allow changing a campaign from {} to {}.", label(*.from), label(*.to))]
    StepNotAllowed { from: CampaignStatus, to: CampaignStatus },
    #[error("A campaign cannot change from {} to {}.", label(*.from), label(*.to))]
    BadStep { from: CampaignStatus, to: CampaignStatus },
    #[error("This import has already been completed.")]
    NoDraft(i64),
    #[error("This import was already used for another campaign.")]
    ImportTaken,
    #[error("A campaign can only be imported by a signed-in user.")]
    NobodyImports,
    /// A call to another service failed with this status.
    #[error("{}", .0.message())]
    Elsewhere(Status),
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

impl Error {
    /// Returns `true` if another service did not respond or refused the call because it is unavailable.
    pub fn is_unavailable(&self) -> bool {
        let codes = [Code::Unavailable, Code::DeadlineExceeded, Code::Cancelled];
        matches!(self, Self::Elsewhere(answer) if codes.contains(&answer.code()))
    }
}

/// Returns one sentence per invalid field, such as "The name is missing."
fn sentences(fields: &[(&'static str, String)]) -> String {
    fields.iter().map(|(field, why)| format!("The {} {why}.", field.replace('_', " "))).collect::<Vec<_>>().join(" ")
}

/// Returns the name of a status as the screens show it.
fn label(status: CampaignStatus) -> &'static str {
    if status == CampaignStatus::Ready { "Ready to Start" } else { campaign_status_text(status) }
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        match error {
            Error::NoCampaign(_) => status(Code::NotFound, Reason::NoCampaign, &error),
            Error::NameTaken(ref name) => status_with_values(Code::AlreadyExists, Reason::NameTaken, &error, &[("name", name.clone())]),
            Error::BadFields(ref fields) => status_with_values(Code::InvalidArgument, Reason::BadRequest, &error, fields),
            Error::FieldNotAllowed(field) => {
                status_with_values(Code::PermissionDenied, Reason::FieldNotAllowed, &error, &[("field", field.to_owned())])
            }
            Error::StepNotAllowed { .. } | Error::NobodyImports => status(Code::PermissionDenied, Reason::NotAllowed, &error),
            Error::BadStep { .. } | Error::NoDraft(_) => status(Code::FailedPrecondition, Reason::BadTransition, &error),
            Error::ImportTaken => status(Code::AlreadyExists, Reason::KeyReused, &error),
            Error::Elsewhere(answer) => service_channel::propagate_status(answer),
            Error::Database(cause) => errors::database_status(&cause),
        }
    }
}
