//! Every secret is changed while people work, as the runbook says.
use super::{
    Yard, alone,
    cluster::{SERVICE_SECRET, SERVICES},
    print,
    servers::REDIS_PASSWORD,
    tell, told,
};
use patio_proto::auth::{MintServiceTokenRequest, token_service_client::TokenServiceClient};
use tonic::Code;

const NEW_SECRET: &str = "servicesecret-6Jm9Nk4p";
const NEW_DATABASE_PASSWORD: &str = "databasepw-1Lp8Qs5x";
const NEW_REDIS_PASSWORD: &str = "redispw-3Hu7Ei2t";

#[test]
fn secrets_are_changed_without_a_failed_request() {
    let _alone = alone();
    let Some(mut yard) = Yard::start_with("info") else {
        let _ = print("PostgreSQL or Redis is not installed: skipped\n");
        return;
    };
    yard.wait_for_calm();
    yard.secrets_may_be_changed();
}

impl Yard {
    /// The passwords of both stores and the secret between the services, each replica restarted twice: no request fails, and
    /// what was in force before opens nothing any more.
    fn secrets_may_be_changed(&mut self) {
        let database = self.second_role();
        self.redis.say(REDIS_PASSWORD, &["acl", "setuser", "default", &format!(">{NEW_REDIS_PASSWORD}")]);
        let redis = self.redis.url_with(NEW_REDIS_PASSWORD);
        let both = format!("{NEW_SECRET},{SERVICE_SECRET}");
        let first = [("PATIO_DATABASE_URL", &*database), ("PATIO_REDIS_URL", &redis), ("PATIO_SERVICE_SECRET", &both)];
        self.restart_with("first", &first, SERVICES.into_iter().rev());
        self.postgres.sql("alter role yard password 'nobodyknows-this-one'");
        self.redis.say(NEW_REDIS_PASSWORD, &["acl", "setuser", "default", &format!("<{REDIS_PASSWORD}")]);
        self.restart_with("second", &[("PATIO_SERVICE_SECRET", NEW_SECRET)], SERVICES.into_iter());
        self.nothing_old_is_good();
    }

    /// A second way into the same database, for what the first one owns.
    fn second_role(&self) -> String {
        self.postgres.sql(&format!("create role yard_2 login password '{NEW_DATABASE_PASSWORD}' in role yard"));
        self.postgres.sql("alter role yard_2 set role to yard");
        self.postgres.url_for("yard_2", NEW_DATABASE_PASSWORD)
    }

    /// In any order: a replica meets such as know other values than itself.
    fn restart_with(&mut self, round: &str, settings: &[(&str, &str)], order: impl Iterator<Item = &'static str>) {
        let Self { cluster, load, .. } = self;
        load.during(|| {
            load.settle();
            for service in order {
                for replica in cluster.replicas.get_mut(service).unwrap() {
                    replica.environment.extend(settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
                    replica.restart();
                }
            }
        });
        let counts = load.taken();
        told(&format!("all ten restarted with changed secrets, {round} round"), &counts);
        assert!(counts.failed.is_empty() && counts.asked_to_wait == 0, "{:#?}", counts.failed);
        assert!(counts.reads > 100 && counts.saves > 100, "{counts:?}");
        load.again();
    }

    fn nothing_old_is_good(&self) {
        for replica in &self.cluster.replicas["auth-svc"] {
            let minted = [SERVICE_SECRET, NEW_SECRET].map(|secret| mint(replica.url(), secret));
            assert_eq!(minted, [Some(Code::PermissionDenied), None], "{}", replica.name);
        }
        assert_eq!(self.redis.say(NEW_REDIS_PASSWORD, &["ping"]), "PONG");
        assert!(self.redis.say(REDIS_PASSWORD, &["ping"]).contains("NOAUTH"));
        let as_whom = "select string_agg(distinct usename, ' ') from pg_stat_activity where datname = 'patio'";
        assert_eq!(self.postgres.sql(as_whom), "yard_2", "all connections are the new role's");
        assert!(self.refusals().is_empty(), "{:#?}", self.refusals());
        tell("the old secret is refused by both, all connections are the second role's, no service was refused by another");
    }

    /// What services said of each other's secrets: people notice nothing of a call between services that fails.
    fn refusals(&self) -> Vec<String> {
        let logs = self.cluster.replicas.values().flatten().map(|replica| std::fs::read_to_string(&replica.log).unwrap());
        let lines: Vec<String> = logs.flat_map(|log| log.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
        lines.into_iter().filter(|line| line.contains("service secret") || line.contains("NOAUTH") || line.contains("WRONGPASS")).collect()
    }
}

/// Why a value of the secret is refused; nothing when it is good.
#[tokio::main(flavor = "current_thread")]
async fn mint(url: String, secret: &str) -> Option<Code> {
    let mut auth = TokenServiceClient::connect(url).await.unwrap();
    let ask = MintServiceTokenRequest { service: "campaign-svc".to_owned(), secret: secret.to_owned() };
    auth.mint_service_token(ask).await.err().map(|refused| refused.code())
}
