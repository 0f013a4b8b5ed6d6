//! Configuration of the gateway, in addition to the settings that all services share.
use crate::{http::trusted_proxy::TrustedProxy, tls::CertificateSource};
use clap::Args;
use patio_kit::config::{OPERATION_HELP_HEADING, TUNING_HELP_HEADING};
use std::{net::SocketAddr, num::NonZeroUsize, path::PathBuf, time::Duration};

/// Default maximum number of open client connections.
const MAX_CONNECTIONS: usize = 4096;

/// Configuration of the gateway, read from command-line flags and environment variables.
#[derive(Debug, Clone, Args)]
#[group(skip)]
pub struct Config {
    /// Address and port to listen on.
    #[arg(long, env = "PATIO_LISTEN", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// Folder with the built web app.
    #[arg(long, env = "PATIO_WEB_DIR", help_heading = TUNING_HELP_HEADING, default_value = "web/dist")]
    pub web_dir: PathBuf,
    /// Product name shown to users.
    #[arg(long, env = "PATIO_PRODUCT_NAME", default_value = "Patio")]
    pub product_name: String,
    /// Trusted proxies, as comma-separated addresses or networks; only their X-Forwarded-For and X-Forwarded-Proto headers are used.
    #[arg(long, env = "PATIO_TRUSTED_PROXIES", help_heading = OPERATION_HELP_HEADING, value_delimiter = ',')]
    pub trusted_proxies: Vec<TrustedProxy>,
    /// Serves HTTPS without a proxy: with a local certificate authority (`self-signed`), or with a certificate file and its key
    /// file as `CERTIFICATE,KEY`.
    #[arg(long, env = "PATIO_TLS")]
    pub tls: Option<CertificateSource>,
    /// Sends Strict-Transport-Security (HSTS) to browsers connected over HTTPS; on by default if `PATIO_TLS` names a certificate file.
    #[arg(long, env = "PATIO_HSTS", help_heading = OPERATION_HELP_HEADING, action = clap::ArgAction::Set)]
    pub hsts: Option<bool>,
    /// Serves the OpenAPI document and Swagger UI without a sign-in; otherwise the document requires a sign-in and Swagger UI is off.
    #[arg(long, env = "PATIO_API_DOCS", help_heading = OPERATION_HELP_HEADING, default_value_t = false, action = clap::ArgAction::Set)]
    pub api_docs: bool,
    /// Contact URI in `/.well-known/security.txt`; by default `mailto:security@` followed by the host name of the request.
    #[arg(long, env = "PATIO_SECURITY_CONTACT")]
    pub security_contact: Option<String>,
    /// Sign-in attempts that one client address may make at once (burst); afterwards, one attempt per second is allowed.
    #[arg(long, env = "PATIO_SIGN_IN_BURST", help_heading = TUNING_HELP_HEADING, default_value_t = 60,
        value_parser = clap::value_parser!(u32).range(1..))]
    pub sign_in_burst: u32,
    /// Maximum number of open client connections; further connections wait until one closes.
    #[arg(skip = MAX_CONNECTIONS)]
    pub max_connections: usize,
    /// Maximum number of API requests processed at once. Further requests wait in a queue; when the gateway is overloaded, requests
    /// are rejected, and reads are rejected before saves. Default: 8 per core, or 5 per core when all services run in one process;
    /// see `deploy/adr/0014-admission-control.md`.
    #[arg(long, env = "PATIO_MAX_CONCURRENT_REQUESTS", help_heading = TUNING_HELP_HEADING)]
    pub max_at_once: Option<NonZeroUsize>,
    /// Seconds that a client may take to send request headers, or stay idle between two requests. Connections of trusted proxies
    /// may stay idle for at least 75 seconds.
    #[arg(long, env = "PATIO_HEADER_TIMEOUT_SECONDS", help_heading = TUNING_HELP_HEADING, default_value = "10", value_parser = seconds)]
    pub head_timeout: Duration,
    /// Seconds that a client may pause while sending a request body.
    #[arg(long, env = "PATIO_BODY_TIMEOUT_SECONDS", help_heading = TUNING_HELP_HEADING, default_value = "15", value_parser = seconds)]
    pub body_timeout: Duration,
}

impl Config {
    /// Returns `true` if the gateway sends Strict-Transport-Security (HSTS) to clients connected over HTTPS. When the setting is
    /// absent, the gateway sends HSTS if the TLS certificate comes from files.
    #[must_use]
    pub fn sends_hsts(&self) -> bool {
        self.hsts.unwrap_or(matches!(self.tls, Some(CertificateSource::Files { .. })))
    }
}

fn seconds(written: &str) -> Result<Duration, String> {
    let number = written.parse::<f64>().ok().filter(|number| *number > 0.0 && *number <= 3600.0);
    number.map(Duration::from_secs_f64).ok_or_else(|| format!("`{written}` is not a number of seconds between 0 and 3600"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(clap::Parser)]
    struct Cli {
        #[command(flatten)]
        config: Config,
    }

    #[test]
    fn hsts_is_the_default_with_certificate_files() {
        let is_https_only_with = |arguments: &[&str]| <Cli as clap::Parser>::parse_from([&["x"], arguments].concat()).config.sends_hsts();
        assert_eq!(
            [is_https_only_with(&[]), is_https_only_with(&["--tls", "self-signed"]), is_https_only_with(&["--tls", "c.pem,k.pem"])],
            [false, false, true]
        );
        assert_eq!(
            [is_https_only_with(&["--tls", "c.pem,k.pem", "--hsts", "false"]), is_https_only_with(&["--hsts", "true"])],
            [false, true]
        );
    }
}
