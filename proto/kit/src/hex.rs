//! Encodes bytes and SHA-256 digests as hexadecimal text.
use ring::digest::{SHA256, digest};

/// Returns bytes as lower-case hexadecimal digits, two per byte.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from_digit(half.into(), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Returns the SHA-256 digest of data as 64 lower-case hexadecimal digits.
#[must_use]
pub fn sha256_hex(data: &[u8]) -> String {
    encode(digest(&SHA256, data).as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_becomes_two_digits() {
        assert_eq!(encode(&[0, 10, 255]), "000aff");
        assert_eq!(sha256_hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
