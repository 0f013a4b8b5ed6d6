//! What may be forgotten: one cache for one process or for all replicas.
use crate::{config::Settings, lifecycle::Tasks};
use anyhow::Context;
use redis::{
    AsyncCommands, Client, Script, TlsCertificates,
    aio::{ConnectionManager, ConnectionManagerConfig},
};
use serde::{Serialize, de::DeserializeOwned};
use std::{
    marker::PhantomData,
    sync::LazyLock,
    time::{Duration, Instant},
};

/// How often it is looked whether a Redis server answers.
const MEASURED_EVERY: Duration = Duration::from_secs(5);

/// A place in the cache that holds values of one type.
#[derive(Debug, Clone)]
pub struct Key<T> {
    text: String,
    keep: Duration,
    holds: PhantomData<fn() -> T>,
}

impl<T> Key<T> {
    /// A place with a name of its own; what is put there is forgotten after `keep`.
    #[must_use]
    pub fn new(text: String, keep: Duration) -> Self {
        Self { text: format!("patio:{text}"), keep, holds: PhantomData }
    }
}

/// The cache; clones share it. A failing Redis is logged and answers like an empty one.
#[derive(Clone)]
pub enum Cache {
    /// Inside this process.
    Memory(moka::sync::Cache<String, Held>),
    /// Shared by all replicas.
    Redis(ConnectionManager),
}

/// A value with what it takes to replace it rightly.
#[derive(Debug, Clone)]
pub struct Held {
    revision: i64,
    json: String,
    until: Instant,
}

/// What is held goes when its time is over, not only when something else needs the room.
struct Until;

impl moka::Expiry<String, Held> for Until {
    fn expire_after_create(&self, _: &String, held: &Held, now: Instant) -> Option<Duration> {
        Some(held.until.saturating_duration_since(now))
    }

    fn expire_after_update(&self, _: &String, held: &Held, now: Instant, _: Option<Duration>) -> Option<Duration> {
        Some(held.until.saturating_duration_since(now))
    }
}

static PUT_NEWER: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local held = redis.call('HGET', KEYS[1], 'r')
         if held and tonumber(held) > tonumber(ARGV[1]) then return 0 end
         redis.call('HSET', KEYS[1], 'r', ARGV[1], 'v', ARGV[2])
         redis.call('PEXPIRE', KEYS[1], ARGV[3])
         return 1",
    )
});

impl Cache {
    /// A cache inside this process.
    #[must_use]
    pub fn memory() -> Self {
        Self::Memory(moka::sync::Cache::builder().max_capacity(100_000).expire_after(Until).build())
    }

    /// The cache that the settings name: on a Redis server, which need not be up yet, else in memory.
    ///
    /// # Errors
    /// When the server's URL is none, or who vouches for it cannot be read.
    pub fn of(settings: &Settings) -> anyhow::Result<Self> {
        client(settings)?.map_or_else(|| Ok(Self::memory()), Self::with)
    }

    /// A cache on a Redis server, which need not be up yet.
    ///
    /// # Errors
    /// When the URL is none.
    pub fn redis(url: &str) -> anyhow::Result<Self> {
        Self::with(Client::open(url)?)
    }

    fn with(client: Client) -> anyhow::Result<Self> {
        let patience = Duration::from_millis(500);
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(patience))
            .set_response_timeout(Some(patience))
            .set_number_of_retries(1);
        Ok(Self::Redis(ConnectionManager::new_lazy_with_config(client, config)?))
    }

    /// What is held at a place.
    pub async fn get<T: DeserializeOwned>(&self, key: &Key<T>) -> Option<T> {
        self.get_many(std::slice::from_ref(key)).await.pop().flatten()
    }

    /// What is held at each of several places, in one round trip.
    pub async fn get_many<T: DeserializeOwned>(&self, keys: &[Key<T>]) -> Vec<Option<T>> {
        let held: Vec<Option<String>> = match self {
            Self::Memory(memory) => keys.iter().map(|key| memory.get(&key.text).map(|held| held.json)).collect(),
            Self::Redis(redis) => {
                let mut pipe = redis::pipe();
                for key in keys {
                    pipe.hget(&key.text, "v");
                }
                let answer = if keys.is_empty() { Ok(Vec::new()) } else { pipe.query_async(&mut redis.clone()).await };
                logged(answer).unwrap_or_else(|| vec![None; keys.len()])
            }
        };
        held.into_iter().map(|json| json.and_then(|json| serde_json::from_str(&json).ok())).collect()
    }

    /// Puts a value at a place, unless one of a later revision is there; false when it could not.
    pub async fn put_newer<T: Serialize>(&self, key: &Key<T>, revision: i64, value: &T) -> bool {
        let Ok(json) = serde_json::to_string(value) else { return false };
        match self {
            Self::Memory(memory) => {
                let new = Held { revision, json, until: Instant::now() + key.keep };
                memory.entry(key.text.clone()).and_upsert_with(|held| match held {
                    Some(held) if held.value().revision > revision => held.into_value(),
                    _ => new,
                });
                true
            }
            Self::Redis(redis) => {
                let keep = u64::try_from(key.keep.as_millis()).unwrap_or(u64::MAX);
                let mut call = PUT_NEWER.prepare_invoke();
                call.key(&key.text).arg(revision).arg(json).arg(keep);
                logged(call.invoke_async::<i64>(&mut redis.clone()).await).is_some()
            }
        }
    }

    /// Forgets what is held at a place; false when it could not.
    pub async fn forget<T>(&self, key: &Key<T>) -> bool {
        match self {
            Self::Memory(memory) => {
                memory.invalidate(&key.text);
                true
            }
            Self::Redis(redis) => logged(redis.clone().del::<_, i64>(&key.text).await).is_some(),
        }
    }

    /// Whether the cache answers.
    pub async fn ping(&self) -> bool {
        match self {
            Self::Memory(_) => true,
            Self::Redis(redis) => logged(redis::cmd("PING").query_async::<String>(&mut redis.clone()).await).is_some(),
        }
    }

    /// Tells the metrics every few seconds whether a Redis server answers, also when nobody needs it.
    pub fn keep_measured(&self, tasks: &Tasks, service: &'static str) {
        let Self::Redis(redis) = self else { return };
        let redis = redis.clone();
        tasks.repeat(MEASURED_EVERY, move || {
            let mut redis = redis.clone();
            async move {
                let answered = redis::cmd("PING").query_async::<String>(&mut redis).await.is_ok();
                metrics::gauge!("patio_redis_up", "service" => service).set(f64::from(u8::from(answered)));
            }
        });
    }
}

impl Cache {
    /// What about a Redis server would let it forget lockouts; nothing when it does not say.
    pub async fn weaknesses(&self) -> Vec<&'static str> {
        let Self::Redis(redis) = self else { return Vec::new() };
        let asked = [
            ("appendonly", "yes", "it forgets everything when it crashes (appendonly yes)"),
            ("maxmemory-policy", "noeviction", "it drops lockouts when its memory is full (maxmemory-policy noeviction)"),
        ];
        let mut found = Vec::new();
        for (name, wanted, weakness) in asked {
            let told = redis::cmd("CONFIG").arg("GET").arg(name).query_async::<Vec<String>>(&mut redis.clone()).await;
            if told.is_ok_and(|told| told.get(1).is_some_and(|value| value != wanted)) {
                found.push(weakness);
            }
        }
        found
    }
}

/// A client of the Redis server that the settings name; none when they name none.
pub(crate) fn client(settings: &Settings) -> anyhow::Result<Option<Client>> {
    let Some(url) = settings.redis_url.as_ref().map(|url| url.expose()) else { return Ok(None) };
    let Some(file) = settings.redis_ca.as_ref().filter(|_| url.starts_with("rediss://")) else { return Ok(Some(Client::open(url)?)) };
    let authorities = std::fs::read(file).with_context(|| format!("PATIO_REDIS_CA: cannot read {}", file.display()))?;
    let client = Client::build_with_tls(url, TlsCertificates { client_tls: None, root_cert: Some(authorities) });
    Ok(Some(client.with_context(|| format!("PATIO_REDIS_CA: {}", file.display()))?))
}

fn logged<T>(answer: Result<T, redis::RedisError>) -> Option<T> {
    answer.inspect_err(|cause| tracing::warn!(%cause, "redis did not answer")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_held_in_memory_goes_when_its_time_is_over() {
        let cache = Cache::memory();
        let key = |name: &str, keep| Key::<i64>::new(name.to_owned(), keep);
        for (name, keep) in [("short", Duration::from_millis(10)), ("long", Duration::from_secs(600))] {
            assert!(cache.put_newer(&key(name, keep), 1, &7).await);
        }
        let Cache::Memory(memory) = &cache else { unreachable!("it is one in memory") };
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
    async fn what_is_over_neither_answers_nor_stands_in_the_way_of_an_earlier_revision() {
        let cache = Cache::memory();
        let key = |keep| Key::<i64>::new("place".to_owned(), keep);
        assert!(cache.put_newer(&key(Duration::from_millis(20)), 5, &7).await);
        tokio::time::sleep(Duration::from_millis(40)).await;
        assert_eq!(cache.get(&key(Duration::ZERO)).await, None);
        assert!(cache.put_newer(&key(Duration::from_secs(600)), 3, &8).await);
        assert!(cache.put_newer(&key(Duration::from_secs(600)), 2, &9).await);
        assert_eq!(cache.get(&key(Duration::ZERO)).await, Some(8));
    }
}
