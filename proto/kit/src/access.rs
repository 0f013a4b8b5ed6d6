//! The layer before every service: the rule of the rpc, the caller, the deadline, one log line.
use crate::{
    errors::{self, Reason},
    identity::{self, Caller, Identity},
    link,
};
use axum::{body::Body, extract::State, middleware::Next};
use http::{HeaderMap, Request, Response, header::AUTHORIZATION};
use patio_proto::access::Role;
use std::time::{Duration, Instant};
use tonic::{Code, Status};
use tracing::Instrument;

/// The header that follows one request through all services.
pub const REQUEST_ID: &str = "x-request-id";

/// What the layer needs to know.
#[derive(Clone)]
pub struct Access {
    /// Judges tokens.
    pub identity: Identity,
    /// The service's name, for logs and metrics.
    pub service: &'static str,
}

/// Lets a call through that its rule allows, with the [`Caller`] among its extensions.
pub async fn guard(State(access): State<Access>, mut request: Request<Body>, next: Next) -> Response<Body> {
    let path = request.uri().path().to_owned();
    if path.starts_with("/grpc.health.v1.") || path.starts_with("/grpc.reflection.") {
        return next.run(request).await;
    }
    let started = Instant::now();
    let id = header(request.headers(), REQUEST_ID).unwrap_or("-").to_owned();
    let span = tracing::info_span!("rpc", service = access.service, rpc = %path, request_id = %id);
    let response = match admit(&access.identity, &path, request.headers()) {
        Ok(caller) => {
            if let Some(caller) = caller {
                request.extensions_mut().insert(caller);
            }
            let headers = request.headers().clone();
            link::on_behalf_of(&headers, next.run(request)).instrument(span.clone()).await
        }
        Err(refusal) => refusal.into_http(),
    };
    tell(&span, &access, &path, started.elapsed(), &response);
    response
}

fn admit(identity: &Identity, path: &str, headers: &HeaderMap) -> Result<Option<Caller>, Status> {
    let rule = patio_proto::method(path).map_or(Role::Unspecified, |method| Role::try_from(method.role).unwrap_or_default());
    if rule == Role::Unspecified {
        return Err(errors::status(Code::Unimplemented, Reason::NotAllowed, &"there is no such call"));
    }
    if rule == Role::Anyone {
        return Ok(None);
    }
    let token = header(headers, AUTHORIZATION.as_str())
        .and_then(|value| value.strip_prefix("Bearer ").or_else(|| value.strip_prefix("bearer ")))
        .ok_or_else(|| identity::not_signed_in("no token"))?;
    let caller = identity.judge(token)?;
    if caller.may(rule) {
        Ok(Some(caller))
    } else {
        Err(errors::status(Code::PermissionDenied, Reason::NotAllowed, &"your role does not allow this"))
    }
}

fn header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

fn tell(span: &tracing::Span, access: &Access, path: &str, took: Duration, response: &Response<Body>) {
    let code = header(response.headers(), "grpc-status").and_then(|code| code.parse().ok()).map_or(Code::Ok, Code::from_i32);
    let rpc = patio_proto::method(path).map_or("unknown", |method| method.path);
    metrics::counter!("patio_rpc_total", "service" => access.service, "rpc" => rpc, "code" => format!("{code:?}")).increment(1);
    metrics::histogram!("patio_rpc_seconds", "service" => access.service, "rpc" => rpc).record(took.as_secs_f64());
    span.in_scope(|| tracing::debug!(?code, micros = took.as_micros(), "answered a call"));
}
