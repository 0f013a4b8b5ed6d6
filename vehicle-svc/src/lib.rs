//! vehicle-svc: vehicles, where they stand, and what their inspection found.

mod api;
mod attempt;
mod bulk;
mod changes;
mod edit;
mod error;
mod fleet;
mod held;
mod inspect;
pub mod jobs;
mod live;
mod merge;
mod note;
mod pace;
mod place;
mod progress;
mod removing;
pub mod roster;
mod settle;
pub mod store;
mod together;
mod undo;
mod view;

use patio_kit::{
    audit::AuditLog,
    command::Program,
    db::Schema,
    host::Host,
    server::{Builder, LARGEST_MESSAGE, Service},
};
use patio_proto::{
    audit::audit_service_server::AuditServiceServer,
    vehicle::{
        bulk_service_server::BulkServiceServer, conflict_service_server::ConflictServiceServer, fleet_service_server::FleetServiceServer,
        held_service_server::HeldServiceServer, job_service_server::JobServiceServer, live_service_server::LiveServiceServer,
        vehicle_service_server::VehicleServiceServer, yard_service_server::YardServiceServer,
    },
};

pub use error::Error;
pub use progress::Progress;

use live::Live;
use removing::Remover;

static SQLITE: sqlx::migrate::Migrator = sqlx::migrate!("migrations/sqlite");
static POSTGRES: sqlx::migrate::Migrator = sqlx::migrate!("migrations/postgres");

/// The tables of vehicle-svc.
pub const SCHEMA: Schema = Schema { name: "vehicle", sqlite: &SQLITE, postgres: &POSTGRES };

/// What vehicle-svc is told beside the common settings: nothing yet.
#[derive(Debug, Clone, Default, clap::Args)]
#[group(skip)]
pub struct Config {}

/// vehicle-svc as a program.
pub struct Vehicles;

impl Program for Vehicles {
    const NAME: &'static str = "vehicle-svc";
    const LISTEN: &'static str = "127.0.0.1:50053";
    const SCHEMA: Schema = SCHEMA;
    type Config = Config;

    async fn start(config: Config, host: &Host) -> anyhow::Result<Service> {
        start(config, host).await
    }
}

/// Starts vehicle-svc: the one door.
pub async fn start(_: Config, host: &Host) -> anyhow::Result<Service> {
    let db = host.database(SCHEMA).await?;
    let live = Live::start(host, db.clone()).await?;
    let progress = Progress::new(host, db.clone()).over(live.clone());
    progress.keep_telling(host);
    inspect::forget_old_keys(host, db.clone());
    jobs::keep_forgetting(host, db.clone());
    let remover = Remover::new(host, db.clone());
    remover.keep_removing(host);
    Builder::new(Vehicles::NAME, host)
        .with(VehicleServiceServer::new(api::vehicles::Api::new(host, db.clone(), progress.clone(), live.clone())))
        .with(
            BulkServiceServer::new(api::bulk::Api::new(host, db.clone(), progress.clone(), live.clone()))
                .max_decoding_message_size(LARGEST_MESSAGE)
                .max_encoding_message_size(LARGEST_MESSAGE),
        )
        .with(
            JobServiceServer::new(api::jobs::Api::new(host, db.clone(), progress.clone(), (remover, live.clone())))
                .max_encoding_message_size(LARGEST_MESSAGE),
        )
        .with(ConflictServiceServer::new(api::conflicts::Api::new(host, db.clone(), progress.clone(), live.clone())))
        .with(LiveServiceServer::new(api::live::Api::new(host, db.clone(), live.clone())))
        .with(HeldServiceServer::new(api::held::Api::new(host, db.clone())))
        .with(YardServiceServer::new(api::yards::Api::new(db.clone())))
        .with(
            FleetServiceServer::new(api::fleet::Api::new(host, db.clone(), progress, live.clone()))
                .max_decoding_message_size(LARGEST_MESSAGE),
        )
        .with(AuditServiceServer::new(AuditLog { db: db.clone() }))
        .build(db, Vec::new())
        .await
}
