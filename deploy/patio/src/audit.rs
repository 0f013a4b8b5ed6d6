//! Looking after the audit log.
use crate::process::{Options, SCHEMAS};
use patio_kit::{audit::seal, command::print, host::Host, telemetry};
use std::str::FromStr;

/// A seal that was kept outside the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    service: String,
    id: i64,
    digest: String,
}

impl FromStr for Known {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<_> = text.split(':').collect();
        match parts[..] {
            [service, id, digest] if SCHEMAS.iter().any(|schema| schema.name == service) => {
                let id = id.parse().map_err(|_| format!("{id} is not the number of a seal"))?;
                Ok(Self { service: service.to_owned(), id, digest: digest.to_owned() })
            }
            _ => Err(format!("{text} is not SERVICE:NUMBER:DIGEST; services are {}", SCHEMAS.map(|schema| schema.name).join(", "))),
        }
    }
}

/// Compares every audit entry of all services with the chain of digests, and the chain with the seals that are known.
pub async fn verify(options: Options, known: Vec<Known>) -> anyhow::Result<()> {
    telemetry::start(options.settings(), "patio")?;
    let host = Host::local(options.settings().clone()).await?;
    let mut found = 0;
    for schema in SCHEMAS {
        let db = host.database(schema).await?;
        let mut report = seal::verify(&db, host.clock.now()).await?;
        for Known { id, digest, .. } in known.iter().filter(|known| known.service == schema.name) {
            if !seal::holds(&db, *id, digest).await? {
                report.problems.push(format!("seal {id} is not the one that was known: entries were cut off or the chain was made anew"));
            }
        }
        print(&format!(
            "{}: {} entries and {} seals compared, {} removed when due\n",
            schema.name, report.entries, report.seals, report.removed
        ))?;
        if let Some((id, digest)) = &report.last {
            print(&format!("{0}: keep --seal {0}:{id}:{digest} for the next time\n", schema.name))?;
        }
        for problem in &report.problems {
            print(&format!("{}: {problem}\n", schema.name))?;
        }
        found += report.problems.len();
        db.close().await;
    }
    anyhow::ensure!(found == 0, "the audit log does not hold: {found} problems");
    Ok(())
}
