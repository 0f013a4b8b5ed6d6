//! The command `patio doctor`: checks everything that Patio depends on and says how to fix each failure.
use crate::process::{AllServicesOptions, DATABASE_SCHEMAS};
use patio_kit::cli::doctor::{self, CheckResult, DoctorOptions, DoctorReport, RunbookSection, check_port};
use std::{net::SocketAddr, path::Path};

/// Runs all checks and prints their results. Returns an error if a check fails.
pub async fn run_doctor_checks(options: &AllServicesOptions, doctor: &DoctorOptions, services: bool) -> anyhow::Result<()> {
    doctor::run_checks(doctor, async |report: &mut DoctorReport| check(options, services, report).await).await
}

async fn check(options: &AllServicesOptions, services: bool, all: &mut DoctorReport) -> anyhow::Result<()> {
    let settings = options.settings();
    all.record_settings_check(settings.check_service_secret().and_then(|()| settings.check_database_urls()))?;
    let remedy = "free disk space or give this user write permission there, or set PATIO_DATA_DIR to another folder";
    all.check_folder_writable("data folder", &settings.data_dir, remedy)?;
    if all.is_preinstall() {
        all.check_private_folder("privacy of the data folder", &settings.data_dir)?;
    }
    let mut limit = None;
    for schema in DATABASE_SCHEMAS {
        limit = all.check_database(&format!("database of {}", schema.name), schema, settings).await?;
    }
    all.check_connection_limit(limit, settings, "patio").await?;
    auth_svc::run_doctor_checks(settings, options.auth_svc_config(), all).await?;
    import_svc::run_doctor_checks(settings, options.import_svc_config(), all).await?;
    all.check_redis_and_trace_collector(settings).await?;
    check_gateway(options.gateway_config(), all).await?;
    if all.is_preinstall() {
        if let Some(address) = settings.admin_listen.0.filter(|address: &SocketAddr| address.port() != 0) {
            all.record_check("metrics port", RunbookSection::Ports, check_port(address, true).await)?;
        }
        return Ok(());
    }
    if services { all.check_services(settings, "patio").await } else { Ok(()) }
}

async fn check_gateway(config: &gateway::Config, all: &mut DoctorReport) -> anyhow::Result<()> {
    if !config.web_dir.join("index.html").is_file() && Path::new("web/package.json").is_file() {
        let words = "not built yet; the first start builds them and needs Node.js 20 or newer";
        all.record_check("pages", RunbookSection::Pages, CheckResult::Warning(words.to_owned()))?;
        return gateway::doctor::check_port_and_https(config, all).await;
    }
    gateway::doctor::run_doctor_checks(config, all).await
}
