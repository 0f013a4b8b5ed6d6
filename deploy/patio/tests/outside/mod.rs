//! Patio as a process, seen from outside: its system calls, its memory, its log, its sockets.
#![cfg(target_os = "linux")]
mod clients;
pub mod disk;
mod names;
mod power;
mod scarce;
mod soak;
