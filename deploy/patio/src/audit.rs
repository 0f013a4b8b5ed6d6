//! The commands `patio audit verify` and `patio audit archive`. `verify` checks the audit log of all services for manipulation, and
//! `archive` moves old audit entries to files.
use crate::process::{AllServicesOptions, DATABASE_SCHEMAS};
use anyhow::Context;
use chrono::{DateTime, NaiveDate, Utc};
use patio_kit::{
    audit::{archive, hash_chain},
    cli::print_to_stdout,
    db::Db,
    service_host::ServiceHost,
    telemetry,
};
use std::{path::PathBuf, str::FromStr};

/// Audit seal (hash-chain link) that the audit log must contain, in the form SERVICE:NUMBER:DIGEST. The operator copies the seal
/// from an earlier verification or from a service's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedSeal {
    service: String,
    id: i64,
    digest: String,
}

impl FromStr for ExpectedSeal {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<_> = text.split(':').collect();
        match parts[..] {
            [service, id, digest] if DATABASE_SCHEMAS.iter().any(|schema| schema.name == service) => {
                let id = id.parse().map_err(|_| format!("{id} is not the number of a seal"))?;
                Ok(Self { service: service.to_owned(), id, digest: digest.to_owned() })
            }
            _ => {
                Err(format!("{text} is not SERVICE:NUMBER:DIGEST; services are {}", DATABASE_SCHEMAS.map(|schema| schema.name).join(", ")))
            }
        }
    }
}

/// Verifies the audit entries and the archive files of every service against the hash chain of the service.
///
/// Each hash chain must also contain two groups of seals (hash-chain links): the seals in the seal file, and the seals in `known`,
/// which the operator passes as options.
pub async fn verify_audit_logs(options: AllServicesOptions, known: Vec<ExpectedSeal>, archives: Vec<PathBuf>) -> anyhow::Result<()> {
    telemetry::start_telemetry(options.settings(), "patio")?;
    let host = ServiceHost::with_local_services(options.settings().clone()).await?;
    let (mut found, file) = (0, host.settings.audit_seal_file_path());
    for file in &archives {
        archive::read_service_name_from_archive(file).with_context(|| file.display().to_string())?;
    }
    for schema in DATABASE_SCHEMAS {
        let db = Db::open_existing(schema, &host.settings).await?;
        let mut report = hash_chain::verify_chain(&db, host.clock.now()).await?;
        for ExpectedSeal { id, digest, .. } in known.iter().filter(|known| known.service == schema.name) {
            if !hash_chain::is_seal_in_database(&db, *id, digest).await? {
                report.problems.push(format!("seal {id} differs from the given one: entries were cut off or the chain was rewritten"));
            }
        }
        if let Some(file) = &file {
            let (problems, count) = hash_chain::compare_chain_with_seal_file(&db, file, schema.name).await?;
            report.problems.extend(problems);
            if count == 0 && report.seals > 0 {
                report.problems.push(format!("{} contains no seal of this service", file.display()));
            }
        }
        for file in archives.iter().filter(|file| archive::read_service_name_from_archive(file).is_ok_and(|service| service == schema.name))
        {
            let verified = archive::verify_archive(&db, file).await.with_context(|| file.display().to_string())?;
            print_to_stdout(&format!(
                "{}: {} entries and {} seals of {} verified\n",
                schema.name,
                verified.entries,
                verified.seals,
                file.display()
            ))?;
            report.problems.extend(verified.problems.into_iter().map(|problem| format!("{}: {problem}", file.display())));
        }
        print_to_stdout(&format!(
            "{}: {} entries and {} seals verified{}, {} deleted after their retention, {} archived\n",
            schema.name,
            report.entries,
            report.seals,
            file.as_ref().map(|file| format!(", also against {}", file.display())).unwrap_or_default(),
            report.removed,
            report.archived
        ))?;
        if let Some((id, digest)) = &report.last {
            print_to_stdout(&format!("{0}: for the next verification, note --seal {0}:{id}:{digest}\n", schema.name))?;
        }
        for problem in &report.problems {
            print_to_stdout(&format!("{}: {problem}\n", schema.name))?;
        }
        found += report.problems.len();
        db.close().await;
    }
    anyhow::ensure!(found == 0, "the audit log failed the verification: {found} problems");
    Ok(())
}

/// Parses a month written as YYYY-MM, and returns the first instant of the month in UTC.
pub fn parse_month(text: &str) -> Result<DateTime<Utc>, String> {
    let day = NaiveDate::parse_from_str(&format!("{text}-01"), "%Y-%m-%d");
    let first = day.ok().and_then(|day| day.and_hms_opt(0, 0, 0)).map(|first| first.and_utc());
    first.ok_or_else(|| format!("`{text}` is not a month such as 2027-01"))
}

/// Moves the audit entries of every service that are older than `before` to files in `folder`. `before` must be the first instant of a
/// month.
pub async fn archive_audit_entries(options: AllServicesOptions, before: DateTime<Utc>, folder: PathBuf) -> anyhow::Result<()> {
    telemetry::start_telemetry(options.settings(), "patio")?;
    let host = ServiceHost::with_local_services(options.settings().clone()).await?;
    for schema in DATABASE_SCHEMAS {
        let db = Db::open_existing(schema, &host.settings).await?;
        let parts = archive::archive_partitions_before(&db, &host.clock, before, &folder).await.context(schema.name)?;
        for part in &parts {
            print_to_stdout(&format!("{}: {} entries moved to {}\n", schema.name, part.entries, part.file.display()))?;
        }
        if parts.is_empty() {
            print_to_stdout(&format!("{}: no month to archive\n", schema.name))?;
        }
        db.close().await;
    }
    Ok(())
}
