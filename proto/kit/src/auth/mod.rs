//! Authentication: verifies the tokens of callers with signing keys and revocations from auth-svc, and requests the tokens that
//! services use for their own calls.

pub mod ed25519;
pub mod identity;
pub mod key_sync;
mod revoked_sessions;
pub mod service_tokens;
mod sync_demand;
