//! Reading campaigns and changing what they say.
use super::{columns, dialect};
use crate::{campaign::Campaign, error::Error, fields::name_key};
use patio_kit::{
    db::{Db, Tx},
    errors::is_duplicate,
    on,
    page::Window,
};
use patio_proto::{campaign::CampaignStatus, status::campaign_text};
use sqlx::{query, query_as, query_scalar};

/// Which campaigns a list shows.
#[derive(Debug, Clone)]
pub struct Filter {
    /// A pattern for the key of the name.
    pub pattern: String,
    /// Each place holds one wanted status; some may stand twice.
    pub statuses: [CampaignStatus; 4],
    /// A JSON array of the only ids wanted; all when none.
    pub ids: Option<String>,
}

impl Filter {
    fn texts(&self) -> [&'static str; 4] {
        self.statuses.map(campaign_text)
    }
}

/// Returns one page of the live campaigns, newest first.
pub async fn page(db: &Db, filter: &Filter, window: Window) -> Result<Vec<Campaign>, sqlx::Error> {
    let [first, second, third, fourth] = filter.texts();
    on!(db.read(), c => query_as(dialect::PAGE.on(db))
        .bind(&filter.pattern).bind(first).bind(second).bind(third).bind(fourth).bind(&filter.ids)
        .bind(window.limit()).bind(window.offset())
        .fetch_all(c).await)
}

/// Counts the live campaigns of all pages.
pub async fn count(db: &Db, filter: &Filter) -> Result<i64, sqlx::Error> {
    let [first, second, third, fourth] = filter.texts();
    on!(db.read(), c => query_scalar(dialect::COUNT.on(db))
        .bind(&filter.pattern).bind(first).bind(second).bind(third).bind(fourth).bind(&filter.ids)
        .fetch_one(c).await)
}

/// Returns a live campaign.
pub async fn find(db: &Db, id: i64) -> Result<Option<Campaign>, sqlx::Error> {
    on!(db.read(), c => query_as(concat!("select ", columns!(), " from campaigns where id = $1 and state = 'live'"))
        .bind(id).fetch_optional(c).await)
}

/// Returns a draft or live campaign that nobody else changes until this transaction ends.
///
/// Writing the row as it is locks it the same way on both databases.
pub async fn hold(tx: &mut Tx<'_>, id: i64) -> Result<Option<Campaign>, sqlx::Error> {
    on!(tx.on(), c => query_as(concat!(
        "update campaigns set revision = revision where id = $1 and state <> 'deleting' returning ", columns!()))
        .bind(id).fetch_optional(c).await)
}

/// Whether another campaign or draft has this name.
pub async fn name_is_taken(tx: &mut Tx<'_>, campaign: &Campaign) -> Result<bool, sqlx::Error> {
    on!(tx.on(), c => query_scalar::<_, i64>("select count(*) from campaigns where name_key = $1 and state <> 'deleting' and id <> $2")
        .bind(name_key(&campaign.name)).bind(campaign.id).fetch_one(c).await.map(|others| others > 0))
}

/// Stores a held campaign as it has become.
///
/// # Errors
/// [`Error::NameTaken`] when another campaign or draft has its name.
pub async fn save(tx: &mut Tx<'_>, campaign: &Campaign) -> Result<(), Error> {
    on!(tx.on(), c => query(
        "update campaigns set name = $2, name_key = $3, description = $4, part = $5, model_type = $6, image = $7, status = $8,
                modified_by = $9, modified_at = $10, touched_at = $11, revision = $12, synced_revision = $13
          where id = $1")
        .bind(campaign.id).bind(&campaign.name).bind(name_key(&campaign.name)).bind(&campaign.description).bind(&campaign.part)
        .bind(&campaign.model_type).bind(&campaign.image).bind(campaign_text(campaign.status.0))
        .bind(campaign.modified_by).bind(campaign.modified_at).bind(campaign.touched_at)
        .bind(campaign.revision).bind(campaign.synced_revision)
        .execute(c).await.map(drop))
    .map_err(|cause| if is_duplicate(&cause) { Error::NameTaken(campaign.name.clone()) } else { cause.into() })
}

/// Stores where a report of vehicle-svc led a held campaign.
///
/// `modified_by` and `modified_at` tell of people and stay.
pub async fn note_turn(tx: &mut Tx<'_>, id: i64, status: CampaignStatus, turn_revision: i64) -> Result<(), sqlx::Error> {
    on!(tx.on(), c => query("update campaigns set status = $2, turn_revision = $3 where id = $1")
        .bind(id).bind(campaign_text(status)).bind(turn_revision).execute(c).await.map(drop))
}
