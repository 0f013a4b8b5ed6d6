//! Audit entries for access events (page views, completed sign-ins, rejected calls). The first of several equal events of a user
//! gets an audit entry; repetitions within a minute are only counted.
use crate::error::Error;
use chrono::{DateTime, TimeDelta, Utc};
use patio_kit::{
    audit::{self, AuditEvent},
    auth::identity::Caller,
    clock::Clock,
    db::Db,
};
use serde_json::json;
use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Period within which equal access events (page views, sign-ins, rejected calls) of a user are counted together.
const REPEAT_PERIOD: TimeDelta = TimeDelta::minutes(1);
/// Maximum number of different access events (page views, sign-ins, rejected calls) that are counted separately for one user within a
/// minute. Beyond this maximum, further events with the same kind and client IP address are counted together.
const MAX_EVENTS_PER_USER: usize = 60;
/// Compile-time check: the audit text "did more than 60 different things within a minute" contains this number, and the web app
/// translates that exact text.
const _: () = assert!(MAX_EVENTS_PER_USER == 60);

/// One page view, completed sign-in or rejected call of a user, to be recorded in the audit log.
pub struct AccessEvent {
    /// The user who opened the page, signed in, or made the rejected call.
    pub caller: Caller,
    /// Audit entry for the page view, sign-in or rejected call.
    pub event: AuditEvent,
}

/// Key by which equal access events (page views, sign-ins, rejected calls) of a user are counted together.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Sort {
    user_id: i64,
    kind: &'static str,
    /// Description of what the user did, or an empty text. The text is empty for events beyond [`MAX_EVENTS_PER_USER`], so that all of
    /// them with the same kind and client IP address have the same key.
    summary: String,
    address: String,
}

/// Counter of the repetitions of an access event (page view, sign-in or rejected call) that is already in the audit log.
struct Series {
    since: DateTime<Utc>,
    /// Number of equal events after the first event.
    more: u64,
    caller: Caller,
    subject: String,
}

/// Writes access events (page views, sign-ins, rejected calls) to the audit log. After the first event, equal events within a minute
/// are only counted, and the count is written as one further entry.
pub struct AccessEventLog {
    db: Db,
    clock: Clock,
    seen: Mutex<HashMap<Sort, Series>>,
}

impl AccessEventLog {
    /// Creates an access event log that writes to the audit log of this database. No events are counted yet.
    #[must_use]
    pub fn new(db: Db, clock: Clock) -> Self {
        Self { db, clock, seen: Mutex::default() }
    }

    /// Writes an access event (page view, sign-in or rejected call) to the audit log. When an equal event was written within the last
    /// minute, the event is only counted.
    ///
    /// # Errors
    /// Returns a database error.
    pub async fn record_event(&self, access: AccessEvent) -> Result<(), Error> {
        self.flush_due_repeat_counts().await?;
        let now = self.clock.now();
        let Some((sort, event)) = self.first(&access, now) else { return Ok(()) };
        let AccessEvent { caller, .. } = access;
        let written = self.db.write(move |tx| Box::pin(async move { audit::append(tx, now, Some(&caller), event).await })).await;
        if written.is_err() {
            let mut seen = self.seen();
            // The next equal event counts as the first one again, unless repetitions came meanwhile.
            if seen.get(&sort).is_some_and(|series| series.since == now && series.more == 0) {
                seen.remove(&sort);
            }
        }
        Ok(written?)
    }

    /// Counts an access event (page view, sign-in or rejected call). Returns `None` if the event is a repetition. Otherwise returns
    /// the key under which later repetitions are counted, and the audit entry to write.
    fn first(&self, access: &AccessEvent, now: DateTime<Utc>) -> Option<(Sort, AuditEvent)> {
        let AccessEvent { caller, event } = access;
        let mut sort = Sort { user_id: caller.user_id, kind: event.kind, summary: event.summary.clone(), address: event.address.clone() };
        let mut seen = self.seen();
        if !seen.contains_key(&sort) && seen.keys().filter(|known| known.user_id == caller.user_id).count() >= MAX_EVENTS_PER_USER {
            sort.summary = String::new();
        }
        if let Some(series) = seen.get_mut(&sort) {
            series.more += 1;
            return None;
        }
        let summary =
            if sort.summary.is_empty() { "did more than 60 different things within a minute".to_owned() } else { sort.summary.clone() };
        let series = Series { since: now, more: 0, caller: caller.clone(), subject: event.subject.clone() };
        seen.insert(sort.clone(), series);
        Some((sort, AuditEvent { summary, ..event.clone() }))
    }

    /// Writes the due counts of repeated access events (page views, sign-ins, rejected calls) to the audit log, one entry per count. A
    /// count is due a minute after the first event. A count of 0 is not written.
    ///
    /// # Errors
    /// Returns a database error.
    pub async fn flush_due_repeat_counts(&self) -> Result<(), Error> {
        self.write_before(self.clock.now() - REPEAT_PERIOD).await
    }

    async fn write_before(&self, before: DateTime<Utc>) -> Result<(), Error> {
        let over: Vec<(Sort, Series)> = self.seen().extract_if(|_, series| series.since <= before).collect();
        let now = self.clock.now();
        let counted: Vec<_> = over.into_iter().filter(|(_, series)| series.more > 0).collect();
        if counted.is_empty() {
            return Ok(());
        }
        let entries: Vec<_> = counted.iter().map(entry).collect();
        let writing = self.db.write(move |tx| {
            Box::pin(async move {
                for (caller, event) in entries {
                    audit::append(tx, now, Some(&caller), event).await?;
                }
                Ok::<_, sqlx::Error>(())
            })
        });
        let written = writing.await;
        if written.is_err() {
            let mut seen = self.seen();
            for (sort, series) in counted {
                let more = series.more;
                seen.entry(sort).and_modify(|since| since.more += more).or_insert(series); // the next call writes these counts
            }
        }
        Ok(written?)
    }

    /// Writes all pending counts of repeated page views, sign-ins and rejected calls to the audit log at shutdown.
    ///
    /// # Errors
    /// Returns a database error.
    pub async fn flush_all_repeat_counts(&self) -> Result<(), Error> {
        self.write_before(self.clock.now()).await
    }

    fn seen(&self) -> MutexGuard<'_, HashMap<Sort, Series>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn entry((sort, series): &(Sort, Series)) -> (Caller, AuditEvent) {
    let what = if sort.summary.is_empty() { "did other things" } else { &sort.summary };
    let event = AuditEvent {
        kind: sort.kind,
        subject: series.subject.clone(),
        summary: format!("{what}, {} more times within a minute", series.more),
        new: Some(json!({ "times": series.more })),
        address: sort.address.clone(),
        ..AuditEvent::default()
    };
    (series.caller.clone(), event)
}
