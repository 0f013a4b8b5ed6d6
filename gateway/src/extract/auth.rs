//! Extractors that identify the caller of a request: the user in the bearer token, or the client's address and browser when no sign-in
//! is required.
use crate::{
    http::{
        client_address::detect_client_address_and_https,
        device_cookie::read_device_tokens,
        problem::{ApiResult, Problem},
        request_id::RequestId,
        user_agent,
    },
    state::AppState,
};
use axum::extract::{FromRequestParts, MatchedPath};
use http::{HeaderMap, StatusCode, header::AUTHORIZATION, request::Parts};
use patio_kit::{auth::identity::Caller, client::call_context::CallContext, server::authorization_layer::PASSWORD_MUST_CHANGE_MESSAGE};
use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

/// Client of a route that requires no sign-in, such as the route that signs users in. The client's address and browser are known, but
/// no user.
#[derive(Debug, Clone)]
pub struct AnonymousClient {
    /// Address of the client: an IPv4 address, or the /64 network of an IPv6 address.
    pub address: String,
    /// Whether the client is connected over HTTPS, to the gateway itself or to a trusted proxy.
    pub secure: bool,
    /// Device tokens (proofs of earlier sign-ins) from the browser's cookie, most recent first. Each token belongs to one user
    /// who signed in on this browser.
    pub device_tokens: Vec<String>,
    /// Browser and operating system, such as `Chrome on Android`; empty when unknown.
    pub device: String,
    bearer: CallContext,
}

/// Authenticated caller of a request, whose token is valid, not expired and not revoked.
#[derive(Debug, Clone)]
pub struct AuthenticatedCaller {
    /// User, role and session from the caller's token.
    pub caller: Caller,
    /// Address of the client: an IPv4 address, or the /64 network of an IPv6 address.
    pub address: String,
    bearer: CallContext,
}

/// Slot for the caller's identity, filled by the auth extractor. The outer middleware reads the slot to name the caller
/// in the audit entry of a 403 response.
#[derive(Debug, Clone, Default)]
pub struct CallContextCell(pub Arc<OnceLock<CallContext>>);

impl AnonymousClient {
    /// Builds a gRPC request that carries the request id and the client's address, but no user's token.
    #[must_use]
    pub fn grpc_request<T>(&self, message: T) -> tonic::Request<T> {
        self.bearer.grpc_request(message)
    }
}

impl AuthenticatedCaller {
    /// Returns the caller's token, request id and address, for gRPC calls made on behalf of the caller.
    #[must_use]
    pub fn call_context(&self) -> &CallContext {
        &self.bearer
    }

    /// Builds a gRPC request that carries the caller's token.
    #[must_use]
    pub fn grpc_request<T>(&self, message: T) -> tonic::Request<T> {
        self.bearer.grpc_request(message)
    }

    /// Builds a gRPC request that carries the caller's token and is marked as idempotent, so that it may be retried.
    #[must_use]
    pub fn idempotent_grpc_request<T>(&self, message: T) -> tonic::Request<T> {
        self.bearer.idempotent_grpc_request(message)
    }

    /// Builds a gRPC request that carries the caller's token, with `timeout` in place of the default timeout.
    #[must_use]
    pub fn grpc_request_with_timeout<T>(&self, timeout: Duration, message: T) -> tonic::Request<T> {
        self.bearer.grpc_request_with_timeout(timeout, message)
    }
}

impl FromRequestParts<AppState> for AnonymousClient {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &AppState) -> ApiResult<Self> {
        let (address, secure) = detect_client_address_and_https(parts, &api.config.trusted_proxies);
        let bearer = CallContext::new(None, request_id(parts), &address);
        let device = user_agent::describe_browser_and_system(&parts.headers);
        Ok(Self { device_tokens: read_device_tokens(&parts.headers), address, secure, device, bearer })
    }
}

impl FromRequestParts<AppState> for AuthenticatedCaller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &AppState) -> ApiResult<Self> {
        let token = token(&parts.headers).ok_or_else(not_signed_in)?;
        let caller = api.host.identity.authenticate_with_current_keys(token).await?;
        // A service's own token is valid only between services, never at the public API.
        if caller.signed_in_user_id().is_none() {
            return Err(not_signed_in());
        }
        let (address, _) = detect_client_address_and_https(parts, &api.config.trusted_proxies);
        let bearer = CallContext::new(Some(token), request_id(parts), &address);
        if !api.confirmed.is_session_open(&api.sessions(), &caller, &bearer).await {
            return Err(not_signed_in());
        }
        if let Some(call_context_cell) = parts.extensions.get::<CallContextCell>() {
            let _ = call_context_cell.0.set(bearer.clone());
        }
        // The called service checks the caller's role again.
        let path = parts.extensions.get::<MatchedPath>();
        let rule = path.and_then(|path| api.rules.find_rule(parts.method.as_str(), path.as_str()));
        if rule.is_some_and(|rule| !caller.has_role_at_least(rule.min_role)) {
            return Err(Problem::new(StatusCode::FORBIDDEN, "NOT_ALLOWED", "Your access level does not allow this."));
        }
        if caller.must_change_password && !rule.is_some_and(|rule| rule.before_password_change) {
            return Err(Problem::new(StatusCode::FORBIDDEN, "PASSWORD_MUST_CHANGE", PASSWORD_MUST_CHANGE_MESSAGE));
        }
        Ok(Self { caller, address, bearer })
    }
}

fn not_signed_in() -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, "NOT_SIGNED_IN", "Sign in to continue.")
}

fn token(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim()).filter(|token| !token.is_empty())
}

fn request_id(parts: &Parts) -> &str {
    parts.extensions.get::<RequestId>().map_or("-", |id| id.0.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn only_bearer_authorization_is_accepted() {
        let headers_with = |value: &'static str| HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static(value))]);
        assert_eq!(token(&headers_with("bearer abc")), Some("abc"));
        assert_eq!(token(&headers_with("Basic abc")), None);
        assert_eq!(token(&headers_with("Bearer ")), None);
    }
}
