//! The HTTP server: opens the port, accepts connections up to a limit, and finishes requests in flight on shutdown.
mod connection;
pub mod idle_timeouts;
mod listener;
pub mod router;
pub mod runtime;
pub mod static_files;

use crate::{
    access_rules::AccessRules,
    config::Config,
    http::peer::Peer,
    middleware, openapi,
    server::{
        connection::{Connection, DRAIN_TIMEOUT},
        router::{build_router, ca_cert_route, https_redirect_router},
        runtime::{HandlerRuntime, IoRuntime},
        static_files::StaticFiles,
    },
    state::AppState,
    tls::ReloadableTlsAcceptor,
};
use anyhow::Context;
use axum::{Router, middleware::from_fn};
use patio_kit::service_host::ServiceHost;
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
};

/// The gateway's HTTP server, bound to its port.
pub struct Server {
    /// Address and port that the server listens on.
    pub address: SocketAddr,
    listener: TcpListener,
    tls: Option<ReloadableTlsAcceptor>,
    app: Router,
    plain: Router,
    api: AppState,
    work: HandlerRuntime,
}

/// Creates the server: loads the web app, sets up TLS and opens the port. Programs that run the gateway call this
/// function first, then [`Server::serve`].
///
/// # Errors
/// Returns an error when the web app, the certificate or the access rules cannot be read, or the port is in use.
pub async fn start(config: Config, host: &ServiceHost) -> anyhow::Result<Server> {
    host.start_key_sync();
    host.channels.start_health_checks();
    let pages = StaticFiles::load(&config.web_dir, &config.product_name)?;
    let document = openapi::build_document()?;
    let rules = AccessRules::from_openapi_document(&document).context("cannot read the access rules")?;
    let api = AppState::new(config.clone(), host, rules);
    api.admission.spawn_background_tasks(&host.tasks);
    api.streams.spawn_metrics_publisher(&host.tasks);
    let listener = listener::bind_listener(config.listen).with_context(|| format!("cannot listen on {}", config.listen))?;
    let address = listener.local_addr()?;
    let tls = config.tls.as_ref().map(|source| ReloadableTlsAcceptor::start(source, address, host)).transpose().context("PATIO_TLS")?;
    let plain = if tls.is_some() { https_redirect_router(api.clone()) } else { Router::new() };
    let app = build_router(api.clone(), pages, document);
    let app = match tls.as_ref().and_then(ReloadableTlsAcceptor::ca_certificate) {
        Some(certificate) => ca_cert_route(certificate.to_owned()).merge(app),
        None => app,
    };
    let app = app.layer(from_fn(middleware::require_single_host_header));
    Ok(Server { address, listener, tls, app, plain, api, work: HandlerRuntime::default() })
}

impl Server {
    /// Returns the URL that opens the web app on this machine.
    #[must_use]
    pub fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        if self.address.ip().is_unspecified() {
            format!("{scheme}://localhost:{}", self.address.port())
        } else {
            format!("{scheme}://{}", self.address)
        }
    }

    /// Returns the startup messages that explain how to connect from a phone; empty when the server uses no local certificate
    /// authority.
    #[must_use]
    pub fn startup_messages(&self) -> Vec<String> {
        self.tls.as_ref().map(|tls| tls.startup_messages(self.address.ip())).unwrap_or_default()
    }

    /// Serves requests on a separate tokio runtime for network I/O. The request handlers run on the runtime that calls this
    /// function.
    ///
    /// # Errors
    /// Returns an error when the threads of the I/O runtime cannot be started.
    pub async fn serve_on_io_runtime(mut self) -> anyhow::Result<()> {
        self.work = HandlerRuntime::current();
        IoRuntime::start()?.run(self.serve()).await?
    }

    /// Serves requests until the process receives a stop signal, then waits for requests in flight.
    ///
    /// # Errors
    /// Returns no error at present, since failures to accept a connection are retried.
    pub async fn serve(self) -> anyhow::Result<()> {
        let most = u32::try_from(self.api.config.max_connections).unwrap_or(u32::MAX >> 4).max(1);
        let room = Arc::new(Semaphore::new(usize::try_from(most)?));
        while let Some(permit) = self.permit(&room).await {
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                () = self.api.host.tasks.wait_until_stopping() => break,
            };
            match accepted {
                Ok((stream, peer)) => self.accept_connections(stream, peer, permit),
                Err(cause) => {
                    tracing::warn!(%cause, "failed to accept a client connection, retrying");
                    tokio::time::sleep(Duration::from_millis(50)).await; // probably out of file descriptors: wait until some are free
                }
            }
        }
        drop(self.listener);
        if tokio::time::timeout(DRAIN_TIMEOUT, room.acquire_many(most)).await.is_err() {
            tracing::warn!("shutdown timed out, requests in flight were aborted");
        }
        Ok(())
    }

    /// Waits until the number of open connections is below the limit, and returns a permit for one more connection. Returns `None`
    /// when the process stops.
    async fn permit(&self, room: &Arc<Semaphore>) -> Option<OwnedSemaphorePermit> {
        tokio::select! {
            permit = room.clone().acquire_owned() => permit.ok(),
            () = self.api.host.tasks.wait_until_stopping() => None,
        }
    }

    fn accept_connections(&self, stream: TcpStream, peer: SocketAddr, permit: OwnedSemaphorePermit) {
        let peer = Peer { address: peer.ip(), tls: false };
        let connection = Connection::new(self.app.clone(), self.api.clone(), self.work.clone(), peer);
        let (tls, plain) = (self.tls.clone(), self.plain.clone());
        self.api.host.tasks.spawn(async move {
            if let Err(cause) = stream.set_nodelay(true) {
                tracing::debug!(%cause, "failed to set TCP_NODELAY, responses may be delayed");
            }
            let connections = metrics::gauge!("patio_http_connections");
            connections.increment(1.0);
            match tls {
                Some(tls) => connection.handshake_and_serve(stream, &tls, plain).await,
                None => Arc::new(connection).serve(stream).await,
            }
            connections.decrement(1.0);
            drop(permit);
        });
    }
}
