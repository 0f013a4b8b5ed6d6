use crate::office::{FIRST, HERE, Office, PASSWORD, bearer, ended, number, why};
use patio_kit::{client::call_context::CallContext, errors::ErrorReason};
use patio_proto::{
    access::Role,
    auth::{ChangeOwnPasswordRequest, ExportUserRequest, User},
};
use patio_testing::each_database;
use tonic::{Code, Status};

const NEW: &str = "a better password";

async fn change(office: &Office, who: &CallContext, old: &str, new: &str) -> Result<User, Status> {
    let ask = ChangeOwnPasswordRequest { old_password: old.to_owned(), new_password: new.to_owned() };
    office.sessions().change_own_password(who.grpc_request(ask)).await.map(tonic::Response::into_inner)
}

async fn export(office: &Office, who: &CallContext, id: i64) -> Result<serde_json::Value, Status> {
    let reply = office.users().export_user(who.grpc_request(ExportUserRequest { id })).await?.into_inner();
    Ok(serde_json::from_str(&reply.json).unwrap())
}

#[tokio::test]
async fn a_changed_own_password_ends_all_sessions_and_the_new_one_signs_in_at_once() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let (here, there) = (office.admin().await, office.admin().await);
        assert_eq!(change(&office, &here, PASSWORD, NEW).await.unwrap().id, 2);
        for old in [&here, &there] {
            assert_eq!(why(&office.me(old).await.unwrap_err()), ended());
        }
        assert_eq!(why(&office.refused(FIRST, PASSWORD, HERE).await).1, Some(ErrorReason::InvalidCredentials));
        let fresh = bearer(&office.sign_in(FIRST, NEW).await);
        assert!(office.me(&fresh).await.is_ok());
        let audit_log = format!("{:?}", office.audit().await);
        assert!(audit_log.contains("changed their password") && !audit_log.contains(NEW), "{audit_log}");
    })
    .await;
}

#[tokio::test]
async fn a_wrong_old_password_ends_no_session_and_the_fifth_locks() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let who = office.admin().await;
        for left in [4, 3, 2, 1] {
            let refused = change(&office, &who, "a wrong one", NEW).await.unwrap_err();
            assert_eq!((why(&refused), number(&refused)), ((Code::PermissionDenied, Some(ErrorReason::WrongPassword)), left));
        }
        for old in ["a wrong one", PASSWORD] {
            let refused = change(&office, &who, old, NEW).await.unwrap_err();
            assert_eq!(why(&refused), (Code::ResourceExhausted, Some(ErrorReason::LockedOut)));
        }
        assert_eq!(
            why(&office.refused(FIRST, PASSWORD, HERE).await).1,
            Some(ErrorReason::LockedOut),
            "the attempts also count for sign-ins"
        );
        assert!(office.me(&who).await.is_ok());
        assert_eq!(office.passwords.verification_count(), 6);
    })
    .await;
}

#[tokio::test]
async fn a_new_own_password_has_to_meet_the_rules() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let who = office.admin().await;
        for weak in ["short", "         ", &"x".repeat(129)] {
            assert_eq!(
                why(&change(&office, &who, PASSWORD, weak).await.unwrap_err()),
                (Code::InvalidArgument, Some(ErrorReason::BadPassword))
            );
        }
        assert_eq!(why(&change(&office, &who, "", NEW).await.unwrap_err()), (Code::InvalidArgument, Some(ErrorReason::BadRequest)));
        assert!(office.me(&who).await.is_ok());
    })
    .await;
}

#[tokio::test]
async fn everybody_exports_the_own_data_and_supervisors_that_of_others() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let admin = office.admin().await;
        let clerk = office.hire(&admin, "clerk", Role::Operator).await;
        office.refused("clerk", "a wrong one", "203.0.113.5").await;
        let who = bearer(&office.sign_in("clerk", PASSWORD).await);
        for (asking, id) in [(&who, 0), (&who, clerk.id), (&admin, clerk.id)] {
            let data = export(&office, asking, id).await.unwrap();
            assert_eq!(
                (&data["user"]["hmc"], &data["user"]["user_type"], &data["audit_total"]),
                (&"clerk".into(), &"op".into(), &3.into())
            );
            let kinds: Vec<_> = data["audit"].as_array().unwrap().iter().map(|entry| entry["kind"].as_str().unwrap()).collect();
            assert_eq!(kinds, ["login", "login-failed", "user-changed"]);
            let text = data.to_string();
            assert!(text.contains("203.0.113.5") && !text.contains("argon2") && !text.contains(PASSWORD), "{text}");
        }
        assert_eq!(why(&export(&office, &who, 2).await.unwrap_err()), (Code::PermissionDenied, Some(ErrorReason::NotAllowed)));
        assert_eq!(why(&export(&office, &admin, 1).await.unwrap_err()), (Code::PermissionDenied, Some(ErrorReason::Reserved)));
        assert_eq!(why(&export(&office, &admin, 99).await.unwrap_err()), (Code::NotFound, Some(ErrorReason::NoUser)));
    })
    .await;
}
