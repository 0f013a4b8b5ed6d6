//! Transport from a gRPC client to a service, which runs either in this process or behind the network.
use crate::{
    client::{
        balancer::Replicas,
        call_context::Idempotent,
        deadline::{set_timeout_header, timeout_of},
        replica::{CallFailure, replayable_body},
    },
    errors::{self, Reason},
    telemetry::trace,
};
use bytes::Bytes;
use futures::future::BoxFuture;
use http::{HeaderValue, Request, Response};
use http_body_util::BodyExt;
use std::{
    convert::Infallible,
    sync::{Arc, OnceLock},
    task::{Context, Poll},
    time::Duration,
};
use tokio::time::Instant;
use tonic::{Code, Status, body::Body};
use tower::{Service, ServiceExt};

/// Maximum number of attempts of a call. All attempts share one deadline.
const MAX_ATTEMPTS: usize = 5;

/// Channel to a service. All generated gRPC clients use this channel as their transport.
#[derive(Clone)]
pub enum ServiceChannel {
    /// Service in this process, reached through its router. The router is set once the service has started.
    Local(Arc<OnceLock<axum::Router>>),
    /// Service reached over the network, with load balancing over its replicas.
    Remote(Replicas),
}

impl Service<Request<Body>> for ServiceChannel {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let timeout = timeout_of(request.headers());
        set_timeout_header(request.headers_mut(), timeout);
        trace::inject(request.headers_mut());
        let (link, until) = (self.clone(), Instant::now() + timeout);
        Box::pin(async move {
            let answer = tokio::time::timeout_at(until, link.carry(request, until)).await;
            Ok(answer.unwrap_or_else(|_| too_late()))
        })
    }
}

impl ServiceChannel {
    async fn carry(self, request: Request<Body>, until: Instant) -> Response<Body> {
        match self {
            Self::Local(slot) => local(&slot, request).await,
            Self::Remote(replicas) => remote(&replicas, request, until).await,
        }
    }
}

async fn local(slot: &OnceLock<axum::Router>, request: Request<Body>) -> Response<Body> {
    let Some(router) = slot.get() else { return away(&"the service has not started yet") };
    match router.clone().oneshot(request.map(axum::body::Body::new)).await {
        Ok(response) => response.map(Body::new),
        Err(never) => match never {},
    }
}

async fn remote(replicas: &Replicas, request: Request<Body>, until: Instant) -> Response<Body> {
    replicas.record_call();
    let rule = patio_proto::find_method(request.uri().path());
    if rule.is_some_and(|rule| rule.client_streaming) {
        return call_without_retry(replicas, request).await;
    }
    let may_repeat = rule.is_some_and(|rule| rule.repeatable) || request.extensions().get::<Idempotent>().is_some();
    let (head, body) = request.into_parts();
    match body.collect().await {
        Ok(body) => call_with_retries(replicas, &Call { head, body: body.to_bytes(), may_repeat, until }).await,
        Err(cause) => away(&cause),
    }
}

/// Sends a client-streaming call in a single attempt, because a stream cannot be sent again. Waits for a healthy replica first.
async fn call_without_retry(replicas: &Replicas, request: Request<Body>) -> Response<Body> {
    match replicas.pick_for_single_attempt().await.call(request, false).await {
        Ok(response) => normalize_status(response),
        Err(CallFailure::TooLate) => too_late(),
        Err(CallFailure::NotSent(cause) | CallFailure::Lost(cause)) => away(&cause),
    }
}

/// Outgoing call with its complete request message in memory, so that the call can be retried.
struct Call {
    head: http::request::Parts,
    body: Bytes,
    may_repeat: bool,
    until: Instant,
}

impl Call {
    fn request(&self) -> Request<Body> {
        let mut head = self.head.clone();
        set_timeout_header(&mut head.headers, self.until.saturating_duration_since(Instant::now()));
        Request::from_parts(head, replayable_body(self.body.clone()))
    }
}

/// Sends a call with retries. A call that no replica received is always retried. After a lost response, only an idempotent call
/// is retried.
async fn call_with_retries(replicas: &Replicas, call: &Call) -> Response<Body> {
    let mut tried = Vec::new();
    loop {
        let begun = Instant::now();
        let lease = replicas.pick(&tried).await;
        tried.push(lease.address());
        let last = tried.len() == MAX_ATTEMPTS;
        let answer = match lease.call(call.request(), call.may_repeat).await {
            Err(CallFailure::TooLate) => return too_late(),
            Err(CallFailure::NotSent(cause)) if last => return away(&cause),
            Err(CallFailure::NotSent(cause)) => {
                tracing::debug!(cause, "replica unreachable, retrying");
                pause(tried.len()).await;
                continue;
            }
            Err(CallFailure::Lost(cause)) => away(&cause),
            Ok(response) => normalize_status(response),
        };
        drop(lease);
        let in_time = Instant::now() + begun.elapsed() < call.until; // otherwise the retry could only end in a timeout
        if last || !in_time || !call.may_repeat || !is_unavailable(&answer) || !replicas.try_withdraw_retry() {
            return answer;
        }
        pause(tried.len()).await;
    }
}

/// Waits before a retry, with exponential backoff and jitter.
async fn pause(tries: usize) {
    tokio::time::sleep(Duration::from_millis(jitter(20 << tries.min(4)))).await;
}

/// Returns a random number of milliseconds between half of `millis` and `millis`.
fn jitter(millis: u64) -> u64 {
    let mut byte = [0];
    let _ = ring::rand::SecureRandom::fill(&ring::rand::SystemRandom::new(), &mut byte);
    millis / 2 + millis * u64::from(byte[0]) / 512
}

fn away(cause: &dyn std::fmt::Display) -> Response<Body> {
    errors::unavailable(cause).into_http()
}

fn too_late() -> Response<Body> {
    errors::status(Code::DeadlineExceeded, Reason::Timeout, &"The server took too long to respond. Try again.").into_http()
}

fn is_unavailable(response: &Response<Body>) -> bool {
    response.headers().get("grpc-status").is_some_and(|code| code.as_bytes() == b"14")
}

/// Maps a response with the status `Cancelled` and a timeout message to `DeadlineExceeded`. tonic servers report timeouts as
/// `Cancelled`.
fn normalize_status(response: Response<Body>) -> Response<Body> {
    let told = |name: &str| response.headers().get(name).map(HeaderValue::as_bytes);
    let expired = told("grpc-status") == Some(b"1") && told("grpc-message").is_some_and(|message| message.starts_with(b"Timeout"));
    if expired { too_late() } else { response }
}

/// Maps the error status that another service returned to a status for this service's caller. Unknown errors become `Internal`.
#[must_use]
pub fn propagate_status(status: Status) -> Status {
    match status.code() {
        Code::Cancelled if status.message().contains("Timeout") => {
            errors::status(Code::DeadlineExceeded, Reason::Timeout, &"The server took too long to respond. Try again.")
        }
        Code::Unknown => errors::internal(&status),
        _ => status,
    }
}
