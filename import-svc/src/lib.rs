//! import-svc: spreadsheets in and out.
pub mod reader;
pub mod refusal;
pub mod template;
