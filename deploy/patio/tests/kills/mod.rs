//! `kill -9` of any one service at any point of an import, a deletion or a change of many vehicles: afterwards each is
//! wholly there or wholly absent within a minute, and the counters equal the rows.
//!
//! Five processes on PostgreSQL. Runs two rounds of each kind, fifty with `PATIO_TEST_LONG=1`, or the number that the variable states.
pub mod ledger;
mod rounds;

use ledger::Ledger;
use patio_harness::{Answer, Client, Database, POSTGRES, Patio, REDIS, heavy, redis_database};
use patio_testing::{LONG, from_environment, tell};
use serde_json::Value;
use std::time::{Duration, Instant};

/// How long any answer may take.
const ANSWERED: Duration = Duration::from_secs(130);

#[test]
fn whatever_is_killed_each_is_wholly_there_or_absent() {
    let _turn = heavy();
    let Some((patio, ledger)) = start() else { return tell(&format!("{POSTGRES} or {REDIS} is not set: skipped")) };
    let long = from_environment(LONG).map(|value| value.parse().ok().filter(|rounds| *rounds > 1).unwrap_or(50));
    rounds::all(patio, ledger, (long.unwrap_or(2), long.is_some()));
}

/// Five processes on a fresh database; `None` where the environment names no servers.
pub fn start() -> Option<(Patio, Ledger)> {
    let (database, redis) = (Database::fresh()?, redis_database()?);
    Some((Patio::builder().five_processes().postgres(&database.url()).redis(&redis).start(), Ledger(database)))
}

/// The first supervisor, over connections that do not outlive a call.
pub fn supervisor(patio: &Patio) -> Client {
    patio.sign_in().without_reuse(ANSWERED)
}

/// Status and body of an answer; the status is 0 without an answer.
fn outcome(answer: Result<Answer, ureq::Error>) -> (u16, Value) {
    answer.map_or((0, Value::Null), |answer| (answer.status, answer.json()))
}

/// Imports a good workbook and returns its campaign's id. Repeats the upload while a service is unavailable or the same
/// upload is in progress, as people do.
pub fn import(patio: &Patio, admin: &Client, file: &[u8]) -> i64 {
    let (id, begun) = (uuid::Uuid::now_v7().to_string(), Instant::now());
    loop {
        let (status, body) = outcome(admin.try_upload(&id, file));
        if status == 201 {
            return body["campaign"]["id"].as_i64().unwrap();
        }
        let may_go_on = [429, 503, 504].contains(&status) && begun.elapsed() < Duration::from_secs(60);
        assert!(may_go_on, "an import: {status} {body}\n{}", patio.last_lines());
        tell(&format!("import answered {status} {body} after {:?}, retrying", begun.elapsed()));
        std::thread::sleep(Duration::from_secs(1));
    }
}
