//! Command line of a service's own binary: `serve`, `migrate`, `config`, `doctor` and `probe`.
mod arguments;
pub mod doctor;
mod output;
pub mod probe;

pub use arguments::arguments;
pub use output::{exit_code, print, run};

use crate::{
    cli::doctor::DoctorReport,
    config::{self, Settings},
    db::{Db, Schema},
    host::Host,
    lifecycle,
    server::Service,
    telemetry,
};
use anyhow::Context;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::{
    fmt::Debug,
    future::Future,
    net::SocketAddr,
    process::ExitCode,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

/// Version of the program, from its Cargo package.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Service with its own binary.
pub trait ServiceBinary {
    /// Name of the service, such as `vehicle-svc`.
    const NAME: &'static str;
    /// Default listen address of the service, as `host:port`.
    const LISTEN: &'static str;
    /// Database schema of the service.
    const SCHEMA: Schema;
    /// Settings of the service in addition to the settings that all programs share.
    type Config: Args + Debug + Clone + Send + Sync + 'static;

    /// Starts the service within a host process.
    fn start(config: Self::Config, host: &Host) -> impl Future<Output = anyhow::Result<Service>> + Send;

    /// Runs the `doctor` checks of this service that go beyond the checks of its database.
    fn examine(_config: &Self::Config, _all: &mut DoctorReport) -> impl Future<Output = anyhow::Result<()>> {
        std::future::ready(Ok(()))
    }
}

#[derive(Parser)]
struct Cli<C: Args> {
    #[command(subcommand)]
    command: Option<Command<C>>,
}

#[derive(Subcommand)]
enum Command<C: Args> {
    /// Runs the service until SIGTERM or Ctrl-C, then finishes the calls in progress.
    Serve(Options<C>),
    /// Runs the pending database migrations and exits.
    Migrate(Options<C>),
    /// Prints the effective settings, with secrets masked.
    Config(Options<C>),
    /// Checks all dependencies and says how to fix each problem. The exit code is 1 when a check fails.
    Doctor(Options<C>),
    /// Queries the health of a running service. The exit code is 0 when the service is serving.
    Probe(probe::ProbeOptions),
}

#[derive(Args)]
struct Options<C: Args> {
    /// Address to listen on, as host:port.
    #[arg(long, env = "PATIO_LISTEN")]
    listen: Option<SocketAddr>,
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    config: C,
}

/// Entry point of a service's binary: parses the command line and runs its command.
#[must_use]
pub fn main<P: ServiceBinary>() -> ExitCode {
    let command = Cli::<P::Config>::command().name(P::NAME).version(VERSION);
    let matches = arguments(command.clone());
    let cli = match Cli::<P::Config>::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(cause) => cause.exit(),
    };
    let done = match cli.command {
        Some(Command::Serve(options)) => run(serve::<P>(options)),
        Some(Command::Migrate(options)) => run(migrate::<P>(options)),
        Some(Command::Config(_)) => print_config(&command, &matches, P::LISTEN),
        Some(Command::Doctor(options)) => run(examine::<P>(options)),
        Some(Command::Probe(options)) => return probe::main(&options, P::LISTEN),
        None => print(&command.clone().render_help().to_string()),
    };
    exit_code(&done)
}

fn print_config(command: &clap::Command, matches: &ArgMatches, listen: &str) -> anyhow::Result<()> {
    let Some(("config", given)) = matches.subcommand() else { return Ok(()) };
    let Some(sub) = command.find_subcommand("config") else { return Ok(()) };
    print(&config::effective(sub, given).replace("PATIO_LISTEN=\n", &format!("PATIO_LISTEN={listen}\n")))
}

async fn migrate<P: ServiceBinary>(options: Options<P::Config>) -> anyhow::Result<()> {
    telemetry::start(&options.settings, P::NAME)?;
    options.settings.check_separate_database()?;
    let db = Db::open(P::SCHEMA, &options.settings).await?;
    db.check_connections().await?;
    db.migrate(P::SCHEMA).await?;
    db.close().await;
    print(&format!("{}: the tables are up to date\n", P::NAME))
}

async fn examine<P: ServiceBinary>(options: Options<P::Config>) -> anyhow::Result<()> {
    let (settings, mut all) = (options.settings, DoctorReport::default());
    all.report("database", doctor::database(P::SCHEMA, &settings).await)?;
    P::examine(&options.config, &mut all).await?;
    all.check_dependencies(&settings).await?;
    all.services(&settings, P::NAME).await?;
    all.finish()
}

async fn serve<P: ServiceBinary>(options: Options<P::Config>) -> anyhow::Result<()> {
    telemetry::start(&options.settings, P::NAME)?;
    options.settings.check_apart()?;
    options.settings.check_separate_database()?;
    let listen = options.listen.map_or_else(|| P::LISTEN.parse(), Ok)?;
    let listener = tokio::net::TcpListener::bind(listen).await.with_context(|| format!("cannot listen on PATIO_LISTEN={listen}"))?;
    let host = Host::remote(options.settings).await?;
    host.cache.check_access().await?;
    let well: Arc<OnceLock<Arc<AtomicBool>>> = Arc::default();
    let told = well.clone();
    let is_ready = move || told.get().is_some_and(|well| well.load(Ordering::Relaxed));
    telemetry::admin_server::serve_admin(&host.settings, &host.tasks, is_ready, axum::Router::new()).await?;
    let Some(service) = lifecycle::started(&host.tasks, P::start(options.config, &host)).await? else { return end(&host, None).await };
    let _ = well.set(service.well.clone());
    for notice in &service.notices {
        print(&format!("{notice}\n"))?;
    }
    tracing::info!(address = %listener.local_addr()?, service = P::NAME, "serving");
    let (tasks, notice) = (host.tasks.clone(), host.settings.shutdown_delay_seconds);
    service.serve(listener, async move { lifecycle::shutdown_signal(&tasks, notice).await }).await?;
    end(&host, Some(&service)).await
}

/// Waits for background tasks, then closes the database and flushes traces.
async fn end(host: &Host, service: Option<&Service>) -> anyhow::Result<()> {
    host.tasks.finish().await;
    if let Some(service) = service {
        service.close().await;
    }
    telemetry::trace::finish().await;
    Ok(())
}
