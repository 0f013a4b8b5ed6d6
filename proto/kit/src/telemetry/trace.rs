//! Distributed tracing: one trace per request across all services, sent to an OpenTelemetry collector.
use crate::{config::Settings, telemetry::otlp, version::VERSION};
use http::{HeaderMap, HeaderName, HeaderValue};
use opentelemetry::{
    KeyValue,
    propagation::{Extractor, Injector, TextMapPropagator},
    trace::{Status, TraceContextExt, TracerProvider},
};
use opentelemetry_sdk::{
    Resource,
    propagation::TraceContextPropagator,
    trace::{Sampler, SdkTracerProvider, Tracer},
};
use patio_proto::RpcMethod;
use std::{sync::OnceLock, time::Duration};
use tonic::Code;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

static PROVIDER: OnceLock<SdkTracerProvider> = OnceLock::new();

/// Target of tracing spans that are only sent to the trace collector. Log lines and SQL statement counts ignore these spans.
pub const TRACE_ONLY_SPAN_TARGET: &str = "patio_trace";
/// Target of tracing spans that count SQL statements and appear in log lines, but are not sent to the trace collector.
pub const UNTRACED_SPAN_TARGET: &str = "patio_untraced";

/// Paths of the RPCs that are not traced: RPCs that processes poll constantly, and streams that stay open for a long time.
const UNTRACED: [&str; 5] = [
    "/patio.auth.v1.TokenService/GetSigningKeys",
    "/patio.auth.v1.TokenService/ListRevocations",
    "/patio.auth.v1.TokenService/RecordSessionActivity",
    "/patio.imports.v1.ImportService/WatchImport",
    "/patio.vehicle.v1.EventService/Watch",
];

/// Starts sending spans to the trace collector in the settings. Returns `None` when no collector is set. Spans are lost while the
/// collector is unavailable.
///
/// # Errors
/// Returns an error when a setting of the collector is invalid.
pub fn start_span_export(service: &'static str, settings: &Settings) -> anyhow::Result<Option<Tracer>> {
    let Some(exporter) = otlp::build_span_exporter(settings)? else { return Ok(None) };
    let resource = Resource::builder().with_service_name(service).with_attributes([
        KeyValue::new("service.version", VERSION),
        KeyValue::new("service.instance.id", uuid::Uuid::new_v4().to_string()),
    ]);
    let provider = SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_sampler(Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(settings.otlp_sample_ratio))))
        .with_resource(resource.build())
        .build();
    Ok(Some(PROVIDER.get_or_init(|| provider).tracer("patio")))
}

/// Sends the remaining spans to the trace collector before the process exits. Waits at most three seconds.
pub async fn flush_spans() {
    let Some(provider) = PROVIDER.get() else { return };
    let done = tokio::task::spawn_blocking(|| provider.shutdown_with_timeout(Duration::from_secs(3))).await;
    if let Ok(Err(cause)) = done {
        tracing::debug!(%cause, "failed to send the remaining trace spans before exit, they are lost");
    }
}

/// Returns `true` when this process sends spans to a trace collector.
#[must_use]
pub fn is_span_export_enabled() -> bool {
    PROVIDER.get().is_some()
}

/// Returns `true` when calls of the RPC `path` are traced. RPCs that processes poll constantly, and long-lived streams, are not traced.
#[must_use]
pub fn is_rpc_traced(path: &str) -> bool {
    is_span_export_enabled() && !UNTRACED.contains(&path)
}

/// Makes a span a child of the caller's span. The trace context in the request headers identifies the caller's span.
pub fn set_parent_from_headers(span: &Span, headers: &HeaderMap) {
    if is_span_export_enabled() {
        let _ = span.set_parent(TraceContextPropagator::new().extract(&Carrier(headers)));
    }
}

/// Writes the trace context of a span into the headers of an outgoing call, so that the called service continues the trace.
pub fn inject_trace_context(span: &Span, headers: &mut HeaderMap) {
    if is_span_export_enabled() {
        TraceContextPropagator::new().inject_context(&span.context(), &mut Setter(headers));
    }
}

/// Sets the OpenTelemetry attributes of an RPC (system, service and method) on its client or server span.
pub fn set_rpc_attributes(span: &Span, method: &RpcMethod) {
    span.set_attribute("rpc.system", "grpc");
    span.set_attribute("rpc.service", method.service_name());
    span.set_attribute("rpc.method", method.name());
}

/// Sets the OpenTelemetry attributes of an HTTP request on its span. `path` is the URL path without the query, because a query may
/// contain names of people.
pub fn set_http_attributes(span: &Span, method: &'static str, route: &str, path: &str) {
    span.set_attribute("http.request.method", method);
    span.set_attribute("http.route", route.to_owned());
    span.set_attribute("url.path", path.to_owned());
}

/// Records the gRPC status of an RPC on its span. Only a status that means a fault of the server, such as `Internal`, marks the
/// span as an error.
pub fn record_grpc_status(span: &Span, code: Code) {
    span.set_attribute("rpc.grpc.status_code", i64::from(i32::from(code)));
    if is_server_fault(code) {
        span.set_status(Status::error(code.description()));
    }
}

/// Records the status of an HTTP response on the span of its request. A status of 500 or above marks the span as an error.
pub fn record_http_status(span: &Span, status: http::StatusCode) {
    span.set_attribute("http.response.status_code", i64::from(status.as_u16()));
    if status.is_server_error() {
        span.set_status(Status::error(status.canonical_reason().unwrap_or_default()));
    }
}

/// Returns `true` for a gRPC status code that means a fault of the server, not of the request.
fn is_server_fault(code: Code) -> bool {
    matches!(code, Code::Unknown | Code::DeadlineExceeded | Code::Unimplemented | Code::Internal | Code::Unavailable | Code::DataLoss)
}

/// Returns the id of the trace that a span belongs to, or `None` when the span is not traced.
#[must_use]
pub fn trace_id(span: &Span) -> Option<String> {
    PROVIDER.get()?;
    let context = span.context();
    let span_context = context.span().span_context().clone();
    span_context.is_valid().then(|| span_context.trace_id().to_string())
}

struct Carrier<'h>(&'h HeaderMap);

impl Extractor for Carrier<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(HeaderName::as_str).collect()
    }
}

struct Setter<'h>(&'h mut HeaderMap);

impl Injector for Setter<'_> {
    fn set(&mut self, key: &str, value: String) {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(key), HeaderValue::try_from(value)) {
            self.0.insert(name, value);
        }
    }
}
