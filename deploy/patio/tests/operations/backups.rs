//! A backup that was never put back is none.
use super::programs::{Patio, run};
use patio_kit::testing::{POSTGRES, from_environment};
use serde_json::json;
use sqlx::{Connection, Executor, SqliteConnection};
use std::{path::Path, process::Command, thread::sleep, time::Duration};

fn patio(data: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let (code, out, err) = run("patio", arguments, &[("PATIO_DATA_DIR", data.to_str().unwrap())]);
    (code, out + &err)
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
    let look = |_| {
        sleep(Duration::from_millis(200));
        let (_, told) = patio(data, &["audit", "verify"]);
        told.split("--seal ").filter_map(|rest| rest.split(' ').next()).find(|seal| seal.starts_with("vehicle:")).map(str::to_owned)
    };
    (0..100).find_map(look).unwrap()
}

#[test]
fn a_backup_of_sqlite_taken_while_it_is_used_restores_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let running = Patio::start(folder.path(), &[]);
    let vehicles = running.import();
    running.call("PUT", &format!("/api/vehicles/{}", vehicles[0]), &json!({ "status": "ng", "operator_notes": "before the backup" }));
    let before = running.everything();
    let (data, copy) = (folder.path().join("data"), folder.path().join("copy"));
    let (code, told) = patio(&data, &["backup", copy.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{told}");
    running.call("PUT", &format!("/api/vehicles/{}", vehicles[1]), &json!({ "status": "ok" }));
    assert_ne!(running.everything(), before, "life goes on");
    assert_eq!(patio(&data, &["backup", copy.to_str().unwrap()]).0, Some(1), "a backup is never written over");
    let (code, told) = patio(&data, &["restore", copy.to_str().unwrap()]);
    assert!(code == Some(1) && told.contains("is there already"), "{told}");
    running.stop();

    let other = folder.path().join("other");
    let (code, told) = patio(&other.join("data"), &["restore", copy.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{told}");
    let restored = Patio::start(&other, &[]);
    assert_eq!(restored.everything(), before);
    restored.call("PUT", &format!("/api/vehicles/{}", vehicles[2]), &json!({ "status": "ok" }));
    let seal = first_seal(&other.join("data"));
    restored.stop();
    let (code, told) = patio(&other.join("data"), &["audit", "verify", "--seal", &seal]);
    assert_eq!(code, Some(0), "{told}");
    // What was cut off at the end of the log shows by a seal that was kept.
    cut_off_the_last_seal(&other.join("data/vehicle.db"));
    assert_eq!(patio(&other.join("data"), &["audit", "verify"]).0, Some(0));
    let (code, told) = patio(&other.join("data"), &["audit", "verify", "--seal", &seal]);
    assert!(code == Some(1) && told.contains("entries were cut off"), "{told}");
}

#[test]
fn a_backup_of_postgresql_restores_what_was_there() {
    let Some(server) = from_environment(POSTGRES) else {
        let _ = patio_kit::command::print(&format!("{POSTGRES} is not set: skipped\n"));
        return;
    };
    let name = format!("patio_{}", uuid::Uuid::now_v7().simple());
    let (base, _) = server.rsplit_once('/').unwrap();
    let (first, second) = (format!("{base}/{name}"), format!("{base}/{name}_restored"));
    let tool = |tool: &str, arguments: &[&str]| {
        let done = Command::new(tool).args(arguments).output().unwrap();
        assert!(done.status.success(), "{tool} {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    };
    let make = |name: &str| tool("psql", &["-d", &server, "-qc", &format!("create database {name}")]);
    make(&name);
    let folder = tempfile::tempdir().unwrap();
    let running = Patio::start(folder.path(), &[("PATIO_DATABASE_URL", &first)]);
    let vehicles = running.import();
    running.call("PUT", &format!("/api/vehicles/{}", vehicles[0]), &json!({ "status": "ng", "operator_notes": "before the backup" }));
    let before = running.everything();
    let dump = folder.path().join("patio.dump");
    tool("pg_dump", &["--format=custom", &format!("--file={}", dump.display()), &first]);
    running.call("PUT", &format!("/api/vehicles/{}", vehicles[1]), &json!({ "status": "ok" }));
    running.stop();

    make(&format!("{name}_restored"));
    tool("pg_restore", &["--exit-on-error", "--no-owner", &format!("--dbname={second}"), dump.to_str().unwrap()]);
    let restored = Patio::start(folder.path(), &[("PATIO_DATABASE_URL", &second)]);
    assert_eq!(restored.everything(), before);
    restored.call("PUT", &format!("/api/vehicles/{}", vehicles[2]), &json!({ "status": "ok" }));
    restored.stop();
    let (code, out, err) =
        run("patio", &["audit", "verify"], &[("PATIO_DATABASE_URL", &second), ("PATIO_DATA_DIR", "/tmp"), ("PATIO_UNSAFE", "true")]);
    assert_eq!(code, Some(0), "{out}{err}");
    for name in [name.clone(), format!("{name}_restored")] {
        tool("psql", &["-d", &server, "-qc", &format!("drop database {name} with (force)")]);
    }
}
