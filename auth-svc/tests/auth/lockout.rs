use crate::office::{FIRST, HERE, Office, PASSWORD, another, bearer, number, why};
use auth_svc::{
    lockout::{
        Lockout,
        front::Front,
        rules::{Act, Buckets, Verdict, Wide},
    },
    store::revocations,
};
use chrono::{DateTime, TimeDelta};
use futures::future::join_all;
use patio_kit::{
    cache::Cache,
    clock::Clock,
    errors::Reason,
    on,
    testing::{self, each_database},
};
use patio_proto::{access::Role, auth::UpdateUserRequest};
use std::time::Duration;
use tonic::{Code, Status};

const AWAY: &str = "redis://127.0.0.1:1";

/// Where the tries are counted beside the database.
fn stores() -> Vec<Option<String>> {
    [Some(None), Some(Some(AWAY.to_owned())), testing::from_environment(testing::REDIS).map(Some)].into_iter().flatten().collect()
}

/// An address no other test uses, as Redis is shared by all of them.
fn somewhere() -> String {
    let chance = auth_svc::keys::chance::<3>().unwrap();
    format!("10.{}.{}.{}", chance[0], chance[1], chance[2])
}

fn assert_locked(status: &Status, seconds: i64) {
    assert_eq!(why(status), (Code::ResourceExhausted, Some(Reason::LockedOut)), "{status:?}");
    assert_eq!(status.message(), format!("Exceeded login attempts. Please try again in {seconds} seconds."));
    assert_eq!(number(status), seconds);
}

fn assert_wrong(status: &Status, left: i64) {
    assert_eq!(why(status), (Code::Unauthenticated, Some(Reason::InvalidCredentials)), "{status:?}");
    assert_eq!(status.message(), format!("Invalid credentials. You have more {left} attempt(s)."));
    assert_eq!(number(status), left);
}

async fn fail(office: &Office, hmc: &str, times: usize, address: &str) {
    for _ in 0..times {
        office.refused(hmc, "a wrong one", address).await;
    }
}

#[tokio::test]
async fn four_warnings_then_a_block_of_180_seconds_then_five_tries_again() {
    for redis in [None, Some(AWAY)] {
        each_database(async |host| {
            let office = Office::open(another(&host, redis).await).await;
            for hmc in [FIRST, "nobody"] {
                for left in [4, 3, 2, 1] {
                    assert_wrong(&office.refused(hmc, "a wrong one", HERE).await, left);
                }
                assert_locked(&office.refused(hmc, "a wrong one", HERE).await, 180);
            }
            office.host.clock.advance(TimeDelta::seconds(100));
            let during = office.refused(FIRST, PASSWORD, HERE).await;
            assert!((75..=80).contains(&number(&during)), "{during:?}");
            assert_locked(&during, number(&during));
            office.host.clock.advance(TimeDelta::milliseconds(78_000));
            assert!((1..=2).contains(&number(&office.refused(FIRST, PASSWORD, HERE).await)));
            office.host.clock.advance(TimeDelta::seconds(2));
            assert_wrong(&office.refused(FIRST, "a wrong one", HERE).await, 4);
            office.sign_in(FIRST, PASSWORD).await;
            office.close().await;
        })
        .await;
    }
}

#[tokio::test]
async fn the_right_password_as_the_fifth_try_signs_in_and_clears_everything() {
    for redis in stores() {
        each_database(async |host| {
            let (office, here) = (Office::open(another(&host, redis.as_deref()).await).await, somewhere());
            fail(&office, FIRST, 4, &here).await;
            office.try_sign_in(FIRST, PASSWORD, &here, "").await.unwrap();
            for left in [4, 3, 2, 1] {
                assert_wrong(&office.refused(FIRST, "a wrong one", &here).await, left);
            }
            office.try_sign_in(FIRST, PASSWORD, &here, "").await.unwrap();
            office.close().await;
        })
        .await;
    }
}

#[tokio::test]
async fn of_a_hundred_wrong_tries_at_once_exactly_five_are_compared() {
    for redis in stores() {
        each_database(async |host| {
            let (office, here) = (Office::open(another(&host, redis.as_deref()).await).await, somewhere());
            let told = join_all((0..100).map(|_| office.refused(FIRST, "a wrong one", &here))).await;
            check_storm(&told);
            assert_eq!(office.passwords.checks(), 5, "with {redis:?}");
            office.close().await;
        })
        .await;
    }
}

/// Each warning once; everybody else is told of the block, or to come again.
fn check_storm(told: &[Status]) {
    let mut warned: Vec<i64> = told.iter().filter(|status| status.code() == Code::Unauthenticated).map(number).collect();
    warned.sort_unstable();
    assert_eq!(warned, [1, 2, 3, 4]);
    for status in told.iter().filter(|status| status.code() != Code::Unauthenticated) {
        match why(status) {
            (Code::ResourceExhausted, Some(Reason::LockedOut)) => assert!((1..=180).contains(&number(status)), "{status:?}"),
            (Code::Unavailable, Some(Reason::Busy)) => {}
            _ => panic!("{status:?}"),
        }
    }
}

#[tokio::test]
async fn two_replicas_share_the_five_tries_with_and_without_redis() {
    for redis in stores() {
        each_database(async |host| {
            if host.settings.database_url.is_none() {
                return; // files have one process
            }
            for _ in 0..3 {
                let one = Office::open(another(&host, redis.as_deref()).await).await;
                let other = Office::open(another(&host, redis.as_deref()).await).await;
                let here = somewhere();
                let name = format!("nobody at {here}");
                let told = join_all((0..100).map(|i| {
                    if i % 2 == 0 { one.refused(&name, "a wrong one", &here) } else { other.refused(&name, "a wrong one", &here) }
                }))
                .await;
                check_storm(&told);
                assert_eq!(one.passwords.checks() + other.passwords.checks(), 5, "with {redis:?}");
                one.close().await;
                other.close().await;
            }
        })
        .await;
    }
}

#[tokio::test]
async fn four_right_passwords_at_once_all_get_in() {
    each_database(async |host| {
        let office = Office::open(host).await;
        for session in join_all((0..4).map(|_| office.try_sign_in(FIRST, PASSWORD, HERE, ""))).await {
            session.unwrap();
        }
        assert_wrong(&office.refused(FIRST, "a wrong one", HERE).await, 4);
    })
    .await;
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
            assert_eq!(again.passwords.checks(), 0);
            again.close().await;
        }
    })
    .await;
}

#[tokio::test]
async fn tries_that_failed_before_redis_went_away_still_count() {
    let Some(redis) = testing::from_environment(testing::REDIS) else { return };
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
    let Some(redis) = testing::from_environment(testing::REDIS) else { return };
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
async fn a_redis_that_answers_nothing_delays_little_and_gives_no_further_try() {
    each_database(async |host| {
        let frozen = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("redis://{}", frozen.local_addr().unwrap());
        let office = Office::open(another(&host, Some(&url)).await).await;
        for left in [4, 3, 2, 1] {
            assert_wrong(&office.refused(FIRST, "a wrong one", HERE).await, left);
        }
        assert_locked(&office.refused(FIRST, "a wrong one", HERE).await, 180);
        let started = std::time::Instant::now();
        for _ in 0..20 {
            assert_eq!(why(&office.refused(FIRST, PASSWORD, HERE).await).1, Some(Reason::LockedOut));
        }
        assert!(started.elapsed() < Duration::from_secs(1), "20 tries took {:?}", started.elapsed());
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn what_has_no_effect_any_more_is_forgotten_and_nothing_else() {
    each_database(async |host| {
        let office = Office::open(another(&host, None).await).await;
        let who = office.admin().await;
        fail(&office, FIRST, 5, HERE).await;
        office.sign_out(&who).await.unwrap();
        office.close().await;
        let (db, clock) = (host.database(auth_svc::SCHEMA).await.unwrap(), &host.clock);
        let kept = async || {
            Lockout::new(&Cache::memory(), db.clone(), clock.clone()).tidy().await.unwrap();
            let now = clock.now();
            db.write(move |tx| Box::pin(async move { revocations::forget(tx, now).await })).await.unwrap();
            let lockouts: i64 = on!(db.read(), c => sqlx::query_scalar("select count(*) from lockouts").fetch_one(c).await).unwrap();
            (lockouts, revocations::after(&db, 0, DateTime::UNIX_EPOCH).await.unwrap().len())
        };
        assert_eq!(kept().await, (3, 1));
        clock.advance(TimeDelta::minutes(31));
        assert_eq!(kept().await, (0, 1));
        clock.advance(TimeDelta::hours(13));
        assert_eq!(kept().await, (0, 0));
        db.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_known_device_gets_in_while_others_lock_its_owner_out() {
    for redis in stores() {
        each_database(async |host| {
            let (office, here) = (Office::open(another(&host, redis.as_deref()).await).await, somewhere());
            let mark = office.try_sign_in(FIRST, PASSWORD, &here, "").await.unwrap().device_mark;
            fail(&office, FIRST, 5, &here).await;
            assert_eq!(why(&office.refused(FIRST, PASSWORD, &here).await).1, Some(Reason::LockedOut));
            let known = office.try_sign_in(FIRST, PASSWORD, &here, &mark).await.unwrap();
            assert_eq!(known.device_mark, mark, "a device keeps its mark");
            let attacker = office.refused(FIRST, PASSWORD, &here).await;
            assert_eq!(why(&attacker).1, Some(Reason::LockedOut), "that success lifts only the block of its own device");
            office.close().await;
        })
        .await;
    }
}

#[tokio::test]
async fn a_known_device_has_five_tries_too_and_dropping_its_mark_gives_no_more() {
    for redis in stores() {
        each_database(async |host| {
            let (office, here) = (Office::open(another(&host, redis.as_deref()).await).await, somewhere());
            let mark = office.try_sign_in(FIRST, PASSWORD, &here, "").await.unwrap().device_mark;
            for left in [4, 3, 2, 1] {
                assert_wrong(&office.try_sign_in(FIRST, "a wrong one", &here, &mark).await.unwrap_err(), left);
            }
            assert_locked(&office.try_sign_in(FIRST, "a wrong one", &here, &mark).await.unwrap_err(), 180);
            assert_eq!(why(&office.refused(FIRST, PASSWORD, &here).await).1, Some(Reason::LockedOut));
            assert!(office.try_sign_in(FIRST, PASSWORD, &somewhere(), "").await.is_ok(), "another place is not concerned");
            office.close().await;
        })
        .await;
    }
}

#[tokio::test]
async fn marks_of_others_forged_ones_and_those_from_before_a_password_change_are_worth_nothing() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let admin = office.sign_in(FIRST, PASSWORD).await;
        let clerk = office.hire(&bearer(&admin), "20", Role::Operator).await;
        let mine = office.sign_in("20", PASSWORD).await.device_mark;
        let change = UpdateUserRequest { id: clerk.id, password: Some("a new password".to_owned()), ..UpdateUserRequest::default() };
        office.update(&bearer(&admin), change).await.unwrap();
        fail(&office, "20", 5, HERE).await;
        let mut forged = mine.clone();
        forged.replace_range(10..11, if &mine[10..11] == "A" { "B" } else { "A" });
        for mark in [mine, admin.device_mark, forged, "rubbish".to_owned(), "A".repeat(100_000)] {
            let refused = office.try_sign_in("20", "a new password", HERE, &mark).await.unwrap_err();
            assert_eq!(why(&refused).1, Some(Reason::LockedOut), "{mark:.20}");
        }
    })
    .await;
}

#[tokio::test]
async fn one_account_takes_twenty_failures_over_all_addresses_except_from_known_devices() {
    for redis in [None, testing::from_environment(testing::REDIS)] {
        each_database(async |host| {
            let office = Office::open(another(&host, redis.as_deref()).await).await;
            let mark = office.try_sign_in(FIRST, PASSWORD, &somewhere(), "").await.unwrap().device_mark;
            for _ in 0..5 {
                fail(&office, FIRST, 4, &somewhere()).await;
            }
            let capped = office.refused(FIRST, PASSWORD, &somewhere()).await;
            assert!((1..=36).contains(&number(&capped)), "{capped:?}");
            assert_locked(&capped, number(&capped));
            assert!(office.try_sign_in(FIRST, PASSWORD, &somewhere(), &mark).await.is_ok());
            office.close().await;
        })
        .await;
    }
}

#[tokio::test]
async fn one_address_takes_a_hundred_failures_over_all_names() {
    each_database(async |host| {
        let office = Office::open(host).await;
        for name in 0..25 {
            fail(&office, &format!("name {name}"), 4, HERE).await;
        }
        assert_locked(&office.refused(FIRST, PASSWORD, HERE).await, 180);
        assert_eq!(office.passwords.checks(), 100);
        assert!(office.try_sign_in(FIRST, PASSWORD, &somewhere(), "").await.is_ok());
    })
    .await;
}

#[tokio::test]
async fn redis_and_this_process_come_to_the_same_verdicts() {
    let Some(redis) = testing::from_environment(testing::REDIS) else { return };
    let (clock, patience) = (Clock::default(), Duration::from_secs(5));
    let memory = Front::of(&Cache::memory(), patience);
    let redis = Front::of(&Cache::redis(&redis).await.unwrap(), patience);
    let mut chance = u64::from_le_bytes(auth_svc::keys::chance().unwrap());
    let (run, seed) = (chance, chance);
    let mut draw = |below: u64| {
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (chance >> 33) % below
    };
    for step in 0..1_500 {
        let act = [Act::Look, Act::Reserve, Act::Reserve, Act::Reserve, Act::Settle, Act::Adopt(60_000)][usize::try_from(draw(6)).unwrap()];
        let act = if matches!(act, Act::Adopt(_) | Act::Settle) && draw(5) > 0 { Act::Reserve } else { act };
        let buckets = some_buckets(run, draw(12), draw(3));
        let now = clock.now().timestamp_millis();
        let here = memory.act(act, &buckets, now).await.unwrap();
        match (here, redis.act(act, &buckets, now).await.unwrap()) {
            (Verdict::Refused(here), Verdict::Refused(there)) => {
                assert!((here - there).abs() < 2_000, "seed {seed}, step {step}: {here} {there}")
            }
            (here, there) => assert_eq!(here, there, "seed {seed}, step {step}: {act:?} {buckets:?}"),
        }
    }
}

/// Few accounts, addresses and marks, so that all rules come into play.
fn some_buckets(run: u64, account: u64, other: u64) -> Buckets {
    let pair = format!("test {run} p{account}");
    let wide = vec![
        (format!("test {run} a{}", account % 4), Wide { limit: 20, window_ms: 900_000, pace_ms: 36_000 }),
        (format!("test {run} i{other}"), Wide { limit: 40, window_ms: 600_000, pace_ms: 0 }),
    ];
    match other {
        0 => Buckets { decider: format!("test {run} d{account}"), shadow: Some(pair), wide: Vec::new() },
        _ => Buckets { decider: pair, shadow: None, wide },
    }
}

#[tokio::test]
async fn a_lockout_is_one_entry_in_the_audit_log() {
    each_database(async |host| {
        let office = Office::open(host).await;
        fail(&office, FIRST, 9, HERE).await;
        let kinds: Vec<_> = office.audit().await.into_iter().map(|event| event.kind).filter(|kind| kind.starts_with("lo")).collect();
        assert_eq!(kinds, ["login", "lockout", "login-failed", "login-failed", "login-failed", "login-failed"]);
    })
    .await;
}
