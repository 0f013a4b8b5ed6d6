//! What every route works with.
use crate::{
    config::Config,
    confirmed::Confirmed,
    limits::{Limiter, Streams},
    names::Names,
    turns::Turns,
};
use patio_kit::{host::Host, link::Link, server::LARGEST_MESSAGE};
use patio_proto::{
    audit::audit_service_client::AuditServiceClient,
    auth::{
        session_service_client::SessionServiceClient, token_service_client::TokenServiceClient, user_service_client::UserServiceClient,
    },
    campaign::campaign_service_client::CampaignServiceClient,
    imports::{file_service_client::FileServiceClient, import_service_client::ImportServiceClient},
    vehicle::{
        bulk_service_client::BulkServiceClient, conflict_service_client::ConflictServiceClient, held_service_client::HeldServiceClient,
        job_service_client::JobServiceClient, live_service_client::LiveServiceClient, vehicle_service_client::VehicleServiceClient,
        yard_service_client::YardServiceClient,
    },
};
use std::{ops::Deref, sync::Arc, time::Duration};

/// How long an import or a bulk change may take.
pub const LONG: Duration = Duration::from_secs(120);

/// The state of the gateway; clones share it.
#[derive(Clone)]
pub struct Api(Arc<Inner>);

/// What [`Api`] holds.
pub struct Inner {
    /// The process.
    pub host: Host,
    /// What the gateway was told.
    pub config: Config,
    /// Who is called what.
    pub names: Names,
    /// How often an address may still try to sign in.
    pub sign_ins: Limiter,
    /// The sessions that auth-svc knows.
    pub confirmed: Confirmed,
    /// The streams that are open.
    pub streams: Streams,
    /// Who is worked for.
    pub turns: Turns,
}

impl Deref for Api {
    type Target = Inner;
    fn deref(&self) -> &Inner {
        &self.0
    }
}

macro_rules! clients {
    ($($(#[$doc:meta])* $name:ident: $client:ident over $link:ident;)*) => {
        impl Api {
            $($(#[$doc])* #[must_use]
            pub fn $name(&self) -> $client<Link> {
                $client::new(self.host.links.$link.clone()).max_decoding_message_size(LARGEST_MESSAGE).max_encoding_message_size(LARGEST_MESSAGE)
            })*
        }
    };
}

clients! {
    /// Signing in and out.
    sessions: SessionServiceClient over auth;
    /// People.
    users: UserServiceClient over auth;
    /// Keys.
    tokens: TokenServiceClient over auth;
    /// Campaigns.
    campaigns: CampaignServiceClient over campaign;
    /// Vehicles.
    vehicles: VehicleServiceClient over vehicle;
    /// Fields that two people changed.
    conflicts: ConflictServiceClient over vehicle;
    /// What happens, and how fast.
    live: LiveServiceClient over vehicle;
    /// Work that devices hold.
    held: HeldServiceClient over vehicle;
    /// Many vehicles at once.
    bulk: BulkServiceClient over vehicle;
    /// Imports and changes of many vehicles, and taking them back.
    jobs: JobServiceClient over vehicle;
    /// Yards.
    yards: YardServiceClient over vehicle;
    /// Spreadsheets.
    imports: ImportServiceClient over import;
    /// Lists of vehicles as files, and files that change vehicles.
    files: FileServiceClient over import;
}

impl Api {
    /// The state of a gateway in a process.
    #[must_use]
    pub fn new(config: Config, host: &Host) -> Self {
        let names = Names::new(UserServiceClient::new(host.links.auth.clone()));
        let sign_ins = Limiter::new(config.sign_in_burst);
        let turns = Turns::new(config.max_at_once, &host.links.vehicle);
        Self(Arc::new(Inner {
            host: host.clone(),
            config,
            names,
            sign_ins,
            confirmed: Confirmed::default(),
            streams: Streams::default(),
            turns,
        }))
    }

    /// The entries of each service, with the service's short name.
    #[must_use]
    pub fn audits(&self) -> [(&'static str, AuditServiceClient<Link>); 4] {
        let links = &self.host.links;
        [("auth", &links.auth), ("campaign", &links.campaign), ("vehicle", &links.vehicle), ("import", &links.import)]
            .map(|(name, link)| (name, AuditServiceClient::new(link.clone()).max_decoding_message_size(LARGEST_MESSAGE)))
    }
}
