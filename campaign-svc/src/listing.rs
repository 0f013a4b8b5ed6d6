//! Looking at campaigns.
use crate::{
    campaign::Seen,
    error::Error,
    fields::{self, Checks},
    store::{self, Filter},
    works::{Asker, Works},
};
use patio_kit::page::{self, Window};
use patio_proto::{
    access::Role,
    campaign::{
        self as pb,
        CampaignStatus::{self, Closed, Ongoing, PendingReview, Ready},
    },
    common::PageMeta,
    normal, yard,
};

/// A list that was asked for, its fields checked.
#[derive(Debug, Clone)]
pub struct Ask {
    window: Window,
    pattern: String,
    statuses: [CampaignStatus; 4],
    yard: Option<i32>,
}

impl Ask {
    /// # Errors
    /// Names every field that cannot be.
    pub fn checked(ask: pb::ListCampaignsRequest, role: Role) -> Result<Self, Error> {
        let mut checks = Checks::default();
        let search = checks.take("search", fields::word(&ask.search));
        let ask = Self {
            window: Window::of(ask.page.as_ref()),
            pattern: page::contains(&normal::code(&search)),
            statuses: checks.take("statuses", statuses(&ask.statuses)),
            yard: ask.yard.map(|id| checks.take("yard", seen_yard(id, role))),
        };
        checks.done()?;
        Ok(ask)
    }
}

/// # Errors
/// Says so when there is no such yard.
pub fn known_yard(id: i32) -> Result<i32, String> {
    yard::name_of(id).map(|_| id).ok_or_else(|| no_yard(id))
}

/// The same for somebody who looks at it: operators do not see the yard of the dash.
fn seen_yard(id: i32, role: Role) -> Result<i32, String> {
    known_yard(id).and_then(|id| if id == yard::DASH && role == Role::Operator { Err(no_yard(id)) } else { Ok(id) })
}

fn no_yard(id: i32) -> String {
    format!("{id} does not exist")
}

/// The wanted statuses in four places, the first one again where fewer are wanted; all when none is named.
fn statuses(asked: &[i32]) -> Result<[CampaignStatus; 4], String> {
    let all = [Ready, Ongoing, PendingReview, Closed];
    let wanted: Vec<_> = all.into_iter().filter(|status| asked.contains(&i32::from(*status))).collect();
    if asked.iter().any(|number| !all.iter().any(|status| i32::from(*status) == *number)) {
        return Err("holds none of Ready, Ongoing, Pending Review and Closed".to_owned());
    }
    let first = wanted.first().copied();
    Ok(std::array::from_fn(|place| wanted.get(place).copied().or(first).unwrap_or(all[place])))
}

impl Works {
    /// One page of campaigns with their progress.
    ///
    /// It costs two statements and one call for the counters, whatever its size, and with a yard
    /// one call more for the campaigns in it.
    pub async fn list(&self, asker: &Asker, ask: Ask) -> Result<(Vec<Seen>, PageMeta), Error> {
        let ids = match ask.yard {
            Some(yard) => Some(array(&self.vehicles.campaigns_of(&asker.bearer, yard).await?)),
            None => None,
        };
        let filter = Filter { pattern: ask.pattern, statuses: ask.statuses, ids };
        let page = store::page(&self.db, &filter, ask.window).await?;
        let meta = ask.window.meta(store::count(&self.db, &filter).await?);
        let shown: Vec<i64> = page.iter().map(|campaign| campaign.id).collect();
        let mut progress = self.progress.of_all(asker, &shown, ask.yard).await?;
        let seen =
            page.into_iter().map(|campaign| Seen { progress: progress.remove(&campaign.id).unwrap_or_default(), campaign, yard: ask.yard });
        Ok((seen.collect(), meta))
    }

    /// One campaign with its progress.
    pub async fn look(&self, asker: &Asker, id: i64, yard: Option<i32>) -> Result<Seen, Error> {
        let mut checks = Checks::default();
        let yard = yard.map(|id| checks.take("yard", seen_yard(id, asker.caller.role)));
        checks.done()?;
        let campaign = store::find(&self.db, id).await?.ok_or(Error::NoCampaign(id))?;
        let progress = self.progress.of(asker, id, yard).await?;
        Ok(Seen { campaign, progress, yard })
    }
}

/// The ids as a JSON array, which is bound as one value.
fn array(ids: &[i64]) -> String {
    serde_json::Value::from(ids).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wanted_statuses_fill_four_places() {
        assert_eq!(statuses(&[]), Ok([Ready, Ongoing, PendingReview, Closed]));
        assert_eq!(statuses(&[4]), Ok([Closed; 4]));
        assert_eq!(statuses(&[3, 1, 3]), Ok([Ready, PendingReview, Ready, Ready]));
        assert!(statuses(&[0]).is_err());
        assert!(statuses(&[1, 9]).is_err());
    }

    #[test]
    fn ids_are_one_json_array() {
        assert_eq!(array(&[3, 1]), "[3,1]");
        assert_eq!(array(&[]), "[]");
    }
}
