//! HTTP client that calls Patio's REST API in one user session.
use serde_json::{Value, json};
use std::{
    fmt,
    io::{BufRead, BufReader, Lines, Read},
    time::Duration,
};
use ureq::{
    Agent, Error,
    http::{HeaderMap, Request, request},
};

/// Default timeout of an HTTP call.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Time for which an idle connection stays open for reuse. The time is shorter than the keep-alive timeout of the servers, so that
/// the client does not reuse a connection that a server is closing.
const IDLE_TIMEOUT: Duration = Duration::from_millis(500);
/// Maximum size of a response body, in bytes.
const MAX_BODY: u64 = 1 << 30;
/// Separator of the parts in a multipart form. The text must not occur in an uploaded file.
const BOUNDARY: &str = "a-boundary-that-no-workbook-holds";

/// HTTP client for one server, with the token of one user session. Clones share the connection pool.
#[derive(Debug, Clone)]
pub struct Client {
    url: String,
    token: String,
    agent: Agent,
}

/// HTTP response whose body has been read completely.
#[derive(Clone)]
pub struct HttpResponse {
    /// HTTP status code.
    pub status: u16,
    /// Response headers.
    pub headers: HeaderMap,
    /// Response body.
    pub body: Vec<u8>,
}

/// Campaign imported from a workbook (Excel file), with its vehicles.
#[derive(Debug, Clone)]
pub struct ImportedCampaign {
    /// Id of the imported campaign.
    pub id: i64,
    /// Vehicles of the campaign, as JSON objects from the REST API.
    pub vehicles: Vec<Value>,
}

impl ImportedCampaign {
    /// Returns the ids of the campaign's vehicles.
    #[must_use]
    pub fn vehicle_ids(&self) -> Vec<i64> {
        self.vehicles.iter().map(|vehicle| vehicle["id"].as_i64().unwrap()).collect()
    }
}

impl fmt::Debug for HttpResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:.600}", self.status, self.text())
    }
}

impl HttpResponse {
    /// Returns the response body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Returns the response body as JSON, or as a JSON string if the body is not valid JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| Value::String(self.text()))
    }

    /// Returns the value of a response header; `None` when the response has no such header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns `true` if the HTTP status is 200 to 299.
    #[must_use]
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Asserts that the call succeeded and returns the response body as JSON.
    #[must_use]
    #[track_caller]
    pub fn expect_success(&self) -> Value {
        assert!(self.is_success(), "{self:?}");
        self.json()
    }
}

fn agent(timeout: Duration, idle_connections: usize) -> Agent {
    let config = Agent::config_builder().http_status_as_error(false).timeout_global(Some(timeout)).proxy(None);
    config.max_idle_age(IDLE_TIMEOUT).max_idle_connections_per_host(idle_connections).build().into()
}

impl Client {
    /// Creates a client for a server, without a session.
    #[must_use]
    pub fn new(url: &str) -> Self {
        Self { url: url.to_owned(), token: String::new(), agent: agent(TIMEOUT, 10) }
    }

    /// Returns a client with the same session, another timeout and its own connections.
    #[must_use]
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        Self { agent: agent(timeout, 10), ..self.clone() }
    }

    /// Returns a client with the same session that opens a new connection for each call. Tests that kill a server between calls need
    /// such a client, because a reused connection would fail.
    #[must_use]
    pub fn without_connection_reuse(&self, timeout: Duration) -> Self {
        Self { agent: agent(timeout, 0), ..self.clone() }
    }

    /// Returns a client for the same server with another session token.
    #[must_use]
    pub fn with_token(&self, token: &str) -> Self {
        Self { token: token.to_owned(), ..self.clone() }
    }

    /// Returns a client with the same session token for another server.
    #[must_use]
    pub fn with_url(&self, url: &str) -> Self {
        Self { url: url.to_owned(), ..self.clone() }
    }

    /// Returns the base URL of the client's server.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the session token that the client sends; empty without a session.
    #[must_use]
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Attempts to sign in with a login name (HMC) and returns the response, whether or not the sign-in succeeded.
    #[track_caller]
    pub fn try_sign_in(&self, hmc: &str, password: &str) -> HttpResponse {
        self.call_route("POST", "/api/sessions", &json!({ "hmc": hmc, "password": password }))
    }

    /// Signs a user in by login name (HMC), asserts success and returns a client with the new session.
    #[must_use]
    #[track_caller]
    pub fn sign_in(&self, hmc: &str, password: &str) -> Self {
        let session = self.try_sign_in(hmc, password).expect_success();
        self.with_token(session["token"].as_str().unwrap())
    }

    /// Returns a request builder with method, URL and session token; the caller adds headers and the body.
    pub fn build_request(&self, method: &str, path: &str) -> request::Builder {
        let request = Request::builder().method(method.to_uppercase().as_str()).uri(format!("{}{path}", self.url));
        if self.token.is_empty() { request } else { request.header("authorization", format!("Bearer {}", self.token)) }
    }

    /// Sends a request and returns the response. The body of an event stream is not read, because it has no end.
    ///
    /// # Errors
    /// Returns an error when no complete response arrives within the timeout.
    pub fn try_send(&self, request: request::Builder, body: impl AsRef<[u8]>) -> Result<HttpResponse, Error> {
        let answer = self.agent.run(request.body(body.as_ref())?)?;
        let (head, mut body) = answer.into_parts();
        let is_stream = head.headers.get("content-type").is_some_and(|kind| kind == "text/event-stream");
        let body = if is_stream { Vec::new() } else { body.with_config().limit(MAX_BODY).read_to_vec()? };
        Ok(HttpResponse { status: head.status.as_u16(), headers: head.headers, body })
    }

    /// Sends a request and returns the response. Panics when no complete response arrives within the timeout.
    #[track_caller]
    pub fn send(&self, request: request::Builder, body: impl AsRef<[u8]>) -> HttpResponse {
        self.try_send(request, body).unwrap_or_else(|cause| panic!("no answer: {cause}"))
    }

    /// Calls a route with a JSON body, or without a body if `body` is `null`, and returns the response.
    ///
    /// # Errors
    /// Returns an error when no complete response arrives within the timeout.
    pub fn try_call_route(&self, method: &str, path: &str, body: &Value) -> Result<HttpResponse, Error> {
        let request = self.build_request(method, path);
        if body.is_null() {
            return self.try_send(request, "");
        }
        self.try_send(request.header("content-type", "application/json"), body.to_string())
    }

    /// Calls a route with a JSON body, or without a body if `body` is `null`, and returns the response. Panics when no complete
    /// response arrives within the timeout.
    #[track_caller]
    pub fn call_route(&self, method: &str, path: &str, body: &Value) -> HttpResponse {
        self.try_call_route(method, path, body).unwrap_or_else(|cause| panic!("{method} {path}: no answer: {cause}"))
    }

    /// Sends a `GET` request, asserts success and returns the response body as JSON.
    #[must_use]
    #[track_caller]
    pub fn get(&self, path: &str) -> Value {
        self.call_route("GET", path, &Value::Null).expect_success()
    }

    /// Sends a `POST` request, asserts success and returns the response body as JSON.
    #[track_caller]
    pub fn post(&self, path: &str, body: &Value) -> Value {
        self.call_route("POST", path, body).expect_success()
    }

    /// Sends a `PUT` request, asserts success and returns the response body as JSON.
    #[track_caller]
    pub fn put(&self, path: &str, body: &Value) -> Value {
        self.call_route("PUT", path, body).expect_success()
    }

    /// Sends a `DELETE` request, asserts success and returns the response body as JSON.
    #[track_caller]
    pub fn delete(&self, path: &str) -> Value {
        self.call_route("DELETE", path, &Value::Null).expect_success()
    }

    /// Sends a file as a field of a multipart form and returns the response. `field` is the field name, `name` the file name.
    ///
    /// # Errors
    /// Returns an error when no complete response arrives within the timeout.
    pub fn try_upload_file(&self, request: request::Builder, (field, name): (&str, &str), file: &[u8]) -> Result<HttpResponse, Error> {
        let kind = "content-type: application/octet-stream";
        let head = format!("--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{field}\"; filename=\"{name}\"\r\n{kind}\r\n\r\n");
        let form = [head.as_bytes(), file, format!("\r\n--{BOUNDARY}--\r\n").as_bytes()].concat();
        let request = request.header("content-type", format!("multipart/form-data; boundary={BOUNDARY}"));
        self.try_send(request.header("accept", "application/json"), form)
    }

    /// Posts a file as a field of a multipart form and returns the response. `place` is the field name and the file name. Panics when no
    /// complete response arrives within the timeout.
    #[track_caller]
    pub fn upload_file(&self, path: &str, place: (&str, &str), file: &[u8]) -> HttpResponse {
        self.try_upload_file(self.build_request("POST", path), place, file).unwrap_or_else(|cause| panic!("{path}: no answer: {cause}"))
    }

    /// Uploads a workbook (Excel file) for import and returns the response. `id` is the upload id, with which other calls can watch
    /// or cancel the import.
    ///
    /// # Errors
    /// Returns an error when no complete response arrives within the timeout.
    pub fn try_upload_workbook(&self, id: &str, workbook: &[u8]) -> Result<HttpResponse, Error> {
        let request = self.build_request("POST", "/api/documents/upload").header("x-upload-id", id);
        self.try_upload_file(request, ("documents", "campaign.xlsx"), workbook)
    }

    /// Imports a workbook (Excel file), asserts success and returns the new campaign.
    #[track_caller]
    pub fn import_workbook(&self, workbook: &[u8]) -> ImportedCampaign {
        let answer = self.upload_file("/api/documents/upload", ("documents", "campaign.xlsx"), workbook);
        assert_eq!(answer.status, 201, "{answer:?}");
        let id = answer.json()["campaign"]["id"].as_i64().unwrap();
        ImportedCampaign { id, vehicles: self.list_vehicles(id) }
    }

    /// Imports the template workbook that Patio offers for download, and returns the new campaign.
    #[track_caller]
    pub fn import_template_workbook(&self) -> ImportedCampaign {
        let template = self.call_route("GET", "/api/documents/template", &Value::Null);
        assert_eq!(template.status, 200, "{template:?}");
        self.import_workbook(&template.body)
    }

    /// Returns all vehicles of a campaign, as JSON objects from the REST API.
    #[must_use]
    #[track_caller]
    pub fn list_vehicles(&self, campaign: i64) -> Vec<Value> {
        self.get(&format!("/api/vehicles/campaign/{campaign}/all")).as_array().unwrap().clone()
    }

    /// Returns one vehicle by id, as JSON.
    #[must_use]
    #[track_caller]
    pub fn get_vehicle(&self, id: i64) -> Value {
        self.get(&format!("/api/vehicles/{id}"))
    }

    /// Saves changes to a vehicle, asserts success and returns the saved vehicle as JSON.
    #[track_caller]
    pub fn save_vehicle(&self, id: i64, change: &Value) -> Value {
        self.put(&format!("/api/vehicles/{id}"), change)
    }

    /// Creates a user with a login name (HMC) and the role `op`, `tm` or `admin`, and returns the new user as JSON.
    #[track_caller]
    pub fn create_user(&self, hmc: &str, password: &str, role: &str) -> Value {
        self.post("/api/sign-up", &json!({ "hmc": hmc, "password": password, "user_type": role }))
    }

    /// Opens a stream of server-sent events. `response_timeout` limits the wait for the response headers.
    ///
    /// # Errors
    /// Returns an error when the stream cannot be opened.
    pub fn open_event_stream(&self, path: &str, response_timeout: Duration) -> anyhow::Result<EventStream> {
        let request = self.build_request("GET", path).body(())?;
        let config = self.agent.configure_request(request).timeout_global(None).timeout_recv_response(Some(response_timeout));
        let answer = self.agent.run(config.build())?;
        anyhow::ensure!(answer.status().is_success(), "{path}: {}", answer.status());
        let reader: Box<dyn Read + Send> = Box::new(answer.into_body().into_reader());
        Ok(EventStream { lines: BufReader::new(reader).lines(), name: String::new() })
    }
}

/// Server-sent event received from Patio.
#[derive(Debug, Clone)]
pub struct ServerSentEvent {
    /// Name of the event; empty if the server sent none.
    pub name: String,
    /// Data of the event, parsed as JSON.
    pub data: Value,
}

/// Iterator over server-sent events until the stream ends or fails.
pub struct EventStream {
    lines: Lines<BufReader<Box<dyn Read + Send>>>,
    name: String,
}

impl Iterator for EventStream {
    type Item = ServerSentEvent;

    fn next(&mut self) -> Option<ServerSentEvent> {
        loop {
            let line = self.lines.next()?.ok()?;
            if let Some(name) = line.strip_prefix("event:") {
                name.trim().clone_into(&mut self.name);
            } else if let Some(data) = line.strip_prefix("data:") {
                let data = serde_json::from_str(data.trim()).unwrap_or_default();
                return Some(ServerSentEvent { name: std::mem::take(&mut self.name), data });
            }
        }
    }
}
