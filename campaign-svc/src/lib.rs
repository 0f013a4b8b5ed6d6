//! Campaign service: campaigns, the drafts that imports create, and the campaign status (Ready, Ongoing, Pending Review or Closed).
//!
//! campaign-svc owns names and statuses. vehicle-svc owns the vehicles, their counters, and the write lock that rejects saves to a
//! closed campaign. A change that concerns both services may be interrupted by a crash; the [`Sweeper`] then completes or reverts the
//! change.
mod api;
mod campaign;
mod campaign_change;
mod config;
mod context;
mod deletion;
mod drafts;
mod error;
mod fields;
mod list;
mod milestones;
mod progress;
mod request_context;
mod status_transitions;
mod store;
mod sweep;
mod update;
mod vehicle_client;

pub use config::Config;
pub use sweep::Sweeper;

use context::ServiceContext;
use patio_kit::{
    audit::AuditLogService,
    cli::ServiceBinary,
    db::Schema,
    server::{MAX_MESSAGE_BYTES, Service, ServiceBuilder},
    service_host::ServiceHost,
};
use patio_proto::{
    audit::audit_service_server::AuditServiceServer,
    campaign::{
        campaign_service_server::CampaignServiceServer, draft_service_server::DraftServiceServer,
        milestone_service_server::MilestoneServiceServer,
    },
};
use sqlx::migrate::Migrator;

static SQLITE: Migrator = sqlx::migrate!("migrations/sqlite");
static POSTGRES: Migrator = sqlx::migrate!("migrations/postgres");

/// Database schema of campaign-svc: its name and its migrations for SQLite and PostgreSQL.
pub const SCHEMA: Schema = Schema { name: "campaign", sqlite: &SQLITE, postgres: &POSTGRES };

/// Selects the ids of all published campaigns. The backup runs this query on the copied campaign database, to find campaigns whose
/// vehicles are missing from the copied vehicle database.
pub const SELECT_PUBLISHED_CAMPAIGN_IDS: &str = "select id from campaigns where state = 'live'";

/// Binary of campaign-svc: its name, default listen address and schema.
pub const SERVICE_BINARY: ServiceBinary = ServiceBinary { name: "campaign-svc", listen: "127.0.0.1:50052", schema: SCHEMA };

/// Starts campaign-svc and its sweeper, the background task that completes work left unfinished by a crash.
///
/// # Errors
/// Returns an error when the database cannot be opened or migrated.
pub async fn start(config: Config, host: &ServiceHost) -> anyhow::Result<Service> {
    let db = host.open_database(SCHEMA).await?;
    let context = ServiceContext::new(host, &db);
    let sweeper = Sweeper::new(host, &db);
    host.tasks.spawn_repeating(config.sweep_interval, move || {
        let sweeper = sweeper.clone();
        async move { sweeper.sweep().await }
    });
    ServiceBuilder::new(SERVICE_BINARY.name, host)
        .add_service(large(CampaignServiceServer::new(api::CampaignApi(context.clone()))))
        .add_service(DraftServiceServer::new(api::DraftApi(context.clone())))
        .add_service(MilestoneServiceServer::new(api::MilestoneApi(context)))
        .add_service(AuditServiceServer::new(AuditLogService { db: db.clone() }))
        .build(db, Vec::new())
        .await
}

/// Raises the size limit of gRPC messages, because a page of campaigns with long descriptions may exceed the default
/// limit.
fn large(server: CampaignServiceServer<api::CampaignApi>) -> CampaignServiceServer<api::CampaignApi> {
    server.max_decoding_message_size(MAX_MESSAGE_BYTES).max_encoding_message_size(MAX_MESSAGE_BYTES)
}
