//! HTTP calls of one simulated user, with sign-in retries while the gateway is down.
use patio_harness::{Client, HttpResponse};
use serde_json::Value;
use std::time::{Duration, Instant};

pub const PASSWORD: &str = "an-operators-password";
/// Timeout of a call that is not disturbed on purpose.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// One user's calls with the token of the last sign-in, using a new connection per call.
#[derive(Clone)]
pub struct Person {
    pub client: Client,
    hmc: String,
    /// Client of a supervisor.
    chief: Client,
}

impl Person {
    /// Creates the user's client and signs in as soon as a gateway responds.
    pub fn signed_in(chief: &Client, hmc: &str) -> Self {
        let mut person =
            Self { client: chief.without_connection_reuse(PATIENCE), hmc: hmc.to_owned(), chief: chief.without_connection_reuse(PATIENCE) };
        person.sign_in();
        person
    }

    /// Lifts the user's lockout as supervisor, because a sign-in interrupted by a killed gateway counts as failed.
    fn unlock(&self) {
        let Ok(users) = self.chief.try_call_route("GET", "/api/users", &Value::Null) else { return };
        let found = users.json().as_array().and_then(|all| all.iter().find(|user| user["hmc"] == *self.hmc)).cloned();
        if let Some(user) = found {
            let _ = self.chief.try_call_route("DELETE", &format!("/api/users/{}/lockout", user["id"]), &Value::Null);
        }
    }

    /// Signs in as soon as a gateway responds. Panics after a minute without one.
    pub fn sign_in(&mut self) {
        let (person, begun) = (serde_json::json!({ "hmc": self.hmc, "password": PASSWORD }), Instant::now());
        while begun.elapsed() < Duration::from_secs(60) {
            match self.call("POST", "/api/sessions", &person) {
                Some(answer) if answer.is_success() => {
                    self.client = self.client.with_token(answer.json()["token"].as_str().unwrap());
                    return;
                }
                Some(HttpResponse { status: 429, .. }) => self.unlock(),
                Some(answer) if answer.status < 500 => panic!("{} cannot sign in: {answer:?}", self.hmc),
                _ => std::thread::sleep(Duration::from_millis(50)),
            }
        }
    }

    /// Sends a call with the default timeout. Returns `None` without a response.
    pub fn call(&self, method: &str, path: &str, body: &Value) -> Option<HttpResponse> {
        self.client.try_call_route(method, path, body).ok()
    }

    /// Sends a save with its idempotency key and a timeout. Returns `None` without a response.
    pub fn save(&self, path: &str, key: &str, body: &Value, patience: Duration) -> Option<HttpResponse> {
        let client = self.client.without_connection_reuse(patience);
        let request = client.build_request("PUT", path).header("idempotency-key", key).header("content-type", "application/json");
        client.try_send(request, body.to_string()).ok()
    }
}
