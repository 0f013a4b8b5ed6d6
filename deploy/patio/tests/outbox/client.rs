//! One person's way to the gateway.
use serde_json::{Value, json};
use std::{io::Read, sync::OnceLock, time::Duration};

pub const PASSWORD: &str = "an-operators-password";
/// How long an undisturbed call may take.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Calls in one name, with the token of the last sign-in.
#[derive(Clone)]
pub struct Client {
    url: String,
    hmc: String,
    token: String,
}

/// The first supervisor, and how that one signs in.
static CHIEF: OnceLock<Client> = OnceLock::new();
const CHIEF_HMC: &str = "1000";
const CHIEF_PASSWORD: &str = "a-first-password";

/// An answer that came; its revision when it has one.
pub struct Answer {
    pub status: u16,
    pub revision: Option<i64>,
    pub body: Value,
}

impl Client {
    /// Signs in, as soon as there is a gateway that answers.
    pub fn signed_in(url: &str, hmc: &str) -> Self {
        let mut client = Self { url: url.to_owned(), hmc: hmc.to_owned(), token: String::new() };
        client.sign_in();
        client
    }

    /// Signs the first supervisor in, once, while nothing is disturbed.
    pub fn appoint_chief(url: &str) {
        CHIEF.get_or_init(|| Self::signed_in(url, CHIEF_HMC));
    }

    /// Has a supervisor let this person try again: a sign-in whose gateway is killed under it counts as one that failed.
    fn unlock(&self) {
        let chief = CHIEF.get().unwrap();
        let Some(users) = chief.call("GET", "/api/users", None) else { return };
        let found = users.body.as_array().and_then(|all| all.iter().find(|user| user["hmc"] == *self.hmc)).cloned();
        if let Some(user) = found {
            chief.call("DELETE", &format!("/api/users/{}/lockout", user["id"]), None);
        }
    }

    pub fn sign_in(&mut self) {
        let password = if self.hmc == CHIEF_HMC { CHIEF_PASSWORD } else { PASSWORD };
        let person = json!({ "hmc": self.hmc, "password": password });
        loop {
            match self.call("POST", "/api/sessions", Some(&person)) {
                Some(Answer { status: 200 | 201, body, .. }) => {
                    body["token"].as_str().unwrap().clone_into(&mut self.token);
                    return;
                }
                Some(Answer { status: 429, .. }) if self.hmc != CHIEF_HMC => self.unlock(),
                Some(Answer { status, body, .. }) if status < 500 => panic!("{} cannot sign in: {status} {body}", self.hmc),
                _ => std::thread::sleep(Duration::from_millis(100)),
            }
        }
    }

    /// A call without haste; nothing when no answer came.
    pub fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Option<Answer> {
        self.send(self.request(method, path), body, PATIENCE)
    }

    /// Sends a save under its key, and waits so long for the answer.
    pub fn save(&self, path: &str, key: &str, body: &Value, patience: Duration) -> Option<Answer> {
        self.send(self.request("PUT", path).header("idempotency-key", key), Some(body), patience)
    }

    fn request(&self, method: &str, path: &str) -> ureq::http::request::Builder {
        ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.url))
            .header("authorization", format!("Bearer {}", self.token))
            .header("content-type", "application/json")
    }

    fn send(&self, request: ureq::http::request::Builder, body: Option<&Value>, patience: Duration) -> Option<Answer> {
        let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(patience)).build().into();
        let body = body.map(ToString::to_string).unwrap_or_default().into_bytes();
        let mut answer = agent.run(request.body(body).unwrap()).ok()?;
        let revision = answer.headers().get("x-revision").and_then(|value| value.to_str().ok()?.parse().ok());
        let text = answer.body_mut().with_config().limit(64 << 20).read_to_string().ok()?;
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        Some(Answer { status: answer.status().as_u16(), revision, body })
    }

    /// Opens the stream of events; nothing when it does not open.
    pub fn events(&self, campaign: i64) -> Option<impl Read + use<>> {
        let agent: ureq::Agent =
            ureq::Agent::config_builder().http_status_as_error(true).timeout_recv_response(Some(PATIENCE)).build().into();
        let request = self.request("GET", &format!("/api/events?campaign={campaign}"));
        let answer = agent.run(request.body(Vec::new()).unwrap()).ok()?;
        Some(answer.into_body().into_reader())
    }
}
