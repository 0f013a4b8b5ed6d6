//! The `probe` command: queries the health of a running service, or calls one of its read-only rpcs.
mod call;

use crate::tls::{Connector, ServiceTls};
use anyhow::Context;
use clap::{Args, Subcommand};
use std::{io::Write, path::PathBuf, process::ExitCode, time::Duration};
use tonic::{
    Code, Status,
    transport::{Channel, Endpoint},
};
use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient};

/// Arguments of the `probe` command.
#[derive(Debug, Args)]
pub struct ProbeOptions {
    /// Address of the service, as host:port.
    #[arg(long, env = "PATIO_LISTEN", global = true)]
    addr: Option<String>,
    /// Name of one gRPC service, such as patio.vehicle.v1.VehicleService. If absent, the whole process is probed.
    #[arg(long, default_value = "")]
    service: String,
    /// Prints the result as JSON.
    #[arg(long, global = true)]
    json: bool,
    /// Folder with tls.crt, tls.key and ca.crt for mutual TLS with the service.
    #[arg(long, env = "PATIO_SERVICE_TLS", global = true)]
    tls: Option<PathBuf>,
    /// Timeout of the probe, in seconds.
    #[arg(long, default_value_t = 2, global = true)]
    timeout: u64,
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Calls a read-only rpc by name and prints each response message as one line of JSON.
    ///
    /// Exit codes: 0 success, 1 refused by the service, 2 unreachable or timeout, 3 invalid call.
    Call(call::CallOptions),
}

/// Exit code when the service responds but is not serving, or refuses a call.
pub const NOT_SERVING: u8 = 1;
/// Exit code when the service cannot be reached or does not respond completely in time.
pub const UNREACHABLE: u8 = 2;
/// Exit code for an invalid call: wrong arguments, an unknown service or rpc, an rpc that is not read-only, or an invalid message.
pub const INVALID_CALL: u8 = 3;

/// Runs the probe and prints its result. The exit code is 0, [`NOT_SERVING`], [`UNREACHABLE`] or [`INVALID_CALL`].
#[must_use]
pub fn main(options: &ProbeOptions, default: &str) -> ExitCode {
    // A service that listens on all addresses is probed at the loopback address, which its certificate can contain.
    let address = options.addr.as_deref().unwrap_or(default).replace("0.0.0.0:", "127.0.0.1:");
    let address = address.as_str();
    match &options.action {
        None => health(options, address),
        Some(Action::Call(told)) => called(options, address, told),
    }
}

fn health(options: &ProbeOptions, address: &str) -> ExitCode {
    let asked = crate::cli::output::run(async {
        let asked = check_health(address, &options.service, options.connector(address)?);
        let status = tokio::time::timeout(Duration::from_secs(options.timeout), asked).await??;
        show(options, address, status.as_str_name())?;
        anyhow::ensure!(status == ServingStatus::Serving, Refused);
        Ok(())
    });
    match asked {
        Ok(()) => ExitCode::SUCCESS,
        Err(cause) if cause.is::<Refused>() => ExitCode::from(NOT_SERVING),
        Err(cause) if cause.downcast_ref::<Status>().is_some_and(|status| status.code() == Code::NotFound) => {
            complain(&format!("{address}: the process has no gRPC service `{}`", options.service));
            ExitCode::from(INVALID_CALL)
        }
        Err(cause) => {
            let _ = show(options, address, "UNREACHABLE");
            complain(&format!("{address}: {cause:#}"));
            ExitCode::from(UNREACHABLE)
        }
    }
}

fn called(options: &ProbeOptions, address: &str, told: &call::CallOptions) -> ExitCode {
    let patience = Duration::from_secs(options.timeout);
    let mut failure = None;
    let done = crate::cli::output::run(async {
        let channel = connect(address, options.connector(address)?);
        let called = tokio::time::timeout(patience, call::call(channel, told, patience)).await;
        let late = || call::CallFailure::Unreachable(anyhow::anyhow!("no complete response within {} s", options.timeout));
        failure = called.unwrap_or_else(|_| Err(late())).err();
        Ok(())
    });
    let failure = match done {
        Ok(()) => failure,
        Err(cause) => Some(call::CallFailure::Wrong(cause)),
    };
    let Some(failure) = failure else { return ExitCode::SUCCESS };
    complain(&format!("{address}: {failure}"));
    ExitCode::from(match failure {
        call::CallFailure::Refused(_) => NOT_SERVING,
        call::CallFailure::Unreachable(_) => UNREACHABLE,
        call::CallFailure::Wrong(_) => INVALID_CALL,
    })
}

fn complain(what: &str) {
    let _ = writeln!(std::io::stderr(), "{what}");
}

#[derive(Debug, thiserror::Error)]
#[error("the service is not serving")]
struct Refused;

impl ProbeOptions {
    fn connector(&self, address: &str) -> anyhow::Result<Option<impl Connector + use<>>> {
        let tls = self.tls.as_deref().map(ServiceTls::open).transpose()?;
        Ok(tls.map(|tls| tls.connector(host_of(address))))
    }
}

/// Returns the host of `host:port`.
pub(crate) fn host_of(address: &str) -> &str {
    address.rsplit_once(':').map_or(address, |(host, _)| host)
}

/// Connects to a service at `host:port`, over TLS when a connector is given.
async fn connect(address: &str, connector: Option<impl Connector>) -> anyhow::Result<Channel> {
    let endpoint = Endpoint::from_shared(format!("http://{address}")).context("the address is not host:port")?;
    Ok(match connector {
        Some(connector) => endpoint.connect_with_connector(connector).await?,
        None => endpoint.connect().await?,
    })
}

/// Queries the health of a service at `host:port`, over TLS when a connector is given.
///
/// # Errors
/// Returns an error when the service cannot be reached.
pub async fn check_health(address: &str, service: &str, connector: Option<impl Connector>) -> anyhow::Result<ServingStatus> {
    let channel = connect(address, connector).await?;
    let answer = HealthClient::new(channel).check(HealthCheckRequest { service: service.to_owned() }).await?;
    Ok(answer.into_inner().status())
}

fn show(options: &ProbeOptions, address: &str, status: &str) -> anyhow::Result<()> {
    let service = if options.service.is_empty() { "all" } else { &options.service };
    let line = if options.json {
        serde_json::json!({ "address": address, "service": service, "status": status }).to_string()
    } else {
        format!("{address} {service} {status}")
    };
    crate::cli::output::print(&format!("{line}\n"))
}
