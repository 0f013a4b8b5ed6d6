//! Metric with the time of the last complete backup of the SQLite databases.
use anyhow::Context;
use patio_kit::{private_files, service_host::ServiceHost};
use std::{
    fs,
    future::ready,
    path::Path,
    time::{Duration, UNIX_EPOCH},
};

/// Name of the file in the data folder that holds the path of the last complete backup. The modification time of the file is the
/// time of the backup.
const LAST: &str = "last-backup";
/// Interval at which the time of the last backup is read for the metric.
const REPORT_INTERVAL: Duration = Duration::from_secs(5);

/// Records that a backup in `folder` is complete.
///
/// # Errors
/// Returns an error when the data folder is not writable.
pub fn record_backup(data: &Path, folder: &Path) -> anyhow::Result<()> {
    let last = data.join(LAST);
    private_files::create_private_file(&last)?;
    fs::write(&last, format!("{}\n", folder.display())).with_context(|| format!("cannot write {}", last.display()))
}

/// Spawns the task that publishes the time of the last complete backup as a metric. The metric is 0 before the first backup. Does
/// nothing on PostgreSQL, which other programs back up.
pub fn spawn_backup_metric_publisher(host: &ServiceHost) {
    if host.settings.database_url.is_some() {
        return;
    }
    let last = host.settings.data_dir.join(LAST);
    let set = move || {
        let written = fs::metadata(&last).and_then(|file| file.modified()).ok();
        let seconds = written.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map_or(0.0, |since| since.as_secs_f64());
        metrics::gauge!("patio_backup_last_success_timestamp_seconds").set(seconds);
    };
    set();
    host.tasks.spawn_repeating(REPORT_INTERVAL, move || {
        set();
        ready(())
    });
}
