//! Extractors of validated request parts: caller, body, query and path parameters, and headers. A request with an invalid part is
//! rejected with the API's JSON error.
//!
//! Code that reads the client's address or a cookie belongs in `http`; the JSON forms of responses belong in `views`.

pub mod auth;
pub mod conditional_headers;
pub mod query;
pub mod request_parts;
pub mod upload;
