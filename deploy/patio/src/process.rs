//! Starting everything in the right order, and ending it in the reverse one.
use crate::{demo, pages};
use clap::Args;
use patio_kit::{
    command::{Program, print},
    config::Settings,
    db::Schema,
    host::Host,
    lifecycle,
    secret::Secret,
    server::Service,
    telemetry,
};
use ring::rand::{SecureRandom, SystemRandom};

/// What the one process is told.
#[derive(Debug, Clone, Args)]
pub struct Options {
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    gateway: gateway::Config,
    #[command(flatten)]
    auth: auth_svc::Config,
    #[command(flatten)]
    campaign: campaign_svc::Config,
    #[command(flatten)]
    vehicle: vehicle_svc::Config,
    #[command(flatten)]
    import: import_svc::Config,
    /// Fills in demo campaigns and people.
    #[arg(long)]
    demo: bool,
}

impl Options {
    /// What all programs have in common.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What import-svc is told.
    pub fn import(&self) -> &import_svc::Config {
        &self.import
    }

    /// What the gateway is told.
    pub fn gateway(&self) -> &gateway::Config {
        &self.gateway
    }
}

/// Serves until SIGTERM or Ctrl-C, then finishes what is under way.
pub async fn serve(mut options: Options) -> anyhow::Result<()> {
    telemetry::start(&options.settings, "patio")?;
    options.settings.check_secret()?;
    if options.settings.service_secret.values().next().is_none() {
        options.settings.service_secret = Secret::from(chance()?);
    }
    options.gateway.web_dir = pages::built(&options.gateway.web_dir).await?;
    let demo = if options.demo { Some(demo::Demo::prepare(&mut options.auth, chance()?)) } else { None };
    let host = Host::local(options.settings.clone()).await?;
    let known = host.clone();
    telemetry::open(&host, move || known.knows_keys() && !known.tasks.is_leaving()).await?;
    let Some(services) = lifecycle::started(&host.tasks, start(&options, &host)).await? else {
        host.tasks.finish().await;
        return print("Patio has ended.\n");
    };
    let gateway = gateway::start(options.gateway, &host).await?;
    for notice in services.iter().flat_map(|service| &service.notices) {
        print(&format!("{notice}\n"))?;
    }
    if let Some(demo) = demo {
        demo.fill(&host).await?;
    }
    for notice in gateway.notices() {
        print(&format!("{notice}\n"))?;
    }
    let url = gateway.url();
    host.tasks.spawn(async move {
        if let Err(cause) = gateway.serve_beside().await {
            tracing::error!(%cause, "the gateway failed");
        }
    });
    print(&format!("Patio is ready on {url}\n"))?;
    lifecycle::asked_to_stop(&host.tasks, host.settings.leave_seconds).await;
    print("Patio finishes what is under way …\n")?;
    host.tasks.finish().await;
    for service in services {
        service.close().await;
    }
    telemetry::trace::finish().await;
    print("Patio has ended.\n")
}

async fn start(options: &Options, host: &Host) -> anyhow::Result<Vec<Service>> {
    let auth = auth_svc::start(options.auth.clone(), host).await?;
    host.attach(&auth);
    let vehicle = vehicle_svc::start(options.vehicle.clone(), host).await?;
    host.attach(&vehicle);
    let campaign = campaign_svc::start(options.campaign.clone(), host).await?;
    host.attach(&campaign);
    let import = import_svc::start(options.import.clone(), host).await?;
    host.attach(&import);
    Ok(vec![auth, vehicle, campaign, import])
}

/// The tables of all services.
pub const SCHEMAS: [Schema; 4] =
    [auth_svc::Auth::SCHEMA, vehicle_svc::Vehicles::SCHEMA, campaign_svc::Campaigns::SCHEMA, import_svc::Imports::SCHEMA];

/// Brings the tables of all services up to date.
pub async fn migrate(options: Options) -> anyhow::Result<()> {
    telemetry::start(&options.settings, "patio")?;
    let host = Host::local(options.settings).await?;
    for schema in SCHEMAS {
        host.database(schema).await?.close().await;
        print(&format!("{}: the tables are up to date\n", schema.name))?;
    }
    Ok(())
}

/// 24 characters that nobody can guess.
fn chance() -> anyhow::Result<String> {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut bytes = [0; 24];
    SystemRandom::new().fill(&mut bytes).map_err(|_| anyhow::anyhow!("this machine gives no random numbers"))?;
    Ok(bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect())
}
