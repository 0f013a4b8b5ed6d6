//! Client of one replica of a service: the connection to the replica and the replica's health state.
use crate::client::abortable_body::AbortableBody;
use crate::{lifecycle::BackgroundTasks, tls::GrpcTlsConnector};
use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use std::{
    error::Error,
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::{Notify, watch};
use tonic::{
    Code, ConnectError, TimeoutExpired,
    body::Body,
    transport::{Channel, Endpoint},
};
use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient};
use tower::ServiceExt;

/// Timeout of a health check, short enough that a frozen replica gets no new calls after one second.
const CHECK_TIMEOUT: Duration = Duration::from_millis(280);
/// Interval between two health checks of a healthy replica.
const HEALTHY_CHECK_INTERVAL: Duration = Duration::from_millis(300);
/// Number of consecutive timed-out health checks after which a replica is unhealthy. A single timeout may only mean that the
/// replica is busy.
const MAX_MISSED_CHECKS: u32 = 2;
/// Interval between two health checks of an unhealthy replica.
pub(super) const UNHEALTHY_CHECK_INTERVAL: Duration = Duration::from_millis(100);
/// Compile-time check: a replica that stops responding becomes unhealthy within one second, after two health checks have timed out.
const _: () = assert!(HEALTHY_CHECK_INTERVAL.as_millis() + 2 * CHECK_TIMEOUT.as_millis() + UNHEALTHY_CHECK_INTERVAL.as_millis() < 1000);
/// Compile-time check: long-running calls to a replica that stops responding fail within 2.3 seconds.
const _: () = assert!(
    HEALTHY_CHECK_INTERVAL.as_millis() + 2 * CHECK_TIMEOUT.as_millis() + UNHEALTHY_CHECK_INTERVAL.as_millis() + FROZEN_TIMEOUT.as_millis()
        < 2_300
);
/// Timeout after which an unhealthy replica that does not respond counts as frozen.
///
/// This timeout plus the time until a replica is found unhealthy is shorter than the time limit of any request.
const FROZEN_TIMEOUT: Duration = Duration::from_millis(1200);
/// Header or trailer with the status code of a call.
const GRPC_STATUS_HEADER: &str = "grpc-status";

/// Client of one replica of a service: the connection to the replica and the replica's health state.
pub struct Replica {
    service: &'static str,
    /// Address of the replica.
    pub address: SocketAddr,
    channel: Channel,
    busy: AtomicUsize,
    well: watch::Sender<bool>,
    silent: watch::Sender<bool>,
    look: Notify,
    is_checked: AtomicBool,
    health_lost: Arc<Notify>,
    cause: Mutex<Option<String>>,
    stopped: watch::Sender<bool>,
}

/// Returns the gRPC service name that health checks send to the replicas of a service. A health check fails at an address where
/// another service runs, because that service does not know the name.
///
/// Returns an empty name for an unknown service. The health check then covers the whole process.
#[must_use]
pub fn health_service_name(service: &str) -> &'static str {
    match service {
        "auth-svc" => "patio.auth.v1.SessionService",
        "campaign-svc" => "patio.campaign.v1.CampaignService",
        "vehicle-svc" => "patio.vehicle.v1.VehicleService",
        "import-svc" => "patio.imports.v1.ImportService",
        _ => "",
    }
}

/// Returns the error message for an address at which a service other than `expected` responds. The message names the setting to
/// correct.
#[must_use]
pub fn wrong_service_message(expected: &str) -> String {
    let setting = expected.trim_end_matches("-svc").to_uppercase();
    format!("another service responds there, not {expected}: correct PATIO_{setting}_URL")
}

/// Reason why a call got no response from a replica.
pub enum RpcAttemptFailure {
    /// The call did not reach the replica.
    NotSent(String),
    /// The response was lost; the replica may have executed the call.
    ResponseLost(String),
    /// The deadline of the call expired.
    DeadlineExceeded,
}

impl Replica {
    /// Creates the client of one service replica and starts the health checks. Connections use TLS when a connector is given.
    ///
    /// `health_lost` is notified when a healthy replica becomes unhealthy, and when the first health check or call of a replica fails.
    pub fn new_with_health_checks(
        service: &'static str,
        address: SocketAddr,
        connector: Option<impl GrpcTlsConnector>,
        health_lost: Arc<Notify>,
        tasks: &BackgroundTasks,
    ) -> anyhow::Result<Arc<Self>> {
        let endpoint = Endpoint::from_shared(format!("http://{address}"))?
            .connect_timeout(Duration::from_millis(500))
            .http2_keep_alive_interval(Duration::from_secs(10))
            .keep_alive_timeout(Duration::from_secs(3))
            .keep_alive_while_idle(true)
            .tcp_nodelay(true);
        let channel = match connector {
            Some(connector) => endpoint.connect_with_connector_lazy(connector),
            None => endpoint.connect_lazy(),
        };
        let replica = Arc::new(Self {
            service,
            address,
            channel,
            busy: AtomicUsize::new(0),
            well: watch::Sender::new(false),
            silent: watch::Sender::new(false),
            look: Notify::new(),
            is_checked: AtomicBool::new(false),
            health_lost,
            cause: Mutex::default(),
            stopped: watch::Sender::new(false),
        });
        let (watching, ended) = (replica.clone(), tasks.clone());
        tasks.spawn(async move {
            let mut stopped = watching.stopped.subscribe();
            tokio::select! {
                () = watching.watch() => {}
                () = watching.listen() => {}
                _ = stopped.wait_for(|stopped| *stopped) => {}
                () = ended.wait_until_stopping() => {}
            }
        });
        Ok(replica)
    }

    async fn watch(&self) {
        let mut missed = 0;
        loop {
            let checked = self.check(CHECK_TIMEOUT).await;
            missed = if checked.is_none() { missed + 1 } else { 0 };
            let healthy = checked.as_ref().map_or(missed < MAX_MISSED_CHECKS && self.is_healthy(), |checked| *checked == Ok(true));
            if self.well.send_replace(healthy) != healthy {
                if healthy {
                    tracing::info!(service = self.service, address = %self.address, "service replica healthy");
                } else {
                    let cause = match &checked {
                        None => "the health check timed out",
                        Some(Ok(_)) => "the replica is not serving",
                        Some(Err(cause)) => cause.as_str(),
                    };
                    tracing::warn!(service = self.service, address = %self.address, cause, "service replica unhealthy, avoiding it");
                    self.health_lost.notify_one();
                }
            }
            if !self.is_checked.swap(true, Ordering::Relaxed) && !healthy {
                self.health_lost.notify_one();
            }
            self.log_new_cause(checked.and_then(Result::err));
            tokio::select! {
                () = tokio::time::sleep(if healthy && missed == 0 { HEALTHY_CHECK_INTERVAL } else { UNHEALTHY_CHECK_INTERVAL }) => {}
                () = self.look.notified() => {}
            }
        }
    }

    /// Increments the number of calls in flight on the replica.
    pub(super) fn begin_call(&self) {
        self.busy.fetch_add(1, Ordering::Relaxed);
    }

    /// Decrements the number of calls in flight on the replica.
    pub(super) fn end_call(&self) {
        self.busy.fetch_sub(1, Ordering::Relaxed);
    }

    /// Repeatedly checks whether an unhealthy replica is frozen, that is, does not respond at all. Calls to a frozen replica are
    /// aborted. A replica that is only slow or draining finishes its calls.
    async fn listen(&self) {
        let mut well = self.well.subscribe();
        loop {
            if !*self.silent.borrow() && well.wait_for(|well| !well).await.is_err() {
                return;
            }
            self.silent.send_replace(self.check(FROZEN_TIMEOUT).await.is_none());
            tokio::time::sleep(UNHEALTHY_CHECK_INTERVAL).await;
        }
    }

    /// Runs one health check. Returns `Ok(true)` when the replica is serving, `Ok(false)` when the replica responds but is not serving,
    /// the cause of a failed check, or `None` when the check timed out.
    async fn check(&self, timeout: Duration) -> Option<Result<bool, String>> {
        let mut health = HealthClient::new(self.channel.clone());
        let answer =
            tokio::time::timeout(timeout, health.check(HealthCheckRequest { service: health_service_name(self.service).to_owned() }))
                .await
                .ok()?;
        Some(answer.map(|reply| reply.get_ref().status() == ServingStatus::Serving).map_err(|status| match status.code() {
            Code::NotFound => wrong_service_message(self.service),
            _ => innermost(&status),
        }))
    }

    /// Logs the cause of a failed health check, such as a refused connection, unless the previous health check had the same cause.
    fn log_new_cause(&self, cause: Option<String>) {
        let mut last = self.cause.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cause) = cause.as_ref().filter(|cause| last.as_ref() != Some(*cause)) {
            tracing::info!(service = self.service, address = %self.address, cause, "health check of a service replica failed, retrying");
        }
        *last = cause;
    }

    /// Returns `true` while the replica counts as healthy. Failed health checks and failed calls make a replica unhealthy.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        *self.well.borrow()
    }

    /// Returns the number of calls in flight on the replica.
    #[must_use]
    pub fn calls_in_flight(&self) -> usize {
        self.busy.load(Ordering::Relaxed)
    }

    /// Returns `true` while the replica is unhealthy according to a health check or a call. Returns `false` for a replica that was not
    /// checked yet.
    #[must_use]
    pub fn is_known_unhealthy(&self) -> bool {
        self.is_checked.load(Ordering::Relaxed) && !self.is_healthy()
    }

    /// Stops the health checks. Calls in progress continue.
    pub fn stop_health_checks(&self) {
        self.stopped.send_replace(true);
    }

    /// Marks the replica as unhealthy after a failed call and triggers a health check.
    pub(super) fn mark_unhealthy(&self) {
        let was_unchecked = !self.is_checked.swap(true, Ordering::Relaxed);
        if self.well.send_replace(false) || was_unchecked {
            self.health_lost.notify_one();
        }
        self.look.notify_one();
    }

    /// Waits until the replica counts as frozen: unhealthy and without any response.
    pub async fn wait_until_unresponsive(&self) {
        // An error would mean that the sender was dropped, which cannot happen while `self` is borrowed.
        let _ = self.silent.subscribe().wait_for(|is_silent| *is_silent).await;
    }

    /// Waits until the replica counts as unhealthy. Returns at once when it already does.
    pub(super) async fn wait_until_unhealthy(&self) {
        // An error would mean that the sender was dropped, which cannot happen while `self` is borrowed.
        let _ = self.well.subscribe().wait_for(|is_healthy| !*is_healthy).await;
    }

    /// Sends a request in one attempt and reads a unary response to its end.
    pub(super) async fn send(self: &Arc<Self>, request: Request<Body>) -> Result<Response<Body>, RpcAttemptFailure> {
        let streamed = patio_proto::find_rpc_method(request.uri().path()).is_some_and(|method| method.server_streaming);
        let response = self.channel.clone().oneshot(request).await.map_err(|cause| failure(&cause))?;
        if !streamed {
            return complete(response).await;
        }
        let (service, replica) = (self.service, self.clone());
        Ok(response.map(|body| Body::new(AbortableBody::new(body, service, async move { replica.wait_until_unresponsive().await }))))
    }
}

/// Reads a unary response to its end. A response without a `grpc-status` was cut off and counts as lost.
async fn complete(response: Response<Body>) -> Result<Response<Body>, RpcAttemptFailure> {
    let (head, body) = response.into_parts();
    let body = body.collect().await.map_err(|cause| RpcAttemptFailure::ResponseLost(cause.to_string()))?;
    let says = |headers: &HeaderMap| headers.contains_key(GRPC_STATUS_HEADER);
    if head.status == StatusCode::OK && !says(&head.headers) && !body.trailers().is_some_and(says) {
        return Err(RpcAttemptFailure::ResponseLost("response was cut off".to_owned()));
    }
    Ok(Response::from_parts(head, Body::new(body.map_err(|never| match never {}))))
}

fn failure(cause: &(dyn Error + 'static)) -> RpcAttemptFailure {
    let mut message = cause.to_string();
    let mut inner = Some(cause);
    let mut not_sent = false;
    while let Some(cause) = inner {
        if cause.is::<TimeoutExpired>() {
            return RpcAttemptFailure::DeadlineExceeded;
        }
        not_sent |= cause.is::<ConnectError>()
            || cause.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_canceled)
            || cause.downcast_ref::<h2::Error>().is_some_and(is_unprocessed);
        message = cause.to_string();
        inner = cause.source();
    }
    if not_sent { RpcAttemptFailure::NotSent(message) } else { RpcAttemptFailure::ResponseLost(message) }
}

/// Returns the innermost cause of an error, such as `Connection refused`.
fn innermost(mut cause: &(dyn Error + 'static)) -> String {
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

/// Returns `true` when an HTTP/2 error guarantees that the server has not processed the call.
fn is_unprocessed(cause: &h2::Error) -> bool {
    let reason = cause.reason();
    reason == Some(h2::Reason::REFUSED_STREAM) || cause.is_go_away() && cause.is_remote() && reason == Some(h2::Reason::NO_ERROR)
}

/// Creates a request body from bytes. The caller keeps a copy of the bytes, so that a retry can send the same body again.
pub(crate) fn body_from_bytes(body: Bytes) -> Body {
    Body::new(Full::new(body).map_err(|never| match never {}))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::environment::SETTING_NAMES;

    #[test]
    fn each_service_is_checked_by_a_name_of_the_contract_and_a_wrong_one_by_the_setting_to_correct() {
        for service in ["auth-svc", "campaign-svc", "vehicle-svc", "import-svc"] {
            let name = health_service_name(service);
            assert!(patio_proto::METHODS.iter().any(|method| method.service_name() == name), "{service}: {name}");
            let message = wrong_service_message(service);
            assert!(message.contains(service) && SETTING_NAMES.into_iter().any(|setting| message.ends_with(setting)), "{message}");
        }
        assert_eq!(health_service_name("gateway"), "");
    }
}
