//! gRPC services of import-svc: `ImportService` for imports, `FileService` for other files.
pub mod files;
pub mod imports;
mod upload;
pub mod upload_slots;
mod watch;
