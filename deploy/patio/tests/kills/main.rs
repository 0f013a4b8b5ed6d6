//! `kill -9` of any one service at any point of an import, a deletion or a change of many vehicles: afterwards each is
//! wholly there or wholly absent within a minute, and the counters equal the rows.
//!
//! Five processes on PostgreSQL, which are this program again. Two rounds of each kind; with `PATIO_TEST_LONG=1` fifty,
//! with a larger number so many.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]
mod cluster;
mod ledger;
mod rounds;

use patio_kit::{
    command,
    testing::{POSTGRES, REDIS, from_environment},
};
use std::{io::Write, process::ExitCode};

const NAME: &str = "whatever_is_killed_each_is_wholly_there_or_absent";

fn main() -> ExitCode {
    if let Some(code) = import_svc::reader::main_if_asked() {
        return code;
    }
    match from_environment(cluster::SERVICE).as_deref() {
        Some("auth") => return command::main::<auth_svc::Auth>(),
        Some("campaign") => return command::main::<campaign_svc::Campaigns>(),
        Some("vehicle") => return command::main::<vehicle_svc::Vehicles>(),
        Some("import") => return command::main::<import_svc::Imports>(),
        Some(_) => return cluster::gateway(),
        None => {}
    }
    let others_asked = std::env::args().skip(1).any(|word| !word.starts_with('-') && !NAME.contains(&word));
    let (Some(postgres), Some(redis)) = (from_environment(POSTGRES), from_environment(REDIS)) else {
        say(&format!("{POSTGRES} or {REDIS} is not set: skipped"));
        return ended(0, 1);
    };
    if others_asked {
        return ended(0, 0);
    }
    let rounds = from_environment("PATIO_TEST_LONG").map_or(2, |told| told.parse().ok().filter(|rounds| *rounds > 1).unwrap_or(50));
    // What fails panics, and the exit code says so.
    rounds::all(&postgres, &redis, rounds);
    say(&format!("test {NAME} ... ok"));
    ended(1, 0)
}

/// Says how it went as the other tests do.
fn ended(passed: u32, ignored: u32) -> ExitCode {
    say(&format!("test result: ok. {passed} passed; 0 failed; {ignored} ignored; 0 measured; 0 filtered out"));
    ExitCode::SUCCESS
}

fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
