//! Audit log. Each entry is appended in the transaction of the change that the entry records. A background task then adds the
//! entry to a hash chain (seals the entry).
pub mod archive;
mod digest;
pub mod hash_chain;
pub mod retention;
pub mod seal_file;
mod store;

use crate::{
    auth::identity::Caller,
    client::call_context::REQUEST_ID_HEADER,
    clock,
    db::{Db, Tx},
    errors,
    pagination::HistoryWindow,
};
use chrono::{DateTime, Utc};
use patio_proto::{access::Role, audit as pb, role};
use serde_json::Value;
use store::AuditRow;
use tonic::{Request, Response, Status};

/// Event to append to the audit log: what happened, to which object, and which fields changed.
#[derive(Debug, Clone, Default)]
pub struct AuditEvent {
    /// Kind of the event, such as `login` or `vehicle-changed`. API.md lists all kinds.
    pub kind: &'static str,
    /// Object that the event is about, such as `vehicle 12`.
    pub subject: String,
    /// Human-readable summary of the event, one sentence.
    pub summary: String,
    /// JSON object with the old values of the changed fields; `None` when there are no old values.
    pub old: Option<Value>,
    /// JSON object with the new values of the changed fields; `None` when there are no new values.
    pub new: Option<Value>,
    /// Network address of the caller; empty when unknown.
    pub address: String,
}

/// Row of the audit log, ready to be inserted. A service can insert the row in the same SQL statement as the recorded change.
#[derive(Debug, Clone)]
pub struct NewAuditEntry {
    /// Time of the event.
    pub at: DateTime<Utc>,
    /// Id of the user; `None` when no signed-in user caused the event.
    pub user_id: Option<i64>,
    /// Role of the caller; empty when no caller was authenticated.
    pub role: &'static str,
    /// Kind of the event, such as `login` or `vehicle-changed`.
    pub kind: &'static str,
    /// Object that the event is about, such as `vehicle 12`.
    pub subject: String,
    /// Human-readable summary of the event, one sentence.
    pub summary: String,
    /// Network address of the caller; empty when unknown.
    pub address: String,
    /// Old values of the changed fields as JSON; empty when there are no old values.
    pub old_values: String,
    /// New values of the changed fields as JSON; empty when there are no new values.
    pub new_values: String,
}

impl NewAuditEntry {
    /// Creates the audit entry for an event that occurred at `at`. `who` is the caller of the rpc; `None` when no caller caused the
    /// event.
    #[must_use]
    pub fn new(at: DateTime<Utc>, who: Option<&Caller>, event: AuditEvent) -> Self {
        let text = |value: Option<Value>| value.map(|value| value.to_string()).unwrap_or_default();
        Self {
            at,
            user_id: who.and_then(Caller::signed_in_user_id),
            role: who.map_or("", |caller| role::role_text(caller.role)),
            kind: event.kind,
            subject: event.subject,
            summary: event.summary,
            address: event.address,
            old_values: text(event.old),
            new_values: text(event.new),
        }
    }
}

/// Appends an event to the audit log. `who` is the caller of the rpc; `None` when no caller caused the event.
pub async fn append(tx: &mut Tx<'_>, at: DateTime<Utc>, who: Option<&Caller>, event: AuditEvent) -> Result<(), sqlx::Error> {
    store::append(tx, &NewAuditEntry::new(at, who, event)).await
}

/// Returns the client's network address, which the gateway sends in the metadata of the call; empty when missing.
#[must_use]
pub fn client_address<T>(request: &Request<T>) -> String {
    request.metadata().get("x-patio-address").and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
}

/// Returns the id of the HTTP request that caused this call. All services forward the id in the metadata of their calls. Empty when
/// missing.
#[must_use]
pub fn request_id<T>(request: &Request<T>) -> String {
    request.metadata().get(REQUEST_ID_HEADER).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
}

/// Returns up to `limit` audit entries of one kind about one object (`subject`), written before a given time, newest first.
pub async fn list_events_by_kind_and_subject(
    db: &Db,
    (kind, subject): (&str, &str),
    before: DateTime<Utc>,
    limit: usize,
) -> Result<Vec<pb::Event>, sqlx::Error> {
    let rows = store::list_events_by_kind_and_subject(db, (kind, subject), before, i64::try_from(limit).unwrap_or(i64::MAX)).await?;
    Ok(rows.into_iter().map(AuditRow::into_event).collect())
}

/// Returns the audit entries about an object, newest first, limited by `window` (position and number of entries). Leaves out page
/// views and denied calls.
pub async fn list_subject_history(db: &Db, subject: &str, window: &HistoryWindow) -> Result<Vec<pb::Event>, sqlx::Error> {
    let rows = store::list_subject_history(db, subject, window).await?;
    Ok(rows.into_iter().map(AuditRow::into_event).collect())
}

/// gRPC server that lists the audit entries of one service.
pub struct AuditLogService {
    /// Database with the audit entries.
    pub db: Db,
}

#[tonic::async_trait]
impl pb::audit_service_server::AuditService for AuditLogService {
    async fn list_events(&self, request: Request<pb::ListEventsRequest>) -> Result<Response<pb::ListEventsResponse>, Status> {
        let filter = request.get_ref();
        let rows = self
            .db
            .read_from_replica(|db| async move { store::list_entries(&db, filter).await })
            .await
            .map_err(|cause| errors::database_status(&cause))?;
        Ok(Response::new(pb::ListEventsResponse { events: rows.into_iter().map(AuditRow::into_event).collect() }))
    }
}

impl AuditRow {
    fn into_event(self) -> pb::Event {
        pb::Event {
            id: self.id,
            at: Some(clock::to_timestamp(self.at)),
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
