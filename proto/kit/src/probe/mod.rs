//! Asking a running service over the wire how it is, or anything that changes nothing.
mod call;

use clap::{Args, Subcommand};
use std::{io::Write, process::ExitCode, time::Duration};
use tonic::{Code, Status, transport::Endpoint};
use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient};

/// What a probe is told.
#[derive(Debug, Args)]
pub struct Options {
    /// Where the service listens, as host:port.
    #[arg(long, env = "PATIO_LISTEN", global = true)]
    addr: Option<String>,
    /// One gRPC service by name, such as patio.vehicle.v1.VehicleService; the whole process when left out.
    #[arg(long, default_value = "")]
    service: String,
    /// Answers as JSON.
    #[arg(long, global = true)]
    json: bool,
    /// Gives up after so many seconds.
    #[arg(long, default_value_t = 2, global = true)]
    timeout: u64,
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Calls a read-only rpc by name and prints what it answers as JSON, a line each.
    ///
    /// Exit codes: 0 answered, 1 refused by the service, 2 cannot be reached, 3 cannot be asked so.
    Call(call::Options),
}

/// Exit code when the service answers and does not serve, or refuses a call.
pub const NOT_SERVING: u8 = 1;
/// Exit code when it cannot be reached, or gives no whole answer in time.
pub const UNREACHABLE: u8 = 2;
/// Exit code when what is asked makes no sense: arguments that do not fit, no such service or rpc, one that changes
/// something, a message that does not fit.
pub const WRONG: u8 = 3;

/// Reads a command line; what does not fit ends the program, with [`WRONG`] where it was to probe.
#[must_use]
pub fn arguments(command: clap::Command) -> clap::ArgMatches {
    command.try_get_matches().unwrap_or_else(|cause| {
        if cause.use_stderr() && std::env::args_os().nth(1).is_some_and(|first| first == "probe") {
            let _ = cause.print();
            std::process::exit(WRONG.into());
        }
        cause.exit()
    })
}

/// Probes and prints; the exit code is 0, [`NOT_SERVING`], [`UNREACHABLE`] or [`WRONG`].
#[must_use]
pub fn main(options: &Options, default: &str) -> ExitCode {
    let address = options.addr.as_deref().unwrap_or(default);
    match &options.action {
        None => health(options, address),
        Some(Action::Call(told)) => called(options, address, told),
    }
}

fn health(options: &Options, address: &str) -> ExitCode {
    let asked = crate::command::run(async {
        let status = tokio::time::timeout(Duration::from_secs(options.timeout), ask(address, &options.service)).await??;
        show(options, address, status.as_str_name())?;
        anyhow::ensure!(status == ServingStatus::Serving, Refused);
        Ok(())
    });
    match asked {
        Ok(()) => ExitCode::SUCCESS,
        Err(cause) if cause.is::<Refused>() => ExitCode::from(NOT_SERVING),
        Err(cause) if cause.downcast_ref::<Status>().is_some_and(|status| status.code() == Code::NotFound) => {
            complain(&format!("{address}: there is no service `{}` here", options.service));
            ExitCode::from(WRONG)
        }
        Err(cause) => {
            let _ = show(options, address, "UNREACHABLE");
            complain(&format!("{address}: {cause:#}"));
            ExitCode::from(UNREACHABLE)
        }
    }
}

fn called(options: &Options, address: &str, told: &call::Options) -> ExitCode {
    let patience = Duration::from_secs(options.timeout);
    let mut failure = None;
    let done = crate::command::run(async {
        let called = tokio::time::timeout(patience, call::call(address, told, patience)).await;
        let late = || call::Failure::Unreachable(anyhow::anyhow!("no whole answer within {} s", options.timeout));
        failure = called.unwrap_or_else(|_| Err(late())).err();
        Ok(())
    });
    let failure = match done {
        Ok(()) => failure,
        Err(cause) => Some(call::Failure::Wrong(cause)),
    };
    let Some(failure) = failure else { return ExitCode::SUCCESS };
    complain(&format!("{address}: {failure}"));
    ExitCode::from(match failure {
        call::Failure::Refused(_) => NOT_SERVING,
        call::Failure::Unreachable(_) => UNREACHABLE,
        call::Failure::Wrong(_) => WRONG,
    })
}

fn complain(what: &str) {
    let _ = writeln!(std::io::stderr(), "{what}");
}

#[derive(Debug, thiserror::Error)]
#[error("not serving")]
struct Refused;

/// How a service says it is.
///
/// # Errors
/// When it cannot be reached.
pub async fn ask(address: &str, service: &str) -> anyhow::Result<ServingStatus> {
    let channel = Endpoint::from_shared(format!("http://{address}"))?.connect().await?;
    let answer = HealthClient::new(channel).check(HealthCheckRequest { service: service.to_owned() }).await?;
    Ok(answer.into_inner().status())
}

fn show(options: &Options, address: &str, status: &str) -> anyhow::Result<()> {
    let service = if options.service.is_empty() { "all" } else { &options.service };
    let line = if options.json {
        serde_json::json!({ "address": address, "service": service, "status": status }).to_string()
    } else {
        format!("{address} {service} {status}")
    };
    crate::command::print(&format!("{line}\n"))
}
