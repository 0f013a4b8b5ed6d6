//! Tests of mutual TLS between services: accepted clients, verified servers and changed certificate files.
use clap::Parser;
use patio_harness::CertificateAuthority;
use patio_kit::{config::Settings, lifecycle::BackgroundTasks, service_host::ServiceHost, tls::ServiceTls};
use rcgen::KeyPair;
use std::{fs, io, path::Path, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use tokio_stream::StreamExt;
use tower::ServiceExt;

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    settings: Settings,
}

/// Issues a certificate for `host` into the subfolder `name`.
fn issued(folder: &Path, name: &str, authority: &CertificateAuthority, host: &str) -> ServiceTls {
    authority.issue_certificate(&folder.join(name), host).unwrap();
    ServiceTls::load_from_folder(&folder.join(name)).unwrap()
}

/// Starts a TLS server that sends back what it receives. Returns the address of the server.
async fn echo(tls: ServiceTls) -> String {
    let tasks = BackgroundTasks::default();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tasks.clone().spawn(async move {
        let mut incoming = Box::pin(tls.accept_connections(listener));
        while let Some(stream) = incoming.next().await {
            let (mut read, mut write) = tokio::io::split(stream.unwrap());
            tasks.spawn(async move { drop(tokio::io::copy(&mut read, &mut write).await) });
        }
    });
    address
}

/// Checks that the server at `address` responds to a client that expects the host name `host`.
async fn reaches(tls: &ServiceTls, address: &str, host: &str) -> io::Result<()> {
    let uri = format!("http://{address}").parse().unwrap();
    let work = async {
        let mut stream = tls.create_connector(host).oneshot(uri).await?.into_inner();
        stream.write_all(b"hello").await?;
        let mut heard = [0; 5];
        stream.read_exact(&mut heard).await?;
        assert_eq!(&heard, b"hello");
        Ok(())
    };
    tokio::time::timeout(Duration::from_secs(10), work).await.unwrap()
}

#[tokio::test]
async fn both_sides_need_a_certificate_of_the_authority_and_the_server_the_name_that_is_called() {
    let folder = tempfile::tempdir().unwrap();
    let (ours, other) = (CertificateAuthority::try_new().unwrap(), CertificateAuthority::try_new().unwrap());
    let address = echo(issued(folder.path(), "server", &ours, "127.0.0.1")).await;
    let caller = issued(folder.path(), "caller", &ours, "gateway");
    reaches(&caller, &address, "127.0.0.1").await.unwrap();
    let wrong_name = reaches(&caller, &address, "vehicle-svc").await.unwrap_err().to_string();
    assert!(wrong_name.contains("not valid for name"), "{wrong_name}");
    let stranger = issued(folder.path(), "stranger", &other, "gateway");
    assert!(reaches(&stranger, &address, "127.0.0.1").await.unwrap_err().to_string().contains("invalid peer certificate"));
    // It trusts the server, but shows a certificate that the server does not trust.
    fs::copy(folder.path().join("caller/ca.crt"), folder.path().join("stranger/ca.crt")).unwrap();
    let stranger = ServiceTls::load_from_folder(&folder.path().join("stranger")).unwrap();
    reaches(&stranger, &address, "127.0.0.1").await.unwrap_err();
}

#[tokio::test]
async fn a_caller_without_tls_or_without_a_word_keeps_nobody_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let authority = CertificateAuthority::try_new().unwrap();
    let address = echo(issued(folder.path(), "server", &authority, "127.0.0.1")).await;
    let mut silent = Vec::new();
    for _ in 0..50 {
        silent.push(TcpStream::connect(&address).await.unwrap());
    }
    let mut plain = TcpStream::connect(&address).await.unwrap();
    plain.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await.unwrap();
    reaches(&issued(folder.path(), "caller", &authority, "gateway"), &address, "127.0.0.1").await.unwrap();
    let mut rest = Vec::new();
    let _ = tokio::time::timeout(Duration::from_secs(5), plain.read_to_end(&mut rest)).await.unwrap();
    assert!(rest.len() < 16, "an alert at most, and no frame of HTTP/2: {rest:?}");
    let closed = tokio::time::timeout(Duration::from_secs(5), silent[0].read(&mut [0; 1])).await.unwrap();
    assert!(matches!(closed, Ok(0) | Err(_)), "a caller without a word is let go after three seconds");
}

#[tokio::test]
async fn files_that_change_are_used_and_files_that_cannot_be_used_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (CertificateAuthority::try_new().unwrap(), CertificateAuthority::try_new().unwrap());
    let tls = issued(folder.path(), "server", &old, "127.0.0.1");
    let address = echo(tls.clone()).await;
    let (before, after) = (issued(folder.path(), "before", &old, "gateway"), issued(folder.path(), "after", &new, "gateway"));
    fs::write(folder.path().join("server/tls.crt"), "half a certificate").unwrap();
    tls.reload_if_changed().unwrap_err();
    reaches(&before, &address, "127.0.0.1").await.unwrap();
    new.issue_certificate(&folder.path().join("server"), "127.0.0.1").unwrap();
    tls.reload_if_changed().unwrap();
    reaches(&after, &address, "127.0.0.1").await.unwrap();
    reaches(&before, &address, "127.0.0.1").await.unwrap_err();
}

#[tokio::test]
async fn settings_that_do_not_fit_together_are_refused_with_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let authority = CertificateAuthority::try_new().unwrap();
    let place = folder.path().join("tls");
    authority.issue_certificate(&place, "127.0.0.1").unwrap();
    let refusal = async |more: &[&str]| {
        let arguments = [&["x", "--data-dir", folder.path().to_str().unwrap()], more].concat();
        ServiceHost::with_remote_services(Cli::parse_from(arguments).settings).await.map(|_| ()).map_err(|cause| format!("{cause:#}"))
    };
    let place = place.to_str().unwrap();
    let private =
        ["--auth-url", "https://a:1", "--campaign-url", "https://c:1", "--vehicle-url", "https://v:1", "--import-url", "https://i:1"];
    refusal(&[&private[..], &["--service-tls", place]].concat()).await.unwrap();
    let error = refusal(&private).await.unwrap_err();
    assert!(error.contains("`https://a:1` needs PATIO_SERVICE_TLS"), "{error}");
    let error = refusal(&["--service-tls", place]).await.unwrap_err();
    assert!(error.contains("must begin with https://"), "{error}");
    let error = refusal(&["--service-tls", "/nowhere"]).await.unwrap_err();
    assert!(error.contains("cannot read /nowhere/tls.crt"), "{error}");
    for (file, content, words) in [
        ("ca.crt", String::new(), "ca.crt holds no certificate"),
        ("tls.key", "no key".to_owned(), "the key is not in PEM form"),
        ("tls.key", KeyPair::generate().unwrap().serialize_pem(), "tls.key does not belong to tls.crt"),
        ("tls.crt", String::new(), "the certificate file holds no certificate"),
    ] {
        authority.issue_certificate(Path::new(place), "127.0.0.1").unwrap();
        fs::write(Path::new(place).join(file), content).unwrap();
        let error = refusal(&["--service-tls", place]).await.unwrap_err();
        assert!(error.contains(words) && error.contains("PATIO_SERVICE_TLS"), "{error}");
    }
}
