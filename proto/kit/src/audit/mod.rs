//! Who did what: rows appended in the transaction of the change they tell of, and sealed soon after.
mod digest;
pub mod seal;
mod store;

use crate::{
    access::REQUEST_ID,
    clock,
    db::{Db, Tx},
    errors,
    identity::Caller,
};
use chrono::{DateTime, Utc};
use patio_proto::{access::Role, audit as pb, role};
use serde_json::Value;
use store::Row;
use tonic::{Request, Response, Status};

/// One thing that happened.
#[derive(Debug, Clone, Default)]
pub struct Event {
    /// As API.md lists them: `login`, `vehicle-changed`, …
    pub kind: &'static str,
    /// What it happened to, such as `vehicle 12`.
    pub subject: String,
    /// One sentence for a person.
    pub summary: String,
    /// The fields that changed, as they were.
    pub old: Option<Value>,
    /// The fields that changed, as they are.
    pub new: Option<Value>,
    /// Where the call came from; empty when unknown.
    pub address: String,
}

/// An entry as it is stored: for a statement that appends it beside what it tells of.
#[derive(Debug, Clone)]
pub struct Entry {
    /// When.
    pub at: DateTime<Utc>,
    /// Who; none for what nobody signed in did.
    pub user_id: Option<i64>,
    /// In which role.
    pub role: &'static str,
    /// As [`Event::kind`].
    pub kind: &'static str,
    /// As [`Event::subject`].
    pub subject: String,
    /// As [`Event::summary`].
    pub summary: String,
    /// As [`Event::address`].
    pub address: String,
    /// JSON; empty for none.
    pub old_values: String,
    /// JSON; empty for none.
    pub new_values: String,
}

impl Entry {
    /// What somebody did at a moment.
    #[must_use]
    pub fn of(at: DateTime<Utc>, who: Option<&Caller>, event: Event) -> Self {
        let text = |value: Option<Value>| value.map(|value| value.to_string()).unwrap_or_default();
        Self {
            at,
            user_id: who.and_then(Caller::person),
            role: who.map_or("", |caller| role::text(caller.role)),
            kind: event.kind,
            subject: event.subject,
            summary: event.summary,
            address: event.address,
            old_values: text(event.old),
            new_values: text(event.new),
        }
    }
}

/// Appends an entry; `who` is none for what nobody signed in did.
pub async fn append(tx: &mut Tx<'_>, at: DateTime<Utc>, who: Option<&Caller>, event: Event) -> Result<(), sqlx::Error> {
    store::append(tx, &Entry::of(at, who, event)).await
}

/// The address a call came from, as the gateway told it.
#[must_use]
pub fn address<T>(request: &Request<T>) -> String {
    request.metadata().get("x-patio-address").and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
}

/// The id that follows one request through all services.
#[must_use]
pub fn request_id<T>(request: &Request<T>) -> String {
    request.metadata().get(REQUEST_ID).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
}

/// Serves the entries of one service.
pub struct AuditLog {
    /// Where they are kept.
    pub db: Db,
}

#[tonic::async_trait]
impl pb::audit_service_server::AuditService for AuditLog {
    async fn list_events(&self, request: Request<pb::ListEventsRequest>) -> Result<Response<pb::ListEventsReply>, Status> {
        let rows = store::list(&self.db, request.get_ref()).await.map_err(|cause| errors::database(&cause))?;
        Ok(Response::new(pb::ListEventsReply { events: rows.into_iter().map(Row::into_event).collect() }))
    }
}

impl Row {
    fn into_event(self) -> pb::Event {
        pb::Event {
            id: self.id,
            at: Some(clock::timestamp(self.at)),
            user_id: self.user_id,
            role: role::parse(&self.role).unwrap_or(if self.role.is_empty() { Role::Unspecified } else { Role::Service }).into(),
            kind: self.kind,
            subject: self.subject,
            summary: self.summary,
            address: self.address,
            old_values: self.old_values,
            new_values: self.new_values,
        }
    }
}
