//! All the SQL of auth-svc.

pub mod dialect;
pub mod export;
pub mod keys;
pub mod lockouts;
pub mod revocations;
pub mod sessions;
pub mod users;
