//! Publish/subscribe channel between the replicas of a service, through Redis. A replica without a connection misses messages,
//! because Redis does not store them.
use crate::{
    cache::{self, Cache, RedisConnection},
    service_host::ServiceHost,
};
use bytes::Bytes;
use futures::StreamExt;
use redis::{AsyncCommands, Client};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::sync::broadcast;

/// Maximum number of messages that a subscriber may lag behind. A slower subscriber loses the oldest messages and receives a lag
/// error.
const MAX_LAG: usize = 1_024;
/// Interval at which each replica publishes a heartbeat. A replica that receives no heartbeat knows that its subscription is broken.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(4);
/// Time without any message or heartbeat after which a replica subscribes to Redis again.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(10);
/// Pause before a replica subscribes to Redis again.
const RESUBSCRIBE_PAUSE: Duration = Duration::from_millis(500);
/// Length in bytes of the sender id, the prefix of each message that identifies the sending replica.
const SENDER_ID_LEN: usize = 16;

/// Item that a subscriber receives: a published message, or a notice that messages of other replicas may be lost.
#[derive(Debug, Clone)]
pub enum PubSubMessage {
    /// Message published by this or another replica.
    Event(Bytes),
    /// Notice that messages of other replicas may have been lost while this process was not subscribed to Redis.
    Lagged,
}

/// Publish/subscribe channel between the replicas of one service. Clones share the channel.
#[derive(Clone)]
pub struct PubSub {
    local: broadcast::Sender<PubSubMessage>,
    redis_connection: Option<RedisConnection>,
    channel: Arc<str>,
    sender_id: [u8; SENDER_ID_LEN],
    is_subscribed: Arc<AtomicBool>,
}

impl PubSub {
    /// Opens the channel `name` within this process and, when Redis is configured, between all replicas.
    ///
    /// # Errors
    /// Returns an error when the Redis URL is invalid.
    pub fn open(host: &ServiceHost, name: &str) -> anyhow::Result<Self> {
        let redis_connection = match &host.cache {
            Cache::Memory(_) => None,
            Cache::Redis(connection) => Some(connection.clone()),
        };
        let client = cache::open_redis_client(&host.settings)?.filter(|_| redis_connection.is_some());
        // A Redis channel spans all databases of a server. The database number in its name separates the Patio installations.
        let database = client.as_ref().map_or(0, |client| client.get_connection_info().redis_settings().db());
        let (local, _) = broadcast::channel(MAX_LAG);
        let is_subscribed = Arc::new(AtomicBool::new(redis_connection.is_none()));
        let sender_id = *uuid::Uuid::now_v7().as_bytes();
        let feed = Self { local, redis_connection, channel: format!("patio:{database}:{name}").into(), sender_id, is_subscribed };
        if let Some(client) = client {
            feed.spawn_subscription(host, client);
        }
        Ok(feed)
    }

    fn spawn_subscription(&self, host: &ServiceHost, client: Client) {
        let beating = self.clone();
        host.tasks.spawn_repeating(HEARTBEAT_INTERVAL, move || {
            let feed = beating.clone();
            async move {
                feed.publish_to_other_replicas(&[]).await;
            }
        });
        let (feed, tasks) = (self.clone(), host.tasks.clone());
        host.tasks.spawn(async move {
            while !tasks.is_stopping() {
                tokio::select! {
                    result = feed.receive_messages(&client) => {
                        if let Err(cause) = result {
                            if feed.is_subscribed.swap(false, Ordering::Relaxed) {
                                tracing::warn!(%cause, channel = %feed.channel, "redis subscription lost, reconnecting");
                            } else {
                                tracing::debug!(%cause, channel = %feed.channel, "redis subscription failed, retrying");
                            }
                        }
                    }
                    () = tasks.wait_until_stopping() => return,
                }
                tokio::time::sleep(RESUBSCRIBE_PAUSE).await;
            }
        });
    }

    /// Receives messages from Redis until the connection fails or no message arrives for [`SILENCE_TIMEOUT`]. Always returns an error.
    async fn receive_messages(&self, client: &Client) -> anyhow::Result<()> {
        let mut all = tokio::time::timeout(SILENCE_TIMEOUT, client.get_async_pubsub()).await??;
        tokio::time::timeout(SILENCE_TIMEOUT, all.subscribe(&*self.channel)).await??;
        self.is_subscribed.store(true, Ordering::Relaxed);
        tracing::info!(channel = %self.channel, "redis subscription active");
        let _ = self.local.send(PubSubMessage::Lagged);
        let mut messages = all.into_on_message();
        while let Some(message) = tokio::time::timeout(SILENCE_TIMEOUT, messages.next()).await? {
            let bytes = message.get_payload_bytes();
            if let Some((_, payload)) =
                bytes.split_at_checked(SENDER_ID_LEN).filter(|(name, payload)| *name != self.sender_id && !payload.is_empty())
            {
                let _ = self.local.send(PubSubMessage::Event(Bytes::copy_from_slice(payload)));
            }
        }
        anyhow::bail!("the redis connection was closed")
    }

    /// Publishes a message to the subscribers in this process and in other replicas. Returns `false` when publishing to other
    /// replicas failed.
    pub async fn publish(&self, message: Bytes) -> bool {
        let _ = self.local.send(PubSubMessage::Event(message.clone()));
        self.publish_to_other_replicas(&message).await
    }

    /// Publishes a message to other replicas only. Returns `false` when publishing failed, and `true` without Redis.
    pub async fn publish_to_other_replicas(&self, message: &[u8]) -> bool {
        let Some(redis) = &self.redis_connection else { return true };
        let whole = [&self.sender_id[..], message].concat();
        let published = redis.clone().publish::<_, _, i64>(&*self.channel, whole).await;
        published.inspect_err(|cause| redis.log_failure("messages to other replicas", cause)).is_ok()
    }

    /// Returns the name of the Redis channel.
    #[must_use]
    pub fn channel_name(&self) -> &str {
        &self.channel
    }

    /// Subscribes to all messages that are published after this call.
    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<PubSubMessage> {
        self.local.subscribe()
    }

    /// Returns `true` while this process is subscribed to messages of other replicas. Always returns `true` without Redis.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.is_subscribed.load(Ordering::Relaxed)
    }
}
