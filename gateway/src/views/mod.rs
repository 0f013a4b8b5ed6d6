//! JSON forms of the API that several routes share, and their conversion from the proto types.
//!
//! A JSON form that only one route uses belongs in the module of that route.

pub mod conflict;
pub mod download;
pub mod json_values;
pub mod session;
pub mod success_response;
pub mod vehicle;
pub mod vehicle_preview;
