//! Detection of idle client connections: idle timeouts, time of the last activity, and number of requests in flight per
//! connection.
use axum::body::Body;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use std::{
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::time::Instant;

/// Activity of a connection: time of the last activity and number of requests in flight. Clones share the state.
#[derive(Clone)]
pub struct ConnectionActivity(Arc<Mutex<Beat>>);

struct Beat {
    asked: bool,
    busy: usize,
    last: Instant,
}

/// Idle timeouts of a connection: before the first request, between requests, and during a request.
#[derive(Debug, Clone, Copy)]
pub struct IdleTimeouts {
    /// Idle timeout of a new connection until the first request arrives.
    pub first: Duration,
    /// Idle timeout of a connection between the end of a request and the start of the next request.
    pub between_requests: Duration,
    /// Idle timeout of a connection on which a request is in flight but no data is received or sent.
    pub during_request: Duration,
}

impl ConnectionActivity {
    /// Creates the activity record of a newly accepted connection.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "the idle time starts when the value is created")]
    pub fn new() -> Self {
        Self(Arc::new(Mutex::new(Beat { asked: false, busy: 0, last: Instant::now() })))
    }

    fn beat(&self) -> MutexGuard<'_, Beat> {
        let mut beat = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        beat.last = Instant::now();
        beat
    }

    /// Marks a request as in flight until the returned guard is dropped.
    #[must_use]
    pub fn mark_request_in_flight(&self) -> InFlightGuard {
        let mut beat = self.beat();
        (beat.asked, beat.busy) = (true, beat.busy + 1);
        drop(beat);
        InFlightGuard(self.clone())
    }

    /// Returns the time at which the connection reaches its idle timeout.
    #[must_use]
    pub fn idle_deadline(&self, timeouts: IdleTimeouts) -> Instant {
        let beat = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        beat.last
            + match (beat.asked, beat.busy) {
                (false, _) => timeouts.first,
                (true, 0) => timeouts.between_requests,
                (true, _) => timeouts.during_request,
            }
    }
}

/// Guard of a request in flight. Dropping the guard marks the request as finished.
pub struct InFlightGuard(ConnectionActivity);

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        let mut beat = self.0.beat();
        beat.busy = beat.busy.saturating_sub(1);
    }
}

/// Body of a request or response. Each frame counts as activity of the connection, and the request is in flight until the body is
/// dropped.
pub struct ActivityTrackingBody {
    body: Body,
    busy: InFlightGuard,
}

impl ActivityTrackingBody {
    /// Wraps the body of a request or response. The wrapper owns the guard `busy`, which keeps the request in flight until the
    /// wrapper is dropped.
    #[must_use]
    pub fn new(body: Body, busy: InFlightGuard) -> Self {
        Self { body, busy }
    }
}

impl http_body::Body for ActivityTrackingBody {
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

#[cfg(test)]
mod tests {
    use super::*;
    use futures::stream;
    use http_body_util::BodyExt;
    use std::convert::Infallible;

    #[tokio::test]
    async fn each_received_part_of_an_upload_postpones_the_idle_timeout() {
        let minute = Duration::from_secs(60);
        let timeouts = IdleTimeouts { first: minute, between_requests: minute, during_request: minute };
        let activity = ConnectionActivity::new();
        let parts = stream::iter([Ok::<_, Infallible>(Bytes::from_static(b"a")), Ok(Bytes::from_static(b"b"))]);
        let mut upload = ActivityTrackingBody::new(Body::from_stream(parts), activity.mark_request_in_flight());
        let mut deadline = activity.idle_deadline(timeouts);
        for _ in 0..2 {
            tokio::time::sleep(Duration::from_millis(2)).await;
            upload.frame().await.unwrap().unwrap();
            let postponed = activity.idle_deadline(timeouts);
            assert!(postponed > deadline, "a part arrived");
            deadline = postponed;
        }
    }
}
