//! Runs the services and the gateway in one process. A shutdown first finishes requests and background tasks, and then closes the
//! databases.
use crate::{backup_age, demo, pages};
use auth_svc::bootstrap::generate_password;
use clap::Args;
use patio_kit::{
    cli::print_to_stdout,
    config::{Settings, secret::Secret},
    db::Schema,
    lifecycle,
    server::Service,
    service_host::ServiceHost,
    telemetry,
};
use sd_notify::NotifyState;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Settings of the process that runs all services and the gateway, from command-line flags and environment variables.
#[derive(Debug, Clone, Args)]
pub struct AllServicesOptions {
    #[command(flatten)]
    gateway: gateway::Config,
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    auth: auth_svc::Config,
    #[command(flatten)]
    campaign: campaign_svc::Config,
    #[command(flatten)]
    vehicle: vehicle_svc::Config,
    #[command(flatten)]
    import: import_svc::Config,
    /// Creates demo campaigns and users.
    #[arg(long)]
    demo: bool,
}

impl AllServicesOptions {
    /// Returns the settings that all programs share.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the address (`host:port`) of the service `program`, taken from the first configured URL of the service. When `program`
    /// is `None`, returns the address of auth-svc.
    pub fn service_address(&self, program: Option<&str>) -> String {
        let urls = self.settings.service_urls();
        let (_, url) = urls.iter().find(|(name, _)| Some(*name) == program).unwrap_or(&urls[0]);
        let first = url.split(',').next().unwrap_or_default().trim();
        first.split_once("://").map_or(first, |(_, place)| place).trim_end_matches('/').to_owned()
    }

    /// Returns the settings of auth-svc.
    pub fn auth_svc_config(&self) -> &auth_svc::Config {
        &self.auth
    }

    /// Returns the settings of import-svc.
    pub fn import_svc_config(&self) -> &import_svc::Config {
        &self.import
    }

    /// Returns the settings of the gateway.
    pub fn gateway_config(&self) -> &gateway::Config {
        &self.gateway
    }
}

/// Runs all services and the gateway until SIGTERM or Ctrl-C, then finishes the requests in progress and stops.
pub async fn run_all_services(mut options: AllServicesOptions) -> anyhow::Result<()> {
    telemetry::start_telemetry(&options.settings, "patio")?;
    options.settings.check_service_secret()?;
    if options.settings.service_secret.split_values().next().is_none() {
        options.settings.service_secret = Secret::from(generate_password()?);
    }
    options.gateway.web_dir = pages::build_web_app_if_stale(&options.gateway.web_dir).await?;
    let demo = if options.demo { Some(demo::DemoSeeder::for_first_supervisor(&mut options.auth, generate_password()?)) } else { None };
    let host = ServiceHost::with_local_services(options.settings.clone()).await?;
    host.cache.check_redis_usable().await?;
    backup_age::spawn_backup_metric_publisher(&host);
    let (known, listening) = (host.clone(), Arc::new(AtomicBool::new(false)));
    let listens = listening.clone();
    let is_ready = move || listens.load(Ordering::Relaxed) && known.has_completed_key_sync() && !known.tasks.is_draining();
    telemetry::admin_server::start_admin_server(&host.settings, &host.tasks, is_ready, gateway::service_readiness_routes(host.clone()))
        .await?;
    let Some(services) = lifecycle::start_unless_shutdown_signal(&host.tasks, start(&options, &host)).await? else {
        host.tasks.stop_and_wait().await;
        return print_to_stdout("Patio has stopped.\n");
    };
    let gateway = gateway::start(options.gateway, &host).await?;
    for notice in services.iter().flat_map(|service| &service.notices) {
        print_to_stdout(&format!("{notice}\n"))?;
    }
    if let Some(demo) = demo {
        demo.seed_if_missing(&host).await?;
    }
    listening.store(true, Ordering::Relaxed);
    for notice in gateway.startup_messages() {
        print_to_stdout(&format!("{notice}\n"))?;
    }
    let url = gateway.url();
    host.tasks.spawn(async move {
        if let Err(cause) = gateway.serve_on_io_runtime().await {
            tracing::error!(%cause, "gateway failed, the process stops");
        }
    });
    print_to_stdout(&format!("Patio is ready on {url}\n"))?;
    notify_systemd(NotifyState::Ready);
    lifecycle::drain_on_shutdown_signal(&host.tasks, host.settings.shutdown_delay_seconds).await;
    print_to_stdout("Patio is shutting down: finishing open requests …\n")?;
    notify_systemd(NotifyState::Stopping);
    host.tasks.stop_and_wait().await;
    for service in services {
        service.close().await;
    }
    telemetry::trace::flush_spans().await;
    print_to_stdout("Patio has stopped.\n")
}

/// Reports the state of the process to systemd, which expects such reports from units with `Type=notify`. Does nothing without
/// systemd.
fn notify_systemd(state: NotifyState<'_>) {
    if let Err(cause) = sd_notify::notify(&[state]) {
        tracing::warn!(%cause, "failed to report the process state to systemd, systemd may kill this process");
    }
}

async fn start(options: &AllServicesOptions, host: &ServiceHost) -> anyhow::Result<Vec<Service>> {
    let auth = auth_svc::start(options.auth.clone(), host).await?;
    host.attach_local_service(&auth);
    let vehicle = vehicle_svc::start(options.vehicle.clone(), host).await?;
    host.attach_local_service(&vehicle);
    let campaign = campaign_svc::start(options.campaign.clone(), host).await?;
    host.attach_local_service(&campaign);
    let import = import_svc::start(options.import.clone(), host).await?;
    host.attach_local_service(&import);
    Ok(vec![auth, vehicle, campaign, import])
}

/// Database schemas of all services, with their migrations.
pub const DATABASE_SCHEMAS: [Schema; 4] = [auth_svc::SCHEMA, vehicle_svc::SCHEMA, campaign_svc::SCHEMA, import_svc::SCHEMA];

/// Runs the pending database migrations of all services.
pub async fn migrate_all_databases(options: AllServicesOptions) -> anyhow::Result<()> {
    telemetry::start_telemetry(&options.settings, "patio")?;
    let host = ServiceHost::with_local_services(options.settings).await?;
    for schema in DATABASE_SCHEMAS {
        host.open_database(schema).await?.close().await;
        print_to_stdout(&format!("{}: the tables are up to date\n", schema.name))?;
    }
    Ok(())
}
