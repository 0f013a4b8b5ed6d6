//! Logs and metrics.
use crate::{config::Settings, lifecycle::Tasks, lines};
use axum::{Router, routing::get};
use http::StatusCode;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use std::{
    net::SocketAddr,
    sync::{Arc, OnceLock},
};
use tracing_subscriber::EnvFilter;

static METRICS: OnceLock<Option<PrometheusHandle>> = OnceLock::new();

/// The upper bounds of the duration buckets, in seconds.
const BUCKETS: [f64; 11] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5];

/// Begins to log to stderr, as the settings say; the first call in a process counts.
pub fn start(settings: &Settings) {
    let filter = EnvFilter::try_new(&settings.log).unwrap_or_else(|_| EnvFilter::new("info"));
    let plain = tracing_subscriber::fmt().with_env_filter(filter).with_writer(lines::stderr).with_target(false);
    let done = if settings.log_json { plain.json().flatten_event(true).try_init() } else { plain.try_init() };
    if let Err(cause) = done {
        tracing::debug!(%cause, "logging has begun before");
    }
    let _ = handle();
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

/// Whether a process can take requests now.
pub type Ready = Arc<dyn Fn() -> bool + Send + Sync>;

/// Serves `/metrics`, `/healthz` and `/readyz` on a port apart from the product.
pub async fn serve(listen: SocketAddr, tasks: &Tasks, ready: Ready) -> anyhow::Result<SocketAddr> {
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
