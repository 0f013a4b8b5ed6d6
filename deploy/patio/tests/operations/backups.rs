//! Tests of backups by restoring them.
use super::everything;
use crate::workbooks;
use patio_harness::{
    Client, Database, POSTGRES_URL_VARIABLE, Patio, ProgramOutput, TestFolder, acquire_light_test_slot, run_program, wait_until,
};
use patio_testing::print_to_stderr;
use serde_json::json;
use sqlx::{Connection, Executor, SqliteConnection};
use std::{
    fs,
    path::Path,
    process::Command,
    thread,
    time::{Duration, UNIX_EPOCH},
};

fn patio(data: &Path, arguments: &[&str]) -> ProgramOutput {
    run_program("patio", arguments, &[("PATIO_DATA_DIR", data.to_str().unwrap())])
}

/// Deletes the last seal and its events from the database, as an attacker with write access would.
#[tokio::main(flavor = "current_thread")]
async fn cut_off_the_last_seal(file: &Path) {
    let mut database = SqliteConnection::connect(file.to_str().unwrap()).await.unwrap();
    let last = "seal = (select max(id) from audit_seals)";
    for command in [
        format!("delete from audit_events where id >= (select min(event_id) from audit_digests where {last})"),
        format!("delete from audit_digests where {last}"),
        "delete from audit_seals where id = (select max(id) from audit_seals)".to_owned(),
    ] {
        database.execute(sqlx::AssertSqlSafe(command)).await.unwrap();
    }
    database.close().await.unwrap();
}

/// Waits for the first seal of vehicle-svc and returns it.
fn first_seal(data: &Path) -> String {
    let mut seal = None;
    wait_until("vehicle-svc has sealed its log", Duration::from_secs(20), || {
        let verified = patio(data, &["audit", "verify"]).combined_output();
        let mut seals = verified.split("--seal ").filter_map(|rest| rest.split_whitespace().next());
        seal = seals.find(|seal| seal.starts_with("vehicle:")).map(str::to_owned);
        seal.is_some()
    });
    seal.unwrap()
}

/// Imports a campaign and saves one vehicle. Returns the supervisor's client and the vehicle ids.
fn used(patio: &Patio) -> (Client, Vec<i64>) {
    let admin = patio.sign_in();
    let vehicles = admin.import_template_workbook().vehicle_ids();
    admin.save_vehicle(vehicles[0], &json!({ "status": "ng", "operator_notes": "before the backup" }));
    (admin, vehicles)
}

#[test]
fn an_online_backup_of_sqlite_can_be_restored() {
    let (_turn, folder) = (acquire_light_test_slot(), TestFolder::create_temporary());
    let running = Patio::builder().with_installation_folder(folder.path()).start();
    let (admin, vehicles) = used(&running);
    let before = everything(&admin);
    let (data, copy) = (running.data_folder(), folder.path().join("copy"));
    let done = patio(&data, &["backup", copy.to_str().unwrap()]);
    assert_eq!(done.code, Some(0), "{done:?}");
    admin.save_vehicle(vehicles[1], &json!({ "status": "ok" }));
    assert_ne!(everything(&admin), before, "the data has changed since the backup");
    assert_eq!(patio(&data, &["backup", copy.to_str().unwrap()]).code, Some(1), "an existing backup is never overwritten");
    let done = patio(&data, &["restore", copy.to_str().unwrap()]);
    assert!(done.code == Some(1) && done.combined_output().contains("already exists"), "{done:?}");
    running.stop();

    let other = folder.path().join("other");
    let data = other.join("data");
    let done = patio(&data, &["restore", copy.to_str().unwrap()]);
    assert_eq!(done.code, Some(0), "{done:?}");
    // The key file that encrypts the signing keys is not part of the backup.
    fs::copy(folder.path().join("auth.key"), other.join("auth.key")).unwrap();
    let restored = Patio::builder().with_installation_folder(&other).start();
    let admin = restored.sign_in();
    assert_eq!(everything(&admin), before);
    admin.save_vehicle(vehicles[2], &json!({ "status": "ok" }));
    let seal = first_seal(&data);
    restored.stop();
    let done = patio(&data, &["audit", "verify", "--seal", &seal]);
    assert_eq!(done.code, Some(0), "{done:?}");
    // A seal noted outside the database reveals that the end of the log was cut off.
    cut_off_the_last_seal(&data.join("vehicle.db"));
    let done = patio(&data, &["audit", "verify"]);
    assert!(done.code == Some(1) && done.combined_output().contains("seals.log: entries were cut off"), "{done:?}");
    fs::rename(data.join("seals.log"), data.join("away")).unwrap();
    let done = patio(&data, &["audit", "verify"]);
    assert!(done.code == Some(1) && done.combined_output().contains("contains no seal of this service"), "{done:?}");
    let done = patio(&data, &["audit", "verify", "--seal", &seal]);
    assert!(done.code == Some(1) && done.combined_output().contains("entries were cut off"), "{done:?}");
}

/// Number of vehicles whose database takes longer to copy than the import of a campaign takes.
const MANY_VEHICLES: u32 = 40_000;

/// Returns the ids that a query selects from a database file.
#[tokio::main(flavor = "current_thread")]
async fn ids(file: &Path, query: &'static str) -> Vec<i64> {
    let mut database = SqliteConnection::connect(file.to_str().unwrap()).await.unwrap();
    sqlx::query_scalar(query).fetch_all(&mut database).await.unwrap()
}

#[test]
fn a_campaign_imported_during_a_backup_is_complete_in_the_copy_or_not_in_it() {
    let (_turn, folder) = (acquire_light_test_slot(), TestFolder::create_temporary());
    let running = Patio::builder().with_installation_folder(folder.path()).start();
    let admin = running.sign_in().with_timeout(Duration::from_secs(120));
    admin.import_workbook(&workbooks::campaign("Large", "HB20", MANY_VEHICLES));
    let (data, copy) = (running.data_folder(), folder.path().join("copy"));
    let done = thread::scope(|scope| {
        let backup = scope.spawn(|| patio(&data, &["backup", copy.to_str().unwrap()]));
        wait_until("the vehicles are copied", Duration::from_secs(120), || copy.join("vehicle.db").exists());
        admin.import_workbook(&workbooks::campaign("Small", "HB20", 1));
        backup.join().unwrap()
    });
    running.stop();
    assert_eq!(done.code, Some(0), "{done:?}");
    let campaigns = ids(&copy.join("campaign.db"), "select id from campaigns where state = 'live' order by id");
    assert_eq!(ids(&copy.join("vehicle.db"), "select distinct campaign_id from vehicles order by campaign_id"), campaigns);
}

#[test]
fn a_metric_has_the_time_of_the_last_backup() {
    let (_turn, folder) = (acquire_light_test_slot(), TestFolder::create_temporary());
    let running = Patio::builder().with_installation_folder(folder.path()).start();
    let url = format!("{}/metrics", running.replica("patio", 0).admin_url());
    let reported = || {
        let metrics = ureq::get(&url).call().unwrap().body_mut().read_to_string().unwrap();
        let line = metrics.lines().find(|line| line.starts_with("patio_backup_last_success_timestamp_seconds")).unwrap().to_owned();
        line.split_whitespace().last().unwrap().parse::<f64>().unwrap()
    };
    assert!(reported().abs() < 1.0, "no backup was ever made");
    let copy = folder.path().join("copy");
    let refused = patio(&running.data_folder(), &["backup", folder.path().to_str().unwrap()]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(!running.data_folder().join("last-backup").exists(), "a failed backup counts for nothing");
    let done = patio(&running.data_folder(), &["backup", copy.to_str().unwrap()]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let made = fs::metadata(&copy).unwrap().modified().unwrap().duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
    wait_until("the metric shows the backup", Duration::from_secs(20), || (reported() - made).abs() < 60.0);
    running.stop();
}

#[test]
fn an_encrypted_backup_is_unreadable_without_its_key() {
    let (_turn, folder) = (acquire_light_test_slot(), TestFolder::create_temporary());
    let running = Patio::builder().with_installation_folder(folder.path()).start();
    let (admin, _) = used(&running);
    let before = everything(&admin);
    let (data, copy, identity) = (running.data_folder(), folder.path().join("copy"), folder.path().join("identity"));
    let made = Command::new("age-keygen").arg("-o").arg(&identity).output().unwrap();
    let key_output = String::from_utf8_lossy(&made.stderr).into_owned();
    let recipient = key_output.split_whitespace().last().unwrap().to_owned();
    let refused = patio(&data, &["backup", "--recipient", "age1unknown", copy.to_str().unwrap()]);
    assert!(refused.code == Some(1) && !copy.exists(), "a failed backup leaves no plain copies: {refused:?}");
    let done = patio(&data, &["backup", "--recipient", &recipient, copy.to_str().unwrap()]);
    assert!(done.code == Some(0) && !done.combined_output().contains("not encrypted"), "{done:?}");
    running.stop();
    let names: Vec<_> = fs::read_dir(&copy).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(names.len() >= 4 && names.iter().all(|name| name.extension().is_some_and(|end| end == "age")), "{names:?}");
    let shows = |name: &Path| fs::read(name).unwrap().windows(17).any(|part| part == b"before the backup");
    assert!(!names.iter().any(|name| shows(name)), "the backup must not contain saved data in plain text");
    let other = folder.path().join("other");
    let refused = patio(&other.join("data"), &["restore", copy.to_str().unwrap()]);
    assert!(refused.code == Some(1) && refused.combined_output().contains("set --identity"), "{refused:?}");
    let done = patio(&other.join("data"), &["restore", "--identity", identity.to_str().unwrap(), copy.to_str().unwrap()]);
    assert_eq!(done.code, Some(0), "{done:?}");
    fs::copy(folder.path().join("auth.key"), other.join("auth.key")).unwrap();
    let restored = Patio::builder().with_installation_folder(&other).start();
    assert_eq!(everything(&restored.sign_in()), before);
    restored.stop();
}

#[test]
fn a_backup_of_postgresql_can_be_restored() {
    let _turn = acquire_light_test_slot();
    let (Some(first), Some(second)) = (Database::create(), Database::create()) else {
        return print_to_stderr(&format!("{POSTGRES_URL_VARIABLE} is not set: skipped"));
    };
    let folder = TestFolder::create_temporary();
    let key = folder.path().join("auth.key").display().to_string();
    let running = Patio::builder().with_postgres(&first.url()).with_setting("PATIO_KEY_FILE", &key).start();
    let (admin, vehicles) = used(&running);
    let before = everything(&admin);
    let dump = folder.path().join("patio.dump").display().to_string();
    tool("pg_dump", &["--format=custom", &format!("--file={dump}"), &first.url()]);
    admin.save_vehicle(vehicles[1], &json!({ "status": "ok" }));
    running.stop();

    tool("pg_restore", &["--exit-on-error", "--no-owner", &format!("--dbname={}", second.url()), &dump]);
    let restored = Patio::builder().with_postgres(&second.url()).with_setting("PATIO_KEY_FILE", &key).start();
    let admin = restored.sign_in();
    assert_eq!(everything(&admin), before);
    admin.save_vehicle(vehicles[2], &json!({ "status": "ok" }));
    restored.stop();
    is_verified(&second.url());
}

/// Asserts that the audit log of a PostgreSQL database passes the verification.
#[track_caller]
pub fn is_verified(database: &str) {
    let settings = [("PATIO_DATABASE_URL", database), ("PATIO_DATA_DIR", "/tmp"), ("PATIO_ALLOW_DATA_LOSS", "true")];
    let done = run_program("patio", &["audit", "verify"], &settings);
    assert_eq!(done.code, Some(0), "{done:?}");
}

/// Runs a PostgreSQL command-line tool.
#[track_caller]
pub fn tool(tool: &str, arguments: &[&str]) {
    let done = Command::new(tool).args(arguments).output().unwrap();
    assert!(done.status.success(), "{tool} {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}
