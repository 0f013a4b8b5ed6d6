//! Dependencies that the gRPC services of vehicle-svc share.
use crate::{campaign::progress_publisher::ProgressPublisher, live::ChangeFeed};
use patio_kit::{clock::Clock, db::Db, service_host::ServiceHost};

/// Database, clock, progress publisher and change feed, which all gRPC services share. Clones refer to the same instances.
#[derive(Clone)]
pub struct ApiContext {
    pub db: Db,
    pub clock: Clock,
    pub progress: ProgressPublisher,
    pub live: ChangeFeed,
}

impl ApiContext {
    pub fn new(host: &ServiceHost, db: &Db, progress: ProgressPublisher, live: ChangeFeed) -> Self {
        Self { db: db.clone(), clock: host.clock.clone(), progress, live }
    }
}
