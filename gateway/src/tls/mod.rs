//! https without a proxy: certificates from files, or from an authority of this machine's own.
mod machine;
mod own;

use anyhow::Context;
use own::Own;
use patio_kit::{host::Host, lifecycle::Tasks};
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};
use std::{
    fs,
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    str::FromStr,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};
use tokio_rustls::TlsAcceptor;

/// How often certificates are looked at again.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// How a certificate of this machine's own is asked for.
const SELF_SIGNED: &str = "self-signed";

/// Where the certificate comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// An authority made on this machine, which phones can be told to trust.
    SelfSigned,
    /// Files in PEM form, looked at again every two seconds.
    Files {
        /// The certificate and what lies between it and its root.
        certificates: PathBuf,
        /// Its private key.
        key: PathBuf,
    },
}

impl FromStr for Source {
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

/// What makes a connection a private one.
#[derive(Clone)]
pub struct Tls {
    acceptor: TlsAcceptor,
    own: Option<Arc<Own>>,
    port: u16,
}

impl Tls {
    /// Reads or makes the certificate, and keeps it current until the process stops.
    ///
    /// # Errors
    /// When there is no certificate that can be used now.
    pub fn start(source: &Source, listen: SocketAddr, host: &Host) -> anyhow::Result<Self> {
        let clock = host.clock.clone();
        let own = match source {
            Source::SelfSigned => Some(Arc::new(Own::open(&host.settings.data_dir.join("tls"), clock.now())?)),
            Source::Files { .. } => None,
        };
        let (source, machine) = (source.clone(), own.clone());
        let read = move || match (&source, &machine) {
            (Source::Files { certificates, key }, _) => Ok((
                fs::read(certificates).with_context(|| format!("cannot read {}", certificates.display()))?,
                fs::read(key).with_context(|| format!("cannot read {}", key.display()))?,
            )),
            (Source::SelfSigned, Some(own)) => own.current(clock.now(), &machine::names(listen.ip())),
            (Source::SelfSigned, None) => anyhow::bail!("no authority"),
        };
        let pair = read()?;
        let held = Arc::new(Held(RwLock::new(Arc::new(certified(&pair)?))));
        keep(read, pair, held.clone(), &host.tasks);
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(server(held)?)), own, port: listen.port() })
    }

    /// What accepts private connections.
    #[must_use]
    pub fn acceptor(&self) -> &TlsAcceptor {
        &self.acceptor
    }

    /// The certificate of this machine's own authority, for phones to install; none with certificates from files.
    #[must_use]
    pub fn authority(&self) -> Option<&str> {
        self.own.as_ref().map(|own| own.certificate())
    }

    /// What a person has to know to use it from a phone.
    #[must_use]
    pub fn notices(&self, listen: IpAddr) -> Vec<String> {
        let Some(own) = &self.own else { return Vec::new() };
        let port = self.port;
        let names: Vec<String> = machine::reachable(listen).into_iter().map(|host| format!("https://{host}:{port}")).collect();
        let mut told = vec![format!("Certificate to install on phones: {} (SHA-256 {})", own.path().display(), own.fingerprint())];
        match names.first() {
            Some(first) => {
                told.push(format!("Phones open {}", names.join(" or ")));
                told.push(format!("and fetch that certificate once from {first}{}", crate::serve::AUTHORITY));
            }
            None => told.push("Phones cannot reach it: PATIO_LISTEN=0.0.0.0:8080 opens it to the network".to_owned()),
        }
        told
    }
}

type Pair = (Vec<u8>, Vec<u8>);

/// Looks again and again; what cannot be used leaves the last one in force.
fn keep(read: impl Fn() -> anyhow::Result<Pair> + Send + Sync + 'static, pair: Pair, held: Arc<Held>, tasks: &Tasks) {
    let (read, last) = (Arc::new(read), Arc::new(RwLock::new(pair)));
    tasks.repeat(LOOK_EVERY, move || {
        let (read, last, held) = (read.clone(), last.clone(), held.clone());
        async move {
            let looked = tokio::task::spawn_blocking(move || renew(read.as_ref(), &last, &held)).await;
            if let Ok(Err(cause)) = looked {
                tracing::error!(cause = format!("{cause:#}"), "the certificate cannot be renewed; the last one stays in use");
            }
        }
    });
}

fn renew(read: &dyn Fn() -> anyhow::Result<Pair>, last: &RwLock<Pair>, held: &Held) -> anyhow::Result<()> {
    let pair = read()?;
    if *last.read().unwrap_or_else(PoisonError::into_inner) == pair {
        return Ok(());
    }
    let new = certified(&pair)?;
    *held.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(new);
    *last.write().unwrap_or_else(PoisonError::into_inner) = pair;
    tracing::info!("a new certificate is in use");
    Ok(())
}

fn certified((certificates, key): &Pair) -> anyhow::Result<CertifiedKey> {
    let chain: Vec<_> =
        CertificateDer::pem_slice_iter(certificates).collect::<Result<_, _>>().context("the certificate is not in PEM form")?;
    anyhow::ensure!(!chain.is_empty(), "the certificate file holds no certificate");
    let key = PrivateKeyDer::from_pem_slice(key).context("the key is not in PEM form")?;
    let certified = CertifiedKey::new(chain, ring::sign::any_supported_type(&key).context("the key is of a kind that cannot be used")?);
    certified.keys_match().context("the key does not belong to the certificate")?;
    Ok(certified)
}

fn server(held: Arc<Held>) -> anyhow::Result<ServerConfig> {
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_cert_resolver(held);
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

/// The certificate in force.
#[derive(Debug)]
struct Held(RwLock<Arc<CertifiedKey>>);

impl ResolvesServerCert for Held {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.read().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_self_signed_or_two_files() {
        assert_eq!("self-signed".parse(), Ok(Source::SelfSigned));
        assert_eq!("/a.crt, /a.key".parse(), Ok(Source::Files { certificates: "/a.crt".into(), key: "/a.key".into() }));
        for odd in ["", "yes", "/a.crt", "/a.crt,", ",/a.key"] {
            assert!(odd.parse::<Source>().unwrap_err().contains("CERTIFICATE,KEY"), "{odd}");
        }
    }
}
