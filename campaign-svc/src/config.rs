//! What campaign-svc is told beside the common settings.
use clap::Args;
use std::time::Duration;

/// The settings of campaign-svc.
#[derive(Debug, Clone, Args)]
#[group(skip)]
pub struct Config {
    /// Seconds between two looks at what a process that died may have left unfinished.
    #[arg(long, env = "PATIO_CAMPAIGN_SWEEP_SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    pub campaign_sweep_seconds: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self { campaign_sweep_seconds: 5 }
    }
}

impl Config {
    /// How long the sweeper rests.
    #[must_use]
    pub fn sweep_every(&self) -> Duration {
        Duration::from_secs(self.campaign_sweep_seconds)
    }
}
