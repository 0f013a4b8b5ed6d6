//! Simulated phones with a poor network: requests and responses are lost, rejected, repeated or reordered. Every acknowledged
//! save must be stored exactly once, no value overwritten without a conflict, and all phones must show the same in the end.
//!
//! Five processes on PostgreSQL and Redis; the gateway is killed repeatedly. Six phones for six seconds. With
//! `PATIO_TEST_LONG=1`, twenty phones for five minutes; with a larger number, for that many seconds.
mod person;
mod phone;
mod proof;
mod screen;

use crate::{dice, kills, workbooks};
use patio_harness::{POSTGRES_URL_VARIABLE, Patio, REDIS_URL_VARIABLE, acquire_heavy_test_slot};
use patio_testing::{LONG, from_environment, print_to_stderr};
use person::Person;
use phone::{Counts, End, Phone, World};
use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

/// Number of vehicles in the campaign.
const VEHICLES: u32 = 400;
/// Maximum time until all phones show the same after the last save was sent.
const AGREED: Duration = Duration::from_secs(10);

/// Number of phones, duration of the test, and minimum lifetime of a gateway.
struct Plan {
    phones: usize,
    time: Duration,
    lives: Duration,
}

#[test]
fn every_acknowledged_save_is_stored_once_and_no_unseen_value_is_overwritten() {
    let _turn = acquire_heavy_test_slot();
    let short = Plan { phones: 6, time: Duration::from_secs(6), lives: Duration::from_secs(2) };
    let plan = from_environment(LONG).map_or(short, |value| {
        let seconds = value.parse().ok().filter(|seconds| *seconds > 1).unwrap_or(300);
        Plan { phones: 20, time: Duration::from_secs(seconds), lives: Duration::from_secs(12) }
    });
    let Some((mut patio, ledger)) = kills::start() else {
        return print_to_stderr(&format!("{POSTGRES_URL_VARIABLE} or {REDIS_URL_VARIABLE} is not set: skipped"));
    };
    let seed = dice::seed();
    print_to_stderr(&format!("seed {seed}"));
    let chief = kills::supervisor(&patio);
    let campaign = kills::import(&patio, &chief, &workbooks::campaign("Poor signal", "HB20", VEHICLES));
    for number in 0..plan.phones {
        chief.create_user(&format!("op{number}"), person::PASSWORD, "op");
    }
    let world = Arc::new(World::new(chief.clone(), campaign));
    let _end = End(Arc::clone(&world));
    let phones: Vec<_> = (0..plan.phones).map(|number| Phone::new(&world, number, seed)).collect();
    let (screens, working): (Vec<_>, Vec<_>) =
        phones.into_iter().map(|phone| (phone.screen.clone(), thread::spawn(move || phone.work()))).unzip();
    let kills = kill_gateways(&mut patio, &plan);
    let last_cut = Instant::now();
    world.calm();
    let done: Vec<phone::Done> = working.into_iter().map(|phone| phone.join().unwrap()).collect();
    let (sent, all_sent) = (last_cut.elapsed(), Instant::now());
    print_to_stderr(&format!(
        "{} saves were pending in the outboxes, the last acknowledged {sent:?} after the last network fault",
        world.waited()
    ));
    let truth = screen::whole(&Person::signed_in(&chief, "op0"), campaign).1;
    while let Some(odd) = screens.iter().position(|screen| screen.rows() != truth) {
        assert!(all_sent.elapsed() < AGREED, "phone {odd} shows different data: {}", screens[odd].differs(&truth));
        thread::sleep(Duration::from_millis(5));
    }
    let agreed = last_cut.elapsed();
    let mut counts = Counts::default();
    done.iter().for_each(|phone| counts.add(&phone.counts));
    let saves = done.into_iter().flat_map(|phone| phone.saves).collect();
    let conflicts = proof::replayed(&ledger.0.url(), campaign, saves);
    ledger.counters_equal_the_rows();
    print_to_stderr(&format!("{} phones for {:?}: {counts}; {kills} gateways killed", plan.phones, plan.time));
    print_to_stderr(&format!("all saves stored once, {conflicts} conflicts, all phones equal {agreed:?} after the last network fault"));
    print_to_stderr(&world.delays_as_text());
    assert!(counts.saves > 20 && conflicts > 0 && kills > 0, "the test must cause saves, conflicts and kills");
}

/// Kills and restarts the gateway until the time is over. Returns the number of kills.
fn kill_gateways(patio: &mut Patio, plan: &Plan) -> usize {
    let (begun, mut kills) = (Instant::now(), 0);
    while begun.elapsed() + plan.lives < plan.time {
        thread::sleep(plan.lives);
        patio.replica_mut("gateway", 0).kill();
        thread::sleep(Duration::from_millis(300));
        patio.replica_mut("gateway", 0).start().unwrap();
        kills += 1;
    }
    thread::sleep(plan.time.saturating_sub(begun.elapsed()));
    patio.wait_until_ready();
    kills
}
