//! Ending the imports whose process died, so that none stays half-done and none half-told.
use crate::{
    error::Result,
    running::Running,
    steps::Steps,
    store::{self, Lost, Outcome, QUIET, rejected},
};
use patio_kit::{db::Db, host::Host, identity::Caller, tokens::ServiceTokens};
use patio_proto::{access::Role, role};
use std::time::Duration;

/// How often it is looked after.
const EVERY: Duration = Duration::from_secs(2);

/// How often old sheets are looked for.
const FORGET: Duration = Duration::from_secs(3600);

/// Looks after lost imports from now on.
pub fn keep_settling(host: &Host, db: Db, running: Running) {
    let tokens = host.service_tokens("import-svc");
    let (tasks, host) = (host.tasks.clone(), host.clone());
    tasks.repeat(EVERY, move || {
        let (host, db, running, tokens) = (host.clone(), db.clone(), running.clone(), tokens.clone());
        async move {
            if let Err(cause) = settle(&host, &db, &running, &tokens).await {
                tracing::warn!(%cause, "lost imports could not be settled; they will be in a moment");
            }
        }
    });
}

/// Forgets, once an hour from now on, the refused sheets that were kept long enough.
pub fn keep_forgetting(host: &Host, db: Db) {
    let clock = host.clock.clone();
    host.tasks.repeat(FORGET, move || {
        let (db, now) = (db.clone(), clock.now());
        async move {
            match rejected::forget(&db, now).await {
                Ok(count) => tracing::debug!(count, "forgot refused sheets"),
                Err(cause) => tracing::warn!(%cause, "old refused sheets were not forgotten; they will be in an hour"),
            }
        }
    });
}

async fn settle(host: &Host, db: &Db, running: &Running, tokens: &ServiceTokens) -> Result<()> {
    let silent = store::lost(db, host.clock.now() - QUIET).await?;
    for lost in silent.into_iter().filter(|lost| !running.has(lost.id)) {
        let steps = Steps::new(&host.links, tokens.bearer().await?);
        settle_one(host, db, &steps, lost).await?;
    }
    Ok(())
}

/// A campaign that was published before its import died counts as imported; a draft goes.
async fn settle_one(host: &Host, db: &Db, steps: &Steps, lost: Lost) -> Result<()> {
    let published = match lost.campaign_id {
        Some(campaign) => steps.published(campaign).await?.is_some(),
        None => false,
    };
    let now = host.clock.now();
    if published {
        tracing::info!(import = lost.id, "import {} had been published before it was lost", lost.id);
        let caller = Caller {
            user_id: lost.user_id,
            role: role::parse(&lost.role).unwrap_or(Role::Manager),
            session_id: String::new(),
            issued_at: now,
            expires_at: now,
        };
        return Ok(store::imported(db, lost.id, caller, now).await?);
    }
    tracing::info!(import = lost.id, "import {} was lost", lost.id);
    if let Some(draft) = lost.campaign_id {
        steps.discard(draft).await;
    }
    Ok(store::ended(db, lost.id, Outcome::Failed, 0, now).await?)
}
