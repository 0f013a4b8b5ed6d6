//! Asking a running service how it is, over the wire.
use clap::Args;
use std::{io::Write, process::ExitCode, time::Duration};
use tonic::transport::Endpoint;
use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient};

/// What a probe is told.
#[derive(Debug, Args)]
pub struct Options {
    /// Where the service listens, as host:port.
    #[arg(long, env = "PATIO_LISTEN")]
    addr: Option<String>,
    /// One gRPC service by name, such as patio.vehicle.v1.VehicleService; the whole process when left out.
    #[arg(long, default_value = "")]
    service: String,
    /// Answers as JSON.
    #[arg(long)]
    json: bool,
    /// Gives up after so many seconds.
    #[arg(long, default_value_t = 2)]
    timeout: u64,
}

/// Exit code when the service answers and does not serve.
pub const NOT_SERVING: u8 = 1;
/// Exit code when it cannot be reached in time.
pub const UNREACHABLE: u8 = 2;

/// Probes and prints; the exit code is 0, [`NOT_SERVING`] or [`UNREACHABLE`].
#[must_use]
pub fn main(options: &Options, default: &str) -> ExitCode {
    let address = options.addr.as_deref().unwrap_or(default);
    let asked = crate::command::run(async {
        let status = tokio::time::timeout(Duration::from_secs(options.timeout), ask(address, &options.service)).await??;
        show(options, address, status.as_str_name())?;
        anyhow::ensure!(status == ServingStatus::Serving, Refused);
        Ok(())
    });
    match asked {
        Ok(()) => ExitCode::SUCCESS,
        Err(cause) if cause.is::<Refused>() => ExitCode::from(NOT_SERVING),
        Err(cause) => {
            let _ = show(options, address, "UNREACHABLE");
            let _ = writeln!(std::io::stderr(), "{address}: {cause:#}");
            ExitCode::from(UNREACHABLE)
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("not serving")]
struct Refused;

async fn ask(address: &str, service: &str) -> anyhow::Result<ServingStatus> {
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
