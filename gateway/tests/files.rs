//! Tests of file exports, SQL conversion and CSV changes.
use crate::stack::{Answer, Stack};
use axum::body::Body;
use http_body_util::BodyExt;
use patio_proto::access::Role;
use serde_json::json;
use tower::ServiceExt;

const MANAGER: (i64, Role) = (7, Role::Manager);

fn form(parts: &[(&str, &str, &str)]) -> String {
    let part = |(name, file, text): &(&str, &str, &str)| {
        let file = if file.is_empty() { String::new() } else { format!("; filename=\"{file}\"") };
        format!("--edge\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n{text}\r\n")
    };
    parts.iter().map(part).collect::<String>() + "--edge--\r\n"
}

async fn send(stack: &Stack, path: &str, body: String) -> Answer {
    let request = stack.request(MANAGER, "POST", path).header("content-type", "multipart/form-data; boundary=edge");
    stack.send(request.body(Body::from(body)).unwrap()).await
}

#[tokio::test]
async fn report_file_names_cannot_break_the_header() {
    let stack = Stack::new().await;
    for (path, number) in [("generate_campaign_vehicle_report", 1), ("export_all_yards", 2)] {
        let answer = stack.ask_as(MANAGER, "GET", &format!("/api/campaigns/5/{path}"), None).await;
        assert_eq!((answer.status.as_u16(), answer.text().as_str(), answer.header("content-type")), (200, "PK", "application/x-test"));
        let disposition = answer.header("content-disposition");
        assert_eq!(
            disposition,
            format!("attachment; filename=\"report_{number}__X_ 5-1.xlsx\"; filename*=UTF-8''report_{number}__X%3A%205-1.xlsx")
        );
    }
}

#[tokio::test]
async fn a_failing_report_aborts_the_response() {
    let stack = Stack::new().await;
    let request = stack.request(MANAGER, "GET", "/api/campaigns/666/export_all_yards").body(Body::empty()).unwrap();
    let response = stack.app.clone().oneshot(request).await.unwrap();
    assert!(response.into_body().collect().await.is_err(), "a partial workbook is not taken for a complete one");
}

#[tokio::test]
async fn a_sheet_becomes_a_script_with_the_given_name_wherever_the_field_is() {
    let stack = Stack::new().await;
    let (name, file) = (("campaignName", "", "Ação 7"), ("file", "a.xlsx", "PK"));
    for parts in [[name, file], [file, name]] {
        let answer = send(&stack, "/api/convert-to-sql", form(&parts)).await;
        assert_eq!((answer.status.as_u16(), answer.text().as_str()), (200, "begin;"));
        assert!(answer.header("content-disposition").ends_with("filename*=UTF-8''A%C3%A7%C3%A3o%207%20SQL%20Data.sql"));
    }
    let refused = send(&stack, "/api/convert-to-sql", form(&[("file", "56.xlsx", "PK")])).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (422, "FILE_REFUSED"));
    assert_eq!(refused.json()["details"][0], json!({ "row": 12, "column": "Serial Number", "value": "?", "message": "is odd" }));
    assert_eq!(send(&stack, "/api/convert-to-sql", form(&[name])).await.status, 400);
}

#[tokio::test]
async fn a_csv_file_is_checked_and_applied_unless_it_has_errors() {
    let stack = Stack::new().await;
    let good = form(&[("file", "a.csv", "x")]);
    let changes = json!([{ "field": "status", "old": "", "new": "ok" }]);
    let preview = json!([{ "line": 2, "vin_number": "A 1", "campaign_name": "Brakes", "changes": changes, "has_open_conflict": true }]);
    for path in ["/api/vehicles/csv/validate", "/api/vehicles/csv"] {
        let answer = send(&stack, path, good.clone()).await;
        assert_eq!(answer.status, 200);
        assert_eq!(
            answer.json(),
            json!({ "vehicles": 1, "updated": 1, "errors": [], "total_errors": 0, "preview": preview,
            "replaced_statuses": [{ "status": "Repair", "vehicles": 3 }], "open_conflicts": 1 })
        );
        let other = send(&stack, path, form(&[("file", "a.txt", "x")])).await;
        assert_eq!((other.status.as_u16(), other.json()["message"].as_str()), (415, Some("Apenas arquivos CSV (.csv) são suportados.")));
        let large = send(&stack, path, form(&[("file", "a.csv", &"x".repeat(5_242_881))])).await;
        assert_eq!((large.status.as_u16(), large.json()["message"].as_str()), (413, Some("O arquivo deve ter no máximo 5MB.")));
    }
    let bad = form(&[("file", "bad.csv", "x")]);
    assert_eq!(send(&stack, "/api/vehicles/csv/validate", bad.clone()).await.json()["errors"][0]["line"], 3);
    let refused = send(&stack, "/api/vehicles/csv", bad).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (422, "CSV_REFUSED"));
    assert_eq!(refused.json()["details"][0], json!({ "line": 3, "message": "is odd" }));
}
