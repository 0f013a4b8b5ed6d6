//! All services and the gateway inside the test process, with four users.
use clap::Parser;
use http_body_util::{BodyExt, Full};
use patio_harness::{Client, Database, POSTGRES_URL_VARIABLE, TestFolder};
use patio_kit::{
    client::call_context::CallContext,
    config::{ListenAddress, Settings, secret::Secret},
    service_host::ServiceHost,
};
use patio_proto::{
    campaign::{CreateDraftRequest, PublishDraftRequest, draft_service_client::DraftServiceClient},
    vehicle::{ImportVehiclesRequest, NewVehicle, campaign_vehicle_service_client::CampaignVehicleServiceClient},
};
use patio_testing::print_to_stderr;
use serde_json::{Value, json};
use std::{net::TcpListener, path::Path, time::Duration};
use tonic::{Code, body::Body};
use tower::ServiceExt;

const PASSWORD: &str = "a-first-password";
/// Names and HMCs of the four users.
const PEOPLE: [(&str, &str); 4] = [("admin", "1000"), ("developer", "DEV0"), ("op", "3000"), ("tm", "2000")];

#[derive(Parser)]
struct Options {
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    gateway: gateway::Config,
    #[command(flatten)]
    auth: auth_svc::Config,
    #[command(flatten)]
    campaign: campaign_svc::Config,
    #[command(flatten)]
    import: import_svc::Config,
}

/// A Patio inside the test process, on a free port.
pub struct Stack {
    host: ServiceHost,
    client: Client,
    runtime: tokio::runtime::Runtime,
    trap: TcpListener,
    _folder: TestFolder,
    _database: Option<Database>,
}

impl Stack {
    /// Starts Patio on SQLite with an operator, a team leader, a supervisor and the developer account.
    pub fn start() -> Self {
        Self::on(None)
    }

    /// Runs a test on SQLite, and also on PostgreSQL if the environment variable for it is set.
    pub fn on_each_database(test: impl Fn(&Self)) {
        test(&Self::on(None));
        match Database::create() {
            Some(database) => test(&Self::on(Some(database))),
            None => print_to_stderr(&format!("{POSTGRES_URL_VARIABLE} is not set: PostgreSQL skipped")),
        }
    }

    fn on(database: Option<Database>) -> Self {
        let (folder, runtime) = (TestFolder::create_temporary(), tokio::runtime::Runtime::new().unwrap());
        let database_url = database.as_ref().map(|database| Secret::from(database.url()));
        let (host, url) = runtime.block_on(start(folder.path(), database_url));
        let trap = TcpListener::bind("127.0.0.1:0").unwrap();
        trap.set_nonblocking(true).unwrap();
        let stack = Self { host, client: Client::new(&url), runtime, trap, _folder: folder, _database: database };
        let admin = stack.client.sign_in("1000", PASSWORD);
        for (hmc, role) in [("2000", "tm"), ("3000", "op")] {
            admin.create_user(hmc, PASSWORD, role);
        }
        stack
    }

    /// Returns a client, with a session token if given.
    pub fn client(&self, token: Option<&str>) -> Client {
        self.client.with_token(token.unwrap_or_default())
    }

    /// Signs one of the four users in and returns the token.
    pub fn sign_in(&self, name: &str) -> String {
        let hmc = PEOPLE.iter().find(|(person, _)| *person == name).unwrap().1;
        self.client.sign_in(hmc, PASSWORD).token().to_owned()
    }

    /// Returns status and body of a call. A body that is not JSON becomes a JSON string.
    pub fn call(&self, method: &str, path: &str, token: Option<&str>, body: Option<&Value>) -> (u16, Value) {
        let answer = self.client(token).call_route(method, path, body.unwrap_or(&Value::Null));
        (answer.status, answer.json())
    }

    /// Imports a campaign of ten vehicles. Returns its id and its full vehicle list.
    pub fn import(&self, token: &str) -> (i64, Vec<Value>) {
        let id = self.runtime.block_on(import(&self.host, &CallContext::new(Some(token), "test", "")));
        (id, self.client(Some(token)).list_vehicles(id))
    }

    /// Returns the gRPC status of a call with an empty message, sent to the service without the gateway.
    pub fn rpc(&self, path: &str, token: Option<&str>) -> Code {
        let channels = &self.host.channels;
        let link = match path.split('.').nth(1) {
            Some("auth" | "audit") => &channels.auth,
            Some("campaign") => &channels.campaign,
            Some("vehicle") => &channels.vehicle,
            _ => &channels.import,
        };
        let mut request = ureq::http::Request::post(path).header("content-type", "application/grpc").header("te", "trailers");
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        // The gRPC frame of one empty message.
        let request = request.body(Body::new(Full::new(vec![0_u8; 5].into()).map_err(|never| match never {}))).unwrap();
        self.runtime.block_on(async {
            let response = link.clone().oneshot(request).await.unwrap();
            let code = |headers: &ureq::http::HeaderMap| headers.get("grpc-status").map(|code| Code::from_bytes(code.as_bytes()));
            if let Some(code) = code(response.headers()) {
                return code;
            }
            if path.ends_with("/Watch") {
                return Code::Ok; // the stream stays open as long as the session
            }
            let whole = tokio::time::timeout(Duration::from_secs(15), response.into_body().collect()).await.unwrap().unwrap();
            whole.trailers().and_then(code).unwrap()
        })
    }

    /// Returns the number of connections to the key URL inside a forged token.
    pub fn called_back(&self) -> usize {
        std::iter::from_fn(|| self.trap.accept().ok()).count()
    }

    /// Advances the clock of the process past the expiry of every token.
    pub fn a_shift_later(&self) {
        self.host.clock.advance(chrono::TimeDelta::hours(13));
    }
}

async fn start(folder: &Path, database_url: Option<Secret>) -> (ServiceHost, String) {
    let mut options =
        Options::parse_from(["test", "--developer-password", PASSWORD, "--admin-password", PASSWORD, "--sign-in-burst", "10000"]);
    options.settings.data_dir = folder.to_owned();
    options.settings.database_url = database_url;
    options.settings.allow_data_loss = true;
    options.settings.redis_url = None;
    options.settings.admin_listen = ListenAddress(None);
    options.settings.service_secret = Secret::from("the secret of tests".to_owned());
    options.gateway.listen = ([127, 0, 0, 1], 0).into();
    options.gateway.web_dir = folder.join("none");
    options.gateway.max_at_once = std::num::NonZeroUsize::new(100); // a busy machine must not reject requests as overload
    let host = ServiceHost::with_local_services(options.settings).await.unwrap();
    host.attach_local_service(&auth_svc::start(options.auth, &host).await.unwrap());
    host.attach_local_service(&vehicle_svc::start(vehicle_svc::Config::default(), &host).await.unwrap());
    host.attach_local_service(&campaign_svc::start(options.campaign, &host).await.unwrap());
    host.attach_local_service(&import_svc::start(options.import, &host).await.unwrap());
    let gateway = gateway::start(options.gateway, &host).await.unwrap();
    let url = format!("http://{}", gateway.address);
    host.tasks.spawn(async move { gateway.serve().await.unwrap() });
    while !host.has_completed_key_sync() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    (host, url)
}

/// Imports a campaign with the same calls as import-svc, on behalf of a user.
async fn import(host: &ServiceHost, who: &CallContext) -> i64 {
    let who = &host.service_token_source("import-svc").call_context_on_behalf_of(who).await.unwrap();
    let mut drafts = DraftServiceClient::new(host.channels.campaign.clone());
    let draft = CreateDraftRequest {
        import_id: uuid::Uuid::now_v7().to_string(),
        name: "Brakes".to_owned(),
        part: "Brake hose".to_owned(),
        description: "It leaks".to_owned(),
        ..CreateDraftRequest::default()
    };
    let campaign_id = drafts.create_draft(who.grpc_request(draft)).await.unwrap().into_inner().id;
    let vehicles = (0..10).map(|n| NewVehicle {
        model_code: "HB20".to_owned(),
        serial_number: format!("{n:06}"),
        parking_space: format!("{}-{n}", if n % 2 == 0 { 'A' } else { 'B' }),
    });
    let chunk = ImportVehiclesRequest { campaign_id, vehicles: vehicles.collect(), ..ImportVehiclesRequest::default() };
    CampaignVehicleServiceClient::new(host.channels.vehicle.clone())
        .import_vehicles(who.grpc_request(tokio_stream::iter([chunk])))
        .await
        .unwrap();
    drafts.publish_draft(who.grpc_request(PublishDraftRequest { id: campaign_id })).await.unwrap();
    campaign_id
}

/// Returns forged variants of a valid token: signed by another key, unsigned, signed with the public key as a shared secret,
/// or altered.
pub fn forged(stack: &Stack, good: &str) -> Vec<(&'static str, String)> {
    let mut parts = good.split('.');
    let (head, claims, signature) = (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
    let header: Value = serde_json::from_slice(&decode(head)).unwrap();
    let key_id = header["kid"].as_str().unwrap();
    let none = format!("{}.{claims}.", encode(json!({ "alg": "none", "kid": key_id, "typ": "JWT" }).to_string().as_bytes()));
    let confused = format!("{}.{claims}", encode(json!({ "alg": "HS256", "kid": key_id, "typ": "JWT" }).to_string().as_bytes()));
    let keys = stack.call("get", "/.well-known/jwks.json", None, None).1;
    let public = decode(keys["keys"][0]["x"].as_str().unwrap());
    let secret = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &public);
    let confused = format!("{confused}.{}", encode(ring::hmac::sign(&secret, confused.as_bytes()).as_ref()));
    let mut promoted: Value = serde_json::from_slice(&decode(claims)).unwrap();
    (promoted["sub"], promoted["role"]) = (json!("1"), json!("admin"));
    let promoted = encode(promoted.to_string().as_bytes());
    let there = format!("http://{}/keys", stack.trap.local_addr().unwrap());
    let other = json!({ "kty": "OKP", "crv": "Ed25519", "x": keys["keys"][0]["x"] });
    let named = [
        ("with a key of its own", json!({ "alg": "EdDSA", "kid": key_id, "jwk": other })),
        ("with the address of a key", json!({ "alg": "EdDSA", "kid": "another", "jku": there, "x5u": there })),
        ("with a path for a key id", json!({ "alg": "EdDSA", "kid": "../../../../dev/null" })),
        ("without a key id", json!({ "alg": "EdDSA" })),
    ];
    let named = named.map(|(name, header)| (name, by_another_key(&header, claims)));
    let claimed = String::from_utf8(decode(claims)).unwrap();
    let later = by_another_key(&header, &encode(claimed.replace("\"exp\":", "\"exp\":9").as_bytes()));
    let mut all = vec![
        ("long-lived", later),
        ("by another key", by_another_key(&header, claims)),
        ("alg none", none),
        ("HS256 with the public key", confused),
        ("altered", format!("{head}.{promoted}.{signature}")),
        ("cut", good[..good.len() - 4].to_owned()),
    ];
    all.extend(named);
    all
}

/// Signs claims with a foreign key and an arbitrary header.
fn by_another_key(header: &Value, claims: &str) -> String {
    let document = ring::signature::Ed25519KeyPair::generate_pkcs8(&ring::rand::SystemRandom::new()).unwrap();
    let key = ring::signature::Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap();
    let message = format!("{}.{claims}", encode(header.to_string().as_bytes()));
    format!("{message}.{}", encode(key.sign(message.as_bytes()).as_ref()))
}

fn encode(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}

fn decode(text: &str) -> Vec<u8> {
    use base64::Engine;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(text).unwrap()
}
