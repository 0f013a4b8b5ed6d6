//! Statistics of the SQL statements of each gRPC call: their number and total duration.
use std::{fmt::Debug, time::Duration};
use tracing::{Event, Id, Span, Subscriber, field, span::Attributes};
use tracing_subscriber::{
    Layer, Registry,
    filter::{LevelFilter, Targets},
    layer::Context,
    registry::LookupSpan,
};

/// Name of the tracing span of a gRPC call. SQL statements are counted per span of this name.
pub const RPC_SPAN_NAME: &str = "rpc";
/// Target of tracing spans whose only purpose is to count SQL statements of work shared by several gRPC calls, such as a group of saves.
pub const STATEMENT_COUNT_SPAN_TARGET: &str = "patio_sql_count";
/// Log target under which `sqlx` logs each SQL statement.
const SQLX_LOG_TARGET: &str = "sqlx::query";

/// Number and total duration of the SQL statements of one gRPC call.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct StatementStats {
    /// Number of SQL statements that the call waited for, including statements shared with other calls.
    pub count: u64,
    /// Total duration of the statements in `count`.
    pub took: Duration,
    /// Number of the statements that this call shared with an earlier call. The field `count` includes these statements, but the metrics
    /// attribute each shared statement only to the first call.
    pub shared: u64,
    /// Total duration of the statements in `shared`.
    pub shared_duration: Duration,
}

/// Tracing layer that counts the SQL statements of each gRPC call, from the log events of `sqlx`.
pub struct SqlStatsLayer;

/// Returns the filter with the tracing targets that [`SqlStatsLayer`] has to receive: call spans and log events of `sqlx`.
#[must_use]
pub fn sql_stats_layer_targets() -> Targets {
    let spans = ["patio_kit::server::authorization_layer", super::trace::UNTRACED_SPAN_TARGET, STATEMENT_COUNT_SPAN_TARGET];
    Targets::new().with_targets(spans.map(|target| (target, LevelFilter::INFO))).with_target(SQLX_LOG_TARGET, LevelFilter::DEBUG)
}

impl<S> Layer<S> for SqlStatsLayer
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if attributes.metadata().name() == RPC_SPAN_NAME
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
    fn record_f64(&mut self, field: &field::Field, value: f64) {
        if field.name() == "elapsed_secs" {
            self.0 = value;
        }
    }

    fn record_debug(&mut self, _: &field::Field, _: &dyn Debug) {}
}

/// Returns the number and total duration of the SQL statements counted for a call's span so far.
#[must_use]
pub fn read_statement_stats(span: &Span) -> StatementStats {
    with_stats(span, |stats| *stats).unwrap_or_default()
}

/// Creates a span that counts the SQL statements of work shared by several gRPC calls. When the work is done,
/// [`attribute_statements_to_calls`] adds these statements to the statistics of each call.
#[must_use]
pub fn create_statement_counting_span() -> Span {
    tracing::info_span!(target: STATEMENT_COUNT_SPAN_TARGET, parent: None, "rpc")
}

/// Adds the SQL statements of shared work to the statistics of each call that shared the work. `work` is the span that counted the
/// statements. The metrics count the statements only once, for the first call.
pub fn attribute_statements_to_calls<'s>(work: &Span, calls: impl Iterator<Item = &'s Span>) {
    let StatementStats { count, took, .. } = read_statement_stats(work);
    for (number, call) in calls.enumerate() {
        with_stats(call, |stats| {
            stats.count += count;
            stats.took += took;
            if number > 0 {
                stats.shared += count;
                stats.shared_duration += took;
            }
        });
    }
}

/// Runs `act` on the statistics of the gRPC call that a span belongs to. Returns `None` for a span outside of any call.
fn with_stats<T>(span: &Span, act: impl FnOnce(&mut StatementStats) -> T) -> Option<T> {
    let done = span.with_subscriber(|(id, subscriber)| {
        for span in subscriber.downcast_ref::<Registry>()?.span(id)?.scope() {
            if let Some(stats) = span.extensions_mut().get_mut::<StatementStats>() {
                return Some(act(stats));
            }
        }
        None
    });
    done.flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing_subscriber::layer::SubscriberExt;

    fn statement(seconds: f64) {
        tracing::debug!(target: "sqlx::query", elapsed_secs = seconds, "select 1");
    }

    #[test]
    fn statements_count_for_the_call_they_were_made_in() {
        let subscriber = tracing_subscriber::registry().with(SqlStatsLayer);
        tracing::subscriber::with_default(subscriber, || {
            let (one, other) = (tracing::info_span!("rpc"), tracing::info_span!("rpc"));
            one.in_scope(|| {
                let _deeper = tracing::info_span!("deeper").entered();
                statement(0.25);
                statement(0.5);
                tracing::debug!("no statement");
            });
            statement(1.0); // outside of any call
            assert_eq!(
                read_statement_stats(&one),
                StatementStats { count: 2, took: Duration::from_millis(750), ..StatementStats::default() }
            );
            assert_eq!(read_statement_stats(&other), StatementStats::default());
        });
    }

    #[test]
    fn shared_statements_count_for_each_call_and_once_in_the_metrics() {
        let subscriber = tracing_subscriber::registry().with(SqlStatsLayer);
        tracing::subscriber::with_default(subscriber, || {
            let calls = [tracing::info_span!("rpc"), tracing::info_span!("rpc")];
            let inner = calls[1].in_scope(|| tracing::info_span!("deeper"));
            let work = create_statement_counting_span();
            work.in_scope(|| statement(0.5));
            attribute_statements_to_calls(&work, [&calls[0], &inner].into_iter());
            let took = Duration::from_millis(500);
            assert_eq!(read_statement_stats(&calls[0]), StatementStats { count: 1, took, ..StatementStats::default() });
            assert_eq!(read_statement_stats(&calls[1]), StatementStats { count: 1, took, shared: 1, shared_duration: took });
        });
    }
}
