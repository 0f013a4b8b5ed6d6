//! Dependencies that a process provides to the services that run in it: settings, clock, cache, clients and background tasks.
use crate::{
    auth::{identity::TokenVerifier, key_sync, service_tokens::ServiceTokenSource},
    cache::Cache,
    client::{balancer::LoadBalancer, service_channel::ServiceChannel},
    clock::Clock,
    config::{InvalidSetting, Settings},
    db::{Db, Schema},
    errors,
    lifecycle::BackgroundTasks,
    telemetry,
    tls::ServiceTls,
};
use anyhow::Context;
use futures::future::BoxFuture;
use std::{
    sync::{Arc, OnceLock, atomic::AtomicBool},
    time::{Duration, Instant},
};

/// Pause between two attempts to reach the database while a service starts.
const DATABASE_RETRY_PAUSE: Duration = Duration::from_millis(500);
/// Minimum time between two log lines with the same reason for waiting for the database.
const LOG_INTERVAL: Duration = Duration::from_secs(10);
/// Caller name for calls to auth-svc that load revocations and report session activity. No service has this name, because the process
/// makes these calls on behalf of all services that run in it.
const KEY_SYNC_SERVICE: &str = "process";

/// gRPC client channels to the four services of Patio.
#[derive(Clone)]
pub struct ServiceChannels {
    /// Channel to auth-svc, which manages users, sessions and tokens.
    pub auth: ServiceChannel,
    /// Channel to campaign-svc, which manages campaigns (lists of vehicles to inspect).
    pub campaign: ServiceChannel,
    /// Channel to vehicle-svc, which stores vehicles and their inspections.
    pub vehicle: ServiceChannel,
    /// Channel to import-svc, which imports and exports spreadsheets.
    pub import: ServiceChannel,
}

impl ServiceChannels {
    /// Starts the DNS lookups of the remote services and the health checks of the replicas that this process uses. Without this function,
    /// these lookups and checks would start only with the first gRPC call to each service.
    pub fn start_health_checks(&self) {
        for link in [&self.auth, &self.campaign, &self.vehicle, &self.import] {
            if let ServiceChannel::Remote(replicas) = link {
                replicas.start_replica_checks();
            }
        }
    }
}

/// Dependencies that a process provides to the services that run in it. Clones share the dependencies.
#[derive(Clone)]
pub struct ServiceHost {
    /// Settings of the process, from command-line options and environment variables.
    pub settings: Arc<Settings>,
    /// Clock of the process, which tests can advance.
    pub clock: Clock,
    /// Verifier of the access tokens that callers send.
    pub identity: TokenVerifier,
    /// Cache, in memory or shared through Redis.
    pub cache: Cache,
    /// Background tasks of the process, and the signals that begin its shutdown.
    pub tasks: BackgroundTasks,
    /// gRPC client channels to the services.
    pub channels: ServiceChannels,
    /// Certificate for mutual TLS with other services; `None` when services communicate without TLS.
    pub tls: Option<ServiceTls>,
    known: Arc<OnceLock<Arc<AtomicBool>>>,
}

impl ServiceHost {
    /// Creates the dependencies of a process that runs all four services. `settings` must contain a service secret, with which the
    /// services request tokens from auth-svc.
    pub async fn with_local_services(settings: Settings) -> anyhow::Result<Self> {
        let slot = || ServiceChannel::Local(Arc::default());
        Self::with(
            settings,
            BackgroundTasks::default(),
            ServiceChannels { auth: slot(), campaign: slot(), vehicle: slot(), import: slot() },
            None,
        )
        .await
    }

    /// Creates the dependencies of a process that runs only one service or the gateway. The process calls all services over the
    /// network.
    pub async fn with_remote_services(settings: Settings) -> anyhow::Result<Self> {
        let tasks = BackgroundTasks::default();
        let tls = settings.service_tls.as_deref().map(ServiceTls::load_from_folder).transpose().map_err(InvalidSetting::wrap_error)?;
        if let Some(tls) = &tls {
            tls.spawn_certificate_reload(&tasks);
        }
        let to = |name, setting: &'static str, url: &str| {
            let replicas = LoadBalancer::new(name, url, tls.as_ref(), &tasks).context(setting).map_err(InvalidSetting::wrap_error)?;
            Ok::<_, anyhow::Error>(ServiceChannel::Remote(replicas))
        };
        let channels = ServiceChannels {
            auth: to("auth-svc", "PATIO_AUTH_URL", &settings.auth_url)?,
            campaign: to("campaign-svc", "PATIO_CAMPAIGN_URL", &settings.campaign_url)?,
            vehicle: to("vehicle-svc", "PATIO_VEHICLE_URL", &settings.vehicle_url)?,
            import: to("import-svc", "PATIO_IMPORT_URL", &settings.import_url)?,
        };
        Self::with(settings, tasks, channels, tls).await
    }

    async fn with(settings: Settings, tasks: BackgroundTasks, channels: ServiceChannels, tls: Option<ServiceTls>) -> anyhow::Result<Self> {
        settings.check_database_urls()?;
        telemetry::spawn_metrics_upkeep(&tasks);
        let clock = Clock::default();
        let cache = Cache::from_settings(&settings).context("PATIO_REDIS_URL").map_err(InvalidSetting::wrap_error)?;
        let (settings, identity) = (Arc::new(settings), TokenVerifier::new(clock.clone()));
        Ok(Self { settings, identity, clock, cache, tasks, channels, tls, known: Arc::default() })
    }

    /// Opens a service's database and runs its migrations. Waits while the database is unavailable.
    ///
    /// # Errors
    /// Returns an error when the connection settings are invalid, when the database is available but unsuitable for Patio, or when a
    /// migration fails.
    pub async fn open_database(&self, schema: Schema) -> anyhow::Result<Db> {
        let db = Db::open(schema, &self.settings).await?;
        let mut waiting = Waiting::default();
        while let Err(cause) = self.bring_up(&db, schema).await {
            waiting.or_fail(self, cause).await?;
        }
        Ok(db)
    }

    /// Runs `work`, and retries it while the database is unavailable, because processes may start in any order.
    ///
    /// A service in its own process also retries `work` while its role, database or privileges are missing, because an administrator may
    /// still create them. A process that runs all services does not retry in this case, so that the administrator sees the wrong setting
    /// immediately.
    ///
    /// # Errors
    /// Returns any failure of `work` that is not retried.
    pub async fn retry_until_database_up<'w, T>(
        &self,
        mut work: impl FnMut() -> BoxFuture<'w, anyhow::Result<T>> + Send,
    ) -> anyhow::Result<T> {
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
        causes.any(|cause| errors::is_database_unavailable(cause) || (!self.runs_all() && errors::is_database_setup_missing(cause)))
    }

    async fn bring_up(&self, db: &Db, schema: Schema) -> anyhow::Result<()> {
        let checked = async {
            db.reject_unsupported_pooler().await?;
            self.check_durable(db).await?;
            db.migrate(schema).await
        };
        checked.await.with_context(|| db.describe_address())
    }

    /// Returns an error for a `PostgreSQL` server that could lose acknowledged saves in a crash, unless the settings allow data loss.
    async fn check_durable(&self, db: &Db) -> anyhow::Result<()> {
        let lossy = db.find_unsafe_postgres_settings().await?.join(", ");
        if lossy.is_empty() {
            return Ok(());
        }
        InvalidSetting::ensure(self.settings.allow_data_loss, || {
            format!(
                "PostgreSQL runs with {lossy}, so a crash could lose acknowledged saves; switch these settings on, or start with --unsafe \
                 (PATIO_ALLOW_DATA_LOSS=true) if losing data does not matter"
            )
        })?;
        tracing::warn!(settings = lossy, "unsafe database settings, a crash could lose acknowledged saves");
        Ok(())
    }

    /// Returns `true` when all services share the cache: they run in this process, or use the same Redis server.
    #[must_use]
    pub fn has_shared_cache(&self) -> bool {
        self.runs_all() || matches!(self.cache, Cache::Redis(_))
    }

    fn runs_all(&self) -> bool {
        matches!(self.channels.vehicle, ServiceChannel::Local(_)) // not `auth`: that channel is local within auth-svc too
    }

    /// Creates the source of access tokens for the calls that `service` makes to other services.
    #[must_use]
    pub fn service_token_source(&self, service: &'static str) -> ServiceTokenSource {
        let secret = self.settings.service_secret.clone();
        ServiceTokenSource::new(self.channels.auth.clone(), service, secret, self.identity.clone(), self.clock.clone())
    }

    /// Starts the background task that loads signing keys and revocations from auth-svc. Further calls have no effect.
    pub fn start_key_sync(&self) {
        self.known.get_or_init(|| {
            key_sync::spawn_key_sync(
                &self.tasks,
                self.identity.clone(),
                self.channels.auth.clone(),
                self.service_token_source(KEY_SYNC_SERVICE),
            )
        });
    }

    /// Returns `true` once signing keys and revocations are loaded. Until then, the process cannot verify any token.
    #[must_use]
    pub fn has_completed_key_sync(&self) -> bool {
        self.known.get().is_some_and(|flag| flag.load(std::sync::atomic::Ordering::Relaxed))
    }
}

/// Last logged reason why a starting process waits for its database, and the time of that log line. Limits repeated log lines.
#[derive(Default)]
struct Waiting {
    last_log: Option<(String, Instant)>,
}

impl Waiting {
    /// Pauses before the process tries the database again, if the failure `cause` may resolve by itself. Returns any other failure as an
    /// error.
    async fn or_fail(&mut self, host: &ServiceHost, cause: anyhow::Error) -> anyhow::Result<()> {
        anyhow::ensure!(host.is_waited_for(&cause), cause);
        let cause = errors::format_error_chain(&cause);
        if self.last_log.as_ref().is_none_or(|(logged, at)| *logged != cause || at.elapsed() > LOG_INTERVAL) {
            tracing::warn!(cause, "database unavailable at startup, retrying");
            self.last_log = Some((cause, Instant::now()));
        }
        tokio::time::sleep(DATABASE_RETRY_PAUSE).await;
        Ok(())
    }
}
