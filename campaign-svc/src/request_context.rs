//! Context of one gRPC call: the caller, the forwarded credentials and the client's address, read from the request.
use patio_kit::{
    audit,
    auth::identity::{self, Caller},
    client::call_context::CallContext,
};
use tonic::{Request, Status};

/// Context of one call: the caller, the credentials for calls to other services, and the address for the audit entry.
#[derive(Clone)]
pub struct RequestContext {
    pub caller: Caller,
    pub bearer: CallContext,
    pub address: String,
}

impl RequestContext {
    pub fn from_request<T>(request: &Request<T>) -> Result<Self, Status> {
        Ok(Self {
            caller: identity::authenticated_caller(request)?,
            bearer: CallContext::from_request(request),
            address: audit::client_address(request),
        })
    }
}
