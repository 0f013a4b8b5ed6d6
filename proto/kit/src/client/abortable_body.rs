//! Body of a streaming response. When the sending replica stops responding, the stream ends with an error.
use crate::errors;
use bytes::Bytes;
use futures::{FutureExt, future::BoxFuture};
use http_body::{Frame, SizeHint};
use std::{
    pin::Pin,
    task::{Context, Poll},
};
use tonic::{Status, body::Body};

/// Body of a streaming response. When the sending replica stops responding, the stream ends with an error.
pub struct AbortableBody {
    body: Body,
    service: &'static str,
    silence: BoxFuture<'static, ()>,
}

impl AbortableBody {
    /// Wraps the response body of a replica of `service`. The future `silence` completes when the replica stops responding.
    pub fn new(body: Body, service: &'static str, silence: impl Future<Output = ()> + Send + 'static) -> Self {
        Self { body, service, silence: silence.boxed() }
    }
}

impl http_body::Body for AbortableBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let service = self.service;
        match Pin::new(&mut self.body).poll_frame(cx) {
            Poll::Ready(frame) => Poll::Ready(frame.map(|frame| frame.map_err(|cause| errors::unavailable_status(service, &cause)))),
            Poll::Pending if self.silence.poll_unpin(cx).is_ready() => {
                self.body = Body::empty();
                self.silence = futures::future::pending().boxed();
                Poll::Ready(Some(Err(errors::unavailable_status(service, &"replica does not respond"))))
            }
            Poll::Pending => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
