//! SQL statements that create and change draft campaigns, whose import is not finished.
use crate::{campaign::Campaign, fields::name_comparison_key, store::columns};
use chrono::{DateTime, Utc};
use patio_kit::{db::Tx, on};
use sqlx::query_as;

/// Input for inserting a draft campaign.
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

/// Inserts a draft campaign. Returns `None` when another campaign already has the name or the import id.
///
/// A conflict is not reported as an SQL error, because on PostgreSQL an error would abort the transaction. In the same transaction, the
/// caller then finds out whether the name or the import id already exists.
pub async fn insert_draft(tx: &mut Tx<'_>, draft: &NewDraft) -> Result<Option<Campaign>, sqlx::Error> {
    on!(tx.connection(), c => query_as(concat!(
        "insert into campaigns (name, name_key, description, part, model_type, image, status, state, import_id, created_by,
                                created_at, modified_at, touched_at, revision, synced_revision, turn_revision)
         values ($1, $2, $3, $4, $5, '', 'Ready', 'draft', $6, $7, $8, $8, $8, 1, 0, 0)
         on conflict do nothing returning ", columns!()))
        .bind(&draft.name).bind(name_comparison_key(&draft.name)).bind(&draft.description).bind(&draft.part).bind(&draft.model_type)
        .bind(&draft.import_id).bind(draft.created_by).bind(draft.at)
        .fetch_optional(c).await)
}

/// Returns the draft or published campaign that the import with this id created, or `None` when the import has created no
/// campaign.
pub async fn find_campaign_by_import_id(tx: &mut Tx<'_>, import_id: &str) -> Result<Option<Campaign>, sqlx::Error> {
    on!(tx.connection(), c => query_as(concat!("select ", columns!(), " from campaigns where import_id = $1 and import_id <> ''"))
        .bind(import_id).fetch_optional(c).await)
}

/// Records a heartbeat of a draft's import, and returns the draft with its row locked.
///
/// Returns `None` when the draft does not exist, is deleted, or belongs to a user other than `of`. A published campaign is returned
/// unchanged, because the last heartbeat may arrive after the publication.
pub async fn record_draft_heartbeat(tx: &mut Tx<'_>, id: i64, of: Option<i64>, at: DateTime<Utc>) -> Result<Option<Campaign>, sqlx::Error> {
    on!(tx.connection(), c => query_as(concat!(
        "update campaigns set touched_at = case when state = 'draft' then $3 else touched_at end
          where id = $1 and state <> 'deleting' and (cast($2 as bigint) is null or created_by = $2) returning ", columns!()))
        .bind(id).bind(of).bind(at).fetch_optional(c).await)
}

/// Publishes a draft campaign with the status Ready; returns `None` when the campaign is no longer a draft.
pub async fn publish_draft(tx: &mut Tx<'_>, id: i64, synced_revision: i64, at: DateTime<Utc>) -> Result<Option<Campaign>, sqlx::Error> {
    on!(tx.connection(), c => query_as(concat!(
        "update campaigns set state = 'live', status = 'Ready', synced_revision = $2, touched_at = $3
          where id = $1 and state = 'draft' returning ", columns!()))
        .bind(id).bind(synced_revision).bind(at).fetch_optional(c).await)
}
