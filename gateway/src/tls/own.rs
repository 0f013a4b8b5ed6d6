//! An authority of this machine's own, kept on disk, and the certificate it gives itself.
//!
//! The authority can vouch for this machine's name and for private addresses only, so that a phone that trusts it
//! gives nothing else away.
use super::{Pair, machine};
use anyhow::Context;
use chrono::{DateTime, Datelike, TimeDelta, Utc};
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

/// How long the authority lasts.
const AUTHORITY_LASTS: TimeDelta = TimeDelta::days(3650);
/// How long a certificate lasts; phones refuse longer ones than 398 days.
const LASTS: TimeDelta = TimeDelta::days(390);
/// How long before its end it is followed by the next one.
const RENEWED: TimeDelta = TimeDelta::days(30);
/// Most names one certificate gathers over time.
const MOST_NAMES: usize = 40;
/// Endings of names that only a local network has.
const LOCAL: [&str; 6] = ["localhost", "local", "lan", "home", "internal", "home.arpa"];
/// Addresses that only a local network has, as [`machine::is_private`] knows them.
const NETWORKS: [(&str, u8); 8] = [
    ("10.0.0.0", 8),
    ("172.16.0.0", 12),
    ("192.168.0.0", 16),
    ("127.0.0.0", 8),
    ("169.254.0.0", 16),
    ("100.64.0.0", 10),
    ("fc00::", 7),
    ("::1", 128),
];

/// The authority and where it is kept.
pub struct Own {
    folder: PathBuf,
    certificate: String,
    made: Mutex<()>,
}

/// What is known of the certificate without reading it.
#[derive(Serialize, Deserialize)]
struct Known {
    names: Vec<String>,
    until: DateTime<Utc>,
}

impl Own {
    /// The authority kept in a folder, made when there is none.
    pub fn open(folder: &Path, now: DateTime<Utc>) -> anyhow::Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let own = Self { folder: folder.to_owned(), certificate: String::new(), made: Mutex::new(()) };
        if !own.path().exists() {
            own.make_authority(now)?;
        }
        let certificate = fs::read_to_string(own.path()).with_context(|| format!("cannot read {}", own.path().display()))?;
        Ok(Self { certificate, ..own })
    }

    /// Where the authority's certificate lies.
    pub fn path(&self) -> PathBuf {
        self.folder.join("patio-ca.crt")
    }

    /// The authority's certificate in PEM form.
    pub fn certificate(&self) -> &str {
        &self.certificate
    }

    /// The digest of the authority's certificate as phones show it.
    pub fn fingerprint(&self) -> String {
        let Ok(der) = CertificateDer::from_pem_slice(self.certificate.as_bytes()) else { return "unreadable".to_owned() };
        let digest = digest::digest(&digest::SHA256, &der);
        digest.as_ref().iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(":")
    }

    /// The certificate and key to use now; made anew when it nears its end or the machine got a further name.
    ///
    /// The key stays, and so do earlier names, so that a phone that comes back on an earlier network finds what it knows.
    pub fn current(&self, now: DateTime<Utc>, names: &[String]) -> anyhow::Result<Pair> {
        let _one_at_a_time = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let known = fs::read(self.folder.join("server.json")).ok().and_then(|text| serde_json::from_slice::<Known>(&text).ok());
        let authority = self.authority()?;
        let wanted = names.iter().filter(|name| authority.may_name(name));
        let mut all: Vec<String> = wanted.cloned().collect();
        if let Some(known) = &known {
            let missing = all.iter().any(|name| !known.names.contains(name));
            if !missing && known.until - RENEWED > now {
                return self.read();
            }
            all.extend(known.names.iter().filter(|name| !names.contains(name)).cloned());
            all.truncate(MOST_NAMES);
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
        KeyPair::from_pem(&pem).with_context(|| format!("{} is no private key", path.display()))
    }

    fn make_authority(&self, now: DateTime<Utc>) -> anyhow::Result<()> {
        let names: Vec<String> =
            machine::names(IpAddr::from([127, 0, 0, 1])).into_iter().filter(|name| name.parse::<IpAddr>().is_err()).collect();
        fs::write(self.folder.join("authority.json"), serde_json::to_vec(&names)?)?;
        let key = self.key("patio-ca.key")?;
        let mut params = self.params(&key)?;
        lasts(&mut params, now, now + AUTHORITY_LASTS);
        let mut permitted: Vec<GeneralSubtree> = LOCAL.iter().map(|name| GeneralSubtree::DnsName((*name).to_owned())).collect();
        permitted.extend(names.into_iter().map(GeneralSubtree::DnsName));
        for (network, prefix) in NETWORKS {
            permitted.push(GeneralSubtree::IpAddress(subnet(network.parse()?, prefix)));
        }
        params.name_constraints = Some(NameConstraints { permitted_subtrees: permitted, excluded_subtrees: Vec::new() });
        replace(&self.path(), &params.self_signed(&key)?.pem())
    }

    /// What the authority says of itself; its name comes from its key, so that two of them are never taken for one.
    fn params(&self, key: &KeyPair) -> anyhow::Result<CertificateParams> {
        let digest = digest::digest(&digest::SHA256, key.public_key_raw());
        let mark: String = digest.as_ref().iter().take(4).map(|byte| format!("{byte:02x}")).collect();
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
        let until = now + LASTS;
        lasts(&mut params, now, until);
        let certificate = params.signed_by(&key, &authority.issuer)?;
        replace(&self.folder.join("server.crt"), &format!("{}{}", certificate.pem(), self.certificate))?;
        replace(&self.folder.join("server.json"), &serde_json::to_string(&Known { names, until })?)
    }
}

/// The authority at work.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    own: Vec<String>,
}

impl Authority {
    /// Whether it may vouch for a name: phones refuse a certificate with one other name in it altogether.
    fn may_name(&self, name: &str) -> bool {
        match name.parse::<IpAddr>() {
            Ok(address) => machine::is_private(address),
            Err(_) => {
                LOCAL.iter().any(|ending| name == *ending || name.ends_with(&format!(".{ending}")))
                    || self.own.iter().any(|own| own == name)
            }
        }
    }
}

/// Valid from the day before, for phones whose clock is behind.
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

/// Writes a file as a whole or not at all.
fn replace(path: &Path, text: &str) -> anyhow::Result<()> {
    let beside = path.with_extension("new");
    fs::write(&beside, text).with_context(|| format!("cannot write {}", beside.display()))?;
    fs::rename(&beside, path).with_context(|| format!("cannot write {}", path.display()))
}

/// Writes a file that only its owner can read.
fn private(path: &Path, text: &str) -> anyhow::Result<()> {
    let beside = path.with_extension("new");
    let _ = fs::remove_file(&beside);
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
    file.write_all(text.as_bytes())?;
    fs::rename(&beside, path).with_context(|| format!("cannot write {}", path.display()))
}
