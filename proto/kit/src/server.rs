//! Building and serving a service: health, reflection and the access layer are always on.
use crate::{
    access::{self, Access},
    db::Db,
    host::Host,
    lifecycle::DRAIN,
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

/// The largest message a service takes: 50,000 identifiers with room.
pub const LARGEST_MESSAGE: usize = 16 << 20;

/// A service that has started.
pub struct Service {
    /// Such as `vehicle-svc`.
    pub name: &'static str,
    /// Its calls behind the access layer.
    pub router: axum::Router,
    /// What a person should be told once, such as the first supervisor's password.
    pub notices: Vec<String>,
    /// Whether it can do its work now, as its health says.
    pub well: Arc<AtomicBool>,
    db: Db,
}

/// Most calls of one connection at once: the streams that a gateway keeps open, and room for all that comes and goes. Each
/// takes some 2 KiB when nothing else comes of it, and a flood of them on two connections must stay below 16 MiB.
const MOST_CALLS: u32 = 3_072;

/// How often in a row a database may keep its health waiting: one that is busy is not away.
const MISSES: u32 = 2;

/// Gathers the calls of a service.
pub struct Builder {
    name: &'static str,
    host: Host,
    routes: RoutesBuilder,
    names: Vec<&'static str>,
}

impl Builder {
    /// A service without calls yet.
    #[must_use]
    pub fn new(name: &'static str, host: &Host) -> Self {
        Self { name, host: host.clone(), routes: RoutesBuilder::default(), names: Vec::new() }
    }

    /// Adds the calls of one generated server.
    #[must_use]
    pub fn with<S>(mut self, server: S) -> Self
    where
        S: TowerService<Request<Body>, Response = Response<Body>, Error = Infallible> + NamedService + Clone + Send + Sync + 'static,
        S::Future: Send + 'static,
    {
        self.names.push(S::NAME);
        self.routes.add_service(server);
        self
    }

    /// Adds health and reflection, puts the access layer before everything, and starts to follow the database.
    pub async fn build(mut self, db: Db, notices: Vec<String>) -> anyhow::Result<Service> {
        let (reporter, health) = tonic_health::server::health_reporter();
        report(&reporter, &self.names, ServingStatus::NotServing).await; // it would say that it serves before it was looked at
        self.add_health(health);
        if self.host.settings.reflection {
            let describe = || {
                let all = tonic_reflection::server::Builder::configure()
                    .register_encoded_file_descriptor_set(patio_proto::DESCRIPTORS)
                    .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
                    .with_service_name("grpc.health.v1.Health");
                self.names.iter().fold(all, |described, name| described.with_service_name(*name))
            };
            self.routes.add_service(describe().build_v1()?);
            self.routes.add_service(describe().build_v1alpha()?);
        }
        let well = follow(&self.host, self.name, (reporter, self.names), db.clone());
        crate::audit::seal::keep(&self.host, &db);
        let (heard, tasks) = (db.clone(), self.host.tasks.clone());
        self.host.tasks.spawn(async move { heard.keep_heard(&tasks).await });
        let guard = Access { identity: self.host.identity.clone(), service: self.name, db: Some(db.clone()) };
        let router = self.routes.routes().prepare().into_axum_router().layer(middleware::from_fn_with_state(guard, access::guard));
        Ok(Service { name: self.name, router, notices, well, db })
    }

    fn add_health<H: Health>(&mut self, health: HealthServer<H>) {
        self.routes.add_service(health);
    }
}

/// Reports a service as serving while its database answers and tokens can be judged.
fn follow(host: &Host, service: &'static str, (reporter, names): (HealthReporter, Vec<&'static str>), db: Db) -> Arc<AtomicBool> {
    let told = Arc::new(AtomicBool::new(false));
    let tell = told.clone();
    host.keep_tokens_current();
    host.cache.keep_measured(&host.tasks, service);
    let host = host.clone();
    let tasks = host.tasks.clone();
    tasks.spawn(async move {
        db.warm().await;
        let mut missed = 0;
        while !host.tasks.is_leaving() {
            missed = match tokio::time::timeout(Duration::from_secs(1), db.ping()).await {
                Ok(Ok(())) => 0,
                Ok(Err(sqlx::Error::PoolTimedOut)) | Err(_) => missed + 1,
                Ok(Err(_)) => MISSES,
            };
            let well = missed < MISSES && host.knows_keys();
            tell.store(well, Ordering::Relaxed);
            db.measure(service);
            report(&reporter, &names, if well { ServingStatus::Serving } else { ServingStatus::NotServing }).await;
            tokio::select! {
                () = tokio::time::sleep(Duration::from_millis(if well { 1000 } else { 200 })) => {}
                () = host.tasks.left() => {}
            }
        }
        tell.store(false, Ordering::Relaxed);
        report(&reporter, &names, ServingStatus::NotServing).await;
    });
    told
}

async fn report(reporter: &HealthReporter, names: &[&'static str], status: ServingStatus) {
    for name in names.iter().chain(&[""]) {
        reporter.set_service_status(*name, status).await;
    }
}

impl Service {
    /// Serves over the network until `stop`, then finishes what is under way.
    pub async fn serve(&self, listener: TcpListener, stop: impl Future<Output = ()>) -> anyhow::Result<()> {
        let stopped = CancellationToken::new();
        let told = stopped.clone();
        let stop = async move {
            stop.await;
            told.cancel();
        };
        let served = tonic::transport::Server::builder()
            .http2_keepalive_interval(Some(Duration::from_secs(20)))
            .http2_keepalive_timeout(Some(Duration::from_secs(10)))
            .max_concurrent_streams(MOST_CALLS)
            .tcp_nodelay(true)
            .add_routes(Routes::from(self.router.clone()))
            .serve_with_incoming_shutdown(TcpIncoming::from(listener).with_nodelay(Some(true)), stop);
        let patience = async {
            stopped.cancelled().await;
            tokio::time::sleep(DRAIN).await;
        };
        tokio::select! {
            done = served => done?,
            () = patience => tracing::warn!("some calls were left behind"),
        }
        Ok(())
    }

    /// Ends the service's use of its database, after what is queued.
    pub async fn close(&self) {
        self.db.close().await;
    }
}
