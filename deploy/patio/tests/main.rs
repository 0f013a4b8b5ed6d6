//! End-to-end tests of Patio: processes are started, called over HTTP, stopped, killed and restored.
//!
//! All tests share one process. A test that starts or measures something first takes a permit of `patio_harness`.
#[cfg(test)]
mod access;
#[cfg(test)]
mod collector;
#[cfg(test)]
mod dice;
#[cfg(test)]
mod house;
mod imports;
#[cfg(test)]
mod kills;
#[cfg(test)]
mod operations;
#[cfg(test)]
mod outbox;
#[cfg(test)]
mod outside;
#[cfg(test)]
mod process;
#[cfg(test)]
mod replicas;
#[cfg(test)]
mod workbooks;
