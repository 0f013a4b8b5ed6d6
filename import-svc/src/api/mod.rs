//! The calls of import-svc.
pub mod files;
pub mod imports;
mod upload;
mod watch;
