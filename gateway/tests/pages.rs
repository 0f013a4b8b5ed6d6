//! The web pages: kept for ever or asked for again, compressed once, found by every path of theirs.
use crate::stack::{Answer, Stack, config};
use axum::body::Body;
use flate2::read::GzDecoder;
use gateway::assets::Pages;
use http::Request;
use std::{fs, io::Read};

async fn with_pages() -> Stack {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("assets")).unwrap();
    fs::write(folder.path().join("index.html"), "<!doctype html><title>Patio</title>".repeat(50)).unwrap();
    fs::write(folder.path().join("assets/app-1a2b.js"), "console.log(1);".repeat(100)).unwrap();
    fs::write(folder.path().join("assets/zxing-9f.wasm"), [0_u8; 1000]).unwrap();
    fs::write(folder.path().join("logo.png"), [137_u8, 80, 78, 71]).unwrap();
    fs::write(folder.path().join("manifest.webmanifest"), r#"{"name":"Patio"}"#).unwrap();
    Stack::with(config(), Pages::load(folder.path(), "Yard \"A&B\"").unwrap()).await
}

async fn get(stack: &Stack, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
    let request = headers.iter().fold(Request::builder().method(method).uri(path), |request, (name, value)| request.header(*name, *value));
    stack.send(request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn files_with_a_hash_are_kept_for_a_year_and_the_page_is_asked_for_again() {
    let stack = with_pages().await;
    let script = get(&stack, "GET", "/assets/app-1a2b.js", &[]).await;
    assert_eq!(
        (script.header("cache-control"), script.header("content-type")),
        ("public, max-age=31536000, immutable", "text/javascript; charset=utf-8")
    );
    let page = get(&stack, "GET", "/", &[]).await;
    assert_eq!((page.header("cache-control"), page.header("content-type")), ("no-cache", "text/html; charset=utf-8"));
    assert_eq!(get(&stack, "GET", "/assets/zxing-9f.wasm", &[]).await.header("content-type"), "application/wasm");
    let again = get(&stack, "GET", "/", &[("if-none-match", page.header("etag"))]).await;
    assert_eq!((again.status.as_u16(), again.body.len()), (304, 0));
}

#[tokio::test]
async fn every_path_of_the_pages_leads_to_the_page_and_no_other_does() {
    let stack = with_pages().await;
    for path in ["/", "/campaign-home", "/yard/3?campaign=x.y", "/vehicle/12", "/apis"] {
        let answer = get(&stack, "GET", path, &[]).await;
        assert!(answer.status.is_success() && answer.text().starts_with("<!doctype html>"), "{path}");
    }
    for (method, path, status) in [
        ("GET", "/nothing.js", 404),
        ("GET", "/assets/../index.html", 404),
        ("GET", "/../../etc/passwd.txt", 404),
        ("POST", "/", 405),
        ("GET", "/api/x", 404),
    ] {
        assert_eq!(get(&stack, method, path, &[]).await.status.as_u16(), status, "{method} {path}");
    }
    let head = get(&stack, "HEAD", "/", &[]).await;
    assert_eq!((head.status.as_u16(), head.body.len()), (200, 0));
}

#[tokio::test]
async fn pages_bear_the_configured_name_before_anybody_signs_in() {
    let stack = with_pages().await;
    let page = get(&stack, "GET", "/", &[]).await.text();
    assert!(page.starts_with("<!doctype html><title>Yard &quot;A&amp;B&quot;</title>"), "{page}");
    let manifest = get(&stack, "GET", "/manifest.webmanifest", &[]).await;
    assert_eq!(manifest.json(), serde_json::json!({ "name": "Yard \"A&B\"" }));
}

#[tokio::test]
async fn what_can_be_compressed_is_sent_compressed_once() {
    let stack = with_pages().await;
    let small = get(&stack, "GET", "/assets/app-1a2b.js", &[("accept-encoding", "gzip, br")]).await;
    assert_eq!(small.header("content-encoding"), "gzip");
    let mut text = String::new();
    GzDecoder::new(small.body.as_ref()).read_to_string(&mut text).unwrap();
    assert_eq!(text, "console.log(1);".repeat(100));
    assert_eq!(get(&stack, "GET", "/logo.png", &[("accept-encoding", "gzip, br")]).await.header("content-encoding"), "");
}

#[tokio::test]
async fn pages_that_are_not_built_say_so() {
    let stack = Stack::new().await;
    let answer = get(&stack, "GET", "/campaign-home", &[]).await;
    assert_eq!((answer.status.as_u16(), answer.text().as_str()), (503, "the web pages are not built"));
}
