//! Wrappers of request bodies: [`BodyWithTimeout`] stops reading from clients that send too slowly, and [`DrainableBody`] discards the
//! rest of a rejected request.
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

/// Minimum average rate of a request body, in bytes per second.
const MIN_BYTES_PER_SECOND: f64 = 8192.0;

/// Error of a request body that arrived too slowly.
#[derive(Debug, thiserror::Error)]
#[error("the request body arrived too slowly")]
pub struct BodyTimeoutError;

/// Request body with a read timeout and a minimum average rate.
///
/// Only the time in which the gateway waits for data from the client counts, so that a slow service does not make a client time
/// out.
pub struct BodyWithTimeout<B> {
    body: B,
    pause: Duration,
    seen: f64,
    waited: Duration,
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl<B> BodyWithTimeout<B> {
    /// Wraps a request body that has not been read yet; `pause` is the maximum wait for the next chunk.
    pub fn new(body: B, pause: Duration) -> Self {
        Self { body, pause, seen: 0.0, waited: Duration::ZERO, waiting: None }
    }

    /// Returns the maximum time to wait for the next chunk of the body: the read timeout (`pause`), or less when the body has arrived
    /// slowly so far.
    fn timeout_of_next_data(&self) -> Duration {
        let in_all = self.pause + Duration::from_secs_f64(self.seen / MIN_BYTES_PER_SECOND);
        in_all.saturating_sub(self.waited).min(self.pause)
    }
}

impl<B> http_body::Body for BodyWithTimeout<B>
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
        let timeout = self.timeout_of_next_data();
        let (_, sleep) = self.waiting.get_or_insert_with(|| (Instant::now(), Box::pin(tokio::time::sleep(timeout))));
        ready!(sleep.as_mut().poll(cx));
        Poll::Ready(Some(Err(Box::new(BodyTimeoutError))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Maximum number of bytes read and discarded from the body of a rejected request; twice the largest upload plus 1 MiB.
const MAX_DISCARDED_BYTES: usize = 2 * (5 << 20) + (1 << 20);
/// Maximum time spent on discarding the body of a rejected request.
const DISCARD_TIMEOUT: Duration = Duration::from_secs(60);

/// Request body whose rest can still be read and discarded (drained) after the handler has rejected the request.
///
/// A browser that is still sending a request shows the error response only after the server has read the whole request body.
#[derive(Clone)]
pub struct DrainableBody(Arc<Mutex<(Body, bool)>>);

impl DrainableBody {
    /// Wraps a request body so that the rest of the body can be drained later.
    #[must_use]
    pub fn new(body: Body) -> Self {
        Self(Arc::new(Mutex::new((body, false))))
    }

    fn body(&self) -> MutexGuard<'_, (Body, bool)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads and discards the rest of the request body, up to a size and time limit.
    ///
    /// `waits` is `true` if the client sends the body only after a `100 Continue` response. The first read makes the server send
    /// this response. The body of such a client is therefore drained only if reading has already begun.
    pub async fn drain(mut self, waits: bool) {
        if waits && !self.body().1 {
            return;
        }
        let reading = async {
            let mut seen = 0;
            while let Some(Ok(frame)) = self.frame().await {
                seen += frame.data_ref().map_or(0, Bytes::len);
                if seen > MAX_DISCARDED_BYTES {
                    break;
                }
            }
        };
        let _ = tokio::time::timeout(DISCARD_TIMEOUT, reading).await;
    }
}

impl http_body::Body for DrainableBody {
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
