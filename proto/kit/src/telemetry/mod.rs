//! Logs, traces and metrics.
pub mod statements;
pub mod trace;

use crate::{config::Settings, host::Host, lifecycle::Tasks};
use axum::{Router, routing::get};
use http::StatusCode;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use std::{
    io::IsTerminal,
    net::SocketAddr,
    sync::{Arc, OnceLock},
    time::Duration,
};
use tracing::Subscriber;
use tracing_subscriber::{EnvFilter, Layer, layer::SubscriberExt, registry::LookupSpan, util::SubscriberInitExt};

static METRICS: OnceLock<Option<PrometheusHandle>> = OnceLock::new();

/// The upper bounds of the duration buckets, in seconds.
const BUCKETS: [f64; 11] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5];
/// How often what was measured is put into its buckets, whether anybody asks for it or not.
const SORT_EVERY: Duration = Duration::from_secs(5);

/// Begins to log to stderr, and to trace when a collector is named; the first call in a process counts.
///
/// # Errors
/// When the collector's URL is none.
pub fn start(settings: &Settings, service: &'static str) -> anyhow::Result<()> {
    let tracer = match &settings.otlp_url {
        Some(url) => Some(trace::start(service, url, settings.otlp_share)?),
        None => None,
    };
    let traces = tracer.map(|tracer| tracing_opentelemetry::layer().with_tracer(tracer).with_filter(filter("info")));
    let counting = statements::Counting.with_filter(statements::heard());
    let done = tracing_subscriber::registry().with(counting).with(traces).with(lines(settings)).try_init();
    if let Err(cause) = done {
        tracing::debug!(%cause, "logging has begun before");
    }
    let _ = handle();
    Ok(())
}

fn filter(told: &str) -> EnvFilter {
    EnvFilter::try_new(told).unwrap_or_else(|_| EnvFilter::new("info"))
}

/// One line an event.
fn lines<S>(settings: &Settings) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    let colours = std::io::stderr().is_terminal();
    let plain = tracing_subscriber::fmt::layer().with_writer(crate::lines::stderr).with_target(false).with_ansi(colours);
    let filter = filter(&settings.log);
    if settings.log_json { plain.json().flatten_event(true).with_filter(filter).boxed() } else { plain.with_filter(filter).boxed() }
}

/// Puts what is measured into its buckets again and again, so that it takes no more room when nobody asks for it.
pub fn keep_small(tasks: &Tasks) {
    tasks.repeat(SORT_EVERY, || async {
        if let Some(handle) = handle() {
            handle.run_upkeep();
        }
    });
}

fn handle() -> Option<&'static PrometheusHandle> {
    METRICS
        .get_or_init(|| {
            PrometheusBuilder::new().set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &BUCKETS).ok()?.install_recorder().ok()
        })
        .as_ref()
}

/// The metrics of this process as Prometheus reads them.
#[must_use]
pub fn render() -> String {
    handle().map(PrometheusHandle::render).unwrap_or_default()
}

/// A number of things, as a gauge is set.
#[must_use]
pub fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

/// Whether a process can take requests now.
type Ready = Arc<dyn Fn() -> bool + Send + Sync>;

/// Opens the admin port where the settings name one, with what says whether the process can take requests now.
///
/// # Errors
/// When the port is taken.
pub async fn open(host: &Host, ready: impl Fn() -> bool + Send + Sync + 'static) -> anyhow::Result<()> {
    let Some(listen) = host.settings.admin_listen.0 else { return Ok(()) };
    let address = serve(listen, &host.tasks, Arc::new(ready)).await?;
    tracing::info!(%address, "admin port is open");
    Ok(())
}

/// Serves `/metrics`, `/healthz` and `/readyz` on a port apart from the product.
async fn serve(listen: SocketAddr, tasks: &Tasks, ready: Ready) -> anyhow::Result<SocketAddr> {
    let readiness = move || {
        let code = if ready() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
        async move { code }
    };
    let router = Router::new()
        .route("/metrics", get(|| async { render() }))
        .route("/healthz", get(|| async { "ok" }))
        .route("/readyz", get(readiness));
    let listener = tokio::net::TcpListener::bind(listen).await?;
    let address = listener.local_addr()?;
    let ended = tasks.clone();
    tasks.spawn(async move {
        let stop = async move { ended.stopped().await };
        if let Err(cause) = axum::serve(listener, router).with_graceful_shutdown(stop).await {
            tracing::error!(%cause, "the admin port failed");
        }
    });
    Ok(address)
}
