//! Patio's door: translates HTTP to gRPC and back, and serves the pages. It decides nothing of its own.

pub mod api;
pub mod assets;
mod away;
pub mod bearer;
pub mod config;
pub mod confirmed;
pub mod error;
pub mod headers;
pub mod input;
pub mod limits;
pub mod names;
pub mod openapi;
pub mod pace;
pub mod page;
pub mod precondition;
mod preview;
pub mod proxy;
pub mod routes;
pub mod rules;
pub mod serve;
pub mod threads;
pub mod tls;
pub mod turns;
pub mod upload;
pub mod values;

pub use config::Config;
pub use serve::{Gateway, start};
