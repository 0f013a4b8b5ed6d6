//! Metrics of the inspection work: number of active users, and number of saves that devices have not sent to the server yet.
use crate::store::{activity_counts, pending_saves};
use patio_kit::{db::Db, service_host::ServiceHost, telemetry::to_gauge_value};
use std::time::Duration;

/// Interval at which the numbers of active users and of pending saves are read from the database and published as metrics.
const INTERVAL: Duration = Duration::from_secs(30);

/// Starts the background task that publishes the numbers of active users and of pending saves as metrics. All replicas publish the same
/// numbers.
pub fn spawn_usage_metrics_update(host: &ServiceHost, db: Db) {
    let clock = host.clock.clone();
    host.tasks.spawn_repeating(INTERVAL, move || {
        let (db, hour) = (db.clone(), activity_counts::hours_since_epoch(clock.now()));
        async move {
            match tokio::try_join!(activity_counts::count_active_users(&db, hour - 1), pending_saves::count_pending_saves(&db)) {
                Ok((users, saves)) => {
                    let number = |count: i64| to_gauge_value(usize::try_from(count).unwrap_or_default());
                    metrics::gauge!("patio_users_saving").set(number(users));
                    metrics::gauge!("patio_outbox_pending_saves").set(number(saves));
                }
                Err(cause) => tracing::debug!(%cause, "failed to update the metrics of active users and pending saves, retrying"),
            }
        }
    });
}
