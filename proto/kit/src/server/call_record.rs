//! Records each call in the log, metrics and trace when the response is complete.
use crate::{
    errors,
    telemetry::{sql_stats, trace},
};
use axum::body::Body;
use bytes::Bytes;
use futures::{
    FutureExt,
    future::{BoxFuture, pending},
};
use http::HeaderMap;
use http_body::{Frame, SizeHint};
use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Instant,
};
use tonic::{Code, Status};
use tracing::Span;

/// Path, start time and span of one call. The log line, metrics and trace of the call are recorded from this data when the call ends.
pub(super) struct CallRecord {
    pub(super) span: Span,
    pub(super) service: &'static str,
    pub(super) path: String,
    pub(super) started: Instant,
}

impl CallRecord {
    /// Records in the log, metrics and trace that the call ended with the status `code`.
    pub(super) fn record_outcome(self, code: Code) {
        let (service, took) = (self.service, self.started.elapsed());
        let method = patio_proto::find_rpc_method(&self.path);
        let (rpc_service, rpc_method) = method.map_or(("unknown", "unknown"), |method| (method.service_name(), method.name()));
        let labels = [("service", service), ("rpc_service", rpc_service), ("rpc_method", rpc_method)];
        let statements = sql_stats::read_statement_stats(&self.span);
        let (sql_count, sql_took) = (statements.count - statements.shared, statements.took.saturating_sub(statements.shared_duration));
        metrics::histogram!(
            "rpc_server_duration_seconds", "service" => service, "rpc_service" => rpc_service, "rpc_method" => rpc_method,
            "rpc_grpc_status_code" => code_label(code)
        )
        .record(took.as_secs_f64());
        metrics::counter!("patio_sql_statements_total", &labels).increment(sql_count);
        metrics::histogram!("patio_sql_statement_duration_seconds", "service" => service).record(sql_took.as_secs_f64());
        if trace::is_rpc_traced(&self.path) {
            // OpenTelemetry has no unsigned integers.
            let (count, micros) = (i64::try_from(statements.count), i64::try_from(statements.took.as_micros()));
            self.span.record("statements", count.unwrap_or(i64::MAX)).record("statement_micros", micros.unwrap_or(i64::MAX));
            trace::record_grpc_status(&self.span, code);
        }
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.span.in_scope(|| tracing::debug!(micros, code = code_label(code), "gRPC call finished"));
    }
}

/// Returns the number of a gRPC status code as text, for a metric label.
fn code_label(code: Code) -> &'static str {
    const NUMBERS: [&str; 17] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16"];
    usize::try_from(i32::from(code)).ok().and_then(|number| NUMBERS.get(number)).copied().unwrap_or("2")
}

/// Body of a streaming response, which records the call when the stream ends. The call is recorded as cancelled when the client
/// disconnects first.
pub(super) struct CallRecordingBody {
    body: Body,
    answered: Option<CallRecord>,
    silence: BoxFuture<'static, ()>,
}

impl CallRecordingBody {
    /// Wraps the body of a streaming response. When the database stops responding, `silence` resolves, and the stream ends with an error.
    pub(super) fn new(body: Body, answered: CallRecord, silence: BoxFuture<'static, ()>) -> Self {
        Self { body, answered: Some(answered), silence }
    }
}

impl http_body::Body for CallRecordingBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let span = self.answered.as_ref().map(|answered| answered.span.clone()); // the span counts the SQL statements of the call
        let mut polled = span.unwrap_or_else(tracing::Span::none).in_scope(|| Pin::new(&mut self.body).poll_frame(cx));
        if polled.is_pending() && self.silence.poll_unpin(cx).is_ready() {
            (self.body, self.silence) = (Body::empty(), pending().boxed());
            polled = Poll::Ready(Some(Ok(Frame::trailers(database_unresponsive_status().into_http::<Body>().into_parts().0.headers))));
        }
        let ended = match &polled {
            Poll::Ready(Some(Ok(frame))) => frame.trailers_ref().map(|trailers| parse_grpc_status(trailers).unwrap_or(Code::Unknown)),
            Poll::Ready(Some(Err(_)) | None) => Some(Code::Unknown),
            Poll::Pending => None,
        };
        if let Some((code, answered)) = ended.and_then(|code| Some((code, self.answered.take()?))) {
            answered.record_outcome(code);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for CallRecordingBody {
    fn drop(&mut self) {
        if let Some(answered) = self.answered.take() {
            answered.record_outcome(Code::Cancelled);
        }
    }
}

/// Builds the error status of a long-running call that ends because the database stopped responding.
pub(super) fn database_unresponsive_status() -> Status {
    let cause = "database does not respond";
    errors::with_dependency_failure(errors::unavailable_status("database", &cause), "database", &cause)
}

/// Returns the gRPC status code in response headers or trailers, or `None` when they contain no `grpc-status`.
pub(super) fn parse_grpc_status(headers: &HeaderMap) -> Option<Code> {
    headers.get("grpc-status").map(|code| Code::from_bytes(code.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::{future::ready, stream};
    use http_body_util::BodyExt;
    use metrics_exporter_prometheus::PrometheusBuilder;

    #[tokio::test]
    async fn a_stream_ends_with_unavailable_when_the_database_stops_responding() {
        let first = stream::iter([Ok::<_, axum::Error>(Bytes::from_static(b"first"))]);
        let body = Body::from_stream(futures::StreamExt::chain(first, stream::pending()));
        let sent = CallRecordingBody { body, answered: None, silence: ready(()).boxed() }.collect().await.unwrap();
        assert_eq!(sent.trailers().and_then(parse_grpc_status), Some(Code::Unavailable));
        assert_eq!(sent.to_bytes(), "first", "the data sent so far is delivered");
    }

    /// Returns the lines of the metrics that count calls after `act`.
    fn counted_calls(act: impl FnOnce()) -> Vec<String> {
        let recorder = PrometheusBuilder::new().build_recorder();
        metrics::with_local_recorder(&recorder, act);
        let text = recorder.handle().render();
        text.lines().filter(|line| line.starts_with("rpc_server_duration_seconds_count{")).map(str::to_owned).collect()
    }

    fn call_of(path: &str) -> CallRecord {
        CallRecord { span: Span::none(), service: "vehicle-svc", path: path.to_owned(), started: Instant::now() }
    }

    #[test]
    fn a_stream_that_its_client_leaves_counts_as_cancelled() {
        let call = call_of("/patio.vehicle.v1.VehicleService/ListAllVehicles");
        let lines = counted_calls(|| drop(CallRecordingBody::new(Body::empty(), call, pending().boxed())));
        assert!(lines.len() == 1 && lines[0].ends_with("} 1"), "{lines:?}");
        for label in ["service=\"vehicle-svc\"", "rpc_method=\"ListAllVehicles\"", "rpc_grpc_status_code=\"1\""] {
            assert!(lines[0].contains(label), "{label} in {lines:?}");
        }
    }

    #[test]
    fn calls_of_unknown_rpcs_share_one_time_series() {
        let lines = counted_calls(|| {
            for path in ["/a.B/One", "/a.B/Two", "/patio.vehicle.v1.VehicleService/Nothing"] {
                call_of(path).record_outcome(Code::Unimplemented);
            }
        });
        assert!(lines.len() == 1 && lines[0].ends_with("} 3"), "{lines:?}");
        assert!(lines[0].contains("rpc_method=\"unknown\"") && lines[0].contains("rpc_grpc_status_code=\"12\""), "{lines:?}");
    }
}
