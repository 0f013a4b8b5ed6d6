//! An answer that comes as a stream, as long as anything is heard of whoever sends it.
use super::replica::Replica;
use crate::errors;
use bytes::Bytes;
use futures::{FutureExt, future::BoxFuture};
use http_body::{Frame, SizeHint};
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tonic::{Status, body::Body};

/// The body of such an answer.
pub struct Heard {
    body: Body,
    silence: BoxFuture<'static, ()>,
}

impl Heard {
    /// What a replica sends.
    pub fn new(body: Body, from: Arc<Replica>) -> Self {
        Self { body, silence: async move { from.silence().await }.boxed() }
    }
}

impl http_body::Body for Heard {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        match Pin::new(&mut self.body).poll_frame(cx) {
            Poll::Ready(frame) => Poll::Ready(frame.map(|frame| frame.map_err(|cause| errors::unanswered(&cause)))),
            Poll::Pending if self.silence.poll_unpin(cx).is_ready() => {
                self.body = Body::empty();
                self.silence = futures::future::pending().boxed();
                Poll::Ready(Some(Err(errors::unanswered(&"nothing is heard of the replica"))))
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
