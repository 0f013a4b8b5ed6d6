//! What the gateway is told beside the common settings.
use crate::{proxy::Proxy, tls::Source};
use clap::Args;
use std::{net::SocketAddr, num::NonZeroUsize, path::PathBuf, time::Duration};

/// What the gateway is told by its environment or by flags.
#[derive(Debug, Clone, Args)]
#[group(skip)]
pub struct Config {
    /// Where it listens.
    #[arg(long, env = "PATIO_LISTEN", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// Where the built web pages are.
    #[arg(long, env = "PATIO_WEB_DIR", default_value = "web/dist")]
    pub web_dir: PathBuf,
    /// What the product calls itself.
    #[arg(long, env = "PATIO_PRODUCT_NAME", default_value = "Patio")]
    pub product_name: String,
    /// Addresses or networks of proxies whose X-Forwarded-For and X-Forwarded-Proto are believed, separated by commas.
    #[arg(long, env = "PATIO_TRUSTED_PROXIES", value_delimiter = ',')]
    pub trusted_proxies: Vec<Proxy>,
    /// Serves https by itself: `self-signed`, or a certificate and its key as `CERTIFICATE,KEY`.
    #[arg(long, env = "PATIO_TLS")]
    pub tls: Option<Source>,
    /// Tells browsers that came over https to come back over https only.
    #[arg(long, env = "PATIO_HSTS", default_value_t = false, action = clap::ArgAction::Set)]
    pub hsts: bool,
    /// How many sign-ins one address may try at once; after that one a second.
    #[arg(long, env = "PATIO_SIGN_IN_BURST", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    pub sign_in_burst: u32,
    /// How many connections are held at once.
    #[arg(long, env = "PATIO_MAX_CONNECTIONS", default_value_t = 4096)]
    pub max_connections: usize,
    /// How many requests are worked on at once before others wait or are refused, reads first; 8 for each core when left out,
    /// and 5 where all services are in one process.
    #[arg(long, env = "PATIO_MAX_AT_ONCE")]
    pub max_at_once: Option<NonZeroUsize>,
    /// How many seconds a client may take for a request's head, or rest between two requests; a trusted proxy may rest for 75.
    #[arg(long, env = "PATIO_HEAD_TIMEOUT", default_value = "10", value_parser = seconds)]
    pub head_timeout: Duration,
    /// How many seconds a client may pause within a request's body.
    #[arg(long, env = "PATIO_BODY_TIMEOUT", default_value = "15", value_parser = seconds)]
    pub body_timeout: Duration,
}

fn seconds(written: &str) -> Result<Duration, String> {
    let number = written.parse::<f64>().ok().filter(|number| *number > 0.0 && *number <= 3600.0);
    number.map(Duration::from_secs_f64).ok_or_else(|| format!("`{written}` is not a number of seconds between 0 and 3600"))
}
