//! Scope of lockouts and rate limits: per account and address, per device, per account, per address.
use crate::{
    lockout::{assert_locked, assert_wrong, fail, somewhere, stores},
    office::{FIRST, HERE, Office, PASSWORD, another, bearer, number, why},
};
use patio_kit::{client::call_context::CallContext, errors::ErrorReason};
use patio_proto::{
    access::Role,
    auth::{ConfirmPasswordRequest, LiftLockoutRequest, UpdateUserRequest},
};
use patio_testing::each_database;
use std::time::Instant;

#[tokio::test]
async fn a_known_device_gets_in_while_others_lock_its_owner_out() {
    for redis in stores() {
        each_database(async |host| {
            let (office, here) = (Office::open(another(&host, redis.as_deref()).await).await, somewhere());
            let mark = office.try_sign_in(FIRST, PASSWORD, &here, "").await.unwrap().device_mark;
            fail(&office, FIRST, 5, &here).await;
            assert_eq!(why(&office.refused(FIRST, PASSWORD, &here).await).1, Some(ErrorReason::LockedOut));
            let known = office.try_sign_in(FIRST, PASSWORD, &here, &mark).await.unwrap();
            assert_eq!(known.device_mark, mark, "a device keeps its device token");
            let attacker = office.refused(FIRST, PASSWORD, &here).await;
            assert_eq!(why(&attacker).1, Some(ErrorReason::LockedOut), "the success must lift only the block of its own device");
            office.close().await;
        })
        .await;
    }
}

#[tokio::test]
async fn a_known_device_has_five_attempts_and_dropping_its_token_gives_no_more() {
    for redis in stores() {
        each_database(async |host| {
            let (office, here) = (Office::open(another(&host, redis.as_deref()).await).await, somewhere());
            let mark = office.try_sign_in(FIRST, PASSWORD, &here, "").await.unwrap().device_mark;
            for left in [4, 3, 2, 1] {
                assert_wrong(&office.try_sign_in(FIRST, "a wrong one", &here, &mark).await.unwrap_err(), left);
            }
            assert_locked(&office.try_sign_in(FIRST, "a wrong one", &here, &mark).await.unwrap_err(), 180);
            assert_eq!(why(&office.refused(FIRST, PASSWORD, &here).await).1, Some(ErrorReason::LockedOut));
            assert!(office.try_sign_in(FIRST, PASSWORD, &somewhere(), "").await.is_ok(), "another address is not blocked");
            office.close().await;
        })
        .await;
    }
}

#[tokio::test]
async fn foreign_forged_and_outdated_device_tokens_are_ignored() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let admin = office.sign_in(FIRST, PASSWORD).await;
        let clerk = office.hire(&bearer(&admin), "20", Role::Operator).await;
        let mine = office.sign_in("20", PASSWORD).await.device_mark;
        let change = UpdateUserRequest { id: clerk.id, password: Some("a new password".to_owned()), ..UpdateUserRequest::default() };
        office.update(&bearer(&admin), change).await.unwrap();
        fail(&office, "20", 5, HERE).await;
        let forged = forge(&mine);
        for mark in [mine, admin.device_mark, forged, "rubbish".to_owned(), "A".repeat(100_000)] {
            let refused = office.try_sign_in("20", "a new password", HERE, &mark).await.unwrap_err();
            assert_eq!(why(&refused).1, Some(ErrorReason::LockedOut), "{mark:.20}");
        }
    })
    .await;
}

#[tokio::test]
async fn one_account_takes_twenty_failures_over_all_addresses_except_from_known_devices() {
    for redis in [None, patio_testing::from_environment(patio_testing::REDIS)] {
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
async fn one_address_takes_fifty_failures_over_all_names_and_then_one_in_twelve_seconds() {
    for redis in [None, patio_testing::from_environment(patio_testing::REDIS)] {
        each_database(async |host| {
            let office = Office::open(another(&host, redis.as_deref()).await).await;
            let mark = office.try_sign_in(FIRST, PASSWORD, &somewhere(), "").await.unwrap().device_mark;
            let (here, started, checks) = (somewhere(), Instant::now(), office.passwords.verification_count());
            let mut tried = 0;
            let capped = loop {
                let refused = office.refused(&format!("{here}, name {}", tried / 4), "a wrong one", &here).await;
                if why(&refused).1 == Some(ErrorReason::LockedOut) {
                    break refused;
                }
                tried += 1;
            };
            assert_locked(&capped, number(&capped));
            assert!((1..=12).contains(&number(&capped)), "{capped:?}");
            let given_back = started.elapsed().as_secs() / 12;
            assert!((50..=51 + given_back).contains(&tried), "{tried} tries, {given_back} given back");
            assert_eq!(office.passwords.verification_count() - checks, tried);
            assert_eq!(why(&office.refused(FIRST, PASSWORD, &here).await).1, Some(ErrorReason::LockedOut));
            assert!(office.try_sign_in(FIRST, PASSWORD, &here, &mark).await.is_ok(), "known devices are not blocked");
            assert!(office.try_sign_in(FIRST, PASSWORD, &somewhere(), "").await.is_ok());
            office.close().await;
        })
        .await;
    }
}

#[tokio::test]
async fn a_supervisor_lifts_a_lockout_wherever_it_stands_and_it_is_one_entry_in_the_audit_log() {
    for redis in stores() {
        each_database(async |host| {
            let (office, here) = (Office::open(another(&host, redis.as_deref()).await).await, somewhere());
            let by = bearer(&office.try_sign_in(FIRST, PASSWORD, &somewhere(), "").await.unwrap());
            let clerk = office.hire(&by, "20", Role::Operator).await;
            let mark = office.try_sign_in("20", PASSWORD, &somewhere(), "").await.unwrap().device_mark;
            let lift = async |who: &CallContext, id| {
                office.users().lift_lockout(who.grpc_request(LiftLockoutRequest { id })).await.map(|response| response.into_inner().lifted)
            };
            assert!(!lift(&by, clerk.id).await.unwrap(), "there is no lockout yet");
            for place in [&here, &somewhere(), &somewhere(), &somewhere()] {
                fail(&office, "20", 5, place).await;
            }
            for _ in 0..5 {
                office.try_sign_in("20", "a wrong one", &here, &mark).await.unwrap_err();
            }
            let new = somewhere();
            for (place, mark) in [(&here, ""), (&new, ""), (&here, mark.as_str())] {
                assert_eq!(why(&office.try_sign_in("20", PASSWORD, place, mark).await.unwrap_err()).1, Some(ErrorReason::LockedOut));
            }
            assert!(lift(&by, clerk.id).await.unwrap());
            let who = bearer(&office.try_sign_in("20", PASSWORD, &here, "").await.unwrap());
            for (place, mark) in [(&new, ""), (&here, mark.as_str())] {
                office.try_sign_in("20", PASSWORD, place, mark).await.unwrap();
            }
            assert_eq!(why(&lift(&who, clerk.id).await.unwrap_err()).1, Some(ErrorReason::NotAllowed));
            assert_eq!(why(&lift(&by, 1).await.unwrap_err()).1, Some(ErrorReason::Reserved));
            assert_eq!(why(&lift(&by, 99).await.unwrap_err()).1, Some(ErrorReason::NoUser));
            let entries: Vec<_> = office.audit().await.into_iter().filter(|event| event.summary == "unlocked the account").collect();
            assert!(
                entries.len() == 1 && entries[0].subject == format!("user {}", clerk.id) && entries[0].user_id == Some(2),
                "{entries:?}"
            );
            office.close().await;
        })
        .await;
    }
}

#[tokio::test]
async fn from_a_rate_limited_address_only_known_devices_of_the_user_sign_in() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let admin = office.sign_in(FIRST, PASSWORD).await;
        office.hire(&bearer(&admin), "20", Role::Operator).await;
        let (his, mine) = (admin.device_mark, office.sign_in("20", PASSWORD).await.device_mark);
        let checks = office.passwords.verification_count();
        let forged = forge(&mine);
        for (hmc, marks) in
            [("20", vec![]), ("20", vec![&*his]), ("20", vec![&*forged, "rubbish"]), ("nobody", vec![&*mine]), (FIRST, vec![&*mine])]
        {
            let refused = office.sign_in_on((hmc, PASSWORD), HERE, &marks, true).await.unwrap_err();
            assert_eq!(why(&refused).1, Some(ErrorReason::RateLimited), "{hmc} {marks:.20?}");
        }
        assert_eq!(office.passwords.verification_count(), checks, "no password was verified");
        for (hmc, marks) in [("20", vec![&*his, &*mine]), (FIRST, vec![&*mine, &*his])] {
            let own = if hmc == "20" { &mine } else { &his };
            assert_eq!(office.sign_in_on((hmc, PASSWORD), HERE, &marks, true).await.unwrap().device_mark, *own, "the device token stays");
        }
    })
    .await;
}

#[tokio::test]
async fn a_supervisor_also_lifts_the_block_of_wrong_current_passwords() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let admin = office.admin().await;
        let clerk = office.hire(&admin, "20", Role::Operator).await;
        let who = bearer(&office.sign_in("20", PASSWORD).await);
        let confirm = async |password: &str| {
            let ask = ConfirmPasswordRequest { password: password.to_owned() };
            office.sessions().confirm_password(who.grpc_request(ask)).await.map(drop)
        };
        for _ in 0..5 {
            confirm("a wrong one").await.unwrap_err();
        }
        assert_eq!(why(&confirm(PASSWORD).await.unwrap_err()).1, Some(ErrorReason::LockedOut));
        let ask = LiftLockoutRequest { id: clerk.id };
        assert!(office.users().lift_lockout(admin.grpc_request(ask)).await.unwrap().into_inner().lifted);
        confirm(PASSWORD).await.unwrap();
    })
    .await;
}

/// Returns the device token with another character in its payload. The seal no longer matches, whichever the token is.
fn forge(device_token: &str) -> String {
    let mut forged = device_token.to_owned();
    forged.replace_range(10..11, if &device_token[10..11] == "A" { "B" } else { "A" });
    forged
}
