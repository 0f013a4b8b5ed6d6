//! No secret is shown: in no log of either form down to the last level, in no metric, by no command, in no answer and no
//! command line.
use super::{
    Yard, alone,
    cluster::{DEVELOPER_PASSWORD, PASSWORD, Replica, SERVICE_SECRET, SERVICES},
    print,
    servers::{DATABASE_PASSWORD, REDIS_PASSWORD, until},
    shown::{Shown, written},
    tell,
};
use serde_json::json;
use std::{collections::BTreeSet, time::Duration};

/// What the settings hold that must not be seen.
const SETTINGS: [(&str, &str); 5] = [
    ("PATIO_ADMIN_PASSWORD", PASSWORD),
    ("PATIO_DEVELOPER_PASSWORD", DEVELOPER_PASSWORD),
    ("PATIO_SERVICE_SECRET", SERVICE_SECRET),
    ("PATIO_DATABASE_URL", DATABASE_PASSWORD),
    ("PATIO_REDIS_URL", REDIS_PASSWORD),
];
/// What people type who are let in or not.
const TYPED: [&str; 4] = ["typedpw-wrong-7Rr2", "typedpw-garbled-4Ss9", "typedpw-chosen-6Uu1", "typedpw-next-3Vv8"];
/// Part of tokens that nobody made.
const FORGED: &str = "typedtoken0Ww5";

#[test]
fn secrets_are_shown_nowhere() {
    let _alone = alone();
    let Some(mut yard) = Yard::start_with("trace") else {
        let _ = print("PostgreSQL or Redis is not installed: skipped\n");
        return;
    };
    let mut shown = Shown::default();
    yard.people_work(&mut shown);
    yard.the_stores_refuse(&mut shown);
    yard.an_operator_looks(&mut shown);
    let looked_for = yard.secrets();
    yard.an_operator_errs(&mut shown);
    for replica in yard.cluster.replicas.values().flatten() {
        shown.add_file(&replica.log);
    }
    let paths = shown.found(&["/api/sessions".to_owned()]).filter(|line| line.contains("gateway")).collect::<Vec<_>>();
    assert!([" /api", "\"/api"].iter().all(|form| paths.iter().any(|line| line.contains(form))), "what is there is found");
    let finds = shown.finds(&looked_for);
    tell(&format!("{} secrets looked for in {}: {} finds", looked_for.len(), shown.size(), finds.len()));
    assert!(finds.is_empty(), "{:#?}", &finds[..finds.len().min(20)]);
}

impl Yard {
    /// Signing in well and badly, broken requests, forged tokens, new passwords and a save; the yard began with an import.
    fn people_work(&self, shown: &mut Shown) {
        let [wrong, garbled, chosen, next] = TYPED;
        let gateways = self.cluster.gateways();
        for gateway in &gateways {
            for body in [
                json!({ "hmc": "1000", "password": wrong }).to_string(),
                json!({ "hmc": "nobody", "password": wrong }).to_string(),
                json!({ "hmc": wrong, "password": [wrong] }).to_string(),
                json!({ "hmc": "1000", "password": wrong.repeat(30) }).to_string(),
                format!("{{\"hmc\":\"1000\",\"password\":\"{garbled}"),
                format!("password={garbled}"),
            ] {
                shown.ask("POST /api/sessions", gateway, "", &body);
            }
            for token in [FORGED, &format!("{}{FORGED}", self.token), &format!("a.{FORGED}.c")] {
                shown.ask("GET /api/campaigns", gateway, token, "");
                shown.ask("GET /api/vehicles/1", gateway, token, "");
            }
            let token = &self.token;
            for (role, password) in [("op", chosen), ("nobody", chosen), ("op", &garbled[..7])] {
                let made = json!({ "hmc": "4000", "password": password, "user_type": role });
                shown.ask("POST /api/sign-up", gateway, token, &made.to_string());
            }
            shown.ask("PUT /api/me/password", gateway, token, &json!({ "old": wrong, "new": next }).to_string());
            shown.ask("PUT /api/users/3", gateway, token, &json!({ "password": next }).to_string());
            shown.ask("GET /api/me", gateway, token, "");
            shown.ask("GET /api/users", gateway, token, "");
            shown.ask("GET /api/nothing", gateway, token, "");
            shown.ask("PUT /api/vehicles/1", gateway, token, &json!({ "operator_notes": "seen" }).to_string());
            self.command_lines(shown);
        }
    }

    /// What is said when a store does not take the password any more, which was right before.
    fn the_stores_refuse(&self, shown: &mut Shown) {
        let gateways = self.cluster.gateways();
        self.postgres.sql("alter role yard password 'another'");
        self.postgres.sql("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'yard'");
        self.redis.say(REDIS_PASSWORD, &["acl", "setuser", "default", ">another", &format!("<{REDIS_PASSWORD}")]);
        self.redis.say("another", &["client", "kill", "type", "normal"]);
        for gateway in &gateways {
            shown.ask("GET /api/campaigns", gateway, &self.token, "");
            shown.ask("POST /api/sessions", gateway, "", &json!({ "hmc": "1000", "password": PASSWORD }).to_string());
        }
        self.postgres.sql(&format!("alter role yard password '{DATABASE_PASSWORD}'"));
        self.redis.say("another", &["acl", "setuser", "default", &format!(">{REDIS_PASSWORD}"), "<another"]);
        until("all is well again", Duration::from_secs(60), || shown.ask("GET /api/campaigns", &gateways[0], &self.token, "") == 200);
    }

    /// Metrics, and what each program says when it is asked.
    fn an_operator_looks(&self, shown: &mut Shown) {
        for replica in self.cluster.replicas.values().flatten() {
            let metrics = format!("http://127.0.0.1:{}", replica.admin);
            shown.ask("GET /metrics", &metrics, "", "");
            shown.ask("GET /readyz", &metrics, "", "");
        }
        let all = &self.cluster.replicas;
        let asked = [&["config"][..], &["--help"], &["serve", "--help"], &["help", "serve"], &["serve", "--nothing"]];
        for service in SERVICES {
            shown.run(asked.map(|arguments| (service, arguments)), &all[service][0].environment, &[]);
        }
        shown.run([("patio", &["doctor", "--services"][..]), ("patio", &["config"])], &all["auth-svc"][0].environment, &[]);
        let told: BTreeSet<_> = shown.masked().into_iter().collect();
        assert_eq!(told, SETTINGS.map(|(name, _)| name.to_owned()).into(), "each secret that `config` names is looked for");
    }

    /// What programs say that are told what they cannot use; those that run are not needed any more.
    fn an_operator_errs(&mut self, shown: &mut Shown) {
        self.cluster.each(Replica::kill);
        let listen = ("PATIO_LISTEN", "127.0.0.1:0".to_owned());
        for setting in garbled() {
            let own = [&["migrate"][..], &["config"], &["serve"]].map(|arguments| ("auth-svc", arguments));
            let whole = [&["doctor"][..], &["config"]].map(|arguments| ("patio", arguments));
            shown.run(own.into_iter().chain(whole), &self.cluster.replicas["auth-svc"][0].environment, &[setting, listen.clone()]);
        }
    }

    /// Of all that run, and of those that they started.
    fn command_lines(&self, shown: &mut Shown) {
        for replica in self.cluster.replicas.values().flatten() {
            let id = replica.id();
            let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
            for process in children.split_whitespace().chain([id.to_string().as_str()]) {
                let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
                shown.add(&format!("command line of {}", replica.name), &String::from_utf8_lossy(&line));
            }
        }
    }

    /// All that must not be seen, in every way it could be written.
    fn secrets(&self) -> Vec<(String, Vec<String>)> {
        let named = SETTINGS.iter().map(|(name, value)| ((*name).to_owned(), written(value.as_bytes())));
        let typed = TYPED.iter().chain(&[FORGED]).map(|value| ("typed".to_owned(), written(value.as_bytes())));
        let signature = self.token.rsplit('.').next().unwrap();
        let stored = [
            ("signing key", "select string_agg(encode(substr(private_key, 17, 32), 'hex'), ' ') from auth.signing_keys"),
            ("own key", "select string_agg(encode(value, 'hex'), ' ') from auth.own_keys"),
            (
                "password hash",
                "select string_agg(encode(convert_to(password_hash, 'UTF8'), 'hex'), ' ') from auth.users where password_hash <> ''",
            ),
        ];
        let stored = stored.into_iter().flat_map(|(name, query)| {
            let told = self.postgres.sql_on("patio", query);
            assert!(!told.is_empty(), "{name}");
            told.split(' ').map(|hex| (name.to_owned(), written(&unhex(hex)))).collect::<Vec<_>>()
        });
        named.chain(typed).chain([("token".to_owned(), written(signature.as_bytes()))]).chain(stored).collect()
    }
}

fn unhex(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|n| u8::from_str_radix(&hex[2 * n..2 * n + 2], 16).unwrap()).collect()
}

/// Settings that cannot be used and hold a password all the same.
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
