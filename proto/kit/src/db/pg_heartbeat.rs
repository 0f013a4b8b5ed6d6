//! Heartbeat that detects a `PostgreSQL` server which no longer responds.
//!
//! A frozen server, or a network that drops all packets, keeps connections open. Statements then wait without an error.
use crate::{database_state::is_failover_suspected, db::pg_cluster::PgCluster, lifecycle::BackgroundTasks, user_activity::UserActivity};
use sqlx::{ConnectOptions, Connection, PgConnection};
use std::{sync::Arc, time::Duration};
use tokio::{sync::watch, time::timeout};

/// Pause between two database heartbeats while users send requests.
const HEARTBEAT_PAUSE: Duration = Duration::from_millis(250);
/// Pause between two database heartbeats while users send no requests.
const IDLE_HEARTBEAT_PAUSE: Duration = Duration::from_secs(2);
/// Timeout of one database heartbeat. This timeout plus [`HEARTBEAT_PAUSE`] is shorter than the time limit of any request.
const HEARTBEAT_TIMEOUT: Duration = Duration::from_millis(1750);

/// Heartbeat of the primary of a `PostgreSQL` cluster. The heartbeat has its own connection, so that it never queues behind other
/// statements.
pub(super) struct Heartbeat {
    cluster: Arc<PgCluster>,
    silent: watch::Sender<bool>,
}

impl Heartbeat {
    pub(super) fn new(cluster: Arc<PgCluster>) -> Self {
        Self { cluster, silent: watch::Sender::new(false) }
    }

    /// Sends heartbeats to the primary until the process stops. When a heartbeat fails, searches the cluster for a new primary.
    pub(super) async fn send_heartbeats(&self, tasks: &BackgroundTasks, activity: &UserActivity) {
        let mut connection = None;
        while !tasks.is_stopping() {
            let ping = timeout(HEARTBEAT_TIMEOUT, self.ping(&mut connection)).await;
            let is_lost = !matches!(ping, Ok(Ok(()))) || is_failover_suspected();
            if is_lost {
                connection = None;
            }
            let is_silent = ping.is_err(); // a server that is down refuses connections at once, which every statement notices itself
            if self.silent.send_replace(is_silent) != is_silent {
                let database = crate::database_state::describe_database_address();
                if is_silent {
                    tracing::warn!(
                        database,
                        "database does not respond to the heartbeat query, reconnecting and aborting long-running calls"
                    );
                } else {
                    tracing::info!(database, "database responds again");
                }
            }
            if is_lost {
                self.cluster.switch_to_new_primary().await;
            }
            let idle_pause = if is_lost { HEARTBEAT_PAUSE } else { IDLE_HEARTBEAT_PAUSE };
            tokio::select! {
                () = activity.sleep_until_next_poll(HEARTBEAT_PAUSE, idle_pause) => {}
                () = tasks.wait_until_stopping() => {}
            }
        }
        if let Some(connection) = connection
            && let Err(cause) = connection.close().await
        {
            tracing::debug!(%cause, "failed to close the connection of the database health check");
        }
    }

    async fn ping(&self, connection: &mut Option<PgConnection>) -> Result<(), sqlx::Error> {
        match connection {
            Some(connection) => connection.ping().await,
            None => {
                *connection = Some(self.cluster.primary().options.connect().await?);
                Ok(())
            }
        }
    }

    /// Waits until a heartbeat times out, because the database server no longer responds.
    pub(super) async fn wait_until_unresponsive(&self) {
        // An error would mean that the sender was dropped, which cannot happen while `self` is borrowed.
        let _ = self.silent.subscribe().wait_for(|is_silent| *is_silent).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::{Schema, pg_hosts::PgHosts};
    use patio_testing::patience;
    use sqlx::migrate::Migrator;
    use tokio::{net::TcpListener, time::Instant};

    /// Starts the heartbeat of a server at a local port.
    async fn asking(port: u16) -> (Arc<Heartbeat>, BackgroundTasks) {
        let none: &'static Migrator = Box::leak(Box::new(Migrator::with_migrations(Vec::new())));
        let hosts = PgHosts::parse(&format!("postgres://patio@127.0.0.1:{port}/patio")).unwrap();
        let cluster = PgCluster::open(Schema { name: "heartbeat", sqlite: none, postgres: none }, hosts, 4).await;
        let heartbeat = Arc::new(Heartbeat::new(Arc::new(cluster)));
        let tasks = BackgroundTasks::default();
        let (own, shutdown) = (heartbeat.clone(), tasks.clone());
        tasks.spawn(async move { own.send_heartbeats(&shutdown, &UserActivity::default()).await });
        (heartbeat, tasks)
    }

    #[tokio::test]
    async fn a_server_that_accepts_connections_and_never_responds_is_unresponsive() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (began, (heartbeat, tasks)) = (Instant::now(), asking(listener.local_addr().unwrap().port()).await);
        heartbeat.wait_until_unresponsive().await;
        assert!(
            began.elapsed() >= HEARTBEAT_TIMEOUT && began.elapsed() < patience(HEARTBEAT_TIMEOUT + HEARTBEAT_PAUSE + HEARTBEAT_PAUSE),
            "{:?}",
            began.elapsed()
        );
        tasks.stop_and_wait().await;
    }

    #[tokio::test]
    async fn a_refused_connection_does_not_count_as_unresponsive() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let (heartbeat, tasks) = asking(port).await;
        assert!(timeout(HEARTBEAT_TIMEOUT + HEARTBEAT_PAUSE + HEARTBEAT_PAUSE, heartbeat.wait_until_unresponsive()).await.is_err());
        tasks.stop_and_wait().await;
    }
}
