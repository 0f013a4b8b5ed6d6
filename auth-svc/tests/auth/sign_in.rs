use crate::office::{DEVELOPER_PASSWORD, FIRST, HERE, Office, PASSWORD, another, bearer, config, ended, quick, signed_out, why};
use auth_svc::{
    Config,
    password::{PasswordHashCost, PasswordHasher},
    store::users,
};
use chrono::TimeDelta;
use patio_kit::{client::call_context::CallContext, clock, errors::ErrorReason};
use patio_proto::{
    access::Role,
    auth::{DeleteUserRequest, RecordPageViewRequest},
};
use patio_testing::each_database;
use std::collections::HashSet;
use tonic::Code;

#[tokio::test]
async fn a_token_works_until_its_session_is_signed_out_and_not_for_one_call_longer() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let (here, there) = (office.admin().await, office.admin().await);
        let me = office.me(&here).await.unwrap();
        assert_eq!((me.id, me.hmc.as_str(), me.role(), me.developer), (2, FIRST, Role::Admin, false));
        office.sign_out(&here).await.unwrap();
        assert_eq!(why(&office.me(&here).await.unwrap_err()), ended());
        assert_eq!(why(&office.sign_out(&here).await.unwrap_err()), ended());
        assert_eq!(office.me(&there).await.unwrap().id, 2, "another session stays valid");
    })
    .await;
}

#[tokio::test]
async fn a_session_expires_after_one_shift() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let before = office.host.clock.now();
        let session = office.sign_in(FIRST, PASSWORD).await;
        let ends = clock::from_timestamp(session.expires_at.as_ref().unwrap()).unwrap();
        assert!((ends - before - TimeDelta::hours(12)).abs() < TimeDelta::seconds(5), "{ends}");
        office.host.clock.advance(TimeDelta::minutes(12 * 60 - 1));
        assert!(office.me(&bearer(&session)).await.is_ok());
        office.host.clock.advance(TimeDelta::minutes(1));
        assert_eq!(why(&office.me(&bearer(&session)).await.unwrap_err()), signed_out());
    })
    .await;
}

#[tokio::test]
async fn a_token_says_nothing_of_a_person_but_the_id() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let admin = office.admin().await;
        office.hire(&admin, "Maria-77", Role::Operator).await;
        let token = office.sign_in("Maria-77", PASSWORD).await.token;
        let part = token.split('.').nth(1).unwrap();
        let claims = String::from_utf8(base64::Engine::decode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, part).unwrap()).unwrap();
        assert!(
            claims.contains("\"sub\":\"3\"") && claims.contains("\"role\":\"op\"") && !claims.to_lowercase().contains("maria"),
            "{claims}"
        );
    })
    .await;
}

#[tokio::test]
async fn an_hmc_is_the_same_whatever_its_case_width_and_outer_blanks() {
    each_database(async |host| {
        let office = Office::open(host).await;
        office.hire(&office.admin().await, " Ab12 ", Role::Operator).await;
        for written in ["ab12", "AB12", "ＡＢ１２", "  aB12\t"] {
            let session = office.sign_in(written, PASSWORD).await;
            assert_eq!(session.user.unwrap().hmc, "Ab12", "{written:?}");
        }
        assert_eq!(why(&office.refused("ab12", &format!(" {PASSWORD} "), HERE).await).1, Some(ErrorReason::InvalidCredentials));
    })
    .await;
}

#[tokio::test]
async fn malformed_sign_ins_are_rejected_and_not_counted() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let (long_hmc, long_password) = ("1".repeat(65), "x".repeat(129));
        for (hmc, password) in [
            ("", PASSWORD),
            ("  ", PASSWORD),
            (FIRST, ""),
            (FIRST, "   "),
            (&long_hmc, PASSWORD),
            (FIRST, &long_password),
            ("10\u{0}00", PASSWORD),
        ] {
            for _ in 0..2 {
                assert_eq!(
                    why(&office.refused(hmc, password, HERE).await),
                    (Code::InvalidArgument, Some(ErrorReason::BadRequest)),
                    "{hmc:?} {password:.9?}"
                );
            }
        }
        assert_eq!(office.passwords.verification_count(), 0);
        assert_eq!(crate::office::number(&office.refused(FIRST, "a wrong one", HERE).await), 4);
    })
    .await;
}

#[tokio::test]
async fn an_unknown_hmc_gets_the_same_response_and_costs_as_many_hashes_as_a_known_one() {
    each_database(async |host| {
        let office = Office::open_as(host, Config { developer_password: None, ..config() }).await;
        let admin = office.admin().await;
        let gone = office.hire(&admin, "gone", Role::Operator).await.id;
        office.users().delete_user(admin.grpc_request(DeleteUserRequest { id: gone })).await.unwrap();
        for password in ["a wrong one", "", "a wrong one", " ", "x", "a wrong one", "a wrong one", "a wrong one"] {
            let mut answers = Vec::new();
            for hmc in [FIRST, "nobody has this", "gone", "DEV0"] {
                let before = office.passwords.verification_count();
                let refused = office.refused(hmc, password, HERE).await;
                let status = (refused.code(), refused.message().to_owned(), refused.details().to_vec());
                answers.push((status, refused.metadata().clone().into_headers(), office.passwords.verification_count() - before));
            }
            assert!(answers.iter().all(|answer| *answer == answers[0]), "{password:?}: {answers:?}");
        }
        assert_eq!(office.passwords.verification_count(), 1 + 4 * 5);
    })
    .await;
}

#[tokio::test]
async fn what_people_type_into_the_hmc_field_by_mistake_never_reaches_the_audit_log() {
    each_database(async |host| {
        let office = Office::open(host).await;
        office.refused("my secret password", "a wrong one", HERE).await;
        office.refused(FIRST, "another secret", HERE).await;
        let events = office.audit().await;
        let audit_log = format!("{events:?}");
        assert!(!audit_log.contains("secret") && !audit_log.contains("a wrong one"), "{audit_log}");
        let failed: Vec<_> = events.iter().filter(|event| event.kind == "login-failed").collect();
        assert!(failed[0].subject == "user 2" && failed[1].subject.starts_with("unknown hmc ") && failed[0].address == HERE, "{failed:?}");
    })
    .await;
}

#[tokio::test]
async fn visits_sign_ins_and_sign_outs_are_in_the_audit_log_with_their_address() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let session = office.try_sign_in(FIRST, PASSWORD, "203.0.113.9", "").await.unwrap();
        let who = CallContext::new(Some(&session.token), "test", "203.0.113.10");
        let visit = |kind: &str, page: &str| RecordPageViewRequest {
            kind: kind.to_owned(),
            page: page.to_owned(),
            told_at: "21/11/2026 ás 10:00:00".to_owned(),
            address: String::new(),
        };
        let by_gateway = office.by_gateway(&who).await;
        let forged = office.sessions().record_page_view(who.grpc_request(visit("refused", "campaign-home"))).await.unwrap_err();
        assert_eq!(why(&forged).1, Some(ErrorReason::NotAllowed), "only the gateway may report page views");
        office.sessions().record_page_view(by_gateway.grpc_request(visit("login", ""))).await.unwrap();
        office.sessions().record_page_view(by_gateway.grpc_request(visit("page-view", "campaign-home"))).await.unwrap();
        let refused = office.sessions().record_page_view(by_gateway.grpc_request(visit("page-view", "a\nb"))).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument);
        office.sign_out(&who).await.unwrap();
        let events = office.audit().await;
        let kinds: Vec<_> = events
            .iter()
            .filter(|event| event.user_id == Some(2))
            .map(|event| (event.kind.as_str(), event.address.as_str(), event.role()))
            .collect();
        let from = |kind, address| (kind, address, Role::Admin);
        assert_eq!(
            kinds,
            [
                from("logout", "203.0.113.10"),
                from("page-view", "203.0.113.10"),
                from("login", "203.0.113.10"),
                from("login", "203.0.113.9")
            ]
        );
        assert!(events.iter().any(|event| event.summary == "opened campaign-home" && event.new_values.contains("21/11/2026")));
    })
    .await;
}

#[tokio::test]
async fn only_the_developer_reads_the_audit_log() {
    each_database(async |host| {
        use patio_proto::audit::{ListEventsRequest, audit_service_client::AuditServiceClient};
        let office = Office::open(host).await;
        let mut audit = AuditServiceClient::new(office.host.channels.auth.clone());
        let refused = audit.list_events(office.admin().await.grpc_request(ListEventsRequest::default())).await.unwrap_err();
        assert_eq!(why(&refused), (Code::PermissionDenied, Some(ErrorReason::NotAllowed)));
        let developer = bearer(&office.sign_in("DEV0", DEVELOPER_PASSWORD).await);
        assert!(audit.list_events(developer.grpc_request(ListEventsRequest::default())).await.is_ok());
    })
    .await;
}

#[tokio::test]
async fn every_sign_in_is_a_session_of_its_own() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let mut tokens = HashSet::new();
        for _ in 0..5 {
            assert!(tokens.insert(office.sign_in(FIRST, PASSWORD).await.token));
        }
    })
    .await;
}

#[tokio::test]
async fn a_weak_hash_is_replaced_at_the_next_sign_in_without_ending_sessions() {
    each_database(async |host| {
        let db = host.open_database(auth_svc::SCHEMA).await.unwrap();
        let stored = async || users::find_by_hmc(&db, FIRST).await.unwrap().unwrap().password_hash;
        let office = Office::open(another(&host, None).await).await;
        let before = office.admin().await;
        let cheap = stored().await;
        office.close().await;

        let dearer = PasswordHasher::with_cost(2, PasswordHashCost { memory: 128, passes: 2 });
        let office = Office::open_with(another(&host, None).await, config(), dearer).await;
        office.refused(FIRST, "a wrong one", HERE).await;
        assert_eq!(stored().await, cheap, "a wrong password changes nothing");
        let session = office.sign_in(FIRST, PASSWORD).await;
        let dear = stored().await;
        assert!(cheap.contains("$m=64,t=1,") && dear.contains("$m=128,t=2,"), "{cheap} {dear}");
        for who in [&before, &bearer(&session)] {
            assert_eq!(office.me(who).await.unwrap().id, 2);
        }
        office.sign_in(FIRST, PASSWORD).await;
        assert_eq!(stored().await, dear, "a hash is replaced only once");
        office.close().await;

        let office = Office::open_with(another(&host, None).await, config(), quick()).await;
        office.sign_in(FIRST, PASSWORD).await;
        assert_eq!(stored().await, dear, "a stronger hash is never replaced by a weaker one");
        office.close().await;
        db.close().await;
    })
    .await;
}
