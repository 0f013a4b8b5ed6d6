//! gRPC services of auth-svc, one file per gRPC service.

pub mod sessions;
pub mod tokens;
pub mod users;

use crate::error::Error;
use patio_proto::access::Role;
use tonic::{Response, Status};

/// Result type of the gRPC handlers: a response with a message, or an error status.
type Reply<T> = Result<Response<T>, Status>;

/// Converts the protobuf number of a user's role to `Role`. Accepts only operator, manager and admin.
fn role(number: i32) -> Result<Role, Error> {
    match Role::try_from(number) {
        Ok(role @ (Role::Operator | Role::Manager | Role::Admin)) => Ok(role),
        _ => Err(Error::InvalidField { field: "role", why: "must be operator, manager or admin" }),
    }
}
