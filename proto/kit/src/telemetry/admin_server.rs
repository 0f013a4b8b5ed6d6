//! Admin port of a process: metrics, liveness and readiness. The admin port serves no user data.
use crate::{config::Settings, lifecycle::BackgroundTasks, telemetry::render_metrics};
use axum::{Router, routing::get};
use http::StatusCode;
use std::{net::SocketAddr, sync::Arc};

/// Callback that returns `true` when the process is ready for requests.
type Ready = Arc<dyn Fn() -> bool + Send + Sync>;

/// Opens the admin port for metrics and health endpoints, unless the settings disable it.
///
/// `ready` returns `true` when the process is ready for requests. `more` contains additional routes of the calling program.
///
/// # Errors
/// Returns an error when the port is in use.
pub async fn start_admin_server(
    settings: &Settings,
    tasks: &BackgroundTasks,
    ready: impl Fn() -> bool + Send + Sync + 'static,
    more: Router,
) -> anyhow::Result<()> {
    let Some(listen) = settings.admin_listen.0 else { return Ok(()) };
    let address = serve(listen, tasks, Arc::new(ready), more).await?;
    tracing::info!(%address, "admin server listening, serving metrics and readiness");
    Ok(())
}

/// Serves `/metrics`, `/healthz`, `/readyz` and the routes `more` at the address `listen`. Returns the bound address.
async fn serve(listen: SocketAddr, tasks: &BackgroundTasks, ready: Ready, more: Router) -> anyhow::Result<SocketAddr> {
    let readiness = move || {
        let code = if ready() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
        async move { code }
    };
    let router = more
        .route("/metrics", get(|| async { render_metrics() }))
        .route("/healthz", get(|| async { "ok" }))
        .route("/readyz", get(readiness));
    let listener = tokio::net::TcpListener::bind(listen).await?;
    let address = listener.local_addr()?;
    let ended = tasks.clone();
    tasks.spawn(async move {
        let stop = async move { ended.wait_until_stopping().await };
        if let Err(cause) = axum::serve(listener, router).with_graceful_shutdown(stop).await {
            tracing::error!(%cause, "admin server failed, metrics and readiness are no longer served");
        }
    });
    Ok(address)
}
