//! Delta synchronization: lists the vehicles of a campaign that changed after a given revision of the campaign.
use crate::{
    error::{Error, Result},
    store::{campaigns, change_list},
    yard_filter::YardFilter,
};
use patio_kit::db::Db;
use patio_proto::vehicle::ListChangesResponse;

/// Returns the vehicles of a campaign that changed after the revision `since`. If the client must fetch the full list instead,
/// returns no vehicles and sets `whole` to true.
///
/// The campaign's revision is read before the vehicles. A vehicle that changes between the two reads is sent again with the next
/// delta, so that no change is lost. A changed vehicle that the caller may not see is reported as removed, since the caller may
/// have seen the vehicle before the change.
///
/// # Errors
/// Returns `CampaignNotFound` when the campaign does not exist or is still being imported.
pub async fn list_changes(db: &Db, campaign: i64, since: i64, yard_filter: YardFilter) -> Result<ListChangesResponse> {
    let revision = campaigns::find(db, campaign).await?.ok_or(Error::CampaignNotFound(campaign))?.revision;
    let whole = ListChangesResponse { revision, whole: true, ..ListChangesResponse::default() };
    // A client with a higher revision fetched its list before a backup was restored.
    if since <= 0 || since > revision {
        return Ok(whole);
    }
    if since == revision {
        return Ok(ListChangesResponse { whole: false, ..whole });
    }
    let rows = change_list::list_vehicles_changed_since(db, campaign, since).await?;
    let mut removed = change_list::list_vehicle_ids_deleted_since(db, campaign, since).await?;
    // Read last, because a concurrent bulk change may raise the oldest revision while the rows above are read.
    let listed_from = change_list::load_oldest_delta_revision(db, campaign).await?.ok_or(Error::CampaignNotFound(campaign))?;
    let too_many = |count: usize| i64::try_from(count).is_ok_and(|count| count > change_list::MAX_CHANGES_PER_DELTA);
    if since < listed_from || too_many(rows.len()) || too_many(removed.len()) {
        return Ok(whole);
    }
    let (rows, hidden): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| yard_filter.includes(row.yard_id));
    removed.extend(hidden.into_iter().map(|row| row.id));
    Ok(ListChangesResponse { revision, vehicles: rows.into_iter().map(Into::into).collect(), removed, whole: false })
}
