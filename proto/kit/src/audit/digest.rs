//! Digests of audit entries and of audit seals, the links of the hash chain over the entries.
use crate::{
    audit::store::{AuditRow, SealedEntry},
    hex,
};
use chrono::{DateTime, Utc};
use ring::digest::{Context, SHA256};
use serde::Serialize;

/// Returns the SHA-256 digest of an audit entry. The digest covers every field, so that any change is detected.
pub(super) fn digest_entry(row: &AuditRow) -> String {
    let AuditRow { id, at, user_id, role, kind, subject, summary, address, old_values, new_values } = row;
    digest_json(&(id, at.timestamp_micros(), user_id, role, kind, subject, summary, address, old_values, new_values))
}

/// Returns the digest of the current content of a sealed (hash-chained) entry, or `None` when the entry was deleted.
pub(super) fn digest_sealed_entry(sealed: &SealedEntry) -> Option<String> {
    let SealedEntry { id, at, user_id, role, kind, subject, summary, address, old_values, new_values, .. } = sealed;
    let id = id.as_ref()?;
    let at = at.as_str().and_then(|at| DateTime::parse_from_rfc3339(at).ok()).map(|at| at.timestamp_micros());
    Some(digest_json(&(id, at, user_id, role, kind, subject, summary, address, old_values, new_values)))
}

fn digest_json(fields: &impl Serialize) -> String {
    let text = serde_json::to_vec(fields).unwrap_or_default(); // numbers and strings always serialize
    hex::sha256_hex(&text)
}

/// Unfinished digest of one audit seal (hash-chain link), to which entries are added.
pub(super) struct SealHasher(Context);

impl SealHasher {
    /// Starts the digest of an audit seal with `before`, the digest of the previous seal; `before` is empty for the first seal.
    pub(super) fn new(before: &str) -> Self {
        let mut context = Context::new(&SHA256);
        context.update(before.as_bytes());
        Self(context)
    }

    /// Adds the id, kind, time and digest of an audit entry to the seal's digest. These four values stay stored after the entry is
    /// deleted, so that the seal can still be verified.
    pub(super) fn add_entry(&mut self, event_id: i64, kind: &str, at: DateTime<Utc>, digest: &str) {
        self.0.update(format!("\n{event_id} {kind} {} {digest}", at.timestamp_micros()).as_bytes());
    }

    /// Finishes the digest of the audit seal (hash-chain link), and returns the digest in hexadecimal.
    pub(super) fn finish_digest(self) -> String {
        hex::encode(self.0.finish().as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_of_an_entry_never_changes_between_versions() {
        let row = AuditRow {
            id: 7,
            at: DateTime::from_timestamp_micros(1_700_000_000_000_001).unwrap(),
            user_id: None,
            role: "op".to_owned(),
            kind: "vehicle-changed".to_owned(),
            subject: "vehicle 7".to_owned(),
            summary: "p\u{e1}tio \"7\"\n".to_owned(),
            address: "127.0.0.1".to_owned(),
            old_values: String::new(),
            new_values: r#"{"status":"ok"}"#.to_owned(),
        };
        assert_eq!(digest_entry(&row), "36b9f4a5a47a526f8f106a8f021a26aa75f8886728683afcb370b0e5e563790e");
    }
}
