//! Phones that work with a poor signal: whatever is cut off, refused, sent twice, out of order or answered into the void,
//! every save that was acknowledged is there once, nothing is written over without a conflict, and all screens agree in the
//! end.
//!
//! Five processes on PostgreSQL with Redis, which are this program again; the gateway is killed and started meanwhile. Six
//! phones for ten seconds; with `PATIO_TEST_LONG=1` twenty for five minutes, with a larger number for so many seconds.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]
mod client;
#[path = "../kills/cluster.rs"]
mod cluster;
#[path = "../kills/ledger.rs"]
#[expect(dead_code, reason = "this test needs a part of what the kills need")]
mod ledger;
mod phone;
#[path = "../kills/program.rs"]
mod program;
mod proof;
mod screen;

use client::Client;
use cluster::Cluster;
use ledger::Ledger;
use patio_kit::testing::{LONG, from_environment};
use phone::{Counts, Phone, World};
use program::say;
use rust_xlsxwriter::Workbook;
use serde_json::json;
use std::{
    process::ExitCode,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

/// Vehicles of the campaign.
const VEHICLES: u32 = 400;
/// How long all screens may take to agree once all is sent, which takes what the machine takes.
const AGREED: Duration = Duration::from_secs(10);

/// How many phones, for how long, and how long a gateway lives at least.
struct Plan {
    phones: usize,
    time: Duration,
    lives: Duration,
}

fn main() -> ExitCode {
    program::run("every_acknowledged_save_is_there_once_and_nothing_is_written_over_unseen", |postgres, redis| {
        let short = Plan { phones: 6, time: Duration::from_secs(10), lives: Duration::from_secs(3) };
        let plan = from_environment(LONG).map_or(short, |told| {
            let seconds = told.parse().ok().filter(|seconds| *seconds > 1).unwrap_or(300);
            Plan { phones: 20, time: Duration::from_secs(seconds), lives: Duration::from_secs(12) }
        });
        all(postgres, redis, &plan);
    })
}

fn all(postgres: &str, redis: &str, plan: &Plan) {
    let seed = u64::try_from(uuid::Uuid::now_v7().as_u128() & u128::from(u64::MAX)).unwrap() | 1;
    say(&format!("seed {seed}"));
    let ledger = Ledger::on(postgres);
    let mut cluster = Cluster::start(&ledger.url, &format!("{redis}/{}", 4 + seed % 12));
    let campaign = import(&cluster);
    people(&cluster, plan.phones);
    Client::appoint_chief(&cluster.url);
    let world = Arc::new(World::new(cluster.url.clone(), campaign));
    let phones: Vec<_> = (0..plan.phones).map(|number| Phone::new(&world, number, seed)).collect();
    let (screens, working): (Vec<_>, Vec<_>) =
        phones.into_iter().map(|phone| (phone.screen.clone(), thread::spawn(move || phone.work()))).unzip();
    let kills = kill_gateways(&mut cluster, plan);
    let last_cut = Instant::now();
    world.calm();
    let done: Vec<phone::Done> = working.into_iter().map(|phone| phone.join().unwrap()).collect();
    let (sent, all_sent) = (last_cut.elapsed(), Instant::now());
    say(&format!("{} saves waited in the outboxes, the last was acknowledged {sent:?} after the last cut", world.waited()));
    let truth = screen::whole(&Client::signed_in(&cluster.url, "op0"), campaign).1;
    while let Some(odd) = screens.iter().position(|screen| screen.rows() != truth) {
        assert!(all_sent.elapsed() < AGREED, "the screen of phone {odd} shows something else: {}", screens[odd].differs(&truth));
        thread::sleep(Duration::from_millis(20));
    }
    let agreed = last_cut.elapsed();
    let mut counts = Counts::default();
    done.iter().for_each(|phone| counts.add(&phone.counts));
    let saves = done.into_iter().flat_map(|phone| phone.saves).collect();
    let conflicts = proof::replayed(&ledger.url, campaign, saves);
    ledger.counters_equal_the_rows();
    say(&format!("{} phones for {:?}: {counts}; {kills} gateways killed", plan.phones, plan.time));
    say(&format!("all saves there once, {conflicts} fields in conflict, all screens agreed {agreed:?} after the last cut"));
    say(&world.told());
    assert!(counts.saves > 20 && conflicts > 0 && kills > 0, "the test did what it is for");
}

/// Kills the gateway and starts it again until the time is over; how often.
fn kill_gateways(cluster: &mut Cluster, plan: &Plan) -> usize {
    let (begun, mut kills) = (Instant::now(), 0);
    while begun.elapsed() + plan.lives < plan.time {
        thread::sleep(plan.lives);
        cluster.kill("gateway");
        thread::sleep(Duration::from_millis(300));
        cluster.begin("gateway");
        kills += 1;
    }
    thread::sleep(plan.time.saturating_sub(begun.elapsed()));
    cluster.wait_until_ready();
    kills
}

/// Makes the campaign; its id.
fn import(cluster: &Cluster) -> i64 {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet().set_name("Sheet1").unwrap();
    sheet.write_row(0, 0, ["Campaign", "Part", "Description", "Model Code", "Serial Number", "Parking Space"]).unwrap();
    for row in 1..=VEHICLES {
        sheet.write_row(row, 3, ["HB20".to_owned(), format!("{row:06}"), format!("A-{row}")]).unwrap();
    }
    sheet.write_string(1, 0, "Poor signal").unwrap();
    cluster.import(&book.save_to_buffer().unwrap())
}

/// Makes an operator for each phone.
fn people(cluster: &Cluster, phones: usize) {
    for number in 0..phones {
        let person = json!({ "hmc": format!("op{number}"), "password": client::PASSWORD, "user_type": "op" });
        let (status, body) = cluster.call("post", "/api/sign-up", Some(&person));
        assert!((200..300).contains(&status), "{status} {body}");
    }
}
