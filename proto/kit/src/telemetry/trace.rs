//! Distributed tracing: one trace per request across all services, sent to an OpenTelemetry collector.
use anyhow::Context;
use http::{HeaderMap, HeaderName, HeaderValue};
use opentelemetry::{
    propagation::{Extractor, Injector, TextMapPropagator},
    trace::{TraceContextExt, TracerProvider},
};
use opentelemetry_otlp::{SpanExporter, WithExportConfig};
use opentelemetry_sdk::{
    Resource,
    propagation::TraceContextPropagator,
    trace::{Sampler, SdkTracerProvider, Tracer},
};
use std::{sync::OnceLock, time::Duration};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

static PROVIDER: OnceLock<SdkTracerProvider> = OnceLock::new();

/// Starts sending spans to a collector by OTLP over gRPC. While the collector is unavailable, spans are lost, without any other
/// effect.
///
/// # Errors
/// Returns an error when the collector's URL is invalid.
pub fn start(service: &'static str, url: &str, share: f64) -> anyhow::Result<Tracer> {
    let exporter = SpanExporter::builder().with_tonic().with_endpoint(url).with_timeout(Duration::from_secs(5)).build();
    let provider = SdkTracerProvider::builder()
        .with_batch_exporter(exporter.with_context(|| format!("PATIO_OTLP_ENDPOINT: `{url}`"))?)
        .with_sampler(Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(share))))
        .with_resource(Resource::builder().with_service_name(service).build())
        .build();
    Ok(PROVIDER.get_or_init(|| provider).tracer("patio"))
}

/// Sends the remaining spans before the process exits.
pub async fn finish() {
    let Some(provider) = PROVIDER.get() else { return };
    let done = tokio::task::spawn_blocking(|| provider.shutdown_with_timeout(Duration::from_secs(3))).await;
    if let Ok(Err(cause)) = done {
        tracing::debug!(%cause, "failed to send the remaining spans");
    }
}

/// Returns `true` when tracing is on.
#[must_use]
pub fn is_enabled() -> bool {
    PROVIDER.get().is_some()
}

/// Makes a span a child of the trace context in a request's headers.
pub fn extract(span: &Span, headers: &HeaderMap) {
    if is_enabled() {
        let _ = span.set_parent(TraceContextPropagator::new().extract(&Carrier(headers)));
    }
}

/// Writes the current trace context into the headers of an outgoing call.
pub fn inject(headers: &mut HeaderMap) {
    if is_enabled() {
        TraceContextPropagator::new().inject_context(&Span::current().context(), &mut Setter(headers));
    }
}

/// Returns the id of the trace that a span belongs to, or `None` when the span is not traced.
#[must_use]
pub fn trace_id(span: &Span) -> Option<String> {
    PROVIDER.get()?;
    let context = span.context();
    let told = context.span().span_context().clone();
    told.is_valid().then(|| told.trace_id().to_string())
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
