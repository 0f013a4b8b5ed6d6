//! Revoking all signing keys: all users are signed out, and Patio continues without a restart.
use patio_harness::{Database, Patio, acquire_light_test_slot, run_program, wait_until};
use serde_json::{Value, json};
use std::time::Duration;

#[test]
fn revoked_keys_sign_all_users_out_within_seconds_without_a_restart() {
    let _turn = acquire_light_test_slot();
    let one = Patio::builder().start();
    throw_away(&one, &[("PATIO_DATA_DIR", one.data_folder().to_str().unwrap())], "patio");
    one.stop();
    let Some(database) = Database::create() else { return };
    let five = Patio::builder().with_separate_processes().with_postgres(&database.url()).start();
    throw_away(&five, &[("PATIO_DATABASE_URL", &database.url()), ("PATIO_ALLOW_DATA_LOSS", "true")], "auth-svc");
    five.stop();
}

fn throw_away(patio: &Patio, settings: &[(&str, &str)], program: &str) {
    let admin = patio.sign_in();
    let vehicles = admin.import_template_workbook().vehicles.len();
    let key = patio.folder().join("auth.key").display().to_string();
    let settings = [settings, &[("PATIO_KEY_FILE", &*key)]].concat();
    let done = run_program(program, &["keys", "revoke-all"], &settings);
    assert!(done.code == Some(0) && done.combined_output().contains("All keys were replaced"), "{done:?}");
    wait_until("the old token is refused", Duration::from_secs(10), || {
        admin.try_call_route("GET", "/api/me", &Value::Null).unwrap().status == 401
    });
    // A sign-in uses the new key at once. The gateway and the services load this key when the first token that is signed with it arrives.
    let again = patio.sign_in();
    let call = |method: &str, path: &str, body: &Value| {
        // A poll of the keys that takes longer than a second leaves the token undecided: the answer is 503, and never 401.
        let mut answer = again.call_route(method, path, body);
        wait_until("the keys are polled", Duration::from_secs(20), || {
            if answer.status == 503 {
                answer = again.call_route(method, path, body);
            }
            answer.status != 503
        });
        answer.expect_success()
    };
    let campaign = call("GET", "/api/campaigns", &Value::Null)["campaigns"][0]["id"].as_i64().unwrap();
    assert_eq!(call("GET", &format!("/api/vehicles/campaign/{campaign}/all"), &Value::Null).as_array().unwrap().len(), vehicles);
    call("PUT", &format!("/api/campaigns/{campaign}"), &json!({ "description": "after" }));
    call("DELETE", &format!("/api/campaigns/{campaign}"), &json!({}));
    assert_eq!(admin.try_call_route("GET", "/api/me", &Value::Null).unwrap().status, 401);
}
