//! Recording of the SQL statements of a process, from the log events of `sqlx`.
use std::{
    fmt::Debug,
    sync::{LazyLock, Mutex, PoisonError},
    time::Duration,
};
use tracing_subscriber::{
    Layer,
    layer::{Context, SubscriberExt},
};

static STATEMENTS: LazyLock<Mutex<Vec<String>>> = LazyLock::new(Mutex::default);

/// Tracing layer that records every SQL statement that `sqlx` logs.
struct Listener;

impl<S: tracing::Subscriber> Layer<S> for Listener {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        if event.metadata().target() == "sqlx::query" {
            let mut statement = Statement::default();
            event.record(&mut statement);
            STATEMENTS.lock().unwrap_or_else(PoisonError::into_inner).push(statement.0);
        }
    }
}

#[derive(Default)]
struct Statement(String);

impl tracing::field::Visit for Statement {
    fn record_debug(&mut self, _: &tracing::field::Field, _: &dyn Debug) {}

    fn record_str(&mut self, field: &tracing::field::Field, value: &str) {
        if ["summary", "db.statement"].contains(&field.name()) {
            self.0 += value;
        }
    }
}

/// Starts recording all SQL statements of this process. The calling test needs a separate process, see [`crate::runs_alone`].
pub fn listen() {
    let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry().with(Listener));
}

/// Removes all recorded SQL statements, and returns those that contain the text `table`. First waits briefly for database threads.
///
/// The table name filters out background statements: opening connections, health checks, sealing the audit log.
pub async fn taken(table: &str) -> Vec<String> {
    tokio::time::sleep(Duration::from_millis(100)).await;
    let all = std::mem::take(&mut *STATEMENTS.lock().unwrap_or_else(PoisonError::into_inner));
    all.into_iter().filter(|statement| statement.contains(table)).collect()
}
