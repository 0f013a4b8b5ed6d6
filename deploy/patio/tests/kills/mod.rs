//! Kills one service with `kill -9` during an import, a deletion or a bulk change. Within a minute, the operation must be
//! either complete or undone, and the counters must equal the rows.
//!
//! Five processes on PostgreSQL. Runs two rounds of each kind, or fifty with `PATIO_TEST_LONG=1`, or the number in that variable.
pub mod ledger;
mod rounds;

use ledger::Ledger;
use patio_harness::{
    Client, Database, HttpResponse, POSTGRES_URL_VARIABLE, Patio, REDIS_URL_VARIABLE, acquire_heavy_test_slot, claim_empty_redis_database,
};
use patio_testing::{LONG, from_environment, print_to_stderr};
use serde_json::Value;
use std::time::{Duration, Instant};

/// Maximum time of any call.
const ANSWERED: Duration = Duration::from_secs(130);

#[test]
fn operations_are_complete_or_undone_after_a_kill() {
    let _turn = acquire_heavy_test_slot();
    let Some((patio, ledger)) = start() else {
        return print_to_stderr(&format!("{POSTGRES_URL_VARIABLE} or {REDIS_URL_VARIABLE} is not set: skipped"));
    };
    let long = from_environment(LONG).map(|value| value.parse().ok().filter(|rounds| *rounds > 1).unwrap_or(50));
    rounds::all(patio, ledger, (long.unwrap_or(2), long.is_some()));
}

/// Starts five processes on an empty database. Returns `None` if no database servers are configured.
pub fn start() -> Option<(Patio, Ledger)> {
    let (database, redis) = (Database::create()?, claim_empty_redis_database()?);
    Some((Patio::builder().with_separate_processes().with_postgres(&database.url()).with_redis(&redis).start(), Ledger(database)))
}

/// Signs in as the first supervisor, with a new connection per call.
pub fn supervisor(patio: &Patio) -> Client {
    patio.sign_in().without_connection_reuse(ANSWERED)
}

/// Returns status and body of a response; status 0 means no response.
fn outcome(answer: Result<HttpResponse, ureq::Error>) -> (u16, Value) {
    answer.map_or((0, Value::Null), |answer| (answer.status, answer.json()))
}

/// Imports a valid workbook and returns the campaign id. Retries while a service is unavailable or the upload is in progress.
pub fn import(patio: &Patio, admin: &Client, file: &[u8]) -> i64 {
    let (id, begun) = (uuid::Uuid::now_v7().to_string(), Instant::now());
    loop {
        let (status, body) = outcome(admin.try_upload_workbook(&id, file));
        if status == 201 {
            return body["campaign"]["id"].as_i64().unwrap();
        }
        let may_go_on = [429, 503, 504].contains(&status) && begun.elapsed() < Duration::from_secs(60);
        assert!(may_go_on, "an import: {status} {body}\n{}", patio.last_output_lines());
        print_to_stderr(&format!("import answered {status} {body} after {:?}, retrying", begun.elapsed()));
        std::thread::sleep(Duration::from_secs(1));
    }
}
