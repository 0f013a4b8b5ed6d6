//! The command `doctor`: its machine-readable form, waiting, and the checks before an installation.
use patio_harness::{
    Database, POSTGRES_URL_VARIABLE, ProgramOutput, Redis, TestFolder, acquire_light_test_slot, find_free_port, run_program,
};
use patio_testing::print_to_stderr;
use serde_json::Value;
use std::{fs, net::TcpListener, os::unix::fs::PermissionsExt, path::Path, thread, time::Duration};

/// Settings with which every check of `patio doctor` passes, for a folder with built pages.
struct Sound {
    folder: TestFolder,
    data: String,
    pages: String,
}

impl Sound {
    fn new() -> Self {
        let folder = TestFolder::create_temporary();
        let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let (data, pages) = (at("data"), at("pages"));
        fs::create_dir(&pages).unwrap();
        fs::write(format!("{pages}/index.html"), "").unwrap();
        Self { folder, data, pages }
    }

    fn doctor(&self, arguments: &[&str], settings: &[(&str, &str)]) -> ProgramOutput {
        let own = [("PATIO_DATA_DIR", &*self.data), ("PATIO_WEB_DIR", &*self.pages), ("PATIO_LISTEN", "127.0.0.1:0")];
        run_program("patio", &[&["doctor"], arguments].concat(), &[&own, settings].concat())
    }
}

/// Returns all paths below a folder, with the size of each file.
fn contents(folder: &Path) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let about = entry.metadata().unwrap();
        found.push((entry.path().display().to_string(), about.len()));
        if about.is_dir() {
            found.extend(contents(&entry.path()));
        }
    }
    found.sort();
    found
}

#[test]
fn the_doctor_as_json_has_a_state_a_remedy_and_a_link_for_each_finding() {
    let (_turn, sound) = (acquire_light_test_slot(), Sound::new());
    let report = |settings: &[(&str, &str)]| {
        let done = sound.doctor(&["--json"], settings);
        let json: Value = serde_json::from_str(&done.stdout).unwrap_or_else(|cause| panic!("{cause}: {done:?}"));
        (done.code, json)
    };
    let (code, json) = report(&[]);
    assert_eq!((code, &json["ok"]), (Some(0), &Value::Bool(true)), "{json}");
    let (code, json) = report(&[("PATIO_REDIS_URL", "redis://127.0.0.1:1"), ("PATIO_WEB_DIR", "/nowhere")]);
    assert_eq!((code, &json["ok"]), (Some(1), &Value::Bool(false)), "{json}");
    let checks = json["checks"].as_array().unwrap();
    for check in checks {
        let fields: Vec<_> = check.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(fields, ["link", "message", "name", "remedy", "state"]);
        assert!(check["link"].as_str().unwrap().starts_with("deploy/runbook.md#"), "{check}");
        assert_eq!(check["state"] == "fail", check["remedy"].is_string(), "{check}");
        assert!(["ok", "note", "fail"].contains(&check["state"].as_str().unwrap()), "{check}");
    }
    let failed: Vec<_> = checks.iter().filter(|check| check["state"] == "fail").map(|check| &check["name"]).collect();
    assert_eq!(failed, ["cache", "pages"]);
    assert_eq!(checks.iter().find(|check| check["name"] == "cache").unwrap()["link"], "deploy/runbook.md#redis-is-unavailable");
}

#[test]
fn the_doctor_waits_until_everything_is_ok_or_the_time_is_over() {
    let (_turn, sound) = (acquire_light_test_slot(), Sound::new());
    let index = format!("{}/index.html", sound.pages);
    fs::remove_file(&index).unwrap();
    let over = sound.doctor(&["--wait", "1s"], &[]);
    assert!(over.code == Some(1) && over.stdout.contains("FAIL pages"), "{over:?}");
    let done = thread::scope(|scope| {
        let waiting = scope.spawn(|| sound.doctor(&["--wait", "60s", "--json"], &[]));
        thread::sleep(Duration::from_secs(1));
        fs::write(&index, "").unwrap();
        waiting.join().unwrap()
    });
    let json: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!((done.code, &json["ok"]), (Some(0), &Value::Bool(true)), "{done:?}");
}

#[test]
fn the_checks_before_an_installation_find_what_is_missing_and_change_nothing() {
    let (_turn, sound) = (acquire_light_test_slot(), Sound::new());
    let before = contents(sound.folder.path());
    let pre = |settings: &[(&str, &str)]| sound.doctor(&["--pre"], settings);
    let fine = pre(&[]);
    assert_eq!(fine.code, Some(0), "{fine:?}");
    super::contains(&fine.combined_output(), &["can be created", "ok   settings: valid", "ok   pages: built"]);

    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let (port, key) = (taken.local_addr().unwrap().to_string(), sound.folder.path().join("pages/index.html"));
    let wrong = pre(&[("PATIO_LISTEN", &port), ("PATIO_KEY_FILE", key.to_str().unwrap()), ("PATIO_WEB_DIR", "/nowhere")]);
    assert_eq!(wrong.code, Some(1), "{wrong:?}");
    super::contains(
        &wrong.combined_output(),
        &[&format!("FAIL port: {port}"), "FAIL key file: PATIO_KEY_FILE", "FAIL pages: no index.html"],
    );
    let away = format!("postgres://nobody:hush@127.0.0.1:{}/none", find_free_port());
    let away = pre(&[("PATIO_DATABASE_URL", &away), ("PATIO_REDIS_URL", "redis://127.0.0.1:1")]);
    assert!(away.code == Some(1) && !away.combined_output().contains("hush"), "{away:?}");
    super::contains(&away.combined_output(), &["FAIL database of auth", "FAIL cache: Redis does not answer"]);
    assert_eq!(contents(sound.folder.path()), before, "nothing was changed");

    fs::create_dir(&sound.data).unwrap();
    fs::set_permissions(&sound.data, fs::Permissions::from_mode(0o755)).unwrap();
    let open = pre(&[]);
    assert!(open.code == Some(1) && open.combined_output().contains("FAIL privacy of the data folder: other users can read"), "{open:?}");

    assert_eq!(pre(&[("PATIO_LOG_JSON", "maybe")]).code, Some(78), "a setting that cannot be parsed");
    assert_eq!(pre(&[("PATIO_SERVICE_SECRET", "short")]).code, Some(78), "an invalid setting");
    assert_eq!(sound.doctor(&["--wait", "soon"], &[]).code, Some(2), "wrong use");
    if let Some(redis) = Redis::start(sound.folder.path()) {
        let asked = pre(&[("PATIO_REDIS_URL", &redis.url())]);
        assert!(asked.combined_output().contains("cache: Redis answers"), "{asked:?}");
        assert_eq!(redis.send_command(patio_harness::REDIS_PASSWORD, &["dbsize"]), "0", "nothing was written to Redis");
    }
}

#[test]
fn the_doctor_names_a_role_without_rights_and_a_server_with_too_few_connections() {
    let _turn = acquire_light_test_slot();
    let Some(database) = Database::create() else { return print_to_stderr(&format!("{POSTGRES_URL_VARIABLE} is not set: skipped")) };
    let role = format!("{}_other", database.name());
    database.run_sql_in_maintenance_database(&format!("create role {role} login"));
    database.run_sql("create schema vehicle");
    let url = database.url_for_role(&role, "x");
    let doctor = |arguments: &[&str]| {
        let settings = [("PATIO_DATABASE_URL", &*url), ("PATIO_ALLOW_DATA_LOSS", "true"), ("PATIO_SERVICE_SECRET", "the secret of tests")];
        run_program("vehicle-svc", &[&["doctor"], arguments].concat(), &settings)
    };
    let before = doctor(&["--pre"]);
    assert_eq!(before.code, Some(1), "{before:?}");
    super::contains(
        &before.combined_output(),
        &["FAIL database: the schema vehicle belongs to", &format!("the role {role} is not a member of it")],
    );
    database.run_sql("drop schema vehicle");
    let missing = doctor(&["--pre"]);
    super::contains(
        &missing.combined_output(),
        &[&format!("FAIL database: the schema vehicle does not exist, and the role {role} may not create it")],
    );

    database.run_sql(&format!("create schema vehicle authorization {role}"));
    database.run_sql_in_maintenance_database(&format!("alter role {role} connection limit 71"));
    let few = doctor(&["--pre"]);
    super::contains(
        &few.combined_output(),
        &["FAIL connections: 1 replicas open at most 24 each, 72 during a rollout, and PostgreSQL admits 71"],
    );
    database.run_sql_in_maintenance_database(&format!("alter role {role} connection limit 72"));
    super::contains(&doctor(&["--pre"]).combined_output(), &["ok   connections: 1 replicas open at most 24 each"]);
    assert_eq!(database.run_sql("select count(*) from pg_tables where schemaname = 'vehicle'"), "0", "no migration has run");
    database.run_sql_in_maintenance_database(&format!("alter role {role} connection limit -1"));
    database.run_sql("drop schema vehicle");
    database.run_sql_in_maintenance_database(&format!("drop role {role}"));
}
