//! HTTP load generator with keep-alive connections, each with one open request at a time.
use anyhow::Context;
use bytes::Bytes;
use hdrhistogram::Histogram;
use http::{HeaderMap, Method, Request, StatusCode, header::HOST};
use http_body_util::{BodyExt, Full};
use hyper::{body::Incoming, client::conn::http1::SendRequest};
use hyper_util::rt::TokioIo;
use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::{net::TcpStream, task::JoinSet};

/// One HTTP request of the load.
#[derive(Debug, Clone)]
pub struct Shot {
    /// HTTP method.
    pub method: Method,
    /// Path and query of the URL.
    pub path: String,
    /// Request headers, except `Host`.
    pub headers: HeaderMap,
    /// Request body; empty for none.
    pub body: Bytes,
    /// Expected status; `None` expects any 2xx.
    pub expected: Option<StatusCode>,
}

impl Shot {
    /// Creates a `GET` request.
    #[must_use]
    pub fn get(path: String, headers: &HeaderMap) -> Self {
        Self { method: Method::GET, path, headers: headers.clone(), body: Bytes::new(), expected: None }
    }

    fn aimed(self, at: SocketAddr) -> anyhow::Result<Request<Full<Bytes>>> {
        let mut request = Request::builder().method(self.method).uri(self.path).body(Full::new(self.body))?;
        *request.headers_mut() = self.headers;
        request.headers_mut().insert(HOST, at.to_string().parse()?);
        Ok(request)
    }
}

/// Function that builds the request with a given number.
pub type Shots = Arc<dyn Fn(u64) -> Shot + Send + Sync>;

/// Amount and duration of the load.
#[derive(Debug, Clone, Copy)]
pub struct Load {
    /// Number of concurrent connections.
    pub connections: u32,
    /// Duration of the load.
    pub time: Duration,
    /// Requests per second over all connections; `None` for as many as possible.
    pub pace: Option<f64>,
}

/// Results of a load.
#[derive(Debug, Clone)]
pub struct Volley {
    /// Number of responses, including unexpected ones.
    pub answers: u64,
    /// Number of responses with an unexpected status.
    pub refused: u64,
    /// Status of the first unexpected response.
    pub first_refusal: Option<String>,
    /// Total size of the response bodies, in bytes.
    pub bytes: u64,
    /// Actual duration of the load.
    pub time: Duration,
    /// Latency in microseconds of expected responses, from the scheduled time of the request to the end of the response.
    pub waits: Histogram<u64>,
    /// Latency in microseconds of unexpected responses, from sending the request to the end of the response.
    pub refusals: Histogram<u64>,
}

impl Volley {
    /// Creates empty results.
    ///
    /// # Errors
    /// Returns an error when the histograms cannot be created, which does not happen with these bounds.
    pub fn none() -> anyhow::Result<Self> {
        let (waits, refusals) = (Histogram::new(3)?, Histogram::new(3)?);
        Ok(Self { answers: 0, refused: 0, first_refusal: None, bytes: 0, time: Duration::ZERO, waits, refusals })
    }

    /// Adds other results to these.
    ///
    /// # Errors
    /// Returns an error when the histograms cannot be merged, which does not happen with equal bounds.
    pub fn add(&mut self, other: Self) -> anyhow::Result<()> {
        self.answers += other.answers;
        self.refused += other.refused;
        self.bytes += other.bytes;
        self.time += other.time;
        self.first_refusal = self.first_refusal.take().or(other.first_refusal);
        self.waits.add(&other.waits)?;
        self.refusals.add(&other.refusals)?;
        Ok(())
    }

    /// Returns the number of expected responses per second.
    #[must_use]
    pub fn good(&self) -> f64 {
        count(self.answers - self.refused) / self.time.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    /// Returns the number of responses per second.
    #[must_use]
    pub fn rate(&self) -> f64 {
        count(self.answers) / self.time.as_secs_f64().max(f64::MIN_POSITIVE)
    }
}

/// Converts a count to `f64`.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "no count here comes near 2^52")]
pub fn count(number: u64) -> f64 {
    number as f64
}

/// Runs a load. Request numbers continue from `first`.
///
/// # Errors
/// Returns an error when the server is unreachable.
pub async fn fire(at: SocketAddr, load: Load, first: &Arc<AtomicU64>, shots: &Shots) -> anyhow::Result<Volley> {
    let started = Instant::now();
    let mut all = JoinSet::new();
    for gun in 0..load.connections {
        let every = load.pace.map(|pace| Duration::from_secs_f64(f64::from(load.connections) / pace));
        let due = every.map(|every| (started + every * gun / load.connections, every));
        all.spawn(one_gun(at, (started + load.time, due), first.clone(), shots.clone()));
    }
    let mut volley = Volley::none()?;
    while let Some(done) = all.join_next().await {
        volley.add(done??)?;
    }
    volley.time = started.elapsed();
    Ok(volley)
}

/// End time of the load, and for a fixed rate the first scheduled time and the interval.
type Times = (Instant, Option<(Instant, Duration)>);

async fn one_gun(at: SocketAddr, (end, mut due): Times, next: Arc<AtomicU64>, shots: Shots) -> anyhow::Result<Volley> {
    let mut volley = Volley::none()?;
    let mut gun = Gun::open(at).await?;
    loop {
        let begun = due.map_or_else(Instant::now, |(moment, _)| moment);
        if begun.max(Instant::now()) >= end {
            return Ok(volley);
        }
        if let Some((moment, every)) = &mut due {
            tokio::time::sleep_until((*moment).into()).await;
            *moment += *every;
        }
        let shot = shots(next.fetch_add(1, Ordering::Relaxed));
        let (expected, sent) = (shot.expected, Instant::now());
        let (status, size) = gun.fire(shot).await?;
        volley.answers += 1;
        volley.bytes += size;
        if expected.map_or(status.is_success(), |expected| status == expected) {
            volley.waits.record(u64::try_from(begun.elapsed().as_micros())?)?;
        } else {
            volley.refused += 1;
            volley.refusals.record(u64::try_from(sent.elapsed().as_micros())?)?;
            volley.first_refusal.get_or_insert_with(|| status.to_string());
        }
    }
}

/// One connection of the load generator.
struct Gun {
    at: SocketAddr,
    sender: SendRequest<Full<Bytes>>,
    driver: JoinSet<()>,
}

impl Gun {
    async fn open(at: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(at).await.with_context(|| format!("cannot reach {at}"))?;
        stream.set_nodelay(true)?;
        let (sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        let mut driver = JoinSet::new();
        driver.spawn(async move { drop(connection.await) });
        Ok(Self { at, sender, driver })
    }

    async fn send(&mut self, shot: Shot) -> anyhow::Result<http::Response<Incoming>> {
        if self.sender.ready().await.is_err() {
            self.driver.abort_all();
            *self = Self::open(self.at).await?;
        }
        Ok(self.sender.send_request(shot.aimed(self.at)?).await?)
    }

    /// Sends a request. Returns the status and the size of the response body.
    async fn fire(&mut self, shot: Shot) -> anyhow::Result<(StatusCode, u64)> {
        let response = self.send(shot).await?;
        let (status, mut body, mut size) = (response.status(), response.into_body(), 0);
        while let Some(frame) = body.frame().await {
            size += u64::try_from(frame?.data_ref().map_or(0, Bytes::len))?;
        }
        Ok((status, size))
    }
}

/// A complete response with its timing.
pub struct Answer {
    /// HTTP status of the response.
    pub status: StatusCode,
    /// Headers of the response.
    pub headers: HeaderMap,
    /// Body as transferred, possibly compressed.
    pub body: Bytes,
    /// Time from the request to the first byte of the body.
    pub first_byte: Duration,
    /// Time from the request to the end of the body.
    pub whole: Duration,
}

/// Sends one request over a new connection and returns the complete response.
///
/// # Errors
/// Returns an error when there is no complete response.
pub async fn once(at: SocketAddr, shot: Shot) -> anyhow::Result<Answer> {
    let mut gun = Gun::open(at).await?;
    let started = Instant::now();
    let response = gun.send(shot).await?;
    let (status, headers) = (response.status(), response.headers().clone());
    let mut incoming = response.into_body();
    let (mut body, mut first_byte) = (Vec::new(), None);
    while let Some(frame) = incoming.frame().await {
        if let Some(data) = frame?.data_ref() {
            first_byte.get_or_insert_with(|| started.elapsed());
            body.extend_from_slice(data);
        }
    }
    let whole = started.elapsed();
    Ok(Answer { status, headers, body: body.into(), first_byte: first_byte.unwrap_or(whole), whole })
}
