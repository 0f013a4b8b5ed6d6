//! Trying everything a program of Patio depends on, and saying what to do about what does not work.
use crate::{
    cache::Cache,
    command::print,
    config::{LEAST_SECRET, Settings},
    db::{Db, Schema},
    host::Host,
    probe,
};
use anyhow::Context;
use http::Uri;
use std::{fs, net::SocketAddr, path::Path, time::Duration};
use tokio::{
    net::{TcpStream, lookup_host},
    time::timeout,
};
use tonic::{Code, Status};
use tonic_health::pb::health_check_response::ServingStatus;

/// How long one thing may take to answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// What came of trying one thing.
pub enum Found {
    /// It works.
    Well(String),
    /// It works, and something about it is to be known.
    Odd(String),
    /// It does not work: what is wrong, and what to do.
    Ill(String, &'static str),
}

/// What was tried so far.
#[derive(Debug, Default)]
pub struct Examination {
    ill: usize,
}

impl Examination {
    /// Prints what came of trying one thing.
    ///
    /// # Errors
    /// When it cannot be printed.
    pub fn tell(&mut self, what: &str, found: Found) -> anyhow::Result<()> {
        let (mark, told, advice) = match found {
            Found::Well(told) => ("ok  ", told, String::new()),
            Found::Odd(told) => ("note", told, String::new()),
            Found::Ill(told, advice) => {
                self.ill += 1;
                ("FAIL", told, format!("\n       {advice}"))
            }
        };
        print(&format!("{mark} {what}: {told}{advice}\n"))
    }

    /// Tries the Redis server and the collector of traces that the settings name.
    ///
    /// # Errors
    /// When it cannot be printed.
    pub async fn outside(&mut self, settings: &Settings) -> anyhow::Result<()> {
        self.tell("cache", cache(settings).await)?;
        self.tell("traces", collector(settings).await)
    }

    /// Tries every replica of the services that run apart, but of `own`, and whether they take the service secret.
    ///
    /// # Errors
    /// When it cannot be printed.
    pub async fn services(&mut self, settings: &Settings, own: &str) -> anyhow::Result<()> {
        let urls = [
            ("auth-svc", &settings.auth_url),
            ("campaign-svc", &settings.campaign_url),
            ("vehicle-svc", &settings.vehicle_url),
            ("import-svc", &settings.import_url),
        ];
        for (name, urls) in urls.into_iter().filter(|(name, _)| *name != own) {
            for url in urls.split(',') {
                for found in replicas(url.trim()).await {
                    self.tell(name, found)?;
                }
            }
        }
        self.tell("service secret", secret(settings).await)
    }

    /// Whether all went well.
    ///
    /// # Errors
    /// How many things do not work.
    pub fn end(self) -> anyhow::Result<()> {
        anyhow::ensure!(self.ill == 0, "{} things do not work", self.ill);
        Ok(())
    }
}

/// Whether a folder can be written to, and what to do when not.
#[must_use]
pub fn folder(folder: &Path, advice: &'static str) -> Found {
    let probe = folder.join(".doctor");
    match fs::create_dir_all(folder).and_then(|()| fs::write(&probe, [0; 4096])).and_then(|()| fs::remove_file(&probe)) {
        Ok(()) => Found::Well(format!("{} can be written", folder.display())),
        Err(cause) => Found::Ill(format!("{}: {cause}", folder.display()), advice),
    }
}

/// How a service's database is.
pub async fn database(schema: Schema, settings: &Settings) -> Found {
    if settings.database_url.is_none() && !settings.data_dir.join(format!("{}.db", schema.name)).exists() {
        return Found::Odd("not there yet; it is made at the first start".to_owned());
    }
    let looked = timeout(PATIENCE, async {
        settings.check()?;
        let db = Db::open(schema, settings).await?;
        let (health, lossy) = (db.look(schema).await?, db.lossy().await?);
        db.close().await;
        anyhow::Ok((health, lossy.join(", ")))
    });
    match looked.await {
        Ok(Ok((health, _))) if health.damage.is_some() => {
            Found::Ill(health.damage.unwrap_or_default(), "restore the last backup; deploy/runbook.md says how")
        }
        Ok(Ok((health, lossy))) if !lossy.is_empty() && !settings.may_lose_saves => Found::Ill(
            format!("{} runs with {lossy}: a crash could lose acknowledged saves", health.version),
            "switch that on; Patio does not start on it otherwise, unless PATIO_UNSAFE=true says that nothing matters that is saved",
        ),
        Ok(Ok((health, _))) if health.applied < health.wanted => Found::Odd(format!(
            "{}; {} of {} steps of its tables done, the rest is done at the start",
            health.version, health.applied, health.wanted
        )),
        Ok(Ok((health, _))) if health.applied > health.wanted => {
            Found::Odd(format!("{}; its tables are of a newer Patio, which this one can work with", health.version))
        }
        Ok(Ok((health, _))) => Found::Well(format!("{}; tables up to date", health.version)),
        Ok(Err(cause)) => Found::Ill(
            format!("{cause:#}"),
            "check PATIO_DATABASE_URL: host, port, name, user and password, that this user may use its schema, and that the server \
             takes connections from here",
        ),
        Err(_) => silent(),
    }
}

fn silent() -> Found {
    Found::Ill(format!("no answer within {} s", PATIENCE.as_secs()), "it hangs, or a firewall drops what is sent to it")
}

async fn cache(settings: &Settings) -> Found {
    if settings.redis_url.is_none() {
        return Found::Well("in this process; several processes need PATIO_REDIS_URL".to_owned());
    }
    match Cache::of(settings) {
        Ok(cache) if cache.ping().await => match cache.weaknesses().await {
            none if none.is_empty() => Found::Well("Redis answers and keeps what it is told".to_owned()),
            some => Found::Odd(format!("Redis answers, but {}", some.join(" and "))),
        },
        Ok(_) => Found::Ill(
            "Redis does not answer".to_owned(),
            "start it or check PATIO_REDIS_URL and PATIO_REDIS_CA; until then the database does its work, slower",
        ),
        Err(cause) => Found::Ill(format!("{cause:#}"), "check PATIO_REDIS_URL: redis://:password@host:port/number, rediss:// over TLS"),
    }
}

async fn collector(settings: &Settings) -> Found {
    let Some(url) = &settings.otlp_url else { return Found::Well("sent nowhere; PATIO_OTLP_URL names a collector".to_owned()) };
    let reached = timeout(PATIENCE, async {
        let place = place(url)?;
        TcpStream::connect(&place).await.with_context(|| place)?;
        anyhow::Ok(())
    });
    match reached.await {
        Ok(Ok(())) => Found::Well(format!("{url} takes connections")),
        Ok(Err(cause)) => Found::Ill(format!("{cause:#}"), "start the collector or correct PATIO_OTLP_URL; Patio works without, untraced"),
        Err(_) => silent(),
    }
}

/// `host:port` of a URL.
fn place(url: &str) -> anyhow::Result<String> {
    let uri: Uri = url.parse().with_context(|| format!("`{url}` is not a URL"))?;
    let (host, port) = (uri.host().context("it names no host")?, uri.port_u16().context("it names no port")?);
    Ok(format!("{host}:{port}"))
}

/// How each replica is to which a URL leads.
async fn replicas(url: &str) -> Vec<Found> {
    const NOWHERE: &str = "start it, or correct its PATIO_…_URL";
    let looked_up = async { anyhow::Ok(lookup_host(place(url)?).await.with_context(|| url.to_owned())?.collect::<Vec<_>>()) };
    match timeout(PATIENCE, looked_up).await {
        Ok(Ok(addresses)) if addresses.is_empty() => vec![Found::Ill(format!("{url} leads nowhere"), NOWHERE)],
        Ok(Ok(addresses)) => futures::future::join_all(addresses.into_iter().map(replica)).await,
        Ok(Err(cause)) => vec![Found::Ill(format!("{cause:#}"), NOWHERE)],
        Err(_) => vec![Found::Ill(format!("{url}: no name server answers"), "check the name servers of this machine")],
    }
}

async fn replica(address: SocketAddr) -> Found {
    match timeout(PATIENCE, probe::ask(&address.to_string(), "")).await {
        Ok(Ok(ServingStatus::Serving)) => Found::Well(format!("{address} serves")),
        Ok(Ok(_)) => {
            Found::Ill(format!("{address} does not serve"), "its own log says what it waits for: its database, or the keys of auth-svc")
        }
        Ok(Err(cause)) => Found::Ill(format!("{address}: {cause:#}"), "start it, or correct its PATIO_…_URL"),
        Err(_) => Found::Ill(format!("{address}: no answer"), "it hangs, or a firewall drops what is sent to it"),
    }
}

async fn secret(settings: &Settings) -> Found {
    let lengths: Vec<usize> = settings.service_secret.values().map(str::len).collect();
    if lengths.is_empty() {
        return Found::Ill("not set".to_owned(), "set PATIO_SERVICE_SECRET to the same value for all services");
    }
    if lengths.iter().any(|length| *length < LEAST_SECRET) {
        return Found::Ill(
            "a value is shorter than 16 characters".to_owned(),
            "take one from `openssl rand -hex 16`; services refuse to start with less",
        );
    }
    match timeout(PATIENCE, shown(settings)).await {
        Ok(Err(refused)) if refused.code() == Code::PermissionDenied => {
            return Found::Ill("auth-svc does not take it".to_owned(), "set PATIO_SERVICE_SECRET to the same value for all services");
        }
        Ok(Ok(())) => {}
        _ => return Found::Odd("set; auth-svc could not be asked whether it is the right one".to_owned()),
    }
    if lengths.len() > 1 {
        return Found::Odd(format!(
            "taken; {} values are accepted; leave out the old ones when all services know the first",
            lengths.len()
        ));
    }
    Found::Well("taken".to_owned())
}

/// Shows the secret to auth-svc.
async fn shown(settings: &Settings) -> Result<(), Status> {
    let host = Host::remote(settings.clone()).await.map_err(|cause| Status::unknown(format!("{cause:#}")))?;
    let shown = host.service_tokens("doctor").bearer().await;
    host.tasks.stop();
    shown.map(drop)
}
