//! `doctor` checks of a service's database: its state, and whether it admits enough connections.
use crate::{
    cli::doctor::{CHECK_TIMEOUT, CheckResult, DoctorReport, RunbookSection, place, silent},
    config::Settings,
    db::{ConnectionLimit, DatabaseHealth, Db, Schema, max_connections_per_service_replica},
    errors,
};
use anyhow::Context;
use tokio::{net::lookup_host, time::timeout};

/// Maximum number of replicas of a service that a rollout adds temporarily.
const ROLLOUT_SURGE: u32 = 2;
/// Number of services that have a database.
const SERVICES: u32 = 4;

/// Findings of the `doctor` check that connects to the database.
struct DatabaseFindings {
    health: DatabaseHealth,
    lossy: String,
    limit: Option<ConnectionLimit>,
}

impl DoctorReport {
    /// Checks that the database of a service is reachable, intact, writable and up to date.
    ///
    /// Returns the number of connections that the database allows; `None` for `SQLite`, and when the database cannot be queried.
    ///
    /// # Errors
    /// Returns an error when standard output cannot be written.
    pub async fn check_database(&mut self, name: &str, schema: Schema, settings: &Settings) -> anyhow::Result<Option<ConnectionLimit>> {
        if let Err(cause) = settings.check_database_urls() {
            self.record_check(name, RunbookSection::Settings, CheckResult::Failed(cause.to_string(), "correct PATIO_DATABASE_URL"))?;
            return Ok(None);
        }
        let file = settings.data_dir.join(format!("{}.db", schema.name));
        if settings.database_url.is_none() && (self.is_preinstall() || !file.exists()) {
            let words = if file.exists() {
                "exists already; an installation keeps its data"
            } else {
                "does not exist yet; the first start creates it"
            };
            self.record_check(name, RunbookSection::Database, CheckResult::Warning(words.to_owned()))?;
            return Ok(None);
        }
        let (section, found, limit) = match timeout(CHECK_TIMEOUT, inspect_database(schema, settings)).await {
            Ok(Ok(visit)) => {
                let limit = visit.limit;
                let (section, found) = database_result(visit, settings);
                (section, found, limit)
            }
            Ok(Err(cause)) => (
                RunbookSection::DatabaseAccess,
                CheckResult::Failed(
                    errors::format_error_chain(&cause),
                    "check PATIO_DATABASE_URL (host, port, name, user, password), the user's privileges on the schema, and that the server \
                     accepts connections from this machine",
                ),
                None,
            ),
            Err(_) => (RunbookSection::Database, silent(), None),
        };
        self.record_check(name, section, found)?;
        Ok(limit)
    }

    /// Checks that the database admits as many connections as Patio may open.
    ///
    /// If `own` is the name of a service, the check counts the connections of all replicas of that service. Otherwise, it counts
    /// the connections of one process that runs all services.
    ///
    /// # Errors
    /// Returns an error when standard output cannot be written.
    pub async fn check_connection_limit(&mut self, limit: Option<ConnectionLimit>, settings: &Settings, own: &str) -> anyhow::Result<()> {
        let Some(limit) = limit else { return Ok(()) };
        let each = max_connections_per_service_replica(settings.database_connections);
        let found = match settings.service_urls().into_iter().find(|(name, _)| *name == own) {
            Some((_, urls)) => replica_connections_result(each, count_replicas(urls).await, &limit),
            None => process_connections_result(each * SERVICES, &limit),
        };
        self.record_check("connections", RunbookSection::Connections, found)
    }
}

async fn inspect_database(schema: Schema, settings: &Settings) -> anyhow::Result<DatabaseFindings> {
    let db = Db::open(schema, settings).await?;
    let checked = async {
        db.reject_unsupported_pooler().await?;
        anyhow::Ok(DatabaseFindings {
            health: db.check_health(schema).await?,
            lossy: db.find_unsafe_postgres_settings().await?.join(", "),
            limit: db.load_connection_limit().await?,
        })
    };
    let visit = checked.await.with_context(|| db.describe_address())?;
    db.close().await;
    Ok(visit)
}

fn database_result(DatabaseFindings { health, lossy, .. }: DatabaseFindings, settings: &Settings) -> (RunbookSection, CheckResult) {
    let DatabaseHealth { version, damage, writable, foreign, setup, applied, wanted } = health;
    if let Some(damage) = damage {
        return (RunbookSection::Database, CheckResult::Failed(damage, "restore the last backup as described in deploy/runbook.md"));
    }
    if !writable {
        let remedy = "set PATIO_DATABASE_URL to the primary; the server may have become a standby";
        return (RunbookSection::Database, CheckResult::Failed(format!("{version} is read-only: every save fails"), remedy));
    }
    if let Some(table) = foreign {
        let remedy = "change its owner to the role of PATIO_DATABASE_URL with `alter table … owner to …`; another role ran `migrate`";
        return (RunbookSection::DatabaseAccess, CheckResult::Failed(table, remedy));
    }
    if let Some(fault) = setup {
        let remedy = "create the schema with `create schema … authorization ROLE`, or set PATIO_DATABASE_URL to the role that owns it";
        return (RunbookSection::DatabaseAccess, CheckResult::Failed(fault, remedy));
    }
    if !lossy.is_empty() && !settings.allow_data_loss {
        let remedy = "switch these settings on; otherwise Patio starts only with PATIO_ALLOW_DATA_LOSS=true";
        let words = format!("{version} runs with {lossy}: a crash could lose acknowledged saves");
        return (RunbookSection::Database, CheckResult::Failed(words, remedy));
    }
    let found = if applied < wanted {
        CheckResult::Warning(format!("{version}; {applied} of {wanted} migrations are applied, the next start applies the rest"))
    } else if applied > wanted {
        CheckResult::Warning(format!("{version}; its tables belong to a newer version of Patio, which this version supports"))
    } else {
        CheckResult::Passed(format!("{version}; tables up to date"))
    };
    (RunbookSection::Database, found)
}

/// Returns the number of addresses that the URLs of a service resolve to, at least 1.
async fn count_replicas(urls: &str) -> u32 {
    let mut addresses = std::collections::HashSet::new();
    for url in urls.split(',') {
        let looked_up = async { anyhow::Ok(lookup_host(place(url.trim())?).await?) };
        if let Ok(Ok(found)) = timeout(CHECK_TIMEOUT, looked_up).await {
            addresses.extend(found);
        }
    }
    u32::try_from(addresses.len()).unwrap_or(u32::MAX).max(1)
}

const TOO_MANY: &str = "raise max_connections of PostgreSQL, or lower PATIO_DATABASE_MAX_CONNECTIONS or the number of replicas";

fn process_connections_result(most: u32, limit: &ConnectionLimit) -> CheckResult {
    let words = format!("this process opens at most {most}, and PostgreSQL admits {}", limit.available);
    if most > limit.available { CheckResult::Failed(words, TOO_MANY) } else { CheckResult::Passed(words) }
}

fn replica_connections_result(each: u32, replicas: u32, limit: &ConnectionLimit) -> CheckResult {
    let with_rollout = replicas.saturating_add(ROLLOUT_SURGE).saturating_mul(each);
    let words =
        format!("{replicas} replicas open at most {each} each, {with_rollout} during a rollout, and PostgreSQL admits {}", limit.available);
    if with_rollout > limit.available {
        CheckResult::Failed(words, TOO_MANY)
    } else if with_rollout.saturating_mul(SERVICES) > limit.available && !limit.is_of_role {
        CheckResult::Warning(format!("{words}; not enough for four services with as many replicas"))
    } else {
        CheckResult::Passed(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests::parse_settings;

    #[test]
    fn fifty_replicas_need_a_server_for_them() {
        let limit = |available, is_of_role| ConnectionLimit { available, is_of_role };
        assert_eq!([2, 4, 8, 16].map(max_connections_per_service_replica), [6, 8, 13, 24]);
        assert!(matches!(replica_connections_result(8, 50, &limit(415, false)), CheckResult::Failed(..)));
        assert!(matches!(replica_connections_result(8, 50, &limit(416, true)), CheckResult::Passed(_)));
        assert!(matches!(replica_connections_result(8, 50, &limit(1663, false)), CheckResult::Warning(_)));
        assert!(matches!(replica_connections_result(8, 50, &limit(1664, false)), CheckResult::Passed(_)));
        assert!(matches!(process_connections_result(96, &limit(97, false)), CheckResult::Passed(_)));
        assert!(matches!(process_connections_result(96, &limit(95, false)), CheckResult::Failed(..)));
    }

    #[test]
    fn the_gravest_fault_of_a_database_is_reported_and_missing_migrations_are_a_warning() {
        let found = |health: DatabaseHealth, lossy: &str, allow_data_loss: bool| {
            let settings = Settings { allow_data_loss, ..parse_settings(&[]) };
            let (section, found) = database_result(DatabaseFindings { health, lossy: lossy.to_owned(), limit: None }, &settings);
            match found {
                CheckResult::Passed(words) => (section, "ok", words),
                CheckResult::Warning(words) => (section, "note", words),
                CheckResult::Failed(words, _) => (section, "fail", words),
            }
        };
        let health = |repaired: u8, applied: usize| DatabaseHealth {
            version: "PostgreSQL 17.5".to_owned(),
            damage: (repaired < 1).then(|| "row 7 is missing from an index".to_owned()),
            writable: repaired >= 2,
            foreign: (repaired < 3).then(|| "vehicles belongs to bob".to_owned()),
            setup: (repaired < 4).then(|| "the schema belongs to bob".to_owned()),
            applied,
            wanted: 9,
        };
        let (data, access) = (RunbookSection::Database, RunbookSection::DatabaseAccess);
        for (health, lossy, allow_data_loss, expected) in [
            (health(0, 8), "fsync = off", false, (data, "fail", "row 7 is missing from an index")),
            (health(1, 8), "fsync = off", false, (data, "fail", "PostgreSQL 17.5 is read-only: every save fails")),
            (health(2, 8), "fsync = off", false, (access, "fail", "vehicles belongs to bob")),
            (health(3, 8), "fsync = off", false, (access, "fail", "the schema belongs to bob")),
            (health(4, 8), "fsync = off", false, (data, "fail", "PostgreSQL 17.5 runs with fsync = off")),
            (health(4, 8), "fsync = off", true, (data, "note", "PostgreSQL 17.5; 8 of 9 migrations are applied")),
            (health(4, 9), "", false, (data, "ok", "PostgreSQL 17.5; tables up to date")),
            (health(4, 10), "", false, (data, "note", "PostgreSQL 17.5; its tables belong to a newer version of Patio")),
        ] {
            let (section, state, words) = found(health, lossy, allow_data_loss);
            assert!((section, state) == (expected.0, expected.1) && words.starts_with(expected.2), "{section:?} {state}: {words}");
        }
    }
}
