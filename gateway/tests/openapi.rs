//! Tests of the OpenAPI document, from which clients are generated.
use serde_json::Value;
use std::collections::BTreeSet;

fn committed() -> Value {
    serde_json::from_str(include_str!("../openapi.json")).unwrap()
}

#[test]
fn the_committed_document_matches_the_routes() {
    let fresh = gateway::openapi::build_document().unwrap();
    assert!(committed() == fresh, "run `cargo run -p gateway -- openapi > gateway/openapi.json`");
}

#[test]
fn every_operation_declares_its_role_and_error_responses() {
    let document = committed();
    let mut names = BTreeSet::new();
    let mut count = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let at_least = operation["x-at-least"].as_str().unwrap_or_else(|| panic!("{method} {path} lacks x-at-least"));
            assert!(["anyone", "op", "tm", "admin", "developer"].contains(&at_least), "{method} {path}");
            let responses = operation["responses"].as_object().unwrap();
            if at_least != "anyone" {
                assert!(
                    responses.contains_key("401") && responses.contains_key("403") && operation["security"].is_array(),
                    "{method} {path}"
                );
            }
            assert!(responses.values().all(|response| !response["description"].as_str().unwrap().is_empty()), "{method} {path}");
            names.insert(operation["operationId"].as_str().unwrap().to_owned());
            count += 1;
        }
    }
    assert_eq!(names.len(), count, "operation ids must differ");
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
}

#[test]
fn api_enums_match_the_proto_values() {
    let schemas = &committed()["components"]["schemas"];
    assert_eq!(
        schemas["VehicleStatus"]["enum"],
        serde_json::json!(["", "ok", "ng", "Repair", "Repair OK", "Not Found", "Gate Out", "S/OFF BL"])
    );
    assert_eq!(schemas["CampaignStatus"]["enum"], serde_json::json!(["Ready", "Ongoing", "Pending Review", "Closed"]));
    assert_eq!(schemas["UserType"]["enum"], serde_json::json!(["op", "tm", "admin"]));
}

#[test]
fn every_reference_resolves() {
    let document = committed();
    let text = document.to_string();
    for reference in text.split("\"#/").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(document.pointer(&format!("/{reference}")).is_some(), "{reference}");
    }
}
