//! The command `user`: an operator helps an installation whose supervisor cannot sign in.
use patio_harness::{ADMIN_HMC, ADMIN_PASSWORD, Database, Patio, acquire_light_test_slot, run_program, wait_until};
use serde_json::Value;
use std::time::Duration;

#[test]
fn an_operator_sets_a_password_and_ends_sessions_while_patio_runs() {
    let _turn = acquire_light_test_slot();
    let one = Patio::builder().start();
    helps(&one, &[("PATIO_DATA_DIR", one.data_folder().to_str().unwrap())], "patio");
    one.stop();
    let Some(database) = Database::create() else { return };
    let five = Patio::builder().with_separate_processes().with_postgres(&database.url()).start();
    helps(&five, &[("PATIO_DATABASE_URL", &database.url()), ("PATIO_ALLOW_DATA_LOSS", "true")], "auth-svc");
    five.stop();
}

fn helps(patio: &Patio, settings: &[(&str, &str)], program: &str) {
    let admin = patio.sign_in();
    admin.create_user("3000", "a-walker-in-the-yard", "op");
    let user = |arguments: &[&str]| run_program(program, &[&["user"], arguments].concat(), settings);
    let listed = user(&["list"]);
    assert_eq!(listed.code, Some(0), "{listed:?}");
    let lines: Vec<_> = listed.stdout.lines().map(|line| line.split('\t').collect::<Vec<_>>()).collect();
    assert_eq!((&lines[0][..2], &lines[1][..]), (&[ADMIN_HMC, "supervisor"][..], &["3000", "operator", "never signed in"][..]));

    let done = user(&["set-password", ADMIN_HMC]);
    let password = done.stdout.lines().next().unwrap_or_default().strip_prefix("New password: ").unwrap_or_default().to_owned();
    assert!(done.code == Some(0) && password.len() > 20, "{done:?}");
    let is_refused = |client: &patio_harness::Client| client.try_call_route("GET", "/api/me", &Value::Null).unwrap().status == 401;
    wait_until("the old session has ended", Duration::from_secs(10), || is_refused(&admin));
    assert_eq!(patio.client().try_sign_in(ADMIN_HMC, ADMIN_PASSWORD).status, 401, "the old password");
    let again = patio.client().try_sign_in(ADMIN_HMC, &password);
    assert_eq!((again.status, &again.json()["must_change_password"]), (200, &Value::Bool(true)), "{}", again.text());

    let walker = patio.client().sign_in("3000", "a-walker-in-the-yard");
    assert_eq!(user(&["end-sessions", "3000"]).code, Some(0));
    wait_until("the session of the operator has ended", Duration::from_secs(10), || is_refused(&walker));

    let unknown = user(&["set-password", "4711"]);
    assert!(unknown.code == Some(1) && unknown.combined_output().contains("no user has the HMC 4711"), "{unknown:?}");
    let reserved = user(&["set-password", "DEV0"]);
    assert!(reserved.code == Some(1) && reserved.combined_output().contains("PATIO_DEVELOPER_PASSWORD"), "{reserved:?}");
}
