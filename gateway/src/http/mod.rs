//! HTTP building blocks that routes and middleware use: client address, headers, cookies, request bodies and the error
//! response.
//!
//! These modules use neither the application state nor the gRPC clients. Code that needs the state or a client belongs in
//! `extract` or `middleware`.

pub mod client_address;
pub mod device_cookie;
pub mod peer;
pub mod problem;
pub mod request_body;
pub mod request_id;
pub mod security_headers;
pub mod trusted_proxy;
pub mod user_agent;
