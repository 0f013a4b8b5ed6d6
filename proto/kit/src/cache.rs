//! Cache in the memory of one process, or in a Redis server that all replicas share. Cached values may be lost at any time.
mod redis_connection;

use crate::{
    config::{InvalidSetting, Settings},
    lifecycle::BackgroundTasks,
};
use anyhow::Context;
use redis::{AsyncCommands, Client, ErrorKind, Script, TlsCertificates, aio::ConnectionManagerConfig};
use serde::{Serialize, de::DeserializeOwned};
use std::{
    marker::PhantomData,
    sync::LazyLock,
    time::{Duration, Instant},
};

pub use redis_connection::RedisConnection;

/// Interval between two test writes to Redis. The metric `patio_redis_up` shows whether the last test write succeeded.
const PROBE_INTERVAL: Duration = Duration::from_secs(5);
/// Timeout of the check of the Redis server when the process starts.
const START_CHECK_TIMEOUT: Duration = Duration::from_secs(2);

/// Key of a cache entry, with the type of the cached value and the entry's time to live.
#[derive(Debug, Clone)]
pub struct CacheKey<T> {
    text: String,
    keep: Duration,
    holds: PhantomData<fn() -> T>,
}

impl<T> CacheKey<T> {
    /// Creates a cache key. `keep` is the time to live of the cache entry.
    #[must_use]
    pub fn new(text: String, keep: Duration) -> Self {
        Self { text: format!("patio:{text}"), keep, holds: PhantomData }
    }
}

/// Cache in memory or in Redis. A failed Redis request is logged and counts as a cache miss.
///
/// Clones share the cache.
#[derive(Clone)]
pub enum Cache {
    /// Cache in the memory of this process.
    Memory(moka::sync::Cache<String, CacheEntry>),
    /// Cache in Redis, shared by all replicas.
    Redis(RedisConnection),
}

/// Cached value as JSON, with the revision of the cached data and the expiry time.
#[derive(Debug, Clone)]
pub struct CacheEntry {
    revision: i64,
    json: String,
    until: Instant,
}

/// Expiry policy of the in-memory cache: each entry expires at its own time `until`.
struct Until;

impl moka::Expiry<String, CacheEntry> for Until {
    fn expire_after_create(&self, _: &String, held: &CacheEntry, now: Instant) -> Option<Duration> {
        Some(held.until.saturating_duration_since(now))
    }

    fn expire_after_update(&self, _: &String, held: &CacheEntry, now: Instant, _: Option<Duration>) -> Option<Duration> {
        Some(held.until.saturating_duration_since(now))
    }
}

static PUT_IF_NEWER_SCRIPT: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local held = redis.call('HGET', KEYS[1], 'r')
         if held and tonumber(held) > tonumber(ARGV[1]) then return 0 end
         redis.call('HSET', KEYS[1], 'r', ARGV[1], 'v', ARGV[2])
         redis.call('PEXPIRE', KEYS[1], ARGV[3])
         return 1",
    )
});

impl Cache {
    /// Creates a cache in the memory of this process.
    #[must_use]
    pub fn new_in_memory() -> Self {
        Self::Memory(moka::sync::Cache::builder().max_capacity(100_000).expire_after(Until).build())
    }

    /// Creates the cache that the settings select: in Redis when a Redis URL is set, otherwise in the memory of this process.
    ///
    /// The Redis server need not be running yet.
    ///
    /// # Errors
    /// Returns an error when the Redis URL is invalid or its CA file cannot be read.
    pub fn from_settings(settings: &Settings) -> anyhow::Result<Self> {
        open_redis_client(settings)?.map_or_else(|| Ok(Self::new_in_memory()), Self::with)
    }

    /// Checks that the Redis server is usable. Rejects a server with a permanent fault: a wrong password, a read-only replica, or a
    /// Redis Cluster.
    ///
    /// A server that is unreachable or full is accepted, because services read from the database until Redis is available again.
    ///
    /// # Errors
    /// Returns an [`InvalidSetting`] that names `PATIO_REDIS_URL`, the response of the server and how to fix the setting.
    pub async fn check_redis_usable(&self) -> anyhow::Result<()> {
        let Self::Redis(redis) = self else { return Ok(()) };
        let Ok(Err(cause)) = tokio::time::timeout(START_CHECK_TIMEOUT, redis.probe_write()).await else { return Ok(()) };
        let code = cause.code().unwrap_or_default();
        let advice = match (cause.kind(), code) {
            (ErrorKind::AuthenticationFailed, _) | (_, "NOAUTH" | "WRONGPASS" | "NOPERM") => {
                "correct the user and password in redis://user:password@host:port"
            }
            (_, "READONLY") => "this server is a read-only replica; name the primary",
            (_, "MOVED" | "ASK") => "this server is part of a Redis Cluster; use a single Redis server",
            _ => return Ok(()),
        };
        Err(InvalidSetting(format!("PATIO_REDIS_URL: {cause}; {advice}")).into())
    }

    /// Creates a cache in a Redis server, which need not be running yet.
    ///
    /// # Errors
    /// Returns an error when the URL is invalid.
    pub fn new_in_redis(url: &str) -> anyhow::Result<Self> {
        Self::with(Client::open(url)?)
    }

    fn with(client: Client) -> anyhow::Result<Self> {
        let timeout = Duration::from_millis(500);
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(timeout))
            .set_response_timeout(Some(timeout))
            .set_number_of_retries(1);
        Ok(Self::Redis(RedisConnection::open(client, config)?))
    }

    /// Returns the cached value of a key, or `None` on a miss.
    pub async fn get<T: DeserializeOwned>(&self, key: &CacheKey<T>) -> Option<T> {
        self.get_many(std::slice::from_ref(key)).await.pop().flatten()
    }

    /// Returns the cached values of several keys in one round trip, with `None` for each miss.
    pub async fn get_many<T: DeserializeOwned>(&self, keys: &[CacheKey<T>]) -> Vec<Option<T>> {
        let held: Vec<Option<String>> = match self {
            Self::Memory(memory) => keys.iter().map(|key| memory.get(&key.text).map(|held| held.json)).collect(),
            // While Redis rejects writes its values may be outdated, so every key counts as a miss.
            Self::Redis(redis) if !redis.accepts_writes() => vec![None; keys.len()],
            Self::Redis(redis) => {
                let mut pipe = redis::pipe();
                for key in keys {
                    pipe.hget(&key.text, "v");
                }
                let answer = if keys.is_empty() { Ok(Vec::new()) } else { pipe.query_async(&mut redis.clone()).await };
                logged(redis, answer).unwrap_or_else(|| vec![None; keys.len()])
            }
        };
        held.into_iter().map(|json| json.and_then(|json| serde_json::from_str(&json).ok())).collect()
    }

    /// Stores a value, unless the cache already contains a value of a later revision. Returns `false` when the request to Redis
    /// failed.
    pub async fn put_if_newer<T: Serialize>(&self, key: &CacheKey<T>, revision: i64, value: &T) -> bool {
        let Ok(json) = serde_json::to_string(value) else { return false };
        match self {
            Self::Memory(memory) => {
                let new = CacheEntry { revision, json, until: Instant::now() + key.keep };
                memory.entry(key.text.clone()).and_upsert_with(|held| match held {
                    Some(held) if held.value().revision > revision => held.into_value(),
                    _ => new,
                });
                true
            }
            Self::Redis(redis) => {
                let keep = u64::try_from(key.keep.as_millis()).unwrap_or(u64::MAX);
                let mut call = PUT_IF_NEWER_SCRIPT.prepare_invoke();
                call.key(&key.text).arg(revision).arg(json).arg(keep);
                logged(redis, call.invoke_async::<i64>(&mut redis.clone()).await).is_some()
            }
        }
    }

    /// Removes the value of a key. Returns `false` when the request to Redis failed.
    pub async fn remove<T>(&self, key: &CacheKey<T>) -> bool {
        match self {
            Self::Memory(memory) => {
                memory.invalidate(&key.text);
                true
            }
            Self::Redis(redis) => logged(redis, redis.clone().del::<_, i64>(&key.text).await).is_some(),
        }
    }

    /// Returns the reason why a test write to Redis failed. Returns `None` when the write succeeded, and for a cache in memory.
    pub async fn find_redis_fault(&self) -> Option<String> {
        let Self::Redis(redis) = self else { return None };
        let cause = redis.probe_write().await.err()?;
        let how = if redis_connection::is_write_rejection(&cause) { "responds, but rejects writes" } else { "does not answer" };
        Some(format!("{how}: {cause}"))
    }

    /// Returns the reason why Redis is unusable (no response, or a read-only replica), without writing to Redis. Returns `None`
    /// when Redis is usable, and for a cache in memory.
    pub async fn find_redis_fault_without_writing(&self) -> Option<String> {
        let Self::Redis(redis) = self else { return None };
        match redis::cmd("INFO").arg("replication").query_async::<String>(&mut redis.clone()).await {
            Ok(info) if info.contains("role:slave") => Some("is a read-only replica".to_owned()),
            Ok(_) => None,
            Err(cause) => Some(format!("does not answer: {cause}")),
        }
    }

    /// Starts a task that writes a test key to Redis every few seconds. The metric `patio_redis_up` shows whether the last write
    /// succeeded.
    ///
    /// A ping is not enough: a Redis server that is full or read-only still responds to a ping.
    pub fn spawn_redis_probe(&self, tasks: &BackgroundTasks, service: &'static str) {
        let Self::Redis(redis) = self else { return };
        let redis = redis.clone();
        tasks.spawn_repeating(PROBE_INTERVAL, move || {
            let redis = redis.clone();
            async move {
                let took = redis.probe_write().await.is_ok();
                metrics::gauge!("patio_redis_up", "service" => service).set(f64::from(u8::from(took)));
            }
        });
    }
}

impl Cache {
    /// Returns one warning for each Redis server setting with which stored lockouts could be lost. A lockout blocks sign-in after failed
    /// attempts. Returns no warning for a setting that cannot be read, nor for a cache in memory.
    pub async fn find_unsafe_redis_settings(&self) -> Vec<&'static str> {
        let Self::Redis(redis) = self else { return Vec::new() };
        let asked = [
            ("appendonly", "yes", "a crash loses all its data (set appendonly yes)"),
            ("maxmemory-policy", "noeviction", "it evicts lockouts when its memory is full (set maxmemory-policy noeviction)"),
        ];
        let mut found = Vec::new();
        for (name, wanted, weakness) in asked {
            let reply = redis::cmd("CONFIG").arg("GET").arg(name).query_async::<Vec<String>>(&mut redis.clone()).await;
            if reply.is_ok_and(|reply| reply.get(1).is_some_and(|value| value != wanted)) {
                found.push(weakness);
            }
        }
        found
    }
}

/// Creates a client for the Redis server that the settings name. Returns `None` when no Redis URL is set.
pub(crate) fn open_redis_client(settings: &Settings) -> anyhow::Result<Option<Client>> {
    let Some(url) = settings.redis_url.as_ref().map(|url| url.expose()) else { return Ok(None) };
    let Some(file) = settings.redis_ca.as_ref().filter(|_| url.starts_with("rediss://")) else { return Ok(Some(Client::open(url)?)) };
    let authorities = std::fs::read(file).with_context(|| format!("PATIO_REDIS_CA_FILE: cannot read {}", file.display()))?;
    let client = Client::build_with_tls(url, TlsCertificates { client_tls: None, root_cert: Some(authorities) });
    Ok(Some(client.with_context(|| format!("PATIO_REDIS_CA_FILE: {}", file.display()))?))
}

fn logged<T>(redis: &RedisConnection, answer: Result<T, redis::RedisError>) -> Option<T> {
    answer.inspect_err(|cause| redis.log_failure("cache", cause)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_expired_entry_in_memory_is_removed() {
        let cache = Cache::new_in_memory();
        let key = |name: &str, keep| CacheKey::<i64>::new(name.to_owned(), keep);
        for (name, keep) in [("short", Duration::from_millis(10)), ("long", Duration::from_secs(600))] {
            assert!(cache.put_if_newer(&key(name, keep), 1, &7).await);
        }
        let Cache::Memory(memory) = &cache else { unreachable!("the cache is in memory") };
        for _ in 0..100 {
            tokio::time::sleep(Duration::from_millis(100)).await;
            memory.run_pending_tasks();
            if memory.entry_count() == 1 {
                break;
            }
        }
        assert_eq!(memory.entry_count(), 1);
        assert_eq!(cache.get(&key("long", Duration::ZERO)).await, Some(7));
    }

    #[tokio::test]
    async fn an_expired_entry_is_a_miss_and_can_be_replaced_by_an_earlier_revision() {
        let cache = Cache::new_in_memory();
        let key = |keep| CacheKey::<i64>::new("place".to_owned(), keep);
        assert!(cache.put_if_newer(&key(Duration::from_millis(20)), 5, &7).await);
        tokio::time::sleep(Duration::from_millis(40)).await;
        assert_eq!(cache.get(&key(Duration::ZERO)).await, None);
        assert!(cache.put_if_newer(&key(Duration::from_secs(600)), 3, &8).await);
        assert!(cache.put_if_newer(&key(Duration::from_secs(600)), 2, &9).await);
        assert_eq!(cache.get(&key(Duration::ZERO)).await, Some(8));
    }
}
