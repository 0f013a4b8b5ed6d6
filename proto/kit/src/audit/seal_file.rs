//! Seal file of the audit log: a copy of every audit seal (hash-chain link) outside the database.
//!
//! The file reveals an attacker who truncates or rebuilds the hash chain in the database, because the database then lacks seals that
//! the file contains. The module `hash_chain` creates the seals.
use std::{
    collections::BTreeMap,
    fs::OpenOptions,
    io::{self, BufRead, BufReader, ErrorKind, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

/// Line of the seal file, `SERVICE:NUMBER:DIGEST`, which stands for one audit seal (hash-chain link) of a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealLine {
    /// Short name of the service, such as `vehicle`.
    pub service: String,
    /// Sequence number of the audit seal (hash-chain link) within the service's chain, counted from 1.
    pub id: i64,
    /// SHA-256 digest of the audit seal (hash-chain link), in hexadecimal.
    pub digest: String,
}

impl SealLine {
    /// Parses a line of the seal file. Returns `None` for an incomplete line, such as the last line after a crash.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().splitn(3, ':');
        let (service, id, digest) = (parts.next()?, parts.next()?.parse().ok()?, parts.next()?);
        let is_whole = digest.len() == DIGEST_LEN && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_whole.then(|| Self { service: service.to_owned(), id, digest: digest.to_owned() })
    }
}

/// Length of the digest of an audit seal (hash-chain link), in hexadecimal digits.
const DIGEST_LEN: usize = 64;

/// Writer that appends the audit seals (hash-chain links) of one service to the seal file.
pub(super) struct SealFile {
    path: Option<PathBuf>,
    service: &'static str,
    failed: AtomicBool,
}

impl SealFile {
    pub(super) fn new(path: Option<PathBuf>, service: &'static str) -> Self {
        Self { path, service, failed: AtomicBool::new(false) }
    }

    /// Appends an audit seal (hash-chain link) to the seal file. Of several consecutive failures, only the first is logged.
    pub(super) fn append(&self, id: i64, digest: &str) {
        let Some(path) = &self.path else { return };
        match append(path, &format!("{}:{id}:{digest}\n", self.service)) {
            Ok(()) => self.failed.store(false, Ordering::Relaxed),
            Err(cause) if !self.failed.swap(true, Ordering::Relaxed) => {
                tracing::warn!(%cause, path = %path.display(), schema = self.service, seal = id, "failed to append a seal of the audit hash chain to the seal file, the file lacks this seal; further failures are logged only after a success");
            }
            Err(_) => {}
        }
    }
}

fn append(path: &Path, line: &str) -> io::Result<()> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)?.write_all(line.as_bytes())
}

/// Reads the digests of one service's audit seals from the seal file, by seal number. Returns an empty map when the file does not
/// exist.
///
/// Several digests for one number are a sign of manipulation.
///
/// # Errors
/// Returns an error when the file cannot be read.
pub fn read_seals(path: &Path, service: &str) -> io::Result<BTreeMap<i64, Vec<String>>> {
    let file = match OpenOptions::new().read(true).open(path) {
        Ok(file) => file,
        Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(cause) => return Err(cause),
    };
    let mut seals: BTreeMap<i64, Vec<String>> = BTreeMap::new();
    for line in BufReader::new(file).lines() {
        let Some(line) = SealLine::parse(&line?).filter(|line| line.service == service) else { continue };
        let digests = seals.entry(line.id).or_default();
        if !digests.contains(&line.digest) {
            digests.push(line.digest);
        }
    }
    Ok(seals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seals_are_read_by_service_and_incomplete_lines_are_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("seals.log");
        assert!(read_seals(&path, "auth").unwrap().is_empty());
        let (one, two) = ("a".repeat(DIGEST_LEN), "b".repeat(DIGEST_LEN));
        let (auth, vehicle) = (SealFile::new(Some(path.clone()), "auth"), SealFile::new(Some(path.clone()), "vehicle"));
        auth.append(1, &one);
        vehicle.append(1, &two);
        auth.append(2, &two);
        append(&path, "auth:3:abc").unwrap();
        let auth = read_seals(&path, "auth").unwrap();
        assert_eq!(auth.into_iter().collect::<Vec<_>>(), [(1, vec![one]), (2, vec![two])]);
    }
}
