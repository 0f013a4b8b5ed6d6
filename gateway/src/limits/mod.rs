//! Limits that protect the gateway: admission control, rate limits per client address, and open event streams per user.
//!
//! Limits that depend on an account, such as the lockout after failed sign-ins, belong in auth-svc. Timeouts of slow and idle clients
//! belong in `server`.

pub mod address_rate_limit;
pub mod admission;
pub mod event_stream_limit;
