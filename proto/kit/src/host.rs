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
use futures::future::BoxFuture;
use std::{
    sync::{Arc, OnceLock, atomic::AtomicBool},
    time::{Duration, Instant},
};

/// How long a database that is away is left alone.
const AGAIN: Duration = Duration::from_millis(500);
/// How often it is told again what is waited for.
const TELL_EVERY: Duration = Duration::from_secs(10);

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

impl Links {
    /// Begins to follow the replicas behind them, so that it is known how many are well before anybody calls one.
    pub fn begin(&self) {
        for link in [&self.auth, &self.campaign, &self.vehicle, &self.import] {
            if let Link::Remote(replicas) = link {
                replicas.begin();
            }
        }
    }
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
        let cache = Cache::of(&settings)?;
        Ok(Self { settings: Arc::new(settings), identity: Identity::new(clock.clone()), clock, cache, tasks, links, known: Arc::default() })
    }

    /// Opens a service's database and brings its tables up to date, once the database is there.
    ///
    /// # Errors
    /// As [`Self::once_there`], and when the database cannot be opened.
    pub async fn database(&self, schema: Schema) -> anyhow::Result<Db> {
        let db = Db::open(schema, &self.settings).await?;
        let mut waiting = Waiting::default();
        while let Err(cause) = self.bring_up(&db, schema).await {
            waiting.or_fail(self, cause).await?;
        }
        Ok(db)
    }

    /// Does what needs the database as often as that is away.
    ///
    /// Things start in any order. A service that runs apart also waits for what somebody else gives it there: its role, the
    /// database itself, rights. Where all run in one process a person sees at once that something was told wrong.
    ///
    /// # Errors
    /// Any other failure of it.
    pub async fn once_there<'w, T>(&self, mut work: impl FnMut() -> BoxFuture<'w, anyhow::Result<T>> + Send) -> anyhow::Result<T> {
        let mut waiting = Waiting::default();
        loop {
            match work().await {
                Ok(done) => return Ok(done),
                Err(cause) => waiting.or_fail(self, cause).await?,
            }
        }
    }

    fn is_waited_for(&self, cause: &anyhow::Error) -> bool {
        let mut causes = cause.chain().filter_map(|cause| cause.downcast_ref::<sqlx::Error>());
        causes.any(|cause| errors::is_away(cause) || (!self.runs_all() && errors::is_unprepared(cause)))
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

    /// Whether other services put into the cache what this process finds there: they are in it, or share a Redis server.
    #[must_use]
    pub fn shares_cache(&self) -> bool {
        self.runs_all() || matches!(self.cache, Cache::Redis(_))
    }

    fn runs_all(&self) -> bool {
        matches!(self.links.vehicle, Link::Local(_)) // auth-svc is one of itself everywhere
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

/// Waiting for the database, and telling for what.
#[derive(Default)]
struct Waiting {
    told: Option<(String, Instant)>,
}

impl Waiting {
    /// Waits for a moment where the cause may go away by itself.
    async fn or_fail(&mut self, host: &Host, cause: anyhow::Error) -> anyhow::Result<()> {
        anyhow::ensure!(host.is_waited_for(&cause), cause);
        let cause = format!("{cause:#}");
        if self.told.as_ref().is_none_or(|(told, at)| *told != cause || at.elapsed() > TELL_EVERY) {
            tracing::warn!(cause, "waiting for the database");
            self.told = Some((cause, Instant::now()));
        }
        tokio::time::sleep(AGAIN).await;
        Ok(())
    }
}
