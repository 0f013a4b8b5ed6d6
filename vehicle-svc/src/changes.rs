//! What changed since a list was fetched.
use crate::{
    error::{Error, Result},
    store::{campaigns, changes},
    view::View,
};
use patio_kit::db::Db;
use patio_proto::vehicle::ListChangesReply;

/// Tells what changed after a revision, or that the whole list has to be fetched.
///
/// The revision is read first: what is read after it may be newer, and then comes once more. A vehicle that is not in the
/// view counts as removed, since it may have been in it before.
///
/// # Errors
/// When people do not see the campaign.
pub async fn since(db: &Db, campaign: i64, since: i64, view: View) -> Result<ListChangesReply> {
    let revision = campaigns::find(db, campaign).await?.ok_or(Error::NoCampaign(campaign))?.revision;
    let whole = ListChangesReply { revision, whole: true, ..ListChangesReply::default() };
    // A list of a revision that is still to come was fetched before a backup was restored.
    if since <= 0 || since > revision {
        return Ok(whole);
    }
    if since == revision {
        return Ok(ListChangesReply { whole: false, ..whole });
    }
    let rows = changes::since(db, campaign, since).await?;
    let mut removed = changes::gone_since(db, campaign, since).await?;
    // Read last: it may have grown while the others were read.
    let listed_from = changes::listed_from(db, campaign).await?.ok_or(Error::NoCampaign(campaign))?;
    let too_many = |count: usize| i64::try_from(count).is_ok_and(|count| count > changes::MOST);
    if since < listed_from || too_many(rows.len()) || too_many(removed.len()) {
        return Ok(whole);
    }
    let (rows, hidden): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| view.holds(row.yard_id));
    removed.extend(hidden.into_iter().map(|row| row.id));
    Ok(ListChangesReply { revision, vehicles: rows.into_iter().map(Into::into).collect(), removed, whole: false })
}
