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
    // Gateway and services load the new keys when the first token that is signed with them arrives, also the tokens of their own calls.
    let again = patio.sign_in();
    let campaign = again.get("/api/campaigns")["campaigns"][0]["id"].as_i64().unwrap();
    assert_eq!(again.list_vehicles(campaign).len(), vehicles);
    assert_eq!(again.call_route("PUT", &format!("/api/campaigns/{campaign}"), &json!({ "description": "after" })).status, 200);
    assert!(again.call_route("DELETE", &format!("/api/campaigns/{campaign}"), &json!({})).is_success());
    assert_eq!(admin.try_call_route("GET", "/api/me", &Value::Null).unwrap().status, 401);
}
