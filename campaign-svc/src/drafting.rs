//! Drafts: what an import makes before its vehicles are in, and how it ends.
//!
//! A draft belongs to the person who imports; a service may go on with it when that person's session has ended.
use crate::{
    campaign::{Campaign, Seen, State},
    error::Error,
    fields::{self, Checks},
    store::{self, NewDraft},
    works::{Asker, Works},
};
use chrono::{DateTime, Utc};
use patio_kit::{
    audit::{self, Event},
    db::Tx,
    progress::Progress,
};
use patio_proto::campaign as pb;

/// Checks what a draft is to say.
///
/// # Errors
/// Names every field that cannot be; [`Error::NobodyImports`] when no person asks.
pub fn checked(asker: &Asker, ask: &pb::CreateDraftRequest, at: DateTime<Utc>) -> Result<NewDraft, Error> {
    let mut checks = Checks::default();
    let draft = NewDraft {
        import_id: checks.take("import_id", fields::word(&ask.import_id)),
        name: checks.take("name", fields::name(&ask.name)),
        description: checks.take("description", fields::text(&ask.description)),
        part: checks.take("part", fields::text(&ask.part)),
        model_type: checks.take("model_type", fields::text(&ask.model_type)),
        created_by: asker.caller.person().ok_or(Error::NobodyImports)?,
        at,
    };
    checks.done()?;
    Ok(draft)
}

impl Works {
    /// Creates a draft, or returns the one that the same import made before.
    pub async fn draft(&self, draft: NewDraft) -> Result<Seen, Error> {
        let campaign = self.db.write(move |tx| Box::pin(async move { insert(tx, &draft).await })).await?;
        Ok(Seen { campaign, progress: Progress::default(), yard: None })
    }

    /// Notes that the import of a draft goes on.
    pub async fn touch(&self, asker: &Asker, id: i64) -> Result<(), Error> {
        self.touched(asker, id).await.map(drop)
    }

    /// Makes a draft a campaign: vehicle-svc opens it first, so that nobody sees one that takes no saves.
    ///
    /// Repeated, it answers the campaign.
    pub async fn publish(&self, asker: Asker, id: i64) -> Result<Seen, Error> {
        let draft = self.touched(&asker, id).await?;
        if draft.state == State::Live {
            return self.look(&asker, id, None).await;
        }
        self.vehicles.tell(&draft).await?;
        let progress = self.progress.of_new(&asker, id).await?;
        let campaign = self.make_live(asker, draft, &progress).await?;
        self.vehicles.announce(id).await;
        Ok(Seen { campaign, progress, yard: None })
    }

    /// Removes a draft and what was stored for it; one that is gone already is as good as removed.
    pub async fn discard(&self, asker: &Asker, id: i64) -> Result<(), Error> {
        let (of, at) = (asker.caller.person(), self.now());
        let buried = self.db.write(move |tx| Box::pin(async move { discard(tx, id, of, at).await })).await?;
        if buried {
            self.remove_soon(id).await;
        }
        Ok(())
    }

    async fn touched(&self, asker: &Asker, id: i64) -> Result<Campaign, Error> {
        let (of, at) = (asker.caller.person(), self.now());
        let touched = self.db.write(move |tx| Box::pin(async move { store::touch(tx, id, of, at).await })).await?;
        touched.ok_or(Error::NoCampaign(id))
    }

    async fn make_live(&self, asker: Asker, draft: Campaign, progress: &Progress) -> Result<Campaign, Error> {
        let (at, vehicles) = (self.now(), progress.total);
        self.db.write(move |tx| Box::pin(async move { publish(tx, &asker, &draft, (at, vehicles)).await })).await
    }
}

async fn insert(tx: &mut Tx<'_>, draft: &NewDraft) -> Result<Campaign, Error> {
    if let Some(made) = store::insert(tx, draft).await? {
        return Ok(made);
    }
    match store::of_import(tx, &draft.import_id).await? {
        Some(made) if made.created_by == draft.created_by && made.name == draft.name => Ok(made),
        Some(_) => Err(Error::ImportTaken),
        None => Err(Error::NameTaken(draft.name.clone())),
    }
}

async fn publish(tx: &mut Tx<'_>, asker: &Asker, draft: &Campaign, (at, vehicles): (DateTime<Utc>, i64)) -> Result<Campaign, Error> {
    let Some(live) = store::publish(tx, draft.id, draft.revision, at).await? else {
        let held = store::hold(tx, draft.id).await?;
        return held.filter(|held| held.state == State::Live).ok_or(Error::NoCampaign(draft.id));
    };
    let event = Event {
        kind: "campaign-imported",
        subject: live.subject(),
        summary: format!("campaign \"{}\" imported with {vehicles} vehicles", live.name),
        new: Some(serde_json::json!({ "name": live.name, "part": live.part, "model_type": live.model_type, "total_vehicles": vehicles })),
        address: asker.address.clone(),
        ..Event::default()
    };
    audit::append(tx, at, Some(&asker.caller), event).await?;
    Ok(live)
}

/// Buries a draft; false when there is none by now.
async fn discard(tx: &mut Tx<'_>, id: i64, of: Option<i64>, at: DateTime<Utc>) -> Result<bool, Error> {
    let Some(held) = store::hold(tx, id).await? else { return Ok(false) };
    if of.is_some_and(|person| person != held.created_by) {
        return Err(Error::NoCampaign(id));
    }
    if held.state == State::Live {
        return Err(Error::NoDraft(id));
    }
    store::bury(tx, id, at).await?;
    Ok(true)
}
