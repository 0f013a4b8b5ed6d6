//! Tests of the cache with a Redis server over TLS.
use clap::Parser;
use patio_harness::{CertificateAuthority, find_free_port};
use patio_kit::{
    cache::{Cache, CacheKey},
    config::Settings,
};
use patio_testing::print_to_stderr;
use std::{
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    settings: Settings,
}

/// Redis server that accepts only TLS connections.
struct Redis {
    child: Child,
    port: u16,
}

impl Redis {
    /// Starts Redis with a certificate for `localhost`, and writes the CA certificate to the same folder. Returns `None` when Redis is
    /// not installed.
    fn start(folder: &Path) -> Option<Self> {
        Command::new("redis-server").arg("--version").stdout(Stdio::null()).status().ok()?;
        CertificateAuthority::try_new().unwrap().issue_certificate(folder, "localhost").unwrap();
        let port = find_free_port();
        let child = Command::new("redis-server")
            .args(["--port", "0", "--tls-port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--tls-auth-clients", "no"])
            .args(["--tls-cert-file", "tls.crt", "--tls-key-file", "tls.key", "--tls-ca-cert-file", "ca.crt"])
            .current_dir(folder)
            .stdout(Stdio::null())
            .spawn();
        let redis = Self { child: child.unwrap(), port };
        for _ in 0..100 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Some(redis);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        unreachable!("redis never listens")
    }

    fn settings(&self, more: &[&str]) -> Settings {
        let url = format!("rediss://localhost:{}", self.port);
        Cli::parse_from([&["x", "--redis-url", &url], more].concat()).settings
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test]
async fn a_server_over_tls_is_believed_when_the_named_authority_vouches_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let Some(redis) = Redis::start(folder.path()) else {
        print_to_stderr("Redis is not installed: skipped");
        return;
    };
    let file = folder.path().join("ca.crt");
    let cache = Cache::from_settings(&redis.settings(&["--redis-ca", file.to_str().unwrap()])).unwrap();
    assert_eq!(cache.find_redis_fault().await, None);
    let key = CacheKey::<i64>::new("place".to_owned(), Duration::from_secs(60));
    assert!(cache.put_if_newer(&key, 1, &7).await);
    assert_eq!(cache.get(&key).await, Some(7));

    let unknown = Cache::from_settings(&redis.settings(&[])).unwrap();
    assert!(unknown.find_redis_fault().await.is_some(), "no public authority vouches for it");
    let refused = Cache::from_settings(&redis.settings(&["--redis-ca", "/nowhere/ca.crt"])).err().unwrap();
    assert!(format!("{refused:#}").contains("PATIO_REDIS_CA_FILE: cannot read /nowhere/ca.crt"), "{refused:#}");
}
