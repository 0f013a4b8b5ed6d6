//! vehicle-svc: stores vehicles, their parking spaces and their inspections.

mod api;
pub mod bulk_changes;
pub mod campaign;
mod device_time;
mod error;
mod inspection;
mod live;
mod notes;
mod parking_space;
pub mod store;
mod yard_filter;

use patio_kit::{
    audit::AuditLogService,
    cli::ServiceBinary,
    db::Schema,
    server::{MAX_MESSAGE_BYTES, Service, ServiceBuilder},
    service_host::ServiceHost,
};
use patio_proto::{
    audit::audit_service_server::AuditServiceServer,
    vehicle::{
        bulk_service_server::BulkServiceServer, campaign_vehicle_service_server::CampaignVehicleServiceServer,
        conflict_service_server::ConflictServiceServer, event_service_server::EventServiceServer,
        history_service_server::HistoryServiceServer, job_service_server::JobServiceServer,
        pending_save_service_server::PendingSaveServiceServer, vehicle_service_server::VehicleServiceServer,
        yard_service_server::YardServiceServer,
    },
};

pub use campaign::progress_publisher::ProgressPublisher;
pub use error::Error;

use bulk_changes::job_history;
use campaign::deletion::CampaignDeleter;
use live::ChangeFeed;

static SQLITE: sqlx::migrate::Migrator = sqlx::migrate!("migrations/sqlite");
static POSTGRES: sqlx::migrate::Migrator = sqlx::migrate!("migrations/postgres");

/// Database schema of vehicle-svc: the migrations for `SQLite` and `PostgreSQL`.
pub const SCHEMA: Schema = Schema { name: "vehicle", sqlite: &SQLITE, postgres: &POSTGRES };

/// Settings that only vehicle-svc has; currently none.
#[derive(Debug, Clone, Default, clap::Args)]
#[group(skip)]
pub struct Config {}

/// Binary of vehicle-svc: its name, default listen address and schema.
pub const SERVICE_BINARY: ServiceBinary = ServiceBinary { name: "vehicle-svc", listen: "127.0.0.1:50053", schema: SCHEMA };

/// Starts vehicle-svc: opens the database, starts the background tasks and registers the gRPC services.
pub async fn start(_: Config, host: &ServiceHost) -> anyhow::Result<Service> {
    let db = host.open_database(SCHEMA).await?;
    let live = ChangeFeed::start(host, db.clone()).await?;
    let progress = ProgressPublisher::new(host, db.clone()).with_change_feed(live.clone());
    progress.spawn_milestone_delivery(host);
    live::usage_metrics::spawn_usage_metrics_update(host, db.clone());
    inspection::spawn_idempotency_key_purge(host, db.clone());
    job_history::spawn_job_purge(host, db.clone());
    let deleter = CampaignDeleter::new(host, db.clone());
    deleter.spawn_campaign_deletion(host);
    let context = api::ApiContext::new(host, &db, progress, live);
    let (bulk, campaigns) =
        (api::bulk_changes::BulkChangeApi(context.clone()), api::campaign_vehicles::CampaignVehicleApi(context.clone()));
    ServiceBuilder::new(SERVICE_BINARY.name, host)
        .add_service(VehicleServiceServer::new(api::vehicles::VehicleApi::new(host, context.clone())))
        .add_service(BulkServiceServer::new(bulk).max_decoding_message_size(MAX_MESSAGE_BYTES).max_encoding_message_size(MAX_MESSAGE_BYTES))
        .add_service(JobServiceServer::new(api::jobs::JobApi::new(context.clone(), deleter)).max_encoding_message_size(MAX_MESSAGE_BYTES))
        .add_service(ConflictServiceServer::new(api::conflicts::ConflictApi(context.clone())))
        .add_service(HistoryServiceServer::new(api::change_history::ChangeHistoryApi(context.clone())))
        .add_service(EventServiceServer::new(api::change_events::ChangeEventApi::new(host, context.clone())))
        .add_service(PendingSaveServiceServer::new(api::pending_saves::PendingSaveApi(context.clone())))
        .add_service(YardServiceServer::new(api::yards::YardApi(context)))
        .add_service(CampaignVehicleServiceServer::new(campaigns).max_decoding_message_size(MAX_MESSAGE_BYTES))
        .add_service(AuditServiceServer::new(AuditLogService { db: db.clone() }))
        .build(db, Vec::new())
        .await
}
