//! Having campaign-svc remove the campaigns of undone imports.
use crate::store::jobs::{self, Removing};
use patio_kit::{
    db::Db,
    errors::{self, Reason},
    host::Host,
    link::{Bearer, Link},
    tokens::ServiceTokens,
};
use patio_proto::campaign::{DeleteCampaignRequest, campaign_service_client::CampaignServiceClient};
use std::time::Duration;
use tonic::Status;

/// How often what could not be removed is tried again.
const AGAIN: Duration = Duration::from_secs(2);
/// How long a removal may take, with all vehicles.
const PATIENCE: Duration = Duration::from_secs(10);

/// Asks campaign-svc; clones share the way to it.
#[derive(Clone)]
pub struct Remover {
    db: Db,
    campaigns: CampaignServiceClient<Link>,
    tokens: ServiceTokens,
}

impl Remover {
    /// Asks over this host's links.
    #[must_use]
    pub fn new(host: &Host, db: Db) -> Self {
        let campaigns = CampaignServiceClient::new(host.links.campaign.clone());
        Self { db, campaigns, tokens: host.service_tokens("vehicle-svc") }
    }

    /// Asks again, from now on, for what was not removed because something died or was away.
    pub fn keep_removing(&self, host: &Host) {
        let again = self.clone();
        host.tasks.repeat(AGAIN, move || {
            let again = again.clone();
            async move {
                if let Err(cause) = again.remove_all(None).await {
                    tracing::warn!(%cause, "the campaigns of undone imports wait for being removed");
                }
            }
        });
    }

    /// Has every campaign removed that waits for it, in the name of whoever undid the import when known.
    ///
    /// # Errors
    /// What stopped it; the rest is removed later.
    pub async fn remove_all(&self, person: Option<&Bearer>) -> Result<(), Status> {
        for waiting in jobs::removing(&self.db).await.map_err(|cause| errors::database(&cause))? {
            match person {
                Some(person) => self.remove(waiting, person).await?,
                None => self.remove(waiting, &self.tokens.bearer().await?).await?,
            }
        }
        Ok(())
    }

    async fn remove(&self, waiting: Removing, bearer: &Bearer) -> Result<(), Status> {
        let ask = bearer.sign_within(PATIENCE, DeleteCampaignRequest { id: waiting.removing });
        match self.campaigns.clone().delete_campaign(ask).await {
            Err(told) if errors::reason(&told) != Some(Reason::NoCampaign) => return Err(told),
            Ok(_) | Err(_) => {}
        }
        let removed = self.db.write(move |tx| Box::pin(async move { jobs::removed(tx, waiting.id).await })).await;
        removed.map_err(|cause: sqlx::Error| errors::database(&cause))
    }
}
