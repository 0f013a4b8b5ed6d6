//! Command line of the binary of a single service, with the commands `serve`, `migrate`, `config`, `doctor` and `probe`.
mod arguments;
pub mod doctor;
mod output;
pub mod probe;
pub mod session_file;

pub use arguments::parse_arguments;
pub use output::{block_on, print_to_stdout, report_result};

pub use crate::version::VERSION;

use crate::{
    cli::doctor::{DoctorOptions, DoctorReport, RunbookSection, check_port},
    config::{self, Settings},
    db::{Db, Schema},
    lifecycle,
    server::Service,
    service_host::ServiceHost,
    telemetry,
};
use anyhow::Context;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::{
    net::SocketAddr,
    process::ExitCode,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

/// Description of the binary of a single service: name, default listen address and database schema.
#[derive(Clone, Copy)]
pub struct ServiceBinary {
    /// Name of the service, such as `vehicle-svc`.
    pub name: &'static str,
    /// Default listen address of the service, as `host:port`.
    pub listen: &'static str,
    /// Database schema of the service.
    pub schema: Schema,
}

/// Does nothing. Passed to [`run_service_binary`] by a service that has no `doctor` checks of its own.
///
/// # Errors
/// Never returns an error.
pub async fn no_extra_doctor_checks<C>(_settings: &Settings, _config: &C, _all: &mut DoctorReport) -> anyhow::Result<()> {
    Ok(())
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
    Doctor {
        #[command(flatten)]
        doctor: DoctorOptions,
        #[command(flatten)]
        options: Options<C>,
    },
    /// Queries the health of a running service. The exit code is 0 when the service is serving.
    Probe(ServiceProbe),
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

/// Arguments of a service's own `probe` command. The default address of the probe is the listen address of the service.
#[derive(Args)]
struct ServiceProbe {
    #[arg(long, env = "PATIO_LISTEN", hide = true)]
    listen: Option<String>,
    #[command(flatten)]
    options: probe::ProbeOptions,
}

/// Entry point of a service's binary: parses the command line and runs its command.
///
/// `start` starts the service with the service's own settings and the dependencies of the process. `run_doctor_checks` runs the `doctor`
/// checks that only this service has.
#[must_use]
pub fn run_service_binary<C: Args>(
    binary: ServiceBinary,
    start: impl AsyncFnOnce(C, &ServiceHost) -> anyhow::Result<Service>,
    run_doctor_checks: impl AsyncFn(&Settings, &C, &mut DoctorReport) -> anyhow::Result<()>,
) -> ExitCode {
    let command = Cli::<C>::command().name(binary.name).version(VERSION);
    let matches = parse_arguments(command.clone());
    let cli = match Cli::<C>::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(cause) => cause.exit(),
    };
    let done = match cli.command {
        Some(Command::Serve(options)) => block_on(serve(binary, options, start)),
        Some(Command::Migrate(options)) => block_on(migrate(binary, &options.settings)),
        Some(Command::Config(_)) => print_config(&command, &matches, binary.listen),
        Some(Command::Doctor { doctor, options }) => block_on(async move {
            doctor::run_checks(&doctor, async |report: &mut DoctorReport| check(binary, &options, &run_doctor_checks, report).await).await
        }),
        Some(Command::Probe(ServiceProbe { listen, options })) => {
            let address = |_: Option<&str>| listen.clone().unwrap_or_else(|| binary.listen.to_owned());
            return probe::run_probe(&options, &probe::ProbeTarget { program: Some(binary.name), address: &address });
        }
        None => print_to_stdout(&command.clone().render_help().to_string()),
    };
    report_result(&done)
}

fn print_config(command: &clap::Command, matches: &ArgMatches, listen: &str) -> anyhow::Result<()> {
    let Some(("config", given)) = matches.subcommand() else { return Ok(()) };
    let Some(sub) = command.find_subcommand("config") else { return Ok(()) };
    print_to_stdout(&config::format_effective_settings(sub, given).replace("PATIO_LISTEN=\n", &format!("PATIO_LISTEN={listen}\n")))
}

async fn migrate(binary: ServiceBinary, settings: &Settings) -> anyhow::Result<()> {
    telemetry::start_telemetry(settings, binary.name)?;
    settings.require_database_url()?;
    let db = Db::open(binary.schema, settings).await?;
    db.reject_unsupported_pooler().await?;
    db.migrate(binary.schema).await?;
    db.close().await;
    print_to_stdout(&format!("{}: the tables are up to date\n", binary.name))
}

async fn check<C: Args>(
    binary: ServiceBinary,
    options: &Options<C>,
    run_doctor_checks: &impl AsyncFn(&Settings, &C, &mut DoctorReport) -> anyhow::Result<()>,
    all: &mut DoctorReport,
) -> anyhow::Result<()> {
    let settings = &options.settings;
    all.record_settings_check(settings.require_service_secret().and_then(|()| settings.require_database_url()))?;
    let limit = all.check_database("database", binary.schema, settings).await?;
    all.check_connection_limit(limit, settings, binary.name).await?;
    run_doctor_checks(settings, &options.config, all).await?;
    all.check_redis_and_trace_collector(settings).await?;
    if !all.is_preinstall() {
        return all.check_services(settings, binary.name).await;
    }
    let listen = options.listen.map_or_else(|| binary.listen.parse(), Ok)?;
    all.record_check("port", RunbookSection::Ports, check_port(listen, true).await)
}

async fn serve<C: Args>(
    binary: ServiceBinary,
    options: Options<C>,
    start: impl AsyncFnOnce(C, &ServiceHost) -> anyhow::Result<Service>,
) -> anyhow::Result<()> {
    telemetry::start_telemetry(&options.settings, binary.name)?;
    options.settings.require_service_secret()?;
    options.settings.require_database_url()?;
    let listen = options.listen.map_or_else(|| binary.listen.parse(), Ok)?;
    let listener = tokio::net::TcpListener::bind(listen).await.with_context(|| format!("cannot listen on PATIO_LISTEN={listen}"))?;
    let host = ServiceHost::with_remote_services(options.settings).await?;
    host.cache.check_redis_usable().await?;
    let healthy: Arc<OnceLock<Arc<AtomicBool>>> = Arc::default();
    let known = healthy.clone();
    let is_ready = move || known.get().is_some_and(|healthy| healthy.load(Ordering::Relaxed));
    telemetry::admin_server::start_admin_server(&host.settings, &host.tasks, is_ready, axum::Router::new()).await?;
    let Some(service) = lifecycle::start_unless_shutdown_signal(&host.tasks, start(options.config, &host)).await? else {
        return end(&host, None).await;
    };
    let _ = healthy.set(service.healthy.clone());
    for notice in &service.notices {
        print_to_stdout(&format!("{notice}\n"))?;
    }
    tracing::info!(address = %listener.local_addr()?, service = binary.name, version = VERSION, "ready, serving calls");
    let (tasks, notice) = (host.tasks.clone(), host.settings.shutdown_delay_seconds);
    service.serve(listener, async move { lifecycle::drain_on_shutdown_signal(&tasks, notice).await }).await?;
    end(&host, Some(&service)).await
}

/// Stops the background tasks and waits for them, then closes the database of the service and flushes traces.
async fn end(host: &ServiceHost, service: Option<&Service>) -> anyhow::Result<()> {
    host.tasks.stop_and_wait().await;
    if let Some(service) = service {
        service.close().await;
    }
    telemetry::trace::flush_spans().await;
    Ok(())
}
