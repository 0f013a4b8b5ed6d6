//! Sealed keys in the database, `keys revoke-all` and `keys reseal`.
use crate::office::{FIRST, Office, PASSWORD, another, bearer, config, ended, signed_out, why};
use auth_svc::{Config, SCHEMA, keys_command};
use patio_kit::{db::Db, on, service_host::ServiceHost};
use patio_proto::auth::GetSigningKeysRequest;
use patio_testing::each_database;
use std::{fs, path::PathBuf};

/// First bytes of every Ed25519 private key in PKCS#8 form.
const PKCS8: [u8; 2] = [0x30, 0x53];

async fn stored(db: &Db) -> Vec<Vec<u8>> {
    let mut keys: Vec<Vec<u8>> = Vec::new();
    for statement in ["select private_key from signing_keys", "select value from own_keys"] {
        let found: Vec<Vec<u8>> = on!(db.read_pool(), c => sqlx::query_scalar(statement).fetch_all(c).await).unwrap();
        keys.extend(found);
    }
    keys
}

fn key_file(host: &ServiceHost) -> PathBuf {
    config().key_file_path(&host.settings.data_dir)
}

async fn start(host: &ServiceHost, config: Config) -> anyhow::Result<()> {
    let host = another(host, None).await;
    let service = auth_svc::start_with_password_hasher(config, &host, crate::office::quick()).await?;
    host.tasks.stop();
    service.close().await;
    Ok(())
}

#[tokio::test]
async fn stored_keys_are_sealed_and_need_the_key_file() {
    each_database(async |host| {
        let office = Office::open(another(&host, None).await).await;
        let db = host.open_database(SCHEMA).await.unwrap();
        let keys = stored(&db).await;
        assert_eq!(keys.len(), 4, "a signing key, and those of accounts, devices and phones");
        assert!(keys.iter().all(|key| key.len() >= 12 + 32 + 16 && key[..2] != PKCS8));
        let session = office.sign_in(FIRST, PASSWORD).await;
        office.close().await;
        let (file, kept) = (key_file(&host), host.settings.data_dir.join("kept"));
        fs::rename(&file, &kept).unwrap();
        let refused = format!("{:#}", start(&host, config()).await.unwrap_err());
        assert!(refused.contains("there is no key file") && refused.contains("PATIO_KEY_FILE"), "{refused}");
        assert!(!file.exists(), "no new key file is created");
        let wrong = host.settings.data_dir.join("wrong");
        fs::write(&wrong, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n").unwrap();
        let refused = format!("{:#}", start(&host, Config { key_file: Some(wrong), ..config() }).await.unwrap_err());
        assert!(refused.contains("PATIO_KEY_FILE"), "{refused}");
        let again = Office::open_as(another(&host, None).await, Config { key_file: Some(kept), ..config() }).await;
        assert!(again.me(&bearer(&session)).await.is_ok(), "with the key file the session stays valid");
        again.close().await;
        db.close().await;
    })
    .await;
}

#[tokio::test]
async fn revoke_all_replaces_all_keys_and_a_running_service_follows() {
    each_database(async |host| {
        let office = Office::open(another(&host, None).await).await;
        let before = office.sign_in(FIRST, PASSWORD).await;
        let old = office.tokens().get_signing_keys(GetSigningKeysRequest {}).await.unwrap().into_inner();
        assert_eq!(keys_command::replace_all_keys(&config(), &host.settings).await.unwrap(), 2);
        let at_once = office.sign_in(FIRST, PASSWORD).await;
        let new = office.tokens().get_signing_keys(GetSigningKeysRequest {}).await.unwrap().into_inner();
        let signing_key = jsonwebtoken::decode_header(&at_once.token).unwrap().kid;
        assert_eq!(signing_key.as_deref(), Some(new.keys[0].id.as_str()), "a sign-in just after the revocation uses the new key");
        assert!(new.keys.len() == 1 && old.keys.iter().all(|key| !new.keys.contains(key)));
        let refused = why(&office.me(&bearer(&before)).await.unwrap_err());
        assert!([signed_out(), ended()].contains(&refused), "{refused:?}");
        let after = office.sign_in(FIRST, PASSWORD).await;
        assert!(office.me(&bearer(&after)).await.is_ok());
        assert_eq!(before.seal_key, after.seal_key, "the phone's key stays the same");
        office.close().await;
        fs::remove_file(key_file(&host)).unwrap();
        assert_eq!(keys_command::replace_all_keys(&config(), &host.settings).await.unwrap(), 2, "a lost key file is created again");
        let again = Office::open(another(&host, None).await).await;
        assert!(again.me(&bearer(&again.sign_in(FIRST, PASSWORD).await)).await.is_ok());
        assert!(again.me(&bearer(&after)).await.is_err());
        let log = again.audit().await;
        assert_eq!(log.iter().filter(|event| event.summary.contains("revoked all keys")).count(), 2);
        again.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_new_sealing_key_takes_over_without_signing_anybody_out() {
    each_database(async |host| {
        let office = Office::open(another(&host, None).await).await;
        let before = office.sign_in(FIRST, PASSWORD).await;
        let db = host.open_database(SCHEMA).await.unwrap();
        let sealed = stored(&db).await;
        let file = key_file(&host);
        let old = fs::read_to_string(&file).unwrap();
        let new = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=\n";
        fs::write(&file, new).unwrap();
        let refused = keys_command::reencrypt_stored_keys(&config(), &host.settings).await.unwrap_err().to_string();
        assert!(refused.contains("PATIO_KEY_FILE"), "{refused}");
        assert_eq!(stored(&db).await, sealed, "a file without the old key changes nothing");
        fs::write(&file, format!("{new}{old}")).unwrap();
        assert_eq!(keys_command::reencrypt_stored_keys(&config(), &host.settings).await.unwrap(), 4);
        assert!(office.me(&bearer(&before)).await.is_ok(), "a running service keeps its keys in memory");
        office.close().await;
        fs::write(&file, old).unwrap();
        let refused = format!("{:#}", start(&host, config()).await.unwrap_err());
        assert!(refused.contains("PATIO_KEY_FILE"), "{refused}");
        fs::write(&file, new).unwrap();
        let again = Office::open(another(&host, None).await).await;
        assert!(again.me(&bearer(&before)).await.is_ok(), "the session stays valid");
        assert_eq!(again.sign_in(FIRST, PASSWORD).await.seal_key, before.seal_key, "pending saves on phones can still be read");
        assert!(again.audit().await.iter().any(|event| event.summary.contains("current sealing key")));
        again.close().await;
        db.close().await;
        fs::remove_file(&file).unwrap(); // the next database has a key of its own
    })
    .await;
}
