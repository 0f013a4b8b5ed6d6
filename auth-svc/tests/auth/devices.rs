//! Listing and ending sessions remotely, password confirmation, device tokens and audit entries of page views.
use crate::office::{FIRST, HERE, Office, PASSWORD, bearer, ended, new_user, pass, why};
use auth_svc::{SCHEMA, access_events::AccessEventLog};
use chrono::TimeDelta;
use patio_kit::{client::call_context::CallContext, errors::ErrorReason};
use patio_proto::{
    access::Role,
    audit::{Event, ListEventsRequest},
    auth::{
        ChangeOwnPasswordRequest, ConfirmPasswordRequest, CreateUserRequest, EndLeftSessionsRequest, EndSessionsRequest,
        ListSessionsRequest, ListUsersRequest, OpenSession, RecordPageViewRequest, Session, SignOutRequest, UpdateUserRequest,
    },
};
use patio_testing::each_database;
use tonic::{Code, Status};

async fn sessions(office: &Office, who: &CallContext, user_id: i64) -> Result<Vec<OpenSession>, Status> {
    office.sessions().list_sessions(who.grpc_request(ListSessionsRequest { user_id })).await.map(|reply| reply.into_inner().sessions)
}

async fn end(office: &Office, who: &CallContext, user_id: i64, session_id: &str) -> Result<i32, Status> {
    let ask = EndSessionsRequest { user_id, session_id: session_id.to_owned() };
    office.sessions().end_sessions(who.grpc_request(ask)).await.map(|reply| reply.into_inner().ended)
}

async fn confirm(office: &Office, who: &CallContext, password: &str) -> Result<(), Status> {
    let ask = ConfirmPasswordRequest { password: password.to_owned() };
    office.sessions().confirm_password(who.grpc_request(ask)).await.map(drop)
}

fn reset(id: i64, password: &str) -> UpdateUserRequest {
    UpdateUserRequest { id, password: Some(password.to_owned()), ..UpdateUserRequest::default() }
}

#[tokio::test]
async fn users_see_and_end_their_own_sessions_and_supervisors_those_of_others() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let admin = office.admin().await;
        let op = office.hire(&admin, "op", Role::Operator).await.id;
        let at = async |address: &str| office.try_sign_in("op", PASSWORD, address, "").await.unwrap();
        let (phone, desk, lost) = (at("203.0.113.1").await, at("203.0.113.2").await, at("203.0.113.3").await);
        let (on_phone, on_desk, on_lost) = (bearer(&phone), bearer(&desk), bearer(&lost));
        let mut shown: Vec<_> = sessions(&office, &on_phone, 0).await.unwrap();
        shown.sort_by(|one, other| one.address.cmp(&other.address));
        let listed: Vec<_> = shown.iter().map(|open| (open.address.as_str(), open.device.as_str(), open.current)).collect();
        let device = "Chrome on Android";
        assert_eq!(listed, [("203.0.113.1", device, true), ("203.0.113.2", device, false), ("203.0.113.3", device, false)]);
        assert_eq!(shown[2].id, lost.session_id);
        assert_eq!(end(&office, &on_phone, 0, &lost.session_id).await.unwrap(), 1);
        assert_eq!(why(&office.me(&on_lost).await.unwrap_err()), ended());
        let error = why(&end(&office, &on_phone, 0, &lost.session_id).await.unwrap_err());
        assert_eq!(error, (Code::NotFound, Some(ErrorReason::NoSession)));
        for refused in [sessions(&office, &on_phone, 2).await.map(drop), end(&office, &on_phone, 2, "").await.map(drop)] {
            assert_eq!(why(&refused.unwrap_err()).1, Some(ErrorReason::NotAllowed), "only a supervisor may see the sessions of others");
        }
        let foreign = end(&office, &on_phone, 0, &sessions(&office, &admin, 0).await.unwrap()[0].id).await;
        assert_eq!(why(&foreign.unwrap_err()).1, Some(ErrorReason::NoSession));
        assert_eq!(end(&office, &on_phone, 0, "").await.unwrap(), 1, "ends all sessions except the caller's");
        assert_eq!(why(&office.me(&on_desk).await.unwrap_err()), ended());
        assert!(office.me(&on_phone).await.is_ok());
        assert_eq!(sessions(&office, &admin, op).await.unwrap().len(), 1);
        assert_eq!(end(&office, &admin, op, "").await.unwrap(), 1);
        assert_eq!(why(&office.me(&on_phone).await.unwrap_err()), ended());
        assert_eq!(why(&sessions(&office, &admin, 1).await.unwrap_err()).1, Some(ErrorReason::Reserved));
        let log = office.audit().await;
        assert!(log.iter().any(|event| event.summary == "ended a session" && event.subject == format!("user {op}")), "{log:?}");
    })
    .await;
}

#[tokio::test]
async fn a_session_signed_out_offline_ends_when_its_id_is_sent() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let left = office.sign_in(FIRST, PASSWORD).await;
        let stays = office.sign_in(FIRST, PASSWORD).await;
        let end_left_sessions =
            async |ids: Vec<String>| office.sessions().end_left_sessions(EndLeftSessionsRequest { session_ids: ids }).await.map(drop);
        end_left_sessions(vec![left.session_id.clone(), "never".to_owned()]).await.unwrap();
        assert_eq!(why(&office.me(&bearer(&left)).await.unwrap_err()), ended());
        assert!(office.me(&bearer(&stays)).await.is_ok());
        end_left_sessions(vec![left.session_id.clone()]).await.unwrap();
        for wrong in [Vec::new(), vec!["x".to_owned(); 21], vec!["x".repeat(41)]] {
            assert_eq!(end_left_sessions(wrong).await.unwrap_err().code(), Code::InvalidArgument);
        }
        let log = office.audit().await;
        assert_eq!(log.iter().filter(|event| event.summary.contains("while offline")).count(), 1);
    })
    .await;
}

#[tokio::test]
async fn actions_with_lasting_effect_need_a_password_confirmed_within_five_minutes() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let admin = office.admin().await;
        let clerk = office.hire(&admin, "clerk", Role::Operator).await.id;
        let boss = async |hmc: &str| office.users().create_user(admin.grpc_request(new_user(hmc, PASSWORD, Role::Admin))).await.map(drop);
        boss("boss").await.unwrap();
        pass(&office.host, TimeDelta::minutes(6)).await;
        let raise = UpdateUserRequest { id: clerk, role: Some(Role::Admin.into()), ..UpdateUserRequest::default() };
        let asks = || (Code::PermissionDenied, Some(ErrorReason::ConfirmPassword));
        assert_eq!(why(&boss("another").await.unwrap_err()), asks());
        assert_eq!(why(&office.update(&admin, raise.clone()).await.unwrap_err()), asks());
        assert_eq!(why(&office.update(&admin, reset(clerk, "another password")).await.unwrap_err()), asks());
        let lower = UpdateUserRequest { id: clerk, role: Some(Role::Manager.into()), ..UpdateUserRequest::default() };
        office.update(&admin, lower).await.unwrap();
        office.hire(&admin, "third", Role::Operator).await;
        assert_eq!(why(&confirm(&office, &admin, "a wrong one").await.unwrap_err()).1, Some(ErrorReason::WrongPassword));
        assert_eq!(why(&boss("another").await.unwrap_err()), asks());
        confirm(&office, &admin, PASSWORD).await.unwrap();
        boss("another").await.unwrap();
        office.update(&admin, raise).await.unwrap();
        pass(&office.host, TimeDelta::minutes(6)).await;
        assert_eq!(why(&boss("fourth").await.unwrap_err()), asks());
    })
    .await;
}

#[tokio::test]
async fn five_wrong_passwords_block_the_confirmation_as_well() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let admin = office.admin().await;
        for _ in 0..4 {
            assert_eq!(why(&confirm(&office, &admin, "a wrong one").await.unwrap_err()).1, Some(ErrorReason::WrongPassword));
        }
        for password in ["a wrong one", PASSWORD] {
            assert_eq!(why(&confirm(&office, &admin, password).await.unwrap_err()).1, Some(ErrorReason::LockedOut));
        }
    })
    .await;
}

#[tokio::test]
async fn a_password_set_by_a_supervisor_must_be_changed_first() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let admin = office.admin().await;
        let id = office.hire(&admin, "boss", Role::Admin).await.id;
        assert!(!office.sign_in("boss", PASSWORD).await.user.unwrap().must_change_password);
        office.update(&admin, reset(id, "set by another")).await.unwrap();
        let session = office.sign_in("boss", "set by another").await;
        let who = bearer(&session);
        assert!(session.user.unwrap().must_change_password && office.me(&who).await.unwrap().must_change_password);
        let asks = (Code::PermissionDenied, Some(ErrorReason::PasswordMustChange));
        let refused = office.users().list_users(who.grpc_request(ListUsersRequest {})).await.map(drop);
        assert_eq!(why(&refused.unwrap_err()), asks);
        assert_eq!(why(&sessions(&office, &who, 0).await.unwrap_err()), asks);
        let change = async |old: &str, new: &str| {
            let ask = ChangeOwnPasswordRequest { old_password: old.to_owned(), new_password: new.to_owned() };
            office.sessions().change_own_password(who.grpc_request(ask)).await.map(drop)
        };
        assert_eq!(why(&change("set by another", "set by another").await.unwrap_err()).1, Some(ErrorReason::BadPassword));
        change("set by another", "chosen by oneself").await.unwrap();
        assert_eq!(why(&office.me(&who).await.unwrap_err()), ended());
        let fresh = bearer(&office.sign_in("boss", "chosen by oneself").await);
        assert!(office.users().list_users(fresh.grpc_request(ListUsersRequest {})).await.is_ok());
        let first = CreateUserRequest { must_change_password: true, ..new_user("new", PASSWORD, Role::Operator) };
        office.users().create_user(admin.grpc_request(first)).await.unwrap();
        let new = office.sign_in("new", PASSWORD).await;
        assert_eq!(why(&sessions(&office, &bearer(&new), 0).await.unwrap_err()), asks);
        assert!(office.sessions().sign_out(bearer(&new).grpc_request(SignOutRequest {})).await.is_ok());
    })
    .await;
}

#[tokio::test]
async fn each_user_gets_the_same_phone_key_at_every_sign_in() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let admin = office.admin().await;
        office.hire(&admin, "op", Role::Operator).await;
        let key = async |hmc: &str| -> Vec<u8> {
            let Session { seal_key, .. } = office.sign_in(hmc, PASSWORD).await;
            seal_key
        };
        let (one, again, other) = (key("op").await, key("op").await, key(FIRST).await);
        assert_eq!((one.len(), &one), (32, &again));
        assert_ne!(one, other);
    })
    .await;
}

#[tokio::test]
async fn equal_page_views_within_a_minute_are_one_entry_and_a_count() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let who = office.by_gateway(&office.admin().await).await;
        let visit = async |kind: &str, page: &str| {
            let ask =
                RecordPageViewRequest { kind: kind.to_owned(), page: page.to_owned(), address: HERE.to_owned(), ..Default::default() };
            office.sessions().record_page_view(who.grpc_request(ask)).await.unwrap();
        };
        let of = async |kind: &str| -> Vec<String> {
            let all = office.audit().await;
            let mut found: Vec<_> = all.into_iter().filter(|event| event.kind == kind).map(|event| event.summary).collect();
            found.reverse();
            found
        };
        for _ in 0..200 {
            visit("page-view", "home").await;
            visit("refused", "GET /api/users").await;
        }
        visit("page-view", "import").await;
        assert_eq!(of("page-view").await, ["opened home", "opened import"]);
        pass(&office.host, TimeDelta::seconds(61)).await;
        visit("page-view", "home").await;
        let summaries = of("page-view").await;
        assert_eq!(summaries[2..], ["opened home, 199 more times within a minute", "opened home"]);
        assert_eq!(of("refused").await.len(), 2);
        pass(&office.host, TimeDelta::seconds(61)).await;
        for page in 0..500 {
            visit("page-view", &format!("page {page}")).await;
        }
        assert!(of("page-view").await.len() < 70, "invented pages must not add one entry each");
        pass(&office.host, TimeDelta::seconds(61)).await;
        visit("page-view", "home").await;
        assert!(
            of("page-view")
                .await
                .iter()
                .any(|summary| summary.contains("more times within a minute") && summary.starts_with("did other things"))
        );
    })
    .await;
}

#[tokio::test]
async fn the_audit_log_without_page_views_has_all_other_entries_in_the_same_order() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let who = office.by_gateway(&office.admin().await).await;
        for page in 0..20 {
            for kind in ["page-view", "page-view", "refused"] {
                let (kind, page) = (kind.to_owned(), format!("page {page} {kind}"));
                let visit = RecordPageViewRequest { kind, page, address: HERE.to_owned(), ..Default::default() };
                office.sessions().record_page_view(who.grpc_request(visit)).await.unwrap();
            }
        }
        let developer = office.developer().await;
        let all = office.list_audit(&developer, ListEventsRequest { limit: 200, ..Default::default() }).await;
        let (page_views, others): (Vec<Event>, Vec<Event>) = all.into_iter().partition(|event| event.kind == "page-view");
        assert_eq!((page_views.len(), others.iter().filter(|event| event.kind == "refused").count()), (20, 20));
        let mut request = ListEventsRequest { limit: 3, exclude_page_views: true, ..Default::default() };
        let mut paged: Vec<Event> = Vec::new();
        loop {
            let page = office.list_audit(&developer, request.clone()).await;
            let Some(last) = page.last() else { break };
            (request.before, request.before_id) = (last.at, last.id);
            paged.extend(page);
        }
        assert_eq!(paged, others);
        let only = ListEventsRequest { limit: 200, kind: "page-view".to_owned(), exclude_page_views: true, ..Default::default() };
        assert_eq!(office.list_audit(&developer, only).await, []);
    })
    .await;
}

#[tokio::test]
async fn pending_page_view_counts_are_written_at_shutdown() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let who = office.by_gateway(&office.admin().await).await;
        for _ in 0..3 {
            let ask = RecordPageViewRequest { kind: "page-view".to_owned(), page: "home".to_owned(), ..Default::default() };
            office.sessions().record_page_view(who.grpc_request(ask)).await.unwrap();
        }
        let db = office.host.open_database(SCHEMA).await.unwrap();
        office.host.tasks.stop_and_wait().await;
        let entries: i64 = patio_kit::on!(db.read_pool(), c => sqlx::query_scalar(
            "select count(*) from audit_events where summary = 'opened home, 2 more times within a minute'").fetch_one(c).await)
        .unwrap();
        assert_eq!(entries, 1);
        assert!(
            AccessEventLog::new(db.clone(), office.host.clock.clone()).flush_all_repeat_counts().await.is_ok(),
            "without counts nothing is written"
        );
        db.close().await;
    })
    .await;
}

#[tokio::test]
async fn page_views_that_could_not_be_written_are_written_later() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let who = office.by_gateway(&office.admin().await).await;
        let db = office.host.open_database(SCHEMA).await.unwrap();
        let visit = async |page: &str| {
            let ask = RecordPageViewRequest { kind: "page-view".to_owned(), page: page.to_owned(), ..Default::default() };
            office.sessions().record_page_view(who.grpc_request(ask)).await.is_ok()
        };
        let rename = async |from: &'static str, to: &'static str| {
            let statement = sqlx::AssertSqlSafe(format!("alter table {from} rename to {to}"));
            db.write(move |tx| {
                Box::pin(async move { patio_kit::on!(tx.connection(), c => sqlx::query(statement).execute(c).await.map(drop)) })
            })
            .await
            .unwrap();
        };
        rename("audit_events", "audit_events_moved").await;
        assert!(!visit("users").await, "no count is due, the entry itself fails");
        rename("audit_events_moved", "audit_events").await;
        assert!(visit("users").await && visit("home").await && visit("home").await);
        pass(&office.host, TimeDelta::seconds(61)).await;
        rename("audit_events", "audit_events_moved").await;
        assert!(!visit("import").await && !visit("import").await);
        rename("audit_events_moved", "audit_events").await;
        assert!(visit("import").await);
        let mut entries: Vec<_> =
            office.audit().await.into_iter().map(|event| event.summary).filter(|text| text.starts_with("opened")).collect();
        entries.sort();
        assert_eq!(entries, ["opened home", "opened home, 1 more times within a minute", "opened import", "opened users"]);
        db.close().await;
    })
    .await;
}
