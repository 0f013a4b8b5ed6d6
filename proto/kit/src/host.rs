//! What a process gives to the services that run in it.
use crate::{
    balance,
    cache::Cache,
    clock::Clock,
    config::Settings,
    db::{Db, Schema},
    errors,
    identity::Identity,
    lifecycle::Tasks,
    link::Link,
    server::Service,
    telemetry,
    tokens::{self, ServiceTokens},
};
use std::{
    sync::{Arc, OnceLock, atomic::AtomicBool},
    time::Duration,
};

/// The ways to the four services.
#[derive(Clone)]
pub struct Links {
    /// To auth-svc.
    pub auth: Link,
    /// To campaign-svc.
    pub campaign: Link,
    /// To vehicle-svc.
    pub vehicle: Link,
    /// To import-svc.
    pub import: Link,
}

/// Everything a service needs from the process it runs in; clones share it.
#[derive(Clone)]
pub struct Host {
    /// What the process was told.
    pub settings: Arc<Settings>,
    /// The time.
    pub clock: Clock,
    /// Who is who.
    pub identity: Identity,
    /// What may be forgotten.
    pub cache: Cache,
    /// Background work and its end.
    pub tasks: Tasks,
    /// The ways to the services.
    pub links: Links,
    known: Arc<OnceLock<Arc<AtomicBool>>>,
}

impl Host {
    /// A process in which all four services run; `settings` must hold a service secret.
    pub async fn local(settings: Settings) -> anyhow::Result<Self> {
        let slot = || Link::Local(Arc::default());
        Self::with(settings, Tasks::default(), Links { auth: slot(), campaign: slot(), vehicle: slot(), import: slot() }).await
    }

    /// A process that reaches all services over the network.
    pub async fn remote(settings: Settings) -> anyhow::Result<Self> {
        let tasks = Tasks::default();
        let to = |name, url: &str| Ok::<_, anyhow::Error>(Link::Remote(balance::replicas(name, url, &tasks)?));
        let links = Links {
            auth: to("auth-svc", &settings.auth_url)?,
            campaign: to("campaign-svc", &settings.campaign_url)?,
            vehicle: to("vehicle-svc", &settings.vehicle_url)?,
            import: to("import-svc", &settings.import_url)?,
        };
        Self::with(settings, tasks, links).await
    }

    async fn with(settings: Settings, tasks: Tasks, links: Links) -> anyhow::Result<Self> {
        settings.check()?;
        telemetry::keep_small(&tasks);
        let clock = Clock::default();
        let cache = match &settings.redis_url {
            Some(url) => Cache::redis(url.expose()).await?,
            None => Cache::memory(),
        };
        Ok(Self { settings: Arc::new(settings), identity: Identity::new(clock.clone()), clock, cache, tasks, links, known: Arc::default() })
    }

    /// Opens a service's database and brings its tables up to date, once the database is there.
    ///
    /// Things start in any order: a database that is away is waited for, one that refuses is an error.
    pub async fn database(&self, schema: Schema) -> anyhow::Result<Db> {
        let db = Db::open(schema, &self.settings).await?;
        while let Err(cause) = self.bring_up(&db, schema).await {
            anyhow::ensure!(is_away(&cause), cause);
            tracing::warn!(cause = format!("{cause:#}"), "waiting for the database");
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        Ok(db)
    }

    async fn bring_up(&self, db: &Db, schema: Schema) -> anyhow::Result<()> {
        self.check_durable(db).await?;
        db.migrate(schema).await
    }

    /// Refuses a database that could lose a save it acknowledged, unless that was asked for.
    async fn check_durable(&self, db: &Db) -> anyhow::Result<()> {
        let lossy = db.lossy().await?.join(", ");
        if lossy.is_empty() {
            return Ok(());
        }
        anyhow::ensure!(
            self.settings.may_lose_saves,
            "PostgreSQL runs with {lossy}, so that a crash could lose saves it acknowledged; \
             change that, or say --unsafe (PATIO_UNSAFE=true) where nothing matters that is saved"
        );
        tracing::warn!(lossy, "a crash of the database could lose saves it acknowledged");
        Ok(())
    }

    /// Tokens for what a service does on its own.
    #[must_use]
    pub fn service_tokens(&self, service: &'static str) -> ServiceTokens {
        ServiceTokens::new(self.links.auth.clone(), service, self.settings.service_secret.clone(), self.clock.clone())
    }

    /// Makes a service that has started in this process reachable by the others in it.
    pub fn attach(&self, service: &Service) {
        let link = match service.name {
            "auth-svc" => &self.links.auth,
            "campaign-svc" => &self.links.campaign,
            "vehicle-svc" => &self.links.vehicle,
            _ => &self.links.import,
        };
        if let Link::Local(slot) = link {
            let _ = slot.set(service.router.clone());
        }
    }

    /// Begins to keep keys and revocations current; again does nothing.
    pub fn keep_tokens_current(&self) {
        self.known.get_or_init(|| tokens::keep_current(self));
    }

    /// Whether keys and revocations are known, without which every token is refused.
    #[must_use]
    pub fn knows_keys(&self) -> bool {
        self.known.get().is_some_and(|flag| flag.load(std::sync::atomic::Ordering::Relaxed))
    }
}

fn is_away(cause: &anyhow::Error) -> bool {
    cause.chain().filter_map(|cause| cause.downcast_ref::<sqlx::Error>()).any(errors::is_away)
}
