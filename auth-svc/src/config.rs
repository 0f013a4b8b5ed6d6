//! What auth-svc is told beside the common settings.
use clap::Args;
use patio_kit::secret::Secret;

/// The hmc of the first supervisor when nothing is said.
const ADMIN_HMC: &str = "1000";
/// The developer code when nothing is said.
const DEVELOPER_HMC: &str = "DEV0";
/// How long a token lives when nothing is said: one shift.
const TOKEN_HOURS: i64 = 12;
/// After how many days a signing key is succeeded when nothing is said.
const KEY_DAYS: i64 = 30;
/// The longest a token can be told to live, in hours; revocations are kept longer than that.
pub const LONGEST_TOKEN_HOURS: i64 = 24;

/// What auth-svc is told beside the common settings.
#[derive(Debug, Clone, Args)]
#[group(skip)]
pub struct Config {
    /// The hmc of the first supervisor, made once on an empty database.
    #[arg(long, env = "PATIO_ADMIN_HMC", default_value = ADMIN_HMC)]
    pub admin_hmc: String,
    /// The first supervisor's password; generated and printed once when left out.
    #[arg(long, env = "PATIO_ADMIN_PASSWORD", hide_env_values = true)]
    pub admin_password: Option<Secret>,
    /// The developer code, the hmc of the reserved user 1.
    #[arg(long, env = "PATIO_DEVELOPER_HMC", default_value = DEVELOPER_HMC)]
    pub developer_hmc: String,
    /// The developer's password; without it that account cannot sign in.
    #[arg(long, env = "PATIO_DEVELOPER_PASSWORD", hide_env_values = true)]
    pub developer_password: Option<Secret>,
    /// How many hours a token lives, 1 to 24.
    #[arg(long, env = "PATIO_TOKEN_HOURS", default_value_t = TOKEN_HOURS, value_parser = clap::value_parser!(i64).range(1..=LONGEST_TOKEN_HOURS))]
    pub token_hours: i64,
    /// After how many days a signing key is succeeded by a new one, 1 to 3650.
    #[arg(long, env = "PATIO_KEY_DAYS", default_value_t = KEY_DAYS, value_parser = clap::value_parser!(i64).range(1..=3650))]
    pub key_days: i64,
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
        }
    }
}
