//! Telling slow clients from busy ones.
use axum::body::Body;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt;
use std::{
    error::Error,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::time::{Instant, Sleep};

/// The slowest a body may come in on the whole, in bytes a second.
const SLOWEST: f64 = 8192.0;

/// A client took too long for a request's body.
#[derive(Debug, thiserror::Error)]
#[error("the body came too slowly")]
pub struct TooSlow;

/// A request's body that may pause only so long, and has to come in at some pace on the whole.
///
/// Only time spent waiting for the client counts, so that a busy service behind us is not held against it.
pub struct Paced<B> {
    body: B,
    pause: Duration,
    seen: f64,
    waited: Duration,
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl<B> Paced<B> {
    /// A body that has not begun.
    pub fn new(body: B, pause: Duration) -> Self {
        Self { body, pause, seen: 0.0, waited: Duration::ZERO, waiting: None }
    }

    /// How long may be waited for the next piece.
    fn patience(&self) -> Duration {
        let in_all = self.pause + Duration::from_secs_f64(self.seen / SLOWEST);
        in_all.saturating_sub(self.waited).min(self.pause)
    }
}

impl<B> http_body::Body for Paced<B>
where
    B: http_body::Body<Data = Bytes> + Unpin,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) {
            if let Some((since, _)) = self.waiting.take() {
                self.waited += since.elapsed();
            }
            if let Some(Ok(data)) = frame.as_ref().map(|frame| frame.as_ref().map(Frame::data_ref)) {
                self.seen += data.map_or(0.0, |data| f64::from(u32::try_from(data.len()).unwrap_or(u32::MAX)));
            }
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let patience = self.patience();
        let (_, sleep) = self.waiting.get_or_insert_with(|| (Instant::now(), Box::pin(tokio::time::sleep(patience))));
        ready!(sleep.as_mut().poll(cx));
        Poll::Ready(Some(Err(Box::new(TooSlow))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Most that is read of a body nobody wants, in bytes: twice what an upload may be.
const UNWANTED: usize = 2 * (5 << 20) + (1 << 20);
/// How long that may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A request's body that can still be read when its handler has refused it.
///
/// A browser that is still sending shows a refusal only when what it sends is taken.
#[derive(Clone)]
pub struct Kept(Arc<Mutex<(Body, bool)>>);

impl Kept {
    /// Keeps a body.
    #[must_use]
    pub fn new(body: Body) -> Self {
        Self(Arc::new(Mutex::new((body, false))))
    }

    fn body(&self) -> MutexGuard<'_, (Body, bool)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads what is left, within reason; a client that waits to be asked for its body is not asked.
    pub async fn drain(mut self, waits: bool) {
        if waits && !self.body().1 {
            return;
        }
        let reading = async {
            let mut seen = 0;
            while let Some(Ok(frame)) = self.frame().await {
                seen += frame.data_ref().map_or(0, Bytes::len);
                if seen > UNWANTED {
                    break;
                }
            }
        };
        let _ = tokio::time::timeout(PATIENCE, reading).await;
    }
}

impl http_body::Body for Kept {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let mut kept = self.body();
        kept.1 = true;
        Pin::new(&mut kept.0).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body().0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body().0.size_hint()
    }
}

/// When something last moved on a connection, and how many requests are under way.
#[derive(Clone)]
pub struct Pulse(Arc<Mutex<Beat>>);

struct Beat {
    asked: bool,
    busy: usize,
    last: Instant,
}

/// How long a connection is waited for while nothing moves on it.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Until its first request has come.
    pub first: Duration,
    /// Between two requests.
    pub rest: Duration,
    /// Within one.
    pub stuck: Duration,
}

impl Pulse {
    /// A connection that was just accepted.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "it begins to count when it is made")]
    pub fn new() -> Self {
        Self(Arc::new(Mutex::new(Beat { asked: false, busy: 0, last: Instant::now() })))
    }

    fn beat(&self) -> MutexGuard<'_, Beat> {
        let mut beat = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        beat.last = Instant::now();
        beat
    }

    /// A request has come in; it is under way until what this returns is dropped.
    #[must_use]
    pub fn begin(&self) -> Busy {
        let mut beat = self.beat();
        (beat.asked, beat.busy) = (true, beat.busy + 1);
        drop(beat);
        Busy(self.clone())
    }

    /// When the connection has rested, or been stuck, for too long.
    #[must_use]
    pub fn deadline(&self, patience: Patience) -> Instant {
        let beat = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        beat.last
            + match (beat.asked, beat.busy) {
                (false, _) => patience.first,
                (true, 0) => patience.rest,
                (true, _) => patience.stuck,
            }
    }
}

/// A request under way.
pub struct Busy(Pulse);

impl Drop for Busy {
    fn drop(&mut self) {
        let mut beat = self.0.beat();
        beat.busy = beat.busy.saturating_sub(1);
    }
}

/// An answer's body that keeps its request under way until it has been sent.
pub struct Pulsing {
    body: Body,
    busy: Busy,
}

impl Pulsing {
    /// The body of the answer to a request.
    #[must_use]
    pub fn new(body: Body, busy: Busy) -> Self {
        Self { body, busy }
    }
}

impl http_body::Body for Pulsing {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        drop(self.busy.0.beat());
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
