use crate::office::{HERE, Office, another, config, signed_out, why};
use chrono::TimeDelta;
use futures::future::join_all;
use patio_kit::{client::call_context::CallContext, clock, config::secret::Secret, errors::ErrorReason, service_host::ServiceHost};
use patio_proto::auth::{GetSigningKeysRequest, ListRevocationsRequest, MintServiceTokenRequest, Revocation};
use patio_testing::each_database;
use tonic::Code;

async fn revocations(office: &Office, after: i64) -> Vec<Revocation> {
    let service = office.host.service_token_source("vehicle-svc").call_context_as_service().await.unwrap();
    office.tokens().list_revocations(service.grpc_request(ListRevocationsRequest { after })).await.unwrap().into_inner().revocations
}

fn ask(service: &str, secret: &str) -> MintServiceTokenRequest {
    MintServiceTokenRequest { service: service.to_owned(), secret: secret.to_owned() }
}

#[tokio::test]
async fn a_service_that_knows_the_secret_acts_as_a_service_for_ten_minutes() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let minted = office.tokens().mint_service_token(ask("campaign-svc", "the secret of tests")).await.unwrap().into_inner();
        let lives = clock::from_timestamp(minted.expires_at.as_ref().unwrap()).unwrap() - office.host.clock.now();
        assert!(lives <= TimeDelta::minutes(10) && lives > TimeDelta::minutes(9), "{lives}");
        let who = CallContext::new(Some(&minted.token), "test", HERE);
        assert_eq!(
            why(&office.me(&who).await.unwrap_err()),
            (Code::PermissionDenied, Some(ErrorReason::NotAllowed)),
            "a service is not a user"
        );
        office.host.clock.advance(TimeDelta::minutes(10));
        assert_eq!(why(&office.me(&who).await.unwrap_err()), signed_out());
        assert!(office.host.service_token_source("vehicle-svc").call_context_as_service().await.is_ok());
    })
    .await;
}

#[tokio::test]
async fn without_the_secret_no_service_token_is_issued() {
    each_database(async |host| {
        let office = Office::open(another(&host, None).await).await;
        for wrong in ["", "the secret of test", "the secret of tests ", "The secret of tests"] {
            let refused = office.tokens().mint_service_token(ask("campaign-svc", wrong)).await.unwrap_err();
            assert_eq!(why(&refused), (Code::PermissionDenied, Some(ErrorReason::NotAllowed)), "{wrong:?}");
        }
        for name in ["", "a b", &"x".repeat(41), "7\"}"] {
            assert_eq!(
                office.tokens().mint_service_token(ask(name, "the secret of tests")).await.unwrap_err().code(),
                Code::InvalidArgument
            );
        }
        office.close().await;
        let mut open = (*host.settings).clone();
        open.service_secret = Secret::default();
        let unset = Office::open_as(ServiceHost::with_local_services(open).await.unwrap(), config()).await;
        assert_eq!(unset.tokens().mint_service_token(ask("campaign-svc", "")).await.unwrap_err().code(), Code::PermissionDenied);
        unset.close().await;
    })
    .await;
}

/// A service secret is changed in steps: the settings contain both secrets until no service uses the old secret.
#[tokio::test]
async fn during_a_secret_change_old_and_new_secrets_work() {
    each_database(async |host| {
        let host_with = async |secret: &str| {
            let mut settings = (*host.settings).clone();
            settings.service_secret = Secret::from(secret.to_owned());
            ServiceHost::with_local_services(settings).await.unwrap()
        };
        let mut offices = Vec::new();
        for (auth, service, good) in
            [("old", "new,old", true), ("new,old", "old", true), ("new,old", "new", true), ("new", "new, old", true), ("new", "old", false)]
        {
            let office = Office::open(host_with(auth).await).await;
            let mut other = host_with(service).await;
            other.channels = office.host.channels.clone();
            assert_eq!(other.service_token_source("campaign-svc").call_context_as_service().await.is_ok(), good, "{service} at {auth}");
            offices.push((auth, office));
        }
        // Each office answers wrong secrets with a delay and one after another, so they are sent to all offices at once.
        let wrong = offices.iter().flat_map(|(auth, office)| ["", ",", "new,old", "old,"].map(|wrong| (auth, office, wrong)));
        join_all(wrong.map(async |(auth, office, wrong)| {
            assert!(office.tokens().mint_service_token(ask("campaign-svc", wrong)).await.is_err(), "{wrong:?} at {auth}");
        }))
        .await;
        for (_, office) in offices {
            office.close().await;
        }
    })
    .await;
}

#[tokio::test]
async fn only_public_keys_are_published() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let keys = office.tokens().get_signing_keys(GetSigningKeysRequest {}).await.unwrap().into_inner().keys;
        assert!(keys.len() == 1 && keys[0].public_key.len() == 32 && !keys[0].id.is_empty());
        assert!(office.host.identity.has_signing_key(&keys[0].id));
    })
    .await;
}

#[tokio::test]
async fn revocations_are_listed_in_order_until_they_expire() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let bearers = [office.admin().await, office.admin().await, office.admin().await];
        for who in &bearers {
            office.sign_out(who).await.unwrap();
        }
        let all = revocations(&office, 0).await;
        assert_eq!(all.iter().map(|revocation| revocation.sequence).collect::<Vec<_>>(), [1, 2, 3]);
        assert!(all.iter().all(|revocation| revocation.user_id == 2 && !revocation.session_id.is_empty()));
        assert_eq!(revocations(&office, 2).await, all[2..]);
        office.host.clock.advance(TimeDelta::hours(14));
        assert!(revocations(&office, 0).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_poller_misses_no_revocation_however_many_are_written_at_once() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let mut bearers = Vec::new();
        for _ in 0..15 {
            bearers.push(office.admin().await);
        }
        let poll = async {
            let (mut seen, mut after) = (Vec::new(), 0);
            while seen.len() < bearers.len() {
                for revocation in revocations(&office, after).await {
                    after = revocation.sequence;
                    seen.push(after);
                }
                tokio::task::yield_now().await;
            }
            seen
        };
        let poll = tokio::time::timeout(std::time::Duration::from_secs(20), poll);
        let (seen, ended) = tokio::join!(poll, join_all(bearers.iter().map(|who| office.sign_out(who))));
        assert!(ended.iter().all(Result::is_ok));
        assert_eq!(seen.unwrap(), (1..=15).collect::<Vec<i64>>());
    })
    .await;
}
