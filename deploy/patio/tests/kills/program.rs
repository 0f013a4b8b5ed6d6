//! A test program that is each of Patio's services, too, when it starts itself anew.
use crate::cluster;
use patio_kit::{
    command,
    testing::{POSTGRES, REDIS, from_environment},
};
use std::{io::Write, process::ExitCode};

/// Runs as the service it is asked to be, else tries what the name says with the URLs of PostgreSQL and Redis; what fails
/// panics, and the exit code says so.
pub fn run(name: &str, tried: impl FnOnce(&str, &str)) -> ExitCode {
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
    let others_asked = std::env::args().skip(1).any(|word| !word.starts_with('-') && !name.contains(&word));
    let (Some(postgres), Some(redis)) = (from_environment(POSTGRES), from_environment(REDIS)) else {
        say(&format!("{POSTGRES} or {REDIS} is not set: skipped"));
        return ended(0, 1);
    };
    if others_asked {
        return ended(0, 0);
    }
    tried(&postgres, &redis);
    say(&format!("test {name} ... ok"));
    ended(1, 0)
}

/// Says how it went as the other tests do.
fn ended(passed: u32, ignored: u32) -> ExitCode {
    say(&format!("test result: ok. {passed} passed; 0 failed; {ignored} ignored; 0 measured; 0 filtered out"));
    ExitCode::SUCCESS
}

/// Says something to whoever runs the tests.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
