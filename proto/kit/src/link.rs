//! One client transport for a service in this process or over the network.
use crate::{
    access::REQUEST_ID,
    errors::{self, Reason},
};
use bytes::Bytes;
use futures::future::BoxFuture;
use http::{HeaderMap, HeaderValue, Request, Response};
use http_body_util::{BodyExt, Full};
use std::{
    convert::Infallible,
    sync::{Arc, OnceLock},
    task::{Context, Poll},
    time::Duration,
};
use tonic::{
    Code, Status,
    body::Body,
    metadata::{Ascii, MetadataValue},
    transport::Channel,
};
use tower::{Service, ServiceExt};

/// How long a call may take when its caller says nothing.
pub const PATIENCE: Duration = Duration::from_secs(5);
/// How often a repeatable call is tried at most, all within its one deadline.
const TRIES: u32 = 4;

/// Where a service is found; under every generated client.
#[derive(Clone)]
pub enum Link {
    /// In this process, once it has started.
    Local(Arc<OnceLock<axum::Router>>),
    /// Over the network, spread over its replicas.
    Remote(Channel),
}

impl Service<Request<Body>> for Link {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let patience = deadline(request.headers_mut());
        let link = self.clone();
        Box::pin(async move {
            let answer = tokio::time::timeout(patience, link.carry(request)).await;
            Ok(answer.unwrap_or_else(|_| errors::status(Code::DeadlineExceeded, Reason::Timeout, &"the call took too long").into_http()))
        })
    }
}

impl Link {
    async fn carry(self, request: Request<Body>) -> Response<Body> {
        match self {
            Self::Local(slot) => local(&slot, request).await,
            Self::Remote(channel) => remote(channel, request).await,
        }
    }
}

async fn local(slot: &OnceLock<axum::Router>, request: Request<Body>) -> Response<Body> {
    let Some(router) = slot.get() else { return away(&"it has not started yet") };
    match router.clone().oneshot(request.map(axum::body::Body::new)).await {
        Ok(response) => response.map(Body::new),
        Err(never) => match never {},
    }
}

async fn remote(channel: Channel, request: Request<Body>) -> Response<Body> {
    match patio_proto::method(request.uri().path()) {
        Some(rule) if rule.repeatable && !rule.client_streaming => repeat(channel, request).await,
        _ => once(channel, request).await,
    }
}

/// Tries a call that may be repeated until a replica takes it.
async fn repeat(channel: Channel, request: Request<Body>) -> Response<Body> {
    let (head, body) = request.into_parts();
    let body = match body.collect().await {
        Ok(collected) => collected.to_bytes(),
        Err(cause) => return away(&cause),
    };
    let mut tried = 0;
    loop {
        let response = once(channel.clone(), Request::from_parts(head.clone(), whole(body.clone()))).await;
        tried += 1;
        if tried == TRIES || !is_unavailable(&response) {
            return response;
        }
        tokio::time::sleep(Duration::from_millis(jitter(20 << tried))).await;
    }
}

fn whole(body: Bytes) -> Body {
    Body::new(Full::new(body).map_err(|never| match never {}))
}

/// Between half of it and all of it.
fn jitter(millis: u64) -> u64 {
    let mut byte = [0];
    let _ = ring::rand::SecureRandom::fill(&ring::rand::SystemRandom::new(), &mut byte);
    millis / 2 + millis * u64::from(byte[0]) / 512
}

async fn once(channel: Channel, request: Request<Body>) -> Response<Body> {
    match channel.oneshot(request).await {
        Ok(response) => response,
        Err(cause) => away(&cause),
    }
}

fn away(cause: &dyn std::fmt::Display) -> Response<Body> {
    tracing::debug!(%cause, "a service cannot be reached");
    errors::status(Code::Unavailable, Reason::Unavailable, &"a part of the product cannot be reached; try again in a moment").into_http()
}

fn is_unavailable(response: &Response<Body>) -> bool {
    response.headers().get("grpc-status").is_some_and(|code| code.as_bytes() == b"14")
}

/// The time a call may take, from its `grpc-timeout`, which is set when absent.
fn deadline(headers: &mut HeaderMap) -> Duration {
    if let Some(told) = headers.get("grpc-timeout").and_then(|value| parse(value.to_str().ok()?)) {
        return told;
    }
    if let Ok(value) = HeaderValue::from_str(&format!("{}m", PATIENCE.as_millis())) {
        headers.insert("grpc-timeout", value);
    }
    PATIENCE
}

fn parse(written: &str) -> Option<Duration> {
    let (number, unit) = written.split_at_checked(written.len().checked_sub(1)?)?;
    let number = number.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(number * 3600)),
        "M" => Some(Duration::from_secs(number * 60)),
        "S" => Some(Duration::from_secs(number)),
        "m" => Some(Duration::from_millis(number)),
        "u" => Some(Duration::from_micros(number)),
        "n" => Some(Duration::from_nanos(number)),
        _ => None,
    }
}

/// For whom a call is made: what is forwarded from one service to the next.
#[derive(Debug, Clone, Default)]
pub struct Bearer {
    authorization: Option<MetadataValue<Ascii>>,
    request_id: Option<MetadataValue<Ascii>>,
    address: Option<MetadataValue<Ascii>>,
}

impl Bearer {
    /// A token of one's own, or none; characters that no header takes are left out.
    #[must_use]
    pub fn new(token: Option<&str>, request_id: &str, address: &str) -> Self {
        Self {
            authorization: token.and_then(|token| format!("Bearer {token}").parse().ok()),
            request_id: request_id.parse().ok(),
            address: address.parse().ok(),
        }
    }

    /// Who made a request that came in.
    #[must_use]
    pub fn of<T>(request: &tonic::Request<T>) -> Self {
        let take = |name| request.metadata().get(name).cloned();
        Self { authorization: take("authorization"), request_id: take(REQUEST_ID), address: take("x-patio-address") }
    }

    /// A request in that name.
    #[must_use]
    pub fn sign<T>(&self, message: T) -> tonic::Request<T> {
        let mut request = tonic::Request::new(message);
        self.mark(&mut request);
        request
    }

    /// A request in that name that may take longer or less long than usual.
    #[must_use]
    pub fn sign_within<T>(&self, patience: Duration, message: T) -> tonic::Request<T> {
        let mut request = self.sign(message);
        request.set_timeout(patience);
        request
    }

    fn mark<T>(&self, request: &mut tonic::Request<T>) {
        let entries = [("authorization", &self.authorization), (REQUEST_ID, &self.request_id), ("x-patio-address", &self.address)];
        for (name, value) in entries {
            if let Some(value) = value {
                request.metadata_mut().insert(name, value.clone());
            }
        }
    }
}

/// The status of a failed call to another service, to be passed on to one's own caller.
#[must_use]
pub fn passed_on(status: Status) -> Status {
    match status.code() {
        Code::Cancelled if status.message().contains("Timeout") => {
            errors::status(Code::DeadlineExceeded, Reason::Timeout, &"the call took too long")
        }
        Code::Unknown => errors::internal(&status),
        _ => status,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadlines_are_read_as_grpc_writes_them() {
        assert_eq!(parse("250m"), Some(Duration::from_millis(250)));
        assert_eq!(parse("3S"), Some(Duration::from_secs(3)));
        assert_eq!(parse("x"), None);
        assert_eq!(parse(""), None);
    }
}
