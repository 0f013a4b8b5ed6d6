//! Transport for gRPC clients. The called service runs in this process or is reached over the network.
use crate::{
    client::{
        balancer::{InFlightCall, LoadBalancer},
        call_context::IdempotentCall,
        client_span::ClientSpan,
        deadline::{outgoing_timeout, set_timeout_header},
        replica::{RpcAttemptFailure, body_from_bytes},
    },
    errors::{self, ErrorReason},
};
use bytes::Bytes;
use futures::future::BoxFuture;
use http::{HeaderValue, Request, Response};
use http_body_util::BodyExt;
use std::{
    convert::Infallible,
    fmt::Display,
    sync::{Arc, OnceLock},
    task::{Context, Poll},
    time::Duration,
};
use tokio::time::Instant;
use tonic::{Code, Status, body::Body};
use tower::{Service, ServiceExt};
use tracing::Instrument;

/// Maximum number of attempts of a call. All attempts share one deadline.
const MAX_ATTEMPTS: usize = 5;

/// Transport to one service, which all generated gRPC clients of the service use.
#[derive(Clone)]
pub enum ServiceChannel {
    /// Service in this process, reached through its router. The router is set once the service has started.
    Local(Arc<OnceLock<axum::Router>>),
    /// Service reached over the network, with load balancing over its replicas.
    Remote(LoadBalancer),
}

impl Service<Request<Body>> for ServiceChannel {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let timeout = outgoing_timeout(request.headers());
        set_timeout_header(request.headers_mut(), timeout);
        let (link, until) = (self.clone(), Instant::now() + timeout);
        let service = self.service(request.uri().path());
        Box::pin(async move {
            let answer = tokio::time::timeout_at(until, link.send_until(request, until)).await;
            Ok(answer.unwrap_or_else(|_| timeout_response(service)))
        })
    }
}

impl ServiceChannel {
    /// Returns the name of the called service, such as `vehicle-svc`, for log events and errors.
    fn service(&self, path: &str) -> &'static str {
        match (self, path.split('.').nth(1)) {
            (Self::Remote(replicas), _) => replicas.name(),
            (_, Some("auth")) => "auth-svc",
            (_, Some("campaign")) => "campaign-svc",
            (_, Some("vehicle")) => "vehicle-svc",
            (_, Some("imports")) => "import-svc",
            _ => "patio",
        }
    }

    async fn send_until(self, request: Request<Body>, until: Instant) -> Response<Body> {
        match self {
            Self::Local(ref slot) => local(slot, self.service(request.uri().path()), request).await,
            Self::Remote(replicas) => remote(&replicas, request, until).await,
        }
    }
}

async fn local(slot: &OnceLock<axum::Router>, service: &str, mut request: Request<Body>) -> Response<Body> {
    let Some(router) = slot.get() else { return unavailable_response(service, &"the service has not started yet") };
    let span = ClientSpan::start(&mut request, None, 1);
    match router.clone().oneshot(request.map(axum::body::Body::new)).instrument(span.span()).await {
        Ok(response) => {
            let response = response.map(Body::new);
            span.end(code(&response));
            response
        }
        Err(never) => match never {},
    }
}

async fn remote(replicas: &LoadBalancer, request: Request<Body>, until: Instant) -> Response<Body> {
    replicas.deposit_into_retry_budget();
    let rule = patio_proto::find_rpc_method(request.uri().path());
    if rule.is_some_and(|rule| rule.client_streaming) {
        return call_without_retry(replicas, request).await;
    }
    let may_repeat = rule.is_some_and(|rule| rule.is_idempotent) || request.extensions().get::<IdempotentCall>().is_some();
    let (head, body) = request.into_parts();
    match body.collect().await {
        Ok(body) => call_with_retries(replicas, &Call { head, body: body.to_bytes(), may_repeat, until }).await,
        Err(cause) => unavailable_response(replicas.name(), &cause),
    }
}

/// Sends one attempt of a call to a replica, in a trace span of its own.
async fn attempt(
    lease: &InFlightCall,
    mut request: Request<Body>,
    may_repeat: bool,
    number: usize,
) -> Result<Response<Body>, RpcAttemptFailure> {
    let span = ClientSpan::start(&mut request, Some(lease.replica_address()), number);
    let answer = lease.send_request(request, may_repeat).instrument(span.span()).await.map(normalize_status);
    span.end(match &answer {
        Ok(response) => code(response),
        Err(RpcAttemptFailure::DeadlineExceeded) => Code::DeadlineExceeded,
        Err(RpcAttemptFailure::NotSent(_) | RpcAttemptFailure::ResponseLost(_)) => Code::Unavailable,
    });
    answer
}

/// Sends a client-streaming call in a single attempt, because a stream cannot be sent again. Waits for a healthy replica first.
async fn call_without_retry(replicas: &LoadBalancer, request: Request<Body>) -> Response<Body> {
    let lease = replicas.pick_replica_for_single_attempt().await;
    match attempt(&lease, request, false, 1).await {
        Ok(response) => response,
        Err(RpcAttemptFailure::DeadlineExceeded) => timeout_response(replicas.name()),
        Err(RpcAttemptFailure::NotSent(cause) | RpcAttemptFailure::ResponseLost(cause)) => {
            unavailable_response(replicas.name(), &at(&lease, &cause))
        }
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
        Request::from_parts(head, body_from_bytes(self.body.clone()))
    }
}

/// Sends a call in up to [`MAX_ATTEMPTS`] attempts. A call that reached no replica is always retried. After a lost response or the
/// status `Unavailable`, the call is retried only if it is idempotent, and if the deadline and the retry budget allow a retry.
async fn call_with_retries(replicas: &LoadBalancer, call: &Call) -> Response<Body> {
    let mut tried = Vec::new();
    loop {
        let begun = Instant::now();
        let lease = replicas.pick_replica(&tried).await;
        tried.push(lease.replica_address());
        let last = tried.len() == MAX_ATTEMPTS;
        let answer = match attempt(&lease, call.request(), call.may_repeat, tried.len()).await {
            Err(RpcAttemptFailure::DeadlineExceeded) => return timeout_response(replicas.name()),
            Err(RpcAttemptFailure::NotSent(cause)) if last => return unavailable_response(replicas.name(), &at(&lease, &cause)),
            Err(RpcAttemptFailure::NotSent(cause)) => {
                tracing::debug!(cause, service = replicas.name(), address = %lease.replica_address(), "service replica unreachable, retrying");
                pause(tried.len()).await;
                continue;
            }
            Err(RpcAttemptFailure::ResponseLost(cause)) => unavailable_response(replicas.name(), &at(&lease, &cause)),
            Ok(response) => response,
        };
        drop(lease);
        let in_time = Instant::now() + begun.elapsed() < call.until; // otherwise the retry could only end in a timeout
        if last || !in_time || !call.may_repeat || !is_unavailable(&answer) || !replicas.try_withdraw_from_retry_budget() {
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

fn unavailable_response(service: &str, cause: &dyn Display) -> Response<Body> {
    errors::with_dependency_failure(errors::unavailable_status(service, cause), service, cause).into_http()
}

fn timeout_response(service: &str) -> Response<Body> {
    let timeout = errors::status(Code::DeadlineExceeded, ErrorReason::Timeout, &"The server took too long to respond. Try again.");
    errors::with_dependency_failure(timeout, service, &"timeout").into_http()
}

/// Returns the cause of a failed attempt, followed by the address of the replica in parentheses.
fn at(lease: &InFlightCall, cause: &str) -> String {
    format!("{cause} ({})", lease.replica_address())
}

/// Returns the gRPC status code in the headers of a response. Headers without a status code, as in a successful response, mean `Ok`.
fn code(response: &Response<Body>) -> Code {
    response.headers().get("grpc-status").map_or(Code::Ok, |code| Code::from_bytes(code.as_bytes()))
}

fn is_unavailable(response: &Response<Body>) -> bool {
    response.headers().get("grpc-status").is_some_and(|code| code.as_bytes() == b"14")
}

/// Maps a response with the status `Cancelled` and a timeout message to `DeadlineExceeded`. tonic servers report timeouts as
/// `Cancelled`.
fn normalize_status(response: Response<Body>) -> Response<Body> {
    let header = |name: &str| response.headers().get(name).map(HeaderValue::as_bytes);
    let expired = header("grpc-status") == Some(b"1") && header("grpc-message").is_some_and(|message| message.starts_with(b"Timeout"));
    if expired { timeout_response("the called service") } else { response }
}

/// Returns the status that this service sends to its caller when a called service returned an error. Timeouts become
/// `DeadlineExceeded`, unknown errors `Internal`.
#[must_use]
pub fn convert_dependency_status(status: Status) -> Status {
    match status.code() {
        Code::Cancelled if status.message().contains("Timeout") => {
            errors::status(Code::DeadlineExceeded, ErrorReason::Timeout, &"The server took too long to respond. Try again.")
        }
        Code::Unknown => errors::internal_status(&status),
        _ => status,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_retry_pauses_for_a_random_time_between_half_and_all_of_its_backoff() {
        for backoff in [1, 40, 320] {
            let pauses: BTreeSet<u64> = (0..1_000).map(|_| jitter(backoff)).collect();
            assert!(pauses.iter().all(|pause| (backoff / 2..=backoff).contains(pause)), "{backoff} ms: {pauses:?}");
            assert!(backoff < 320 || pauses.len() > 50, "callers do not retry at the same times: {pauses:?}");
        }
    }

    #[test]
    fn an_error_of_a_called_service_keeps_its_reason_a_timeout_its_code_and_an_unknown_one_is_hidden() {
        let converted = |status: Status| {
            let status = convert_dependency_status(status);
            (status.code(), errors::reason(&status))
        };
        let missing = errors::status(Code::NotFound, ErrorReason::NoVehicle, &"The vehicle does not exist.");
        assert_eq!(converted(missing), (Code::NotFound, Some(ErrorReason::NoVehicle)));
        assert_eq!(converted(Status::cancelled("Timeout expired")), (Code::DeadlineExceeded, Some(ErrorReason::Timeout)));
        assert_eq!(converted(Status::cancelled("by the client")), (Code::Cancelled, None));
        assert_eq!(converted(Status::unknown("10.0.0.1")), (Code::Internal, Some(ErrorReason::Internal)));
        assert!(!convert_dependency_status(Status::unknown("10.0.0.1")).message().contains("10.0.0.1"));
    }

    #[tokio::test]
    async fn a_service_of_this_process_that_has_not_started_is_unavailable_and_named() {
        for (path, name) in [
            ("/patio.auth.v1.SessionService/GetMe", "auth-svc"),
            ("/patio.campaign.v1.CampaignService/ListCampaigns", "campaign-svc"),
            ("/patio.vehicle.v1.VehicleService/GetVehicle", "vehicle-svc"),
            ("/patio.imports.v1.ImportService/WatchImport", "import-svc"),
        ] {
            let request = Request::post(path).body(Body::empty()).unwrap();
            let response = ServiceChannel::Local(Arc::default()).oneshot(request).await.unwrap();
            let status = Status::from_header_map(response.headers()).unwrap();
            let failure = errors::dependency_failure(&status).unwrap();
            assert_eq!((status.code(), failure.dependency.as_str()), (Code::Unavailable, name), "{path}");
        }
    }
}
