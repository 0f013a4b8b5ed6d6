//! Patio as a process, seen from outside: its system calls, its memory, its log, its sockets.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod clients;
mod disk;
mod names;
mod patio;
mod power;
mod scarce;
mod soak;
