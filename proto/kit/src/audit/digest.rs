//! Digests of entries and of links of the chain.
use super::store::{Row, Sealed};
use chrono::{DateTime, Utc};
use ring::digest::{Context, SHA256};
use serde::Serialize;

/// The digest of an entry: every field, so that none can change unseen.
pub(super) fn of(row: &Row) -> String {
    let Row { id, at, user_id, role, kind, subject, summary, address, old_values, new_values } = row;
    over(&(id, at.timestamp_micros(), user_id, role, kind, subject, summary, address, old_values, new_values))
}

/// The digest of the entry that a sealed one was joined with; none when it is gone.
pub(super) fn of_sealed(sealed: &Sealed) -> Option<String> {
    let Sealed { id, at, user_id, role, kind, subject, summary, address, old_values, new_values, .. } = sealed;
    let id = id.as_ref()?;
    let at = at.as_str().and_then(|at| DateTime::parse_from_rfc3339(at).ok()).map(|at| at.timestamp_micros());
    Some(over(&(id, at, user_id, role, kind, subject, summary, address, old_values, new_values)))
}

fn over(fields: &impl Serialize) -> String {
    let text = serde_json::to_vec(fields).unwrap_or_default(); // numbers and texts always have a form
    hex(&ring::digest::digest(&SHA256, &text))
}

/// One link of the chain while it is being made.
pub(super) struct Link(Context);

impl Link {
    /// Begins over the link before; over an empty text at the very first.
    pub(super) fn over(before: &str) -> Self {
        let mut context = Context::new(&SHA256);
        context.update(before.as_bytes());
        Self(context)
    }

    /// Adds an entry by its digest, with what must be known of it even after it was removed.
    pub(super) fn add(&mut self, event_id: i64, kind: &str, at: DateTime<Utc>, digest: &str) {
        self.0.update(format!("\n{event_id} {kind} {} {digest}", at.timestamp_micros()).as_bytes());
    }

    /// The link's own digest.
    pub(super) fn finish(self) -> String {
        hex(&self.0.finish())
    }
}

fn hex(digest: &ring::digest::Digest) -> String {
    let digit = |half: u8| char::from_digit(half.into(), 16).unwrap_or_default();
    digest.as_ref().iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_s_digest_is_the_one_it_was_sealed_with_in_every_version() {
        let row = Row {
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
        assert_eq!(of(&row), "36b9f4a5a47a526f8f106a8f021a26aa75f8886728683afcb370b0e5e563790e");
    }
}
