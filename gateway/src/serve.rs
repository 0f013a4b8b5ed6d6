//! The door itself: accepting connections, and letting go of those that hold it open.
use crate::{
    api::Api,
    assets::Pages,
    config::Config,
    headers, openapi,
    pace::{Busy, Paced, Patience, Pulse, Pulsing},
    routes,
    threads::{Doors, Work},
    tls::Tls,
    turns,
};
use anyhow::Context;
use axum::{
    Router,
    body::Body,
    extract::Request,
    middleware::{from_fn, from_fn_with_state},
    response::{IntoResponse, Response},
    routing::get,
};
use http::{
    HeaderName, HeaderValue, StatusCode, Version,
    header::{CACHE_CONTROL, CONNECTION, CONTENT_DISPOSITION, CONTENT_TYPE, HOST, LOCATION},
    uri::Authority,
};
use hyper::{
    body::{Body as _, Incoming},
    service::service_fn,
};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
};
use patio_kit::host::Host;
use std::{
    convert::Infallible,
    io,
    net::{IpAddr, SocketAddr},
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpSocket, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    time::Instant,
};
use tower::ServiceExt;
use tower_http::{
    catch_panic::CatchPanicLayer,
    compression::{
        CompressionLayer,
        predicate::{DefaultPredicate, NotForContentType, Predicate},
    },
};

pub use crate::pace::TooSlow;

/// How many may stand before the door until they are let in, if the system allows as many; whoever comes beyond them is not
/// heard, and tries again after a second.
const CROWD: u32 = 4096;
/// How long a drain waits for requests under way.
const DRAIN: Duration = Duration::from_secs(20);
/// How long a connection may be busy without a single byte moving.
const STUCK: Duration = Duration::from_secs(180);
/// How long a proxy of ours may rest between two requests. Usual ones end their connections after a minute; one that we
/// ended first could lose a request that was just on its way.
const PROXY_RESTS: Duration = Duration::from_secs(75);
/// How much earlier a client is told to end a connection that rests.
const AHEAD: Duration = Duration::from_secs(1);
/// How long a connection may take to end when it was asked to.
const FAREWELL: Duration = Duration::from_millis(500);
/// The largest head of a request, in bytes.
const LARGEST_HEAD: usize = 32 << 10;
const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");
/// The first byte of a client that wants to agree on keys.
const HANDSHAKE: u8 = 0x16;
const SHEET: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// Where the certificate is handed out that phones install to trust this machine.
pub const AUTHORITY: &str = "/patio-ca.crt";

/// Who is at the other end of a connection.
#[derive(Debug, Clone, Copy)]
pub struct Peer {
    /// The address.
    pub address: IpAddr,
    /// Whether nobody between can read along.
    pub tls: bool,
}

/// A gateway that listens.
pub struct Gateway {
    /// Where it listens.
    pub address: SocketAddr,
    listener: TcpListener,
    tls: Option<Tls>,
    app: Router,
    plain: Router,
    api: Api,
    work: Work,
}

/// Reads the pages and opens the port; the one door of this crate.
///
/// # Errors
/// When the pages cannot be read or the port is taken.
pub async fn start(config: Config, host: &Host) -> anyhow::Result<Gateway> {
    host.keep_tokens_current();
    host.links.begin();
    let pages = Pages::load(&config.web_dir, &config.product_name)?;
    let api = Api::new(config.clone(), host);
    api.turns.keep(&host.tasks);
    let listener = listen(config.listen).with_context(|| format!("cannot listen on {}", config.listen))?;
    let address = listener.local_addr()?;
    let tls = config.tls.as_ref().map(|source| Tls::start(source, address, host)).transpose().context("PATIO_TLS")?;
    let plain = if tls.is_some() { insecure(api.clone()) } else { Router::new() };
    let app = match tls.as_ref().and_then(Tls::authority) {
        Some(certificate) => handing_out(certificate.to_owned()).merge(app(api.clone(), pages)?),
        None => app(api.clone(), pages)?,
    };
    let app = app.layer(from_fn(headers::one_host));
    Ok(Gateway { address, listener, tls, app, plain, api, work: Work::default() })
}

/// Opens the port, wide enough for all phones of a yard that come back at once.
fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(CROWD)
}

/// What is answered over plain http where https is served: how it is, and the way to https.
fn insecure(api: Api) -> Router {
    routes::operations::probes().with_state(api).fallback(|request: Request| async move { to_https(&request) })
}

fn to_https(request: &Request) -> Response {
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok()).and_then(|host| host.parse::<Authority>().ok());
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    let place = host.and_then(|host| HeaderValue::try_from(format!("https://{host}{path}")).ok());
    match place {
        Some(place) => (StatusCode::PERMANENT_REDIRECT, [(LOCATION, place)]).into_response(),
        None => StatusCode::BAD_REQUEST.into_response(),
    }
}

fn handing_out(certificate: String) -> Router {
    let kind = [
        (CONTENT_TYPE, "application/x-x509-ca-cert"),
        (CACHE_CONTROL, "no-store"),
        (CONTENT_DISPOSITION, "attachment; filename=patio-ca.crt"),
    ];
    Router::new().route(AUTHORITY, get(|| async move { (kind, certificate) }))
}

/// Everything that is answered, behind what goes around every request.
///
/// # Errors
/// When the routes contradict the contract.
pub fn app(api: Api, pages: Pages) -> anyhow::Result<Router> {
    let pages = Arc::new(pages);
    let worth = DefaultPredicate::new().and(NotForContentType::const_new(SHEET));
    let answer = move |request: Request| {
        let response = pages.answer(request.method(), request.uri().path(), request.headers());
        async move { response }
    };
    Ok(Router::new()
        .nest("/api", routes::router())
        .merge(routes::operations::probes())
        .merge(openapi::router()?)
        .fallback(answer)
        .layer(CatchPanicLayer::custom(headers::after_panic))
        .layer(from_fn_with_state(api.clone(), headers::dress))
        .layer(CompressionLayer::new().compress_when(worth))
        .with_state(api))
}

impl Gateway {
    /// How a browser on this machine opens it.
    #[must_use]
    pub fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        if self.address.ip().is_unspecified() {
            format!("{scheme}://localhost:{}", self.address.port())
        } else {
            format!("{scheme}://{}", self.address)
        }
    }

    /// What a person has to know to use it from a phone.
    #[must_use]
    pub fn notices(&self) -> Vec<String> {
        self.tls.as_ref().map(|tls| tls.notices(self.address.ip())).unwrap_or_default()
    }

    /// Serves beside services in the same process: takes requests in on threads of its own, and works on them where this is called.
    ///
    /// # Errors
    /// When the system gives no more threads.
    pub async fn serve_beside(mut self) -> anyhow::Result<()> {
        self.work = Work::here();
        Doors::open()?.run(self.serve()).await?
    }

    /// Serves until the process is told to stop, then finishes what is under way.
    ///
    /// # Errors
    /// Never yet; a port that fails is tried again.
    pub async fn serve(self) -> anyhow::Result<()> {
        let most = u32::try_from(self.api.config.max_connections).unwrap_or(u32::MAX >> 4).max(1);
        let room = Arc::new(Semaphore::new(usize::try_from(most)?));
        while let Some(permit) = self.permit(&room).await {
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                () = self.api.host.tasks.stopped() => break,
            };
            match accepted {
                Ok((stream, peer)) => self.welcome(stream, peer, permit),
                Err(cause) => {
                    tracing::warn!(%cause, "cannot accept a connection");
                    tokio::time::sleep(Duration::from_millis(50)).await; // out of descriptors: some will come back
                }
            }
        }
        drop(self.listener);
        if tokio::time::timeout(DRAIN, room.acquire_many(most)).await.is_err() {
            tracing::warn!("some requests were left behind");
        }
        Ok(())
    }

    /// Room for one more connection; none when the process stops.
    async fn permit(&self, room: &Arc<Semaphore>) -> Option<OwnedSemaphorePermit> {
        tokio::select! {
            permit = room.clone().acquire_owned() => permit.ok(),
            () = self.api.host.tasks.stopped() => None,
        }
    }

    fn welcome(&self, stream: TcpStream, peer: SocketAddr, permit: OwnedSemaphorePermit) {
        let peer = Peer { address: peer.ip(), tls: false };
        let (app, api, work) = (self.app.clone(), self.api.clone(), self.work.clone());
        let patience = patience(&api.config, peer.address);
        let connection = Connection { app, api, work, peer, patience, shared: AtomicBool::new(false) };
        let (tls, plain) = (self.tls.clone(), self.plain.clone());
        self.api.host.tasks.spawn(async move {
            if let Err(cause) = stream.set_nodelay(true) {
                tracing::debug!(%cause, "cannot send at once");
            }
            let connections = metrics::gauge!("patio_http_connections");
            connections.increment(1.0);
            match tls {
                Some(tls) => connection.greet(stream, &tls, plain).await,
                None => Arc::new(connection).serve(stream).await,
            }
            connections.decrement(1.0);
            drop(permit);
        });
    }
}

/// One client and what it is allowed.
struct Connection {
    app: Router,
    api: Api,
    work: Work,
    peer: Peer,
    patience: Patience,
    shared: AtomicBool,
}

/// How long whoever is at this address is waited for.
fn patience(config: &Config, address: IpAddr) -> Patience {
    let is_proxy = config.trusted_proxies.iter().any(|proxy| proxy.holds(address));
    let first = config.head_timeout;
    Patience { first, rest: if is_proxy { first.max(PROXY_RESTS) } else { first }, stuck: STUCK }
}

impl Connection {
    /// Agrees on keys with a client that asks for it, and sends any other there.
    async fn greet(mut self, stream: TcpStream, tls: &Tls, plain: Router) {
        let agreed = tokio::time::timeout(self.api.config.head_timeout, async {
            let mut first = [0];
            let begun = stream.peek(&mut first).await?;
            if begun == 1 && first[0] == HANDSHAKE { tls.acceptor().accept(stream).await.map(Ok) } else { Ok(Err(stream)) }
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
            Ok(Err(cause)) => tracing::debug!(%cause, peer = %self.peer.address, "no keys were agreed on"),
            Err(_) => tracing::debug!(peer = %self.peer.address, "a client took too long to agree on keys"),
        }
    }

    /// What a client is told about its rest, so that it ends its connection itself and sends nothing on one that just ends.
    fn rest(&self) -> Option<HeaderValue> {
        let rest = self.patience.rest.saturating_sub(AHEAD).as_secs();
        (rest > 0).then(|| HeaderValue::try_from(format!("timeout={rest}")).ok()).flatten()
    }

    /// Serves requests until the client goes, rests too long, gets stuck, or the process stops.
    async fn serve<S>(self: Arc<Self>, stream: S)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let pulse = Pulse::new();
        let (answering, counted) = (self.clone(), pulse.clone());
        let service = service_fn(move |request| answering.clone().answer(request, counted.begin()));
        let patience = self.patience;
        let builder = self.builder();
        let mut served = pin!(builder.serve_connection(TokioIo::new(stream), service));
        let (mut until, mut told) = (None, false);
        loop {
            let check = until.unwrap_or_else(|| pulse.deadline(patience));
            tokio::select! {
                done = served.as_mut() => {
                    if let Err(cause) = done {
                        tracing::debug!(%cause, peer = %self.peer.address, "a connection broke");
                    }
                    return;
                }
                () = self.api.host.tasks.left(), if !told => {
                    told = true;
                    if self.shared.load(Ordering::Relaxed) {
                        served.as_mut().graceful_shutdown(); // HTTP/2 tells its client to open another connection
                    }
                }
                () = self.api.host.tasks.stopped(), if until.is_none() => {
                    served.as_mut().graceful_shutdown();
                    until = Some(Instant::now() + DRAIN);
                }
                () = tokio::time::sleep_until(check) => {
                    if until.is_some() {
                        return;
                    }
                    if pulse.deadline(patience) <= Instant::now() {
                        served.as_mut().graceful_shutdown();
                        until = Some(Instant::now() + FAREWELL);
                    }
                }
            }
        }
    }

    fn builder(&self) -> auto::Builder<TokioExecutor> {
        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder.http1().timer(TokioTimer::new()).header_read_timeout(self.patience.rest).max_buf_size(LARGEST_HEAD).max_headers(100);
        builder
            .http2()
            .timer(TokioTimer::new())
            .keep_alive_interval(Duration::from_secs(20))
            .keep_alive_timeout(Duration::from_secs(10))
            .max_concurrent_streams(100)
            .max_header_list_size(u32::try_from(LARGEST_HEAD).unwrap_or_default());
        builder
    }

    async fn answer(self: Arc<Self>, request: http::Request<Incoming>, busy: Busy) -> Result<Response, Infallible> {
        let paced = |body: Incoming| Body::new(Paced::new(body, self.api.config.body_timeout));
        let mut request = request.map(|body| if body.is_end_stream() { Body::empty() } else { paced(body) });
        request.extensions_mut().insert(self.peer);
        let alone = request.version() < Version::HTTP_2;
        self.shared.fetch_or(!alone, Ordering::Relaxed);
        let app = self.app.clone();
        let answered = turns::in_turn(&self.api.turns, request, |request| async {
            match self.work.run(app.oneshot(request)).await {
                Ok(Ok(response)) => response,
                Ok(Err(never)) => match never {},
                Err(cause) => headers::after_panic(cause),
            }
        });
        let mut response = match answered.await {
            Ok(response) => response,
            Err(refused) => headers::turned_away(&self.api, *refused).await,
        };
        if alone && self.api.host.tasks.is_leaving() {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close")); // its next request goes to another replica
        } else if alone && let Some(rest) = self.rest() {
            response.headers_mut().insert(KEEP_ALIVE, rest);
        }
        Ok(response.map(|body| Body::new(Pulsing::new(body, busy))))
    }
}
