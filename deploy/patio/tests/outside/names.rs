//! User input never breaks a header or a log line, and secrets are not logged.
use patio_harness::{ADMIN_PASSWORD, Patio, acquire_light_test_slot};
use serde_json::{Value, json};

/// Returns `true` for characters that change the text direction or end a line in some programs.
fn turns(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

const ODD: &str = "n\u{202e}gpj\u{2066}; \"q\" ../é \u{200f}";
const FORGED: &str = "x\r\n2026-11-21T00:00:00Z ERROR forged=1\u{2028}";

#[test]
fn names_are_safe_in_headers_and_log_lines_and_secrets_are_not_logged() {
    let secrets = ["Xq7-a-new-password", "Xq7-a-wrong-password", "Xq7-typed-as-hmc", "Xq7-the-service-secret", "Xq7-developer"];
    let builder = Patio::builder().with_setting("PATIO_LOG", "debug").with_setting("PATIO_SIGN_IN_BURST", "1000");
    let builder = builder.with_setting("PATIO_SERVICE_SECRET", secrets[3]).with_setting("PATIO_DEVELOPER_PASSWORD", secrets[4]);
    let (_turn, patio) = (acquire_light_test_slot(), builder.start());
    let admin = patio.sign_in();
    let campaign = admin.import_template_workbook();
    let (own, vehicle) = (format!("/api/campaigns/{}", campaign.id), format!("/api/vehicles/{}", campaign.vehicle_ids()[0]));
    for odd in [ODD, FORGED] {
        let tries = [
            ("POST", "/api/sign-up", json!({ "hmc": odd, "password": secrets[0], "user_type": "op" })),
            ("POST", "/api/sessions", json!({ "hmc": odd, "password": secrets[1] })),
            ("POST", "/api/sessions", json!({ "hmc": secrets[2], "password": secrets[1] })),
            ("POST", "/api/logs/page-view", json!({ "page": odd, "timestamp": odd })),
            ("PUT", &own, json!({ "name": odd, "part": odd, "image": odd })),
            ("PUT", &vehicle, json!({ "operator_notes": odd, "vin_number": odd })),
            ("POST", "/api/vehicles/bulk/parking-space", json!({ "rows": [{ "vin": odd, "parking_space": odd }] })),
        ];
        for (method, path, body) in tries {
            let answer = admin.call_route(method, path, &body);
            assert!(answer.status < 500, "{body}: {answer:?}");
        }
    }
    admin.put(&own, &json!({ "name": "é \"q\"; filename=../x.exe" }));
    for path in ["generate_campaign_vehicle_report", "export_all_yards"] {
        let answer = admin.call_route("GET", &format!("{own}/{path}"), &Value::Null);
        assert_eq!(answer.status, 200);
        let disposition = answer.header("content-disposition").unwrap();
        assert!(disposition.is_ascii() && !disposition.contains("../") && disposition.matches('"').count() == 2, "{disposition}");
    }
    let wrong = admin.with_token(secrets[1]);
    wrong.send(wrong.build_request("GET", "/api/me").header("x-request-id", "a b=c"), "");
    let log = patio.first_process().read_log();
    assert!(log.lines().count() > 50 && log.contains("request completed"), "the log has the lowest level enabled");
    for line in log.lines() {
        let bare = line.trim_start_matches("\u{1b}[2m");
        assert!(bare.starts_with("20") && bare.contains('T'), "unexpected log line: {line:?}");
        assert!(!line.chars().any(turns) && !line.contains('\r'), "{line:?}");
    }
    let token = admin.token();
    for secret in secrets.into_iter().chain([ADMIN_PASSWORD, token, token.rsplit('.').next().unwrap()]) {
        assert!(!log.contains(secret), "the log contains {secret}");
    }
}
