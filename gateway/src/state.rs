//! Shared state of the gateway, which axum passes to all route handlers: configuration, caches, rate limits and gRPC
//! clients.
use crate::{
    access_rules::AccessRules,
    config::Config,
    limits::{address_rate_limit::AddressRateLimiter, admission::AdmissionController, event_stream_limit::EventStreamLimiter},
    session_confirmation::ConfirmedSessionCache,
};
use patio_kit::{
    auth::service_tokens::ServiceTokenSource,
    client::{service_channel::ServiceChannel, user_names::UserNameCache},
    server::MAX_MESSAGE_BYTES,
    service_host::ServiceHost,
};
use patio_proto::{
    audit::audit_service_client::AuditServiceClient,
    auth::{
        session_service_client::SessionServiceClient, token_service_client::TokenServiceClient, user_service_client::UserServiceClient,
    },
    campaign::campaign_service_client::CampaignServiceClient,
    imports::{file_service_client::FileServiceClient, import_service_client::ImportServiceClient},
    vehicle::{
        bulk_service_client::BulkServiceClient, conflict_service_client::ConflictServiceClient, event_service_client::EventServiceClient,
        history_service_client::HistoryServiceClient, job_service_client::JobServiceClient,
        pending_save_service_client::PendingSaveServiceClient, vehicle_service_client::VehicleServiceClient,
        yard_service_client::YardServiceClient,
    },
};
use std::{ops::Deref, sync::Arc, time::Duration};

/// Timeout of a gRPC call that imports or changes many vehicles.
pub const BULK_CALL_TIMEOUT: Duration = Duration::from_secs(120);

/// Number of Content-Security-Policy reports accepted from one client address at once (burst); afterwards, one report per second
/// is accepted.
const REPORT_BURST: u32 = 30;

/// Application state of the gateway, which every route handler receives. Clones share the data.
#[derive(Clone)]
pub struct AppState(Arc<AppStateInner>);

/// Fields of the application state, shared by all clones of the state.
pub struct AppStateInner {
    /// Process-wide resources: settings, background tasks, connections to the services, and token verification.
    pub host: ServiceHost,
    /// Configuration of the gateway.
    pub config: Config,
    /// Access rules of all API routes: who may call each route.
    pub rules: AccessRules,
    /// Cache of user names, by user id.
    pub names: UserNameCache,
    /// Rate limit of sign-in attempts per client address.
    pub sign_ins: AddressRateLimiter,
    /// Rate limit of `POST /sessions/ended` per client address. A device sends this request after a user signed out while the device was
    /// offline.
    pub offline_sign_outs: AddressRateLimiter,
    /// Rate limit of browser security reports per client address.
    pub reports: AddressRateLimiter,
    /// Source of the tokens with which the gateway authenticates itself to other services.
    pub service_tokens: ServiceTokenSource,
    /// Cache of sessions that auth-svc has confirmed.
    pub confirmed: ConfirmedSessionCache,
    /// Limit of open event streams, per user and in total.
    pub streams: EventStreamLimiter,
    /// Admission control, which limits the number of API requests processed at the same time.
    pub admission: AdmissionController,
}

impl Deref for AppState {
    type Target = AppStateInner;
    fn deref(&self) -> &AppStateInner {
        &self.0
    }
}

macro_rules! clients {
    ($($(#[$doc:meta])* $name:ident: $client:ident over $link:ident;)*) => {
        impl AppState {
            $($(#[$doc])* #[must_use]
            pub fn $name(&self) -> $client<ServiceChannel> {
                $client::new(self.host.channels.$link.clone())
                    .max_decoding_message_size(MAX_MESSAGE_BYTES)
                    .max_encoding_message_size(MAX_MESSAGE_BYTES)
            })*
        }
    };
}

clients! {
    /// Returns a gRPC client of auth-svc for sign-in, sign-out and sessions.
    sessions: SessionServiceClient over auth;
    /// Returns a gRPC client of auth-svc for user accounts.
    users: UserServiceClient over auth;
    /// Returns a gRPC client of auth-svc for the public keys that verify tokens.
    tokens: TokenServiceClient over auth;
    /// Returns a gRPC client of campaign-svc for campaigns.
    campaigns: CampaignServiceClient over campaign;
    /// Returns a gRPC client of vehicle-svc for vehicles.
    vehicles: VehicleServiceClient over vehicle;
    /// Returns a gRPC client of vehicle-svc for the history of vehicles.
    history: HistoryServiceClient over vehicle;
    /// Returns a gRPC client of vehicle-svc for conflicts between concurrent changes of a field.
    conflicts: ConflictServiceClient over vehicle;
    /// Returns a gRPC client of vehicle-svc for the live events and the inspection pace (such as vehicles per hour) of a campaign.
    events: EventServiceClient over vehicle;
    /// Returns a gRPC client of vehicle-svc for saves that are still pending on devices.
    pending_saves: PendingSaveServiceClient over vehicle;
    /// Returns a gRPC client of vehicle-svc for bulk changes of vehicles.
    bulk: BulkServiceClient over vehicle;
    /// Returns a gRPC client of vehicle-svc for listing and undoing jobs. A job is an import or a bulk change.
    jobs: JobServiceClient over vehicle;
    /// Returns a gRPC client of vehicle-svc for yards and their vehicle counts.
    yards: YardServiceClient over vehicle;
    /// Returns a gRPC client of import-svc for importing campaigns from workbooks.
    imports: ImportServiceClient over import;
    /// Returns a gRPC client of import-svc for exporting vehicles to files and changing vehicles from CSV files.
    files: FileServiceClient over import;
}

impl AppState {
    /// Creates the application state from the configuration, the resources of the process and the access rules.
    #[must_use]
    pub fn new(config: Config, host: &ServiceHost, rules: AccessRules) -> Self {
        let names = UserNameCache::new(UserServiceClient::new(host.channels.auth.clone()));
        let (sign_ins, offline_sign_outs) = (AddressRateLimiter::new(config.sign_in_burst), AddressRateLimiter::new(config.sign_in_burst));
        let admission = AdmissionController::new(config.max_at_once, &host.channels.vehicle);
        Self(Arc::new(AppStateInner {
            host: host.clone(),
            config,
            rules,
            names,
            sign_ins,
            offline_sign_outs,
            reports: AddressRateLimiter::new(REPORT_BURST),
            service_tokens: host.service_token_source("gateway"),
            confirmed: ConfirmedSessionCache::default(),
            streams: EventStreamLimiter::default(),
            admission,
        }))
    }

    /// Returns one gRPC client per service, which reads the audit log of the service. Each client is paired with the short name of
    /// its service, such as `auth`.
    #[must_use]
    pub fn audit_service_clients(&self) -> [(&'static str, AuditServiceClient<ServiceChannel>); 4] {
        let channels = &self.host.channels;
        [("auth", &channels.auth), ("campaign", &channels.campaign), ("vehicle", &channels.vehicle), ("import", &channels.import)]
            .map(|(name, link)| (name, AuditServiceClient::new(link.clone()).max_decoding_message_size(MAX_MESSAGE_BYTES)))
    }
}
