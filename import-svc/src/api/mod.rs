//! The calls of import-svc.
pub mod files;
pub mod imports;
pub mod places;
mod upload;
mod watch;
