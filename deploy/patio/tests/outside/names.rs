//! What people write never breaks a header or a log line, and no secret is logged.
use crate::patio::{PASSWORD, Patio};
use serde_json::json;

/// Marks that turn the writing direction, and those that end a line in some programs.
fn turns(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

const ODD: &str = "n\u{202e}gpj\u{2066}; \"q\" ../é \u{200f}";
const FORGED: &str = "x\r\n2026-11-21T00:00:00Z ERROR forged=1\u{2028}";

#[test]
fn names_break_neither_headers_nor_log_lines_and_secrets_are_not_logged() {
    let secrets = ["Xq7-a-new-password", "Xq7-a-wrong-password", "Xq7-typed-as-hmc", "Xq7-the-service-secret", "Xq7-developer"];
    let patio = Patio::start(&[
        ("PATIO_LOG", "debug"),
        ("PATIO_SERVICE_SECRET", secrets[3]),
        ("PATIO_DEVELOPER_PASSWORD", secrets[4]),
        ("PATIO_SIGN_IN_BURST", "1000"),
    ]);
    let token = patio.sign_in();
    let (campaign, vehicles) = patio.import(&token);
    let json_call = |method, path: &str| patio.at(method, path).header("content-type", "application/json");
    for odd in [ODD, FORGED] {
        let tries = [
            (json_call("POST", "/api/sign-up"), json!({ "hmc": odd, "password": secrets[0], "user_type": "op" })),
            (json_call("POST", "/api/sessions"), json!({ "hmc": odd, "password": secrets[1] })),
            (json_call("POST", "/api/sessions"), json!({ "hmc": secrets[2], "password": secrets[1] })),
            (json_call("POST", "/api/logs/page-view"), json!({ "page": odd, "timestamp": odd })),
            (json_call("PUT", &format!("/api/campaigns/{}", campaign["id"])), json!({ "name": odd, "part": odd, "image": odd })),
            (json_call("PUT", &format!("/api/vehicles/{}", vehicles[0]["id"])), json!({ "operator_notes": odd, "vin_number": odd })),
            (json_call("POST", "/api/vehicles/bulk/parking-space"), json!({ "rows": [{ "vin": odd, "parking_space": odd }] })),
        ];
        for (request, body) in tries {
            let answer = patio.answer(request, &token, body.to_string());
            assert!(answer.status().as_u16() < 500, "{body}: {}", answer.status());
        }
    }
    let named = json!({ "name": "é \"q\"; filename=../x.exe" });
    patio.call(("PUT", &format!("/api/campaigns/{}", campaign["id"])), &token, Some(named));
    for path in ["generate_campaign_vehicle_report", "export_all_yards"] {
        let answer = patio.answer(patio.at("GET", &format!("/api/campaigns/{}/{path}", campaign["id"])), &token, "");
        assert_eq!(answer.status(), 200);
        let told = answer.headers()["content-disposition"].to_str().unwrap().to_owned();
        assert!(told.is_ascii() && !told.contains("../") && told.matches('"').count() == 2, "{told}");
    }
    patio.answer(patio.at("GET", "/api/me").header("x-request-id", "a b=c"), "Xq7-a-wrong-password", "");
    let log = std::fs::read_to_string(patio.file("log")).unwrap();
    assert!(log.lines().count() > 50 && log.contains("answered a request"), "the log is at its fullest");
    for line in log.lines() {
        let bare = line.trim_start_matches("\u{1b}[2m");
        assert!(bare.starts_with("20") && bare.contains('T'), "no line of ours: {line:?}");
        assert!(!line.chars().any(turns) && !line.contains('\r'), "{line:?}");
    }
    for secret in secrets.into_iter().chain([PASSWORD, token.as_str(), token.rsplit('.').next().unwrap()]) {
        assert!(!log.contains(secret), "{secret} stands in the log");
    }
}
