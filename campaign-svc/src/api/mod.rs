//! gRPC services of campaign-svc, one file per service.
mod campaigns;
mod drafts;
mod milestones;

pub use campaigns::CampaignApi;
pub use drafts::DraftApi;
pub use milestones::MilestoneApi;

use crate::request_context::RequestContext;
use tonic::{Request, Response, Status};

/// Result type of the gRPC handlers: a response with a message, or an error status.
type Reply<T> = Result<Response<T>, Status>;

/// Splits a gRPC request into its context (caller, credentials and client address) and its message.
fn accept<T>(request: Request<T>) -> Result<(RequestContext, T), Status> {
    Ok((RequestContext::from_request(&request)?, request.into_inner()))
}

/// Converts a result value, such as a campaign, into a gRPC response.
fn reply<T, W: From<T>>(value: T) -> Reply<W> {
    Ok(Response::new(value.into()))
}
