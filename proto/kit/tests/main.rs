//! The kit through its real parts: sockets, replicas and a Redis server.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod balance;
mod caches;
mod callers;
mod pages;
mod private_links;
mod redis_tls;
mod service_tokens;
mod tokens;
