//! Access layer in front of every gRPC service. It authenticates the caller, checks the rule of the rpc, applies the
//! deadline, and records log, metrics and trace of each call.
use crate::{
    auth::identity::{self, Caller, Identity},
    client::{
        call_context::{ON_BEHALF_OF, REQUEST_ID},
        deadline,
    },
    db::Db,
    errors::{self, Reason},
    telemetry::{sql_stats, trace},
};
use axum::{body::Body, extract::State, middleware::Next};
use bytes::Bytes;
use futures::{
    FutureExt,
    future::{BoxFuture, pending},
};
use http::{HeaderMap, Request, Response, header::AUTHORIZATION};
use http_body::{Frame, SizeHint};
use patio_proto::access::Role;
use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Instant,
};
use tonic::{Code, Status};
use tracing::{Instrument, field::Empty};

/// Error message for a user who has to change the password before anything else.
pub const PASSWORD_MUST_CHANGE: &str = "Choose a new password first.";

/// Dependencies of the access layer.
#[derive(Clone)]
pub struct Access {
    /// Verifier of callers' tokens.
    pub identity: Identity,
    /// Name of the service, for logs and metrics.
    pub service: &'static str,
    /// Database of the service; `None` for a server without a database. The access layer ends long-running calls when the
    /// database stops responding.
    pub db: Option<Db>,
}

/// Authorizes a call and forwards the call to its rpc with the [`Caller`] as a request extension. Returns an error status for a
/// refused call.
pub async fn authorize_layer(State(access): State<Access>, mut request: Request<Body>, next: Next) -> Response<Body> {
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
    if trace::is_enabled() {
        span.record("otel.name", &path).record("otel.kind", "server");
        trace::extract(&span, request.headers());
    }
    let mut silence = silence(access.db, request.headers());
    let response = match authorize(&access.identity, &path, request.headers()) {
        Ok(caller) => {
            if let Some(caller) = caller {
                request.extensions_mut().insert(caller);
            }
            let headers = request.headers().clone();
            let answered = deadline::with_inherited_deadline(&headers, next.run(request)).instrument(span.clone());
            tokio::select! {
                biased;
                response = answered => response,
                () = &mut silence => unheard().into_http(),
            }
        }
        Err(refusal) => refusal.into_http(),
    };
    let answered = CallRecord { span, service: access.service, path, started };
    if patio_proto::find_method(&answered.path).is_some_and(|method| method.server_streaming) && grpc_status(response.headers()).is_none() {
        return response.map(|body| Body::new(RecordedBody { body, answered: Some(answered), silence }));
    }
    answered.tell(grpc_status(response.headers()).unwrap_or(Code::Ok));
    response
}

/// Resolves when the database stops responding during a long-running call. Never resolves for a short call, which ends by its
/// deadline.
fn silence(db: Option<Db>, headers: &HeaderMap) -> BoxFuture<'static, ()> {
    match db.filter(|_| deadline::is_long_running(headers)) {
        Some(db) => async move { db.unresponsive().await }.boxed(),
        None => pending().boxed(),
    }
}

fn unheard() -> Status {
    errors::unavailable(&"database does not respond")
}

/// Path, start time and span of a call, for the log line, metrics and trace that are recorded when the call ends.
struct CallRecord {
    span: tracing::Span,
    service: &'static str,
    path: String,
    started: Instant,
}

/// Body of a streaming response. Records the call at the stream's end, or as cancelled when the client disconnects.
struct RecordedBody {
    body: Body,
    answered: Option<CallRecord>,
    silence: BoxFuture<'static, ()>,
}

impl http_body::Body for RecordedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let span = self.answered.as_ref().map(|answered| answered.span.clone()); // the span counts the SQL statements of the call
        let mut polled = span.unwrap_or_else(tracing::Span::none).in_scope(|| Pin::new(&mut self.body).poll_frame(cx));
        if polled.is_pending() && self.silence.poll_unpin(cx).is_ready() {
            (self.body, self.silence) = (Body::empty(), pending().boxed());
            polled = Poll::Ready(Some(Ok(Frame::trailers(unheard().into_http::<Body>().into_parts().0.headers))));
        }
        let ended = match &polled {
            Poll::Ready(Some(Ok(frame))) => frame.trailers_ref().map(|trailers| grpc_status(trailers).unwrap_or(Code::Unknown)),
            Poll::Ready(Some(Err(_)) | None) => Some(Code::Unknown),
            Poll::Pending => None,
        };
        if let Some((code, answered)) = ended.and_then(|code| Some((code, self.answered.take()?))) {
            answered.tell(code);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for RecordedBody {
    fn drop(&mut self) {
        if let Some(answered) = self.answered.take() {
            answered.tell(Code::Cancelled);
        }
    }
}

fn grpc_status(headers: &HeaderMap) -> Option<Code> {
    header(headers, "grpc-status")?.parse().ok().map(Code::from_i32)
}

fn authorize(identity: &Identity, path: &str, headers: &HeaderMap) -> Result<Option<Caller>, Status> {
    let role = |number: i32| Role::try_from(number).unwrap_or_default();
    let method = patio_proto::find_method(path);
    let rule = method.map_or(Role::Unspecified, |method| role(method.role));
    if rule == Role::Unspecified {
        return Err(errors::status(Code::Unimplemented, Reason::NotAllowed, &"there is no such call"));
    }
    if rule == Role::Anyone {
        return Ok(None);
    }
    let caller = judge(identity, headers, AUTHORIZATION.as_str())?;
    let caller = allowed(caller, rule)?;
    if caller.must_change_password && !method.is_some_and(|method| method.before_password_change) {
        return Err(errors::status(Code::PermissionDenied, Reason::PasswordMustChange, &PASSWORD_MUST_CHANGE));
    }
    match method.map_or(Role::Unspecified, |method| role(method.on_behalf_of)) {
        // The service makes the call on behalf of a user, whose role is checked too.
        least if least != Role::Unspecified && headers.contains_key(ON_BEHALF_OF) => {
            allowed(judge(identity, headers, ON_BEHALF_OF)?, least).map(Some)
        }
        _ => Ok(Some(caller)),
    }
}

/// Verifies the token in the header `name` and returns the token's caller.
fn judge(identity: &Identity, headers: &HeaderMap, name: &str) -> Result<Caller, Status> {
    let token = header(headers, name)
        .and_then(|value| value.strip_prefix("Bearer ").or_else(|| value.strip_prefix("bearer ")))
        .ok_or_else(|| identity::invalid_token_status("no token"))?;
    match identity.authenticate(token) {
        Err(_) if !identity.has_keys() => Err(cannot_judge()),
        judged => judged,
    }
}

fn allowed(caller: Caller, rule: Role) -> Result<Caller, Status> {
    if caller.has_role(rule) {
        Ok(caller)
    } else {
        Err(errors::status(Code::PermissionDenied, Reason::NotAllowed, &"Your access level does not allow this."))
    }
}

/// Builds the `Unavailable` error for calls that arrive before the signing keys are loaded. An `Unauthenticated` error would
/// make clients end valid sessions.
fn cannot_judge() -> Status {
    errors::status(Code::Unavailable, Reason::Unavailable, &"The server is starting. Try again in a moment.")
}

fn header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

impl CallRecord {
    fn tell(self, code: Code) {
        let (service, took) = (self.service, self.started.elapsed());
        let rpc = patio_proto::find_method(&self.path).map_or("unknown", |method| method.path);
        let statements = sql_stats::read_stats(&self.span);
        metrics::counter!("patio_rpc_requests_total", "service" => service, "rpc" => rpc, "code" => format!("{code:?}")).increment(1);
        metrics::histogram!("patio_rpc_duration_seconds", "service" => service, "rpc" => rpc).record(took.as_secs_f64());
        metrics::counter!("patio_sql_statements_total", "service" => service, "rpc" => rpc).increment(statements.count);
        metrics::histogram!("patio_sql_statement_duration_seconds", "service" => service).record(statements.took.as_secs_f64());
        if trace::is_enabled() {
            let number = |count: u128| i64::try_from(count).unwrap_or(i64::MAX); // OpenTelemetry has no unsigned integers
            let (count, micros) = (number(statements.count.into()), number(statements.took.as_micros()));
            self.span.record("code", tracing::field::debug(code)).record("statements", count).record("statement_micros", micros);
        }
        self.span.in_scope(|| tracing::debug!(micros = took.as_micros(), "gRPC call finished"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::{future::ready, stream};
    use http_body_util::BodyExt;

    #[tokio::test]
    async fn a_stream_ends_with_unavailable_when_the_database_stops_responding() {
        let first = stream::iter([Ok::<_, axum::Error>(Bytes::from_static(b"first"))]);
        let body = Body::from_stream(futures::StreamExt::chain(first, stream::pending()));
        let sent = RecordedBody { body, answered: None, silence: ready(()).boxed() }.collect().await.unwrap();
        assert_eq!(sent.trailers().and_then(grpc_status), Some(Code::Unavailable));
        assert_eq!(sent.to_bytes(), "first", "the data sent so far is delivered");
    }
}
