use crate::office::{FIRST, HERE, Office, PASSWORD, another, config, number, pass, why};
use auth_svc::password::PasswordHasher;
use chrono::TimeDelta;
use futures::future::join_all;
use patio_kit::errors::ErrorReason;
use patio_testing::each_database;
use std::time::{Duration, Instant};
use tonic::{Code, Status};

pub const AWAY: &str = "redis://127.0.0.1:1";

/// Redis URLs to test with: none (memory only), an unreachable server, and the configured server if any.
pub fn stores() -> Vec<Option<String>> {
    [Some(None), Some(Some(AWAY.to_owned())), patio_testing::from_environment(patio_testing::REDIS).map(Some)]
        .into_iter()
        .flatten()
        .collect()
}

/// Returns a random client address, since all tests share one Redis.
pub fn somewhere() -> String {
    let chance = auth_svc::random::generate_random_bytes::<3>().unwrap();
    format!("10.{}.{}.{}", chance[0], chance[1], chance[2])
}

pub fn assert_locked(status: &Status, seconds: i64) {
    assert_eq!(why(status), (Code::ResourceExhausted, Some(ErrorReason::LockedOut)), "{status:?}");
    assert_eq!(status.message(), format!("Exceeded login attempts. Please try again in {seconds} seconds."));
    assert_eq!(number(status), seconds);
}

pub fn assert_wrong(status: &Status, left: i64) {
    assert_eq!(why(status), (Code::Unauthenticated, Some(ErrorReason::InvalidCredentials)), "{status:?}");
    assert_eq!(status.message(), format!("Invalid credentials. You have more {left} attempt(s)."));
    assert_eq!(number(status), left);
}

pub async fn fail(office: &Office, hmc: &str, times: usize, address: &str) {
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
            pass(&office.host, TimeDelta::seconds(100)).await;
            let during = office.refused(FIRST, PASSWORD, HERE).await;
            assert!((60..=80).contains(&number(&during)), "{during:?}");
            assert_locked(&during, number(&during));
            // The block also gets shorter by the time that the test itself takes.
            pass(&office.host, TimeDelta::seconds(number(&during) - 15)).await;
            let last = number(&office.refused(FIRST, PASSWORD, HERE).await);
            assert!((1..=15).contains(&last), "{last}");
            pass(&office.host, TimeDelta::seconds(last)).await; // rounded up, so the block is over
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
async fn of_a_hundred_concurrent_wrong_passwords_exactly_five_are_verified() {
    for redis in stores() {
        each_database(async |host| {
            let (office, here) = (Office::open(another(&host, redis.as_deref()).await).await, somewhere());
            let refusals = join_all((0..100).map(|_| office.refused(FIRST, "a wrong one", &here))).await;
            check_storm(&refusals);
            assert_eq!(office.passwords.verification_count(), 5, "with {redis:?}");
            office.close().await;
        })
        .await;
    }
}

/// Asserts that each warning (4 to 1 attempts left) was returned once, and all others got `LockedOut`, `Busy` or a timeout.
pub fn check_storm(refusals: &[Status]) {
    let mut warned: Vec<i64> = refusals.iter().filter(|status| status.code() == Code::Unauthenticated).map(number).collect();
    warned.sort_unstable();
    assert_eq!(warned, [1, 2, 3, 4]);
    for status in refusals.iter().filter(|status| status.code() != Code::Unauthenticated) {
        match why(status) {
            (Code::ResourceExhausted, Some(ErrorReason::LockedOut)) => assert!((1..=180).contains(&number(status)), "{status:?}"),
            (Code::Unavailable, Some(ErrorReason::Busy)) | (Code::DeadlineExceeded, Some(ErrorReason::Timeout)) => {}
            _ => panic!("{status:?}"),
        }
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
async fn a_lockout_is_one_entry_in_the_audit_log() {
    each_database(async |host| {
        let office = Office::open(host).await;
        fail(&office, FIRST, 9, HERE).await;
        let kinds: Vec<_> = office.audit().await.into_iter().map(|event| event.kind).filter(|kind| kind.starts_with("lo")).collect();
        assert_eq!(kinds, ["login", "lockout", "login-failed", "login-failed", "login-failed", "login-failed"]);
    })
    .await;
}

#[tokio::test]
async fn a_block_lasts_180_seconds_and_reports_the_remaining_time_correctly() {
    if !patio_testing::long("a_block_lasts_180_seconds_and_reports_the_remaining_time_correctly") {
        return;
    }
    each_database(async |host| {
        let mut offices = Vec::new();
        for redis in stores() {
            let office = Office::open(another(&host, redis.as_deref()).await).await;
            let here = somewhere();
            fail(&office, FIRST, 5, &here).await;
            offices.push((office, here, Instant::now(), 0));
        }
        while !offices.is_empty() {
            tokio::time::sleep(Duration::from_millis(200)).await;
            for (office, here, began, reported) in &mut offices {
                let refused = office.refused(FIRST, "a wrong one", here).await;
                let passed = began.elapsed().as_secs_f64();
                if why(&refused).1 == Some(ErrorReason::InvalidCredentials) {
                    assert_wrong(&refused, 4);
                    assert!((179.0..=181.0).contains(&passed), "the block lasted {passed} s");
                    patio_testing::print_to_stderr(&format!("the block lasted {passed:.2} s and was reported {reported} times"));
                    *reported = -1;
                } else {
                    assert_locked(&refused, number(&refused));
                    assert!((180.0 - passed - number(&refused) as f64).abs() <= 1.5, "{} reported after {passed} s", number(&refused));
                    *reported += 1;
                }
            }
            for (office, ..) in offices.extract_if(.., |(.., reported)| *reported < 0) {
                office.close().await;
            }
        }
    })
    .await;
}

#[tokio::test]
async fn disconnected_callers_with_right_passwords_cause_no_lockout() {
    each_database(async |host| {
        let office = Office::open_with(host, config(), PasswordHasher::default()).await;
        let logins = async || office.audit().await.iter().filter(|event| event.kind == "login" && event.user_id == Some(2)).count();
        for round in 0..6 {
            // Like a phone that loses its signal after sending the request.
            let call = office.try_sign_in(FIRST, PASSWORD, HERE, "");
            assert!(tokio::time::timeout(Duration::from_millis(10), call).await.is_err(), "verifying a password takes longer");
            let began = Instant::now();
            while logins().await <= round {
                assert!(began.elapsed() < Duration::from_secs(10), "round {round}: the attempt was reserved and never released");
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        assert_wrong(&office.refused(FIRST, "a wrong one", HERE).await, 4);
        office.close().await;
    })
    .await;
}
