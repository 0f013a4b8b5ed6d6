//! Restores on SQLite and PostgreSQL: every row is restored, within the promised time.
use super::{
    backups::{is_verified, tool},
    contents::{Contents, differences, of_postgres, of_sqlite},
    everything,
};
use patio_harness::{
    Client, Database, POSTGRES_URL_VARIABLE, Patio, PatioBuilder, REDIS_URL_VARIABLE, TestFolder, acquire_light_test_slot,
    claim_empty_redis_database, run_program, wait_until,
};
use patio_testing::print_to_stderr;
use rust_xlsxwriter::Workbook;
use serde_json::{Value, json};
use std::{
    path::Path,
    time::{Duration, Instant},
};

/// Number of vehicles in the long and in the short form of the test.
const VEHICLES: [usize; 2] = [1_000_000, 1_000];
/// Number of vehicles in the largest workbook.
const LARGEST: usize = 100_000;
/// Maximum time of a restore until users can work again.
const RESTORED: Duration = Duration::from_secs(120);
/// Maximum time of importing the largest workbook.
const IMPORTED: Duration = Duration::from_secs(300);

/// Names of the services with a database, each with its schema.
const SCHEMAS: [(&str, &str); 4] =
    [("auth-svc", "auth"), ("campaign-svc", "campaign"), ("vehicle-svc", "vehicle"), ("import-svc", "imports")];
/// Name of the `PostgreSQL` role that makes backups.
const KEEPER: &str = "keeper";

/// Builds a workbook of the campaign with this number and count of vehicles.
pub fn workbook(campaign: usize, vehicles: usize) -> Vec<u8> {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet().set_name("Sheet1").unwrap();
    for (column, title) in (0..).zip(["Campaign", "Part", "Description", "Model Type", "Model Code", "Serial Number", "Parking Space"]) {
        sheet.write_string(0, column, title).unwrap();
    }
    for (row, number) in (1..).zip(0..vehicles) {
        let (name, serial, space) = (format!("Restored {campaign}"), format!("{campaign:02}{number:07}"), format!("A-{number}"));
        for (column, text) in (0..).zip([&*name, "Connector", "Check the clip", "HB20", "HB20S-EV1", &*serial, &*space]) {
            sheet.write_string(row, column, text).unwrap();
        }
    }
    book.save_to_buffer().unwrap()
}

/// Creates campaigns, users, saves and bulk changes, so that every table has rows.
fn fill(admin: &Client) -> usize {
    let wanted = patio_testing::rounds(if patio_testing::long("a restore") { VEHICLES[0] } else { VEHICLES[1] });
    let each = wanted.div_ceil(10).min(LARGEST);
    let began = Instant::now();
    for campaign in 0..wanted.div_ceil(each) {
        upload(admin, &workbook(campaign, each));
    }
    print_to_stderr(&format!("{wanted} vehicles imported in {:?}", began.elapsed()));
    work(admin, "before");
    // Displayed campaign counts may be a second old.
    wait_until("campaigns show what was saved", Duration::from_secs(20), || {
        let campaigns = admin.get("/api/campaigns");
        campaigns["campaigns"].as_array().unwrap().iter().filter(|campaign| campaign["status"] == "Ongoing").all(|campaign| {
            let vehicles = admin.list_vehicles(campaign["id"].as_i64().unwrap());
            campaign["total_inspected"] == vehicles.iter().filter(|vehicle| vehicle["inspected"] == true).count()
        })
    });
    wanted
}

fn upload(admin: &Client, workbook: &[u8]) {
    let _ = admin.upload_file("/api/documents/upload", ("documents", "t.xlsx"), workbook).expect_success();
}

/// Performs a write in each of the services.
fn work(admin: &Client, when: &str) {
    upload(admin, &workbook(if when == "before" { 90 } else { 91 }, 50));
    let campaigns = admin.get("/api/campaigns");
    let id = campaigns["campaigns"][0]["id"].as_i64().unwrap();
    admin.put(&format!("/api/campaigns/{id}"), &json!({ "status": "Ongoing" }));
    let vehicles = admin.list_vehicles(id);
    if let Some(older) = campaigns["campaigns"].as_array().unwrap().iter().find(|campaign| campaign["status"] == "Ongoing") {
        admin.save_vehicle(older["next"].as_i64().unwrap(), &json!({ "status": "ok", "operator_notes": when }));
    }
    for vehicle in &vehicles[..5] {
        let save = json!({ "status": "ng", "operator_notes": format!("{when}, é ‘quoted’ \\ \t") });
        admin.save_vehicle(vehicle["id"].as_i64().unwrap(), &save);
    }
    let vins: Vec<_> = vehicles[5..20].iter().map(|vehicle| &vehicle["vin_number"]).collect();
    let many = json!({ "vins": vins, "action": "insert", "status": "ok", "campaign_id": id });
    assert_eq!(admin.post("/api/vehicles/bulk/status", &many)["updated"], 15);
    admin.create_user(&format!("77{}", when.len()), "a-first-password", "op");
}

/// Makes a backup of a running Patio. Returns the content at that time and the duration; repeats if something changed during it.
fn quiet(look: impl Fn() -> Contents, mut backup: impl FnMut(usize)) -> (Contents, Duration) {
    let mut before = look();
    for turn in 0..20 {
        let began = Instant::now();
        backup(turn);
        let took = began.elapsed();
        let after = look();
        if after == before {
            return (after, took);
        }
        before = after; // a seal was added to the audit log
    }
    panic!("the data kept changing during every backup");
}

/// Asserts equal content, except for rows and id sequences that a restore advances.
fn is_same_but(left: &Contents, right: &Contents, moves_on: impl Fn(&str) -> bool) {
    let (mut same, mut moved) = (left.clone(), right.clone());
    same.retain(|name, _| !name.ends_with(".sqlite_sequence"));
    moved.retain(|name, _| !name.ends_with(".sqlite_sequence"));
    for contents in [&mut same, &mut moved] {
        for (_, what) in contents.iter_mut().filter(|(name, _)| moves_on(name)) {
            what.truncate(what.find(" rows").unwrap_or(what.len()));
        }
    }
    is_same(&same, &moved);
}

fn is_same(left: &Contents, right: &Contents) {
    let rows: usize = left.values().filter_map(|what| what.split_once(" rows ")?.0.parse::<usize>().ok()).sum();
    let found = differences(left, right);
    print_to_stderr(&format!("compared {rows} rows of {} tables and other objects: {} differences", left.len(), found.len()));
    assert!(found.is_empty(), "{found:#?}");
}

/// Asserts that users see the same data as before.
#[track_caller]
fn is_shown(now: &Value, before: &Value) {
    for what in ["campaigns", "vehicles", "people"] {
        let rows = |all: &Value| all[what].as_array().or(all[what][what].as_array()).unwrap().clone();
        let (now, before) = (rows(now), rows(before));
        assert_eq!(now.len(), before.len(), "{what}");
        if let Some((now, before)) = now.iter().zip(&before).find(|(now, before)| now != before) {
            panic!("{what}: {now} was {before}");
        }
    }
}

fn in_time(what: &str, vehicles: usize, (backup, restore): (Duration, Duration)) {
    print_to_stderr(&format!("{what}: {vehicles} vehicles backed up in {backup:?}, restored and served again after {restore:?}"));
    assert!(restore < RESTORED, "{restore:?}");
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// Signs in as supervisor with a timeout long enough for the largest workbook.
fn supervisor(patio: &Patio) -> Client {
    patio.sign_in().with_timeout(IMPORTED)
}

#[test]
fn every_row_of_sqlite_is_restored_in_time() {
    let (_turn, folder) = (acquire_light_test_slot(), TestFolder::create_temporary());
    let patio = |data: &Path, arguments: &[&str]| {
        let done = run_program("patio", arguments, &[("PATIO_DATA_DIR", data.to_str().unwrap())]);
        assert_eq!(done.code, Some(0), "{arguments:?}: {done:?}");
    };
    let running = Patio::builder().with_installation_folder(folder.path()).start();
    let admin = supervisor(&running);
    let vehicles = fill(&admin);
    let (data, copy) = (running.data_folder(), |turn: usize| folder.path().join(format!("copy-{turn}")));
    let mut last = copy(0);
    let (before, backup) = quiet(
        || block_on(of_sqlite(&data)),
        |turn| {
            let _ = std::fs::remove_dir_all(&last);
            last = copy(turn);
            patio(&data, &["backup", last.to_str().unwrap()]);
        },
    );
    let shown = everything(&admin);
    work(&admin, "between");
    running.stop();

    let (other, began) = (folder.path().join("other"), Instant::now());
    patio(&other.join("data"), &["restore", last.to_str().unwrap()]);
    let copied = began.elapsed();
    let moves_on = |name: &str| ["vehicle.vehicles", "vehicle.campaigns"].contains(&name);
    is_same_but(&before, &block_on(of_sqlite(&other.join("data"))), moves_on);
    std::fs::copy(folder.path().join("auth.key"), other.join("auth.key")).unwrap();
    let started = Instant::now();
    let restored = Patio::builder().with_installation_folder(&other).start();
    let admin = supervisor(&restored);
    is_shown(&everything(&admin), &shown);
    in_time("SQLite", vehicles, (backup, copied + started.elapsed()));
    work(&admin, "between");
    restored.stop();
    patio(&other.join("data"), &["audit", "verify"]);
}

/// PostgreSQL roles of one Patio: one per schema, and one for backups. Their names derive from a reserved database name.
struct Roles(Database);

impl Roles {
    fn create() -> Option<Self> {
        let roles = Self(Database::with_reserved_name()?);
        let all = SCHEMAS.map(|(_, schema)| roles.name(schema));
        let keeper = roles.name(KEEPER);
        all.iter().for_each(|role| _ = roles.0.run_sql_in_maintenance_database(&format!("create role {role} login password 'x'")));
        // The backup role may read and restore all four schemas, as in the runbook.
        roles.0.run_sql_in_maintenance_database(&format!("create role {keeper} login createdb password 'x'"));
        roles.0.run_sql_in_maintenance_database(&format!("grant {} to {keeper}", all.join(", ")));
        Some(roles)
    }

    fn name(&self, schema: &str) -> String {
        format!("{}_{schema}", self.0.name())
    }

    /// Returns the URL of a database for the role of a schema.
    fn url(&self, schema: &str, database: &Database) -> String {
        database.url_for_role(&self.name(schema), "x")
    }

    /// Creates an empty database owned by the backup role.
    fn empty(&self) -> Database {
        let database = Database::with_reserved_name().unwrap();
        database.run_sql_in_maintenance_database(&format!("create database {} owner {}", database.name(), self.name(KEEPER)));
        database
    }

    /// Creates a database with an empty schema per service, as on a new cluster.
    fn fresh(&self) -> Database {
        let database = self.empty();
        for (_, schema) in SCHEMAS {
            database.run_sql(&format!("create schema {schema} authorization {}", self.name(schema)));
        }
        database
    }

    /// Configures five processes, each with the role of its service.
    fn patio(&self, database: &Database, redis: &str) -> PatioBuilder {
        let builder = Patio::builder().with_separate_processes().with_redis(redis).with_setting("PATIO_ALLOW_DATA_LOSS", "true");
        SCHEMAS.into_iter().fold(builder, |builder, (service, schema)| {
            builder.with_setting_for_program(service, "PATIO_DATABASE_URL", &self.url(schema, database))
        })
    }
}

impl Drop for Roles {
    fn drop(&mut self) {
        for schema in SCHEMAS.map(|(_, schema)| schema).into_iter().chain([KEEPER]) {
            self.0.run_sql_in_maintenance_database(&format!("drop role {}", self.name(schema)));
        }
    }
}

#[test]
fn every_row_of_postgresql_is_restored_in_time_with_its_owner() {
    let _turn = acquire_light_test_slot();
    let (Some(roles), Some(redis)) = (Roles::create(), claim_empty_redis_database()) else {
        return print_to_stderr(&format!("{POSTGRES_URL_VARIABLE} or {REDIS_URL_VARIABLE} is not set: skipped"));
    };
    let (folder, first) = (TestFolder::create_temporary(), roles.fresh());
    let key = folder.path().join("auth.key").display().to_string();
    let running = roles.patio(&first, &redis).with_setting("PATIO_KEY_FILE", &key).start();
    let admin = supervisor(&running);
    let vehicles = fill(&admin);
    let dump = folder.path().join("patio.dump");
    let (before, backup) = quiet(
        || block_on(of_postgres(&first.url())),
        |_| tool("pg_dump", &["--format=custom", &format!("--file={}", dump.display()), &roles.url(KEEPER, &first)]),
    );
    let shown = everything(&admin);
    work(&admin, "between");
    running.stop();

    let began = Instant::now();
    let second = roles.empty();
    let restore = |more: &[&str], url: String| {
        let arguments = ["--exit-on-error", "--single-transaction", &format!("--dbname={url}"), dump.to_str().unwrap()];
        tool("pg_restore", &[more, &arguments].concat());
    };
    restore(&[], roles.url(KEEPER, &second));
    tool("redis-cli", &["-u", &redis, "flushdb"]); // cached campaigns are newer than the restored ones
    let copied = began.elapsed();
    is_same(&before, &block_on(of_postgres(&second.url())));
    let started = Instant::now();
    let restored = roles.patio(&second, &redis).with_setting("PATIO_KEY_FILE", &key).start();
    let admin = supervisor(&restored);
    is_shown(&everything(&admin), &shown);
    in_time("PostgreSQL", vehicles, (backup, copied + started.elapsed()));
    work(&admin, "between");
    restored.stop();
    is_verified(&second.url());

    let third = roles.fresh();
    restore(&["--clean", "--if-exists"], third.url());
    is_same(&before, &block_on(of_postgres(&third.url())));
}
