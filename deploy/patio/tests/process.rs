//! The combined process: start, stop, kill and restart.
use patio_harness::{
    Client, Database, Patio, PatioBuilder, Signal, TestFolder, acquire_heavy_test_slot, acquire_light_test_slot, run_program,
};
use serde_json::{Value, json};
use std::{
    path::Path,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::{Duration, Instant},
};

/// Number of acknowledged saves before a kill in the short form.
const SAVES: usize = 40;
/// Maximum wait for the acknowledged saves.
const LONGEST: Duration = Duration::from_secs(20);

/// Configures Patio without a password for the first supervisor, on SQLite or on the given database.
fn configure(folder: &Path, database: Option<&str>) -> PatioBuilder {
    let builder = Patio::builder().with_installation_folder(folder).without_setting("PATIO_ADMIN_PASSWORD");
    match database {
        Some(url) => builder.with_postgres(url),
        None => builder,
    }
}

/// Returns the first supervisor's HMC and password as printed to standard output.
fn credentials(patio: &Patio) -> Option<(String, String)> {
    let output = patio.first_process().read_output();
    let after = |label: &str| output.lines().find_map(|line| Some(line.split_once(label)?.1.trim().to_owned()));
    Some((after("HMC:")?, after("Password:")?))
}

fn sign_in(patio: &Patio) -> Client {
    let (hmc, password) = credentials(patio).unwrap();
    patio.client().sign_in(&hmc, &password)
}

#[test]
fn the_first_password_is_printed_once_and_all_saves_survive_a_restart() {
    let (_turn, folder) = (acquire_light_test_slot(), TestFolder::create_temporary());
    let mut patio = configure(folder.path(), None).start();
    let admin = sign_in(&patio);
    let vehicle = admin.import_template_workbook().vehicle_ids()[0];
    let saved = admin.save_vehicle(vehicle, &json!({ "status": "ng", "operator_notes": "before the restart" }));
    patio.first_process_mut().stop(Signal::Interrupt);
    let output = patio.first_process().read_output();
    assert!(output.contains("Patio has stopped."), "{output}");

    let mut again = configure(folder.path(), None).start();
    assert_eq!(credentials(&again), None, "printed again: {}", again.first_process().read_output());
    let found = again.client().with_token(admin.token()).get_vehicle(vehicle);
    assert_eq!((&found["operator_notes"], &found["version"]), (&saved["operator_notes"], &saved["version"]));
    again.first_process_mut().stop(Signal::Terminate);
}

#[test]
fn a_kill_during_saves_loses_no_acknowledged_save() {
    let _turn = acquire_heavy_test_slot();
    killed_again_and_again("SQLite", None, Duration::from_secs(1));
    match Database::create() {
        Some(database) => killed_again_and_again("PostgreSQL", Some(&database.url()), Duration::from_secs(3)),
        None => patio_testing::print_to_stderr(&format!("{} is not set: PostgreSQL skipped", patio_testing::POSTGRES)),
    }
}

/// Kills the process five times, or in the long form until 100,000 saves are acknowledged.
fn killed_again_and_again(on: &str, database: Option<&str>, patience: Duration) {
    let long = patio_testing::long("a_kill_during_saves_loses_no_acknowledged_save");
    let (wanted, shift) = if long { (100_000, Some(Duration::from_secs(4))) } else { (1, None) };
    let folder = TestFolder::create_temporary();
    let mut patio = configure(folder.path(), database).start();
    let mut admin = sign_in(&patio);
    let vehicles = admin.import_template_workbook().vehicle_ids();
    let (mut kills, mut acknowledged, mut slowest) = (0, 0, Duration::ZERO);
    while kills < 5 || acknowledged < wanted {
        let before = versions(&admin, &vehicles);
        let after = save_until_killed(&patio, &admin, &before, shift);
        assert_eq!(patio.first_process_mut().wait_for_exit().code(), None, "ended by the signal");
        kills += 1;
        acknowledged += after.iter().zip(&before).map(|((_, now), (_, was))| now - was).sum::<i64>();
        patio.start_all_processes();
        admin = patio.client().with_token(admin.token());
        let started = Instant::now();
        for ((id, version), (_, found)) in after.iter().zip(versions(&admin, &vehicles)) {
            // The save in progress may have been stored without a response.
            assert!((*version..=version + 1).contains(&found), "kill {kills}: vehicle {id} is at {found}, acknowledged was {version}");
        }
        admin.save_vehicle(vehicles[0], &json!({ "operator_notes": "after the kill" }));
        slowest = slowest.max(started.elapsed());
        let counts = admin.get("/api/campaigns");
        let list = admin.list_vehicles(counts["campaigns"][0]["id"].as_i64().unwrap());
        let inspected = list.iter().filter(|vehicle| vehicle["inspected"] == true).count();
        assert_eq!(counts["campaigns"][0]["total_inspected"], json!(inspected), "counters equal the rows");
        if database.is_none() {
            assert_unharmed(&patio, kills);
        }
    }
    assert!(slowest < patio_testing::patience(patience), "the first save after a restart took {slowest:?}");
    patio_testing::print_to_stderr(&format!(
        "{on}: {kills} kills, {acknowledged} acknowledged saves, none lost, none invented, saving again within {slowest:?}"
    ));
}

/// Makes an online backup, which checks every page of the copies.
fn assert_unharmed(patio: &Patio, number: i32) {
    let copy = patio.folder().join(format!("copy {number}"));
    let done = run_program("patio", &["backup", copy.to_str().unwrap()], &[("PATIO_DATA_DIR", patio.data_folder().to_str().unwrap())]);
    assert_eq!(done.code, Some(0), "kill {number} corrupted the database: {}", done.combined_output());
    std::fs::remove_dir_all(copy).unwrap();
}

fn versions(admin: &Client, vehicles: &[i64]) -> Vec<(i64, i64)> {
    vehicles.iter().map(|id| (*id, admin.get_vehicle(*id)["version"].as_i64().unwrap())).collect()
}

/// Saves each vehicle in a separate thread, kills the process during that, and returns the last acknowledged versions.
fn save_until_killed(patio: &Patio, admin: &Client, before: &[(i64, i64)], shift: Option<Duration>) -> Vec<(i64, i64)> {
    let (killed, acknowledged) = (&AtomicBool::new(false), &AtomicUsize::new(0));
    let save = |(id, mut version): (i64, i64)| {
        let path = format!("/api/vehicles/{id}");
        while !killed.load(Ordering::Relaxed) {
            let answer = admin.try_call_route("PUT", &path, &json!({ "operator_notes": format!("after {version}") }));
            let Some(saved): Option<Value> = answer.ok().filter(|answer| answer.is_success()).map(|answer| answer.json()) else { break };
            assert_eq!(saved["version"], version + 1, "each save is stored once");
            version += 1;
            acknowledged.fetch_add(1, Ordering::Relaxed);
        }
        (id, version)
    };
    let after: Vec<_> = std::thread::scope(|scope| {
        let savers: Vec<_> = before.iter().map(|vehicle| scope.spawn(move || save(*vehicle))).collect();
        let started = Instant::now();
        while shift.map_or(acknowledged.load(Ordering::Relaxed) < SAVES, |shift| started.elapsed() < shift) && started.elapsed() < LONGEST {
            std::thread::sleep(Duration::from_millis(5));
        }
        patio.first_process().send_signal(Signal::Kill);
        killed.store(true, Ordering::Relaxed);
        savers.into_iter().map(|saver| saver.join().unwrap()).collect()
    });
    assert!(after != before, "something was saved");
    after
}
