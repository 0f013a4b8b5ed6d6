//! Deadlines of calls: the `grpc-timeout` header, and the deadline that outgoing calls inherit from the incoming call.
use http::{HeaderMap, HeaderValue};
use std::time::Duration;
use tokio::time::Instant;

const TIMEOUT: &str = "grpc-timeout";
/// Default timeout of a call, shorter than the three seconds that a user's request may take in total.
pub const DEFAULT_CALL_TIMEOUT: Duration = Duration::from_millis(2800);
/// Longest timeout of a normal call. Calls with a longer timeout, such as imports, count as long-running.
const MAX_SHORT_DEADLINE: Duration = Duration::from_secs(15);

tokio::task_local! {
    /// Deadline of the incoming call. Outgoing calls made for the incoming call inherit this deadline.
    static INCOMING_DEADLINE: Instant;
}

/// Runs `work` for an incoming call with the given headers. Outgoing calls within `work` inherit the deadline of the incoming call.
pub async fn with_inherited_deadline<F: Future>(headers: &HeaderMap, work: F) -> F::Output {
    match timeout_header(headers) {
        Some(timeout) => INCOMING_DEADLINE.scope(Instant::now() + timeout, work).await,
        None => work.await,
    }
}

/// Returns the timeout of an outgoing call: its `grpc-timeout` header or the default timeout. The timeout never exceeds the
/// deadline of the incoming call.
pub(super) fn outgoing_timeout(headers: &HeaderMap) -> Duration {
    let left = INCOMING_DEADLINE.try_with(|until| until.saturating_duration_since(Instant::now())).unwrap_or(Duration::MAX);
    timeout_header(headers).unwrap_or(DEFAULT_CALL_TIMEOUT).min(left)
}

pub(super) fn set_timeout_header(headers: &mut HeaderMap, timeout: Duration) {
    if let Ok(value) = HeaderValue::from_str(&format!("{}m", timeout.as_millis().min(99_999_999))) {
        headers.insert(TIMEOUT, value);
    }
}

fn timeout_header(headers: &HeaderMap) -> Option<Duration> {
    parse(headers.get(TIMEOUT)?.to_str().ok()?)
}

/// Returns `true` for a call with a timeout of more than 15 seconds, such as an import or a change of thousands of vehicles.
pub(crate) fn is_long_running_call(headers: &HeaderMap) -> bool {
    timeout_header(headers).is_some_and(|timeout| timeout > MAX_SHORT_DEADLINE)
}

fn parse(written: &str) -> Option<Duration> {
    let (number, unit) = written.split_at_checked(written.len().checked_sub(1)?)?;
    let number: u64 = number.parse().ok().filter(|number| *number < 100_000_000)?;
    match unit {
        "H" => Some(Duration::from_secs(number * 3600)),
        "M" => Some(Duration::from_secs(number * 60)),
        "S" => Some(Duration::from_secs(number)),
        "m" => Some(Duration::from_millis(number)),
        "u" => Some(Duration::from_micros(number)),
        "n" => Some(Duration::from_nanos(number)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadlines_are_read_as_grpc_writes_them() {
        assert_eq!(parse("250m"), Some(Duration::from_millis(250)));
        assert_eq!(parse("3S"), Some(Duration::from_secs(3)));
        assert_eq!(parse("x"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn a_deadline_has_at_most_eight_digits_and_a_unit_of_grpc() {
        for (written, read) in [
            ("2H", Some(Duration::from_secs(7_200))),
            ("3M", Some(Duration::from_secs(180))),
            ("7u", Some(Duration::from_micros(7))),
            ("9n", Some(Duration::from_nanos(9))),
            ("0m", Some(Duration::ZERO)),
            ("99999999S", Some(Duration::from_secs(99_999_999))),
            ("100000000S", None),
            ("-5S", None),
            ("1.5S", None),
            ("5s", None),
            ("5", None),
            ("S", None),
            ("5\u{e9}", None),
        ] {
            assert_eq!(parse(written), read, "{written}");
        }
    }

    #[test]
    fn a_timeout_is_written_in_milliseconds_and_a_call_of_more_than_15_seconds_runs_long() {
        let mut headers = HeaderMap::new();
        assert!(!is_long_running_call(&headers), "a call without a deadline");
        for (timeout, written, runs_long) in [
            (Duration::from_micros(1_999), "1m", false),
            (MAX_SHORT_DEADLINE, "15000m", false),
            (MAX_SHORT_DEADLINE + Duration::from_millis(1), "15001m", true),
            (Duration::MAX, "99999999m", true),
        ] {
            set_timeout_header(&mut headers, timeout);
            assert_eq!((headers[TIMEOUT].to_str().unwrap(), is_long_running_call(&headers)), (written, runs_long));
        }
    }
}
