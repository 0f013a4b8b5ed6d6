//! SQL statements that read, lock and update campaigns.
use crate::{
    campaign::Campaign,
    error::Error,
    fields::name_comparison_key,
    store::{columns, dialect},
};
use patio_kit::{
    db::{Db, Tx},
    errors::is_unique_violation,
    on,
    pagination::PageWindow,
};
use patio_proto::{campaign::CampaignStatus, status::campaign_status_text};
use sqlx::{query, query_as, query_scalar};

/// Filter for lists of campaigns: name, statuses and ids.
#[derive(Debug, Clone)]
pub struct CampaignFilter {
    /// SQL `like` pattern that the comparison key of the campaign name must match.
    pub pattern: String,
    /// Statuses to include, as four SQL bind parameters. The first status is repeated when fewer than four are requested.
    pub statuses: [CampaignStatus; 4],
    /// JSON array of the campaign ids to include, or `None` for all campaigns.
    pub ids: Option<String>,
}

impl CampaignFilter {
    fn texts(&self) -> [&'static str; 4] {
        self.statuses.map(campaign_status_text)
    }
}

/// Returns one page of the published campaigns that match a filter, newest first.
pub async fn list_campaigns_newest_first(db: &Db, filter: &CampaignFilter, window: PageWindow) -> Result<Vec<Campaign>, sqlx::Error> {
    let [first, second, third, fourth] = filter.texts();
    on!(db.read_pool(), c => query_as(dialect::SELECT_CAMPAIGNS_NEWEST_FIRST.choose_sql(db))
        .bind(&filter.pattern).bind(first).bind(second).bind(third).bind(fourth).bind(&filter.ids)
        .bind(window.limit()).bind(window.offset())
        .fetch_all(c).await)
}

/// Returns one page of the published campaigns that match a filter. Ready or Ongoing campaigns with recent saves come first. `own` and
/// `other` are JSON arrays of campaign ids: campaigns in which the caller recently saved vehicles, and campaigns in which only other
/// users recently saved vehicles.
pub async fn list_campaigns_by_recent_saves(
    db: &Db,
    filter: &CampaignFilter,
    window: PageWindow,
    (own, other): (&str, &str),
) -> Result<Vec<Campaign>, sqlx::Error> {
    let [first, second, third, fourth] = filter.texts();
    on!(db.read_pool(), c => query_as(dialect::SELECT_CAMPAIGNS_BY_RECENT_SAVES.choose_sql(db))
        .bind(&filter.pattern).bind(first).bind(second).bind(third).bind(fourth).bind(&filter.ids)
        .bind(window.limit()).bind(window.offset()).bind(own).bind(other)
        .fetch_all(c).await)
}

/// Counts the published campaigns that match a filter, over all pages.
pub async fn count_campaigns(db: &Db, filter: &CampaignFilter) -> Result<i64, sqlx::Error> {
    let [first, second, third, fourth] = filter.texts();
    on!(db.read_pool(), c => query_scalar(dialect::COUNT_CAMPAIGNS.choose_sql(db))
        .bind(&filter.pattern).bind(first).bind(second).bind(third).bind(fourth).bind(&filter.ids)
        .fetch_one(c).await)
}

/// Returns the published campaign with this id; `None` when the id is unknown or belongs to a draft or deleted campaign.
pub async fn find_published_campaign(db: &Db, id: i64) -> Result<Option<Campaign>, sqlx::Error> {
    on!(db.read_pool(), c => query_as(concat!("select ", columns!(), " from campaigns where id = $1 and state = 'live'"))
        .bind(id).fetch_optional(c).await)
}

/// Locks the row of a draft or published campaign until this transaction ends, and returns the campaign. Returns `None` when no
/// row has this id or the campaign is deleted.
///
/// The row is locked by an update statement that changes nothing, because this statement works in the same way on SQLite and
/// PostgreSQL.
pub async fn lock_campaign_for_update(tx: &mut Tx<'_>, id: i64) -> Result<Option<Campaign>, sqlx::Error> {
    on!(tx.connection(), c => query_as(concat!(
        "update campaigns set revision = revision where id = $1 and state <> 'deleting' returning ", columns!()))
        .bind(id).fetch_optional(c).await)
}

/// Returns `true` if another campaign or draft already has the name of this campaign.
pub async fn is_campaign_name_taken(tx: &mut Tx<'_>, campaign: &Campaign) -> Result<bool, sqlx::Error> {
    on!(tx.connection(), c => query_scalar::<_, i64>("select count(*) from campaigns where name_key = $1 and state <> 'deleting' and id <> $2")
        .bind(name_comparison_key(&campaign.name)).bind(campaign.id).fetch_one(c).await.map(|others| others > 0))
}

/// Stores the fields of a campaign that an update can change. This transaction must hold the row lock.
///
/// # Errors
/// Returns [`Error::NameTaken`] when another campaign or draft has the same name, or a database error.
pub async fn save_campaign(tx: &mut Tx<'_>, campaign: &Campaign) -> Result<(), Error> {
    on!(tx.connection(), c => query(
        "update campaigns set name = $2, name_key = $3, description = $4, part = $5, model_type = $6, image = $7, status = $8,
                modified_by = $9, modified_at = $10, touched_at = $11, revision = $12, synced_revision = $13, due_at = $14
          where id = $1")
        .bind(campaign.id).bind(&campaign.name).bind(name_comparison_key(&campaign.name)).bind(&campaign.description).bind(&campaign.part)
        .bind(&campaign.model_type).bind(&campaign.image).bind(campaign_status_text(campaign.status.0))
        .bind(campaign.modified_by).bind(campaign.modified_at).bind(campaign.touched_at)
        .bind(campaign.revision).bind(campaign.synced_revision).bind(campaign.due_at)
        .execute(c).await.map(drop))
    .map_err(|cause| if is_unique_violation(&cause) { Error::NameTaken(campaign.name.clone()) } else { cause.into() })
}

/// Stores the status of a campaign after a milestone report (work began, is complete, or is incomplete again), and the revision of the
/// report. This transaction must hold the row lock.
///
/// `modified_by` and `modified_at` stay unchanged, since they record changes made by users.
pub async fn save_status_from_milestone(tx: &mut Tx<'_>, id: i64, status: CampaignStatus, report_revision: i64) -> Result<(), sqlx::Error> {
    on!(tx.connection(), c => query("update campaigns set status = $2, turn_revision = $3 where id = $1")
        .bind(id).bind(campaign_status_text(status)).bind(report_revision).execute(c).await.map(drop))
}
