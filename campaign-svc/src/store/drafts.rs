//! Drafts: campaigns that an import has not finished.
use super::columns;
use crate::{campaign::Campaign, fields::name_key};
use chrono::{DateTime, Utc};
use patio_kit::{db::Tx, on};
use sqlx::query_as;

/// A draft to be.
#[derive(Debug, Clone)]
pub struct NewDraft {
    pub import_id: String,
    pub name: String,
    pub description: String,
    pub part: String,
    pub model_type: String,
    pub created_by: i64,
    pub at: DateTime<Utc>,
}

/// Creates a draft; none when its name or its import id is there already.
///
/// A conflict is no error here: on PostgreSQL an error would end the transaction before it can be told which it was.
pub async fn insert(tx: &mut Tx<'_>, draft: &NewDraft) -> Result<Option<Campaign>, sqlx::Error> {
    on!(tx.on(), c => query_as(concat!(
        "insert into campaigns (name, name_key, description, part, model_type, image, status, state, import_id, created_by,
                                created_at, modified_at, touched_at, revision, synced_revision, turn_revision)
         values ($1, $2, $3, $4, $5, '', 'Ready', 'draft', $6, $7, $8, $8, $8, 1, 0, 0)
         on conflict do nothing returning ", columns!()))
        .bind(&draft.name).bind(name_key(&draft.name)).bind(&draft.description).bind(&draft.part).bind(&draft.model_type)
        .bind(&draft.import_id).bind(draft.created_by).bind(draft.at)
        .fetch_optional(c).await)
}

/// Returns what an import made before.
pub async fn of_import(tx: &mut Tx<'_>, import_id: &str) -> Result<Option<Campaign>, sqlx::Error> {
    on!(tx.on(), c => query_as(concat!("select ", columns!(), " from campaigns where import_id = $1 and import_id <> ''"))
        .bind(import_id).fetch_optional(c).await)
}

/// Notes that the import of a draft goes on, and returns it held; none when it is not that person's.
///
/// One that is live by now is returned as it is: the last sign of life may come late.
pub async fn touch(tx: &mut Tx<'_>, id: i64, of: Option<i64>, at: DateTime<Utc>) -> Result<Option<Campaign>, sqlx::Error> {
    on!(tx.on(), c => query_as(concat!(
        "update campaigns set touched_at = case when state = 'draft' then $3 else touched_at end
          where id = $1 and state <> 'deleting' and (cast($2 as bigint) is null or created_by = $2) returning ", columns!()))
        .bind(id).bind(of).bind(at).fetch_optional(c).await)
}

/// Makes a draft a campaign that is Ready; none when it is no draft any more.
pub async fn publish(tx: &mut Tx<'_>, id: i64, synced_revision: i64, at: DateTime<Utc>) -> Result<Option<Campaign>, sqlx::Error> {
    on!(tx.on(), c => query_as(concat!(
        "update campaigns set state = 'live', status = 'Ready', synced_revision = $2, touched_at = $3
          where id = $1 and state = 'draft' returning ", columns!()))
        .bind(id).bind(synced_revision).bind(at).fetch_optional(c).await)
}
