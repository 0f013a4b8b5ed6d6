//! One replica, and how it is.
use super::{Replicas, heard::Heard};
use crate::lifecycle::Tasks;
use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use std::{
    error::Error,
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{Notify, watch},
    time::Instant,
};
use tonic::{
    ConnectError, TimeoutExpired,
    body::Body,
    transport::{Channel, Endpoint},
};
use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient};
use tower::ServiceExt;

/// How long a replica may take to say how it is: one that is frozen is left alone within a second.
const CHECK_PATIENCE: Duration = Duration::from_millis(280);
/// How long until it is asked again.
const CHECK_EVERY: Duration = Duration::from_millis(300);
/// How often in a row it may fail to answer: a busy moment on either side is not the end.
const MISSES: u32 = 2;
/// How long until one that is not well is asked again.
const CHECK_SOON: Duration = Duration::from_millis(100);
/// A frozen replica is left alone within a second: two checks in a row that it does not answer.
const _: () = assert!(CHECK_EVERY.as_millis() + 2 * CHECK_PATIENCE.as_millis() + CHECK_SOON.as_millis() < 1000);
/// And whoever waits for it although it may take long is told in time.
const _: () = assert!(CHECK_EVERY.as_millis() + 2 * CHECK_PATIENCE.as_millis() + CHECK_SOON.as_millis() + SILENCE.as_millis() < 2_300);
/// How long one that is not well may say nothing at all until it is taken for frozen: with the time in which it was found not to be
/// well less than any answer may take.
const SILENCE: Duration = Duration::from_millis(1200);
/// What says how a call went, before its message or after it.
const STATUS: &str = "grpc-status";

/// One address and what is known of it.
pub struct Replica {
    pub address: SocketAddr,
    channel: Channel,
    busy: AtomicUsize,
    well: watch::Sender<bool>,
    silent: watch::Sender<bool>,
    look: Notify,
    named: Mutex<Instant>,
    forgotten: watch::Sender<bool>,
}

/// Why a replica gave no answer.
pub enum Failure {
    /// It has not seen the call.
    NotSent(String),
    /// It may have seen the call, and may have carried it out.
    Lost(String),
    /// It took too long.
    TooLate,
}

impl Replica {
    /// A replica that is asked from now on how it is.
    pub fn watched(address: SocketAddr, tasks: &Tasks) -> anyhow::Result<Arc<Self>> {
        let channel = Endpoint::from_shared(format!("http://{address}"))?
            .connect_timeout(Duration::from_millis(500))
            .http2_keep_alive_interval(Duration::from_secs(10))
            .keep_alive_timeout(Duration::from_secs(3))
            .keep_alive_while_idle(true)
            .tcp_nodelay(true)
            .connect_lazy();
        let replica = Arc::new(Self {
            address,
            channel,
            busy: AtomicUsize::new(0),
            well: watch::Sender::new(false),
            silent: watch::Sender::new(false),
            look: Notify::new(),
            named: Mutex::new(Instant::now()),
            forgotten: watch::Sender::new(false),
        });
        let (watching, ended) = (replica.clone(), tasks.clone());
        tasks.spawn(async move {
            let mut forgotten = watching.forgotten.subscribe();
            tokio::select! {
                () = watching.watch() => {}
                () = watching.listen() => {}
                _ = forgotten.wait_for(|forgotten| *forgotten) => {}
                () = ended.stopped() => {}
            }
        });
        Ok(replica)
    }

    async fn watch(&self) {
        let mut missed = 0;
        loop {
            let told = self.check(CHECK_PATIENCE).await;
            missed = if told.is_none() { missed + 1 } else { 0 };
            let well = told.unwrap_or(missed < MISSES && self.is_well());
            if self.well.send_replace(well) != well {
                tracing::info!(address = %self.address, well, "a replica changed");
            }
            tokio::select! {
                () = tokio::time::sleep(if well && missed == 0 { CHECK_EVERY } else { CHECK_SOON }) => {}
                () = self.look.notified() => {}
            }
        }
    }

    /// Finds out of one that is not well whether it says anything at all: one that is slow is waited for, and one that leaves
    /// finishes what it has begun.
    async fn listen(&self) {
        let mut well = self.well.subscribe();
        loop {
            if !*self.silent.borrow() && well.wait_for(|well| !well).await.is_err() {
                return;
            }
            self.silent.send_replace(self.check(SILENCE).await.is_none());
            tokio::time::sleep(CHECK_SOON).await;
        }
    }

    /// Whether it serves; nothing when it does not say in time.
    async fn check(&self, patience: Duration) -> Option<bool> {
        let mut health = HealthClient::new(self.channel.clone());
        let answer = tokio::time::timeout(patience, health.check(HealthCheckRequest { service: String::new() })).await;
        match answer {
            Ok(reply) => Some(reply.is_ok_and(|reply| reply.get_ref().status() == ServingStatus::Serving)),
            Err(_) => None,
        }
    }

    pub fn is_well(&self) -> bool {
        *self.well.borrow()
    }

    pub fn busy(&self) -> usize {
        self.busy.load(Ordering::Relaxed)
    }

    /// Notes that its service's name led to it.
    pub fn note_name(&self, now: Instant) {
        *self.named.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    /// When its service's name last led to it.
    pub fn last_named(&self) -> Instant {
        *self.named.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the asking; calls under way go on.
    pub fn forget(&self) {
        self.forgotten.send_replace(true);
    }

    /// Takes note of a broken connection before the next look would.
    fn suspect(&self) {
        self.well.send_replace(false);
        self.look.notify_one();
    }

    /// Returns as soon as nothing has been heard of it for too long.
    pub async fn silence(&self) {
        // An error would tell that nobody listens any more, which cannot be while this is borrowed.
        let _ = self.silent.subscribe().wait_for(|is_silent| *is_silent).await;
    }

    /// Waits until a replica that was well is no longer; for ever when it was not.
    async fn lost(&self) {
        let mut well = self.well.subscribe();
        if !*well.borrow_and_update() || well.wait_for(|well| !well).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// A replica that counts as busy while this is held.
pub struct Lease(Arc<Replica>, Replicas);

impl Lease {
    pub(super) fn of(replica: Arc<Replica>, among: &Replicas) -> Self {
        replica.busy.fetch_add(1, Ordering::Relaxed);
        Self(replica, among.clone())
    }

    /// Where it is.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.0.address
    }

    /// Carries a call there; one that may be repeated is given up when the replica is not well any more and another is, any
    /// when nothing is heard of it.
    ///
    /// An answer is whole, unless it is a stream: one that breaks off ends with [`tonic::Code::Unavailable`].
    ///
    /// # Errors
    /// Why there was no answer, or not all of it.
    pub async fn carry(&self, request: Request<Body>, may_repeat: bool) -> Result<Response<Body>, Failure> {
        let answered = tokio::select! {
            answered = self.answer(request) => answered,
            () = self.0.silence() => return Err(Failure::Lost("nothing is heard of the replica".to_owned())),
            () = self.better_elsewhere(), if may_repeat => return Err(Failure::Lost("the replica is not well any more".to_owned())),
        };
        answered.inspect_err(|failure| {
            if !matches!(failure, Failure::TooLate) {
                self.0.suspect();
            }
        })
    }

    async fn answer(&self, request: Request<Body>) -> Result<Response<Body>, Failure> {
        let streamed = patio_proto::method(request.uri().path()).is_some_and(|method| method.server_streaming);
        let response = self.0.channel.clone().oneshot(request).await.map_err(|cause| failure(&cause))?;
        if streamed { Ok(response.map(|body| Body::new(Heard::new(body, self.0.clone())))) } else { complete(response).await }
    }

    async fn better_elsewhere(&self) {
        self.0.lost().await;
        while self.1.well() == 0 {
            tokio::time::sleep(CHECK_SOON).await;
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.0.busy.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Waits for the rest of an answer; what does not say at its end how the call went is none.
async fn complete(response: Response<Body>) -> Result<Response<Body>, Failure> {
    let (head, body) = response.into_parts();
    let body = body.collect().await.map_err(|cause| Failure::Lost(cause.to_string()))?;
    let says = |headers: &HeaderMap| headers.contains_key(STATUS);
    if head.status == StatusCode::OK && !says(&head.headers) && !body.trailers().is_some_and(says) {
        return Err(Failure::Lost("the answer ended early".to_owned()));
    }
    Ok(Response::from_parts(head, Body::new(body.map_err(|never| match never {}))))
}

fn failure(cause: &(dyn Error + 'static)) -> Failure {
    let mut told = cause.to_string();
    let mut inner = Some(cause);
    let mut not_sent = false;
    while let Some(cause) = inner {
        if cause.is::<TimeoutExpired>() {
            return Failure::TooLate;
        }
        not_sent |= cause.is::<ConnectError>()
            || cause.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_canceled)
            || cause.downcast_ref::<h2::Error>().is_some_and(untouched);
        told = cause.to_string();
        inner = cause.source();
    }
    if not_sent { Failure::NotSent(told) } else { Failure::Lost(told) }
}

/// Whether the other side says that it has not looked at the call.
fn untouched(cause: &h2::Error) -> bool {
    let reason = cause.reason();
    reason == Some(h2::Reason::REFUSED_STREAM) || cause.is_go_away() && cause.is_remote() && reason == Some(h2::Reason::NO_ERROR)
}

/// A body that can be sent again.
pub(crate) fn whole(body: Bytes) -> Body {
    Body::new(Full::new(body).map_err(|never| match never {}))
}
