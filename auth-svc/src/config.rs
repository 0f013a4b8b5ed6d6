//! Settings of auth-svc, in addition to the common settings of all services.
use clap::Args;
use patio_kit::config::{TUNING_HELP_HEADING, secret::Secret};
use std::path::{Path, PathBuf};

/// Default login name (HMC) of the first supervisor.
const ADMIN_HMC: &str = "1000";
/// Default login name (HMC) of the developer account.
const DEVELOPER_HMC: &str = "DEV0";
/// Default lifetime of an access token in hours, which is the length of one work shift.
const TOKEN_HOURS: i64 = 12;
/// Default number of days after which the signing key is rotated.
const KEY_DAYS: i64 = 30;
/// Maximum configurable lifetime of an access token, in hours. When all sessions of a user are ended, the revocation is stored for one
/// hour longer than this maximum. By then, all revoked tokens have expired.
pub const MAX_TOKEN_LIFETIME_HOURS: i64 = 24;

/// Settings of auth-svc, read from the command line and the environment.
#[derive(Debug, Clone, Args)]
#[group(skip)]
pub struct Config {
    /// Login name (HMC) of the first supervisor, who is created once on an empty database.
    #[arg(long, env = "PATIO_ADMIN_HMC", default_value = ADMIN_HMC)]
    pub admin_hmc: String,
    /// Password of the first supervisor; a password is generated and printed once if this is not set.
    #[arg(long, env = "PATIO_ADMIN_PASSWORD", hide_env_values = true)]
    pub admin_password: Option<Secret>,
    /// Login name (HMC) of the reserved developer account, which has user id 1.
    #[arg(long, env = "PATIO_DEVELOPER_HMC", default_value = DEVELOPER_HMC)]
    pub developer_hmc: String,
    /// Password of the developer account; the developer account cannot sign in if this is not set.
    #[arg(long, env = "PATIO_DEVELOPER_PASSWORD", hide_env_values = true)]
    pub developer_password: Option<Secret>,
    /// Lifetime of an access token in hours, 1 to 24.
    #[arg(long, env = "PATIO_TOKEN_LIFETIME_HOURS", help_heading = TUNING_HELP_HEADING, default_value_t = TOKEN_HOURS,
        value_parser = clap::value_parser!(i64).range(1..=MAX_TOKEN_LIFETIME_HOURS))]
    pub token_hours: i64,
    /// Number of days after which the signing key is rotated, from 1 to 3650. A rotation does not end any session.
    #[arg(long, env = "PATIO_SIGNING_KEY_ROTATION_DAYS", help_heading = TUNING_HELP_HEADING, default_value_t = KEY_DAYS,
        value_parser = clap::value_parser!(i64).range(1..=3650))]
    pub key_days: i64,
    /// File with the sealing key, which encrypts the keys stored in the database. Each line is a key of 32 random bytes in
    /// base64, the current key first. Default: `auth.key` in the data folder; the file is created if the database is empty. All
    /// replicas of auth-svc need the same keys. Store a copy apart from the backups.
    #[arg(long, env = "PATIO_KEY_FILE")]
    pub key_file: Option<PathBuf>,
}

impl Config {
    /// Returns the path of the key file: the configured path, or `auth.key` in the data folder.
    #[must_use]
    pub fn key_file_path(&self, data_dir: &Path) -> PathBuf {
        self.key_file.clone().unwrap_or_else(|| data_dir.join("auth.key"))
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            admin_hmc: ADMIN_HMC.to_owned(),
            admin_password: None,
            developer_hmc: DEVELOPER_HMC.to_owned(),
            developer_password: None,
            token_hours: TOKEN_HOURS,
            key_days: KEY_DAYS,
            key_file: None,
        }
    }
}
