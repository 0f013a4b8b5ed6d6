//! Whom a block concerns: a place, a device, an account, an address.
use crate::{
    lockout::{assert_locked, assert_wrong, fail, somewhere, stores},
    office::{FIRST, HERE, Office, PASSWORD, another, bearer, number, why},
};
use patio_kit::{
    errors::Reason,
    testing::{self, each_database},
};
use patio_proto::{access::Role, auth::UpdateUserRequest};

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
