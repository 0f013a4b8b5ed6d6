//! TLS for HTTPS connections that the gateway accepts directly, without a reverse proxy. The certificate comes from files or from a
//! local certificate authority. A changed certificate is loaded without a restart.

mod host_names;
mod local_ca;

use anyhow::Context;
use local_ca::LocalCa;
use patio_kit::{lifecycle::BackgroundTasks, service_host::ServiceHost, tls::parse_certificate_chain_and_key};
use rustls::{
    ServerConfig,
    crypto::ring,
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};
use std::{
    fs,
    net::{IpAddr, SocketAddr},
    path::{Path, PathBuf},
    str::FromStr,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};
use tokio_rustls::TlsAcceptor;

/// Interval at which the certificate files are checked for changes.
const RELOAD_INTERVAL: Duration = Duration::from_secs(2);
/// Value of the setting `PATIO_TLS` that selects the local certificate authority.
const SELF_SIGNED: &str = "self-signed";

/// URL path of the local CA certificate, which users install on phones so that the phones trust this server.
pub const CA_CERT_URL_PATH: &str = "/patio-ca.crt";

/// Source of the server's TLS certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CertificateSource {
    /// Certificate issued by a local certificate authority (CA). Users install the CA certificate on their phones.
    SelfSigned,
    /// Certificate and key from PEM files. The server regularly checks the files for changes.
    Files {
        /// File with the certificate and its intermediate certificates.
        certificates: PathBuf,
        /// File with the private key of the certificate.
        key: PathBuf,
    },
}

impl FromStr for CertificateSource {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        if written == SELF_SIGNED {
            return Ok(Self::SelfSigned);
        }
        match written.split_once(',').map(|(certificates, key)| (certificates.trim(), key.trim())) {
            Some((certificates, key)) if !certificates.is_empty() && !key.is_empty() => {
                Ok(Self::Files { certificates: certificates.into(), key: key.into() })
            }
            _ => Err(format!("`{written}` is neither `{SELF_SIGNED}` nor two files, CERTIFICATE,KEY")),
        }
    }
}

/// TLS acceptor of the server with a certificate that can be replaced while the server runs. Clones share the current certificate.
#[derive(Clone)]
pub struct ReloadableTlsAcceptor {
    acceptor: TlsAcceptor,
    own: Option<Arc<LocalCa>>,
    port: u16,
}

impl ReloadableTlsAcceptor {
    /// Loads or issues the server certificate, and renews the certificate in the background until the process stops.
    ///
    /// # Errors
    /// Returns an error when no usable certificate is available.
    pub fn start(source: &CertificateSource, listen: SocketAddr, host: &ServiceHost) -> anyhow::Result<Self> {
        let clock = host.clock.clone();
        let own = match source {
            CertificateSource::SelfSigned => Some(Arc::new(LocalCa::open(&host.settings.data_dir.join("tls"), clock.now())?)),
            CertificateSource::Files { .. } => None,
        };
        let (source, machine) = (source.clone(), own.clone());
        let read = move || match (&source, &machine) {
            (CertificateSource::Files { certificates, key }, _) => read_files(certificates, key),
            (CertificateSource::SelfSigned, Some(own)) => {
                own.load_or_issue_server_certificate(clock.now(), &host_names::list_subject_alt_names(listen.ip()))
            }
            (CertificateSource::SelfSigned, None) => anyhow::bail!("the local certificate authority is missing"),
        };
        let pair = read()?;
        let held = Arc::new(CurrentCertificate(RwLock::new(Arc::new(certified(&pair)?))));
        spawn_reload(read, pair, held.clone(), &host.tasks);
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(server(held)?)), own, port: listen.port() })
    }

    /// Returns the acceptor for TLS connections.
    #[must_use]
    pub fn acceptor(&self) -> &TlsAcceptor {
        &self.acceptor
    }

    /// Returns the certificate of the local CA in PEM form, for phones to install; `None` when the server certificate comes from files.
    #[must_use]
    pub fn ca_certificate(&self) -> Option<&str> {
        self.own.as_ref().map(|own| own.certificate_pem())
    }

    /// Returns the startup messages that explain how to connect from a phone; empty when the server uses no local CA.
    #[must_use]
    pub fn startup_messages(&self, listen: IpAddr) -> Vec<String> {
        let Some(own) = &self.own else { return Vec::new() };
        let port = self.port;
        let names: Vec<String> =
            host_names::list_reachable_addresses(listen).into_iter().map(|host| format!("https://{host}:{port}")).collect();
        let mut messages =
            vec![format!("Certificate to install on phones: {} (SHA-256 {})", own.certificate_path().display(), own.fingerprint())];
        match names.first() {
            Some(first) => {
                messages.push(format!("Phones open {}", names.join(" or ")));
                messages.push(format!("and download that certificate once from {first}{}", CA_CERT_URL_PATH));
            }
            None => messages.push("Phones cannot connect: set PATIO_LISTEN=0.0.0.0:8080 to accept connections from the network".to_owned()),
        }
        messages
    }
}

/// Checks that the certificate and key files are valid. The source `SelfSigned` always passes, since its certificate is issued when
/// needed.
///
/// # Errors
/// Returns an error that describes what is wrong with the files.
pub fn validate_certificate_files(source: &CertificateSource) -> anyhow::Result<()> {
    match source {
        CertificateSource::SelfSigned => Ok(()),
        CertificateSource::Files { certificates, key } => certified(&read_files(certificates, key)?).map(drop),
    }
}

fn read_files(certificates: &Path, key: &Path) -> anyhow::Result<Pair> {
    let read = |path: &Path| fs::read(path).with_context(|| format!("cannot read {}", path.display()));
    Ok((read(certificates)?, read(key)?))
}

type Pair = (Vec<u8>, Vec<u8>);

/// Starts the background task that reloads the server certificate regularly. If a loaded certificate is invalid, the
/// previous certificate stays in use.
fn spawn_reload(
    read: impl Fn() -> anyhow::Result<Pair> + Send + Sync + 'static,
    pair: Pair,
    held: Arc<CurrentCertificate>,
    tasks: &BackgroundTasks,
) {
    let (read, last) = (Arc::new(read), Arc::new(RwLock::new(pair)));
    tasks.spawn_repeating(RELOAD_INTERVAL, move || {
        let (read, last, held) = (read.clone(), last.clone(), held.clone());
        async move {
            let looked = tokio::task::spawn_blocking(move || renew(read.as_ref(), &last, &held)).await;
            if let Ok(Err(cause)) = looked {
                tracing::error!(cause = format!("{cause:#}"), "failed to reload the TLS certificate, the current one stays in use");
            }
        }
    });
}

fn renew(read: &dyn Fn() -> anyhow::Result<Pair>, last: &RwLock<Pair>, held: &CurrentCertificate) -> anyhow::Result<()> {
    let pair = read()?;
    if *last.read().unwrap_or_else(PoisonError::into_inner) == pair {
        return Ok(());
    }
    let new = certified(&pair)?;
    *held.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(new);
    *last.write().unwrap_or_else(PoisonError::into_inner) = pair;
    tracing::info!("TLS certificate reloaded");
    Ok(())
}

fn certified((certificates, key): &Pair) -> anyhow::Result<CertifiedKey> {
    let (chain, key) = parse_certificate_chain_and_key(certificates, key)?;
    let certified = CertifiedKey::new(chain, ring::sign::any_supported_type(&key).context("the type of the private key is not supported")?);
    certified.keys_match().context("the private key does not match the certificate")?;
    Ok(certified)
}

fn server(held: Arc<CurrentCertificate>) -> anyhow::Result<ServerConfig> {
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_cert_resolver(held);
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

/// Current server certificate, replaced when the background task loads a new certificate.
#[derive(Debug)]
struct CurrentCertificate(RwLock<Arc<CertifiedKey>>);

impl ResolvesServerCert for CurrentCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.read().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_self_signed_or_two_files() {
        assert_eq!("self-signed".parse(), Ok(CertificateSource::SelfSigned));
        assert_eq!("/a.crt, /a.key".parse(), Ok(CertificateSource::Files { certificates: "/a.crt".into(), key: "/a.key".into() }));
        for odd in ["", "yes", "/a.crt", "/a.crt,", ",/a.key"] {
            assert!(odd.parse::<CertificateSource>().unwrap_err().contains("CERTIFICATE,KEY"), "{odd}");
        }
    }
}
