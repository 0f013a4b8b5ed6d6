//! Whether `PostgreSQL` answers at all. One that is frozen, or behind a network that swallows everything, keeps its
//! connections and lets wait whoever asked it for something, however little that was.
use crate::lifecycle::Tasks;
use sqlx::{ConnectOptions, Connection, PgConnection, postgres::PgConnectOptions};
use std::time::Duration;
use tokio::{sync::watch, time::timeout};

/// How often it is asked.
const EVERY: Duration = Duration::from_millis(250);
/// How long an answer that costs it nothing is waited for; with [`EVERY`] less than any call may take.
const PATIENCE: Duration = Duration::from_millis(1750);

/// Asks over a connection of its own, so that no work stands before the question.
pub(super) struct Heartbeat {
    options: PgConnectOptions,
    silent: watch::Sender<bool>,
}

impl Heartbeat {
    pub(super) fn new(options: PgConnectOptions) -> Self {
        Self { options, silent: watch::Sender::new(false) }
    }

    /// Asks until the process stops.
    pub(super) async fn follow(&self, tasks: &Tasks) {
        let mut connection = None;
        while !tasks.is_stopping() {
            let heard = timeout(PATIENCE, self.ask(&mut connection)).await;
            if !matches!(heard, Ok(Ok(()))) {
                connection = None;
            }
            let is_silent = heard.is_err(); // a server that is not there says so at once, also to everybody else
            if self.silent.send_replace(is_silent) != is_silent {
                tracing::warn!("{}", if is_silent { "the database answers nothing" } else { "the database answers again" });
            }
            tokio::select! {
                () = tokio::time::sleep(EVERY) => {}
                () = tasks.stopped() => {}
            }
        }
        if let Some(connection) = connection
            && let Err(cause) = connection.close().await
        {
            tracing::debug!(%cause, "a connection did not end well");
        }
    }

    async fn ask(&self, connection: &mut Option<PgConnection>) -> Result<(), sqlx::Error> {
        match connection {
            Some(connection) => connection.ping().await,
            None => {
                *connection = Some(self.options.connect().await?);
                Ok(())
            }
        }
    }

    /// Returns as soon as it has answered nothing for too long.
    pub(super) async fn silence(&self) {
        // An error would tell that nobody asks any more, which cannot be while this is borrowed.
        let _ = self.silent.subscribe().wait_for(|is_silent| *is_silent).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use patio_testing::patience;
    use std::sync::Arc;
    use tokio::{net::TcpListener, time::Instant};

    /// One that asks a server on this machine.
    fn asking(port: u16) -> (Arc<Heartbeat>, Tasks) {
        let heartbeat = Arc::new(Heartbeat::new(PgConnectOptions::new_without_pgpass().host("127.0.0.1").port(port)));
        let tasks = Tasks::default();
        let (own, told) = (heartbeat.clone(), tasks.clone());
        tasks.spawn(async move { own.follow(&told).await });
        (heartbeat, tasks)
    }

    #[tokio::test]
    async fn a_server_that_takes_connections_and_says_nothing_is_silent() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (began, (heartbeat, tasks)) = (Instant::now(), asking(listener.local_addr().unwrap().port()));
        heartbeat.silence().await;
        assert!(began.elapsed() >= PATIENCE && began.elapsed() < patience(PATIENCE + EVERY + EVERY), "{:?}", began.elapsed());
        tasks.finish().await;
    }

    #[tokio::test]
    async fn a_server_that_is_not_there_says_so_itself() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let (heartbeat, tasks) = asking(port);
        assert!(timeout(PATIENCE + EVERY + EVERY, heartbeat.silence()).await.is_err());
        tasks.finish().await;
    }
}
