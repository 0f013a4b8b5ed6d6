//! Telling others how far a campaign is: the cache that lists read, and campaign-svc at turning points.
use crate::{
    live::Live,
    store::{counters::Counted, turns},
};
use patio_kit::{
    db::Db,
    host::Host,
    link::Link,
    progress::{self, Progress as Cached},
    tokens::ServiceTokens,
};
use patio_proto::campaign::{ReportTurnRequest, progress_service_client::ProgressServiceClient};
use std::time::Duration;
use tokio::sync::oneshot;
use tonic::Status;

/// How often what could not be told is tried again.
const AGAIN: Duration = Duration::from_secs(2);
/// How long a save that passes a turning point waits for campaign-svc.
const PATIENCE: Duration = Duration::from_millis(300);
/// How long a cache that does not answer is tried: as long as what it may hold lives.
const TRIES: u32 = 30;

/// Tells others; clones share it.
#[derive(Clone)]
pub struct Progress {
    host: Host,
    db: Db,
    campaigns: ProgressServiceClient<Link>,
    tokens: ServiceTokens,
    live: Option<Live>,
}

impl Progress {
    /// Tells over this host's links.
    #[must_use]
    pub fn new(host: &Host, db: Db) -> Self {
        let campaigns = ProgressServiceClient::new(host.links.campaign.clone());
        Self { host: host.clone(), db, campaigns, tokens: host.service_tokens("vehicle-svc"), live: None }
    }

    /// The same, which also tells whoever watches that a campaign passed a turning point.
    #[must_use]
    pub(crate) fn over(self, live: Live) -> Self {
        Self { live: Some(live), ..self }
    }

    /// Tells again, from now on, what was not told because something died or was away.
    pub fn keep_telling(&self, host: &Host) {
        let again = self.clone();
        host.tasks.repeat(AGAIN, move || {
            let again = again.clone();
            async move {
                if let Err(cause) = again.tell_turns().await {
                    tracing::warn!(%cause, "campaign-svc was not told of turning points");
                }
            }
        });
    }

    /// Tells what a commit changed. What cannot be told now is told later; it never fails.
    pub async fn changed(&self, all: &[Counted]) {
        for counted in all {
            if !self.put(counted).await {
                self.put_later(counted.clone());
            }
        }
        if all.iter().any(|counted| counted.turned) {
            self.tell_now().await;
        }
    }

    /// Tells campaign-svc in the background and waits a moment for it, so that whoever saved the
    /// last vehicle finds the campaign in its new status; a slow campaign-svc holds nobody up.
    async fn tell_now(&self) {
        let told = self.clone();
        let (done, heard) = oneshot::channel::<()>();
        self.host.tasks.spawn(async move {
            if let Err(cause) = told.tell_turns().await {
                tracing::debug!(%cause, "campaign-svc will be told of turning points later");
            }
            let _ = done.send(());
        });
        let _ = tokio::time::timeout(PATIENCE, heard).await;
    }

    async fn put(&self, counted: &Counted) -> bool {
        let value = Cached { total: counted.total, inspected: counted.inspected, next: None, next_known: false, in_dash: false };
        self.host.cache.put_newer(&progress::key(counted.campaign_id), counted.revision, &value).await
    }

    fn put_later(&self, counted: Counted) {
        let later = self.clone();
        self.host.tasks.spawn(async move {
            for _ in 0..TRIES {
                tokio::select! {
                    () = tokio::time::sleep(AGAIN) => {}
                    () = later.host.tasks.stopped() => return,
                }
                if later.put(&counted).await {
                    return;
                }
            }
        });
    }

    /// Tells campaign-svc every turning point that waits.
    ///
    /// # Errors
    /// What stopped it; what was not told stays and is told later.
    pub async fn tell_turns(&self) -> Result<(), Status> {
        for waiting in turns::waiting(&self.db).await.map_err(|cause| patio_kit::errors::database(&cause))? {
            let report = ReportTurnRequest {
                campaign_id: waiting.campaign_id,
                turn: i32::try_from(waiting.turn).unwrap_or_default(),
                revision: waiting.revision,
            };
            self.campaigns.clone().report_turn(self.tokens.bearer().await?.sign(report)).await?;
            if let Some(live) = &self.live {
                live.campaign(waiting.campaign_id);
            }
            self.db
                .write(move |tx| Box::pin(async move { turns::told(tx, waiting).await }))
                .await
                .map_err(|cause: sqlx::Error| patio_kit::errors::database(&cause))?;
        }
        Ok(())
    }
}
