//! Request headers that a service forwards with its gRPC calls: the caller's token, the request id and the client's address.
use std::time::Duration;
use tonic::metadata::{Ascii, MetadataValue};

/// Header with the id of a request. Services forward the id, so that all log lines of one request can be found.
pub const REQUEST_ID_HEADER: &str = "x-request-id";
/// Header with the token of the user on whose behalf a service makes a call.
pub const ON_BEHALF_OF_HEADER: &str = "x-patio-on-behalf-of";

/// Request extension that marks a single call as idempotent, such as a save with an idempotency key. An idempotent call may be
/// retried.
#[derive(Debug, Clone, Copy)]
pub struct IdempotentCall;

/// Context of an incoming call that a service forwards with its outgoing calls: the caller's token, the request id and the client's
/// address.
#[derive(Debug, Clone, Default)]
pub struct CallContext {
    authorization: Option<MetadataValue<Ascii>>,
    on_behalf_of: Option<MetadataValue<Ascii>>,
    request_id: Option<MetadataValue<Ascii>>,
    address: Option<MetadataValue<Ascii>>,
}

impl CallContext {
    /// Creates the call context for a token, a request id and a client address. A value that is not valid in a header is omitted.
    #[must_use]
    pub fn new(token: Option<&str>, request_id: &str, address: &str) -> Self {
        Self {
            authorization: token.and_then(|token| format!("Bearer {token}").parse().ok()),
            on_behalf_of: None,
            request_id: request_id.parse().ok(),
            address: address.parse().ok(),
        }
    }

    /// Reads token, request id and client address of an incoming request.
    #[must_use]
    pub fn from_request<T>(request: &tonic::Request<T>) -> Self {
        let take = |name| request.metadata().get(name).cloned();
        Self {
            authorization: take("authorization"),
            on_behalf_of: None,
            request_id: take(REQUEST_ID_HEADER),
            address: take("x-patio-address"),
        }
    }

    /// Returns the context of a call that a service makes on behalf of this caller. `service` is the call context with the
    /// service's own token.
    #[must_use]
    pub fn to_delegated_context(&self, service: &Self) -> Self {
        Self { authorization: service.authorization.clone(), on_behalf_of: self.authorization.clone(), ..self.clone() }
    }

    /// Builds a request with the token, request id and address of this caller.
    #[must_use]
    pub fn grpc_request<T>(&self, message: T) -> tonic::Request<T> {
        let mut request = tonic::Request::new(message);
        self.mark(&mut request);
        request
    }

    /// Builds a request of this caller with a timeout.
    #[must_use]
    pub fn grpc_request_with_timeout<T>(&self, timeout: Duration, message: T) -> tonic::Request<T> {
        let mut request = self.grpc_request(message);
        request.set_timeout(timeout);
        request
    }

    /// Builds a request of this caller that is idempotent and may therefore be retried, such as a save with an idempotency key.
    #[must_use]
    pub fn idempotent_grpc_request<T>(&self, message: T) -> tonic::Request<T> {
        let mut request = self.grpc_request(message);
        request.extensions_mut().insert(IdempotentCall);
        request
    }

    fn mark<T>(&self, request: &mut tonic::Request<T>) {
        let entries = [
            ("authorization", &self.authorization),
            (ON_BEHALF_OF_HEADER, &self.on_behalf_of),
            (REQUEST_ID_HEADER, &self.request_id),
            ("x-patio-address", &self.address),
        ];
        for (name, value) in entries {
            if let Some(value) = value {
                request.metadata_mut().insert(name, value.clone());
            }
        }
    }
}
