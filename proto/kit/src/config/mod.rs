//! Settings that all programs of Patio share, read from environment variables or flags.
pub mod environment;
pub mod secret;

use crate::config::secret::{Secret, mask_url};
use clap::{ArgMatches, Args, Command};
use std::{fmt::Write, net::SocketAddr, path::PathBuf, time::Duration};

/// Exit code of a program that rejects its settings, `EX_CONFIG` of sysexits.
pub const EXIT_INVALID_SETTING: u8 = 78;

/// Error for a missing or invalid setting. The message names the setting, the fault and its fix, but contains no secret values.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct InvalidSetting(pub String);

impl InvalidSetting {
    /// Returns an error with `message` unless the setting is valid.
    ///
    /// # Errors
    /// Returns an [`InvalidSetting`] when `valid` is false.
    pub fn ensure(valid: bool, message: impl FnOnce() -> String) -> anyhow::Result<()> {
        if valid { Ok(()) } else { Err(Self(message()).into()) }
    }

    /// Converts an error about a setting into an [`InvalidSetting`] with the same message.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "an argument of map_err")]
    pub fn wrap_error(cause: anyhow::Error) -> anyhow::Error {
        Self(format!("{cause:#}")).into()
    }
}

/// Help heading of the settings for operating Patio. Settings for everyday use have no heading. README contains one table per
/// heading.
pub const OPERATION_HELP_HEADING: &str = "Operating";
/// Help heading of the settings that are rarely changed.
pub const TUNING_HELP_HEADING: &str = "Tuning, rarely needed";

/// Settings that all programs of Patio share.
#[derive(Debug, Clone, Args)]
pub struct Settings {
    /// Folder of the SQLite files.
    #[arg(long, env = "PATIO_DATA_DIR", default_value = "data")]
    pub data_dir: PathBuf,
    /// File to which each seal of the audit log is appended, and which `audit verify` compares with the database. Defaults to
    /// `seals.log` in the data folder with SQLite, and to no file with PostgreSQL.
    #[arg(long, env = "PATIO_SEAL_FILE", help_heading = OPERATION_HELP_HEADING)]
    pub seal_file: Option<PathBuf>,
    /// URL of a PostgreSQL database, `postgres://user:password@host/name`, or of a pooler in session mode. Several hosts separated
    /// by commas are the servers of one cluster; Patio uses the server that accepts writes. If unset, SQLite files are used.
    #[arg(long, env = "PATIO_DATABASE_URL", hide_env_values = true)]
    pub database_url: Option<Secret>,
    /// URL of a PostgreSQL standby that serves lists, reports, exports and the audit log. The standby belongs to the same cluster as
    /// the primary; one host name may lead to several standbys. A standby that is unavailable, slow or behind is not used. If unset,
    /// the primary serves all queries.
    #[arg(long, env = "PATIO_DATABASE_READ_URL", hide_env_values = true, help_heading = OPERATION_HELP_HEADING)]
    pub database_read_url: Option<Secret>,
    /// Allows a service in its own process to store its data in SQLite files. Only one replica of the service may run then.
    #[arg(long, env = "PATIO_SEPARATE_SQLITE", help_heading = OPERATION_HELP_HEADING)]
    #[arg(default_value_t = false, action = clap::ArgAction::Set)]
    pub separate_sqlite: bool,
    /// Maximum number of PostgreSQL connections for writes, for each service that runs in the process. Reads use up to 3/8 of this
    /// number in addition.
    #[arg(long, env = "PATIO_DATABASE_MAX_CONNECTIONS", help_heading = TUNING_HELP_HEADING, default_value_t = 16,
        value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub database_connections: u32,
    /// URL of the Redis server that all replicas share, `redis://host:port`, or `rediss://host:port` over TLS; each installation needs
    /// its own database number. If unset, each process has its own cache.
    #[arg(long, env = "PATIO_REDIS_URL", hide_env_values = true)]
    pub redis_url: Option<Secret>,
    /// PEM file with the CA certificates that are trusted for a Redis server over TLS. Defaults to the public authorities.
    #[arg(long, env = "PATIO_REDIS_CA_FILE", help_heading = OPERATION_HELP_HEADING)]
    pub redis_ca: Option<PathBuf>,
    /// Secret with which services authenticate to auth-svc. Required, with the same value, when services run in separate
    /// processes. To change it, set several values separated by commas, the new value first: the first value is used, and all
    /// values are accepted.
    #[arg(long, env = "PATIO_SERVICE_SECRET", help_heading = OPERATION_HELP_HEADING, default_value = "", hide_env_values = true)]
    pub service_secret: Secret,
    /// Folder with `tls.crt`, `tls.key` and `ca.crt` (PEM) for mutual TLS between services. The URLs of services then have
    /// to begin with `https://`. Changed files are reloaded without a restart.
    #[arg(long, env = "PATIO_SERVICE_TLS", help_heading = OPERATION_HELP_HEADING)]
    pub service_tls: Option<PathBuf>,
    /// URL of auth-svc: one host name that resolves to all replicas, or several URLs separated by commas.
    #[arg(long, env = "PATIO_AUTH_URL", help_heading = OPERATION_HELP_HEADING, default_value = "http://127.0.0.1:50051")]
    pub auth_url: String,
    /// URL of campaign-svc: one host name that resolves to all replicas, or several URLs separated by commas.
    #[arg(long, env = "PATIO_CAMPAIGN_URL", help_heading = OPERATION_HELP_HEADING, default_value = "http://127.0.0.1:50052")]
    pub campaign_url: String,
    /// URL of vehicle-svc: one host name that resolves to all replicas, or several URLs separated by commas.
    #[arg(long, env = "PATIO_VEHICLE_URL", help_heading = OPERATION_HELP_HEADING, default_value = "http://127.0.0.1:50053")]
    pub vehicle_url: String,
    /// URL of import-svc: one host name that resolves to all replicas, or several URLs separated by commas.
    #[arg(long, env = "PATIO_IMPORT_URL", help_heading = OPERATION_HELP_HEADING, default_value = "http://127.0.0.1:50054")]
    pub import_url: String,
    /// Allows a PostgreSQL server whose settings could lose acknowledged saves in a crash, such as `fsync = off`.
    #[arg(long = "unsafe", env = "PATIO_ALLOW_DATA_LOSS", help_heading = OPERATION_HELP_HEADING, default_value_t = false,
        action = clap::ArgAction::Set,
        num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub allow_data_loss: bool,
    /// Address of the metrics and health endpoints, on a separate port; `off` disables them.
    #[arg(long, env = "PATIO_METRICS_LISTEN", help_heading = OPERATION_HELP_HEADING, default_value = "127.0.0.1:0",
        value_parser = listen_or_off)]
    pub admin_listen: ListenAddress,
    /// Time in seconds after SIGTERM during which the process reports that it is not ready, but still accepts requests.
    #[arg(long, env = "PATIO_SHUTDOWN_DELAY_SECONDS", help_heading = OPERATION_HELP_HEADING, default_value = "1", value_parser = seconds)]
    pub shutdown_delay_seconds: Duration,
    /// Log level: `error`, `warn`, `info` or `debug`, for all modules or per module, such as `info,vehicle_svc=debug`.
    #[arg(long, env = "PATIO_LOG", help_heading = OPERATION_HELP_HEADING, default_value = "info")]
    pub log: String,
    /// Whether log events are written as JSON, one per line.
    #[arg(long, env = "PATIO_LOG_JSON", help_heading = OPERATION_HELP_HEADING, default_value_t = false, action = clap::ArgAction::Set)]
    pub log_json: bool,
    /// URL of the trace collector (OTLP over gRPC), such as `http://collector:4317`, or `https://collector:4317` over TLS. If unset,
    /// no traces are sent.
    #[arg(long, env = "PATIO_OTLP_ENDPOINT", help_heading = OPERATION_HELP_HEADING)]
    pub otlp_url: Option<String>,
    /// Headers that the trace collector requires, such as `authorization=Bearer abc`; several are separated by commas.
    #[arg(long, env = "PATIO_OTLP_HEADERS", help_heading = OPERATION_HELP_HEADING, default_value = "", hide_env_values = true)]
    pub otlp_headers: Secret,
    /// PEM file with the CA certificates that are trusted for a trace collector over TLS. Defaults to the public authorities.
    #[arg(long, env = "PATIO_OTLP_CA_FILE", help_heading = OPERATION_HELP_HEADING)]
    pub otlp_ca: Option<PathBuf>,
    /// Share of requests that are traced, 0 to 1. A request that arrives with a trace context keeps that trace's sampling decision.
    #[arg(long, env = "PATIO_OTLP_SAMPLE_RATIO", help_heading = OPERATION_HELP_HEADING, default_value_t = 1.0, value_parser = share)]
    pub otlp_sample_ratio: f64,
    /// Whether services offer gRPC reflection.
    #[arg(long, env = "PATIO_REFLECTION", help_heading = OPERATION_HELP_HEADING, default_value_t = false, action = clap::ArgAction::Set)]
    pub reflection: bool,
}

/// Address to listen on; `None` when listening is off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListenAddress(pub Option<SocketAddr>);

impl Settings {
    /// Returns the program name and the URLs of each of the four services.
    #[must_use]
    pub fn service_urls(&self) -> [(&'static str, &str); 4] {
        [
            ("auth-svc", &self.auth_url),
            ("campaign-svc", &self.campaign_url),
            ("vehicle-svc", &self.vehicle_url),
            ("import-svc", &self.import_url),
        ]
    }

    /// Checks that the URLs of the database and of its read replica are `PostgreSQL` URLs.
    ///
    /// The check is deliberately not a clap validator: clap prints the rejected value, and a database URL may contain a password.
    ///
    /// # Errors
    /// Returns an error when a URL has another scheme, or when only the URL of the read replica is set.
    pub fn check_database_urls(&self) -> anyhow::Result<()> {
        let known = |url: &Secret| ["postgres://", "postgresql://"].iter().any(|scheme| url.expose().starts_with(scheme));
        InvalidSetting::ensure(self.database_url.as_ref().is_none_or(known), || {
            "PATIO_DATABASE_URL must begin with postgres://; for SQLite leave it out and set PATIO_DATA_DIR".to_owned()
        })?;
        InvalidSetting::ensure(self.database_read_url.as_ref().is_none_or(|url| known(url) && self.database_url.is_some()), || {
            "PATIO_DATABASE_READ_URL must begin with postgres:// and lead to a standby of PATIO_DATABASE_URL, which must be set as well"
                .to_owned()
        })
    }

    /// Returns the file to which the seals (hash-chain links) of the audit log are appended; `None` when the seals are only logged.
    #[must_use]
    pub fn audit_seal_file_path(&self) -> Option<PathBuf> {
        let beside = || self.database_url.is_none().then(|| self.data_dir.join("seals.log"));
        self.seal_file.clone().or_else(beside)
    }

    /// Checks that a service in its own process has a valid database URL, or is allowed to use `SQLite`.
    ///
    /// Without this check, a missing or misspelt setting would give each replica SQLite files of its own, which would be lost
    /// with the replica's container.
    ///
    /// # Errors
    /// Returns an error when neither a database URL is set nor SQLite is allowed.
    pub fn require_database_url(&self) -> anyhow::Result<()> {
        InvalidSetting::ensure(self.database_url.is_some() || self.separate_sqlite, || {
            "PATIO_DATABASE_URL is not set: set it to postgres://user:password@host:port/name, or set PATIO_SEPARATE_SQLITE=true to store \
             the data of this one replica in SQLite files in PATIO_DATA_DIR"
                .to_owned()
        })?;
        self.check_database_urls()
    }

    /// Checks that a service that runs in its own process has a valid service secret.
    ///
    /// # Errors
    /// Returns an error when the secret is not set, and the errors of [`Self::check_service_secret`].
    pub fn require_service_secret(&self) -> anyhow::Result<()> {
        InvalidSetting::ensure(self.service_secret.split_values().next().is_some(), || {
            "PATIO_SERVICE_SECRET is not set: services in separate processes need the same value, for example from `openssl rand -hex 16`"
                .to_owned()
        })?;
        self.check_service_secret()
    }

    /// Checks that the service secret is long enough to resist guessing.
    ///
    /// # Errors
    /// Returns an error when one of the secret's values has fewer than [`MIN_SERVICE_SECRET_LEN`] characters.
    pub fn check_service_secret(&self) -> anyhow::Result<()> {
        InvalidSetting::ensure(self.service_secret.split_values().all(|value| value.len() >= MIN_SERVICE_SECRET_LEN), || {
            format!(
                "PATIO_SERVICE_SECRET: a value is shorter than {MIN_SERVICE_SECRET_LEN} characters; generate one with `openssl rand -hex 16`"
            )
        })
    }
}

/// Minimum length of a service secret, in characters.
pub const MIN_SERVICE_SECRET_LEN: usize = 16;

fn seconds(written: &str) -> Result<Duration, String> {
    let number = written.parse::<f64>().ok().filter(|number| (0.0..=600.0).contains(number));
    number.map(Duration::from_secs_f64).ok_or_else(|| format!("`{written}` is not a number of seconds between 0 and 600"))
}

fn share(written: &str) -> Result<f64, String> {
    written.parse().ok().filter(|share| (0.0..=1.0).contains(share)).ok_or_else(|| format!("`{written}` is not a number between 0 and 1"))
}

fn listen_or_off(written: &str) -> Result<ListenAddress, String> {
    if written == "off" {
        return Ok(ListenAddress(None));
    }
    written
        .parse()
        .map(|address| ListenAddress(Some(address)))
        .map_err(|_| format!("`{written}` is neither an address with a port nor `off`"))
}

/// Returns the effective settings, one `NAME=value` per line, with secrets masked.
#[must_use]
pub fn format_effective_settings(command: &Command, matches: &ArgMatches) -> String {
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
    let secret = ["PASSWORD", "SECRET", "KEY", "TOKEN", "HEADERS"].iter().any(|word| name.ends_with(word));
    // A malformed database or Redis URL may still contain a password.
    let garbled = ["DATABASE_URL", "DATABASE_READ_URL", "REDIS_URL"].iter().any(|word| name.ends_with(word)) && !value.contains("://");
    if (secret || garbled) && !value.is_empty() { "********".to_owned() } else { mask_url(value) }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    #[derive(clap::Parser)]
    struct Cli {
        #[command(flatten)]
        settings: Settings,
    }

    /// Returns the settings of a command line with these options.
    pub(crate) fn parse_settings(options: &[&str]) -> Settings {
        <Cli as clap::Parser>::parse_from([&["x"], options].concat()).settings
    }

    #[test]
    fn effective_values_show_no_secret() {
        let command = <Cli as clap::CommandFactory>::command();
        let matches = command.clone().get_matches_from(["x", "--service-secret", "hush", "--database-url", "postgres://a:pw@h/d"]);
        let text = format_effective_settings(&command, &matches);
        assert!(
            text.contains("PATIO_SERVICE_SECRET=********\n") && text.contains("PATIO_DATABASE_URL=postgres://a:********@h/d\n"),
            "{text}"
        );
        assert!(!text.contains("hush") && !text.contains("pw@"));
        assert_eq!(shown("PATIO_REDIS_URL", "redis:hush"), "********");
        let cli = <Cli as clap::FromArgMatches>::from_arg_matches(&matches).unwrap();
        assert_eq!(cli.settings.admin_listen, ListenAddress(Some(([127, 0, 0, 1], 0).into())));
    }

    #[test]
    fn a_database_of_another_kind_is_refused_without_showing_its_url() {
        let check_url = |url: &str| parse_settings(&["--database-url", url]).check_database_urls();
        assert!(check_url("postgres://a:pw@h/d").is_ok());
        let refused = check_url("mysql://a:pw@h/d").unwrap_err().to_string();
        assert!(refused.contains("must begin with postgres://") && !refused.contains("pw"), "{refused}");
    }

    #[test]
    fn unsafe_durability_is_allowed_only_by_the_flag() {
        let allow_data_loss_with = |args: &[&str]| parse_settings(args).allow_data_loss;
        assert_eq!(
            [allow_data_loss_with(&["--unsafe"]), allow_data_loss_with(&["--unsafe=true"]), allow_data_loss_with(&["--unsafe=false"])],
            [true, true, false]
        );
        let command = <Cli as clap::CommandFactory>::command();
        let unsaid = command.get_arguments().find(|arg| arg.get_long() == Some("unsafe")).unwrap().get_default_values();
        assert_eq!(unsaid, ["false"]);
    }

    #[test]
    fn a_value_that_help_hides_is_masked_everywhere_and_no_other_value_is() {
        let command = <Cli as clap::CommandFactory>::command();
        for arg in command.get_arguments() {
            let Some(name) = arg.get_env().map(|name| name.to_string_lossy()) else { continue };
            assert_eq!(shown(&name, "hush") == "********", arg.is_hide_env_values_set(), "{name}");
        }
        let (postgres, redis) = ("postgres://a:hush@h/d", "redis://:hush@h");
        let urls = ["--database-url", postgres, "--database-read-url", postgres, "--redis-url", redis];
        let secrets = ["--service-secret", "hush", "--otlp-headers", "authorization=hush"];
        let settings = format!("{:?}", parse_settings(&[&urls[..], &secrets].concat()));
        assert_eq!((settings.matches("********").count(), settings.contains("hush")), (5, false), "{settings}");
    }

    #[test]
    fn a_value_out_of_range_is_rejected() {
        assert_eq!(["0", "0.5", "600"].map(seconds), [0, 500, 600_000].map(|millis| Ok(Duration::from_millis(millis))));
        assert!(["-1", "600.1", "NaN", "inf", "1s", ""].iter().all(|wrong| seconds(wrong).is_err_and(|cause| cause.contains(wrong))));
        assert_eq!(["0", "0.25", "1"].map(share), [0.0, 0.25, 1.0].map(Ok));
        assert!(["-0.1", "1.1", "NaN", "half", ""].iter().all(|wrong| share(wrong).is_err_and(|cause| cause.contains(wrong))));
        assert_eq!(listen_or_off("off"), Ok(ListenAddress(None)));
        assert_eq!(listen_or_off("127.0.0.1:9090"), Ok(ListenAddress(Some(([127, 0, 0, 1], 9090).into()))));
        assert!(["OFF", "9090", "localhost:9090", ""].iter().all(|wrong| listen_or_off(wrong).is_err()));
        let has_valid_pool_size = |size: &str| <Cli as clap::Parser>::try_parse_from(["x", "--database-connections", size]).is_ok();
        assert_eq!(["1", "2", "1000", "1001"].map(has_valid_pool_size), [false, true, true, false]);
    }

    #[test]
    fn each_value_of_a_service_secret_must_be_long() {
        let check =
            |secret: &str| parse_settings(&["--service-secret", secret]).require_service_secret().map_err(|cause| cause.to_string());
        let (short, long) = ("fifteen letters", "sixteen letters!");
        assert_eq!([check(long), check(&format!("{long}, {long},"))], [Ok(()), Ok(())]);
        for (secret, words) in
            [("", "is not set"), (" , ", "is not set"), (short, "shorter than 16"), (&format!("{long},{short}"), "shorter")]
        {
            let refused = check(secret).unwrap_err();
            assert!(refused.starts_with("PATIO_SERVICE_SECRET") && refused.contains(words) && !refused.contains("letters"), "{refused}");
        }
    }

    #[test]
    fn a_read_replica_needs_a_primary_and_only_sqlite_has_a_seal_file_of_its_own() {
        let (primary, standby) = (["--database-url", "postgres://a@h/d"], ["--database-read-url", "postgresql://a@s/d"]);
        assert!(parse_settings(&[primary, standby].concat()).check_database_urls().is_ok());
        assert!(parse_settings(&standby).check_database_urls().is_err());
        assert!(parse_settings(&[primary, ["--database-read-url", "redis://s"]].concat()).check_database_urls().is_err());
        assert_eq!(parse_settings(&["--data-dir", "d"]).audit_seal_file_path(), Some("d/seals.log".into()));
        assert_eq!(parse_settings(&primary).audit_seal_file_path(), None);
        assert_eq!(parse_settings(&[primary, ["--seal-file", "s"]].concat()).audit_seal_file_path(), Some("s".into()));
    }
}
