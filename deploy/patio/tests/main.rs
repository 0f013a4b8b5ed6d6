//! Patio as its users and operators meet it: started as processes, called over HTTP, stopped, killed and restored.
//!
//! All tests share one process. Each one that starts or measures something takes a turn of `patio_harness` first.
#[cfg(test)]
mod access;
#[cfg(test)]
mod dice;
#[cfg(test)]
mod house;
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
