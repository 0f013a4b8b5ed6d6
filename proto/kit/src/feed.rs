//! Telling what happened to all replicas of a service, as it happens. Nothing of it is kept.
use crate::{
    cache::{self, Cache},
    host::Host,
};
use bytes::Bytes;
use futures::StreamExt;
use redis::{AsyncCommands, Client, aio::ConnectionManager};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::sync::broadcast;

/// How many messages a listener may be behind; one that is slower loses them and is told so.
const BEHIND: usize = 1_024;
/// How often each replica proves to itself that it hears.
const BEAT: Duration = Duration::from_secs(4);
/// How long a replica hears nothing before it listens anew.
const SILENCE: Duration = Duration::from_secs(10);
/// How long it waits before that.
const AGAIN: Duration = Duration::from_millis(500);
/// How many bytes tell who a message is from.
const NAME: usize = 16;

/// What a listener hears.
#[derive(Debug, Clone)]
pub enum Heard {
    /// What somebody told.
    Told(Bytes),
    /// Something of others may have been missed.
    Missed,
}

/// A feed of one service; clones share it.
#[derive(Clone)]
pub struct Feed {
    here: broadcast::Sender<Heard>,
    elsewhere: Option<ConnectionManager>,
    channel: Arc<str>,
    own: [u8; NAME],
    hears: Arc<AtomicBool>,
}

impl Feed {
    /// Listens from now on: to this process, and to all replicas when there is a Redis server.
    ///
    /// # Errors
    /// When the address of the Redis server cannot be read.
    pub fn open(host: &Host, name: &str) -> anyhow::Result<Self> {
        let elsewhere = match &host.cache {
            Cache::Memory(_) => None,
            Cache::Redis(connection) => Some(connection.clone()),
        };
        let client = cache::client(&host.settings)?.filter(|_| elsewhere.is_some());
        // A server's databases share its channels: whoever has another database is another Patio.
        let database = client.as_ref().map_or(0, |client| client.get_connection_info().redis_settings().db());
        let (here, _) = broadcast::channel(BEHIND);
        let hears = Arc::new(AtomicBool::new(elsewhere.is_none()));
        let own = *uuid::Uuid::now_v7().as_bytes();
        let feed = Self { here, elsewhere, channel: format!("patio:{database}:{name}").into(), own, hears };
        if let Some(client) = client {
            feed.keep_hearing(host, client);
        }
        Ok(feed)
    }

    fn keep_hearing(&self, host: &Host, client: Client) {
        let beating = self.clone();
        host.tasks.repeat(BEAT, move || {
            let feed = beating.clone();
            async move {
                feed.tell_elsewhere(&[]).await;
            }
        });
        let (feed, tasks) = (self.clone(), host.tasks.clone());
        host.tasks.spawn(async move {
            while !tasks.is_stopping() {
                tokio::select! {
                    heard = feed.hear(&client) => {
                        if let Err(cause) = heard {
                            tracing::warn!(%cause, "other replicas are not heard");
                        }
                        feed.hears.store(false, Ordering::Relaxed);
                    }
                    () = tasks.stopped() => return,
                }
                tokio::time::sleep(AGAIN).await;
            }
        });
    }

    /// Hears other replicas until their messages, and one's own, stay away.
    async fn hear(&self, client: &Client) -> anyhow::Result<()> {
        let mut all = tokio::time::timeout(SILENCE, client.get_async_pubsub()).await??;
        tokio::time::timeout(SILENCE, all.subscribe(&*self.channel)).await??;
        self.hears.store(true, Ordering::Relaxed);
        let _ = self.here.send(Heard::Missed);
        let mut messages = all.into_on_message();
        while let Some(message) = tokio::time::timeout(SILENCE, messages.next()).await? {
            let bytes = message.get_payload_bytes();
            if let Some((_, told)) = bytes.split_at_checked(NAME).filter(|(name, told)| *name != self.own && !told.is_empty()) {
                let _ = self.here.send(Heard::Told(Bytes::copy_from_slice(told)));
            }
        }
        anyhow::bail!("the connection ended")
    }

    /// Tells a message to all who listen; false when other replicas could not be told.
    pub async fn tell(&self, message: Bytes) -> bool {
        let _ = self.here.send(Heard::Told(message.clone()));
        self.tell_elsewhere(&message).await
    }

    /// Tells a message to other replicas only; false when they could not be told.
    pub async fn tell_elsewhere(&self, message: &[u8]) -> bool {
        let Some(redis) = &self.elsewhere else { return true };
        let whole = [&self.own[..], message].concat();
        let told = redis.clone().publish::<_, _, i64>(&*self.channel, whole).await;
        told.inspect_err(|cause| tracing::warn!(%cause, "other replicas were not told")).is_ok()
    }

    /// Hears what is told from now on.
    #[must_use]
    pub fn listen(&self) -> broadcast::Receiver<Heard> {
        self.here.subscribe()
    }

    /// Whether other replicas are heard now, as far as there may be any.
    #[must_use]
    pub fn hears_all(&self) -> bool {
        self.hears.load(Ordering::Relaxed)
    }
}
