//! The command `patio doctor`: checks everything that Patio depends on and says how to fix each failure.
use crate::process::{Options, SCHEMAS};
use gateway::tls;
use patio_kit::cli::doctor::{self, CheckResult, DoctorReport};
use std::path::Path;
use tokio::net::TcpListener;

/// Runs all checks and prints one line per check. Returns an error if a check fails.
pub async fn examine(options: &Options, services: bool) -> anyhow::Result<()> {
    let (settings, mut all) = (options.settings(), DoctorReport::default());
    let advice = "free disk space or give this user write permission there, or set PATIO_DATA_DIR to another folder";
    all.report("data folder", doctor::check_folder(&settings.data_dir, advice))?;
    for schema in SCHEMAS {
        all.report(&format!("database of {}", schema.name), doctor::check_database(schema, settings).await)?;
    }
    import_svc::examine(options.import(), &mut all).await?;
    all.check_dependencies(settings).await?;
    all.report("pages", pages(&options.gateway().web_dir))?;
    all.report("port", port(options.gateway()).await)?;
    all.report("https", https(options.gateway()))?;
    if services {
        all.check_services(settings, "patio").await?;
    }
    all.finish()
}

fn pages(folder: &Path) -> CheckResult {
    if folder.join("index.html").is_file() {
        return CheckResult::Passed(format!("built, in {}", folder.display()));
    }
    if Path::new("web/package.json").is_file() {
        return CheckResult::Warning("not built yet; the first start builds them and needs Node.js 20 or newer".to_owned());
    }
    CheckResult::Failed(format!("no index.html in {}", folder.display()), "set PATIO_WEB_DIR to the folder of the built pages")
}

async fn port(gateway: &gateway::Config) -> CheckResult {
    match TcpListener::bind(gateway.listen).await {
        Ok(_) if gateway.listen.ip().is_loopback() => CheckResult::Warning(format!("{} is free (loopback only)", gateway.listen)),
        Ok(_) => CheckResult::Passed(format!("{} is free", gateway.listen)),
        Err(cause) => CheckResult::Failed(format!("{}: {cause}", gateway.listen), "stop the program on this port, or set PATIO_LISTEN"),
    }
}

fn https(gateway: &gateway::Config) -> CheckResult {
    let Some(source) = &gateway.tls else { return CheckResult::Warning("off; phones need HTTPS for the camera, see README".to_owned()) };
    match tls::validate(source) {
        Ok(()) => CheckResult::Passed("the certificate is valid".to_owned()),
        Err(cause) => CheckResult::Failed(format!("{cause:#}"), "set PATIO_TLS to a certificate and its key, both in PEM format"),
    }
}
