//! The commands of a service's own binary: `serve`, `migrate`, `config`, `doctor` and `probe`.
use crate::{
    config::{self, Settings},
    db::{Db, Schema},
    doctor::{self, Examination},
    host::Host,
    lifecycle, probe,
    server::Service,
    telemetry,
};
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::{
    fmt::Debug,
    future::Future,
    io::Write,
    net::SocketAddr,
    process::ExitCode,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

/// A service as a program of its own.
pub trait Program {
    /// Such as `vehicle-svc`.
    const NAME: &'static str;
    /// Where it listens when nothing is said.
    const LISTEN: &'static str;
    /// Its tables.
    const SCHEMA: Schema;
    /// What it is told beside the common settings.
    type Config: Args + Debug + Clone + Send + Sync + 'static;

    /// The one door.
    fn start(config: Self::Config, host: &Host) -> impl Future<Output = anyhow::Result<Service>> + Send;

    /// Tries what it alone depends on, beside its database.
    fn examine(_config: &Self::Config, _all: &mut Examination) -> impl Future<Output = anyhow::Result<()>> {
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
    /// Serves until SIGTERM or Ctrl-C, then finishes what is under way.
    Serve(Options<C>),
    /// Brings the tables up to date and ends.
    Migrate(Options<C>),
    /// Prints the effective values, secrets masked.
    Config(Options<C>),
    /// Tries everything it depends on and says what to do about what does not work; the exit code is 1 when something does not.
    Doctor(Options<C>),
    /// Asks a running service how it is; the exit code is 0 when it serves.
    Probe(probe::Options),
}

#[derive(Args)]
struct Options<C: Args> {
    /// Where it listens.
    #[arg(long, env = "PATIO_LISTEN")]
    listen: Option<SocketAddr>,
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    config: C,
}

/// Runs the program as its command line says.
#[must_use]
pub fn main<P: Program>() -> ExitCode {
    let command = Cli::<P::Config>::command().name(P::NAME);
    let matches = probe::arguments(command.clone());
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
    ended(&done)
}

/// The exit code of a program, its error told in full.
#[must_use]
pub fn ended(done: &anyhow::Result<()>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(cause) => {
            let _ = writeln!(std::io::stderr(), "error: {cause:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a program's work on all cores.
pub fn run(work: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(work)
}

/// Prints to standard output.
pub fn print(text: &str) -> anyhow::Result<()> {
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}

fn print_config(command: &clap::Command, matches: &ArgMatches, listen: &str) -> anyhow::Result<()> {
    let Some(("config", given)) = matches.subcommand() else { return Ok(()) };
    let Some(sub) = command.find_subcommand("config") else { return Ok(()) };
    print(&config::effective(sub, given).replace("PATIO_LISTEN=\n", &format!("PATIO_LISTEN={listen}\n")))
}

async fn migrate<P: Program>(options: Options<P::Config>) -> anyhow::Result<()> {
    telemetry::start(&options.settings, P::NAME)?;
    options.settings.check()?;
    let db = Db::open(P::SCHEMA, &options.settings).await?;
    db.migrate(P::SCHEMA).await?;
    db.close().await;
    print(&format!("{}: the tables are up to date\n", P::NAME))
}

async fn examine<P: Program>(options: Options<P::Config>) -> anyhow::Result<()> {
    let (settings, mut all) = (options.settings, Examination::default());
    all.tell("database", doctor::database(P::SCHEMA, &settings).await)?;
    P::examine(&options.config, &mut all).await?;
    all.outside(&settings).await?;
    all.services(&settings, P::NAME).await?;
    all.end()
}

async fn serve<P: Program>(options: Options<P::Config>) -> anyhow::Result<()> {
    telemetry::start(&options.settings, P::NAME)?;
    options.settings.check_secret()?;
    let listen = options.listen.map_or_else(|| P::LISTEN.parse(), Ok)?;
    let listener = tokio::net::TcpListener::bind(listen).await?;
    let host = Host::remote(options.settings).await?;
    let well: Arc<OnceLock<Arc<AtomicBool>>> = Arc::default();
    let told = well.clone();
    telemetry::open(&host, move || told.get().is_some_and(|well| well.load(Ordering::Relaxed))).await?;
    let Some(service) = lifecycle::started(&host.tasks, P::start(options.config, &host)).await? else { return end(&host, None).await };
    let _ = well.set(service.well.clone());
    for notice in &service.notices {
        print(&format!("{notice}\n"))?;
    }
    tracing::info!(address = %listener.local_addr()?, service = P::NAME, "serving");
    let (tasks, notice) = (host.tasks.clone(), host.settings.leave_seconds);
    service.serve(listener, async move { lifecycle::asked_to_stop(&tasks, notice).await }).await?;
    end(&host, Some(&service)).await
}

/// Waits for what is under way, and closes what was opened.
async fn end(host: &Host, service: Option<&Service>) -> anyhow::Result<()> {
    host.tasks.finish().await;
    if let Some(service) = service {
        service.close().await;
    }
    telemetry::trace::finish().await;
    Ok(())
}
