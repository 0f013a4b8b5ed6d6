//! Checks of the `doctor` command for the gateway: built web pages, listening port and TLS certificate.
use crate::{Config, tls};
use patio_kit::cli::doctor::{CheckResult, DoctorReport, RunbookSection, check_port};
use std::path::Path;

/// Adds the checks of the built web pages, the listening port and the TLS certificate to the report of the `doctor` command.
///
/// # Errors
/// Returns an error when the report cannot be printed.
pub async fn run_doctor_checks(config: &Config, all: &mut DoctorReport) -> anyhow::Result<()> {
    all.record_check("pages", RunbookSection::Pages, pages(&config.web_dir))?;
    check_port_and_https(config, all).await
}

/// Adds the checks of the listening port and the TLS certificate to the report of the `doctor` command.
///
/// # Errors
/// Returns an error when the report cannot be printed.
pub async fn check_port_and_https(config: &Config, all: &mut DoctorReport) -> anyhow::Result<()> {
    let port = check_port(config.listen, all.is_preinstall()).await;
    all.record_check("port", RunbookSection::Ports, port)?;
    all.record_check("https", RunbookSection::Https, https(config))
}

fn pages(folder: &Path) -> CheckResult {
    if folder.join("index.html").is_file() {
        return CheckResult::Passed(format!("built, in {}", folder.display()));
    }
    CheckResult::Failed(format!("no index.html in {}", folder.display()), "set PATIO_WEB_DIR to the folder of the built pages")
}

fn https(config: &Config) -> CheckResult {
    let Some(source) = &config.tls else { return CheckResult::Warning("off; phones need HTTPS for the camera, see README".to_owned()) };
    match tls::validate_certificate_files(source) {
        Ok(()) => CheckResult::Passed("the certificate is valid".to_owned()),
        Err(cause) => CheckResult::Failed(format!("{cause:#}"), "set PATIO_TLS to a certificate and its key, both in PEM format"),
    }
}
