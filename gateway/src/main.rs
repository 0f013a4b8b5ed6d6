//! Command line of the standalone gateway: `serve`, `config`, `doctor`, `probe` and `openapi`.
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use gateway::{Config, openapi};
use patio_kit::{
    cli::{
        self,
        doctor::{self, DoctorOptions, DoctorReport},
        probe::{EXIT_NOT_SERVING, EXIT_UNREACHABLE},
    },
    config::{self, Settings},
    lifecycle,
    service_host::ServiceHost,
    telemetry,
    version::VERSION,
};
use std::{io::Write, process::ExitCode, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
#[command(name = "gateway", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serves requests until SIGTERM or Ctrl-C, then finishes the requests in progress.
    Serve(Options),
    /// Prints the effective settings, with secrets masked.
    Config(Options),
    /// Checks every dependency of the gateway and prints how to fix each failing dependency; the exit code is 1 when a check fails.
    Doctor {
        #[command(flatten)]
        doctor: DoctorOptions,
        #[command(flatten)]
        options: Options,
    },
    /// Checks whether a running gateway is ready. The exit code is 0 when ready, 1 when not ready, 2 when unreachable, and 3
    /// when the arguments are invalid.
    Probe(Probe),
    /// Prints the OpenAPI document of the REST API as JSON.
    Openapi,
}

#[derive(Args)]
struct Options {
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    config: Config,
}

#[derive(Args)]
struct Probe {
    /// Address of the gateway's admin port, as host:port.
    #[arg(long, env = "PATIO_METRICS_LISTEN", default_value = "127.0.0.1:9090")]
    addr: String,
    /// Prints the result as JSON.
    #[arg(long)]
    json: bool,
    /// Timeout of the probe, in seconds.
    #[arg(long, default_value_t = 3)]
    timeout: u64,
}

fn main() -> ExitCode {
    let command = Cli::command();
    let matches = cli::parse_arguments(command.clone());
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(cause) => cause.exit(),
    };
    let done = match cli.command {
        Command::Serve(options) => cli::block_on(serve(options)),
        Command::Config(_) => match (command.find_subcommand("config"), matches.subcommand()) {
            (Some(sub), Some((_, given))) => cli::print_to_stdout(&config::format_effective_settings(sub, given)),
            _ => Ok(()),
        },
        Command::Doctor { doctor, options } => cli::block_on(async move {
            doctor::run_checks(&doctor, async |report: &mut DoctorReport| run_doctor_checks(&options, report).await).await
        }),
        Command::Openapi => openapi::render_document_json().and_then(|text| cli::print_to_stdout(&text)),
        Command::Probe(probe) => return probed(&probe),
    };
    cli::report_result(&done)
}

async fn run_doctor_checks(options: &Options, all: &mut DoctorReport) -> anyhow::Result<()> {
    all.record_settings_check(options.settings.require_service_secret())?;
    gateway::doctor::run_doctor_checks(&options.config, all).await?;
    all.check_trace_collector(&options.settings).await?;
    if all.is_preinstall() { Ok(()) } else { all.check_services(&options.settings, "gateway").await }
}

async fn serve(options: Options) -> anyhow::Result<()> {
    telemetry::start_telemetry(&options.settings, "gateway")?;
    options.settings.require_service_secret()?;
    let host = ServiceHost::with_remote_services(options.settings).await?;
    let gateway = gateway::start(options.config, &host).await?;
    let known = host.clone();
    let is_ready = move || known.has_completed_key_sync() && !known.tasks.is_draining();
    telemetry::admin_server::start_admin_server(&host.settings, &host.tasks, is_ready, gateway::service_readiness_routes(host.clone()))
        .await?;
    for notice in gateway.startup_messages() {
        cli::print_to_stdout(&format!("{notice}\n"))?;
    }
    tracing::info!(url = %gateway.url(), service = "gateway", version = VERSION, "ready, serving requests");
    let tasks = host.tasks.clone();
    let notice = host.settings.shutdown_delay_seconds;
    host.tasks.spawn(async move {
        tokio::select! {
            () = lifecycle::drain_on_shutdown_signal(&tasks, notice) => tasks.stop(),
            () = tasks.wait_until_stopping() => {}
        }
    });
    gateway.serve().await?;
    host.tasks.stop_and_wait().await;
    telemetry::trace::flush_spans().await;
    Ok(())
}

fn probed(probe: &Probe) -> ExitCode {
    let asked = cli::block_on(async {
        let ready = timeout(Duration::from_secs(probe.timeout), is_ready(&probe.addr)).await??;
        show(probe, if ready { "SERVING" } else { "NOT_SERVING" })?;
        anyhow::ensure!(ready, NotReady);
        Ok(())
    });
    match asked {
        Ok(()) => ExitCode::SUCCESS,
        Err(cause) if cause.is::<NotReady>() => ExitCode::from(EXIT_NOT_SERVING),
        Err(cause) => {
            let _ = show(probe, "UNREACHABLE");
            let _ = writeln!(std::io::stderr(), "{}: {cause:#}", probe.addr);
            ExitCode::from(EXIT_UNREACHABLE)
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the gateway is not ready: /readyz did not respond with status 200")]
struct NotReady;

/// Returns `true` if `/readyz` at the address responds with status 200. Returns an error when the address is unreachable.
async fn is_ready(address: &str) -> anyhow::Result<bool> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(format!("GET /readyz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    anyhow::ensure!(answer.starts_with(b"HTTP/1.1 "), "the response is not HTTP");
    Ok(answer.starts_with(b"HTTP/1.1 200 "))
}

fn show(probe: &Probe, status: &str) -> anyhow::Result<()> {
    let line = if probe.json {
        serde_json::json!({ "address": probe.addr, "service": "gateway", "status": status }).to_string()
    } else {
        format!("{} gateway {status}", probe.addr)
    };
    cli::print_to_stdout(&format!("{line}\n"))
}
