//! campaign-svc through its own calls, on each database, with a double of vehicle-svc beside it.
#[cfg(test)]
mod access;
#[cfg(test)]
mod closing;
#[cfg(test)]
mod deleting;
#[cfg(test)]
mod drafts;
#[cfg(test)]
mod listing;
#[cfg(test)]
mod progress;
#[cfg(test)]
mod saving;
#[cfg(test)]
mod steps;
#[cfg(test)]
mod support;
#[cfg(test)]
mod turns;
