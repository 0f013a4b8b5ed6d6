//! campaign-svc: campaigns, the drafts that imports make of them, and their way from Ready to Closed.
//!
//! It owns names and statuses; vehicle-svc owns the vehicles, their counters and the gate that
//! refuses saves once a campaign is closed. What must happen in both survives the death of either:
//! see [`Sweeper`].
mod api;
mod campaign;
mod change;
mod config;
mod deleting;
mod drafting;
mod error;
mod fields;
mod listing;
mod progress;
mod saving;
mod steps;
mod store;
mod sweep;
mod turning;
mod vehicles;
mod works;

pub use config::Config;
pub use sweep::Sweeper;

use patio_kit::{
    audit::AuditLog,
    command::Program,
    db::Schema,
    host::Host,
    server::{Builder, LARGEST_MESSAGE, Service},
};
use patio_proto::{
    audit::audit_service_server::AuditServiceServer,
    campaign::{
        campaign_service_server::CampaignServiceServer, draft_service_server::DraftServiceServer,
        progress_service_server::ProgressServiceServer,
    },
};
use sqlx::migrate::Migrator;
use works::Works;

static SQLITE: Migrator = sqlx::migrate!("migrations/sqlite");
static POSTGRES: Migrator = sqlx::migrate!("migrations/postgres");

/// The tables of this service.
pub const SCHEMA: Schema = Schema { name: "campaign", sqlite: &SQLITE, postgres: &POSTGRES };

/// campaign-svc as a program of its own.
pub struct Campaigns;

impl Program for Campaigns {
    const NAME: &'static str = "campaign-svc";
    const LISTEN: &'static str = "127.0.0.1:50052";
    const SCHEMA: Schema = SCHEMA;
    type Config = Config;

    async fn start(config: Config, host: &Host) -> anyhow::Result<Service> {
        start(config, host).await
    }
}

/// Starts the service and its sweeper.
///
/// # Errors
/// When the database cannot be opened or brought up to date.
pub async fn start(config: Config, host: &Host) -> anyhow::Result<Service> {
    let db = host.database(SCHEMA).await?;
    let works = Works::new(host, &db);
    let sweeper = Sweeper::new(host, &db);
    host.tasks.repeat(config.sweep_every(), move || {
        let sweeper = sweeper.clone();
        async move { sweeper.sweep().await }
    });
    Builder::new(Campaigns::NAME, host)
        .with(large(CampaignServiceServer::new(api::Campaigns(works.clone()))))
        .with(DraftServiceServer::new(api::Drafts(works.clone())))
        .with(ProgressServiceServer::new(api::Turns(works)))
        .with(AuditServiceServer::new(AuditLog { db: db.clone() }))
        .build(db, Vec::new())
        .await
}

/// A page of campaigns with long descriptions may pass the usual limit of a message.
fn large(server: CampaignServiceServer<api::Campaigns>) -> CampaignServiceServer<api::Campaigns> {
    server.max_decoding_message_size(LARGEST_MESSAGE).max_encoding_message_size(LARGEST_MESSAGE)
}
