//! Settings of campaign-svc, in addition to the common settings of all services.
use clap::Args;
use std::time::Duration;

/// Settings of campaign-svc, read from the command line and the environment.
#[derive(Debug, Clone, Args)]
#[group(skip)]
pub struct Config {
    /// Seconds between runs of the sweeper, which completes or reverts work left unfinished by a crash.
    #[arg(long, env = "PATIO_CAMPAIGN_SWEEP_SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    pub campaign_sweep_seconds: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self { campaign_sweep_seconds: 5 }
    }
}

impl Config {
    /// Returns the interval between runs of the sweeper.
    #[must_use]
    pub fn sweep_every(&self) -> Duration {
        Duration::from_secs(self.campaign_sweep_seconds)
    }
}
