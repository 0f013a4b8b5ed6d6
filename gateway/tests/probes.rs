//! Tests of health checks, public keys and the gateway's command line.
use crate::{
    doubles::Keys,
    stack::{Stack, attach, config, rules},
};
use axum::body::Body;
use gateway::{
    server::{router, static_files::StaticFiles},
    state::AppState,
};
use http::Request;
use http_body_util::BodyExt;
use patio_proto::auth::token_service_server::TokenServiceServer;
use serde_json::{Value, json};
use std::process::Command;
use tonic::service::RoutesBuilder;
use tower::ServiceExt;

#[tokio::test]
async fn health_says_ok_and_nothing_else() {
    let stack = Stack::new().await;
    for path in ["/api/health", "/healthz"] {
        assert_eq!(stack.ask("GET", path, None).await.json(), json!({ "status": "ok" }));
    }
    assert_eq!(stack.ask("GET", "/metrics", None).await.status, 503, "metrics are on the admin port only; this is the missing web app");
}

#[tokio::test]
async fn a_gateway_with_unhealthy_services_is_not_ready() {
    let stack = Stack::new().await;
    let answer = stack.ask("GET", "/readyz", None).await;
    assert_eq!((answer.status.as_u16(), answer.header("retry-after")), (503, "1"));
}

#[tokio::test]
async fn a_gateway_with_healthy_services_is_ready_and_serves_the_public_keys() {
    let folder = tempfile::tempdir().unwrap();
    let host = patio_testing::host(folder.path(), None).await;
    for (name, link) in [
        ("auth-svc", &host.links.auth),
        ("campaign-svc", &host.links.campaign),
        ("vehicle-svc", &host.links.vehicle),
        ("import-svc", &host.links.import),
    ] {
        let (reporter, health) = tonic_health::server::health_reporter();
        reporter.set_service_status("", tonic_health::ServingStatus::Serving).await;
        let mut routes = RoutesBuilder::default();
        routes.add_service(health).add_service(TokenServiceServer::new(Keys(String::new())));
        attach(&host, link, name, routes);
    }
    let document = gateway::openapi::document().unwrap();
    let app = router::build_router(AppState::new(config(), &host, rules(&document)), StaticFiles::default(), document);
    let get = async |path: &str| {
        let response = app.clone().oneshot(Request::get(path).body(Body::empty()).unwrap()).await.unwrap();
        let status = response.status().as_u16();
        (status, serde_json::from_slice::<Value>(&response.into_body().collect().await.unwrap().to_bytes()).unwrap())
    };
    assert_eq!(get("/readyz").await, (200, json!({ "status": "ok" })));
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
    let address = stack.listen(config()).await.to_string();
    let run = async |arguments: &[&str]| {
        let (program, arguments) = (env!("CARGO_BIN_EXE_gateway"), arguments.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>());
        tokio::task::spawn_blocking(move || Command::new(program).args(arguments).env_remove("PATIO_LISTEN").output().unwrap())
            .await
            .unwrap()
    };
    let probed = run(&["probe", "--addr", &address]).await;
    assert_eq!(
        (probed.status.code(), String::from_utf8_lossy(&probed.stdout).trim()),
        (Some(1), format!("{address} gateway NOT_SERVING").as_str())
    );
    assert_eq!(run(&["probe", "--addr", "127.0.0.1:1"]).await.status.code(), Some(2));
    let document = run(&["openapi"]).await.stdout;
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&document).unwrap(), gateway::openapi::document().unwrap());
    let settings = String::from_utf8(run(&["config", "--service-secret", "hush"]).await.stdout).unwrap();
    assert!(settings.contains("PATIO_LISTEN=127.0.0.1:8080") && settings.contains("PATIO_SERVICE_SECRET=********"), "{settings}");
    assert_ne!(run(&["migrate"]).await.status.code(), Some(0), "the gateway has no database");
}
