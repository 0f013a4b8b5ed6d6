//! Tests of the static files of the web app: caching, compression and client-side routes.
use crate::stack::{Answer, Stack, config};
use axum::body::Body;
use flate2::read::GzDecoder;
use gateway::server::static_files::StaticFiles;
use http::Request;
use std::{fs, io::Read};

async fn with_pages() -> Stack {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("assets")).unwrap();
    fs::write(folder.path().join("index.html"), "<!doctype html><title>Patio</title>".repeat(50)).unwrap();
    fs::write(folder.path().join("assets/app-1a2b.js"), "console.log(1);".repeat(100)).unwrap();
    fs::write(folder.path().join("assets/zxing-9f.wasm"), [0_u8; 1000]).unwrap();
    fs::write(folder.path().join("assets/app-1a2b.js.br"), "brotli of the script").unwrap();
    fs::write(folder.path().join("assets/page-3c.css"), ".page{}".repeat(100)).unwrap();
    fs::write(folder.path().join("manifest.webmanifest.br"), "brotli of the built name").unwrap();
    fs::create_dir_all(folder.path().join(".vite")).unwrap();
    fs::write(folder.path().join(".vite/preload.json"), r#"[["/vehicle/:id", ["/assets/app-1a2b.js", "/assets/page-3c.css"]]]"#).unwrap();
    fs::write(folder.path().join("logo.png"), [137_u8, 80, 78, 71]).unwrap();
    fs::write(folder.path().join("manifest.webmanifest"), r#"{"name":"Patio"}"#).unwrap();
    Stack::with(config(), StaticFiles::load(folder.path(), "Yard \"A&B\"").unwrap()).await
}

async fn get(stack: &Stack, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
    let request = headers.iter().fold(Request::builder().method(method).uri(path), |request, (name, value)| request.header(*name, *value));
    stack.send(request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn hashed_files_are_cached_for_a_year_and_the_entry_page_is_revalidated() {
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
async fn client_side_routes_get_the_entry_page_and_other_paths_do_not() {
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
async fn the_entry_page_names_the_code_of_the_requested_route_for_preloading() {
    let stack = with_pages().await;
    let link = "</assets/app-1a2b.js>; rel=modulepreload; crossorigin, </assets/page-3c.css>; rel=preload; as=style; crossorigin";
    let page = get(&stack, "GET", "/vehicle/12?yard=3", &[]).await;
    assert_eq!(page.header("link"), link);
    let unchanged = get(&stack, "GET", "/vehicle/12", &[("if-none-match", page.header("etag"))]).await;
    assert_eq!((unchanged.status.as_u16(), unchanged.header("link")), (304, link));
    for path in ["/", "/vehicle", "/vehicle/12/history", "/assets/app-1a2b.js", "/.vite/preload.json"] {
        assert_eq!(get(&stack, "GET", path, &[]).await.header("link"), "", "{path}");
    }
}

#[tokio::test]
async fn static_files_show_the_configured_product_name() {
    let stack = with_pages().await;
    let page = get(&stack, "GET", "/", &[]).await.text();
    assert!(page.starts_with("<!doctype html><title>Yard &quot;A&amp;B&quot;</title>"), "{page}");
    let manifest = get(&stack, "GET", "/manifest.webmanifest", &[]).await;
    assert_eq!(manifest.json(), serde_json::json!({ "name": "Yard \"A&B\"" }));
}

#[tokio::test]
async fn brotli_files_of_the_build_are_served_in_place_of_the_plain_file_and_not_under_their_own_name() {
    let stack = with_pages().await;
    let script = get(&stack, "GET", "/assets/app-1a2b.js", &[("accept-encoding", "gzip, deflate, br, zstd")]).await;
    assert_eq!(
        (script.header("content-encoding"), script.header("vary"), script.text().as_str()),
        ("br", "accept-encoding", "brotli of the script")
    );
    assert_eq!(script.header("content-type"), "text/javascript; charset=utf-8");
    assert_eq!(get(&stack, "GET", "/assets/app-1a2b.js.br", &[]).await.status.as_u16(), 404);
    let manifest = get(&stack, "GET", "/manifest.webmanifest", &[("accept-encoding", "br")]).await;
    assert_eq!(manifest.json(), serde_json::json!({ "name": "Yard \"A&B\"" }));
}

#[tokio::test]
async fn compressible_files_are_compressed_exactly_once() {
    let stack = with_pages().await;
    for (path, accepted) in [("/assets/app-1a2b.js", "gzip, br;q=0"), ("/assets/app-1a2b.js", "gzip"), ("/assets/page-3c.css", "gzip, br")]
    {
        let small = get(&stack, "GET", path, &[("accept-encoding", accepted)]).await;
        assert_eq!(small.header("content-encoding"), "gzip", "{path} {accepted}");
        let mut text = String::new();
        GzDecoder::new(small.body.as_ref()).read_to_string(&mut text).unwrap();
        assert_eq!(text, if path.ends_with("css") { ".page{}".repeat(100) } else { "console.log(1);".repeat(100) });
    }
    assert_eq!(get(&stack, "GET", "/logo.png", &[("accept-encoding", "gzip, br")]).await.header("content-encoding"), "");
}

#[tokio::test]
async fn a_missing_web_app_gives_503() {
    let stack = Stack::new().await;
    let answer = get(&stack, "GET", "/campaign-home", &[]).await;
    assert_eq!((answer.status.as_u16(), answer.text().as_str()), (503, "The web app is not built."));
}
