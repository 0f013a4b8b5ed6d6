//! Authorization layer in front of every gRPC service. The layer authenticates the caller and checks that the caller's role allows the
//! rpc. The layer also passes the call's deadline on to outgoing calls, and records the call in the log, metrics and trace.
use crate::{
    auth::identity::{self, Caller, TokenVerifier},
    client::{
        call_context::{ON_BEHALF_OF_HEADER, REQUEST_ID_HEADER},
        deadline,
    },
    db::Db,
    errors::{self, ErrorReason},
    server::call_record::{CallRecord, CallRecordingBody, database_unresponsive_status, parse_grpc_status},
    telemetry::trace::{self, UNTRACED_SPAN_TARGET},
};
use axum::{body::Body, extract::State, middleware::Next};
use futures::{
    FutureExt,
    future::{BoxFuture, pending},
};
use http::{HeaderMap, Request, Response, header::AUTHORIZATION};
use patio_proto::access::Role;
use std::time::Instant;
use tonic::{Code, Status};
use tracing::{Instrument, Span, field::Empty};

/// Error message for a user who must change the password before making any other call.
pub const PASSWORD_MUST_CHANGE_MESSAGE: &str = "Choose a new password first.";

/// Dependencies of the authorization layer, the middleware that authorizes and records gRPC calls.
#[derive(Clone)]
pub struct AuthorizationLayerState {
    /// Verifier of the access tokens that callers send.
    pub identity: TokenVerifier,
    /// Name of the service, for logs and metrics.
    pub service: &'static str,
    /// Database of the service; `None` for a server without a database. The authorization layer ends long-running calls when the
    /// database stops responding.
    pub db: Option<Db>,
}

/// Authorizes a call and forwards the call to its rpc with the [`Caller`] as a request extension. Returns an error status for a
/// refused call.
pub async fn authorize_and_record_call(
    State(access): State<AuthorizationLayerState>,
    mut request: Request<Body>,
    next: Next,
) -> Response<Body> {
    let path = request.uri().path().to_owned();
    if path.starts_with("/grpc.health.v1.") || path.starts_with("/grpc.reflection.") {
        return next.run(request).await;
    }
    let started = Instant::now();
    let id = header(request.headers(), REQUEST_ID_HEADER).unwrap_or("-").to_owned();
    let span = span(access.service, &path, request.headers(), &id);
    let mut silence = wait_for_database_silence(access.db, request.headers());
    let response = match authorize(&access.identity, &path, request.headers()).await {
        Ok(caller) => {
            if let Some(caller) = caller {
                request.extensions_mut().insert(caller);
            }
            let headers = request.headers().clone();
            let answered = deadline::with_inherited_deadline(&headers, next.run(request)).instrument(span.clone());
            tokio::select! {
                biased;
                response = answered => response,
                () = &mut silence => database_unresponsive_status().into_http(),
            }
        }
        Err(refusal) => refusal.into_http(),
    };
    let answered = CallRecord { span, service: access.service, path, started };
    if patio_proto::find_rpc_method(&answered.path).is_some_and(|method| method.server_streaming)
        && parse_grpc_status(response.headers()).is_none()
    {
        return response.map(|body| Body::new(CallRecordingBody::new(body, answered, silence)));
    }
    answered.record_outcome(parse_grpc_status(response.headers()).unwrap_or(Code::Ok));
    response
}

/// Creates the tracing span of a call, as part of the caller's trace. The span also counts the SQL statements of the call.
fn span(service: &'static str, path: &str, headers: &HeaderMap, id: &str) -> Span {
    let Some(method) = patio_proto::find_rpc_method(path).filter(|method| trace::is_rpc_traced(method.path)) else {
        return tracing::info_span!(target: UNTRACED_SPAN_TARGET, "rpc", service, rpc = path, request_id = id);
    };
    let name = &method.path[1..];
    let span = tracing::info_span!(
        "rpc",
        otel.name = name,
        otel.kind = "server",
        service,
        rpc = path,
        request_id = id,
        statements = Empty,
        statement_micros = Empty
    );
    trace::set_rpc_attributes(&span, method);
    trace::set_parent_from_headers(&span, headers);
    span
}

/// Returns a future that resolves when the database stops responding during a long-running call. For a short call, the future never
/// resolves, because a deadline ends the call.
fn wait_for_database_silence(db: Option<Db>, headers: &HeaderMap) -> BoxFuture<'static, ()> {
    match db.filter(|_| deadline::is_long_running_call(headers)) {
        Some(db) => async move { db.wait_until_unresponsive().await }.boxed(),
        None => pending().boxed(),
    }
}

async fn authorize(identity: &TokenVerifier, path: &str, headers: &HeaderMap) -> Result<Option<Caller>, Status> {
    let role = |number: i32| Role::try_from(number).unwrap_or_default();
    let method = patio_proto::find_rpc_method(path);
    let rule = method.map_or(Role::Unspecified, |method| role(method.role));
    if rule == Role::Unspecified {
        return Err(errors::status(Code::Unimplemented, ErrorReason::NotAllowed, &"the rpc does not exist or has no access rule"));
    }
    if rule == Role::Anyone {
        return Ok(None);
    }
    let caller = verify_token_header(identity, headers, AUTHORIZATION.as_str()).await?;
    let caller = check_role(caller, rule)?;
    if caller.must_change_password && !method.is_some_and(|method| method.before_password_change) {
        return Err(errors::status(Code::PermissionDenied, ErrorReason::PasswordMustChange, &PASSWORD_MUST_CHANGE_MESSAGE));
    }
    match method.map_or(Role::Unspecified, |method| role(method.on_behalf_of)) {
        // A service makes the call on behalf of a user, so the role of the user is checked too.
        least if least != Role::Unspecified && headers.contains_key(ON_BEHALF_OF_HEADER) => {
            check_role(verify_token_header(identity, headers, ON_BEHALF_OF_HEADER).await?, least).map(Some)
        }
        _ => Ok(Some(caller)),
    }
}

/// Verifies the token in the header `name`, and returns the caller that the token names.
async fn verify_token_header(identity: &TokenVerifier, headers: &HeaderMap, name: &str) -> Result<Caller, Status> {
    let token = header(headers, name)
        .and_then(|value| value.strip_prefix("Bearer ").or_else(|| value.strip_prefix("bearer ")))
        .ok_or_else(|| identity::invalid_token_status("no token"))?;
    identity.authenticate_with_current_keys(token).await
}

fn check_role(caller: Caller, rule: Role) -> Result<Caller, Status> {
    if caller.has_role_at_least(rule) {
        Ok(caller)
    } else {
        Err(errors::status(Code::PermissionDenied, ErrorReason::NotAllowed, &"Your access level does not allow this."))
    }
}

fn header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}
