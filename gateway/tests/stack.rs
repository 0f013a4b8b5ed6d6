//! Test fixture: a gateway with test doubles of the services, called in process or over a socket.
use crate::doubles::{Auth, Campaigns, Imports, Keys, Log, Vehicles};
use axum::{Router, body::Body, middleware};
use bytes::Bytes;
use clap::Parser;
use gateway::{
    Config,
    access_rules::AccessRules,
    openapi,
    server::{router, static_files::StaticFiles},
    state::AppState,
};
use http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use patio_kit::{
    client::service_channel::ServiceChannel,
    server::authorization_layer::{AuthorizationLayerState, authorize_and_record_call},
    service_host::ServiceHost,
};
use patio_proto::{access::Role, audit::audit_service_server::AuditServiceServer, auth, campaign, imports, vehicle};
use serde_json::Value;
use std::{net::SocketAddr, time::Duration};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tonic::service::RoutesBuilder;
use tower::ServiceExt;

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    config: Config,
}

/// Default configuration for tests, with a random port and without a web app.
pub fn config() -> Config {
    let mut config = Cli::parse_from(["test"]).config;
    config.listen = SocketAddr::from(([127, 0, 0, 1], 0));
    config.web_dir = "/nowhere".into();
    config.trusted_proxies = Vec::new();
    config
}

pub fn rules(document: &Value) -> AccessRules {
    AccessRules::from_openapi_document(document).unwrap()
}

pub struct Stack {
    pub host: ServiceHost,
    pub app: Router,
    pub auth: Auth,
    pub vehicles: Vehicles,
    pub imports: Imports,
    _folder: TempDir,
}

pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Answer {
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|cause| panic!("{cause}: {}", self.text()))
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// Connects a test double behind the access-control layer of real services.
pub fn attach(host: &ServiceHost, link: &ServiceChannel, service: &'static str, routes: RoutesBuilder) {
    let access = AuthorizationLayerState { identity: host.identity.clone(), service, db: None };
    let router = routes.routes().prepare().into_axum_router().layer(middleware::from_fn_with_state(access, authorize_and_record_call));
    if let ServiceChannel::Local(slot) = link {
        assert!(slot.set(router).is_ok());
    }
}

impl Stack {
    pub async fn new() -> Self {
        Self::with(config(), StaticFiles::default()).await
    }

    pub async fn with(config: Config, pages: StaticFiles) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let host = patio_testing::host(folder.path(), None).await;
        let (auth, vehicles, imports) = (Auth::default(), Vehicles::default(), Imports::default());
        let mut routes = RoutesBuilder::default();
        routes.add_service(auth::session_service_server::SessionServiceServer::new(auth.clone()));
        routes.add_service(auth::user_service_server::UserServiceServer::new(auth.clone()));
        routes.add_service(AuditServiceServer::new(Log("auth")));
        let service = patio_testing::token(&host, 0, Role::Service);
        routes.add_service(auth::token_service_server::TokenServiceServer::new(Keys(service)));
        attach(&host, &host.channels.auth, "auth-svc", routes);
        let mut routes = RoutesBuilder::default();
        routes.add_service(campaign::campaign_service_server::CampaignServiceServer::new(Campaigns));
        routes.add_service(AuditServiceServer::new(Log("campaign")));
        attach(&host, &host.channels.campaign, "campaign-svc", routes);
        let mut routes = RoutesBuilder::default();
        routes.add_service(vehicle::vehicle_service_server::VehicleServiceServer::new(vehicles.clone()));
        routes.add_service(vehicle::conflict_service_server::ConflictServiceServer::new(crate::conflicts::Conflicts));
        routes.add_service(vehicle::event_service_server::EventServiceServer::new(crate::live::Live));
        routes.add_service(vehicle::pending_save_service_server::PendingSaveServiceServer::new(crate::held::Held::default()));
        routes.add_service(vehicle::job_service_server::JobServiceServer::new(crate::jobs::Jobs));
        routes.add_service(AuditServiceServer::new(Log("vehicle")));
        attach(&host, &host.channels.vehicle, "vehicle-svc", routes);
        let mut routes = RoutesBuilder::default();
        routes.add_service(imports::import_service_server::ImportServiceServer::new(imports.clone()));
        routes.add_service(imports::file_service_server::FileServiceServer::new(imports.clone()));
        routes.add_service(AuditServiceServer::new(Log("import")));
        attach(&host, &host.channels.import, "import-svc", routes);
        let document = openapi::build_document().unwrap();
        let app = router::build_router(AppState::new(config, &host, rules(&document)), pages, document);
        Self { host, app, auth, vehicles, imports, _folder: folder }
    }

    pub fn token(&self, user_id: i64, role: Role) -> String {
        patio_testing::token(&self.host, user_id, role)
    }

    pub async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.app.clone().oneshot(request).await.unwrap();
        let (head, body) = response.into_parts();
        Answer { status: head.status, headers: head.headers, body: body.collect().await.unwrap().to_bytes() }
    }

    /// Sends a request as user 2, a supervisor.
    pub async fn ask(&self, method: &str, path: &str, body: Option<Value>) -> Answer {
        self.ask_as((2, Role::Admin), method, path, body).await
    }

    pub async fn ask_as(&self, who: (i64, Role), method: &str, path: &str, body: Option<Value>) -> Answer {
        let request = self.request(who, method, path);
        let request = match body {
            Some(body) => request.header("content-type", "application/json").body(Body::from(body.to_string())),
            None => request.body(Body::empty()),
        };
        self.send(request.unwrap()).await
    }

    pub fn request(&self, (id, role): (i64, Role), method: &str, path: &str) -> http::request::Builder {
        Request::builder().method(method).uri(path).header("authorization", format!("Bearer {}", self.token(id, role)))
    }

    /// Serves the same gateway on a real port, and returns its address.
    pub async fn listen(&self, config: Config) -> SocketAddr {
        let gateway = gateway::start(config, &self.host).await.unwrap();
        let address = gateway.address;
        self.host.tasks.spawn(async move { gateway.serve().await.unwrap() });
        address
    }
}

/// Sends raw bytes and reads until the server closes the connection. Write errors are ignored.
pub async fn raw(address: SocketAddr, sent: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let (mut reader, mut writer) = stream.split();
    let mut got = Vec::new();
    let both = async { tokio::join!(writer.write_all(sent), reader.read_to_end(&mut got)) };
    tokio::time::timeout(Duration::from_secs(30), both).await.expect("a response in time").1.expect("a complete response");
    parsed(&got)
}

pub fn parsed(got: &[u8]) -> Answer {
    let end = got.windows(4).position(|four| four == b"\r\n\r\n").expect("complete response headers");
    let head = String::from_utf8_lossy(&got[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers: HeaderMap = lines
        .map(|line| line.split_once(": ").unwrap())
        .map(|(name, value)| (http::HeaderName::try_from(name).unwrap(), value.parse().unwrap()))
        .collect();
    Answer { status, headers, body: Bytes::copy_from_slice(&got[end + 4..]) }
}
