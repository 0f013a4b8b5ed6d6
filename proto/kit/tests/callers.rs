//! Tests of the callers that the access rule of an rpc permits.
use chrono::DateTime;
use patio_kit::auth::identity::{Caller, DEVELOPER_USER_ID};
use patio_proto::access::Role;

fn caller(user_id: i64, role: Role) -> Caller {
    let never = DateTime::UNIX_EPOCH;
    Caller { user_id, role, session_id: String::new(), issued_at: never, expires_at: never, must_change_password: false }
}

#[test]
fn each_rule_lets_in_its_roles_and_no_others() {
    let operator = caller(7, Role::Operator);
    let manager = caller(7, Role::Manager);
    let admin = caller(7, Role::Admin);
    let developer = caller(DEVELOPER_USER_ID, Role::Admin);
    let service = caller(0, Role::Service);
    for (rule, allowed) in [
        // operator, manager, admin, developer, service
        (Role::Anyone, [true, true, true, true, true]),
        (Role::Operator, [true, true, true, true, true]),
        (Role::Manager, [false, true, true, true, true]),
        (Role::Admin, [false, false, true, true, false]),
        (Role::Developer, [false, false, false, true, false]),
        (Role::Service, [false, false, false, false, true]),
        (Role::Unspecified, [false, false, false, false, false]),
    ] {
        let found = [&operator, &manager, &admin, &developer, &service].map(|caller| caller.has_role_at_least(rule));
        assert_eq!(found, allowed, "{rule:?}");
    }
}

#[test]
fn a_service_is_no_person_and_the_developer_is_user_1() {
    assert_eq!((caller(7, Role::Operator).signed_in_user_id(), caller(0, Role::Service).signed_in_user_id()), (Some(7), None));
    assert!(caller(1, Role::Operator).is_developer() && !caller(2, Role::Admin).is_developer() && !caller(0, Role::Service).is_developer());
}
