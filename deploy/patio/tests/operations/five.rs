//! Five processes; on PostgreSQL each service as a role of its own that owns its schema.
use super::programs::{Client, PASSWORD, interrupt, pages, program};
use patio_kit::testing::free_port;
use serde_json::{Value, json};
use std::{
    ops::Deref,
    path::Path,
    process::{Child, Command},
    time::{Duration, Instant},
};

/// The services that keep something, each with the name of its schema.
pub const SERVICES: [(&str, &str); 4] = [("auth", "auth"), ("campaign", "campaign"), ("vehicle", "vehicle"), ("import", "imports")];

/// Five processes and a supervisor who is signed in.
pub struct Five {
    children: Vec<Child>,
    client: Client,
}

impl Deref for Five {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl Five {
    /// Starts them, with settings for all and those for each schema, and waits until all is ready.
    pub fn start(folder: &Path, all: &[(&str, &str)], of: impl Fn(&str) -> Vec<(&'static str, String)>) -> Self {
        let ports = SERVICES.map(|(service, _)| (service, free_port()));
        let reach: Vec<_> = ports
            .iter()
            .map(|(service, port)| (format!("PATIO_{}_URL", service.to_uppercase()), format!("http://127.0.0.1:{port}")))
            .collect();
        let start = |name: &str, port: u16, settings: &[(&str, String)]| {
            let mut command = Command::new(program(name));
            command.arg("serve").env_clear().envs(reach.iter().cloned()).envs(all.iter().copied());
            command.envs(settings.iter().map(|(name, value)| (name, value)));
            command.env("PATIO_LISTEN", format!("127.0.0.1:{port}")).env("PATIO_DATA_DIR", folder.join("data"));
            command.envs([("PATIO_SERVICE_SECRET", "shared"), ("PATIO_ADMIN_PASSWORD", PASSWORD), ("PATIO_ADMIN_LISTEN", "off")]);
            command.envs([("PATIO_LOG", "error"), ("PATIO_UNSAFE", "true")]).spawn().unwrap()
        };
        let services = SERVICES.iter().zip(&ports);
        let mut children: Vec<_> =
            services.map(|((service, schema), (_, port))| start(&format!("{service}-svc"), *port, &of(schema))).collect();
        let port = free_port();
        children.push(start("gateway", port, &[("PATIO_WEB_DIR", pages(folder).to_string_lossy().into_owned())]));
        let (url, started) = (format!("http://127.0.0.1:{port}"), Instant::now());
        while ureq::get(format!("{url}/readyz")).call().is_err() {
            assert!(started.elapsed() < Duration::from_secs(60), "they are never ready");
            std::thread::sleep(Duration::from_millis(50));
        }
        Self { children, client: Client::sign_in(url) }
    }

    pub fn stop(mut self) {
        self.children.iter_mut().rev().for_each(interrupt);
    }
}

impl Drop for Five {
    fn drop(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[test]
fn services_that_run_apart_without_redis_tell_progress_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let five = Five::start(folder.path(), &[], |_| Vec::new());
    let vehicles = five.import();
    let first = || five.call("GET", "/api/campaigns", &Value::Null)["campaigns"][0].take();
    assert_eq!((&first()["total_inspected"], &first()["next"]), (&json!(0), &json!(vehicles[0])));
    five.call("PUT", &format!("/api/vehicles/{}", vehicles[0]), &json!({ "status": "ok" }));
    assert_eq!((&first()["total_inspected"], &first()["next"]), (&json!(1), &json!(vehicles[1])));
    five.stop();
}
