//! Trying everything Patio depends on, and saying what to do about what does not work.
use crate::process::{Options, SCHEMAS};
use gateway::tls;
use patio_kit::{
    command::Program,
    doctor::{self, Examination, Found},
};
use std::path::Path;
use tokio::net::TcpListener;

/// Tries everything and prints a line each; fails when something does not work.
pub async fn examine(options: &Options, services: bool) -> anyhow::Result<()> {
    let (settings, mut all) = (options.settings(), Examination::default());
    let advice = "make room or give this user the right to write there, or set PATIO_DATA_DIR to another folder";
    all.tell("data folder", doctor::folder(&settings.data_dir, advice))?;
    for schema in SCHEMAS {
        all.tell(&format!("database of {}", schema.name), doctor::database(schema, settings).await)?;
    }
    import_svc::Imports::examine(options.import(), &mut all).await?;
    all.outside(settings).await?;
    all.tell("pages", pages(&options.gateway().web_dir))?;
    all.tell("port", port(options.gateway()).await)?;
    all.tell("https", https(options.gateway()))?;
    if services {
        all.services(settings, "patio").await?;
    }
    all.end()
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
