//! What every call of this service works with.
use crate::{progress::ProgressReader, vehicles::Vehicles};
use chrono::{DateTime, Utc};
use patio_kit::{
    audit,
    clock::Clock,
    db::Db,
    host::Host,
    identity::{self, Caller},
    lifecycle::Tasks,
    link::Bearer,
};
use tonic::{Request, Status};

/// The database, the clock, and the ways to vehicle-svc; clones share them.
#[derive(Clone)]
pub struct Works {
    pub db: Db,
    pub clock: Clock,
    pub tasks: Tasks,
    pub vehicles: Vehicles,
    pub progress: ProgressReader,
}

impl Works {
    pub fn new(host: &Host, db: &Db) -> Self {
        let vehicles = Vehicles::new(host);
        let progress = ProgressReader::new(host.shares_cache().then(|| host.cache.clone()), vehicles.clone());
        Self { db: db.clone(), clock: host.clock.clone(), tasks: host.tasks.clone(), vehicles, progress }
    }

    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }
}

/// Who makes a call, with what its audit entry and the calls that follow from it need.
#[derive(Clone)]
pub struct Asker {
    pub caller: Caller,
    pub bearer: Bearer,
    pub address: String,
}

impl Asker {
    pub fn of<T>(request: &Request<T>) -> Result<Self, Status> {
        Ok(Self { caller: identity::caller(request)?, bearer: Bearer::of(request), address: audit::address(request) })
    }
}
