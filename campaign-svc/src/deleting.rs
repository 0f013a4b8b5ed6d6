//! Deleting a campaign: a tombstone first, then its vehicles, then the row.
//!
//! Once the tombstone stands the campaign is gone for everybody and its name is free. What is left to
//! do goes on in the background, whether the caller waits or not, and the sweeper does it again when
//! vehicle-svc is away or this process dies.
use crate::{
    campaign::State,
    error::Error,
    store,
    works::{Asker, Works},
};
use chrono::{DateTime, Utc};
use patio_kit::{
    audit::{self, Event},
    db::Tx,
    progress::Progress,
};
use std::time::Duration;
use tokio::sync::oneshot;

/// How long a deletion waits for counters that only its audit entry tells.
const COUNTING: Duration = Duration::from_millis(500);
/// How long an answer waits for the vehicles to be gone, well within the patience of a caller.
const WAITING: Duration = Duration::from_millis(1500);

/// A deletion under way.
struct Deletion {
    asker: Asker,
    id: i64,
    progress: Option<Progress>,
    at: DateTime<Utc>,
}

impl Works {
    /// Deletes a campaign; one whose deletion has begun is as good as deleted.
    pub async fn delete(&self, asker: Asker, id: i64) -> Result<(), Error> {
        let counting = tokio::time::timeout(COUNTING, self.look(&asker, id, None)).await;
        let progress = counting.ok().and_then(Result::ok).map(|seen| seen.progress);
        let deletion = Deletion { asker, id, progress, at: self.now() };
        if self.db.write(move |tx| Box::pin(async move { deletion.bury(tx).await })).await? {
            self.remove_soon(id).await;
        }
        Ok(())
    }

    /// Removes what a tombstone stands for, in the background; returns when it is done or takes long.
    pub async fn remove_soon(&self, id: i64) {
        let (done, told) = oneshot::channel();
        let works = self.clone();
        self.tasks.spawn(async move {
            if let Err(cause) = works.remove(id).await {
                tracing::warn!(%cause, campaign = id, "the vehicles of campaign {id} will be removed later");
            }
            let _ = done.send(());
        });
        if tokio::time::timeout(WAITING, told).await.is_err() {
            tracing::info!(campaign = id, "the vehicles of campaign {id} are still being removed");
        }
    }

    /// Removes the vehicles of a tombstone, then the tombstone.
    pub async fn remove(&self, id: i64) -> Result<(), Error> {
        self.vehicles.remove(id).await?;
        self.db.write(move |tx| Box::pin(async move { store::erase(tx, id).await })).await?;
        Ok(())
    }
}

impl Deletion {
    /// Makes a live campaign a tombstone; false when it is one already.
    async fn bury(&self, tx: &mut Tx<'_>) -> Result<bool, Error> {
        let Some(held) = store::hold(tx, self.id).await?.filter(|held| held.state == State::Live) else {
            return if store::is_buried(tx, self.id).await? { Ok(false) } else { Err(Error::NoCampaign(self.id)) };
        };
        store::bury(tx, self.id, self.at).await?;
        let (total, inspected) = (self.progress.as_ref().map(|p| p.total), self.progress.as_ref().map(|p| p.inspected));
        let vehicles = total.map_or_else(|| "an unknown number of".to_owned(), |total| total.to_string());
        let event = Event {
            kind: "campaign-deleted",
            subject: held.subject(),
            summary: format!("campaign \"{}\" deleted with {vehicles} vehicles", held.name),
            old: Some(serde_json::json!({ "name": held.name, "total_vehicles": total, "total_inspected": inspected })),
            address: self.asker.address.clone(),
            ..Event::default()
        };
        audit::append(tx, self.at, Some(&self.asker.caller), event).await?;
        Ok(true)
    }
}
