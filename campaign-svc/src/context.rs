//! Dependencies that all calls of campaign-svc share, such as the database. The data of a single call is a `RequestContext`.
use crate::{progress::ProgressReader, vehicle_client::VehicleClient};
use chrono::{DateTime, Utc};
use patio_kit::{clock::Clock, db::Db, lifecycle::BackgroundTasks, service_host::ServiceHost};

/// Shared dependencies: database, clock, background tasks and the client of vehicle-svc. Clones use the same instances.
#[derive(Clone)]
pub struct ServiceContext {
    pub db: Db,
    pub clock: Clock,
    pub tasks: BackgroundTasks,
    pub vehicles: VehicleClient,
    pub progress: ProgressReader,
}

impl ServiceContext {
    pub fn new(host: &ServiceHost, db: &Db) -> Self {
        let vehicles = VehicleClient::new(host);
        let progress = ProgressReader::new(host.has_shared_cache().then(|| host.cache.clone()), vehicles.clone());
        Self { db: db.clone(), clock: host.clock.clone(), tasks: host.tasks.clone(), vehicles, progress }
    }

    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }
}
