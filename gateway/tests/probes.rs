//! Tests of health checks, public keys and the gateway's command line.
use crate::{
    doubles::Keys,
    stack::{Stack, attach, config, rules},
};
use axum::{Router, body::Body, routing::get};
use gateway::{
    server::{router, static_files::StaticFiles},
    state::AppState,
};
use http::{Request, StatusCode};
use http_body_util::BodyExt;
use patio_proto::auth::token_service_server::TokenServiceServer;
use serde_json::{Value, json};
use std::process::Command;
use tokio::net::TcpListener;
use tonic::service::RoutesBuilder;
use tower::ServiceExt;

#[tokio::test]
async fn health_says_ok_and_nothing_else() {
    let stack = Stack::new().await;
    for path in ["/api/health", "/healthz"] {
        assert_eq!(stack.ask("GET", path, None).await.json(), json!({ "status": "ok" }));
    }
}

#[tokio::test]
async fn readiness_and_metrics_are_on_the_admin_port_only() {
    let stack = Stack::new().await;
    for path in ["/readyz", "/metrics"] {
        assert_eq!(stack.ask("GET", path, None).await.status, 404, "{path}");
        assert_eq!(stack.ask("POST", path, None).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn the_public_keys_are_a_json_web_key_set() {
    let folder = tempfile::tempdir().unwrap();
    let host = patio_testing::host(folder.path(), None).await;
    let mut routes = RoutesBuilder::default();
    routes.add_service(TokenServiceServer::new(Keys(String::new())));
    attach(&host, &host.channels.auth, "auth-svc", routes);
    let document = gateway::openapi::build_document().unwrap();
    let app = router::build_router(AppState::new(config(), &host, rules(&document)), StaticFiles::default(), document);
    let get = async |path: &str| {
        let response = app.clone().oneshot(Request::get(path).body(Body::empty()).unwrap()).await.unwrap();
        let status = response.status().as_u16();
        (status, serde_json::from_slice::<Value>(&response.into_body().collect().await.unwrap().to_bytes()).unwrap())
    };
    let key = json!({ "kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA", "kid": "k1", "x": "AQIDBA" });
    assert_eq!(get("/.well-known/jwks.json").await, (200, json!({ "keys": [key] })));
}

#[tokio::test]
async fn unavailable_keys_are_an_error_not_an_empty_list() {
    let stack = Stack::new().await;
    assert!(stack.ask("GET", "/.well-known/jwks.json", None).await.status.is_server_error());
}

#[tokio::test]
async fn the_command_line_probes_and_prints_document_and_settings() {
    let stack = Stack::new().await;
    let run = async |arguments: &[&str]| {
        let (program, arguments) = (env!("CARGO_BIN_EXE_gateway"), arguments.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>());
        tokio::task::spawn_blocking(move || Command::new(program).args(arguments).env_remove("PATIO_METRICS_LISTEN").output().unwrap())
            .await
            .unwrap()
    };
    for (readiness, code, status) in [(StatusCode::OK, 0, "SERVING"), (StatusCode::SERVICE_UNAVAILABLE, 1, "NOT_SERVING")] {
        let admin = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = admin.local_addr().unwrap().to_string();
        let router = Router::new().route("/readyz", get(async move || readiness));
        stack.host.tasks.spawn(async move { axum::serve(admin, router).await.unwrap() });
        let probed = run(&["probe", "--addr", &address]).await;
        let printed = String::from_utf8_lossy(&probed.stdout).trim().to_owned();
        assert_eq!((probed.status.code(), printed), (Some(code), format!("{address} gateway {status}")));
    }
    assert_eq!(run(&["probe", "--addr", "127.0.0.1:1"]).await.status.code(), Some(2));
    let document = run(&["openapi"]).await.stdout;
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&document).unwrap(), gateway::openapi::build_document().unwrap());
    let settings = String::from_utf8(run(&["config", "--service-secret", "hush"]).await.stdout).unwrap();
    assert!(settings.contains("PATIO_LISTEN=127.0.0.1:8080") && settings.contains("PATIO_SERVICE_SECRET=********"), "{settings}");
    assert_ne!(run(&["migrate"]).await.status.code(), Some(0), "the gateway has no database");
}
