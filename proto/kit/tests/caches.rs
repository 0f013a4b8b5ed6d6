//! The cache: both forms behave alike, and a Redis server that is away answers like an empty cache.
use patio_harness::free_port;
use patio_kit::cache::{Cache, Key};
use patio_testing::{REDIS, from_environment, tell};
use std::time::Duration;

const LONG: Duration = Duration::from_secs(600);

fn key(name: &str) -> Key<Vec<i64>> {
    Key::new(format!("test:{}:{name}", uuid::Uuid::now_v7()), LONG)
}

fn caches() -> Vec<(&'static str, Cache)> {
    let mut caches = vec![("memory", Cache::memory())];
    match from_environment(REDIS) {
        Some(url) => caches.push(("redis", Cache::redis(&url).unwrap())),
        None => tell(&format!("{REDIS} is not set: Redis skipped")),
    }
    caches
}

#[tokio::test]
async fn a_later_revision_replaces_an_earlier_one_and_is_not_replaced_by_it() {
    for (form, cache) in caches() {
        let place = key("revisions");
        assert_eq!(cache.get(&place).await, None, "{form}");
        for (revision, value, held) in [(5, 50, 50), (4, 40, 50), (5, 51, 51), (6, 60, 60), (-1, 10, 60)] {
            assert!(cache.put_newer(&place, revision, &vec![value]).await, "{form}");
            assert_eq!(cache.get(&place).await, Some(vec![held]), "{form}: revision {revision}");
        }
    }
}

#[tokio::test]
async fn what_was_removed_is_gone_and_an_earlier_revision_may_come_after_it() {
    for (form, cache) in caches() {
        let place = key("removed");
        assert!(cache.forget(&place).await, "{form}: nothing is there");
        assert!(cache.put_newer(&place, 9, &vec![9]).await && cache.forget(&place).await, "{form}");
        assert_eq!(cache.get(&place).await, None, "{form}");
        assert!(cache.put_newer(&place, 1, &vec![1]).await, "{form}");
        assert_eq!(cache.get(&place).await, Some(vec![1]), "{form}");
    }
}

#[tokio::test]
async fn many_places_are_read_in_their_order_with_gaps() {
    for (form, cache) in caches() {
        let places = [key("first"), key("absent"), key("third")];
        for (index, value) in [(0, 1), (2, 3)] {
            assert!(cache.put_newer(&places[index], 1, &vec![value]).await, "{form}");
        }
        assert_eq!(cache.get_many(&places).await, [Some(vec![1]), None, Some(vec![3])], "{form}");
        assert!(cache.get_many::<i64>(&[]).await.is_empty(), "{form}");
    }
}

#[tokio::test]
async fn a_value_of_another_shape_is_not_read() {
    for (form, cache) in caches() {
        let name = format!("test:{}:shape", uuid::Uuid::now_v7());
        assert!(cache.put_newer(&Key::<String>::new(name.clone(), LONG), 1, &"text".to_owned()).await, "{form}");
        assert_eq!(cache.get(&Key::<Vec<i64>>::new(name, LONG)).await, None, "{form}");
    }
}

#[tokio::test]
async fn a_redis_server_that_is_away_answers_like_an_empty_cache_within_seconds() {
    let cache = Cache::redis(&format!("redis://127.0.0.1:{}", free_port())).unwrap();
    let place = key("away");
    let tried = async {
        assert!(!cache.put_newer(&place, 1, &vec![1]).await);
        assert_eq!(cache.get(&place).await, None);
        assert_eq!(cache.get_many(&[place.clone(), place.clone()]).await, [None, None]);
        assert!(!cache.forget(&place).await && !cache.ping().await);
    };
    tokio::time::timeout(Duration::from_secs(20), tried).await.unwrap();
    assert!(Cache::memory().ping().await);
}
