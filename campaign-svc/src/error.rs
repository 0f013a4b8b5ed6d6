//! Everything that can go wrong here, and what it means to a caller.
use patio_kit::{
    errors::{self, Reason, status, status_with},
    link,
};
use patio_proto::{campaign::CampaignStatus, status::campaign_text};
use tonic::{Code, Status};

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Also told of drafts and of campaigns that are being deleted.
    #[error("campaign {0} does not exist")]
    NoCampaign(i64),
    #[error("another campaign is named \"{0}\"")]
    NameTaken(String),
    #[error("{}", told(.0))]
    BadFields(Vec<(&'static str, String)>),
    #[error("your role does not allow to change {0}")]
    FieldNotAllowed(&'static str),
    #[error("your role does not allow to move a campaign from {} to {}", campaign_text(*.from), campaign_text(*.to))]
    StepNotAllowed { from: CampaignStatus, to: CampaignStatus },
    #[error("a campaign cannot go from {} to {}", campaign_text(*.from), campaign_text(*.to))]
    BadStep { from: CampaignStatus, to: CampaignStatus },
    #[error("campaign {0} is no draft any more")]
    NoDraft(i64),
    #[error("this import id was used for another campaign")]
    ImportTaken,
    #[error("only a person imports a campaign")]
    NobodyImports,
    /// What another service answered.
    #[error("{}", .0.message())]
    Elsewhere(Status),
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

fn told(fields: &[(&'static str, String)]) -> String {
    fields.iter().map(|(field, why)| format!("{field} {why}")).collect::<Vec<_>>().join("; ")
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        match error {
            Error::NoCampaign(_) => status(Code::NotFound, Reason::NoCampaign, &error),
            Error::NameTaken(ref name) => status_with(Code::AlreadyExists, Reason::NameTaken, &error, &[("name", name.clone())]),
            Error::BadFields(ref fields) => status_with(Code::InvalidArgument, Reason::BadRequest, &error, fields),
            Error::FieldNotAllowed(field) => {
                status_with(Code::PermissionDenied, Reason::FieldNotAllowed, &error, &[("field", field.to_owned())])
            }
            Error::StepNotAllowed { .. } | Error::NobodyImports => status(Code::PermissionDenied, Reason::NotAllowed, &error),
            Error::BadStep { .. } | Error::NoDraft(_) => status(Code::FailedPrecondition, Reason::BadTransition, &error),
            Error::ImportTaken => status(Code::AlreadyExists, Reason::KeyReused, &error),
            Error::Elsewhere(answer) => link::passed_on(answer),
            Error::Database(cause) => errors::database(&cause),
        }
    }
}
