//! JSON forms of a user's sessions and personal data. The routes of the user's own account and the routes for supervisors share these
//! forms.
use crate::views::json_values;
use chrono::{DateTime, Utc};
use patio_proto::auth as pb;
use serde::Serialize;
use utoipa::ToSchema;

/// Open session of a user.
#[derive(Serialize, ToSchema)]
pub struct OpenSession {
    id: String,
    /// Whether the session is the caller's current session.
    current: bool,
    /// Browser and operating system, such as `Chrome on Android`; empty when unknown.
    device: String,
    /// IP address of the client at sign-in.
    address: String,
    created_at: DateTime<Utc>,
    last_used_at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
}

impl From<pb::OpenSession> for OpenSession {
    fn from(open: pb::OpenSession) -> Self {
        Self {
            id: open.id,
            current: open.current,
            device: open.device,
            address: open.address,
            created_at: json_values::to_datetime_or_epoch(open.begun_at.as_ref()),
            last_used_at: json_values::to_datetime_or_epoch(open.used_at.as_ref()),
            expires_at: json_values::to_datetime_or_epoch(open.ends_at.as_ref()),
        }
    }
}

/// Open sessions of a user, most recently used first.
#[derive(Serialize, ToSchema)]
pub struct OpenSessions {
    sessions: Vec<OpenSession>,
}

impl From<Vec<pb::OpenSession>> for OpenSessions {
    fn from(sessions: Vec<pb::OpenSession>) -> Self {
        Self { sessions: sessions.into_iter().map(OpenSession::from).collect() }
    }
}

/// Result of ending sessions: the number of ended sessions.
#[derive(Serialize, ToSchema)]
pub struct EndedSessions {
    ended: i32,
}

impl From<pb::EndSessionsResponse> for EndedSessions {
    fn from(reply: pb::EndSessionsResponse) -> Self {
        Self { ended: reply.ended }
    }
}

/// All personal data stored about a user; fields may be added in later versions.
#[derive(Serialize, ToSchema)]
#[schema(value_type = Object)]
pub struct PersonalData(serde_json::Value);
