//! Test replica with a configurable behaviour: healthy, frozen, overloaded and others.
use axum::{Router, extract::State, response::IntoResponse};
use http::StatusCode;
use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{net::TcpListener, runtime::Runtime};
use tonic::service::RoutesBuilder;
use tonic_health::{ServingStatus, server::HealthReporter};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behaviour {
    Well,
    /// Responds to calls, and reports `NOT_SERVING` in the health check.
    Leaving,
    /// Responds to nothing, not even to the health check.
    Frozen,
    /// Closes every call without a response.
    Breaking,
    /// Responds to every call with `Unavailable`.
    Busy,
    /// Responds to every call as tonic does after a missed deadline.
    Expiring,
    /// Responds slowly.
    Slow,
    /// Begins its response and never continues it.
    Halting,
    /// Begins its response and closes the connection.
    Torn,
    /// Begins its response and ends it without a `grpc-status` trailer, as a response cut off by a proxy.
    Unended,
}

#[derive(Clone)]
struct Shared {
    name: &'static str,
    behaviour: Arc<Mutex<Behaviour>>,
    seen: Arc<AtomicUsize>,
}

/// Test replica with its own runtime, which can be killed with all its connections.
pub struct Double {
    pub address: SocketAddr,
    shared: Shared,
    reporter: HealthReporter,
    runtime: Mutex<Option<Runtime>>,
}

impl Double {
    pub fn start(name: &'static str) -> Self {
        Self::start_at(name, "127.0.0.1:0".parse().unwrap())
    }

    pub fn start_at(name: &'static str, address: SocketAddr) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let shared = Shared { name, behaviour: Arc::new(Mutex::new(Behaviour::Well)), seen: Arc::default() };
        let listener = std::net::TcpListener::bind(address).unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let (reporter, health) = tonic_health::server::health_reporter();
        let mut routes = RoutesBuilder::default();
        routes.add_service(health);
        let answering = shared.clone();
        let app: Router = routes
            .routes()
            .into_axum_router()
            .reset_fallback()
            .layer(axum::middleware::from_fn_with_state(shared.clone(), freeze))
            .fallback(move || answer(answering.clone()));
        runtime.spawn(async move { axum::serve(TcpListener::from_std(listener).unwrap(), app).await.unwrap() });
        Self { address, shared, reporter, runtime: Mutex::new(Some(runtime)) }
    }

    pub fn behave(&self, behaviour: Behaviour) {
        *self.shared.behaviour.lock().unwrap() = behaviour;
        let status = if behaviour == Behaviour::Leaving { ServingStatus::NotServing } else { ServingStatus::Serving };
        futures::executor::block_on(self.reporter.set_service_status("", status));
    }

    /// Kills the replica and waits until its connections are closed.
    pub async fn kill(&self) {
        let runtime = self.runtime.lock().unwrap().take().unwrap();
        tokio::task::spawn_blocking(move || runtime.shutdown_timeout(Duration::from_secs(10))).await.unwrap();
    }

    pub fn forget_calls(&self) {
        self.shared.seen.store(0, Ordering::SeqCst);
    }

    /// Waits until the replica has received more calls than `before`.
    pub async fn wait_for_call(&self, before: usize) {
        let call = async {
            while self.seen() == before {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        assert!(tokio::time::timeout(Duration::from_secs(20), call).await.is_ok(), "the replica receives no call");
    }

    pub fn seen(&self) -> usize {
        self.shared.seen.load(Ordering::SeqCst)
    }
}

impl Drop for Double {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.lock().unwrap().take() {
            runtime.shutdown_background();
        }
    }
}

async fn freeze(State(shared): State<Shared>, request: axum::extract::Request, next: axum::middleware::Next) -> axum::response::Response {
    if *shared.behaviour.lock().unwrap() == Behaviour::Frozen {
        std::future::pending::<()>().await;
    }
    next.run(request).await
}

async fn answer(shared: Shared) -> axum::response::Response {
    let behaviour = *shared.behaviour.lock().unwrap();
    shared.seen.fetch_add(1, Ordering::SeqCst); // tests change the behaviour once a call is counted
    let status = match behaviour {
        Behaviour::Well | Behaviour::Leaving => "0",
        Behaviour::Busy => "14",
        Behaviour::Expiring => "1",
        Behaviour::Frozen => std::future::pending().await,
        Behaviour::Slow => {
            tokio::time::sleep(Duration::from_secs(5)).await;
            "0"
        }
        Behaviour::Breaking => std::panic::resume_unwind(Box::new("as configured")),
        Behaviour::Halting => return halted(),
        Behaviour::Torn => return begun(Some(std::io::ErrorKind::BrokenPipe.into())),
        Behaviour::Unended => return begun(None),
    };
    let message = if behaviour == Behaviour::Expiring { "Timeout expired" } else { "" };
    (StatusCode::OK, [("grpc-status", status), ("grpc-message", message), ("x-replica", shared.name)]).into_response()
}

/// Returns a response that begins and never ends.
fn halted() -> axum::response::Response {
    use futures::StreamExt;
    let body = futures::stream::iter([Ok::<_, std::io::Error>("half of it")]).chain(futures::stream::pending());
    (StatusCode::OK, axum::body::Body::from_stream(body)).into_response()
}

/// Returns a response that begins and ends a moment later, with the error `end` if given.
fn begun(end: Option<std::io::Error>) -> axum::response::Response {
    use futures::StreamExt;
    let end = async move {
        tokio::time::sleep(Duration::from_millis(50)).await;
        futures::stream::iter(end.map(Err))
    };
    let body = futures::stream::iter([Ok("half of it")]).chain(futures::stream::once(end).flatten());
    (StatusCode::OK, [("x-replica", "torn")], axum::body::Body::from_stream(body)).into_response()
}
