//! A backup that was never put back is none.
use super::everything;
use patio_harness::{Client, Database, Folder, Output, POSTGRES, Patio, run, shared, until};
use patio_testing::tell;
use serde_json::json;
use sqlx::{Connection, Executor, SqliteConnection};
use std::{path::Path, process::Command, time::Duration};

fn patio(data: &Path, arguments: &[&str]) -> Output {
    run("patio", arguments, &[("PATIO_DATA_DIR", data.to_str().unwrap())])
}

/// What somebody does who may write to the database and wants the last entries gone.
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

/// The last seal of vehicle-svc, as soon as there is one.
fn first_seal(data: &Path) -> String {
    let mut seal = None;
    until("vehicle-svc has sealed its log", Duration::from_secs(20), || {
        let verified = patio(data, &["audit", "verify"]).text();
        let mut seals = verified.split("--seal ").filter_map(|rest| rest.split(' ').next());
        seal = seals.find(|seal| seal.starts_with("vehicle:")).map(str::to_owned);
        seal.is_some()
    });
    seal.unwrap()
}

/// A Patio with a campaign of which one vehicle was saved: its supervisor and the vehicles.
fn used(patio: &Patio) -> (Client, Vec<i64>) {
    let admin = patio.sign_in();
    let vehicles = admin.import_template().vehicle_ids();
    admin.save(vehicles[0], &json!({ "status": "ng", "operator_notes": "before the backup" }));
    (admin, vehicles)
}

#[test]
fn a_backup_of_sqlite_taken_while_it_is_used_restores_what_was_there() {
    let (_turn, folder) = (shared(), Folder::temporary());
    let running = Patio::builder().folder(folder.path()).start();
    let (admin, vehicles) = used(&running);
    let before = everything(&admin);
    let (data, copy) = (running.data(), folder.path().join("copy"));
    let done = patio(&data, &["backup", copy.to_str().unwrap()]);
    assert_eq!(done.code, Some(0), "{done:?}");
    admin.save(vehicles[1], &json!({ "status": "ok" }));
    assert_ne!(everything(&admin), before, "life goes on");
    assert_eq!(patio(&data, &["backup", copy.to_str().unwrap()]).code, Some(1), "a backup is never written over");
    let done = patio(&data, &["restore", copy.to_str().unwrap()]);
    assert!(done.code == Some(1) && done.text().contains("is there already"), "{done:?}");
    running.stop();

    let other = folder.path().join("other");
    let data = other.join("data");
    let done = patio(&data, &["restore", copy.to_str().unwrap()]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let restored = Patio::builder().folder(&other).start();
    let admin = restored.sign_in();
    assert_eq!(everything(&admin), before);
    admin.save(vehicles[2], &json!({ "status": "ok" }));
    let seal = first_seal(&data);
    restored.stop();
    let done = patio(&data, &["audit", "verify", "--seal", &seal]);
    assert_eq!(done.code, Some(0), "{done:?}");
    // What was cut off at the end of the log shows by a seal that was kept.
    cut_off_the_last_seal(&data.join("vehicle.db"));
    assert_eq!(patio(&data, &["audit", "verify"]).code, Some(0));
    let done = patio(&data, &["audit", "verify", "--seal", &seal]);
    assert!(done.code == Some(1) && done.text().contains("entries were cut off"), "{done:?}");
}

#[test]
fn a_backup_of_postgresql_restores_what_was_there() {
    let _turn = shared();
    let (Some(first), Some(second)) = (Database::fresh(), Database::fresh()) else {
        return tell(&format!("{POSTGRES} is not set: skipped"));
    };
    let (running, folder) = (Patio::builder().postgres(&first.url()).start(), Folder::temporary());
    let (admin, vehicles) = used(&running);
    let before = everything(&admin);
    let dump = folder.path().join("patio.dump").display().to_string();
    tool("pg_dump", &["--format=custom", &format!("--file={dump}"), &first.url()]);
    admin.save(vehicles[1], &json!({ "status": "ok" }));
    running.stop();

    tool("pg_restore", &["--exit-on-error", "--no-owner", &format!("--dbname={}", second.url()), &dump]);
    let restored = Patio::builder().postgres(&second.url()).start();
    let admin = restored.sign_in();
    assert_eq!(everything(&admin), before);
    admin.save(vehicles[2], &json!({ "status": "ok" }));
    restored.stop();
    is_verified(&second.url());
}

/// Proves that the audit log of a PostgreSQL database is whole.
#[track_caller]
pub fn is_verified(database: &str) {
    let settings = [("PATIO_DATABASE_URL", database), ("PATIO_DATA_DIR", "/tmp"), ("PATIO_UNSAFE", "true")];
    let done = run("patio", &["audit", "verify"], &settings);
    assert_eq!(done.code, Some(0), "{done:?}");
}

/// Runs a tool of PostgreSQL.
#[track_caller]
pub fn tool(tool: &str, arguments: &[&str]) {
    let done = Command::new(tool).args(arguments).output().unwrap();
    assert!(done.status.success(), "{tool} {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}
