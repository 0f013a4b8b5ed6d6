//! The layer before every service: the rule of the rpc, the caller, the deadline, one log line.
use crate::{
    db::Db,
    errors::{self, Reason},
    identity::{self, Caller, Identity},
    link,
    telemetry::{statements, trace},
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

/// The header that follows one request through all services.
pub const REQUEST_ID: &str = "x-request-id";

/// What the layer needs to know.
#[derive(Clone)]
pub struct Access {
    /// Judges tokens.
    pub identity: Identity,
    /// The service's name, for logs and metrics.
    pub service: &'static str,
    /// Its database, if it has one: a call that may take long ends when nothing is heard of that.
    pub db: Option<Db>,
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
    let mut silence = silence(access.db, request.headers());
    let response = match admit(&access.identity, &path, request.headers()) {
        Ok(caller) => {
            if let Some(caller) = caller {
                request.extensions_mut().insert(caller);
            }
            let headers = request.headers().clone();
            let answered = link::on_behalf_of(&headers, next.run(request)).instrument(span.clone());
            tokio::select! {
                biased;
                response = answered => response,
                () = &mut silence => unheard().into_http(),
            }
        }
        Err(refusal) => refusal.into_http(),
    };
    let answered = Answered { span, service: access.service, path, started };
    if patio_proto::method(&answered.path).is_some_and(|method| method.server_streaming) && told(response.headers()).is_none() {
        return response.map(|body| Body::new(Streamed { body, answered: Some(answered), silence }));
    }
    answered.tell(told(response.headers()).unwrap_or(Code::Ok));
    response
}

/// That nothing is heard of the database any more, for a call that may take long; the time of any other runs out by itself.
fn silence(db: Option<Db>, headers: &HeaderMap) -> BoxFuture<'static, ()> {
    match db.filter(|_| link::may_take_long(headers)) {
        Some(db) => async move { db.silence().await }.boxed(),
        None => pending().boxed(),
    }
}

fn unheard() -> Status {
    errors::unanswered(&"nothing is heard of the database")
}

/// A call whose answer is told of once it has ended.
struct Answered {
    span: tracing::Span,
    service: &'static str,
    path: String,
    started: Instant,
}

/// A stream, which tells in its end how it went; whoever listens may go before.
struct Streamed {
    body: Body,
    answered: Option<Answered>,
    silence: BoxFuture<'static, ()>,
}

impl http_body::Body for Streamed {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let span = self.answered.as_ref().map(|answered| answered.span.clone()); // its statements are counted there
        let mut polled = span.unwrap_or_else(tracing::Span::none).in_scope(|| Pin::new(&mut self.body).poll_frame(cx));
        if polled.is_pending() && self.silence.poll_unpin(cx).is_ready() {
            (self.body, self.silence) = (Body::empty(), pending().boxed());
            polled = Poll::Ready(Some(Ok(Frame::trailers(unheard().into_http::<Body>().into_parts().0.headers))));
        }
        let ended = match &polled {
            Poll::Ready(Some(Ok(frame))) => frame.trailers_ref().map(|trailers| told(trailers).unwrap_or(Code::Unknown)),
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

impl Drop for Streamed {
    fn drop(&mut self) {
        if let Some(answered) = self.answered.take() {
            answered.tell(Code::Cancelled);
        }
    }
}

fn told(headers: &HeaderMap) -> Option<Code> {
    header(headers, "grpc-status")?.parse().ok().map(Code::from_i32)
}

fn admit(identity: &Identity, path: &str, headers: &HeaderMap) -> Result<Option<Caller>, Status> {
    let role = |number: i32| Role::try_from(number).unwrap_or_default();
    let method = patio_proto::method(path);
    let rule = method.map_or(Role::Unspecified, |method| role(method.role));
    if rule == Role::Unspecified {
        return Err(errors::status(Code::Unimplemented, Reason::NotAllowed, &"there is no such call"));
    }
    if rule == Role::Anyone {
        return Ok(None);
    }
    let caller = judge(identity, headers, AUTHORIZATION.as_str())?;
    let caller = allowed(caller, rule)?;
    match method.map_or(Role::Unspecified, |method| role(method.on_behalf_of)) {
        // Behind the service stands the person for whom it makes the call.
        least if least != Role::Unspecified && headers.contains_key(link::ON_BEHALF_OF) => {
            allowed(judge(identity, headers, link::ON_BEHALF_OF)?, least).map(Some)
        }
        _ => Ok(Some(caller)),
    }
}

/// Whose the token in a header is.
fn judge(identity: &Identity, headers: &HeaderMap, name: &str) -> Result<Caller, Status> {
    let token = header(headers, name)
        .and_then(|value| value.strip_prefix("Bearer ").or_else(|| value.strip_prefix("bearer ")))
        .ok_or_else(|| identity::not_signed_in("no token"))?;
    match identity.judge(token) {
        Err(_) if !identity.has_keys() => Err(cannot_judge()),
        judged => judged,
    }
}

fn allowed(caller: Caller, rule: Role) -> Result<Caller, Status> {
    if caller.may(rule) {
        Ok(caller)
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

impl Answered {
    fn tell(self, code: Code) {
        let (service, took) = (self.service, self.started.elapsed());
        let rpc = patio_proto::method(&self.path).map_or("unknown", |method| method.path);
        let statements = statements::of(&self.span);
        metrics::counter!("patio_rpc_total", "service" => service, "rpc" => rpc, "code" => format!("{code:?}")).increment(1);
        metrics::histogram!("patio_rpc_seconds", "service" => service, "rpc" => rpc).record(took.as_secs_f64());
        metrics::counter!("patio_sql_total", "service" => service, "rpc" => rpc).increment(statements.count);
        metrics::histogram!("patio_sql_seconds", "service" => service).record(statements.took.as_secs_f64());
        if trace::is_on() {
            let number = |count: u128| i64::try_from(count).unwrap_or(i64::MAX); // what a trace calls a number
            let (count, micros) = (number(statements.count.into()), number(statements.took.as_micros()));
            self.span.record("code", tracing::field::debug(code)).record("statements", count).record("statement_micros", micros);
        }
        self.span.in_scope(|| tracing::debug!(micros = took.as_micros(), "answered a call"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::{future::ready, stream};
    use http_body_util::BodyExt;

    #[tokio::test]
    async fn a_stream_that_waits_for_a_silent_database_ends_in_words() {
        let first = stream::iter([Ok::<_, axum::Error>(Bytes::from_static(b"first"))]);
        let body = Body::from_stream(futures::StreamExt::chain(first, stream::pending()));
        let sent = Streamed { body, answered: None, silence: ready(()).boxed() }.collect().await.unwrap();
        assert_eq!(sent.trailers().and_then(told), Some(Code::Unavailable));
        assert_eq!(sent.to_bytes(), "first", "what had come is handed on");
    }
}
