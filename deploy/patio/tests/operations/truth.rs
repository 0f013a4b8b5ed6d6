//! Correct reports to operators: after a restore, on a read-only server, and with invalid settings.
use super::restores::workbook;
use patio_harness::{
    Client, Database, POSTGRES_URL_VARIABLE, Patio, REDIS_PASSWORD, Redis, TestFolder, acquire_light_test_slot, find_free_port,
    run_program, wait_until,
};
use patio_testing::print_to_stderr;
use serde_json::{Value, json};
use sqlx::{Connection, Executor, SqliteConnection};
use std::{fs, path::Path, time::Duration};

/// Offline copy of a campaign on a phone.
struct Held {
    vehicle: i64,
    vin: String,
    campaign: i64,
    revision: i64,
}

fn import(admin: &Client, number: usize) -> Held {
    let campaign = admin.import_workbook(&workbook(number, 3)).id;
    let vehicle = &admin.list_vehicles(campaign)[0];
    let (id, vin) = (vehicle["id"].as_i64().unwrap(), vehicle["vin_number"].as_str().unwrap().to_owned());
    Held { vehicle: id, vin, campaign, revision: revision(admin, campaign) }
}

fn revision(admin: &Client, campaign: i64) -> i64 {
    let whole = admin.call_route("GET", &format!("/api/vehicles/campaign/{campaign}/all"), &Value::Null);
    whole.header("x-revision").unwrap().parse().unwrap()
}

/// Sends a save from a phone that saw another vehicle under this id. Returns status and body.
fn save_of(admin: &Client, id: i64, vin: &str) -> (u16, Value) {
    let save = json!({ "status": "ng", "operator_notes": "door damaged", "base": { "status": "", "operator_notes": "" },
        "on_conflict": "keep", "seen_vin_number": vin });
    let answer = admin.call_route("PUT", &format!("/api/vehicles/{id}"), &save);
    (answer.status, answer.json())
}

/// Asserts that saves made between backup and restore reach no other vehicle, and that phones reload their lists.
fn nothing_lands_elsewhere(admin: &Client, kept: &Held, lost: &Held) {
    let new = import(admin, 7);
    assert!(new.vehicle > 1_000_000 && new.campaign > 1_000_000, "ids continue above those assigned before the restore");
    assert_eq!(save_of(admin, lost.vehicle, &lost.vin).0, 404, "a save for a lost vehicle must not change another one");
    let (status, body) = save_of(admin, new.vehicle, &lost.vin);
    assert_eq!((status, &body["code"], &body["vin_number"]), (409, &json!("OTHER_VEHICLE"), &json!(new.vin)));
    assert_eq!(admin.get_vehicle(new.vehicle)["operator_notes"], "");
    assert_eq!(save_of(admin, new.vehicle, &new.vin).0, 200);
    let changes = admin.get(&format!("/api/vehicles/campaign/{}/changes?since={}", kept.campaign, kept.revision));
    assert_eq!(changes["whole"], true, "a list from before the restore must be reloaded: {changes}");
    assert!(admin.get_vehicle(kept.vehicle)["version"].as_i64().unwrap() > 1_000_000);
}

#[test]
fn after_a_restore_of_sqlite_a_save_for_a_lost_vehicle_changes_no_other() {
    let (_turn, folder) = (acquire_light_test_slot(), TestFolder::create_temporary());
    let running = Patio::builder().with_installation_folder(folder.path()).start();
    let admin = running.sign_in();
    let kept = import(&admin, 5);
    let (data, copy) = (running.data_folder(), folder.path().join("copy"));
    let patio = |data: &Path, arguments: &[&str]| {
        let done = run_program("patio", arguments, &[("PATIO_DATA_DIR", data.to_str().unwrap())]);
        assert_eq!(done.code, Some(0), "{done:?}");
    };
    patio(&data, &["backup", copy.to_str().unwrap()]);
    let lost = import(&admin, 6);
    let kept = Held { revision: revision(&admin, kept.campaign), ..kept };
    running.stop();
    let other = folder.path().join("other");
    patio(&other.join("data"), &["restore", copy.to_str().unwrap()]);
    fs::copy(folder.path().join("auth.key"), other.join("auth.key")).unwrap();
    let restored = Patio::builder().with_installation_folder(&other).start();
    nothing_lands_elsewhere(&restored.sign_in(), &kept, &lost);
    restored.stop();
}

#[test]
fn after_a_completed_restore_of_postgresql_a_save_for_a_lost_vehicle_changes_no_other() {
    let _turn = acquire_light_test_slot();
    let (Some(first), Some(second)) = (Database::create(), Database::with_reserved_name()) else {
        return print_to_stderr(&format!("{POSTGRES_URL_VARIABLE} is not set: skipped"));
    };
    let folder = TestFolder::create_temporary();
    let start = |database: &Database| Patio::builder().with_installation_folder(folder.path()).with_postgres(&database.url()).start();
    let running = start(&first);
    let kept = import(&running.sign_in(), 5);
    running.stop();
    second.run_sql_in_maintenance_database(&format!("create database {} template {}", second.name(), first.name()));
    let running = start(&first);
    let lost = import(&running.sign_in(), 6);
    running.stop();
    let done = run_program("patio", &["restored"], &[("PATIO_DATABASE_URL", &second.url()), ("PATIO_ALLOW_DATA_LOSS", "true")]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let restored = start(&second);
    nothing_lands_elsewhere(&restored.sign_in(), &kept, &lost);
    restored.stop();
}

#[test]
fn patio_is_not_ready_on_a_read_only_server_and_reconnects_to_a_writable_one() {
    let _turn = acquire_light_test_slot();
    let Some(database) = Database::create() else { return print_to_stderr(&format!("{POSTGRES_URL_VARIABLE} is not set: skipped")) };
    let patio = Patio::builder().with_separate_processes().with_postgres(&database.url()).start();
    let admin = patio.sign_in();
    let vehicle = admin.import_template_workbook().vehicle_ids()[0];
    let read_only = |value: &str| {
        database
            .run_sql_in_maintenance_database(&format!("alter database {} set default_transaction_read_only = {value}", database.name()));
    };
    read_only("on");
    // A failover closes the connections; new ones reach the read-only server.
    let end =
        format!("select pg_terminate_backend(pid) from pg_stat_activity where datname = '{}' and pid <> pg_backend_pid()", database.name());
    database.run_sql_in_maintenance_database(&end);
    let ready = |program: &str| patio.replica(program, 0).readiness_status() == Some(200);
    wait_until("the services are not ready", Duration::from_secs(10), || !ready("vehicle-svc") && !ready("auth-svc"));
    let refused = admin.call_route("PUT", &format!("/api/vehicles/{vehicle}"), &json!({ "status": "ok" }));
    assert_eq!((refused.status, refused.header("retry-after").is_some()), (503, true), "{}", refused.text());
    let settings =
        [("PATIO_DATABASE_URL", &*database.url()), ("PATIO_ALLOW_DATA_LOSS", "true"), ("PATIO_SERVICE_SECRET", "the secret of tests")];
    let doctor = run_program("vehicle-svc", &["doctor"], &settings);
    assert!(doctor.code == Some(1) && doctor.combined_output().contains("is read-only"), "{doctor:?}");
    read_only("off");
    wait_until("saves succeed again", Duration::from_secs(20), || {
        admin.call_route("PUT", &format!("/api/vehicles/{vehicle}"), &json!({ "status": "ok" })).is_success()
    });
    wait_until("the services are ready", Duration::from_secs(20), || ready("vehicle-svc") && ready("auth-svc"));
    patio.stop();
}

#[tokio::main(flavor = "current_thread")]
async fn on_file(file: &Path, statement: &'static str) -> i64 {
    let mut database = SqliteConnection::connect(file.to_str().unwrap()).await.unwrap();
    database.execute(statement).await.unwrap();
    let left = sqlx::query_scalar("select count(*) from _sqlx_migrations").fetch_one(&mut database).await.unwrap();
    database.close().await.unwrap();
    left
}

#[test]
fn verifying_the_audit_log_runs_no_migrations() {
    let (_turn, patio) = (acquire_light_test_slot(), Patio::builder().start());
    patio.sign_in().import_template_workbook();
    let data = patio.data_folder();
    let folder = patio.folder().to_owned();
    let copy = folder.join("before");
    assert_eq!(run_program("patio", &["backup", copy.to_str().unwrap()], &[("PATIO_DATA_DIR", data.to_str().unwrap())]).code, Some(0));
    let file = copy.join("vehicle.db");
    let left = on_file(&file, "delete from _sqlx_migrations where version = (select max(version) from _sqlx_migrations)");
    let verified = run_program("patio", &["audit", "verify"], &[("PATIO_DATA_DIR", copy.to_str().unwrap())]);
    assert!(verified.code == Some(1) && verified.combined_output().contains("migrations are applied; run `migrate`"), "{verified:?}");
    assert_eq!(on_file(&file, "select 1"), left, "the file is unchanged");
    let nowhere = run_program("patio", &["audit", "verify"], &[("PATIO_DATA_DIR", folder.join("nowhere").to_str().unwrap())]);
    assert!(nowhere.code == Some(1) && nowhere.combined_output().contains("does not exist"), "{nowhere:?}");
    patio.stop();
}

#[test]
fn migrated_tables_belong_to_the_schema_owner_for_any_migrating_role() {
    let _turn = acquire_light_test_slot();
    let Some(database) = Database::create() else { return print_to_stderr(&format!("{POSTGRES_URL_VARIABLE} is not set: skipped")) };
    let role = format!("{}_owner", database.name());
    database.run_sql_in_maintenance_database(&format!("create role {role} login"));
    for schema in ["auth", "campaign", "vehicle", "imports"] {
        database.run_sql(&format!("create schema {schema} authorization {role}"));
    }
    let settings = [("PATIO_DATABASE_URL", &*database.url()), ("PATIO_ALLOW_DATA_LOSS", "true")];
    let done = run_program("patio", &["migrate"], &settings);
    assert_eq!(done.code, Some(0), "{done:?}");
    let others = "select count(*) from pg_tables where schemaname in ('auth', 'campaign', 'vehicle', 'imports') and tableowner <> ";
    assert_eq!(database.run_sql(&format!("{others}'{role}'")), "0");
    assert_ne!(database.run_sql("select count(*) from pg_tables where schemaname = 'vehicle'"), "0");
    // A role that is not a member of the owner role gets a clear error.
    database.run_sql_in_maintenance_database(&format!("create role {role}_other login"));
    database.run_sql("drop schema vehicle cascade");
    database.run_sql(&format!("create schema vehicle authorization {role}"));
    database.run_sql(&format!("grant all on schema vehicle to {role}_other"));
    let other = database.url_for_role(&format!("{role}_other"), "x");
    let refused = run_program("vehicle-svc", &["migrate"], &[("PATIO_DATABASE_URL", &*other), ("PATIO_ALLOW_DATA_LOSS", "true")]);
    assert!(refused.code == Some(1) && refused.combined_output().contains("the schema `vehicle` belongs to"), "{refused:?}");
    database.run_sql("drop schema vehicle cascade; drop schema auth cascade; drop schema campaign cascade; drop schema imports cascade");
    database.run_sql_in_maintenance_database(&format!("drop role {role}_other; drop role {role}"));
}

#[test]
fn invalid_settings_are_rejected_by_name() {
    let _turn = acquire_light_test_slot();
    let folder = TestFolder::create_temporary();
    let data = folder.path().to_str().unwrap();
    let refused = |settings: &[(&str, &str)], words: &str| {
        let done =
            run_program("vehicle-svc", &["serve"], &[&[("PATIO_DATA_DIR", data), ("PATIO_LISTEN", "127.0.0.1:0")], settings].concat());
        assert!(done.code == Some(78) && done.combined_output().contains(words), "{done:?}");
        assert_eq!(done.combined_output().matches("error: ").count(), 1, "one line: {done:?}");
        assert!(!done.combined_output().contains("hush"), "no secret is shown: {done:?}");
    };
    refused(&[], "PATIO_SERVICE_SECRET is not set");
    refused(&[("PATIO_SERVICE_SECRET", "hush")], "PATIO_SERVICE_SECRET: a value is shorter");
    let secret = ("PATIO_SERVICE_SECRET", "the secret of tests");
    refused(&[secret], "PATIO_DATABASE_URL is not set");
    refused(&[secret, ("PATIO_DATABSE_URL", "postgres://a:hush@127.0.0.1/x")], "did you mean PATIO_DATABASE_URL?");
    let sqlite = ("PATIO_SEPARATE_SQLITE", "true");
    refused(&[secret, ("PATIO_DATABASE_URL", "mysql://a:hush@127.0.0.1/x")], "PATIO_DATABASE_URL must begin with postgres://");
    refused(&[secret, sqlite, ("PATIO_LOG", "vehicle_svc=noisy,,")], "PATIO_LOG=vehicle_svc=noisy,,");
    refused(
        &[secret, sqlite, ("PATIO_AUTH_URL", "https://auth-svc:50051")],
        "PATIO_AUTH_URL: `https://auth-svc:50051` needs PATIO_SERVICE_TLS",
    );
    refused(&[secret, sqlite, ("PATIO_OTLP_SAMPLE_RATIO", "2")], "PATIO_OTLP_SAMPLE_RATIO is invalid");
    refused(&[secret, sqlite, ("PATIO_REDIS_URL", "redis:hush")], "PATIO_REDIS_URL");
    if let Some(redis) = Redis::start(folder.path()) {
        let wrong = redis.url_with_password("hush");
        refused(&[secret, sqlite, ("PATIO_REDIS_URL", &wrong)], "correct the user and password");
        assert_eq!(redis.send_command(REDIS_PASSWORD, &["replicaof", "127.0.0.1", "1"]), "OK");
        refused(&[secret, sqlite, ("PATIO_REDIS_URL", &redis.url())], "this server is a read-only replica");
    }
    let wrong_use = run_program("vehicle-svc", &["serve", "--no-such-flag"], &[]);
    assert_eq!(wrong_use.code, Some(2), "{wrong_use:?}");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let done = run_program("vehicle-svc", &["serve"], &[("PATIO_DATA_DIR", data), secret, sqlite, ("PATIO_LISTEN", &address)]);
    assert!(done.code == Some(1) && done.combined_output().contains(&format!("cannot listen on PATIO_LISTEN={address}")), "{done:?}");
    for program in ["auth-svc", "campaign-svc", "vehicle-svc", "import-svc", "gateway", "patio"] {
        let version = run_program(program, &["--version"], &[]);
        assert!(version.code == Some(0) && version.stdout.trim() == format!("{program} {}", env!("CARGO_PKG_VERSION")), "{version:?}");
    }
}

#[test]
fn the_doctor_and_the_log_name_host_port_and_setting_of_a_database_that_refuses_connections() {
    let _turn = acquire_light_test_slot();
    let port = find_free_port();
    let url = format!("postgres://someone:hush@127.0.0.1:{port}/none");
    let done = run_program("vehicle-svc", &["doctor"], &[("PATIO_DATABASE_URL", &*url), ("PATIO_SERVICE_SECRET", "the secret of tests")]);
    let place = format!("PostgreSQL at 127.0.0.1:{port} (PATIO_DATABASE_URL)");
    let line = done.stdout.lines().find(|line| line.contains("FAIL database")).unwrap_or_default();
    assert!(line.contains(&place) && line.contains("Connection refused"), "{done:?}");
    assert!(line.matches("refused").count() == 1 && !line.contains("timed out") && !done.combined_output().contains("hush"), "{done:?}");
}
