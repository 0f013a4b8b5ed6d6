//! Integration tests of the gateway's HTTP interface, with test doubles of the services.
#[cfg(test)]
mod access;
#[cfg(test)]
mod calls;
#[cfg(test)]
mod conflicts;
#[cfg(test)]
mod doubles;
#[cfg(test)]
mod files;
#[cfg(test)]
mod forms;
#[cfg(test)]
mod held;
#[cfg(test)]
mod jobs;
#[cfg(test)]
mod live;
#[cfg(test)]
mod openapi;
#[cfg(test)]
mod pages;
#[cfg(test)]
mod probes;
#[cfg(test)]
mod reports;
#[cfg(test)]
mod sessions;
#[cfg(test)]
mod sockets;
#[cfg(test)]
mod stack;
#[cfg(test)]
mod tls;
#[cfg(test)]
mod turns;
#[cfg(test)]
mod uploads;
#[cfg(test)]
mod vehicles;
