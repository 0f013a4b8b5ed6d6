//! Statistics of SQL statements per call: their number and total duration.
use std::{fmt::Debug, time::Duration};
use tracing::{Event, Id, Span, Subscriber, field, span::Attributes};
use tracing_subscriber::{
    Layer, Registry,
    filter::{LevelFilter, Targets},
    layer::Context,
    registry::LookupSpan,
};

/// Name of the tracing span of an rpc call, for which SQL statements are counted.
pub const CALL_SPAN: &str = "rpc";
/// Log target under which `sqlx` logs each statement.
const SQLX_LOG_TARGET: &str = "sqlx::query";

/// Number and total duration of the SQL statements of one call.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct StatementStats {
    /// Number of SQL statements of the call.
    pub count: u64,
    /// Total duration of the statements.
    pub took: Duration,
}

/// Tracing layer that counts the SQL statements of each call, from the log events of `sqlx`.
pub struct SqlStatsLayer;

/// Returns the log targets that the statement-counting layer needs.
#[must_use]
pub fn log_targets() -> Targets {
    Targets::new().with_target("patio_kit::server::access_layer", LevelFilter::INFO).with_target(SQLX_LOG_TARGET, LevelFilter::DEBUG)
}

impl<S> Layer<S> for SqlStatsLayer
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if attributes.metadata().name() == CALL_SPAN
            && let Some(span) = context.span(id)
        {
            span.extensions_mut().insert(StatementStats::default());
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        if event.metadata().target() != SQLX_LOG_TARGET {
            return;
        }
        let mut elapsed = Elapsed(0.0);
        event.record(&mut elapsed);
        for span in context.event_scope(event).into_iter().flatten() {
            if let Some(statements) = span.extensions_mut().get_mut::<StatementStats>() {
                statements.count += 1;
                statements.took += Duration::try_from_secs_f64(elapsed.0).unwrap_or_default();
                return;
            }
        }
    }
}

struct Elapsed(f64);

impl field::Visit for Elapsed {
    fn record_f64(&mut self, told: &field::Field, value: f64) {
        if told.name() == "elapsed_secs" {
            self.0 = value;
        }
    }

    fn record_debug(&mut self, _: &field::Field, _: &dyn Debug) {}
}

/// Returns the number and total duration of the SQL statements counted for a call's span so far.
#[must_use]
pub fn read_stats(span: &Span) -> StatementStats {
    let counted = span.with_subscriber(|(id, subscriber)| {
        let span = subscriber.downcast_ref::<Registry>()?.span(id)?;
        span.extensions().get::<StatementStats>().copied()
    });
    counted.flatten().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing_subscriber::layer::SubscriberExt;

    #[test]
    fn statements_count_for_the_call_they_were_made_in() {
        let subscriber = tracing_subscriber::registry().with(SqlStatsLayer);
        tracing::subscriber::with_default(subscriber, || {
            let (one, other) = (tracing::info_span!("rpc"), tracing::info_span!("rpc"));
            one.in_scope(|| {
                let _deeper = tracing::info_span!("deeper").entered();
                tracing::debug!(target: "sqlx::query", elapsed_secs = 0.25, "select 1");
                tracing::debug!(target: "sqlx::query", elapsed_secs = 0.5, "select 2");
                tracing::debug!("no statement");
            });
            tracing::debug!(target: "sqlx::query", elapsed_secs = 1.0, "outside of any call");
            assert_eq!(read_stats(&one), StatementStats { count: 2, took: Duration::from_millis(750) });
            assert_eq!(read_stats(&other), StatementStats::default());
        });
    }
}
