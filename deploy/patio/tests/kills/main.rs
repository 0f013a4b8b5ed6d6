//! `kill -9` of any one service at any point of an import, a deletion or a change of many vehicles: afterwards each is
//! wholly there or wholly absent within a minute, and the counters equal the rows.
//!
//! Five processes on PostgreSQL, which are this program again. Two rounds of each kind; with `PATIO_TEST_LONG=1` fifty,
//! with a larger number so many.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]
mod cluster;
mod ledger;
mod program;
mod rounds;

use patio_kit::testing::{LONG, from_environment};
use std::process::ExitCode;

fn main() -> ExitCode {
    program::run("whatever_is_killed_each_is_wholly_there_or_absent", |postgres, redis| {
        let rounds = from_environment(LONG).map_or(2, |told| told.parse().ok().filter(|rounds| *rounds > 1).unwrap_or(50));
        rounds::all(postgres, redis, rounds);
    })
}
