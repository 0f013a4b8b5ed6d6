//! Cryptographically random bytes for keys, tokens and nonces.
use crate::error::Error;
use ring::rand::{SecureRandom, SystemRandom};

/// Returns `N` cryptographically random bytes.
///
/// # Errors
/// Returns `Internal` when the system provides no random bytes.
pub fn generate_random_bytes<const N: usize>() -> Result<[u8; N], Error> {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).map_err(|_| Error::Internal("the system provides no random bytes".to_owned()))?;
    Ok(bytes)
}
