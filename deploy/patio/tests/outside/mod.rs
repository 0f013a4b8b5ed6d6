//! Tests of the process from outside: system calls, memory, log and sockets.
#![cfg(target_os = "linux")]
mod clients;
pub mod disk;
mod names;
mod power;
mod scarce;
mod soak;
