//! The calls of import-svc.
pub mod imports;
mod upload;
mod watch;
