//! Checks of the `doctor` command: tests all dependencies of a program and prints how to fix each problem.
use crate::{
    cache::Cache,
    cli::{
        print,
        probe::{self, host_of},
    },
    client::replica::{health_name, wrong_service_message},
    config::{MIN_SECRET_LEN, Settings},
    db::{DatabaseHealth, Db, Schema},
    errors,
    host::Host,
    telemetry::otlp,
    tls::ServiceTls,
};
use anyhow::Context;
use http::Uri;
use std::{fs, net::SocketAddr, path::Path, time::Duration};
use tokio::{net::lookup_host, time::timeout};
use tonic::{Code, Status};
use tonic_health::pb::health_check_response::ServingStatus;

/// Timeout of one `doctor` check.
const CHECK_TIMEOUT: Duration = Duration::from_secs(3);

/// Result of one `doctor` check.
pub enum CheckResult {
    /// Passed check, with a description of what was found.
    Passed(String),
    /// Passed check, with a warning for the operator.
    Warning(String),
    /// Failed check: what is wrong, and how to fix the problem.
    Failed(String, &'static str),
}

/// Report of all `doctor` checks so far, with the number of failed checks.
#[derive(Debug, Default)]
pub struct DoctorReport {
    ill: usize,
}

impl DoctorReport {
    /// Prints the result of one check.
    ///
    /// # Errors
    /// Returns an error when standard output cannot be written.
    pub fn report(&mut self, what: &str, found: CheckResult) -> anyhow::Result<()> {
        let (mark, told, advice) = match found {
            CheckResult::Passed(told) => ("ok  ", told, String::new()),
            CheckResult::Warning(told) => ("note", told, String::new()),
            CheckResult::Failed(told, advice) => {
                self.ill += 1;
                ("FAIL", told, format!("\n       {advice}"))
            }
        };
        print(&format!("{mark} {what}: {told}{advice}\n"))
    }

    /// Checks the Redis server and the trace collector that the settings name.
    ///
    /// # Errors
    /// Returns an error when standard output cannot be written.
    pub async fn check_dependencies(&mut self, settings: &Settings) -> anyhow::Result<()> {
        self.report("cache", cache(settings).await)?;
        self.report("traces", collector(settings).await)
    }

    /// Checks every replica of all services except the service `own`, and whether auth-svc accepts the service secret.
    ///
    /// # Errors
    /// Returns an error when standard output cannot be written.
    pub async fn check_services(&mut self, settings: &Settings, own: &str) -> anyhow::Result<()> {
        let urls = [
            ("auth-svc", &settings.auth_url),
            ("campaign-svc", &settings.campaign_url),
            ("vehicle-svc", &settings.vehicle_url),
            ("import-svc", &settings.import_url),
        ];
        let tls = match settings.service_tls.as_deref().map(ServiceTls::open).transpose() {
            Ok(tls) => tls,
            Err(cause) => {
                return self.report("service TLS", CheckResult::Failed(errors::one_line(&cause), "put tls.crt, tls.key and ca.crt there"));
            }
        };
        for (name, urls) in urls.into_iter().filter(|(name, _)| *name != own) {
            for url in urls.split(',') {
                for found in replicas(name, url.trim(), tls.as_ref()).await {
                    self.report(name, found)?;
                }
            }
        }
        self.report("service secret", secret(settings).await)
    }

    /// Ends the report of all checks.
    ///
    /// # Errors
    /// Returns an error with the number of failed checks, if any failed.
    pub fn finish(self) -> anyhow::Result<()> {
        anyhow::ensure!(self.ill == 0, "{} checks failed", self.ill);
        Ok(())
    }
}

/// Checks that a folder is writable. `advice` says how to fix a folder that is not writable.
#[must_use]
pub fn check_folder(folder: &Path, advice: &'static str) -> CheckResult {
    let probe = folder.join(".doctor");
    match fs::create_dir_all(folder).and_then(|()| fs::write(&probe, [0; 4096])).and_then(|()| fs::remove_file(&probe)) {
        Ok(()) => CheckResult::Passed(format!("{} is writable", folder.display())),
        Err(cause) => CheckResult::Failed(format!("{}: {cause}", folder.display()), advice),
    }
}

/// Checks the database of a service.
pub async fn check_database(schema: Schema, settings: &Settings) -> CheckResult {
    if let Err(cause) = settings.check() {
        return CheckResult::Failed(cause.to_string(), "correct PATIO_DATABASE_URL");
    }
    if settings.database_url.is_none() && !settings.data_dir.join(format!("{}.db", schema.name)).exists() {
        return CheckResult::Warning("does not exist yet; the first start creates it".to_owned());
    }
    let looked = timeout(CHECK_TIMEOUT, async {
        let db = Db::open(schema, settings).await?;
        let checked = async {
            db.check_connections().await?;
            anyhow::Ok((db.health(schema).await?, db.unsafe_settings().await?))
        };
        let (health, lossy) = checked.await.with_context(|| db.address())?;
        db.close().await;
        anyhow::Ok((health, lossy.join(", ")))
    });
    match looked.await {
        Ok(Ok((health, _))) if health.damage.is_some() => {
            CheckResult::Failed(health.damage.unwrap_or_default(), "restore the last backup as described in deploy/runbook.md")
        }
        Ok(Ok((DatabaseHealth { version, writable: false, .. }, _))) => CheckResult::Failed(
            format!("{version} is read-only: every save fails"),
            "set PATIO_DATABASE_URL to the primary; the server may have become a standby",
        ),
        Ok(Ok((DatabaseHealth { foreign: Some(table), .. }, _))) => CheckResult::Failed(
            table,
            "change its owner to the role of PATIO_DATABASE_URL with `alter table … owner to …`; another role ran `migrate`",
        ),
        Ok(Ok((health, lossy))) if !lossy.is_empty() && !settings.allow_data_loss => CheckResult::Failed(
            format!("{} runs with {lossy}: a crash could lose acknowledged saves", health.version),
            "switch these settings on; otherwise Patio starts only with PATIO_ALLOW_DATA_LOSS=true",
        ),
        Ok(Ok((health, _))) if health.applied < health.wanted => CheckResult::Warning(format!(
            "{}; {} of {} migrations are applied, the next start applies the rest",
            health.version, health.applied, health.wanted
        )),
        Ok(Ok((health, _))) if health.applied > health.wanted => {
            CheckResult::Warning(format!("{}; its tables belong to a newer version of Patio, which this version supports", health.version))
        }
        Ok(Ok((health, _))) => CheckResult::Passed(format!("{}; tables up to date", health.version)),
        Ok(Err(cause)) => CheckResult::Failed(
            errors::one_line(&cause),
            "check PATIO_DATABASE_URL (host, port, name, user, password), the user's privileges on the schema, and that the server \
             accepts connections from this machine",
        ),
        Err(_) => silent(),
    }
}

fn silent() -> CheckResult {
    CheckResult::Failed(format!("no answer within {} s", CHECK_TIMEOUT.as_secs()), "the server hangs, or a firewall drops the packets")
}

async fn cache(settings: &Settings) -> CheckResult {
    if settings.redis_url.is_none() {
        return CheckResult::Passed("in the memory of this process; several processes need PATIO_REDIS_URL".to_owned());
    }
    match Cache::from_settings(settings) {
        Ok(cache) => match cache.find_fault().await {
            Some(fault) => CheckResult::Failed(
                format!("Redis {fault}"),
                "start Redis, set PATIO_REDIS_URL to its primary, give it memory, or check PATIO_REDIS_CA_FILE; until then the database \
                 takes over, more slowly",
            ),
            None => match cache.config_warnings().await {
                none if none.is_empty() => CheckResult::Passed("Redis answers and accepts writes".to_owned()),
                some => CheckResult::Warning(format!("Redis answers, but {}", some.join(" and "))),
            },
        },
        Err(cause) => {
            CheckResult::Failed(errors::one_line(&cause), "check PATIO_REDIS_URL: redis://:password@host:port/number, rediss:// over TLS")
        }
    }
}

async fn collector(settings: &Settings) -> CheckResult {
    let Some(url) = &settings.otlp_url else { return CheckResult::Passed("off; PATIO_OTLP_ENDPOINT names a trace collector".to_owned()) };
    match timeout(CHECK_TIMEOUT, otlp::check(settings)).await {
        Ok(Ok(())) => CheckResult::Passed(format!("{url} accepts traces")),
        Ok(Err(cause)) => CheckResult::Failed(
            format!("{url}: {}", errors::one_line(&cause)),
            "start the collector, or correct PATIO_OTLP_ENDPOINT, PATIO_OTLP_HEADERS or PATIO_OTLP_CA_FILE; traces are optional",
        ),
        Err(_) => silent(),
    }
}

/// Returns `host:port` of a URL.
fn place(url: &str) -> anyhow::Result<String> {
    let uri: Uri = url.parse().with_context(|| format!("`{url}` is not a URL"))?;
    let (host, port) = (uri.host().context("the URL has no host")?, uri.port_u16().context("the URL has no port")?);
    Ok(format!("{host}:{port}"))
}

/// Checks every replica that the host name of a URL resolves to.
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
        Ok(Err(cause)) => vec![CheckResult::Failed(errors::one_line(&cause), UNREACHABLE_HINT)],
        Err(_) => vec![CheckResult::Failed(format!("{url}: DNS timeout"), "check the DNS servers of this machine")],
    }
}

async fn replica(service: &str, address: SocketAddr, named: &str, tls: Option<&ServiceTls>) -> CheckResult {
    match timeout(
        CHECK_TIMEOUT,
        probe::check_health(&address.to_string(), health_name(service), tls.map(|tls| tls.connector(host_of(named)))),
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
        Ok(Err(cause)) => {
            CheckResult::Failed(format!("{address}: {}", errors::one_line(&cause)), "start the service, or correct its PATIO_…_URL")
        }
        Err(_) => CheckResult::Failed(format!("{address}: no answer"), "the server hangs, or a firewall drops the packets"),
    }
}

async fn secret(settings: &Settings) -> CheckResult {
    let lengths: Vec<usize> = settings.service_secret.values().map(str::len).collect();
    if lengths.is_empty() {
        return CheckResult::Failed("not set".to_owned(), "set PATIO_SERVICE_SECRET to the same value for all services");
    }
    if lengths.iter().any(|length| *length < MIN_SECRET_LEN) {
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
    let host = Host::remote(settings.clone()).await.map_err(|cause| Status::unknown(errors::one_line(&cause)))?;
    let shown = host.service_tokens("doctor").bearer().await;
    host.tasks.stop();
    shown.map(drop)
}
