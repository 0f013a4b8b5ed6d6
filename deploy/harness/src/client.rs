//! One person's calls to Patio.
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

/// How long a call may take where the caller names no other time.
const TIMEOUT: Duration = Duration::from_secs(20);
/// How long a connection is kept for the next call; servers keep idle ones longer than that.
const IDLE_TIMEOUT: Duration = Duration::from_millis(500);
/// The largest answer that is read.
const MAX_BODY: u64 = 1 << 30;
/// What separates the parts of an uploaded form.
const BOUNDARY: &str = "a-boundary-that-no-workbook-holds";

/// Calls with one token, over connections of its own; clones share them.
#[derive(Debug, Clone)]
pub struct Client {
    url: String,
    token: String,
    agent: Agent,
}

/// An answer that was read to its end.
#[derive(Clone)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
}

/// An imported campaign.
#[derive(Debug, Clone)]
pub struct Campaign {
    /// Its id.
    pub id: i64,
    /// Its vehicles, as its whole list shows them.
    pub vehicles: Vec<Value>,
}

impl Campaign {
    /// The ids of its vehicles.
    #[must_use]
    pub fn vehicle_ids(&self) -> Vec<i64> {
        self.vehicles.iter().map(|vehicle| vehicle["id"].as_i64().unwrap()).collect()
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:.600}", self.status, self.text())
    }
}

impl Answer {
    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON; a body that is not JSON as a string.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| Value::String(self.text()))
    }

    /// A header's value.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Whether the status is one of 200 to 299.
    #[must_use]
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The JSON of a call that must succeed.
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
    /// Calls a server without a session.
    #[must_use]
    pub fn new(url: &str) -> Self {
        Self { url: url.to_owned(), token: String::new(), agent: agent(TIMEOUT, 10) }
    }

    /// The same session with another time that a call may take, over other connections.
    #[must_use]
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        Self { agent: agent(timeout, 10), ..self.clone() }
    }

    /// The same session with a new connection for each call, for servers that are killed meanwhile.
    #[must_use]
    pub fn without_reuse(&self, timeout: Duration) -> Self {
        Self { agent: agent(timeout, 0), ..self.clone() }
    }

    /// Another session's token at the same server.
    #[must_use]
    pub fn with_token(&self, token: &str) -> Self {
        Self { token: token.to_owned(), ..self.clone() }
    }

    /// The same session at another server.
    #[must_use]
    pub fn at(&self, url: &str) -> Self {
        Self { url: url.to_owned(), ..self.clone() }
    }

    /// The server.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The session's token.
    #[must_use]
    pub fn token(&self) -> &str {
        &self.token
    }

    /// The answer to a sign-in, whatever it is.
    #[track_caller]
    pub fn try_sign_in(&self, hmc: &str, password: &str) -> Answer {
        self.call("POST", "/api/sessions", &json!({ "hmc": hmc, "password": password }))
    }

    /// A client with a new session of this person.
    #[must_use]
    #[track_caller]
    pub fn sign_in(&self, hmc: &str, password: &str) -> Self {
        let session = self.try_sign_in(hmc, password).expect_success();
        self.with_token(session["token"].as_str().unwrap())
    }

    /// A request with the session's token that still lacks its body.
    pub fn request(&self, method: &str, path: &str) -> request::Builder {
        let request = Request::builder().method(method.to_uppercase().as_str()).uri(format!("{}{path}", self.url));
        if self.token.is_empty() { request } else { request.header("authorization", format!("Bearer {}", self.token)) }
    }

    /// The answer to a request. The body of an event stream is not read, as it ends with the session.
    ///
    /// # Errors
    /// When there is no complete answer in time.
    pub fn try_send(&self, request: request::Builder, body: impl AsRef<[u8]>) -> Result<Answer, Error> {
        let answer = self.agent.run(request.body(body.as_ref())?)?;
        let (head, mut body) = answer.into_parts();
        let is_stream = head.headers.get("content-type").is_some_and(|kind| kind == "text/event-stream");
        let body = if is_stream { Vec::new() } else { body.with_config().limit(MAX_BODY).read_to_vec()? };
        Ok(Answer { status: head.status.as_u16(), headers: head.headers, body })
    }

    /// The same; no answer panics.
    #[track_caller]
    pub fn send(&self, request: request::Builder, body: impl AsRef<[u8]>) -> Answer {
        self.try_send(request, body).unwrap_or_else(|cause| panic!("no answer: {cause}"))
    }

    /// The answer to a call with a JSON body, or without a body when it is null.
    ///
    /// # Errors
    /// When there is no complete answer in time.
    pub fn try_call(&self, method: &str, path: &str, body: &Value) -> Result<Answer, Error> {
        let request = self.request(method, path);
        if body.is_null() {
            return self.try_send(request, "");
        }
        self.try_send(request.header("content-type", "application/json"), body.to_string())
    }

    /// The same; no answer panics.
    #[track_caller]
    pub fn call(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.try_call(method, path, body).unwrap_or_else(|cause| panic!("{method} {path}: no answer: {cause}"))
    }

    /// The JSON of a `GET` that must succeed.
    #[must_use]
    #[track_caller]
    pub fn get(&self, path: &str) -> Value {
        self.call("GET", path, &Value::Null).expect_success()
    }

    /// The JSON of a `POST` that must succeed.
    #[track_caller]
    pub fn post(&self, path: &str, body: &Value) -> Value {
        self.call("POST", path, body).expect_success()
    }

    /// The JSON of a `PUT` that must succeed.
    #[track_caller]
    pub fn put(&self, path: &str, body: &Value) -> Value {
        self.call("PUT", path, body).expect_success()
    }

    /// The JSON of a `DELETE` that must succeed.
    #[track_caller]
    pub fn delete(&self, path: &str) -> Value {
        self.call("DELETE", path, &Value::Null).expect_success()
    }

    /// The answer to a file that is sent as a field of a form.
    ///
    /// # Errors
    /// When there is no complete answer in time.
    pub fn try_send_file(&self, request: request::Builder, (field, name): (&str, &str), file: &[u8]) -> Result<Answer, Error> {
        let kind = "content-type: application/octet-stream";
        let head = format!("--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{field}\"; filename=\"{name}\"\r\n{kind}\r\n\r\n");
        let form = [head.as_bytes(), file, format!("\r\n--{BOUNDARY}--\r\n").as_bytes()].concat();
        let request = request.header("content-type", format!("multipart/form-data; boundary={BOUNDARY}"));
        self.try_send(request.header("accept", "application/json"), form)
    }

    /// The same to a path with `POST`; no answer panics.
    #[track_caller]
    pub fn send_file(&self, path: &str, place: (&str, &str), file: &[u8]) -> Answer {
        self.try_send_file(self.request("POST", path), place, file).unwrap_or_else(|cause| panic!("{path}: no answer: {cause}"))
    }

    /// The answer to the upload of a workbook, under an id by which it can be watched and cancelled.
    ///
    /// # Errors
    /// When there is no complete answer in time.
    pub fn try_upload(&self, id: &str, workbook: &[u8]) -> Result<Answer, Error> {
        let request = self.request("POST", "/api/documents/upload").header("x-upload-id", id);
        self.try_send_file(request, ("documents", "campaign.xlsx"), workbook)
    }

    /// Imports a workbook.
    #[track_caller]
    pub fn import(&self, workbook: &[u8]) -> Campaign {
        let answer = self.send_file("/api/documents/upload", ("documents", "campaign.xlsx"), workbook);
        assert_eq!(answer.status, 201, "{answer:?}");
        let id = answer.json()["campaign"]["id"].as_i64().unwrap();
        Campaign { id, vehicles: self.vehicles(id) }
    }

    /// Imports the template that Patio offers for download.
    #[track_caller]
    pub fn import_template(&self) -> Campaign {
        let template = self.call("GET", "/api/documents/template", &Value::Null);
        assert_eq!(template.status, 200, "{template:?}");
        self.import(&template.body)
    }

    /// All vehicles of a campaign.
    #[must_use]
    #[track_caller]
    pub fn vehicles(&self, campaign: i64) -> Vec<Value> {
        self.get(&format!("/api/vehicles/campaign/{campaign}/all")).as_array().unwrap().clone()
    }

    /// One vehicle.
    #[must_use]
    #[track_caller]
    pub fn vehicle(&self, id: i64) -> Value {
        self.get(&format!("/api/vehicles/{id}"))
    }

    /// Saves a vehicle, which must succeed.
    #[track_caller]
    pub fn save(&self, id: i64, change: &Value) -> Value {
        self.put(&format!("/api/vehicles/{id}"), change)
    }

    /// Creates a person with a role: `op`, `tm` or `admin`.
    #[track_caller]
    pub fn create_person(&self, hmc: &str, password: &str, role: &str) -> Value {
        self.post("/api/sign-up", &json!({ "hmc": hmc, "password": password, "user_type": role }))
    }

    /// Opens a stream of events; `response_timeout` limits the wait for its beginning.
    ///
    /// # Errors
    /// When it does not open.
    pub fn events(&self, path: &str, response_timeout: Duration) -> anyhow::Result<Events> {
        let request = self.request("GET", path).body(())?;
        let config = self.agent.configure_request(request).timeout_global(None).timeout_recv_response(Some(response_timeout));
        let answer = self.agent.run(config.build())?;
        anyhow::ensure!(answer.status().is_success(), "{path}: {}", answer.status());
        let reader: Box<dyn Read + Send> = Box::new(answer.into_body().into_reader());
        Ok(Events { lines: BufReader::new(reader).lines(), name: String::new() })
    }
}

/// An event of a stream.
#[derive(Debug, Clone)]
pub struct Event {
    /// Its kind; empty when the server names none.
    pub name: String,
    /// Its content.
    pub data: Value,
}

/// The events of a stream until it ends or breaks.
pub struct Events {
    lines: Lines<BufReader<Box<dyn Read + Send>>>,
    name: String,
}

impl Iterator for Events {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        loop {
            let line = self.lines.next()?.ok()?;
            if let Some(name) = line.strip_prefix("event:") {
                name.trim().clone_into(&mut self.name);
            } else if let Some(data) = line.strip_prefix("data:") {
                let data = serde_json::from_str(data.trim()).unwrap_or_default();
                return Some(Event { name: std::mem::take(&mut self.name), data });
            }
        }
    }
}
