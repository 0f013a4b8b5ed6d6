use crate::office::{FIRST, HERE, Office, PASSWORD, another, bearer, config, why};
use auth_svc::Config;
use patio_kit::{config::secret::Secret, errors::ErrorReason, on, service_host::ServiceHost};
use patio_proto::auth::GetSigningKeysRequest;
use patio_testing::each_database;
use sqlx::Executor;

#[tokio::test]
async fn the_first_start_prints_the_first_supervisors_credentials_once() {
    each_database(async |host| {
        let office = Office::open_as(another(&host, None).await, Config::default()).await;
        let notices = office.service.notices.join("\n");
        let password = notices.lines().find_map(|line| line.trim().strip_prefix("Password: ")).unwrap().to_owned();
        assert!(notices.contains("HMC: 1000"), "{notices}");
        let session = office.sign_in(FIRST, &password).await;
        assert_eq!((session.user.as_ref().unwrap().id, session.user.unwrap().hmc), (2, FIRST.to_owned()));
        office.close().await;

        let again = Office::open_as(another(&host, None).await, Config::default()).await;
        assert!(again.service.notices.is_empty(), "{:?}", again.service.notices);
        again.sign_in(FIRST, &password).await;
        again.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_configured_password_is_not_printed_and_applies_only_on_the_first_start() {
    each_database(async |host| {
        let office = Office::open(another(&host, None).await).await;
        assert!(office.service.notices.is_empty());
        office.close().await;
        let other = Config { admin_password: Some(Secret::from("another password".to_owned())), ..config() };
        let again = Office::open_as(another(&host, None).await, other).await;
        assert_eq!(why(&again.refused(FIRST, "another password", HERE).await).1, Some(ErrorReason::InvalidCredentials));
        again.sign_in(FIRST, PASSWORD).await;
        again.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_restart_keeps_the_keys_the_sessions_and_what_was_ended() {
    each_database(async |host| {
        let office = Office::open(another(&host, None).await).await;
        let (kept, ended) = (office.admin().await, office.admin().await);
        office.sign_out(&ended).await.unwrap();
        let keys = office.tokens().get_signing_keys(GetSigningKeysRequest {}).await.unwrap().into_inner();
        office.close().await;

        let again = Office::open(another(&host, None).await).await;
        assert_eq!(again.tokens().get_signing_keys(GetSigningKeysRequest {}).await.unwrap().into_inner(), keys);
        assert_eq!(again.me(&kept).await.unwrap().id, 2);
        assert_eq!(why(&again.me(&ended).await.unwrap_err()), crate::office::ended());
        again.close().await;
    })
    .await;
}

#[tokio::test]
async fn the_developer_can_sign_in_only_with_a_configured_password() {
    each_database(async |host| {
        let office = Office::open_as(another(&host, None).await, Config { developer_password: None, ..config() }).await;
        for tried in ["DEV0", "12345678", "the developer's password"] {
            assert_eq!(why(&office.refused("dev0", tried, HERE).await).1, Some(ErrorReason::InvalidCredentials));
        }
        office.close().await;
        let again = Office::open(another(&host, None).await).await;
        let session = again.sign_in("dev0", "the developer's password").await;
        let me = again.me(&bearer(&session)).await.unwrap();
        assert_eq!((me.id, me.developer), (1, true));
        again.close().await;
    })
    .await;
}

#[tokio::test]
async fn an_invalid_setting_is_rejected_by_name() {
    each_database(async |host| {
        let weak = Config { admin_password: Some(Secret::from("short".to_owned())), ..Config::default() };
        let same = Config { admin_hmc: " dev0".to_owned(), ..Config::default() };
        let blank = Config { developer_hmc: " ".to_owned(), ..Config::default() };
        for (config, named) in [(weak, "PATIO_ADMIN_PASSWORD"), (same, "must differ"), (blank, "PATIO_DEVELOPER_HMC")] {
            let cause = auth_svc::start(config, &host).await.err().map(|cause| format!("{cause:#}")).unwrap();
            assert!(cause.contains(named) && !cause.contains("short"), "{cause}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_database_with_unsafe_durability_is_rejected_unless_allowed() {
    each_database(async |host| {
        let Some(url) = host.settings.database_url.clone() else { return };
        let name = url.expose().rsplit_once('/').unwrap().1.to_owned();
        let db = host.open_database(auth_svc::SCHEMA).await.unwrap();
        let run = async |statement: String| {
            on!(db.read_pool(), c => c.execute(sqlx::AssertSqlSafe(statement)).await.map(drop)).unwrap();
        };
        let started = async |unsafe_too| {
            let mut settings = (*host.settings).clone();
            settings.allow_data_loss = unsafe_too;
            let opened = ServiceHost::with_local_services(settings).await.unwrap().open_database(auth_svc::SCHEMA).await;
            opened.map(drop).map_err(|cause| format!("{cause:#}"))
        };
        run(format!("alter database {name} set synchronous_commit = off")).await;
        let refused = started(false).await.unwrap_err();
        assert!(refused.contains("synchronous_commit = off") && refused.contains("PATIO_ALLOW_DATA_LOSS=true"), "{refused}");
        started(true).await.unwrap();
        run(format!("alter database {name} set synchronous_commit = on")).await;
        // Unsafe settings that remain are those of the test server itself.
        let lossy = host.open_database(auth_svc::SCHEMA).await.unwrap().find_unsafe_postgres_settings().await.unwrap();
        assert_eq!(started(false).await.is_ok(), lossy.is_empty(), "{lossy:?}");
        db.close().await;
    })
    .await;
}
