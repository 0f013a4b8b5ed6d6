//! A session that nobody uses for four hours ends; one that is used does not.
use crate::office::{FIRST, Office, PASSWORD, another, bearer, pass, signed_out, why};
use auth_svc::{SCHEMA, sessions, store::sessions::of};
use chrono::TimeDelta;
use patio_kit::{db::Db, errors::Reason, link::Bearer};
use patio_proto::auth::{NoteSessionsReply, NoteSessionsRequest};
use patio_testing::each_database;
use std::time::{Duration, Instant};

/// What auth-svc does every minute.
async fn end_unused(office: &Office, db: &Db) {
    sessions::end_unused(db, &office.host.clock, &office.host.identity).await.unwrap();
}

/// Uses a session and waits until that is noted, as it is with one of the next questions for revocations.
async fn use_it(office: &Office, db: &Db, who: &Bearer) {
    let noted = async || of(db, 2).await.unwrap()[0].used_ms;
    let before = noted().await;
    assert_eq!(office.me(who).await.unwrap().id, 2);
    let started = Instant::now();
    while noted().await == before {
        assert!(started.elapsed() < Duration::from_secs(5), "the use of a session was not noted");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_session_that_nobody_uses_for_four_hours_ends_and_one_in_use_goes_on() {
    each_database(async |host| {
        let office = Office::open(another(&host, None).await).await;
        let db = host.database(SCHEMA).await.unwrap();
        let (used, unused) = (office.admin().await, office.admin().await);
        for _ in 0..4 {
            pass(&office.host, TimeDelta::hours(1)).await;
            end_unused(&office, &db).await;
            use_it(&office, &db, &used).await;
        }
        assert_eq!(of(&db, 2).await.unwrap().len(), 2, "four hours are not over before they are over");
        pass(&office.host, TimeDelta::minutes(6)).await;
        end_unused(&office, &db).await;
        assert_eq!(why(&office.me(&unused).await.unwrap_err()), signed_out());
        assert_eq!(office.me(&used).await.unwrap().id, 2);
        let told = office.audit().await;
        assert_eq!(told.iter().filter(|event| event.summary.contains("without use")).count(), 1);
        pass(&office.host, TimeDelta::hours(5)).await;
        end_unused(&office, &db).await;
        assert_eq!(why(&office.me(&used).await.unwrap_err()), signed_out());
        assert!(of(&db, 2).await.unwrap().is_empty());
        office.close().await;
        db.close().await;
    })
    .await;
}

#[tokio::test]
async fn sessions_that_ended_otherwise_are_kept_no_longer() {
    each_database(async |host| {
        let office = Office::open(another(&host, None).await).await;
        let db = host.database(SCHEMA).await.unwrap();
        let (one, other) = (office.admin().await, office.admin().await);
        office.sign_out(&one).await.unwrap();
        assert_eq!(of(&db, 2).await.unwrap().len(), 1);
        let renamed = patio_proto::auth::UpdateUserRequest { id: 2, hmc: Some("1001".to_owned()), ..Default::default() };
        office.update(&other, renamed).await.unwrap();
        assert!(of(&db, 2).await.unwrap().is_empty());
        office.sign_in("1001", PASSWORD).await;
        pass(&office.host, TimeDelta::hours(13)).await;
        end_unused(&office, &db).await;
        assert!(of(&db, 2).await.unwrap().is_empty());
        assert!(!office.audit().await.iter().any(|event| event.summary.contains("without use")), "it died by itself");
        office.close().await;
        db.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_session_used_all_the_time_is_told_of_once_in_five_minutes() {
    each_database(async |host| {
        let identity = patio_kit::identity::Identity::new(host.clock.clone());
        let office = Office::open(host).await;
        let keys = office.tokens().get_keys(patio_proto::auth::GetKeysRequest {}).await.unwrap().into_inner().keys;
        identity.set_keys(keys.into_iter().map(|key| (key.id, key.public_key)));
        let session = office.sign_in(FIRST, PASSWORD).await;
        let id = identity.judge(&session.token).unwrap().session_id;
        for _ in 0..100 {
            identity.judge(&session.token).unwrap();
        }
        let taken = identity.take_uses(100);
        assert_eq!(taken, std::slice::from_ref(&id));
        identity.give_back_uses(taken);
        assert_eq!(identity.take_uses(100), std::slice::from_ref(&id), "what could not be told is told again");
        identity.judge(&session.token).unwrap();
        assert!(identity.take_uses(100).is_empty());
        office.host.clock.advance(TimeDelta::minutes(5));
        identity.judge(&session.token).unwrap();
        assert_eq!(identity.take_uses(100), [id]);
        assert!(office.me(&bearer(&session)).await.is_ok());
    })
    .await;
}

#[tokio::test]
async fn only_services_tell_which_sessions_were_used() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let session = office.sign_in(FIRST, PASSWORD).await;
        let service = office.host.service_tokens("vehicle-svc").bearer().await.unwrap();
        let tell = async |who: &Bearer, session_ids: Vec<String>| {
            office.tokens().note_sessions(who.sign(NoteSessionsRequest { session_ids })).await.map(tonic::Response::into_inner)
        };
        for nobody in [bearer(&session), Bearer::new(None, "test", "")] {
            assert!(matches!(tell(&nobody, Vec::new()).await, Err(refused) if why(&refused).1 != Some(Reason::BadRequest)));
        }
        assert_eq!(tell(&service, vec!["nobody has this".to_owned()]).await.unwrap(), NoteSessionsReply {});
        for odd in [vec![String::new()], vec!["x".repeat(41)], vec!["x".to_owned(); 1_001]] {
            assert_eq!(why(&tell(&service, odd).await.unwrap_err()).1, Some(Reason::BadRequest));
        }
    })
    .await;
}
