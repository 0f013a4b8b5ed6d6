//! Tests of the statuses that failed SQL statements become, and of the causes that operators read.
use super::*;
use sqlx::error::{DatabaseError, ErrorKind as ViolationKind};
use std::{borrow::Cow, error::Error, fmt};

/// Error of a database server: the SQLSTATE code and the message.
#[derive(Debug)]
struct ServerError(&'static str, &'static str);

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.1)
    }
}

impl Error for ServerError {}

impl DatabaseError for ServerError {
    fn message(&self) -> &str {
        self.1
    }

    fn code(&self) -> Option<Cow<'_, str>> {
        Some(self.0.into())
    }

    fn as_error(&self) -> &(dyn Error + Send + Sync + 'static) {
        self
    }

    fn as_error_mut(&mut self) -> &mut (dyn Error + Send + Sync + 'static) {
        self
    }

    fn into_error(self: Box<Self>) -> Box<dyn Error + Send + Sync + 'static> {
        self
    }

    fn kind(&self) -> ViolationKind {
        ViolationKind::Other
    }
}

fn refusal(code: &'static str) -> sqlx::Error {
    sqlx::Error::Database(Box::new(ServerError(code, "in the table of secrets")))
}

fn io(kind: ErrorKind) -> sqlx::Error {
    sqlx::Error::Io(kind.into())
}

#[test]
fn the_status_of_a_failed_statement_says_whether_to_retry_and_hides_the_cause() {
    for (cause, code, expected) in [
        (io(ErrorKind::ConnectionRefused), Code::Unavailable, ErrorReason::Unavailable),
        (io(ErrorKind::StorageFull), Code::Unavailable, ErrorReason::Unavailable),
        (sqlx::Error::PoolTimedOut, Code::Unavailable, ErrorReason::Unavailable),
        (sqlx::Error::PoolClosed, Code::Unavailable, ErrorReason::Unavailable),
        (sqlx::Error::WorkerCrashed, Code::Unavailable, ErrorReason::Unavailable),
        (refusal("08006"), Code::Unavailable, ErrorReason::Unavailable),
        (refusal("53100"), Code::Unavailable, ErrorReason::Unavailable),
        (refusal("53300"), Code::Unavailable, ErrorReason::Unavailable),
        (refusal("57P01"), Code::Unavailable, ErrorReason::Unavailable),
        (refusal("57P03"), Code::Unavailable, ErrorReason::Unavailable),
        (refusal("40001"), Code::Unavailable, ErrorReason::Busy),
        (refusal("40P01"), Code::Unavailable, ErrorReason::Busy),
        (refusal("22021"), Code::InvalidArgument, ErrorReason::BadRequest),
        (refusal("23505"), Code::Internal, ErrorReason::Internal),
        (refusal("42P01"), Code::Internal, ErrorReason::Internal),
        (sqlx::Error::RowNotFound, Code::Internal, ErrorReason::Internal),
    ] {
        let found = database_status(&cause);
        assert_eq!((found.code(), reason(&found)), (code, Some(expected)), "{cause:?}");
        assert!(!found.message().contains("secrets"), "{found:?}");
    }
    for full in [io(ErrorKind::StorageFull), refusal("13"), refusal("53100")] {
        assert!(database_status(&full).message().contains("disk is full"), "{full:?}");
    }
}

#[test]
fn a_missing_role_or_schema_and_a_refused_parameter_do_not_count_as_outages() {
    for code in ["28000", "28P01", "3D000", "3F000", "42501"] {
        assert!(is_database_setup_missing(&refusal(code)) && !is_database_unavailable(&refusal(code)), "{code}");
    }
    assert!(is_database_unavailable(&refusal("25006")) && !is_database_setup_missing(&refusal("25006")), "a read-only server");
    assert!(!is_database_setup_missing(&sqlx::Error::PoolTimedOut));
    let pooler = ServerError("08P01", "unsupported startup parameter: options");
    assert!(!is_database_unavailable(&sqlx::Error::Database(Box::new(pooler))), "a retry is useless");
}

#[test]
fn the_cause_of_a_dependency_failure_is_one_short_line_of_visible_characters() {
    let bare = || status(Code::Unavailable, ErrorReason::Unavailable, &"words");
    let marked = |cause: &str| with_dependency_failure(bare(), "vehicle-svc", &cause);
    let failure = dependency_failure(&marked("refused\r\nx-forged: 1\u{7f}\u{e9} ")).unwrap();
    assert_eq!(failure, DependencyFailure { dependency: "vehicle-svc".to_owned(), cause: "refused  x-forged: 1".to_owned() });
    assert_eq!(dependency_failure(&marked(&"x".repeat(1_000))).unwrap().cause.len(), MAX_CAUSE_LEN);
    assert_eq!((marked("10.0.0.1").message(), dependency_failure(&bare())), ("words", None), "clients see no cause");
}

#[test]
fn an_error_chain_is_one_line_without_repetitions_and_line_numbers() {
    let refused = anyhow::anyhow!("role \"x\" is not permitted at line 412").context("database: role \"x\" is not permitted");
    assert_eq!(format_error_chain(&refused.context("PATIO_DATABASE_URL")), "PATIO_DATABASE_URL: database: role \"x\" is not permitted");
    assert_eq!(format_error_chain(&anyhow::anyhow!("one at line 7, two at line 12")), "one, two");
}
