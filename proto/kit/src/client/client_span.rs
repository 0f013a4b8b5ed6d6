//! Trace span of one attempt of an outgoing RPC.
use crate::telemetry::trace::{self, TRACE_ONLY_SPAN_TARGET};
use http::Request;
use std::net::SocketAddr;
use tonic::{Code, body::Body};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// Trace span of one attempt of an outgoing rpc. A span that is dropped before the response arrives ends with the code `Cancelled`.
pub struct ClientSpan(Option<Span>);

impl ClientSpan {
    /// Starts the trace span of one attempt of an rpc, and writes the trace context of the span into the request headers. Does nothing when
    /// the rpc is not traced.
    ///
    /// `number` counts the attempts of the call from 1.
    pub fn start(request: &mut Request<Body>, replica: Option<SocketAddr>, number: usize) -> Self {
        let Some(method) = patio_proto::find_rpc_method(request.uri().path()).filter(|method| trace::is_rpc_traced(method.path)) else {
            return Self(None);
        };
        let span = tracing::info_span!(target: TRACE_ONLY_SPAN_TARGET, "call", otel.name = &method.path[1..], otel.kind = "client");
        trace::set_rpc_attributes(&span, method);
        if let Some(address) = replica {
            span.set_attribute("server.address", address.ip().to_string());
            span.set_attribute("server.port", i64::from(address.port()));
        }
        if number > 1 {
            span.set_attribute("patio.attempt", i64::try_from(number).unwrap_or(i64::MAX));
        }
        trace::inject_trace_context(&span, request.headers_mut());
        Self(Some(span))
    }

    /// Returns the span in which this attempt of the rpc must run; a disabled span when the rpc is not traced.
    pub fn span(&self) -> Span {
        self.0.clone().unwrap_or_else(Span::none)
    }

    /// Ends the span with the code of the response.
    pub fn end(mut self, code: Code) {
        if let Some(span) = self.0.take() {
            trace::record_grpc_status(&span, code);
        }
    }
}

impl Drop for ClientSpan {
    fn drop(&mut self) {
        if let Some(span) = self.0.take() {
            trace::record_grpc_status(&span, Code::Cancelled);
        }
    }
}
