//! Rotation of every secret under load, as described in the runbook.
use super::{MISSING, Yard, parts::restart_all, print_counts, print_to_stderr};
use patio_harness::{DATABASE_ROLE, REDIS_PASSWORD, SERVICE_SECRET, acquire_exclusive_slot};
use patio_proto::auth::{MintServiceTokenRequest, token_service_client::TokenServiceClient};
use tonic::Code;

const NEW_SECRET: &str = "servicesecret-6Jm9Nk4p";
const NEW_DATABASE_PASSWORD: &str = "databasepw-1Lp8Qs5x";
const NEW_REDIS_PASSWORD: &str = "redispw-3Hu7Ei2t";

#[test]
fn secrets_are_changed_without_a_failed_request() {
    let _turn = acquire_exclusive_slot();
    let Some(mut yard) = Yard::start() else { return print_to_stderr(MISSING) };
    yard.wait_for_calm();
    yard.secrets_may_be_changed();
}

impl Yard {
    /// Rotates the passwords of PostgreSQL and Redis and the service secret, restarting each replica twice. No request fails, and
    /// the old values are rejected afterwards.
    fn secrets_may_be_changed(&mut self) {
        let database = self.second_role();
        let _ = self.redis.send_command(REDIS_PASSWORD, &["acl", "setuser", "default", &format!(">{NEW_REDIS_PASSWORD}")]);
        let redis = self.redis.url_with_password(NEW_REDIS_PASSWORD);
        let both = format!("{NEW_SECRET},{SERVICE_SECRET}");
        let first = [("PATIO_DATABASE_URL", &*database), ("PATIO_REDIS_URL", &redis), ("PATIO_SERVICE_SECRET", &both)];
        self.restart_with("first", &first, true);
        self.postgres.run_sql(&format!("alter role {DATABASE_ROLE} password 'nobodyknows-this-one'"));
        let _ = self.redis.send_command(NEW_REDIS_PASSWORD, &["acl", "setuser", "default", &format!("<{REDIS_PASSWORD}")]);
        self.restart_with("second", &[("PATIO_SERVICE_SECRET", NEW_SECRET)], false);
        self.nothing_old_is_good();
    }

    /// Creates a second database role with access to the tables of the first. Returns its URL.
    fn second_role(&self) -> String {
        self.postgres.run_sql(&format!("create role yard_2 login password '{NEW_DATABASE_PASSWORD}' in role {DATABASE_ROLE}"));
        self.postgres.run_sql(&format!("alter role yard_2 set role to {DATABASE_ROLE}"));
        self.postgres.url_for_role("yard_2", NEW_DATABASE_PASSWORD)
    }

    /// Restarts all replicas with new settings, in either order, so that replicas with old and new values meet.
    fn restart_with(&mut self, round: &str, settings: &[(&str, &str)], backwards: bool) {
        let Self { patio, load, long, .. } = self;
        load.during(|| {
            load.settle();
            restart_all(patio, *long, backwards, |replica| {
                settings.iter().for_each(|(name, value)| replica.set_environment_variable(name, value))
            });
            load.until("reads and saves are answered", |counts| counts.reads > 100 && counts.saves > 100);
        });
        let counts = load.taken();
        print_counts(&format!("all ten restarted with changed secrets, {round} round"), &counts);
        assert!(counts.failed.is_empty() && counts.asked_to_wait == 0, "{:#?}", counts.failed);
        assert!(counts.reads > 100 && counts.saves > 100, "{counts:?}");
        load.again();
    }

    fn nothing_old_is_good(&self) {
        for replica in self.patio.replicas_of_program("auth-svc") {
            let minted = [SERVICE_SECRET, NEW_SECRET].map(|secret| mint(replica.url(), secret));
            assert_eq!(minted, [Some(Code::PermissionDenied), None], "{}", replica.name());
        }
        assert_eq!(self.redis.send_command(NEW_REDIS_PASSWORD, &["ping"]), "PONG");
        assert!(self.redis.send_command(REDIS_PASSWORD, &["ping"]).contains("NOAUTH"));
        let as_whom = "select string_agg(distinct usename, ' ') from pg_stat_activity where datname = 'patio'";
        assert_eq!(self.postgres.run_sql(as_whom), "yard_2", "all connections use the new role");
        assert!(self.refusals().is_empty(), "{:#?}", self.refusals());
        print_to_stderr("both replicas reject the old secret, all connections use the second role, no service rejected another");
    }

    /// Returns log lines about rejected secrets. Failed calls between services would otherwise go unnoticed.
    fn refusals(&self) -> Vec<String> {
        let lines: Vec<String> =
            self.patio.replicas().flat_map(|replica| replica.read_log().lines().map(str::to_owned).collect::<Vec<_>>()).collect();
        lines
            .into_iter()
            .filter(|line| line.contains("the service secret is wrong") || line.contains("NOAUTH") || line.contains("WRONGPASS"))
            .collect()
    }
}

/// Returns the error of a call with this secret, or `None` if it is accepted.
#[tokio::main(flavor = "current_thread")]
async fn mint(url: String, secret: &str) -> Option<Code> {
    let mut auth = TokenServiceClient::connect(url).await.unwrap();
    let ask = MintServiceTokenRequest { service: "campaign-svc".to_owned(), secret: secret.to_owned() };
    auth.mint_service_token(ask).await.err().map(|refused| refused.code())
}
