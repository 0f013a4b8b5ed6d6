//! The calls of this service, one file a gRPC service.
mod campaigns;
mod drafts;
mod turns;

pub use campaigns::Campaigns;
pub use drafts::Drafts;
pub use turns::Turns;

use crate::works::Asker;
use tonic::{Request, Response, Status};

/// What a handler answers.
type Reply<T> = Result<Response<T>, Status>;

/// Who asks, and what.
fn accept<T>(request: Request<T>) -> Result<(Asker, T), Status> {
    Ok((Asker::of(&request)?, request.into_inner()))
}

/// A value of the domain as the contract carries it.
fn reply<T, W: From<T>>(value: T) -> Reply<W> {
    Ok(Response::new(value.into()))
}
