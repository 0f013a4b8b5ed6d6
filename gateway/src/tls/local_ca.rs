//! Local certificate authority (CA), stored on disk, and the server certificate that the CA issues.
//!
//! Name constraints limit the CA's certificates to local names, this machine's host name and private addresses. An attacker who
//! stole the CA key therefore cannot impersonate other websites to a phone that trusts the CA.
use crate::tls::{Pair, host_names};
use anyhow::Context;
use chrono::{DateTime, Datelike, TimeDelta, Utc};
use patio_kit::hex;
use rcgen::{
    BasicConstraints, CertificateParams, CidrSubnet, DnType, ExtendedKeyUsagePurpose, GeneralSubtree, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, NameConstraints, date_time_ymd,
};
use ring::digest;
use rustls::pki_types::{CertificateDer, pem::PemObject};
use serde::{Deserialize, Serialize};
use std::{
    fs,
    io::Write,
    net::IpAddr,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

/// Validity period of the CA certificate.
const CA_VALIDITY: TimeDelta = TimeDelta::days(3650);
/// Validity period of the server certificate; phones reject certificates that are valid for more than 398 days.
const CERTIFICATE_VALIDITY: TimeDelta = TimeDelta::days(390);
/// Remaining validity at which the server certificate is renewed.
const RENEWAL_MARGIN: TimeDelta = TimeDelta::days(30);
/// Maximum number of names and addresses in the server certificate.
const MAX_CERTIFICATE_NAMES: usize = 40;
/// Domain suffixes that are used only in local networks.
const LOCAL_SUFFIXES: [&str; 6] = ["localhost", "local", "lan", "home", "internal", "home.arpa"];
/// Private and local networks for which the CA may issue certificates: address and prefix length. The list must match
/// [`host_names::is_private`].
const LOCAL_NETWORKS: [(&str, u8); 8] = [
    ("10.0.0.0", 8),
    ("172.16.0.0", 12),
    ("192.168.0.0", 16),
    ("127.0.0.0", 8),
    ("169.254.0.0", 16),
    ("100.64.0.0", 10),
    ("fc00::", 7),
    ("::1", 128),
];

/// Local certificate authority and the folder of its files.
pub struct LocalCa {
    folder: PathBuf,
    certificate: String,
    made: Mutex<()>,
}

/// Host names and expiry time of the current server certificate, stored in a file beside the certificate.
#[derive(Serialize, Deserialize)]
struct Known {
    names: Vec<String>,
    until: DateTime<Utc>,
}

impl LocalCa {
    /// Opens the CA stored in a folder, and creates a CA when the folder contains none.
    pub fn open(folder: &Path, now: DateTime<Utc>) -> anyhow::Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let own = Self { folder: folder.to_owned(), certificate: String::new(), made: Mutex::new(()) };
        if !own.certificate_path().exists() {
            own.make_authority(now)?;
        }
        let certificate =
            fs::read_to_string(own.certificate_path()).with_context(|| format!("cannot read {}", own.certificate_path().display()))?;
        Ok(Self { certificate, ..own })
    }

    /// Returns the path of the CA certificate file.
    pub fn certificate_path(&self) -> PathBuf {
        self.folder.join("patio-ca.crt")
    }

    /// Returns the CA certificate in PEM form.
    pub fn certificate_pem(&self) -> &str {
        &self.certificate
    }

    /// Returns the SHA-256 fingerprint of the CA certificate, in the format that phones show.
    pub fn fingerprint(&self) -> String {
        let Ok(der) = CertificateDer::from_pem_slice(self.certificate.as_bytes()) else { return "unreadable".to_owned() };
        let digest = digest::digest(&digest::SHA256, &der);
        digest.as_ref().iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(":")
    }

    /// Returns the server certificate and key. A new certificate is issued when the current certificate expires soon or lacks one
    /// of the `names`.
    ///
    /// A new certificate keeps the key of the current certificate, and also contains the names of the current certificate, up to
    /// `MAX_CERTIFICATE_NAMES` names in total. The new certificate is therefore still valid when the machine returns to an earlier
    /// network.
    pub fn load_or_issue_server_certificate(&self, now: DateTime<Utc>, names: &[String]) -> anyhow::Result<Pair> {
        let _one_at_a_time = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let known = fs::read(self.folder.join("server.json")).ok().and_then(|text| serde_json::from_slice::<Known>(&text).ok());
        let authority = self.authority()?;
        let wanted = names.iter().filter(|name| authority.permits_name(name));
        let mut all: Vec<String> = wanted.cloned().collect();
        if let Some(known) = &known {
            let missing = all.iter().any(|name| !known.names.contains(name));
            if !missing && known.until - RENEWAL_MARGIN > now {
                return self.read();
            }
            all.extend(known.names.iter().filter(|name| !names.contains(name)).cloned());
            all.truncate(MAX_CERTIFICATE_NAMES);
        }
        self.make_certificate(&authority, now, all)?;
        self.read()
    }

    fn read(&self) -> anyhow::Result<Pair> {
        let read = |name| fs::read(self.folder.join(name)).with_context(|| format!("cannot read {name} in {}", self.folder.display()));
        Ok((read("server.crt")?, read("server.key")?))
    }

    fn key(&self, name: &str) -> anyhow::Result<KeyPair> {
        let path = self.folder.join(name);
        if !path.exists() {
            private(&path, &KeyPair::generate()?.serialize_pem())?;
        }
        let pem = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        KeyPair::from_pem(&pem).with_context(|| format!("{} is not a private key", path.display()))
    }

    fn make_authority(&self, now: DateTime<Utc>) -> anyhow::Result<()> {
        let names: Vec<String> = host_names::list_subject_alt_names(IpAddr::from([127, 0, 0, 1]))
            .into_iter()
            .filter(|name| name.parse::<IpAddr>().is_err())
            .collect();
        fs::write(self.folder.join("authority.json"), serde_json::to_vec(&names)?)?;
        let key = self.key("patio-ca.key")?;
        let mut params = self.params(&key)?;
        lasts(&mut params, now, now + CA_VALIDITY);
        let mut permitted: Vec<GeneralSubtree> = LOCAL_SUFFIXES.iter().map(|name| GeneralSubtree::DnsName((*name).to_owned())).collect();
        permitted.extend(names.into_iter().map(GeneralSubtree::DnsName));
        for (network, prefix) in LOCAL_NETWORKS {
            permitted.push(GeneralSubtree::IpAddress(subnet(network.parse()?, prefix)));
        }
        params.name_constraints = Some(NameConstraints { permitted_subtrees: permitted, excluded_subtrees: Vec::new() });
        replace(&self.certificate_path(), &params.self_signed(&key)?.pem())
    }

    /// Returns the parameters of the CA certificate. The common name contains a digest of the CA key, so that two CAs never
    /// have the same name.
    fn params(&self, key: &KeyPair) -> anyhow::Result<CertificateParams> {
        let mark = &hex::sha256_hex(key.public_key_raw())[..8];
        let mut params = CertificateParams::new(Vec::new())?;
        params.distinguished_name = rcgen::DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, format!("Patio on this network, {mark}"));
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        Ok(params)
    }

    fn authority(&self) -> anyhow::Result<Authority> {
        let key = self.key("patio-ca.key")?;
        let own = fs::read(self.folder.join("authority.json")).ok().and_then(|text| serde_json::from_slice(&text).ok());
        Ok(Authority { issuer: Issuer::new(self.params(&key)?, key), own: own.unwrap_or_default() })
    }

    fn make_certificate(&self, authority: &Authority, now: DateTime<Utc>, names: Vec<String>) -> anyhow::Result<()> {
        let key = self.key("server.key")?;
        let mut params = CertificateParams::new(names.clone())?;
        params.distinguished_name = rcgen::DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, "Patio");
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.use_authority_key_identifier_extension = true;
        let until = now + CERTIFICATE_VALIDITY;
        lasts(&mut params, now, until);
        let certificate = params.signed_by(&key, &authority.issuer)?;
        replace(&self.folder.join("server.crt"), &format!("{}{}", certificate.pem(), self.certificate))?;
        replace(&self.folder.join("server.json"), &serde_json::to_string(&Known { names, until })?)
    }
}

/// Local CA loaded into memory: certificate and key, which can issue certificates.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    own: Vec<String>,
}

impl Authority {
    /// Returns `true` if the CA's name constraints permit a host name or an IP address. Phones reject a certificate that contains
    /// any name or address outside the constraints.
    fn permits_name(&self, name: &str) -> bool {
        match name.parse::<IpAddr>() {
            Ok(address) => host_names::is_private(address),
            Err(_) => {
                LOCAL_SUFFIXES.iter().any(|ending| name == *ending || name.ends_with(&format!(".{ending}")))
                    || self.own.iter().any(|own| own == name)
            }
        }
    }
}

/// Sets the validity period of a certificate. The period starts one day early, for phones whose clock is behind.
fn lasts(params: &mut CertificateParams, now: DateTime<Utc>, until: DateTime<Utc>) {
    let part = |number: u32| u8::try_from(number).unwrap_or(1);
    let from = now - TimeDelta::days(1);
    params.not_before = date_time_ymd(from.year(), part(from.month()), part(from.day()));
    params.not_after = date_time_ymd(until.year(), part(until.month()), part(until.day()));
}

fn subnet(address: IpAddr, prefix: u8) -> CidrSubnet {
    match (address, prefix) {
        (IpAddr::V6(v6), 128) => CidrSubnet::V6(v6.octets(), [0xff; 16]),
        _ => CidrSubnet::from_addr_prefix(address, prefix),
    }
}

/// Replaces the content of a file atomically.
fn replace(path: &Path, text: &str) -> anyhow::Result<()> {
    let beside = path.with_extension("new");
    fs::write(&beside, text).with_context(|| format!("cannot write {}", beside.display()))?;
    fs::rename(&beside, path).with_context(|| format!("cannot write {}", path.display()))
}

/// Replaces the content of a file atomically, and makes the file readable only by its owner.
fn private(path: &Path, text: &str) -> anyhow::Result<()> {
    let beside = path.with_extension("new");
    let _ = fs::remove_file(&beside);
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
    file.write_all(text.as_bytes())?;
    fs::rename(&beside, path).with_context(|| format!("cannot write {}", path.display()))
}
