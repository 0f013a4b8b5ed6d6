//! gRPC server of a service, with authorization of each call, health checks and optional reflection.
pub mod authorization_layer;
mod call_record;

use crate::{
    client::service_channel::ServiceChannel, database_state, db::Db, lifecycle::DRAIN_TIMEOUT,
    server::authorization_layer::AuthorizationLayerState, service_host::ServiceHost, tls::ServiceTls,
};
use axum::middleware;
use http::{Request, Response};
use std::{
    convert::Infallible,
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::{
    body::Body,
    server::NamedService,
    service::{Routes, RoutesBuilder},
    transport::server::TcpIncoming,
};
use tonic_health::{
    ServingStatus,
    pb::health_server::{Health, HealthServer},
    server::HealthReporter,
};
use tower::Service as TowerService;

/// Maximum size of a gRPC message, in bytes. The limit allows a list of 50,000 VINs.
pub const MAX_MESSAGE_BYTES: usize = 16 << 20;

/// gRPC service that is ready to serve, with its routes and its health state.
pub struct Service {
    /// Name of the service, such as `vehicle-svc`.
    pub name: &'static str,
    /// Routes of the service's rpcs. The authorization layer checks every call before the rpc runs.
    pub router: axum::Router,
    /// Messages to print once at start, such as the first supervisor's password.
    pub notices: Vec<String>,
    /// Whether the service is healthy. The gRPC health check reports this value.
    pub healthy: Arc<AtomicBool>,
    tls: Option<ServiceTls>,
    db: Db,
}

/// Maximum number of concurrent calls per connection, enough for the event streams and the short calls of one gateway.
///
/// The limit bounds memory: an idle call takes about 2 KiB, so the idle calls of one connection take at most about 6 MiB.
const MAX_CONCURRENT_STREAMS: u32 = 3_072;

/// Number of consecutive timed-out database checks after which the service is unhealthy. A single timeout may only mean that
/// the database is busy.
const FAILURE_THRESHOLD: u32 = 2;
/// Interval of the health checks of a `PostgreSQL` database that responds.
const HEALTHY_CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Interval of the health checks of an `SQLite` database. Rare checks suffice, because the database is a local file of this process.
const SQLITE_CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// Interval of the health checks of an unhealthy service.
const UNHEALTHY_CHECK_INTERVAL: Duration = Duration::from_millis(200);

/// Builder that combines generated gRPC servers into one [`Service`].
pub struct ServiceBuilder {
    name: &'static str,
    host: ServiceHost,
    routes: RoutesBuilder,
    names: Vec<&'static str>,
}

impl ServiceBuilder {
    /// Creates a builder without any gRPC server.
    #[must_use]
    pub fn new(name: &'static str, host: &ServiceHost) -> Self {
        Self { name, host: host.clone(), routes: RoutesBuilder::default(), names: Vec::new() }
    }

    /// Adds the rpcs of one gRPC server that was generated from a `.proto` file.
    #[must_use]
    pub fn add_service<S>(mut self, server: S) -> Self
    where
        S: TowerService<Request<Body>, Response = Response<Body>, Error = Infallible> + NamedService + Clone + Send + Sync + 'static,
        S::Future: Send + 'static,
    {
        self.names.push(S::NAME);
        self.routes.add_service(server);
        self
    }

    /// Builds the service: adds health checks, optional reflection and the authorization layer, and starts the background tasks.
    ///
    /// The tasks monitor the database, link new audit entries in a hash chain, and load signing keys from auth-svc.
    pub async fn build(mut self, db: Db, notices: Vec<String>) -> anyhow::Result<Service> {
        let (reporter, health) = tonic_health::server::health_reporter();
        report(&reporter, &self.names, ServingStatus::NotServing).await; // the default is `Serving`, even before the first check
        self.add_health(health);
        if self.host.settings.reflection {
            let describe = || {
                let all = tonic_reflection::server::Builder::configure()
                    .register_encoded_file_descriptor_set(patio_proto::FILE_DESCRIPTOR_SET)
                    .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
                    .with_service_name("grpc.health.v1.Health");
                self.names.iter().fold(all, |described, name| described.with_service_name(*name))
            };
            self.routes.add_service(describe().build_v1()?);
            self.routes.add_service(describe().build_v1alpha()?);
        }
        let healthy = spawn_health_monitor(&self.host, self.name, (reporter, self.names), db.clone());
        crate::audit::hash_chain::spawn_sealing_and_retention(
            &self.host.tasks,
            &self.host.clock,
            self.host.settings.audit_seal_file_path(),
            &db,
        );
        let (monitored, tasks, activity) = (db.clone(), self.host.tasks.clone(), self.host.identity.user_activity());
        self.host.tasks.spawn(async move { monitored.run_heartbeat(&tasks, &activity).await });
        let guard = AuthorizationLayerState { identity: self.host.identity.clone(), service: self.name, db: Some(db.clone()) };
        let router = self
            .routes
            .routes()
            .prepare()
            .into_axum_router()
            .layer(middleware::from_fn_with_state(guard, authorization_layer::authorize_and_record_call));
        Ok(Service { name: self.name, router, notices, healthy, tls: self.host.tls.clone(), db })
    }

    fn add_health<H: Health>(&mut self, health: HealthServer<H>) {
        self.routes.add_service(health);
    }
}

/// Starts the task that reports a service as healthy while its database responds and signing keys are loaded. Returns a flag that is `true`
/// while the service is healthy.
fn spawn_health_monitor(
    host: &ServiceHost,
    service: &'static str,
    (reporter, names): (HealthReporter, Vec<&'static str>),
    db: Db,
) -> Arc<AtomicBool> {
    let serving = Arc::new(AtomicBool::new(false));
    let flag = serving.clone();
    let healthy_interval = if db.is_postgres() { HEALTHY_CHECK_INTERVAL } else { SQLITE_CHECK_INTERVAL };
    host.start_key_sync();
    host.cache.spawn_redis_probe(&host.tasks, service);
    let host = host.clone();
    let tasks = host.tasks.clone();
    tasks.spawn(async move {
        db.open_initial_connections().await;
        let mut missed = 0;
        while !host.tasks.is_draining() {
            missed = match tokio::time::timeout(Duration::from_secs(1), db.ping()).await {
                Ok(Ok(())) => {
                    database_state::record_database_available();
                    0
                }
                Ok(Err(sqlx::Error::PoolTimedOut)) | Err(_) => missed + 1,
                Ok(Err(_)) => FAILURE_THRESHOLD,
            };
            let healthy = missed < FAILURE_THRESHOLD && host.has_completed_key_sync();
            flag.store(healthy, Ordering::Relaxed);
            db.record_metrics(service);
            report(&reporter, &names, if healthy { ServingStatus::Serving } else { ServingStatus::NotServing }).await;
            tokio::select! {
                () = tokio::time::sleep(if healthy { healthy_interval } else { UNHEALTHY_CHECK_INTERVAL }) => {}
                () = host.tasks.wait_until_draining() => {}
            }
        }
        flag.store(false, Ordering::Relaxed);
        report(&reporter, &names, ServingStatus::NotServing).await;
    });
    serving
}

async fn report(reporter: &HealthReporter, names: &[&'static str], status: ServingStatus) {
    for name in names.iter().chain(&[""]) {
        reporter.set_service_status(*name, status).await;
    }
}

impl Service {
    /// Serves over the network until `stop` resolves, then finishes the calls in progress. Uses TLS when the host has a certificate.
    pub async fn serve(&self, listener: TcpListener, stop: impl Future<Output = ()>) -> anyhow::Result<()> {
        let stopped = CancellationToken::new();
        let shutdown = stopped.clone();
        let stop = async move {
            stop.await;
            shutdown.cancel();
        };
        let server = tonic::transport::Server::builder()
            .http2_keepalive_interval(Some(Duration::from_secs(20)))
            .http2_keepalive_timeout(Some(Duration::from_secs(10)))
            .max_concurrent_streams(MAX_CONCURRENT_STREAMS)
            .tcp_nodelay(true)
            .add_routes(Routes::from(self.router.clone()));
        let served = async {
            match self.tls.clone() {
                Some(tls) => server.serve_with_incoming_shutdown(tls.accept_connections(listener), stop).await,
                None => server.serve_with_incoming_shutdown(TcpIncoming::from(listener).with_nodelay(Some(true)), stop).await,
            }
        };
        let shutdown_timeout = async {
            stopped.cancelled().await;
            tokio::time::sleep(DRAIN_TIMEOUT).await;
        };
        tokio::select! {
            done = served => done?,
            () = shutdown_timeout => tracing::warn!("shutdown timed out, calls in progress were aborted"),
        }
        Ok(())
    }

    /// Closes the connections to the service's database, after the statements in progress have finished.
    pub async fn close(&self) {
        self.db.close().await;
    }
}

impl ServiceHost {
    /// Connects the client channel to `service`, which runs in this process. Other services of the process can then call `service`.
    pub fn attach_local_service(&self, service: &Service) {
        let link = match service.name {
            "auth-svc" => &self.channels.auth,
            "campaign-svc" => &self.channels.campaign,
            "vehicle-svc" => &self.channels.vehicle,
            _ => &self.channels.import,
        };
        if let ServiceChannel::Local(slot) = link {
            let _ = slot.set(service.router.clone());
        }
    }
}
