//! The gateway as a program of its own: `serve`, `config`, `doctor`, `probe` and `openapi`.
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use gateway::{Config, openapi};
use patio_kit::{
    command,
    config::{self, Settings},
    doctor::Examination,
    host::Host,
    lifecycle,
    probe::{self, NOT_SERVING, UNREACHABLE},
    telemetry,
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
#[command(name = "gateway")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serves until SIGTERM or Ctrl-C, then finishes what is under way.
    Serve(Options),
    /// Prints the effective values, secrets masked.
    Config(Options),
    /// Tries everything it depends on and says what to do about what does not work; the exit code is 1 when something does not.
    Doctor(Options),
    /// Asks a running gateway whether it is ready; the exit code is 0 when it is, 1 when not, 2 when it cannot be reached,
    /// 3 when it cannot be asked so.
    Probe(Probe),
    /// Prints the API's document.
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
    /// Where the gateway listens, as host:port.
    #[arg(long, env = "PATIO_LISTEN", default_value = "127.0.0.1:8080")]
    addr: String,
    /// Answers as JSON.
    #[arg(long)]
    json: bool,
    /// Gives up after so many seconds.
    #[arg(long, default_value_t = 3)]
    timeout: u64,
}

fn main() -> ExitCode {
    let command = Cli::command();
    let matches = probe::arguments(command.clone());
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(cause) => cause.exit(),
    };
    let done = match cli.command {
        Command::Serve(options) => command::run(serve(options)),
        Command::Config(_) => match (command.find_subcommand("config"), matches.subcommand()) {
            (Some(sub), Some((_, given))) => command::print(&config::effective(sub, given)),
            _ => Ok(()),
        },
        Command::Doctor(options) => command::run(examine(options)),
        Command::Openapi => openapi::text().and_then(|text| command::print(&text)),
        Command::Probe(probe) => return probed(&probe),
    };
    command::ended(&done)
}

async fn examine(options: Options) -> anyhow::Result<()> {
    let mut all = Examination::default();
    all.outside(&options.settings).await?;
    all.services(&options.settings, "gateway").await?;
    all.end()
}

async fn serve(options: Options) -> anyhow::Result<()> {
    telemetry::start(&options.settings, "gateway")?;
    let host = Host::remote(options.settings).await?;
    let gateway = gateway::start(options.config, &host).await?;
    let known = host.clone();
    telemetry::open(&host, move || known.knows_keys() && !known.tasks.is_leaving()).await?;
    for notice in gateway.notices() {
        command::print(&format!("{notice}\n"))?;
    }
    tracing::info!(url = %gateway.url(), service = "gateway", "serving");
    let tasks = host.tasks.clone();
    let notice = host.settings.leave_seconds;
    host.tasks.spawn(async move {
        tokio::select! {
            () = lifecycle::asked_to_stop(&tasks, notice) => tasks.stop(),
            () = tasks.stopped() => {}
        }
    });
    gateway.serve().await?;
    host.tasks.finish().await;
    telemetry::trace::finish().await;
    Ok(())
}

fn probed(probe: &Probe) -> ExitCode {
    let asked = command::run(async {
        let ready = timeout(Duration::from_secs(probe.timeout), ask(&probe.addr)).await??;
        show(probe, if ready { "SERVING" } else { "NOT_SERVING" })?;
        anyhow::ensure!(ready, NotReady);
        Ok(())
    });
    match asked {
        Ok(()) => ExitCode::SUCCESS,
        Err(cause) if cause.is::<NotReady>() => ExitCode::from(NOT_SERVING),
        Err(cause) => {
            let _ = show(probe, "UNREACHABLE");
            let _ = writeln!(std::io::stderr(), "{}: {cause:#}", probe.addr);
            ExitCode::from(UNREACHABLE)
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("not ready")]
struct NotReady;

/// Whether `/readyz` answers 200.
async fn ask(address: &str) -> anyhow::Result<bool> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(format!("GET /readyz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    anyhow::ensure!(answer.starts_with(b"HTTP/1.1 "), "it does not speak HTTP");
    Ok(answer.starts_with(b"HTTP/1.1 200 "))
}

fn show(probe: &Probe, status: &str) -> anyhow::Result<()> {
    let line = if probe.json {
        serde_json::json!({ "address": probe.addr, "service": "gateway", "status": status }).to_string()
    } else {
        format!("{} gateway {status}", probe.addr)
    };
    command::print(&format!("{line}\n"))
}
