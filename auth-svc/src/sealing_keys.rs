//! Encryption of the keys stored in the database, with a sealing key that is stored in a file outside the database.
//!
//! Without the key file, a stolen copy or backup of the database cannot be used to sign tokens. The modules `auth_keys` and `token_signing` hold
//! the decrypted keys in memory.
use crate::{error::Error, random::generate_random_bytes};
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

/// AES-256-GCM keys that encrypt the keys stored in the database: the first key encrypts, and all keys decrypt.
pub struct SealingKeys {
    current: LessSafeKey,
    previous: Vec<LessSafeKey>,
}

impl SealingKeys {
    /// Reads the sealing keys from a file with one key in base64 per line, the current key first. Returns
    /// `None` when the file does not exist.
    ///
    /// # Errors
    /// Returns an error when the file cannot be read, contains no key, or contains an invalid line.
    pub fn read(path: &Path) -> anyhow::Result<Option<Self>> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(cause).with_context(|| format!("PATIO_KEY_FILE: cannot read {}", path.display())),
        };
        let mut keys = Vec::new();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let remedy = "a line must be 32 random bytes in base64, as from `openssl rand -base64 32`";
            let invalid = || format!("PATIO_KEY_FILE: {} contains no valid key in line {number}; {remedy}", path.display());
            keys.push(STANDARD.decode(line.trim()).ok().and_then(|bytes| aes_key(&bytes)).with_context(invalid)?);
        }
        anyhow::ensure!(!keys.is_empty(), "PATIO_KEY_FILE: {} contains no key; restore it from its copy", path.display());
        let current = keys.remove(0);
        Ok(Some(Self { current, previous: keys }))
    }

    /// Generates a sealing key and writes the key to a file with mode 0600. When the file already exists, reads the key from
    /// the file instead.
    ///
    /// # Errors
    /// Returns an error when the file cannot be written or read.
    pub fn read_or_create(path: &Path) -> anyhow::Result<Self> {
        let text = format!("{}\n", STANDARD.encode(generate_random_bytes::<KEY_LEN>()?));
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

    /// Encrypts a key with the current sealing key and returns nonce and ciphertext. The key is stored in the database row called
    /// `name`; if the ciphertext is moved to another row, decryption fails.
    ///
    /// # Errors
    /// Returns `Internal` when the system provides no random bytes.
    pub fn encrypt(&self, name: &str, plain: &[u8]) -> Result<Vec<u8>, Error> {
        let nonce = generate_random_bytes::<NONCE_LEN>()?;
        let mut sealed = plain.to_vec();
        let done = self.current.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(name), &mut sealed);
        done.map_err(|_| Error::Internal("a key could not be sealed".to_owned()))?;
        Ok([&nonce[..], &sealed].concat())
    }

    /// Decrypts the key that is stored in the database row called `name`, with the current or a previous sealing key.
    ///
    /// # Errors
    /// Returns `WrongKeyFile` when no key of the file decrypts the stored key, when the stored key belongs to another row, or when the
    /// stored key was modified.
    pub fn decrypt(&self, name: &str, sealed: &[u8]) -> Result<Vec<u8>, Error> {
        let opened = sealed.split_first_chunk::<NONCE_LEN>().and_then(|(nonce, body)| {
            let open = |key: &LessSafeKey| {
                let mut body = body.to_vec();
                let plain = key.open_in_place(Nonce::assume_unique_for_key(*nonce), Aad::from(name), &mut body).ok()?;
                Some(plain.to_vec())
            };
            std::iter::once(&self.current).chain(&self.previous).find_map(open)
        });
        opened.ok_or(Error::WrongKeyFile)
    }
}

fn aes_key(bytes: &[u8]) -> Option<LessSafeKey> {
    UnboundKey::new(&AES_256_GCM, bytes).ok().map(LessSafeKey::new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_sealed_key_opens_with_its_own_file_and_for_its_own_row_only() {
        let folder = tempfile::tempdir().unwrap();
        let (here, there) = (folder.path().join("a"), folder.path().join("b"));
        assert!(SealingKeys::read(&here).unwrap().is_none());
        let key = SealingKeys::read_or_create(&here).unwrap();
        assert_eq!(fs::metadata(&here).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left there");
        let sealed = key.encrypt("device", b"secret").unwrap();
        assert!(!sealed.windows(6).any(|part| part == b"secret"));
        let again = SealingKeys::read_or_create(&here).unwrap();
        assert_eq!(again.decrypt("device", &sealed).unwrap(), b"secret", "a file that is there stays as it is");
        let mut changed = sealed.clone();
        changed[NONCE_LEN] ^= 1;
        let other = SealingKeys::read_or_create(&there).unwrap();
        for refused in [
            other.decrypt("device", &sealed),
            key.decrypt("account", &sealed),
            key.decrypt("device", &changed),
            key.decrypt("device", b"x"),
        ] {
            assert!(matches!(refused, Err(Error::WrongKeyFile)));
        }
    }

    #[test]
    fn an_invalid_key_file_is_reported_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("short");
        fs::write(&path, STANDARD.encode([1; 31])).unwrap();
        let refused = SealingKeys::read(&path).err().unwrap().to_string();
        assert!(refused.contains("PATIO_KEY_FILE") && refused.contains("openssl rand -base64 32"), "{refused}");
        let valid = STANDARD.encode([1; KEY_LEN]);
        fs::write(&path, format!("{valid}\n\nnonsense\n")).unwrap();
        let refused = SealingKeys::read(&path).err().unwrap().to_string();
        assert!(refused.contains("in line 3") && !refused.contains("nonsense"), "{refused}");
        fs::write(&path, "\n").unwrap();
        let refused = SealingKeys::read(&path).err().unwrap().to_string();
        assert!(refused.contains("contains no key"), "{refused}");
    }

    #[test]
    fn the_first_line_of_the_file_seals_and_every_line_opens() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        let read = |lines: &[u8]| {
            let text: Vec<String> = lines.iter().map(|byte| STANDARD.encode([*byte; KEY_LEN])).collect();
            fs::write(&path, text.join("\n")).unwrap();
            SealingKeys::read(&path).unwrap().unwrap()
        };
        let sealed = read(&[1]).encrypt("device", b"secret").unwrap();
        let both = read(&[2, 1]);
        assert_eq!(both.decrypt("device", &sealed).unwrap(), b"secret");
        let sealed_again = both.encrypt("device", b"secret").unwrap();
        let new = read(&[2]);
        assert_eq!(new.decrypt("device", &sealed_again).unwrap(), b"secret");
        assert!(matches!(new.decrypt("device", &sealed), Err(Error::WrongKeyFile)));
    }
}
