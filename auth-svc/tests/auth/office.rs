//! Test fixture: a running auth-svc, with helpers to call it as different users.
use auth_svc::{
    Config, SCHEMA,
    password::{PasswordHashCost, PasswordHasher},
};
use chrono::TimeDelta;
use patio_kit::{
    client::{call_context::CallContext, service_channel::ServiceChannel},
    config::secret::Secret,
    errors::{self, ErrorReason},
    on,
    server::Service,
    service_host::ServiceHost,
};
use patio_proto::{
    access::Role,
    audit::{Event, ListEventsRequest, audit_service_client::AuditServiceClient},
    auth::{
        CreateUserRequest, GetMeRequest, Session, SignInRequest, SignOutRequest, UpdateUserRequest, User,
        session_service_client::SessionServiceClient, token_service_client::TokenServiceClient, user_service_client::UserServiceClient,
    },
};
use tonic::{Code, Status};

pub const FIRST: &str = "1000";
pub const PASSWORD: &str = "the first password";
pub const DEVELOPER_PASSWORD: &str = "the developer's password";
pub const HERE: &str = "192.0.2.1";

/// A running auth-svc on its own host.
pub struct Office {
    pub host: ServiceHost,
    pub service: Service,
    pub passwords: PasswordHasher,
}

pub fn config() -> Config {
    Config {
        admin_password: Some(Secret::from(PASSWORD.to_owned())),
        developer_password: Some(Secret::from(DEVELOPER_PASSWORD.to_owned())),
        ..Config::default()
    }
}

/// Returns a real password hasher at minimal cost, to keep tests fast; other tests cover the real cost.
pub fn quick() -> PasswordHasher {
    PasswordHasher::with_cost(std::thread::available_parallelism().map_or(2, usize::from), PasswordHashCost { memory: 64, passes: 1 })
}

/// Advances the clock of the process, and ages the rows in PostgreSQL, whose clock a test cannot set.
pub async fn pass(host: &ServiceHost, by: TimeDelta) {
    host.clock.advance(by);
    if host.settings.database_url.is_none() {
        return;
    }
    let (db, by) = (host.open_database(SCHEMA).await.unwrap(), by.num_milliseconds());
    let lockouts = "update lockouts set until_ms = until_ms - $1, last_ms = last_ms - $1, blocked_ms = blocked_ms - $1";
    for older in [lockouts, "update sessions set used_ms = used_ms - $1, confirmed_ms = confirmed_ms - $1"] {
        db.write(move |tx| Box::pin(async move { on!(tx.connection(), c => sqlx::query(older).bind(by).execute(c).await.map(drop)) }))
            .await
            .unwrap();
    }
    db.close().await;
}

/// Returns another host with the same settings except for the Redis URL.
pub async fn another(host: &ServiceHost, redis_url: Option<&str>) -> ServiceHost {
    let mut settings = (*host.settings).clone();
    settings.redis_url = redis_url.map(|url| Secret::from(url.to_owned()));
    ServiceHost::with_local_services(settings).await.unwrap()
}

impl Office {
    pub async fn open(host: ServiceHost) -> Self {
        Self::open_as(host, config()).await
    }

    pub async fn open_as(host: ServiceHost, config: Config) -> Self {
        Self::open_with(host, config, quick()).await
    }

    pub async fn open_with(host: ServiceHost, config: Config, passwords: PasswordHasher) -> Self {
        let service = auth_svc::start_with_password_hasher(config, &host, passwords.clone()).await.unwrap();
        host.attach_local_service(&service);
        Self { host, service, passwords }
    }

    pub async fn close(self) {
        self.host.tasks.stop();
        self.service.close().await;
    }

    pub fn sessions(&self) -> SessionServiceClient<ServiceChannel> {
        SessionServiceClient::new(self.host.channels.auth.clone())
    }

    pub fn users(&self) -> UserServiceClient<ServiceChannel> {
        UserServiceClient::new(self.host.channels.auth.clone()).max_decoding_message_size(16 << 20)
    }

    pub fn tokens(&self) -> TokenServiceClient<ServiceChannel> {
        TokenServiceClient::new(self.host.channels.auth.clone())
    }

    pub async fn try_sign_in(&self, hmc: &str, password: &str, address: &str, mark: &str) -> Result<Session, Status> {
        self.sign_in_on((hmc, password), address, &[mark], false).await
    }

    /// Signs in on a browser with these device tokens; `is_limited` says that the address has used up its rate limit.
    pub async fn sign_in_on(
        &self,
        (hmc, password): (&str, &str),
        address: &str,
        marks: &[&str],
        is_limited: bool,
    ) -> Result<Session, Status> {
        let device_marks = marks.iter().filter(|mark| !mark.is_empty()).map(|mark| (*mark).to_owned()).collect();
        let ask = SignInRequest {
            hmc: hmc.to_owned(),
            password: password.to_owned(),
            address: address.to_owned(),
            device_marks,
            is_limited,
            device: "Chrome on Android".to_owned(),
        };
        self.sessions().sign_in(long_request(ask)).await.map(tonic::Response::into_inner)
    }

    /// Returns the credentials for a call that the gateway makes on behalf of a user.
    pub async fn by_gateway(&self, who: &CallContext) -> CallContext {
        self.host.service_token_source("gateway").call_context_on_behalf_of(who).await.unwrap()
    }

    pub async fn sign_in(&self, hmc: &str, password: &str) -> Session {
        self.try_sign_in(hmc, password, HERE, "").await.unwrap()
    }

    pub async fn refused(&self, hmc: &str, password: &str, address: &str) -> Status {
        self.try_sign_in(hmc, password, address, "").await.unwrap_err()
    }

    /// Signs the first supervisor in and returns the credentials.
    pub async fn admin(&self) -> CallContext {
        bearer(&self.sign_in(FIRST, PASSWORD).await)
    }

    /// Creates a user whose password is [`PASSWORD`].
    pub async fn hire(&self, by: &CallContext, hmc: &str, role: Role) -> User {
        self.users().create_user(by.grpc_request(new_user(hmc, PASSWORD, role))).await.unwrap().into_inner()
    }

    pub async fn me(&self, who: &CallContext) -> Result<User, Status> {
        self.sessions().get_me(who.grpc_request(GetMeRequest {})).await.map(tonic::Response::into_inner)
    }

    pub async fn sign_out(&self, who: &CallContext) -> Result<(), Status> {
        self.sessions().sign_out(who.grpc_request(SignOutRequest {})).await.map(drop)
    }

    pub async fn update(&self, by: &CallContext, change: UpdateUserRequest) -> Result<User, Status> {
        self.users().update_user(by.grpc_request(change)).await.map(tonic::Response::into_inner)
    }

    /// Signs in as the developer.
    pub async fn developer(&self) -> CallContext {
        bearer(&self.try_sign_in("DEV0", DEVELOPER_PASSWORD, "198.51.100.1", "").await.unwrap())
    }

    /// Returns the newest audit entries, read as the developer.
    pub async fn audit(&self) -> Vec<Event> {
        self.list_audit(&self.developer().await, ListEventsRequest { limit: 200, ..ListEventsRequest::default() }).await
    }

    /// Returns the audit entries that a filter selects.
    pub async fn list_audit(&self, by: &CallContext, filter: ListEventsRequest) -> Vec<Event> {
        AuditServiceClient::new(self.host.channels.auth.clone()).list_events(by.grpc_request(filter)).await.unwrap().into_inner().events
    }
}

pub fn bearer(session: &Session) -> CallContext {
    CallContext::new(Some(&session.token), "test", HERE)
}

pub fn new_user(hmc: &str, password: &str, role: Role) -> CreateUserRequest {
    CreateUserRequest { hmc: hmc.to_owned(), password: password.to_owned(), role: role.into(), must_change_password: false }
}

/// Returns the gRPC code and reason of an error status.
pub fn why(status: &Status) -> (Code, Option<ErrorReason>) {
    (status.code(), errors::reason(status))
}

/// Returns the attempts left or the seconds to wait from an error status.
pub fn number(status: &Status) -> i64 {
    let value = errors::status_value(status, "attempts_left").or_else(|| errors::status_value(status, "retry_after"));
    value.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("{status:?} has no number"))
}

/// Returns the gRPC code and reason expected for a session that a user or supervisor ended.
pub fn ended() -> (Code, Option<ErrorReason>) {
    (Code::Unauthenticated, Some(ErrorReason::SessionEnded))
}

pub fn signed_out() -> (Code, Option<ErrorReason>) {
    (Code::Unauthenticated, Some(ErrorReason::NotSignedIn))
}

/// Builds a request that may take long, such as one of many sign-ins at once, which wait for each other.
pub fn long_request<T>(message: T) -> tonic::Request<T> {
    let mut request = tonic::Request::new(message);
    request.set_timeout(patio_testing::LONG_CALL_TIMEOUT);
    request
}
