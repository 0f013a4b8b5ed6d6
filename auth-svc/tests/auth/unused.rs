//! Idle timeout: a session unused for four hours ends, a session in use does not.
use crate::office::{FIRST, Office, PASSWORD, another, bearer, pass, signed_out, why};
use auth_svc::{SCHEMA, sessions, store::sessions::list_user_sessions};
use chrono::TimeDelta;
use patio_kit::{client::call_context::CallContext, db::Db, errors::ErrorReason};
use patio_proto::auth::{RecordSessionActivityRequest, RecordSessionActivityResponse};
use patio_testing::each_database;
use std::time::{Duration, Instant};

/// Ends idle sessions, as auth-svc does every minute.
async fn end_unused(office: &Office, db: &Db) {
    sessions::end_idle_sessions(db, &office.host.clock, &office.host.identity).await.unwrap();
}

/// Makes a call with a session and waits until auth-svc has recorded the use. Uses are reported with a later poll of revocations.
async fn use_it(office: &Office, db: &Db, who: &CallContext) {
    let noted = async || list_user_sessions(db, 2).await.unwrap()[0].used_ms;
    let before = noted().await;
    assert_eq!(office.me(who).await.unwrap().id, 2);
    let started = Instant::now();
    while noted().await == before {
        assert!(started.elapsed() < Duration::from_secs(5), "the use of a session was not recorded");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn an_idle_session_ends_after_four_hours_and_one_in_use_stays() {
    each_database(async |host| {
        let office = Office::open(another(&host, None).await).await;
        let db = host.open_database(SCHEMA).await.unwrap();
        let (used, unused) = (office.admin().await, office.admin().await);
        for _ in 0..4 {
            pass(&office.host, TimeDelta::hours(1)).await;
            end_unused(&office, &db).await;
            use_it(&office, &db, &used).await;
        }
        assert_eq!(list_user_sessions(&db, 2).await.unwrap().len(), 2, "no session ends before four hours have passed");
        pass(&office.host, TimeDelta::minutes(6)).await;
        end_unused(&office, &db).await;
        assert_eq!(why(&office.me(&unused).await.unwrap_err()), signed_out());
        assert_eq!(office.me(&used).await.unwrap().id, 2);
        let audit_log = office.audit().await;
        assert_eq!(audit_log.iter().filter(|event| event.summary.contains("of inactivity")).count(), 1);
        pass(&office.host, TimeDelta::hours(5)).await;
        end_unused(&office, &db).await;
        assert_eq!(why(&office.me(&used).await.unwrap_err()), signed_out());
        assert!(list_user_sessions(&db, 2).await.unwrap().is_empty());
        office.close().await;
        db.close().await;
    })
    .await;
}

#[tokio::test]
async fn rows_of_ended_sessions_are_deleted() {
    each_database(async |host| {
        let office = Office::open(another(&host, None).await).await;
        let db = host.open_database(SCHEMA).await.unwrap();
        let (one, other) = (office.admin().await, office.admin().await);
        office.sign_out(&one).await.unwrap();
        assert_eq!(list_user_sessions(&db, 2).await.unwrap().len(), 1);
        let renamed = patio_proto::auth::UpdateUserRequest { id: 2, hmc: Some("1001".to_owned()), ..Default::default() };
        office.update(&other, renamed).await.unwrap();
        assert!(list_user_sessions(&db, 2).await.unwrap().is_empty());
        office.sign_in("1001", PASSWORD).await;
        pass(&office.host, TimeDelta::hours(13)).await;
        end_unused(&office, &db).await;
        assert!(list_user_sessions(&db, 2).await.unwrap().is_empty());
        assert!(!office.audit().await.iter().any(|event| event.summary.contains("of inactivity")), "the session expired by itself");
        office.close().await;
        db.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_session_in_constant_use_is_reported_once_per_five_minutes() {
    each_database(async |host| {
        let identity = patio_kit::auth::identity::TokenVerifier::new(host.clock.clone());
        let office = Office::open(host).await;
        let keys = office.tokens().get_signing_keys(patio_proto::auth::GetSigningKeysRequest {}).await.unwrap().into_inner().keys;
        identity.replace_signing_keys(keys.into_iter().map(|key| (key.id, key.public_key)));
        let session = office.sign_in(FIRST, PASSWORD).await;
        let id = identity.authenticate(&session.token).unwrap().session_id;
        for _ in 0..100 {
            identity.authenticate(&session.token).unwrap();
        }
        let taken = identity.take_unreported_sessions(100);
        assert_eq!(taken, std::slice::from_ref(&id));
        identity.requeue_unreported_sessions(taken);
        assert_eq!(
            identity.take_unreported_sessions(100),
            std::slice::from_ref(&id),
            "activity that could not be reported is reported again"
        );
        identity.authenticate(&session.token).unwrap();
        assert!(identity.take_unreported_sessions(100).is_empty());
        office.host.clock.advance(TimeDelta::minutes(5));
        identity.authenticate(&session.token).unwrap();
        assert_eq!(identity.take_unreported_sessions(100), [id]);
        assert!(office.me(&bearer(&session)).await.is_ok());
    })
    .await;
}

#[tokio::test]
async fn only_services_report_session_activity() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let session = office.sign_in(FIRST, PASSWORD).await;
        let service = office.host.service_token_source("vehicle-svc").call_context_as_service().await.unwrap();
        let record_activity = async |who: &CallContext, session_ids: Vec<String>| {
            office
                .tokens()
                .record_session_activity(who.grpc_request(RecordSessionActivityRequest { session_ids }))
                .await
                .map(tonic::Response::into_inner)
        };
        for nobody in [bearer(&session), CallContext::new(None, "test", "")] {
            assert!(matches!(record_activity(&nobody, Vec::new()).await, Err(refused) if why(&refused).1 != Some(ErrorReason::BadRequest)));
        }
        assert_eq!(record_activity(&service, vec!["unknown session".to_owned()]).await.unwrap(), RecordSessionActivityResponse {});
        for odd in [vec![String::new()], vec!["x".repeat(41)], vec!["x".to_owned(); 1_001]] {
            assert_eq!(why(&record_activity(&service, odd).await.unwrap_err()).1, Some(ErrorReason::BadRequest));
        }
    })
    .await;
}
