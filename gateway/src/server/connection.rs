//! One client connection: TLS handshake, HTTP, idle timeouts and graceful shutdown.
use crate::{
    config::Config,
    http::{peer::Peer, request_body::BodyWithTimeout},
    limits::admission,
    middleware,
    server::{
        idle_timeouts::{ActivityTrackingBody, ConnectionActivity, IdleTimeouts},
        runtime::HandlerRuntime,
    },
    state::AppState,
    tls::ReloadableTlsAcceptor,
};
use axum::{Router, body::Body, response::Response};
use http::{HeaderName, HeaderValue, Version, header::CONNECTION};
use hyper::{
    body::{Body as _, Incoming},
    service::service_fn,
};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
};
use std::{
    convert::Infallible,
    net::IpAddr,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::Instant,
};
use tower::ServiceExt;

/// Maximum time that a graceful shutdown waits for requests in flight.
pub(super) const DRAIN_TIMEOUT: Duration = Duration::from_secs(20);
/// Idle timeout of a connection on which a request is in flight but no data is received or sent.
const REQUEST_IDLE_TIMEOUT: Duration = Duration::from_secs(180);
/// Keep-alive timeout for connections of trusted proxies. Most proxies close idle connections after a minute. The gateway must
/// not close first, because a request that the proxy has just sent would be lost.
const PROXY_KEEP_ALIVE: Duration = Duration::from_secs(75);
/// Time by which the keep-alive timeout announced to the client is shorter than the timeout that the gateway applies. The client
/// therefore closes an idle connection first.
const KEEP_ALIVE_MARGIN: Duration = Duration::from_secs(1);
/// Maximum time that the gateway waits for the graceful close of a connection; then the connection is dropped.
const CLOSE_GRACE: Duration = Duration::from_millis(500);
/// Maximum size of the request headers, in bytes.
const MAX_HEADER_BYTES: usize = 32 << 10;
const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");
/// First byte of a TLS handshake.
const TLS_HANDSHAKE_BYTE: u8 = 0x16;

/// One client connection with its router and idle timeouts.
pub(super) struct Connection {
    app: Router,
    api: AppState,
    work: HandlerRuntime,
    peer: Peer,
    timeouts: IdleTimeouts,
    /// Whether the connection has carried an HTTP/2 request. When the process starts draining before a shutdown, the gateway sends GOAWAY
    /// on such a connection, so that the client opens a new connection.
    shared: AtomicBool,
}

/// Returns the idle timeouts for connections from an IP address; connections of trusted proxies may stay idle longer.
fn idle_timeouts(config: &Config, address: IpAddr) -> IdleTimeouts {
    let is_proxy = config.trusted_proxies.iter().any(|proxy| proxy.contains(address));
    let first = config.head_timeout;
    IdleTimeouts {
        first,
        between_requests: if is_proxy { first.max(PROXY_KEEP_ALIVE) } else { first },
        during_request: REQUEST_IDLE_TIMEOUT,
    }
}

impl Connection {
    /// Creates a connection from `peer`. The router `app` handles the requests; `work` provides the tokio runtime for the handlers.
    pub(super) fn new(app: Router, api: AppState, work: HandlerRuntime, peer: Peer) -> Self {
        let timeouts = idle_timeouts(&api.config, peer.address);
        Self { app, api, work, peer, timeouts, shared: AtomicBool::new(false) }
    }

    /// Performs the TLS handshake and serves the connection. A client that speaks plain HTTP is served by the router `plain`,
    /// which redirects to HTTPS.
    pub(super) async fn handshake_and_serve(mut self, stream: TcpStream, tls: &ReloadableTlsAcceptor, plain: Router) {
        let agreed = tokio::time::timeout(self.api.config.head_timeout, async {
            let mut first = [0];
            let begun = stream.peek(&mut first).await?;
            if begun == 1 && first[0] == TLS_HANDSHAKE_BYTE { tls.acceptor().accept(stream).await.map(Ok) } else { Ok(Err(stream)) }
        });
        match agreed.await {
            Ok(Ok(Ok(secure))) => {
                self.peer.tls = true;
                Arc::new(self).serve(secure).await;
            }
            Ok(Ok(Err(stream))) => {
                self.app = plain;
                Arc::new(self).serve(stream).await;
            }
            Ok(Err(cause)) => tracing::debug!(%cause, peer = %self.peer.address, "TLS handshake with a client failed, connection closed"),
            Err(_) => tracing::debug!(peer = %self.peer.address, "TLS handshake with a client timed out, connection closed"),
        }
    }

    /// Returns the `Keep-Alive` header value; `None` when the timeout is too short to announce. The header announces a shorter
    /// timeout than the gateway applies, so that the client closes an idle connection first.
    fn keep_alive_header(&self) -> Option<HeaderValue> {
        let rest = self.timeouts.between_requests.saturating_sub(KEEP_ALIVE_MARGIN).as_secs();
        (rest > 0).then(|| HeaderValue::try_from(format!("timeout={rest}")).ok()).flatten()
    }

    /// Serves requests until the client disconnects, an idle timeout expires, or the process stops.
    pub(super) async fn serve<S>(self: Arc<Self>, stream: S)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let pulse = ConnectionActivity::new();
        let (answering, counted) = (self.clone(), pulse.clone());
        let service = service_fn(move |request| answering.clone().answer(request, counted.clone()));
        let timeouts = self.timeouts;
        let builder = self.builder();
        let mut served = pin!(builder.serve_connection(TokioIo::new(stream), service));
        let (mut until, mut drain_announced) = (None, false);
        loop {
            let check = until.unwrap_or_else(|| pulse.idle_deadline(timeouts));
            tokio::select! {
                done = served.as_mut() => {
                    if let Err(cause) = done {
                        tracing::debug!(%cause, peer = %self.peer.address, "connection to a client failed, connection closed");
                    }
                    return;
                }
                () = self.api.host.tasks.wait_until_draining(), if !drain_announced => {
                    drain_announced = true;
                    if self.shared.load(Ordering::Relaxed) {
                        served.as_mut().graceful_shutdown(); // HTTP/2 sends GOAWAY: the client opens a new connection
                    }
                }
                () = self.api.host.tasks.wait_until_stopping(), if until.is_none() => {
                    served.as_mut().graceful_shutdown();
                    until = Some(Instant::now() + DRAIN_TIMEOUT);
                }
                () = tokio::time::sleep_until(check) => {
                    if until.is_some() {
                        return;
                    }
                    if pulse.idle_deadline(timeouts) <= Instant::now() {
                        served.as_mut().graceful_shutdown();
                        until = Some(Instant::now() + CLOSE_GRACE);
                    }
                }
            }
        }
    }

    fn builder(&self) -> auto::Builder<TokioExecutor> {
        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder
            .http1()
            .timer(TokioTimer::new())
            .header_read_timeout(self.timeouts.between_requests)
            .max_buf_size(MAX_HEADER_BYTES)
            .max_headers(100);
        builder
            .http2()
            .timer(TokioTimer::new())
            .keep_alive_interval(Duration::from_secs(20))
            .keep_alive_timeout(Duration::from_secs(10))
            .max_concurrent_streams(100)
            .max_header_list_size(u32::try_from(MAX_HEADER_BYTES).unwrap_or_default());
        builder
    }

    async fn answer(self: Arc<Self>, request: http::Request<Incoming>, activity: ConnectionActivity) -> Result<Response, Infallible> {
        let busy = activity.mark_request_in_flight();
        let received = |body| {
            let paced = Body::new(BodyWithTimeout::new(body, self.api.config.body_timeout));
            Body::new(ActivityTrackingBody::new(paced, activity.mark_request_in_flight()))
        };
        let mut request = request.map(|body| if body.is_end_stream() { Body::empty() } else { received(body) });
        request.extensions_mut().insert(self.peer);
        let alone = request.version() < Version::HTTP_2;
        self.shared.fetch_or(!alone, Ordering::Relaxed);
        let app = self.app.clone();
        let answered = admission::run_with_permit(&self.api.admission, request, |request| async {
            match self.work.run(app.oneshot(request)).await {
                Ok(Ok(response)) => response,
                Ok(Err(never)) => match never {},
                Err(cause) => middleware::build_panic_response(cause),
            }
        });
        let mut response = match answered.await {
            Ok(response) => response,
            Err(refused) => middleware::drain_and_respond_overloaded(&self.api, *refused).await,
        };
        if alone && self.api.host.tasks.is_draining() {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close")); // the next request goes to another replica
        } else if alone && let Some(rest) = self.keep_alive_header() {
            response.headers_mut().insert(KEEP_ALIVE, rest);
        }
        Ok(response.map(|body| Body::new(ActivityTrackingBody::new(body, busy))))
    }
}
