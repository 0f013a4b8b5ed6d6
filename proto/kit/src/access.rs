//! The layer before every service: the rule of the rpc, the caller, the deadline, one log line.
use crate::{
    errors::{self, Reason},
    identity::{self, Caller, Identity},
    link,
    telemetry::{statements, trace},
};
use axum::{body::Body, extract::State, middleware::Next};
use http::{HeaderMap, Request, Response, header::AUTHORIZATION};
use patio_proto::access::Role;
use std::time::{Duration, Instant};
use tonic::{Code, Status};
use tracing::{Instrument, field::Empty};

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
    let span = tracing::info_span!(
        "rpc", otel.name = Empty, otel.kind = Empty, service = access.service, rpc = %path, request_id = %id,
        code = Empty, statements = Empty, statement_micros = Empty
    );
    if trace::is_on() {
        span.record("otel.name", &path).record("otel.kind", "server");
        trace::continue_from(&span, request.headers());
    }
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
    let caller = match identity.judge(token) {
        Err(_) if !identity.has_keys() => return Err(cannot_judge()),
        judged => judged?,
    };
    if caller.may(rule) {
        Ok(Some(caller))
    } else {
        Err(errors::status(Code::PermissionDenied, Reason::NotAllowed, &"your role does not allow this"))
    }
}

/// Before the keys are known nobody's session may be called dead.
fn cannot_judge() -> Status {
    errors::status(Code::Unavailable, Reason::Unavailable, &"this replica is still starting; try again in a moment")
}

fn header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

fn tell(span: &tracing::Span, access: &Access, path: &str, took: Duration, response: &Response<Body>) {
    let code = header(response.headers(), "grpc-status").and_then(|code| code.parse().ok()).map_or(Code::Ok, Code::from_i32);
    let rpc = patio_proto::method(path).map_or("unknown", |method| method.path);
    let statements = statements::of(span);
    metrics::counter!("patio_rpc_total", "service" => access.service, "rpc" => rpc, "code" => format!("{code:?}")).increment(1);
    metrics::histogram!("patio_rpc_seconds", "service" => access.service, "rpc" => rpc).record(took.as_secs_f64());
    metrics::counter!("patio_sql_total", "service" => access.service, "rpc" => rpc).increment(statements.count);
    metrics::histogram!("patio_sql_seconds", "service" => access.service).record(statements.took.as_secs_f64());
    if trace::is_on() {
        let number = |count: u128| i64::try_from(count).unwrap_or(i64::MAX); // what a trace calls a number
        let (count, micros) = (number(statements.count.into()), number(statements.took.as_micros()));
        span.record("code", tracing::field::debug(code)).record("statements", count).record("statement_micros", micros);
    }
    span.in_scope(|| tracing::debug!(micros = took.as_micros(), "answered a call"));
}
