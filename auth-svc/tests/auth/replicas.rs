use crate::office::{FIRST, Office, PASSWORD, another, ended, why};
use auth_svc::Config;
use chrono::TimeDelta;
use patio_kit::{client::call_context::CallContext, errors::ErrorReason, service_host::ServiceHost};
use patio_proto::auth::{GetSigningKeysRequest, UpdateUserRequest};
use patio_testing::each_database;
use std::time::{Duration, Instant};
use tonic::Code;

#[tokio::test]
async fn replicas_that_start_together_agree_on_one_key_and_one_supervisor() {
    each_database(async |host| {
        if host.settings.database_url.is_none() {
            return; // files have one process
        }
        let open = async || Office::open_as(another(&host, None).await, Config::default()).await;
        let offices = tokio::join!(open(), open(), open());
        let offices = [offices.0, offices.1, offices.2];
        let with_notices: Vec<_> = offices.iter().filter(|office| !office.service.notices.is_empty()).collect();
        assert_eq!(with_notices.len(), 1, "only one replica prints the password");
        let password = with_notices[0].service.notices.iter().find_map(|line| line.trim().strip_prefix("Password: ")).unwrap();
        let keys = offices[0].tokens().get_signing_keys(GetSigningKeysRequest {}).await.unwrap().into_inner();
        let token = offices[0].sign_in(FIRST, password).await;
        for office in &offices {
            assert_eq!(office.tokens().get_signing_keys(GetSigningKeysRequest {}).await.unwrap().into_inner(), keys);
            assert_eq!(office.me(&crate::office::bearer(&token)).await.unwrap().id, 2);
        }
        for office in offices {
            office.close().await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_session_ended_on_one_replica_is_refused_by_the_other_within_a_second() {
    each_database(async |host| {
        if host.settings.database_url.is_none() {
            return; // files have one process
        }
        let (one, other) = (Office::open(another(&host, None).await).await, Office::open(another(&host, None).await).await);
        let admin = one.admin().await;
        let clerk = one.hire(&admin, "clerk", patio_proto::access::Role::Operator).await;
        for round in 0..4 {
            let password = if round == 3 { "another password" } else { PASSWORD };
            let who = crate::office::bearer(&other.sign_in("clerk", PASSWORD).await);
            assert!(other.me(&who).await.is_ok() && one.me(&who).await.is_ok());
            if round < 3 {
                one.sign_out(&who).await.unwrap();
            } else {
                let change = UpdateUserRequest { id: clerk.id, password: Some(password.to_owned()), ..UpdateUserRequest::default() };
                one.update(&admin, change).await.unwrap();
            }
            assert_eq!(why(&one.me(&who).await.unwrap_err()), ended());
            let ended = Instant::now();
            while other.me(&who).await.is_ok() {
                assert!(ended.elapsed() < patio_testing::patience(Duration::from_secs(1)), "token still accepted after a second");
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
        one.close().await;
        other.close().await;
    })
    .await;
}

#[tokio::test]
async fn auth_svc_alone_becomes_ready_without_other_services() {
    each_database(async |host| {
        let alone = ServiceHost::with_remote_services((*host.settings).clone()).await.unwrap();
        let service = auth_svc::start(crate::office::config(), &alone).await.unwrap();
        let started = Instant::now();
        while !alone.has_completed_key_sync() {
            assert!(started.elapsed() < Duration::from_secs(5), "it must not wait for another process for its own keys");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        alone.tasks.stop();
        service.close().await;
    })
    .await;
}

/// Returns a replica's response to a token, after the time in which revocations and keys must have reached it.
async fn later_response(office: &Office, who: &CallContext) -> Result<(), (Code, Option<ErrorReason>)> {
    tokio::time::sleep(Duration::from_millis(700)).await;
    office.me(who).await.map(drop).map_err(|status| why(&status))
}

/// Waits until a replica rejects the token of an ended session, at most ten seconds. Returns the last response.
async fn later_rejection(office: &Office, who: &CallContext) -> Result<(), (Code, Option<ErrorReason>)> {
    let asked = Instant::now();
    loop {
        let response = later_response(office, who).await;
        if response.is_err() || asked.elapsed() > Duration::from_secs(10) {
            return response;
        }
    }
}

#[tokio::test]
async fn wrong_clocks_neither_reject_valid_sessions_nor_revive_ended_ones() {
    each_database(async |host| {
        if host.settings.database_url.is_none() {
            return; // files have one process
        }
        let (slow, fast) = (another(&host, None).await, another(&host, None).await);
        slow.clock.advance(TimeDelta::minutes(-5));
        fast.clock.advance(TimeDelta::minutes(5));
        let (slow, fast) = (Office::open(slow).await, Office::open(fast).await);
        for (here, there) in [(&slow, &fast), (&fast, &slow)] {
            let (session, by) = (here.admin().await, there.admin().await);
            for office in [here, there] {
                assert_eq!(later_response(office, &session).await, Ok(()), "a fresh session");
            }
            here.sign_out(&session).await.unwrap();
            assert_eq!(later_rejection(there, &session).await, Err(ended()));
            let clerk = there.hire(&by, "clerk", patio_proto::access::Role::Operator).await;
            let before = crate::office::bearer(&here.sign_in("clerk", PASSWORD).await);
            let change = UpdateUserRequest { id: clerk.id, password: Some("another password".to_owned()), ..UpdateUserRequest::default() };
            there.update(&by, change).await.unwrap();
            let after = crate::office::bearer(&here.sign_in("clerk", "another password").await);
            for office in [here, there] {
                assert_eq!(later_rejection(office, &before).await, Err(ended()), "a session from before the change");
                assert_eq!(later_response(office, &after).await, Ok(()), "a session from after the change");
            }
            there.users().delete_user(by.grpc_request(patio_proto::auth::DeleteUserRequest { id: clerk.id })).await.unwrap();
        }
        let session = crate::office::bearer(&slow.sign_in(FIRST, PASSWORD).await);
        for office in [&slow, &fast] {
            office.host.clock.advance(TimeDelta::minutes(12 * 60 - 11));
        }
        assert_eq!(later_response(&fast, &session).await, Ok(()), "valid until ten minutes before its expiry, five for each clock");
        slow.close().await;
        fast.close().await;
    })
    .await;
}
