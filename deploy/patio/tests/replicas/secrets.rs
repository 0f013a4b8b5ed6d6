//! Secrets never appear in logs of any format and level, metrics, command output, responses or command lines.
use super::{
    MISSING, Yard, print_to_stderr,
    shown::{Shown, written},
};
use patio_harness::{
    ADMIN_HMC, ADMIN_PASSWORD, DATABASE_PASSWORD, DATABASE_ROLE, DEVELOPER_PASSWORD, PROGRAM_NAMES, REDIS_PASSWORD, SERVICE_SECRET,
    acquire_heavy_test_slot, wait_until,
};
use serde_json::json;
use std::{collections::BTreeSet, time::Duration};

/// Secret values in the settings.
const SETTINGS: [(&str, &str); 5] = [
    ("PATIO_ADMIN_PASSWORD", ADMIN_PASSWORD),
    ("PATIO_DEVELOPER_PASSWORD", DEVELOPER_PASSWORD),
    ("PATIO_SERVICE_SECRET", SERVICE_SECRET),
    ("PATIO_DATABASE_URL", DATABASE_PASSWORD),
    ("PATIO_REDIS_URL", REDIS_PASSWORD),
];
/// Passwords that users type, valid and invalid.
const TYPED: [&str; 4] = ["typedpw-wrong-7Rr2", "typedpw-garbled-4Ss9", "typedpw-chosen-6Uu1", "typedpw-next-3Vv8"];
/// Text in forged tokens.
const FORGED: &str = "typedtoken0Ww5";
/// Number of programs with invalid settings that run concurrently.
const AT_ONCE: usize = 4;

#[test]
fn secrets_appear_nowhere() {
    let _turn = acquire_heavy_test_slot();
    let Some(mut yard) = Yard::start_with("trace", 1) else { return print_to_stderr(MISSING) };
    let mut shown = Shown::default();
    for is_json in [false, true] {
        if is_json {
            yard.log_as_json();
        }
        yard.people_work(&mut shown);
        yard.the_stores_refuse(&mut shown);
    }
    yard.an_operator_looks(&mut shown);
    let looked_for = yard.secrets();
    yard.an_operator_errs(&mut shown);
    for replica in yard.patio.replicas() {
        shown.add_file(&replica.log_path());
        shown.add_file(&replica.output_path());
    }
    let paths = shown.found(&["/api/sessions".to_owned()]).filter(|line| line.contains("gateway")).collect::<Vec<_>>();
    assert!([" /api", "\"/api"].iter().all(|form| paths.iter().any(|line| line.contains(form))), "the search finds text that is present");
    let finds = shown.finds(&looked_for);
    print_to_stderr(&format!("searched {} secrets in {}: {} found", looked_for.len(), shown.size(), finds.len()));
    assert!(finds.is_empty(), "{:#?}", &finds[..finds.len().min(20)]);
}

impl Yard {
    /// Restarts all processes with the other log format.
    fn log_as_json(&mut self) {
        for replica in self.patio.replicas_mut() {
            replica.kill();
            replica.set_environment_variable("PATIO_LOG_JSON", "true");
        }
        self.patio.start_all_processes();
        self.patio.wait_until_ready();
    }

    /// Performs valid and invalid sign-ins, malformed requests, forged tokens, password changes and a save.
    fn people_work(&self, shown: &mut Shown) {
        let [wrong, garbled, chosen, next] = TYPED;
        for gateway in &self.gateways() {
            let nobody = gateway.with_token("");
            for body in [
                json!({ "hmc": "1000", "password": wrong }).to_string(),
                json!({ "hmc": "nobody", "password": wrong }).to_string(),
                json!({ "hmc": wrong, "password": [wrong] }).to_string(),
                json!({ "hmc": "1000", "password": wrong.repeat(30) }).to_string(),
                format!("{{\"hmc\":\"1000\",\"password\":\"{garbled}"),
                format!("password={garbled}"),
            ] {
                shown.ask("POST /api/sessions", &nobody, &body);
            }
            for token in [FORGED, &format!("{}{FORGED}", gateway.token()), &format!("a.{FORGED}.c")] {
                shown.ask("GET /api/campaigns", &gateway.with_token(token), "");
                shown.ask("GET /api/vehicles/1", &gateway.with_token(token), "");
            }
            for (role, password) in [("op", chosen), ("nobody", chosen), ("op", &garbled[..7])] {
                let made = json!({ "hmc": "4000", "password": password, "user_type": role });
                shown.ask("POST /api/sign-up", gateway, &made.to_string());
            }
            shown.ask("PUT /api/me/password", gateway, &json!({ "old": wrong, "new": next }).to_string());
            shown.ask("PUT /api/users/3", gateway, &json!({ "password": next }).to_string());
            shown.ask("GET /api/me", gateway, "");
            shown.ask("GET /api/users", gateway, "");
            shown.ask("GET /api/nothing", gateway, "");
            shown.ask("PUT /api/vehicles/1", gateway, &json!({ "operator_notes": "seen" }).to_string());
            self.command_lines(shown);
        }
    }

    /// Collects the output when PostgreSQL and Redis reject the previously valid password.
    fn the_stores_refuse(&self, shown: &mut Shown) {
        let gateways = self.gateways();
        self.postgres.run_sql(&format!("alter role {DATABASE_ROLE} password 'another'"));
        self.postgres.run_sql(&format!("select pg_terminate_backend(pid) from pg_stat_activity where usename = '{DATABASE_ROLE}'"));
        let _ = self.redis.send_command(REDIS_PASSWORD, &["acl", "setuser", "default", ">another", &format!("<{REDIS_PASSWORD}")]);
        let _ = self.redis.send_command("another", &["client", "kill", "type", "normal"]);
        for gateway in &gateways {
            shown.ask("GET /api/campaigns", gateway, "");
            let right = json!({ "hmc": ADMIN_HMC, "password": ADMIN_PASSWORD }).to_string();
            shown.ask("POST /api/sessions", &gateway.with_token(""), &right);
        }
        self.postgres.run_sql(&format!("alter role {DATABASE_ROLE} password '{DATABASE_PASSWORD}'"));
        let _ = self.redis.send_command("another", &["acl", "setuser", "default", &format!(">{REDIS_PASSWORD}"), "<another"]);
        wait_until("requests succeed again", Duration::from_secs(60), || shown.ask("GET /api/campaigns", &gateways[0], "") == 200);
    }

    /// Collects the metrics and the output of each program's commands.
    fn an_operator_looks(&self, shown: &mut Shown) {
        for replica in self.patio.replicas() {
            let admin = self.patio.client().with_url(&replica.admin_url());
            shown.ask("GET /metrics", &admin, "");
            shown.ask("GET /readyz", &admin, "");
        }
        let asked = [&["config"][..], &["--help"], &["serve", "--help"], &["help", "serve"], &["serve", "--nothing"]];
        for service in PROGRAM_NAMES {
            shown.run(asked.map(|arguments| (service, arguments, &[][..])), &self.patio.replica(service, 0).launch.environment);
        }
        let whole = [&["doctor", "--services"][..], &["config"]].map(|arguments| ("patio", arguments, &[][..]));
        shown.run(whole, &self.patio.replica("auth-svc", 0).launch.environment);
        let masked: BTreeSet<_> = shown.masked().into_iter().collect();
        assert_eq!(masked, SETTINGS.map(|(name, _)| name.to_owned()).into(), "each secret that `config` masks is searched for");
    }

    /// Collects the error output of programs with invalid settings. The running processes are no longer needed.
    fn an_operator_errs(&mut self, shown: &mut Shown) {
        self.patio.replicas_mut().for_each(|replica| replica.kill());
        let environment = &self.patio.replica("auth-svc", 0).launch.environment;
        let changed: Vec<_> = garbled().into_iter().map(|setting| [setting, ("PATIO_LISTEN", "127.0.0.1:0".to_owned())]).collect();
        for some in changed.chunks(AT_ONCE) {
            let runs = some.iter().flat_map(|changed| {
                let own = [&["migrate"][..], &["config"], &["serve"]].map(|arguments| ("auth-svc", arguments, &changed[..]));
                let whole = [&["doctor"][..], &["config"]].map(|arguments| ("patio", arguments, &changed[..]));
                own.into_iter().chain(whole)
            });
            shown.run(runs, environment);
        }
    }

    /// Collects the command lines of all processes and their children.
    fn command_lines(&self, shown: &mut Shown) {
        for replica in self.patio.replicas() {
            for process in replica.child_process_ids().into_iter().chain([replica.id()]) {
                let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
                shown.add(&format!("command line of {}", replica.name()), &String::from_utf8_lossy(&line));
            }
        }
    }

    /// Returns all secrets, each in every encoding in which it could appear.
    fn secrets(&self) -> Vec<(String, Vec<String>)> {
        let named = SETTINGS.iter().map(|(name, value)| ((*name).to_owned(), written(value.as_bytes())));
        let typed = TYPED.iter().chain(&[FORGED]).map(|value| ("typed".to_owned(), written(value.as_bytes())));
        let signature = self.admin.token().rsplit('.').next().unwrap();
        let stored = [
            ("signing key", "select string_agg(encode(substr(private_key, 17, 32), 'hex'), ' ') from auth.signing_keys"),
            ("own key", "select string_agg(encode(value, 'hex'), ' ') from auth.own_keys"),
            (
                "password hash",
                "select string_agg(encode(convert_to(password_hash, 'UTF8'), 'hex'), ' ') from auth.users where password_hash <> ''",
            ),
        ];
        let stored = stored.into_iter().flat_map(|(name, query)| {
            let values = self.postgres.run_sql_in_database("patio", query);
            assert!(!values.is_empty(), "{name}");
            values.split(' ').map(|hex| (name.to_owned(), written(&unhex(hex)))).collect::<Vec<_>>()
        });
        named.chain(typed).chain([("token".to_owned(), written(signature.as_bytes()))]).chain(stored).collect()
    }
}

fn unhex(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|n| u8::from_str_radix(&hex[2 * n..2 * n + 2], 16).unwrap()).collect()
}

/// Returns invalid settings that contain a password.
fn garbled() -> Vec<(&'static str, String)> {
    let (database, redis) = (DATABASE_PASSWORD, REDIS_PASSWORD);
    let databases = [
        format!("mysql://yard:{database}@127.0.0.1:1/patio"),
        format!("postgres:yard:{database}@127.0.0.1:1/patio"),
        format!("postgres://yard:{database}@127.0.0.1:none/patio"),
        format!("postgres://yard:/{database}?#@{database}@127.0.0.1:1/patio"),
        format!("postgres://yard:{database}@127.0.0.1:1/patio"),
        format!("postgres://127.0.0.1:1/patio?user=yard&password={database}"),
        format!("postgres://127.0.0.1:1/patio?user=yard&password={database}&sslmode=none"),
    ];
    let redises = [
        format!("redis:{redis}"),
        format!("redis://:{redis}@127.0.0.1:none"),
        format!("redis://:{redis}@127.0.0.1:1"),
        format!("redis://:/{redis}#@127.0.0.1:1/none"),
    ];
    let databases = databases.map(|url| ("PATIO_DATABASE_URL", url));
    databases.into_iter().chain(redises.map(|url| ("PATIO_REDIS_URL", url))).collect()
}
