//! Settings of campaign-svc, in addition to the common settings of all services.
use clap::Args;
use std::time::Duration;

/// Default interval at which the sweeper, a background task, completes or reverts work that a crash left unfinished.
const SWEEP_INTERVAL: Duration = Duration::from_secs(5);

/// Settings of campaign-svc. Installations always use the default values; only tests change the settings.
#[derive(Debug, Clone, Args)]
#[group(skip)]
pub struct Config {
    /// Interval at which the sweeper, a background task, completes or reverts work that a crash left unfinished. Only tests change this
    /// interval.
    #[arg(skip = SWEEP_INTERVAL)]
    pub sweep_interval: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Self { sweep_interval: SWEEP_INTERVAL }
    }
}
