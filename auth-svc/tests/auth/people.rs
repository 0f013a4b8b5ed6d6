use crate::office::{DEVELOPER_PASSWORD, FIRST, HERE, Office, PASSWORD, bearer, ended, new_user, signed_out, why};
use patio_kit::{client::call_context::CallContext, errors::ErrorReason};
use patio_proto::{
    access::Role,
    auth::{DeleteUserRequest, ListUserHistoryRequest, ListUsersRequest, ResolveUserNamesRequest, UpdateUserRequest},
    common::HistoryWindow,
};
use patio_testing::each_database;
use std::collections::HashMap;
use tonic::{Code, Status};

fn to_role(id: i64, role: Role) -> UpdateUserRequest {
    UpdateUserRequest { id, role: Some(role.into()), ..UpdateUserRequest::default() }
}

fn to_hmc(id: i64, hmc: &str) -> UpdateUserRequest {
    UpdateUserRequest { id, hmc: Some(hmc.to_owned()), ..UpdateUserRequest::default() }
}

fn to_password(id: i64, password: &str) -> UpdateUserRequest {
    UpdateUserRequest { id, password: Some(password.to_owned()), ..UpdateUserRequest::default() }
}

async fn dismiss(office: &Office, by: &CallContext, id: i64) -> Result<(), Status> {
    office.users().delete_user(by.grpc_request(DeleteUserRequest { id })).await.map(drop)
}

async fn listed(office: &Office, by: &CallContext) -> Vec<(i64, String, Role)> {
    let users = office.users().list_users(by.grpc_request(ListUsersRequest {})).await.unwrap().into_inner().users;
    users.into_iter().map(|user| (user.id, user.hmc.clone(), user.role())).collect()
}

#[tokio::test]
async fn only_supervisors_reach_the_calls_about_users() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let admin = office.admin().await;
        for (hmc, role) in [("op", Role::Operator), ("tm", Role::Manager)] {
            office.hire(&admin, hmc, role).await;
            let who = bearer(&office.sign_in(hmc, PASSWORD).await);
            let refusals = [
                office.users().list_users(who.grpc_request(ListUsersRequest {})).await.map(drop),
                office.users().create_user(who.grpc_request(new_user("x", PASSWORD, Role::Admin))).await.map(drop),
                office.update(&who, to_role(2, Role::Operator)).await.map(drop),
                dismiss(&office, &who, 2).await,
            ];
            for refused in refusals {
                assert_eq!(why(&refused.unwrap_err()), (Code::PermissionDenied, Some(ErrorReason::NotAllowed)));
            }
            assert!(office.me(&who).await.is_ok(), "a rejected call must not end the session");
        }
        let nobody = CallContext::new(None, "test", HERE);
        assert_eq!(why(&dismiss(&office, &nobody, 2).await.unwrap_err()), signed_out());
    })
    .await;
}

#[tokio::test]
async fn users_are_listed_by_hmc_and_the_developer_is_in_no_list() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let admin = office.admin().await;
        for (hmc, role) in [("beta", Role::Manager), ("Alpha", Role::Operator), ("_", Role::Operator)] {
            office.hire(&admin, hmc, role).await;
        }
        let expected = [(2, FIRST, Role::Admin), (5, "_", Role::Operator), (4, "Alpha", Role::Operator), (3, "beta", Role::Manager)];
        assert_eq!(listed(&office, &admin).await, expected.map(|(id, hmc, role)| (id, hmc.to_owned(), role)));
    })
    .await;
}

#[tokio::test]
async fn user_1_and_the_developer_hmc_are_reserved() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let admin = office.admin().await;
        let developer = bearer(&office.sign_in("DEV0", DEVELOPER_PASSWORD).await);
        for who in [&admin, &developer] {
            for change in [to_role(1, Role::Operator), to_hmc(1, "mine"), to_password(1, "a new password"), to_role(1, Role::Admin)] {
                assert_eq!(why(&office.update(who, change).await.unwrap_err()), (Code::PermissionDenied, Some(ErrorReason::Reserved)));
            }
            assert_eq!(why(&dismiss(&office, who, 1).await.unwrap_err()), (Code::PermissionDenied, Some(ErrorReason::Reserved)));
        }
        for taken in ["DEV0", " dev0", "ｄｅｖ０"] {
            let made = office.users().create_user(admin.grpc_request(new_user(taken, PASSWORD, Role::Operator))).await.unwrap_err();
            let renamed = office.update(&admin, to_hmc(2, taken)).await.unwrap_err();
            assert_eq!([why(&made), why(&renamed)], [(Code::AlreadyExists, Some(ErrorReason::Reserved)); 2], "{taken}");
        }
        assert!(office.me(&developer).await.is_ok());
    })
    .await;
}

#[tokio::test]
async fn an_hmc_is_given_to_one_person_only() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let admin = office.admin().await;
        let made = office.hire(&admin, "Ab1", Role::Operator).await;
        for taken in ["ab1", " AB1 ", "ａｂ１"] {
            let refused = office.users().create_user(admin.grpc_request(new_user(taken, PASSWORD, Role::Operator))).await.unwrap_err();
            assert_eq!(why(&refused), (Code::AlreadyExists, Some(ErrorReason::HmcTaken)), "{taken}");
        }
        assert_eq!(why(&office.update(&admin, to_hmc(2, "AB1")).await.unwrap_err()), (Code::AlreadyExists, Some(ErrorReason::HmcTaken)));
        assert_eq!(office.update(&admin, to_hmc(made.id, "aB1")).await.unwrap().hmc, "aB1", "the own hmc in another case is allowed");
        let bad = office.users().create_user(admin.grpc_request(new_user(" ", PASSWORD, Role::Operator))).await.unwrap_err();
        assert_eq!(why(&bad), (Code::InvalidArgument, Some(ErrorReason::BadRequest)));
    })
    .await;
}

#[tokio::test]
async fn invalid_passwords_and_roles_are_rejected() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let admin = office.admin().await;
        let common =
            ["password", "12345678", "11111111", "aaaaaaaa", "qwertyui", "senha123", "Patio2026", "register12", "flamengo10", "abcdefgh1"];
        for weak in ["1234567", "          ", "Register-1", &"x".repeat(129)].into_iter().chain(common) {
            let refused = office.users().create_user(admin.grpc_request(new_user("register-1", weak, Role::Operator))).await.unwrap_err();
            assert_eq!(why(&refused), (Code::InvalidArgument, Some(ErrorReason::BadPassword)), "{weak:.9}");
        }
        let made = office.hire(&admin, "register-1", Role::Operator).await;
        assert_eq!(why(&office.update(&admin, to_password(made.id, "REGISTER-1")).await.unwrap_err()).1, Some(ErrorReason::BadPassword));
        for role in [Role::Unspecified, Role::Anyone, Role::Developer, Role::Service] {
            let refused = office.users().create_user(admin.grpc_request(new_user("x", PASSWORD, role))).await.unwrap_err();
            assert_eq!(why(&refused), (Code::InvalidArgument, Some(ErrorReason::BadRequest)), "{role:?}");
            assert_eq!(why(&office.update(&admin, to_role(made.id, role)).await.unwrap_err()).0, Code::InvalidArgument);
        }
        assert_eq!(listed(&office, &admin).await.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn the_last_supervisor_and_the_own_account_cannot_be_deleted() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let admin = office.admin().await;
        for role in [Role::Operator, Role::Manager] {
            assert_eq!(
                why(&office.update(&admin, to_role(2, role)).await.unwrap_err()),
                (Code::FailedPrecondition, Some(ErrorReason::LastAdmin))
            );
        }
        let developer = bearer(&office.sign_in("DEV0", DEVELOPER_PASSWORD).await);
        assert_eq!(
            why(&dismiss(&office, &developer, 2).await.unwrap_err()),
            (Code::FailedPrecondition, Some(ErrorReason::LastAdmin)),
            "user 1 does not count"
        );
        let other = office.hire(&admin, "2000", Role::Admin).await;
        assert_eq!(why(&dismiss(&office, &admin, 2).await.unwrap_err()), (Code::FailedPrecondition, Some(ErrorReason::OwnAccount)));
        assert_eq!(why(&dismiss(&office, &admin, 99).await.unwrap_err()), (Code::NotFound, Some(ErrorReason::NoUser)));
        dismiss(&office, &admin, other.id).await.unwrap();
        assert_eq!(listed(&office, &admin).await, [(2, FIRST.to_owned(), Role::Admin)]);
    })
    .await;
}

#[tokio::test]
async fn when_two_supervisors_demote_or_delete_each_other_one_remains() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let mut left = (2, FIRST.to_owned());
        for round in 0..20 {
            let one = bearer(&office.sign_in(&left.1, PASSWORD).await);
            let name = format!("rival {round}");
            let rival = office.hire(&one, &name, Role::Admin).await;
            let other = bearer(&office.sign_in(&name, PASSWORD).await);
            let (first, second) = if round % 2 == 0 {
                let (first, second) = tokio::join!(
                    office.update(&one, to_role(rival.id, Role::Operator)),
                    office.update(&other, to_role(left.0, Role::Operator))
                );
                (first.map(drop), second.map(drop))
            } else {
                tokio::join!(dismiss(&office, &one, rival.id), dismiss(&office, &other, left.0))
            };
            assert!(first.is_ok() != second.is_ok(), "round {round}: {first:?} {second:?}");
            if second.is_ok() {
                left = (rival.id, name);
            }
        }
        let judge = bearer(&office.sign_in(&left.1, PASSWORD).await);
        assert_eq!(listed(&office, &judge).await.iter().filter(|user| user.2 == Role::Admin).count(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_changed_hmc_role_or_password_ends_every_session_at_once_and_a_new_one_lives() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let admin = office.admin().await;
        let clerk = office.hire(&admin, "clerk", Role::Operator).await;
        let changes = [
            (to_role(clerk.id, Role::Manager), "clerk", PASSWORD),
            (to_hmc(clerk.id, "clerk 2"), "clerk 2", PASSWORD),
            (to_password(clerk.id, "another password"), "clerk 2", "another password"),
        ];
        let (mut hmc, mut password) = ("clerk", PASSWORD);
        for (change, new_hmc, new_password) in changes {
            let old = [office.sign_in(hmc, password).await, office.sign_in(hmc, password).await];
            office.update(&admin, change).await.unwrap();
            for session in &old {
                assert_eq!(why(&office.me(&bearer(session)).await.unwrap_err()), ended());
            }
            (hmc, password) = (new_hmc, new_password);
            let fresh = office.sign_in(hmc, password).await;
            assert!(office.me(&bearer(&fresh)).await.is_ok());
        }
        assert_eq!(why(&office.refused("clerk 2", PASSWORD, HERE).await).1, Some(ErrorReason::InvalidCredentials));
        assert!(office.me(&admin).await.is_ok(), "others go on");
    })
    .await;
}

#[tokio::test]
async fn a_change_that_changes_nothing_ends_no_session() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let admin = office.admin().await;
        let same = UpdateUserRequest { id: 2, hmc: Some(FIRST.to_owned()), role: Some(Role::Admin.into()), password: None };
        assert_eq!(office.update(&admin, same).await.unwrap().hmc, FIRST);
        assert!(office.me(&admin).await.is_ok());
        assert!(!office.audit().await.iter().any(|event| event.kind == "user-changed" && event.user_id == Some(2)));
    })
    .await;
}

#[tokio::test]
async fn a_deleted_user_is_signed_out_and_a_reused_hmc_is_a_new_user() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let admin = office.admin().await;
        let first = office.hire(&admin, "clerk", Role::Operator).await;
        let old = bearer(&office.sign_in("clerk", PASSWORD).await);
        dismiss(&office, &admin, first.id).await.unwrap();
        assert_eq!(why(&office.me(&old).await.unwrap_err()), ended());
        assert_eq!(why(&office.refused("clerk", PASSWORD, HERE).await).1, Some(ErrorReason::InvalidCredentials));
        let second = office.hire(&admin, "clerk", Role::Operator).await;
        assert!(second.id > first.id, "ids are never reused");
        assert_eq!(why(&office.me(&old).await.unwrap_err()), ended());
        let names = office.users().resolve_user_names(old.grpc_request(ResolveUserNamesRequest { ids: vec![1, 2] })).await.unwrap_err();
        assert_eq!(why(&names), ended());
    })
    .await;
}

#[tokio::test]
async fn names_are_returned_for_existing_ids() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let admin = office.admin().await;
        office.hire(&admin, "clerk", Role::Operator).await;
        let who = bearer(&office.sign_in("clerk", PASSWORD).await);
        let ask = async |ids: Vec<i64>| {
            office.users().resolve_user_names(who.grpc_request(ResolveUserNamesRequest { ids })).await.unwrap().into_inner().names
        };
        let expected: HashMap<i64, String> = [(1, "DEV0"), (2, FIRST), (3, "clerk")].map(|(id, hmc)| (id, hmc.to_owned())).into();
        let found = ask(vec![3, 2, 1, 99, -1, i64::MAX, 3]);
        assert_eq!(found.await, expected);
        assert!(ask(Vec::new()).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn user_changes_are_audited_with_values_but_never_passwords_or_hmcs() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let admin = office.admin().await;
        let clerk = office.hire(&admin, "clerk", Role::Operator).await;
        let all = UpdateUserRequest {
            id: clerk.id,
            hmc: Some("boss".to_owned()),
            role: Some(Role::Admin.into()),
            password: Some("another password".to_owned()),
        };
        office.update(&admin, all).await.unwrap();
        dismiss(&office, &admin, clerk.id).await.unwrap();
        let events = office.audit().await;
        let audit_log = format!("{events:?}");
        assert!(!audit_log.contains(PASSWORD) && !audit_log.contains("another password") && !audit_log.contains("argon2"), "{audit_log}");
        let values: Vec<_> = events
            .iter()
            .filter(|e| e.user_id == Some(2) && e.kind == "user-changed")
            .map(|e| (e.summary.as_str(), e.old_values.as_str(), e.new_values.as_str()))
            .collect();
        assert_eq!(
            values,
            [
                ("deleted the user", r#"{"user_type":"admin"}"#, ""),
                ("changed the user", r#"{"user_type":"op"}"#, r#"{"hmc":"changed","password":"changed","user_type":"admin"}"#),
                ("created the user", "", r#"{"user_type":"op"}"#),
            ]
        );
    })
    .await;
}

#[tokio::test]
async fn supervisors_read_the_history_of_an_account_in_pages_that_join() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let admin = office.admin().await;
        let ana = office.hire(&admin, "ana", Role::Operator).await;
        office.refused("ana", "a wrong one", HERE).await;
        let session = bearer(&office.sign_in("ana", PASSWORD).await);
        office.update(&admin, to_role(ana.id, Role::Manager)).await.unwrap();
        let read = async |by: &CallContext, user_id, window| {
            let ask = by.grpc_request(ListUserHistoryRequest { user_id, window: Some(window) });
            office.users().list_user_history(ask).await.map(|reply| reply.into_inner().events)
        };
        let all = read(&admin, ana.id, HistoryWindow { limit: 50, ..Default::default() }).await.unwrap();
        let kinds: Vec<_> = all.iter().map(|event| (&*event.kind, event.user_id)).collect();
        assert!(kinds.contains(&("login", Some(ana.id))) && kinds.contains(&("login-failed", None)), "{kinds:?}");
        assert_eq!(kinds.first(), Some(&("user-changed", Some(2))), "{kinds:?}");
        assert!(all.iter().all(|event| event.subject == all[0].subject), "no event of another user");
        let (mut pages, mut window) = (Vec::new(), HistoryWindow { limit: 1, ..Default::default() });
        while let Some(event) = read(&admin, ana.id, window).await.unwrap().pop() {
            window = HistoryWindow { before: event.at, before_id: event.id, limit: 1 };
            pages.push(event);
        }
        assert_eq!(pages, all);
        assert_eq!(why(&read(&admin, 999, window).await.unwrap_err()), (Code::NotFound, Some(ErrorReason::NoUser)));
        assert_eq!(why(&read(&session, ana.id, window).await.unwrap_err()), ended());
        let leader = bearer(&office.sign_in("ana", PASSWORD).await);
        assert_eq!(why(&read(&leader, ana.id, window).await.unwrap_err()), (Code::PermissionDenied, Some(ErrorReason::NotAllowed)));
    })
    .await;
}
