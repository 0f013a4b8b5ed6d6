//! A restore brings back every row, in time, whichever database it is.
use super::{
    contents::{Contents, differences, of_postgres, of_sqlite},
    five::{Five, SERVICES},
    programs::{Client, Patio, run},
};
use patio_kit::testing::{self, POSTGRES, REDIS, from_environment, tell};
use rust_xlsxwriter::Workbook;
use serde_json::{Value, json};
use std::{
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

/// How many vehicles there are, at length and in short.
const VEHICLES: [usize; 2] = [1_000_000, 3_000];
/// How many the largest workbook holds.
const LARGEST: usize = 100_000;
/// How long a restore may take until people work again.
const RESTORED: Duration = Duration::from_secs(120);

/// The role that makes backups of `PostgreSQL`.
const KEEPER: &str = "keeper";

fn workbook(campaign: usize, vehicles: usize) -> Vec<u8> {
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

/// Campaigns, people, saves, changes of many: something in every table that people fill.
fn fill(patio: &Client) -> usize {
    let wanted = testing::rounds(if testing::long("a restore") { VEHICLES[0] } else { VEHICLES[1] });
    let each = wanted.div_ceil(10).min(LARGEST);
    let began = Instant::now();
    for campaign in 0..wanted.div_ceil(each) {
        patio.upload(&workbook(campaign, each));
    }
    tell(&format!("{wanted} vehicles imported in {:?}", began.elapsed()));
    work(patio, "before");
    std::thread::sleep(Duration::from_millis(1500)); // what is shown of campaigns may be a second old
    wanted
}

/// Writes through each of the services.
fn work(patio: &Client, when: &str) {
    patio.upload(&workbook(if when == "before" { 90 } else { 91 }, 50));
    let campaigns = patio.call("GET", "/api/campaigns", &Value::Null);
    let id = &campaigns["campaigns"][0]["id"];
    patio.call("PUT", &format!("/api/campaigns/{id}"), &json!({ "status": "Ongoing" }));
    let vehicles = patio.call("GET", &format!("/api/vehicles/campaign/{id}/all"), &Value::Null);
    let vehicles = vehicles.as_array().unwrap();
    if let Some(older) = campaigns["campaigns"].as_array().unwrap().iter().find(|campaign| campaign["status"] == "Ongoing") {
        let next = older["next"].as_i64().unwrap();
        patio.call("PUT", &format!("/api/vehicles/{next}"), &json!({ "status": "ok", "operator_notes": when }));
    }
    for vehicle in &vehicles[..5] {
        let save = json!({ "status": "ng", "operator_notes": format!("{when}, é ‘quoted’ \\ \t") });
        patio.call("PUT", &format!("/api/vehicles/{}", vehicle["id"]), &save);
    }
    let vins: Vec<_> = vehicles[5..20].iter().map(|vehicle| &vehicle["vin_number"]).collect();
    let many = json!({ "vins": vins, "action": "insert", "status": "ok", "campaign_id": id });
    assert_eq!(patio.call("POST", "/api/vehicles/bulk/status", &many)["updated"], 15);
    patio.call("POST", "/api/sign-up", &json!({ "hmc": format!("77{}", when.len()), "password": "a-first-password", "user_type": "op" }));
}

/// Makes a backup of a Patio that runs; its contents just then, which nothing changed meanwhile.
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
        before = after; // the audit log was sealed
    }
    panic!("it never rests");
}

fn is_same(left: &Contents, right: &Contents) {
    let rows: usize = left.values().filter_map(|what| what.split_once(" rows ")?.0.parse::<usize>().ok()).sum();
    let found = differences(left, right);
    tell(&format!("{rows} rows of {} tables and other things compared: {} differences", left.len(), found.len()));
    assert!(found.is_empty(), "{found:#?}");
}

/// What people see is what they saw.
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
    tell(&format!("{what}: {vehicles} vehicles backed up in {backup:?}, restored and served again after {restore:?}"));
    assert!(restore < RESTORED, "{restore:?}");
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

#[test]
fn every_row_of_sqlite_comes_back_in_time() {
    let folder = tempfile::tempdir().unwrap();
    let patio = |data: &Path, arguments: &[&str]| {
        let (code, out, err) = run("patio", arguments, &[("PATIO_DATA_DIR", data.to_str().unwrap())]);
        assert_eq!(code, Some(0), "{arguments:?}: {out}{err}");
    };
    let running = Patio::start(folder.path(), &[]);
    let vehicles = fill(&running);
    let (data, copy) = (folder.path().join("data"), |turn: usize| folder.path().join(format!("copy-{turn}")));
    let mut last = copy(0);
    let (before, backup) = quiet(
        || block_on(of_sqlite(&data)),
        |turn| {
            let _ = std::fs::remove_dir_all(&last);
            last = copy(turn);
            patio(&data, &["backup", last.to_str().unwrap()]);
        },
    );
    let shown = running.everything();
    work(&running, "between");
    running.stop();

    let (other, began) = (folder.path().join("other"), Instant::now());
    patio(&other.join("data"), &["restore", last.to_str().unwrap()]);
    let copied = began.elapsed();
    is_same(&before, &block_on(of_sqlite(&other.join("data"))));
    let started = Instant::now();
    let restored = Patio::start(&other, &[]);
    is_shown(&restored.everything(), &shown);
    in_time("SQLite", vehicles, (backup, copied + started.elapsed()));
    work(&restored, "between");
    restored.stop();
    patio(&other.join("data"), &["audit", "verify"]);
}

/// A server with two databases of one Patio, in which each service has a role and a schema of its own.
struct Server {
    admin: String,
    name: String,
}

impl Server {
    fn start() -> Option<Self> {
        let admin = from_environment(POSTGRES)?;
        let server = Self { admin, name: format!("patio_{}", uuid::Uuid::now_v7().simple()) };
        for (_, schema) in SERVICES {
            server.sql("postgres", &format!("create role {} login password 'x'", server.role(schema)));
        }
        // Who may read all four and restore them, as the runbook has it.
        let (keeper, all) = (server.role(KEEPER), SERVICES.map(|(_, schema)| server.role(schema)).join(", "));
        server.sql("postgres", &format!("create role {keeper} login createdb password 'x'"));
        server.sql("postgres", &format!("grant {all} to {keeper}"));
        Some(server)
    }

    fn role(&self, schema: &str) -> String {
        format!("{}_{schema}", self.name)
    }

    /// Who runs the server, at a database.
    fn admin(&self, database: &str) -> String {
        format!("{}/{database}", self.admin.rsplit_once('/').unwrap().0)
    }

    /// A service's role at a database.
    fn url(&self, schema: &str, database: &str) -> String {
        let (_, place) = self.admin.rsplit_once('@').unwrap();
        format!("postgres://{}:x@{}/{database}", self.role(schema), place.rsplit_once('/').unwrap().0)
    }

    fn sql(&self, database: &str, statement: &str) {
        tool("psql", &["-v", "ON_ERROR_STOP=1", "-d", &self.admin(database), "-qc", statement]);
    }

    /// An empty database of who restores.
    fn empty(&self, suffix: &str) -> String {
        let name = format!("{}_{suffix}", self.name);
        self.sql("postgres", &format!("create database {name} owner {}", self.role(KEEPER)));
        name
    }

    /// One in which each service has its schema, as a fresh cluster has it.
    fn fresh(&self, suffix: &str) -> String {
        let name = self.empty(suffix);
        for (_, schema) in SERVICES {
            self.sql(&name, &format!("create schema {schema} authorization {}", self.role(schema)));
        }
        name
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let quietly = |statement: String| _ = Command::new("psql").args(["-d", &self.admin, "-qc", &statement]).output();
        for suffix in ["first", "second", "third"] {
            quietly(format!("drop database if exists {}_{suffix} with (force)", self.name));
        }
        for role in SERVICES.map(|(_, schema)| schema).into_iter().chain([KEEPER]) {
            quietly(format!("drop role {}", self.role(role)));
        }
    }
}

fn tool(tool: &str, arguments: &[&str]) {
    let done = Command::new(tool).args(arguments).output().unwrap();
    assert!(done.status.success(), "{tool} {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn every_row_of_postgresql_comes_back_in_time_to_the_roles_it_belonged_to() {
    let (Some(server), Some(redis)) = (Server::start(), from_environment(REDIS)) else {
        return tell(&format!("{POSTGRES} or {REDIS} is not set: skipped"));
    };
    let redis = format!("{redis}/13");
    let (cached, forget) = ([("PATIO_REDIS_URL", &*redis)], || tool("redis-cli", &["-u", &redis, "flushdb"]));
    forget();
    let folder = tempfile::tempdir().unwrap();
    let first = server.fresh("first");
    let running = Five::start(folder.path(), &cached, |schema| vec![("PATIO_DATABASE_URL", server.url(schema, &first))]);
    let vehicles = fill(&running);
    let dump = folder.path().join("patio.dump");
    let (before, backup) = quiet(
        || block_on(of_postgres(&server.admin(&first))),
        |_| tool("pg_dump", &["--format=custom", &format!("--file={}", dump.display()), &server.url(KEEPER, &first)]),
    );
    let shown = running.everything();
    work(&running, "between");
    running.stop();

    let began = Instant::now();
    let second = server.empty("second");
    let restore = |more: &[&str], url: String| {
        let arguments = ["--exit-on-error", "--single-transaction", &format!("--dbname={url}"), dump.to_str().unwrap()];
        tool("pg_restore", &[more, &arguments].concat());
    };
    restore(&[], server.url(KEEPER, &second));
    forget(); // what it holds of campaigns is newer than what they are now
    let copied = began.elapsed();
    is_same(&before, &block_on(of_postgres(&server.admin(&second))));
    let started = Instant::now();
    let restored = Five::start(folder.path(), &cached, |schema| vec![("PATIO_DATABASE_URL", server.url(schema, &second))]);
    is_shown(&restored.everything(), &shown);
    in_time("PostgreSQL", vehicles, (backup, copied + started.elapsed()));
    work(&restored, "between");
    restored.stop();
    let told = [("PATIO_DATABASE_URL", &*server.admin(&second)), ("PATIO_DATA_DIR", "/tmp"), ("PATIO_UNSAFE", "true")];
    let (code, out, err) = run("patio", &["audit", "verify"], &told);
    assert_eq!(code, Some(0), "{out}{err}");

    let third = server.fresh("third");
    restore(&["--clean", "--if-exists"], server.admin(&third));
    is_same(&before, &block_on(of_postgres(&server.admin(&third))));
}
