//! gRPC services of import-svc: `ImportService` for imports, `FileService` for exports, SQL scripts, rejected workbooks and CSV files.
pub mod files;
pub mod imports;
mod upload;
pub mod upload_limiter;
mod watch;
