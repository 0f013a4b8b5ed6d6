//! All SQL statements of auth-svc, one module per table or purpose.

pub mod dialect;
pub mod encrypted_keys;
pub mod lockouts;
pub mod revocations;
pub mod sessions;
pub mod user_audit_entries;
pub mod users;
