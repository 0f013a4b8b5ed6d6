//! Lockout counters in memory and in Redis: what they refuse by themselves, how long they are kept, and how they are deleted.
use crate::lockout::somewhere;
use auth_svc::{
    error::Error,
    lockout::{Lockout, counter_cache::CounterCache, sign_in_counter_names},
    lockout_rules::{CounterNames, FAILURE_EXPIRY_MS, LOCKOUT_DURATION_MS, LockoutDecision, LockoutOperation},
};
use patio_kit::{cache::Cache, clock::Clock};
use patio_testing::each_database;
use std::time::Duration;

/// Returns counter names with only a primary counter.
fn primary_only(name: &str) -> CounterNames {
    CounterNames { primary: name.to_owned(), secondary: None, rate_limits: Vec::new() }
}

#[tokio::test]
async fn a_block_in_memory_refuses_attempts_without_the_database() {
    each_database(async |host| {
        let db = host.open_database(auth_svc::SCHEMA).await.unwrap();
        let lockout = Lockout::new(&Cache::new_in_memory(), db.clone(), host.clock.clone());
        let counter_names = sign_in_counter_names("an account", "a place", None);
        for left in [4, 3, 2, 1, 0] {
            assert_eq!(lockout.reserve_attempt(&counter_names).await.unwrap(), left);
        }
        db.close().await;
        for refused in [lockout.check_attempt(&counter_names).await, lockout.reserve_attempt(&counter_names).await.map(drop)] {
            assert!(matches!(refused, Err(Error::LockedOut { seconds: 150..=180 })), "{refused:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn memory_keeps_a_counter_until_its_failures_and_its_block_end() {
    let cache = CounterCache::from_cache(&Cache::new_in_memory(), Duration::from_secs(5));
    cache.apply_lockout_operation(LockoutOperation::Reserve, &primary_only("failed"), 0).await.unwrap();
    cache.apply_lockout_operation(LockoutOperation::Import(LOCKOUT_DURATION_MS), &primary_only("blocked"), 0).await.unwrap();
    let CounterCache::Memory(counters) = &cache else { panic!("the counters are in memory") };
    let kept = |now| {
        cache.purge_expired_counters(now);
        let mut names: Vec<String> = counters.lock().unwrap().keys().cloned().collect();
        names.sort();
        names
    };
    assert_eq!(kept(LOCKOUT_DURATION_MS - 1), ["blocked", "failed"]);
    assert_eq!(kept(LOCKOUT_DURATION_MS), ["failed"]);
    assert_eq!(kept(FAILURE_EXPIRY_MS - 1), ["failed"]);
    assert_eq!(kept(FAILURE_EXPIRY_MS), Vec::<String>::new());
}

#[tokio::test]
async fn redis_keeps_a_counter_only_while_its_failures_or_its_block_count() {
    let Some(url) = patio_testing::from_environment(patio_testing::REDIS) else { return };
    let cache = Cache::new_in_redis(&url).unwrap();
    let Cache::Redis(connection) = &cache else { panic!("the cache is in Redis") };
    let counters = CounterCache::from_cache(&cache, Duration::from_secs(5));
    let lifetime = async |name: &str| -> i64 {
        redis::cmd("PTTL").arg(format!("patio:{{lockout}}:{name}")).query_async(&mut connection.clone()).await.unwrap()
    };
    let here = somewhere();
    for (operation, most) in [(LockoutOperation::Reserve, FAILURE_EXPIRY_MS), (LockoutOperation::Import(60_000), 60_000)] {
        let counter_names = primary_only(&format!("test {here} {most}"));
        counters.apply_lockout_operation(operation, &counter_names, 0).await.unwrap();
        let left = lifetime(&counter_names.primary).await;
        assert!((most - 30_000..=most).contains(&left), "{operation:?}: {left} ms");
        counters.apply_lockout_operation(LockoutOperation::Release, &counter_names, 0).await.unwrap();
        assert_eq!(lifetime(&counter_names.primary).await, -2, "a counter without failures and block is deleted");
    }
}

#[tokio::test]
async fn a_counter_deleted_from_redis_is_deleted_once_and_then_counts_again() {
    let Some(url) = patio_testing::from_environment(patio_testing::REDIS) else { return };
    let counters = CounterCache::from_cache(&Cache::new_in_redis(&url).unwrap(), Duration::from_secs(5));
    let counter_names = primary_only(&format!("test {} lifted", somewhere()));
    let reserve = async || counters.apply_lockout_operation(LockoutOperation::Reserve, &counter_names, 0).await.unwrap();
    assert_eq!(reserve().await, LockoutDecision::Allow(4));
    assert!(counters.delete_counters(std::slice::from_ref(&counter_names.primary)).await);
    for left in [4, 3, 2, 1, 0] {
        assert_eq!(reserve().await, LockoutDecision::Allow(left));
    }
    let blocked = reserve().await;
    assert!(matches!(blocked, LockoutDecision::Deny(_)), "{blocked:?}");
}

#[tokio::test]
async fn failures_on_a_known_device_do_not_prolong_the_block_of_its_address() {
    for redis in [None, patio_testing::from_environment(patio_testing::REDIS)] {
        let cache = redis.map_or_else(Cache::new_in_memory, |url| Cache::new_in_redis(&url).unwrap());
        let counters = CounterCache::from_cache(&cache, Duration::from_secs(5));
        let (here, now) = (somewhere(), Clock::default().now().timestamp_millis());
        let address = primary_only(&format!("test {here} p"));
        let device = CounterNames { secondary: Some(address.primary.clone()), ..primary_only(&format!("test {here} d")) };
        counters.apply_lockout_operation(LockoutOperation::Import(60_000), &address, now).await.unwrap();
        for left in [4, 3, 2, 1, 0] {
            let decision = counters.apply_lockout_operation(LockoutOperation::Reserve, &device, now).await;
            assert_eq!(decision, Some(LockoutDecision::Allow(left)));
        }
        let decision = counters.apply_lockout_operation(LockoutOperation::Check, &address, now).await.unwrap();
        assert!(matches!(decision, LockoutDecision::Deny(1..=60_000)), "{decision:?}");
    }
}
