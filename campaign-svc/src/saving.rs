//! Saving a campaign, and telling vehicle-svc what it has to know of it: the name and the gate.
//!
//! Everything but a closing is stored first and told afterwards; when the telling fails, the row stays
//! untold and the sweeper tells it again.
//!
//! A closing is the other way round, since a Closed campaign must not take one more save:
//! 1. one transaction checks the rules and reserves the next revision, which leaves the row untold;
//! 2. vehicle-svc closes the gate at that revision; if it is away, nothing has changed and the caller is told so;
//! 3. one transaction checks again and stores Closed with that revision as acknowledged.
//!
//! Whoever dies between 2 and 3 leaves an open campaign with a closed gate that counts as untold: the
//! sweeper tells the stored, open state at a higher revision. Whoever else told vehicle-svc something
//! between 1 and 3 took a higher revision too; then Closed is told once more, above that, before the answer.
use crate::{
    campaign::{Campaign, Seen, State},
    change::{self, Change},
    error::Error,
    store,
    works::{Asker, Works},
};
use chrono::{DateTime, TimeDelta, Utc};
use patio_kit::{
    audit::{self, Event},
    db::Tx,
};

/// How far the first transaction of a save came.
enum Begun {
    /// All is stored, and vehicle-svc has to be told if it is news to it.
    ///
    /// An untold row alone is no cause to tell: it may be somebody's closing under way.
    Stored { campaign: Campaign, news: bool },
    /// The gate has to be closed before this is stored.
    Closing(Campaign),
}

/// A save under way.
#[derive(Clone)]
struct Save {
    asker: Asker,
    id: i64,
    change: Change,
    at: DateTime<Utc>,
}

impl Works {
    /// Saves a campaign wholly or not at all.
    ///
    /// What the answer needs is read first, so that nothing is stored that cannot be answered.
    pub async fn save(&self, asker: Asker, id: i64, change: Change) -> Result<Seen, Error> {
        let progress = self.look(&asker, id, None).await?.progress;
        let save = Save { asker, id, change, at: self.now() };
        let first = save.clone();
        let campaign = match self.db.write(move |tx| Box::pin(async move { first.begin(tx).await })).await? {
            Begun::Stored { campaign, news } => {
                if news {
                    self.tell_soon(&campaign).await;
                }
                campaign
            }
            Begun::Closing(planned) => self.close(save, &planned).await?,
        };
        self.vehicles.announce(id).await;
        Ok(Seen { campaign, progress, yard: None })
    }

    async fn close(&self, save: Save, planned: &Campaign) -> Result<Campaign, Error> {
        self.vehicles.tell(planned).await?;
        let (id, reserved) = (save.id, planned.revision);
        let stored = self.db.write(move |tx| Box::pin(async move { save.finish(tx, reserved).await })).await;
        if stored.is_err() {
            self.reopen_gate(id).await;
        }
        let campaign = stored?;
        if campaign.is_untold() {
            self.tell(&campaign).await?;
        }
        Ok(campaign)
    }

    /// Takes the closed gate of a refused closing back at once; if that fails the sweeper does it.
    async fn reopen_gate(&self, id: i64) {
        if let Err(cause) = self.tell_again(id, self.now() + TimeDelta::seconds(1)).await {
            tracing::warn!(%cause, campaign = id, "the gate of campaign {id} stays closed until the next sweep");
        }
    }

    /// Tells vehicle-svc now, or leaves it to the sweeper.
    async fn tell_soon(&self, campaign: &Campaign) {
        if let Err(cause) = self.tell(campaign).await {
            tracing::warn!(%cause, campaign = campaign.id, "vehicle-svc will be told of campaign {} later", campaign.id);
        }
    }

    /// Tells vehicle-svc a campaign's name and gate, and notes that it knows.
    pub async fn tell(&self, campaign: &Campaign) -> Result<(), Error> {
        self.vehicles.tell(campaign).await?;
        let (id, revision) = (campaign.id, campaign.revision);
        self.db.write(move |tx| Box::pin(async move { store::acknowledged(tx, id, revision).await })).await?;
        Ok(())
    }

    /// Tells the stored state at a new revision, unless it is told by now or someone touched it since.
    pub async fn tell_again(&self, id: i64, since: DateTime<Utc>) -> Result<bool, Error> {
        let at = self.now();
        let raised = self.db.write(move |tx| Box::pin(async move { store::raise(tx, id, since, at).await })).await?;
        match raised {
            Some(campaign) => self.tell(&campaign).await.map(|()| true),
            None => Ok(false),
        }
    }
}

impl Save {
    async fn begin(&self, tx: &mut Tx<'_>) -> Result<Begun, Error> {
        let (before, mut after) = self.planned(tx).await?;
        if after.is_closed() && !before.is_closed() {
            if store::name_is_taken(tx, &after).await? {
                return Err(Error::NameTaken(after.name));
            }
            after.revision = store::reserve(tx, self.id, self.at).await?;
            return Ok(Begun::Closing(after));
        }
        let news = is_news(&before, &after);
        if news {
            after.revision += 1;
            after.touched_at = self.at;
        }
        Ok(Begun::Stored { campaign: self.keep(tx, &before, after).await?, news })
    }

    /// Stores a closing whose gate is closed at the `reserved` revision.
    async fn finish(&self, tx: &mut Tx<'_>, reserved: i64) -> Result<Campaign, Error> {
        let (before, mut after) = self.planned(tx).await?;
        if before.revision == reserved {
            after.synced_revision = reserved;
        } else if is_news(&before, &after) {
            after.revision += 1;
            after.touched_at = self.at;
        }
        self.keep(tx, &before, after).await
    }

    /// The campaign as it is and as it would be, held until the transaction ends.
    async fn planned(&self, tx: &mut Tx<'_>) -> Result<(Campaign, Campaign), Error> {
        let before = store::hold(tx, self.id).await?.filter(|held| held.state == State::Live).ok_or(Error::NoCampaign(self.id))?;
        let after = self.change.applied(&before, self.asker.caller.role)?;
        Ok((before, after))
    }

    /// Stores a campaign with the audit entry of what changed; when nothing did, nothing is written.
    async fn keep(&self, tx: &mut Tx<'_>, before: &Campaign, mut after: Campaign) -> Result<Campaign, Error> {
        let Some(difference) = change::difference(before, &after) else { return Ok(after) };
        after.modified_by = self.asker.caller.person();
        after.modified_at = self.at;
        store::save(tx, &after).await?;
        let event = Event {
            kind: "campaign-changed",
            subject: after.subject(),
            summary: difference.summary,
            old: Some(difference.old),
            new: Some(difference.new),
            address: self.asker.address.clone(),
        };
        audit::append(tx, self.at, Some(&self.asker.caller), event).await?;
        Ok(after)
    }
}

/// Whether vehicle-svc has to be told.
fn is_news(before: &Campaign, after: &Campaign) -> bool {
    before.name != after.name || before.gate() != after.gate()
}
