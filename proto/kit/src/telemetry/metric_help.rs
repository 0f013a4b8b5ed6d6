//! Help texts of all metrics, for the Prometheus text format.

/// Name and help text of every metric. `deploy/k8s/check.py` compares the names with the metrics that the programs record.
pub const METRIC_HELP_TEXTS: [(&str, &str); 33] = [
    ("http_server_request_duration_seconds", "Duration of HTTP requests at the gateway."),
    ("rpc_server_duration_seconds", "Duration of gRPC calls at the service that answers them."),
    ("patio_admission_requests", "HTTP requests in progress and waiting at the gateway."),
    ("patio_audit_seal_lag_seconds", "Time since this process last found all audit entries sealed, by database schema."),
    ("patio_backup_last_success_timestamp_seconds", "Time of the last complete backup of the SQLite files, 0 before the first one."),
    ("patio_build_info", "Version and commit of the program; the value is always 1."),
    ("patio_conflicts_total", "Conflicts that saves opened and that users resolved."),
    ("patio_csp_violations_total", "Violations of the content security policy that browsers reported."),
    ("patio_db_connections", "Database connections by pool: busy, idle, and the maximum."),
    ("patio_db_replica_lag_seconds", "Time by which the read replica is behind the primary."),
    ("patio_db_replica_queries_total", "Queries of lists by the server that answered: the read replica or the primary."),
    ("patio_db_replica_usable", "1 when lists may come from the read replica."),
    ("patio_db_waiters", "Callers that wait for a database connection, by pool."),
    ("patio_http_connections", "Open client connections of the gateway."),
    ("patio_imports_total", "Imports by outcome."),
    ("patio_open_event_streams", "Open event streams of the gateway; each open page has one."),
    ("patio_outbox_pending_saves", "Saves that wait on devices, as the devices last reported. A device without a network is not known."),
    ("patio_password_checks_total", "Passwords that were hashed for comparison."),
    ("patio_password_hash_waiters", "Sign-ins that wait for a password check."),
    ("patio_redis_up", "1 when Redis accepts writes."),
    ("patio_replicas", "Replicas of a service that this process knows, and those that are healthy."),
    ("patio_rpc_retries_total", "Repeated gRPC calls, and those that the retry budget refused."),
    ("patio_saga_backlog", "Steps of background work across services that are not complete."),
    ("patio_saves_total", "Saves of inspections by outcome."),
    ("patio_service_certificate_expires_timestamp_seconds", "End of the validity of the certificate between services."),
    ("patio_service_tls_handshakes_failed_total", "TLS handshakes between services that were rejected."),
    ("patio_sign_in_failures_total", "Failed sign-ins, and those that led to a lockout."),
    ("patio_sql_statement_duration_seconds", "Time that the SQL statements of one gRPC call took together."),
    ("patio_sql_statements_total", "SQL statements by the gRPC call that ran them."),
    ("patio_unknown_sessions_total", "Tokens with a valid signature that name a session which their user did not begin."),
    ("patio_users_online", "Users with an open page at this gateway."),
    ("patio_users_saving", "Users who saved an inspection in this or the previous hour."),
    ("patio_wrong_service_secrets_total", "Requests of services with a wrong service secret."),
];

/// Registers the help text of every metric with the metrics recorder of this process.
pub fn register_help_texts() {
    for (name, help) in METRIC_HELP_TEXTS {
        if name.ends_with("_total") {
            metrics::describe_counter!(name, help);
        } else if name.ends_with("_duration_seconds") {
            metrics::describe_histogram!(name, help);
        } else {
            metrics::describe_gauge!(name, help);
        }
    }
}
