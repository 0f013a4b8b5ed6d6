use crate::office::{FIRST, Office, PASSWORD, another, signed_out, why};
use auth_svc::Config;
use patio_kit::{host::Host, testing::each_database};
use patio_proto::auth::{GetKeysRequest, UpdateUserRequest};
use std::time::{Duration, Instant};

#[tokio::test]
async fn replicas_that_start_together_agree_on_one_key_and_one_supervisor() {
    each_database(async |host| {
        if host.settings.database_url.is_none() {
            return; // files have one process
        }
        let open = async || Office::open_as(another(&host, None).await, Config::default()).await;
        let offices = tokio::join!(open(), open(), open());
        let offices = [offices.0, offices.1, offices.2];
        let told: Vec<_> = offices.iter().filter(|office| !office.service.notices.is_empty()).collect();
        assert_eq!(told.len(), 1, "one replica tells the password");
        let password = told[0].service.notices.iter().find_map(|line| line.trim().strip_prefix("Password: ")).unwrap();
        let keys = offices[0].tokens().get_keys(GetKeysRequest {}).await.unwrap().into_inner();
        let token = offices[0].sign_in(FIRST, password).await;
        for office in &offices {
            assert_eq!(office.tokens().get_keys(GetKeysRequest {}).await.unwrap().into_inner(), keys);
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
            assert_eq!(why(&one.me(&who).await.unwrap_err()), signed_out());
            let ended = Instant::now();
            while other.me(&who).await.is_ok() {
                assert!(ended.elapsed() < Duration::from_secs(1), "still believed after a second");
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
        one.close().await;
        other.close().await;
    })
    .await;
}

#[tokio::test]
async fn auth_svc_on_its_own_waits_for_nobody_to_become_ready() {
    each_database(async |host| {
        let alone = Host::remote((*host.settings).clone()).await.unwrap();
        let service = auth_svc::start(crate::office::config(), &alone).await.unwrap();
        let started = Instant::now();
        while !alone.knows_keys() {
            assert!(started.elapsed() < Duration::from_secs(5), "it asks somebody else for its own keys");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        alone.tasks.stop();
        service.close().await;
    })
    .await;
}
