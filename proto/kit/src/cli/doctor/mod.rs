//! The `doctor` command: checks all dependencies of a program and prints how to fix each problem.
mod database;
mod files;
mod report;
mod section;

pub use files::check_port;
pub use report::{CheckResult, DoctorOptions, DoctorReport, run_checks};
pub use section::RunbookSection;

use crate::{
    cache::Cache,
    cli::probe::{self, strip_port},
    client::replica::{health_service_name, wrong_service_message},
    config::{MIN_SERVICE_SECRET_LEN, Settings},
    errors,
    service_host::ServiceHost,
    telemetry::otlp,
    tls::ServiceTls,
};
use anyhow::Context;
use http::Uri;
use std::{net::SocketAddr, time::Duration};
use tokio::{net::lookup_host, time::timeout};
use tonic::{Code, Status};
use tonic_health::pb::health_check_response::ServingStatus;

/// Timeout of one `doctor` check.
const CHECK_TIMEOUT: Duration = Duration::from_secs(3);

impl DoctorReport {
    /// Checks the Redis server and the trace collector that the settings name.
    ///
    /// # Errors
    /// Returns an error when standard output cannot be written.
    pub async fn check_redis_and_trace_collector(&mut self, settings: &Settings) -> anyhow::Result<()> {
        self.record_check("cache", RunbookSection::Redis, cache(settings, self.is_preinstall()).await)?;
        self.check_trace_collector(settings).await
    }

    /// Checks the trace collector that the settings name.
    ///
    /// # Errors
    /// Returns an error when standard output cannot be written.
    pub async fn check_trace_collector(&mut self, settings: &Settings) -> anyhow::Result<()> {
        self.record_check("traces", RunbookSection::Traces, collector(settings).await)
    }

    /// Checks that all replicas of the other services are healthy, and that auth-svc accepts the service secret. The check of replicas
    /// leaves out the program `own`, which runs the check.
    ///
    /// # Errors
    /// Returns an error when standard output cannot be written.
    pub async fn check_services(&mut self, settings: &Settings, own: &str) -> anyhow::Result<()> {
        let tls = match settings.service_tls.as_deref().map(ServiceTls::load_from_folder).transpose() {
            Ok(tls) => tls,
            Err(cause) => {
                return self.record_check(
                    "service TLS",
                    RunbookSection::ServiceTls,
                    CheckResult::Failed(errors::format_error_chain(&cause), "put tls.crt, tls.key and ca.crt there"),
                );
            }
        };
        for (name, urls) in settings.service_urls().into_iter().filter(|(name, _)| *name != own) {
            for url in urls.split(',') {
                for found in replicas(name, url.trim(), tls.as_ref()).await {
                    self.record_check(name, RunbookSection::Services, found)?;
                }
            }
        }
        self.record_check("service secret", RunbookSection::Secrets, secret(settings).await)
    }
}

fn silent() -> CheckResult {
    CheckResult::Failed(format!("no answer within {} s", CHECK_TIMEOUT.as_secs()), "the server hangs, or a firewall drops the packets")
}

async fn cache(settings: &Settings, is_preinstall: bool) -> CheckResult {
    if settings.redis_url.is_none() {
        return CheckResult::Passed("in the memory of this process; several processes need PATIO_REDIS_URL".to_owned());
    }
    match Cache::from_settings(settings) {
        Ok(cache) => match if is_preinstall { cache.find_redis_fault_without_writing().await } else { cache.find_redis_fault().await } {
            Some(fault) => CheckResult::Failed(
                format!("Redis {fault}"),
                "start Redis, set PATIO_REDIS_URL to its primary, give it memory, or check PATIO_REDIS_CA_FILE; until then the database \
                 takes over, more slowly",
            ),
            None => match cache.find_unsafe_redis_settings().await {
                none if none.is_empty() && is_preinstall => CheckResult::Passed("Redis answers and is no replica".to_owned()),
                none if none.is_empty() => CheckResult::Passed("Redis answers and accepts writes".to_owned()),
                some => CheckResult::Warning(format!("Redis answers, but {}", some.join(" and "))),
            },
        },
        Err(cause) => CheckResult::Failed(
            errors::format_error_chain(&cause),
            "check PATIO_REDIS_URL: redis://:password@host:port/number, rediss:// over TLS",
        ),
    }
}

async fn collector(settings: &Settings) -> CheckResult {
    let Some(url) = &settings.otlp_url else { return CheckResult::Passed("off; PATIO_OTLP_ENDPOINT names a trace collector".to_owned()) };
    match timeout(CHECK_TIMEOUT, otlp::check_collector_connection(settings)).await {
        Ok(Ok(())) => CheckResult::Passed(format!("{url} accepts traces")),
        Ok(Err(cause)) => CheckResult::Failed(
            format!("{url}: {}", errors::format_error_chain(&cause)),
            "start the collector, or correct PATIO_OTLP_ENDPOINT, PATIO_OTLP_HEADERS or PATIO_OTLP_CA_FILE; traces are optional",
        ),
        Err(_) => silent(),
    }
}

/// Returns the host and port of a URL as `host:port`.
fn place(url: &str) -> anyhow::Result<String> {
    let uri: Uri = url.parse().with_context(|| format!("`{url}` is not a URL"))?;
    let (host, port) = (uri.host().context("the URL has no host")?, uri.port_u16().context("the URL has no port")?);
    Ok(format!("{host}:{port}"))
}

/// Checks the health of every service replica that the host name of a URL resolves to.
async fn replicas(service: &str, url: &str, tls: Option<&ServiceTls>) -> Vec<CheckResult> {
    const UNREACHABLE_HINT: &str = "start the service, or correct its PATIO_…_URL";
    let looked_up = async { anyhow::Ok(lookup_host(place(url)?).await.with_context(|| url.to_owned())?.collect::<Vec<_>>()) };
    match timeout(CHECK_TIMEOUT, looked_up).await {
        Ok(Ok(addresses)) if addresses.is_empty() => {
            vec![CheckResult::Failed(format!("{url}: the host name has no address"), UNREACHABLE_HINT)]
        }
        Ok(Ok(addresses)) => {
            let named = place(url).unwrap_or_default();
            futures::future::join_all(addresses.into_iter().map(|address| replica(service, address, &named, tls))).await
        }
        Ok(Err(cause)) => vec![CheckResult::Failed(errors::format_error_chain(&cause), UNREACHABLE_HINT)],
        Err(_) => vec![CheckResult::Failed(format!("{url}: DNS timeout"), "check the DNS servers of this machine")],
    }
}

async fn replica(service: &str, address: SocketAddr, named: &str, tls: Option<&ServiceTls>) -> CheckResult {
    match timeout(
        CHECK_TIMEOUT,
        probe::query_health(&address.to_string(), health_service_name(service), tls.map(|tls| tls.create_connector(strip_port(named)))),
    )
    .await
    {
        Ok(Ok(ServingStatus::Serving)) => CheckResult::Passed(format!("{address} serves")),
        Ok(Ok(_)) => {
            CheckResult::Failed(format!("{address} is not serving"), "read its log: it waits for its database or the keys of auth-svc")
        }
        Ok(Err(cause)) if cause.downcast_ref::<Status>().is_some_and(|status| status.code() == Code::NotFound) => {
            CheckResult::Failed(format!("{address}: {}", wrong_service_message(service)), "each PATIO_…_URL must name its own service")
        }
        Ok(Err(cause)) => CheckResult::Failed(
            format!("{address}: {}", errors::format_error_chain(&cause)),
            "start the service, or correct its PATIO_…_URL",
        ),
        Err(_) => CheckResult::Failed(format!("{address}: no answer"), "the server hangs, or a firewall drops the packets"),
    }
}

async fn secret(settings: &Settings) -> CheckResult {
    let lengths: Vec<usize> = settings.service_secret.split_values().map(str::len).collect();
    if lengths.is_empty() {
        return CheckResult::Failed("not set".to_owned(), "set PATIO_SERVICE_SECRET to the same value for all services");
    }
    if lengths.iter().any(|length| *length < MIN_SERVICE_SECRET_LEN) {
        return CheckResult::Failed(
            "a value is shorter than 16 characters".to_owned(),
            "generate one with `openssl rand -hex 16`; services do not start with a shorter one",
        );
    }
    match timeout(CHECK_TIMEOUT, shown(settings)).await {
        Ok(Err(refused)) if refused.code() == Code::PermissionDenied => {
            return CheckResult::Failed("auth-svc rejects it".to_owned(), "set PATIO_SERVICE_SECRET to the same value for all services");
        }
        Ok(Ok(())) => {}
        _ => return CheckResult::Warning("set, but auth-svc could not be reached to verify it".to_owned()),
    }
    if lengths.len() > 1 {
        return CheckResult::Warning(format!(
            "accepted; {} values are accepted; remove the old ones once all services have the first",
            lengths.len()
        ));
    }
    CheckResult::Passed("accepted".to_owned())
}

/// Checks that auth-svc accepts the service secret, by requesting a token.
async fn shown(settings: &Settings) -> Result<(), Status> {
    let host =
        ServiceHost::with_remote_services(settings.clone()).await.map_err(|cause| Status::unknown(errors::format_error_chain(&cause)))?;
    let shown = host.service_token_source("doctor").call_context_as_service().await;
    host.tasks.stop();
    shown.map(drop)
}
