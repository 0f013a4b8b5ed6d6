//! An auth-svc that has started, and the people who call it.
use auth_svc::{
    Config, SCHEMA,
    password::{Cost, Passwords},
};
use chrono::TimeDelta;
use patio_kit::{
    errors::{self, Reason},
    host::Host,
    link::{Bearer, Link},
    on,
    secret::Secret,
    server::Service,
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

/// An auth-svc that has started on a host of its own.
pub struct Office {
    pub host: Host,
    pub service: Service,
    pub passwords: Passwords,
}

pub fn config() -> Config {
    Config {
        admin_password: Some(Secret::from(PASSWORD.to_owned())),
        developer_password: Some(Secret::from(DEVELOPER_PASSWORD.to_owned())),
        ..Config::default()
    }
}

/// Hashes as right and as many at once as in earnest, but quick ones: what a hash costs is tested apart.
pub fn quick() -> Passwords {
    Passwords::costing(std::thread::available_parallelism().map_or(2, usize::from), Cost { memory: 64, passes: 1 })
}

/// Lets time pass for a process, and for the database beside it, whose clock no test can move: what it keeps grows older instead.
pub async fn pass(host: &Host, by: TimeDelta) {
    host.clock.advance(by);
    if host.settings.database_url.is_none() {
        return;
    }
    let (db, by) = (host.database(SCHEMA).await.unwrap(), by.num_milliseconds());
    let lockouts = "update lockouts set until_ms = until_ms - $1, last_ms = last_ms - $1, blocked_ms = blocked_ms - $1";
    for older in [lockouts, "update sessions set used_ms = used_ms - $1"] {
        db.write(move |tx| Box::pin(async move { on!(tx.on(), c => sqlx::query(older).bind(by).execute(c).await.map(drop)) }))
            .await
            .unwrap();
    }
    db.close().await;
}

/// Another process with the same settings, which may be changed first.
pub async fn another(host: &Host, redis_url: Option<&str>) -> Host {
    let mut settings = (*host.settings).clone();
    settings.redis_url = redis_url.map(|url| Secret::from(url.to_owned()));
    Host::local(settings).await.unwrap()
}

impl Office {
    pub async fn open(host: Host) -> Self {
        Self::open_as(host, config()).await
    }

    pub async fn open_as(host: Host, config: Config) -> Self {
        Self::open_with(host, config, quick()).await
    }

    pub async fn open_with(host: Host, config: Config, passwords: Passwords) -> Self {
        let service = auth_svc::start_with(config, &host, passwords.clone()).await.unwrap();
        host.attach(&service);
        Self { host, service, passwords }
    }

    pub async fn close(self) {
        self.host.tasks.stop();
        self.service.close().await;
    }

    pub fn sessions(&self) -> SessionServiceClient<Link> {
        SessionServiceClient::new(self.host.links.auth.clone())
    }

    pub fn users(&self) -> UserServiceClient<Link> {
        UserServiceClient::new(self.host.links.auth.clone()).max_decoding_message_size(16 << 20)
    }

    pub fn tokens(&self) -> TokenServiceClient<Link> {
        TokenServiceClient::new(self.host.links.auth.clone())
    }

    pub async fn try_sign_in(&self, hmc: &str, password: &str, address: &str, mark: &str) -> Result<Session, Status> {
        self.sign_in_on((hmc, password), address, &[mark], false).await
    }

    /// A sign-in on a browser with these marks, from an address that may have no try left.
    pub async fn sign_in_on(
        &self,
        (hmc, password): (&str, &str),
        address: &str,
        marks: &[&str],
        is_limited: bool,
    ) -> Result<Session, Status> {
        let device_marks = marks.iter().filter(|mark| !mark.is_empty()).map(|mark| (*mark).to_owned()).collect();
        let ask =
            SignInRequest { hmc: hmc.to_owned(), password: password.to_owned(), address: address.to_owned(), device_marks, is_limited };
        self.sessions().sign_in(ask).await.map(tonic::Response::into_inner)
    }

    pub async fn sign_in(&self, hmc: &str, password: &str) -> Session {
        self.try_sign_in(hmc, password, HERE, "").await.unwrap()
    }

    pub async fn refused(&self, hmc: &str, password: &str, address: &str) -> Status {
        self.try_sign_in(hmc, password, address, "").await.unwrap_err()
    }

    /// The first supervisor, signed in.
    pub async fn admin(&self) -> Bearer {
        bearer(&self.sign_in(FIRST, PASSWORD).await)
    }

    /// Makes a user whose password is [`PASSWORD`].
    pub async fn hire(&self, by: &Bearer, hmc: &str, role: Role) -> User {
        self.users().create_user(by.sign(new_user(hmc, PASSWORD, role))).await.unwrap().into_inner()
    }

    pub async fn me(&self, who: &Bearer) -> Result<User, Status> {
        self.sessions().get_me(who.sign(GetMeRequest {})).await.map(tonic::Response::into_inner)
    }

    pub async fn sign_out(&self, who: &Bearer) -> Result<(), Status> {
        self.sessions().sign_out(who.sign(SignOutRequest {})).await.map(drop)
    }

    pub async fn update(&self, by: &Bearer, change: UpdateUserRequest) -> Result<User, Status> {
        self.users().update_user(by.sign(change)).await.map(tonic::Response::into_inner)
    }

    /// The newest audit entries, as the developer sees them.
    pub async fn audit(&self) -> Vec<Event> {
        let developer = bearer(&self.try_sign_in("DEV0", DEVELOPER_PASSWORD, "198.51.100.1", "").await.unwrap());
        let ask = developer.sign(ListEventsRequest { limit: 200, ..ListEventsRequest::default() });
        AuditServiceClient::new(self.host.links.auth.clone()).list_events(ask).await.unwrap().into_inner().events
    }
}

pub fn bearer(session: &Session) -> Bearer {
    Bearer::new(Some(&session.token), "test", HERE)
}

pub fn new_user(hmc: &str, password: &str, role: Role) -> CreateUserRequest {
    CreateUserRequest { hmc: hmc.to_owned(), password: password.to_owned(), role: role.into() }
}

/// What a refusal says to a program.
pub fn why(status: &Status) -> (Code, Option<Reason>) {
    (status.code(), errors::reason(status))
}

/// The tries left or the seconds to wait that a refusal tells.
pub fn number(status: &Status) -> i64 {
    let value = errors::value(status, "attempts_left").or_else(|| errors::value(status, "retry_after"));
    value.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("{status:?} tells no number"))
}

pub fn signed_out() -> (Code, Option<Reason>) {
    (Code::Unauthenticated, Some(Reason::NotSignedIn))
}
