//! PgBouncer in front of PostgreSQL: session mode works, other pool modes are rejected with a clear error.
use patio_harness::{Database, POSTGRES_URL_VARIABLE, Patio, TestFolder, acquire_light_test_slot, find_free_port, run_program, wait_until};
use patio_testing::print_to_stderr;
use serde_json::json;
use std::{
    fs,
    net::TcpStream,
    os::unix::fs::PermissionsExt,
    process::{Child, Command, Stdio},
    time::Duration,
};

/// A PgBouncer process, stopped on drop.
struct Pool {
    child: Child,
    url: String,
    _folder: TestFolder,
}

impl Pool {
    /// Starts a PgBouncer in front of a database. Returns `None` if PgBouncer is not installed.
    fn start(database: &Database, mode: &str, more: &str) -> Option<Self> {
        // Debian installs PgBouncer in /usr/sbin, which is only in root's PATH.
        let program =
            ["/usr/sbin/pgbouncer", "pgbouncer"].into_iter().find(|path| !path.contains('/') || fs::exists(path).unwrap_or(false))?;
        Command::new(program).arg("--version").stdout(Stdio::null()).status().ok()?;
        let (folder, port) = (TestFolder::create_temporary(), find_free_port());
        let (_, server) = database.url().rsplit_once('@').map(|(role, place)| (role.to_owned(), place.to_owned()))?;
        let (place, name) = server.split_once('/')?;
        let (host, server_port) = place.split_once(':')?;
        let user = database.url().split_once("://")?.1.split('@').next()?.split(':').next()?.to_owned();
        let settings = format!(
            "[databases]\n{name} = host={host} port={server_port} user={user}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n\
             unix_socket_dir =\nauth_type = any\npool_mode = {mode}\ndefault_pool_size = 100\nmax_client_conn = 200\n{more}\n"
        );
        let file = folder.path().join("pgbouncer.ini");
        fs::write(&file, settings).unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        // PgBouncer refuses to run as root, so it switches to another user.
        let mut command = Command::new(program);
        command.arg("-q").arg(&file).stdout(Stdio::null()).stderr(Stdio::null());
        if fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0) {
            command.args(["-u", "postgres"]);
        }
        let child = command.spawn().unwrap();
        wait_until("PgBouncer listens", Duration::from_secs(10), || TcpStream::connect(("127.0.0.1", port)).is_ok());
        Some(Self { child, url: format!("postgres://{user}@127.0.0.1:{port}/{name}"), _folder: folder })
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn session_mode_works_and_other_pool_modes_are_rejected() {
    let _turn = acquire_light_test_slot();
    let Some(database) = Database::create() else { return print_to_stderr(&format!("{POSTGRES_URL_VARIABLE} is not set: skipped")) };
    for mode in ["transaction", "statement"] {
        let Some(pool) = Pool::start(&database, mode, "") else { return print_to_stderr("pgbouncer is not installed: skipped") };
        let settings = [("PATIO_DATABASE_URL", &*pool.url), ("PATIO_ALLOW_DATA_LOSS", "true")];
        let refused = run_program("patio", &["migrate"], &settings);
        let words = format!("PATIO_DATABASE_URL leads to a PgBouncer in {mode} mode");
        assert!(refused.code == Some(78) && refused.combined_output().contains(&words), "{refused:?}");
        let (_, place) = pool.url.rsplit_once('@').unwrap();
        let address = place.split('/').next().unwrap();
        super::contains(&refused.combined_output(), &[address, "set pool_mode = session there", "the PostgreSQL server itself"]);
        let doctor = run_program("patio", &["doctor"], &settings);
        assert!(doctor.code == Some(1) && doctor.combined_output().contains(&words), "{doctor:?}");
    }
    assert_eq!(database.run_sql("select count(*) from pg_tables where schemaname in ('auth', 'vehicle', 'public')"), "0", "no tables yet");
    let Some(pool) = Pool::start(&database, "session", "") else { return };
    let patio = Patio::builder().with_postgres(&pool.url).start();
    let admin = patio.sign_in();
    let vehicle = admin.import_template_workbook().vehicle_ids()[0];
    admin.save_vehicle(vehicle, &json!({ "status": "ok" }));
    assert_eq!(admin.get_vehicle(vehicle)["status"], "ok");
    let places = "select count(distinct schemaname) from pg_tables where schemaname in ('auth', 'campaign', 'vehicle', 'imports')";
    assert_eq!(
        (database.run_sql(places), database.run_sql("select count(*) from pg_tables where schemaname = 'public'")),
        ("4".into(), "0".into())
    );
    patio.stop();
}

#[test]
fn a_pooler_that_refuses_or_ignores_a_parameter_of_the_url_is_rejected() {
    let _turn = acquire_light_test_slot();
    let Some(database) = Database::create() else { return print_to_stderr(&format!("{POSTGRES_URL_VARIABLE} is not set: skipped")) };
    for (more, words) in [
        ("", "a PgBouncer that refuses a parameter of the URL (unsupported startup parameter: options)"),
        ("ignore_startup_parameters = options", "a PgBouncer that ignores the parameter statement_timeout of the URL"),
    ] {
        let Some(pool) = Pool::start(&database, "session", more) else { return print_to_stderr("pgbouncer is not installed: skipped") };
        let migrate = |url: &str| run_program("patio", &["migrate"], &[("PATIO_DATABASE_URL", url), ("PATIO_ALLOW_DATA_LOSS", "true")]);
        let parameter = "?options=-c%20statement_timeout%3D20s";
        let refused = migrate(&format!("{}{parameter}", pool.url));
        assert!(refused.code == Some(78) && refused.combined_output().contains(words), "{refused:?}");
        let direct = migrate(&format!("{}{parameter}", database.url()));
        assert_eq!(direct.code, Some(0), "PostgreSQL itself takes the parameter: {direct:?}");
    }
}
