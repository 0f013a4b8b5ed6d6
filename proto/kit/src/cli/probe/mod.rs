//! The `probe` command: queries the health of a running service, lists all rpcs, or calls a read-only rpc.
mod call;
mod contract;

use crate::{
    cli,
    client::replica::health_service_name,
    tls::{GrpcTlsConnector, ServiceTls},
};
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
    #[arg(long, global = true)]
    addr: Option<String>,
    /// Service whose health is checked: a program such as `vehicle-svc`, or a gRPC service such as
    /// `patio.vehicle.v1.VehicleService`. The name `all` checks the process as a whole, whichever services it runs.
    #[arg(long)]
    service: Option<String>,
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
    Call(call::ProbeCallOptions),
    /// Lists all rpcs of the contract, with the minimum role of the caller.
    List,
}

/// Exit code when the service responds but is not serving, or refuses a call.
pub const EXIT_NOT_SERVING: u8 = 1;
/// Exit code when the service cannot be reached, or sends no complete response in time.
pub const EXIT_UNREACHABLE: u8 = 2;
/// Exit code for an invalid call: wrong arguments, an unknown service or rpc, an rpc that is not read-only, or an invalid message.
pub const EXIT_INVALID_CALL: u8 = 3;

/// Default target of the `probe` command: a program, and the function that returns the address of any program.
pub struct ProbeTarget<'a> {
    /// Name of the program to probe by default, such as `vehicle-svc`. With `None`, the probe checks the health of the whole process.
    pub program: Option<&'static str>,
    /// Function that returns the address of a program as `host:port`. The argument `None` stands for the default program.
    pub address: &'a dyn Fn(Option<&str>) -> String,
}

/// Runs the probe and prints its result. The exit code is 0, [`EXIT_NOT_SERVING`], [`EXIT_UNREACHABLE`] or [`EXIT_INVALID_CALL`].
#[must_use]
pub fn run_probe(options: &ProbeOptions, target: &ProbeTarget<'_>) -> ExitCode {
    match &options.action {
        None => run_health_check(options, target),
        Some(Action::Call(call)) => run_call(options, target, call),
        Some(Action::List) => cli::report_result(&cli::print_to_stdout(&contract::format_rpc_list())),
    }
}

fn run_health_check(options: &ProbeOptions, target: &ProbeTarget<'_>) -> ExitCode {
    let service = match options.service.as_deref() {
        Some("all") => "",
        Some(named) => named,
        None => target.program.unwrap_or_default(),
    };
    let named = match health_service_name(service) {
        "" => service,
        program => program,
    };
    let address = &options.address(target, contract::find_serving_program(named));
    let show = |status: &str| show(options, address, if service.is_empty() { "all" } else { service }, status);
    let asked = cli::block_on(async {
        let asked = query_health(address, named, options.connector(address)?);
        let status = tokio::time::timeout(Duration::from_secs(options.timeout), asked).await??;
        show(status.as_str_name())?;
        anyhow::ensure!(status == ServingStatus::Serving, NotServing);
        Ok(())
    });
    match asked {
        Ok(()) => ExitCode::SUCCESS,
        Err(cause) if cause.is::<NotServing>() => ExitCode::from(EXIT_NOT_SERVING),
        Err(cause) if cause.downcast_ref::<Status>().is_some_and(|status| status.code() == Code::NotFound) => {
            print_error(&format!("{address}: the process has no gRPC service `{named}`"));
            ExitCode::from(EXIT_INVALID_CALL)
        }
        Err(cause) => {
            let _ = show("UNREACHABLE");
            print_error(&format!("{address}: {cause:#}"));
            ExitCode::from(EXIT_UNREACHABLE)
        }
    }
}

fn run_call(options: &ProbeOptions, target: &ProbeTarget<'_>, call_options: &call::ProbeCallOptions) -> ExitCode {
    let timeout = Duration::from_secs(options.timeout);
    let method = match call_options.resolve_rpc() {
        Ok(method) => method,
        Err(cause) => {
            print_error(&format!("{cause:#}"));
            return ExitCode::from(EXIT_INVALID_CALL);
        }
    };
    let address = &options.address(target, contract::find_serving_program(method.full_name()));
    let mut failure = None;
    let done = cli::block_on(async {
        let channel = connect(address, options.connector(address)?);
        let called = tokio::time::timeout(timeout, call::call_rpc(channel, call_options, &method, timeout)).await;
        let late = || call::ProbeCallFailure::Unreachable(anyhow::anyhow!("no complete response within {} s", options.timeout));
        failure = called.unwrap_or_else(|_| Err(late())).err();
        Ok(())
    });
    let failure = match done {
        Ok(()) => failure,
        Err(cause) => Some(call::ProbeCallFailure::InvalidCall(cause)),
    };
    let Some(failure) = failure else { return ExitCode::SUCCESS };
    print_error(&format!("{address}: {failure}"));
    ExitCode::from(match failure {
        call::ProbeCallFailure::Refused(_) => EXIT_NOT_SERVING,
        call::ProbeCallFailure::Unreachable(_) => EXIT_UNREACHABLE,
        call::ProbeCallFailure::InvalidCall(_) => EXIT_INVALID_CALL,
    })
}

fn print_error(what: &str) {
    let _ = writeln!(std::io::stderr(), "{what}");
}

#[derive(Debug, thiserror::Error)]
#[error("the health check returned NOT_SERVING: the service is shutting down, or its database or signing keys are unavailable")]
struct NotServing;

impl ProbeOptions {
    /// Returns the address to probe: the address given as an argument, or else the address of the program.
    fn address(&self, target: &ProbeTarget<'_>, program: Option<&str>) -> String {
        let address = self.addr.clone().unwrap_or_else(|| (target.address)(program));
        // A service that listens on all addresses is probed at the loopback address, which its certificate can contain.
        match address.split_once("0.0.0.0:") {
            Some(("", port)) => format!("127.0.0.1:{port}"),
            _ => address,
        }
    }

    fn connector(&self, address: &str) -> anyhow::Result<Option<impl GrpcTlsConnector + use<>>> {
        let tls = self.tls.as_deref().map(ServiceTls::load_from_folder).transpose()?;
        Ok(tls.map(|tls| tls.create_connector(strip_port(address))))
    }
}

/// Returns the host part of an address of the form `host:port`.
pub(crate) fn strip_port(address: &str) -> &str {
    address.rsplit_once(':').map_or(address, |(host, _)| host)
}

/// Connects to a service at `host:port`, over TLS when a connector is given.
async fn connect(address: &str, connector: Option<impl GrpcTlsConnector>) -> anyhow::Result<Channel> {
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
pub async fn query_health(address: &str, service: &str, connector: Option<impl GrpcTlsConnector>) -> anyhow::Result<ServingStatus> {
    let channel = connect(address, connector).await?;
    let answer = HealthClient::new(channel).check(HealthCheckRequest { service: service.to_owned() }).await?;
    Ok(answer.into_inner().status())
}

fn show(options: &ProbeOptions, address: &str, service: &str, status: &str) -> anyhow::Result<()> {
    let line = if options.json {
        serde_json::json!({ "address": address, "service": service, "status": status }).to_string()
    } else {
        format!("{address} {service} {status}")
    };
    cli::print_to_stdout(&format!("{line}\n"))
}
