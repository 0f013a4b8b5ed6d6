//! Encryption of the keys stored in the database, with a sealing key that is stored in a file outside the database.
//!
//! Without the key file, a stolen copy or backup of the database cannot be used to sign tokens. Decrypted keys in memory belong
//! to `keys` and `signing`.
use crate::{error::Error, random::random_bytes};
use anyhow::Context;
use base64::{Engine, engine::general_purpose::STANDARD};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use std::{
    fs::{self, OpenOptions},
    io::{ErrorKind, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

/// Length of the sealing key in bytes.
const KEY_LEN: usize = 32;

/// AES-256-GCM key that encrypts ('seals') the keys stored in the database.
pub struct SealingKey(LessSafeKey);

impl SealingKey {
    /// Reads the sealing key from a file with one line of base64; returns `None` when the file does not exist.
    ///
    /// # Errors
    /// Returns an error when the file cannot be read or contains no valid key.
    pub fn read(path: &Path) -> anyhow::Result<Option<Self>> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(cause).with_context(|| format!("PATIO_KEY_FILE: cannot read {}", path.display())),
        };
        let key = STANDARD.decode(text.trim()).ok().and_then(|bytes| Self::of(&bytes));
        let remedy = "it must be 32 random bytes in base64, as from `openssl rand -base64 32`";
        key.map(Some).with_context(|| format!("PATIO_KEY_FILE: {} contains no valid key; {remedy}", path.display()))
    }

    /// Generates a sealing key and writes the key to a file with mode 0600. When the file already exists, reads the key from
    /// the file instead.
    ///
    /// # Errors
    /// Returns an error when the file cannot be written or read.
    pub fn create_file(path: &Path) -> anyhow::Result<Self> {
        let text = format!("{}\n", STANDARD.encode(random_bytes::<KEY_LEN>()?));
        let written = path.with_extension(format!("new-{}", std::process::id()));
        let write = || {
            let mut file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(&written)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            match fs::hard_link(&written, path) {
                Err(cause) if cause.kind() != ErrorKind::AlreadyExists => Err(cause),
                _ => Ok(()),
            }
        };
        let made = write();
        let _ = fs::remove_file(&written);
        made.with_context(|| format!("cannot create the key file {}; set PATIO_KEY_FILE to another path", path.display()))?;
        Self::read(path)?.with_context(|| format!("the key file {} disappeared right after it was written", path.display()))
    }

    fn of(bytes: &[u8]) -> Option<Self> {
        UnboundKey::new(&AES_256_GCM, bytes).ok().map(LessSafeKey::new).map(Self)
    }

    /// Encrypts a key for the database row with this name and returns nonce and ciphertext. The ciphertext is invalid in any
    /// other row.
    ///
    /// # Errors
    /// Returns `Broken` when the system provides no random bytes.
    pub fn seal(&self, name: &str, plain: &[u8]) -> Result<Vec<u8>, Error> {
        let nonce = random_bytes::<NONCE_LEN>()?;
        let mut sealed = plain.to_vec();
        let done = self.0.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(name), &mut sealed);
        done.map_err(|_| Error::Broken("a key could not be sealed".to_owned()))?;
        Ok([&nonce[..], &sealed].concat())
    }

    /// Decrypts the key that is stored in the database row with this name.
    ///
    /// # Errors
    /// Returns `WrongKeyFile` when the key was sealed with another sealing key or for another row, or was modified.
    pub fn open(&self, name: &str, sealed: &[u8]) -> Result<Vec<u8>, Error> {
        let opened = sealed.split_first_chunk::<NONCE_LEN>().and_then(|(nonce, body)| {
            let mut body = body.to_vec();
            let plain = self.0.open_in_place(Nonce::assume_unique_for_key(*nonce), Aad::from(name), &mut body).ok()?;
            Some(plain.to_vec())
        });
        opened.ok_or(Error::WrongKeyFile)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_sealed_key_opens_with_its_own_file_and_for_its_own_row_only() {
        let folder = tempfile::tempdir().unwrap();
        let (here, there) = (folder.path().join("a"), folder.path().join("b"));
        assert!(SealingKey::read(&here).unwrap().is_none());
        let key = SealingKey::create_file(&here).unwrap();
        assert_eq!(fs::metadata(&here).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left there");
        let sealed = key.seal("device", b"secret").unwrap();
        assert!(!sealed.windows(6).any(|part| part == b"secret"));
        let again = SealingKey::create_file(&here).unwrap();
        assert_eq!(again.open("device", &sealed).unwrap(), b"secret", "a file that is there stays as it is");
        let mut changed = sealed.clone();
        changed[NONCE_LEN] ^= 1;
        let other = SealingKey::create_file(&there).unwrap();
        for refused in [other.open("device", &sealed), key.open("account", &sealed), key.open("device", &changed), key.open("device", b"x")]
        {
            assert!(matches!(refused, Err(Error::WrongKeyFile)));
        }
    }

    #[test]
    fn an_invalid_key_file_is_reported_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("short");
        fs::write(&path, STANDARD.encode([1; 31])).unwrap();
        let refused = SealingKey::read(&path).err().unwrap().to_string();
        assert!(refused.contains("PATIO_KEY_FILE") && refused.contains("openssl rand -base64 32"), "{refused}");
    }
}
