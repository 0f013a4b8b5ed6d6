//! Patio's public entry point: translates the REST API to gRPC calls of the services, and serves the web app. Business rules
//! belong in the services.

pub mod access_rules;
pub mod config;
pub mod doctor;
pub mod extract;
pub mod http;
pub mod limits;
pub mod middleware;
pub mod openapi;
pub mod routes;
pub mod server;
pub mod session_confirmation;
pub mod state;
pub mod tls;
pub mod views;

pub use config::Config;
pub use routes::health::service_readiness_routes;
pub use server::{Server, start};
