//! Consistency of the lockout counters in memory, Redis and the database.
use crate::{
    lockout::{AWAY, assert_locked, assert_wrong, check_storm, fail, somewhere, stores},
    office::{FIRST, HERE, Office, PASSWORD, another, number, pass, why},
};
use auth_svc::{
    lockout::{Lockout, counter_cache::CounterCache},
    lockout_rules::{CounterNames, LockoutDecision, LockoutOperation, RateLimit},
    store::revocations,
};
use chrono::{DateTime, TimeDelta};
use futures::future::join_all;
use patio_kit::{cache::Cache, clock::Clock, errors::ErrorReason, on};
use patio_testing::each_database;
use std::time::Duration;

#[tokio::test]
async fn two_replicas_share_the_five_tries_with_and_without_redis() {
    for redis in stores() {
        each_database(async |host| {
            if host.settings.database_url.is_none() {
                return; // files have one process
            }
            let one = Office::open(another(&host, redis.as_deref()).await).await;
            let other = Office::open(another(&host, redis.as_deref()).await).await;
            for round in 1..=u64::try_from(patio_testing::rounds(3)).unwrap() {
                let here = somewhere();
                let name = format!("nobody at {here}");
                let refusals = join_all((0..100).map(|i| {
                    if i % 2 == 0 { one.refused(&name, "a wrong one", &here) } else { other.refused(&name, "a wrong one", &here) }
                }))
                .await;
                check_storm(&refusals);
                assert_eq!(one.passwords.verification_count() + other.passwords.verification_count(), 5 * round, "with {redis:?}");
            }
            one.close().await;
            other.close().await;
        })
        .await;
    }
}

#[tokio::test]
async fn a_block_outlives_a_restart_and_an_empty_redis() {
    each_database(async |host| {
        let office = Office::open(another(&host, None).await).await;
        let here = somewhere();
        fail(&office, FIRST, 5, &here).await;
        office.close().await;
        for redis in stores() {
            let again = Office::open(another(&host, redis.as_deref()).await).await;
            for _ in 0..2 {
                let still = again.refused(FIRST, PASSWORD, &here).await;
                assert!((150..=180).contains(&number(&still)), "{still:?}");
            }
            assert_eq!(again.passwords.verification_count(), 0);
            again.close().await;
        }
    })
    .await;
}

#[tokio::test]
async fn failures_before_a_redis_outage_still_count() {
    let Some(redis) = patio_testing::from_environment(patio_testing::REDIS) else { return };
    each_database(async |host| {
        let office = Office::open(another(&host, Some(&redis)).await).await;
        let here = somewhere();
        fail(&office, FIRST, 3, &here).await;
        office.close().await;
        let without = Office::open(another(&host, Some(AWAY)).await).await;
        assert_wrong(&without.refused(FIRST, "a wrong one", &here).await, 1);
        assert_locked(&without.refused(FIRST, "a wrong one", &here).await, 180);
        without.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_success_that_redis_missed_leads_to_no_early_block() {
    let Some(redis) = patio_testing::from_environment(patio_testing::REDIS) else { return };
    each_database(async |host| {
        let here = somewhere();
        let office = Office::open(another(&host, Some(&redis)).await).await;
        fail(&office, FIRST, 4, &here).await;
        office.close().await;
        let without = Office::open(another(&host, Some(AWAY)).await).await;
        without.try_sign_in(FIRST, PASSWORD, &here, "").await.unwrap();
        without.close().await;
        let again = Office::open(another(&host, Some(&redis)).await).await;
        for left in [4, 3, 2, 1] {
            assert_wrong(&again.refused(FIRST, "a wrong one", &here).await, left);
        }
        assert_locked(&again.refused(FIRST, "a wrong one", &here).await, 180);
        again.close().await;
    })
    .await;
}

#[tokio::test]
async fn an_unresponsive_redis_adds_little_delay_and_no_attempts() {
    each_database(async |host| {
        let frozen = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("redis://{}", frozen.local_addr().unwrap());
        let office = Office::open(another(&host, Some(&url)).await).await;
        for left in [4, 3, 2, 1] {
            assert_wrong(&office.refused(FIRST, "a wrong one", HERE).await, left);
        }
        assert_locked(&office.refused(FIRST, "a wrong one", HERE).await, 180);
        let started = std::time::Instant::now();
        for _ in 0..400 {
            assert_eq!(why(&office.refused(FIRST, PASSWORD, HERE).await).1, Some(ErrorReason::LockedOut));
        }
        assert!(started.elapsed() < Duration::from_secs(10), "400 tries, of which each may wait 50 ms, took {:?}", started.elapsed());
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn maintenance_deletes_only_expired_counters() {
    each_database(async |host| {
        let office = Office::open(another(&host, None).await).await;
        let who = office.admin().await;
        fail(&office, FIRST, 5, HERE).await;
        office.sign_out(&who).await.unwrap();
        office.close().await;
        let (db, clock) = (host.open_database(auth_svc::SCHEMA).await.unwrap(), &host.clock);
        let kept = async || {
            Lockout::new(&Cache::new_in_memory(), db.clone(), clock.clone()).purge_expired_counters().await.unwrap();
            let now = clock.now();
            db.write(move |tx| Box::pin(async move { revocations::purge_expired_revocations(tx, now).await })).await.unwrap();
            let lockouts: i64 = on!(db.read_pool(), c => sqlx::query_scalar("select count(*) from lockouts").fetch_one(c).await).unwrap();
            (lockouts, revocations::list_revocations_after(&db, 0, DateTime::UNIX_EPOCH).await.unwrap().len())
        };
        assert_eq!(kept().await, (3, 1));
        pass(&host, TimeDelta::minutes(31)).await;
        assert_eq!(kept().await, (0, 1));
        pass(&host, TimeDelta::hours(13)).await;
        assert_eq!(kept().await, (0, 0));
        db.close().await;
    })
    .await;
}

#[tokio::test]
async fn redis_script_and_memory_rules_decide_alike() {
    let Some(redis) = patio_testing::from_environment(patio_testing::REDIS) else { return };
    let (clock, patience) = (Clock::default(), Duration::from_secs(5));
    let memory = CounterCache::from_cache(&Cache::new_in_memory(), patience);
    let redis = CounterCache::from_cache(&Cache::new_in_redis(&redis).unwrap(), patience);
    let mut chance = u64::from_le_bytes(auth_svc::random::generate_random_bytes().unwrap());
    let (run, seed) = (chance, chance);
    let mut draw = |below: u64| {
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (chance >> 33) % below
    };
    for step in 0..1_500 {
        let act = [
            LockoutOperation::Check,
            LockoutOperation::Reserve,
            LockoutOperation::Reserve,
            LockoutOperation::Reserve,
            LockoutOperation::Release,
            LockoutOperation::Import(60_000),
        ][usize::try_from(draw(6)).unwrap()];
        let act = if matches!(act, LockoutOperation::Import(_) | LockoutOperation::Release) && draw(5) > 0 {
            LockoutOperation::Reserve
        } else {
            act
        };
        let counter_names = some_counter_names(run, draw(12), draw(3));
        let now = clock.now().timestamp_millis();
        let here = memory.apply_lockout_operation(act, &counter_names, now).await.unwrap();
        let asked = std::time::Instant::now(); // Redis uses its own clock
        let there = redis.apply_lockout_operation(act, &counter_names, now).await.unwrap();
        let late = i64::try_from(asked.elapsed().as_millis()).unwrap();
        match (here, there) {
            (LockoutDecision::Deny(here), LockoutDecision::Deny(there)) => {
                assert!((here - there).abs() < 2_000 + late, "seed {seed}, step {step}: {here} {there}")
            }
            (here, there) => assert_eq!(here, there, "seed {seed}, step {step}: {act:?} {counter_names:?}"),
        }
    }
}

/// Returns counter names from few accounts, addresses and device tokens, so that random operations often hit the same counters.
fn some_counter_names(run: u64, account: u64, other: u64) -> CounterNames {
    let pair = format!("test {run} p{account}");
    let rate_limits = vec![
        (format!("test {run} a{}", account % 4), RateLimit { limit: 20, ms: 36_000 }),
        (format!("test {run} i{other}"), RateLimit { limit: 40, ms: 12_000 }),
    ];
    match other {
        0 => CounterNames { primary: format!("test {run} d{account}"), secondary: Some(pair), rate_limits: Vec::new() },
        _ => CounterNames { primary: pair, secondary: None, rate_limits },
    }
}

#[tokio::test]
async fn replicas_whose_clocks_are_minutes_apart_count_and_block_as_one() {
    for redis in stores() {
        each_database(async |host| {
            if host.settings.database_url.is_none() {
                return; // files have one process
            }
            let (slow, fast) = (another(&host, redis.as_deref()).await, another(&host, redis.as_deref()).await);
            slow.clock.advance(TimeDelta::minutes(-5));
            fast.clock.advance(TimeDelta::minutes(5));
            let (slow, fast) = (Office::open(slow).await, Office::open(fast).await);
            for (round, [first, second]) in (1..).zip([[&slow, &fast], [&fast, &slow]]) {
                let here = somewhere();
                let name = format!("nobody at {here}");
                for (office, left) in [(first, 4), (second, 3), (first, 2), (second, 1)] {
                    assert_wrong(&office.refused(&name, "a wrong one", &here).await, left);
                }
                assert_locked(&first.refused(&name, "a wrong one", &here).await, 180);
                for office in [second, first, second] {
                    let seconds = number(&office.refused(&name, PASSWORD, &here).await);
                    assert!((175..=180).contains(&seconds), "blocked for {seconds} s, with {redis:?}");
                }
                assert_eq!(slow.passwords.verification_count() + fast.passwords.verification_count(), 5 * round);
            }
            slow.close().await;
            fast.close().await;
        })
        .await;
    }
}

#[tokio::test]
async fn a_block_ends_by_the_database_clock_not_the_replica_clock() {
    each_database(async |host| {
        if host.settings.database_url.is_none() {
            return; // SQLite serves one process and uses its clock
        }
        let office = Office::open(another(&host, Some(AWAY)).await).await;
        fail(&office, FIRST, 5, HERE).await;
        office.host.clock.advance(TimeDelta::minutes(5));
        assert!((175..=180).contains(&number(&office.refused(FIRST, PASSWORD, HERE).await)), "a fast clock must not end the block");
        office.host.clock.advance(TimeDelta::minutes(-10));
        pass(&host, TimeDelta::seconds(181)).await;
        office.sign_in(FIRST, PASSWORD).await;
        office.close().await;
    })
    .await;
}
