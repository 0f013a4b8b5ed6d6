//! Trying everything Patio depends on, and saying what to do about what does not work.
use crate::process::{Options, SCHEMAS};
use gateway::tls;
use patio_kit::{
    cache::Cache,
    command::print,
    config::Settings,
    db::{Db, Schema},
    probe,
};
use std::{fs, path::Path, time::Duration};
use tokio::{net::TcpListener, time::timeout};

/// How long one thing may take to answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// What came of trying one thing.
enum Found {
    /// It works.
    Well(String),
    /// It works, and something about it is to be known.
    Odd(String),
    /// It does not work: what is wrong, and what to do.
    Ill(String, &'static str),
}

/// Tries everything and prints a line each; fails when something does not work.
pub async fn examine(options: &Options, services: bool) -> anyhow::Result<()> {
    let settings = options.settings();
    let mut ill = 0;
    let mut tell = |what: &str, found: Found| {
        let (mark, told, advice) = match found {
            Found::Well(told) => ("ok  ", told, ""),
            Found::Odd(told) => ("note", told, ""),
            Found::Ill(told, advice) => {
                ill += 1;
                ("FAIL", told, advice)
            }
        };
        let advice = if advice.is_empty() { String::new() } else { format!("\n       {advice}") };
        print(&format!("{mark} {what}: {told}{advice}\n"))
    };
    tell("data folder", data_folder(&settings.data_dir))?;
    for schema in SCHEMAS {
        tell(&format!("database of {}", schema.name), database(schema, settings).await)?;
    }
    tell("cache", cache(settings).await)?;
    tell("pages", pages(&options.gateway().web_dir))?;
    tell("port", port(options.gateway()).await)?;
    tell("https", https(options.gateway()))?;
    if services {
        let urls = [
            ("auth-svc", &settings.auth_url),
            ("campaign-svc", &settings.campaign_url),
            ("vehicle-svc", &settings.vehicle_url),
            ("import-svc", &settings.import_url),
        ];
        for (name, urls) in urls {
            for url in urls.split(',') {
                tell(name, service(url.trim()).await)?;
            }
        }
        tell("service secret", secret(settings))?;
    }
    anyhow::ensure!(ill == 0, "{ill} things do not work");
    Ok(())
}

fn data_folder(folder: &Path) -> Found {
    let probe = folder.join(".doctor");
    match fs::create_dir_all(folder).and_then(|()| fs::write(&probe, [0; 4096])).and_then(|()| fs::remove_file(&probe)) {
        Ok(()) => Found::Well(format!("{} can be written", folder.display())),
        Err(cause) => Found::Ill(
            format!("{}: {cause}", folder.display()),
            "make room or give this user the right to write there, or set PATIO_DATA_DIR to another folder",
        ),
    }
}

async fn database(schema: Schema, settings: &Settings) -> Found {
    if settings.database_url.is_none() && !settings.data_dir.join(format!("{}.db", schema.name)).exists() {
        return Found::Odd("not there yet; it is made at the first start".to_owned());
    }
    let looked = timeout(PATIENCE, async {
        settings.check()?;
        let db = Db::open(schema, settings).await?;
        let health = db.look(schema).await?;
        db.close().await;
        anyhow::Ok(health)
    });
    match looked.await {
        Ok(Ok(health)) if health.damage.is_some() => {
            Found::Ill(health.damage.unwrap_or_default(), "restore the last backup; deploy/runbook.md says how")
        }
        Ok(Ok(health)) if health.applied < health.wanted => Found::Odd(format!(
            "{}; {} of {} steps of its tables done, the rest is done at the start",
            health.version, health.applied, health.wanted
        )),
        Ok(Ok(health)) if health.applied > health.wanted => {
            Found::Odd(format!("{}; its tables are of a newer Patio, which this one can work with", health.version))
        }
        Ok(Ok(health)) => Found::Well(format!("{}; tables up to date", health.version)),
        Ok(Err(cause)) => Found::Ill(
            format!("{cause:#}"),
            "check PATIO_DATABASE_URL: host, port, name, user and password, and that the server takes connections from here",
        ),
        Err(_) => Found::Ill(
            format!("no answer within {} s", PATIENCE.as_secs()),
            "check that the server runs and that no firewall drops what is sent to it",
        ),
    }
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
            "start it or check PATIO_REDIS_URL; until then the database does its work, slower",
        ),
        Err(cause) => Found::Ill(format!("{cause:#}"), "check PATIO_REDIS_URL: redis://:password@host:port/number"),
    }
}

fn pages(folder: &Path) -> Found {
    if folder.join("index.html").is_file() {
        return Found::Well(format!("built, in {}", folder.display()));
    }
    if Path::new("web/package.json").is_file() {
        return Found::Odd("not built yet; that is done at the first start and needs Node.js 20 or newer".to_owned());
    }
    Found::Ill(format!("no index.html in {}", folder.display()), "set PATIO_WEB_DIR to the folder of the built pages")
}

async fn port(gateway: &gateway::Config) -> Found {
    match TcpListener::bind(gateway.listen).await {
        Ok(_) if gateway.listen.ip().is_loopback() => Found::Odd(format!("{} is free; other machines cannot reach it", gateway.listen)),
        Ok(_) => Found::Well(format!("{} is free", gateway.listen)),
        Err(cause) => {
            Found::Ill(format!("{}: {cause}", gateway.listen), "end what listens there, which may be Patio itself, or set PATIO_LISTEN")
        }
    }
}

fn https(gateway: &gateway::Config) -> Found {
    let Some(source) = &gateway.tls else { return Found::Odd("off; phones need it for the camera, README says how".to_owned()) };
    match tls::usable(source) {
        Ok(()) => Found::Well("the certificate can be used".to_owned()),
        Err(cause) => Found::Ill(format!("{cause:#}"), "PATIO_TLS names a certificate and its key, both in PEM form"),
    }
}

async fn service(url: &str) -> Found {
    let address = url.trim_start_matches("http://");
    match timeout(PATIENCE, probe::ask(address, "")).await {
        Ok(Ok(status)) if status.as_str_name() == "SERVING" => Found::Well(format!("{address} serves")),
        Ok(Ok(_)) => {
            Found::Ill(format!("{address} does not serve"), "its own log says what it waits for: its database, or the keys of auth-svc")
        }
        Ok(Err(cause)) => Found::Ill(format!("{address}: {cause:#}"), "start it, or correct its PATIO_…_URL"),
        Err(_) => Found::Ill(format!("{address}: no answer"), "it hangs or a firewall drops what is sent to it"),
    }
}

fn secret(settings: &Settings) -> Found {
    let lengths: Vec<usize> = settings.service_secret.values().map(str::len).collect();
    match lengths.iter().min() {
        None => Found::Ill("not set".to_owned(), "set PATIO_SERVICE_SECRET to the same value for all services"),
        Some(..16) => Found::Odd("shorter than 16 characters".to_owned()),
        Some(_) if lengths.len() > 1 => {
            Found::Odd(format!("{} values are accepted; leave out the old ones when all services know the first", lengths.len()))
        }
        Some(_) => Found::Well("set".to_owned()),
    }
}
