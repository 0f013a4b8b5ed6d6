//! One person's way to the gateway.
use patio_harness::{Answer, Client};
use serde_json::Value;
use std::time::{Duration, Instant};

pub const PASSWORD: &str = "an-operators-password";
/// How long an undisturbed call may take.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Calls in one name, with the token of the last sign-in, over connections that do not outlive a call.
#[derive(Clone)]
pub struct Person {
    pub client: Client,
    hmc: String,
    /// A supervisor.
    chief: Client,
}

impl Person {
    /// Signs in, as soon as there is a gateway that answers.
    pub fn signed_in(chief: &Client, hmc: &str) -> Self {
        let mut person = Self { client: chief.without_reuse(PATIENCE), hmc: hmc.to_owned(), chief: chief.without_reuse(PATIENCE) };
        person.sign_in();
        person
    }

    /// Has a supervisor let this person try again: a sign-in whose gateway is killed under it counts as one that failed.
    fn unlock(&self) {
        let Ok(users) = self.chief.try_call("GET", "/api/users", &Value::Null) else { return };
        let found = users.json().as_array().and_then(|all| all.iter().find(|user| user["hmc"] == *self.hmc)).cloned();
        if let Some(user) = found {
            let _ = self.chief.try_call("DELETE", &format!("/api/users/{}/lockout", user["id"]), &Value::Null);
        }
    }

    /// Signs in, as soon as there is a gateway that answers; gives up when there is none for a minute.
    pub fn sign_in(&mut self) {
        let (person, begun) = (serde_json::json!({ "hmc": self.hmc, "password": PASSWORD }), Instant::now());
        while begun.elapsed() < Duration::from_secs(60) {
            match self.call("POST", "/api/sessions", &person) {
                Some(answer) if answer.is_success() => {
                    self.client = self.client.with_token(answer.json()["token"].as_str().unwrap());
                    return;
                }
                Some(Answer { status: 429, .. }) => self.unlock(),
                Some(answer) if answer.status < 500 => panic!("{} cannot sign in: {answer:?}", self.hmc),
                _ => std::thread::sleep(Duration::from_millis(50)),
            }
        }
    }

    /// A call without haste; nothing when no answer came.
    pub fn call(&self, method: &str, path: &str, body: &Value) -> Option<Answer> {
        self.client.try_call(method, path, body).ok()
    }

    /// Sends a save under its key, and waits so long for the answer.
    pub fn save(&self, path: &str, key: &str, body: &Value, patience: Duration) -> Option<Answer> {
        let client = self.client.without_reuse(patience);
        let request = client.request("PUT", path).header("idempotency-key", key).header("content-type", "application/json");
        client.try_send(request, body.to_string()).ok()
    }
}
