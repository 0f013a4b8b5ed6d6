//! Tests of HTTPS without a proxy, with real sockets and TLS handshakes.
use crate::stack::{Answer, Stack, config, parsed, raw};
use chrono::TimeDelta;
use gateway::{Config, server::static_files::StaticFiles, tls::CertificateSource};
use http::StatusCode;
use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};
use std::{net::SocketAddr, path::Path, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::{Instant, sleep, timeout},
};
use tokio_rustls::{TlsConnector, client::TlsStream};

const GET_HEALTH: &[u8] = b"GET /api/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

fn self_signed() -> Config {
    let mut config = config();
    config.tls = Some(CertificateSource::SelfSigned);
    config
}

/// Connects as a client that trusts one CA, like a phone with the CA certificate installed.
async fn secure(address: SocketAddr, name: &str, authority: &[u8], protocol: &str) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(authority) {
        roots.add(certificate.unwrap()).unwrap();
    }
    let mut client = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    client.alpn_protocols = vec![protocol.as_bytes().to_vec()];
    let stream = TcpStream::connect(address).await.unwrap();
    TlsConnector::from(Arc::new(client)).connect(ServerName::try_from(name.to_owned()).unwrap(), stream).await
}

async fn ask(stream: &mut TlsStream<TcpStream>, sent: &[u8]) -> Answer {
    stream.write_all(sent).await.unwrap();
    let mut got = Vec::new();
    let _ = stream.read_to_end(&mut got).await; // hyper closes without a TLS close_notify when asked to close
    parsed(&got)
}

fn leaf(stream: &TlsStream<TcpStream>) -> Vec<u8> {
    stream.get_ref().1.peer_certificates().unwrap()[0].to_vec()
}

fn authority_of(stack: &Stack) -> Vec<u8> {
    std::fs::read(stack.host.settings.data_dir.join("tls/patio-ca.crt")).unwrap()
}

#[tokio::test]
async fn clients_that_trust_the_local_ca_connect_by_name_and_address() {
    let stack = Stack::new().await;
    let address = stack.listen(self_signed()).await;
    let authority = authority_of(&stack);
    for name in ["localhost", "127.0.0.1"] {
        let mut stream = secure(address, name, &authority, "http/1.1").await.unwrap();
        assert_eq!(ask(&mut stream, GET_HEALTH).await.status, 200, "{name}");
    }
    assert!(secure(address, "example.org", &authority, "http/1.1").await.is_err(), "the certificate is not valid for other hosts");
    let stream = secure(address, "localhost", &authority, "h2").await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let mut stream = secure(address, "localhost", &authority, "http/1.1").await.unwrap();
    let handed_out = ask(&mut stream, b"GET /patio-ca.crt HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await;
    assert_eq!((handed_out.header("content-type"), handed_out.body.as_ref()), ("application/x-x509-ca-cert", authority.as_slice()));
}

#[tokio::test]
async fn the_certificate_survives_a_restart_and_the_key_a_renewal() {
    let stack = Stack::new().await;
    let first = stack.listen(self_signed()).await;
    let authority = authority_of(&stack);
    let seen = leaf(&secure(first, "localhost", &authority, "h2").await.unwrap());
    let again = stack.listen(self_signed()).await;
    assert_eq!(leaf(&secure(again, "localhost", &authority, "h2").await.unwrap()), seen);
    let key = std::fs::read(stack.host.settings.data_dir.join("tls/server.key")).unwrap();
    stack.host.clock.advance(TimeDelta::days(365));
    let later = stack.listen(self_signed()).await;
    assert_eq!(authority_of(&stack), authority);
    let offered = std::fs::read(stack.host.settings.data_dir.join("tls/server.crt")).unwrap();
    assert_ne!(CertificateDer::from_pem_slice(&offered).unwrap().to_vec(), seen, "the certificate was close to its expiry");
    assert_eq!(std::fs::read(stack.host.settings.data_dir.join("tls/server.key")).unwrap(), key);
    assert!(TcpStream::connect(later).await.is_ok());
}

#[tokio::test]
async fn private_keys_are_readable_only_by_their_owner() {
    use std::os::unix::fs::PermissionsExt;
    let stack = Stack::new().await;
    stack.listen(self_signed()).await;
    for name in ["patio-ca.key", "server.key"] {
        let mode = std::fs::metadata(stack.host.settings.data_dir.join("tls").join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[tokio::test]
async fn over_https_the_cookie_is_secure_and_hsts_is_sent() {
    let mut config = self_signed();
    config.hsts = Some(true);
    let stack = Stack::with(config.clone(), StaticFiles::default()).await;
    let address = stack.listen(config).await;
    let body = r#"{"hmc":"ana","password":"right"}"#;
    let sign_in = format!(
        "POST /api/sessions HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = secure(address, "localhost", &authority_of(&stack), "http/1.1").await.unwrap();
    let answer = ask(&mut stream, sign_in.as_bytes()).await;
    assert!(answer.header("set-cookie").starts_with("__Host-patio_dev=") && answer.header("set-cookie").ends_with("; Secure"));
    assert_eq!(answer.header("strict-transport-security"), "max-age=31536000; includeSubDomains");
}

#[tokio::test]
async fn plain_http_redirects_to_https_but_probes_still_respond() {
    let stack = Stack::new().await;
    let address = stack.listen(self_signed()).await;
    let answer = raw(address, b"GET /campaigns?page=2 HTTP/1.1\r\nHost: yard.local:8080\r\nConnection: close\r\n\r\n").await;
    assert_eq!((answer.status, answer.header("location")), (StatusCode::PERMANENT_REDIRECT, "https://yard.local:8080/campaigns?page=2"));
    let sign_in = raw(address, b"POST /api/sessions HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n").await;
    assert_eq!(sign_in.status, StatusCode::PERMANENT_REDIRECT);
    let odd = raw(address, b"GET / HTTP/1.1\r\nHost: a/b\r\nConnection: close\r\n\r\n").await;
    assert_eq!(odd.status, StatusCode::BAD_REQUEST);
    assert_eq!(raw(address, b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await.status, 200);
}

#[tokio::test]
async fn an_unfinished_tls_handshake_times_out_without_blocking_others() {
    let stack = Stack::new().await;
    let mut config = self_signed();
    config.head_timeout = Duration::from_millis(600);
    let address = stack.listen(config).await;
    let mut held = TcpStream::connect(address).await.unwrap();
    held.write_all(&[0x16, 3, 1]).await.unwrap();
    let mut stream = secure(address, "localhost", &authority_of(&stack), "http/1.1").await.unwrap();
    assert_eq!(ask(&mut stream, GET_HEALTH).await.status, 200);
    let mut rest = Vec::new();
    timeout(Duration::from_secs(5), held.read_to_end(&mut rest)).await.expect("the connection is closed").unwrap();
    assert!(rest.is_empty());
}

/// Writes a self-signed certificate for localhost to a folder; returns the certificate and its key.
fn issue(folder: &Path) -> (Vec<u8>, Vec<u8>) {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let (certificate, key) = (made.cert.pem().into_bytes(), made.signing_key.serialize_pem().into_bytes());
    std::fs::write(folder.join("tls.crt"), &certificate).unwrap();
    std::fs::write(folder.join("tls.key"), &key).unwrap();
    (certificate, key)
}

#[tokio::test]
async fn a_renewed_certificate_is_used_without_a_restart_unless_it_is_invalid() {
    let folder = tempfile::tempdir().unwrap();
    let (first, _) = issue(folder.path());
    let stack = Stack::new().await;
    let mut config = config();
    config.tls = Some(CertificateSource::Files { certificates: folder.path().join("tls.crt"), key: folder.path().join("tls.key") });
    let address = stack.listen(config).await;
    let mut kept = secure(address, "localhost", &first, "http/1.1").await.unwrap();
    let (second, _) = issue(folder.path());
    let started = Instant::now();
    while secure(address, "localhost", &second, "http/1.1").await.is_err() {
        assert!(started.elapsed() < Duration::from_secs(10), "the renewed certificate is never used");
        sleep(Duration::from_millis(200)).await;
    }
    assert_eq!(ask(&mut kept, GET_HEALTH).await.status, 200, "existing connections stay open");
    std::fs::write(folder.path().join("tls.crt"), &first).unwrap(); // the key no longer matches this certificate
    sleep(Duration::from_secs(3)).await;
    assert!(secure(address, "localhost", &second, "http/1.1").await.is_ok());
}

#[tokio::test]
async fn an_unusable_certificate_is_reported_at_startup() {
    let stack = Stack::new().await;
    let mut config = config();
    config.tls = Some(CertificateSource::Files { certificates: "/nowhere/tls.crt".into(), key: "/nowhere/tls.key".into() });
    let refused = gateway::start(config, &stack.host).await.err().map(|cause| format!("{cause:#}")).unwrap();
    assert!(refused.contains("PATIO_TLS: cannot read /nowhere/tls.crt"), "{refused}");
}
