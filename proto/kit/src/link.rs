//! One client transport for a service in this process or over the network.
use crate::{
    access::REQUEST_ID,
    balance::{Failure, Replicas, whole},
    errors::{self, Reason},
    telemetry::trace,
};
use bytes::Bytes;
use futures::future::BoxFuture;
use http::{HeaderMap, HeaderValue, Request, Response};
use http_body_util::BodyExt;
use std::{
    convert::Infallible,
    sync::{Arc, OnceLock},
    task::{Context, Poll},
    time::Duration,
};
use tokio::time::Instant;
use tonic::{
    Code, Status,
    body::Body,
    metadata::{Ascii, MetadataValue},
};
use tower::{Service, ServiceExt};

const TIMEOUT: &str = "grpc-timeout";
/// The header with the token of the person for whom a service makes a call.
pub const ON_BEHALF_OF: &str = "x-patio-on-behalf-of";
/// How long a call may take when its caller says nothing: no answer takes longer than three seconds.
pub const PATIENCE: Duration = Duration::from_millis(2800);
/// The longest that anything may take but work on many vehicles.
const SHORT: Duration = Duration::from_secs(15);
/// How often a call is tried at most, all within its one deadline.
const TRIES: usize = 5;

tokio::task_local! {
    /// When the call that is being answered has to be done: calls made for it end no later.
    static UNTIL: Instant;
}

/// Does `work` on behalf of a call with these headers, whose deadline its own calls inherit.
pub async fn on_behalf_of<F: Future>(headers: &HeaderMap, work: F) -> F::Output {
    match told(headers) {
        Some(patience) => UNTIL.scope(Instant::now() + patience, work).await,
        None => work.await,
    }
}

/// Where a service is found; under every generated client.
#[derive(Clone)]
pub enum Link {
    /// In this process, once it has started.
    Local(Arc<OnceLock<axum::Router>>),
    /// Over the network, spread over its replicas.
    Remote(Replicas),
}

impl Service<Request<Body>> for Link {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let patience = patience(request.headers());
        set_patience(request.headers_mut(), patience);
        trace::hand_on(request.headers_mut());
        let (link, until) = (self.clone(), Instant::now() + patience);
        Box::pin(async move {
            let answer = tokio::time::timeout_at(until, link.carry(request, until)).await;
            Ok(answer.unwrap_or_else(|_| too_late()))
        })
    }
}

impl Link {
    async fn carry(self, request: Request<Body>, until: Instant) -> Response<Body> {
        match self {
            Self::Local(slot) => local(&slot, request).await,
            Self::Remote(replicas) => remote(&replicas, request, until).await,
        }
    }
}

async fn local(slot: &OnceLock<axum::Router>, request: Request<Body>) -> Response<Body> {
    let Some(router) = slot.get() else { return away(&"it has not started yet") };
    match router.clone().oneshot(request.map(axum::body::Body::new)).await {
        Ok(response) => response.map(Body::new),
        Err(never) => match never {},
    }
}

/// Marks a call that its own contents make repeatable, such as a save with an idempotency key.
#[derive(Debug, Clone, Copy)]
pub struct Repeatable;

async fn remote(replicas: &Replicas, request: Request<Body>, until: Instant) -> Response<Body> {
    replicas.note_call();
    let rule = patio_proto::method(request.uri().path());
    if rule.is_some_and(|rule| rule.client_streaming) {
        return once(replicas, request).await;
    }
    let may_repeat = rule.is_some_and(|rule| rule.repeatable) || request.extensions().get::<Repeatable>().is_some();
    let (head, body) = request.into_parts();
    match body.collect().await {
        Ok(body) => tried(replicas, &Call { head, body: body.to_bytes(), may_repeat, until }).await,
        Err(cause) => away(&cause),
    }
}

/// A stream is sent once, as it cannot be sent again, so it is not sent to a replica that is about to start.
async fn once(replicas: &Replicas, request: Request<Body>) -> Response<Body> {
    match replicas.lease_once().await.carry(request, false).await {
        Ok(response) => in_our_words(response),
        Err(Failure::TooLate) => too_late(),
        Err(Failure::NotSent(cause) | Failure::Lost(cause)) => away(&cause),
    }
}

/// A call whose message is held.
struct Call {
    head: http::request::Parts,
    body: Bytes,
    may_repeat: bool,
    until: Instant,
}

impl Call {
    fn request(&self) -> Request<Body> {
        let mut head = self.head.clone();
        set_patience(&mut head.headers, self.until.saturating_duration_since(Instant::now()));
        Request::from_parts(head, whole(self.body.clone()))
    }
}

/// Tries a call until a replica takes it: again when it was not seen, and when it may be repeated also when it was lost.
async fn tried(replicas: &Replicas, call: &Call) -> Response<Body> {
    let mut tried = Vec::new();
    loop {
        let begun = Instant::now();
        let lease = replicas.lease(&tried).await;
        tried.push(lease.address());
        let last = tried.len() == TRIES;
        let answer = match lease.carry(call.request(), call.may_repeat).await {
            Err(Failure::TooLate) => return too_late(),
            Err(Failure::NotSent(cause)) if last => return away(&cause),
            Err(Failure::NotSent(cause)) => {
                tracing::debug!(cause, "a replica was not reached");
                pause(tried.len()).await;
                continue;
            }
            Err(Failure::Lost(cause)) => away(&cause),
            Ok(response) => in_our_words(response),
        };
        drop(lease);
        let in_time = Instant::now() + begun.elapsed() < call.until; // else the answer would only be that time ran out
        if last || !in_time || !call.may_repeat || !is_unavailable(&answer) || !replicas.afford_repetition() {
            return answer;
        }
        pause(tried.len()).await;
    }
}

/// Longer after every try, and never the same for two who were cut off at once.
async fn pause(tries: usize) {
    tokio::time::sleep(Duration::from_millis(jitter(20 << tries.min(4)))).await;
}

/// Between half of it and all of it.
fn jitter(millis: u64) -> u64 {
    let mut byte = [0];
    let _ = ring::rand::SecureRandom::fill(&ring::rand::SystemRandom::new(), &mut byte);
    millis / 2 + millis * u64::from(byte[0]) / 512
}

fn away(cause: &dyn std::fmt::Display) -> Response<Body> {
    errors::unanswered(cause).into_http()
}

fn too_late() -> Response<Body> {
    errors::status(Code::DeadlineExceeded, Reason::Timeout, &"the call took too long").into_http()
}

fn is_unavailable(response: &Response<Body>) -> bool {
    response.headers().get("grpc-status").is_some_and(|code| code.as_bytes() == b"14")
}

/// A server that runs out of time says that the call was cancelled.
fn in_our_words(response: Response<Body>) -> Response<Body> {
    let told = |name: &str| response.headers().get(name).map(HeaderValue::as_bytes);
    let expired = told("grpc-status") == Some(b"1") && told("grpc-message").is_some_and(|message| message.starts_with(b"Timeout"));
    if expired { too_late() } else { response }
}

/// The time a call may take: as told, and no longer than what is left of the call it is made for.
fn patience(headers: &HeaderMap) -> Duration {
    let left = UNTIL.try_with(|until| until.saturating_duration_since(Instant::now())).unwrap_or(Duration::MAX);
    told(headers).unwrap_or(PATIENCE).min(left)
}

fn set_patience(headers: &mut HeaderMap, patience: Duration) {
    if let Ok(value) = HeaderValue::from_str(&format!("{}m", patience.as_millis().min(99_999_999))) {
        headers.insert(TIMEOUT, value);
    }
}

fn told(headers: &HeaderMap) -> Option<Duration> {
    parse(headers.get(TIMEOUT)?.to_str().ok()?)
}

/// Whether a call with these headers is one of those that may take long, such as an import or a change of thousands.
pub(crate) fn may_take_long(headers: &HeaderMap) -> bool {
    told(headers).is_some_and(|patience| patience > SHORT)
}

fn parse(written: &str) -> Option<Duration> {
    let (number, unit) = written.split_at_checked(written.len().checked_sub(1)?)?;
    let number: u64 = number.parse().ok().filter(|number| *number < 100_000_000)?;
    match unit {
        "H" => Some(Duration::from_secs(number * 3600)),
        "M" => Some(Duration::from_secs(number * 60)),
        "S" => Some(Duration::from_secs(number)),
        "m" => Some(Duration::from_millis(number)),
        "u" => Some(Duration::from_micros(number)),
        "n" => Some(Duration::from_nanos(number)),
        _ => None,
    }
}

/// For whom a call is made: what is forwarded from one service to the next.
#[derive(Debug, Clone, Default)]
pub struct Bearer {
    authorization: Option<MetadataValue<Ascii>>,
    on_behalf_of: Option<MetadataValue<Ascii>>,
    request_id: Option<MetadataValue<Ascii>>,
    address: Option<MetadataValue<Ascii>>,
}

impl Bearer {
    /// A token of one's own, or none; characters that no header takes are left out.
    #[must_use]
    pub fn new(token: Option<&str>, request_id: &str, address: &str) -> Self {
        Self {
            authorization: token.and_then(|token| format!("Bearer {token}").parse().ok()),
            on_behalf_of: None,
            request_id: request_id.parse().ok(),
            address: address.parse().ok(),
        }
    }

    /// Who made a request that came in.
    #[must_use]
    pub fn of<T>(request: &tonic::Request<T>) -> Self {
        let take = |name| request.metadata().get(name).cloned();
        Self { authorization: take("authorization"), on_behalf_of: None, request_id: take(REQUEST_ID), address: take("x-patio-address") }
    }

    /// A service's bearer for a call that it makes for the person of this one.
    #[must_use]
    pub fn by_service(&self, service: &Self) -> Self {
        Self { authorization: service.authorization.clone(), on_behalf_of: self.authorization.clone(), ..self.clone() }
    }

    /// A request in that name.
    #[must_use]
    pub fn sign<T>(&self, message: T) -> tonic::Request<T> {
        let mut request = tonic::Request::new(message);
        self.mark(&mut request);
        request
    }

    /// A request in that name that may take longer or less long than usual.
    #[must_use]
    pub fn sign_within<T>(&self, patience: Duration, message: T) -> tonic::Request<T> {
        let mut request = self.sign(message);
        request.set_timeout(patience);
        request
    }

    /// A request in that name that its own contents make repeatable.
    #[must_use]
    pub fn sign_repeatable<T>(&self, message: T) -> tonic::Request<T> {
        let mut request = self.sign(message);
        request.extensions_mut().insert(Repeatable);
        request
    }

    fn mark<T>(&self, request: &mut tonic::Request<T>) {
        let entries = [
            ("authorization", &self.authorization),
            (ON_BEHALF_OF, &self.on_behalf_of),
            (REQUEST_ID, &self.request_id),
            ("x-patio-address", &self.address),
        ];
        for (name, value) in entries {
            if let Some(value) = value {
                request.metadata_mut().insert(name, value.clone());
            }
        }
    }
}

/// The status of a failed call to another service, to be passed on to one's own caller.
#[must_use]
pub fn passed_on(status: Status) -> Status {
    match status.code() {
        Code::Cancelled if status.message().contains("Timeout") => {
            errors::status(Code::DeadlineExceeded, Reason::Timeout, &"the call took too long")
        }
        Code::Unknown => errors::internal(&status),
        _ => status,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadlines_are_read_as_grpc_writes_them() {
        assert_eq!(parse("250m"), Some(Duration::from_millis(250)));
        assert_eq!(parse("3S"), Some(Duration::from_secs(3)));
        assert_eq!(parse("x"), None);
        assert_eq!(parse(""), None);
    }
}
