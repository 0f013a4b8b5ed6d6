//! Digests of entries and of links of the chain.
use super::store::{Found, Row};
use chrono::{DateTime, Utc};
use ring::digest::{Context, SHA256};
use std::fmt::Write;

/// The digest of an entry: every field, so that none can change unseen.
pub(super) fn of(row: &Row) -> String {
    let fields = serde_json::json!([
        row.id,
        row.at.timestamp_micros(),
        row.user_id,
        row.role,
        row.kind,
        row.subject,
        row.summary,
        row.address,
        row.old_values,
        row.new_values
    ]);
    hex(&ring::digest::digest(&SHA256, fields.to_string().as_bytes()))
}

/// The entry a sealed one was joined with; none when it is gone.
pub(super) fn entry(found: Found) -> Option<Row> {
    Some(Row {
        id: found.id?,
        at: found.at?,
        user_id: found.user_id,
        role: found.role?,
        kind: found.kind?,
        subject: found.subject?,
        summary: found.summary?,
        address: found.address?,
        old_values: found.old_values?,
        new_values: found.new_values?,
    })
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
    digest.as_ref().iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
