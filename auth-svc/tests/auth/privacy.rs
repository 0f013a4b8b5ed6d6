//! Privacy: secrets never reach logs or tables, and no table names a deleted user.
use crate::office::{DEVELOPER_PASSWORD, FIRST, HERE, Office, PASSWORD, bearer, new_user};
use auth_svc::SCHEMA;
use patio_kit::{
    client::call_context::CallContext,
    db::{Db, Engine},
    service_host::ServiceHost,
};
use patio_proto::{
    access::Role,
    auth::{
        ChangeOwnPasswordRequest, DeleteUserRequest, ExportUserRequest, MintServiceTokenRequest, RecordPageViewRequest, UpdateUserRequest,
    },
};
use patio_testing::each_database;
use std::{
    io::Write,
    sync::{Arc, LazyLock, Mutex},
};
use tracing_subscriber::{Layer, filter::dynamic_filter_fn, fmt::MakeWriter, layer::SubscriberExt, util::SubscriberInitExt};

/// Returns the content of all tables of auth-svc as text.
async fn everything(host: &ServiceHost) -> String {
    let db = host.open_database(SCHEMA).await.unwrap();
    let mut all = String::new();
    for table in tables(&db).await {
        all.push_str(&rows(&db, &table).await);
    }
    db.close().await;
    assert!(all.contains("argon2id") && all.contains("user 2"), "the scan must find known data");
    all
}

async fn tables(db: &Db) -> Vec<String> {
    let found: Result<Vec<String>, _> = match db.read_pool() {
        Engine::Sqlite(c) => sqlx::query_scalar("select name from sqlite_master where type = 'table'").fetch_all(c).await,
        Engine::Postgres(c) => {
            let all = "select cast(table_name as text) from information_schema.tables where table_schema = 'auth'";
            sqlx::query_scalar(all).fetch_all(c).await
        }
    };
    let found = found.unwrap();
    assert!(found.len() >= 8, "{found:?}");
    found
}

async fn rows(db: &Db, table: &str) -> String {
    let found: Result<Vec<String>, _> = match db.read_pool() {
        Engine::Sqlite(c) => {
            let columns = sqlx::query_scalar("select name from pragma_table_info($1)").bind(table).fetch_all(c).await;
            let columns: Vec<String> = columns.unwrap();
            let all = columns.iter().map(|column| format!("quote({column})")).collect::<Vec<_>>().join(" || ' ' || ");
            sqlx::query_scalar(sqlx::AssertSqlSafe(format!("select {all} from {table}"))).fetch_all(c).await
        }
        Engine::Postgres(c) => sqlx::query_scalar(sqlx::AssertSqlSafe(format!("select cast(t as text) from {table} t"))).fetch_all(c).await,
    };
    found.unwrap().join("\n")
}

#[tokio::test]
async fn after_a_person_is_deleted_no_table_names_that_person() {
    each_database(async |host| {
        let office = Office::open(host).await;
        let admin = office.admin().await;
        let id = office.hire(&admin, "Maria-Aparecida", Role::Operator).await.id;
        office.refused("Maria-Aparecida", "a wrong one", HERE).await;
        let session = bearer(&office.sign_in("MARIA-aparecida", PASSWORD).await);
        let visit = RecordPageViewRequest { kind: "page-view".to_owned(), page: "home".to_owned(), ..RecordPageViewRequest::default() };
        office.sessions().record_page_view(office.by_gateway(&session).await.grpc_request(visit)).await.unwrap();
        office.users().export_user(session.grpc_request(ExportUserRequest { id })).await.unwrap();
        let renamed = UpdateUserRequest { id, hmc: Some("Maria-Silva".to_owned()), role: Some(Role::Manager.into()), password: None };
        office.update(&admin, renamed).await.unwrap();
        for _ in 0..5 {
            office.refused("maria-silva", "a wrong one", HERE).await;
        }
        assert!(everything(&office.host).await.contains("Maria-Silva"), "the hmc is stored while the user exists");
        office.users().delete_user(admin.grpc_request(DeleteUserRequest { id })).await.unwrap();
        office.refused("maria-aparecida", "a wrong one", HERE).await;
        let left = everything(&office.host).await;
        assert!(!left.to_lowercase().contains("maria"), "{left}");
        let entries: Vec<_> = office.audit().await.into_iter().filter(|event| event.subject == format!("user {id}")).collect();
        assert!(entries.len() >= 9, "the audit entries remain: {entries:?}");
    })
    .await;
}

/// Log writer that captures the output of all threads while a test is capturing.
#[derive(Clone, Default)]
struct CapturedLog(Arc<Mutex<Option<Vec<u8>>>>);

impl Write for CapturedLog {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if let Some(captured) = self.0.lock().unwrap().as_mut() {
            captured.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'w> MakeWriter<'w> for CapturedLog {
    type Writer = Self;

    fn make_writer(&'w self) -> Self {
        self.clone()
    }
}

static LOG: LazyLock<CapturedLog> = LazyLock::new(|| {
    let captured = CapturedLog::default();
    let listening = captured.clone();
    let only_then = dynamic_filter_fn(move |_, _| listening.0.lock().unwrap().is_some());
    let lines = tracing_subscriber::fmt::layer().with_writer(captured.clone()).with_ansi(false).with_filter(only_then);
    tracing_subscriber::registry().with(lines).try_init().unwrap();
    captured
});

const SECRETS: [&str; 6] =
    ["Xq7-first-secret", "Xq7-second-secret", "Xq7-third-secret", "Xq7-wrong-secret", "Xq7-typed-as-hmc", "Xq7-service-secret"];

/// Makes every call that takes a secret, with right and wrong values; returns the issued access and device tokens.
async fn a_day(office: &Office) -> Vec<String> {
    let [first, second, third, wrong, typed, service] = SECRETS;
    let admin = office.sign_in(FIRST, PASSWORD).await;
    let by = bearer(&admin);
    let id = office.users().create_user(by.grpc_request(new_user("20", first, Role::Operator))).await.unwrap().into_inner().id;
    let one = office.sign_in("20", first).await;
    let change = |old: &str, new: &str| ChangeOwnPasswordRequest { old_password: old.to_owned(), new_password: new.to_owned() };
    office.sessions().change_own_password(bearer(&one).grpc_request(change(wrong, second))).await.unwrap_err();
    office.sessions().change_own_password(bearer(&one).grpc_request(change(first, second))).await.unwrap();
    let two = office.try_sign_in("20", second, HERE, &one.device_mark).await.unwrap();
    office.update(&by, UpdateUserRequest { id, password: Some(third.to_owned()), ..UpdateUserRequest::default() }).await.unwrap();
    office.me(&bearer(&two)).await.unwrap_err();
    let three = office.sign_in("20", third).await;
    office.sign_out(&bearer(&three)).await.unwrap();
    for _ in 0..6 {
        office.refused("20", wrong, HERE).await;
        office.refused(typed, wrong, HERE).await;
    }
    office.refused(&typed.repeat(5), wrong, HERE).await;
    office.me(&CallContext::new(Some(wrong), "test", HERE)).await.unwrap_err();
    let ask = MintServiceTokenRequest { service: "campaign-svc".to_owned(), secret: service.to_owned() };
    office.tokens().mint_service_token(ask.clone()).await.unwrap_err();
    let minted =
        office.tokens().mint_service_token(MintServiceTokenRequest { secret: "the secret of tests".to_owned(), ..ask }).await.unwrap();
    let sessions = [admin, one, two, three].into_iter().flat_map(|session| [session.token, session.device_mark]);
    sessions.chain([minted.into_inner().token]).collect()
}

#[tokio::test]
async fn no_password_no_token_and_no_unknown_hmc_reaches_the_log_or_a_table() {
    each_database(async |host| {
        *LOG.0.lock().unwrap() = Some(Vec::new());
        let office = Office::open(host).await;
        let tokens = a_day(&office).await;
        let captured = LOG.0.lock().unwrap().take().unwrap();
        let (log, kept) = (String::from_utf8_lossy(&captured).to_lowercase(), everything(&office.host).await.to_lowercase());
        assert!(
            log.contains("patio.auth.v1.sessionservice/signin") && log.contains("insert into audit_events"),
            "the log is at its fullest"
        );
        let secrets = SECRETS.iter().copied().chain([PASSWORD, DEVELOPER_PASSWORD]).map(ToOwned::to_owned);
        for secret in secrets.chain(tokens).map(|secret| secret.to_lowercase()) {
            assert!(!secret.is_empty() && !kept.contains(&secret), "{secret} stands in a table");
            assert!(!log.contains(&secret), "{secret} stands in the log");
        }
    })
    .await;
}
