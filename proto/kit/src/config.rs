//! What every program of Patio is told by its environment or by flags.
use crate::secret::{Secret, mask_url};
use clap::{ArgMatches, Args, Command};
use std::{fmt::Write, net::SocketAddr, path::PathBuf, time::Duration};

/// What all programs have in common.
#[derive(Debug, Clone, Args)]
pub struct Settings {
    /// Where SQLite files are kept.
    #[arg(long, env = "PATIO_DATA_DIR", default_value = "data")]
    pub data_dir: PathBuf,
    /// A PostgreSQL database, `postgres://user:password@host/name`; without it SQLite files are used.
    #[arg(long, env = "PATIO_DATABASE_URL", hide_env_values = true)]
    pub database_url: Option<Secret>,
    /// How many connections to PostgreSQL each service of a process holds at most for saving; half as many more are for reading.
    #[arg(long, env = "PATIO_DATABASE_CONNECTIONS", default_value_t = 16, value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub database_connections: u32,
    /// A Redis server, `redis://host:port`, or `rediss://host:port` over TLS; without it each process keeps its own cache.
    #[arg(long, env = "PATIO_REDIS_URL", hide_env_values = true)]
    pub redis_url: Option<Secret>,
    /// Who vouches for a Redis server over TLS: a file of certificates (PEM); the public authorities when left out.
    #[arg(long, env = "PATIO_REDIS_CA")]
    pub redis_ca: Option<PathBuf>,
    /// What services prove themselves with to auth-svc; the same for all, needed when they run apart. While it is changed
    /// several separated by commas, the new one first: the first is used, all are accepted.
    #[arg(long, env = "PATIO_SERVICE_SECRET", default_value = "", hide_env_values = true)]
    pub service_secret: Secret,
    /// Where auth-svc is: one name that stands for all replicas, or several URLs separated by commas.
    #[arg(long, env = "PATIO_AUTH_URL", default_value = "http://127.0.0.1:50051")]
    pub auth_url: String,
    /// Where campaign-svc is: one name that stands for all replicas, or several URLs separated by commas.
    #[arg(long, env = "PATIO_CAMPAIGN_URL", default_value = "http://127.0.0.1:50052")]
    pub campaign_url: String,
    /// Where vehicle-svc is: one name that stands for all replicas, or several URLs separated by commas.
    #[arg(long, env = "PATIO_VEHICLE_URL", default_value = "http://127.0.0.1:50053")]
    pub vehicle_url: String,
    /// Where import-svc is: one name that stands for all replicas, or several URLs separated by commas.
    #[arg(long, env = "PATIO_IMPORT_URL", default_value = "http://127.0.0.1:50054")]
    pub import_url: String,
    /// Starts even where a crash could lose a save that was acknowledged: a `PostgreSQL` that does not wait for its disk.
    #[arg(long = "unsafe", env = "PATIO_UNSAFE", default_value_t = false, action = clap::ArgAction::Set,
        num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub may_lose_saves: bool,
    /// Where metrics and probes are served, apart from the product; `off` for nowhere.
    #[arg(long, env = "PATIO_ADMIN_LISTEN", default_value = "127.0.0.1:0", value_parser = listen_or_off)]
    pub admin_listen: Listen,
    /// How many seconds a process that got SIGTERM goes on answering after it said that it is not ready.
    #[arg(long, env = "PATIO_LEAVE_SECONDS", default_value = "1", value_parser = seconds)]
    pub leave_seconds: Duration,
    /// What is logged: `error`, `warn`, `info`, `debug`, or per module.
    #[arg(long, env = "PATIO_LOG", default_value = "info")]
    pub log: String,
    /// Logs as JSON, a line each.
    #[arg(long, env = "PATIO_LOG_JSON", default_value_t = false, action = clap::ArgAction::Set)]
    pub log_json: bool,
    /// Where traces are sent: a collector that takes OTLP over gRPC, such as `http://collector:4317`; nowhere when left out.
    #[arg(long, env = "PATIO_OTLP_URL")]
    pub otlp_url: Option<String>,
    /// The share of requests that is traced, 0 to 1; a request that comes with a trace follows that one's choice.
    #[arg(long, env = "PATIO_OTLP_SHARE", default_value_t = 1.0, value_parser = share)]
    pub otlp_share: f64,
    /// Answers gRPC reflection.
    #[arg(long, env = "PATIO_REFLECTION", default_value_t = true, action = clap::ArgAction::Set)]
    pub reflection: bool,
}

/// An address to listen on, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listen(pub Option<SocketAddr>);

impl Settings {
    /// Whether a database can be opened with these.
    ///
    /// Not asked while the settings are read: what is refused then is shown, and here it may hold a password.
    ///
    /// # Errors
    /// When the database's URL is none of `PostgreSQL`.
    pub fn check(&self) -> anyhow::Result<()> {
        let known = |url: &Secret| ["postgres://", "postgresql://"].iter().any(|scheme| url.expose().starts_with(scheme));
        anyhow::ensure!(
            self.database_url.as_ref().is_none_or(known),
            "PATIO_DATABASE_URL must begin with postgres://; for SQLite leave it out and set PATIO_DATA_DIR"
        );
        Ok(())
    }

    /// Refuses a service secret that could be guessed.
    ///
    /// # Errors
    /// When one of its values is too short.
    pub fn check_secret(&self) -> anyhow::Result<()> {
        anyhow::ensure!(
            self.service_secret.values().all(|value| value.len() >= LEAST_SECRET),
            "PATIO_SERVICE_SECRET: a value is shorter than {LEAST_SECRET} characters; take one from `openssl rand -hex 16`"
        );
        Ok(())
    }
}

/// The fewest characters of a service secret.
pub const LEAST_SECRET: usize = 16;

fn seconds(written: &str) -> Result<Duration, String> {
    let number = written.parse::<f64>().ok().filter(|number| (0.0..=600.0).contains(number));
    number.map(Duration::from_secs_f64).ok_or_else(|| format!("`{written}` is not a number of seconds between 0 and 600"))
}

fn share(written: &str) -> Result<f64, String> {
    written.parse().ok().filter(|share| (0.0..=1.0).contains(share)).ok_or_else(|| format!("`{written}` is not a number between 0 and 1"))
}

fn listen_or_off(written: &str) -> Result<Listen, String> {
    if written == "off" {
        return Ok(Listen(None));
    }
    written.parse().map(|address| Listen(Some(address))).map_err(|_| format!("`{written}` is neither an address with a port nor `off`"))
}

/// The effective values, one `NAME=value` a line, secrets masked.
#[must_use]
pub fn effective(command: &Command, matches: &ArgMatches) -> String {
    let mut lines: Vec<String> = command
        .get_arguments()
        .filter_map(|arg| {
            let name = arg.get_env()?.to_string_lossy().into_owned();
            let values = matches.get_raw(arg.get_id().as_str());
            let value = values.map(|raw| raw.map(|v| v.to_string_lossy()).collect::<Vec<_>>().join(","));
            Some(format!("{name}={}", shown(&name, &value.unwrap_or_default())))
        })
        .collect();
    lines.sort();
    lines.into_iter().fold(String::new(), |mut all, line| {
        let _ = writeln!(all, "{line}");
        all
    })
}

fn shown(name: &str, value: &str) -> String {
    let secret = ["PASSWORD", "SECRET", "KEY", "TOKEN"].iter().any(|word| name.ends_with(word));
    // What is meant to be a URL with a password and is none may hold one all the same.
    let garbled = ["DATABASE_URL", "REDIS_URL"].iter().any(|word| name.ends_with(word)) && !value.contains("://");
    if (secret || garbled) && !value.is_empty() { "********".to_owned() } else { mask_url(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(clap::Parser)]
    struct Cli {
        #[command(flatten)]
        settings: Settings,
    }

    #[test]
    fn effective_values_show_no_secret() {
        let command = <Cli as clap::CommandFactory>::command();
        let matches = command.clone().get_matches_from(["x", "--service-secret", "hush", "--database-url", "postgres://a:pw@h/d"]);
        let text = effective(&command, &matches);
        assert!(
            text.contains("PATIO_SERVICE_SECRET=********\n") && text.contains("PATIO_DATABASE_URL=postgres://a:********@h/d\n"),
            "{text}"
        );
        assert!(!text.contains("hush") && !text.contains("pw@"));
        assert_eq!(shown("PATIO_REDIS_URL", "redis:hush"), "********");
        let cli = <Cli as clap::FromArgMatches>::from_arg_matches(&matches).unwrap();
        assert_eq!(cli.settings.admin_listen, Listen(Some(([127, 0, 0, 1], 0).into())));
    }

    #[test]
    fn a_database_of_another_kind_is_refused_without_showing_its_url() {
        let told = |url: &str| <Cli as clap::Parser>::parse_from(["x", "--database-url", url]).settings.check();
        assert!(told("postgres://a:pw@h/d").is_ok());
        let refused = told("mysql://a:pw@h/d").unwrap_err().to_string();
        assert!(refused.contains("must begin with postgres://") && !refused.contains("pw"), "{refused}");
    }

    #[test]
    fn saves_may_be_lost_only_when_it_is_said() {
        let told = |args: &[&str]| <Cli as clap::Parser>::parse_from([&["x"], args].concat()).settings.may_lose_saves;
        assert_eq!([told(&["--unsafe"]), told(&["--unsafe=true"]), told(&["--unsafe=false"])], [true, true, false]);
        let command = <Cli as clap::CommandFactory>::command();
        let unsaid = command.get_arguments().find(|arg| arg.get_long() == Some("unsafe")).unwrap().get_default_values();
        assert_eq!(unsaid, ["false"]);
    }
}
