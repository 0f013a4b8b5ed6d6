//! Rotation and theft of signing keys: rotation keeps users signed in, forged tokens are rejected.
use crate::office::{FIRST, Office, PASSWORD, another, bearer, config, ended, signed_out, why};
use auth_svc::{
    Config, SCHEMA,
    sealing_keys::SealingKeys,
    store::encrypted_keys::StoredSigningKey,
    token_signing::{self, KEY_PUBLISH_LEAD_TIME, KEY_RETENTION_AFTER_ROTATION},
};
use chrono::TimeDelta;
use patio_kit::{
    auth::identity::{Claims, TOKEN_ISSUER, TokenVerifier},
    client::call_context::CallContext,
    db::Db,
    service_host::ServiceHost,
};
use patio_proto::auth::{ConfirmSessionRequest, GetSigningKeysRequest, Session};
use patio_testing::each_database;
use std::sync::Arc;

const LIFE: TimeDelta = TimeDelta::days(30);

/// An auth-svc, and the token verifier of another service that polls its keys.
struct Yard {
    office: Office,
    elsewhere: TokenVerifier,
    db: Db,
}

impl Yard {
    async fn open(host: ServiceHost) -> Self {
        let db = host.open_database(SCHEMA).await.unwrap();
        let elsewhere = TokenVerifier::new(host.clock.clone());
        Self { office: Office::open(host).await, elsewhere, db }
    }

    /// Polls the signing keys, as every process does every few seconds.
    async fn ask_for_keys(&self) -> Vec<String> {
        let keys = self.office.tokens().get_signing_keys(GetSigningKeysRequest {}).await.unwrap().into_inner().keys;
        self.elsewhere.replace_signing_keys(keys.iter().map(|key| (key.id.clone(), key.public_key.clone())));
        keys.into_iter().map(|key| key.id).collect()
    }

    /// Rotates the signing key if due, as auth-svc does every hour.
    async fn turn_over(&self) {
        token_signing::rotate_signing_key(&self.db, &sealing(&self.office.host), self.office.host.clock.now(), LIFE).await.unwrap();
    }

    async fn stored(&self) -> Vec<StoredSigningKey> {
        auth_svc::store::encrypted_keys::load_signing_keys(&self.db, &sealing(&self.office.host)).await.unwrap()
    }

    fn wait(&self, by: TimeDelta) {
        self.office.host.clock.advance(by);
    }

    async fn assert_in(&self, session: &Session) {
        assert!(self.elsewhere.authenticate(&session.token).is_ok());
        assert_eq!(self.office.me(&bearer(session)).await.unwrap().id, 2);
    }

    /// Returns a token forged with a stolen private key.
    fn forged(&self, key: &StoredSigningKey) -> String {
        let now = self.office.host.clock.now();
        let claims = Claims {
            iss: TOKEN_ISSUER.to_owned(),
            sub: "2".to_owned(),
            role: "admin".to_owned(),
            sid: "forged".to_owned(),
            iat: now.timestamp(),
            iat_ms: now.timestamp_millis(),
            exp: (now + TimeDelta::hours(1)).timestamp(),
            chg: false,
        };
        token_signing::sign_token(key, &claims).unwrap()
    }

    /// Waits until a new key is published; returns both key ids and a session signed with the old key.
    async fn publish(&self) -> (Vec<String>, Session) {
        let old = self.ask_for_keys().await;
        let due = self.stored().await[0].signs_from + LIFE - self.office.host.clock.now();
        self.wait(due - TimeDelta::minutes(30));
        self.turn_over().await;
        assert_eq!(self.ask_for_keys().await, old, "the key is not due for rotation yet");
        self.wait(TimeDelta::minutes(30));
        self.turn_over().await;
        let both = self.ask_for_keys().await;
        assert_eq!((old.len(), both.len(), &both[0]), (1, 2, &old[0]), "the next key is published");
        let session = self.office.sign_in(FIRST, PASSWORD).await;
        assert_eq!(key_of(&session), old[0], "the next key does not sign yet");
        (both, session)
    }
}

/// Reads the sealing key of the auth-svc on this host.
fn sealing(host: &ServiceHost) -> Arc<SealingKeys> {
    Arc::new(SealingKeys::read(&config().key_file_path(&host.settings.data_dir)).unwrap().unwrap())
}

fn key_of(session: &Session) -> String {
    use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
    let header = URL_SAFE_NO_PAD.decode(session.token.split('.').next().unwrap()).unwrap();
    serde_json::from_slice::<serde_json::Value>(&header).unwrap()["kid"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_token_of_an_unknown_session_is_revoked_everywhere_once_seen() {
    each_database(async |host| {
        let yard = Yard::open(host).await;
        let confirm =
            async |who: &CallContext| yard.office.sessions().confirm_session(who.grpc_request(ConfirmSessionRequest {})).await.map(drop);
        let session = yard.office.sign_in(FIRST, PASSWORD).await;
        confirm(&bearer(&session)).await.unwrap();
        let stolen = CallContext::new(Some(&yard.forged(&yard.stored().await[0])), "test", "");
        assert!(yard.office.me(&stolen).await.is_ok(), "the signature of the forged token is valid");
        assert_eq!(why(&confirm(&stolen).await.unwrap_err()), signed_out());
        assert_eq!(why(&yard.office.me(&stolen).await.unwrap_err()), ended());
        assert!(yard.office.me(&bearer(&session)).await.is_ok());
    })
    .await;
}

#[tokio::test]
async fn two_rotations_keep_sessions_valid_and_old_keys_expire() {
    each_database(async |host| {
        let yard = Yard::open(host).await;
        for _ in 0..2 {
            let (both, session) = yard.publish().await;
            let key = yard.stored().await.remove(0);
            yard.wait(KEY_PUBLISH_LEAD_TIME);
            // The other service stops polling: the keys it has are enough for all following tokens.
            let mut sessions = vec![session, yard.office.sign_in(FIRST, PASSWORD).await];
            assert_eq!(key_of(&sessions[1]), both[1], "now the next key signs");
            for _ in 0..11 {
                yard.wait(TimeDelta::hours(1));
                yard.turn_over().await;
                sessions.push(yard.office.sign_in(FIRST, PASSWORD).await);
                for session in &sessions {
                    yard.assert_in(session).await;
                }
            }
            yard.wait(KEY_RETENTION_AFTER_ROTATION - TimeDelta::hours(11) - TimeDelta::minutes(1));
            yard.turn_over().await;
            assert_eq!(yard.ask_for_keys().await, both);
            assert!(yard.elsewhere.authenticate(&yard.forged(&key)).is_ok());
            yard.wait(TimeDelta::minutes(1));
            assert_eq!(yard.ask_for_keys().await, both[1..], "the old key is rejected from its end on, even before it is removed");
            let stolen = yard.forged(&key);
            assert!(yard.elsewhere.authenticate(&stolen).is_err());
            let refused = yard.office.me(&CallContext::new(Some(&stolen), "test", "")).await.unwrap_err();
            assert_eq!(why(&refused), signed_out());
            yard.turn_over().await;
            assert_eq!(yard.stored().await.len(), 1, "the old key is deleted");
        }
        yard.office.close().await;
        yard.db.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_start_rotates_a_key_older_than_configured() {
    each_database(async |host| {
        Office::open(another(&host, None).await).await.close().await;
        for (days, keys) in [(8, 1), (7, 2)] {
            let later = another(&host, None).await;
            later.clock.advance(TimeDelta::days(7));
            let office = Office::open_as(later, Config { key_days: days, ..config() }).await;
            let published_keys = office.tokens().get_signing_keys(GetSigningKeysRequest {}).await.unwrap().into_inner().keys;
            assert_eq!(published_keys.len(), keys, "with keys of {days} days");
            assert_eq!(key_of(&office.sign_in(FIRST, PASSWORD).await), published_keys[0].id);
            office.close().await;
        }
    })
    .await;
}

#[tokio::test]
async fn replicas_create_one_next_key_and_accept_each_others_tokens() {
    each_database(async |host| {
        if host.settings.database_url.is_none() {
            return; // files have one process
        }
        let (one, other) = (Office::open(another(&host, None).await).await, Office::open(another(&host, None).await).await);
        let db = host.open_database(SCHEMA).await.unwrap();
        let due = host.clock.now() + LIFE + TimeDelta::minutes(1);
        let sealing = &sealing(&host);
        let turns = futures::future::join_all((0..8).map(|_| token_signing::rotate_signing_key(&db, sealing, due, LIFE))).await;
        assert!(turns.iter().all(Result::is_ok));
        let keys = one.tokens().get_signing_keys(GetSigningKeysRequest {}).await.unwrap().into_inner();
        assert_eq!(keys.keys.len(), 2);
        assert_eq!(other.tokens().get_signing_keys(GetSigningKeysRequest {}).await.unwrap().into_inner(), keys);
        for office in [&one, &other] {
            office.host.clock.advance(LIFE + KEY_PUBLISH_LEAD_TIME + TimeDelta::minutes(2));
        }
        let session = one.sign_in(FIRST, PASSWORD).await;
        assert_eq!(key_of(&session), keys.keys[1].id);
        assert_eq!(other.me(&bearer(&session)).await.unwrap().id, 2);
        one.close().await;
        other.close().await;
        db.close().await;
    })
    .await;
}
