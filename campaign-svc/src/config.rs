//! Settings of campaign-svc, in addition to the common settings of all services.
use clap::Args;
use std::time::Duration;

/// Interval between runs of the sweeper.
const SWEEP_INTERVAL: Duration = Duration::from_secs(5);

/// Settings of campaign-svc. Operators can change none of them; tests change the interval of the sweeper.
#[derive(Debug, Clone, Args)]
#[group(skip)]
pub struct Config {
    /// Interval between runs of the sweeper, which completes or reverts work left unfinished by a crash. Only tests change it.
    #[arg(skip = SWEEP_INTERVAL)]
    pub sweep_interval: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Self { sweep_interval: SWEEP_INTERVAL }
    }
}
