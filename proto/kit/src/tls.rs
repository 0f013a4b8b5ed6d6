//! Mutual TLS between services: each process has one certificate for incoming and outgoing connections, reloaded when the
//! certificate files change.
//!
//! The gateway implements TLS for browsers separately.
use crate::{lifecycle::BackgroundTasks, telemetry};
use anyhow::{Context, ensure};
use arc_swap::ArcSwap;
use futures::{Stream, StreamExt, stream::FuturesUnordered};
use http::Uri;
use hyper_util::rt::TokioIo;
use rustls::{
    ClientConfig, RootCertStore, ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject},
    server::WebPkiClientVerifier,
    version::TLS13,
};
use std::{
    fs, io,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    net::{TcpListener, TcpStream},
    time::{sleep, timeout},
};
use tokio_rustls::{TlsAcceptor, TlsConnector, client, server};
use x509_parser::parse_x509_certificate;

/// Names of the certificate, key and CA files, as in a cert-manager Secret.
const FILE_NAMES: [&str; 3] = ["tls.crt", "tls.key", "ca.crt"];
/// Interval at which the certificate files are read again.
const RELOAD_INTERVAL: Duration = Duration::from_secs(10);
/// Timeout of an incoming TLS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(3);
/// Maximum number of concurrent TLS handshakes of one port. Further connections wait in the listen backlog.
const MAX_HANDSHAKES: usize = 256;
/// Pause after a failed `accept`, for example when the process is out of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Certificate of this process for calls between services, and the certificate authority that the process trusts. Clones share both.
#[derive(Clone)]
pub struct ServiceTls {
    folder: Arc<Path>,
    current: Arc<ArcSwap<Current>>,
}

/// Tower service that opens TLS connections for a gRPC channel. Every type that meets the bounds below implements this trait, so that
/// signatures need not repeat the bounds.
pub trait GrpcTlsConnector:
    tower::Service<Uri, Response = TokioIo<client::TlsStream<TcpStream>>, Error = io::Error, Future: Send> + Send + 'static
{
}

impl<S> GrpcTlsConnector for S where
    S: tower::Service<Uri, Response = TokioIo<client::TlsStream<TcpStream>>, Error = io::Error, Future: Send> + Send + 'static
{
}

/// Contents of the certificate files, and the TLS configurations for servers and clients made from these files.
struct Current {
    files: [Vec<u8>; 3],
    server: Arc<ServerConfig>,
    client: Arc<ClientConfig>,
}

impl ServiceTls {
    /// Reads the PEM files `tls.crt`, `tls.key` and `ca.crt` from a folder.
    ///
    /// # Errors
    /// Returns an error that names the file when a file cannot be read or used.
    pub fn load_from_folder(folder: &Path) -> anyhow::Result<Self> {
        let current = Current::of(read(folder)?).with_context(|| format!("PATIO_SERVICE_TLS={}", folder.display()))?;
        Ok(Self { folder: folder.into(), current: Arc::new(ArcSwap::from_pointee(current)) })
    }

    /// Starts the task that reloads changed certificate files until the process stops. While the files are unusable, the last valid
    /// certificate stays in use.
    pub fn spawn_certificate_reload(&self, tasks: &BackgroundTasks) {
        let (tls, failed) = (self.clone(), Arc::new(AtomicBool::new(false)));
        tasks.spawn_repeating(RELOAD_INTERVAL, move || {
            let (tls, failed) = (tls.clone(), failed.clone());
            async move {
                match tokio::task::spawn_blocking(move || tls.reload_if_changed()).await {
                    Ok(Err(cause)) if !failed.swap(true, Ordering::Relaxed) => {
                        let cause = format!("{cause:#}");
                        tracing::error!(cause, "failed to reload the service certificate, the current one stays in use");
                    }
                    Ok(Ok(())) if failed.swap(false, Ordering::Relaxed) => {
                        tracing::info!("reloading the service certificate succeeds again");
                    }
                    _ => {}
                }
            }
        });
    }

    /// Reads the certificate files again, and uses changed files for new connections.
    ///
    /// # Errors
    /// Returns an error when a file cannot be read or used. The last valid certificate then stays in use.
    pub fn reload_if_changed(&self) -> anyhow::Result<()> {
        let files = read(&self.folder)?;
        if self.current.load().files != files {
            self.current.store(Arc::new(Current::of(files)?));
            tracing::info!("service certificate reloaded");
        }
        Ok(())
    }

    /// Accepts TLS connections from clients whose certificate was signed by the authority in `ca.crt`.
    ///
    /// Handshakes run concurrently, so that a slow client does not delay others.
    pub fn accept_connections(self, listener: TcpListener) -> impl Stream<Item = io::Result<server::TlsStream<TcpStream>>> {
        async_stream::stream! {
            let mut handshakes = FuturesUnordered::new();
            loop {
                tokio::select! {
                    accepted = listener.accept(), if handshakes.len() < MAX_HANDSHAKES => match accepted {
                        Ok((stream, peer)) => handshakes.push(self.accept(stream, peer)),
                        Err(cause) => {
                            let address = listener.local_addr().ok();
                            tracing::warn!(%cause, ?address, "TLS listener for services failed to accept a connection, retrying");
                            sleep(ACCEPT_PAUSE).await;
                        }
                    },
                    Some(done) = handshakes.next() => if let Some(stream) = done {
                        yield Ok(stream);
                    },
                }
            }
        }
    }

    async fn accept(&self, stream: TcpStream, peer: SocketAddr) -> Option<server::TlsStream<TcpStream>> {
        let acceptor = TlsAcceptor::from(self.current.load().server.clone());
        let _ = stream.set_nodelay(true);
        let cause = match timeout(HANDSHAKE_TIMEOUT, acceptor.accept(stream)).await {
            Ok(Ok(stream)) => return Some(stream),
            Ok(Err(cause)) => cause.to_string(),
            Err(_) => "handshake timeout".to_owned(),
        };
        metrics::counter!("patio_service_tls_handshakes_failed_total").increment(1);
        tracing::debug!(cause, %peer, "TLS handshake with a calling service failed, connection closed");
        None
    }

    /// Creates a connector to `host`. The server must present a certificate for that host name, signed by the authority in `ca.crt`.
    pub fn create_connector(&self, host: &str) -> impl GrpcTlsConnector + use<> {
        let (tls, host) = (self.clone(), host.trim_matches(['[', ']']).to_owned());
        tower::service_fn(move |uri: Uri| {
            let (tls, host) = (tls.clone(), host.clone());
            async move { tls.connect(&uri, host).await.map(TokioIo::new) }
        })
    }

    async fn connect(&self, uri: &Uri, host: String) -> io::Result<client::TlsStream<TcpStream>> {
        let name = ServerName::try_from(host).map_err(io::Error::other)?;
        let address = uri.authority().map_or("", |authority| authority.as_str());
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let client = self.current.load().client.clone();
        TlsConnector::from(client).connect(name, stream).await
    }
}

impl Current {
    fn of(files: [Vec<u8>; 3]) -> anyhow::Result<Self> {
        let [certificates, key, authority] = &files;
        let (chain, key) = parse_certificate_chain_and_key(certificates, key)?;
        let expires = expiry(&chain[0])?;
        let mut roots = RootCertStore::empty();
        for root in CertificateDer::pem_slice_iter(authority) {
            roots.add(root.context("ca.crt is not in PEM form")?).context("ca.crt holds a certificate that cannot be used")?;
        }
        ensure!(!roots.is_empty(), "ca.crt holds no certificate");
        let (roots, provider) = (Arc::new(roots), Arc::new(ring::default_provider()));
        let callers = WebPkiClientVerifier::builder_with_provider(roots.clone(), provider.clone()).build()?;
        let mut server = ServerConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[&TLS13])?
            .with_client_cert_verifier(callers)
            .with_single_cert(chain.clone(), key.clone_key())
            .context("tls.key does not belong to tls.crt")?;
        let mut client = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13])?
            .with_root_certificates(roots)
            .with_client_auth_cert(chain, key)?;
        server.alpn_protocols = vec![b"h2".to_vec()];
        client.alpn_protocols = vec![b"h2".to_vec()];
        metrics::gauge!("patio_service_certificate_expires_timestamp_seconds").set(expires);
        Ok(Self { server: Arc::new(server), client: Arc::new(client), files })
    }
}

fn read(folder: &Path) -> anyhow::Result<[Vec<u8>; 3]> {
    let read = |name: &str| {
        let path: PathBuf = folder.join(name);
        fs::read(&path).with_context(|| format!("cannot read {}", path.display()))
    };
    let [certificates, key, authority] = FILE_NAMES;
    Ok([read(certificates)?, read(key)?, read(authority)?])
}

/// Parses a certificate chain and its private key from PEM.
///
/// # Errors
/// Returns an error when the chain or the key is not valid PEM, or the chain is empty.
pub fn parse_certificate_chain_and_key(
    certificates: &[u8],
    key: &[u8],
) -> anyhow::Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)> {
    let chain: Vec<_> =
        CertificateDer::pem_slice_iter(certificates).collect::<Result<_, _>>().context("the certificate is not in PEM form")?;
    ensure!(!chain.is_empty(), "the certificate file holds no certificate");
    Ok((chain, PrivateKeyDer::from_pem_slice(key).context("the key is not in PEM form")?))
}

/// Returns the expiry time of a certificate, in seconds since 1970.
fn expiry(certificate: &CertificateDer<'_>) -> anyhow::Result<f64> {
    let (_, parsed) = parse_x509_certificate(certificate).context("the certificate cannot be parsed")?;
    Ok(telemetry::to_gauge_value(usize::try_from(parsed.validity().not_after.timestamp()).unwrap_or(0)))
}
