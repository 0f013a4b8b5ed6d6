//! Tests of workbook uploads: size limits, error format and progress events.
use crate::stack::{Answer, Stack, config, raw};
use axum::body::Body;
use bytes::Bytes;
use futures::StreamExt;
use patio_proto::access::Role;
use serde_json::json;
use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

const LIMIT: usize = 5_242_880;
const MANAGER: (i64, Role) = (7, Role::Manager);

fn form(name: &str, size: usize) -> Vec<u8> {
    let mut form = format!("--edge\r\nContent-Disposition: form-data; name=\"documents\"; filename=\"{name}\"\r\n\r\n").into_bytes();
    form.resize(form.len() + size, b'x');
    form.extend_from_slice(b"\r\n--edge--\r\n");
    form
}

async fn upload(stack: &Stack, body: Vec<u8>) -> Answer {
    let request = stack.request(MANAGER, "POST", "/api/documents/upload").header("content-type", "multipart/form-data; boundary=edge");
    stack.send(request.body(Body::from(body)).unwrap()).await
}

async fn upload_over(address: SocketAddr, token: Option<String>, body: &[u8]) -> Answer {
    let token = token.map_or_else(String::new, |token| format!("Authorization: Bearer {token}\r\n"));
    let length = body.len();
    let head = format!(
        "POST /api/documents/upload HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{token}Content-Type: multipart/form-data; boundary=edge\r\nContent-Length: {length}\r\n\r\n"
    );
    raw(address, &[head.as_bytes(), body].concat()).await
}

#[tokio::test]
async fn a_file_of_exactly_the_limit_passes_and_one_byte_more_gets_413() {
    let stack = Stack::new().await;
    let address = stack.listen(config()).await;
    let token = || Some(stack.token(7, Role::Manager));
    let passed = upload_over(address, token(), &form("a.xlsx", LIMIT)).await;
    assert_eq!(passed.status, 201, "{}", passed.text());
    for size in [LIMIT + 1, 2 * LIMIT - 1000] {
        let refused = upload_over(address, token(), &form("a.xlsx", size)).await;
        assert_eq!(refused.status, 413, "{size}");
        assert_eq!(refused.json()["ErrorCode"], 52);
    }
    assert_eq!(*stack.imports.whole.lock().unwrap(), [LIMIT], "a truncated file was not taken for a complete one");
}

#[tokio::test]
async fn a_large_upload_without_sign_in_gets_401_and_by_an_operator_403() {
    let stack = Stack::new().await;
    let address = stack.listen(config()).await;
    assert_eq!(upload_over(address, None, &form("a.xlsx", LIMIT)).await.status, 401);
    let refused = upload_over(address, Some(stack.token(8, Role::Operator)), &form("a.xlsx", LIMIT)).await;
    assert_eq!((refused.status.as_u16(), refused.json()["code"].as_str()), (403, Some("NOT_ALLOWED")));
}

#[tokio::test]
async fn a_successful_upload_returns_the_specified_message() {
    let stack = Stack::new().await;
    let answer = upload(&stack, form("Brakes", 10)).await;
    assert_eq!(answer.status, 201);
    let body = answer.json();
    assert_eq!(body["message"], "Documento enviado com sucesso e inserido no banco de dados! A campanha já pode ser iniciada.");
    assert_eq!(
        (&body["campaign"]["name"], &body["campaign"]["created_by_name"], &body["campaign"]["status"]),
        (&json!("Brakes"), &json!("ana"), &json!("Ready"))
    );
}

#[tokio::test]
async fn every_upload_error_has_its_status_and_body() {
    let stack = Stack::new().await;
    for (code, status) in [(50, 422), (51, 422), (52, 413), (53, 415), (54, 409), (55, 422), (56, 422), (57, 422)] {
        let answer = upload(&stack, form(&format!("{code}.xlsx"), 3)).await;
        assert_eq!(answer.status.as_u16(), status, "{code}");
        let details = json!([{ "row": 12, "column": "Serial Number", "value": "?", "message": "is odd" }]);
        let message = "Uma campanha com o mesmo nome já existe para o Patio.";
        let rejected_id = (code == 57).then_some("0197f0c4-0000-7000-8000-000000000000");
        let expected = json!({ "Message": message, "ErrorCode": code, "details": details, "total_errors": 1, "rejected_id": rejected_id });
        assert_eq!(answer.json(), expected);
    }
}

#[tokio::test]
async fn a_rejected_sheet_can_be_downloaded_and_a_finished_import_cannot_be_cancelled() {
    let stack = Stack::new().await;
    let id = "0197f0c4-0000-7000-8000-000000000000";
    let sheet = stack.ask_as(MANAGER, "GET", &format!("/api/documents/rejected/{id}"), None).await;
    assert_eq!((sheet.status.as_u16(), sheet.text().as_str()), (200, "PK"));
    assert!(sheet.header("content-disposition").contains(&format!("{id}-errors.xlsx")));
    let late = stack.ask_as(MANAGER, "DELETE", &format!("/api/documents/uploads/{id}"), None).await;
    assert_eq!((late.status.as_u16(), late.code().as_str()), (409, "TOO_LATE"));
    for (method, path) in [("GET", "/api/documents/rejected/me"), ("DELETE", "/api/documents/uploads/me")] {
        assert_eq!(stack.ask_as(MANAGER, method, path, None).await.status, 400);
    }
}

#[tokio::test]
async fn a_file_rejected_early_is_still_read_to_its_end() {
    let stack = Stack::new().await;
    let address = stack.listen(config()).await;
    let refused = upload_over(address, Some(stack.token(7, Role::Manager)), &form("early.xlsx", LIMIT)).await;
    assert_eq!((refused.status.as_u16(), refused.json()["ErrorCode"].as_i64()), (415, Some(53)));
}

#[tokio::test]
async fn invalid_forms_are_rejected() {
    let stack = Stack::new().await;
    let plain = stack.ask_as(MANAGER, "POST", "/api/documents/upload", Some(json!({}))).await;
    assert_eq!((plain.status.as_u16(), plain.json()["ErrorCode"].as_i64()), (415, Some(53)));
    assert_eq!(upload(&stack, b"--edge--\r\n".to_vec()).await.status, 400);
    for size in [10, 100_000] {
        let elsewhere = String::from_utf8(form("a.xlsx", size)).unwrap().replace("documents", "file");
        let refused = upload(&stack, elsewhere.into_bytes()).await;
        assert_eq!((refused.status.as_u16(), &refused.json()["details"][0]["field"]), (400, &json!("documents")), "{size}");
    }
    let broken = form("a.xlsx", 10);
    assert_eq!(upload(&stack, broken[..broken.len() - 6].to_vec()).await.status, 400);
    let request = stack
        .request(MANAGER, "POST", "/api/documents/upload")
        .header("content-type", "multipart/form-data; boundary=edge")
        .header("x-upload-id", "me");
    assert_eq!(stack.send(request.body(Body::from(form("a.xlsx", 1))).unwrap()).await.status, 400);
    assert!(stack.imports.whole.lock().unwrap().is_empty(), "no file of an invalid form is imported");
}

#[tokio::test]
async fn upload_progress_is_streamed_as_events() {
    let stack = Stack::new().await;
    let request = stack.request(MANAGER, "GET", "/api/documents/uploads/0197f0c4-0000-7000-8000-000000000000/events");
    let answer = stack.send(request.header("accept-encoding", "gzip, br").body(Body::empty()).unwrap()).await;
    assert_eq!((answer.header("content-type"), answer.header("content-encoding")), ("text/event-stream", ""));
    let expected = "event: progress\ndata: {\"phase\":\"reading\",\"rows\":10,\"total\":null}\n\n\
                    event: progress\ndata: {\"phase\":\"saving\",\"rows\":20,\"total\":40}\n\n\
                    event: progress\ndata: {\"phase\":\"done\",\"rows\":40,\"total\":40}\n\n";
    assert_eq!(answer.text(), expected);
}

#[tokio::test]
async fn the_template_is_a_file_with_a_name() {
    let stack = Stack::new().await;
    let answer = stack.ask_as(MANAGER, "GET", "/api/documents/template", None).await;
    assert_eq!(answer.header("content-disposition"), "attachment; filename=\"Modelo _.xlsx\"; filename*=UTF-8''Modelo%20%C3%A9.xlsx");
    assert_eq!((answer.header("content-type"), answer.text().as_str()), ("application/x-test", "PK"));
}

/// Sends a form that starts with `begin` and continues with `bytes` filler bytes; returns the response and the number of bytes read.
async fn endless(stack: &Stack, begin: &str, bytes: usize) -> (Answer, usize) {
    let read = Arc::new(AtomicUsize::new(0));
    let (counted, begin) = (read.clone(), Bytes::from(begin.to_owned()));
    let pieces = (0..bytes / PIECE).map(|_| Bytes::from_static(&[b'x'; PIECE]));
    let body = futures::stream::iter(std::iter::once(begin).chain(pieces)).map(move |piece| {
        counted.fetch_add(piece.len(), Ordering::Relaxed);
        Ok::<_, std::io::Error>(piece)
    });
    let request = stack.request(MANAGER, "POST", "/api/convert-to-sql").header("content-type", "multipart/form-data; boundary=edge");
    let answer = stack.send(request.body(Body::from_stream(body)).unwrap()).await;
    (answer, read.load(Ordering::Relaxed))
}

const PIECE: usize = 64 << 10;
/// Maximum number of bytes that the gateway reads and discards of a rejected form.
const LISTENED: usize = 12 << 20;

#[tokio::test]
async fn every_part_of_a_form_has_its_own_size_limit() {
    let stack = Stack::new().await;
    let part = |name: &str| format!("--edge\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n");
    let file = "--edge\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.xlsx\"\r\n\r\n";
    for (what, begin, status, most) in [
        ("a campaign name", part("campaignName"), 400, LISTENED),
        ("another field", part("other"), 400, LISTENED),
        ("a field without a name", "--edge\r\nContent-Disposition: form-data\r\n\r\n".to_owned(), 400, LISTENED),
        ("a head", "--edge\r\nX-Long: ".to_owned(), 400, LISTENED),
        ("many heads", "--edge\r\n".to_owned(), 400, LISTENED),
        ("what stands before the first part", "nothing".to_owned(), 400, LISTENED),
        ("a file", file.to_owned(), 413, LIMIT + LISTENED),
        ("a head after a part", format!("{}name\r\n--edge\r\nX-Long: ", part("campaignName")), 400, LISTENED),
    ] {
        let (answer, read) = endless(&stack, &begin, 64 << 20).await;
        assert_eq!(answer.status.as_u16(), status, "{what}: {}", answer.text());
        assert!(read <= most, "{what}: {read} bytes were read");
    }
    let long = format!("{}{}\r\n--edge--\r\n", part("campaignName"), "n".repeat(501));
    let (answer, _) = endless(&stack, &long, 0).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["details"][0]["field"]), (400, &json!("campaignName")));
}
