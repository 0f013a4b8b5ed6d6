//! Who did what: rows appended in the transaction of the change they tell of.
use crate::{
    access::REQUEST_ID,
    clock,
    db::{Db, Tx},
    errors,
    identity::Caller,
    on,
};
use chrono::{DateTime, Utc};
use patio_proto::{access::Role, audit as pb, role};
use serde_json::Value;
use sqlx::{FromRow, query, query_as};
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

/// Appends an entry; `who` is none for what nobody signed in did.
pub async fn append(tx: &mut Tx<'_>, at: DateTime<Utc>, who: Option<&Caller>, event: Event) -> Result<(), sqlx::Error> {
    let role = who.map_or("", |caller| role::text(caller.role));
    on!(tx.on(), c => query(
        "insert into audit_events (at, user_id, role, kind, subject, summary, address, old_values, new_values)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)")
        .bind(at).bind(who.and_then(Caller::person)).bind(role).bind(event.kind).bind(event.subject)
        .bind(event.summary).bind(event.address)
        .bind(event.old.map(|v| v.to_string()).unwrap_or_default())
        .bind(event.new.map(|v| v.to_string()).unwrap_or_default())
        .execute(c).await.map(drop))
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

#[derive(FromRow)]
struct Row {
    id: i64,
    at: DateTime<Utc>,
    user_id: Option<i64>,
    role: String,
    kind: String,
    subject: String,
    summary: String,
    address: String,
    old_values: String,
    new_values: String,
}

/// Serves the entries of one service.
pub struct AuditLog {
    /// Where they are kept.
    pub db: Db,
}

impl AuditLog {
    async fn list(&self, ask: &pb::ListEventsRequest) -> Result<Vec<Row>, sqlx::Error> {
        let far = DateTime::from_timestamp(253_402_300_799, 0).unwrap_or_default();
        let before = ask.before.as_ref().and_then(clock::moment).unwrap_or(far);
        let before_id = if ask.before_id == 0 { i64::MAX } else { ask.before_id };
        let from = ask.from.as_ref().and_then(clock::moment).unwrap_or_default();
        let to = ask.to.as_ref().and_then(clock::moment).unwrap_or(far);
        let limit = i64::from(ask.limit.clamp(1, 200));
        on!(self.db.read(), c => query_as(
            "select id, at, user_id, role, kind, subject, summary, address, old_values, new_values
               from audit_events
              where (at, id) < ($1, $2) and at >= $3 and at <= $4
                and ($5 = '' or kind = $5)
                and (cast($6 as bigint) is null or user_id = $6)
                and ($7 = '%%' or lower(subject) like $7 escape '\\' or lower(summary) like $7 escape '\\')
              order by at desc, id desc limit $8")
            .bind(before).bind(before_id).bind(from).bind(to).bind(&ask.kind).bind(ask.user_id)
            .bind(crate::page::contains(&ask.search)).bind(limit)
            .fetch_all(c).await)
    }
}

#[tonic::async_trait]
impl pb::audit_service_server::AuditService for AuditLog {
    async fn list_events(&self, request: Request<pb::ListEventsRequest>) -> Result<Response<pb::ListEventsReply>, Status> {
        let rows = self.list(request.get_ref()).await.map_err(|cause| errors::database(&cause))?;
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
