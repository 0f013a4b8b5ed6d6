//! Authentication: verification of callers' tokens with the signing keys and revocations of auth-svc, and tokens for the calls that
//! services make themselves.

pub mod ed25519;
pub mod identity;
mod key_poll_schedule;
pub mod key_sync;
mod revoked_sessions;
pub mod service_tokens;
