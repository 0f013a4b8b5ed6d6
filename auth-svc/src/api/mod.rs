//! The gRPC services, a file each.

pub mod sessions;
pub mod tokens;
pub mod users;

use crate::error::Error;
use patio_proto::access::Role;
use tonic::{Response, Status};

/// What a call answers.
type Reply<T> = Result<Response<T>, Status>;

/// A role that a person can have.
fn role(number: i32) -> Result<Role, Error> {
    match Role::try_from(number) {
        Ok(role @ (Role::Operator | Role::Manager | Role::Admin)) => Ok(role),
        _ => Err(Error::BadField { field: "role", why: "must be operator, manager or admin" }),
    }
}
