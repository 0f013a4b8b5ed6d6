//! The cache: Redis and memory behave alike, and an unavailable Redis server counts as an empty cache.
use patio_harness::find_free_port;
use patio_kit::{
    cache::{Cache, CacheKey},
    config::InvalidSetting,
    lifecycle::BackgroundTasks,
};
use patio_testing::{REDIS, from_environment, print_to_stderr};
use std::time::Duration;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

const LONG: Duration = Duration::from_secs(600);

fn key(name: &str) -> CacheKey<Vec<i64>> {
    CacheKey::new(format!("test:{}:{name}", uuid::Uuid::now_v7()), LONG)
}

fn caches() -> Vec<(&'static str, Cache)> {
    let mut caches = vec![("memory", Cache::new_in_memory())];
    match from_environment(REDIS) {
        Some(url) => caches.push(("redis", Cache::new_in_redis(&url).unwrap())),
        None => print_to_stderr(&format!("{REDIS} is not set: Redis skipped")),
    }
    caches
}

#[tokio::test]
async fn a_later_revision_replaces_an_earlier_one_and_is_not_replaced_by_it() {
    for (form, cache) in caches() {
        let place = key("revisions");
        assert_eq!(cache.get(&place).await, None, "{form}");
        for (revision, value, held) in [(5, 50, 50), (4, 40, 50), (5, 51, 51), (6, 60, 60), (-1, 10, 60)] {
            assert!(cache.put_if_newer(&place, revision, &vec![value]).await, "{form}");
            assert_eq!(cache.get(&place).await, Some(vec![held]), "{form}: revision {revision}");
        }
    }
}

#[tokio::test]
async fn what_was_removed_is_gone_and_an_earlier_revision_may_come_after_it() {
    for (form, cache) in caches() {
        let place = key("removed");
        assert!(cache.remove(&place).await, "{form}: nothing is there");
        assert!(cache.put_if_newer(&place, 9, &vec![9]).await && cache.remove(&place).await, "{form}");
        assert_eq!(cache.get(&place).await, None, "{form}");
        assert!(cache.put_if_newer(&place, 1, &vec![1]).await, "{form}");
        assert_eq!(cache.get(&place).await, Some(vec![1]), "{form}");
    }
}

#[tokio::test]
async fn many_places_are_read_in_their_order_with_gaps() {
    for (form, cache) in caches() {
        let places = [key("first"), key("absent"), key("third")];
        for (index, value) in [(0, 1), (2, 3)] {
            assert!(cache.put_if_newer(&places[index], 1, &vec![value]).await, "{form}");
        }
        assert_eq!(cache.get_many(&places).await, [Some(vec![1]), None, Some(vec![3])], "{form}");
        assert!(cache.get_many::<i64>(&[]).await.is_empty(), "{form}");
    }
}

#[tokio::test]
async fn a_value_of_another_shape_is_not_read() {
    for (form, cache) in caches() {
        let name = format!("test:{}:shape", uuid::Uuid::now_v7());
        assert!(cache.put_if_newer(&CacheKey::<String>::new(name.clone(), LONG), 1, &"text".to_owned()).await, "{form}");
        assert_eq!(cache.get(&CacheKey::<Vec<i64>>::new(name, LONG)).await, None, "{form}");
    }
}

#[tokio::test]
async fn a_redis_server_that_is_away_answers_like_an_empty_cache_within_seconds() {
    let cache = Cache::new_in_redis(&format!("redis://127.0.0.1:{}", find_free_port())).unwrap();
    let place = key("away");
    let tried = async {
        assert!(!cache.put_if_newer(&place, 1, &vec![1]).await);
        assert_eq!(cache.get(&place).await, None);
        assert_eq!(cache.get_many(&[place.clone(), place.clone()]).await, [None, None]);
        assert!(!cache.remove(&place).await);
        assert!(cache.find_redis_fault().await.is_some_and(|fault| fault.starts_with("does not answer")));
    };
    tokio::time::timeout(Duration::from_secs(20), tried).await.unwrap();
    assert_eq!(Cache::new_in_memory().find_redis_fault().await, None);
}

/// Starts a test server whose first connection responds like a read-only Redis replica, and each later one like the primary. Returns
/// its port.
async fn place_of_a_new_primary() -> u16 {
    const REPLICA: &str = "-READONLY You can't write against a read only replica.\r\n";
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    BackgroundTasks::default().spawn(async move {
        let mut answer = REPLICA;
        while let Ok((mut stream, _)) = listener.accept().await {
            let answer = std::mem::replace(&mut answer, "+OK\r\n");
            BackgroundTasks::default().spawn(async move {
                let mut buffer = [0; 4096];
                while let Ok(length @ 1..) = stream.read(&mut buffer).await {
                    let commands = buffer[..length].iter().filter(|byte| **byte == b'*').count();
                    stream.write_all(answer.repeat(commands).as_bytes()).await.unwrap();
                }
            });
        }
    });
    port
}

#[tokio::test]
async fn a_server_that_was_made_a_replica_is_left_for_the_one_its_name_leads_to_by_then() {
    let cache = Cache::new_in_redis(&format!("redis://127.0.0.1:{}", place_of_a_new_primary().await)).unwrap();
    let fault = cache.find_redis_fault().await.unwrap();
    assert!(fault.starts_with("responds, but rejects writes"), "{fault}");
    assert_eq!(cache.get(&key("held")).await, None, "what it holds may have changed since");
    assert_eq!(cache.find_redis_fault().await, None, "it was connected to anew");
}

/// Starts a test server that sends `answer(command)` for each command. Returns a cache in that server.
async fn cache_in_server(answer: impl Fn(&str) -> String + Clone + Send + 'static) -> Cache {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("redis://{}", listener.local_addr().unwrap());
    BackgroundTasks::default().spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let answer = answer.clone();
            BackgroundTasks::default().spawn(async move {
                let mut buffer = [0; 4096];
                while let Ok(length @ 1..) = stream.read(&mut buffer).await {
                    let received = String::from_utf8_lossy(&buffer[..length]).into_owned();
                    let sent = answer(&received).repeat(received.matches('*').count());
                    if stream.write_all(sent.as_bytes()).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    Cache::new_in_redis(&url).unwrap()
}

#[tokio::test]
async fn a_redis_server_with_a_permanent_fault_is_rejected_with_advice_and_a_full_one_is_not() {
    for (answer, advice) in [
        ("-NOAUTH Authentication required.", Some("correct the user and password")),
        ("-NOPERM this user has no permissions to run the 'set' command", Some("correct the user and password")),
        ("-READONLY You can't write against a read only replica.", Some("name the primary")),
        ("-MOVED 866 127.0.0.1:7002", Some("use a single Redis server")),
        ("-OOM command not allowed when used memory is above 'maxmemory'.", None),
        ("-LOADING Redis is loading the dataset in memory", None),
        ("+OK", None),
    ] {
        let refused = cache_in_server(move |_| format!("{answer}\r\n")).await.check_redis_usable().await.err();
        assert_eq!(refused.is_some(), advice.is_some(), "{answer}: {refused:?}");
        if let (Some(refused), Some(advice)) = (refused, advice) {
            let words = refused.to_string();
            assert!(refused.is::<InvalidSetting>() && words.starts_with("PATIO_REDIS_URL: ") && words.contains(advice), "{words}");
        }
    }
}

#[tokio::test]
async fn settings_of_redis_with_which_lockouts_could_be_lost_are_named() {
    let warnings = async |appendonly: &'static str, policy: &'static str| {
        let setting = |name: &str, value: &str| format!("*2\r\n${}\r\n{name}\r\n${}\r\n{value}\r\n", name.len(), value.len());
        let cache = cache_in_server(move |command| match command {
            asked if asked.contains("appendonly") => setting("appendonly", appendonly),
            asked if asked.contains("maxmemory-policy") => setting("maxmemory-policy", policy),
            _ => "+OK\r\n".to_owned(),
        });
        cache.await.find_unsafe_redis_settings().await.join("; ")
    };
    assert_eq!(warnings("yes", "noeviction").await, "");
    let both = warnings("no", "allkeys-lru").await;
    assert!(both.contains("set appendonly yes") && both.contains("set maxmemory-policy noeviction"), "{both}");
    assert!(!warnings("yes", "allkeys-lru").await.contains("appendonly") && !warnings("no", "noeviction").await.contains("maxmemory"));
    let forbidden = cache_in_server(|_| "-NOPERM this user has no permissions to run the 'config|get' command\r\n".to_owned()).await;
    assert!(forbidden.find_unsafe_redis_settings().await.is_empty(), "a setting that cannot be read is no warning");
}

#[tokio::test]
async fn a_redis_replica_is_found_without_a_write() {
    for (role, fault) in [("role:slave", Some("is a read-only replica")), ("role:master", None)] {
        let cache = cache_in_server(move |command| match command {
            asked if asked.contains("replication") => format!("${}\r\n{role}\r\n", role.len()),
            asked if asked.contains("CLIENT") => "+OK\r\n".to_owned(),
            _ => "-ERR no other command is expected\r\n".to_owned(),
        });
        assert_eq!(cache.await.find_redis_fault_without_writing().await.as_deref(), fault, "{role}");
    }
}
