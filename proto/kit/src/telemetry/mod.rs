//! Logs, traces and metrics of a process.
pub mod admin_server;
pub mod log_escape;
mod metric_help;
pub mod otlp;
pub mod outage_tracker;
mod process_metrics;
pub mod sql_stats;
pub mod trace;

use crate::{
    config::{InvalidSetting, Settings},
    lifecycle::BackgroundTasks,
    version::{GIT_COMMIT, VERSION},
};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use std::{io::IsTerminal, sync::OnceLock, time::Duration};
use tracing::Subscriber;
use tracing_subscriber::{
    EnvFilter, Layer,
    filter::{LevelFilter, Targets},
    layer::SubscriberExt,
    registry::LookupSpan,
    util::SubscriberInitExt,
};

static METRICS: OnceLock<Option<PrometheusHandle>> = OnceLock::new();

/// Upper bounds of the histogram buckets for durations, in seconds. The last bound is the maximum duration of an import.
const BUCKETS: [f64; 14] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0];
/// Log filter that applies unless `PATIO_LOG` names `sqlx`. The filter hides notices of the database server, and the warnings of `sqlx`
/// about slow statements and long waits for a connection. Metrics and Patio's own log lines report the same events.
const QUIET: &str = "sqlx=error";
/// Interval at which recorded durations are moved into histogram buckets.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);

/// Starts logging to standard error and recording metrics. Also starts distributed tracing when a trace collector is configured.
///
/// Only the first call in a process has an effect.
///
/// # Errors
/// Returns an error when the collector's URL or the log filter is invalid.
pub fn start_telemetry(settings: &Settings, service: &'static str) -> anyhow::Result<()> {
    process_metrics::record_process_start_time();
    let wanted = EnvFilter::builder().parse(&settings.log);
    InvalidSetting::ensure(wanted.is_ok(), || {
        format!("PATIO_LOG={}: not a level such as `info`, nor levels of modules such as `info,vehicle_svc=debug`", settings.log)
    })?;
    let tracer = trace::start_span_export(service, settings)?;
    let traces = tracer.map(|tracer| tracing_opentelemetry::layer().with_tracer(tracer).with_filter(traced_targets()));
    let counting = sql_stats::SqlStatsLayer.with_filter(sql_stats::sql_stats_layer_targets());
    let done = tracing_subscriber::registry().with(counting).with(traces).with(lines(settings)).try_init();
    if let Err(cause) = done {
        tracing::debug!(%cause, "logging is already initialized, the earlier settings stay in use");
    }
    if handle().is_some() {
        metric_help::register_help_texts();
        metrics::gauge!("patio_build_info", "version" => VERSION, "commit" => GIT_COMMIT).set(1.0);
    }
    tracing::info!(service, version = VERSION, commit = GIT_COMMIT, "starting");
    Ok(())
}

/// Returns the log filter for the value of the setting `PATIO_LOG`, such as `info,vehicle_svc=debug`.
fn filter(levels: &str) -> EnvFilter {
    let levels = format!("{QUIET},{levels},{}=off,{}=off", trace::TRACE_ONLY_SPAN_TARGET, sql_stats::STATEMENT_COUNT_SPAN_TARGET);
    EnvFilter::try_new(levels).unwrap_or_else(|_| EnvFilter::new("info"))
}

/// Returns the filter that selects the spans to send to the trace collector.
fn traced_targets() -> Targets {
    let off = [trace::UNTRACED_SPAN_TARGET, sql_stats::STATEMENT_COUNT_SPAN_TARGET].map(|target| (target, LevelFilter::OFF));
    Targets::new().with_default(LevelFilter::INFO).with_targets(off)
}

/// Creates the log layer, which writes one line per event.
fn lines<S>(settings: &Settings) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    let colours = std::io::stderr().is_terminal();
    let plain = tracing_subscriber::fmt::layer()
        .with_writer(crate::telemetry::log_escape::create_escaping_stderr)
        .with_target(false)
        .with_ansi(colours);
    let filter = filter(&settings.log);
    if settings.log_json {
        plain.json().flatten_event(true).with_current_span(false).with_filter(filter).boxed()
    } else {
        plain.with_filter(filter).boxed()
    }
}

/// Starts the task that moves recorded durations into histogram buckets. Without this task, memory use would grow until the next
/// metrics scrape.
pub fn spawn_metrics_upkeep(tasks: &BackgroundTasks) {
    tasks.spawn_repeating(UPKEEP_INTERVAL, || async {
        if let Some(handle) = handle() {
            handle.run_upkeep();
        }
    });
}

fn handle() -> Option<&'static PrometheusHandle> {
    METRICS
        .get_or_init(|| {
            PrometheusBuilder::new().set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &BUCKETS).ok()?.install_recorder().ok()
        })
        .as_ref()
}

/// Returns the metrics of this process in the Prometheus text format.
#[must_use]
pub fn render_metrics() -> String {
    let mut text = handle().map(PrometheusHandle::render).unwrap_or_default();
    process_metrics::append_metrics(&mut text);
    text
}

/// Converts a count to a gauge value. Counts above `u32::MAX` become `u32::MAX`.
#[must_use]
pub fn to_gauge_value(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}
